\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- A query that shows no row asks for every privilege that it would ask for with rows: on tables in its sub-selects and WITH queries, too.
BEGIN;
CREATE TABLE buy (u int PRIMARY KEY, day int);
CREATE TABLE other (u int PRIMARY KEY);
CREATE TABLE closed (x int, y int);
CREATE VIEW hidden AS SELECT * FROM closed;
CREATE TABLE days (day int PRIMARY KEY);
CREATE VIEW shown AS SELECT x FROM closed;
CREATE ROLE empty_ana;
GRANT SELECT ON days, shown TO empty_ana;
GRANT SELECT (y) ON closed TO empty_ana;
DO $$BEGIN PERFORM gaussdp.protect('buy', 'u', max_rows => 1), gaussdp.protect('other', 'u', max_rows => 1), gaussdp.grant_budget('empty_ana', 'buy', 100, 1e-3); END$$;
CREATE TABLE asked (allowed bool, query text);
INSERT INTO asked VALUES
	(false, 'SELECT (SELECT x FROM closed) FROM buy WHERE 1 = 0'),
	(false, 'SELECT * FROM buy, closed WHERE 1 = 0'),
	(false, 'WITH w AS (SELECT * FROM closed) SELECT * FROM buy LIMIT 0'),
	(false, 'WITH w AS (SELECT * FROM closed) SELECT * FROM buy, w LIMIT 0'),
	(false, 'SELECT * FROM buy WHERE 1 = 0 AND EXISTS (SELECT FROM closed WHERE x = 3)'),
	(false, 'SELECT * FROM (SELECT * FROM closed) s, buy LIMIT 0'),
	(false, 'SELECT * FROM (SELECT * FROM (SELECT x FROM hidden WHERE x > 3) h) s, buy LIMIT 0'),
	(false, 'SELECT * FROM buy JOIN LATERAL (SELECT * FROM closed c WHERE c.x = buy.u) s ON true LIMIT 0'),
	(false, 'SELECT day FROM buy UNION SELECT x FROM closed LIMIT 0'),
	(false, 'SELECT day FROM buy ORDER BY (SELECT max(x) FROM closed) LIMIT 0'),
	(false, 'SELECT * FROM (SELECT u FROM buy WHERE u IN (SELECT x FROM closed) LIMIT 0) s'),
	(false, 'SELECT * FROM buy WHERE false AND u IN (SELECT u FROM other)'),
	(false, 'WITH w AS (SELECT * FROM closed) SELECT * FROM (SELECT * FROM buy, w LIMIT 0) s'),
	(false, 'WITH w AS NOT MATERIALIZED (SELECT * FROM hidden) SELECT * FROM (SELECT * FROM buy WHERE u IN (SELECT x FROM (SELECT x FROM w) v) AND false) s'),
	(false, 'WITH w AS (SELECT * FROM closed), v AS (SELECT * FROM w) SELECT day FROM days WHERE day < 0 AND EXISTS (SELECT FROM buy, v WHERE false)'),
	(true, 'SELECT * FROM buy, (SELECT y FROM closed) s, shown LIMIT 0'),
	(true, 'WITH w AS (SELECT * FROM days) SELECT * FROM buy JOIN w USING (day) WHERE u IN (SELECT x FROM shown) AND false'),
	(true, 'WITH w AS (SELECT * FROM days) SELECT * FROM (SELECT * FROM buy JOIN w USING (day) LIMIT 0) s'),
	(true, 'SELECT day, (SELECT count(*) FROM buy b WHERE b.u = d.day AND EXISTS (SELECT FROM shown)) FROM days d LIMIT 0');
GRANT SELECT ON asked TO empty_ana;
SELECT plan((SELECT count(*) FROM asked)::int);
SET ROLE empty_ana;
SELECT CASE WHEN allowed THEN is_empty(query, query) ELSE throws_ok(query, '42501', NULL, query) END FROM asked;
SELECT * FROM finish();
ROLLBACK;
