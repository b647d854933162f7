\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- A view, sub-select or WITH query that only projects and filters one protected table counts as that
-- table: the same verdict, price and answer as the query that names the table itself.
CREATE SCHEMA pv;
SET search_path = pv, public;
CREATE TABLE emp (id int PRIMARY KEY, dept text, age int, salary numeric);
INSERT INTO emp SELECT i, 'd' || i % 4, 20 + i % 50, i * 37 % 1000 FROM generate_series(1, 20000) i;
CREATE TABLE dept (name text PRIMARY KEY);
INSERT INTO dept SELECT 'd' || i FROM generate_series(0, 5) i;
CREATE TABLE parts (id int PRIMARY KEY, v int) PARTITION BY RANGE (id);
CREATE TABLE parts1 PARTITION OF parts FOR VALUES FROM (0) TO (100);
CREATE TABLE parts2 PARTITION OF parts FOR VALUES FROM (100) TO (20001);
INSERT INTO parts SELECT id, age FROM emp;
CREATE TABLE rls (id int PRIMARY KEY, v int);
INSERT INTO rls SELECT id, age FROM emp;
CREATE TABLE keyed (LIKE emp INCLUDING ALL);
INSERT INTO keyed SELECT * FROM emp;
CREATE TABLE parent (LIKE emp INCLUDING ALL);
INSERT INTO parent SELECT * FROM emp;
CREATE TABLE child (PRIMARY KEY (id)) INHERITS (parent);
INSERT INTO child SELECT * FROM emp;
CREATE ROLE views_owner;
CREATE ROLE views_ana;
CREATE ROLE views_other;
CREATE ROLE views_poor;
ALTER TABLE rls ENABLE ROW LEVEL SECURITY;
CREATE POLICY half ON rls USING (v <= 44);
ALTER TABLE rls OWNER TO views_owner;
ALTER TABLE rls FORCE ROW LEVEL SECURITY;
GRANT ALL ON SCHEMA pv TO views_ana, views_owner;
GRANT USAGE ON SCHEMA pv TO views_other, views_poor;
GRANT SELECT ON dept TO views_ana, views_other;
DO $$BEGIN
	PERFORM gaussdp.protect(t, unit => 'id', max_rows => 1) FROM unnest('{pv.emp,pv.parts,pv.rls,pv.keyed,pv.parent}'::regclass[]) t;
	PERFORM gaussdp.set_bounds('pv.emp', 'salary', 0, 1000), gaussdp.set_bounds('pv.emp', 'age', 0, 120);
	PERFORM gaussdp.set_public_keys('pv.keyed', 'dept', 'pv.dept', 'name');
	PERFORM gaussdp.grant_budget(r, t, epsilon => 500, delta => 1e-3)
	FROM unnest('{pv.emp,pv.parts,pv.rls,pv.keyed,pv.parent}'::regclass[]) t, unnest('{views_ana,views_other}'::text[]) r;
END$$;
-- of the owner, who may read the table
CREATE VIEW old AS SELECT id, dept, age AS years, salary AS pay FROM emp WHERE age > 30;
CREATE VIEW barrier WITH (security_barrier) AS SELECT * FROM emp WHERE age > 30;
CREATE VIEW invoker WITH (security_invoker) AS SELECT * FROM emp WHERE age > 30;
GRANT SELECT ON old, barrier, invoker TO views_ana, views_other;
SET ROLE views_owner;
CREATE VIEW rls_view AS SELECT * FROM rls WHERE id <= 10000;
GRANT SELECT ON rls_view TO views_ana;
-- of an analyst, who may not
SET ROLE views_ana;
CREATE VIEW mine AS SELECT id, age AS salary, salary AS age, dept FROM emp WHERE dept <> 'd1';
CREATE VIEW aged AS SELECT id, dept, age AS years, salary AS pay FROM emp WHERE age > 30;
CREATE VIEW deep AS SELECT * FROM mine WHERE age < 500;
CREATE VIEW odd AS SELECT id, dept, ctid AS place, factorial(age) AS fails, emp AS whole FROM emp;
GRANT SELECT ON mine TO views_other;
CREATE TABLE seen (v bigint);
CREATE FUNCTION leak(anyelement) RETURNS bool LANGUAGE plpgsql COST 0.0001 AS $$BEGIN RAISE NOTICE '%', $1; RETURN true; END$$;
RESET ROLE;

