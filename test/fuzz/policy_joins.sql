\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Random joins of a protected table with public relations.  Of those that the verifier takes, each protected
-- row must really stand in the join at most once where rows are not weighed, and groups that nothing hides must be the
-- same whoever is missing: looked at on tables that are full of NULLs and repeated values.  15,000 joins, 4,000 of them in `make test`.
BEGIN;
\ir ../module/size.sql
SET LOCAL client_min_messages = error;
CREATE TABLE a (k int PRIMARY KEY, x int, y int);
CREATE TABLE b (k int UNIQUE, x int, y int);
CREATE TABLE c (k int, x int, y int, PRIMARY KEY (k, x));
CREATE TABLE d (k int, x int, y int);
CREATE TABLE e (id int PRIMARY KEY, k int, x int, y int);
CREATE FUNCTION few() RETURNS int LANGUAGE sql VOLATILE AS 'SELECT nullif((random() * 5)::int, 5)';
SELECT setseed(0.25) \g /dev/null
INSERT INTO a SELECT i, few(), few() FROM generate_series(0, 3) i;
INSERT INTO b SELECT nullif(i, 4 + i % 2), few(), few() FROM generate_series(0, 5) i;
INSERT INTO c SELECT i, j, few() FROM generate_series(0, 3) i, generate_series(0, 2) j;
INSERT INTO d SELECT few(), few(), few() FROM generate_series(0, 5);
INSERT INTO e SELECT i, few(), few(), few() FROM generate_series(0, 7) i;
CREATE ROLE fuzz_ana;
GRANT SELECT ON a, b, c, d TO fuzz_ana;
DO $$BEGIN PERFORM gaussdp.protect('e', unit => 'id', max_rows => 1); END$$;

CREATE FUNCTION one_of(VARIADIC choices text[]) RETURNS text LANGUAGE sql VOLATILE AS
	'SELECT choices[1 + floor(random() * cardinality(choices))::int]';
CREATE SEQUENCE aliases;

-- A public relation, and its columns.
CREATE FUNCTION leaf(OUT item text, OUT columns text[]) LANGUAGE plpgsql AS $$
DECLARE
	alias text := 't' || nextval('aliases');
BEGIN
	item := one_of('a', 'a', 'b', 'b', 'c', 'd', '(VALUES (0), (1), (2))', 'generate_series(0, 3)',
				   '(SELECT DISTINCT x AS k FROM d)', '(SELECT y AS x, k FROM b)') || ' ' || alias;
	columns := ARRAY[alias || '.k'];
	IF item ~ '^[a-d] ' THEN columns := columns || ARRAY[alias || '.x', alias || '.y']; END IF;
	IF item ~ '^(\(VALUES|gen)' THEN item := item || '(k)'; END IF;
END$$;

