-- A made-up mobile network: 15,000 subscribers, 45,000 sessions, 60,000 calls, 45,000 bills. Tess owns it; Amir has a budget and no SELECT.
SET client_min_messages = warning;
DO $$BEGIN
	IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'tess') THEN CREATE ROLE tess; END IF;
	IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'amir') THEN CREATE ROLE amir; END IF;
END$$;
CREATE SCHEMA net AUTHORIZATION tess;
GRANT USAGE ON SCHEMA net TO PUBLIC;
SELECT format('ALTER DATABASE %I SET search_path = net, public', current_database()) \gexec
SELECT format('ALTER DATABASE %I SET gaussdp.answer_plain_sql = on', current_database()) \gexec
SELECT format('ALTER DATABASE %I SET client_min_messages = warning', current_database()) \gexec
SELECT format('ALTER DATABASE %I SET timezone = ''UTC''', current_database()) \gexec
SET search_path = net, public;
SET timezone = 'UTC';

SET ROLE tess;
CREATE TYPE tariff AS ENUM ('prepaid', 'basic', 'family', 'business');
CREATE TABLE cells (cell_id int PRIMARY KEY, district text NOT NULL, technology text NOT NULL);
INSERT INTO cells SELECT i, (ARRAY['Centre', 'North', 'Port', 'South'])[1 + i % 4], (ARRAY['4G', '5G'])[1 + i / 20] FROM generate_series(1, 39) i;
CREATE TABLE brands (name text PRIMARY KEY);
INSERT INTO brands VALUES ('Fair'), ('Nova'), ('Orbit'), ('Pear');
GRANT SELECT ON cells, brands TO PUBLIC;

CREATE TABLE subscribers (msisdn bigint PRIMARY KEY, tariff tariff NOT NULL, brand text NOT NULL, activated timestamp with time zone NOT NULL, closed_on date, birthday date, roaming boolean NOT NULL,
	options jsonb NOT NULL, services text[] NOT NULL, quiet_from time, deposit money NOT NULL, home cidr NOT NULL, score real);
CREATE TABLE sessions (session_id bigint PRIMARY KEY, msisdn bigint NOT NULL, cell_id int NOT NULL, during tstzrange NOT NULL, bytes_up bigint NOT NULL, bytes_down bigint NOT NULL, client inet, apn varchar(16) NOT NULL, dropped boolean NOT NULL);
CREATE TABLE calls (call_id int PRIMARY KEY, msisdn bigint NOT NULL, started timestamp NOT NULL, duration interval NOT NULL, direction char(3) NOT NULL, cost numeric(8, 4), quality smallint);
CREATE TABLE bills (bill_id int PRIMARY KEY, msisdn bigint NOT NULL, month date NOT NULL, total money NOT NULL, amount numeric(8, 2) NOT NULL, paid_at timestamptz, reminder_levels int[] NOT NULL, details jsonb);

