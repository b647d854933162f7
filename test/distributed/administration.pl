# The administrator's functions on a cluster: what check_policy finds on other servers, lock_down of all of them, and what is refused on
# workers.
use strict;
use warnings FATAL => 'all';

use Distributed;
use PostgreSQL::Test::Utils;
use Test::More;

my ($coordinator, @workers) = cluster('citus.shard_count' => 4);
my @nodes = ($coordinator, @workers);
my ($first, $second) = map { $_->host . ':' . $_->port } @workers;

$coordinator->safe_psql('d', <<'SQL');
CREATE ROLE keeper LOGIN;
CREATE ROLE ana LOGIN;
CREATE ROLE other;
CREATE SCHEMA hr AUTHORIZATION keeper;
GRANT USAGE ON SCHEMA hr TO ana;
SET ROLE keeper;
CREATE TABLE hr.emp (id int PRIMARY KEY, salary int);
SELECT create_distributed_table('hr.emp', 'id');
INSERT INTO hr.emp SELECT g, g FROM generate_series(1, 1000) g;
CREATE TABLE hr.here (id int PRIMARY KEY);
SELECT gaussdp.protect('hr.emp', 'id'), gaussdp.set_bounds('hr.emp', 'salary', 0, 1000), gaussdp.protect('hr.here', 'id');
SELECT gaussdp.grant_budget('ana', 'hr.emp', 10, 1e-6);
RESET ROLE;
VACUUM ANALYZE hr.emp;
SQL

# On one server alone: Citus sends nothing on.
sub alone
{
	my ($node, $sql) = @_;
	return $node->safe_psql('d', "SET citus.enable_ddl_propagation = off; SET citus.enable_manual_changes_to_shards = on; $sql");
}

# What check_policy says, a line each.
sub found
{
	my ($table, @psql) = @_;
	return $coordinator->safe_psql('d', "SELECT severity || ': ' || what FROM gaussdp.check_policy('$table')", @psql);
}

# Runs a change of one server, looks for the finding, and takes the change back.
sub finds
{
	my ($node, $change, $back, $what) = @_;
	unlike(found('hr.emp'), $what, "not before: $change");
	alone($node, $change);
	like(found('hr.emp'), $what, $change);
	alone($node, $back);
	unlike(found('hr.emp'), $what, "nor after: $back");
	return;
}

# The statistics of all servers ----------------------------------------------------------------------------------------
my @counts = (
	"SELECT max(shard_size) FROM citus_shards", 'SELECT table_size FROM citus_tables', "SELECT citus_table_size('hr.emp')", "SELECT citus_relation_size('hr.emp')",
	"SELECT citus_total_relation_size('hr.emp')", 'SELECT max(size) FROM citus_shard_sizes()', "SELECT * FROM get_rebalance_table_shards_plan('hr.emp')", 'SELECT * FROM citus_schemas',
	"SELECT * FROM run_command_on_all_nodes('SELECT 1')", "SELECT * FROM run_command_on_workers('SELECT 1')", "SELECT * FROM run_command_on_shards('hr.emp', 'SELECT 1')",
	"SELECT * FROM run_command_on_placements('hr.emp', 'SELECT 1')", "SELECT * FROM run_command_on_coordinator('SELECT 1')", "SELECT * FROM run_command_on_colocated_placements('hr.emp', 'hr.emp', 'SELECT 1')",
	"SELECT * FROM master_run_on_worker(ARRAY['x'], ARRAY[1], ARRAY['SELECT 1'], true)", 'SELECT * FROM citus_stat_activity', 'SELECT * FROM citus_dist_stat_activity', 'SELECT * FROM citus_lock_waits', 'SELECT * FROM citus_locks',
	'SELECT * FROM citus_stats', 'SELECT * FROM citus_stat_counters', 'SELECT * FROM citus_stat_counters(0)', 'SELECT * FROM dump_local_wait_edges()', 'SELECT * FROM dump_global_wait_edges()', 'SELECT * FROM get_all_active_transactions()',
	'SELECT * FROM get_global_active_transactions()', 'SELECT * FROM get_rebalance_progress()', 'SELECT * FROM citus_rebalance_status()', 'SELECT * FROM citus_local_disk_space_stats()',
	'SELECT pg_stat_get_live_tuples(0)', 'SELECT * FROM citus_stat_statements', "SELECT worker_partitioned_table_size('hr.emp')", "SELECT worker_partitioned_relation_total_size('hr.emp')");

