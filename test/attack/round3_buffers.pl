# Pages that a level reads take the place of others in shared buffers.  How many of the analyst's own were driven out,
# EXPLAIN (BUFFERS) of the next scan of them tells to one page.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use List::Util qw(min sum);
use Test::More;

my $node = neighbours('buffers', "shared_buffers = 8MB\nbgwriter_lru_maxpages = 0\n", <<'SQL');
UPDATE hr.emp SET note = repeat('q', 1000000) WHERE id = 7;
SQL

prepare(<<'SQL');
CREATE TABLE ana.pages (k int PRIMARY KEY, filler text) WITH (fillfactor = 10);
ALTER TABLE ana.pages ALTER filler SET STORAGE PLAIN;
INSERT INTO ana.pages SELECT i, repeat('q', 5000) FROM generate_series(1, 2000) i;
VACUUM ANALYZE ana.pages;
SQL

# How many of 1000 pages, the last ones first, a scan has to read when a level was between it and an earlier one: the middle of five.
sub driven_out
{
	my ($salary) = @_;
	my $scan = 'EXPLAIN (ANALYZE, BUFFERS, TIMING off, SUMMARY off, COSTS off) SELECT filler FROM ana.pages WHERE k BETWEEN %d AND %d ORDER BY k %s;';
	my $level = "SELECT dp_count(0.001, 1e-6) > -1e9 FROM hr.emp WHERE CASE WHEN id = 7 AND salary > $salary THEN note > 'qq' ELSE false END;";
	my @read;
	foreach (1 .. 5)
	{
		my $out = Neighbours::run("SET enable_seqscan = off; SET enable_bitmapscan = off; SET max_parallel_workers_per_gather = 0;\n"
			  . sprintf($scan, 1001, 2000, "") . sprintf($scan, 1, 1000, "") . "\\echo level\n$level\n" . sprintf($scan, 1, 1000, "DESC"), "one");
		my ($after) = $out =~ /^level\n(.*)\z/ms;
		push @read, $after =~ /^Index Scan.*?Buffers: shared (?:hit=\d+)? ?(?:read=(\d+))?/ms && defined $1 ? $1 : 0;
	}
	diag("$salary: @read");
	return (sort { $a <=> $b } @read)[2];
}

my ($there, $not) = map { driven_out($_) } 65000, 75000;
cmp_ok(abs($there - $not), '<', 30, 'pages of the analyst\'s that a level has driven out of shared buffers tell no row') || diag("$there and $not pages");

$node->stop;
done_testing();
