\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- What somebody asks first of a table of people with 1 to 25 rows each, of which nothing is declared but whose rows they are: at epsilon 15 plain SQL is within
-- 5 percent of the truth, or a notice says how much is missing.
SET client_min_messages = warning;
CREATE TABLE steady (customer int NOT NULL, month int NOT NULL, online bool NOT NULL, amount numeric(8, 2) NOT NULL, kind int NOT NULL);
CREATE TABLE skewed (LIKE steady);
CREATE TABLE fading (LIKE steady);
CREATE TABLE alike (LIKE steady);
-- 1 to 25 rows as often each; 25 of one in ten, and one of the others; ever fewer people with more; 25 of all
CREATE FUNCTION fill(t regclass, people int, rows_of text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('INSERT INTO %s SELECT c, 1 + (c * 7 + i * 5) %% 12, (c * 3 + i) %% 3 = 0, 5 + (c * 17 + i * 29) %% 90, (c + i) %% 4 FROM generate_series(1, %s) c, generate_series(1, %s) i', t, people, rows_of);
END $$;
SELECT fill('steady', 4000, '1 + c % 25'), fill('skewed', 10000, 'CASE WHEN c % 10 = 0 THEN 25 ELSE 1 END'), fill('fading', 8000, 'least(25, 1 + (c * 37 % 101) * (c * 37 % 101) / 410)'), fill('alike', 1500, '25') \g /dev/null
-- One row of each person, and 1 to 25 months beside it
CREATE TABLE staff (id int PRIMARY KEY, hired int NOT NULL, gone int NOT NULL);
INSERT INTO staff SELECT p, 1 + p % 7, 1 + p % 7 + p % 25 FROM generate_series(1, 10000) p;
CREATE TABLE month (month int PRIMARY KEY);
INSERT INTO month SELECT generate_series(1, 31);
CREATE TABLE tag (kind int NOT NULL, tag text NOT NULL, PRIMARY KEY (kind, tag));
INSERT INTO tag SELECT k, 'tag ' || (k + t) % 5 FROM generate_series(0, 3) k, generate_series(0, 2) t;
CREATE ROLE new_ana;
GRANT SELECT ON month, tag TO new_ana;
SELECT gaussdp.protect(t, unit => CASE t::text WHEN 'staff' THEN 'id' ELSE 'customer' END), gaussdp.grant_budget('new_ana', t, epsilon => 1000, delta => 1e-2, default_epsilon => 15, default_delta => 1e-6)
FROM unnest('{steady, skewed, fading, alike, staff}'::regclass[]) t \g /dev/null

CREATE TABLE asked (no int PRIMARY KEY, name text, query text);
INSERT INTO asked SELECT row_number() OVER (), q.name || ': ' || t, format(query, t) FROM (VALUES
	('a count', 'SELECT '''', count(*) FROM %s'),
	('counts by month', 'SELECT month, count(*) FROM %s GROUP BY month'),
	('people', 'SELECT '''', count(DISTINCT customer) FROM %s'),
	('people by month', 'SELECT month, count(DISTINCT customer) FROM %s GROUP BY month'),
	('a sum', 'SELECT '''', sum(amount) FROM %s'),
	('a quotient', 'SELECT '''', sum(amount) / count(*) FROM %s'),
	('quotients by month', 'SELECT month, sum(amount) / count(amount) FROM %s GROUP BY month'),
	('a share', 'SELECT '''', 100.0 * count(*) FILTER (WHERE online) / count(*) FROM %s'),
	('shares by month', 'SELECT month, sum(CASE WHEN online THEN 1 ELSE 0 END)::numeric / count(*) FROM %s GROUP BY month'),
	('a join to three public rows', 'SELECT '''', count(*) FROM %s JOIN tag USING (kind)'),
	('the same by tag', 'SELECT tag, count(*) FROM %s JOIN tag USING (kind) GROUP BY tag'),
	('people by tag', 'SELECT tag, count(DISTINCT customer) FROM %s JOIN tag USING (kind) GROUP BY tag')) q (name, query), unnest('{steady, skewed, fading, alike}'::text[]) t;
INSERT INTO asked SELECT 100 + row_number() OVER (), q.name || ': staff', query FROM (VALUES
	('a join of one row to many public ones', 'SELECT '''', count(*) FROM staff JOIN month ON month BETWEEN hired AND gone AND month <= 15'),
	('the same by month', 'SELECT month, count(*) FROM staff JOIN month ON month BETWEEN hired AND gone AND month <= 15 GROUP BY month'),
	('people of them by month', 'SELECT month, count(DISTINCT id) FROM staff JOIN month ON month BETWEEN hired AND gone AND month <= 15 GROUP BY month')) q (name, query);
CREATE TABLE truth (no int, key text, value float8);
SELECT format('INSERT INTO truth SELECT %s, key::text, value FROM (%s) AS q (key, value)', no, query) FROM asked \gexec
CREATE TABLE answer (LIKE truth);
GRANT INSERT ON answer TO new_ana;

-- Another session, whose notices are heard
SELECT E'SET ROLE new_ana;\nSET gaussdp.answer_plain_sql = on;\n' || string_agg(format(E'\\warn question %s\nINSERT INTO answer SELECT %s, key::text, value FROM (%s) AS q (key, value);\n', no, no, query), '' ORDER BY no) AS script FROM asked \gset
\setenv PGDATABASE :DBNAME
\setenv PGUSER :USER
\setenv SCRIPT :script
\set heard `printf '%s' "$SCRIPT" | psql -qXAt 2>&1`
CREATE TABLE notice AS SELECT m[1]::int AS no, m[2] AS notice FROM regexp_matches(:'heard', 'question (\d+)((?:(?!question \d).)*)', 'g') AS m;

SELECT plan((SELECT count(*)::int FROM asked) + 2);
SELECT is((SELECT count(*) FROM notice WHERE notice ~ 'ERROR'), 0::bigint, 'all are answered') ;
CREATE TABLE judged AS
SELECT a.no, a.name, n.notice, max(abs(coalesce(g.value, 0) / t.value - 1)) AS off, max(1 - coalesce(g.value, 0) / t.value) AS missing, (regexp_match(n.notice, 'leaves out about (\d+) percent'))[1]::float8 / 100 AS said
FROM asked a JOIN truth t USING (no) LEFT JOIN answer g ON g.no = t.no AND g.key = t.key JOIN notice n ON n.no = a.no GROUP BY 1, 2, 3;
SELECT ok(off <= 0.05 OR abs(said - missing) <= 0.07, format('%s: off by %s percent, %s', name, round(100 * off::numeric, 1), coalesce(round(100 * said) || ' are said to be missing', 'nothing is said to be missing')))
FROM judged ORDER BY no;
SELECT ok(count(*) FILTER (WHERE off <= 0.05) >= 45, format('most need no notice: %s of %s are within 5 percent', count(*) FILTER (WHERE off <= 0.05), count(*))) FROM judged;
SELECT * FROM finish();
