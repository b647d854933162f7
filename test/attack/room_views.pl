# A view of the owner's with a private answer in it publishes nothing by itself: each draw that its reader gets is
# charged to the reader, wherever the view is read, or nothing is drawn.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

my $node = neighbours('views', '', <<'SQL');
SET ROLE own;
CREATE VIEW hr.total AS SELECT dp_sum(salary, 0.1, 1e-6, 0, 100000) AS v FROM hr.emp;
CREATE VIEW hr.groups AS SELECT dept, dp_sum(salary, 0.1, 1e-6, 0, 100000) AS v FROM hr.emp GROUP BY dept;
CREATE VIEW hr.mixed AS SELECT dp_sum(salary, 0.1, 1e-6, 0, 100000) AS v, max(age) AS oldest FROM hr.emp;
CREATE VIEW hr.above AS SELECT v FROM hr.total;
GRANT SELECT ON hr.total, hr.groups, hr.mixed, hr.above TO ana;
RESET ROLE;
SQL
prepare(<<'SQL');
CREATE TABLE ana.t (k int PRIMARY KEY, v float8);
INSERT INTO ana.t SELECT i FROM generate_series(1, 20) i;
CREATE VIEW ana.mine AS SELECT v FROM hr.total;
CREATE FUNCTION ana.inlined(int) RETURNS float8 LANGUAGE sql STABLE AS 'SELECT v FROM hr.total WHERE $1 > 0';
SQL

my $rows = 'FROM generate_series(1, 20) g';

# What is read, and how many draws show in it: the number that comes out, or 1 if none does.
my @reads = (
	[ 'at the top', 'SELECT count(DISTINCT v) FROM hr.total' ],
	[ 'as a scalar sub-select', "SELECT count(DISTINCT (SELECT v FROM hr.total)) $rows" ],
	[ 'for each row', "SELECT count(DISTINCT (SELECT v FROM hr.total WHERE g > 0)) $rows" ],
	[ 'through another view of the owner', "SELECT count(DISTINCT (SELECT v FROM hr.above WHERE g > 0)) $rows" ],
	[ "through a view of the analyst's", "SELECT count(DISTINCT (SELECT v FROM ana.mine WHERE g > 0)) $rows" ],
	[ 'in CASE', "SELECT count(DISTINCT CASE WHEN g > 0 THEN (SELECT v FROM hr.total WHERE g > 0) END) $rows" ],
	[ 'in LATERAL', "SELECT count(DISTINCT v) $rows, LATERAL (SELECT v + g * 0 AS v FROM hr.total OFFSET 0) s" ],
	[ 'in EXISTS', "SELECT 1 $rows WHERE EXISTS (SELECT FROM hr.total WHERE v > g) LIMIT 1" ],
	[ 'in IN', "SELECT 1 $rows WHERE g NOT IN (SELECT v FROM hr.total) LIMIT 1" ],
	[ 'in ARRAY', 'SELECT cardinality(array(SELECT v FROM hr.total))' ],
	[ 'in RECURSIVE', 'WITH RECURSIVE r AS (SELECT 1 AS g, NULL::float8 AS v UNION ALL SELECT g + 1, s.v FROM r, LATERAL (SELECT v FROM hr.total WHERE g > 0) s'
		. ' WHERE g < 20) SELECT count(DISTINCT v) FROM r' ],
	[ 'in ORDER BY', "SELECT 1 $rows ORDER BY (SELECT v FROM hr.total WHERE g > 0) LIMIT 1" ],
	[ 'in an aggregate', "SELECT count(DISTINCT x) FROM (SELECT (SELECT max(v) FROM hr.total WHERE g > 0) AS x $rows) s" ],
	[ 'in an inlined function', "SELECT count(DISTINCT ana.inlined(g)) $rows" ],
	[ 'in UPDATE', 'UPDATE ana.t SET v = (SELECT v FROM hr.total WHERE k > 0); SELECT count(DISTINCT v) FROM ana.t' ],
	[ 'in DELETE', 'DELETE FROM ana.t USING hr.total x WHERE x.v > 1e300; SELECT 1' ],
	[ 'in MERGE', 'MERGE INTO ana.t USING hr.total x ON k > x.v WHEN MATCHED THEN DO NOTHING; SELECT 1' ],
	[ 'in INSERT', "INSERT INTO ana.t SELECT g + 100, (SELECT v FROM hr.total WHERE g > 0) $rows; SELECT count(DISTINCT v) FROM ana.t" ],
	[ 'with groups that are not kept', 'SELECT count(DISTINCT v) FROM hr.groups' ],
	[ 'beside exact answers', 'SELECT count(DISTINCT v) FROM hr.mixed' ]);

sub charges
{
	return $node->safe_psql('one', "SELECT coalesce(sum(times), 0) FROM gaussdp.journal WHERE event = 'charge'");
}

foreach (@reads)
{
	my ($where, $sql) = @$_;
	my $before = charges();
	$node->psql('one', "BEGIN; $sql; ROLLBACK;", stdout => \my $out, stderr => \my $err, on_error_stop => 0, extra_params => [ '-U', 'ana' ]);
	my ($drawn) = $out =~ /^(\d+)$/ ? $1 : 0;
	cmp_ok($drawn, '<=', charges() - $before, "a view with a private answer is charged for each draw, or refused: $where (S19)") || diag($err);
}

# A table that had a child once is one whose queries are not proven: its view stays unread, too.
$node->safe_psql('one', 'SET ROLE own; CREATE TABLE hr.child () INHERITS (hr.emp)');
my $before = charges();
my ($status, $out) = $node->psql('one', 'SELECT count(v) FROM hr.total', extra_params => [ '-U', 'ana' ]);
cmp_ok($out || 0, '<=', charges() - $before, 'nor is it read uncharged where the query is not proven for what the owner did (S19)');

$node->safe_psql('none', q{SELECT gaussdp.revoke_budget('ana', 'hr.emp')});
($status, $out) = $node->psql('none', 'SELECT count(v) FROM hr.total', extra_params => [ '-U', 'ana' ]);
is($out, '', 'nor by a role without a budget (S19)');

$node->stop;
done_testing();
