# What an analyst tries on a cluster beyond what is asked: to be the owner of the table on its servers, whom private answers are asked
# as; and to see what the servers do.
use strict;
use warnings FATAL => 'all';

use Distributed;
use PostgreSQL::Test::Utils;
use Test::More;

my ($coordinator, @workers) = cluster(
	shared_preload_libraries => "'citus,gaussdp,pg_stat_statements'",
	'pg_stat_statements.track' => 'all',
	log_temp_files => 0);

$coordinator->safe_psql('d', <<'SQL');
CREATE ROLE owner LOGIN;
CREATE ROLE ana LOGIN;
GRANT CREATE ON SCHEMA public TO owner;
CREATE SCHEMA ana AUTHORIZATION ana;
SET ROLE owner;
CREATE TABLE far (id int PRIMARY KEY, k int NOT NULL, x float8);
SELECT create_distributed_table('far', 'id');
INSERT INTO far SELECT g, g % 7, g * 0.37 FROM generate_series(1, 1000) g;
CREATE TABLE visit (id int NOT NULL, v int);
SELECT create_distributed_table('visit', 'id', colocate_with => 'far');
INSERT INTO visit SELECT g % 200 + 1, g FROM generate_series(1, 3000) g;
CREATE TABLE everywhere (id int PRIMARY KEY);
SELECT create_reference_table('everywhere');
INSERT INTO everywhere SELECT g FROM generate_series(1, 500) g;
SELECT gaussdp.protect(t, 'id', people => 'people') FROM unnest('{far,visit,everywhere}'::regclass[]) t;
SELECT gaussdp.grant_budget('ana', 'far', 1000, 1e-2);
SQL

sub ana
{
	my ($server, $sql) = @_;
	my ($status, $out, $err) = $server->psql('d', $sql, extra_params => [ '-U', 'ana' ], on_error_stop => 0);
	return ($out, $err);
}

# SET LOCAL is sent by Citus with the text that it stands in: \; makes several statements one text.
my $takes = q{DO $$BEGIN IF current_user = 'owner' THEN RAISE EXCEPTION 'I am %', current_user; END IF; END$$};
for my $sql (
	qq{BEGIN; SELECT dp_count(1, 1e-6) FROM far; SET citus.propagate_set_commands = 'local'; SET LOCAL a.b = 1\\; $takes; COMMIT},
	qq{BEGIN; SET citus.propagate_set_commands = 'local'; SET LOCAL a.b = 1\\; $takes; RESET citus.propagate_set_commands; SELECT dp_count(1, 1e-6) FROM far; COMMIT})
{
	my ($out, $err) = ana($coordinator, $sql);
	like($err, qr/permission denied to set parameter "citus.propagate_set_commands"/, 'no text of a session is sent to the connections of the owner');
	unlike($err, qr/I am owner/, 'nor run as the owner');
}
is((ana($coordinator, q{SET citus.propagate_set_commands = 'none'}))[0], '', 'nor set in another way');

# pg_stat_statements shows to everybody how many rows a statement had, of a shard that were its groups, and what it has touched.
$coordinator->safe_psql('d', 'CREATE EXTENSION pg_stat_statements');
sub statements
{
	return join ' ', map { (ana($_, q{SELECT count(*), sum(rows), sum(shared_blks_hit) FROM pg_stat_statements WHERE userid = 'owner'::regrole}))[0] } $coordinator, @workers;
}
{
	$coordinator->safe_psql('d', 'SET ROLE owner; SELECT count(*) FROM far');
	my $before = statements();
	like($before, qr/[1-9]\d*\|\d/, 'what the owner asks is shown,');
	is((ana($coordinator, 'SELECT count(c) FROM (SELECT id, dp_count(1, 1e-6) AS c FROM far WHERE id < 300 GROUP BY id HAVING dp_keep_group(1, 1e-6)) s'))[0], 0, 'where groups of one person are hidden,');
	is(statements(), $before, 'their number on a shard is not counted');
}

