# What is refused of distributed tables, and what happens where a server, or its library, is not there.
use strict;
use warnings FATAL => 'all';

use Distributed;
use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;

# The order of libraries -----------------------------------------------------------------------------------------------
my $wrong = PostgreSQL::Test::Cluster->new('wrong');
$wrong->init;
$wrong->append_conf('postgresql.conf', "shared_preload_libraries = 'gaussdp,citus'");
is($wrong->start(fail_ok => 1), 0, 'a server that loads Citus behind gaussdp does not start');
like(slurp_file($wrong->logfile), qr/gaussdp must be loaded with the server, after citus/, 'and says why');

my ($coordinator, @workers) = cluster('citus.shard_count' => 4);
my $late = start_server('late', shared_preload_libraries => "'citus'");
my ($status, $out, $err) = $late->psql('d', 'CREATE EXTENSION gaussdp');
like($err, qr/gaussdp must be loaded with the server, after citus/, 'a session does not load gaussdp where Citus is');

$coordinator->safe_psql('d', <<'SQL');
CREATE TABLE far (id int PRIMARY KEY, k int, x float8, a float8[]);
SELECT create_distributed_table('far', 'id');
INSERT INTO far SELECT g, g % 5, g, ARRAY[g] FROM generate_series(1, 1000) g;
CREATE TABLE kind (k int PRIMARY KEY, name text);
SELECT create_reference_table('kind');
INSERT INTO kind SELECT g, 'kind ' || g FROM generate_series(0, 4) g;
CREATE TABLE here (id int PRIMARY KEY, x float8);
CREATE TABLE local_kind AS SELECT k, k AS n FROM generate_series(1, 5) k;
ALTER TABLE local_kind ADD PRIMARY KEY (k);
INSERT INTO here SELECT g, g FROM generate_series(1, 1000) g;
SQL

sub refused
{
	my ($sql, $message, $name, @psql) = @_;
	my ($status, $out, $err) = $coordinator->psql('d', $sql, @psql);
	like($err, $message, $name);
	is($out, '', "$name: nothing is shown");
	return;
}

# Forms ----------------------------------------------------------------------------------------------------------------
refused('SELECT dp_sum(DISTINCT x, 1, 1e-6, 0, 100) FROM far', qr/dp_sum\(DISTINCT \.\.\.\) over table far is not supported/, 'distinct values');
refused('SELECT dp_sum(a, 1, 1e-6, 100, 1) FROM far', qr/dp_sum of arrays over table far is not supported/, 'vectors');
refused('SELECT dp_sum(x, k, 1e-6, 0, 100) FROM far GROUP BY k', qr/dp_sum whose epsilon is not a constant/, 'parameters from rows');
refused('SET plan_cache_mode = force_generic_plan; PREPARE q(float8) AS SELECT dp_sum(x, $1, 1e-6, 0, 100) FROM far; EXECUTE q(1)', qr/must be known when the query is planned/, 'a generic plan');
refused('SET plan_cache_mode = force_generic_plan; PREPARE q(float8) AS SELECT dp_sum(x, $1, 1e-6, 0, 100) FROM far WHERE id = 3; EXECUTE q(1)', qr/must be known when the query is planned/, 'a generic plan for one worker');
refused('SELECT dp_count(1, 1e-6) OVER () FROM far', qr/does not support use as a window function/, 'window functions');
refused('SET citus.count_distinct_error_rate = 0.1; SELECT dp_count(DISTINCT k, 1, 1e-6) FROM far', qr/dp_count\(DISTINCT \.\.\.\) over table far/, 'a count of values that Citus would estimate');
refused('UPDATE far f SET x = (SELECT dp_count(1, 1e-6) FROM far g WHERE g.id = f.id)', qr/must not be VOLATILE/, 'an answer that each copy of a row would draw for itself');

