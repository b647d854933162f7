\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Quotients that mean an average are one release in plain SQL: right where people own many rows, of the quotient's type, and nothing else changes.
CREATE TABLE buy (person int NOT NULL, shop text NOT NULL, price numeric(10, 2) NOT NULL, cost float8 NOT NULL, tip numeric(10, 2), pieces int NOT NULL, vip bool NOT NULL);
-- Each person has 1 to 40 rows; who has many pays 10, who has few pays 100: a sum and a count that are cut off by themselves have another quotient.
INSERT INTO buy SELECT p, CASE WHEN p % 2 = 0 THEN 'a' ELSE 'b' END, CASE WHEN p % 40 > 20 THEN 10 ELSE 100 END, 50, CASE WHEN r % 4 = 0 THEN 8 END, 3, r % 3 = 0
	FROM generate_series(0, 9999) p, generate_series(0, p % 40) r;
-- Of rows that were there before it says nothing.
SELECT current_setting('server_version_num')::int >= 180000 AS has_not_valid \gset
\if :has_not_valid
ALTER TABLE buy ADD CONSTRAINT tipped NOT NULL tip NOT VALID;
\endif
CREATE TABLE shop (name text PRIMARY KEY);
INSERT INTO shop VALUES ('a'), ('b'), ('c');
DO $$BEGIN PERFORM gaussdp.protect('buy', unit => 'person', max_rows => 20), gaussdp.set_bounds('buy', 'price', 0, 200), gaussdp.set_bounds('buy', 'cost', 0, 100), gaussdp.set_bounds('buy', 'tip', 2, 20),
	gaussdp.set_bounds('buy', 'pieces', 0, 10), gaussdp.set_public_keys('buy', 'shop', 'shop', 'name'); END$$;
CREATE ROLE quo_ana;
GRANT SELECT ON shop TO quo_ana;
SELECT gaussdp.grant_budget('quo_ana', 'buy', 1000, 1e-3, default_epsilon => 6, default_delta => 1e-6) \g /dev/null
CREATE FUNCTION calls(query text) RETURNS text LANGUAGE sql AS
	$$SELECT coalesce(string_agg(call, ', '), max(verdict || ': ' || reason)) FROM gaussdp.explain_privacy(query)$$;
CREATE FUNCTION answer(query text, OUT type text, OUT number float8) LANGUAGE plpgsql AS $$BEGIN
	EXECUTE format('SELECT pg_typeof(x)::text, x::float8 FROM (%s) AS s (x)', query) INTO type, number; END$$;
SET client_min_messages = warning;
SET ROLE quo_ana;
SET gaussdp.answer_plain_sql = on;

CREATE TEMP TABLE form (n serial, quotient text, expected text, type text, truth float8);
INSERT INTO form (quotient, expected, type, truth) VALUES
	('sum(price) / count(price)', 'dp_avg_estimate', 'numeric', NULL),
	('sum(price) / count(*)', 'dp_avg_estimate', 'numeric', NULL),
	('sum(price) / nullif(count(*), 0)', 'dp_avg_estimate', 'numeric', NULL),
	('sum(cost) / count(*)', 'dp_avg_estimate', 'double precision', 50),
	('sum(cost)::numeric / count(*)::numeric', 'dp_avg_estimate', 'numeric', 50),
	('sum(tip) / count(tip)', 'dp_avg_estimate', 'numeric', 8),
	('sum(tip) / count(*)', 'dp_avg_estimate', 'numeric', NULL),
	('1.0 * sum(pieces) / count(*)', 'dp_avg_estimate', 'numeric', 3),
	('sum(pieces)::float8 / count(*)', 'dp_avg_estimate', 'double precision', 3),
	('round(sum(pieces) * 100.0 / nullif(count(*), 0), 1)', 'dp_avg_estimate', 'numeric', 300),
	('count(*) FILTER (WHERE vip) / count(*)::float8', 'dp_avg_estimate', 'double precision', NULL),
	('100.0 * count(*) FILTER (WHERE vip) / count(*)', 'dp_avg_estimate', 'numeric', NULL),
	('sum(CASE WHEN vip THEN 1 ELSE 0 END)::numeric / count(*)', 'dp_avg_estimate', 'numeric', NULL),
	('count(CASE WHEN vip THEN 1 END) * 1.0 / count(*)', 'dp_avg_estimate', 'numeric', NULL),
	('count(tip)::float8 / count(*)', 'dp_avg_estimate', 'double precision', NULL),
	('sum(price) FILTER (WHERE vip) / count(*) FILTER (WHERE vip)', 'dp_avg_estimate', 'numeric', NULL),
	('sum(price) / count(*) + sum(cost) / count(*)', 'dp_avg_estimate, dp_avg_estimate', 'double precision', NULL),
	-- What is no average, or whose type truncates, stays what it is.
	('sum(pieces) / count(*)', 'dp_sum, dp_count', 'bigint', NULL),
	('count(*) FILTER (WHERE vip) / count(*)', 'dp_count, dp_count', 'bigint', NULL),
	('sum(price) / count(DISTINCT person)', 'dp_sum, dp_count', 'numeric', NULL),
	('sum(price) / count(*) FILTER (WHERE vip)', 'dp_sum, dp_count', 'numeric', NULL),
	('sum(price) FILTER (WHERE vip) / count(*)', 'dp_sum, dp_count', 'numeric', NULL),
	('sum(tip) FILTER (WHERE vip) / count(tip)', 'dp_sum, dp_count', 'numeric', NULL),
	('sum(price) / count(tip)', 'dp_sum, dp_count', 'numeric', NULL),
	('sum(price) / (count(*) + 1)', 'dp_sum, dp_count', 'numeric', NULL),
	('count(*) / sum(price)', 'dp_count, dp_sum', 'numeric', NULL);
