\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Different values of people who own many rows: each is counted for one person, and k for each person at most.
SET client_min_messages = warning;
\ir ../module/size.sql
\ir ../module/probe.sql
\ir ../module/weighed.sql
SELECT plan(37);

-- Small random tables by brute force: persons, values in groups, rows that occur twice or do not count; and each table without each person.
-- The seed is set by itself: in a join it would be set when some numbers have been drawn.
SELECT setseed(0.3) \g /dev/null
CREATE TABLE small AS SELECT c, 1 + c % 3 AS k, (random() * 5)::int AS u, (random() * 2)::int AS g, (random() * (2 + c % 7))::int AS v, random() < 0.9 AS counts
FROM generate_series(1, sized(3000)) c, LATERAL (SELECT c + 2 + (random() * 14)::int AS n) s, generate_series(c + 1, n);
CREATE TABLE without AS SELECT c, r, k, u, g, v, counts, hashint4extended(v * 10 + g, c) AS place, sum(counts::int) OVER (PARTITION BY c, r, u) AS own, count(*) OVER (PARTITION BY c, r) AS rows
FROM small, generate_series(-1, 5) r WHERE u <> r;
CREATE FUNCTION matched(by text, first int DEFAULT 0) RETURNS TABLE (c int, r int, k int, u int, g int, v int) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT c, r, k, u, g, v FROM (SELECT *, gaussdp_internal.takes_value(u, %s + 10 * v + g, counts::int::int8 << 20, k::int8 << 20) OVER (PARTITION BY c, r ORDER BY %s) AS m FROM without) s WHERE m = 2147483648',
		first, by);
END $$;
-- How far one person moves the numbers of all groups together, in units of k, and what is taken without them alone.
CREATE FUNCTION moved(by text) RETURNS TABLE (most numeric, lost bigint) LANGUAGE plpgsql AS $$
BEGIN
	CREATE TEMP TABLE taken AS SELECT * FROM matched(by);
	RETURN QUERY SELECT max(n / k::numeric), sum(l)::bigint FROM (
		SELECT k, r, count(*) FILTER (WHERE NOT is_kept) + count(*) FILTER (WHERE is_new) AS n, count(*) FILTER (WHERE is_new) AS l
		FROM (SELECT coalesce(a.c, b.c) AS c, coalesce(a.k, b.k) AS k, coalesce(a.r, b.r) AS r, b.v IS NOT NULL AS is_kept, a.v IS NULL AS is_new
			FROM (SELECT t.c, t.k, t.g, t.v, r.r FROM taken t, generate_series(0, 5) r WHERE t.r = -1) a FULL JOIN (SELECT * FROM taken t WHERE t.r >= 0) b USING (c, r, g, v)) s
		GROUP BY c, k, r) s;
	DROP TABLE taken;
END $$;
SELECT ok(most = 1 AND lost = 0, format('of %s small tables no person moves what is counted by more than k in all groups together, one by k, and none takes a value from it: %s, %s', sized(3000), most, lost))
FROM moved('own, u, place, v, g');
SELECT ok(most <= 1 AND lost = 0, 'nor in another order of people and values: ' || by) FROM (VALUES ('u, v, g'), ('u DESC, g DESC, place'), ('hashint4(u), hashint4extended(v * 10 + g, u)')) o (by), moved(by);
SELECT ok(most > 1 OR lost > 0, 'but in one that depends on others: ' || by) FROM (VALUES ('CASE rows % 2 WHEN 0 THEN u ELSE -u END, place, v, g')) o (by), moved(by);
-- A matching: each value once, k of each person; a maximal one: of a value that is not taken each person has k others.
CREATE TABLE taken AS SELECT * FROM matched('own, u, place, v, g');
SELECT is((SELECT count(*) FROM (SELECT FROM taken GROUP BY c, r, g, v HAVING count(*) > 1) s), 0::bigint, 'no value is counted twice');
SELECT is((SELECT count(*) FROM (SELECT FROM taken GROUP BY c, r, u, k HAVING count(*) > k) s), 0::bigint, 'nobody takes more than k');
SELECT is((SELECT count(*) FROM (SELECT c, u, g, v FROM taken EXCEPT SELECT c, u, g, v FROM small WHERE counts) s), 0::bigint, 'nor a value that is not theirs');
SELECT is((SELECT count(*) FROM without w LEFT JOIN taken t USING (c, r, g, v) LEFT JOIN (SELECT c, r, u, count(*) AS n FROM taken GROUP BY c, r, u) o ON (o.c, o.r, o.u) = (w.c, w.r, w.u)
	WHERE counts AND t.v IS NULL AND coalesce(o.n, 0) < w.k), 0::bigint, 'and none is left to somebody who could take it');