CREATE FUNCTION draws(i int, n int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT ((hashint8extended(i, n) % n + n) % n)::int';
INSERT INTO subscribers
SELECT 4360000000 + i, (ARRAY['prepaid', 'prepaid', 'basic', 'basic', 'family', 'business'])[1 + draws(i, 6)]::tariff, (ARRAY['Fair', 'Nova', 'Nova', 'Orbit', 'Pear', 'Pear', 'Pear'])[1 + draws(i, 7)],
	timestamptz '2019-01-01 00:00+00' + interval '1 hour' * draws(i, 43000), CASE WHEN draws(i, 8) = 0 THEN date '2024-01-01' + draws(i, 366) END, CASE WHEN draws(i, 13) > 0 THEN date '2007-01-01' - draws(i, 25000) END, draws(i, 5) = 0,
	jsonb_build_object('data', jsonb_build_object('gb', 5 * (1 + draws(i, 20)), 'speed', (ARRAY['slow', 'fast'])[1 + draws(i, 22) / 11]), 'esim', draws(i, 3) = 0, 'lines', 1 + draws(i, 4)),
	ARRAY[(ARRAY['voice', 'data', 'tv'])[1 + draws(i, 33) / 11], (ARRAY['music', 'cloud'])[1 + draws(i, 24) / 12]], CASE WHEN draws(i, 4) > 0 THEN time '20:00' + interval '5 minutes' * draws(i, 47) END,
	(10 * draws(i, 21))::money, ('100.' || 64 + draws(i, 4) || '.0.0/16')::cidr, (draws(i, 1000) / 10.0)::real
FROM generate_series(1, 15000) i;
INSERT INTO sessions
SELECT s, 4360000000 + i, 1 + draws(s, 39), tstzrange(at, at + interval '1 second' * (30 + draws(s, 7200))), 1000 * (1 + draws(s, 5000)), 1000 * (1 + draws(s, 90000)), ('100.' || 64 + draws(i, 4) || '.' || draws(s, 250) || '.' || draws(s, 251))::inet,
	(ARRAY['internet', 'internet', 'corporate', 'iot'])[1 + draws(s, 4)], draws(s, 20) = 0
FROM (SELECT row_number() OVER (ORDER BY i, n)::int AS s, i FROM generate_series(1, 15000) i, generate_series(1, 1 + draws(i, 5)) n) t, LATERAL (SELECT timestamptz '2024-05-01 00:00+00' + interval '1 second' * draws(s, 2678400) AS at) u;
INSERT INTO calls
SELECT c, 4360000000 + i, timestamp '2024-05-01' + interval '1 second' * draws(c, 2678400), interval '1 second' * (1 + draws(c, 60) * draws(c, 31)), (ARRAY['in', 'out', 'out'])[1 + draws(c, 3)],
	CASE WHEN draws(c, 3) > 0 THEN (draws(c, 60) * draws(c, 31) * 0.0015)::numeric(8, 4) END, CASE WHEN draws(c, 10) > 0 THEN 1 + draws(c, 5) END
FROM (SELECT row_number() OVER (ORDER BY i, n)::int AS c, i FROM generate_series(1, 15000) i, generate_series(1, draws(i, 9)) n) t;
INSERT INTO bills
SELECT row_number() OVER (ORDER BY i, m), 4360000000 + i, date '2024-01-01' + interval '1 month' * m, (10 + draws(i * 4 + m, 90))::money, 10 + draws(i * 4 + m, 90), CASE WHEN draws(i * 4 + m, 12) > 0 THEN timestamptz '2024-01-15 00:00+00' + interval '1 month' * m + interval '1 hour' * draws(i * 4 + m, 700) END,
	CASE draws(i * 4 + m, 6) WHEN 0 THEN '{1}' WHEN 1 THEN '{1,2}' ELSE '{}' END::int[], jsonb_build_object('vat', 10 + 10 * draws(i, 2), 'items', jsonb_build_array(jsonb_build_object('kind', 'base'), jsonb_build_object('kind', 'extra')))
FROM generate_series(1, 15000) i, generate_series(0, 2) m;
CREATE INDEX ON sessions (msisdn);
CREATE INDEX ON calls (msisdn);

DO $$BEGIN
	PERFORM gaussdp.protect('subscribers', unit => 'msisdn', people => 'subscribers'),
		gaussdp.protect('sessions', unit => 'msisdn', max_rows => 5, people => 'subscribers'),
		gaussdp.protect('calls', unit => 'msisdn', max_rows => 8, people => 'subscribers'),
		gaussdp.protect('bills', unit => 'msisdn', max_rows => 3, people => 'subscribers'),
		gaussdp.set_bounds('subscribers', 'score', 0, 100), gaussdp.set_bounds('subscribers', 'deposit', '0', '250'),
		gaussdp.set_bounds('subscribers', 'birthday', '1930-01-01', '2010-01-01'), gaussdp.set_bounds('sessions', 'bytes_up', 0, 1e7), gaussdp.set_bounds('sessions', 'bytes_down', 0, 1e8),
		gaussdp.set_bounds('calls', 'duration', '0', '40 min'), gaussdp.set_bounds('calls', 'cost', 0, 3), gaussdp.set_bounds('calls', 'quality', 1, 5),
		gaussdp.set_bounds('bills', 'amount', 0, 150), gaussdp.set_bounds('bills', 'total', '0', '150'),
		gaussdp.set_public_keys('subscribers', 'brand', 'brands', 'name'),
		gaussdp.grant_budget('amir', 'subscribers', epsilon => 1000, delta => 1e-3, default_epsilon => 1, default_delta => 1e-7);
END$$;
RESET ROLE;
