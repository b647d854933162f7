-- A made-up insurer: 20,000 holders, 34,000 policies, 29,000 claims, 60,000 payments. Iris owns it; Paul has a budget and no SELECT.
SET client_min_messages = warning;
DO $$BEGIN
	IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'iris') THEN CREATE ROLE iris; END IF;
	IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'paul') THEN CREATE ROLE paul; END IF;
END$$;
CREATE SCHEMA cover AUTHORIZATION iris;
GRANT USAGE ON SCHEMA cover TO PUBLIC;
SELECT format('ALTER DATABASE %I SET search_path = cover, public', current_database()) \gexec
SELECT format('ALTER DATABASE %I SET gaussdp.answer_plain_sql = on', current_database()) \gexec
SELECT format('ALTER DATABASE %I SET client_min_messages = warning', current_database()) \gexec
SELECT format('ALTER DATABASE %I SET timezone = ''UTC''', current_database()) \gexec
SET search_path = cover, public;
SET timezone = 'UTC';

SET ROLE iris;
CREATE TYPE product AS ENUM ('motor', 'home', 'travel', 'life');
CREATE TYPE claim_state AS ENUM ('reported', 'assessed', 'paid', 'refused');
CREATE DOMAIN euro AS numeric(10, 2);
CREATE TABLE regions (code char(2) PRIMARY KEY, name text NOT NULL, coast boolean NOT NULL);
INSERT INTO regions VALUES ('EA', 'East', true), ('MI', 'Middle', false), ('NO', 'North', true), ('SO', 'South', false), ('WE', 'West', false);
GRANT SELECT ON regions TO PUBLIC;

CREATE TABLE holders (holder_id int PRIMARY KEY, region char(2) NOT NULL, born date NOT NULL, joined date NOT NULL, gender text, occupation varchar(20), income int,
	no_claims_years smallint NOT NULL, newsletter boolean NOT NULL, profile jsonb, interests text[], last_ip inet, call_after time, credit_limit money);
CREATE TABLE policies (policy_id int PRIMARY KEY, holder_id int NOT NULL, line product NOT NULL, period daterange NOT NULL, premium euro NOT NULL, deductible numeric,
	broker text, signed_at timestamptz NOT NULL, cancelled_on date);
CREATE TABLE claims (claim_id int PRIMARY KEY, policy_id int NOT NULL, holder_id int NOT NULL, happened_on date NOT NULL, happened_at time, reported_at timestamp NOT NULL, settled_at timestamp,
	state claim_state NOT NULL, amount numeric(10, 2) NOT NULL, paid money, cause text NOT NULL, photo_hash bytea, details jsonb);
CREATE TABLE payments (payment_id bigint PRIMARY KEY, holder_id int NOT NULL, booked timestamptz NOT NULL, amount numeric(9, 2) NOT NULL, method text NOT NULL, attempts int NOT NULL, note text);

