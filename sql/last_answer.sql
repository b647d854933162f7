-- What is told of an answer that leaves something out.
CREATE TABLE few (person int NOT NULL, x float8 NOT NULL);
CREATE TABLE many (person int NOT NULL);
INSERT INTO few VALUES (1, 5);
INSERT INTO many SELECT generate_series(1, 10000);
SELECT gaussdp.protect('few', unit => 'person', max_rows => 0), gaussdp.protect('many', unit => 'person', max_rows => 0), gaussdp.set_bounds('few', 'x', 0, 10);
SET gaussdp.as_analyst = on;
-- Nothing before the first answer
SELECT * FROM gaussdp.last_answer;
SELECT dp_count(0.5, 1e-6) < 1000 AS answered FROM few;
SELECT call, relation, max_rows, is_found, cut, mu_squared, groups FROM gaussdp.last_answer;
-- One notice for all levels of a statement
SELECT (SELECT dp_count(0.5, 1e-6) FROM few) + (SELECT dp_sum(x, 0.5, 1e-6) FROM few) < 10000 AS answered;
-- None where nothing is cut off, where the number of rows is given, or where nobody looks at the answer
SELECT dp_count(2, 1e-6) < 20000 AS answered FROM many;
SELECT dp_count(x, 0.5, 1e-6, 1) < 1000 AS answered FROM few;
SELECT dp_count(0.5, 1e-6) FROM few LIMIT 0;
-- An average of too few
SET gaussdp.answer_plain_sql = on;
SET gaussdp.epsilon = 0.1;
SET gaussdp.delta = 1e-6;
SELECT avg(x) FROM few;
DROP TABLE few, many;
