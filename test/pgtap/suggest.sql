\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- gaussdp.suggest(): what it proposes of three schemas, that it runs as it is, and that it reads no row.
BEGIN;
SELECT plan(37);
SET LOCAL client_min_messages = error;
CREATE FUNCTION run(schema text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN SELECT sql FROM gaussdp.suggest(schema::regnamespace) LOOP
		EXECUTE line;
	END LOOP;
END$$;

CREATE SCHEMA shop;
CREATE TYPE shop.mood AS ENUM ('good', 'bad');
CREATE TABLE shop.country (code char(2) PRIMARY KEY, name text);
CREATE TABLE shop.customer (id int PRIMARY KEY, country char(2) REFERENCES shop.country, mood shop.mood, sex text CHECK (sex IN ('m', 'f', 'it''s', 'x]); DROP TABLE shop.log; --')), age int CHECK (age BETWEEN 0 AND 120),
	score numeric(4, 1), height numeric CHECK (height > 0 AND height < 2.8), odd float8 CHECK (odd >= -1.5 OR odd < 3), plain float8, born date);
CREATE TABLE shop.product (id int PRIMARY KEY, name text, price numeric(8, 2));
CREATE TABLE shop.orders (id int PRIMARY KEY, customer_id int REFERENCES shop.customer, day date, "Level x" smallint);
CREATE TABLE shop.item (order_id int NOT NULL REFERENCES shop.orders, product_id int REFERENCES shop.product, n int CHECK (n >= 1), price numeric(8, 2) CHECK (price >= 0));
CREATE TABLE shop.item_note (item int, note text);
CREATE TABLE shop.message (id int PRIMARY KEY, sender_id int NOT NULL REFERENCES shop.customer, receiver_id int NOT NULL REFERENCES shop.customer);
CREATE TABLE shop.visit (customer_id int NOT NULL REFERENCES shop.customer, day date NOT NULL, remarks text, guide int REFERENCES shop.customer) PARTITION BY RANGE (day);
CREATE TABLE shop.visit_default PARTITION OF shop.visit DEFAULT;
CREATE TABLE shop.log (at timestamptz, message text);
CREATE TEMPORARY TABLE said AS SELECT * FROM gaussdp.suggest('shop');
SELECT is(max(sql), v.sql, v.sql) FROM (VALUES
	($$SELECT gaussdp.protect('shop.customer', unit => 'id', people => 'customer');$$), ($$SELECT gaussdp.protect('shop.orders', unit => 'customer_id', max_rows => 0, people => 'customer');$$),
	($$SELECT gaussdp.protect('shop.item', unit => 'order_id', max_rows => 0, via => 'shop.orders', via_column => 'id');$$),
	($$SELECT gaussdp.protect('shop.message', unit => 'sender_id', max_rows => 0, people => 'customer');$$), ($$SELECT gaussdp.protect('shop.visit', unit => 'customer_id', max_rows => 0, people => 'customer');$$),
	($$SELECT gaussdp.set_bounds('shop.customer', 'age', 0, 120);$$), ($$-- SELECT gaussdp.set_bounds('shop.customer', 'score', -999.9, 999.9);$$), ($$SELECT gaussdp.set_bounds('shop.customer', 'height', 0, 2.8);$$),
	($$-- SELECT gaussdp.set_bounds('shop.orders', 'Level x', -32768, 32767);$$), ($$-- SELECT gaussdp.set_bounds('shop.item', 'price', 0, 999999.99);$$),
	($$SELECT gaussdp.set_public_keys('shop.customer', 'country', 'shop.country', 'code');$$), ($$SELECT gaussdp.set_public_keys('shop.item', 'product_id', 'shop.product', 'id');$$), ($$SELECT gaussdp.hide_columns('shop.message', '{receiver_id}');$$), ($$SELECT gaussdp.hide_columns('shop.visit', '{remarks,guide}');$$),
	($$-- GRANT USAGE ON SCHEMA shop TO analyst; SELECT gaussdp.grant_budget('analyst', 'shop.customer', epsilon => 1, delta => 1e-6, every => '30 days', default_epsilon => 0.1, default_delta => 1e-8);$$),
	($$-- SELECT gaussdp.set_population_budget('customer', epsilon => 3, delta => 1e-6, every => '30 days');$$), ($$-- GRANT SELECT ON shop.country TO analyst;$$), ($$-- GRANT SELECT ON shop.product TO analyst;$$)) AS v (sql)
LEFT JOIN said AS s USING (sql) GROUP BY v.sql;
SELECT is(count(*)::int, 19, 'and nothing else, but a key table of a CHECK list: labels of enumerations are public keys by themselves') FROM said;
SELECT ok(bool_and(reason ~ 'noise'), 'of bounds it says what they cost') FROM said WHERE sql ~ 'set_bounds';
SELECT ok(bool_or(reason ~ 'a second person is named by receiver_id'), 'a second person is named') FROM said WHERE "table" = 'shop.message'::regclass;
SELECT ok(bool_and(reason <> ''), 'each has a reason') FROM said;
SELECT lives_ok($$SELECT run('shop')$$, 'it runs as it is');
SELECT is_empty($$SELECT * FROM gaussdp.suggest('shop')$$, 'and leaves nothing to suggest');
SELECT is(count(*) FILTER (WHERE usable)::int, 5, 'five tables are protected') FROM gaussdp.protected_tables;
SELECT set_eq('SELECT sex FROM shop.customer_sex_keys', ARRAY['m', 'f', 'it''s', 'x]); DROP TABLE shop.log; --'], 'keys are those that are listed');
SELECT is_empty($$SELECT DISTINCT what FROM gaussdp.check_policy() WHERE what !~ '^statistics'$$, 'check_policy finds nothing wrong');

-- What has been declared is where it goes on
CREATE SCHEMA bank;
CREATE TABLE bank.holder (nr bigint PRIMARY KEY, x int);
CREATE TABLE bank.account (iban text PRIMARY KEY, holder bigint NOT NULL REFERENCES bank.holder);
CREATE TABLE bank.transfer (account text NOT NULL REFERENCES bank.account, amount numeric(12, 2));
SELECT is_empty($$SELECT * FROM gaussdp.suggest('bank')$$, 'nothing says who is a person');
SELECT gaussdp.protect('bank.holder', 'nr', people => 'holders') \g /dev/null
SELECT run('bank') \g /dev/null
SELECT is(string_agg(format('%s %s %s %s', "table", unit, people, via), '; ' ORDER BY "table"::text), 'bank.account holder holders ; bank.holder nr holders ; bank.transfer account holders bank.account', 'a declared table is')
FROM gaussdp.protected_tables WHERE "table"::text ~ '^bank';
-- Keys of several columns: by one that names the person, and by way of rows that they name together.
CREATE SCHEMA lab;
CREATE TABLE lab.patient (site int NOT NULL, id int PRIMARY KEY, UNIQUE (site, id));
CREATE TABLE lab.sample (site int, patient int, no int, taken date, PRIMARY KEY (site, no), FOREIGN KEY (site, patient) REFERENCES lab.patient (site, id)) PARTITION BY LIST (site);
CREATE TABLE lab.sample_rest PARTITION OF lab.sample DEFAULT;
CREATE TABLE lab.test (id int PRIMARY KEY, no int NOT NULL, site int, comments text, FOREIGN KEY (site, no) REFERENCES lab.sample);
CREATE TABLE lab.reading (test int NOT NULL REFERENCES lab.test, value float8);
SELECT results_eq($$SELECT sql, reason FROM gaussdp.suggest('lab') WHERE sql ~ 'protect'$$, $$VALUES
	('SELECT gaussdp.protect(''lab.patient'', unit => ''id'', people => ''patient'');', 'its name or its columns say that each row is a person'),
	('SELECT gaussdp.protect(''lab.sample'', unit => ''patient'', max_rows => 0, people => ''patient'');', 'patient refers to lab.patient; no answer counts rows where patient is NULL; max_rows 0: each query finds as how many rows a person counts, for a quarter of its price; declare the usual number where it is known'),
	('SELECT gaussdp.protect(''lab.test'', unit => ''site'', max_rows => 0, via => ''lab.sample'', via_column => ''site'', also => ''{no}'', via_also => ''{no}'');', 'site and no refer to lab.sample; no answer counts rows where site is NULL; max_rows 0: each query finds as how many rows a person counts, for a quarter of its price; declare the usual number where it is known'),
	('SELECT gaussdp.protect(''lab.reading'', unit => ''test'', max_rows => 0, via => ''lab.test'', via_column => ''id'');', 'test refers to lab.test; max_rows 0: each query finds as how many rows a person counts, for a quarter of its price; declare the usual number where it is known')$$, 'keys of several columns');
SELECT run('lab') \g /dev/null
SELECT is(string_agg(format('%s %s', "table", coalesce(problem, 'is usable')), '; ' ORDER BY "table"::text), 'lab.patient is usable; lab.reading is usable; lab.sample is usable; lab.test is usable', 'run as they are') FROM gaussdp.protected_tables WHERE "table"::text ~ '^lab';
SELECT is_empty($$SELECT * FROM gaussdp.suggest('lab')$$, 'and leave nothing to suggest');
SELECT is_empty($$SELECT DISTINCT what FROM gaussdp.check_policy() WHERE what !~ '^statistics'$$, 'nor to check_policy');
-- Without foreign keys names of columns are what there is: for somebody to read.
CREATE SCHEMA loose;
CREATE TABLE loose.customers (id int PRIMARY KEY, name text, town text);
CREATE TABLE loose.orders (id int PRIMARY KEY, day date, customer_id int);
CREATE TABLE loose.letter (id int PRIMARY KEY, customer_id text);
CREATE TABLE loose.survey (answer int, respondent_no bigint);
CREATE TABLE loose.employee (name text, employee_nr text, salary int);
CREATE TABLE loose.weather (day date PRIMARY KEY, id int, code int, name text);
SELECT results_eq($$SELECT sql, reason FROM gaussdp.suggest('loose') WHERE sql ~ '^--.*protect'$$, $$VALUES
	('-- SELECT gaussdp.protect(''loose.employee'', unit => ''employee_nr'', people => ''employee'');', 'its name or its columns say that each row is a person, and no primary key of one column says which: is it so, and is each row a person''s?'),
	('-- SELECT gaussdp.protect(''loose.letter'', unit => ''customer_id'', people => ''letter'');', 'by its name customer_id may name a person, and no foreign key says whom: is it so, and is each row a person''s?'),
	('-- SELECT gaussdp.protect(''loose.orders'', unit => ''customer_id'', people => ''customers'');', 'by its name customer_id may refer to loose.customers, and no foreign key says so: is it so, and is each row a person''s?'),
	('-- SELECT gaussdp.protect(''loose.survey'', unit => ''respondent_no'', people => ''survey'');', 'by its name respondent_no may name a person, and no foreign key says whom: is it so, and is each row a person''s?')$$, 'tables without foreign keys');
SELECT set_eq($$SELECT sql FROM gaussdp.suggest('loose') WHERE sql ~ 'hide'$$, ARRAY[$$SELECT gaussdp.hide_columns('loose.customers', '{name}');$$], 'the name of a person, and no other table''s name');
DO $$DECLARE line text; BEGIN FOR line IN SELECT regexp_replace(sql, '^-- ', '') FROM gaussdp.suggest('loose') WHERE sql ~ 'protect' LOOP EXECUTE line; END LOOP; END$$;
SELECT is_empty($$SELECT sql FROM gaussdp.suggest('loose') WHERE sql ~ 'protect' UNION ALL SELECT problem FROM gaussdp.protected_tables WHERE "table"::text ~ '^loose' AND NOT usable$$, 'run as they are');
SELECT throws_ok($$SELECT * FROM gaussdp.suggest('nowhere')$$, '3F000', NULL, 'a schema that is not there');
SELECT * FROM finish();
ROLLBACK;
