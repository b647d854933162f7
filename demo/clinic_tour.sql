-- What an analyst, the owner and the administrator of the clinic see, a screenful a step.
\set QUIET 1
\pset footer off
\pset pager off
\set ON_ERROR_STOP 1
\set SHOW_CONTEXT never
\i clinic.sql
SELECT format('%s patients, %s visits, %s diagnoses, all made up', (SELECT count(*) FROM clinic.patient), (SELECT count(*) FROM clinic.visit), (SELECT count(*) FROM clinic.diagnosis)) AS people \gset

\echo
\echo 'A clinic: ':people'.  Ana is an analyst, without SELECT on any of it.'
\echo
\echo '1. Ana looks at the rows'
\echo '------------------------'
\set ON_ERROR_STOP 0
\set ECHO queries
SET ROLE ana;
SELECT * FROM clinic.visit WHERE patient_id = 42;
\set ECHO none
SELECT :'SQLSTATE' = '42501' AS as_expected \gset
\set ON_ERROR_STOP 1
\if :as_expected
\else
SELECT 'the rows were shown' FROM nothing;
\endif

\echo
\echo '2. Ana asks in plain SQL, and gets private answers'
\echo '--------------------------------------------------'
\set ECHO queries
SET gaussdp.answer_plain_sql = on;
SELECT department, count(*) AS visits, round(avg(cost), 2) AS cost FROM clinic.visit GROUP BY department ORDER BY department;
\set ECHO none
\echo 'How far off are they? Ana may know the error bar; the truth is the registrar''s.'
\echo
\set ECHO queries
SELECT call, max_rows, round(half_width_95) AS half_width_95
FROM gaussdp.explain_privacy('SELECT department, count(*) FROM clinic.visit GROUP BY department');
SET ROLE registrar;
SELECT department, count(*) AS visits, round(avg(cost), 2) AS cost FROM clinic.visit GROUP BY department ORDER BY department;
\set ECHO none

\echo
\echo '3. A join, and people rather than rows'
\echo '--------------------------------------'
\set ECHO queries
SET ROLE ana;
SELECT p.sex, count(DISTINCT p.patient_id) AS diabetics
FROM clinic.patient p JOIN clinic.visit v USING (patient_id) JOIN clinic.diagnosis d USING (visit_id)
WHERE d.code = 'E11' AND v.department <> 'Paediatrics' GROUP BY p.sex ORDER BY p.sex;
SET ROLE registrar;
SELECT p.sex, count(DISTINCT p.patient_id) AS diabetics
FROM clinic.patient p JOIN clinic.visit v USING (patient_id) JOIN clinic.diagnosis d USING (visit_id)
WHERE d.code = 'E11' AND v.department <> 'Paediatrics' GROUP BY p.sex ORDER BY p.sex;
\set ECHO none
\echo 'Some patients come often. How often does a patient come in a year?'
\echo
\set ECHO queries
SET ROLE ana;
SELECT round(avg(visits), 2) AS visits FROM (SELECT patient_id, count(*) AS visits FROM clinic.visit GROUP BY patient_id) p;
SET ROLE registrar;
SELECT round(avg(visits), 2) AS visits FROM (SELECT patient_id, count(*) AS visits FROM clinic.visit GROUP BY patient_id) p;
\set ECHO none

\echo
\echo '4. What does it cost, and what is left?'
\echo '---------------------------------------'
\set ECHO queries
SET ROLE ana;
SELECT verdict, call, epsilon::numeric(4, 2), delta, epsilon_left_before::numeric(4, 2) AS left_before, epsilon_left_after::numeric(4, 2) AS left_after
FROM gaussdp.explain_privacy('SELECT town, count(*) FROM clinic.patient GROUP BY town');
SELECT people, paid_by, epsilon, delta, spent_epsilon, left_epsilon, left_percent FROM gaussdp.my_budget;
\set ECHO none

\echo
\echo '5. A budget runs out'
\echo '--------------------'
\set ON_ERROR_STOP 0
\set ECHO queries
SELECT dp_count(10, 1e-6) FROM clinic.patient WHERE town = 'T7';
\set ECHO none
SELECT :'SQLSTATE' = '53400' AS as_expected \gset
\set ON_ERROR_STOP 1
\if :as_expected
\else
SELECT 'a query was answered that nobody has paid for' FROM nothing;
\endif

\echo
\echo '6. The administrator reads the journal, and checks it'
\echo '-----------------------------------------------------'
\set ECHO queries
RESET ROLE;
SELECT to_char(at, 'HH24:MI:SS') AS at, role, "table", kind, times, round(sigma::numeric, 1) AS sigma, round(mu2::numeric, 5) AS mu2
FROM gaussdp.journal WHERE event = 'charge' ORDER BY charge, item;
SELECT people, paid_by, rows, agrees FROM gaussdp.verify_journal();
\set ECHO none
