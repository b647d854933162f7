-- Made-up staff: a count, a sum, and averages by group, private beside true.
--
-- Every answer is (1, 1e-6)-differentially private, each by itself; bounds and group keys are
-- natural ones that one can state without looking at the data.
\set QUIET 1
\pset footer off
\pset border 1

CREATE TABLE staff AS
SELECT id, department, 30000 + (70000 * random() + 150000 * random() ^ 8)::int AS salary
FROM generate_series(1, 20000) id,
     LATERAL (SELECT (ARRAY['Sales', 'Production', 'Production', 'Production', 'Support', 'Support',
                            'Research', 'Legal'])[1 + id % 8] AS department) d;

SELECT count(*) AS people FROM staff \gset
\echo
\echo :people people of a made-up staff; epsilon = 1 and delta = 1e-6 for each answer
\echo
\echo 'How many earn more than 100,000 a year?'
\echo '    SELECT dp_count(1, 1e-6) FROM staff WHERE salary > 100000;'
\echo
WITH truth AS (SELECT count(*) AS answer FROM staff WHERE salary > 100000),
     private AS (SELECT dp_count(1, 1e-6) AS answer FROM staff WHERE salary > 100000),
     noise AS (SELECT dp_gaussian_sigma(1, 1e-6) AS sigma)
SELECT truth.answer AS "true value",
       private.answer AS "private answer",
       noise_interval(private.answer, sigma, 0) AS "95 % noise interval",
       round(sigma::numeric, 2) AS sigma
FROM truth, private, noise;

\echo 'What are all salaries together, each counted up to 250,000?'
\echo '    SELECT dp_sum(salary, 1, 1e-6, 0, 250000) FROM staff;'
\echo
WITH truth AS (SELECT sum(salary) AS answer FROM staff),
     private AS (SELECT dp_sum(salary, 1, 1e-6, 0, 250000) AS answer FROM staff),
     noise AS (SELECT dp_gaussian_sigma(1, 1e-6, 250000) AS sigma)
SELECT truth.answer AS "true value",
       round(private.answer) AS "private answer",
       noise_interval(private.answer, sigma, 0) AS "95 % noise interval",
       round(sigma) AS sigma
FROM truth, private, noise;

-- An average is a noisy sum over a noisy count, with three quarters of the privacy on the sum:
-- sigma = 2 / (mu n) * sqrt(w^2 / 3 + t^2), w half the width of the bounds and t the distance of the
-- average from their middle (docs/mathematics.md).
\echo 'What is the average salary, by department?'
\echo '    SELECT department, dp_avg(salary, 1, 1e-6, 0, 250000) FROM staff GROUP BY department;'
\echo
WITH truth AS (SELECT department, count(*) AS n, avg(salary)::float8 AS answer
               FROM staff GROUP BY department),
     private AS (SELECT department, dp_avg(salary, 1, 1e-6, 0, 250000) AS answer
                 FROM staff GROUP BY department),
     noise AS (SELECT department,
                      2 / (gdp_mu(1, 1e-6) * n) * sqrt(125000 ^ 2 / 3 + (answer - 125000) ^ 2) AS sigma
               FROM truth)
SELECT department, n AS people,
       round(truth.answer::numeric, 2) AS "true value",
       round(private.answer::numeric, 2) AS "private answer",
       noise_interval(private.answer, sigma, 2) AS "95 % noise interval",
       round(sigma::numeric, 3) AS sigma
FROM truth JOIN private USING (department) JOIN noise USING (department)
ORDER BY n DESC;
