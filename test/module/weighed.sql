-- Levels over people who own many rows, asked of random tables: what is asked, what the policy makes of it, and the integers
-- before the noise. To be included by \ir.
CREATE FUNCTION test_weighed(text) RETURNS text AS :'testlib' LANGUAGE C STRICT SET gaussdp.as_analyst = on;
CREATE TABLE t (u int NOT NULL, g text, h int NOT NULL, x float8, i int, n numeric, v float8[]) PARTITION BY LIST (h);
CREATE TABLE t0 PARTITION OF t FOR VALUES IN (0, 1);
CREATE TABLE t2 (h int NOT NULL, dropped text, v float8[], g text, u int NOT NULL, i int, n numeric, x float8);
ALTER TABLE t2 DROP COLUMN dropped;
ALTER TABLE t ATTACH PARTITION t2 FOR VALUES IN (2, 3);
CREATE TABLE key (g text PRIMARY KEY);
INSERT INTO key SELECT 'g' || j FROM generate_series(0, 7) j;
CREATE VIEW view AS SELECT * FROM t WHERE h < 4;
CREATE TABLE person (u int PRIMARY KEY, born int);
INSERT INTO person SELECT u, 1900 + u FROM generate_series(3, 20) u;
DO $$BEGIN PERFORM gaussdp.protect('t', unit => 'u', max_rows => 1, people => 'clinic'), gaussdp.protect('person', unit => 'u', people => 'clinic'); END$$;

-- What is asked: each call, the weighted aggregate that it must become (k last), its value, and which rows it takes.
CREATE TEMP TABLE calls (no int, call text, name text, params float8[], value text, filter text DEFAULT 'true', people bool DEFAULT false);
INSERT INTO calls VALUES (1, 'dp_count(1, 1e-6)', 'count', '{1,1e-6}', '1', 'true'), (2, 'dp_count(g, 1, 1e-6)', 'count', '{1,1e-6}', 'g', 'true'),
	(3, 'dp_sum(x, 1, 1e-6, -3, 10)', 'sum', '{1,1e-6,-3,10}', 'x', 'true'), (4, 'dp_sum(i, 1, 1e-6, 7)', 'sum', '{1,1e-6,7}', 'i', 'true'),
	(5, 'dp_sum(n, 1, 1e-6, 2, 9) FILTER (WHERE h > 1)', 'sum', '{1,1e-6,2,9}', 'n', 'h > 1'), (6, 'dp_avg(x, 1, 1e-6, 0, 10)', 'avg', '{1,1e-6,0,10}', 'x', 'true'),
	(7, 'dp_avg_estimate(i, 1, 1e-6, -5, 5) FILTER (WHERE g = ''g1'')', 'avg', '{1,1e-6,-5,5}', 'i', 'g = ''g1'''), (8, 'dp_var(n, 1, 1e-6, 0, 10)', 'var', '{1,1e-6,0,10}', 'n', 'true'),
	(9, 'dp_stddev(x, 1, 1e-6, 0, 9)', 'var', '{1,1e-6,0,9}', 'x', 'true'), (10, 'dp_histogram(x, 1, 1e-6, 0, 10, 3)', 'histogram', '{1,1e-6,0,10,3}', 'x', 'true'),
	(11, 'dp_median(i, 1, 1e-6, -9, 9)', 'quantile', '{1,1e-6,-9,9}', 'i', 'true'), (12, 'dp_quantile(x, 1, 1e-6, 0, 9, 0.9)', 'quantile', '{1,1e-6,0,9,0.9}', 'x', 'true'),
	(13, 'dp_avg(v, 1, 1e-6, 4, 2)', 'vector_avg', '{1,1e-6,4,2}', 'v', 'true'), (14, 'dp_sum(v, 1, 1e-6, 4, 2)', 'vector_sum', '{1,1e-6,4,2}', 'v', 'true'),
	(15, 'dp_count_estimate(x, 1, 1e-6) FILTER (WHERE h = 0)', 'count', '{1,1e-6}', 'x', 'h = 0'),
	(19, 'dp_sum(x, 1, 1e-6)', 'sum_auto', '{1,1e-6}', 'x', 'true'), (20, 'dp_avg(n, 1, 1e-6)', 'avg_auto', '{1,1e-6}', 'n', 'true');
INSERT INTO calls VALUES (16, 'dp_count(DISTINCT u, 1, 1e-6)', 'count', '{1,1e-6,1}', NULL, 'true', true),
	(17, 'dp_count(DISTINCT u, 1, 1e-6, 1.7)', 'count', '{1,1e-6,1.7}', NULL, 'true', true), (18, 'dp_count(DISTINCT u, 1, 1e-6, 2) FILTER (WHERE x > 2)', 'count', '{1,1e-6,2}', NULL, 'x > 2', true);

