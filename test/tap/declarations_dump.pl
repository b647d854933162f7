# Declarations survive dump and restore: plain, custom with four jobs, into a server that loads the
# library at start and into one that does not; left out of the dump, nothing opens.
use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'gaussdp'");
$node->start;

$node->safe_psql('postgres', 'CREATE ROLE analyst');
$node->safe_psql('postgres', 'CREATE DATABASE original');
$node->safe_psql('original', <<'SQL');
CREATE EXTENSION gaussdp;
CREATE SCHEMA hr;
GRANT USAGE ON SCHEMA hr TO analyst;
CREATE TABLE hr.emp (id int PRIMARY KEY, dept text, salary numeric);
CREATE TABLE hr.zdept (name text PRIMARY KEY);  -- restored after emp, whose label names it
CREATE TABLE hr.root (id int NOT NULL, x float8) PARTITION BY RANGE (id);
CREATE TABLE hr.part PARTITION OF hr.root FOR VALUES FROM (0) TO (1000);
CREATE UNIQUE INDEX ON hr.root (id);
CREATE TABLE hr.bonus (emp int NOT NULL, x float8);  -- restored before emp, by way of which its rows are somebody's
INSERT INTO hr.emp SELECT i, 'a', i FROM generate_series(1, 1000) i;
SELECT gaussdp.protect('hr.emp', 'id', people => 'staff');
SELECT gaussdp.set_bounds('hr.emp', 'salary', 0, 250000);
SELECT gaussdp.set_public_keys('hr.emp', 'dept', 'hr.zdept', 'name');
SELECT gaussdp.protect('hr.root', 'id', 5);
SELECT gaussdp.protect('hr.bonus', 'emp', via => 'hr.emp');
CREATE EXTENSION citext;
SELECT gaussdp.allow_function('citext_eq(citext,citext)');
REVOKE EXECUTE ON FUNCTION pg_stat_get_dead_tuples(oid) FROM PUBLIC;
SELECT gaussdp.lock_down();
SQL

my $declared = <<'SQL';
SELECT "table"::text, unit, max_rows, people, usable OR problem ~ 'not loaded at server start', via, via_column FROM gaussdp.protected_tables ORDER BY 1;
SELECT "table"::text, "column", lower, upper, key_table, key_column FROM gaussdp.column_bounds ORDER BY 1, 2;
SELECT declared_on FROM gaussdp_internal.table_declaration('hr.part');
SELECT gaussdp_internal.why_not_pure('citext_eq(citext,citext)');
SELECT count(*) FROM hr.emp;
SQL
my $expected = $node->safe_psql('original', $declared);
like($expected, qr/^hr\.bonus\|emp\|0\|staff\|t\|hr\.emp\|id\nhr\.emp\|id\|0\|staff\|t\|\|\nhr\.root\|id\|5\|\|t\|\|\nhr\.emp\|dept\|\|\|hr\.zdept\|name\n/, 'what is declared');

my $dir = PostgreSQL::Test::Utils::tempdir();
$node->command_ok([ 'pg_dump', '-d', 'original', '-f', "$dir/plain.sql" ], 'pg_dump, plain');
$node->command_ok([ 'pg_dump', '-d', 'original', '-Fc', '-f', "$dir/custom" ], 'pg_dump, custom');
$node->command_ok([ 'pg_dump', '-d', 'original', '--no-security-labels', '-f', "$dir/bare.sql" ],
	'pg_dump without labels');

# Restores what was dumped into a new database; every error counts.
sub restored
{
	my ($server, $database, @command) = @_;

	$server->safe_psql('postgres', "CREATE DATABASE $database");
	$server->command_ok([ @command, '-d', $database ], "restore into $database");
	return $server->safe_psql($database, $declared);
}

sub check_restores
{
	my ($server, $name) = @_;

	is(restored($server, "${name}_plain", 'psql', '-qX', '-v', 'ON_ERROR_STOP=1', '-o', '/dev/null', '-f', "$dir/plain.sql"),
		$expected, "plain, $name");
	# pg_restore takes the archive last.
	$server->safe_psql('postgres', "CREATE DATABASE ${name}_custom");
	$server->command_ok([ 'pg_restore', '--exit-on-error', '-j4', '-d', "${name}_custom", "$dir/custom" ],
		"restore into ${name}_custom");
	is($server->safe_psql("${name}_custom", $declared), $expected, "custom with -j4, $name");
}

check_restores($node, 'preloaded');

# What lock_down took in the one is given back in the other.
my $given_back = "SELECT object, action FROM gaussdp.undo_lock_down() ORDER BY 1, 2";
my $taken = $node->safe_psql('original', $given_back);
like($taken, qr/^pg_class\|SELECT granted to PUBLIC, revoked from pg_monitor$/m, 'what lock_down took');
unlike($taken, qr/pg_stat_get_dead_tuples/, 'and not what had gone before');
is($node->safe_psql('preloaded_custom', $given_back), $taken, 'is given back in a restored database');

my $bare = restored($node, 'bare', 'psql', '-qX', '-v', 'ON_ERROR_STOP=1', '-o', '/dev/null', '-f', "$dir/bare.sql");
is($bare, "\n\n1000", 'without labels nothing is declared');
my ($status, $out, $err) = $node->psql('bare', 'SET ROLE analyst; SELECT dp_count(1, 1e-6) FROM hr.emp');
like($err, qr/permission denied for table emp/, 'and nothing is open');

$node->append_conf('postgresql.conf', "shared_preload_libraries = ''");
$node->restart;
check_restores($node, 'unloaded');

# Whoever sets up a server that cannot charge is told so at each step.
my $not_loaded = 'gaussdp is not loaded at server start, so that no budget can be charged';
for my $step ([ 'protect', "SELECT gaussdp.protect('hr.emp', 'id', people => 'staff')" ],
	[ 'grant_budget', "SELECT gaussdp.grant_budget('analyst', 'hr.root', 1, 1e-6)" ])
{
	my ($status, $out, $err) = $node->psql('unloaded_plain', "\\set SHOW_CONTEXT always\n$step->[1]");
	is($status, 0, "$step->[0] works on a server that does not preload");
	is($err, "psql:<stdin>:2: WARNING:  $not_loaded\nDETAIL:  No query over protected tables is answered.\nHINT:  Add gaussdp to shared_preload_libraries and restart the server.",
		"$step->[0] says what is missing");
}
is($node->safe_psql('unloaded_plain', 'SELECT DISTINCT usable, problem FROM gaussdp.protected_tables'), "f|$not_loaded",
	'protected_tables says what is missing');
is($node->safe_psql('unloaded_plain', "SELECT severity, what FROM gaussdp.check_policy('hr.emp') WHERE what ~ 'no query'"), "error|no query is answered: $not_loaded",
	'check_policy says what is missing');
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'gaussdp'");
$node->restart;
is($node->safe_psql('unloaded_plain', 'SELECT count(problem) FROM gaussdp.protected_tables'), 0, 'and no problem after what the hint says');
$node->stop;

done_testing();
