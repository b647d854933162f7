\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- gaussdp.answer_plain_sql: PostgreSQL's own aggregates over tables that the role may not read, and nothing else.
SELECT plan(193);
CREATE TABLE region (name text PRIMARY KEY);
INSERT INTO region VALUES ('north'), ('south');
CREATE TABLE orders (id int PRIMARY KEY, region text, country text, amount numeric(10, 2), qty int, small smallint, real_v real, f float8, day date, vip bool, took interval, note text, clock time, price money);
INSERT INTO orders SELECT i, CASE i % 2 WHEN 0 THEN 'north' ELSE 'south' END, 'c' || i % 4, i % 1000 + 0.5, i % 10, i % 10, i % 10, i % 10, date '2024-01-01' + i % 300, i % 4 = 0, '1 h', 'x', time '00:00' + interval '4 s' * i, (i % 1001 / 100.0)::numeric::money FROM generate_series(1, 20000) i;
CREATE TABLE visit (person int NOT NULL, region text, minutes int);
INSERT INTO visit SELECT i % 1000, 'north', i % 60 FROM generate_series(1, 5000) i;
CREATE TABLE numbered AS SELECT row_number() OVER () AS number, * FROM visit;
ALTER TABLE numbered ADD UNIQUE (number);
CREATE TABLE truth AS SELECT count(DISTINCT a.number) AS truth FROM numbered a JOIN numbered b ON b.person = a.person WHERE b.minutes > 50;
CREATE TABLE free (qty int);
INSERT INTO free SELECT generate_series(1, 10);
CREATE TABLE own (n bigint);
CREATE TABLE closed AS SELECT qty FROM free;
CREATE VIEW closed_too AS SELECT qty FROM orders UNION ALL SELECT qty FROM closed;
CREATE VIEW granted_too AS SELECT qty FROM orders UNION ALL SELECT qty FROM closed;
CREATE ROLE plain_other;
ALTER TABLE closed OWNER TO plain_other;
ALTER VIEW closed_too OWNER TO plain_other;
ALTER VIEW granted_too OWNER TO plain_other;
CREATE ROLE plain_ana;
GRANT SELECT ON region, free, truth TO plain_ana;
GRANT SELECT, INSERT ON own TO plain_ana;
CREATE VIEW published AS SELECT avg(qty) AS mean, count(*) AS n FROM orders;
CREATE VIEW invoked WITH (security_invoker) AS SELECT count(*) AS n FROM orders;
CREATE VIEW shown AS SELECT qty FROM orders;
CREATE VIEW vips WITH (security_invoker) AS SELECT qty AS pieces, country FROM orders WHERE vip;
CREATE VIEW published_with AS WITH o AS (SELECT qty FROM orders WHERE qty < 8) SELECT avg(qty) AS mean, count(*) AS n FROM o;
CREATE VIEW published_twice AS WITH o AS MATERIALIZED (SELECT qty FROM shown), p AS (SELECT * FROM o WHERE qty < 8) SELECT count(*) AS n FROM p, (WITH q AS (SELECT count(*) FROM o) SELECT * FROM q) r;
CREATE VIEW published_united AS WITH o AS (SELECT id FROM orders) SELECT count(*) AS n FROM o UNION ALL SELECT count(*) FROM visit;
GRANT SELECT ON published, published_with, published_twice, published_united, invoked, shown, vips, granted_too TO plain_ana;
DO $$BEGIN PERFORM gaussdp.protect('orders', unit => 'id', max_rows => 1), gaussdp.set_bounds('orders', 'amount', 0, 1000), gaussdp.set_bounds('orders', 'qty', 0, 10),
	gaussdp.set_bounds('orders', 'small', 0, 10), gaussdp.set_bounds('orders', 'real_v', 0, 10), gaussdp.set_bounds('orders', 'f', 0, 10),
	gaussdp.set_public_keys('orders', 'region', 'region', 'name'), gaussdp.protect('visit', unit => 'person', max_rows => 10), gaussdp.protect('numbered', unit => 'person', max_rows => 10),
	gaussdp.grant_budget('plain_ana', 'numbered', 400, 1e-3, default_epsilon => 2, default_delta => 1e-6),
	gaussdp.grant_budget('plain_ana', 'orders', 400, 1e-3, default_epsilon => 2, default_delta => 1e-6),
	gaussdp.grant_budget('plain_ana', 'visit', 400, 1e-3, default_epsilon => 2, default_delta => 1e-6); END$$;
CREATE FUNCTION calls(query text) RETURNS text LANGUAGE sql AS
	$$SELECT coalesce(string_agg(call, ', '), max(verdict || ': ' || reason)) FROM gaussdp.explain_privacy(query)$$;
CREATE FUNCTION sensitivity(query text) RETURNS numeric LANGUAGE sql AS $$SELECT round(l2_sensitivity::numeric, 3) FROM gaussdp.explain_privacy(query, exact => true) LIMIT 1$$;
CREATE FUNCTION near(value float8, truth float8, error float8) RETURNS boolean LANGUAGE sql AS 'SELECT abs(value - truth) <= error';
CREATE FUNCTION hint_of(query text) RETURNS text LANGUAGE sql AS $$SELECT hint FROM gaussdp.explain_privacy(query)$$;
SET client_min_messages = warning;

