-- What the clients ask about: the demo's clinic, and a shop with foreign keys, comments and public tables.  Epsilon 4 for an
-- answer is so much, for groups of thousands, that noise is far below what the clients' tests tolerate.
\set ON_ERROR_STOP 1
\set QUIET 1
CREATE EXTENSION gaussdp;
\ir ../../demo/clinic.sql
CREATE SCHEMA shop AUTHORIZATION registrar;
GRANT USAGE ON SCHEMA shop TO PUBLIC;

SELECT format('GRANT CREATE ON DATABASE %I TO registrar', current_database()) \gexec

SET ROLE registrar;
CREATE TABLE shop.region (name text PRIMARY KEY, country text NOT NULL);
INSERT INTO shop.region VALUES ('north', 'A'), ('south', 'A'), ('west', 'B');
CREATE TABLE shop.day (day date PRIMARY KEY);
INSERT INTO shop.day SELECT date '2024-01-01' + i FROM generate_series(0, 364) i;
GRANT SELECT ON shop.region, shop.day TO PUBLIC;

CREATE TABLE shop.customer (
	customer_id int PRIMARY KEY,
	region text NOT NULL REFERENCES shop.region,
	age int NOT NULL,
	vip boolean NOT NULL,
	joined timestamptz NOT NULL
);
COMMENT ON TABLE shop.customer IS 'Who has bought something';
COMMENT ON COLUMN shop.customer.age IS 'In years, when it joined';
INSERT INTO shop.customer
SELECT i, (ARRAY['north', 'south', 'west'])[1 + i % 3], 18 + i % 70, i % 5 = 0, timestamptz '2023-01-01 12:00+00' + i % 365 * interval '1 day'
FROM generate_series(1, 6000) i;

CREATE TABLE shop.orders (
	order_id int PRIMARY KEY,
	customer_id int NOT NULL REFERENCES shop.customer,
	ordered_on date NOT NULL,
	channel text NOT NULL,
	pieces int NOT NULL,
	amount numeric(10, 2) NOT NULL,
	note text
);
CREATE INDEX ON shop.orders (customer_id);
COMMENT ON COLUMN shop.orders.amount IS 'Euro, with taxes';
INSERT INTO shop.orders
SELECT i, 1 + i % 6000, date '2024-01-01' + i % 365, (ARRAY['phone', 'shop', 'phone', 'web', 'phone', 'shop', 'phone'])[1 + i % 7], 1 + i % 9, 5 + i % 400 / 2.0, CASE WHEN i % 2 = 0 THEN 'a gift' END
FROM generate_series(1, 24000) i;

DO $$BEGIN
	PERFORM gaussdp.protect('shop.customer', unit => 'customer_id', people => 'customers'),
		gaussdp.protect('shop.orders', unit => 'customer_id', max_rows => 4, people => 'customers'),
		gaussdp.set_bounds('shop.customer', 'age', 0, 120),
		gaussdp.set_bounds('shop.orders', 'pieces', 0, 10),
		gaussdp.set_bounds('shop.orders', 'amount', 0, 250),
		gaussdp.set_public_keys('shop.customer', 'region', 'shop.region', 'name'),
		gaussdp.grant_budget('ana', t, epsilon => 1000, delta => 1e-3, threshold_delta => 0.1, default_epsilon => 4, default_delta => 1e-6)
	FROM (VALUES ('shop.customer'::regclass), ('clinic.patient')) AS t (t);
END$$;
SELECT gaussdp.create_tool_schema('tools', '{shop.customer,shop.orders}'::regclass[]) \g /dev/null
RESET ROLE;

ALTER ROLE registrar LOGIN;
ALTER ROLE ana LOGIN;
ALTER ROLE ana SET gaussdp.answer_plain_sql = on;
ALTER ROLE ana SET client_min_messages = warning;
VACUUM ANALYZE;
