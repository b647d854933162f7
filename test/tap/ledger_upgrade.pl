# An update of the extension, and pg_upgrade before it, keep budgets, journal and declarations to the last row, and until library and
# objects are of one version again nothing is charged.
#
# Where the tree has scripts gaussdp--OLD--NEW.sql that lead to its version, the oldest OLD is updated by them: its sources are what
# test/run has taken from tag vOLD. As long as there are none, this version is updated, in two steps, to ones that differ from it in
# their numbers alone.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Installation;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $lib = $ENV{GAUSSDP_TESTLIB} or plan skip_all => 'needs the test module';
my $sources = "$FindBin::RealBin/../..";
my ($present) = slurp_file("$sources/gaussdp.control") =~ /^default_version *= *'([\d.]+)'/m;
my @steps = map { [ /gaussdp--([\d.]+)--([\d.]+)\.sql$/ ] } glob("$sources/gaussdp--*--*.sql");
my ($old, $new, $old_tree, $new_tree);

sub number
{
	my ($major, $minor) = split /\./, $_[0];
	return $major * 1000 + $minor;
}

# A version, by how many minor ones it is after the present one.
sub later
{
	my ($n) = @_;
	my ($major, $minor) = split /\./, $present;
	return "$major." . ($minor + $n);
}

my $bindir = own_installation();
if (grep { $_->[1] eq $present } @steps)
{
	($old, $new) = ((sort { number($a) <=> number($b) } map { $_->[0] } @steps)[0], $present);
	-d "$ENV{GAUSSDP_RELEASES}/$old" or die "there are no sources of version $old: test/run takes them from tag v$old";
	($old_tree, $new_tree) = (tree_of("$ENV{GAUSSDP_RELEASES}/$old"), tree_of($sources));
}
else
{
	($old, $new) = ($present, later(2));
	($old_tree, $new_tree) = (tree_of($sources), tree_of($sources));
	relabel($new_tree, $new);
	foreach my $n (1, 2)
	{
		my ($from, $to) = (later($n - 1), later($n));
		append_to_file("$new_tree/gaussdp--$from--$to.sql", "SELECT gaussdp_internal.check_library('$to', or_newer => true);\n");
	}
}
install($old_tree);

my $node = PostgreSQL::Test::Cluster->new('upgrade');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'gaussdp'\ngaussdp.journal_query_text = on\ngaussdp.max_private_errors = 5\ngaussdp.charge_timeout = '60s'");
$node->start;

sub as
{
	my ($role, $sql, $database, $server) = @_;
	my ($status, $out, $err) = ($server || $node)->psql($database || 'd', $sql, extra_params => [ '-U', $role, '-v', 'VERBOSITY=verbose' ]);
	return $status == 0 ? $out : $err;
}

sub answers
{
	my ($role, $sql, $name) = @_;
	like(as($role, $sql), qr/^-?[\d.]+$/, $name);
	return;
}

# ---------------------------------------------------------------------------
# Something of everything
# ---------------------------------------------------------------------------

# Whoever gives others all rights on new tables gives them nothing of the ledger, neither by CREATE EXTENSION nor by an update.
sub create_extension
{
	my ($database) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $database");
	$node->safe_psql($database, 'ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO max; ALTER DEFAULT PRIVILEGES GRANT ALL ON SEQUENCES TO max; CREATE EXTENSION gaussdp');
	return;
}

