\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- HAVING without GROUP BY and without an aggregate makes one row of all of FROM: it is nobody's, and is refused like an aggregate of
-- everybody's rows. Taken for a query of rows it was given a column of the unit, which it has not, and the server crashed.
BEGIN;
CREATE TABLE person (u int PRIMARY KEY, town text);
CREATE TABLE buy (u int NOT NULL, day int);
CREATE TABLE days (day int PRIMARY KEY);
DO $$BEGIN
	PERFORM gaussdp.protect('person', 'u', people => 'all of us'), gaussdp.protect('buy', 'u', people => 'all of us', max_rows => 1);
	PERFORM gaussdp.grant_budget(current_user::text, 'buy', 10, 1e-5);
END$$;
SET gaussdp.as_analyst = on;
CREATE FUNCTION refusal(source text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	why text;
BEGIN
	EXECUTE 'SELECT dp_count(1, 1e-6) FROM ' || source;
	RETURN 'answered';
EXCEPTION WHEN insufficient_privilege THEN
	GET STACKED DIAGNOSTICS why = PG_EXCEPTION_DETAIL;
	RETURN why;
END $$;
CREATE TABLE asked (source text);
INSERT INTO asked VALUES
	('(SELECT 1 AS n FROM person p JOIN buy b USING (u) HAVING true) s'),
	('(SELECT 1 AS n FROM person p JOIN buy b ON b.u = p.u HAVING 1 < 2) s'),
	('(SELECT 1 AS n FROM buy b JOIN days ON days.day = b.day HAVING (SELECT max(day) FROM days) > 3) s'),
	('(SELECT 1 AS n FROM (SELECT u, count(*) FROM buy GROUP BY u) b HAVING true) s'),
	('(SELECT u, 1 AS n FROM person) p JOIN (SELECT 1 AS n FROM buy b JOIN person p USING (u) HAVING true) s ON p.n = s.n');
SELECT plan((SELECT count(*) FROM asked)::int);
SELECT is(refusal(source), 'Rule 8 (unit and rows): a view, sub-select or WITH query aggregates rows of several people.', source) FROM asked;
SELECT * FROM finish();
ROLLBACK;