CREATE FUNCTION draws(i int, n int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT ((hashint8extended(i, n) % n + n) % n)::int';
INSERT INTO holders
SELECT i, (ARRAY['EA', 'MI', 'MI', 'NO', 'SO', 'SO', 'WE'])[1 + draws(i, 7)], date '2006-01-01' - draws(i, 24000), date '2015-01-01' + draws(i, 3650),
	CASE draws(i, 20) WHEN 0 THEN NULL ELSE (ARRAY['f', 'm'])[1 + draws(i, 2)] END, (ARRAY['clerk', 'teacher', 'nurse', 'driver', 'engineer', 'retired'])[1 + draws(i, 6)],
	CASE WHEN draws(i, 12) > 0 THEN 12000 + 100 * draws(i, 640) END, draws(i, 15), draws(i, 3) = 0,
	CASE WHEN draws(i, 9) > 0 THEN jsonb_build_object('score', 300 + draws(i, 550), 'channel', (ARRAY['agent', 'web', 'phone'])[1 + draws(i, 31) / 11], 'car', jsonb_build_object('brand', (ARRAY['VW', 'Fiat', 'Audi'])[1 + draws(i, 32) / 11], 'doors', 3 + 2 * draws(i, 25) % 4), 'paperless', draws(i, 4) > 0) END,
	ARRAY[(ARRAY['travel', 'cars', 'garden'])[1 + draws(i, 33) / 11], (ARRAY['sports', 'music'])[1 + draws(i, 22) / 11]],
	('10.' || draws(i, 4) || '.' || draws(i, 250) || '.' || draws(i, 251))::inet, time '08:00' + interval '15 minutes' * draws(i, 40), ((1 + draws(i, 50)) * 100)::money
FROM generate_series(1, 20000) i;
INSERT INTO policies
SELECT p, holder_id, (ARRAY['motor', 'motor', 'motor', 'home', 'home', 'travel', 'life'])[1 + draws(p, 7)]::product, daterange(start, start + 365), (120 + draws(p, 880))::numeric(10, 2), CASE WHEN draws(p, 5) > 0 THEN 100 * (1 + draws(p, 10)) END,
	CASE WHEN draws(p, 4) > 0 THEN 'broker ' || 1 + draws(p, 12) END, start - interval '1 minute' * draws(p, 43200), CASE WHEN draws(p, 10) = 0 THEN start + 30 + draws(p, 300) END
FROM (SELECT row_number() OVER (ORDER BY holder_id, n)::int AS p, holder_id, n FROM holders, generate_series(1, 1 + draws(holder_id, 16) / 6) n) s, LATERAL (SELECT date '2023-01-01' + draws(p, 730) AS start) t;
INSERT INTO claims
SELECT c, policy_id, holder_id, day, CASE WHEN draws(c, 8) > 0 THEN time '00:00' + interval '1 minute' * draws(c, 1440) END, reported, CASE WHEN draws(c, 6) > 0 THEN reported + interval '1 hour' * (24 + draws(c, 1700)) END,
	(ARRAY['reported', 'assessed', 'paid', 'paid', 'paid', 'refused'])[1 + draws(c, 6)]::claim_state, (50 + draws(c, 97) ^ 2 / 2)::numeric(10, 2),
	CASE WHEN draws(c, 6) BETWEEN 2 AND 4 THEN (40 + draws(c, 97) ^ 2 / 3)::numeric::money END, (ARRAY['collision', 'theft', 'storm', 'water', 'fire'])[1 + draws(c, 5)], decode(md5(draws(c, 900)::text), 'hex'),
	jsonb_build_object('damage', 50 + draws(c, 4000), 'witnesses', draws(c, 4), 'police', draws(c, 3) = 0, 'parts', jsonb_build_array(draws(c, 5), draws(c, 6)))
FROM (SELECT row_number() OVER (ORDER BY policy_id, n)::int AS c, policy_id, holder_id, lower(period) + draws(policy_id * 5 + n, 360) AS day FROM policies, generate_series(1, draws(policy_id, 13) / 5) n) s, LATERAL (SELECT day + interval '1 minute' * draws(c, 20000) AS reported) t;
INSERT INTO payments
SELECT row_number() OVER (ORDER BY holder_id, n), holder_id, timestamptz '2024-01-01 00:00+00' + interval '1 minute' * draws(holder_id * 8 + n, 525600), (10 + draws(holder_id * 8 + n, 190))::numeric(9, 2),
	(ARRAY['card', 'debit', 'transfer'])[1 + draws(holder_id * 8 + n, 34) / 12], 1 + draws(holder_id * 8 + n, 9) / 7, CASE WHEN draws(holder_id * 8 + n, 7) = 0 THEN (ARRAY['Late fee', 'REFUND', 'manual'])[1 + draws(n, 3)] END
FROM holders, generate_series(1, draws(holder_id, 7)) n;
CREATE INDEX ON policies (holder_id);
CREATE INDEX ON claims (holder_id);

DO $$BEGIN
	PERFORM gaussdp.protect('holders', unit => 'holder_id', people => 'holders'),
		gaussdp.protect('policies', unit => 'holder_id', max_rows => 3, people => 'holders'),
		gaussdp.protect('claims', unit => 'holder_id', max_rows => 6, people => 'holders'),
		gaussdp.protect('payments', unit => 'holder_id', max_rows => 6, people => 'holders'),
		gaussdp.set_bounds('holders', 'income', 0, 100000), gaussdp.set_bounds('holders', 'no_claims_years', 0, 20),
		gaussdp.set_bounds('policies', 'premium', 0, 1200), gaussdp.set_bounds('policies', 'deductible', 0, 1500),
		gaussdp.set_bounds('claims', 'amount', 0, 5000), gaussdp.set_bounds('payments', 'amount', 0, 250), gaussdp.set_bounds('payments', 'attempts', 1, 5),
		gaussdp.set_public_keys('holders', 'region', 'regions', 'code'),
		gaussdp.grant_budget('paul', 'holders', epsilon => 1000, delta => 1e-3, default_epsilon => 1, default_delta => 1e-7);
END$$;
RESET ROLE;