sub refuses_counts
{
	my ($node) = @_;
	for my $query (@counts)
	{
		my ($status, $out, $err) = $node->psql('d', $query, extra_params => [ '-U', 'ana' ]);
		like($err, qr/permission denied/, $node->name . ": $query");
		is($out, '', 'and nothing is shown');
	}
	return;
}

like(found('hr.emp'), qr/^warning: on server \Q$second\E: statistics of the table are readable by everybody/m, 'check_policy tells of statistics of each server');
like(found('hr.emp'), qr/^warning: on server \Q$first\E: sizes of shards are readable by everybody/m, 'and of sizes of shards');
my $what = "SELECT node || ' ' || object || ' ' || action FROM gaussdp";
my $said = $coordinator->safe_psql('d', "$what.lock_down_all_nodes(dry_run => true) ORDER BY 1");
like($said, qr/^\Q$_\E citus_shard_sizes\(\)/m, "a dry run says what would be closed on $_") for map { $_->host . ':' . $_->port } @nodes;
like(found('hr.emp'), qr/statistics of the table/, 'and closes nothing');
is($coordinator->safe_psql('d', "SELECT count(*) FROM gaussdp.lock_down_all_nodes(dry_run => true) WHERE breaks IS NULL"), 0, 'each object says which clients need it');
{
	my ($status, $out, $err) = $coordinator->psql('d', 'SELECT * FROM gaussdp.lock_down_all_nodes()', extra_params => [ '-U', 'ana' ]);
	like($err, qr/permission denied/, 'an analyst cannot lock down');
}
$workers[1]->stop;
{
	my ($status, $out, $err) = $coordinator->psql('d', 'SELECT * FROM gaussdp.lock_down_all_nodes()');
	like($err, qr/not all servers of Citus have been changed.*\Q$second\E/s, 'a server that is down is an error, which names it');
	is($out, '', 'and nothing is said to be done');
	like(found('hr.emp'), qr/^error: server \Q$second\E of Citus cannot be asked/m, 'check_policy says that it could not ask it');
}
$workers[1]->start;
$coordinator->safe_psql('d', 'SELECT * FROM gaussdp.undo_lock_down_all_nodes()');
is($coordinator->safe_psql('d', "$what.lock_down_all_nodes() ORDER BY 1"), $said, 'it does what the dry run said');
is($coordinator->safe_psql('d', "$what.lock_down_all_nodes()"), '', 'once');
is(found('hr.emp'), '', 'check_policy has nothing to say of a well kept cluster');
is(found('hr.here'), '', 'nor of a table that is not distributed');
refuses_counts($_) for @nodes;
is($coordinator->safe_psql('d', 'SELECT count(*) FROM hr.emp', extra_params => [ '-U', 'keeper' ]), 1000, 'the owner reads the table as before');
is($coordinator->safe_psql('d', 'SELECT dp_count(1, 1e-6) > 900 FROM hr.emp', extra_params => [ '-U', 'keeper' ]), 't', 'also privately');
like(found('hr.emp', extra_params => [ '-U', 'keeper' ]), qr/^warning: the other servers of Citus have not been asked/m, 'but may not ask the other servers, and is told so');

