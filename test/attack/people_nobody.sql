\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Rows of nobody, whose unit is NULL: no answer counts them, whatever their table is joined to, grouped by or asked for in.  Each question is asked
-- before there are such rows and after; its answers, averaged until less noise is left than one more person would make, are the same.
BEGIN;
SET LOCAL client_min_messages = error;
\getenv testlib GAUSSDP_TESTLIB
CREATE FUNCTION test_prove_twisted(text, text) RETURNS text AS :'testlib' LANGUAGE C STRICT SET gaussdp.as_analyst = on;
CREATE SCHEMA nb;
CREATE TABLE nb.member (id int, town int, name text);
CREATE UNIQUE INDEX ON nb.member (id);
CREATE TABLE nb.visit (member int, day text, cost int, doctor int, at timestamptz DEFAULT '2020-01-01') PARTITION BY LIST (doctor);
CREATE TABLE nb.visit_1 PARTITION OF nb.visit FOR VALUES IN (1, 2);
CREATE TABLE nb.visit_2 PARTITION OF nb.visit DEFAULT;
CREATE INDEX ON nb.visit (member);
CREATE TABLE nb.orders (id int PRIMARY KEY, member int, day int);
CREATE TABLE nb.item (order_id int, price int);
CREATE TABLE doctor (id int PRIMARY KEY, ward text);
CREATE TABLE town (id int PRIMARY KEY);
INSERT INTO town VALUES (0), (1);
INSERT INTO doctor SELECT d, 'ward ' || d FROM generate_series(1, 3) d;
INSERT INTO nb.member SELECT m, m % 2, 'm' || m FROM generate_series(1, 60) m;
INSERT INTO nb.visit SELECT m, 'day ' || v, 1, v FROM generate_series(1, 50) m, generate_series(1, 3) v;
INSERT INTO nb.orders SELECT 10 * m + o, m, o FROM generate_series(1, 60) m, generate_series(1, 2) o;
INSERT INTO nb.item SELECT o.id, 1 FROM nb.orders o, generate_series(1, 2);
DO $$BEGIN
	PERFORM gaussdp.protect('nb.member', 'id', people => 'members'), gaussdp.protect('nb.visit', 'member', people => 'members', max_groups => 3, max_rows => 1),
		gaussdp.protect('nb.orders', 'member', people => 'members', max_rows => 1), gaussdp.protect('nb.item', 'order_id', via => 'nb.orders', max_rows => 1),
		gaussdp.set_public_keys('nb.visit', 'doctor', 'doctor', 'id'), gaussdp.set_public_keys('nb.member', 'town', 'town', 'id');
END$$;

CREATE FUNCTION answers(query text) RETURNS TABLE (key text, name text, mean numeric) LANGUAGE plpgsql
SET gaussdp.as_analyst = on SET gaussdp.answer_plain_sql = on SET gaussdp.epsilon = 80 SET gaussdp.delta = 1e-6 AS $$
DECLARE
	rows jsonb;
	every jsonb := '[]';
BEGIN
	FOR i IN 1 .. 16 LOOP
		EXECUTE format('SELECT coalesce(jsonb_agg(to_jsonb(q)), ''[]'') FROM (%s) q', query) INTO rows;
		every := every || rows;
	END LOOP;
	RETURN QUERY SELECT coalesce(r ->> 'k', ''), v.key, sum(v.value::numeric) / 16 FROM jsonb_array_elements(every) r, jsonb_each_text(r - 'k') v GROUP BY 1, 2;
