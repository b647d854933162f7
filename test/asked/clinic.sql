-- A made-up hospital: 20,000 patients, their visits, diagnoses and laboratory results. Rita owns it; Ann has a budget and no SELECT.
SET client_min_messages = warning;
DO $$BEGIN
	IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'rita') THEN CREATE ROLE rita; END IF;
	IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'ann') THEN CREATE ROLE ann; END IF;
END$$;
CREATE SCHEMA ward AUTHORIZATION rita;
GRANT USAGE ON SCHEMA ward TO PUBLIC;
SELECT format('ALTER DATABASE %I SET search_path = ward, public', current_database()) \gexec
SELECT format('ALTER DATABASE %I SET gaussdp.answer_plain_sql = on', current_database()) \gexec
SELECT format('ALTER DATABASE %I SET client_min_messages = warning', current_database()) \gexec
SET search_path = ward, public;

SET ROLE rita;
CREATE TABLE departments (name text PRIMARY KEY, floor int NOT NULL);
INSERT INTO departments VALUES ('Cardiology', 2), ('Emergency', 0), ('Oncology', 3), ('Paediatrics', 1), ('Surgery', 2);
CREATE TABLE icd10 (code text PRIMARY KEY, title text NOT NULL, chapter text NOT NULL);
INSERT INTO icd10 VALUES ('C34', 'Lung cancer', 'Neoplasms'), ('E11', 'Diabetes', 'Metabolism'), ('E66', 'Obesity', 'Metabolism'), ('I10', 'Hypertension', 'Circulation'),
	('I21', 'Heart attack', 'Circulation'), ('J45', 'Asthma', 'Respiration');
GRANT SELECT ON departments, icd10 TO PUBLIC;

CREATE TABLE patients (patient_id int PRIMARY KEY, sex char(1) NOT NULL, born date NOT NULL, postcode varchar(5) NOT NULL, smoker boolean, height_cm numeric(4, 1), weight_kg numeric(4, 1), insurer text NOT NULL);
CREATE TABLE visits (visit_id int PRIMARY KEY, patient_id int NOT NULL, department text NOT NULL, arrived timestamp NOT NULL, discharged timestamp, kind text NOT NULL, cost numeric(9, 2) NOT NULL, triage smallint);
CREATE TABLE diagnoses (visit_id int NOT NULL, code text NOT NULL, is_main boolean NOT NULL, UNIQUE (visit_id, code));
CREATE TABLE labs (patient_id int NOT NULL, taken_on date NOT NULL, test text NOT NULL, value double precision);

CREATE FUNCTION draws(i int, n int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT ((hashint8extended(i, n) % n + n) % n)::int';
INSERT INTO patients
SELECT i, CASE WHEN draws(i, 2) = 0 THEN 'f' ELSE 'm' END, date '2024-01-01' - draws(i, 32000), (10000 + 10 * draws(i, 12))::text, CASE WHEN draws(i, 11) > 0 THEN draws(i, 4) = 0 END,
	150 + draws(i, 45), 45 + draws(i, 61), (ARRAY['public', 'public', 'public', 'private', 'none'])[1 + draws(i, 5)]
FROM generate_series(1, 20000) i;
INSERT INTO visits
SELECT v, patient_id, CASE WHEN born > '2008-01-01' THEN 'Paediatrics' ELSE (ARRAY['Cardiology', 'Emergency', 'Emergency', 'Oncology', 'Surgery'])[1 + draws(v, 5)] END,
	at, CASE WHEN draws(v, 23) > 0 THEN at + interval '1 minute' * (30 + draws(v, 71) * draws(v, 70)) END, (ARRAY['planned', 'urgent', 'follow-up'])[1 + draws(v, 3)],
	(30 + draws(v, 89) ^ 2 / 4)::numeric(9, 2), CASE WHEN draws(v, 9) > 0 THEN 1 + draws(v, 5) END
FROM (SELECT row_number() OVER (ORDER BY patient_id, n)::int AS v, patient_id, born FROM patients, generate_series(1, 1 + draws(patient_id, 16) * draws(patient_id, 17) / 45) n) s,
	LATERAL (SELECT timestamp '2023-01-01' + interval '1 minute' * draws(v, 525600) AS at) t;
INSERT INTO diagnoses
SELECT visit_id, code, draws(visit_id, 6) = place FROM visits, (SELECT code, row_number() OVER (ORDER BY code)::int - 1 AS place FROM icd10) i WHERE draws(patient_id, 1000 + place) < 250 AND draws(visit_id * 7 + place, 3) > 0;
INSERT INTO labs
SELECT patient_id, date '2023-01-01' + draws(patient_id * 8 + n, 365), (ARRAY['HbA1c', 'LDL'])[1 + n % 2], CASE WHEN draws(patient_id * 8 + n, 30) > 0 THEN CASE n % 2 WHEN 0 THEN 4.5 + draws(patient_id * 8 + n, 60) / 10.0 ELSE 60 + draws(patient_id * 8 + n, 140) END END
FROM patients, generate_series(1, draws(patient_id, 5)) n;
CREATE INDEX ON visits (patient_id);
CREATE VIEW stays WITH (security_invoker) AS SELECT visit_id, patient_id, department, arrived::date AS day, discharged - arrived AS stay, cost FROM visits WHERE kind <> 'follow-up';
GRANT SELECT ON stays TO PUBLIC;

DO $$BEGIN
	PERFORM gaussdp.protect('patients', unit => 'patient_id', people => 'patients'),
		gaussdp.protect('visits', unit => 'patient_id', max_rows => 8, people => 'patients'),
		gaussdp.protect('diagnoses', unit => 'visit_id', via => 'visits', max_rows => 16),
		gaussdp.protect('labs', unit => 'patient_id', max_rows => 4, people => 'patients'),
		gaussdp.set_bounds('patients', 'height_cm', 40, 220), gaussdp.set_bounds('patients', 'weight_kg', 2, 200),
		gaussdp.set_bounds('visits', 'cost', 0, 2000), gaussdp.set_bounds('visits', 'triage', 1, 5),
		gaussdp.set_public_keys('visits', 'department', 'departments', 'name'),
		gaussdp.set_public_keys('diagnoses', 'code', 'icd10', 'code'),
		gaussdp.grant_budget('ann', 'patients', epsilon => 1000, delta => 1e-3, default_epsilon => 1, default_delta => 1e-7);
END$$;
RESET ROLE;
-- Some of the owner's own questions would take half a minute without statistics.
ANALYZE patients, visits, diagnoses, labs;
