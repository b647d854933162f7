\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- What a refused query would have cost, what is left, and what would fit: in words that are true to the digit.
LOAD '$libdir/gaussdp';
SELECT no_plan();
CREATE ROLE prices_ana;
CREATE TABLE patient (id int PRIMARY KEY, age int);
INSERT INTO patient SELECT i, i % 90 FROM generate_series(1, 500) i;
DO $$BEGIN PERFORM gaussdp.protect('patient', unit => 'id'), gaussdp.set_bounds('patient', 'age', 0, 100); END$$;
CREATE FUNCTION refusal(query text, OUT state text, OUT message text, OUT detail text, OUT hint text) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE query;
	state := 'answered';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
END$$;
CREATE FUNCTION granted(epsilon float8, delta float8, every interval = NULL, query float8 = NULL, threshold float8 = NULL) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM gaussdp.reset_budget('prices_ana', 'patient'), gaussdp.grant_budget('prices_ana', 'patient', epsilon, delta, every, query, threshold);
END$$;

-- A fresh grant pays for one call of its own numbers, and for nothing more
SELECT granted(1, 1e-6) \g /dev/null
SET ROLE prices_ana;
SELECT is((refusal('SELECT dp_count(1, 1e-6) FROM patient')).state, 'answered', 'a grant of (1, 1e-6) pays for dp_count(1, 1e-6)');
SELECT is((SELECT left_epsilon < 0.002 FROM gaussdp.my_budget WHERE paid_by = 'prices_ana'), true, 'which spends it');
SELECT is((refusal('SELECT dp_count(0.01, 1e-6) FROM patient')).state, '53400', 'and for nothing more');
RESET ROLE;
CREATE TABLE paid (state text);
GRANT INSERT ON paid TO prices_ana;
SELECT format('SELECT granted(%s, %s)', e, d), 'SET ROLE prices_ana', format('INSERT INTO paid SELECT state FROM refusal(%L)', format('SELECT dp_count(%s, %s) FROM patient', e, d)), 'RESET ROLE'
FROM unnest('{0.01,0.1,0.3333,1,3,10}'::float8[]) e, unnest('{1e-9,1e-6,1e-3}'::float8[]) d \gexec
SELECT results_eq('SELECT state, count(*) FROM paid GROUP BY 1', $$VALUES ('answered', 18::bigint)$$, 'eighteen grants each pay for a count of their own numbers');

-- The words
SELECT granted(1, 1e-6) \g /dev/null
SET ROLE prices_ana;
SELECT results_eq($$SELECT * FROM refusal('SELECT dp_avg(age, 2, 1e-6) FROM patient')$$,
	$$VALUES ('53400', 'the privacy budget of role "prices_ana" does not suffice for this query',
		'The query costs epsilon 2 at delta 1e-06, and 1 is left. Nothing was charged and nothing was released.', 'Epsilon 1 at delta 1e-06 fits.')$$, 'cost, what is left and what fits');
SELECT is((refusal('SELECT dp_count(0.7, 1e-6) FROM patient')).state, 'answered', 'some is spent');
SELECT results_eq($$SELECT detail, hint FROM refusal('SELECT dp_count(0.8, 1e-6) FROM patient')$$,
	$$VALUES ('The query costs epsilon 0.8 at delta 1e-06, and 0.677 is left. Nothing was charged and nothing was released.', 'Epsilon 0.677 at delta 1e-06 fits.')$$, 'of the rest, too');
SELECT is((SELECT left_epsilon FROM gaussdp.my_budget WHERE paid_by = 'prices_ana'), 0.677::float8, 'as my_budget has it');
SELECT is((refusal('SELECT dp_count(0.677, 1e-6) FROM patient')).state, 'answered', 'what is said to fit fits');
SELECT results_eq($$SELECT state, hint FROM refusal('SELECT dp_count(0.8, 1e-6) FROM patient')$$, $$SELECT '53400', format('Epsilon %s at delta 1e-06 fits.', left_epsilon) FROM gaussdp.my_budget WHERE paid_by = 'prices_ana'$$,
	'a little is left');
