# Who executes what was verified: under instrumentation, in functions that run as somebody else, from plans that
# are older than rights, roles and labels, in parallel workers, and in sessions where the library is missing.
use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('execution');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'gaussdp'\nmax_worker_processes = 16\n");
$node->start;
OnePsql::keep() if defined &OnePsql::keep;
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION gaussdp;
CREATE ROLE own;
CREATE ROLE ana LOGIN NOINHERIT;
CREATE ROLE bob;
CREATE ROLE poor;
GRANT bob, poor TO ana;
GRANT CREATE ON SCHEMA public TO own, ana, bob, poor;
SET ROLE own;
CREATE TABLE emp (id int PRIMARY KEY, dept int, x float8);
INSERT INTO emp SELECT i, i % 4, 100 FROM generate_series(1, 20000) i;
CREATE TABLE pub (id int);
INSERT INTO pub SELECT generate_series(1, 20000);
GRANT SELECT ON pub TO PUBLIC;
ANALYZE emp;
SELECT gaussdp.protect('emp', 'id', 1), gaussdp.set_bounds('emp', 'x', 0, 200);
SELECT gaussdp.grant_budget(r, 'emp', 1000, 1e-2) FROM unnest(ARRAY['ana', 'bob']) r;
SQL

# What a session of ana's prints, and, word for word, its errors.
sub session
{
	my ($sql) = @_;
	my ($out, $err) = ('', '');
	$node->psql('postgres', "SET plan_cache_mode = force_generic_plan;\n$sql", on_error_stop => 0,
		stdout => \$out, stderr => \$err, extra_params => [ '-U', 'ana' ]);
	return ($out, $err);
}

# How many releases each role has paid for since this was last asked; many equal queries of a second share a line of the journal.
my $seen = 0;
my %paid;

