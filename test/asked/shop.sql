-- A made-up shop: 20,000 customers, 60,000 orders, 150,000 items. Olga owns it; Ben has a budget and no SELECT.
SET client_min_messages = warning;
DO $$BEGIN
	IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'olga') THEN CREATE ROLE olga; CREATE ROLE ben; CREATE ROLE carl; CREATE ROLE dora; END IF;
END$$;
CREATE SCHEMA shop AUTHORIZATION olga;
GRANT USAGE ON SCHEMA shop TO PUBLIC;
SELECT format('ALTER DATABASE %I SET search_path = shop, public', current_database()) \gexec
SELECT format('ALTER DATABASE %I SET gaussdp.answer_plain_sql = on', current_database()) \gexec
SELECT format('ALTER DATABASE %I SET client_min_messages = warning', current_database()) \gexec
SELECT format('ALTER DATABASE %I SET timezone = ''UTC''', current_database()) \gexec
SET search_path = shop, public;

SET ROLE olga;
CREATE TABLE countries (code text PRIMARY KEY, name text NOT NULL, region text NOT NULL);
INSERT INTO countries VALUES ('AT', 'Austria', 'DACH'), ('CH', 'Switzerland', 'DACH'), ('DE', 'Germany', 'DACH'), ('FR', 'France', 'West'), ('NL', 'Netherlands', 'West');
CREATE TABLE products (product_id int PRIMARY KEY, name text NOT NULL, category text NOT NULL, list_price numeric(8, 2) NOT NULL);
INSERT INTO products SELECT i, 'Product ' || i, (ARRAY['Books', 'Games', 'Garden', 'Kitchen', 'Toys'])[1 + i % 5], 5 + i * 7 % 90 FROM generate_series(1, 40) i;
CREATE TABLE categories (name text PRIMARY KEY);
INSERT INTO categories SELECT DISTINCT category FROM products;
GRANT SELECT ON countries, products, categories TO PUBLIC;

CREATE TABLE customers (customer_id int PRIMARY KEY, country text NOT NULL, email text NOT NULL, signed_up timestamptz NOT NULL, birth_year int, newsletter boolean NOT NULL,
	profile jsonb, tags text[]);
CREATE TABLE orders (order_id int PRIMARY KEY, customer_id int NOT NULL, ordered_at timestamp NOT NULL, shipped_at timestamp, status text NOT NULL, channel varchar(10) NOT NULL,
	total numeric(10, 2) NOT NULL, discount numeric(10, 2), coupon varchar(12));
CREATE TABLE items (order_id int NOT NULL, product_id int NOT NULL, quantity int NOT NULL, price numeric(8, 2) NOT NULL, UNIQUE (order_id, product_id));

-- The same people in each run: draws(i, n) is a number from 0 to n - 1
CREATE FUNCTION draws(i int, n int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT ((hashint8extended(i, n) % n + n) % n)::int';
INSERT INTO customers
SELECT i, (ARRAY['DE', 'DE', 'DE', 'FR', 'FR', 'NL', 'AT', 'CH'])[1 + draws(i, 8)], 'c' || i || (ARRAY['@gmail.com', '@web.de', '@orange.fr'])[1 + draws(i, 3)],
	timestamptz '2022-01-01 00:00+00' + interval '1 hour' * draws(i, 26280), CASE WHEN draws(i, 10) > 0 THEN 1945 + draws(i, 61) END, draws(i, 5) < 2,
	CASE WHEN draws(i, 7) > 0 THEN jsonb_build_object('device', (ARRAY['ios', 'android', 'desktop'])[1 + draws(i, 31) / 11], 'plan', CASE WHEN draws(i, 9) < 2 THEN 'premium' ELSE 'basic' END) END,
	ARRAY[(ARRAY['loyal', 'new', 'b2b'])[1 + draws(i, 33) / 11], (ARRAY['churned', 'active'])[1 + draws(i, 21) / 11]]
FROM generate_series(1, 20000) i;
INSERT INTO orders
SELECT o, customer_id, at, CASE WHEN status IN ('shipped', 'delivered') THEN at + interval '1 hour' * (6 + draws(o, 140)) END, status, channel, total,
	CASE WHEN draws(o, 4) = 0 THEN round(total / 10, 2) END, CASE WHEN draws(o, 6) = 0 THEN (ARRAY['SPRING', 'SUMMER', 'WELCOME'])[1 + draws(o, 3)] END
FROM (SELECT row_number() OVER (ORDER BY customer_id, n)::int AS o, customer_id, n FROM customers, generate_series(1, 1 + draws(customer_id, 16) * draws(customer_id, 17) / 42) n) s,
	LATERAL (SELECT timestamp '2024-01-01' + interval '1 minute' * draws(o, 525600) AS at, (ARRAY['delivered', 'delivered', 'delivered', 'shipped', 'open', 'cancelled', 'returned'])[1 + draws(o, 7)] AS status,
		(ARRAY['web', 'web', 'app', 'app', 'store'])[1 + draws(o, 5)] AS channel, (8 + draws(o, 97) ^ 2 / 24.0)::numeric(10, 2) AS total) t;
INSERT INTO items
SELECT order_id, 1 + draws(order_id * 8 + n, 40), 1 + draws(order_id * 8 + n, 4), (5 + draws(order_id * 8 + n, 60))::numeric(8, 2)
FROM orders, generate_series(1, 1 + draws(order_id, 4)) n ON CONFLICT DO NOTHING;
CREATE INDEX ON orders (customer_id);

DO $$BEGIN
	PERFORM gaussdp.protect('customers', unit => 'customer_id', people => 'customers'),
		gaussdp.protect('orders', unit => 'customer_id', max_rows => 8, people => 'customers'),
		gaussdp.protect('items', unit => 'order_id', via => 'orders', max_rows => 25),
		gaussdp.set_bounds('customers', 'birth_year', 1930, 2010),
		gaussdp.set_bounds('orders', 'total', 0, 400), gaussdp.set_bounds('orders', 'discount', 0, 40),
		gaussdp.set_bounds('items', 'quantity', 0, 5), gaussdp.set_bounds('items', 'price', 0, 100),
		gaussdp.set_public_keys('customers', 'country', 'countries', 'code'),
		gaussdp.grant_budget('ben', 'customers', epsilon => 1000, delta => 1e-3, default_epsilon => 1, default_delta => 1e-7),
		gaussdp.grant_budget('carl', 'customers', epsilon => 1, delta => 1e-6);
END$$;
RESET ROLE;
-- Some of the owner's own questions would take half a minute without statistics.
ANALYZE customers, orders, items;