END $$;
CREATE TABLE asked (no int GENERATED ALWAYS AS IDENTITY, query text);
INSERT INTO asked (query) SELECT unnest(ARRAY[
	'SELECT count(*) AS n FROM nb.member',
	'SELECT count(*) AS n FROM nb.visit',
	'SELECT count(*) AS n FROM nb.visit_1',
	'SELECT count(*) AS n, sum(cost) AS s FROM nb.visit WHERE cost BETWEEN 0 AND 1',
	'SELECT count(*) AS n FROM nb.visit WHERE member IS NULL',
	'SELECT count(*) AS n FROM nb.visit WHERE member IS NOT DISTINCT FROM NULL OR cost > 0',
	'SELECT count(*) AS n FROM nb.visit WHERE coalesce(member, 1) = 1',
	'SELECT count(*) AS n FROM nb.visit WHERE (member = 1) IS NOT TRUE',
	'SELECT count(DISTINCT member) AS n FROM nb.visit',
	'SELECT day AS k, count(*) AS n FROM nb.visit GROUP BY day HAVING dp_keep_group(3, 1e-6)',
	'SELECT doctor AS k, count(*) AS n FROM nb.visit GROUP BY doctor',
	'SELECT d.ward AS k, count(v.member) AS n FROM doctor d LEFT JOIN nb.visit v ON v.doctor = d.id GROUP BY d.ward',
	'SELECT count(*) AS n FROM nb.visit v JOIN doctor d ON d.id = v.doctor',
	'SELECT count(*) AS n FROM nb.visit v LEFT JOIN doctor d ON d.id = v.doctor',
	'SELECT count(*) AS n FROM nb.member m JOIN nb.visit v ON v.member = m.id',
	'SELECT count(*) AS n FROM nb.member m LEFT JOIN nb.visit v ON v.member = m.id',
	'SELECT count(*) AS n FROM nb.visit v LEFT JOIN nb.member m ON v.member = m.id',
	'SELECT count(*) AS n FROM nb.member m LEFT JOIN nb.visit v ON v.member = m.id WHERE v.member IS NULL',
	'SELECT count(*) AS n FROM nb.member m WHERE EXISTS (SELECT FROM nb.visit v WHERE v.member = m.id)',
	'SELECT count(*) AS n FROM nb.member m WHERE NOT EXISTS (SELECT FROM nb.visit v WHERE v.member = m.id)',
	'SELECT count(*) AS n FROM nb.visit m WHERE NOT EXISTS (SELECT FROM nb.member v WHERE v.id = m.member)',
	'SELECT count(*) AS n FROM nb.member m WHERE id IN (SELECT member FROM nb.visit)',
	'SELECT count(*) AS n FROM nb.member m WHERE id NOT IN (SELECT member FROM nb.visit)',
	'SELECT count(*) AS n FROM nb.visit WHERE member NOT IN (SELECT id FROM nb.member)',
	'SELECT count(*) AS n FROM nb.visit WHERE (member NOT IN (SELECT id FROM nb.member)) IS NOT FALSE',
	'SELECT count(*) AS n FROM nb.member m WHERE (SELECT count(*) FROM nb.visit v WHERE v.member = m.id) < 9',
	'SELECT count(*) AS n FROM (SELECT member, count(*) AS c FROM nb.visit GROUP BY member) s',
	'SELECT sum(c) AS n FROM (SELECT member, least(count(*), 1) AS c FROM nb.visit GROUP BY member) s WHERE c BETWEEN 0 AND 1',
	'SELECT count(*) AS n FROM (SELECT member, row_number() OVER (PARTITION BY member ORDER BY day, cost) AS c FROM nb.visit) s WHERE c > 0',
	'SELECT count(*) AS n FROM (SELECT member, lag(cost) OVER (PARTITION BY member ORDER BY day) AS c FROM nb.visit) s WHERE c IS NULL',
	'WITH v AS (SELECT DISTINCT member FROM nb.visit) SELECT count(*) AS n FROM v',
	'WITH v AS (SELECT member AS u, cost FROM nb.visit) SELECT count(*) AS n FROM v a JOIN nb.member m ON m.id = a.u',
	'SELECT count(*) AS n FROM nb.item i JOIN nb.orders o ON o.id = i.order_id',
	'SELECT count(*) AS n FROM nb.orders o LEFT JOIN nb.item i ON o.id = i.order_id',
	'SELECT count(*) AS n FROM nb.orders o',
	'SELECT count(*) AS n FROM nb.member m LEFT JOIN (nb.orders o JOIN nb.item i ON o.id = i.order_id) ON o.member = m.id',
	'SELECT count(*) AS n FROM nb.member m RIGHT JOIN nb.orders o ON o.member = m.id',
	'SELECT town AS k, count(*) AS n FROM nb.member GROUP BY GROUPING SETS ((town), ())',
	'SELECT count(*) FILTER (WHERE member IS NULL) AS n, count(*) FILTER (WHERE cost > 0) AS c FROM nb.visit',
	'SELECT count(*) AS n FROM nb.visit WHERE extract(year FROM at) = 2020']);
