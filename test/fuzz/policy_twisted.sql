\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Levels of random questions that were proven, and then changed at random (test/module/twist_random.c): whatever rewrite/ makes of a
-- query, the proof refuses it, or its answer tells of no person more than is paid for (test/generator/judge.sql).
\ir ../generator/judge.sql
\ir ../module/size.sql
CREATE FUNCTION test_twisted_level(query text, seed int, OUT twists text, OUT refused text, OUT forbidden bool, OUT shown text, OUT hides bool, OUT told float8)
	AS :'testlib' LANGUAGE C STRICT SET gaussdp.as_analyst = on SET DateStyle = 'ISO, MDY' SET IntervalStyle = 'postgres' SET extra_float_digits = 1;
CREATE TABLE proven (no serial, query text);
CREATE TABLE twisted (query text, seed int, twists text, said text, wrong text);
\copy questions (settings, query) FROM PROGRAM 'perl test/generator/queries.pl 2 $((GAUSSDP_FULL ? 2000 : 120))'
DO $$
DECLARE
	question record;
BEGIN
	FOR question IN SELECT query FROM questions ORDER BY no LOOP
		BEGIN
			PERFORM test_weighed(question.query);
			INSERT INTO proven (query) VALUES (question.query);
		EXCEPTION WHEN OTHERS THEN NULL;
		END;
	END LOOP;
END $$;

INSERT INTO proven (query) VALUES
	('SELECT dp_count(1, 1e-6) AS n, dp_sum(u.x, 1, 1e-6, 0, 9) AS s FROM (SELECT person, score AS x FROM visit WHERE day > 2 UNION ALL SELECT person, code FROM diagnosis) u'),
	('SELECT u.k, dp_count(u.person, 1, 1e-6) AS n FROM (SELECT person, day AS k FROM visit UNION ALL SELECT v.person, b.price FROM bill b JOIN visit v ON v.id = b.visit UNION ALL SELECT id, town FROM person) u GROUP BY u.k HAVING dp_keep_group(1, 1e-6)');

CREATE FUNCTION judge_twisted(query text, seed int, OUT twists text, OUT said text, OUT wrong text) LANGUAGE plpgsql AS $$
DECLARE
	t record;
	sql text;
	who int;
BEGIN
	BEGIN
		t := test_twisted_level(query, seed);
	EXCEPTION WHEN OTHERS THEN
		said := concat_ws(' ', 'error', SQLSTATE, SQLERRM);
		RETURN;
	END;
	twists := t.twists;
	said := coalesce(t.refused, 'accepted');
	IF t.refused IS NOT NULL THEN
		RETURN;
	ELSIF t.forbidden THEN
		wrong := 'accepted';
		RETURN;
	END IF;
	sql := with_probes(t.shown);
	IF sql = shown(query) THEN
		said := 'the same';
		RETURN;
	END IF;
	TRUNCATE before;
	INSERT INTO before SELECT * FROM parts(sql);
	-- the one who has most rows, and one by turns
	FOREACH who IN ARRAY ARRAY[8, 1 + seed % 7] LOOP
		wrong := coalesce(wrong, judge_person(sql, who, NOT t.hides, t.told));
	END LOOP;
EXCEPTION WHEN OTHERS THEN wrong := format('the judge failed: %s', SQLERRM);
END $$;
CREATE FUNCTION judge_all_twisted(question int, n int) RETURNS void LANGUAGE sql AS $$
	INSERT INTO twisted SELECT query, i, j.* FROM proven, generate_series(1, n) i, judge_twisted(query, 1000 * question + i) j WHERE no = question $$;
\o /dev/null
SELECT format('SELECT judge_all_twisted(%s, sized(36))', no) FROM proven ORDER BY no \gexec
\o
RESET ALL;
SELECT plan(4);
SELECT is((SELECT concat_ws(': ', query, seed, twists, wrong) FROM twisted WHERE wrong IS NOT NULL ORDER BY query, seed LIMIT 1), NULL,
	format('no twist of %s tells of a person more than is paid for', (SELECT count(*) FROM twisted)));
SELECT ok(count(*) FILTER (WHERE said = 'accepted') > count(*) / 10 AND count(*) FILTER (WHERE said NOT IN ('accepted', 'the same')) > count(*) / 3,
	format('some are accepted (%s) and some are refused', count(*) FILTER (WHERE said = 'accepted'))) FROM twisted;
SELECT is(string_agg(said, '; '), NULL, 'none ends in an error inside of the proof') FROM twisted WHERE said ~ '^error (?!22023)';
SELECT ok(count(DISTINCT said) > 15, 'for many reasons') FROM twisted WHERE said <> 'accepted' AND said !~ '^error';
SELECT * FROM finish();
-- Databases of a cluster share its roles.
DROP OWNED BY generator_analyst;
DROP ROLE generator_analyst;
