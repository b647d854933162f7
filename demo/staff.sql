-- Made-up staff: its table, and what is asked of it by answers.sql.
CREATE TABLE staff AS
SELECT id, department, 30000 + (70000 * random() + 150000 * random() ^ 8)::int AS salary
FROM generate_series(1, 20000) id,
     LATERAL (SELECT (ARRAY['Sales', 'Production', 'Production', 'Production', 'Support', 'Support',
                            'Research', 'Legal'])[1 + id % 8] AS department) d;

\set people 'people of a made-up staff'
\set table staff
\set count_question 'How many earn more than 100,000 a year?'
\set condition 'salary > 100000'
\set sum_question 'What are all salaries together, each counted up to 250,000?'
\set sum_column salary
\set sum_upper 250000
\set avg_question 'What is the average salary, by department?'
\set avg_column salary
\set avg_upper 250000
\set group department
\ir answers.sql