-- Off by default.
SET ROLE plain_ana;
SELECT throws_ok('SELECT count(*) FROM orders', '42501', NULL, 'off: PostgreSQL''s refusal');
SELECT is(calls('SELECT count(*) FROM orders'), 'refused: Rule 0 (level), at character 8: count is not a private aggregate.', 'off: the verifier''s');
SELECT is(hint_of('SELECT avg(qty) FROM orders'), 'SET gaussdp.answer_plain_sql = on answers it as it is written; or use dp_count, dp_sum, dp_avg and their relatives.',
	'off: the hint names the setting');
SET gaussdp.answer_plain_sql = on;

-- Each aggregate, and its type.
SELECT is(calls('SELECT count(*), count(qty), sum(qty), avg(qty), stddev(qty), stddev_pop(qty), stddev_samp(qty), variance(qty), var_pop(qty), var_samp(qty) FROM orders'),
	'dp_count, dp_count, dp_sum, dp_avg_estimate, dp_stddev, dp_var', 'what becomes of them; equal calls are one');
SELECT is(calls('SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY qty), percentile_disc(0.9) WITHIN GROUP (ORDER BY qty) FROM orders'), 'dp_quantile, dp_quantile', 'percentiles');
SELECT is(calls('SELECT percentile_cont(ARRAY[0.25, 0.5, 0.75]) WITHIN GROUP (ORDER BY qty), percentile_disc(ARRAY[0.9, 0.1]) WITHIN GROUP (ORDER BY qty) FROM orders'), 'dp_quantiles, dp_quantiles', 'an array of them is one call');
SELECT ok(count(*) BETWEEN 19900 AND 20100 AND pg_typeof(count(*)) = 'bigint'::regtype, 'count(*)') FROM orders;
SELECT ok(count(note) BETWEEN 19900 AND 20100, 'count of a text') FROM orders;
SELECT ok(count(DISTINCT id) BETWEEN 19900 AND 20100, 'count(DISTINCT unit)') FROM orders;
SELECT is(array_agg(t ORDER BY n), '{bigint,bigint,numeric,real,double precision}', 'sums have their types')
FROM (SELECT pg_typeof(sum(small)) AS a, pg_typeof(sum(qty)) AS b, pg_typeof(sum(amount)) AS c, pg_typeof(sum(real_v)) AS d, pg_typeof(sum(f)) AS e FROM orders) s,
	LATERAL unnest(ARRAY[a, b, c, d, e]::text[]) WITH ORDINALITY AS u (t, n);
SELECT is(scale(sum(amount)), 2, 'a sum of a numeric(10, 2) has two digits behind the point') FROM orders;
SELECT is(array_agg(t ORDER BY n), '{numeric,numeric,numeric,double precision,double precision}', 'averages have their types')
FROM (SELECT pg_typeof(avg(small)) AS a, pg_typeof(avg(qty)) AS b, pg_typeof(avg(amount)) AS c, pg_typeof(avg(real_v)) AS d, pg_typeof(avg(f)) AS e FROM orders) s,
	LATERAL unnest(ARRAY[a, b, c, d, e]::text[]) WITH ORDINALITY AS u (t, n);
SELECT ok(sum(qty) BETWEEN 89000 AND 91000 AND sum(small) BETWEEN 89000 AND 91000 AND sum(real_v) BETWEEN 89000 AND 91000 AND sum(f) BETWEEN 89000 AND 91000, 'sums') FROM orders;
SELECT ok(avg(amount) BETWEEN 490 AND 510 AND avg(qty) BETWEEN 4.4 AND 4.6, 'averages') FROM orders;
SELECT ok(stddev(qty) BETWEEN 2.7 AND 3.1 AND variance(f) BETWEEN 7.5 AND 9, 'spread') FROM orders;
SELECT ok(percentile_cont(0.5) WITHIN GROUP (ORDER BY amount) BETWEEN 450 AND 550, 'a median') FROM orders;
SELECT ok(percentile_disc(0.95) WITHIN GROUP (ORDER BY qty) BETWEEN 8 AND 10 AND pg_typeof(percentile_disc(0.95) WITHIN GROUP (ORDER BY qty)) = 'int'::regtype, 'a quantile of integers') FROM orders;
SELECT ok(percentile_cont(0.9) WITHIN GROUP (ORDER BY amount DESC) BETWEEN 50 AND 150, 'in descending order') FROM orders;