$node->safe_psql('postgres', 'CREATE ROLE staff; CREATE ROLE ana LOGIN; CREATE ROLE bob LOGIN IN ROLE staff; CREATE ROLE eve LOGIN; CREATE ROLE zoe LOGIN; CREATE ROLE max LOGIN');
create_extension('d');
$node->safe_psql('d', <<SQL);
CREATE FUNCTION divides(int) RETURNS bool IMMUTABLE LEAKPROOF LANGUAGE C AS '$lib', 'test_divides';
CREATE TABLE emp (id int PRIMARY KEY, dept text, age int);
CREATE TABLE dept (name text PRIMARY KEY);
CREATE TABLE visit (emp int NOT NULL, hours int, hidden text);
CREATE TABLE badge (emp int);
INSERT INTO badge VALUES (1), (NULL);
CREATE TABLE item (visit int NOT NULL);
CREATE TABLE "Odd Table" (id int PRIMARY KEY);
INSERT INTO emp SELECT i, 'abc', i % 60 FROM generate_series(1, 100) AS i;
INSERT INTO "Odd Table" SELECT generate_series(1, 100);
SELECT gaussdp.protect('emp', 'id', people => 'the "staff"'), gaussdp.protect('"Odd Table"', 'id'),
  gaussdp.protect('visit', 'emp', 5, 7, via => 'emp'),
  gaussdp.set_bounds('emp', 'age', 0, 120), gaussdp.set_public_keys('emp', 'dept', 'dept', 'name'), gaussdp.hide_columns('visit', '{hidden}'), gaussdp.protect('badge', 'emp', 3, people => 'the "staff"');
SELECT count(*) FROM gaussdp.lock_down();
CREATE EXTENSION citext;
SELECT gaussdp.allow_function('citext_eq(citext,citext)'), gaussdp.set_data_version('emp', 'load 1');
SELECT gaussdp.grant_budget('ana', 'emp', 3, 1e-6, '30 days', 2, 2e-7, 0.1, 1e-7, 1000), gaussdp.grant_budget('staff', 'emp', 1, 1e-6),
  gaussdp.grant_budget('public', '"Odd Table"', 2, 1e-6), gaussdp.grant_budget('eve', 'emp', 5, 1e-6), gaussdp.grant_budget('zoe', 'emp', 1, 1e-6),
  gaussdp.set_population_budget('the "staff"', 9, 1e-6);