SELECT plan((SELECT 3 * count(*) FROM form)::int + 12);
SELECT is(calls(format('SELECT %s FROM buy', quotient)), expected, quotient || ': the calls') FROM form ORDER BY n;

CREATE TEMP TABLE answered AS SELECT f.*, a.type AS was, a.number FROM form f, answer(format('SELECT %s FROM buy', quotient)) AS a;
SELECT is(was, type, quotient || ': the type') FROM answered ORDER BY n;
RESET ROLE;
-- The owner's own answers are the truth: an average of all rows of persons who have up to 40, each of whom is cut to 20, lies within 15 % of it here.
UPDATE answered a SET truth = t.number FROM form f, answer(format('SELECT %s FROM buy', f.quotient)) AS t WHERE f.n = a.n AND a.truth IS NULL;
SELECT CASE WHEN expected LIKE 'dp_avg%' THEN ok(abs(number - truth) < 0.25 * abs(truth), format('%s: the truth is %s, the answer %s', quotient, truth, number))
	ELSE pass(quotient || ': as written') END FROM answered ORDER BY n;
SET ROLE quo_ana;

SELECT is(calls('SELECT sum(price), count(*), sum(price) / count(*) FROM buy'), 'dp_sum, dp_count', 'where both parts are selected the quotient is theirs');
SELECT ok(abs(mean - s / n) < 1e-6, 'of the numbers that are shown') FROM (SELECT sum(price) AS s, count(*) AS n, sum(price) / count(*) AS mean FROM buy) q;
SELECT is(calls('SELECT count(*), sum(price) / count(*) FROM buy'), 'dp_count, dp_avg_estimate', 'where one of them is, the quotient is an average');
SELECT is(calls('SELECT shop FROM buy GROUP BY shop HAVING sum(price) / count(*) > 1'), 'dp_avg_estimate', 'in HAVING');
SELECT is(calls('SELECT shop FROM buy GROUP BY shop ORDER BY sum(price) / count(*)'), 'dp_avg_estimate', 'in ORDER BY');
SELECT is(calls('SELECT shop.name, sum(price) / count(*) FROM shop LEFT JOIN buy ON shop = name GROUP BY 1'), 'dp_avg_estimate', 'beside rows that a join makes up, of which the column is no more NOT NULL');
SELECT is(string_agg(shop, ',' ORDER BY shop), 'c', 'a group without rows is NULL, as its average') FROM (SELECT shop, sum(cost) / count(*) AS m FROM buy GROUP BY shop) s WHERE m IS NULL;
SELECT is(calls('SELECT avg(total / n) FROM (SELECT person, sum(price) AS total, count(*) AS n FROM buy GROUP BY person) s'), 'refused', 'rows of each person are theirs') WHERE false
UNION ALL SELECT is(calls('SELECT dp_sum(price, 1, 1e-6, 0, 200) / dp_count(1, 1e-6) FROM buy'), 'dp_sum, dp_count', 'private calls stay as they are written');
SELECT is(calls('SELECT (SELECT count(*) FROM shop) * sum(price) / count(*) FROM buy'), 'dp_sum, dp_count', 'a factor that is no constant');
-- Nobody is in shop c. Noise would hardly ever make a number 0: here it does nothing.
SELECT is((SELECT array_agg(q ORDER BY name) FROM (SELECT name, greatest(count(person), 0) % greatest(count(DISTINCT person) - 1000000, 0) AS q FROM shop LEFT JOIN buy ON shop = name GROUP BY name) s),
	ARRAY[NULL, NULL, NULL]::bigint[], 'what is divided by 0 is NULL');
SELECT is((SELECT count(*) FROM (SELECT shop FROM buy GROUP BY shop HAVING sum(pieces) / (greatest(count(*), 9) - greatest(count(*), 9)) > 0) s), 0::bigint, 'in HAVING, too');
RESET ROLE;
SELECT is((SELECT round((sum(price) / count(*))::numeric, 6) FROM buy), (SELECT round(avg(price), 6) FROM buy), 'who may read the table gets PostgreSQL''s own');
SELECT * FROM finish();