-- Where it stands.
SELECT ok(round(100.0 * count(*) FILTER (WHERE vip) / count(*), 1) BETWEEN 24 AND 26, 'FILTER, a ratio, round()') FROM orders;
SELECT is(CASE WHEN count(*) > 100 THEN 'many' ELSE 'few' END, 'many', 'CASE') FROM orders;
SELECT is(string_agg(region, ' ' ORDER BY region), 'north south', 'declared public keys need no threshold')
FROM (SELECT region, count(*) FROM orders GROUP BY region) s;
SELECT is(calls('SELECT region, count(*) FROM orders GROUP BY region'), 'dp_count', 'and cost none');
SELECT is(calls('SELECT country, count(*) FROM orders GROUP BY country'), 'dp_count, dp_keep_group', 'other keys get one');
SELECT is(calls('SELECT country, region, count(*) FROM orders GROUP BY 1, 2'), 'dp_count, dp_keep_group', 'so does a pair with one of them');
SELECT is(calls('SELECT country, count(*) FROM orders GROUP BY country HAVING dp_keep_group(1, 1e-8)'), 'dp_count, dp_keep_group', 'one that is there is enough');
SELECT is(calls('SELECT name, count(o.id) FROM region LEFT JOIN orders o ON o.region = name GROUP BY name'), 'dp_count', 'public keys by an outer join');
SELECT is(calls(query), expected, query) FROM (VALUES
	('SELECT name, count(*) FROM orders o LEFT JOIN region ON o.region = name GROUP BY name', 'dp_count, dp_keep_group'),
	('SELECT coalesce(name, ''none''), count(*) FROM region RIGHT JOIN orders o ON o.region = name GROUP BY 1', 'dp_count, dp_keep_group'),
	('SELECT CASE WHEN name > ''o'' THEN 1 END, count(*) FROM orders o LEFT JOIN region ON o.region = name GROUP BY 1', 'dp_count, dp_keep_group'),
	('SELECT coalesce(name, ''none''), count(o.id) FROM region LEFT JOIN orders o ON o.region = name GROUP BY 1', 'dp_count'),
	('SELECT r.name, s.name, count(o.id) FROM region r CROSS JOIN region s LEFT JOIN orders o ON o.region = r.name AND o.country > s.name GROUP BY 1, 2', 'dp_count'),
	('SELECT r.name, s.name, count(o.id) FROM region r LEFT JOIN orders o ON o.region = r.name LEFT JOIN region s ON s.name = o.note GROUP BY 1, 2', 'dp_count, dp_keep_group'),
	('SELECT o.region, count(*) FROM orders o LEFT JOIN region ON o.region = name GROUP BY o.region', 'dp_count'),
	('SELECT o.vip, count(*) FROM region JOIN orders o ON o.region = name LEFT JOIN region s ON s.name = o.note GROUP BY o.vip', 'dp_count, dp_keep_group'),
	('SELECT o.vip IS NULL, count(*) FROM orders o LEFT JOIN region s ON s.name = o.note GROUP BY 1', 'dp_count'),
	('SELECT name, count(*) FROM region LEFT JOIN orders o ON o.region = name WHERE o.qty > 3 GROUP BY name', 'dp_count, dp_keep_group'),
	('SELECT r.name, count(*) FROM region r LEFT JOIN orders o ON o.region = r.name JOIN region s ON s.name = o.region GROUP BY r.name', 'dp_count, dp_keep_group'),
	('SELECT r.name, count(*) FROM region r LEFT JOIN orders o ON o.region = r.name WHERE o.qty IS NULL GROUP BY r.name', 'refused: Rule 6 (left join), at character 85: WHERE speaks of the protected side and would drop keys that have no rows.')) q (query, expected);
SELECT is(calls(query), expected, query) FROM (VALUES
	('SELECT name, (SELECT count(*) FROM orders WHERE orders.region = name) FROM region', 'dp_count'),
	('SELECT name, (SELECT avg(o.qty) + 1 FROM orders o JOIN free f ON f.qty = o.qty WHERE name = o.region) FROM region r WHERE name > ''a''', 'dp_avg_estimate'),
	('SELECT name, (SELECT count(*) FROM orders WHERE region = name), (SELECT count(*) FROM orders WHERE region = name) FROM region', 'dp_count'),
	('SELECT name, (SELECT count(*) FROM orders WHERE region = name GROUP BY region) FROM region', 'refused: Rule 1 (executed once): this query refers to one around it, for each row of which it would be executed again.'),
	('SELECT name, (SELECT count(*) FROM orders WHERE region > name) FROM region', 'dp_count'),
	('SELECT name, (SELECT count(*) FROM visit WHERE region = name) FROM region', 'dp_count')) q (query, expected);
SELECT ok(min(n) >= 0, 'counts of public keys are not negative') FROM (SELECT g, count(o.id) AS n FROM generate_series(1, 60) g LEFT JOIN orders o ON o.qty = g + 100 GROUP BY g) s;
SELECT ok(min(n) < 0, 'but for those that are asked for by dp_count') FROM (SELECT g, dp_count(o.id) AS n FROM generate_series(1, 60) g LEFT JOIN orders o ON o.qty = g + 100 GROUP BY g) s;
SELECT is(calls(query), 'dp_count', 'Power BI: ' || query) FROM (VALUES ('SELECT COUNT(DISTINCT id) + MAX(CASE WHEN id IS NULL THEN 1 ELSE 0 END) FROM orders'),
	('SELECT COUNT(DISTINCT id) + CAST(MAX(CASE WHEN id IS NULL THEN 1 ELSE 0 END) AS BIGINT) FROM orders')) q (query);
