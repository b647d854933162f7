-- A made-up clinic of 50,000 patients, their visits and diagnoses, declared as its owner would: for the demo and the tutorial.
CREATE ROLE registrar;
CREATE ROLE ana;
CREATE SCHEMA clinic AUTHORIZATION registrar;
GRANT USAGE ON SCHEMA clinic TO PUBLIC;

SET ROLE registrar;
CREATE TABLE clinic.department (name text PRIMARY KEY);
INSERT INTO clinic.department VALUES ('Cardiology'), ('Emergency'), ('General'), ('Paediatrics'), ('Surgery');
CREATE TABLE clinic.icd (code text PRIMARY KEY, title text NOT NULL);
INSERT INTO clinic.icd VALUES ('E11', 'Diabetes'), ('I10', 'Hypertension'), ('J45', 'Asthma'), ('M54', 'Back pain'), ('F32', 'Depression'), ('B20', 'HIV');
GRANT SELECT ON clinic.department, clinic.icd TO PUBLIC;

CREATE TABLE clinic.patient (patient_id int PRIMARY KEY, sex text NOT NULL, born date NOT NULL, town text NOT NULL);
CREATE TABLE clinic.visit (visit_id int PRIMARY KEY, patient_id int NOT NULL, visited_on date NOT NULL, department text NOT NULL, cost numeric(8, 2) NOT NULL);
CREATE TABLE clinic.diagnosis (visit_id int NOT NULL, code text NOT NULL, UNIQUE (visit_id, code));

-- The same people in each run: draws(i, n) is a number from 0 to n - 1
CREATE FUNCTION clinic.draws(i int, n int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT ((hashint8extended(i, n) % n + n) % n)::int';
INSERT INTO clinic.patient
SELECT i, CASE WHEN clinic.draws(i, 2) = 0 THEN 'f' ELSE 'm' END, date '2025-01-01' - clinic.draws(i, 33000), 'T' || clinic.draws(i, 40)
FROM generate_series(1, 50000) i;
INSERT INTO clinic.visit
SELECT row_number() OVER (ORDER BY p.patient_id, v), p.patient_id, date '2024-01-01' + clinic.draws(p.patient_id * 16 + v, 366),
	CASE WHEN p.born > '2010-01-01' THEN 'Paediatrics' ELSE (ARRAY['Cardiology', 'Emergency', 'General', 'General', 'General', 'Surgery'])[1 + clinic.draws(p.patient_id * 16 + v, 6)] END,
	(20 + clinic.draws(p.patient_id * 16 + v, 97) ^ 2 / 10)::numeric(8, 2)
FROM clinic.patient p, generate_series(1, 1 + (clinic.draws(p.patient_id, 64) / 8) * (clinic.draws(p.patient_id, 63) / 32)) v;
INSERT INTO clinic.diagnosis
SELECT v.visit_id, i.code FROM clinic.visit v JOIN clinic.patient p USING (patient_id), clinic.icd i
WHERE clinic.draws(p.patient_id, 1000 + ascii(i.code)) < 1000 * CASE i.code WHEN 'B20' THEN 0.004 ELSE 0.12 END AND clinic.draws(v.visit_id, 3) > 0;
CREATE INDEX ON clinic.visit (patient_id);

-- What is private, whose it is, and how much of a person may count
DO $$BEGIN
	PERFORM gaussdp.protect('clinic.patient', unit => 'patient_id', people => 'patients'),
		gaussdp.protect('clinic.visit', unit => 'patient_id', max_rows => 8, people => 'patients'),
		gaussdp.protect('clinic.diagnosis', unit => 'visit_id', via => 'clinic.visit', max_rows => 8),
		gaussdp.set_bounds('clinic.visit', 'cost', 0, 1000),
		gaussdp.set_public_keys('clinic.visit', 'department', 'clinic.department', 'name'),
		gaussdp.set_public_keys('clinic.diagnosis', 'code', 'clinic.icd', 'code'),
		gaussdp.grant_budget('ana', 'clinic.patient', epsilon => 4, delta => 1e-6, every => '30 days', default_epsilon => 0.5, default_delta => 1e-7);
END$$;
RESET ROLE;