RESET ROLE;

SELECT granted(1, 1e-6, interval '30 days', 0.5) \g /dev/null
SET ROLE prices_ana;
SELECT results_eq($$SELECT message, detail, hint FROM refusal('SELECT dp_count(0.6, 1e-6) FROM patient')$$,
	$$VALUES ('the query costs more than max_epsilon_per_query allows', 'The query costs epsilon 0.6 at delta 1e-06, and 0.5 is allowed. Nothing was charged and nothing was released.',
		'Epsilon 0.5 at delta 1e-06 fits.')$$, 'a limit on one query');
SELECT is((SELECT count(refusal('SELECT dp_count(0.5, 1e-6) FROM patient')) FROM generate_series(1, 10)), 10::int8, 'all is spent');
SELECT matches((refusal('SELECT dp_count(0.5, 1e-6) FROM patient')).detail, '^The query costs epsilon 0\.5(01)? at delta 1e-06, and 0(\.[0-9]+)? is left until 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d[^.]*\. Nothing was charged', 'when it renews');
RESET ROLE;

SELECT granted(1, 1e-6, threshold => 1e-8) \g /dev/null
SET ROLE prices_ana;
SELECT results_eq($$SELECT detail, hint FROM refusal('SELECT age, dp_count(0.1, 1e-6) FROM patient GROUP BY age HAVING dp_keep_group(0.1, 4e-8)')$$,
	$$VALUES ('The group thresholds of the query cost a delta of 2e-08, and 1e-08 is left. Nothing was charged and nothing was released.', 'A delta of 2e-08 in dp_keep_group fits, or SET gaussdp.delta = 2e-08.')$$, 'of thresholds');
RESET ROLE;

SELECT granted(1000, 1e-6), gaussdp.reset_population_budget('patient'), gaussdp.set_population_budget('patient', 0.5, 1e-6) \g /dev/null
SET ROLE prices_ana;
SELECT results_eq($$SELECT message, hint FROM refusal('SELECT dp_count(1, 1e-6) FROM patient')$$,
	$$VALUES ('the privacy budget of the population does not suffice for this query', 'Epsilon 0.5 at delta 1e-06 fits.')$$, 'of the population');
RESET ROLE;
SELECT results_eq('SELECT gaussdp_internal.three_digits(x, true), gaussdp_internal.three_digits(x, false) FROM unnest(ARRAY[0, 1, 1.001, 0.99999, 123456, 1.23456e-9, ''Infinity'']::float8[]) x',
	$$VALUES (0::float8, 0::float8), (1, 1), (1.01, 1), (1, 0.999), (124000, 123000), (1.24e-9, 1.23e-9), ('Infinity', 'Infinity')$$, 'three digits, up and down');

-- What an analyst sees of its own
SELECT gaussdp.drop_population_budget('patient'), granted(1, 1e-6) \g /dev/null
CREATE ROLE prices_ben;
SELECT gaussdp.grant_budget('prices_ben', 'patient', 1, 1e-6, default_epsilon => 0.1, default_delta => 1e-6) \g /dev/null
SELECT max(charge) AS last FROM gaussdp.journal \gset
SET ROLE prices_ana;
SELECT results_eq('SELECT * FROM gaussdp.queries_left()', $$VALUES ('patient'::regclass, NULL::float8, NULL::float8, NULL::int8, NULL::int8)$$, 'calls without numbers are not for this role');
SET gaussdp.epsilon = 0.1;
SET gaussdp.delta = 1e-6;
SELECT is(gaussdp.queries_left(), ('patient'::regclass, 0.1::float8, 1e-6::float8, gaussdp.queries_left('patient', 0.1, 1e-6), gaussdp.queries_left('patient', 0.1, 5e-7)), 'until it says them');
SELECT is((refusal('SELECT dp_count(*), dp_count(*), dp_avg(age, 0.2, 1e-6) FROM patient')).state, 'answered', 'a query');
RESET gaussdp.epsilon;
RESET gaussdp.delta;
SELECT results_eq(format('SELECT kind, "table", times, sigma, mu2 FROM gaussdp.my_journal WHERE charge > %s ORDER BY item', :last),
	format($$SELECT kind, 'public.patient', 1, release.sigma, mu_squared FROM gaussdp.explain_privacy('SELECT dp_count(0.1, 1e-6), dp_avg(age, 0.2, 1e-6) FROM patient', exact => true), LATERAL (SELECT call AS kind, sigma) release$$),
	'a role sees its own releases');