# A constant that is another one on a server: the group of its key there would be shown where a row has it, and only there.
{
	ana($coordinator, q{CREATE TABLE ana.mine (id int); SELECT create_distributed_table('ana.mine', 'id'); CREATE TABLE ana.keys (r regclass PRIMARY KEY); INSERT INTO ana.keys VALUES ('ana.mine'), ('pg_class')});
	my ($there) = ana($workers[0], q{SELECT 'ana.mine'::regclass::oid});
	isnt($there, (ana($coordinator, q{SELECT 'ana.mine'::regclass::oid}))[0], 'a name is another number on a worker');
	$coordinator->safe_psql('d', qq{SET ROLE owner; CREATE TABLE number (id int PRIMARY KEY, o oid); SELECT create_distributed_table('number', 'id'); INSERT INTO number SELECT g, CASE WHEN g < 90 THEN $there ELSE g END FROM generate_series(1, 100) g; SELECT gaussdp.protect('number', 'id', people => 'people')});
	for my $on ('o = r', 'o = r::oid')
	{
		my ($out, $err) = ana($coordinator, "SELECT r::oid, dp_count(1, 1e-6) FROM ana.keys LEFT JOIN number ON $on GROUP BY r");
		unlike($out, qr/^$there/m, 'a group of a server alone is not shown');
		like($err, qr/depends on the session, or is not PostgreSQL's own/, 'since its key is not sent');
	}
}

# Views are read as who asks, not as the owner of the table, who may have no right to one, or has it where the asking role has none.
ana($coordinator, 'CREATE VIEW ana.answer AS SELECT dp_count(50, 1e-6) > 900 AS many FROM far; CREATE VIEW ana.narrow AS SELECT * FROM far WHERE k < 7');
is((ana($coordinator, 'SELECT many FROM ana.answer'))[0], 't', "a role's own view of an answer");
is((ana($coordinator, 'SELECT dp_count(50, 1e-6) > 900 FROM ana.narrow'))[0], 't', 'and of what is asked');
$coordinator->safe_psql('d', 'SET ROLE owner; CREATE VIEW few AS SELECT * FROM far WHERE k < 7; CREATE VIEW kinds AS SELECT g AS k FROM generate_series(1, 3) g');
like((ana($coordinator, $_))[1], qr/permission denied for view/, "a view of the owner's: $_")
  for 'SELECT dp_count(1, 1e-6) FROM few', 'SELECT k, dp_count(1, 1e-6) FROM kinds LEFT JOIN far USING (k) GROUP BY k';
$coordinator->safe_psql('d', 'SET ROLE owner; GRANT SELECT ON few TO ana');
is((ana($coordinator, 'SELECT dp_count(50, 1e-6) > 900 FROM few'))[0], 't', 'with a right to it');

# What Citus would do in two steps writes rows into files of the first, and is refused: Citus reads these as none at all.
{
	my ($out, $err) = ana($coordinator, 'SELECT dp_count(e.id, 50, 1e-6, 3) FROM everywhere e LEFT JOIN visit USING (id)');
	is($out, '', 'no answer from intermediate results');
	like($err, qr/Citus would keep rows in intermediate results/, 'and that is said');
}

# No row takes more memory on a server than is known before: what is longer than a megabyte is NULL where a call looks at it.
{
	$coordinator->safe_psql('d', <<'SQL');
SET ROLE owner;
CREATE TABLE letter (id text PRIMARY KEY, note text, data jsonb);
SELECT create_distributed_table('letter', 'id');
INSERT INTO letter SELECT 'p' || g, repeat('x', 1 + 2000000 * (g % 2)), jsonb_build_object('a', repeat('x', 1 + 2000000 * (g % 2))) FROM generate_series(1, 400) g;
CREATE TABLE reply (id text NOT NULL, v int);
SELECT create_distributed_table('reply', 'id', colocate_with => 'letter');
INSERT INTO reply SELECT id, 1 FROM letter;
SELECT gaussdp.protect(t, 'id', people => 'writers') FROM unnest('{letter,reply}'::regclass[]) t;
SELECT gaussdp.grant_budget('ana', 'letter', 1000, 1e-2);
SQL
	for ([ 'length(note) > 0', 200 ], [ "note LIKE 'x%'", 200 ], [ "data ? 'a'", 200 ], [ "note = 'x'", 200 ], [ "note IS NOT NULL", 400 ],
		[ 'id IN (SELECT id FROM reply)', 400 ], [ join(' OR ', map { "length(note) = $_" } 1 .. 100), 200 ])
	{
		my ($where, $n) = @$_;
		my ($out, $err) = ana($coordinator, "SELECT dp_count(50, 1e-6) BETWEEN $n - 20 AND $n + 20 FROM letter WHERE $where");
		is($out, 't', "about $n: " . substr($where, 0, 60)) or diag($err);
	}
	is((ana($coordinator, 'SELECT dp_count(50, 1e-6) BETWEEN 380 AND 420 FROM letter JOIN reply USING (id)'))[0], 't', 'tables are joined by units of text');
	is((ana($coordinator, 'SELECT length(note), dp_count(50, 1e-6) BETWEEN 180 AND 220 FROM letter GROUP BY note HAVING dp_keep_group(1, 1e-6) ORDER BY 1'))[0], "1|t\n|t", 'a key is NULL where it is long');
	like((ana($coordinator, 'SELECT dp_count(1, 1e-6) FROM letter WHERE ' . join ' OR ', map { "length(note) = $_" } 1 .. 300))[1],
		qr/could take too much memory together/, 'what is computed of one row is counted');
}

# The coordinator keeps exact rows of groups that are not shown, in files where they are many: the numbers of a session's later files do not tell.
{
	my $own = 'SELECT count(*) FROM (SELECT g FROM generate_series(1, 20000) AS g ORDER BY g DESC OFFSET 0) AS s;';
	my %between = map {
		my (undef, $seen) = ana($coordinator, "SET client_min_messages = log; SET work_mem = '64kB'; $own SELECT count(*) FROM (SELECT id, k, dp_count(1, 1e-6) FROM far WHERE id < $_ GROUP BY id, k HAVING dp_keep_group(1, 1e-6)) AS s; $own");
		my @numbers = $seen =~ m{temporary file: path "base/pgsql_tmp/pgsql_tmp\d+\.(\d+)"}g;
		($_ => @numbers < 2 ? diag($seen) : $numbers[-1] - $numbers[0]);
	} 2, 1000;
	is($between{1000}, $between{2}, 'as many numbers lie between two files, however many groups are hidden');
}

done_testing();