# The policy -----------------------------------------------------------------------------------------------------------
$coordinator->safe_psql('d', <<'SQL');
CREATE ROLE ana LOGIN;
SELECT gaussdp.protect(t, 'id', people => 'people'), gaussdp.grant_budget('ana', t, 100, 1e-3) FROM unnest('{far,here}'::regclass[]) t;
GRANT SELECT ON kind, local_kind TO ana;
SQL
my @ana = (extra_params => [ '-U', 'ana' ]);
my $spent = "SELECT count(*) FROM gaussdp.journal WHERE event = 'charge'";
refused($_, qr/Citus distributes/, "to an analyst: $_", @ana)
  for 'SELECT dp_count(1, 1e-6) FROM here JOIN far USING (id)', 'SELECT * FROM kind, (SELECT dp_count(1, 1e-6) FROM here) s', 'SELECT * FROM kind, (SELECT dp_count(1, 1e-6) FROM far) s';
refused($_, qr/permission denied/, "to an analyst: $_", @ana) for 'SELECT * FROM far', 'SELECT count(*) FROM far', 'SELECT sum(gaussdp_internal.grid_point(x, \'\x00\')) FROM far';
# As how many rows a person counts is not found there, nor what that cuts off; a new declaration is a number.
$coordinator->safe_psql('d', <<'SQL');
CREATE TABLE visits (id int NOT NULL, k int NOT NULL);
SELECT create_distributed_table('visits', 'id', colocate_with => 'far');
INSERT INTO visits SELECT g % 100, g % 5 FROM generate_series(1, 1000) g;
SELECT gaussdp.protect('visits', 'id', people => 'people'), gaussdp.grant_budget('ana', 'visits', 100, 1e-3);
SQL
is($coordinator->safe_psql('d', "SELECT max_rows FROM gaussdp.protected_tables WHERE \"table\" = 'visits'::regclass"), '1', 'a new declaration finds nothing');
refused("SET gaussdp.cut_share = 0.1; $_", qr/what max_rows cuts off is not known where Citus distributes the table/, "nor is it said what is cut off: $_", @ana)
  for 'SELECT dp_count(1, 1e-6) FROM visits', 'SELECT dp_count(true, 1, 1e-6, 5) FROM visits', 'SELECT k, dp_count(DISTINCT id, 1, 1e-6) FROM visits GROUP BY k HAVING dp_keep_group(1, 1e-6)';
$coordinator->safe_psql('d', "SELECT gaussdp.protect('visits', max_rows => 0)");
refused($_, qr/max_rows is found, which is not supported where Citus distributes the table/, "what would have to be found: $_", @ana)
  for 'SELECT dp_count(1, 1e-6) FROM visits', 'SELECT dp_sum(visits.k, 1, 1e-6, 0, 5) FROM visits JOIN far USING (id)', 'SELECT k, dp_count(DISTINCT id, 1, 1e-6) FROM visits GROUP BY k HAVING dp_keep_group(1, 1e-6)';
is($coordinator->safe_psql('d', $spent), 0, 'none of this has cost anything');
$coordinator->safe_psql('d', "CREATE ROLE eva LOGIN; SELECT gaussdp.grant_budget('eva', 'visits', 100, 1e-3)");
is($coordinator->safe_psql('d', $_, extra_params => [ '-U', 'eva' ]), 't', "and what is given is answered: $_")
  for 'SELECT dp_count(true, 20, 1e-6, 10) BETWEEN 900 AND 1100 FROM visits', 'SELECT dp_count(DISTINCT id, 20, 1e-6) BETWEEN 90 AND 110 FROM visits';
$coordinator->safe_psql('d', "SELECT gaussdp.protect('visits', max_rows => 10)");
is($coordinator->safe_psql('d', 'SELECT dp_count(20, 1e-6) BETWEEN 900 AND 1100 FROM visits', extra_params => [ '-U', 'eva' ]), 't', 'as is a number that the owner has declared');
$spent = "SELECT count(*) FROM gaussdp.journal WHERE event = 'charge' AND role <> 'eva'";
is($coordinator->safe_psql('d', 'SELECT dp_count(1, 1e-6) IS NOT NULL FROM here', @ana), 't', 'a protected table of the coordinator alone may be asked');
is($coordinator->safe_psql('d', $spent), 1, 'and is charged');
is($coordinator->safe_psql('d', "SELECT dp_count(1, 1e-6) IS NOT NULL FROM here JOIN $_ ON $_.k = here.id", @ana), 't', "and joined to a public one: $_") for 'local_kind', 'kind';
like($coordinator->safe_psql('d', 'SELECT dp_count(1, 1e-6) FROM far'), qr/^(9[5-9]|10[0-4])\d$|^99\d$|^100\d$/, 'the owner of the distributed one may ask it');

