-- A count, a sum, and averages by group, private beside true; the variables say of what.
--
-- Each answer is (1, 1e-6)-differentially private by itself.  Bounds and group keys are natural ones
-- that can be stated without looking at the data.
\set QUIET 1
\pset footer off
\pset border 1

\set count_query 'SELECT dp_count(1, 1e-6) AS answer FROM ' :table ' WHERE ' :condition
\set sum_query 'SELECT dp_sum(' :sum_column ', 1, 1e-6, 0, ' :sum_upper ') AS answer FROM ' :table
\set avg_query 'SELECT ' :group ', dp_avg(' :avg_column ', 1, 1e-6, 0, ' :avg_upper ') AS answer FROM ' :table ' GROUP BY ' :group

SELECT count(*) AS n FROM :table \gset
\echo
\echo :n :people; epsilon = 1 and delta = 1e-6 for each answer
\echo

\echo :count_question
\echo '   ' :count_query
\echo
WITH truth AS (SELECT count(*) AS answer FROM :table WHERE :condition),
     private AS (:count_query),
     noise AS (SELECT dp_gaussian_sigma(1, 1e-6) AS sigma)
SELECT truth.answer AS "true value",
       private.answer AS "private answer",
       noise_interval(private.answer, sigma, 0) AS "95 % noise interval",
       round(sigma::numeric, 2) AS sigma
FROM truth, private, noise;

\echo :sum_question
\echo '   ' :sum_query
\echo
WITH truth AS (SELECT sum(:sum_column) AS answer FROM :table),
     private AS (:sum_query),
     noise AS (SELECT dp_gaussian_sigma(1, 1e-6, :sum_upper) AS sigma)
SELECT truth.answer AS "true value",
       round(private.answer) AS "private answer",
       noise_interval(private.answer, sigma, 0) AS "95 % noise interval",
       round(sigma) AS sigma
FROM truth, private, noise;

-- An average is a noisy sum over a noisy count, with three quarters of the privacy on the sum:
-- sigma = 2 / (mu n) * sqrt(w^2 / 3 + t^2), w half the width of the bounds and t the distance of the
-- average from their middle.
\echo :avg_question
\echo '   ' :avg_query
\echo
WITH truth AS (SELECT :group, count(*) AS n, avg(:avg_column)::float8 AS answer
               FROM :table GROUP BY :group),
     private AS (:avg_query),
     noise AS (SELECT :group, 2 / (gdp_mu(1, 1e-6) * n) *
                      sqrt((:avg_upper / 2.0) ^ 2 / 3 + (answer - :avg_upper / 2.0) ^ 2) AS sigma
               FROM truth)
SELECT :group, n AS people,
       round(truth.answer::numeric, 2) AS "true value",
       round(private.answer::numeric, 2) AS "private answer",
       noise_interval(private.answer, sigma, 2) AS "95 % noise interval",
       round(sigma::numeric, 3) AS sigma
FROM truth JOIN private USING (:group) JOIN noise USING (:group)
ORDER BY n DESC;
