-- A count, a sum, and averages by group, private beside true; the variables say of what.
--
-- Each answer is (1, 1e-6)-differentially private by itself.  Bounds and group keys are natural ones
-- that can be stated without looking at the data.  Interval and sigma come with the private answer,
-- by the _estimate form of each aggregate: nothing of them is taken from the true values.
\set QUIET 1
\pset footer off
\pset border 1

\set count_query 'SELECT dp_count_estimate(1, 1e-6) AS e FROM ' :table ' WHERE ' :condition
\set sum_query 'SELECT dp_sum_estimate(' :sum_column ', 1, 1e-6, 0, ' :sum_upper ') AS e FROM ' :table
\set avg_query 'SELECT ' :group ', dp_avg_estimate(' :avg_column ', 1, 1e-6, 0, ' :avg_upper ') AS e FROM ' :table ' GROUP BY ' :group

SELECT count(*) AS n FROM :table \gset
\echo
\echo :n :people; epsilon = 1 and delta = 1e-6 for each answer
\echo

\echo :count_question
\echo '   ' :count_query
\echo
WITH p AS MATERIALIZED (:count_query)
SELECT truth AS "true value",
       round((e).value) AS "private answer",
       format('%s to %s', round((e).ci_low), round((e).ci_high)) AS "95 % noise interval",
       round((e).stddev::numeric, 2) AS sigma
FROM (SELECT count(*) AS truth FROM :table WHERE :condition) t, p;

\echo :sum_question
\echo '   ' :sum_query
\echo
WITH p AS MATERIALIZED (:sum_query)
SELECT truth AS "true value",
       round((e).value) AS "private answer",
       format('%s to %s', round((e).ci_low), round((e).ci_high)) AS "95 % noise interval",
       round((e).stddev) AS sigma
FROM (SELECT sum(:sum_column) AS truth FROM :table) t, p;

\echo :avg_question
\echo '   ' :avg_query
\echo
WITH p AS MATERIALIZED (:avg_query)
SELECT :group, n AS people,
       round(truth, 2) AS "true value",
       round((e).value::numeric, 2) AS "private answer",
       format('%s to %s', round((e).ci_low::numeric, 2), round((e).ci_high::numeric, 2)) AS "95 % noise interval",
       round((e).stddev::numeric, 3) AS sigma
FROM (SELECT :group, count(*) AS n, avg(:avg_column) AS truth FROM :table GROUP BY :group) t
     JOIN p USING (:group)
ORDER BY n DESC;
