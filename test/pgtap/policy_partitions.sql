\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- A partition that is named by itself: protected, priced and paid like the table above it.  Outside of a
-- transaction, since the budget must be committed.
SET client_min_messages = warning;
-- id is unique in each year, not over all of them
CREATE TABLE visits (id int NOT NULL, year int, cost float8) PARTITION BY LIST (year);
CREATE TABLE visits_2020 PARTITION OF visits FOR VALUES IN (2020);
CREATE TABLE visits_2021 (cost float8, gone int, year int, id int PRIMARY KEY);
ALTER TABLE visits_2021 DROP COLUMN gone;
ALTER TABLE visits ATTACH PARTITION visits_2021 FOR VALUES IN (2021);
CREATE TABLE visits_2022 PARTITION OF visits FOR VALUES IN (2022) PARTITION BY RANGE (id);
CREATE TABLE visits_2022_low PARTITION OF visits_2022 FOR VALUES FROM (0) TO (500);
CREATE TABLE visits_2022_high PARTITION OF visits_2022 FOR VALUES FROM (500) TO (1000);
CREATE UNIQUE INDEX ON visits_2022 (id);
INSERT INTO visits SELECT i, y, 10 FROM generate_series(1, 900) i, generate_series(2020, 2022) y;
CREATE ROLE parts_ana;
CREATE ROLE parts_poor;
DO $$BEGIN PERFORM gaussdp.protect('visits', unit => 'id', max_rows => 1), gaussdp.set_bounds('visits', 'cost', 0, 100),
	gaussdp.grant_budget('parts_ana', 'visits', epsilon => 100, delta => 1e-3); END$$;
CREATE FUNCTION state_of(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE query;
	RETURN 'answered';
EXCEPTION WHEN insufficient_privilege THEN
	RETURN 'refused';
END
$$;
CREATE FUNCTION reason_of(query text) RETURNS text LANGUAGE sql AS
	$$SELECT coalesce(reason, verdict) FROM gaussdp.explain_privacy(query) LIMIT 1$$;
SELECT plan(14);
SET ROLE parts_ana;
SELECT is(max_rows, 1::int8, 'all years: a person may own several rows, which are weighed') FROM gaussdp.explain_privacy('SELECT dp_count(1, 1e-6) FROM visits');
SELECT is(max_rows, 1::int8, 'a year without a key of its own, too') FROM gaussdp.explain_privacy('SELECT dp_count(1, 1e-6) FROM visits_2020');
SELECT ok(n BETWEEN 890 AND 910 AND a BETWEEN 9 AND 11, 'a year with one, its columns in another order, bounds from above')
FROM (SELECT dp_count(5, 1e-6) AS n, dp_avg(cost, 5, 1e-6) AS a FROM visits_2021) s;
SELECT ok(n BETWEEN 890 AND 910, 'a partition that is partitioned') FROM (SELECT dp_count(5, 1e-6) AS n FROM visits_2022) s;
SELECT ok(n BETWEEN 391 AND 411, 'and one below it') FROM (SELECT dp_count(5, 1e-6) AS n FROM visits_2022_high) s;
SELECT is((SELECT count(*)::int FROM gaussdp.my_budget WHERE spent_epsilon > 5 AND 'visits'::regclass = ANY (tables)), 1, 'paid from the account of the table above');
SELECT is(state_of('SELECT * FROM visits_2021'), 'refused', 'rows of it');
SELECT is(state_of('SELECT dp_count(1, 1e-6) FROM visits_2021 a JOIN visits_2022 b USING (cost)'), 'refused', 'two of them joined on something else than the person');
RESET ROLE;
SET ROLE parts_poor;
SELECT is(state_of('SELECT dp_count(1, 1e-6) FROM visits_2021'), 'refused', 'a role without a budget');
RESET ROLE;
SET ROLE parts_ana;
PREPARE year AS SELECT dp_count(1, 1e-6) FROM visits_2021;
SELECT lives_ok('EXECUTE year', 'a prepared statement');
RESET ROLE;
ALTER TABLE visits ENABLE ROW LEVEL SECURITY;
SET ROLE parts_ana;
SELECT throws_ok('EXECUTE year', '42501', NULL, 'is refused when the table above has got row security');
SELECT alike(reason_of('SELECT dp_count(1, 1e-6) FROM visits_2022_low'), 'Rule 8 %row security%', 'also two levels above');
RESET ROLE;
ALTER TABLE visits DISABLE ROW LEVEL SECURITY;
ALTER TABLE visits_2021 DROP CONSTRAINT visits_2021_pkey;
SET ROLE parts_ana;
SELECT lives_ok('EXECUTE year', 'it is answered with weights when the partition has lost its key');
RESET ROLE;
ALTER TABLE visits_2021 ADD PRIMARY KEY (id);
ALTER TABLE visits DETACH PARTITION visits_2021;
SET ROLE parts_ana;
SELECT throws_ok('EXECUTE year', '42501', NULL, 'or is none any more');
RESET ROLE;
SELECT * FROM finish();
DROP TABLE visits, visits_2021;
DROP OWNED BY parts_ana, parts_poor;
DROP ROLE parts_ana, parts_poor;
