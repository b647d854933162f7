\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- The proof of the plan: a plan that computes anything that was not verified is refused, wherever it stands in it. No planner makes such plans
-- (test/module/twist_plan.c does).
BEGIN;
\getenv testlib GAUSSDP_TESTLIB
CREATE FUNCTION test_plan_twists() RETURNS SETOF text AS :'testlib' LANGUAGE C STRICT;
CREATE FUNCTION test_twisted_plan(text, text, oid) RETURNS text AS :'testlib' LANGUAGE C STRICT SET gaussdp.as_analyst = on;
SELECT plan(3 + count(*)::int) FROM test_plan_twists();

CREATE TABLE emp (id int PRIMARY KEY, dept text, age int);
DO $$BEGIN PERFORM gaussdp.protect('emp', unit => 'id'); END$$;
CREATE FUNCTION same(int, int) RETURNS bool LANGUAGE sql AS 'SELECT $1 = $2';
CREATE OPERATOR === (FUNCTION = same, LEFTARG = int, RIGHTARG = int);
\set query '\'SELECT dp_count(1, 1e-6) FROM emp WHERE age > 3\''
\set counting '\'SELECT dp_sum(n, 1, 1e-6, 0, 9) FROM (SELECT id, count(*) AS n FROM emp GROUP BY id) s\''
SELECT is(test_twisted_plan(:query, 'none', '===(int, int)'::regoperator), NULL, 'the plan of a query is proven');
-- Operators of PostgreSQL's own that are total are no twist of many nodes.
SELECT is(test_twisted_plan(:query, 'Sort.sortOperators', '=(int, int)'::regoperator), NULL, 'and so is one that sorts by PostgreSQL''s own operator');
SELECT is(test_twisted_plan(:query, 'NestLoop.join.joinqual', '=(int, int)'::regoperator), NULL, 'or joins by it');
-- What is said where it is not a function that was not verified
CREATE TABLE said AS SELECT name, problem FROM (VALUES
	('the plan computes something that is no row and no constant', ARRAY['a parameter of the statement', 'a sub-plan', 'a sub-plan of two', 'a sub-select', 'a query',
		'a value of the session', 'a sequence', 'a domain', 'xml', 'a sub-plan before it', 'plans beside it', 'an update', 'an update inside', 'a window''s start', 'a window''s end']),
	('the plan has a node of a kind that is not known to be private', ARRAY['ModifyTable', 'RecursiveUnion', 'SampleScan', 'TidScan', 'IndexScan', 'IndexOnlyScan', 'BitmapHeapScan', 'FunctionScan', 'TableFuncScan', 'CteScan',
		'WorkTableScan', 'ForeignScan', 'CustomScan', 'SetOp', 'LockRows', 'Limit']),
	('which pages the plan reads would depend on rows', ARRAY['a loop''s parameter', 'a table read in a loop', 'processes that leave rows']),
	('the plan would draw noise', ARRAY['an answer', 'an answer below', 'a volatile function']),
	('the plan adds up rows more than once', ARRAY['adds up twice']),
	('the plan adds up no rows', ARRAY['adds up nothing']),
	('the plan computes grouping sets', ARRAY['grouping sets', 'a chain of aggregations']),
	('the plan shows exact numbers beside noisy ones', ARRAY['an exact number']),
	('the plan does not hand up the exact numbers of groups', ARRAY['a node over it', 'gathered', 'not as bytes']),
	('the plan shows something else than keys and calls', ARRAY['a filter of states', 'computed of a state', 'a state of another type', 'a call without a state', 'a column more', 'a state for a key'])) v(problem, names), unnest(names) name;
SELECT is(test_twisted_plan(CASE twist WHEN 'an exact number' THEN :counting ELSE :query END, twist, '===(int, int)'::regoperator), coalesce(problem, 'the plan calls a function that is not in the verified query'), 'refused: ' || twist)
FROM test_plan_twists() twist LEFT JOIN said ON name = twist;
SELECT * FROM finish();
ROLLBACK;
