# What a SECURITY DEFINER function asks is its owner's: notices about its answers, which are released numbers, go to no role that only calls it.
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
$node->stop;
done_testing();
