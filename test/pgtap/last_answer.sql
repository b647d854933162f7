\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- gaussdp.last_answer says how many of the shown numbers are rough.  It says no more than they do: the same comes out of what is shown.
SET client_min_messages = warning;
CREATE TABLE sale (id int PRIMARY KEY, month int NOT NULL, x float8 NOT NULL);
CREATE TABLE month (month int PRIMARY KEY);
INSERT INTO month SELECT generate_series(1, 60);
-- From none in month 20 to 400 in month 60
INSERT INTO sale SELECT row_number() OVER (), m, 1 FROM generate_series(21, 60) m, generate_series(1, 10 * (m - 20)) i;
CREATE ROLE rough_ana;
GRANT SELECT ON month TO rough_ana;
SELECT gaussdp.protect('sale', unit => 'id'), gaussdp.set_bounds('sale', 'x', -1, 1), gaussdp.set_public_keys('sale', 'month', 'month', 'month'), gaussdp.grant_budget('rough_ana', 'sale', epsilon => 1000, delta => 1e-2) \g /dev/null
SELECT plan(24);
CREATE FUNCTION is_rough(half_width float8, value float8) RETURNS int8 LANGUAGE sql AS $$SELECT (half_width > abs(value) / 2)::int::int8$$;
SET ROLE rough_ana;

-- No two statements see the same noise, and a transaction sees what its last statement has released
CREATE TEMP TABLE sums AS SELECT month, dp_sum(x, 0.2, 1e-6) AS n FROM sale GROUP BY month;
CREATE TEMP TABLE said AS SELECT * FROM gaussdp.last_answer;
SELECT is(rough, (SELECT sum(public.is_rough(half_width_95, n))::int8 FROM sums), 'of sums: as many as are small beside their noise') FROM said;
SELECT ok(rough BETWEEN 20 AND 50 AND groups = 60, 'which are some of them') FROM said;
DROP TABLE sums, said;
CREATE TEMP TABLE estimates AS SELECT month, dp_count_estimate(0.2, 1e-6) AS count, dp_avg_estimate(x, 1, 1e-6) AS avg, dp_stddev_estimate(x, 1, 1e-6) AS stddev, dp_quantile_estimate(x, 1, 1e-6, 0, 100, 0.5) AS quantile FROM sale GROUP BY month;
CREATE TEMP TABLE said AS SELECT call, rough FROM gaussdp.last_answer;
SELECT is(rough, (SELECT sum(public.is_rough((e).ci_high / 2 - (e).ci_low / 2, (e).value)) FILTER (WHERE (e).reliable IS NULL OR (e).reliable OR kind = 'stddev')::int8
	FROM estimates, LATERAL (VALUES ('count', count), ('avg', avg), ('stddev', stddev), ('quantile', quantile)) v (kind, e) WHERE call = 'dp_' || kind || '_estimate'), 'by the interval of ' || call) FROM said ORDER BY call;
SELECT ok(bool_or(rough > 0) AND bool_or(rough < 60), 'of some, and not of all') FROM said;
DROP TABLE estimates, said;
CREATE TEMP TABLE shown AS SELECT month, dp_sum(x, 0.2, 1e-6) AS n FROM sale GROUP BY month HAVING dp_sum(x, 0.2, 1e-6) > 300;
SELECT is(rough, 0::int8, 'groups that HAVING hides are not counted') FROM gaussdp.last_answer;
CREATE TEMP TABLE hidden AS SELECT month FROM sale GROUP BY month HAVING dp_count(0.2, 1e-6) > 100;
SELECT is(rough, NULL, 'nor are numbers that it alone reads') FROM gaussdp.last_answer;
SELECT isnt(dp_histogram(x, 1, 1e-6, 0, 2, 4), NULL, 'histograms are many numbers') FROM sale;
SELECT is(rough, NULL, 'of which nothing is said') FROM gaussdp.last_answer;
-- How small groups are that are hidden: the threshold is public, and takes half of delta
SELECT count(*) FROM (SELECT x, dp_count(0.2, 1e-6) FROM sale GROUP BY x HAVING dp_keep_group(0.2, 1e-6)) AS s \g /dev/null
SELECT is(least_people, round(1 + sigma * 4.8916384756999), 'about how many people a group has at least that is shown') FROM gaussdp.last_answer WHERE call = 'dp_keep_group';
SELECT is(least_people, NULL, 'the calls beside hide none') FROM gaussdp.last_answer WHERE call = 'dp_count';
RESET ROLE;
-- People in up to 12 months, of which 100 may be found: a group of as many who are in one alone has a higher threshold (aggregate/keep.c)
CREATE TABLE visit (person int NOT NULL, month int NOT NULL, home int NOT NULL);
INSERT INTO visit SELECT p, 1 + (p + i) % 12, p % 3 FROM generate_series(1, 3000) p, generate_series(1, 12) i;
SELECT gaussdp.protect('visit', unit => 'person', max_rows => 12), gaussdp.grant_budget('rough_ana', 'visit', epsilon => 1000, delta => 1e-2) \g /dev/null
SET ROLE rough_ana;
SELECT count(*) FROM (SELECT month, dp_count(0.2, 1e-6) FROM visit GROUP BY month HAVING dp_keep_group(0.2, 1e-6)) AS s \g /dev/null
SELECT is(least_people, round(0.1 + sigma * 5.7307288), 'a higher one where a person may be in several groups') FROM gaussdp.last_answer WHERE call = 'dp_keep_group';
RESET ROLE;

