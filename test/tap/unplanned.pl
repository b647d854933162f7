# Three-argument calls where the library comes after the query was planned: 55000 whatever the data,
# and answers as soon as it is loaded beforehand.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('unplanned');
$node->init;
$node->start;
$node->safe_psql('postgres',
	'CREATE EXTENSION gaussdp; CREATE TABLE t AS SELECT g::float8 AS x FROM generate_series(1, 10) g');

# Each call in a session of its own, whose first query it is.
for my $call ('dp_sum(x, 1, 1e-6)', 'dp_avg(x, 1, 1e-6)', 'dp_avg_estimate(x, 1, 1e-6)')
{
	for my $where ('', ' WHERE x < 0', ' GROUP BY x')
	{
		my ($status, $stdout, $stderr) = $node->psql('postgres', "\\set VERBOSITY verbose\nSELECT $call FROM t$where");
		is($stdout, '', "$call$where: nothing released");
		like($stderr, qr/ERROR:  55000: .*HINT:  Add gaussdp to shared_preload_libraries/s, "$call$where: 55000 with the hint");
	}
}
is($node->safe_psql('postgres', 'SELECT dp_sum(x, 1, 1e-6, 0, 10) IS NOT NULL FROM t'), 't', 'bounds as arguments need no planner');

$node->safe_psql('postgres', "ALTER DATABASE postgres SET session_preload_libraries = 'gaussdp'");
is($node->safe_psql('postgres', 'SELECT dp_sum(x, 1, 1e-6) IS NOT NULL, dp_avg(x, 1, 1e-6) IS NOT NULL FROM t WHERE x < 0'),
	't|t', 'answers with session_preload_libraries');

$node->safe_psql('postgres', q{CREATE TABLE emp (id int PRIMARY KEY); CREATE ROLE ana; SELECT gaussdp.protect('emp', 'id'), gaussdp.grant_budget('ana', 'emp', 1, 1e-6)});
is($node->safe_psql('postgres', q{SET ROLE ana; SELECT verdict, reason FROM gaussdp.explain_privacy('SELECT dp_count(1, 1e-6) FROM emp')}),
	'refused|gaussdp is not loaded at server start, so that no budget can be charged', 'nothing is said to be answered that is not');

$node->stop;
done_testing();
