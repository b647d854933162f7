# Notices about answers are made of released numbers: they tell of no group that is hidden, and what a SECURITY DEFINER function asks goes to
# no role that only calls it.
use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('definer');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'gaussdp'\n");
$node->start;
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION gaussdp;
CREATE ROLE rep LOGIN;
CREATE ROLE caller LOGIN;
CREATE TABLE t (id int, k int, x int);
INSERT INTO t SELECT i % 200, i % 7, i FROM generate_series(1, 3000) i;
SELECT gaussdp.protect('t', 'id', max_rows => 0);
SELECT gaussdp.grant_budget('rep', 't', epsilon => 3, delta => 1e-2, default_epsilon => 1, default_delta => 1e-6);
CREATE SCHEMA rep AUTHORIZATION rep;
SET ROLE rep;
CREATE FUNCTION rep.ask(query text) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET gaussdp.answer_plain_sql = on AS $$BEGIN EXECUTE query; RETURN 'nothing'; END$$;
GRANT USAGE ON SCHEMA rep TO caller;
SQL

foreach my $query ('SELECT dp_count(0.1, 1e-6) FROM t', 'SELECT x, count(*) FROM t GROUP BY x', 'SELECT dp_count(1, 1e-6) FROM t', 'SELECT dp_count(1, 1e-6) FROM t')
{
	my $sql = "SELECT rep.ask('$query')";
	my ($status, $out, $err) = $node->psql('postgres', $sql, extra_params => [ '-U', 'caller' ]);
	is($out, 'nothing', "answered: $query");
	unlike($err, qr{leaves something out|no group is shown|drawn at|80 percent}, 'and nothing of it is said to who called');
}
my ($status, $out, $err) = $node->psql('postgres', "SET gaussdp.answer_plain_sql = on; SELECT x, count(*) FROM t GROUP BY x", extra_params => [ '-U', 'rep' ]);
like($err, qr/no group is shown|does not suffice/, 'its owner is told');

# Each group is hidden, and no average of so few is reliable.
$node->safe_psql('postgres', q{
CREATE TABLE solo (id int PRIMARY KEY, region int NOT NULL, price float8 NOT NULL);
INSERT INTO solo SELECT i, i, 64 FROM generate_series(1, 137) i;
SELECT gaussdp.protect('solo', 'id'), gaussdp.set_bounds('solo', 'price', 0, 100), gaussdp.grant_budget('rep', 'solo', epsilon => 3, delta => 1e-4, default_epsilon => 0.01, default_delta => 1e-8)});
foreach my $condition ('avg(price) > 0', 'stddev(price) > 0', 'corr(price, price) > 0')
{
	my $hidden = "SELECT count(*) FROM solo GROUP BY region HAVING $condition";
	foreach my $sql ("SELECT count(*) FROM solo UNION ALL $hidden", "$hidden; $hidden", "DO \$\$BEGIN PERFORM count(*) FROM solo; PERFORM 1 FROM ($hidden) h; PERFORM count(*) FROM solo; END\$\$")
	{
		(undef, undef, $err) = $node->psql('postgres', "SET gaussdp.answer_plain_sql = on; SET gaussdp.reuse_answers = 0; $sql", extra_params => [ '-U', 'rep' ]);
		unlike($err, qr/for want of people|ERROR/, "hidden groups are not told of: $sql");
	}
}
$node->stop;
done_testing();
