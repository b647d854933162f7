\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
\set VERBOSITY terse
-- Three schemas that are kept well: check_policy has nothing to say. Then what is wrong in each way, and found.
BEGIN;
SELECT plan(34);
SET LOCAL client_min_messages = error;
SELECT gaussdp.lock_down() \g /dev/null
CREATE ROLE keeper;
CREATE ROLE other;
CREATE ROLE ana;
CREATE ROLE bob;
CREATE SCHEMA hr AUTHORIZATION keeper;
CREATE SCHEMA shop AUTHORIZATION keeper;
CREATE SCHEMA clinic AUTHORIZATION keeper;
GRANT USAGE ON SCHEMA hr, shop, clinic TO PUBLIC;
SET LOCAL ROLE keeper;

-- A unique unit, public keys, a domain, a check, an index on an expression, all of the owner
CREATE DOMAIN hr.pay AS numeric CHECK (VALUE >= 0);
CREATE FUNCTION hr.is_short(text) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT length($1) < 100';
CREATE TABLE hr.dept (name text PRIMARY KEY, floor int);
CREATE TABLE hr.emp (id serial PRIMARY KEY, dept text REFERENCES hr.dept, salary hr.pay, note text CHECK (hr.is_short(note)), twice numeric GENERATED ALWAYS AS (salary * 2) STORED);
CREATE INDEX ON hr.emp (lower(note));
SELECT gaussdp.protect('hr.emp', 'id', people => 'staff'), gaussdp.set_public_keys('hr.emp', 'dept', 'hr.dept', 'name') \g /dev/null
GRANT SELECT ON hr.dept TO ana;
SELECT gaussdp.grant_budget('ana', 'hr.emp', 3, 1e-6, '30 days') \g /dev/null

-- Paths, products that are public, a log that names nobody
CREATE TABLE shop.customer (id int PRIMARY KEY, country text);
CREATE TABLE shop.product (id int PRIMARY KEY, name text);
CREATE TABLE shop.orders (id int PRIMARY KEY, customer_id int NOT NULL REFERENCES shop.customer, day date);
CREATE TABLE shop.item (order_id int NOT NULL REFERENCES shop.orders, product_id int REFERENCES shop.product, price numeric);
CREATE TABLE shop.log (at timestamptz, message text);
SELECT gaussdp.protect('shop.customer', 'id', people => 'customers'), gaussdp.protect('shop.orders', 'customer_id', 5, people => 'customers'), gaussdp.protect('shop.item', 'order_id', 20, via => 'shop.orders') \g /dev/null
GRANT SELECT ON shop.product, shop.log TO PUBLIC;
SELECT gaussdp.grant_budget('ana', 'shop.orders', 1, 1e-7), gaussdp.grant_budget('bob', 'shop.orders', 1, 1e-7), gaussdp.set_population_budget('customers', 3, 1e-7) \g /dev/null

-- Partitions, a table that extends another one to one
CREATE TABLE clinic.patient (id int PRIMARY KEY, born date);
CREATE TABLE clinic.address (patient_id int PRIMARY KEY REFERENCES clinic.patient, city text);
CREATE TABLE clinic.visit (patient_id int NOT NULL REFERENCES clinic.patient, day date NOT NULL, cost numeric) PARTITION BY RANGE (day);
CREATE TABLE clinic.visit_2026 PARTITION OF clinic.visit FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
INSERT INTO clinic.patient SELECT generate_series(1, 1000), '2000-01-01';
SELECT gaussdp.protect(t, u, r, people => 'patients') FROM (VALUES ('clinic.patient'::regclass, 'id', 1), ('clinic.address', 'patient_id', 1), ('clinic.visit', 'patient_id', 12)) AS v (t, u, r) \g /dev/null
SELECT gaussdp.grant_budget('public', 'clinic.visit', 2, 1e-5) \g /dev/null
ANALYZE clinic.patient;
RESET ROLE;
SELECT results_eq('SELECT "table", severity, what FROM gaussdp.check_policy()',
  $$VALUES (NULL::regclass, 'warning', 'temporary files of private queries share a disk with role ana, which may fill it, and with others')$$, 'nothing to say of three schemas, but that of this server');
