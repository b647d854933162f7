# What everybody may see of the server before and after an analyst's queries.  First the counters, as a
# superuser sees them: a query that is refused moves none, and one that is answered none that depends on the
# rows it reads.  Then, after gaussdp.lock_down(), all that the analyst can select and call in pg_catalog:
# nothing of it differs between two neighbouring tables.
use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use List::Util qw(min);
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('counters');
$node->init;
$node->append_conf('postgresql.conf', <<CONF);
shared_preload_libraries = 'gaussdp,pg_stat_statements'
track_functions = all
wal_log_hints = on
autovacuum = off
CONF
$node->append_conf('postgresql.conf', "wal_level = replica\nsummarize_wal = on") if $node->pg_version >= 17;
$node->start;
# Each row of club fills a page: without the last one the file is shorter.
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION gaussdp;
CREATE EXTENSION pg_stat_statements;
CREATE ROLE ana LOGIN;
CREATE SCHEMA ana AUTHORIZATION ana;
CREATE TABLE emp (id int PRIMARY KEY, dept int, x float8, note text);
INSERT INTO emp SELECT i, i % 10, i, repeat('x', 100) FROM generate_series(1, 20000) i;
CREATE TABLE club (id int PRIMARY KEY, note text);
ALTER TABLE club ALTER note SET STORAGE PLAIN;
INSERT INTO club SELECT i, repeat('x', 8000) FROM generate_series(1, 8) i;
CREATE EXTENSION citext;
CREATE FUNCTION grown_up(text) RETURNS int LANGUAGE C IMMUTABLE LEAKPROOF AS '$libdir/citext', 'citext_hash';
VACUUM ANALYZE emp;
SELECT gaussdp.protect('emp', 'id'), gaussdp.protect('club', 'id'), gaussdp.set_bounds('emp', 'x', 0, 20000);
SELECT gaussdp.grant_budget('ana', 'emp', 1000, 1e-2), gaussdp.grant_budget('ana', 'club', 1000, 1e-2);

-- Each number that a statistics view has of table emp and its index, or of no table; rates and times aside.  As one statement, which the observer
-- prepares: to plan it takes longer than to run it.
CREATE FUNCTION counters() RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(format($q$
        SELECT concat_ws('.', %L, coalesce(r->>'indexrelname', r->>'relname', r->>'funcname', r->>'name'), e.key) AS counter,
            sum(e.value::text::numeric) AS value
        FROM (SELECT to_jsonb(t) AS r FROM %I t WHERE %s) t, jsonb_each(r) e
        WHERE jsonb_typeof(e.value) = 'number' AND e.key !~ '(relid|datid|funcid|pid|time)$'
        GROUP BY 1$q$, relname, relname,
        -- that a row is of the table, the database or the function: to read all others takes most of the time
        coalesce((SELECT string_agg(format('coalesce(%I, %L) = %L', attname, mine, mine), ' AND ')
            FROM pg_attribute JOIN (VALUES ('relname', 'emp'), ('datname', 'postgres'), ('funcname', 'grown_up')) o (name, mine) ON attname = name
            WHERE attrelid = c.oid AND NOT attisdropped), 'true')), ' UNION ALL ')
    FROM pg_class c
    WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind = 'v'
      AND relname ~ '^pg_(stat|statio)_' AND relname !~ '(activity|ssl|gssapi|archiver)$'
$$;
SQL

# The counters that a query of a role moves, and by how much.  It was executed before, so that caches are
# warm; and the least of two, or three, is taken, since the ledger's worker reports its own counters now and then.
my $observer = $node->background_psql('postgres');
my $tries = $ENV{GAUSSDP_FULL} ? 3 : 2;
my $counters = $node->safe_psql('postgres', 'SELECT counters()');
$observer->query_safe("CREATE TEMP TABLE before (counter text, value numeric); PREPARE look AS INSERT INTO before $counters;"
	  . " CREATE TEMP TABLE after (LIKE before); PREPARE look_again AS INSERT INTO after $counters");