-- One notice a statement says from which size on groups are shown, whether any is hidden or not; another session hears it
\setenv PGDATABASE :DBNAME
\setenv PGUSER :USER
\set heard 'psql -qXAt -c "SET ROLE rough_ana" -c "SET gaussdp.epsilon = 1; SET gaussdp.delta = 1e-6; SET gaussdp.reuse_answers = 0" -c'
\setenv HEARD :heard
\set one `eval "$HEARD 'SELECT x FROM sale GROUP BY x HAVING dp_keep_group(1, 1e-6)'" 2>&1`
SELECT matches(:'one'::text, '^NOTICE:  small groups are not shown\nDETAIL:  Groups of fewer than about 2[0-9] people are not shown\.\nHINT:  A larger epsilon shows smaller groups; of keys that the owner declares public all are shown\. gaussdp\.last_answer [^\n]*\n1$', 'where all groups are shown');
\set some `eval "$HEARD 'SELECT x + (id % 4100)::int * 0 + (id < 9)::int FROM sale GROUP BY 1 HAVING dp_keep_group(1, 1e-6)'" 2>&1`
SELECT is(:'some'::text, :'one', 'the same where one is hidden');
\set none `eval "$HEARD 'SELECT x FROM sale WHERE id < 9 GROUP BY x HAVING dp_keep_group(1, 1e-6)'" 2>&1`
SELECT is(:'none' || chr(10) || '1', :'one', 'and where all are');
\set twice `eval "$HEARD 'SELECT count(*) FROM (SELECT x FROM sale GROUP BY x HAVING dp_keep_group(1, 1e-6) UNION ALL SELECT x FROM sale WHERE id > 2000 GROUP BY x HAVING dp_keep_group(1, 1e-6)) s'" 2>&1`
SELECT is((SELECT count(*) FROM regexp_matches(:'twice', 'NOTICE', 'g')) || ' ' || (SELECT count(*) FROM regexp_matches(:'twice', 'fewer than', 'g')), '1 1', 'once in a statement');
\set several `eval "$HEARD 'SELECT month FROM visit GROUP BY month HAVING dp_keep_group(1, 1e-6)'" 2>&1`
SELECT matches(:'several'::text, 'DETAIL:  Groups of fewer than about 2[0-9] people, or of more who are in several, are not shown\.', 'more people where they are in several groups');
\set public `eval "$HEARD 'SELECT month, dp_count(1, 1e-6) FROM sale GROUP BY month HAVING month < 3'" 2>&1`
SELECT doesnt_match(:'public'::text, 'NOTICE', 'nothing of public keys, all of which are shown');
\set plain `eval "$HEARD 'SET gaussdp.answer_plain_sql = on; SELECT x FROM sale GROUP BY x'" 2>&1`
SELECT matches(:'plain'::text, '^NOTICE:  answers over protected tables are noisy[^\n]*\n.*NOTICE:  small groups are not shown\n', 'where plain SQL hides them by itself');
\set rough `eval "$HEARD 'SET gaussdp.answer_plain_sql = on; SELECT x, count(*) FILTER (WHERE id = 1) FROM sale GROUP BY x'" 2>&1`
SELECT matches(:'rough'::text, 'NOTICE:  the answer is rough\nDETAIL:  Groups of fewer than about [0-9]+ people are not shown\. 1 of 1 number may be off', 'in one notice with what else is to be said');
\set hidden `eval "$HEARD 'SET gaussdp.answer_plain_sql = on; SELECT x, count(*) FROM sale WHERE id < 9 GROUP BY x'" 2>&1`
SELECT ok(:'hidden' ~ 'NOTICE:  no group is shown\n' AND :'hidden' !~ 'small groups are not shown', 'and once where no group is shown');
\set quiet `eval "$HEARD 'SET client_min_messages = warning; SELECT x FROM sale GROUP BY x HAVING dp_keep_group(1, 1e-6)'" 2>&1`
SELECT is(:'quiet'::text, '1', 'nothing where notices are not wanted');
SELECT * FROM finish();
