\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Which rows are one person's is decided by one equality: that of the unit's type under the collation of its column.  A unique index by
-- another equality proves nothing of it, nor does a path whose equality depends on the session.  A level that is answered moves by no
-- more than its sensitivity when a person leaves, with eight rows that another equality tells apart.
BEGIN;
SET LOCAL client_min_messages = error;
\ir ../module/probe.sql
CREATE FUNCTION test_weighed(text) RETURNS text AS :'testlib' LANGUAGE C STRICT SET gaussdp.as_analyst = on;
CREATE EXTENSION citext;
CREATE COLLATION folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE COLLATION accents (provider = icu, locale = 'und-u-ks-level1', deterministic = false);
CREATE COLLATION german (provider = icu, locale = 'de');
CREATE DOMAIN folded_text AS text COLLATE folded;

-- An order of integers by their size alone.
CREATE FUNCTION size_eq(int, int) RETURNS bool LANGUAGE sql IMMUTABLE STRICT AS 'SELECT abs($1) = abs($2)';
CREATE FUNCTION size_lt(int, int) RETURNS bool LANGUAGE sql IMMUTABLE STRICT AS 'SELECT abs($1) < abs($2)';
CREATE FUNCTION size_le(int, int) RETURNS bool LANGUAGE sql IMMUTABLE STRICT AS 'SELECT abs($1) <= abs($2)';
CREATE FUNCTION size_ge(int, int) RETURNS bool LANGUAGE sql IMMUTABLE STRICT AS 'SELECT abs($1) >= abs($2)';
CREATE FUNCTION size_gt(int, int) RETURNS bool LANGUAGE sql IMMUTABLE STRICT AS 'SELECT abs($1) > abs($2)';
CREATE FUNCTION size_cmp(int, int) RETURNS int LANGUAGE sql IMMUTABLE STRICT AS 'SELECT sign(abs($1) - abs($2))::int';
CREATE OPERATOR |=| (FUNCTION = size_eq, LEFTARG = int, RIGHTARG = int, COMMUTATOR = |=|, MERGES);
CREATE OPERATOR |<| (FUNCTION = size_lt, LEFTARG = int, RIGHTARG = int);
CREATE OPERATOR |<=| (FUNCTION = size_le, LEFTARG = int, RIGHTARG = int);
CREATE OPERATOR |>=| (FUNCTION = size_ge, LEFTARG = int, RIGHTARG = int);
CREATE OPERATOR |>| (FUNCTION = size_gt, LEFTARG = int, RIGHTARG = int);
-- Equality that does not say that it is strict.
CREATE FUNCTION lax_eq(int, int) RETURNS bool LANGUAGE internal IMMUTABLE LEAKPROOF AS 'int4eq';
CREATE OPERATOR === (FUNCTION = lax_eq, LEFTARG = int, RIGHTARG = int, COMMUTATOR = ===, MERGES);
CREATE OPERATOR CLASS lax_ops FOR TYPE int USING btree AS OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 ===, OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 btint4cmp(int, int);
CREATE OPERATOR CLASS size_ops FOR TYPE int USING btree AS OPERATOR 1 |<|, OPERATOR 2 |<=|, OPERATOR 3 |=|, OPERATOR 4 |>=|, OPERATOR 5 |>|, FUNCTION 1 size_cmp(int, int);

-- Eight ways to write a name.
CREATE TABLE spelling AS SELECT format('%s%s%s', a, n, m) AS name FROM unnest(ARRAY['A', 'a']) a, unnest(ARRAY['N', 'n']) n, unnest(ARRAY['A', 'a']) m;