CREATE FUNCTION condition(columns text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	conjuncts text[] := '{}';
	l text; r text;
BEGIN
	FOR i IN 0 .. floor(random() * 2.5)::int LOOP
		-- keys on the left more often than not, so that more joins are taken
		l := CASE WHEN random() < 0.6 THEN one_of(VARIADIC array(SELECT c FROM unnest(columns) c WHERE c LIKE '%.k')) ELSE one_of(VARIADIC columns) END;
		r := one_of(VARIADIC columns);
		conjuncts := conjuncts || one_of('%1$s = %2$s', '%1$s = %2$s', '%1$s = %2$s', '%2$s = %1$s', '%1$s = 1', '%1$s IS NOT NULL',
										 '%1$s = coalesce(%2$s, 1)', '(%1$s = %2$s OR %1$s > 1)');
		conjuncts[cardinality(conjuncts)] := format(conjuncts[cardinality(conjuncts)], l, r);
	END LOOP;
	RETURN array_to_string(conjuncts, ' AND ');
END$$;

-- A tree of joins with so many leaves, the protected one among them or not.
CREATE FUNCTION tree(leaves int, with_e bool, OUT item text, OUT columns text[]) LANGUAGE plpgsql AS $$
DECLARE
	nleft int := 1 + floor(random() * (leaves - 1))::int;
	is_left bool := random() < 0.5;
	l record; r record;
BEGIN
	IF leaves > 1 THEN
		l := tree(nleft, with_e AND is_left);
		r := tree(leaves - nleft, with_e AND NOT is_left);
		columns := l.columns || r.columns;
		item := format('(%s %s JOIN %s ON %s)', l.item, one_of('', '', 'LEFT', 'LEFT', 'RIGHT'), r.item, condition(columns));
	ELSIF with_e THEN
		item := 'e';
		columns := ARRAY['e.id', 'e.k', 'e.x', 'e.y'];
	ELSE
		SELECT s.item, s.columns INTO item, columns FROM leaf() s;
	END IF;
END$$;

CREATE FUNCTION groups_of(source text, keys text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	found text;
BEGIN
	EXECUTE format('SELECT string_agg(s::text, '' '' ORDER BY s::text) FROM (SELECT DISTINCT %s FROM %s) s', keys, source) INTO found;
	RETURN found;
END$$;

-- Are the groups the same without each of the rows, and without any?
CREATE FUNCTION groups_are_public(source text, keys text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	all_of_them text := groups_of(source, keys);
	same bool := true;
BEGIN
	FOR missing IN 0 .. 8 LOOP
		BEGIN
			DELETE FROM e WHERE id = missing OR missing = 8;
			same := same AND all_of_them IS NOT DISTINCT FROM groups_of(source, keys);
			RAISE EXCEPTION USING ERRCODE = 'ZZ001';
		EXCEPTION WHEN SQLSTATE 'ZZ001' THEN NULL;
		END;
	END LOOP;
	RETURN same;
END$$;

CREATE TABLE verdict (source text, taken bool, is_weighed bool, most int, groups_are_public bool);
CREATE FUNCTION look_at_one() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	t record := tree(2 + floor(random() * 4)::int, true);
	source text := t.item || CASE WHEN random() < 0.3 THEN ' WHERE ' || condition(t.columns) ELSE '' END;
	key text := nullif(one_of(VARIADIC t.columns || ARRAY['', '', '']), '');
	verdict text; is_weighed bool; most int;
BEGIN
	SET LOCAL ROLE fuzz_ana;
	SELECT p.verdict, p.max_rows IS NOT NULL INTO verdict, is_weighed
	FROM gaussdp.explain_privacy('SELECT dp_count(1, 1e-6) FROM ' || source || coalesce(' GROUP BY ' || key, '')) p LIMIT 1;
	RESET ROLE;
	IF verdict <> 'private' THEN
		INSERT INTO verdict VALUES (source, false);
		RETURN;
	END IF;
	-- most are weighed, and have many rows: one in ten of them is looked at
	IF is_weighed AND random() < 0.9 THEN
		RETURN;
	END IF;
	EXECUTE 'SELECT max(n) FROM (SELECT count(*) FILTER (WHERE e.id IS NOT NULL) AS n FROM ' || source || ' GROUP BY e.id) s' INTO most;
	INSERT INTO verdict VALUES (source, true, is_weighed, most, key IS NULL OR groups_are_public(source, key));
END$$;

SELECT plan(3);
SELECT count(look_at_one()) FROM generate_series(1, CASE sized(3) WHEN 3 THEN 15000 ELSE 4000 END) \g /dev/null
SELECT ok(count(*) FILTER (WHERE NOT is_weighed) > 100 AND count(*) FILTER (WHERE is_weighed AND most > 1) > 50 AND count(*) FILTER (WHERE NOT taken) > 100,
	'some joins are taken, some are weighed, and some are refused') FROM verdict;
SELECT is((SELECT source FROM verdict WHERE NOT is_weighed AND most > 1 LIMIT 1), NULL, 'where rows are not weighed each protected row stands at most once');
SELECT is((SELECT source FROM verdict WHERE NOT groups_are_public LIMIT 1), NULL, 'and nobody makes or hides a group');
SELECT * FROM finish();
ROLLBACK;
