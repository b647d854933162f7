# Resources that an analyst can use up: at their edge a level would lack something at the first row that needs it. Before the charge a level makes
# sure of what it can need, with a wide margin; where that is gone only later, it waits and runs again, and the first wait is counted.
use strict;
use warnings FATAL => 'all';

use Errno qw(EDQUOT EFBIG ENOMEM);
use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use PostgreSQL::Test::Utils;
use Test::More;

my $lib = $ENV{GAUSSDP_TESTLIB} or plan skip_all => 'needs the test module';
my $node = neighbours('resources', "shared_buffers = '2MB'\nmax_locks_per_transaction = 40\nmax_worker_processes = 6\nrestart_after_crash = on\ngaussdp.charge_timeout = '60s'\n", <<"SQL");
CREATE TABLE hr.visit (id int PRIMARY KEY, cost float8);
INSERT INTO hr.visit SELECT id, id FROM hr.emp;
SELECT gaussdp.protect('hr.emp', 'id', people => 'staff', change_unit => true), gaussdp.protect('hr.visit', 'id', people => 'staff'), gaussdp.grant_budget('ana', 'hr.visit', 1000, 1e-2);
CREATE FUNCTION lacks(int, int) RETURNS bool IMMUTABLE LEAKPROOF LANGUAGE C AS '$lib', 'test_lacks';
CREATE FUNCTION meets_limit(int, int, int) RETURNS bool IMMUTABLE LEAKPROOF LANGUAGE C AS '$lib', 'test_meets_limit';
CREATE FUNCTION waits(int, int, bool) RETURNS bool IMMUTABLE LEAKPROOF LANGUAGE C AS '$lib', 'test_waits';
CREATE FUNCTION holds(int, int) RETURNS bool IMMUTABLE LEAKPROOF PARALLEL SAFE LANGUAGE C AS '$lib', 'test_holds';
CREATE TABLE hr.many (person int NOT NULL, cost float8);
INSERT INTO hr.many SELECT j % 4000, j FROM generate_series(1, 20000) j;
CREATE TABLE hr.wide (id int PRIMARY KEY, filler text);
ALTER TABLE hr.wide ALTER filler SET STORAGE PLAIN;
INSERT INTO hr.wide SELECT i, repeat('w', 7000) FROM generate_series(1, 2000) i;
SELECT gaussdp.protect('hr.wide', 'id'), gaussdp.grant_budget('ana', 'hr.wide', 1000, 1e-2);
SELECT gaussdp.protect('hr.many', 'person', max_rows => 3), gaussdp.grant_budget('ana', 'hr.many', 1000, 1e-2);
CREATE FUNCTION fails_xx000(int) RETURNS bool IMMUTABLE LEAKPROOF LANGUAGE C AS '$lib', 'test_fails';
DELETE FROM hr.visit WHERE id = 7 AND current_database() = 'none';
SQL