-- unit: type and collation of the column; key: what the unique index has.  Names beside the eight are other people's.
CREATE TABLE single (no serial PRIMARY KEY, unit text, key text, verdict text);
INSERT INTO single (unit, key, verdict) VALUES
	('text COLLATE folded', '(unit COLLATE "C")', 'refused'),
	('text COLLATE folded', '(unit COLLATE "C" text_pattern_ops)', 'refused'),
	('text COLLATE folded', '(unit COLLATE "default")', 'refused'),
	('text COLLATE folded', '(unit COLLATE german) INCLUDE (x)', 'refused'),
	('text COLLATE folded', '(unit COLLATE "C") NULLS NOT DISTINCT', 'refused'),
	('varchar COLLATE accents', '(unit COLLATE "C")', 'refused'),
	('folded_text', '(unit COLLATE "C")', 'refused'),
	('text[] COLLATE folded', '(unit COLLATE "C")', 'refused'),
	('citext', '(unit text_ops)', 'refused'),
	('citext', '(unit text_pattern_ops)', 'refused'),
	('citext COLLATE folded', '(unit text_ops)', 'refused'),
	('text', '(unit)', 'once'),
	('text', '(unit text_pattern_ops)', 'once'),
	('text', '(unit COLLATE "C")', 'weighted'),
	('text', '(unit COLLATE german)', 'weighted'),
	('text', '(unit, x)', 'weighted'),
	('text', '(unit) INCLUDE (x)', 'once'),
	('text', '(unit) NULLS NOT DISTINCT', 'once'),
	('text', '(unit) WHERE x >= 0', 'weighted'),
	('text', '((unit || ''''))', 'weighted');
CREATE FUNCTION outcome(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN CASE WHEN test_weighed(query) ~ '_weighted' THEN 'weighted' ELSE 'once' END;
EXCEPTION WHEN internal_error OR insufficient_privilege THEN
	RETURN CASE WHEN SQLERRM ~ '^the query is not proven' THEN 'refused' ELSE SQLERRM END;
END $$;
-- The exact number of a level's dp_count, and its sensitivity.
CREATE FUNCTION exact(query text, OUT part numeric, OUT most numeric) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('SELECT (r).exact[1], (r).sensitivity[1] FROM (%s) s(r)',
		regexp_replace(regexp_replace(test_weighed(query), 'gaussdp_internal\.(\w+?)_weighted', 'probe_\1_weighted', 'g'), '\mdp_count\(', 'probe_count('))
		INTO part, most;
END $$;
-- By how much a level moves when a person leaves, in sensitivities; NULL where it is refused.
CREATE FUNCTION moved(query text, leave text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
	with_all record;
	without record;
	n bigint;
BEGIN
	with_all := exact(query);
	BEGIN
		EXECUTE leave;
		without := exact(query);
		RAISE EXCEPTION 'undo' USING ERRCODE = 'ZZ001';
	EXCEPTION WHEN SQLSTATE 'ZZ001' THEN NULL;
	END;
	RETURN abs(with_all.part - without.part) / with_all.most;
EXCEPTION WHEN internal_error OR insufficient_privilege THEN RETURN NULL;
END $$;
-- Names that the index takes for different: all eight, where it does.
CREATE FUNCTION make_single(s single) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	name text;
BEGIN
	EXECUTE format('CREATE TABLE single_%s (unit %s NOT NULL, x int)', s.no, s.unit);
	EXECUTE format('CREATE UNIQUE INDEX ON single_%s %s', s.no, s.key);
	FOR name IN SELECT * FROM spelling UNION ALL VALUES ('berta'), ('carl') LOOP
		BEGIN
			EXECUTE format('INSERT INTO single_%s VALUES (%L, 1)', s.no, CASE WHEN s.unit ~ '\[' THEN '{' || name || '}' ELSE name END);
		EXCEPTION WHEN unique_violation THEN NULL;
		END;
	END LOOP;
	PERFORM gaussdp.protect(format('single_%s', s.no)::regclass, 'unit');
END $$;
DO $$BEGIN PERFORM make_single(s) FROM single s; END$$;
SELECT no_plan();
SELECT is(outcome('SELECT dp_count(1, 1e-6) FROM single_' || no), verdict, format('%s, unique %s', unit, key)) FROM single;
SELECT ok(coalesce(moved('SELECT dp_count(1, 1e-6) FROM single_' || no, format('DELETE FROM single_%s WHERE unit = %L', no, CASE WHEN unit ~ '\[' THEN '{ana}' ELSE 'ana' END)) <= 1,
	verdict = 'refused'), format('nobody moves more: %s, unique %s', unit, key)) FROM single;
SELECT is(gaussdp_internal.has_unique_unit(format('single_%s', no)::regclass), verdict = 'once', format('check_policy says the same: %s, unique %s', unit, key)) FROM single;

-- A unit that is equal by its own equality has its own index; by another order of integers it has none.
CREATE TABLE sized (unit int NOT NULL, x int);
CREATE UNIQUE INDEX ON sized (unit size_ops);
CREATE TABLE as_oid (unit int NOT NULL, x int);
CREATE UNIQUE INDEX ON as_oid (unit oid_ops);
CREATE TABLE listed (unit int NOT NULL, x int);
CREATE INDEX ON listed (unit);
CREATE TABLE own_name (unit text COLLATE folded PRIMARY KEY, x int);
CREATE TABLE deferred (unit int NOT NULL UNIQUE DEFERRABLE, x int);
CREATE TABLE excluded (unit int NOT NULL, x int, EXCLUDE USING btree (unit WITH =));
CREATE TABLE invalid (unit int NOT NULL, x int);
CREATE UNIQUE INDEX invalid_unit ON invalid (unit);
UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'invalid_unit'::regclass;
CREATE TABLE unready (unit int NOT NULL, x int);
CREATE UNIQUE INDEX unready_unit ON unready (unit);
UPDATE pg_index SET indisvalid = false, indisready = false WHERE indexrelid = 'unready_unit'::regclass;
DO $$BEGIN PERFORM gaussdp.protect(t::regclass, 'unit') FROM unnest(ARRAY['sized', 'as_oid', 'listed', 'own_name', 'deferred', 'excluded', 'invalid', 'unready']) t; END$$;
SELECT is(outcome('SELECT dp_count(1, 1e-6) FROM ' || relation), verdict, format('%s: %s', relation, verdict)) FROM (VALUES
	('sized', 'weighted'), ('as_oid', 'weighted'), ('listed', 'weighted'), ('own_name', 'once'), ('deferred', 'weighted'), ('excluded', 'weighted'), ('invalid', 'weighted'), ('unready', 'weighted')) v(relation, verdict);

-- Paths.  Where summer time begins, two parents of different people are equal to one instant; which of them owns its row would depend on the plan.
SET LOCAL timezone = 'Europe/Berlin';
CREATE TABLE route (no serial PRIMARY KEY, above text, below text, verdict text, condition text DEFAULT 'b.key = a.key');
INSERT INTO route (above, below, verdict) VALUES
	('timestamp UNIQUE', 'timestamptz NOT NULL', 'refused'),
	('timestamptz UNIQUE', 'timestamp NOT NULL', 'refused'),
	('timestamptz UNIQUE', 'date NOT NULL', 'refused'),
	('date UNIQUE', 'timestamptz NOT NULL', 'refused'),
	('timestamp UNIQUE', 'date NOT NULL', 'weighted'),
	('date UNIQUE', 'timestamp NOT NULL', 'weighted'),
	('date UNIQUE', 'date NOT NULL UNIQUE', 'once'),
	('timestamptz UNIQUE', 'timestamptz NOT NULL UNIQUE', 'once'),
	('bigint UNIQUE', 'int NOT NULL UNIQUE', 'once'),
	('smallint UNIQUE', 'bigint NOT NULL', 'weighted'),
	('real UNIQUE', 'double precision NOT NULL', 'weighted'),
	('numeric UNIQUE', 'bigint NOT NULL', 'refused'),
	('double precision UNIQUE', 'numeric NOT NULL', 'refused'),
	('text UNIQUE', 'varchar NOT NULL UNIQUE', 'once'),
	('varchar UNIQUE', 'name COLLATE "default" NOT NULL', 'weighted'),
	('text UNIQUE', 'char(8) NOT NULL', 'refused'),
	('text COLLATE folded UNIQUE', 'text COLLATE folded NOT NULL UNIQUE', 'refused'),
	('text COLLATE folded UNIQUE', 'text NOT NULL UNIQUE', 'refused'),
	('text COLLATE "C" UNIQUE', 'text COLLATE folded NOT NULL', 'refused'),
	('text COLLATE german UNIQUE', 'text COLLATE "C" NOT NULL', 'refused'),
	('citext UNIQUE', 'citext NOT NULL', 'refused');
INSERT INTO route (above, below, verdict, condition) VALUES
	('text COLLATE folded UNIQUE', 'text COLLATE "C" NOT NULL UNIQUE', 'refused', 'b.key = a.key COLLATE folded'),
	('text UNIQUE', 'text NOT NULL', 'refused', 'b.key = a.key COLLATE folded'),
	('text UNIQUE', 'text NOT NULL', 'refused', 'b.key = a.key COLLATE "C"'),
	('text UNIQUE', 'text NOT NULL UNIQUE', 'once', 'a.key = b.key'),
	('bigint UNIQUE', 'int NOT NULL UNIQUE', 'once', 'a.key = b.key'),
	('int UNIQUE', 'int NOT NULL', 'refused', 'b.key |=| a.key'),
	('int UNIQUE', 'int NOT NULL', 'refused', 'b.key <= a.key'),
	('int', 'int NOT NULL', 'refused', 'b.key = a.key'),
	('int UNIQUE', 'int NOT NULL', 'refused', 'b.key = a.key::numeric'),
	('int UNIQUE', 'int NOT NULL', 'refused', 'b.key::text = a.key::text');
DO $$
DECLARE
	p route;
BEGIN
	FOR p IN SELECT * FROM route LOOP
		EXECUTE format('CREATE TABLE above_%1$s (id int PRIMARY KEY, key %2$s); CREATE TABLE below_%1$s (key %3$s, x int)', p.no, p.above, p.below);
		PERFORM gaussdp.protect(format('above_%s', p.no)::regclass, 'id', people => 'p' || p.no);
		PERFORM gaussdp.protect(format('below_%s', p.no)::regclass, 'key', via => format('above_%s', p.no)::regclass, via_column => 'key');
	END LOOP;
END $$;
CREATE FUNCTION path_query(p route) RETURNS text LANGUAGE sql AS $$SELECT format('SELECT dp_count(1, 1e-6) FROM below_%1$s b JOIN above_%1$s a ON %2$s', p.no, p.condition)$$;
SELECT is(outcome(path_query(p)), verdict, format('%s by way of %s, %s', below, above, condition)) FROM route p;
SELECT is(gaussdp_internal.unit_problem(format('below_%s', no)::regclass) ~ 'by no equality that is always the same', verdict = 'refused' OR NULL, format('the declaration says why: %s by way of %s', below, above))
	FROM route WHERE condition = 'b.key = a.key' AND above NOT IN ('citext UNIQUE', 'int');
-- One row of a person below is one only where it is above.
CREATE TABLE mid (id int NOT NULL, key int UNIQUE);
CREATE TABLE low (key int NOT NULL UNIQUE);
DO $$BEGIN PERFORM gaussdp.protect('mid', 'id'), gaussdp.protect('low', 'key', via => 'mid', via_column => 'key'); END$$;
SELECT is(outcome('SELECT dp_count(1, 1e-6) FROM mid JOIN low USING (key)'), 'weighted', 'several rows above');
SELECT ok(NOT gaussdp_internal.has_unique_unit('low') AND gaussdp_internal.has_unique_unit('below_7'), 'and check_policy knows');
-- the answer depended on who else is there, and on the plan
INSERT INTO above_1 VALUES (1, '2026-03-29 02:30'), (2, '2026-03-29 03:30'), (3, '2026-03-29 12:00');
INSERT INTO below_1 SELECT '2026-03-29 03:30+02', 1 FROM generate_series(1, 8);
SELECT is((SELECT count(*) FROM below_1 b JOIN above_1 a ON b.key = a.key), 16::int8, 'a row of two people');
SELECT is(moved((SELECT path_query(p) FROM route p WHERE no = 1), 'DELETE FROM above_1 WHERE id = 1'), NULL, 'is counted for nobody');
-- two rows below, different by their own collation, that are equal to one row above by its own
INSERT INTO above_18 VALUES (1, 'ana'), (2, 'berta');
INSERT INTO below_18 SELECT name, 1 FROM spelling;
SELECT is(moved((SELECT path_query(p) FROM route p WHERE no = 18), 'DELETE FROM above_18 WHERE id = 1'), NULL, 'eight rows that an index took for one are not counted');

-- Units, EXISTS and IN take the type's own equality, too.
CREATE TABLE a (id int PRIMARY KEY, t text NOT NULL, n text COLLATE folded NOT NULL, ts timestamp NOT NULL);
DO $$BEGIN PERFORM gaussdp.protect('a', 'id', people => 'tied'); END$$;
CREATE TABLE tied (no serial PRIMARY KEY, above text, below text, operator text, verdict text);
INSERT INTO tied (above, below, operator, verdict) VALUES
	('int UNIQUE', 'int UNIQUE', '=', 'once'), ('int UNIQUE', 'int UNIQUE', '|=|', 'refused'), ('int UNIQUE', 'bigint UNIQUE', '=', 'refused'),
	('timestamp UNIQUE', 'timestamptz UNIQUE', '=', 'refused'), ('real UNIQUE', 'double precision UNIQUE', '=', 'refused'),
	('text UNIQUE', 'text COLLATE folded UNIQUE', '=', 'refused'), ('text COLLATE folded UNIQUE', 'text COLLATE folded UNIQUE', '=', 'refused'),
	('text UNIQUE', 'text UNIQUE', '=', 'once'), ('int UNIQUE', 'int UNIQUE', '<=', 'refused'), ('text UNIQUE', 'varchar UNIQUE', '=', 'refused');
DO $$
DECLARE
	p tied;
BEGIN
	FOR p IN SELECT * FROM tied LOOP
		EXECUTE format('CREATE TABLE one_%1$s (unit %2$s NOT NULL); CREATE TABLE two_%1$s (unit %3$s NOT NULL)', p.no, p.above, p.below);
		PERFORM gaussdp.protect(format('one_%s', p.no)::regclass, 'unit', people => 't' || p.no);
		PERFORM gaussdp.protect(format('two_%s', p.no)::regclass, 'unit', people => 't' || p.no);
	END LOOP;
END $$;
SELECT is(outcome(format('SELECT dp_count(1, 1e-6) FROM one_%1$s a JOIN two_%1$s b ON a.unit %2$s b.unit', no, operator)), verdict, format('joined: %s %s %s', above, operator, below)) FROM tied;
SELECT is(outcome(format('SELECT dp_count(1, 1e-6) FROM one_%1$s a WHERE EXISTS (SELECT FROM two_%1$s b WHERE a.unit %2$s b.unit)', no, operator)), verdict, format('EXISTS: %s %s %s', above, operator, below)) FROM tied;
SELECT is(outcome(format('SELECT dp_count(1, 1e-6) FROM one_%1$s a WHERE a.unit %2$s ANY (SELECT unit FROM two_%1$s b)', no, operator)), verdict, format('IN: %s %s %s', above, operator, below)) FROM tied;

-- Public relations: beside a protected row stands one row at most by the very equality of the join.
CREATE TABLE member (id int PRIMARY KEY, t text, ts timestamptz, i int, n text COLLATE folded, f real);
DO $$BEGIN PERFORM gaussdp.protect('member', 'id'); END$$;
CREATE TABLE beside (no serial PRIMARY KEY, key text, condition text, verdict text);
INSERT INTO beside (key, condition, verdict) VALUES
	('key text COLLATE "C" UNIQUE', 'p.key = m.n COLLATE folded', 'weighted'),
	('key text COLLATE folded UNIQUE', 'p.key = m.n', 'once'),
	('key timestamp UNIQUE', 'p.key = m.ts', 'weighted'),
	('key int, EXCLUDE USING btree (key WITH =)', 'p.key = m.i', 'weighted'),
	('key int UNIQUE DEFERRABLE', 'p.key = m.i', 'weighted'),
	('key int UNIQUE', 'p.key |=| m.i', 'refused'),
	('key int', 'p.key === m.i', 'weighted'),
	('key bigint UNIQUE', 'p.key = m.i', 'once'),
	('key double precision UNIQUE', 'p.key = m.f', 'once'),
	('key numeric UNIQUE', 'p.key = m.i', 'once');
DO $$
DECLARE
	p beside;
BEGIN
	FOR p IN SELECT * FROM beside LOOP
		EXECUTE format('CREATE TABLE beside_%s (%s)', p.no, p.key);
		IF p.condition ~ '===' THEN
			EXECUTE format('CREATE UNIQUE INDEX ON beside_%s (key lax_ops)', p.no);
		END IF;
	END LOOP;
END $$;
SELECT is(outcome(format('SELECT dp_count(1, 1e-6) FROM member m JOIN beside_%s p ON %s', no, condition)), verdict, format('public %s, %s', key, condition)) FROM beside;
SELECT * FROM finish();
ROLLBACK;
