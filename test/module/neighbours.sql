-- Two tables that differ in one person, for the files errors_*.sql: hr.one has person 7, hr.none has not.  What an analyst is told
-- must be the same of both: an answer, or a refusal word for word.  Values are no part of it, since they carry noise.
CREATE SCHEMA hr;
CREATE ROLE :ana;
GRANT USAGE ON SCHEMA hr TO :ana;
CREATE TABLE hr.one (id int PRIMARY KEY, f8 float8, f4 float4, n numeric, i int, at timestamptz, name varchar(20), note text, data jsonb, tags text[]) WITH (autovacuum_enabled = off);
INSERT INTO hr.one SELECT g, 0.5, 0.5, 0.5, 1, '2020-01-15', 'x', 'x', '{"a": "x"}', '{x}' FROM generate_series(1, 9) g WHERE g <> 7;
CREATE TABLE hr.none (LIKE hr.one INCLUDING ALL) WITH (autovacuum_enabled = off);
INSERT INTO hr.none SELECT * FROM hr.one;
SELECT gaussdp.protect(t, unit => 'id') FROM unnest('{hr.one,hr.none}'::regclass[]) t \g /dev/null
SELECT gaussdp.grant_budget(:'ana', t, epsilon => 500, delta => 1e-3) FROM unnest('{hr.one,hr.none}'::regclass[]) t \g /dev/null
SELECT set_config('test.ana', :'ana', false) \g /dev/null
SET gaussdp.max_private_errors = 1000000;

\ir told.sql
-- The verdict, A (answered) or R (refused before any row), is the same of both tables, and the one that is expected.
CREATE FUNCTION is_told_alike(verdict text, query text) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT CASE WHEN told_of_one IS DISTINCT FROM told_of_none THEN
        fail(left(query, 200)) || E'\n' || diag(told_of_one) || E'\n' || diag(told_of_none)
    ELSE is(CASE WHEN told_of_one = 'answered' THEN 'A' WHEN told_of_one ~ '^(42501|54001)' THEN 'R' ELSE told_of_one END, verdict, left(query, 200)) ||
        CASE WHEN (verdict = 'A') <> (told_of_one = 'answered') THEN E'\n' || diag(told_of_one) ELSE '' END END
    FROM (SELECT told(query, 'hr.one') AS told_of_one, told(query, 'hr.none') AS told_of_none OFFSET 0) t
$$;
