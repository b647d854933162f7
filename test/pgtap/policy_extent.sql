\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- max_relation_pages, of a grant or of the server, refuses queries over large tables before anything is charged, by sizes that everybody may
-- know. The worker sees committed tables only: nothing is rolled back here, roles are dropped at the end.
LOAD '$libdir/gaussdp';
SELECT plan(38);
CREATE ROLE extent_ana;
CREATE ROLE extent_ben;
CREATE ROLE extent_group;
GRANT extent_group TO extent_ben;
CREATE TABLE person (id int PRIMARY KEY, town int NOT NULL, x float8, filler text, tags int[]);
CREATE TABLE town (town int PRIMARY KEY, name text);
INSERT INTO town SELECT i, 'town ' || i FROM generate_series(0, 4) i;
GRANT SELECT ON town TO PUBLIC;
-- Eight rows a page, 100 pages
INSERT INTO person SELECT i, i % 5, i, repeat('x', 900) FROM generate_series(1, 800) i;
CREATE TABLE visit (id int NOT NULL, x float8);
INSERT INTO visit SELECT i, 1 FROM generate_series(1, 100) i;
CREATE TABLE parted (id int NOT NULL, x float8) PARTITION BY RANGE (x);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (1);
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (1) TO (10);
INSERT INTO parted SELECT i, i % 10 FROM generate_series(1, 2000) i;
SELECT gaussdp.protect(t, unit => 'id', max_rows => 1, people => 'persons'), gaussdp.set_bounds(t, 'x', 0, 10) FROM unnest('{person,visit,parted}'::regclass[]) t \g /dev/null
SELECT is(pg_relation_size('person') / current_setting('block_size')::int, 100::int8, 'a table of 100 pages');
CREATE FUNCTION attempt(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  detail text;
BEGIN
  EXECUTE statement;
  RETURN 'answered';
EXCEPTION WHEN insufficient_privilege THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  RETURN detail;
END$$;
-- What a query counts as, where it is refused.
CREATE FUNCTION counted(statement text) RETURNS numeric LANGUAGE sql AS $$SELECT substring(attempt(statement) FROM 'count as (\d+) pages')::numeric$$;
CREATE FUNCTION granted(pages int8) RETURNS void LANGUAGE sql AS $$SELECT gaussdp.grant_budget('extent_ana', 'person', 1000, 1e-6, max_relation_pages => pages)$$;

-- Of a grant
SELECT granted(100) \g /dev/null
SET ROLE extent_ana;
SELECT is(attempt('SELECT dp_count(0.1, 1e-6) FROM person'), 'Rule 9 (budget): its protected tables count as 128 pages, and max_relation_pages is 100.', 'limit and size are told');
SELECT throws_like('SELECT dp_count(0.1, 1e-6) FROM person', 'permission denied for table person', 'as a refusal');
SELECT is((SELECT count(*) FROM gaussdp.my_journal), 0::bigint, 'nothing is charged');
SELECT is((SELECT spent_epsilon FROM gaussdp.my_budget WHERE paid_by = 'extent_ana'), 0::float8, 'nor spent');
SELECT is(attempt('SELECT dp_count(0.1, 1e-6) FROM visit'), 'answered', 'a small table of the same people is answered');
SELECT is((SELECT count(*) FROM gaussdp.my_journal), 1::bigint, 'and charged');
SELECT is(attempt('EXPLAIN SELECT dp_count(0.1, 1e-6) FROM person'), 'answered', 'EXPLAIN reads nothing');
SELECT is((SELECT terms ->> 'max_relation_pages' FROM gaussdp.my_budget WHERE paid_by = 'extent_ana'), '100', 'my_budget shows the limit');
RESET ROLE;
SELECT granted(128) \g /dev/null
SET ROLE extent_ana;
SELECT is(attempt('SELECT dp_count(0.1, 1e-6) FROM person'), 'answered', 'a larger limit holds at once');
RESET ROLE;
SELECT is((SELECT terms FROM gaussdp.journal WHERE event = 'grant' ORDER BY charge DESC LIMIT 1), 'epsilon 1000, delta 1e-06, threshold_delta 1e-06, max_relation_pages 128, reuse_answers 3600 s', 'the journal has it');
SELECT granted(1) \g /dev/null
SET ROLE extent_ana;
SELECT is(counted(query), pages::numeric, query)
FROM (VALUES ('SELECT dp_count(0.1, 1e-6) FROM person', 128), ('SELECT dp_count(0.1, 1e-6) FROM person p JOIN visit v ON v.id = p.id', 129),
	('SELECT dp_count(0.1, 1e-6) FROM person p JOIN person q ON q.id = p.id', 256), ('SELECT dp_count(0.1, 1e-6) FROM person p WHERE EXISTS (SELECT FROM visit v WHERE v.id = p.id)', 129),
	('SELECT t.name, dp_count(0.1, 1e-6) FROM town t LEFT JOIN person p ON p.town = t.town GROUP BY t.name', 128),
	('SELECT dp_count(true, 0.1, 1e-6, 3) FROM person p JOIN (VALUES (1), (2), (3)) n (i) ON p.x > n.i', 384),
	('SELECT dp_count(true, 0.1, 1e-6, 3) FROM person p JOIN generate_series(1, 10000) n ON p.x > n', 1280000),
	('SELECT dp_count(true, 0.1, 1e-6, 3) FROM person p, unnest(p.tags) t', 1280), ('SELECT dp_count(true, 0.1, 1e-6, 3) FROM person p, unnest(p.tags) t, unnest(p.tags) u', 12800),
	('SELECT dp_count(true, 0.1, 1e-6, 3) FROM (SELECT unnest(tags) FROM person UNION ALL SELECT unnest(tags) FROM person) s', 2560), ('SELECT dp_count(0.1, 1e-6) FROM (SELECT id, count(*) FROM person p, unnest(p.tags) t GROUP BY id) s', 1280),
	('SELECT dp_count(0.1, 1e-6) FROM (SELECT p.id, count(*) AS n FROM person p JOIN generate_series(1, 100) n ON p.x > n GROUP BY p.id) s WHERE s.n > 1', 12800),
	('SELECT t.town, dp_count(0.1, 1e-6) FROM town t LEFT JOIN person p ON p.town = t.town GROUP BY ROLLUP (t.town)', 256)) v (query, pages);
SELECT is(attempt('SELECT dp_count(0.1, 1e-6) FROM visit'), 'answered', 'a table of one page');
SELECT ok(counted('SELECT dp_count(0.1, 1e-6) FROM parted') > counted('SELECT dp_count(0.1, 1e-6) FROM parted WHERE x < 0.5') OR counted('SELECT dp_count(0.1, 1e-6) FROM parted WHERE x < 0.5') IS NULL, 'only partitions that are read count');
SELECT is(counted('SELECT dp_count(0.1, 1e-6) FROM parted'), (SELECT sum(2 ^ ceil(log(2, pg_relation_size(p) / current_setting('block_size')::int)))::numeric FROM unnest('{parted_1,parted_2}'::regclass[]) p), 'each by its size');
RESET ROLE;

-- A person more or less: no other words
SET ROLE extent_ana;
SELECT attempt('SELECT dp_count(0.1, 1e-6) FROM person') AS before \gset
RESET ROLE;
INSERT INTO person SELECT i, 1, 1, repeat('x', 900) FROM generate_series(801, 808) i;
SELECT is(pg_relation_size('person') / current_setting('block_size')::int, 101::int8, 'a page more');
SET ROLE extent_ana;
SELECT is(attempt('SELECT dp_count(0.1, 1e-6) FROM person'), :'before', 'is told in the same words');
RESET ROLE;

-- Of the server
SELECT granted(NULL) \g /dev/null
SET ROLE extent_ana;
SELECT is(attempt('SELECT dp_count(0.1, 1e-6) FROM person'), 'answered', 'without a limit');
SELECT throws_ok('SET gaussdp.max_relation_pages = 0', '42501', NULL, 'analysts do not set it');
RESET ROLE;
SET gaussdp.max_relation_pages = 64;
SET ROLE extent_ana;
SELECT is(attempt('SELECT dp_count(0.1, 1e-6) FROM person'), 'Rule 9 (budget): its protected tables count as 128 pages, and max_relation_pages is 64.', 'a setting limits all');
RESET ROLE;
SELECT granted(1000000) \g /dev/null
SET ROLE extent_ana;
SELECT is(counted('SELECT dp_count(0.1, 1e-6) FROM person'), 128::numeric, 'also those whose grant allows more');
RESET ROLE;
SET gaussdp.as_analyst = on;
SELECT is(attempt('SELECT dp_count(0.1, 1e-6) FROM person'), 'answered', 'but nobody who may read the table');
RESET gaussdp.as_analyst;
RESET gaussdp.max_relation_pages;

-- Of several grants that pay, the least
SELECT gaussdp.grant_budget('extent_group', 'person', 1000, 1e-6, max_relation_pages => 50), gaussdp.grant_budget('public', 'person', 1000, 1e-6, max_relation_pages => 60) \g /dev/null
SET ROLE extent_ben;
SELECT matches(attempt('SELECT dp_count(0.1, 1e-6) FROM person'), 'max_relation_pages is 50\.$', 'a group''s');
RESET ROLE;
REVOKE extent_group FROM extent_ben;
SET ROLE extent_ben;
SELECT matches(attempt('SELECT dp_count(0.1, 1e-6) FROM person'), 'max_relation_pages is 60\.$', 'PUBLIC''s');
RESET ROLE;
SELECT throws_ok('SELECT granted(0)', '22023', 'max_relation_pages is out of range: 0', 'at least one');
SELECT is((SELECT sum(refusals) FROM gaussdp.stat_refusals WHERE rule = 9 AND role = 'extent_ben'), 2::numeric, 'refusals by size are counted');
SELECT * FROM finish();
DROP OWNED BY extent_ana, extent_ben, extent_group;
DROP ROLE extent_ana, extent_ben, extent_group;
