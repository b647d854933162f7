# Caches of the catalogs change while levels run: another session's DDL makes the session read anew what a level has open,
# and the memory that a level's own entries are made in.  Whatever comes at whatever time, the session goes on.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

my @types = qw(bool char name int2 int8 float4 float8 numeric text bpchar bytea oid date time timetz timestamp timestamptz interval uuid macaddr inet money);
my %value = (bool => 'true', (map { $_ => "'b'" } qw(name text bpchar bytea)), char => "'c'", uuid => "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", macaddr => "'08:00:2b:01:02:03'", inet => "'10.0.0.1'",
	interval => "'1 day'", (map { $_ => "'1:00'" } 'time', 'timetz'), (map { $_ => "'2020-01-01'" } 'date', 'timestamp', 'timestamptz'));

my $node = neighbours('changing', "max_parallel_workers_per_gather = 2\nmin_parallel_table_scan_size = 0\nparallel_setup_cost = 0\nparallel_tuple_cost = 0", <<'SQL');
SET ROLE own;
CREATE TABLE hr.buy (id int NOT NULL, item text, price float8, note text);
ALTER TABLE hr.buy ALTER note SET STORAGE EXTERNAL;
INSERT INTO hr.buy SELECT i, 'i' || j % 4, j, repeat('n', 5000) FROM generate_series(1, 9) i, generate_series(1, 50) j;
CREATE TABLE hr.part (id int PRIMARY KEY, v int) PARTITION BY RANGE (id);
CREATE TABLE hr.part1 PARTITION OF hr.part FOR VALUES FROM (0) TO (5);
CREATE TABLE hr.part2 PARTITION OF hr.part FOR VALUES FROM (5) TO (100);
INSERT INTO hr.part SELECT i, i FROM generate_series(1, 9) i;
RESET ROLE;
SELECT gaussdp.protect('hr.emp', 'id', people => 'staff', change_unit => true), gaussdp.protect('hr.buy', 'id', max_rows => 3, people => 'staff'), gaussdp.protect('hr.part', 'id'),
    gaussdp.grant_budget('ana', 'hr.buy', 1000, 1e-2), gaussdp.grant_budget('ana', 'hr.part', 1000, 1e-2);
CREATE TABLE public.over ();
CREATE PROCEDURE public.change(n int) LANGUAGE plpgsql AS $$
BEGIN
	-- until the levels have run
	FOR i IN 1 .. n LOOP
		EXIT WHEN EXISTS (SELECT FROM public.over);
		EXECUTE format('ALTER TABLE hr.buy SET (toast_tuple_target = %s)', 4000 + i % 2);
		EXECUTE format('ALTER TABLE hr.emp SET (autovacuum_vacuum_threshold = %s)', i);
		COMMIT;
		EXECUTE format('ALTER TABLE hr.part1 SET (autovacuum_vacuum_threshold = %s)', i);
		EXECUTE 'CREATE OPERATOR FAMILY public.family USING btree; DROP OPERATOR FAMILY public.family USING btree; ANALYZE pg_amproc, pg_amop, pg_type';
		COMMIT;
		EXECUTE 'CREATE TABLE public.t (a int); CREATE TYPE public.e AS ENUM (); DROP TABLE public.t; DROP TYPE public.e';
		COMMIT;
		IF i % 5 = 0 THEN EXECUTE 'REINDEX INDEX hr.emp_pkey'; COMMIT; END IF;
		PERFORM pg_sleep(0.005);
	END LOOP;