sub moved
{
	my ($query, $settings, $role) = @_;
	my $flush = '; SELECT pg_stat_force_next_flush()';
	my $session = $node->background_psql('postgres', on_error_stop => 0);

	$session->query("$settings; SET ROLE $role; PREPARE q AS $query; EXECUTE q; EXECUTE q$flush");
	my %least;
	my $again = 'DELETE FROM before; DELETE FROM after; SELECT pg_stat_clear_snapshot()';
	foreach my $try (1 .. $tries)
	{
		$observer->query_safe("$again; EXECUTE look$flush");
		$session->query("EXECUTE q$flush");
		my %moved = map { split /\|/ } split /\n/, $observer->query_safe('SELECT pg_stat_clear_snapshot(); EXECUTE look_again; SELECT counter, a.value - coalesce(b.value, 0)'
			. ' FROM after a LEFT JOIN before b USING (counter) WHERE a.value <> coalesce(b.value, 0)');
		%least = %moved if $try == 1;
		$least{$_} = min($least{$_}, $moved{$_} // 0) foreach keys %least;
	}
	$session->quit;
	return map { $_ => $least{$_} } grep { $least{$_} } keys %least;
}

# Of the table's own counters, those that have moved.
sub own
{
	my (%moved) = @_;
	return join ' ', map { "$_ $moved{$_}" } sort grep { /\b(emp|emp_pkey|grown_up)\./ } keys %moved;
}

# Of the whole server's counters, those that tell one query from another: more than catalogs explain.  Nothing
# keeps PostgreSQL from counting in pg_stat_io; lock_down() closes it.
sub differ
{
	my ($some, $other) = @_;
	my %all = (%$some, %$other);
	return join ' ', sort grep { abs(($some->{$_} // 0) - ($other->{$_} // 0)) > (/temp/ ? 0 : 150) }
		grep { !/\b(emp|emp_pkey|grown_up)\./ && !/wal_bytes|^pg_stat_io\./ } keys %all;
}

my %seen = moved('SELECT count(*) FROM emp WHERE grown_up(note) <> 0', '', 'postgres');
like(own(%seen), qr/pg_stat_user_functions\.grown_up\.calls 20000 .*pg_stat_user_tables\.emp\.seq_tup_read 20000/,
	'the counters of rows and functions work');
like(differ(\%seen, {}), qr/pg_stat_database\.tup_returned/, 'those of the server too');
%seen = moved('SELECT id FROM emp ORDER BY x', "SET work_mem = '64kB'", 'postgres');
cmp_ok($seen{'pg_stat_database.temp_bytes'} // 0, '>', 0, 'and those of temporary files');

foreach my $query ('SELECT count(*) FROM emp', 'SELECT dept, dp_count(1, 1e-6) FROM emp GROUP BY dept',
	'SELECT dp_count(1, 1e-6) FROM emp WHERE id / dept > 1')
{
	is(own(moved($query, '', 'ana')), '', "refused, and moves no counter: $query");
}

my $serial = 'SET max_parallel_workers_per_gather = 0';
my $grouped = 'SELECT count(*) FROM (SELECT id % 20001, dp_count(1, 1e-6) FROM emp GROUP BY 1 HAVING dp_keep_group(9, 1e-4)) s';
my $spill = "$serial; SET work_mem = '64kB'";
foreach my $case (
	[ 'SELECT dp_count(1, 1e-6) FROM emp', $serial ],
	[ 'SELECT dp_count(1, 1e-6) FROM emp', 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0' ],
	[ 'SELECT dp_count(1, 1e-6) FROM emp WHERE id', "$serial; SET enable_seqscan = off; SET enable_bitmapscan = off" ],
	[ 'SELECT dp_count(1, 1e-6) FROM emp WHERE grown_up(note) <> 0', $serial ],
	[ 'SELECT dp_sum(DISTINCT x, 1, 1e-6, 0, 20000) FROM emp', $spill ],
	[ $grouped, "$spill; SET enable_sort = off" ],
	[ $grouped, "$spill; SET enable_hashagg = off" ],
	[ $grouped =~ s/count\(\*\)/1 \/ count(NULL::int)/r, $spill ])
{
	my ($query, $settings) = @$case;
	my ($all, $none) = ($query, $query);

	$all =~ s/HERE id$/HERE id > 0/;
	$none =~ s/HERE id$/HERE id < 0/ or $none =~ s/WHERE/WHERE dept < 0 AND/ or $none =~ s/FROM emp/FROM emp WHERE dept < 0/;
	my (%all, %none);
	# once more, where the ledger's worker has come and gone each time
	for (1 .. 20)
	{
		%all = moved($all, $settings, 'ana');
		%none = moved($none, $settings, 'ana');
		last if differ(\%all, \%none) eq '';
	}
	is(own(%all), '', "answered, and moves no counter of the table: $all");
	is(differ(\%all, \%none), '', "nor of the server: $settings");
}
is($node->safe_psql('postgres', "SELECT count(*) > 5 AND sum(shared_blks_hit + temp_blks_written + wal_bytes) = 0 FROM pg_stat_statements"
	  . " WHERE userid = 'ana'::regrole AND query LIKE '%dp\\_%emp%' AND query NOT LIKE '%GROUP BY dept'"), 't', 'pg_stat_statements counts no page either');
$observer->quit;

# Expressions are compiled for the first row that needs them: those of the query around, whether there is a row or not.
my $jit = 'SET jit = on; SET jit_above_cost = 0; SET jit_optimize_above_cost = 0';
my $available = $node->safe_psql('postgres', "$jit; SELECT pg_jit_available()") eq 't';
my %compiled;
foreach my $case ([ 'count(*)', 'postgres', 5 ], [ 'count(*)', 'postgres', -5 ], [ 'dp_count(1, 1e-6)', 'ana', 5 ], [ 'dp_count(1, 1e-6)', 'ana', -5 ])
{
	my ($aggregate, $role, $id) = @$case;
	my $query = "SELECT dept, $aggregate AS compiled FROM emp WHERE id = $id GROUP BY dept";
	$query .= ' HAVING dp_keep_group(1, 1e-6)' if $role eq 'ana';
	$node->safe_psql('postgres', "SELECT pg_stat_statements_reset()");
	$node->safe_psql('postgres', "$jit; SET ROLE $role; $query");
	$compiled{"$role $id"} = $node->safe_psql('postgres', "SELECT sum(jit_functions), sum(jit_emission_count) FROM pg_stat_statements"
		  . " WHERE userid = '$role'::regrole AND query LIKE '% AS compiled %' AND query NOT LIKE '%pg_stat%'");
}
isnt($compiled{'postgres 5'}, $compiled{'postgres -5'}, 'pg_stat_statements tells of compiled expressions') if $available;
is($compiled{'ana 5'}, $compiled{'ana -5'}, 'but not of those that a level compiles for a row');

# All that ana can see: each function of pg_catalog that needs nothing but a relation, a role or a database, and
# each relation there, column by column.
$node->safe_psql('postgres', <<'SQL', extra_params => [ '-U', 'ana' ]);
CREATE FUNCTION ana.sees() RETURNS TABLE (what text, value text) LANGUAGE plpgsql AS $$
DECLARE
    expression text;
    relation name;
    columns text[];
    all_values text[];
BEGIN
    FOR what, expression IN
        SELECT call, format('(SELECT string_agg(t::text, '','') FROM %s t)', call)
        FROM pg_proc p,
            LATERAL (SELECT format('%I(%s)', proname, argument || CASE WHEN pronargs = 2 THEN ', ''main''' ELSE '' END) AS call
                     FROM (SELECT '' AS argument WHERE pronargs = 0
                           UNION ALL
                           SELECT format('%s::oid::%s', o, proargtypes[0]::regtype)
                           FROM unnest(ARRAY['club'::regclass, 'club_pkey'::regclass, 'ana'::regrole,
                               (SELECT reltoastrelid FROM pg_class WHERE oid = 'club'::regclass),
                               (SELECT oid FROM pg_database WHERE datname = current_database())]::oid[]) o
                           WHERE proargtypes[0] IN ('oid'::regtype, 'regclass'::regtype)
                             AND (pronargs = 1 OR pronargs = 2 AND proargtypes[1] = 'text'::regtype)) a) c
        WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind = 'f'
          AND (has_function_privilege(p.oid, 'EXECUTE') OR proname LIKE 'pg\_%\_size') -- these are shown as unknown
          AND (prorettype = 'record'::regtype OR (SELECT typtype FROM pg_type t WHERE t.oid = prorettype) <> 'p')
    LOOP
        BEGIN
            EXECUTE 'SELECT ' || expression INTO value;
        EXCEPTION WHEN OTHERS THEN
            value := SQLERRM;
        END;
        RETURN NEXT;
    END LOOP;
    -- each relation in one scan, where none of its columns is an error
    FOR relation, columns, expression IN
        SELECT relname, array_agg(attname ORDER BY attnum), string_agg(format('md5(string_agg(%1$I::text, '','' ORDER BY %1$I::text))', attname), ', ' ORDER BY attnum)
        FROM pg_class c, pg_attribute a
        WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind IN ('r', 'v') AND attrelid = c.oid AND attnum > 0
          AND (has_column_privilege(c.oid, attnum, 'SELECT') OR relname IN ('pg_class', 'pg_database')) -- likewise
        GROUP BY relname
    LOOP
        BEGIN
            EXECUTE format('SELECT ARRAY[%s] FROM pg_catalog.%I', expression, relation) INTO all_values;
        EXCEPTION WHEN OTHERS THEN
            all_values := '{}';
            FOR i IN 1 .. cardinality(columns) LOOP
                BEGIN
                    EXECUTE format('SELECT md5(string_agg(c, '','' ORDER BY c)) FROM (SELECT %I::text AS c FROM pg_catalog.%I t) t', columns[i], relation) INTO value;
                EXCEPTION WHEN OTHERS THEN
                    value := SQLERRM;
                END;
                all_values[i] := value;
            END LOOP;
        END;
        RETURN QUERY SELECT concat_ws('.', relation, u.c), u.v FROM unnest(columns, all_values) u (c, v);
    END LOOP;
END
$$;
SQL

# What there is of this that differs when the last member leaves the club, after some queries each.
sub differences
{
	my @seen;
	my $leaves = 'false';
	foreach my $try (1, 2)
	{
		$node->safe_psql('postgres', "DELETE FROM club WHERE $leaves");
		$node->safe_psql('postgres', 'VACUUM ANALYZE club');
		$node->safe_psql('postgres', 'CHECKPOINT');
		$node->psql('postgres', <<SQL, stdout => \my $out, extra_params => [ '-U', 'ana', '-F', '=' ], on_error_stop => 0);
\\o /dev/null
SELECT dp_count(1, 1e-6) FROM club;
SELECT dp_count(1, 1e-6) FROM club WHERE id BETWEEN 6 AND 8;
PREPARE p (int) AS SELECT dp_count(1, 1e-6) FROM club WHERE id > \$1;
EXECUTE p(1);
EXECUTE p(1);
EXECUTE p(1);
EXECUTE p(1);
EXECUTE p(1);
EXECUTE p(1);
SELECT * FROM club;
\\o
SELECT what, translate(value, E'\\n', ' ') FROM ana.sees()
SQL
		push @seen, { map { split /=/, $_, 2 } split /\n/, $out };
		$leaves = 'id = (SELECT max(id) FROM club)';
	}
	cmp_ok(scalar keys %{ $seen[0] }, '>', 1000, 'ana sees much');
	return join ' ', sort grep { $seen[0]{$_} ne ($seen[1]{$_} // '') } keys %{ $seen[0] };
}

# These differ by themselves: time, chance, numbers of transactions and processes.
my $differs_anyway = qr/\b(now|timeofday|(clock|statement|transaction)_timestamp|pg_cursor|pg_control_system)\(\)
	|\bpg_cursors\.creation_time\b|\bpg_prepared_statement(\(\)|s\.prepare_time)
	|\b(random|gen_random_uuid|uuidv[47])\(\)
	|\b((txid|pg)_current_(snapshot|xact_id(_if_assigned)?)|txid_current(_if_assigned)?|pg_backend_pid)\(\)/x;

my $before = differences();
like($before, qr/\b\Q$_\E/, "$_ differs, unless it is locked down")
	foreach 'pg_class.reltuples', 'pg_class.relpages', 'pg_class.relfrozenxid', 'pg_relation_size(', 'pg_stat_user_tables.n_live_tup', 'pg_stat_get_live_tuples(',
	'pg_statio_user_tables.heap_blks_hit', 'pg_current_wal_insert_lsn(', 'pg_control_checkpoint(', 'pg_stat_database.blks_hit', 'pg_stat_wal.wal_bytes';
$node->safe_psql('postgres', 'SELECT gaussdp.lock_down()');
my $after = differences();
like($after, qr/\bnow\(\)/, 'time goes on');
$after =~ s/$differs_anyway ?//g;
is($after, '', 'after lock_down nothing else differs');

# Functions that take more than that, and tell how far the WAL has come, or what was written.
is($node->safe_psql('postgres', "SELECT count(*) FROM pg_proc WHERE proname IN ('pg_logical_emit_message', 'pg_wal_summary_contents')"
	  . " AND has_function_privilege('ana', oid, 'EXECUTE')"), '0', 'nor can these be called');
$node->stop;
done_testing();
