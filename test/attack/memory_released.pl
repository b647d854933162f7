# A level's released rows are kept within work_mem, however many and whatever their type.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

my $node = neighbours('memory', "shared_buffers = 16MB\nwork_mem = 4MB\n", 'GRANT EXECUTE ON FUNCTION pg_read_file(text) TO ana; GRANT pg_read_server_files TO ana');
# A million in the long form.
my $rows = $ENV{GAUSSDP_FULL} ? 1_000_000 : 250_000;
prepare("CREATE TABLE ana.pub AS SELECT generate_series(1, $rows) AS k; ALTER TABLE ana.pub ADD PRIMARY KEY (k); ANALYZE ana.pub");

# The most memory, in kB, that a session ever had.
sub peak
{
	my ($call) = @_;
	return $node->safe_psql('one', "SET statement_timeout = '180s'; SELECT FROM (SELECT k, $call c FROM ana.pub LEFT JOIN hr.emp ON k = dept_id GROUP BY k OFFSET 0) s OFFSET $rows;"
		  . " SELECT substring(pg_read_file('/proc/self/status') from 'VmHWM:\\s*(\\d+)')", extra_params => [ '-U', 'ana' ]);
}

my $plain = peak('dp_count(0.0001, 1e-6)');
cmp_ok(peak('dp_count_estimate(0.0001, 1e-6)') - $plain, '<', 32 * $rows / 1000, "$rows released rows of a type with a variable length need no more memory than those of a fixed one");

$node->stop;
done_testing();
