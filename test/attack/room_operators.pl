# What is verified of an operator is its function; but the planner puts others in its place.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

my $node = neighbours('operators');

prepare(<<'SQL');
CREATE FUNCTION ana.tell(int, int) RETURNS bool LANGUAGE plpgsql IMMUTABLE COST 0.0001 AS 'BEGIN RAISE NOTICE ''%'', $1; RETURN true; END';
CREATE OPERATOR ana.=== (FUNCTION = int4eq, LEFTARG = int, RIGHTARG = int, NEGATOR = OPERATOR(ana.!==), COMMUTATOR = OPERATOR(ana.=%=), RESTRICT = eqsel, JOIN = eqjoinsel, MERGES, HASHES);
CREATE OPERATOR ana.!== (FUNCTION = ana.tell, LEFTARG = int, RIGHTARG = int, NEGATOR = OPERATOR(ana.===));
CREATE OPERATOR ana.=%= (FUNCTION = ana.tell, LEFTARG = int, RIGHTARG = int, COMMUTATOR = OPERATOR(ana.===));
CREATE TABLE ana.pub (k int PRIMARY KEY);
INSERT INTO ana.pub SELECT generate_series(1, 20);
SQL

my $e = 'dp_count(0.1, 1e-6)';
my $not = 'NOT (id OPERATOR(ana.===) age)';
foreach ([ 'in WHERE', "SELECT $e FROM hr.emp WHERE $not" ],
	[ 'compared with false', "SELECT $e FROM hr.emp WHERE (id OPERATOR(ana.===) age) = false" ],
	[ 'under AND', "SELECT $e FROM hr.emp WHERE NOT (age > 0 AND id OPERATOR(ana.===) age)" ],
	[ 'with ANY', "SELECT $e FROM hr.emp WHERE NOT (id OPERATOR(ana.===) ANY (ARRAY[1, 2]))" ],
	[ 'in FILTER', "SELECT dp_count(0.1, 1e-6) FILTER (WHERE $not) FROM hr.emp" ],
	[ 'in an argument', "SELECT dp_sum(CASE WHEN $not THEN 1 ELSE 0 END, 0.1, 1e-6, 0, 1) FROM hr.emp" ],
	[ 'as a group key', "SELECT $e FROM hr.emp GROUP BY $not HAVING dp_keep_group(0.1, 1e-6)" ],
	[ 'on keys of groups that are not shown', "SELECT $e FROM hr.emp GROUP BY age HAVING NOT (age OPERATOR(ana.===) 3) AND dp_keep_group(0.1, 1e-6)" ],
	[ 'of a join', "SELECT $e FROM hr.emp JOIN ana.pub ON k = id AND NOT (k OPERATOR(ana.===) age)" ],
	[ 'in a prepared statement', "PREPARE p (int) AS SELECT $e FROM hr.emp WHERE NOT (id OPERATOR(ana.===) \$1); EXECUTE p(1)" ],
	[ 'behind a view', "CREATE VIEW ana.v AS SELECT id FROM hr.emp WHERE $not; SELECT $e FROM ana.v" ])
{
	my ($where, $sql) = @$_;
	same("an operator whose negator is the analyst's own tells no row: $where (S07)", "$sql;");
}

# The commutator takes an operator's place where a plan turns the sides of a condition.
foreach my $plan ('nestloop', 'hashjoin', 'mergejoin')
{
	my $off = join ' ', map { "SET enable_$_ = off;" } grep { $_ ne $plan } qw(nestloop hashjoin mergejoin);
	same("an operator whose commutator is the analyst's own tells no row: $plan",
		"$off SELECT $e FROM hr.emp JOIN ana.pub ON k OPERATOR(ana.===) id; SELECT $e FROM hr.emp JOIN ana.pub ON k = age AND 7 OPERATOR(ana.===) id;");
}

$node->stop;
done_testing();