CREATE FUNCTION verdict(query text) RETURNS text LANGUAGE sql AS
	$$SELECT string_agg(coalesce(substring(reason FROM '^Rule \d+'), verdict), ', ') FROM gaussdp.explain_privacy(query)$$;
CREATE FUNCTION reason(query text) RETURNS text LANGUAGE sql AS
	$$SELECT reason FROM gaussdp.explain_privacy(query)$$;
-- Within 10 standard deviations of the number that the table's owner would see.
CREATE FUNCTION answers(name text, exact float8, sigma float8, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	answer float8;
BEGIN
	EXECUTE query INTO answer;
	RETURN ok(abs(answer - exact) <= 10 * sigma, name);
EXCEPTION WHEN OTHERS THEN
	RETURN fail(name) || E'\n' || diag(SQLERRM);
END
$$;
SELECT count(*) AS n, avg(salary) AS pay, avg(age) AS years FROM emp WHERE age > 30 \gset old_
SELECT count(*) AS n, avg(salary) AS pay FROM emp WHERE dept <> 'd1' AND salary < 500 \gset deep_
SELECT count(*) AS n FROM emp WHERE age > 30 AND dept = 'd2' \gset d2_
SELECT count(*) AS n FROM rls WHERE id <= 10000 AND v <= 44 \gset rls_

SELECT plan(108);
SET ROLE views_ana;
-- The same answers. sigma of a count is 4.22 at (1, 1e-6).
SELECT answers('sub-select', :old_n, 4.3, 'SELECT dp_count(1, 1e-6) FROM (SELECT age FROM emp WHERE age > 30) x');
SELECT answers('renamed column', :old_pay, 0.5, 'SELECT dp_avg(s, 1, 1e-6, 0, 1000) FROM (SELECT salary s FROM emp WHERE age > 30) x');
SELECT answers('declared bounds', :old_pay, 0.5, 'SELECT dp_avg(s, 1, 1e-6) FROM (SELECT salary s FROM emp WHERE age > 30) x');
SELECT answers('column list', :old_pay, 0.5, 'SELECT dp_avg(b, 1, 1e-6) FROM (SELECT age, salary FROM emp WHERE age > 30) x(a, b)');
SELECT answers('WITH', :old_pay, 0.5, 'WITH x AS (SELECT * FROM emp WHERE age > 30) SELECT dp_avg(salary, 1, 1e-6) FROM x');
SELECT answers('WITH ... MATERIALIZED', :old_n, 4.3, 'WITH x AS MATERIALIZED (SELECT * FROM emp) SELECT dp_count(1, 1e-6) FROM x WHERE age > 30');
SELECT answers('WITH RECURSIVE that is none', :old_n, 4.3, 'WITH RECURSIVE y AS (SELECT * FROM x), x AS (SELECT * FROM emp) SELECT dp_count(1, 1e-6) FROM y WHERE age > 30');
SELECT answers('several deep', :old_n, 4.3, 'WITH x AS (SELECT id, age a FROM emp), y AS (SELECT a b FROM x) SELECT dp_count(1, 1e-6) FROM (SELECT b c FROM (SELECT b FROM y WHERE b > 25) s) t WHERE c > 30');
SELECT answers('WITH inside', :old_n, 4.3, 'SELECT dp_count(1, 1e-6) FROM (WITH x AS (SELECT * FROM emp) SELECT age FROM x) t WHERE age > 30');
SELECT answers('WITH around', :old_n, 4.3, 'WITH x AS (SELECT * FROM emp) SELECT v FROM (SELECT dp_count(1, 1e-6) v FROM x WHERE age > 30) t');
SELECT answers('constant column', :old_n, 4.3, 'SELECT dp_sum(one, 1, 1e-6, 0, 1) FROM (SELECT 1 AS one FROM emp WHERE age > 30) x');
SELECT answers('constant epsilon', :old_n, 4.3, 'SELECT dp_count(e, 1e-6) FROM (SELECT 1.0::float8 AS e FROM emp WHERE age > 30) x');
SELECT answers('owner''s view', :old_pay, 0.5, 'SELECT dp_avg(pay, 1, 1e-6) FROM old');
SELECT answers('barrier view', :d2_n, 4.3, $$SELECT dp_count(1, 1e-6) FROM barrier WHERE dept = 'd2'$$);
SELECT answers('invoker view', :old_n, 4.3, 'SELECT dp_count(1, 1e-6) FROM invoker');
SELECT answers('one''s own view of a view', :deep_n, 4.3, 'SELECT dp_count(1, 1e-6) FROM deep');
SELECT answers('swapped names swap bounds', :deep_pay, 0.5, 'SELECT dp_avg(age, 1, 1e-6) FROM deep');
SELECT answers('FILTER', :d2_n, 4.3, $$SELECT dp_count(1, 1e-6) FILTER (WHERE dept = 'd2') FROM aged$$);
SELECT answers('grouped', :d2_n, 4.3, $$SELECT n FROM (SELECT dept, dp_count(1, 1e-6) n FROM aged GROUP BY dept HAVING dp_keep_group(1, 1e-8)) s WHERE dept = 'd2'$$);
SELECT answers('partitions', :old_n, 4.3, 'SELECT dp_count(1, 1e-6) FROM (SELECT * FROM parts WHERE v > 30) x');
SELECT answers('row security of the view''s owner', :rls_n, 4.3, 'SELECT dp_count(1, 1e-6) FROM rls_view');
SELECT answers('nested levels', :old_n, 4.3, 'WITH x AS (SELECT * FROM emp) SELECT dp_count(1, 1e-6) FROM x WHERE age > 30 AND age > (SELECT dp_avg(age, 1, 1e-6) - 200 FROM x)');
SELECT answers('two levels of one WITH', :old_n * 2, 12, 'WITH x AS (SELECT * FROM emp WHERE age > 30) SELECT a.n + b.n FROM (SELECT dp_count(1, 1e-6) n FROM x) a, (SELECT dp_count(1, 1e-6) n FROM x) b');
-- joins
SELECT answers('join', :d2_n, 4.3, $$SELECT dp_count(1, 1e-6) FROM aged JOIN dept ON dept = name WHERE name = 'd2'$$);
SELECT answers('join USING', :d2_n, 4.3, $$SELECT dp_count(1, 1e-6) FROM (SELECT dept AS name FROM emp WHERE age > 30) x JOIN dept USING (name) WHERE name = 'd2'$$);
SELECT answers('list in FROM', :d2_n, 4.3, $$SELECT dp_count(1, 1e-6) FROM aged, dept WHERE dept = name AND name = 'd2'$$);
SELECT answers('preserved side', :old_n, 4.3, 'SELECT dp_count(1, 1e-6) FROM aged LEFT JOIN dept ON dept = name');
SELECT answers('preserved side by RIGHT JOIN', :old_n, 4.3, 'SELECT dp_count(1, 1e-6) FROM dept RIGHT JOIN aged ON dept = name');
SELECT answers('every key appears', 6, 0.001, 'SELECT count(*) FROM (SELECT name, dp_count(1, 1e-6) FROM dept LEFT JOIN aged ON dept = name GROUP BY name) s');
SELECT answers('by RIGHT JOIN too', 6, 0.001, 'SELECT count(*) FROM (SELECT name, dp_count(1, 1e-6) FROM aged RIGHT JOIN dept ON dept = name GROUP BY name) s');
SELECT answers('with its condition in ON', :d2_n, 4.3, $$SELECT n FROM (SELECT name, dp_count(1, 1e-6) n FROM dept LEFT JOIN aged ON dept = name GROUP BY name) s WHERE name = 'd2'$$);
SELECT answers('rows made up count for nothing', 0, 4.3, $$SELECT n FROM (SELECT name, dp_sum(one, 1, 1e-6, 0, 1) n FROM dept LEFT JOIN (SELECT dept, 1 AS one FROM emp) x ON dept = name GROUP BY name) s WHERE name = 'd5'$$);
SELECT answers('a constant of rows made up is NULL', 1, 0.001, $$SELECT count(*) FROM (SELECT name, one, dp_count(1, 1e-6) FROM dept LEFT JOIN (SELECT dept, 1 AS one FROM emp) x ON dept = name GROUP BY name, one HAVING dp_keep_group(1, 1e-8)) s WHERE name = 'd1' AND one = 1$$);
SELECT answers('nor does a computed column', 0, 42.3, $$SELECT n FROM (SELECT name, dp_sum(c, 1, 1e-6, 0, 10) n FROM dept LEFT JOIN (SELECT dept, coalesce(age, 10) AS c FROM emp) x ON dept = name GROUP BY name) s WHERE name = 'd5'$$);
SELECT answers('declared keys join the table', 6, 0.001, 'SELECT count(*) FROM (SELECT d, dp_count(1, 1e-6) FROM (SELECT dept AS d FROM keyed WHERE age > 30) x GROUP BY d) s');
SELECT answers('and keep the condition', :d2_n, 4.3, $$SELECT n FROM (SELECT d, dp_count(1, 1e-6) n FROM (SELECT dept AS d FROM keyed WHERE age > 30) x GROUP BY d) s WHERE d = 'd2'$$);
SELECT answers('several public relations', :d2_n, 4.3, $$SELECT dp_count(1, 1e-6) FROM dept a JOIN (aged JOIN dept b ON dept = b.name) ON a.name = b.name WHERE a.name = 'd2'$$);
SELECT answers('FROM ONLY', 20000, 4.3, 'SELECT dp_count(1, 1e-6) FROM (SELECT * FROM ONLY parent) x');

-- executed in other ways
PREPARE p (float8) AS WITH x AS (SELECT * FROM old) SELECT dp_count($1, 1e-6) FROM x;
EXECUTE p(1) \g /dev/null
SELECT answers('prepared', :old_n, 4.3, 'EXECUTE p(1)');
SET plan_cache_mode = force_generic_plan;
SELECT answers('generic plan', :old_n, 4.3, 'EXECUTE p(1)');
SELECT answers('again', :old_n, 4.3, 'EXECUTE p(1)');
RESET plan_cache_mode;
CREATE FUNCTION by_plpgsql(lowest int) RETURNS float8 LANGUAGE plpgsql AS
	$$BEGIN RETURN (SELECT dp_count(1, 1e-6) FROM (SELECT age FROM pv.emp WHERE age > lowest) x); END$$;
SELECT answers('plpgsql', :old_n, 4.3, 'SELECT by_plpgsql(30)');
SELECT lives_ok('INSERT INTO seen SELECT dp_count(1, 1e-6) FROM (SELECT * FROM emp) x', 'INSERT ... SELECT');
SELECT lives_ok('INSERT INTO seen WITH x AS (SELECT * FROM emp) SELECT dp_count(1, 1e-6) FROM x', 'INSERT ... WITH');
SET ROLE views_other;
SELECT answers('another''s view over a table that neither may read', 15000, 4.3, 'SELECT dp_count(1, 1e-6) FROM mine');

-- Prices are those of the table, and each level pays by itself.
SET ROLE views_ana;
SELECT is(verdict('SELECT dp_count(1, 1e-6), dp_avg(age, 1, 1e-6) FROM deep'), 'private, private', 'two calls, two charges');
SELECT is(verdict('WITH x AS (SELECT * FROM emp) SELECT * FROM (SELECT dp_count(1, 1e-6) FROM x) a, (SELECT dp_count(1, 1e-6) FROM x) b'), 'private, private', 'two levels, two charges');
SELECT is(verdict('SELECT dp_count(1, 1e-6) FROM ' || view), 'private', view || ' is charged, not published')
FROM unnest('{old,barrier,invoker,rls_view}'::text[]) view;
SELECT results_eq($$SELECT call, relation, l2_sensitivity, sigma, mu_squared FROM gaussdp.explain_privacy('SELECT dp_avg(s, 1, 1e-6) FROM (SELECT salary s FROM emp) x')$$,
				  $$SELECT call, relation, l2_sensitivity, sigma, mu_squared FROM gaussdp.explain_privacy('SELECT dp_avg(salary, 1, 1e-6) FROM emp')$$, 'the price is that of the table');
RESET ROLE;
SELECT sum(times) AS n FROM gaussdp.journal WHERE kind IS NOT NULL \gset before_
SET ROLE views_ana;
SELECT dp_count(1, 1e-6), dp_avg(age, 1, 1e-6) FROM deep \g /dev/null
WITH x AS (SELECT * FROM emp) SELECT * FROM (SELECT dp_count(1, 1e-6) FROM x) a, (SELECT dp_count(1, 1e-6) FROM x) b \g /dev/null
SELECT dp_count(1, 1e-6) FROM old \g /dev/null
RESET ROLE;
SELECT is((SELECT sum(times) FROM gaussdp.journal WHERE kind IS NOT NULL), :before_n::bigint + 5, 'and so the journal says');

-- Who may read what.
SET ROLE views_other;
SELECT throws_like('SELECT dp_count(1, 1e-6) FROM deep', 'permission denied for view deep', 'the view''s own privileges are checked');
SELECT throws_like('WITH x AS (SELECT * FROM deep) SELECT dp_count(1, 1e-6) FROM x', 'permission denied for view deep', 'in WITH too');
SELECT throws_like('WITH x AS (SELECT * FROM rls_view) SELECT dp_count(1, 1e-6) FROM x', 'permission denied for view rls_view', 'and of an owner''s view');
RESET ROLE;
GRANT SELECT ON old TO views_poor;
SET ROLE views_poor;
SELECT throws_like('SELECT dp_count(1, 1e-6) FROM old', 'permission denied for table emp', 'who has no budget may not');
SELECT lives_ok('SELECT count(*) FROM old', 'a view that is not proven is its owner''s publication');
RESET ROLE;
SELECT is(verdict('SELECT dp_count(1, 1e-6) FROM old'), 'outside the policy', 'the owner is outside of the policy');
REVOKE SELECT ON old FROM views_ana;
SET ROLE views_ana;
SELECT throws_like('EXECUTE p(1)', 'permission denied for view old', 'a privilege that is gone, under a cached plan');

-- What does more than project and filter, and what a rule refuses wherever it is written.
SELECT is(verdict(query), 'Rule ' || rule, query) FROM (VALUES
	(0, 'SELECT * FROM mine'),
	(0, 'SELECT age FROM (SELECT age FROM emp) x'),
	(0, 'WITH x AS (SELECT * FROM emp) SELECT max(age) FROM x'),
	(0, 'SELECT dp_count(x, 1, 1e-6) FROM (SELECT age FROM emp) x'),
	(0, 'SELECT dp_count(place, 1, 1e-6) FROM odd'),
	(0, 'SELECT dp_count(whole, 1, 1e-6) FROM odd'),
	(0, 'SELECT dp_count(1, 1e-6) FROM (SELECT age FROM emp UNION SELECT age FROM emp) x'),
	(8, 'SELECT dp_count(1, 1e-6) FROM (SELECT dept FROM emp GROUP BY dept) x'),
	(0, 'WITH x AS (DELETE FROM emp RETURNING *) SELECT dp_count(1, 1e-6) FROM x'),
	(0, 'SELECT dp_count(1, 1e-6) FROM (SELECT * FROM emp TABLESAMPLE system (10)) x'),
	(0, 'INSERT INTO seen SELECT age FROM mine'),
	(0, 'WITH x AS (SELECT * FROM emp) SELECT 1'),
	(4, 'SELECT dp_count(1, 1e-6) FROM (SELECT age FROM emp) x, LATERAL generate_series(1, age) y'),
	(1, 'SELECT dp_count(1, 1e-6) FROM dept, LATERAL (SELECT * FROM emp WHERE dept = name) x'),
	(1, 'SELECT (SELECT dp_count(1, 1e-6) FROM (SELECT age FROM emp WHERE dept = name) x) FROM dept'),
	(1, 'SELECT dp_count(1, 1e-6) FROM (SELECT dept FROM emp) x WHERE EXISTS (SELECT FROM dept WHERE name = dept)'),
	(0, 'WITH RECURSIVE x AS (SELECT age FROM emp UNION SELECT age + 1 FROM x) SELECT dp_count(1, 1e-6) FROM x'),
	(2, 'SELECT dp_count(fails, 1, 1e-6) FROM odd'),
	(2, 'SELECT dp_count(1, 1e-6) FROM (SELECT * FROM emp WHERE factorial(age - 30) > 0) x'),
	(2, 'SELECT dp_count(1, 1e-6) FROM (SELECT * FROM emp WHERE age <> 30) x WHERE factorial(age - 30) > 0'),
	(2, 'SELECT dp_count(1, 1e-6) FROM (SELECT CASE WHEN id = 7 THEN factorial(age - age) END c FROM emp) x WHERE c = 1'),
	(2, 'SELECT dp_count(1, 1e-6) FROM dept LEFT JOIN (SELECT * FROM emp WHERE factorial(age) > 3) x ON dept = name'),
	(3, 'SELECT dp_count(e, 1e-6) FROM (SELECT age AS e FROM emp) x'),
	(8, 'WITH x AS (SELECT * FROM emp) SELECT dp_count(1, 1e-6) FROM x a JOIN x b USING (age)'),
	(8, 'SELECT dp_count(1, 1e-6) FROM old, mine'),
	(8, 'SELECT dp_count(1, 1e-6) FROM deep, mine'),
	(5, 'SELECT dp_count(1, 1e-6) FROM (SELECT * FROM parent) x'),
	(6, 'SELECT dp_count(1, 1e-6) FROM dept FULL JOIN mine ON dept = name'),
	(6, 'SELECT dp_count(1, 1e-6) FROM dept LEFT JOIN mine ON dept = name WHERE age > 3'),
	(6, 'SELECT dp_count(1, 1e-6) FROM dept LEFT JOIN (SELECT dept, 7 AS v FROM emp) x ON dept = name WHERE v = 7'),
	(7, 'SELECT dept, dp_count(1, 1e-6) FROM mine GROUP BY dept')) q (rule, query);
SELECT is(verdict('SELECT dp_avg(s, 1, 1e-6) FROM (SELECT age % 10 AS s FROM emp) x'), 'private', 'bounds of an expression are found');
SELECT is(verdict('SELECT dp_count(1, 1e-6) FROM mine, generate_series(1, 3)'), 'private', 'rows that stand thrice are weighed');
SELECT is(verdict('SELECT dp_count(1, 1e-6) FROM (SELECT e.age FROM emp e JOIN dept ON name = dept) x'), 'private', 'a join is verified as one of a level');
SELECT is(verdict('SELECT dp_count(1, 1e-6) FROM (SELECT *, pv.leak(age), random() > 0 FROM emp) x'), 'Rule 0', 'a column with an effect');
SELECT is(verdict('SELECT dp_count(1, 1e-6) FROM (SELECT * FROM emp WHERE pv.leak(age)) x'), 'Rule 0', 'a condition with an effect');
SELECT matches(reason('SELECT dp_count(1, 1e-6) FROM (SELECT DISTINCT dept FROM emp) x'), 'aggregates rows of several people', 'DISTINCT is GROUP BY');
SELECT matches(reason('SELECT dp_count(1, 1e-6) FROM (SELECT row_number() OVER () FROM emp) x'), 'a window holds rows of several people', 'a window function');
SELECT matches(reason('SELECT dp_count(1, 1e-6) FROM (SELECT generate_series(1, age) FROM emp) x'), 'a set is returned here', 'a function that returns a set');
SELECT matches(reason(format('SELECT dp_count(1, 1e-6) FROM (%s) x', query)), 'it has ' || part, part) FROM (VALUES
	('SELECT DISTINCT ON (dept) age FROM emp', 'DISTINCT'),
	('SELECT age FROM emp LIMIT 1', 'LIMIT'),
	('SELECT age FROM emp OFFSET 1', 'LIMIT or OFFSET'),
	('SELECT age FROM emp ORDER BY age', 'ORDER BY'),
	('SELECT age FROM emp FOR UPDATE', 'FOR UPDATE'),
	('SELECT (SELECT min(name) FROM dept) FROM emp', 'a sub-select'),
	('WITH d AS (SELECT * FROM dept) SELECT age FROM emp', 'a WITH query'),
	('SELECT random() FROM emp', 'a volatile function'),
	('SELECT age FROM emp WHERE random() > 0.5', 'a volatile function')) q (query, part);
RESET ROLE;
SELECT * FROM finish();
SET client_min_messages = warning;
DROP SCHEMA pv CASCADE;
DROP OWNED BY views_owner, views_ana, views_other, views_poor;
DROP ROLE views_owner, views_ana, views_other, views_poor;