SELECT is(calls('SELECT COUNT(DISTINCT id) + MAX(CASE WHEN qty > 3 THEN 1 ELSE 0 END) FROM orders'), 'dp_count, dp_quantile_estimate', 'another maximum');
SELECT is(calls('SELECT name, count(*) FROM region JOIN orders o ON o.region = name GROUP BY name'), 'dp_count, dp_keep_group', 'an inner join tells of groups');
SELECT is(count(*), 4::bigint, 'GROUP BY in a sub-select, counted around it') FROM (SELECT country, count(*) FROM orders GROUP BY country) s;
SELECT is(string_agg(country, ' ' ORDER BY country), 'c0 c1 c2 c3', 'SELECT DISTINCT') FROM (SELECT DISTINCT country FROM orders) s;
SELECT ok(count(*) BETWEEN 19900 AND 20100, 'SELECT DISTINCT of people, counted around it: no group of one is hidden before') FROM (SELECT DISTINCT id, region FROM orders) s;
SELECT throws_ok('SELECT DISTINCT id, region FROM orders', '42501', NULL, 'but not shown');
SELECT is(string_agg(country, ' ' ORDER BY country), 'c0 c1 c2 c3', 'GROUP BY without an aggregate') FROM (SELECT country FROM orders GROUP BY country) s;
SELECT is(count(*), 2::bigint, 'ORDER BY aggregate, LIMIT') FROM (SELECT country, avg(amount) FROM orders GROUP BY country ORDER BY avg(amount) DESC NULLS LAST LIMIT 2) s;
SELECT is(count(*), 4::bigint, 'HAVING over aggregates of every type')
FROM (SELECT country FROM orders GROUP BY country HAVING count(*) > 100 AND sum(qty) > 10 AND avg(qty) > 1 AND sum(real_v) > 1 AND sum(amount) > 1) s;
SELECT is(count(*), 10::bigint, 'by month') FROM (SELECT date_trunc('month', day), count(*) FROM orders GROUP BY 1) s;
SELECT ok(sum(n) BETWEEN 19000 AND 21000 AND count(*) = 2, 'exact aggregates over released values') FROM (SELECT region, count(*) AS n FROM orders GROUP BY region) s;
SELECT is(calls('WITH w AS (SELECT region, count(*) AS n FROM orders GROUP BY region) SELECT sum(n), max(n) FROM w'), 'dp_count', 'likewise of a WITH query');
SELECT is(calls('SELECT count(*), sum(count(*)) OVER () FROM orders GROUP BY region'), 'dp_count', 'a window over released values');
SELECT is(calls('SELECT (SELECT count(*) FROM orders), (SELECT sum(qty) FROM orders)'), 'dp_count, dp_sum', 'scalar sub-selects');
SELECT is(calls('SELECT count(*) FROM orders UNION ALL SELECT count(*) FROM free'), 'dp_count', 'UNION: each arm by itself');
SELECT ok(count(*) BETWEEN 39900 AND 40120, 'UNION ALL of people''s rows twice, and public ones') FROM (SELECT qty FROM orders UNION ALL SELECT qty FROM orders UNION ALL SELECT qty FROM free) u;
SELECT ok(count(*) BETWEEN 19920 AND 20120, 'and of public ones twice') FROM (SELECT qty FROM orders UNION ALL SELECT qty FROM free UNION ALL SELECT qty FROM free) u;
SELECT throws_ok('SELECT qty, count(*) FROM closed_too GROUP BY qty', '42501', 'permission denied for view closed_too', 'a view of both, of somebody who may read the public rows alone, is closed to others');
SELECT ok(count(*) BETWEEN 19910 AND 20110, 'and answered who may read it') FROM granted_too;
SELECT ok(min(n) > 14000 AND max(n) < 14300 AND count(*) = 2, 'people in two groups of elements are counted in both alike, 1 / sqrt(2) each, however often these repeat') FROM (SELECT unnest(ARRAY[qty % 1, 1, 1]) AS t, count(DISTINCT id) AS n FROM orders GROUP BY 1) s;
SELECT is(calls('SELECT count(*) FROM (SELECT * FROM orders WHERE vip) s'), 'dp_count', 'a sub-select of rows');
SELECT is(calls('WITH w AS (SELECT qty FROM orders) SELECT avg(qty) FROM w'), 'dp_avg_estimate', 'a WITH query of rows');
SELECT is(calls('SELECT country, avg(pieces) FROM vips GROUP BY country'), 'dp_avg_estimate, dp_keep_group', 'a view of rows');
SELECT lives_ok('INSERT INTO own SELECT count(*) FROM orders', 'INSERT ... SELECT');
SELECT is(calls('SELECT dp_count(*), avg(qty) FROM orders'), 'dp_count, dp_avg_estimate', 'beside private calls');
SELECT is(calls('SELECT count(*), avg(minutes) FROM visit WHERE minutes < 50'), 'dp_count, dp_avg_auto_estimate', 'people who own many rows');
SELECT is(calls('SELECT count(DISTINCT person) FROM visit'), 'dp_count', 'a count of them');
SELECT ok(count(*) BETWEEN 900 AND 1100, 'people whom DISTINCT tells apart are counted, not the groups that are shown') FROM (SELECT DISTINCT person FROM visit) s;
SELECT ok((WITH w AS (SELECT person, minutes FROM visit) SELECT count(*) BETWEEN 900 AND 1100 FROM (SELECT DISTINCT person FROM (SELECT * FROM w WHERE minutes >= 0) s) t), 'behind WITH queries and sub-selects');
SELECT is(calls('SELECT DISTINCT person FROM visit'), 'refused: Rule 0 (level): rows of this table are read one by one.', 'nor are they shown');
SELECT is(calls('SELECT person, count(*) FROM (SELECT * FROM visit) s GROUP BY person'), 'refused: Rule 0 (level), at character 16: count is not a private aggregate.', 'grouped behind a sub-select');
SELECT ok(count(*) BETWEEN 900 AND 1100, 'IN of groups asks of the person') FROM visit v
WHERE v.person IN (SELECT person FROM visit GROUP BY person HAVING count(*) > 4) AND v.minutes < 12;
SELECT is(calls('SELECT count(*) FROM visit WHERE person IN (SELECT DISTINCT person FROM visit WHERE minutes < 3)'), 'dp_count', 'as IN of DISTINCT does');
SELECT ok(count(*) FILTER (WHERE region IN (SELECT name FROM region WHERE name < 'o')) BETWEEN 9900 AND 10100, 'IN of a public table is IN of a list') FROM orders;
SELECT ok(count(*) BETWEEN 9900 AND 10100, 'NOT IN likewise') FROM orders WHERE region NOT IN (SELECT name FROM region WHERE name < 'o');
SELECT is(calls('SELECT count(*) FROM orders WHERE region IN (SELECT name FROM region r WHERE r.name > orders.note)'),
	'refused: Rule 11 (place of a level), at character 35: a sub-select would be executed for protected rows.', 'unless each row asks anew');

