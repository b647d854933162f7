\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- How far lag and lead look is not for a row to say: where a person's rows do not find room in work_mem, which the analyst sets, each row
-- would walk over all others, and one person's rows take the square of their time.
BEGIN;
CREATE TABLE buy (u int NOT NULL, day int);
DO $$BEGIN PERFORM gaussdp.protect('buy', 'u', max_rows => 1), gaussdp.grant_budget(current_user::text, 'buy', 10, 1e-5); END$$;
SET gaussdp.as_analyst = on;
CREATE FUNCTION said(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	why text;
	number float8;
BEGIN
	EXECUTE format('SELECT dp_count(1, 1e-6) FROM (SELECT u, %s OVER (PARTITION BY u ORDER BY day) AS n FROM buy) s WHERE n > 1', call) INTO number USING 2;
	RETURN 'answered';
EXCEPTION WHEN insufficient_privilege THEN
	GET STACKED DIAGNOSTICS why = PG_EXCEPTION_DETAIL;
	RETURN regexp_replace(why, ', at character \d+', '');
END $$;
CREATE TABLE asked (call text, is_answered bool);
INSERT INTO asked VALUES
	('lag(day, day)', false), ('lead(day, day, 0)', false), ('lag(day, CASE WHEN u > 3 THEN 10000 ELSE -10000 END)', false), ('lag(day, least(day, 3), day::numeric)', false),
	('lag(day)', true), ('lead(day, -3)', true), ('lag(day, $1 + 1, day)', true), ('lag(day, (SELECT 4), day)', true), ('lead(day, 3::bigint::int)', true), ('lag(day, NULL)', true);
SELECT plan((SELECT count(*) FROM asked)::int);
SELECT is(said(call), CASE WHEN is_answered THEN 'answered'
	ELSE 'Rule 2 (functions on rows): how far this call looks would depend on the row, and the time of an answer on the rows of one person.' END, call) FROM asked;
SELECT * FROM finish();
ROLLBACK;