SELECT throws_ok('SELECT query_text FROM gaussdp.my_journal', '42703', NULL, 'not the texts');
SET ROLE prices_ben;
SELECT is_empty('SELECT * FROM gaussdp.my_journal', 'and nobody else''s');
SELECT ok(queries BETWEEN 69 AND 80, 'by the grant''s numbers') FROM gaussdp.queries_left();
SELECT is((refusal('SELECT dp_count(*) FROM patient')).state, 'answered', 'ben asks');
SELECT is((SELECT count(*) FROM gaussdp.my_journal), 1::bigint, 'and sees it');
RESET ROLE;
DROP ROLE prices_ben;
SELECT is((SELECT count(*) FROM gaussdp.budget WHERE paid_by = 'prices_ben' AND granted), 0::bigint, 'he leaves');
SELECT granted(1, 1e-6) \g /dev/null
SET ROLE prices_ana;
SELECT is((refusal('SELECT dp_count(0.1, 1e-6) FROM patient')).state, 'answered', 'a charge closes what he had');
RESET ROLE;
CREATE ROLE prices_ben;
SET ROLE prices_ben;
SELECT is_empty('SELECT * FROM gaussdp.my_journal', 'another role of his name sees nothing of his');
RESET ROLE;

-- The verdict before the fact
SELECT granted(1, 1e-6, query => 0.8, threshold => 1e-8) \g /dev/null
SET ROLE prices_ana;
SELECT results_eq(format('SELECT DISTINCT verdict, reason FROM gaussdp.explain_privacy(%L) ORDER BY 2', query), expected, query)
FROM (VALUES ('SELECT dp_count(0.5, 1e-6) FROM patient', $$VALUES ('private', NULL)$$),
	('SELECT dp_count(2, 1e-6) FROM patient', $$VALUES ('too expensive', 'The budget does not suffice.')$$),
	('SELECT dp_count(0.5, 1e-6), dp_avg(age, 0.65, 1e-6) FROM patient', $$VALUES ('too expensive', 'The query costs more than max_epsilon_per_query allows.'), ('too expensive', NULL)$$),
	('SELECT dp_count(0.5, 1e-6), dp_count(0.65, 1e-6), dp_count(0.7, 1e-6) FROM patient', $$VALUES ('too expensive', 'The budget does not suffice.'), ('too expensive', 'The query costs more than max_epsilon_per_query allows.'), ('too expensive', NULL)$$),
	('SELECT age, dp_count(0.1, 1e-6) FROM patient GROUP BY age HAVING dp_keep_group(0.1, 4e-8)', $$VALUES ('too expensive', 'The threshold needs more than the delta of 1e-08 that is left for thresholds.'), ('too expensive', NULL)$$),
	('SELECT dp_count(0.5, 1e-6) FROM patient UNION ALL SELECT dp_count(0.6, 1e-6) FROM patient UNION ALL SELECT dp_count(0.7, 1e-6) FROM patient', $$VALUES ('too expensive', 'The budget does not suffice.'), ('too expensive', 'The query costs more than max_epsilon_per_query allows.'), ('too expensive', NULL)$$)) v (query, expected);
RESET ROLE;
SELECT * FROM finish();
DROP OWNED BY prices_ben;
DROP ROLE prices_ben;
DROP OWNED BY prices_ana;
DROP ROLE prices_ana;