# Counts and sizes, which everybody may read until they are closed on every server
$coordinator->safe_psql('d', 'VACUUM ANALYZE far; SELECT gaussdp.lock_down_all_nodes()');
refused($_, qr/permission denied/, "after lock_down on all servers: $_", @ana)
  for "SELECT count(*) FROM run_command_on_all_nodes('SELECT sum(reltuples) FROM pg_class WHERE relname LIKE ''far\_%'' AND reltuples > 0') WHERE result > '0'",
  "SELECT coalesce(sum(shard_size), 0) FROM citus_shards WHERE table_name = 'far'::regclass", "SELECT citus_table_size('far')", "SELECT citus_total_relation_size('far')";

# Servers that fail ----------------------------------------------------------------------------------------------------
$workers[1]->stop;
refused('SELECT dp_sum(x, 1, 1e-6, 0, 1000) FROM far', qr/connection to the remote node|could not connect|server closed/, 'a worker is down');
$workers[1]->start;
{
	# each row takes 20 ms, and each worker has 500
	my ($out, $err) = ('', '');
	my $run = IPC::Run::start(
		[ 'psql', '-XAt', '-d', $coordinator->connstr('d'), '-c', 'SELECT dp_count(pg_sleep(0.02), 1, 1e-6) FROM far' ],
		'<', '/dev/null', '>', \$out, '2>', \$err, IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	$workers[1]->poll_query_until('d', q{SELECT count(*) > 0 FROM pg_stat_activity WHERE query LIKE '%pg_sleep(0.02%' AND state = 'active'});
	$workers[1]->stop('immediate');
	$run->finish;
	is($out, '', 'a worker that goes down meanwhile: nothing is shown');
	unlike($err, qr/\b\d{3,}\.\d|count/, 'and the error has no value') or diag($err);
	like($err, qr/ERROR/, 'there is one');
	$workers[1]->start;
}
is($coordinator->safe_psql('d', 'SELECT dp_sum(x, 1, 1e-6, 0, 1000) IS NOT NULL FROM far'), 't', 'and comes back');
$workers[1]->safe_psql('d', 'SET citus.enable_ddl_propagation = off; ALTER FUNCTION gaussdp_internal.grid_point(float8, bytea) RENAME TO other');
refused('SELECT dp_sum(x, 1, 1e-6, 0, 1000) FROM far', qr/function gaussdp_internal\.grid_point\(double precision, bytea\) does not exist/, 'a worker without the functions');
$workers[1]->safe_psql('d', 'SET citus.enable_ddl_propagation = off; ALTER FUNCTION gaussdp_internal.other(float8, bytea) RENAME TO grid_point');

# A shard that has moved, while plans are kept
my $session = $coordinator->background_psql('d');
$session->query_safe('PREPARE p AS SELECT dp_sum(x, 50, 1e-2, 0, 1000) BETWEEN 490000 AND 510000 FROM far');
is($session->query_safe('EXECUTE p'), 't', 'before a shard moves') for 1 .. 6;
$coordinator->safe_psql('d', sprintf "SELECT citus_move_shard_placement(shardid, '%s', %d, '%s', %d, 'block_writes') FROM citus_shards WHERE table_name = 'far'::regclass AND nodeport = %d LIMIT 1",
	$workers[0]->host, $workers[0]->port, $workers[1]->host, $workers[1]->port, $workers[0]->port);
is($session->query_safe('EXECUTE p'), 't', 'and after');
$session->quit;
$coordinator->restart;
is($coordinator->safe_psql('d', 'SELECT dp_sum(x, 50, 1e-2, 0, 1000) BETWEEN 490000 AND 510000 FROM far'), 't', 'the coordinator starts anew');

done_testing();
