\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- People who own many rows: verdicts, prices and what explain_privacy says of max_rows.
BEGIN;
CREATE TABLE visit (person int NOT NULL, clinic text, cost float8, day date, v float8[]);
CREATE TABLE clinic (name text PRIMARY KEY);
CREATE ROLE people_ana;
GRANT SELECT ON clinic TO people_ana;
DO $$BEGIN PERFORM gaussdp.protect('visit', unit => 'person', max_rows => 5, max_groups => 30), gaussdp.set_bounds('visit', 'cost', 0, 100); END$$;
CREATE FUNCTION verdict(query text) RETURNS text LANGUAGE sql AS
	$$SELECT string_agg(coalesce(substring(reason FROM '^Rule \d+'), verdict), ', ') FROM gaussdp.explain_privacy(query)$$;
CREATE FUNCTION asked(calls text) RETURNS text LANGUAGE sql AS
	$$SELECT string_agg(coalesce(max_rows::text, '-') || ' ' || round(l2_sensitivity::numeric, 3)::float8, ', ') FROM gaussdp.explain_privacy('SELECT ' || calls || ' FROM visit', exact => true)$$;
CREATE FUNCTION reason_of(query text) RETURNS text LANGUAGE sql AS $$SELECT reason FROM gaussdp.explain_privacy(query)$$;
CREATE FUNCTION grouped(test text) RETURNS text LANGUAGE sql AS
	$$SELECT verdict('SELECT clinic, dp_avg(cost, 1, 1e-6) FROM visit GROUP BY clinic HAVING ' || test)$$;
CREATE FUNCTION threshold(test text) RETURNS float8 LANGUAGE sql AS
	$$SELECT sum(threshold_delta) FROM gaussdp.explain_privacy('SELECT clinic FROM visit GROUP BY clinic HAVING ' || test, exact => true)$$;
SELECT plan(60);
SET LOCAL ROLE people_ana;

-- k: one number for a level, and the noise follows
SELECT is(asked('dp_count(1, 1e-6)'), '5 5', 'max_rows is what the owner has declared');
SELECT is(asked('dp_count(clinic, 1, 1e-6)'), '5 5', 'of a value, too');
SELECT is(asked('dp_count(clinic, 1, 1e-6, 20)'), '20 20', 'a count asks for more');
SELECT is(asked('dp_count(clinic, 1, 1e-6, 2)'), '2 2', 'or for less');
SELECT is(asked('dp_sum(cost, 1, 1e-6, -10, 100, 3)'), '3 300', 'a sum');
SELECT is(asked('dp_sum(cost, 1, 1e-6, 100)'), '5 500', 'a sum with its bound alone');
SELECT is(asked('dp_count(1, 1e-6), dp_sum(cost, 1, 1e-6, -10, 100, 3)'), '3 3, 3 300', 'calls that ask for nothing take what others ask for');
SELECT is(asked('dp_sum(cost, 1, 1e-6, -10, 100, 3), dp_avg(cost, 1, 1e-6, 0, 10), dp_count(cost, 1, 1e-6, 3)'), '3 300, 3 15, 3 3', 'wherever these stand');
SELECT is(asked('dp_histogram(cost, 1, 1e-6, 0, 10, 4)'), '5 5', 'a histogram');
SELECT is(asked('dp_avg(cost, 1, 1e-6, 0, 10)'), '5 25', 'an average');
SELECT is(asked('dp_sum(v, 1, 1e-6, 7, 3)'), '5 35', 'a vector');
SELECT is(asked('dp_count(1, 1e-6), dp_median(cost, 1, 1e-6, 0, 10), dp_var(cost, 1, 1e-6, 0, 10), dp_avg(cost, 1, 1e-6), dp_count_estimate(1, 1e-6)') ~ '^5 5, 5 [0-9.]+, 5 [0-9.]+, 5 [0-9.]+, 5 5$', true, 'every other kind');
SELECT ok((SELECT (max(sigma) / min(sigma)) BETWEEN 3.999999 AND 4.000001 FROM (SELECT sigma FROM gaussdp.explain_privacy('SELECT dp_count(cost, 1, 1e-6, 8) FROM visit', exact => true) UNION ALL SELECT sigma FROM gaussdp.explain_privacy('SELECT dp_count(cost, 1, 1e-6, 2) FROM visit', exact => true)) s), 'sigma grows with max_rows');
SELECT ok((SELECT max(mu_squared) / min(mu_squared) < 1 + 1e-9 FROM (SELECT mu_squared FROM gaussdp.explain_privacy('SELECT dp_count(cost, 1, 1e-6, 8) FROM visit', exact => true) UNION ALL SELECT mu_squared FROM gaussdp.explain_privacy('SELECT dp_count(cost, 1, 1e-6, 2) FROM visit', exact => true)) s), 'and the price stays');
SELECT is(reason_of('SELECT dp_count(cost, 1, 1e-6, 8), dp_sum(cost, 1, 1e-6, 0, 9, 4) FROM visit'),
	'Rule 8 (unit and rows), at character 36: calls of one level ask for different max_rows, 8 and 4.', 'two different numbers are refused, both are named');
