# Released rows that do not fit into memory go to files, whose sizes the server's counters tell.  These depend on the
# rows that are shown alone: not on the order in which the groups were found, which changes with the number of all groups.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

# Groups of ten people are shown, but for one run in 10^100 (a standard deviation of 0.22, a threshold of 2.4). Thirty people in groups of their own, which are never shown, make PostgreSQL's table of groups grow.
my $node = neighbours('sizes', '', <<'SQL');
CREATE TABLE hr.note (person int PRIMARY KEY, word text NOT NULL);
INSERT INTO hr.note SELECT j, 'k' || j / 10 || repeat(md5((j / 10)::text), 1 + (2 ^ (hashint4(j / 10) & 7))::int) FROM generate_series(0, 18199) j;
INSERT INTO hr.note SELECT 100000 + j, 'zz' || j FROM generate_series(1, 30) j;
SELECT gaussdp.protect('hr.note', 'person', 1), gaussdp.grant_budget('ana', 'hr.note', 1000, 1e-2);
SQL
$node->safe_psql('none', 'DELETE FROM hr.note WHERE person > 100000');
my $bytes = 'SELECT temp_bytes FROM pg_stat_database WHERE datname = current_database()';
my $shown = 'SELECT word, dp_count(40, 1e-10) FROM hr.note GROUP BY word HAVING dp_keep_group(40, 1e-10)';

# How many bytes a session of ana's adds to the counter.
sub added
{
	my ($database, $sql) = @_;
	my $before = $node->safe_psql($database, $bytes);
	my $seen = Neighbours::run("SET work_mem = '64kB'; SET hash_mem_multiplier = 1000; SET max_parallel_workers_per_gather = 0; $sql", $database);
	unlike($seen, qr/ERROR|WARNING/, "answered: $database");
	like($seen, qr/^1820\n/m, "with the same groups: $database");
	$node->poll_query_until($database, "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE usename = 'ana')");
	return $node->safe_psql($database, $bytes) - $before;
}

my %ended = map { $_ => added($_, "SELECT count(*) FROM ($shown) s;") } 'one', 'none';
cmp_ok($ended{one}, '>', 0, 'released rows were in files');
is($ended{one}, $ended{none}, 'whose sizes do not tell of groups that are not shown');
my %aborted = map { $_ => added($_, "BEGIN; DECLARE c CURSOR FOR SELECT count(*) OVER () FROM ($shown) s; FETCH 1 FROM c; ROLLBACK;") } 'one', 'none';
is($aborted{one}, $aborted{none}, 'nor where the transaction is rolled back');

$node->stop;
done_testing();