-- The smallest and the largest value, without the outermost rows: about 20 k / mu of them, here 50.  Nobody's value is shown: one more person at
-- either end moves them by a few ranks.
SELECT is(calls('SELECT min(qty), max(qty) FROM orders'), 'dp_quantile_estimate, dp_quantile_estimate', 'min and max');
SELECT ok(near(min(id), 46, 1000) AND near(max(id), 19954, 1000) AND pg_typeof(max(id)) = 'int'::regtype, format('of integers: %s, %s', min(id), max(id))) FROM orders;
SELECT ok(near(min(amount)::float8, 3, 20) AND near(max(amount)::float8, 997, 20) AND pg_typeof(max(amount)) = 'numeric'::regtype, format('of numerics: %s, %s', min(amount), max(amount))) FROM orders;
-- Of one row nothing can be told but by noise, in one of a thousand groups.
SELECT cmp_ok(count(m), '<', 10::bigint, 'a group of one row has no maximum') FROM (SELECT g, max(amount) AS m FROM generate_series(1, 200) g LEFT JOIN orders ON id = g GROUP BY g) s;
SELECT is(count(m), 2::bigint, 'and one of thousands has one') FROM (SELECT vip, min(amount) AS m FROM orders WHERE vip IS NOT NULL GROUP BY vip) s;
SELECT ok(min(day) BETWEEN '2023-12-01' AND '2024-01-31' AND max(day) BETWEEN '2024-09-30' AND '2024-11-30' AND pg_typeof(max(day)) = 'date'::regtype, format('of dates: %s, %s', min(day), max(day))) FROM orders;
SELECT ok(min(at) BETWEEN '2023-12-01' AND '2024-01-31' AND max(at) BETWEEN '2024-09-30' AND '2024-11-30' AND pg_typeof(max(at)) = 'timestamp'::regtype, format('of timestamps: %s, %s', min(at), max(at)))
FROM (SELECT day + interval '1 hour' AS at FROM orders) s;
SELECT ok(near(extract(epoch FROM max(took)), 3600, 1) AND near(extract(epoch FROM avg(took)), 3600, 60) AND pg_typeof(sum(took)) = 'interval'::regtype, format('of intervals: %s, %s', max(took), avg(took))) FROM orders;
SELECT ok(near(extract(epoch FROM min(clock)), 600, 4000) AND near(extract(epoch FROM max(clock)), 79400, 4000) AND pg_typeof(max(clock)) = 'time'::regtype, format('of times: %s, %s', min(clock), max(clock))) FROM orders;
SELECT ok(sum(price)::numeric BETWEEN 98000 AND 102000 AND max(price)::numeric BETWEEN 9.5 AND 10.5 AND pg_typeof(sum(price)) = 'money'::regtype, format('of money: %s, %s', sum(price), max(price))) FROM orders;
SELECT ok(near(max(id) FILTER (WHERE id < 10000), 9954, 1000), 'with FILTER') FROM orders;
SELECT ok(near(max(DISTINCT qty), 9, 0), 'DISTINCT makes no difference') FROM orders;
SELECT ok(near(max(minutes), 54, 5), 'people who own many rows: 444 are left out; in 5,000,000 simulated answers none was off by more') FROM visit;
SELECT is(max(p), ARRAY[2, 4, 7]::float8[], 'percentiles of several fractions') FROM (SELECT percentile_cont(ARRAY[0.25, 0.45, 0.75]) WITHIN GROUP (ORDER BY qty) AS p FROM orders) s;
SELECT ok(percentile_disc(0.5) WITHIN GROUP (ORDER BY day) BETWEEN '2024-05-25' AND '2024-06-03', 'a median of dates') FROM orders;
SELECT ok(near(percentile_cont(0.5) WITHIN GROUP (ORDER BY id), 10000, 60), 'of what has no bounds') FROM orders;
SELECT ok(near(percentile_cont(0.5) WITHIN GROUP (ORDER BY id::float8 * 1e-15), 1e-11, 6e-14), 'however small it is') FROM orders;
SELECT ok(near(percentile_disc(0.5) WITHIN GROUP (ORDER BY id::float8 * -1e13), -1e17, 6e14), 'or large') FROM orders;
SELECT ok(near((percentile_cont(ARRAY[0.25, 0.75]) WITHIN GROUP (ORDER BY id::float8 * 1e-15))[2], 1.5e-11, 6e-14), 'several of it') FROM orders;
SELECT ok(near(percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM took) / 60), 60, 0.1), 'or is computed') FROM orders;

