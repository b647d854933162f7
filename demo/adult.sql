-- The Adult census: a count, a sum, and averages by group, private beside true.
--
-- Every answer is (1, 1e-6)-differentially private, each by itself; bounds and group keys are
-- natural ones that one can state without looking at the data.
\set QUIET 1
\pset footer off
\pset border 1

CREATE TABLE adult AS
SELECT age::int, education, hours_per_week::int, capital_gain::int, income FROM raw;

SELECT count(*) AS people FROM adult \gset
\echo
\echo :people people of the Adult census; epsilon = 1 and delta = 1e-6 for each answer
\echo
\echo 'How many earn more than 50,000 dollars a year?'
\echo '    SELECT dp_count(1, 1e-6) FROM adult WHERE income LIKE ''>50K%'';'
\echo
WITH truth AS (SELECT count(*) AS answer FROM adult WHERE income LIKE '>50K%'),
     private AS (SELECT dp_count(1, 1e-6) AS answer FROM adult WHERE income LIKE '>50K%'),
     noise AS (SELECT dp_gaussian_sigma(1, 1e-6) AS sigma)
SELECT truth.answer AS "true value",
       private.answer AS "private answer",
       noise_interval(private.answer, sigma, 0) AS "95 % noise interval",
       round(sigma::numeric, 2) AS sigma
FROM truth, private, noise;

\echo 'What are all capital gains together, each counted up to 99,999 dollars?'
\echo '    SELECT dp_sum(capital_gain, 1, 1e-6, 0, 99999) FROM adult;'
\echo
WITH truth AS (SELECT sum(capital_gain) AS answer FROM adult),
     private AS (SELECT dp_sum(capital_gain, 1, 1e-6, 0, 99999) AS answer FROM adult),
     noise AS (SELECT dp_gaussian_sigma(1, 1e-6, 99999) AS sigma)
SELECT truth.answer AS "true value",
       round(private.answer) AS "private answer",
       noise_interval(private.answer, sigma, 0) AS "95 % noise interval",
       round(sigma) AS sigma
FROM truth, private, noise;

-- An average is a noisy sum over a noisy count, with three quarters of the privacy on the sum:
-- sigma = 2 / (mu n) * sqrt(w^2 / 3 + t^2), w half the width of the bounds and t the distance of the
-- average from their middle (docs/mathematics.md).
\echo 'How long is the working week, by education?'
\echo '    SELECT education, dp_avg(hours_per_week, 1, 1e-6, 0, 99) FROM adult GROUP BY education;'
\echo
WITH truth AS (SELECT education, count(*) AS n, avg(hours_per_week)::float8 AS answer
               FROM adult GROUP BY education),
     private AS (SELECT education, dp_avg(hours_per_week, 1, 1e-6, 0, 99) AS answer
                 FROM adult GROUP BY education),
     noise AS (SELECT education,
                      2 / (gdp_mu(1, 1e-6) * n) * sqrt(49.5 ^ 2 / 3 + (answer - 49.5) ^ 2) AS sigma
               FROM truth)
SELECT education, n AS people,
       round(truth.answer::numeric, 2) AS "true value",
       round(private.answer::numeric, 2) AS "private answer",
       noise_interval(private.answer, sigma, 2) AS "95 % noise interval",
       round(sigma::numeric, 3) AS sigma
FROM truth JOIN private USING (education) JOIN noise USING (education)
ORDER BY n DESC;