# What is different on another server ----------------------------------------------------------------------------------
my $shard = $workers[0]->safe_psql('d', q{SELECT result FROM run_command_on_placements('hr.emp', 'SELECT %L') WHERE nodeport = current_setting('port')::int LIMIT 1});
finds($workers[0], "GRANT SELECT ON $shard TO other", "REVOKE SELECT ON $shard FROM other", qr/^error: on server \Q$first\E: role other may read shards of hr\.emp directly$/m);
finds($workers[0], "GRANT SELECT (id) ON $shard TO PUBLIC", "REVOKE SELECT (id) ON $shard FROM PUBLIC", qr/^error: on server \Q$first\E: PUBLIC may read columns of shards of hr\.emp$/m);
finds($workers[1], 'GRANT SELECT ON hr.emp TO other', 'REVOKE SELECT ON hr.emp FROM other', qr/^error: on server \Q$second\E: role other may read hr\.emp directly$/m);
finds($workers[0], "GRANT UPDATE ON $shard TO other", "REVOKE UPDATE ON $shard FROM other", qr/^warning: on server \Q$first\E: role other may change shards of hr\.emp:/m);
finds($workers[0], "CREATE VIEW hr.seen AS SELECT salary FROM $shard; GRANT SELECT ON hr.seen TO other", 'DROP VIEW hr.seen', qr/^error: on server \Q$first\E: view hr\.seen shows rows of the table/m);
finds($workers[0], "CREATE PUBLICATION p FOR TABLE $shard", 'DROP PUBLICATION p', qr/^warning: on server \Q$first\E: publication p sends its rows/m);
finds($workers[1], 'ALTER ROLE other REPLICATION', 'ALTER ROLE other NOREPLICATION', qr/^warning: on server \Q$second\E: role other can get at the rows without a right on the table: REPLICATION/m);
finds($workers[1], 'SELECT FROM gaussdp.undo_lock_down()', 'SELECT FROM gaussdp.lock_down()', qr/^warning: on server \Q$second\E: statistics of the table/m);
finds($workers[0], q{SET citus.enable_alter_role_propagation = off; SECURITY LABEL FOR gaussdp ON TABLE hr.emp IS NULL}, q{SET citus.enable_alter_role_propagation = off; SECURITY LABEL FOR gaussdp ON TABLE hr.emp IS 'protected'},
	qr/^warning: on server \Q$first\E: the table is declared otherwise/m);