-- DISTINCT that is none, or a condition.
SELECT is(calls('SELECT count(DISTINCT CASE WHEN minutes > 30 THEN person END) FROM visit'), 'dp_count', 'people for whom a condition holds');
SELECT ok(near(count(DISTINCT CASE WHEN minutes > 50 THEN person END), 450, 30), 'how many they are') FROM visit;
SELECT ok(near(count(DISTINCT CASE WHEN minutes > 30 THEN person WHEN minutes < 3 THEN NULL ELSE person END) FILTER (WHERE minutes < 10), 350, 30), 'of several branches, beside FILTER') FROM visit;
SELECT is(calls('SELECT count(DISTINCT CASE WHEN minutes > 30 THEN person ELSE minutes END) FROM visit'), 'dp_count', 'of two values');
SELECT ok(near(count(DISTINCT minutes % 50), 50, 60), 'different values') FROM visit;
SELECT ok(near(count(DISTINCT number), 5000, 400), 'a key of the rows is in each of them once') FROM numbered;
SELECT is(calls('WITH w AS (SELECT number AS n, minutes FROM numbered WHERE minutes > 3) SELECT count(DISTINCT n) FROM (SELECT n FROM w) s'), 'dp_count', 'behind sub-selects');
SELECT ok(near(n, 5000, 400) AND near(pairs, 10000, 400), 'of a join it may be there several times, and is counted once') FROM (SELECT count(DISTINCT a.number) AS n, count(*) AS pairs FROM numbered a JOIN numbered b ON b.person = a.person) s;
SELECT is(array_agg(near(n, 5000, 600) ORDER BY k), '{t,t}', 'once in each group') FROM (SELECT b.minutes > 20 AS k, count(DISTINCT a.number) AS n FROM numbered a JOIN numbered b ON b.person = a.person GROUP BY 1) s WHERE k IS NOT NULL;
SELECT ok(near(n, truth, 400) AND near(m, truth, 400), 'where a condition holds for one of the rows that name it')
FROM (SELECT count(DISTINCT a.number) FILTER (WHERE b.minutes > 50) AS n, count(DISTINCT CASE WHEN b.minutes > 50 THEN a.number END) AS m FROM numbered a JOIN numbered b ON b.person = a.person) s, truth;
WITH w AS (SELECT a.number, b.minutes FROM numbered a JOIN numbered b ON b.person = a.person), x AS (SELECT * FROM w WHERE minutes >= 0)
SELECT ok(near(count(DISTINCT number), 5000, 400) AND near((SELECT count(*) FROM w), 10000, 400), 'in a WITH query') FROM x HAVING count(DISTINCT number) > 0;
SELECT is(calls('SELECT count(DISTINCT a.minutes) FROM numbered a JOIN numbered b ON b.person = a.person'),
	'dp_count', 'and of what is no key, each value for one of its people');
SELECT is(calls('SELECT count(DISTINCT a.number) FROM numbered a JOIN numbered b ON b.person = a.person'), 'dp_count', 'and in a join, where it may be several times');

-- Previews are explained as what they are where they are statements of their own.
SELECT is(calls('SELECT region, qty FROM orders ORDER BY qty LIMIT 10'), 'private: A preview: as a statement of its own it shows its columns and no row, and nothing is charged. What would store its rows is refused.', 'a preview');
SELECT alike(calls('INSERT INTO own SELECT id FROM orders LIMIT 10'), 'refused: Rule 0 %', 'and what would store one');

-- Bounds of expressions.
SELECT is(sensitivity('SELECT sum(qty) FROM orders'), 10.000, 'declared');
SELECT is(sensitivity('SELECT sum(qty * 2 + 1) FROM orders WHERE qty < 5'), 21.000, 'also where the type would overflow beyond them');
SELECT is(sensitivity('SELECT sum(qty::bigint * 2 + 1) FROM orders'), 21.000, 'derived through arithmetic');
SELECT is(sensitivity('SELECT sum(pieces::bigint * 3) FROM (SELECT pieces FROM vips) s'), 30.000, 'behind a view and a sub-select');
SELECT is(sensitivity('SELECT sum(CASE WHEN vip THEN 1 ELSE 0 END) FROM orders'), 1.000, 'CASE');
SELECT is(sensitivity('SELECT sum(vip::int * 3) FROM orders'), 3.000, 'a truth value as a number');
SELECT is(sensitivity('SELECT sum(coalesce(qty, -20)) FROM orders'), 20.000, 'coalesce');
SELECT is(sensitivity('SELECT sum(amount * qty) FROM orders'), 10000.000, 'a product of columns');
SELECT is(calls('SELECT avg(least(id, 7)), avg(id::bigint * 3), avg(qty::bigint + id) FROM orders'), 'dp_avg_auto_estimate, dp_avg_auto_estimate, dp_avg_auto_estimate', 'not of a column that nothing is declared of: these are found privately');
SELECT is(calls('SELECT avg(least(qty, $1)) FROM orders'), 'dp_avg_auto_estimate', 'nor where a parameter takes part');
SELECT ok(avg(least(id, 700)) BETWEEN 600 AND 800, 'as good as any') FROM orders;
SELECT ok(avg(12 - qty) BETWEEN 7 AND 8 AND count(qty * 2000000000) BETWEEN 3900 AND 4100, 'what overflows is NULL') FROM orders;
SELECT ok(count(nullif(qty, 1) * 2000000000) BETWEEN 1900 AND 2100, 'and NULL stays NULL') FROM orders;
SELECT is(sensitivity('SELECT sum(greatest(least(id, 7), -3)) FROM orders'), 7.000, 'but where constants bound it');

