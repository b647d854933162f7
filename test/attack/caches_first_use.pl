# What a level leaves behind in its session does not depend on rows.  PostgreSQL reads the catalog when something is
# needed for the first time, and EXPLAIN (BUFFERS) of the analyst's next statement counts what is still to be read.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

my $node = neighbours('caches');

prepare(<<'SQL');
CREATE TABLE ana.pub (k int PRIMARY KEY, m macaddr8, dates daterange, numbers nummultirange, ranges int8range[]);
INSERT INTO ana.pub SELECT i, '08:00:2b:01:02:03:04:05', '[2020-01-01,]', '{[1,2]}', '{"[1,2]"}' FROM generate_series(1, 9) i;
CREATE TABLE ana.answers (a dp_estimate);
INSERT INTO ana.answers SELECT dp_count_estimate(0.01, 1e-6) FROM hr.emp;
SQL

my $explain = 'EXPLAIN (ANALYZE, BUFFERS, TIMING off, SUMMARY off, COSTS off)';
my $kept = 'GROUP BY dept HAVING dp_keep_group(0.01, 1e-9)';
my $toast = 'SELECT i.indexrelid FROM pg_class c JOIN pg_index i ON i.indrelid = c.reltoastrelid WHERE c.oid = \'hr.emp\'::regclass \gset';

# A level that says nothing, and a statement that then shows how much of the catalog it had to read.
my @channels = (
	[ 'the row type of a released estimate', '', "SELECT dp_count_estimate(0.01, 1e-6) IS NULL FROM hr.emp WHERE id = 7 $kept;",
		"$explain SELECT row_to_json(a) FROM ana.answers;" ],
	[ 'how values of DISTINCT are sorted', '', "SELECT dp_count(DISTINCT m, 0.01, 1e-6) IS NULL FROM hr.emp JOIN ana.pub ON k = id WHERE id = 7 $kept;",
		"$explain SELECT m FROM ana.pub ORDER BY m;" ],
	[ 'the index of a TOAST table', $toast, "SELECT dp_count(0.01, 1e-6) IS NULL FROM hr.emp WHERE id = 7 AND note < 'r';",
		"$explain SELECT pg_relation_size(:indexrelid);" ],
	map { [ "what $_->[0] is made of", '', "SELECT dp_count(0.01, 1e-6) IS NULL FROM hr.emp JOIN ana.pub ON k = id WHERE CASE WHEN id = 7 AND salary > 0 THEN $_->[1] END;",
		"$explain SELECT $_->[2] FROM ana.pub;" ] }
	  [ 'a range', 'NOT isempty(dates * dates)', 'dates * dates' ], [ 'a multirange', 'NOT isempty(numbers * numbers)', 'numbers * numbers' ],
	  [ 'an array of ranges', 'ranges < ranges', 'ranges < ranges' ], [ 'a range beside another type', 'm IS NOT NULL AND trunc(m) = m AND upper(dates) IS NULL', 'upper(dates)' ]);

foreach (@channels)
{
	my ($what, $before, $level, $probe) = @$_;
	my ($one, $none) = map { Neighbours::run("$before\n$probe", $_) } 'one', 'none';
	is($one, $none, "$what: without the level, both databases read the same");
	($one, $none) = map { Neighbours::run("$before\n$level\n$probe", $_) } 'one', 'none';
	is($one, $none, "$what: what a session has cached tells no row");
}

$node->stop;
done_testing();