-- Memory: the same beyond work_mem, and across its end.
SET work_mem = '64kB';
SELECT is((SELECT count(*) FROM (SELECT * FROM matched('own, u, place, v, g', first) EXCEPT ALL SELECT * FROM taken) s), 0::bigint, 'values from number ' || first || ' on, within 64 kB')
FROM unnest(ARRAY[65500, 524288 - 40, 524288, 100000000]) first;
RESET work_mem;
SELECT throws_ok(format('SELECT gaussdp_internal.takes_value(%s) OVER ()', args), '22023', 'an argument of takes_value must be a number from 0 to 2^43', 'called with ' || args)
FROM unnest(ARRAY['NULL, 1, 1, 1', '-1, 1, 1, 1', '1, -1, 1, 1', '1, 4503599627370496, 1, 1']) args;

-- A cursor that fails in a subtransaction has its file closed there, and not once more when it is closed: by then others may have its place.
CREATE FUNCTION after_failure() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	failing refcursor; sorted refcursor; value bigint; n bigint := 0; last bigint := -1;
BEGIN
	OPEN failing FOR SELECT gaussdp_internal.takes_value(1, 100000000 + i, 1 << 20, 1 << 30) OVER (ORDER BY i) / (5 - i) FROM generate_series(1, 10) i;
	BEGIN
		LOOP FETCH failing INTO value; END LOOP;
	EXCEPTION WHEN division_by_zero THEN NULL;
	END;
	OPEN sorted FOR SELECT hashint4(i)::bigint + 3000000000 FROM generate_series(1, 50000) i ORDER BY 1;
	FETCH sorted INTO value;
	CLOSE failing;
	LOOP
		EXIT WHEN value IS NULL OR value < last;
		last := value; n := n + 1;
		FETCH sorted INTO value;
	END LOOP;
	RETURN n;
END $$;
SET work_mem = '64kB';
SELECT is(after_failure(), '50000', 'files that others have opened meanwhile are read to their end');
-- Each window has its file, as long as it lasts.
CREATE FUNCTION files_open() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	windows CURSOR FOR SELECT gaussdp_internal.takes_value(1, 100000000 + i, 1 << 20, 1 << 30) OVER (PARTITION BY i) FROM generate_series(1, 5) i;
	value bigint;
BEGIN
	OPEN windows;
	FOR i IN 1..5 LOOP FETCH windows INTO value; END LOOP;
	RETURN (SELECT count(*) FROM pg_ls_tmpdir() WHERE name LIKE format('pgsql\_tmp%s.%%', pg_backend_pid()));
END $$;
SELECT is(files_open(), 1::bigint, 'files of windows that have ended are closed');
RESET work_mem;