SELECT is(verdict('WITH a AS (SELECT dp_count(cost, 1, 1e-6, 8) AS n FROM visit), b AS (SELECT dp_count(cost, 1, 1e-6, 4) AS n FROM visit) SELECT a.n, b.n FROM a, b'), 'private, private', 'but not in two levels');
SELECT throws_ok($$SELECT verdict('SELECT dp_count(cost, 1, 1e-6, 2.5) FROM visit')$$, '22023', 'l2_sensitivity is out of range: 2.5', 'half a row');
SELECT throws_ok($$SELECT verdict('SELECT dp_sum(cost, 1, 1e-6, 0, 1, 0) FROM visit')$$, '22023', 'max_rows is out of range: 0', 'no row');
SELECT throws_ok($$SELECT verdict('SELECT dp_sum(cost, 1, 1e-6, 0, 1, 4294967297) FROM visit')$$, '22023', 'max_rows is out of range: 4294967297', 'too many');
SELECT is(asked('dp_sum(cost, 1, 1e-6, 0, 1, 1048576)'), '1048576 1048576', 'a million');
SELECT throws_ok($$SELECT verdict('SELECT dp_sum(cost, 1, 1e-6, 0, 1, NULL) FROM visit')$$, '22023', 'max_rows must not be null', 'NULL');
SELECT is(reason_of('SELECT dp_sum(cost, 1, 1e-6, 0, 1, $1) FROM visit'), 'The price depends on parameters of the statement.', 'a parameter');

-- People
SELECT is(asked('dp_count(DISTINCT person, 1, 1e-6)'), '- 1', 'people are counted with sensitivity 1');
SELECT is(asked('dp_count(DISTINCT person, 1, 1e-6, 2.5)'), '- 2.5', 'or what the call says');
SELECT is(asked('dp_count(DISTINCT person, 1, 1e-6, 3), dp_count(1, 1e-6)'), '- 3, 5 5', 'which says nothing of max_rows');
SELECT is(asked('dp_count(DISTINCT person, 1, 1e-6) FILTER (WHERE cost > 3)'), '- 1', 'people with some row');
SELECT is(asked('dp_count(DISTINCT clinic, 1, 1e-6)'), '5 5', 'values of other columns than the unit are taken as often as rows count');
SELECT is(asked('dp_count(DISTINCT person::text, 1, 1e-6, 2), dp_count(1, 1e-6)'), '2 2, 2 2', 'so are those that are computed from it');
SELECT is(verdict('SELECT dp_sum(DISTINCT cost, 1, 1e-6, 0, 1) FROM visit'), 'Rule 3', 'other calls');
SELECT is(verdict('SELECT dp_sum(DISTINCT person, 1, 1e-6, 0, 1) FROM visit'), 'Rule 3', 'other calls of the unit');
SELECT is(verdict('SELECT dp_count(person, 1, 1e-6 ORDER BY cost) FROM visit'), 'private', 'an order changes nothing');

-- Groups found in the data
SELECT is(grouped('dp_keep_group(1, 1e-6)'), 'private, private', 'dp_keep_group');
SELECT is(grouped('dp_keep_group(1, 1e-6, 4)'), 'Rule 3', 'it takes no max_rows: it counts people');
SELECT is(grouped('dp_keep_group(1, 1e-6) FILTER (WHERE cost > 3)'), 'Rule 3', 'nor a FILTER');
SELECT ok(threshold('dp_keep_group(1, 1e-6)') BETWEEN 4.9e-7 AND 5e-7 + 1e-15, 'half of its delta is for the threshold');
SELECT is(grouped('dp_count(DISTINCT person, 1, 1e-6) > 25'), 'private, private', 'people above a number');
SELECT is(grouped('dp_count(DISTINCT person, 1, 1e-6) > 20'), 'Rule 7', 'too low a number');
SELECT is(grouped('dp_count(DISTINCT person, 1, 1e-6) FILTER (WHERE cost > 3) > 1000'), 'Rule 7', 'filtered people');
SELECT is(grouped('dp_count(1, 1e-6) > 130'), 'private, private', 'rows above a number');
SELECT is(grouped('dp_count(1, 1e-6) > 25'), 'Rule 7', 'too low a number of rows');
SELECT is(grouped('dp_count(cost, 1, 1e-6, 1) > 30'), 'private, private', 'it depends on max_rows');
SELECT ok(threshold('dp_count(DISTINCT person, 1, 1e-6) > 27') < threshold('dp_count(DISTINCT person, 1, 1e-6) > 26'), 'the delta is that of the number');
SELECT alike((SELECT hint FROM gaussdp.explain_privacy('SELECT clinic FROM visit GROUP BY clinic HAVING dp_count(DISTINCT person, 1, 1e-6) > 3')), 'The smallest legal numbers for this very call are: dp_count(...) > 2_, or dp_count(...) >= 2_.', 'the smallest number');
SELECT is(verdict('SELECT c.name, dp_count(1, 1e-6) FROM clinic c LEFT JOIN visit v ON v.clinic = c.name GROUP BY c.name'), 'private', 'public keys');
SELECT is(verdict('SELECT v.clinic, dp_count(1, 1e-6) FROM clinic c LEFT JOIN visit v ON v.clinic = c.name GROUP BY v.clinic'), 'Rule 7', 'keys of the rows are not public');