-- An average says nothing where its count is lost in the noise: at epsilon 0.01 five standard deviations are about 3,000.
SET gaussdp.epsilon = 0.01;
SELECT is(avg(qty), NULL, 'NULL for an average of 10 rows') FROM orders WHERE id <= 10;
SELECT isnt(avg(qty), NULL, 'and not of all rows') FROM orders;
SELECT is(ROW((a).reliable, (b).reliable)::text, '(f,t)', 'an estimate says so')
FROM (SELECT dp_avg_estimate(qty) FILTER (WHERE id <= 10) AS a, dp_avg_estimate(qty) AS b FROM orders) s;
SELECT is((dp_count_estimate(*)).reliable, NULL, 'of averages alone') FROM orders;
SELECT is(gaussdp_internal.reliable_value(ROW(1, 1, 0, 2, 3, 1, 4.9, 1, 0, 9, NULL, NULL, true, NULL, NULL, NULL, NULL, NULL, NULL)::dp_estimate), 1::float8, 'the value');
SELECT is(gaussdp_internal.reliable_value(ROW(1, 1, 0, 2, 3, 1, 4.9, 1, 0, 9, NULL, NULL, false, NULL, NULL, NULL, NULL, NULL, NULL)::dp_estimate), NULL, 'or none');
RESET gaussdp.epsilon;

-- What has no private answer, by name.
SELECT ok(hint_of('SELECT min(note) FROM orders') LIKE '%counts by group%', 'the least text');
SELECT ok(hint_of('SELECT max(note) FROM orders') LIKE '%counts by group%', 'and the last');
SELECT ok(hint_of('SELECT regr_sxy(qty, f) FROM orders') LIKE '%regr_count, var_pop and covar_pop%', 'regr_sxy');
SELECT ok(hint_of('SELECT bool_or(vip) FROM orders') LIKE '%avg((...)::int)%', 'bool_or');
SELECT ok(hint_of('SELECT percentile_cont(50) WITHIN GROUP (ORDER BY qty) FROM orders') LIKE 'Write constant fractions from 0 to 1, 100 at most%', 'percentiles of a hundred');
SELECT ok(hint_of('SELECT percentile_cont(ARRAY[0.5, 50]) WITHIN GROUP (ORDER BY qty) FROM orders') LIKE 'Write constant fractions from 0 to 1, 100 at most%', 'or some of them');
SELECT is(calls('SELECT country FROM orders'), 'refused: Rule 0 (level): rows of this table are read one by one.', 'rows');
SELECT throws_ok('SELECT regr_sxy(qty, f) FROM orders', '42501', 'permission denied for table orders', 'with PostgreSQL''s own refusal');

-- What is not touched.
SELECT is(count(*), 10::bigint, 'tables that the role may read') FROM free;
SELECT is(mean, 4.5, 'what an owner publishes') FROM published;
SELECT is(count(*), 1::bigint, 'and aggregates over that') FROM published;
SELECT is(count(*), 20000::bigint, 'rows that an owner shows') FROM shown;
CREATE FUNCTION pg_temp.result(query text, OUT n text) LANGUAGE plpgsql AS $$BEGIN EXECUTE query INTO n; END$$;
SELECT is(pg_temp.result(query), truth, 'published by WITH, or read in WITH: ' || query) FROM (VALUES
	('SELECT n FROM published_with', '16000'), ('SELECT n FROM published_twice', '16000'), ('SELECT sum(n) FROM published_united', '25000'),
	('WITH p AS (SELECT * FROM published) SELECT n FROM p', '20000'), ('WITH p AS MATERIALIZED (SELECT * FROM published_with) SELECT n FROM p', '16000'),
	('WITH p AS (SELECT * FROM published_with), q AS (SELECT n FROM p UNION ALL SELECT n FROM published) SELECT sum(n) FROM q', '36000'),
	('SELECT (WITH p AS (SELECT n FROM published_twice) SELECT max(n) FROM p)', '16000'), ('WITH p AS (SELECT qty FROM shown WHERE qty < 8) SELECT count(*) FROM p', '16000'),
	('WITH p AS (SELECT n FROM published_united) SELECT max(n) FROM p', '20000'), ('SELECT count(*) FROM free WHERE qty < (WITH p AS (SELECT mean FROM published) SELECT mean FROM p)', '4')) q (query, truth);
SELECT alike(calls(query), 'published: %', 'and nothing is paid: ' || query) FROM (VALUES ('SELECT n FROM published_with'), ('SELECT n FROM published_twice'), ('SELECT sum(n) FROM published_united'),
	('WITH p AS (SELECT * FROM published) SELECT n FROM p'), ('WITH p AS (SELECT qty FROM shown WHERE qty < 8) SELECT count(*) FROM p')) q (query);