-- What the policy makes of the query, with its integers shown instead of released; what the owner runs.
CREATE FUNCTION shown(query text) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(regexp_replace(regexp_replace(test_weighed(query), 'gaussdp_internal\.(\w+)_weighted', 'probe_\1_weighted', 'g'),
		'group_place\(''-?\d+''', 'group_place(''1''', 'g'), 'HAVING [^\n]*', '', 'g') $$;
-- Temporary tables are read by no parallel worker: where a test plans for these, its own questions start none.
CREATE TEMP TABLE asked (place serial, no int);
CREATE FUNCTION select_list() RETURNS text LANGUAGE sql AS $$SELECT string_agg(call, ', ' ORDER BY place) FROM asked JOIN calls USING (no)$$;
CREATE FUNCTION fast(query text) RETURNS TABLE (no int, key text, exact numeric[]) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT a.no, k, e FROM (SELECT %s AS k, %s FROM (%s) s) r CROSS JOIN LATERAL (VALUES %s) AS a(no, e)',
		CASE WHEN query ~ 'GROUP BY' THEN 'key_1::text' ELSE '''all''' END,
		(SELECT string_agg('release_' || n, ', ') FROM generate_series(1, (SELECT count(*) FROM asked)) n), shown(query),
		(SELECT string_agg(format('(%s, (release_%s).exact)', a.no, n), ', ') FROM (SELECT asked.no, row_number() OVER (ORDER BY place) AS n FROM asked) a));
END $$;
-- A random table: few persons or some, most with few rows and some with hundreds, values at and beyond the bounds.
CREATE FUNCTION fill() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	persons int := 1 + (random() * 11)::int;
	most int := (ARRAY[0, 1, 3, 20, 20, 100, 500])[1 + (random() * 6)::int];
BEGIN
	TRUNCATE t;
	INSERT INTO t (u, g, h, x, i, n, v)
	SELECT u, CASE WHEN random() < 0.1 THEN NULL ELSE 'g' || (random() * 9)::int END, (random() * 3)::int,
		(ARRAY[NULL, 'NaN', 'Infinity', '-Infinity', 0, -3, 10, 1e300, 2.5, 7.25, 3.1])[1 + (random() * 10)::int],
		(ARRAY[NULL, 0, -9, 9, 100, 3, -2147483648])[1 + (random() * 6)::int],
		(ARRAY[NULL, 'NaN', 9, 9.5, -2, 1e-20, 1e200])[1 + (random() * 6)::int]::numeric,
		(ARRAY[NULL, '{0,0}', '{4,0}', '{3,-4}', '{1e300,1}', '{NaN,1}', '{1}', '{2.5,-1}'])[1 + (random() * 7)::int]::float8[]
	FROM (SELECT u, (most * random() ^ 3)::int AS n_rows FROM generate_series(1, persons) u) p, generate_series(1, n_rows);
END $$;
CREATE FUNCTION ask(which int) RETURNS void LANGUAGE sql AS $$
	TRUNCATE asked RESTART IDENTITY;
	INSERT INTO asked (no) SELECT no FROM calls WHERE no % 4 = which % 4 AND (no NOT IN (11, 12, 19, 20) OR which % 12 < 4) $$;
CREATE TEMP TABLE shape (name text, query text, rows text, max_groups int);
INSERT INTO shape VALUES ('no groups', 'SELECT %s FROM t', 'SELECT t.*, ''all'' AS k FROM t', 100),
	('public keys', 'SELECT key.g, %s FROM key LEFT JOIN t USING (g) GROUP BY key.g', 'SELECT t.*, g AS k FROM t WHERE g IN (SELECT g FROM key)', 100),
	('groups found in the data', 'SELECT g, %s FROM t GROUP BY g HAVING dp_keep_group(1, 1e-6)', 'SELECT t.*, g AS k FROM t', 100),
	('two of the groups of a person', 'SELECT g, %s FROM t GROUP BY g HAVING dp_count(DISTINCT u, 1, 1e-8) > 1000',
		'SELECT * FROM (SELECT t.*, g AS k, dense_rank() OVER (PARTITION BY u ORDER BY gaussdp_internal.group_place(1, u, g), g) AS r FROM t) s WHERE r <= 2', 2),
	('a sub-select of a view', 'WITH w AS (SELECT * FROM view WHERE h <> 3) SELECT h > 0 AS later, %s FROM w GROUP BY 1 HAVING dp_count(1, 1e-8) > 1000000', 'SELECT t.*, (h > 0)::text AS k FROM t WHERE h <> 3', 100),
	('a join on the person', 'SELECT born, %s FROM t JOIN person p USING (u) WHERE born <> 1905 GROUP BY born HAVING dp_keep_group(1, 1e-6)',
		'SELECT t.*, born::text AS k FROM t JOIN person USING (u) WHERE born <> 1905', 100),
	('persons with and without rows', 'SELECT %s FROM person p LEFT JOIN t USING (u)', 'SELECT p.u, g, h, x, i, n, v, ''all'' AS k FROM person p LEFT JOIN t USING (u)', 100);