SQL
answers('ana', 'SELECT dp_count(0.5, 1e-7) FROM emp', "a charge at version $old");
answers('ana', 'SELECT dp_sum(age, 0.5, 1e-7) FROM emp', 'with declared bounds');
answers('ana', 'SELECT dp_count(0.01, 1e-7) FROM emp', 'again and again') foreach 1 .. 3;
answers('bob', 'SELECT dp_count(1, 1e-6) FROM emp', 'all of a budget');
$node->safe_psql('d', 'CREATE SCHEMA news AUTHORIZATION ana');
is(as('ana', q{SELECT gaussdp.publish('news.staff', 'SELECT dp_count(0.01, 1e-7) FROM emp', every => '1 day')}), 'news.staff', 'a publication');
my $published = as('ana', 'TABLE news.staff');
my $kept = 'SET gaussdp.reuse_answers = -1; SELECT dp_count(0.011, 1e-7) FROM emp';
is(as('ana', $kept), as('ana', $kept) =~ s/^NOTICE.*\n//mr, 'an answer that is kept');
answers('zoe', 'SELECT dp_count(1, 1e-6) FROM "Odd Table"', "PUBLIC's");
$node->safe_psql('d', q{SELECT gaussdp.reset_budget('public', '"Odd Table"'), gaussdp.revoke_budget('zoe', 'emp')});
answers('zoe', 'SELECT dp_count(0.5, 1e-6) FROM "Odd Table"', 'and anew');
like(as('eve', 'SELECT dp_count(0.01, 1e-7) FROM emp WHERE divides(age)'), qr/38000|42501/, 'an error that is counted') foreach 1 .. 6;
$node->safe_psql('d', "UPDATE gaussdp_internal.journal_entry SET at = at - interval '1 year' WHERE charge % 2 = 0");
cmp_ok($node->safe_psql('d', "SELECT gaussdp.archive_journal(now() - interval '1 day', 3), gaussdp.archive_journal(now() - interval '1 day', 4)"), 'eq', '3|4', 'two stretches of the journal are archived');
$node->safe_psql('d', 'SELECT gaussdp.lock_down()');

# ---------------------------------------------------------------------------
# What is compared
# ---------------------------------------------------------------------------

# Tables and sequences of the extension, whichever there are, with the columns that they have now.
my $stored = <<'SQL';
SELECT c.oid::regclass, CASE relkind WHEN 'S' THEN 'last_value, is_called' ELSE
  (SELECT string_agg(format('%I', attname), ', ' ORDER BY attname) FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped) END
FROM pg_extension AS e JOIN pg_depend AS d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'
JOIN pg_class AS c ON d.classid = 'pg_class'::regclass AND c.oid = d.objid
WHERE e.extname = 'gaussdp' AND c.relkind NOT IN ('v', 'i', 'c') ORDER BY 1::text
SQL
my %columns = map { split /\|/ } split /\n/, $node->safe_psql('d', $stored);

# Every row of these columns, and every declaration.
sub rows
{
	my ($database, $server) = @_;
	my @parts = map { "SELECT '$_', count(*), md5(string_agg(r::text, E'\\n' ORDER BY r::text COLLATE \"C\")) FROM (SELECT ROW($columns{$_}) FROM $_) AS t (r)" } sort keys %columns;
	push @parts, "SELECT 'labels', count(*), md5(string_agg(concat_ws(' ', objtype, objname, label), E'\\n' ORDER BY objtype, objname)) FROM pg_seclabels WHERE provider = 'gaussdp'";
	return ($server || $node)->safe_psql($database, join("\nUNION ALL ", @parts) . ' ORDER BY 1');
}

my $left = <<'SQL';
SELECT people, "table", paid_by, granted, spent_epsilon, left_epsilon, spent_threshold_delta, left_threshold_delta, renews_at, errors, suspended, default_epsilon, max_relation_pages
FROM gaussdp.budget ORDER BY 1, 2::text, 3;
SELECT * FROM gaussdp.protected_tables ORDER BY "table"::text;
SELECT * FROM gaussdp.column_bounds ORDER BY "table"::text, "column";
SQL
my $left_of_ana = q{SELECT gaussdp.queries_left('emp', 0.1, 1e-7)};

sub proven
{
	my ($database, $name) = @_;
	like($node->safe_psql($database, 'SELECT count(*), bool_and(agrees) FROM gaussdp.verify_journal()'), qr/^[6-9]\|t$/, "$name: journal and budgets agree");
	is($node->safe_psql($database, 'SELECT count(*), bool_and(agrees) FROM gaussdp.verify_archive()'), '2|t', "$name: and the archive is whole");
	return;
}

# The extension's objects, with all that makes them what they are. Columns go by their names: an update may give them other numbers.
my $objects = <<'SQL';
WITH member AS (
  SELECT d.classid, d.objid, i.type || ' ' || i.identity AS name
  FROM pg_extension AS e JOIN pg_depend AS d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e',
  LATERAL pg_identify_object(d.classid, d.objid, 0) AS i WHERE e.extname = 'gaussdp'
), relation AS (
  SELECT m.name, c.* FROM member AS m JOIN pg_class AS c ON m.classid = 'pg_class'::regclass AND c.oid = m.objid
)
SELECT name, obj_description(objid, classid::regclass::name) FROM member
UNION ALL SELECT name, concat_ws(' ', p.proacl, CASE WHEN p.prokind = 'a' THEN (to_jsonb(a) - 'number')::text ELSE pg_get_functiondef(p.oid) END)
  FROM member JOIN pg_proc AS p ON classid = 'pg_proc'::regclass AND p.oid = objid
  LEFT JOIN (SELECT aggfnoid::oid AS number, aggkind, aggnumdirectargs, aggtransfn, aggfinalfn, aggcombinefn, aggserialfn, aggdeserialfn, aggmtransfn, aggminvtransfn,
      aggmfinalfn, aggfinalextra, aggmfinalextra, aggfinalmodify, aggmfinalmodify, aggtransspace, agginitval FROM pg_aggregate) AS a ON a.number = p.oid
UNION ALL SELECT name, concat_ws(' ', relacl, reloptions, relkind, relpersistence, relreplident, relrowsecurity, pg_get_viewdef(oid)) FROM relation
UNION ALL SELECT name, nspacl::text FROM member JOIN pg_namespace AS n ON classid = 'pg_namespace'::regclass AND n.oid = objid
UNION ALL SELECT name, concat_ws(' ', attname, format_type(atttypid, atttypmod), attnotnull, attcollation::regcollation, attacl, pg_get_expr(adbin, adrelid), col_description(r.oid, attnum))
  FROM relation AS r JOIN pg_attribute ON attrelid = r.oid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum WHERE attnum > 0 AND NOT attisdropped
UNION ALL SELECT name, pg_get_indexdef(indexrelid) FROM relation AS r JOIN pg_index ON indrelid = r.oid
UNION ALL SELECT name, conname || ' ' || pg_get_constraintdef(c.oid) FROM relation AS r JOIN pg_constraint AS c ON c.conrelid = r.oid
UNION ALL SELECT name, pg_get_triggerdef(t.oid) FROM relation AS r JOIN pg_trigger AS t ON t.tgrelid = r.oid
UNION ALL SELECT name, 'dumped ' || condition FROM pg_extension, unnest(extconfig, extcondition) AS c (oid, condition) JOIN relation USING (oid) WHERE extname = 'gaussdp'
ORDER BY 1, 2
SQL

my ($old_rows, $old_left, $old_left_of_ana) = (rows('d'), $node->safe_psql('d', $left), as('ana', $left_of_ana));
unlike($old_rows, qr/^(?!gaussdp_internal\.(?:answer_pause|kept_answer|kept_archive))[^|]*\|0\|/m, 'every table of the extension has rows, but that of a pause, and those of answers which are shown again or archived');
cmp_ok(scalar(keys %columns), '>=', 8, 'the ledger is among them');
like($old_left, qr/\|eve\|.*\|6\|t\|/, 'a role is suspended');
is(as('ana', $left_of_ana) > 0, 1, 'something is left');
proven('d', $old);

# ---------------------------------------------------------------------------
# Until the server is restarted, and ALTER EXTENSION has been called
# ---------------------------------------------------------------------------

my $update = 'ALTER EXTENSION gaussdp UPDATE';
my $objects_are_newer = qr/55000: the library gaussdp has version \Q$old\E, and its SQL objects have version [\d.]+\n(?:.*\n)?HINT:  Install version [\d.]+ of gaussdp and restart the server\./;
my $library_is_newer = qr/55000: the library gaussdp has version \Q$new\E, and its SQL objects have version \Q$old\E\n(?:DETAIL:  Nothing was charged and nothing was released\.|DETAIL:  No budget was changed\.)\nHINT:  Call ALTER EXTENSION gaussdp UPDATE in this database\./;
my ($superuser) = $node->safe_psql('postgres', 'SELECT current_user');

install($new_tree);
like(as($superuser, $update), $objects_are_newer, 'a server that has not been restarted makes no newer objects');
$node->safe_psql('postgres', 'CREATE DATABASE fresh');
like(as($superuser, 'CREATE EXTENSION gaussdp', 'fresh'), $objects_are_newer, 'nor does CREATE EXTENSION');
$node->safe_psql('postgres', 'DROP DATABASE fresh');
is(rows('d'), $old_rows, 'and nothing was changed');

# pg_upgrade to the next major takes the old objects along, OIDs of roles and tables included, and likewise leaves the update to be made.
$node->stop;
my $next = PostgreSQL::Test::Cluster->new('next');
$next->init;
$next->append_conf('postgresql.conf', "shared_preload_libraries = 'gaussdp'\ngaussdp.charge_timeout = '60s'");
$node->command_ok([ 'pg_upgrade', '--no-sync', '-d', $node->data_dir, '-D', $next->data_dir, '-b', $bindir, '-B', $bindir, '-s', $next->host, '-p', $node->port, '-P', $next->port ], 'pg_upgrade');
$next->start;
is(rows('d', $next), $old_rows, 'every row and declaration is what it was');
is($next->safe_psql('d', "SELECT gaussdp_internal.why_not_pure('citext_eq(citext,citext)') IS NULL"), 't', 'a function of an extension is declared');
like(as('ana', 'SELECT dp_count(0.1, 1e-7) FROM emp', 'd', $next), $library_is_newer, 'nothing is charged');
$next->safe_psql('d', $update);
is(rows('d', $next), $old_rows, 'nor lost by the update');
like(as('ana', 'SELECT dp_count(0.1, 1e-7) FROM emp', 'd', $next), qr/^-?\d+$/, 'charges go on');
is(as('ana', $left_of_ana, 'd', $next), $old_left_of_ana - 1, 'from what is left');
like(as('eve', 'SELECT dp_count(0.1, 1e-7) FROM emp', 'd', $next), qr/is suspended/, 'and a suspended role stays suspended');
my $charged = q{SELECT sum(queries) FROM gaussdp_internal.journal_entry WHERE event = 'charge'};
my $before = $next->safe_psql('d', $charged);
as('ana', $kept, 'd', $next);
is($next->safe_psql('d', "SELECT count(*) FROM gaussdp_internal.kept_answer") . ' ' . ($next->safe_psql('d', $charged) - $before), '2 1', 'what another version has drawn is kept, and not shown again');
is(as('ana', 'TABLE news.staff', 'd', $next), $published, 'what was published is there');
is(as('ana', q{SELECT gaussdp.refresh('news.staff') IS NOT NULL}, 'd', $next), 't', 'and refreshed');
is($next->safe_psql('d', 'SELECT bool_and(agrees) FROM gaussdp.verify_journal()'), 't', 'journal and budgets agree');
$next->stop;

$node->start;
like(as('ana', 'SELECT dp_count(0.1, 1e-7) FROM emp'), $library_is_newer, 'the new library charges nothing beside the old objects');
like(as($superuser, "SELECT gaussdp.$_"), $library_is_newer, "nor changes budgets: $_")
  foreach "grant_budget('zoe', 'emp', 1, 1e-6)", "revoke_budget('eve', 'emp')", "reset_budget('ana', 'emp')", "resume_budget('eve', 'emp')",
	"unprotect('emp')", "protect('emp', 'id', people => 'others', change_unit => true)", "set_population_budget('the \"staff\"', 99, 1e-6)", "drop_population_budget('the \"staff\"')", "reset_population_budget('the \"staff\"')";
my $problem = "the library gaussdp has version $new, and its SQL objects have version $old";
is($node->safe_psql('d', 'SELECT DISTINCT problem FROM gaussdp.protected_tables'), $problem, 'protected_tables says why');
is($node->safe_psql('d', "SELECT what, remedy FROM gaussdp.check_policy('emp') WHERE what ~ 'version'"), "no query is answered: $problem|Call ALTER EXTENSION gaussdp UPDATE in this database.",
	'so does check_policy');
is(as('ana', "SELECT DISTINCT verdict, reason FROM gaussdp.explain_privacy('SELECT dp_count(0.1, 1e-7) FROM emp')"), "refused|$problem", 'so does explain_privacy');
like(as($superuser, 'DROP EXTENSION gaussdp CASCADE'), qr/2BP01: cannot drop the privacy budgets/, 'budgets are not dropped to make them anew');
is(rows('d'), $old_rows, 'nothing was charged or changed');

# ---------------------------------------------------------------------------
# The update
# ---------------------------------------------------------------------------

is(as($superuser, "$update; SELECT extversion FROM pg_extension WHERE extname = 'gaussdp'"), $new, 'the extension is updated while charges stand');
is(rows('d'), $old_rows, 'every row of the extension, and every declaration, is what it was');
is($node->safe_psql('d', $left), $old_left, 'what is granted, spent, left and declared is told as before');
is(as('ana', $left_of_ana), $old_left_of_ana, 'to analysts, too');
proven('d', $new);
create_extension('fresh');
my %updated = map { $_ => 1 } split(/\n/, $node->safe_psql('d', $objects));
my %installed = map { $_ => 1 } split(/\n/, $node->safe_psql('fresh', $objects));
is(join("\n", grep { !$installed{$_} } sort keys %updated), '', 'no object is left that CREATE EXTENSION does not make');
is(join("\n", grep { !$updated{$_} } sort keys %installed), '', 'and none is missing');
is($node->safe_psql('d', "SELECT count(*) FROM ($stored) AS s (r) WHERE r NOT IN (SELECT c::regclass FROM pg_extension, unnest(extconfig) AS c WHERE extname = 'gaussdp') AND r <> 'gaussdp_internal.kept_answer'::regclass"), 0, 'pg_dump keeps all that is stored, but answers that are shown again');

# Budgets go on from there
answers('ana', 'SELECT dp_count(0.1, 1e-7) FROM emp', 'charges go on');
is(as('ana', $left_of_ana), $old_left_of_ana - 1, 'from what is left');
like(as('bob', 'SELECT dp_count(0.1, 1e-6) FROM emp'), qr/53400/, 'what was used up stays used up');
like(as('eve', 'SELECT dp_count(0.1, 1e-7) FROM emp'), qr/is suspended/, 'a suspended role stays suspended');
like(as('zoe', 'SELECT dp_count(0.1, 1e-7) FROM emp'), qr/42501: .*Rule 9 .budget./s, 'a revoked budget stays revoked');
like(as('max', 'SELECT * FROM gaussdp_internal.ledger_account'), qr/42501/, 'and what is stored stays closed');
$node->safe_psql('d', "UPDATE gaussdp_internal.journal_entry SET at = at - interval '2 years' WHERE charge = (SELECT min(charge) FROM gaussdp_internal.journal_entry)");
is($node->safe_psql('d', "SELECT gaussdp.archive_journal(now() - interval '2 years', 1)"), 1, 'the journal is archived on');
is($node->safe_psql('d', 'SELECT count(*), bool_and(agrees) FROM gaussdp.verify_archive()'), '3|t', 'after the old checkpoints');

# Dump and restore
my $dump = PostgreSQL::Test::Utils::tempdir() . '/d.sql';
$node->safe_psql('d', 'TRUNCATE gaussdp_internal.kept_answer'); # which no dump has
my $new_rows = rows('d');
$node->command_ok([ 'pg_dump', '-d', 'd', '-f', $dump ], 'pg_dump');
$node->safe_psql('postgres', 'CREATE DATABASE restored');
$node->command_ok([ 'psql', '-qX', '-v', 'ON_ERROR_STOP=1', '-o', '/dev/null', '-f', $dump, '-d', 'restored' ], 'restore');
is(rows('restored'), $new_rows, 'what is restored is what was dumped');
is($node->safe_psql('restored', 'SELECT bool_and(agrees) FROM gaussdp.verify_journal()'), 't', 'and agrees');

# ---------------------------------------------------------------------------
# Back to the old library
# ---------------------------------------------------------------------------

install($old_tree);
$node->restart;
like(as('ana', 'SELECT dp_count(0.1, 1e-7) FROM emp'), $objects_are_newer, 'the old library charges nothing beside the new objects');
like(as($superuser, "SELECT gaussdp.reset_budget('ana', 'emp')"), $objects_are_newer, 'nor changes budgets');
is(rows('d'), $new_rows, 'nothing was charged or changed');
install($new_tree);
$node->restart;
answers('ana', 'SELECT dp_count(0.1, 1e-7) FROM emp', 'with the new one charges go on');

$node->stop;
done_testing();