sub paid
{
	my %now = map { split /\|/ } split /\n/,
	  $node->safe_psql('postgres', "SELECT role, sum(times) FROM gaussdp.journal WHERE event = 'charge' GROUP BY role");
	my @new = grep { $now{$_} > ($paid{$_} // 0) } sort keys %now;
	my $result = join ', ', map { "$_ " . ($now{$_} - ($paid{$_} // 0)) } @new;

	%paid = %now;
	$seen = $node->safe_psql('postgres', 'SELECT coalesce(max(charge), 0) FROM gaussdp.journal');
	return $result;
}
paid();

# Is each line of the output about as much as this?
sub about
{
	my ($out, @expected) = @_;
	my @got = split /\n/, $out;
	return @got == @expected && !grep { $got[$_] !~ /^-?[\d.]+$/ || abs($got[$_] - $expected[$_]) > 0.01 * 20000 } 0 .. $#got;
}
my $count = 'SELECT dp_count(1, 1e-6) FROM emp';
my $denied = qr/ERROR:  permission denied for table emp/;
my ($out, $err);

# Instrumentation, whichever library was loaded first: it measures the query around, not the level
foreach my $libraries ('gaussdp,auto_explain', 'auto_explain,gaussdp')
{
	$node->append_conf('postgresql.conf', "shared_preload_libraries = '$libraries'\nauto_explain.log_min_duration = 0\n");
	$node->restart;
	foreach my $analyze ('on', 'off')
	{
		$node->append_conf('postgresql.conf', "auto_explain.log_analyze = $analyze\n");
		$node->reload;
		my $offset = -s $node->logfile;
		($out, $err) = session("$count;\nPREPARE p AS $count;\nEXECUTE p;");
		ok(about($out, 20000, 20000), "$libraries, log_analyze = $analyze: answered") or diag($out, $err);
		is(paid(), 'ana 2', 'and paid once each');
		my $log = slurp_file($node->logfile, $offset);
		like($log, qr/PrivateLevel/, 'the plan that is logged shows the level');
		unlike($log, qr/Scan on (public\.)?emp\b/, 'and nothing of its inside');
	}
}
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'gaussdp'\n");
$node->restart;

# Functions: the role that pays is the one that executes the query
$node->safe_psql('postgres', <<SQL);
SET check_function_bodies = off;
CREATE FUNCTION as_caller() RETURNS int8 LANGUAGE plpgsql AS 'BEGIN RETURN ($count); END';
CREATE FUNCTION as_caller_sql() RETURNS int8 LANGUAGE sql AS '$count';
CREATE FUNCTION as_bob() RETURNS int8 LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN RETURN ($count); END';
CREATE FUNCTION as_bob_sql() RETURNS int8 LANGUAGE sql SECURITY DEFINER AS '$count';
CREATE FUNCTION as_poor() RETURNS int8 LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN RETURN ($count); END';
CREATE FUNCTION as_own() RETURNS int8 LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN RETURN ($count); END';
CREATE FUNCTION within_bob() RETURNS int8 LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN RETURN as_caller(); END';
ALTER FUNCTION as_bob() OWNER TO bob;
ALTER FUNCTION as_bob_sql() OWNER TO bob;
ALTER FUNCTION within_bob() OWNER TO bob;
ALTER FUNCTION as_poor() OWNER TO poor;
ALTER FUNCTION as_own() OWNER TO own;
SQL
foreach my $case ([ 'as_caller', 'ana 1' ], [ 'as_caller_sql', 'ana 1' ], [ 'as_bob', 'bob 1' ], [ 'as_bob_sql', 'bob 1' ],
	[ 'within_bob', 'bob 1' ], [ 'as_own', '' ])
{
	my ($function, $paid_by) = @$case;
	($out, $err) = session("SELECT $function();");
	ok(about($out, 20000), "$function() answers") or diag($out, $err);
	is(paid(), $paid_by, 'paid by ' . ($paid_by || 'nobody: its owner may read the table'));
}
($out, $err) = session('SELECT as_poor();');
is($out, '', 'as_poor() answers nothing');
like($err, $denied, 'for its owner has no budget');
is(paid(), '', 'and nobody pays');

# One plan, several roles: a function keeps its plans for the session
foreach my $function ('as_caller()', 'as_caller_sql()')
{
	($out, $err) = session("SELECT $function;\nSET ROLE bob;\nSELECT $function;\nSET ROLE poor;\nSELECT $function;\nRESET ROLE;\nSELECT $function;");
	ok(about($out, 20000, 20000, 20000), "$function under SET ROLE");
	is(paid(), 'ana 2, bob 1', 'each role pays for itself');
	like($err, qr/\A[^\n]*$denied\nDETAIL:  Rule 9 \(budget\): no budget/, 'and one without a budget gets nothing');
}
($out, $err) = session("PREPARE p AS $count;\nSET ROLE poor;\nEXECUTE p;\nSET ROLE bob;\nEXECUTE p;\nRESET ROLE;\nEXECUTE p;");
ok(about($out, 20000, 20000), 'prepared by one role, executed by others');
is(paid(), 'ana 1, bob 1', 'each pays for itself');
like($err, qr/\A[^\n]*$denied\nDETAIL:  Rule 9 \(budget\): no budget[^\n]*\nHINT[^\n]*\Z/, 'or is refused');
($out, $err) = session("BEGIN;\nDECLARE c CURSOR FOR $count;\nSET ROLE poor;\nFETCH c;\nFETCH BACKWARD c;\nCOMMIT;");
ok(about($out, 20000), 'a cursor was paid by who declared it') or diag($out, $err);
is(paid(), 'ana 1', 'once');

# One plan, while rights, budgets and labels change
sub meanwhile
{
	my ($query, $step, $back) = @_;
	my $ana = $node->background_psql('postgres', on_error_stop => 0, extra_params => [ '-U', 'ana' ]);
	$ana->query("SET plan_cache_mode = force_generic_plan; PREPARE p AS $query");
	my @out = scalar $ana->query('EXECUTE p');
	foreach my $sql ($step, $back)
	{
		$node->safe_psql('postgres', $sql);
		push @out, scalar $ana->query('EXECUTE p');
	}
	$ana->quit;
	s/^\s+|\s+$//g foreach @out;
	return join "\n", grep { /^-?\d/ } @out;
}
ok(about(meanwhile($count, 'GRANT SELECT ON emp TO ana', 'REVOKE SELECT ON emp FROM ana'), 20000, 20000, 20000), 'GRANT and REVOKE');
is(paid(), 'ana 2', 'paid while SELECT was not granted');
ok(about(meanwhile($count, 'ALTER ROLE ana INHERIT; GRANT own TO ana', 'REVOKE own FROM ana; ALTER ROLE ana NOINHERIT'), 20000, 20000, 20000), 'membership in the owner');
is(paid(), 'ana 2', 'paid while it was not there');
ok(about(meanwhile($count, q{SELECT gaussdp.revoke_budget('ana', 'emp')}, q{SELECT gaussdp.grant_budget('ana', 'emp', 1000, 1e-2)}), 20000, 20000),
	'a budget that is revoked and granted');
is(paid(), 'ana 2', 'nothing is answered in between');
ok(about(meanwhile($count, q{SELECT gaussdp.unprotect('emp')}, q{SELECT gaussdp.protect('emp', 'id', 1), gaussdp.grant_budget('ana', 'emp', 1000, 1e-2)}),
		20000, 20000), 'a label that is taken and given');
is(paid(), 'ana 2', 'nothing is answered in between');
ok(about(meanwhile($count, 'ALTER TABLE emp ADD other int; ALTER TABLE emp DROP CONSTRAINT emp_pkey', 'ALTER TABLE emp DROP other, ADD PRIMARY KEY (id)'), 20000, 20000, 20000),
	'a key that is dropped and made: in between rows are weighed');
is(paid(), 'ana 3', 'and paid for');
$node->safe_psql('postgres', q{SELECT gaussdp.set_bounds('emp', 'x', 0, 200)});
is(join(' ', map { int($_ / 10000 + 0.5) } split /\n/, meanwhile('SELECT dp_sum(x, 5, 1e-6) FROM emp', q{SELECT gaussdp.set_bounds('emp', 'x', 0, 10)},
			q{SELECT gaussdp.set_bounds('emp', 'x', 0, 50)})), '200 20 100', 'declared bounds are those of the day');
is($node->safe_psql('postgres', "SELECT string_agg(round(l2_sensitivity)::text, ' ' ORDER BY charge) FROM gaussdp.journal WHERE charge > $seen AND event = 'charge'"),
	'200 10 50', 'and so is what is paid');
paid();

# Parallel plans
my $force = $node->safe_psql('postgres', "SELECT name FROM pg_settings WHERE name IN ('debug_parallel_query', 'force_parallel_mode')");
my $cheap = 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;';
$node->append_conf('postgresql.conf', 'log_min_messages = debug1');
$node->reload;
# A Gather for debugging would be over the exact numbers of groups: a level has none.
foreach my $case ([ 'partial aggregates', $cheap, 4 ], [ 'without the leader', "$cheap SET parallel_leader_participation = off;", 4 ],
	[ 'everything in a worker', "SET $force = on;", 0 ], [ 'everything in a worker, silently', "SET $force = regress;", 0 ])
{
	my ($name, $settings, $least) = @$case;
	my $offset = -s $node->logfile;
	($out, $err) = session("$settings SET client_min_messages = warning;\n$count;\nSELECT dp_sum(x, 5, 1e-6, 0, 200) / 100 FROM emp;\nPREPARE p AS $count;\nEXECUTE p;\n"
		. "SELECT dp_count(1, 1e-6) FROM emp WHERE id <= 10000;\nSELECT n FROM (SELECT dept, dp_count(1, 1e-6) n FROM emp GROUP BY dept HAVING dp_keep_group(1, 1e-6)) s;");
	ok(about($out, 20000, 20000, 20000, 10000, 5000, 5000, 5000, 5000), "$name: right") or diag($out, $err);
	is($err, '', 'without an error');
	is(paid(), 'ana 6', 'each call is paid once');
	my $workers = () = slurp_file($node->logfile, $offset) =~ /registering background worker "parallel worker/g;
	ok($least > 0 ? $workers >= $least : $workers == 0, "and $workers workers ran");
}

# The server's own log, asked for by a function over released values, while other levels of the query are still to run
my $two = 'SELECT %s FROM (SELECT dp_count(1, 1e-6) AS n FROM emp) a UNION ALL SELECT n > 0 FROM (SELECT dp_count(DISTINCT id, 1, 1e-6) AS n FROM emp) b';
my $ask = "set_config('trace_sort', 'on', false) = 'on' AND set_config('client_min_messages', '%s', false) <> ''";
for my $level (qw(log debug5))
{
	($out, $err) = session(sprintf("$two;", sprintf $ask, $level) . 'SHOW client_min_messages;');
	is($out, "t\nt\n$level", "$level, by a function over released values: answered, and the setting stays");
	unlike($err, qr/sort|KB used/, 'and no sort is told of');
	($out, $err) = session('BEGIN; DECLARE c CURSOR FOR ' . sprintf($two, 'n > 0') . "; FETCH 1 FROM c; SET trace_sort = on;"
		. " SET client_min_messages = $level; FETCH 1 FROM c; SHOW client_min_messages; RESET client_min_messages; COMMIT;");
	is($out, "t\nt\n$level", "$level, between two fetches: answered, and the setting stays");
	unlike($err, qr/sort|KB used/, 'and no sort is told of');
}
$node->safe_psql('postgres', 'CREATE FUNCTION reset() RETURNS bool LANGUAGE plpgsql AS $$BEGIN SET trace_sort = on; RESET client_min_messages; RETURN true; END$$');
$node->safe_psql('postgres', 'ALTER ROLE ana SET client_min_messages = log');
($out, $err) = session('SET client_min_messages = notice; ' . sprintf($two, 'reset()') . ';');
is($out, "t\nt", 'a default of the role, by RESET: answered');
unlike($err, qr/sort|KB used/, 'and no sort is told of');
$node->safe_psql('postgres', 'ALTER ROLE ana RESET client_min_messages');
# Groups are sorted in the room, and their rows are there until the query around them ends.
my $groups = 'SELECT n > 0 FROM (SELECT dept, dp_count(1, 1e-6) AS n FROM emp GROUP BY dept HAVING dp_keep_group(1, 1e-6)) g';
my $trace = 'SET trace_sort = on; SET client_min_messages = log;';
($out, $err) = session("$trace $groups;");
like($out, qr/^t(\nt)+$/, 'groups with trace_sort: answered');
unlike($err, qr/sort|KB used/, 'and no sort is told of');
($out, $err) = session("BEGIN; DECLARE c CURSOR FOR $groups; FETCH 1 FROM c; $trace CLOSE c; COMMIT;");
is($out, 't', 'a cursor over groups, closed with trace_sort: answered');
unlike($err, qr/sort|KB used/, 'and no sort is told of');
paid();

# A limit under which an index scan drops other rows when one row more has the word
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION pg_trgm;
CREATE TABLE notes (id int PRIMARY KEY, note text COLLATE "C");
INSERT INTO notes SELECT i, CASE WHEN i <= 1000 THEN 'abcdef' ELSE 'abc' END FROM generate_series(1, 30000) i;
CREATE INDEX ON notes USING gin (note gin_trgm_ops);
VACUUM ANALYZE notes;
SELECT gaussdp.protect('notes', 'id'), gaussdp.grant_budget('ana', 'notes', 1000, 1e-2);
SQL
my $abc = "SELECT dp_count(5, 1e-6) / 100 > 8 AS n FROM notes WHERE note LIKE '%abcdef%'";
my $index = 'SET enable_seqscan = off;';
($out, $err) = session("$index SET gin_fuzzy_search_limit = 1; $abc; SHOW gin_fuzzy_search_limit;");
is($out, "t\n1", 'gin_fuzzy_search_limit drops no protected row, and stays set') or diag($err);
($out, $err) = session("$index BEGIN; DECLARE c CURSOR FOR SELECT n > 0 FROM (SELECT dp_count(1, 1e-6) AS n FROM emp) a UNION ALL $abc;"
	. ' FETCH 1 FROM c; SET gin_fuzzy_search_limit = 1; FETCH 1 FROM c; COMMIT; SHOW gin_fuzzy_search_limit;');
is($out, "t\nt\n1", 'nor when it is set between two fetches') or diag($err);
($out, $err) = session("$index SELECT set_config('gin_fuzzy_search_limit', '1', false) <> '' AND n > 0 FROM (SELECT dp_count(1, 1e-6) AS n FROM emp) a"
	. " UNION ALL $abc; SHOW gin_fuzzy_search_limit;");
is($out, "t\nt\n1", 'nor by a function over released values') or diag($err);
$node->safe_psql('postgres', 'DROP TABLE notes; DROP EXTENSION pg_trgm');
paid();

# What a join reads of a public table, and leaves pruned there, does not depend on the protected rows
$node->safe_psql('postgres', <<'SQL');
GRANT CREATE ON SCHEMA public TO ana;
SET ROLE ana;
CREATE TABLE mine (id int, t text, PRIMARY KEY (id)) WITH (autovacuum_enabled = off);
CREATE FUNCTION place(who int, method text) RETURNS text LANGUAGE plpgsql SET client_min_messages = notice AS $$
DECLARE
    place tid;
BEGIN
    PERFORM set_config('enable_hashjoin', (method = 'hash')::text, true), set_config('enable_mergejoin', (method = 'merge')::text, true),
        set_config('enable_nestloop', (method = 'loop')::text, true), set_config('enable_indexscan', (method <> 'hash')::text, true);
    EXECUTE format('SELECT dp_count(1, 1e-6) FROM emp JOIN mine ON dept = mine.id WHERE emp.id = %s', who);
    UPDATE mine SET t = repeat('y', 1900) WHERE ctid = '(0,4)' RETURNING ctid INTO place;
    RETURN place;
END
$$;
SQL
foreach my $method (qw(hash merge loop))
{
	($out, $err) = session(join '', map { "TRUNCATE mine; INSERT INTO mine SELECT i, repeat('x', 1900) FROM generate_series(0, 3) i;"
			. " DELETE FROM mine WHERE ctid = '(0,1)'; BEGIN; SELECT place($_, '$method'); ROLLBACK;\n" } 5, -5);
	like($out, qr/\A(\S+)\n\1\Z/, "a public table that is joined ($method) is read, whether a protected row is there or not") or diag($err);
}
paid();

# Temporary files are counted together: what a limit leaves to others tells the size of a sort
$node->safe_psql('postgres', q{ALTER ROLE ana SET temp_file_limit = '1GB'});
($out, $err) = session("$count;");
is($out, '', 'under temp_file_limit nothing is answered');
like($err, qr/\A[^\n]*$denied\nDETAIL:  Rule 9 \(budget\): temp_file_limit [^\n]*\nHINT:[^\n]*\Z/, 'for that reason');
$node->safe_psql('postgres', 'ALTER ROLE ana RESET temp_file_limit');
is(paid(), '', 'and nothing is paid');

# The tablespace of the next temporary table is that of the next temporary file
my $space = PostgreSQL::Test::Utils::tempdir();
$node->safe_psql('postgres', "CREATE TABLESPACE space LOCATION '$space'");
$node->safe_psql('postgres', 'GRANT CREATE ON TABLESPACE space TO ana');
$node->safe_psql('postgres', <<'SQL');
CREATE FUNCTION turns() RETURNS bool LANGUAGE plpgsql AS $$
BEGIN
    CREATE TEMP TABLE a ();
    PERFORM dp_count(DISTINCT dept, 1e-3, 1e-9) FROM emp;
    CREATE TEMP TABLE b ();
    RETURN (SELECT count(DISTINCT reltablespace) = 2 FROM pg_class WHERE oid IN ('a'::regclass, 'b'::regclass));
END
$$;
SQL
my $turns = "SET work_mem = '64kB'; SET max_parallel_workers_per_gather = 0; SET temp_tablespaces = '', space;\n"
  . "BEGIN; SELECT turns(); ROLLBACK;\n" x 40;
($out, $err) = session($turns);
like($out, qr/\A(?=.*t)(?=.*f)[tf\n]{79}\Z/s, 'temporary tables take a tablespace by chance after a private query') or diag($err);
# A list that is settled when a file is made would still hold for another role, which may not use it.
my $settled = join '', map { "BEGIN; SELECT dp_count(DISTINCT dept, 1e-3, 1e-9) > 0 OR true FROM emp WHERE id < $_; SET ROLE bob;"
		. " CREATE TEMP TABLE c (); ROLLBACK; RESET ROLE;\n" } 0, 20000;
($out, $err) = session("SET work_mem = '64kB'; SET max_parallel_workers_per_gather = 0; SET temp_tablespaces = space;\n$settled");
is($out, "t\nt", 'both are answered');
is(() = $err =~ /permission denied for tablespace space/g, 2, 'the list is settled with and without a file') or diag($err);
$node->safe_psql('postgres', 'DROP TABLESPACE space');
paid();

# A worker cannot pay, whatever a function is labelled
$node->safe_psql('postgres', <<SQL);
CREATE FUNCTION sneak(int) RETURNS int8 LANGUAGE plpgsql PARALLEL SAFE AS 'BEGIN RETURN ($count); END';
ALTER FUNCTION sneak(int) OWNER TO ana;
SQL
($out, $err) = session("$cheap SET parallel_leader_participation = off;\nSELECT count(*) FROM pub WHERE sneak(id) > 0;");
is($out, '', 'a level in a parallel worker is refused');
like($err, qr/$denied\nDETAIL:  Rule 9 \(budget\): a parallel query cannot pay/, 'with its reason');
is(paid(), '', 'and is not paid');

# Until PostgreSQL 16 a snapshot can become too old for pages that were changed since
SKIP:
{
	skip 'gone in PostgreSQL 17', 1 if $node->safe_psql('postgres', 'SHOW server_version_num') >= 170000;
	$node->append_conf('postgresql.conf', "old_snapshot_threshold = '1h'\n");
	$node->restart;
	(undef, $err) = session("$count;");
	like($err, qr/\A[^\n]*$denied\nDETAIL:  Rule 9 \(budget\): old_snapshot_threshold [^\n]*\nHINT:[^\n]*\Z/, 'under old_snapshot_threshold nothing is answered');
	$node->append_conf('postgresql.conf', "old_snapshot_threshold = -1\n");
}

# The library is missing, or came late, or with the session
$node->append_conf('postgresql.conf', "shared_preload_libraries = ''\n");
$node->restart;
($out, $err) = session("PREPARE p AS $count;\nEXECUTE p;\n$count;\nSELECT as_caller();\nSELECT * FROM emp;");
is($out, '', 'a session without the library: nothing is answered');
is(() = $err =~ /$denied/g, 4, 'permission denied stands');
unlike($err, qr/DETAIL/, 'as PostgreSQL says it');
($out, $err) = session("PREPARE p AS $count;\nEXECUTE p;\nPREPARE q AS $count;\nSELECT gdp.mu(1, 1e-6) > 0;\nEXECUTE p;\nEXECUTE q;\n$count;");
is($out, 't', 'a session that loads it later, in a server without: nothing is answered');
my $hint = qr/DETAIL:  Nothing was charged and nothing was released\.\nHINT:  Add gaussdp to shared_preload_libraries/;
like($err, qr/\A[^\n]*$denied\n[^\n]*$denied\n[^\n]*ERROR[^\n]*\n$hint[^\n]*\n[^\n]*ERROR[^\n]*\n$hint[^\n]*\Z/,
	'an older plan is refused as before, a new one says what to do');
$node->safe_psql('postgres', "ALTER ROLE ana SET session_preload_libraries = 'gaussdp'");
($out, $err) = session("$count;\nSELECT count(*) FROM emp;");
is($out, '', 'session_preload_libraries alone: nothing is answered either');
like($err, qr/\A[^\n]*ERROR[^\n]*\n$hint[^\n]*\n[^\n]*$denied\nDETAIL:  Rule 0/, 'with the same hint, and the same refusals');

$node->stop;
done_testing();
