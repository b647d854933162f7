\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- People who own many rows: what an analyst gets, in every way to ask, and what it costs.
CREATE TABLE person (id int PRIMARY KEY, born int NOT NULL);
CREATE TABLE visit (person int NOT NULL, clinic text, cost float8);
CREATE TABLE payment (person int NOT NULL, amount float8);
CREATE TABLE other (person int NOT NULL);
INSERT INTO person SELECT i, 1940 + i % 60 FROM generate_series(1, 2000) i;
-- 1,900 persons with ten visits each, two in each of five clinics, and one with 100,000 visits
INSERT INTO visit SELECT i, 'c' || j % 5, 50 FROM generate_series(1, 1900) i, generate_series(1, 10) j;
INSERT INTO visit SELECT 2000, 'c7', 1e6 FROM generate_series(1, 100000) j;
INSERT INTO payment SELECT i, 10 FROM generate_series(1, 1000) i, generate_series(1, 3) j;
CREATE VIEW old_visit AS SELECT * FROM visit WHERE cost < 1000;
CREATE ROLE answers_ana;
CREATE ROLE answers_reader;
GRANT SELECT ON old_visit TO answers_ana;
GRANT SELECT ON visit TO answers_reader;
CREATE SCHEMA own AUTHORIZATION answers_ana;
DO $$BEGIN PERFORM gaussdp.protect('person', unit => 'id', people => 'patients'), gaussdp.protect('visit', unit => 'person', max_rows => 10, max_groups => 5, people => 'patients'),
	gaussdp.protect('payment', unit => 'person', max_rows => 3, people => 'patients'), gaussdp.protect('other', unit => 'person'), gaussdp.set_bounds('visit', 'cost', 0, 100),
	gaussdp.grant_budget('answers_ana', 'visit', epsilon => 300, delta => 1e-2), gaussdp.grant_budget('answers_ana', 'other', epsilon => 10, delta => 1e-3); END$$;
CREATE FUNCTION near(name text, answer float8, truth float8, within float8) RETURNS text LANGUAGE sql AS
	$$SELECT ok(abs(answer - truth) <= within, format('%s: %s, not further than %s from %s', name, answer, within, truth))$$;
GRANT USAGE ON SCHEMA own TO PUBLIC;
SELECT plan(42);
SET ROLE answers_ana;

-- 1,900 persons whose ten rows count as ten (in one group) and one whose 100,000 count as ten
SELECT near('rows', dp_count(8, 1e-6), 19010, 60) FROM visit;
SELECT near('a sum, in which a person weighs by value', dp_sum(cost, 8, 1e-6), 951000, 8000) FROM visit;
SELECT near('an average', dp_avg(cost, 8, 1e-6), 50.03, 3) FROM visit;
SELECT ok(v BETWEEN 500 AND 700 AND s BETWEEN 22 AND 27 AND s <> sqrt(v), format('a variance %s and a standard deviation %s of the same rows are two releases', v, s))
FROM (SELECT dp_var(x, 1, 1e-6, 0, 100) AS v, dp_stddev(x, 1, 1e-6, 0, 100) AS s FROM (SELECT CASE WHEN clinic < 'c2' THEN 0 ELSE cost END AS x FROM visit) r) a;
SELECT near('people', dp_count(DISTINCT person, 8, 1e-6), 1901, 8) FROM visit;
SELECT near('one row a person', dp_count(cost, 8, 1e-6, 1), 1901, 8) FROM visit;
SELECT near('FILTER is WHERE for the call', dp_count(8, 1e-6) FILTER (WHERE clinic = 'c1'), 3800, 60) FROM visit;
SELECT near('and leaves the others alone', n, 19010, 60) FROM (SELECT dp_count(8, 1e-6) AS n, dp_count(8, 1e-6) FILTER (WHERE clinic = 'c1') AS c FROM visit) s;
-- Two rows in each of five clinics: sizes 2, so that all together are 2 sqrt(5) < 10: none is weighed down.
SELECT near('groups, public or not: ' || clinic, n, 3800, 60) FROM (SELECT clinic, dp_count(8, 1e-6) AS n FROM visit GROUP BY clinic HAVING dp_keep_group(1, 1e-6)) s ORDER BY clinic;
SELECT is((SELECT string_agg(clinic, ',' ORDER BY clinic) FROM (SELECT clinic, dp_count(1, 1e-6) FROM visit GROUP BY clinic HAVING dp_keep_group(1, 1e-6)) s), 'c0,c1,c2,c3,c4', 'the clinic of one person with 100,000 visits is not shown');
SELECT is((SELECT count(*) FROM (SELECT clinic FROM visit GROUP BY clinic HAVING dp_count(1, 1e-6) > 500) s), 5::bigint, 'nor by a count of rows');
SELECT near('no rows at all', dp_count(8, 1e-6), 0, 60) FROM visit WHERE clinic = 'nowhere';
SELECT is((SELECT count(*) FROM (SELECT clinic, dp_count(1, 1e-6) FROM visit WHERE clinic = 'nowhere' GROUP BY clinic HAVING dp_keep_group(1, 1e-6)) s), 0::bigint, 'and no group');

SELECT lives_ok(format('SELECT dp_count(1, 1e-6) FROM visit GROUP BY %s HAVING dp_keep_group(1, 1e-6)', string_agg(format('clinic = ''%s''', i), ', ')), 'groups by 100 keys') FROM generate_series(1, 100) i;