-- The unit
RESET ROLE;
CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
SELECT format('CREATE TABLE by_%s (u %s NOT NULL)', split_part(t, ' ', 1), t) FROM unnest('{text,uuid,bigint,jsonb,xid,int,varchar,numeric}'::text[]) t \gexec
CREATE TABLE by_name (u text COLLATE any_case NOT NULL);
DO $$DECLARE t text; BEGIN FOREACH t IN ARRAY '{text,uuid,bigint,name,jsonb,xid,int,varchar,numeric}'::text[] LOOP PERFORM gaussdp.protect(('by_' || t)::regclass, unit => 'u', max_rows => 1); END LOOP; END$$;
ALTER TABLE by_int ALTER u DROP NOT NULL;
SET LOCAL ROLE people_ana;
SELECT is((SELECT string_agg(t || ' ' || verdict('SELECT dp_count(1, 1e-6) FROM by_' || t), ', ') FROM unnest('{text,uuid,bigint,varchar,numeric,int}'::text[]) t),
	'text private, uuid private, bigint private, varchar private, numeric private, int private', 'units of types that sort and hash');
SELECT alike(reason_of('SELECT dp_count(1, 1e-6) FROM by_name'), 'Rule 8 %takes different texts for equal.', 'texts that are equal and different');
SELECT alike(reason_of('SELECT dp_count(1, 1e-6) FROM by_xid'), 'Rule 8 %cannot be compared safely.', 'a type without an order');
RESET ROLE;
SELECT is((SELECT string_agg(format('%s %s', "table", problem), '; ' ORDER BY "table"::text COLLATE "C") FROM gaussdp.protected_tables WHERE NOT usable),
	'by_jsonb rows of a person cannot be found: values of the unit column cannot be compared safely; by_name rows of a person cannot be found: the collation of the unit column takes different texts for equal; by_xid rows of a person cannot be found: values of the unit column cannot be compared safely', 'protected_tables says the same');
SELECT is((SELECT count(*)::int FROM unnest('{by_name,by_xid}'::regclass[]) t, gaussdp.check_policy(t) c WHERE severity = 'error' AND what LIKE 'no query is answered: %'), 2, 'and so does check_policy');

-- Each further table with many rows a person multiplies the rows of one person.
SET LOCAL ROLE people_ana;
SELECT is(verdict('SELECT dp_count(1, 1e-6) FROM visit a JOIN visit b USING (person) JOIN visit c USING (person)'), 'private', 'three tables with many rows a person');
SELECT is(verdict('SELECT dp_count(1, 1e-6) FROM visit a JOIN visit b USING (person) JOIN visit c USING (person) JOIN visit d USING (person)'), 'Rule 8', 'but not four');

-- A person with one row is a person as before.
RESET ROLE;
CREATE UNIQUE INDEX visit_person ON visit (person);
SET LOCAL ROLE people_ana;
SELECT is(asked('dp_count(1, 1e-6), dp_sum(cost, 1, 1e-6, -10, 100, 3)'), '- 1, - 100', 'a unique unit: nothing is weighed');
SELECT is(verdict('SELECT dp_count(DISTINCT person, 1, 1e-6), dp_count(DISTINCT clinic, 1, 1e-6) FROM visit'), 'private, private', 'and DISTINCT is what it was');
RESET ROLE;
DROP INDEX visit_person;

-- For readers of the table
SELECT is(verdict('SELECT dp_count(1, 1e-6) FROM visit'), 'outside the policy', 'its owner is outside of the policy');
SET LOCAL gaussdp.as_analyst = on;
SELECT is((SELECT verdict || ': ' || reason FROM gaussdp.explain_privacy('SELECT dp_count(1, 1e-6) FROM visit')), 'private: This role may read the table: nothing is charged.', 'unless asked for');
SELECT throws_ok('SELECT * FROM visit', '42501', 'permission denied for table visit', 'rows are refused, as for an analyst');
SELECT lives_ok('INSERT INTO visit VALUES (1, ''a'', 1, ''2020-01-01''); UPDATE visit SET cost = 2; DELETE FROM visit', 'but may be changed');
GRANT SELECT (clinic) ON visit TO people_ana;
SET LOCAL ROLE people_ana;
SELECT is(verdict('SELECT clinic FROM visit'), 'outside the policy', 'who may read one column reads it');
SELECT is((SELECT reason FROM gaussdp.explain_privacy('SELECT dp_count(DISTINCT person, 1, 1e-6) FROM visit')), 'No budget for this table has been granted to this role.', 'and pays for all others');
RESET ROLE;
SELECT * FROM finish();
ROLLBACK;
