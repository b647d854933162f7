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

# A collation for each bit of person 7's age, in one level.
my @collations = map { "$_-x-icu" } qw(fr es it nl sv da fi pl);
my $bits = join ' OR ', map { "CASE WHEN id = 7 AND (age & " . (1 << $_) . ") <> 0 THEN note < 'a' COLLATE \"$collations[$_]\" ELSE false END" } 0 .. 7;
my $out = Neighbours::run("SELECT dp_count(0.001, 1e-6) > -1e9 FROM hr.emp WHERE $bits;\n"
	  . join('', map { "$explain SELECT FROM ana.pub WHERE t < 'x' COLLATE \"$_\";\n" } 'de-x-icu', @collations), 'one');
# What hits no page says nothing of pages.
my (undef, @hits) = map { $_ // 0 } $out =~ /Filter:.*\n(?:\s+Buffers: shared hit=(\d+))?/g;
is(scalar @hits, 8, 'eight collations were looked up');
isnt(eval { my $age = 0; $age |= ($hits[$_] <= 2) << $_ foreach 0 .. 7; $age }, 47, 'and nobody\'s age is read out');

$node->stop;
done_testing();
