\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Sums and counts of points, as Citus sends them to the server that has a shard: planned as aggregates of one state, they give what
-- PostgreSQL's give.  Citus is not here: the catalog by which it is known is made up.
BEGIN;
SET LOCAL client_min_messages = warning;
CREATE TABLE shard (id int, k int, i4 int, f8 float8, n numeric);
INSERT INTO shard SELECT g, g % 7, g * 7919 % 1000 - 300, -50 + g * 0.37, g / 3.0 FROM generate_series(1, 500) g;
INSERT INTO shard VALUES (501, 1, NULL, 'NaN', 'NaN'), (502, 2, 1, 'infinity', 'infinity'), (503, 3, 2, '-infinity', '-infinity'), (504, 8, NULL, NULL, NULL), (505, 9, NULL, 'NaN', 'NaN');
CREATE TABLE empty (LIKE shard);
CREATE TABLE far (LIKE shard);
INSERT INTO far SELECT * FROM shard;
SELECT plan(21);

-- Parameters of dp_sum(x, 1, 1e-6, 0, 100), and of a variance and a histogram, as a query over a distributed table has them
CREATE FUNCTION explained(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text; all_of_them text := '';
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' || query LOOP all_of_them := all_of_them || line || E'\n'; END LOOP;
	RETURN all_of_them;
END $$;
CREATE FUNCTION params(call text) RETURNS text LANGUAGE sql AS $$SELECT (regexp_match(explained(format('SELECT %s FROM far', call)), '''\\x[0-9a-f]+''::bytea'))[1]$$;

-- What Citus sends for an average, a variance and an average in groups; %s: P
CREATE TABLE sent (name text, call text, query text);
INSERT INTO sent
SELECT t || ', ' || kind, call, query
FROM (VALUES ('f8'), ('gaussdp_internal.number(n)'), ('i4::float8')) v (t), LATERAL (VALUES
	('a sum', 'dp_sum(f8, 1, 1e-6, -20, 100)', format('SELECT sum(gaussdp_internal.grid_point(%s, %%1$s)) FROM shard', t)),
	('an average', 'dp_avg(f8, 1, 1e-6, -20, 100)', format('SELECT sum(gaussdp_internal.grid_point(%1$s, %%1$s)), count(gaussdp_internal.grid_point(%1$s, %%1$s)) FROM shard', t)),
	('a variance', 'dp_var(f8, 1, 1e-6, -20, 100)', format('SELECT count(gaussdp_internal.grid_point(%1$s, %%1$s)), sum(gaussdp_internal.grid_point(%1$s, %%1$s)), sum(gaussdp_internal.square_point(%1$s, %%1$s)) FROM shard', t)),
	('an average of a part', 'dp_avg(f8, 1, 1e-6, -20, 100)', format('SELECT sum(gaussdp_internal.grid_point(%1$s, %%1$s)) FILTER (WHERE k > 2), count(gaussdp_internal.grid_point(%1$s, %%1$s)) FILTER (WHERE k < 5) FROM shard', t)),
	('groups', 'dp_avg(f8, 1, 1e-6, -20, 100)', format('SELECT k, sum(gaussdp_internal.grid_point(%1$s, %%1$s)), count(gaussdp_internal.grid_point(%1$s, %%1$s)) FROM shard GROUP BY k HAVING count(gaussdp_internal.grid_point(%1$s, %%1$s)) <> 1 ORDER BY k', t)),
	('no rows', 'dp_avg(f8, 1, 1e-6, -20, 100)', format('SELECT sum(gaussdp_internal.grid_point(%1$s, %%1$s)), count(gaussdp_internal.grid_point(%1$s, %%1$s)) FROM empty', t)),
	('a sub-select', 'dp_avg(f8, 1, 1e-6, -20, 100)', format('SELECT (SELECT sum(gaussdp_internal.grid_point(%1$s, %%1$s)) FROM shard s WHERE s.k = q.k) FROM (SELECT k, count(gaussdp_internal.grid_point(%1$s, %%1$s)) FROM shard GROUP BY k) q ORDER BY k', t))
) kinds (kind, call, query);
CREATE FUNCTION results(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE r record; all_of_them text := '';
BEGIN
	FOR r IN EXECUTE query LOOP all_of_them := all_of_them || r::text; END LOOP;
	RETURN all_of_them;
END $$;
-- without Citus, and with it
CREATE TABLE separate AS SELECT name, results(format(query, '%1$s')) AS results, query FROM (SELECT name, 'SELECT 1 WHERE false' AS query FROM sent) s;
SET LOCAL allow_system_table_mods = on;
CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass);
INSERT INTO pg_catalog.pg_dist_partition VALUES ('far');
UPDATE sent SET query = format(query, params(call));
ALTER TABLE pg_catalog.pg_dist_partition RENAME TO pg_dist_away;
SELECT isnt(explained(query) ~ 'sum_points|count_points', true, 'without Citus nothing is changed') FROM sent WHERE name = 'f8, an average';
UPDATE separate SET query = sent.query, results = results(sent.query) FROM sent WHERE sent.name = separate.name;
ALTER TABLE pg_catalog.pg_dist_away RENAME TO pg_dist_partition;
SELECT is(count(*), 21::bigint, 'queries') FROM sent WHERE query ~ '\\x';
SELECT is(string_agg(name, ', ') FILTER (WHERE explained(query) !~ 'sum_points|count_points'), NULL, 'each is planned as aggregates of one state') FROM sent;
SELECT is(string_agg(name, ', ') FILTER (WHERE results(sent.query) <> results), NULL, 'and gives the same') FROM sent JOIN separate USING (name);
SELECT isnt(max(length(results)), NULL, 'which is something') FROM separate WHERE results <> '';
SELECT matches(results(query), '^\(-?\d+,502\)$', 'an average has a sum and a count') FROM sent WHERE name = 'f8, an average';
SELECT is(results(query), '(,0)', 'no rows are no sum') FROM sent WHERE name = 'f8, no rows';
SELECT matches(results(query), '\(8,,0\)\(9,,0\)', 'nor are nulls and NaN') FROM sent WHERE name = 'f8, groups';

-- Several processes
CREATE TABLE large AS SELECT g % 1000 - 300.5 AS f8 FROM generate_series(1, 20000) g;
CREATE FUNCTION over_large(query text) RETURNS text LANGUAGE sql AS $$SELECT replace(query, ' shard', ' large')$$;
SET LOCAL parallel_setup_cost = 0; SET LOCAL parallel_tuple_cost = 0; SET LOCAL min_parallel_table_scan_size = 0; SET LOCAL max_parallel_workers_per_gather = 2;
SELECT matches(explained(over_large(query)), 'Partial .*sum_points', 'parallel workers add points') FROM sent WHERE name = 'f8, an average';
CREATE TEMP TABLE added AS SELECT name, results(over_large(query)) AS results FROM sent WHERE name IN ('f8, an average', 'f8, a variance');
SET LOCAL max_parallel_workers_per_gather = 0;
SELECT is(results, results(over_large(query)), 'to the same: ' || name) FROM added JOIN sent USING (name) ORDER BY name;

-- What is left as it is
SELECT doesnt_match(explained(q), 'sum_points|count_points|sum_squares', 'not: ' || q) FROM (SELECT params('dp_avg(f8, 1, 1e-6, -20, 100)')) v (p), LATERAL unnest(ARRAY[
	format('SELECT sum(gaussdp_internal.grid_point(f8, %s)) FROM far', p), format('SELECT sum(DISTINCT gaussdp_internal.grid_point(f8, %s)) FROM shard', p),
	format('SELECT sum(gaussdp_internal.grid_point(f8, %s) ORDER BY k) FROM shard', p), format('SELECT max(gaussdp_internal.grid_point(f8, %s)) FROM shard', p),
	format('SELECT sum(gaussdp_internal.grid_point(f8, %s)) OVER () FROM shard', p), 'SELECT sum(gaussdp_internal.grid_point(f8, k::text::bytea)) FROM shard', 'SELECT sum(abs(id::int8)), count(id) FROM shard']) q;

-- Called by somebody
SELECT throws_ok(format('SELECT gaussdp_internal.sum_points(f8, %s) FROM shard', params('dp_histogram(f8, 1, 1e-6, 0, 100, 3)')), '22023', 'the parameters belong to another private aggregate', 'parameters of another call');
SELECT throws_ok('SELECT gaussdp_internal.count_points(f8, ''\x01'') FROM shard', '22P03', NULL, 'parameters that are none');
SELECT throws_ok('SELECT gaussdp_internal.count_points(f8, NULL) FROM shard', '22004', NULL, 'and null ones');
SELECT * FROM finish();
ROLLBACK;