END
$$;
SQL
prepare('CREATE TABLE ana.pub (k int PRIMARY KEY, ' . join(', ', map { qq(_$_ "$_") } @types) . ');'
	  . 'INSERT INTO ana.pub SELECT i, ' . join(', ', map { ($value{$_} // 1) . qq(::"$_") } @types) . ' FROM generate_series(1, 9) i;'
	  . <<'SQL');
CREATE FUNCTION ana.inner() RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT dp_count(DISTINCT item, 0.001, 1e-6) FROM hr.emp e JOIN hr.buy USING (id)) * 0 + 30; EXCEPTION WHEN insufficient_privilege THEN RETURN 30; END';
CREATE FUNCTION ana.outer() RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	c CURSOR FOR SELECT dept, dp_count(0.001, 1e-6) AS n FROM hr.emp WHERE age > (SELECT ana.inner()) + (SELECT dp_count(0.001, 1e-6) * 0 FROM hr.part) GROUP BY dept HAVING dp_keep_group(0.01, 1e-9);
BEGIN
	CREATE TEMP TABLE IF NOT EXISTS tt (n float8);
	FOR r IN c LOOP INSERT INTO tt SELECT dp_sum(price, 0.001, 1e-6, 0, 10) FROM hr.buy WHERE id > (SELECT ana.inner()) - 30; END LOOP;
	BEGIN
		PERFORM dp_count(0.001, 1e-6) FROM hr.emp WHERE rate * 1e7 > 1;
		PERFORM 1 / 0;
	EXCEPTION WHEN OTHERS THEN NULL;
	END;
	RETURN 1;
END
$$;
CREATE FUNCTION ana.gives_up() RETURNS int LANGUAGE plpgsql SET statement_timeout = 0 AS 'BEGIN PERFORM dp_count(0.001, 1e-6) FROM hr.buy WHERE note < $$o$$; RETURN 1; EXCEPTION WHEN OTHERS THEN RETURN 0; END';
SQL

my $kept = 'GROUP BY dept HAVING dp_keep_group(0.01, 1e-9)';
my @levels = (
	(map { "SELECT dp_count(DISTINCT _$_, 0.001, 1e-6) IS NULL FROM hr.emp JOIN ana.pub ON k = id $kept" } @types),
	"SELECT dp_count(0.001, 1e-6) IS NULL FROM hr.buy WHERE note < 'o'",
	'SELECT item, dp_sum(price, 0.001, 1e-6, 0, 10) IS NULL FROM hr.buy GROUP BY item HAVING dp_keep_group(0.01, 1e-9)',
	'SELECT dp_count(DISTINCT b.id, 0.001, 1e-6) IS NULL FROM hr.emp e JOIN hr.buy b ON e.id = b.id',
	'SELECT k, dp_sum(price, 0.001, 1e-6, 0, 10) IS NULL FROM ana.pub LEFT JOIN (hr.emp e LEFT JOIN hr.buy b ON e.id = b.id) ON k = e.dept_id GROUP BY k',
	'SELECT dp_avg(v, 0.001, 1e-6, 0, 10) IS NULL FROM hr.part',
	'SELECT ana.outer()', 'SELECT ana.gives_up()',
	'BEGIN', 'DECLARE c SCROLL CURSOR WITH HOLD FOR SELECT dept, dp_count(0.001, 1e-6) FROM hr.emp ' . $kept, 'SAVEPOINT s', 'SELECT 1 / 0',
	'ROLLBACK TO s', 'FETCH ALL c', 'COMMIT', 'CLOSE c',
	'SET statement_timeout = 2', "SELECT dp_count(0.001, 1e-6) IS NULL FROM hr.buy WHERE note < 'o'", ('RESET statement_timeout') x 5,
	'DISCARD PLANS', 'DISCARD TEMP', 'DISCARD ALL');

my $rounds = $ENV{GAUSSDP_FULL} ? 4 : 1;
my $other = $node->background_psql('one', on_error_stop => 0);
$other->query_until(qr/started/, "\\echo started\nCALL public.change(100000);\n\\echo over\n");
my $answer = Neighbours::run('SELECT pg_backend_pid() AS pid \gset' . "\n" . join(";\n", (@levels) x $rounds) . ";\nSELECT pg_backend_pid() = :pid, 'the end';", 'one');
like($answer, qr/^t\|the end$/m, 'one session has run all of it');
unlike($answer, qr/server closed|WARNING|internal error|XX000|leak:/, 'and PostgreSQL complains of nothing');
is(join(", ", grep { !/22012|57014/ } $answer =~ m{ERROR:  (\w+)}g), "", "no level fails but for its timeout") || diag($answer);
$node->safe_psql('one', 'INSERT INTO public.over DEFAULT VALUES');
my $log = PostgreSQL::Test::Utils::slurp_file($node->logfile);
unlike($log, qr/terminated by signal|PANIC|TRAP|leak:/, 'nor does its log');
$other->quit;

$node->stop;
done_testing();
