-- What is told of an answer that leaves something out.
CREATE TABLE few (person int NOT NULL, x float8 NOT NULL);
CREATE TABLE many (person int NOT NULL);
CREATE TABLE often (person int NOT NULL, month int NOT NULL);
CREATE TABLE pair (person int PRIMARY KEY, x float8 NOT NULL, y float8 NOT NULL);
INSERT INTO few VALUES (1, 5);
INSERT INTO many SELECT generate_series(1, 10000);
INSERT INTO often SELECT p, m FROM generate_series(1, 10000) p, generate_series(1, 2) m;
INSERT INTO pair VALUES (1, 5, 5);
SELECT gaussdp.protect('few', unit => 'person', max_rows => 0), gaussdp.protect('many', unit => 'person', max_rows => 0), gaussdp.set_bounds('few', 'x', 0, 10);
SELECT gaussdp.protect('often', unit => 'person', max_rows => 2), gaussdp.protect('pair', unit => 'person'), gaussdp.set_bounds('pair', 'x', 0, 10), gaussdp.set_bounds('pair', 'y', 0, 10);
SET gaussdp.as_analyst = on;
-- Nothing before the first answer
SELECT * FROM gaussdp.last_answer;
SELECT true AS answered FROM few HAVING dp_count(0.5, 1e-6) < 1000;
SELECT call, relation, max_rows, is_found, cut, cut_at_most, mu_squared, groups, rough FROM gaussdp.last_answer;
-- One notice for all levels of a statement
SELECT (SELECT true FROM few HAVING dp_count(0.5, 1e-6) < 1000) AND (SELECT true FROM few HAVING dp_sum(x, 0.5, 1e-6) < 10000) AS answered;
-- None where nothing is cut off, where the number of rows is given, or where nobody looks at the answer
SELECT dp_count(2, 1e-6) < 20000 AS answered FROM many;
SELECT true AS answered FROM few HAVING dp_count(x, 0.5, 1e-6, 1) < 1000;
SELECT dp_count(0.5, 1e-6) FROM few LIMIT 0;
-- A number that its noise drowns: of bounds alone the interval of an average is as wide as they are
SET gaussdp.answer_plain_sql = on;
SELECT dp_avg(x, 0.1, 1e-6, -10, 10, 1) BETWEEN -10 AND 10 AS answered FROM few;
RESET gaussdp.answer_plain_sql;
SELECT call, groups, rough FROM gaussdp.last_answer;
-- People who are counted once in all groups together, and as often as a call says
SELECT month, dp_count(DISTINCT person, 2, 1e-6) > 5000 AS answered FROM often GROUP BY month HAVING dp_keep_group(1, 1e-6);
SELECT month, dp_count(DISTINCT person, 2, 1e-6, 2) > 9000 AS answered FROM often GROUP BY month HAVING dp_keep_group(1, 1e-6);
-- Values of people who may have several, of whom nobody has said how many count
SELECT dp_count(DISTINCT x, 0.5, 1e-6) < 1000 AS answered FROM few;
SELECT dp_count(DISTINCT x, 0.5, 1e-6, 1) < 1000 AS answered FROM few;
-- An average of too few
SET gaussdp.answer_plain_sql = on;
SET gaussdp.epsilon = 0.1;
SET gaussdp.delta = 1e-6;
SELECT avg(x) FROM few;
SELECT corr(y, x) FROM pair;
DROP TABLE few, many, often, pair;