SELECT results_eq('SELECT policy_errors, policy_warnings, tables, unusable FROM gaussdp.stat_policy', 'VALUES (0::int8, 1::int8, 7::int8, 0::int8)', 'and nothing else is counted');

-- Everything at once
SET LOCAL ROLE other;
RESET ROLE;
GRANT CREATE ON SCHEMA hr TO other;
SET LOCAL ROLE other;
CREATE FUNCTION hr.spies(anyelement) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT true';
CREATE FUNCTION hr.made() RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION hr.same(int, int) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT $1 > $2';
CREATE OPERATOR hr.=== (LEFTARG = int, RIGHTARG = int, FUNCTION = hr.same);
CREATE DOMAIN hr.word AS text;
CREATE FUNCTION hr.is_small(text) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT true';
GRANT USAGE ON TYPE hr.word TO PUBLIC;
RESET ROLE;
REVOKE CREATE ON SCHEMA hr FROM other;
GRANT SELECT (ctid) ON hr.emp TO ana;
GRANT SELECT (xmin) ON hr.emp TO PUBLIC;
ALTER TABLE hr.emp ADD CONSTRAINT spied CHECK (hr.spies(salary)), ADD made int DEFAULT hr.made(), ADD CONSTRAINT compared CHECK (id OPERATOR(hr.===) 0), ADD word hr.word[];
CREATE POLICY spied ON hr.emp USING (hr.spies(dept));
CREATE DOMAIN hr.small AS text CHECK (hr.is_small(VALUE));
ALTER TABLE hr.emp ADD small hr.small, ADD doubled bool GENERATED ALWAYS AS (hr.spies(salary)) STORED;
CREATE INDEX spied_index ON hr.emp (hr.spies(note));
GRANT SELECT ON SEQUENCE hr.emp_id_seq TO ana;
ALTER DEFAULT PRIVILEGES FOR ROLE keeper IN SCHEMA clinic GRANT SELECT ON TABLES TO ana;
ALTER DEFAULT PRIVILEGES FOR ROLE keeper GRANT SELECT ON TABLES TO PUBLIC;
CREATE EXTENSION postgres_fdw;
CREATE SERVER loop FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host 'localhost');
CREATE SERVER elsewhere FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host 'db.example.com');
CREATE USER MAPPING FOR PUBLIC SERVER loop OPTIONS (user 'postgres');
CREATE USER MAPPING FOR PUBLIC SERVER elsewhere;
CREATE TABLE clinic.phone_call (caller_id int NOT NULL REFERENCES clinic.patient, callee_id int REFERENCES clinic.patient, minutes int);
CREATE TABLE clinic.card (number int PRIMARY KEY, patient_id int REFERENCES clinic.patient);
CREATE TABLE clinic.payment (card int NOT NULL REFERENCES clinic.card, amount numeric);
CREATE TABLE shop.refund (order_id int NOT NULL REFERENCES shop.orders, amount numeric);
CREATE TABLE shop.review (customer_id int REFERENCES shop.customer, stars int);
CREATE TABLE shop.orders_new (id int PRIMARY KEY, customer_id int NOT NULL, day date);
CREATE TABLE clinic.bill_old (id int PRIMARY KEY, patient_id int REFERENCES clinic.patient, amount numeric);
CREATE TABLE clinic.bill (id int PRIMARY KEY, patient_id int, amount numeric, currency text);
SELECT gaussdp.protect('clinic.bill_old', 'patient_id', 9, people => 'patients') \g /dev/null
SELECT gaussdp.protect('clinic.phone_call', 'caller_id', 9, people => 'patients'), gaussdp.protect('clinic.payment', 'card', 9), gaussdp.protect('shop.refund', 'order_id', 2) \g /dev/null
GRANT SELECT ON shop.review TO bob;
ALTER TABLE hr.emp DROP CONSTRAINT emp_dept_fkey;
ALTER TABLE hr.dept DROP CONSTRAINT dept_pkey, ENABLE ROW LEVEL SECURITY;
REVOKE SELECT ON hr.dept FROM ana;
SELECT gaussdp.grant_budget('ana', 'hr.emp', 11, 1e-6), gaussdp.grant_budget('public', 'clinic.visit', 2, 1e-3) \g /dev/null
CREATE TEMPORARY TABLE found AS SELECT * FROM gaussdp.check_policy();
SELECT ok(bool_or(f.severity = e.severity AND f.remedy <> ''), e.what)
FROM (VALUES ('error', 'role ana may read ctid of hr.emp, a system column%'), ('error', 'PUBLIC may read xmin of hr.emp%'),
	('error', 'function hr.spies(anyelement), of role other, is run by whoever writes to the table: constraint spied'), ('error', 'function hr.spies(anyelement), of role other, %: index hr.spied_index'),
	('error', 'function hr.spies(anyelement), of role other, %: policy spied'), ('error', 'function hr.made(), of role other, %: default of column made'),
	('error', 'function hr.spies(anyelement), of role other, %: expression of column doubled'), ('error', 'function hr.is_small(text), of role other, %: domain hr.small'),
	('warning', 'table clinic.bill is not protected, and clinic.bill_old has the name of an old one of it:%'),
	('error', 'function hr.same(integer,integer), of role other, %: constraint compared'), ('error', 'domain hr.word, of role other, %: column'),
	('warning', 'default privileges let role ana read each new table of role keeper in schema clinic%'), ('warning', 'default privileges let PUBLIC read each new table of role keeper,%'),
	('warning', 'foreign server loop leads back to this database, and PUBLIC may use it%'), ('warning', 'role ana may read sequence hr.emp_id_seq%'),
	('warning', 'column callee_id names a second person%'), ('warning', 'unit order_id names rows of shop.orders, which belong to persons by customer_id:%'),
	('warning', 'unit card names rows of clinic.card, whose patient_id refers to the people of clinic.patient:%'),
	('error', 'table shop.review refers to the people of the table, is not protected, and may be read by bob'),
	('warning', 'table shop.orders_new has the same columns and is not protected%'), ('warning', 'groups by public keys are refused: no unique index%name of hr.dept%'),
	('warning', 'groups by public keys are refused: key table hr.dept has row security'), ('warning', 'groups by public keys are refused: role ana has a budget, and may not read column name of hr.dept'),
	('warning', 'role ana may learn epsilon 11:%'), ('warning', 'everybody may learn at delta 0.002, of about 1000 people:%')) AS e (severity, what)