-- Levels: the integers before the noise, beside a slow way to count.
CREATE FUNCTION exact(query text) RETURNS TABLE (k text, n numeric) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT %s, round((release_1).exact[1] * 2.0 ^ (release_1).exponent[1], 3) FROM (%s) s', CASE WHEN query ~ 'GROUP BY' THEN 'key_1::text' ELSE '''all''' END, shown(query));
END $$;
CREATE FUNCTION slow(value text, most int, rows text, keys text DEFAULT '') RETURNS TABLE (k text, n numeric) LANGUAGE plpgsql AS $$
DECLARE
	pair record;
BEGIN
	CREATE TEMP TABLE got (u int, k text, value text, UNIQUE NULLS NOT DISTINCT (k, value));
	FOR pair IN EXECUTE format('SELECT u, k, v::text AS value FROM (SELECT u, k, v, count(v) OVER (PARTITION BY u) AS own FROM (SELECT u, k, %s AS v FROM (%s) r) s) o
		WHERE v IS NOT NULL ORDER BY own, u, gaussdp_internal.group_place(1, v%s), k, o.v', value, rows, keys) LOOP
		IF (SELECT count(*) FROM got WHERE got.u = pair.u) < most THEN
			INSERT INTO got VALUES (pair.u, pair.k, pair.value) ON CONFLICT DO NOTHING;
		END IF;
	END LOOP;
	RETURN QUERY SELECT got.k, count(*)::numeric FROM got GROUP BY got.k;
	DROP TABLE got;
END $$;
CREATE TABLE question (name text, query text, value text, rows text, keys text, max_groups int DEFAULT 100);
INSERT INTO question VALUES ('no groups', 'SELECT dp_count(DISTINCT i, 1, 1e-6) FROM t', 'i', 'SELECT t.*, ''all'' AS k FROM t', '', 100),
	('texts', 'SELECT dp_count(DISTINCT g, 1, 1e-6) FROM t', 'g', 'SELECT t.*, ''all'' AS k FROM t', '', 100),
	('numbers of several scales, with FILTER', 'SELECT dp_count(DISTINCT n, 1, 1e-6) FILTER (WHERE h > 1) FROM t', 'n', 'SELECT t.*, ''all'' AS k FROM t WHERE h > 1', '', 100),
	('public keys', 'SELECT key.g, dp_count(DISTINCT x, 1, 1e-6) FROM key LEFT JOIN t USING (g) GROUP BY key.g', 'x', 'SELECT t.*, g AS k FROM t WHERE g IN (SELECT g FROM key)', ', k', 100),
	('two of the groups of a person', 'SELECT g, dp_count(DISTINCT i + h, 1, 1e-6) FROM t GROUP BY g HAVING dp_count(DISTINCT u, 1, 1e-8) > 1000', 'i + h',
		'SELECT * FROM (SELECT t.*, g AS k, dense_rank() OVER (PARTITION BY u ORDER BY gaussdp_internal.group_place(1, u, g), g) AS r FROM t) s WHERE r <= 2', ', k', 2);
CREATE FUNCTION compare(q question, tables int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	most int;
	found text;
BEGIN
	FOR number IN 1..tables LOOP
		PERFORM fill();
		most := (ARRAY[1, 2, 3, 5])[1 + number % 4];
		PERFORM gaussdp.protect('t', unit => 'u', max_rows => most, max_groups => q.max_groups, people => 'clinic');
		SELECT format('table %s, max_rows %s, of %s: %s, not %s', number, most, coalesce(f.k, s.k), f.n, s.n) INTO found
		FROM exact(q.query) f FULL JOIN slow(q.value, most, q.rows, q.keys) s ON coalesce(s.k, '-') = coalesce(f.k, '-') WHERE coalesce(f.n, 0) <> coalesce(s.n, 0);
		IF found IS NOT NULL THEN
			RETURN found;
		END IF;
	END LOOP;
	RETURN NULL;
END $$;
SELECT setseed(0.7) \g /dev/null
SELECT is(compare(question, sized(24)), NULL, sized(24) || ' random tables: ' || name) FROM question;
-- Each person less, through all queries of the level.
CREATE FUNCTION moved_level(q question, tables int) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
	most int;
	person int;
	share numeric := 0;
BEGIN
	PERFORM setseed(0.7);
	FOR number IN 1..tables LOOP
		most := (ARRAY[1, 2, 3, 5])[1 + number % 4];
		PERFORM fill(), gaussdp.protect('t', unit => 'u', max_rows => most, max_groups => q.max_groups, people => 'clinic');
		CREATE TEMP TABLE whole AS SELECT * FROM exact(q.query);
		CREATE TEMP TABLE everybody AS SELECT * FROM t;
		FOR person IN SELECT DISTINCT u FROM everybody LOOP
			DELETE FROM t WHERE u = person;
			share := greatest(share, (SELECT sum(abs(coalesce(w.n, 0) - coalesce(o.n, 0))) / most FROM whole w FULL JOIN exact(q.query) o ON coalesce(o.k, '-') = coalesce(w.k, '-')));
			INSERT INTO t SELECT * FROM everybody WHERE u = person;
		END LOOP;
		DROP TABLE whole, everybody;
	END LOOP;
	RETURN share;
END $$;
SELECT is(moved_level(question, sized(36)), 1.0, 'one person moves all groups together by k at most, and some by k: ' || name) FROM question;

-- What an analyst gets, and what it costs: 600 people, of whom each has three of 500 drugs several times, and one has all.
CREATE TABLE prescription (patient int NOT NULL, ward int NOT NULL, drug text COLLATE "C" NOT NULL, dose int);
INSERT INTO prescription SELECT p, p % 2, 'drug ' || p * j % 500, j FROM generate_series(1, 600) p, generate_series(1, 3) j, generate_series(1, 2);
INSERT INTO prescription SELECT 0, 0, 'drug ' || j, j FROM generate_series(0, 599) j;
CREATE TABLE ward (ward int PRIMARY KEY);
INSERT INTO ward VALUES (0), (1);
CREATE TABLE owned (patient int NOT NULL, drug text);
CREATE ROLE values_ana;
GRANT SELECT ON ward TO values_ana;
DO $$BEGIN PERFORM gaussdp.protect('prescription', unit => 'patient', max_rows => 3), gaussdp.set_public_keys('prescription', 'ward', 'ward', 'ward'), gaussdp.protect('owned', unit => 'patient', max_rows => 0),
	gaussdp.grant_budget('values_ana', 'prescription', epsilon => 1000, delta => 1e-2, default_epsilon => 8, default_delta => 1e-6), gaussdp.grant_budget('values_ana', 'owned', epsilon => 1, delta => 1e-6); END$$;
CREATE FUNCTION verdict(query text) RETURNS text LANGUAGE sql AS $$SELECT coalesce(reason, verdict) FROM gaussdp.explain_privacy(query)$$;
SET ROLE values_ana;
SELECT ok(abs(dp_count(DISTINCT drug, 8, 1e-6) - 500) < 25, 'of 600 drugs 500 are others'' than one person''s, who counts for three') FROM prescription;
SELECT ok(dp_count(DISTINCT drug, 8, 1e-6, 1) BETWEEN 420 AND 510, 'or for one, by the call: few are left that all who have them have others') FROM prescription;
SET gaussdp.answer_plain_sql = on;
SELECT is((SELECT string_agg(format('%s', abs(n - 300) < 110), ',') FROM (SELECT ward, count(DISTINCT drug) AS n FROM prescription GROUP BY ward) s), 't,t', 'in plain SQL, by groups');
RESET gaussdp.answer_plain_sql;
SELECT is((SELECT format('%s %s', max_rows, round(l2_sensitivity::numeric, 6)) FROM gaussdp.explain_privacy('SELECT dp_count(DISTINCT drug, 1, 1e-6, 2) FROM prescription', exact => true)), '2 2.000000', 'the noise is that of two rows');
SELECT is(verdict('SELECT dp_sum(DISTINCT dose, 1, 1e-6, 0, 9) FROM prescription'),
	'Rule 3 (arguments), at character 8: which of several equal values counts would depend on other people, where a person may own several rows.', 'sums of different values are refused');
SELECT results_eq($$SELECT call, max_rows, round(l2_sensitivity::numeric, 6), hint ~ 'counts k values of each' FROM gaussdp.explain_privacy('SELECT dp_count(DISTINCT drug, 1, 1e-6) FROM owned', exact => true)$$,
	$$VALUES ('dp_count', 1::int8, 1.000000, true)$$, 'a number that is to be found is one, and explain_privacy says so');
SELECT results_eq($$SELECT call, max_rows, hint ~ 'counts k values' IS TRUE FROM gaussdp.explain_privacy('SELECT dp_count(DISTINCT drug, 1, 1e-6, 2) FROM owned')$$, $$VALUES ('dp_count', 2::int8, false)$$, 'but not one that is given');
SELECT throws_ok('SELECT dp_count(DISTINCT drug, 1, 1e-6, 1.5) FROM prescription', '22023', 'l2_sensitivity is out of range: 1.5', 'nobody takes half a value');
RESET ROLE;
SELECT * FROM finish();