-- In every way to ask
SELECT near('a view of rows', dp_count(8, 1e-6), 19000, 60) FROM old_visit;
SELECT near('a WITH query of rows', n, 19000, 60) FROM (WITH w AS (SELECT * FROM visit WHERE cost < 100) SELECT dp_count(8, 1e-6) AS n FROM w) s;
PREPARE counted (float8) AS SELECT dp_count(clinic, 8, 1e-6, $1) AS n FROM visit;
CREATE TABLE own.kept AS EXECUTE counted(1);
SELECT near('max_rows as a parameter', n, 1901, 8) FROM own.kept;
SELECT throws_ok('EXECUTE counted(0.5)', '22023', 'l2_sensitivity is out of range: 0.5', 'half a row as a parameter');
SELECT throws_ok('EXECUTE counted(NULL)', '22023', 'l2_sensitivity must not be null', 'NULL as a parameter');
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT dp_count(DISTINCT person, 8, 1e-6) FROM visit;
FETCH c \gset first_
MOVE BACKWARD 1 FROM c;
FETCH c \gset again_
SELECT is(:again_dp_count::bigint, :first_dp_count::bigint, 'a cursor that is read again shows what was released');
DECLARE later CURSOR FOR SELECT dp_count(DISTINCT person, 8, 1e-6) FROM visit;
RESET ROLE;
UPDATE visit SET person = -person WHERE person <= 1000;
INSERT INTO visit SELECT i, 'c9', 1 FROM generate_series(1, 1000) i;
SET ROLE answers_ana;
FETCH later \gset later_
SELECT near('units that have changed since a cursor was opened are those of its first row', :later_dp_count, 2901, 8);
ROLLBACK;

RESET ROLE;
ALTER TABLE visit ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_clinic ON visit FOR SELECT TO answers_ana USING (clinic IN ('c1', 'c7'));
SET ROLE answers_ana;
SELECT near('row security comes before weights', dp_count(8, 1e-6), 3810, 60) FROM visit;
RESET ROLE;
ALTER TABLE visit DISABLE ROW LEVEL SECURITY;
SET ROLE answers_ana;

-- Joins on the person
SELECT near('a join', dp_count(8, 1e-6), 19010, 60) FROM visit v JOIN person p ON p.id = v.person;
SELECT near('with a condition on both', dp_count(DISTINCT person, 8, 1e-6), 317, 8) FROM visit v JOIN person p ON p.id = v.person WHERE born < 1950;
SELECT near('people by any of their units', dp_count(DISTINCT v.person, 8, 1e-6), 1901, 8) FROM person p JOIN visit v ON v.person = p.id;
SELECT near('as values, like those of any column, by one that may be missing', dp_count(DISTINCT v.person, 8, 1e-6), 1901, 60) FROM person p LEFT JOIN visit v ON v.person = p.id;
SELECT near('persons with and without rows', dp_count(DISTINCT id, 8, 1e-6) FILTER (WHERE v.person IS NULL), 99, 8) FROM person p LEFT JOIN visit v ON v.person = p.id;
SELECT near('two tables of many rows: ten times three each', dp_count(v.clinic, 8, 1e-6, 30), 30000, 200) FROM visit v JOIN payment USING (person);
SELECT throws_ok('SELECT dp_count(1, 1e-6) FROM visit v JOIN payment p ON p.amount = v.cost', '42501', 'permission denied for table visit', 'rows of two people are not joined');
SELECT throws_ok('SELECT dp_count(1, 1e-6) FROM (visit v JOIN payment p ON p.amount = v.cost) LEFT JOIN person q ON q.id = v.person AND q.id = p.person', '42501', 'permission denied for table visit', 'nor by what is tied to both of them and may be missing');
SELECT throws_ok('SELECT dp_count(1, 1e-6) FROM visit v LEFT JOIN payment p ON p.amount = v.cost', '42501', 'permission denied for table visit', 'nor by an outer join');
SELECT throws_ok('SELECT dp_count(1, 1e-6) FROM visit v JOIN other o USING (person)', '42501', 'permission denied for table visit', 'nor those of two populations');
RESET ROLE;

-- What it cost, and who pays nothing
SELECT is((SELECT string_agg(DISTINCT people, ',') FROM gaussdp.journal WHERE sigma IS NOT NULL), 'patients', 'all is paid by the population');
SELECT count(*) AS paid FROM gaussdp.journal \gset
SET ROLE answers_reader;
SET gaussdp.as_analyst = on;
SELECT near('who may read the table asks as an analyst', dp_count(8, 1e-6), 19010, 60) FROM visit;
SELECT throws_ok('SELECT count(*) FROM visit', '42501', 'permission denied for table visit', 'and is refused as one');
SELECT throws_ok('SELECT dp_count(1, 1e-6) FROM visit JOIN person ON id = person', '42501', NULL, 'what it may not read it has no budget for');
RESET gaussdp.as_analyst;
SELECT is((SELECT count(*) FROM visit), 119000::bigint, 'and reads rows otherwise');
RESET ROLE;
SELECT is((SELECT count(*) FROM gaussdp.journal), :paid::bigint, 'nothing is charged to a reader');
SELECT * FROM finish();
DROP VIEW old_visit;
DROP TABLE own.kept, person, visit, payment, other;
DROP OWNED BY answers_ana, answers_reader;
DROP ROLE answers_ana, answers_reader;