LEFT JOIN found AS f ON f.what LIKE e.what
GROUP BY e.severity, e.what ORDER BY e.what;
SELECT is_empty($$SELECT * FROM found WHERE what ~ 'elsewhere'$$, 'other servers are other servers');
SELECT is((SELECT count(*) FROM found WHERE what ~ 'foreign server'), 1::int8, 'what holds for several tables is said once');
SELECT is_empty('SELECT what FROM found GROUP BY what HAVING count(*) > 1', 'nothing is said twice');
SELECT is_empty($$SELECT * FROM found WHERE remedy !~ '^[A-Z].*[.;]$'$$, 'each says what to do');
SELECT is((SELECT policy_errors || ' ' || policy_warnings FROM gaussdp.stat_policy), (SELECT count(*) FILTER (WHERE severity = 'error') || ' ' || count(*) FILTER (WHERE severity = 'warning') FROM found), 'stat_policy counts what is found');
-- What lock_down would close is found, all of it
SELECT is_empty($$SELECT * FROM found WHERE what ~ '^statistics'$$, 'nothing is open that lock_down has closed');
SELECT gaussdp.undo_lock_down() \g /dev/null
SELECT is((regexp_match(c.what, ' and ([0-9]+) more$'))[1]::int + 4, (SELECT count(*)::int FROM gaussdp.lock_down(dry_run => true)), 'as many as lock_down lists')
FROM gaussdp.check_policy() AS c WHERE c.what ~ '^statistics';
SELECT * FROM finish();
ROLLBACK;