prepare(<<'SQL');
CREATE TABLE ana.pages (filler text);
ALTER TABLE ana.pages ALTER filler SET STORAGE PLAIN;
INSERT INTO ana.pages SELECT repeat('p', 6000) FROM generate_series(1, 300);
-- Pins so many shared buffers, by cursors that stand on a page each
CREATE FUNCTION ana.pin(n int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    c refcursor;
    r record;
BEGIN
    FOR i IN 0 .. n - 1 LOOP
        c := NULL;
        OPEN c FOR EXECUTE format('SELECT filler FROM ana.pages WHERE ctid = ''(%s,1)''', i);
        FETCH c INTO r;
    END LOOP;
END$$;
-- Takes all places of the lock table that advisory locks can have, and gives so many back
CREATE FUNCTION ana.lock_all_but(n int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    taken int := 0;
BEGIN
    BEGIN
        FOR i IN 1 .. 100000 LOOP PERFORM pg_advisory_lock(i); taken := i; END LOOP;
    EXCEPTION WHEN out_of_memory THEN NULL;
    END;
    FOR i IN taken - n + 1 .. taken LOOP PERFORM pg_advisory_unlock(i); END LOOP;
END$$;
SQL

# Before the margin: the same refusal, with or without the row, and nothing of it is charged or counted. Far behind it, an answer.
my $plans = 'SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_seqscan = off; SET enable_bitmapscan = off;';
my $joined = 'SELECT dp_count(0.01, 1e-6) > -1e9 FROM hr.emp JOIN hr.visit USING (id) WHERE id = 7';
my $charges = "SELECT count(*) FROM gaussdp.journal WHERE event = 'charge'";
sub before_margin
{
	my ($name, $sqlstate, $sql) = @_;
	my ($one, $none) = map { $node->safe_psql($_, $charges) } 'one', 'none';
	same($name, $sql);
	my $seen = Neighbours::run($sql, 'one');
	like($seen, qr/ERROR:  $sqlstate: .* (for|of) a (parallel )?private query\nDETAIL:  Nothing was read or charged\./, "$name: the refusal says why") || diag($seen);
	is_deeply([ map { $node->safe_psql($_, $charges) } 'one', 'none' ], [ $one + 2, $none + 1 ], "$name: it costs nothing, only the query before does");
	return;
}
before_margin("all but $_ buffers are pinned (T7)", '53000', "$plans $joined \\g /dev/null\nBEGIN; SELECT ana.pin(256 - $_); $joined; ROLLBACK;") foreach 1 .. 4, 40;
same('with half of them there is an answer', "$plans BEGIN; SELECT ana.pin(128); $joined; ROLLBACK;");
unlike(Neighbours::run("$plans BEGIN; SELECT ana.pin(128); $joined; ROLLBACK;", 'one'), qr/ERROR/, 'which is one');
before_margin("all but $_ places of the lock table are taken (T9)", '53200', "$joined \\g /dev/null\nBEGIN; SELECT ana.lock_all_but($_); $joined; ROLLBACK; SELECT pg_advisory_unlock_all();") foreach 1, 8, 20;
same('with some hundreds free there is an answer', "BEGIN; SELECT ana.lock_all_but(300); $joined; ROLLBACK;");
# Some terabytes: rows of 2,000 pages, 9,000 times each, in 64 grouping sets
my $keys = join ', ', map { "k$_" } 1 .. 6;
prepare("CREATE TABLE ana.near AS SELECT 7 AS id, " . join(', ', map { "1 AS k$_" } 1 .. 6) . ' FROM generate_series(1, 9000)');
before_margin('there is not so much disk (T8)', '53100', "$joined \\g /dev/null\nSELECT count(*) FROM (SELECT $keys, dp_sum(length(filler), 0.01, 1e-6, 0, 9) FROM ana.near LEFT JOIN hr.wide USING (id) GROUP BY CUBE ($keys)) AS s;");
# A number of four bytes is a text of 8 kB: rows of 2,000 pages by 40 such texts, a terabyte
my $texts = join ', ', map { "(id + $_)::bit(8000)::text" } 1 .. 40;
before_margin('nor for texts that are longer than what they are made of', '53100', "$joined \\g /dev/null\nSELECT dp_count(0.01, 1e-6) > -1e9 FROM (SELECT id, row_number() OVER (PARTITION BY id ORDER BY $texts) AS r FROM hr.wide) AS s WHERE r = 1;");
is($node->safe_psql('one', "SELECT string_agg(name, ', ' ORDER BY rule) FROM gaussdp.stat_refusals WHERE role = 'ana' AND rule > 11"), 'shared buffers, lock table, temporary disk', 'the administrator sees what was lacking');
$node->safe_psql('one', "CREATE ROLE keeper; ALTER TABLE hr.wide OWNER TO keeper; CREATE ROLE other; CREATE TABLE other_people (id int PRIMARY KEY); ALTER TABLE other_people OWNER TO other; SELECT gaussdp.protect('other_people', 'id')");
my %sees = map { $_ => $node->safe_psql('one', "SET ROLE $_; SELECT string_agg(role || ': ' || name, ', ' ORDER BY rule) FROM gaussdp.stat_refusals") } 'keeper', 'other', 'ana';
is($sees{keeper}, 'ana: shared buffers, ana: lock table, ana: temporary disk', 'so does the owner of a table that the role has a budget on');
is($sees{$_}, '', "but not $_") foreach 'other', 'ana';
$node->safe_psql('one', 'ALTER TABLE hr.wide OWNER TO postgres; DROP TABLE other_people; DROP ROLE keeper, other');
is($node->safe_psql($_, "SELECT sum(errors), sum(cancels), sum(resource_errors) FROM gaussdp.budget WHERE paid_by = 'ana'"), '0|0|0', "and nothing is counted: $_") foreach 'one', 'none';

# How much of the disk there is for a level depends on no file that another one has written: it is measured while no level has files there, and
# while levels run, what each of them can need is the others' no more.
$node->safe_psql('one', "CREATE FUNCTION reserves(float8) RETURNS bool LANGUAGE C AS '$lib', 'test_reserves'");
# The most bytes that can be reserved beside other sessions
$node->safe_psql('one', <<'SQL');
CREATE FUNCTION most() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    fits bigint := 0;
    beyond bigint := 2 ^ 52;
BEGIN
    WHILE beyond - fits > 1 LOOP
        IF reserves((fits + beyond) / 2) THEN fits := (fits + beyond) / 2; ELSE beyond := (fits + beyond) / 2; END IF;
    END LOOP;
    RETURN fits;
END$$;
SQL
my %level = (first => $node->background_psql('one', on_error_stop => 0));
sub most { return $node->safe_psql('one', 'SELECT most()'); }
$level{first}->query('BEGIN; SELECT reserves(0);');
my $most = most();
cmp_ok($most, '>', 2 ** 20, 'there is some disk');
$node->safe_psql('one', "CREATE TABLE large AS SELECT repeat('x', 1000) AS filler FROM generate_series(1, 30000)");
is(most(), $most, 'while a level runs, files that are written change nothing of what others are told');
my %end = (
	'its end' => sub { $level{second}->query('COMMIT;') },
	'an error' => sub { $level{second}->query('SELECT 1/0; ROLLBACK;') },
	'a rolled back savepoint and the end' => sub { $level{second}->query('SAVEPOINT s; SELECT 1/0; ROLLBACK TO s; COMMIT;') },
	'a terminated session' => sub {
		my $pid = $level{second}->query('SELECT pg_backend_pid()');
		$node->safe_psql('postgres', "SELECT pg_terminate_backend($pid)");
		$node->poll_query_until('postgres', "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $pid)");
		$level{second}->{run}->finish;
		delete $level{second};
	});
foreach my $name (sort keys %end)
{
	$level{second} //= $node->background_psql('one', on_error_stop => 0);
	is($level{second}->query('BEGIN; SELECT reserves(5000000);'), 't', 'another level reserves 5,000,000 bytes');
	is(most(), $most - 5_000_000, 'which are there for nobody else');
	$end{$name}->();
	is(most(), $most, "until $name");
}
my $level = 'SELECT dp_count(0.01, 1e-6) > -1e9 FROM hr.emp;';
my $again = "SET gaussdp.reuse_answers = -1; $level";
Neighbours::run($again, 'one');
$node->safe_psql('one', "CREATE ROLE poor LOGIN; GRANT USAGE ON SCHEMA hr TO poor; SELECT gaussdp.grant_budget('poor', 'hr.emp', 1e-3, 1e-9)");
sub poor
{
	my ($sql) = @_;
	$node->psql('one', $sql, on_error_stop => 0, stderr => \my $err, extra_params => [ '-U', 'poor', '-v', 'VERBOSITY=verbose' ]);
	return $err;
}
my $none_left = poor($level);
like($none_left, qr/53400: .* does not suffice for this query/, 'a role whose budget is spent is told that');
$level{second} //= $node->background_psql('one', on_error_stop => 0);
is($level{second}->query("BEGIN; SELECT reserves($most);"), 't', 'a level that can need the whole disk has it');
like(Neighbours::run($level, 'one'), qr/ERROR:  53100: too little disk is free/, 'and there is none for another one');
unlike(Neighbours::run($again, 'one'), qr/ERROR/, 'which is not asked of an answer that is shown again');
is(poor($level), $none_left, 'nor of a role whose budget is spent');
# What a level can need: public rows and computed texts are not as narrow as a page of its tables
$node->safe_psql('one', "CREATE TABLE ana.wide AS SELECT 7 AS id, repeat('w', 120000) AS filler, i FROM generate_series(1, 100) i; ALTER TABLE ana.wide OWNER TO ana");
sub needs
{
	my ($bytes, $sql) = @_;
	$level{second}->query('ROLLBACK; BEGIN; SELECT reserves(' . ($most - $bytes) . ');');
	return Neighbours::run("SET work_mem = '4MB'; $sql", 'one') =~ /ERROR:  (\w+)/ ? $1 : 'answered';
}
my $joins = 'SELECT dp_count(0.01, 1e-6) > -1e9 FROM hr.emp JOIN ana.wide USING (id) WHERE';
my $groups = 'SELECT count(*) FROM (SELECT dp_count(0.01, 1e-6) FROM hr.emp GROUP BY %s HAVING dp_keep_group(0.01, 1e-9)) AS s;';
is(needs(100e6, "$joins length(filler) > i;"), '53100', 'a level that joins 100 public rows of 120 kB to each row can need more than 100 MB');
is(needs(100e6, "$joins i > 0;"), 'answered', 'but not where it reads short columns alone');
my $letters = 'SELECT count(*) FROM (SELECT dp_count(0.01, 1e-6) FROM hr.wide GROUP BY left(filler, 250) HAVING dp_keep_group(0.01, 1e-9)) AS s';
is(needs(100e6, "$letters;"), '53100', 'one that groups 2,000 pages by 250 letters, of four bytes each, can need more than 100 MB');
is(needs(20e6, sprintf $groups, $_), 'answered', "but not one that groups by $_ on a page") foreach 'dept', 'lower(dept)', 'md5(dept)', 'left(dept, 1)', 'round(rate)';
# Each call sorts a person's values by itself
my $distinct = join ', ', map { "count(DISTINCT cost) FILTER (WHERE cost > $_) AS c$_" } 1 .. 100;
my $sorts = "SET work_mem = '64kB'; SELECT dp_count(0.01, 1e-6) > -1e9 FROM (SELECT person, $distinct FROM hr.many GROUP BY person) AS s WHERE " . join(' OR ', map { "c$_ > 1" } 1 .. 100) . ';';
is(needs(100e6, $sorts), '53100', 'one that counts 100 times which values of a megabyte are distinct can need more than 100 MB');
# 500 rows on three pages, of which each has 60 kB that stand on none
$node->safe_psql('one', "CREATE TABLE hr.late AS SELECT i AS id FROM generate_series(1, 500) AS i; ALTER TABLE hr.late ADD PRIMARY KEY (id), ADD filler text DEFAULT repeat('x', 60000); SELECT gaussdp.protect('hr.late', 'id'), gaussdp.grant_budget('ana', 'hr.late', 1000, 1e-2)");
is(needs(20e6, 'SELECT dp_count(0.01, 1e-6) > -1e9 FROM (SELECT id, row_number() OVER (PARTITION BY id ORDER BY filler) AS r FROM hr.late) AS s WHERE r = 1;'), '53100', 'one that sorts by a column that was added with a default can need it for each row');
like(Neighbours::run("DO \$\$BEGIN PERFORM FROM (SELECT dp_count(0.01, 1e-6) FROM hr.emp) AS l; PERFORM FROM ($letters) AS l; END\$\$;", 'one'),
	qr/ERROR:  53100: .*\nDETAIL:  What the statement's earlier private queries cost has been charged, nothing for this one\./, 'a statement that has read is not told that nothing was read');
$_->quit foreach values %level;
unlike(Neighbours::run($level, 'one'), qr/ERROR/, 'afterwards there is');
$node->safe_psql('one', "SELECT gaussdp.revoke_budget('poor', 'hr.emp')");

# Behind it: what is lacking for person 7 alone is waited for.
sub counts
{
	my ($database) = @_;
	return $node->safe_psql($database, "SELECT sum(errors), sum(cancels), sum(resource_errors), bool_or(suspended) FROM gaussdp.budget WHERE paid_by = 'ana'");
}
sub resume
{
	$node->safe_psql($_, "SELECT gaussdp.resume_budget('ana', 'hr.emp')") foreach 'one', 'none';
	return;
}
sub lacking
{
	my ($times) = @_;
	return "SELECT dp_count(0.01, 1e-6) > -1e9 FROM hr.emp WHERE lacks(id, $times)";
}
my %way = (
	'a level' => lacking(1) . ';',
	(map { ("a limit that a process meets, errno $_" => "SELECT dp_count(0.01, 1e-6) > -1e9 FROM hr.emp WHERE meets_limit(id, 1, $_);") } EDQUOT, EFBIG, ENOMEM),
	'what is still lacking when it runs again' => lacking(2) . ';',
	'two levels' => "SELECT * FROM (@{[ lacking(1) ]}) AS a, (@{[ lacking(1) ]}) AS b;",
	'groups, of which others were finished before' => 'SET enable_hashagg = off; SELECT id, dp_count(0.01, 1e-6) > -1e9 FROM hr.emp WHERE lacks(id, 1) GROUP BY id HAVING dp_keep_group(0.01, 1e-9);',
	'a cursor after a savepoint, which is rolled back' => "BEGIN; SAVEPOINT s; DECLARE c CURSOR FOR @{[ lacking(1) ]}; FETCH c; ROLLBACK TO s; SELECT count(*) FROM ana.pages; COMMIT;",
	'a block that catches errors' => "DO \$\$BEGIN PERFORM FROM (@{[ lacking(1) ]}) AS l; RAISE WARNING 'answered'; EXCEPTION WHEN OTHERS THEN RAISE WARNING 'caught'; END\$\$; SELECT count(*) FROM ana.pages;",
	'which locks are held afterwards' => "BEGIN; @{[ lacking(1) ]}; SELECT mode, relation::regclass FROM pg_locks WHERE pid = pg_backend_pid() AND relation::regclass::text ~ '^hr' ORDER BY relation; COMMIT;");
foreach my $name (sort keys %way)
{
	same("what is lacking is waited for: $name", $way{$name});
	resume();
	unlike(Neighbours::run($way{$name}, 'one'), qr/ERROR|caught/, '... and then there is an answer');
	is(counts('one'), '0|0|1|f', '... and it is counted once');
	resume();
}
is(counts('none'), '0|0|0|f', 'where nothing is lacking, nothing is counted');

# No more often than is let pass
my $given_up = qr/53100: the query over protected tables could not be finished\nDETAIL:  What it costs has been charged\./;
like(Neighbours::run("SET gaussdp.charge_timeout = '2s'; @{[ lacking(60) ]};", 'one'), $given_up, 'in the end it gives up');
is(counts('one'), '0|0|1|f', 'which counts no more than the wait');
unlike(Neighbours::run(lacking(1) . ';', 'one'), qr/ERROR/, "$_ are let pass") foreach 2, 3;
like(Neighbours::run(lacking(1) . ';', 'one'), qr/42501: the privacy budget of this role is suspended/, 'one more suspends, before it waits');
like(Neighbours::run("$plans BEGIN; SELECT ana.pin(216); $joined; ROLLBACK;", 'one'), qr/42501: .* is suspended/, 'who is suspended measures nothing');
is(counts('one'), '0|0|4|t', 'for the rest of the day');
is($node->safe_psql('one', "SELECT terms FROM gaussdp.journal WHERE event = 'suspend'"), 'resource errors 4, max_resource_errors 3', 'the journal says why');
$node->safe_psql('one', "UPDATE gaussdp_internal.error_count SET resource_errors_clear = resource_errors_clear - interval '24 hours', paused_until = paused_until - interval '24 hours'");
unlike(Neighbours::run(lacking(1) . ';', 'one'), qr/ERROR/, '24 hours after the first one they are forgotten');
is(counts('one'), '0|0|1|f', 'and counted anew');
resume();

# A grant lets fewer pass than the setting, and no more
my $let_pass = sub { $node->safe_psql('one', "SELECT gaussdp.grant_budget('ana', 'hr.emp', 1000, 1e-2, max_resource_errors => $_[0])"); return };
$let_pass->(0);
like(Neighbours::run(lacking(1) . ';', 'one'), qr/42501: the privacy budget of this role is suspended/, 'a grant lets none pass');
is($node->safe_psql('one', "SELECT terms FROM gaussdp.journal WHERE event = 'suspend' ORDER BY charge DESC LIMIT 1"), 'resource errors 1, max_resource_errors 0', 'the journal says whose limit it was');
resume();
$let_pass->(1000);
unlike(Neighbours::run(lacking(1) . ';', 'one'), qr/ERROR/, "$_ are let pass where a grant says more than the setting") foreach 1 .. 3;
like(Neighbours::run(lacking(1) . ';', 'one'), qr/42501: the privacy budget of this role is suspended/, 'and no more');
$let_pass->('NULL');
resume();

# A cancel while it waits counts like one while it runs; the session looks as while it runs.
my $ana = $node->background_psql('one', on_error_stop => 0, timeout => $PostgreSQL::Test::Utils::timeout_default, extra_params => [ '-U', 'ana', '-v', 'VERBOSITY=verbose' ]);
my $pid = $ana->query('SELECT pg_backend_pid()');
$ana->query_until(qr/running/, "\\echo running\nSET gaussdp.charge_timeout = '10min'; @{[ lacking(61) ]};\n");
ok($node->poll_query_until('one', "SELECT sum(resource_errors) = 1 FROM gaussdp.budget WHERE paid_by = 'ana'"), 'the wait is counted while it lasts');
is($node->safe_psql('one', "SELECT state, wait_event FROM pg_stat_activity WHERE pid = $pid"), 'active|', 'it shows as if it ran');
is($node->safe_psql('one', "SELECT count(*) FROM gaussdp.stat_progress WHERE pid = $pid"), '1', 'and so does its progress');
$node->safe_psql('one', "SELECT pg_cancel_backend($pid)");
$ana->query('SELECT NULL');
like($ana->{stderr}, qr/57014: the query over protected tables could not be finished/, 'a cancel ends it');
is(counts('one'), '0|1|1|f', 'and is counted as one');
$ana->quit;
resume();

# What does not wait: other errors, and levels that cost nothing
like(Neighbours::run('SELECT dp_count(0.01, 1e-6) FROM hr.emp WHERE fails_xx000(id);', 'one'), qr/ERROR:  38000/, 'an internal error is one');
is(counts('one'), '1|0|0|f', 'and counted as one');

# Processes of a parallel plan lock before their first row what only long values would make them lock, which nobody has in one of the databases.
my $parallel = "SET min_parallel_table_scan_size = 0; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET max_parallel_workers_per_gather = 2; SET parallel_leader_participation = off;";
my $toast = $node->safe_psql('none', "SELECT reltoastrelid FROM pg_class WHERE oid = 'hr.emp'::regclass");
my $held = Neighbours::run("$parallel SELECT round(dp_count(5, 1e-6)::numeric) FROM hr.emp WHERE holds(id, $toast);", 'none');
ok($held =~ /^(\d+)$/m && $1 >= 4 && $1 <= 12, 'processes have locked where long values lie') || diag($held);

# What a process lacks before any has read a row tells of none: the level does without processes, and nothing is counted. They start after the charge,
# which is held up here until a tablespace that they look up has another name.
{
	$node->safe_psql('one', "SET allow_in_place_tablespaces = on; CREATE TABLESPACE late LOCATION ''");
	$node->safe_psql('one', 'ALTER DATABASE one SET gaussdp.temp_tablespaces = late');
	my $dba = $node->background_psql('one');
	my $analyst = $node->background_psql('one', on_error_stop => 0, timeout => $PostgreSQL::Test::Utils::timeout_default, extra_params => [ '-U', 'ana', '-v', 'VERBOSITY=verbose' ]);
	my $leader = $analyst->query('SELECT pg_backend_pid()');
	my $from = -s $node->logfile;
	resume();
	$dba->query_safe('BEGIN; SELECT FROM gaussdp_internal.ledger_account FOR UPDATE');
	$analyst->query_until(qr/running/, "\\echo running\n$parallel SELECT dp_count(0.01, 1e-6) > -1e9 FROM hr.many;\n");
	ok($node->poll_query_until('one', "SELECT wait_event_type = 'Extension' FROM pg_stat_activity WHERE pid = $leader"), 'a charge waits');
	$node->safe_psql('one', 'ALTER TABLESPACE late RENAME TO renamed');
	$dba->query_safe('COMMIT');
	my $seen = $analyst->query('SELECT NULL') . $analyst->{stderr};
	$_->quit foreach $dba, $analyst;
	like($seen, qr/^t$/m, 'what processes lack before they read leaves an answer') || diag($seen);
	like(substr(slurp_file($node->logfile), $from), qr/ERROR:  tablespace "late" does not exist/, 'though they could not start');
	is(counts('one'), '0|0|0|f', 'and nothing of it is counted');
}
$node->safe_psql('one', 'ALTER DATABASE one RESET gaussdp.temp_tablespaces');

# Temporary files have a place of their own, where the analyst can write nothing.
$node->safe_psql('none', 'SET allow_in_place_tablespaces = on; CREATE TABLESPACE own_files LOCATION \'\'');
$node->safe_psql('none', 'ALTER DATABASE none SET gaussdp.temp_tablespaces = own_files');
my $many = 'SELECT dp_sum(cost, 0.01, 1e-6, 0, 100) > -1e12 FROM hr.many';
my $there = "SELECT count(*) FROM pg_ls_dir('pg_tblspc/' || (SELECT oid FROM pg_tablespace WHERE spcname = 'own_files') || '/' || (SELECT pg_ls_dir('pg_tblspc/' || oid) FROM pg_tablespace WHERE spcname = 'own_files')) AS d WHERE d = 'pgsql_tmp'";
is($node->safe_psql('none', $there), '0', 'the tablespace has had no files');
unlike(Neighbours::run("$many;", 'none'), qr/ERROR/, 'a level without files');
my $after = Neighbours::run("SET work_mem = '64kB'; BEGIN; $many; CREATE TEMP TABLE t AS SELECT 1; SELECT reltablespace FROM pg_class WHERE relname = 't'; COMMIT;", 'none');
like($after, qr/^t\n0$/m, 'temporary tables of the session have not moved there') || diag($after);
is($node->safe_psql('none', $there), '1', 'but files of levels have');
like(Neighbours::run("SET gaussdp.temp_tablespaces = '';", 'none'), qr/42501/, 'which an analyst cannot change');
my $keeps = $node->background_psql('none', on_error_stop => 0, extra_params => [ '-U', 'ana' ]);
$keeps->query("SET work_mem = '64kB'; BEGIN; DECLARE c CURSOR FOR SELECT g, repeat('r', 1000), dp_count(0.01, 1e-6) FROM (SELECT g, 1 AS id FROM generate_series(1, 1000) g) AS s LEFT JOIN hr.emp USING (id) GROUP BY 1, 2; MOVE 1 FROM c;");
my $files = "SELECT coalesce(sum(size), 0) > 100000 FROM pg_tablespace, pg_ls_tmpdir(pg_tablespace.oid) WHERE spcname = ";
is($node->safe_psql('none', "${files}'pg_default'"), 't', 'rows that were released and are kept lie with the files of the session');
is($node->safe_psql('none', "${files}'own_files'"), 'f', 'and no longer with those of levels');
is($keeps->query('MOVE 998 FROM c; FETCH c; FETCH c;') =~ s/[-\d.]+$/#/r, '1000|' . 'r' x 1000 . '|#', 'the cursor goes on to its end');
$keeps->quit;
my $shared = "SELECT what FROM gaussdp.check_policy() WHERE what ~ 'temporary files'";
is($node->safe_psql('one', $shared), 'temporary files of private queries share a disk with role ana, which may fill it', 'check_policy says that files share a disk with a role that has a budget');
is($node->safe_psql('none', $shared), '', 'and nothing where they have their own');
$node->safe_psql('none', 'GRANT CREATE ON TABLESPACE own_files TO ana');
isnt($node->safe_psql('none', $shared), '', 'unless the role may write there, too');
$node->safe_psql('none', 'ALTER DATABASE none SET gaussdp.temp_tablespaces = nowhere');
like(Neighbours::run("$many;", 'none'), qr/ERROR:  42704: tablespace "nowhere" does not exist/, 'one that is not there is an error before the charge');

# A row can make the server crash, which ends the process that would count it: the level that has run is counted after the restart.
my $gone = PostgreSQL::Test::Utils::tempdir();
$node->safe_psql('none', "CREATE TABLESPACE gone LOCATION '$gone'");
$node->safe_psql('none', 'ALTER DATABASE none SET gaussdp.temp_tablespaces = gone');
rename $gone, "$gone.away" or die $!;
like(Neighbours::run("$many;", 'none'), qr/ERROR:  53100: too little disk is free/, 'and so is one whose directory is gone');
rename "$gone.away", $gone or die $!;
$node->safe_psql('none', 'ALTER DATABASE none RESET gaussdp.temp_tablespaces');
resume();
unlike(Neighbours::run($level, 'none'), qr/ERROR/, 'a level that has ended');
my $holder = $node->background_psql('one', on_error_stop => 0);
$holder->query('SELECT pg_advisory_lock(1)');
my $crashes = $node->background_psql('one', on_error_stop => 0, extra_params => [ '-U', 'ana' ]);
my $victim = $crashes->query('SELECT pg_backend_pid()');
$crashes->query_until(qr/running/, "\\echo running\nSELECT dp_count(0.01, 1e-6) FROM hr.emp WHERE waits(id, 1, false);\n");
ok($node->poll_query_until('one', "SELECT EXISTS (SELECT FROM pg_locks WHERE pid = $victim AND NOT granted)"), 'a level runs');
kill 'KILL', $victim;
$_->{run}->finish foreach $crashes, $holder;
ok($node->poll_query_until('postgres', 'SELECT true'), 'the server starts again');
$node->stop('immediate');
$node->start;
unlike(Neighbours::run($level, $_), qr/ERROR/, "charges go on: $_") foreach 'one', 'none';
is(counts('one'), '0|0|1|f', 'the level that ran is counted, once, though another crash came before that was durable');
is(counts('none'), '0|0|0|f', 'and none that had ended');
$node->stop('immediate');
$node->start;
unlike(Neighbours::run($level, 'one'), qr/ERROR/, 'after the next crash charges go on');
is(counts('one'), '0|0|1|f', 'and what was counted is not counted again');

$node->stop;
done_testing();