finds($workers[0], q{UPDATE pg_extension SET extversion = '0.9' WHERE extname = 'gaussdp'}, q{UPDATE pg_extension SET extversion = '1.0' WHERE extname = 'gaussdp'}, qr/^error: server \Q$first\E of Citus has version 0\.9 of gaussdp/m);
finds($workers[1], q{UPDATE pg_extension SET extname = 'none' WHERE extname = 'gaussdp'}, q{UPDATE pg_extension SET extname = 'gaussdp' WHERE extname = 'none'}, qr/^error: server \Q$second\E of Citus has no extension gaussdp/m);
finds($workers[1], 'ALTER ROLE keeper NOLOGIN', 'ALTER ROLE keeper LOGIN', qr/^error: on server \Q$second\E: no query is answered: the owner, keeper, may not log in/m);
finds($coordinator, 'GRANT SELECT ON hr.emp TO other', 'REVOKE SELECT ON hr.emp FROM other', qr/^error: role other may read hr\.emp directly$/m);
$coordinator->safe_psql('d', 'GRANT SELECT ON hr.emp TO other');
is(found('hr.emp') =~ s/ directly//gr, join("\n", 'error: role other may read hr.emp', map { "error: on server $_: role other may read shards of hr.emp" } $first, $second), 'what is so everywhere is said of the table once');
$coordinator->safe_psql('d', 'REVOKE SELECT ON hr.emp FROM other');
$coordinator->safe_psql('d', 'ALTER ROLE keeper NOLOGIN');
like(found('hr.emp'), qr/^error: on server \Q$_\E: no query is answered: the owner/m, "an owner who may not log in on $_") for $first, $second;
$coordinator->safe_psql('d', 'ALTER ROLE keeper LOGIN');
$workers[1]->adjust_conf('postgresql.conf', 'shared_preload_libraries', 'citus');
$workers[1]->restart;
like(found('hr.emp'), qr/^error: server \Q$second\E of Citus cannot use gaussdp: .*must be loaded with the server, after citus/m, 'a server that does not load the library');
$workers[1]->adjust_conf('postgresql.conf', 'shared_preload_libraries', "'citus,gaussdp'");
$workers[1]->restart;
is(found('hr.emp'), '', 'and does again');
$coordinator->safe_psql('d', 'CREATE TABLE hr.small (id int PRIMARY KEY); SELECT create_reference_table($$hr.small$$); SELECT gaussdp.protect($$hr.small$$, $$id$$); ALTER TABLE hr.small OWNER TO keeper');
is(found('hr.small'), '', 'a reference table');

# Workers --------------------------------------------------------------------------------------------------------------
is(join(' ', map { $_->safe_psql('d', q{SELECT gaussdp_internal.labels_of('hr.emp')}) } @nodes), join(' ', ('protected, id: unit, salary: bounds=[0,1000]') x 3), 'what is declared on the coordinator is declared on all servers');
$workers[0]->safe_psql('d', 'SET citus.enable_ddl_propagation = off; CREATE TABLE own (id int PRIMARY KEY, x int)');
for my $call ("gaussdp.grant_budget('ana', 'hr.emp', 100, 1e-6)", "gaussdp.set_population_budget('hr.emp', 100, 1e-6)", "gaussdp.protect('hr.emp', 'id')", "gaussdp.unprotect('hr.emp')", "gaussdp.set_bounds('hr.emp', 'salary', 0, 1)",
	"gaussdp.drop_bounds('hr.emp', 'salary')", "gaussdp.set_public_keys('hr.emp', 'salary', 'hr.emp', 'salary')", "gaussdp.drop_public_keys('hr.emp', 'salary')", "gaussdp.protect('own', 'id')", "gaussdp.set_bounds('own', 'x', 0, 1)")
{
	my ($status, $out, $err) = $workers[0]->psql('d', "\\set VERBOSITY verbose\nSELECT $call");
	like($err, qr/^[^\n]*ERROR:  55000: .*on a worker of Citus\n.*coordinator/m, "refused on a worker: $call");
	unlike($err, qr/PL\/pgSQL/, 'without a query that nobody has written');
}
is($coordinator->safe_psql('d', q{SELECT gaussdp_internal.labels_of('hr.emp')}), 'protected, id: unit, salary: bounds=[0,1000]', 'none of it has changed anything');
is($workers[0]->safe_psql('d', 'SELECT count(epsilon) FROM gaussdp.budget'), 0, 'no budget is kept on a worker');
$coordinator->safe_psql('d', "SELECT gaussdp.set_bounds('hr.emp', 'salary', 0, 2000), gaussdp.grant_budget('ana', 'hr.emp', 20, 1e-6)");
is($workers[1]->safe_psql('d', q{SELECT gaussdp_internal.labels_of('hr.emp')}), 'protected, id: unit, salary: bounds=[0,2000]', 'the coordinator declares for all');

# All of it goes back.
is($coordinator->safe_psql('d', "SELECT count(*) FROM gaussdp.undo_lock_down_all_nodes()"), scalar(split /\n/, $said), 'undone on all servers');
is($_->safe_psql('d', 'SELECT max(shard_size) > 0 FROM citus_shards', extra_params => [ '-U', 'ana' ]), 't', $_->name . ' shows sizes again') for @nodes;
$coordinator->safe_psql('d', "SELECT citus_add_inactive_node('nowhere.example', 5432)");
like(found('hr.emp'), qr/^warning: server nowhere\.example:5432 of Citus is not active and has not been asked$/m, 'a server that is not active');
{
	my ($status, $out, $err) = $coordinator->psql('d', 'SELECT count(*) > 0 FROM gaussdp.lock_down_all_nodes()');
	is($out, 't', 'the others are locked down');
	like($err, qr/WARNING:  server nowhere\.example:5432 of Citus is not active and has not been changed/, 'with a warning');
}

done_testing();
