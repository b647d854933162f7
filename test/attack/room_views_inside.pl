# A view with a private answer publishes nothing by itself, wherever in it the protected rows stand: below an exact
# aggregate, in a sub-select or in a recursive WITH query they reach its dp_ calls all the same, and who reads the view
# again and again would average the noise away.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

my $sum = 'dp_sum(v, 0.1, 1e-6, 0, 100000) AS v';

my %views = (
	aggregated => "SELECT $sum FROM (SELECT id, max(salary) AS v FROM hr.emp GROUP BY id) s",
	aggregated_with => "WITH s AS (SELECT id, max(salary) AS v FROM hr.emp GROUP BY id) SELECT $sum FROM s",
	above_aggregated => "SELECT $sum FROM (SELECT max(v) AS v FROM (SELECT id, salary AS v FROM hr.emp) r GROUP BY id) s",
	argument => 'SELECT dp_sum((SELECT salary FROM hr.emp WHERE id = k), 0.1, 1e-6, 0, 100000) AS v FROM hr.k',
	of_a_join => "SELECT $sum FROM (SELECT (SELECT salary FROM hr.emp WHERE id = k) AS v FROM hr.k) s",
	condition => 'SELECT dp_count(0.1, 1e-6) AS v FROM hr.k WHERE EXISTS (SELECT FROM hr.emp WHERE id = k)',
	filter => 'SELECT dp_count(0.1, 1e-6) FILTER (WHERE k IN (SELECT id FROM hr.emp)) AS v FROM hr.k',
	having => 'SELECT dp_count(0.1, 1e-6) AS v FROM hr.k HAVING EXISTS (SELECT FROM hr.emp WHERE id = 7)',
	recursive => "WITH RECURSIVE s AS (SELECT id, salary AS v FROM hr.emp UNION ALL SELECT id, v FROM s WHERE false) SELECT $sum FROM s",
	recursive_inside => "WITH RECURSIVE s AS (SELECT 0 AS id, 0::float8 AS v UNION ALL SELECT e.id, e.salary FROM s JOIN hr.emp e ON e.id = s.id + 1) SELECT $sum FROM s");

my $node = neighbours('views_inside', '',
	'SET ROLE own; CREATE TABLE hr.k (k int PRIMARY KEY); INSERT INTO hr.k SELECT i FROM generate_series(1, 20) i; GRANT SELECT ON hr.k TO ana;'
	  . join('', map { "CREATE VIEW hr.$_ AS $views{$_}; GRANT SELECT ON hr.$_ TO ana;" } sort keys %views)
	  . 'CREATE VIEW hr.oldest AS SELECT max(age) AS v FROM hr.emp; GRANT SELECT ON hr.oldest TO ana; RESET ROLE;');

sub charges
{
	return $node->safe_psql('one', "SELECT coalesce(sum(times), 0) FROM gaussdp.journal WHERE event = 'charge'");
}

foreach my $view (sort keys %views)
{
	my $before = charges();
	my ($out, $err) = ('', '');
	$node->psql('one', "SELECT count(v) FROM hr.$view", stdout => \$out, stderr => \$err, extra_params => [ '-U', 'ana' ]);
	cmp_ok($out || 0, '<=', charges() - $before, "a view with a private answer is charged, or refused: $view") || diag($err);
	is($node->safe_psql('one', "SELECT count(v) >= 0 FROM hr.$view", extra_params => [ '-U', 'own' ]), 't', "its owner reads it: $view");
}

# What is published without dp_ calls stays published, beside private answers too.
is(Neighbours::run('SELECT v FROM hr.oldest;', 'one'), "49\n", 'a view without dp_ calls is published');
is(seen(Neighbours::run('SELECT o.v > 0, c.v > -1e9 FROM hr.oldest o, (SELECT dp_count(0.1, 1e-6) AS v FROM hr.emp) c;', 'one')), "t|t\n", 'also around a level');

$node->stop;
done_testing();
