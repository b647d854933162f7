# PostgreSQL keeps what it has found out about a collation to the end of the session, whatever is invalidated.  So the
# collations of a level are looked up whether a row asks for them or not.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

my $node = neighbours('collation');

prepare(<<'SQL');
CREATE TABLE ana.pub (k int PRIMARY KEY, t text);
INSERT INTO ana.pub SELECT i, 't' || i FROM generate_series(1, 9) i;
SQL

my $explain = 'EXPLAIN (ANALYZE, BUFFERS, TIMING off, SUMMARY off, COSTS off)';
foreach my $collation ('de-x-icu', 'C.utf8', 'ucs_basic')
{
	my $probe = "$explain SELECT FROM ana.pub WHERE t < 'x' COLLATE \"$collation\";";
	my ($one, $none) = map { Neighbours::run($probe, $_) } 'one', 'none';
	is($one, $none, "$collation: without a level, both databases read the same");
	foreach my $level ("SELECT dp_count(0.01, 1e-6) > -1e9 FROM hr.emp WHERE CASE WHEN id = 7 THEN note > 'qq' COLLATE \"$collation\" ELSE false END;",
		"SELECT dp_count(0.01, 1e-6) > -1e9 FROM hr.emp WHERE CASE WHEN id = 7 AND salary > 65000 THEN note > 'qq' COLLATE \"$collation\" ELSE false END;")
	{
		($one, $none) = map { Neighbours::run("$level\n$probe", $_) } 'one', 'none';
		is($one, $none, "$collation: that a row was compared by it tells no row");
	}
}

$node->stop;
done_testing();
