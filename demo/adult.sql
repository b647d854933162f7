-- The Adult census: its table, and what is asked of it by answers.sql.
CREATE TABLE adult AS
SELECT age::int, education, hours_per_week::int, capital_gain::int, income FROM raw;

\set people 'people of the Adult census'
\set table adult
\set count_question 'How many earn more than 50,000 dollars a year?'
\set condition 'income LIKE ''>50K%'''
\set sum_question 'What are all capital gains together, each counted up to 99,999 dollars?'
\set sum_column capital_gain
\set sum_upper 99999
\set avg_question 'How long is the working week, by education?'
\set avg_column hours_per_week
\set avg_upper 99
\set group education
\ir answers.sql
