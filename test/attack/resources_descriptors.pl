# File descriptors: PostgreSQL closes files of a process that it can open again, so that neither a session's own cursors, nor what a level sorts, groups and
# reads elsewhere, leaves a level without one, whatever its rows are.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use PostgreSQL::Test::Utils;
use Test::More;

# Of 75 files a process keeps some thirty for itself.
my $node = neighbours('descriptors', "max_files_per_process = 75\nmin_parallel_table_scan_size = 0\nparallel_setup_cost = 0\nparallel_tuple_cost = 0\n", <<"SQL");
CREATE TABLE hr.bulk (person int NOT NULL, filler text, note text);
ALTER TABLE hr.bulk ALTER filler SET STORAGE PLAIN, ALTER note SET STORAGE EXTERNAL, SET (parallel_workers = 2);
INSERT INTO hr.bulk SELECT 7, repeat('w', 6000) || i, repeat('n', 9000) FROM generate_series(1, 40) i;
INSERT INTO hr.bulk SELECT i, repeat('w', 6000) || i, 'short' FROM generate_series(11, 16) AS i;
SELECT gaussdp.protect('hr.bulk', 'person', max_rows => 3), gaussdp.grant_budget('ana', 'hr.bulk', 1000, 1e-2);
DELETE FROM hr.bulk WHERE person = 7 AND current_database() = 'none';
SQL

# Two cursors each with a file of their own: what is kept beyond the transaction, and a sort.
sub cursors
{
	my ($n) = @_;
	return join '', map { "DECLARE k$_ CURSOR WITH HOLD FOR SELECT g, repeat('x', 100) FROM generate_series(1, 700) g;"
		  . "DECLARE s$_ CURSOR FOR SELECT g, repeat('y', 100) FROM generate_series(1, 700) g ORDER BY g DESC; MOVE 1 FROM s$_;" } 1 .. $n;
}

foreach my $n (15, 20, 25, 60)
{
	foreach my $workers (0, 2)
	{
		my $asked = "SET max_parallel_workers_per_gather = $workers; SET work_mem = '64kB'; BEGIN; @{[ cursors($n) ]}"
		  . "SELECT count(*) FROM (SELECT left(filler, 6005), dp_count(0.01, 1e-6) FROM hr.bulk GROUP BY 1 HAVING dp_keep_group(0.01, 1e-9)) s; COMMIT;"
		  . " SELECT dp_count(0.01, 1e-6) IS NOT NULL FROM hr.bulk WHERE length(note) > 6000;";
		same("$n cursors of each kind, $workers workers", $asked);
		unlike(told('one'), qr/ERROR/, '... and an answer');
	}
}
is($node->safe_psql($_, "SELECT sum(errors), sum(cancels), sum(resource_errors) FROM gaussdp.budget WHERE paid_by = 'ana'"), '0|0|0', "nothing is counted in $_") foreach 'one', 'none';
cmp_ok($node->safe_psql('one', 'SELECT temp_files FROM pg_stat_database WHERE datname = current_database()'), '>', 2 * 2 * (15 + 20 + 25 + 60), 'the cursors did have files');
$node->stop;
done_testing();
