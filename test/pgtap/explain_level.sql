\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- EXPLAIN by who may read a table shows the plan below the node of a level; nobody else sees anything of it, and nothing runs or is charged.
SET client_min_messages = warning;
SELECT plan(20);
CREATE ROLE level_ana;
CREATE ROLE level_half;
CREATE TABLE emp (id int PRIMARY KEY, dept int, x int);
INSERT INTO emp SELECT i, i % 3, i FROM generate_series(1, 1000) i;
CREATE TABLE visit (emp int, cost int);
CREATE INDEX ON visit (cost);
INSERT INTO visit SELECT i % 100, i FROM generate_series(1, 3000) i;
CREATE TABLE dept (k int PRIMARY KEY);
INSERT INTO dept VALUES (0), (1), (2);
DO $$BEGIN PERFORM gaussdp.protect('emp', 'id', people => 'staff'), gaussdp.protect('visit', 'emp', 4, people => 'staff'), gaussdp.set_public_keys('emp', 'dept', 'dept', 'k'),
	gaussdp.grant_budget('level_ana', 'emp', 3, 1e-6), gaussdp.grant_budget('level_half', 'emp', 3, 1e-6); END$$;
GRANT SELECT ON dept TO level_ana, level_half;
GRANT SELECT ON emp TO level_half;
CREATE FUNCTION pg_temp.runs() RETURNS int STABLE LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''it runs''; END';
CREATE FUNCTION explained(query text, options text DEFAULT 'COSTS off') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	lines text;
BEGIN
	FOR line IN EXECUTE format('EXPLAIN (%s) %s', options, query) LOOP
		CONTINUE WHEN line ~ '^ *Disabled: true$'; -- of PostgreSQL 18, for enable_seqscan
		lines := concat_ws(E'\n', lines, line);
	END LOOP;
	RETURN lines;
END $$;
SET enable_seqscan = off;
SET gaussdp.as_analyst = on;
SELECT is(explained('SELECT dp_count(1, 1e-6) FROM visit WHERE cost < 3', 'COSTS off'), 'Custom Scan (PrivateLevel)
  Plan of the level: 
    Aggregate
      ->  Custom Scan (PrivateWeights)
            ->  Seq Scan on visit
                  Filter: ((emp IS NOT NULL) AND (cost < 3))', 'an owner who asks as an analyst sees that all of the table is read');
SELECT matches(explained('SELECT dp_count(1, 1e-6) FROM emp WHERE id = 7', 'COSTS on'), 'Seq Scan on emp  \(cost=[0-9.]+ rows=\d+ width=0\)', 'with costs');
SELECT matches(explained('SELECT dept, dp_count(1, 1e-6) FROM emp GROUP BY dept'), 'Join.* on dept', 'public tables as they are');
SELECT matches(explained('SELECT dept, dp_count(1, 1e-6) AS n FROM emp GROUP BY dept ORDER BY n', 'VERBOSE'), E'Sort.*\n  ->  Custom Scan.*\n        Plan of the level: \n          (Group|Hash)Aggregate.*Output: dept[.]k', 'below other nodes, with their columns');
SELECT is(explained('SELECT dp_count(1, 1e-6) FROM visit WHERE cost < 3', 'FORMAT json')::jsonb -> 0 -> 'Plan' ->> 'Plan of the level' LIKE '%Seq Scan on visit%', true, 'in JSON');
SELECT matches(explained('SELECT dp_count(1, 1e-6) FROM visit WHERE cost < pg_temp.runs()'), 'Filter: .*\(cost < \$\d+\)', 'what would have to be computed is a parameter, and does not run');
SELECT is((length(explained('SELECT dp_count(1, 1e-6) FROM emp UNION ALL SELECT dp_count(1, 1e-6) FROM visit')) > 0)
	AND explained('SELECT dp_count(1, 1e-6) FROM emp UNION ALL SELECT dp_count(1, 1e-6) FROM visit') ~ ' on emp.* on visit', true, 'each level has its own');
SELECT matches(explained('SELECT dp_count(1, 1e-6) FROM (SELECT emp, sum(cost::bigint) AS s FROM visit GROUP BY emp) s JOIN emp e ON e.id = s.emp WHERE s.s > 3'), 'PrivateGroups|GroupAggregate|HashAggregate', 'sub-queries of people');
SELECT matches(explained('SELECT dept, dp_count(1, 1e-6) FROM emp GROUP BY GROUPING SETS ((dept), ())'), 'Values Scan', 'grouping sets as they run');
PREPARE by_cost(float8, int) AS SELECT dp_count($1, 1e-6) FROM visit WHERE cost < $2;
SELECT matches(explained('EXECUTE by_cost(1, 7)'), 'Filter: .*\(cost < 7\)', 'parameters have their values');
SET plan_cache_mode = force_generic_plan;
SELECT matches(explained('EXECUTE by_cost(1, 8)'), 'Filter: .*\(cost < 8\)', 'in a cached plan, too');
SELECT matches(explained('EXECUTE by_cost(1, 8)'), 'Filter: .*\(cost < 8\)', 'and again');
RESET plan_cache_mode;
SELECT unalike(explained('SELECT dp_count(1, 1e-6) FROM visit', 'ANALYZE, COSTS off, TIMING off'), '%Plan of the level%', 'EXPLAIN ANALYZE runs it, and plans nothing else');
SET gaussdp.as_analyst = off;
SELECT unalike(explained('SELECT dp_count(1, 1e-6) FROM visit'), '%PrivateLevel%', 'where rows are read directly the plan is PostgreSQL''s');

SET ROLE level_ana;
SELECT is(explained('SELECT dp_count(1, 1e-6) FROM visit WHERE cost < 3'), 'Custom Scan (PrivateLevel)', 'an analyst sees the node alone');
SELECT is(explained('EXECUTE by_cost(1, 7)'), 'Custom Scan (PrivateLevel)', 'of a prepared statement, too');
SET gaussdp.as_analyst = on;
SELECT is(explained('SELECT dp_count(1, 1e-6) FROM visit WHERE cost < 3'), 'Custom Scan (PrivateLevel)', 'whatever the setting');
SET ROLE level_half;
SELECT is(explained('SELECT dp_count(1, 1e-6) FROM visit v JOIN emp e ON e.id = v.emp WHERE cost < 3'), 'Custom Scan (PrivateLevel)', 'also who may read one of its tables');
SELECT matches(explained('SELECT dp_count(1, 1e-6) FROM emp WHERE id = 7'), 'Seq Scan on emp', 'who may read all of them sees it');
RESET ROLE;
SELECT is(count(*), 0::int8, 'nothing was charged') FROM gaussdp.journal WHERE event = 'charge' AND role ~ '^level_';
SELECT * FROM finish();
DROP TABLE emp, visit, dept;
DROP ROLE level_ana, level_half;