SELECT is(calls(query), 'dp_count', 'beside a level it is the same: ' || query) FROM (VALUES ('SELECT p.n, s.n FROM published_with p, (SELECT count(*) AS n FROM orders) s'),
	('WITH p AS (SELECT n FROM published_twice), s AS (SELECT count(*) AS n FROM orders) SELECT p.n, s.n FROM p, s'), ('SELECT count(*) FROM orders UNION ALL SELECT n FROM published_with')) q (query);
SELECT is(calls(format(query, 'count(*)')), 'dp_count, dp_avg_estimate, dp_count', 'what a level depends on is private, however it is written: ' || query) || E'\n' || is(calls(format(query, 'dp_count(1, 1e-6)')), 'dp_count, dp_avg_estimate, dp_count', 'beside dp_ calls, too')
FROM (VALUES ('SELECT %s FROM orders WHERE qty < (SELECT mean FROM published)'), ('SELECT %s FROM orders WHERE qty < (SELECT mean FROM published_with)'),
	('WITH p AS (SELECT mean FROM published) SELECT %s FROM orders WHERE qty < (SELECT mean FROM p)'), ('WITH p AS (SELECT mean FROM published_with) SELECT %s FROM orders WHERE qty < (SELECT mean FROM p)')) q (query);
SELECT ok(near(count(*), 8000, 100), 'and near the truth') FROM orders WHERE qty < (SELECT mean FROM published_with);
SELECT is(calls('SELECT n FROM invoked'), 'dp_count', 'a view that is read as its reader');
RESET ROLE;
SELECT is(count(*), 20000::bigint, 'who may read the table') FROM orders;
SET gaussdp.as_analyst = on;
SELECT is(calls('SELECT count(*) FROM orders'), 'dp_count', 'and asks as an analyst');
RESET gaussdp.as_analyst;

-- Bounds of dates, intervals and money, written as such.
DO $$BEGIN PERFORM gaussdp.set_bounds('orders', 'day', '2000-01-31', '2000-03-01'), gaussdp.set_bounds('orders', 'took', '0', '30 min'), gaussdp.set_bounds('orders', 'price', '1.50', '2'); END$$;
SELECT is(string_agg(format('%s %s %s (%s)', "column", lower, upper, bounds), ', ' ORDER BY "column"), 'day 30 60 (2000-01-31 to 2000-03-01), price 1.5 2 (1.5 to 2), took 0 1800 (0 to 1800)', 'are kept as numbers, and shown as dates') FROM gaussdp.column_bounds WHERE "column" IN ('day', 'took', 'price');
SELECT throws_ok($$SELECT gaussdp.set_bounds('orders', 'day', 'monday', '2000-03-01')$$, '22007', NULL, 'what is no date');
SET ROLE plain_ana;
SELECT is(ROW(max(day), max(took) BETWEEN '29 min 59 s' AND '30 min', min(price)::numeric)::text, '(2000-03-01,t,2.00)', 'and values are clamped to them') FROM orders WHERE price > 5::money;
SELECT ok(avg(date '2024-07-01' - day) BETWEEN 8880 AND 8930, format('as is what is computed of a date: %s', avg(date '2024-07-01' - day))) FROM orders;
SELECT ok(percentile_disc(0.5) WITHIN GROUP (ORDER BY qty::bigint) BETWEEN 0 AND 10, 'a median of small bigints') FROM orders;
RESET ROLE;
DO $$BEGIN PERFORM gaussdp.drop_bounds('orders', 'day'), gaussdp.drop_bounds('orders', 'took'), gaussdp.drop_bounds('orders', 'price'); END$$;

-- Types saturate.
SELECT is(ROW(gaussdp_internal.to_int8(1e300::float8), gaussdp_internal.to_int8(-1e300::float8), gaussdp_internal.to_int4(1e10::float8), gaussdp_internal.to_int2(-1e10::float8), gaussdp_internal.to_int8(2.5::float8))::text,
	'(9223372036854775807,-9223372036854775808,2147483647,-32768,2)', 'integers');
SELECT is(ROW(gaussdp_internal.to_int4(3000000000), gaussdp_internal.to_int2(-3000000000), gaussdp_internal.to_int4(5::bigint), gaussdp_internal.to_int2(NULL::bigint))::text,
	'(2147483647,-32768,5,)', 'of bigint');
SELECT is(gaussdp_internal.to_float4('Infinity'), 3.4028235e38::real, 'real');
SELECT is(ROW(gaussdp_internal.to_numeric('Infinity') > 1e308, gaussdp_internal.to_numeric(1.5), gaussdp_internal.to_int4('NaN'::float8))::text, '(t,1.5,-2147483648)', 'numeric, and what is no number');

-- A cached plan follows the setting.
SET ROLE plain_ana;
PREPARE counted AS SELECT count(*) BETWEEN 19900 AND 20100 FROM orders;
SELECT is(calls('SELECT count(*) FROM orders'), 'dp_count', 'on');
SET gaussdp.answer_plain_sql = off;
SELECT throws_ok('EXECUTE counted', '42501', NULL, 'off again');
RESET ROLE;
SELECT is(charged, 'dp_count', 'the journal has the private call') FROM (SELECT kind AS charged FROM gaussdp.journal WHERE kind IS NOT NULL ORDER BY charge LIMIT 1) j;
SELECT * FROM finish();
DROP OWNED BY plain_ana, plain_other CASCADE;
DROP ROLE plain_ana, plain_other;
