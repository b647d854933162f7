\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- 80 random questions and 20 of expressions (500 and 100 where GAUSSDP_FULL is set), and what neighbouring databases make of them (test/generator/judge.sql).
\ir ../generator/judge.sql
\copy questions (settings, query) FROM PROGRAM 'perl test/generator/queries.pl 1 $((GAUSSDP_FULL ? 500 : 80))'
\copy questions (settings, query) FROM PROGRAM 'perl test/generator/expressions.pl 1 $((GAUSSDP_FULL ? 100 : 20))'
\o /dev/null
TABLE judging \gexec
\o
RESET ALL;
SET gaussdp.max_private_errors = 1000000;
SELECT plan(10);
SELECT is((SELECT concat_ws(': ', query, wrong) FROM questions WHERE wrong IS NOT NULL ORDER BY no LIMIT 1), NULL, format('no question of %s tells of a person more than is paid for', (SELECT count(*) FROM questions)));
SELECT ok(least(count(*) FILTER (WHERE said = 'answered'), count(*) FILTER (WHERE said <> 'answered')) > count(*) / 8, format('some are answered (%s) and some are not', count(*) FILTER (WHERE said = 'answered'))) FROM questions;
SELECT cmp_ok(count(*) FILTER (WHERE kind = 'max_rows'), '>', count(DISTINCT charge) / 20, 'of which some find max_rows') FROM gaussdp.journal WHERE kind IS NOT NULL;

-- The judge finds what is not private.
CREATE FUNCTION judged(shown text, who int, told float8 DEFAULT 1e6) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	TRUNCATE before;
	INSERT INTO before SELECT * FROM parts(shown);
	RETURN judge_person(shown, who, true, told);
END $$;
SELECT alike(judged('SELECT probe_count(1, 1e-6) AS release_1 FROM visit', 8), '8 moves release_1 by 12.0%', 'rows that are not weighed');
SELECT alike(judged('SELECT probe_count(1, 1e-6) AS release_1 FROM person WHERE born <= (SELECT min(born) FROM person)', 1), 'without 1 release_1[1]%', 'what depends on other people');
SELECT alike(judged('SELECT id AS key_1, probe_count(1, 1e-6) AS release_1 FROM person GROUP BY id', 2), '2 makes or hides group%', 'groups of one person');
SELECT alike(judged('SELECT probe_count(1, 1e-6) AS release_1 FROM person', 2, 0.05), '2 moves all by mu^2 0.05%', 'what is worth more than its price');

-- Errors of rows: a superuser has promised too much.
SELECT set_config('gaussdp_test.lib', :'testlib', false) \g /dev/null
CREATE FUNCTION divides(int) RETURNS bool IMMUTABLE LEAKPROOF LANGUAGE C AS :'testlib', 'test_divides';
SELECT alike(wrong, 'fails: 38000%(22012: division by zero); 38000%but without 4: answered, 1 groups', 'an error of one person''s row')
FROM judge_outcome('SELECT dp_count(0.3, 1e-6) FROM visit WHERE divides(CASE WHEN person = 4 THEN 7 ELSE 1 END)', 4);
SELECT alike(wrong, 'fails: 38000%', 'an error whoever is missing') FROM judge_outcome('SELECT dp_count(0.3, 1e-6) FROM visit WHERE divides(CASE WHEN person > 0 THEN 7 ELSE 1 END)', 4);
SELECT is(wrong, NULL, 'but no refusal before the rows are read') FROM judge_outcome('SELECT dp_count(0.3, 1e-6) FROM visit WHERE 1 / day > 0', 4);
SELECT * FROM finish();
-- Databases of a cluster share its roles.
DROP OWNED BY generator_analyst;
DROP ROLE generator_analyst;