CREATE TABLE before AS SELECT no, query, a.* FROM asked, answers(query) a;
-- Nobody's members, visits, orders, and items: of nobody's orders, and of none.
INSERT INTO nb.member SELECT NULL, g % 2, 'x' FROM generate_series(1, 90) g;
INSERT INTO nb.visit SELECT NULL, 'day 1', 1, 1, CASE g % 3 WHEN 0 THEN 'infinity' WHEN 1 THEN '2020-01-01' ELSE '-infinity' END::timestamptz FROM generate_series(1, 90) g;
INSERT INTO nb.orders SELECT g, NULL, 1 FROM generate_series(1001, 1090) g;
INSERT INTO nb.item SELECT g, 1 FROM generate_series(1001, 1090) g UNION ALL SELECT NULL, 1 FROM generate_series(1, 90);
CREATE TABLE after AS SELECT no, query, a.* FROM asked, answers(query) a;
SELECT no_plan();
SELECT ok(bool_and(abs(a.mean - b.mean) < 0.4) AND count(*) = count(a.mean) AND count(*) = count(b.mean), left(query, 150))
FROM before b FULL JOIN after a USING (no, query, key, name) GROUP BY no, query ORDER BY no;
SELECT is(round(mean), 60::numeric, 'people are counted') FROM after WHERE no = 1;
-- The proof asks for the condition itself, whoever was to put it there.
SELECT is(test_prove_twisted(query, twist), CASE WHEN twist = 'rows without another''s unit' AND query !~ 'nb.orders' THEN 'a column belongs to no relation of FROM' WHEN twist <> 'none' THEN 'rows of nobody would be read, whose unit is NULL' END, concat_ws(': ', twist, query))
FROM unnest('{none,rows of nobody,only rows of nobody,rows without another column,rows without another''s unit,rows of somebody or any,rows of nobody dropped by WHERE alone}'::text[]) twist,
	unnest('{"SELECT dp_count(0.1, 1e-9) FROM nb.visit","SELECT dp_count(0.1, 1e-9) FROM (SELECT member, count(*) FROM nb.visit GROUP BY member) s","SELECT dp_count(0.1, 1e-9) FROM nb.item i JOIN nb.orders o ON o.id = i.order_id"}'::text[]) query;
-- It is asked for where the column may be NULL, and no longer.
CREATE FUNCTION conditions(change text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	found text;
BEGIN
	EXECUTE change;
	found := test_prove_twisted('SELECT dp_count(0.1, 1e-9) FROM nb.visit', 'rows of nobody');
	RAISE EXCEPTION 'undo' USING ERRCODE = 'ZZ001', DETAIL = coalesce(found, 'proven');
EXCEPTION WHEN SQLSTATE 'ZZ001' THEN
	GET STACKED DIAGNOSTICS found = PG_EXCEPTION_DETAIL;
	RETURN found;
END $$;
SELECT is(conditions('DELETE FROM nb.visit WHERE member IS NULL; ALTER TABLE nb.visit ALTER member SET NOT NULL'), 'proven', 'a column that is NOT NULL');
SELECT alike(conditions('DELETE FROM nb.visit WHERE member IS NULL; ALTER TABLE nb.visit ADD CHECK (member IS NOT NULL)'), 'rows of nobody%', 'a CHECK is nothing that the proof reads');
SELECT alike(conditions('DELETE FROM nb.visit WHERE member IS NULL; ALTER TABLE nb.visit_1 ALTER member SET NOT NULL'), 'rows of nobody%', 'nor is NOT NULL of a partition');
SELECT * FROM finish();
ROLLBACK;
