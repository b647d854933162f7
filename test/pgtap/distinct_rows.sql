\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- count(DISTINCT key) over rows that name a row more than once, in each shape: of a column, of several together, of half of a key, in groups, with
-- conditions, over UNION ALL, and beside public rows that an outer join keeps.  Each as the analyst is answered, and as the owner.
SET client_min_messages = warning;
CREATE ROLE distinct_rows_ana;
CREATE TABLE customer (id int PRIMARY KEY);
CREATE TABLE orders (id int PRIMARY KEY, customer int NOT NULL, day int NOT NULL);
CREATE TABLE line (order_id int, no int, product int NOT NULL, quantity int NOT NULL, PRIMARY KEY (order_id, no));
CREATE TABLE scan (no int NOT NULL, order_id int NOT NULL, hour int NOT NULL, FOREIGN KEY (order_id, no) REFERENCES line);
CREATE TABLE parcel (depot int, no int, customer int NOT NULL, weight int, PRIMARY KEY (depot, no));
CREATE TABLE move (depot int, no int, hour int NOT NULL, FOREIGN KEY (depot, no) REFERENCES parcel);
CREATE TABLE product (id int PRIMARY KEY, category text NOT NULL);
INSERT INTO product VALUES (0, 'book'), (1, 'book'), (2, 'toy'), (3, 'nothing is sold here');
GRANT SELECT ON product TO distinct_rows_ana;
INSERT INTO customer SELECT generate_series(1, 2000);
INSERT INTO orders SELECT c * 10 + o, c, o FROM generate_series(1, 2000) c, generate_series(1, 2) o;
-- an order's first line is small, and its others are not
INSERT INTO line SELECT id, n, n % 3, n FROM orders, generate_series(1, 3) n;
INSERT INTO scan SELECT no, order_id, h FROM line, generate_series(1, 2) h;
INSERT INTO parcel SELECT c % 2, c, c, c % 3 FROM generate_series(1, 2000) c;
INSERT INTO move SELECT depot, no, h FROM parcel, generate_series(1, 2) h;
SELECT gaussdp.protect('customer', unit => 'id', people => 'customers'), gaussdp.protect('orders', unit => 'customer', max_rows => 2, people => 'customers') \g /dev/null
SELECT gaussdp.protect('line', unit => 'order_id', via => 'orders', max_rows => 12), gaussdp.protect('parcel', unit => 'customer', max_rows => 1, people => 'customers') \g /dev/null
SELECT gaussdp.protect('scan', unit => 'no', via => 'line', max_rows => 12), gaussdp.protect('move', unit => 'no', via => 'parcel', max_rows => 2),
	gaussdp.grant_budget('distinct_rows_ana', 'customer', 1000, 1e-2, default_epsilon => 50, default_delta => 1e-8) \g /dev/null

-- Counts in hundreds.
CREATE FUNCTION answers(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	found text;
BEGIN
	EXECUTE format('SELECT string_agg(s::text, '' '' ORDER BY s::text COLLATE "C") FROM (%s) s', regexp_replace(query, '(count\((?:[^()]|\([^()]*\))*\)( FILTER \([^()]*\))?)', 'round(\1 / 100.0)::int', 'g')) INTO found;
	RETURN found;
EXCEPTION WHEN insufficient_privilege THEN
	GET STACKED DIAGNOSTICS found = PG_EXCEPTION_DETAIL;
	RETURN found;
END $$;
CREATE FUNCTION asked(query text) RETURNS text LANGUAGE plpgsql SET gaussdp.answer_plain_sql = on AS $$
DECLARE
	found text;
BEGIN
	SET LOCAL ROLE distinct_rows_ana;
	found := answers(query);
	RESET ROLE;
	RETURN found;
END $$;
CREATE TABLE question (number serial, query text);
INSERT INTO question (query) VALUES
	('SELECT count(DISTINCT order_id) FROM line'),
	('SELECT product, count(DISTINCT order_id), count(*) FROM line GROUP BY product'),
	('SELECT count(DISTINCT order_id) FILTER (WHERE quantity > 1), count(DISTINCT CASE WHEN product = 0 THEN order_id END) FROM line'),
	('SELECT count(DISTINCT l.order_id) FROM line l JOIN scan s ON s.order_id = l.order_id'),
	('SELECT count(DISTINCT (order_id, no)) FROM scan'),
	('SELECT hour, count(DISTINCT (order_id, no)) FILTER (WHERE no > 1) FROM scan GROUP BY hour'),
	('SELECT count(DISTINCT (depot, no)) FROM move'),
	('SELECT weight, count(DISTINCT (m.no, m.depot)) FROM move m JOIN parcel p USING (depot, no) GROUP BY weight'),
	('SELECT count(DISTINCT no) FROM parcel'),
	('SELECT count(DISTINCT no) FROM move'),
	('SELECT count(DISTINCT order_id) FROM (SELECT order_id FROM line UNION ALL SELECT order_id FROM scan) u'),
	('SELECT product, count(DISTINCT order_id) FROM (SELECT order_id, product FROM line UNION ALL SELECT id, day FROM orders) u GROUP BY product'),
	('SELECT category, count(DISTINCT order_id), count(order_id) FROM product p LEFT JOIN line l ON l.product = p.id WHERE category <> ''nothing is sold here'' GROUP BY category'),
	('WITH l AS (SELECT * FROM line WHERE quantity > 1) SELECT category, count(DISTINCT l.order_id) FROM product p LEFT JOIN l ON l.product = p.id WHERE p.id < 3 GROUP BY category'),
	('SELECT category, count(DISTINCT o.id) FROM product p LEFT JOIN (line l JOIN orders o ON o.id = l.order_id) ON l.product = p.id WHERE p.id < 3 GROUP BY category'),
	('SELECT category, count(DISTINCT l.order_id) FROM line l LEFT JOIN product p ON l.product = p.id GROUP BY category'),
	('SELECT day, count(DISTINCT l.order_id) FROM orders o LEFT JOIN line l ON l.order_id = o.id AND l.no < 3 GROUP BY day');
SELECT no_plan();
SELECT is(asked(query), answers(query), query) FROM question ORDER BY number;
-- Columns that name no row together are counted as groups.
SELECT alike(asked('SELECT count(DISTINCT (product, quantity)) FROM line'), 'Rule 2 %', 'a row of values');
SELECT is((SELECT sum(errors)::int FROM gaussdp.budget), 0, 'and none has failed');
SELECT * FROM finish();
DROP TABLE move, parcel, scan, line, orders, customer, product;
DROP OWNED BY distinct_rows_ana;
DROP ROLE distinct_rows_ana;
