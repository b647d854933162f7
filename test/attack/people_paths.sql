\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Rows that are somebody's by way of another table, in one step or several, by a key of one column or several: when a person leaves with all of these rows, the exact
-- numbers of no call move by more than its sensitivity, and others' numbers stay.  What says no whose its rows are is refused.
BEGIN;
SET LOCAL client_min_messages = error;
\ir ../module/probe.sql
CREATE FUNCTION test_weighed(text) RETURNS text AS :'testlib' LANGUAGE C STRICT SET gaussdp.as_analyst = on;

CREATE SCHEMA shop;
CREATE TABLE shop.customer (id int PRIMARY KEY, town int);
CREATE TABLE shop.orders (id int PRIMARY KEY, customer int NOT NULL, day int, code text UNIQUE);
CREATE TABLE shop.item (id bigint PRIMARY KEY, order_id int NOT NULL, product int, x float8);
CREATE TABLE shop.back (item_id bigint NOT NULL, why int);
-- keys of several columns: of a partitioned table, whose partition key is one of them; and one that holds the key above it
CREATE TABLE shop.parcel (depot int, no int, order_id int NOT NULL, PRIMARY KEY (depot, no)) PARTITION BY LIST (depot);
CREATE TABLE shop.parcel_1 PARTITION OF shop.parcel FOR VALUES IN (1);
CREATE TABLE shop.parcel_2 PARTITION OF shop.parcel DEFAULT;
CREATE TABLE shop.scan (id int PRIMARY KEY, no int NOT NULL, depot int NOT NULL, x float8, FOREIGN KEY (depot, no) REFERENCES shop.parcel ON DELETE CASCADE);
CREATE TABLE shop.mark (scan int NOT NULL REFERENCES shop.scan ON DELETE CASCADE, x float8);
CREATE TABLE shop.line (order_id int, no int, x float8, PRIMARY KEY (order_id, no));
CREATE TABLE shop.fix (order_id bigint NOT NULL, line int NOT NULL, x float8);
CREATE TABLE product (product int, tag text, price float8);
INSERT INTO product SELECT p, 'tag ' || t, p FROM generate_series(0, 4) p, generate_series(0, p) t;
CREATE TABLE day (day int PRIMARY KEY);
INSERT INTO day SELECT d FROM generate_series(0, 4) d;
SELECT setseed(0.2);
INSERT INTO shop.customer SELECT c, c % 3 FROM generate_series(1, 9) c;
INSERT INTO shop.orders SELECT 100 * c + o, c, (random() * 4)::int, 'c' || 100 * c + o FROM generate_series(1, 11) c, generate_series(1, c) o;
-- the last has items of orders that are not there
INSERT INTO shop.item SELECT 10 * o.id + i, o.id, (random() * 5)::int, random() * 10 - 2 FROM (SELECT id FROM shop.orders UNION ALL SELECT 5) o, generate_series(1, (random() * 4)::int) i;
INSERT INTO shop.back SELECT id, (random() * 3)::int FROM shop.item, generate_series(1, 2) WHERE random() < 0.4;
INSERT INTO shop.parcel SELECT o.id % 3, o.id * 2 + p, o.id FROM shop.orders o, generate_series(0, 1) p;
INSERT INTO shop.scan SELECT row_number() OVER (), no, depot, random() * 10 - 2 FROM shop.parcel, generate_series(1, 2) WHERE random() < 0.7;
INSERT INTO shop.mark SELECT id, random() * 10 - 2 FROM shop.scan, generate_series(1, 2);
INSERT INTO shop.line SELECT o.id, l, random() * 10 - 2 FROM shop.orders o, generate_series(1, 3) l WHERE random() < 0.7;
INSERT INTO shop.fix SELECT order_id, no, random() * 10 - 2 FROM shop.line, generate_series(1, 2);
-- arrays of no, one and more elements, of which some are equal or NULL
ALTER TABLE shop.item ADD tags int[];
CREATE TYPE shop.size AS (height int, note text);
ALTER TABLE shop.customer ADD x float8, ADD tags int[], ADD boxes shop.size[];
UPDATE shop.item SET tags = CASE id % 4 WHEN 0 THEN NULL WHEN 1 THEN '{}' ELSE ARRAY[id % 5, NULL, id % 5, (id % 3)::int] END;
UPDATE shop.customer SET x = id, tags = array(SELECT g % 4 FROM generate_series(1, id) g);
DO $$BEGIN
	PERFORM gaussdp.protect('shop.customer', 'id', people => 'customers'), gaussdp.protect('shop.orders', 'customer', max_rows => 2, people => 'customers'),
		gaussdp.protect('shop.item', 'order_id', max_rows => 3, max_groups => 3, via => 'shop.orders'), gaussdp.protect('shop.back', 'item_id', max_rows => 1, via => 'shop.item', via_column => 'id');
	PERFORM gaussdp.protect('shop.parcel', 'order_id', max_rows => 2, via => 'shop.orders'), gaussdp.protect('shop.scan', 'no', max_rows => 3, via => 'shop.parcel'),
		gaussdp.protect('shop.mark', 'scan', max_rows => 4, via => 'shop.scan'), gaussdp.protect('shop.line', 'order_id', max_rows => 2, via => 'shop.orders'),
		gaussdp.protect('shop.fix', 'line', max_rows => 3, via => 'shop.line', via_column => 'no', also => '{order_id}');
END$$;
SELECT no_plan();

-- What is declared.
SELECT results_eq('SELECT "table"::text, unit, max_rows, max_groups, people, via::text, via_column, problem FROM gaussdp.protected_tables WHERE via::text IN (''shop.orders'', ''shop.item'') AND max_rows <> 2 ORDER BY 1',
	$$VALUES ('shop.back', 'item_id', 1::int8, 100::int8, 'customers', 'shop.item', 'id', NULL::text), ('shop.item', 'order_id', 3, 3, 'customers', 'shop.orders', 'id', NULL)$$, 'paths of one step and of two end at the same people');
SELECT is(label, 'protected max_rows=3 max_groups=3 via=shop.orders(id)', 'a label says the path') FROM pg_seclabel WHERE objoid = 'shop.item'::regclass AND objsubid = 0;
SELECT results_eq('SELECT "table"::text, unit, via::text, via_column, also::text COLLATE "default", via_also::text COLLATE "default", problem FROM gaussdp.protected_tables WHERE also IS NOT NULL ORDER BY 1',
	$$VALUES ('shop.fix', 'line', 'shop.line', 'no', '{order_id}', '{order_id}', NULL::text), ('shop.scan', 'no', 'shop.parcel', 'no', '{depot}', '{depot}', NULL)$$, 'keys of two columns: of the foreign key, or those that are named');
SELECT results_eq($$SELECT sql FROM gaussdp.dump_declarations() WHERE sql ~ 'scan|mark' $$, ARRAY[
	$$SELECT gaussdp.protect('shop.scan', unit => 'no', max_rows => 3, max_groups => 100, via => 'shop.parcel', via_column => 'no', also => '{depot}', via_also => '{depot}');$$,
	$$SELECT gaussdp.protect('shop.mark', unit => 'scan', max_rows => 4, max_groups => 100, via => 'shop.scan', via_column => 'id');$$], 'a dump says them, in the order of the path');
SELECT throws_ok(format($$SELECT gaussdp.protect('shop.fix', %s)$$, args), code, NULL, args) FROM (VALUES ('also => ''{order_id}''', '22023'), ('via => ''shop.line''', '42703'), ('via => ''shop.line'', also => ''{x}''', '42703'),
	('via => ''shop.line'', via_column => ''no'', also => ''{order_id}'', via_also => ''{order_id,x}''', '22023'), ('via => ''shop.line'', via_column => ''no'', also => ''{order_id}'', via_also => ''{x}''', '55000'),
	('via => ''shop.line'', via_column => ''no'', also => ''{nothing}'', via_also => ''{order_id}'', change_unit => true', '42703'),
	('via => ''shop.line'', via_column => ''no'', also => ''{line}'', via_also => ''{order_id}'', change_unit => true', '22023')) t (args, code);
SELECT throws_ok(format('SELECT gaussdp.hide_columns(%L, %L)', "table", c), '22023', NULL, format('column %s of %s joins, and is not hidden', c, "table")) FROM (VALUES ('shop.scan', '{depot}'), ('shop.parcel', '{depot}')) t ("table", c);
SELECT is_empty($$SELECT * FROM gaussdp.check_policy('shop.back') WHERE severity = 'error' OR what ~ 'unique'$$, 'check_policy has nothing against it');
SELECT throws_ok($$SELECT gaussdp.protect('shop.back', 'item_id', people => 'x', via => 'shop.item')$$, '22023', NULL, 'people are those of the other table');
SELECT throws_ok($$SELECT gaussdp.protect('shop.back', 'item_id', via_column => 'id')$$, '22023', NULL, 'a column of no table');
SELECT throws_ok($$SELECT gaussdp.protect('shop.back', 'item_id', via => 'shop.item', via_column => 'no')$$, '42703', NULL, 'a column that is not there');
SELECT throws_ok($$SELECT gaussdp.protect('shop.item', 'order_id', via => 'product')$$, '42703', 'table public.product has no primary key of one column', 'a table without a primary key');
SELECT throws_ok($$SECURITY LABEL FOR gaussdp ON TABLE shop.item IS 'protected people=x via=a.b(c)'$$, '42601', NULL, 'people or a path');

-- by_person: the query names the person, whom calls may count
CREATE TABLE asked (no serial, source text, query text, by_person bool DEFAULT true);
INSERT INTO asked (source, query) VALUES
	('ungrouped', '%s FROM shop.item i JOIN shop.orders o ON i.order_id = o.id'),
	('ungrouped', '%s FROM shop.orders o LEFT JOIN shop.item i ON i.order_id = o.id AND i.x > 0'),
	('ungrouped', '%s FROM shop.customer c LEFT JOIN (shop.orders o JOIN shop.item i ON o.id = i.order_id) ON o.customer = c.id'),
	('ungrouped', '%s FROM shop.back b, shop.item i, shop.orders o WHERE b.item_id = i.id AND i.order_id = o.id AND b.why > 0'),
	('ungrouped', '%s FROM shop.orders o LEFT JOIN (shop.item i JOIN shop.back b ON b.item_id = i.id) ON i.order_id = o.id'),
	('ungrouped', '%s FROM shop.item i JOIN shop.orders o ON o.id = i.order_id JOIN product p ON p.product = i.product'),
	('grouped', 'd.day AS k, %s FROM day d LEFT JOIN (shop.item i JOIN shop.orders o ON o.id = i.order_id) ON d.day = o.day GROUP BY d.day'),
	('grouped', 'p.tag AS k, %s FROM product p LEFT JOIN (shop.item i JOIN shop.orders o ON o.id = i.order_id) ON p.product = i.product GROUP BY p.tag'),
	('grouped', 'i.product AS k, %s FROM shop.orders o JOIN shop.item i ON i.order_id = o.id GROUP BY i.product HAVING dp_keep_group(1, 1e-6)'),
	('grouped', 'b.why AS k, %s FROM shop.orders o JOIN shop.item i ON i.order_id = o.id LEFT JOIN shop.back b ON b.item_id = i.id GROUP BY b.why HAVING dp_count(DISTINCT o.customer, 1, 1e-8) > 1000');
-- joined to the orders by nobody but the rewriting, or once more
INSERT INTO asked (source, query, by_person) VALUES
	('ungrouped', '%s FROM shop.item i', false),
	('ungrouped', '%s FROM shop.back b LEFT JOIN shop.item i ON i.id = b.item_id AND i.x > 0', false),
	('ungrouped', '%s FROM shop.item i LEFT JOIN shop.orders o ON o.id = i.order_id AND o.day > 1', false),
	('ungrouped', '%s FROM shop.customer c JOIN (shop.item i LEFT JOIN shop.orders o ON o.id = i.order_id) ON o.customer = c.id', true),
	('ungrouped', '%s FROM shop.item i JOIN shop.item j ON j.order_id = i.order_id AND j.id >= i.id', false),
	('ungrouped', '%s FROM shop.orders o JOIN shop.orders p ON p.id = o.id JOIN shop.item i ON i.order_id = p.id', true),
	('ungrouped', '%s FROM shop.orders o LEFT JOIN (SELECT order_id, max(product)::float8 AS x FROM shop.item GROUP BY order_id) i ON i.order_id = o.id', true),
	('ungrouped', '%s FROM shop.scan i', false), ('ungrouped', '%s FROM shop.mark i', false), ('ungrouped', '%s FROM shop.fix i', false),
	('ungrouped', '%s FROM shop.parcel p LEFT JOIN shop.scan i USING (no, depot)', false),
	('ungrouped', '%s FROM shop.mark m, shop.scan i, shop.parcel p, shop.orders o WHERE m.scan = i.id AND p.depot = i.depot AND o.id = p.order_id AND p.no = i.no', true),
	('ungrouped', '%s FROM shop.fix i JOIN shop.orders o ON o.id = i.order_id', true),
	('ungrouped', '%s FROM (SELECT order_id AS a, line AS b, x FROM shop.fix WHERE x > 0) i JOIN shop.line l ON l.no = i.b AND l.order_id = i.a', false),
	('ungrouped', '%s FROM shop.fix i JOIN shop.item j ON j.order_id = i.order_id', false),
	('ungrouped', '%s FROM shop.line i JOIN shop.parcel p ON p.order_id = i.order_id JOIN shop.orders o ON o.id = p.order_id', true),
	('ungrouped', '%s FROM (SELECT i.x, row_number() OVER (PARTITION BY i.order_id) AS n FROM shop.item i) i WHERE n = 1', false),
	('ungrouped', '%s FROM (SELECT max(line)::float8 AS x FROM shop.fix GROUP BY order_id, line) i', false), ('ungrouped', '%s FROM (SELECT max(line)::float8 AS x FROM shop.fix GROUP BY order_id) i', false),
	('ungrouped', '%s FROM shop.item i WHERE EXISTS (SELECT FROM shop.back b WHERE b.item_id = i.id)', false),
	('ungrouped', '%s FROM (SELECT x FROM shop.item UNION ALL SELECT 2.5 FROM shop.orders WHERE day > 1 UNION ALL SELECT product FROM shop.item) i', false),
	('ungrouped', '%s FROM (SELECT o.customer, i.x FROM shop.orders o JOIN shop.item i ON i.order_id = o.id UNION ALL SELECT id, town FROM shop.customer) i JOIN shop.orders o ON o.customer = i.customer', true),
	('grouped', 'i.product AS k, %s FROM (SELECT product, x FROM shop.item UNION ALL SELECT day, 1 FROM shop.orders) i GROUP BY i.product HAVING dp_keep_group(1, 1e-6)', false),
	('grouped', 'i.product AS k, %s FROM shop.item i GROUP BY i.product HAVING dp_keep_group(1, 1e-6)', false),
	('grouped', 'd.day AS k, %s FROM day d LEFT JOIN shop.item i ON d.day = i.product GROUP BY d.day', false),
	('grouped', 'p.tag AS k, %s FROM product p LEFT JOIN (shop.back b JOIN shop.item i ON i.id = b.item_id) ON p.product = b.why GROUP BY p.tag', false);
-- elements of an array
INSERT INTO asked (source, query, by_person) VALUES
	('grouped', 't AS k, %s FROM shop.orders o JOIN shop.item i ON i.order_id = o.id, unnest(i.tags) AS t GROUP BY t HAVING dp_keep_group(1, 1e-6)', true),
	('grouped', 'unnest(i.tags) AS k, %s FROM shop.item i WHERE i.x > 0 GROUP BY 1 HAVING dp_keep_group(1, 1e-6)', false),
	('grouped', 't AS k, %s FROM shop.customer i, unnest(i.tags) AS t GROUP BY t HAVING dp_keep_group(1, 1e-6)', false),
	('grouped', 'd.day AS k, %s FROM day d LEFT JOIN (shop.item i CROSS JOIN unnest(i.tags) t) ON d.day = t GROUP BY d.day', false),
	('ungrouped', '%s FROM shop.customer c JOIN (shop.orders o JOIN shop.item i ON o.id = i.order_id) ON o.customer = c.id CROSS JOIN unnest(c.tags) t, unnest(i.tags) u WHERE t <> u', true);
CREATE TABLE calls (no serial, call text);
INSERT INTO calls (call) VALUES ('dp_count(1, 1e-6)'), ('dp_sum(i.x, 1, 1e-6, -3, 8)'), ('dp_avg(i.x, 1, 1e-6, 0, 50)'), ('dp_count(DISTINCT o.customer, 1, 1e-6)'), ('dp_count(o.customer, 1, 1e-6) FILTER (WHERE i.x > 3)');
CREATE FUNCTION calls_of(a asked) RETURNS SETOF calls LANGUAGE sql AS $$SELECT * FROM calls WHERE a.by_person OR call !~ 'customer' ORDER BY no$$;
CREATE FUNCTION shown(a asked) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(regexp_replace(regexp_replace(test_weighed('SELECT ' || format(a.query, (SELECT replace(string_agg(call, ', ' ORDER BY no), 'o.customer', CASE WHEN a.query ~ 'customer c' THEN 'c.id' ELSE 'o.customer' END) FROM calls_of(a)))),
		'gaussdp_internal\.(\w+)_weighted', 'probe_\1_weighted', 'g'), 'group_place\(''-?\d+''', 'group_place(''1''', 'g'), 'HAVING [^\n]*', '', 'g') $$;
CREATE FUNCTION parts(a asked, query text) RETURNS TABLE (key text, place int, i int, part numeric, most numeric) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT k, a.place, c::int, (a.p).exact[c], (a.p).sensitivity[CASE WHEN cardinality((a.p).exact) = cardinality((a.p).sensitivity) THEN c WHEN c = 1 THEN 2 ELSE 1 END]
		FROM (SELECT %s AS k, * FROM (%s) s) r CROSS JOIN LATERAL (VALUES %s) AS a(place, p), generate_subscripts((a.p).exact, 1) c',
		CASE a.source WHEN 'grouped' THEN 'coalesce(key_1::text, ''-'')' ELSE '''all''' END, query, (SELECT string_agg(format('(%s, release_%s)', no, n), ', ') FROM (SELECT no, row_number() OVER (ORDER BY no) AS n FROM calls_of(a)) s));
END $$;
ALTER TABLE asked ADD shown text;
UPDATE asked AS a SET shown = shown(a);
-- Of all queries, once a person has left, or all others have.
CREATE FUNCTION parts_of(person_gone int, alone bool) RETURNS TABLE (no int, key text, place int, i int, part numeric, most numeric) LANGUAGE plpgsql AS $$
BEGIN
	BEGIN
		DELETE FROM shop.back b USING shop.item i, shop.orders o WHERE b.item_id = i.id AND i.order_id = o.id AND (o.customer = person_gone) <> alone;
		DELETE FROM shop.item i USING shop.orders o WHERE i.order_id = o.id AND (o.customer = person_gone) <> alone;
		DELETE FROM shop.parcel p USING shop.orders o WHERE p.order_id = o.id AND (o.customer = person_gone) <> alone;
		DELETE FROM shop.fix f USING shop.orders o WHERE f.order_id = o.id AND (o.customer = person_gone) <> alone;
		DELETE FROM shop.line l USING shop.orders o WHERE l.order_id = o.id AND (o.customer = person_gone) <> alone;
		DELETE FROM shop.orders WHERE (customer = person_gone) <> alone;
		DELETE FROM shop.customer WHERE (id = person_gone) <> alone;
		RETURN QUERY SELECT a.no, p.* FROM asked a, parts(a, a.shown) p;
		RAISE EXCEPTION 'undo' USING ERRCODE = 'ZZ001';
	EXCEPTION WHEN SQLSTATE 'ZZ001' THEN NULL;
	END;
END $$;
CREATE TABLE before AS SELECT a.no, p.* FROM asked a, parts(a, a.shown) p;
CREATE TABLE without AS SELECT u, p.* FROM generate_series(1, 11) u, parts_of(u, false) p;
CREATE TABLE alone AS SELECT u, p.* FROM generate_series(1, 11) u, parts_of(u, true) p;
-- both numbers of an average together
CREATE TABLE shares AS SELECT a.query, t.largest, t.others FROM asked a JOIN (
	SELECT no, max(s) AS largest, sum(o)::bigint AS others FROM (SELECT no, CASE count(*) WHEN 2 THEN sqrt(sum(s ^ 2 * (ARRAY[0.75, 0.25])[i])) ELSE max(s) END AS s, sum(o) AS o FROM (
		SELECT b.no, p, b.place, b.i, sqrt(sum((b.part - coalesce(w.part, 0)) ^ 2)) / max(b.most) AS s,
			count(*) FILTER (WHERE b.part <> coalesce(w.part, 0) + coalesce(alone.part, 0)) AS o
		FROM generate_series(1, 11) p CROSS JOIN before b
			LEFT JOIN without w ON (w.no, w.u, w.key, w.place, w.i) = (b.no, p, b.key, b.place, b.i) LEFT JOIN alone ON (alone.no, alone.u, alone.key, alone.place, alone.i) = (b.no, p, b.key, b.place, b.i)
		GROUP BY b.no, p, b.place, b.i) c GROUP BY no, p, place) t GROUP BY no) t USING (no) ORDER BY no;
SELECT ok(largest <= 1, format('no person moves more: %s (%s)', query, round(largest, 6))) FROM shares;
SELECT ok(largest > 0.3, format('and somebody moves much: %s (%s)', query, round(largest, 6))) FROM shares;
SELECT is(others, 0::bigint, 'and nobody anything of others: ' || query) FROM shares;

-- The budget is that of the people at the end of the path.
CREATE ROLE paths_ana;
DO $$BEGIN PERFORM gaussdp.grant_budget('paths_ana', 'shop.item', epsilon => 100, delta => 1e-3); END$$;
SELECT results_eq($$SELECT people FROM gaussdp.budget WHERE granted AND paid_by = 'paths_ana'$$, $$VALUES ('customers')$$, 'a budget for the items is one of the customers');
CREATE FUNCTION verdict(query text) RETURNS text LANGUAGE plpgsql SET gaussdp.as_analyst = on AS $$
DECLARE
	detail text; hint text;
BEGIN
	EXECUTE 'SELECT dp_count(1, 1e-6) FROM ' || query;
	RETURN 'answered';
EXCEPTION WHEN insufficient_privilege THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN detail || ' ' || hint;
END $$;
CREATE FUNCTION after(change text, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	found text;
BEGIN
	EXECUTE change;
	found := coalesce(verdict(query), '') || coalesce(' / ' || (SELECT problem FROM gaussdp.protected_tables WHERE "table" = 'shop.item'::regclass), '');
	RAISE EXCEPTION 'undo' USING ERRCODE = 'ZZ001', DETAIL = found;
EXCEPTION WHEN SQLSTATE 'ZZ001' THEN
	GET STACKED DIAGNOSTICS found = PG_EXCEPTION_DETAIL;
	RETURN found;
END $$;
SELECT is(verdict('shop.item i JOIN shop.orders o ON o.id = i.order_id'), 'answered', 'the join that the path says');
SELECT is(verdict('(SELECT id AS key, customer FROM shop.orders WHERE day > 1) o LEFT JOIN (SELECT order_id AS key, x FROM shop.item) i USING (key)'), 'answered', 'in sub-selects and by USING');
SELECT is(verdict('shop.back b JOIN shop.item i ON i.id = b.item_id JOIN shop.orders o ON o.id = i.order_id'), 'answered', 'a path of two steps');
-- The join that the path says is put in where it is missing.
SELECT is(verdict(query), 'answered', what) FROM (VALUES
	('shop.item', 'alone'), ('shop.item i JOIN day d ON d.day = i.product', 'beside a public table'),
	('shop.item i LEFT JOIN shop.orders o ON o.id = i.order_id', 'an outer join that keeps items'), ('shop.orders o RIGHT JOIN shop.item i ON o.id = i.order_id', 'the other way round'),
	('shop.customer c JOIN (shop.item i LEFT JOIN shop.orders o ON o.id = i.order_id) ON o.customer = c.id', 'inside of a join, too'),
	('shop.back b JOIN shop.item i ON i.id = b.item_id', 'half of a path'), ('shop.back', 'a path of two steps'), ('(SELECT why FROM shop.back WHERE why > 0) s', 'in a sub-select'),
	('shop.item i JOIN shop.orders o ON o.id = i.order_id JOIN shop.orders p ON p.customer = o.customer', 'another order of the person'),
	('shop.item i JOIN shop.item j ON j.order_id = i.order_id', 'items of one order'), ('shop.orders o JOIN shop.orders p USING (id)', 'the order itself'), ('shop.orders o JOIN shop.orders p USING (code)', 'by another unique column'),
	('shop.item i JOIN shop.orders o ON o.id = i.order_id JOIN shop.orders p ON p.id = i.order_id JOIN shop.customer c ON c.id = p.customer', 'the order twice'),
	('(SELECT o.id, c.town FROM shop.orders o JOIN shop.customer c ON c.id = o.customer) s JOIN shop.item i ON i.order_id = s.id', 'a sub-select that shows the order'),
	('(SELECT order_id, count(*) AS n FROM shop.item GROUP BY order_id) s', 'items of each order')) q (query, what);
\set item_hint '''Rule 8 (unit and rows): rows of item are read without the row that says whose they are. Its rows are those of the people of orders: JOIN shop.orders ON item.order_id = orders.id.'''
SELECT is(verdict(query), :item_hint, what) FROM (VALUES
	('shop.item i, shop.orders o', 'beside any order'), ('shop.item i JOIN shop.orders o ON o.id = i.order_id OR i.x > 3', 'under OR'),
	('shop.item i JOIN shop.orders o ON o.id >= i.order_id', 'by another operator'), ('shop.item i JOIN shop.orders o ON o.id = i.product', 'by another column'),
	('shop.item i JOIN shop.orders o ON o.day = i.order_id', 'to another column'), ('shop.item i JOIN shop.orders o ON o.customer = i.order_id', 'to the person'),
	('shop.item i JOIN shop.orders o ON o.id = i.order_id + 0', 'by an expression'), ('shop.item i JOIN shop.customer c ON c.id = i.order_id', 'to another table of these people'),
	('shop.item i JOIN shop.orders o ON o.id = i.order_id JOIN shop.item j ON j.product = i.product', 'another item'),
	('(SELECT max(o.id) AS id, o.customer FROM shop.orders o GROUP BY o.customer) s JOIN shop.item i ON i.order_id = s.id', 'an order that is computed')) q (query, what);
SELECT alike(verdict(query), 'Rule 8 (unit and rows)%', what) FROM (VALUES
	('shop.orders o LEFT JOIN shop.item i ON i.x > 0 AND o.day > 1', 'an outer join that does not tie'), ('shop.back b JOIN shop.orders o ON o.id = b.item_id', 'a path without its middle'),
	('shop.item i JOIN shop.orders o ON o.id = i.order_id JOIN shop.orders p ON p.day = o.day', 'another order'), ('shop.orders o JOIN shop.orders p ON p.id = o.id + 0', 'by an expression'),
	('shop.orders o LEFT JOIN shop.orders p ON p.id = o.id OR p.day = o.day', 'under OR'), ('shop.orders o JOIN shop.orders p ON p.id = o.day', 'a column that is no key'),
	('(shop.item i CROSS JOIN shop.customer c) LEFT JOIN shop.orders o ON o.id = i.order_id AND o.customer = c.id', 'an outer join that would tie what it keeps'),
	('(shop.item i CROSS JOIN shop.item j) LEFT JOIN shop.orders o ON o.id = i.order_id AND o.id = j.order_id', 'and two items'),
	('shop.orders o JOIN shop.orders p ON p.code = o.code COLLATE "C"', 'under another collation')) q (query, what);
-- Keys of several columns name a row together, and by the same row.
SELECT is(verdict(query), 'answered', query) FROM (VALUES
	('shop.scan s JOIN shop.parcel p ON p.no = s.no WHERE p.depot = s.depot'), ('shop.scan s JOIN shop.scan t USING (no, depot)'), ('shop.mark m JOIN (shop.scan s JOIN shop.parcel p USING (no, depot)) ON s.id = m.scan'),
	('shop.fix f JOIN shop.fix g ON g.order_id = f.order_id'), ('(SELECT depot, no FROM shop.scan GROUP BY depot, no) s JOIN shop.parcel p USING (depot, no)')) q (query);
SELECT alike(verdict(query), 'Rule 8 (unit and rows)%rows of %', query) FROM (VALUES
	('shop.scan s JOIN shop.parcel p ON p.no = s.no'), ('shop.scan s JOIN shop.parcel p ON p.no = s.no AND p.depot = s.depot + 0'), ('shop.scan s JOIN shop.parcel p ON p.no = s.no OR p.depot = s.depot'),
	('shop.scan s JOIN shop.parcel p ON p.no = s.depot AND p.depot = s.no'), ('shop.scan s JOIN shop.scan t USING (no)'), ('shop.scan s JOIN shop.parcel p ON p.no = s.no LEFT JOIN shop.scan t ON p.depot = s.depot'),
	('shop.fix f JOIN shop.fix g ON g.line = f.line'), ('shop.scan s JOIN shop.parcel p ON p.no = s.no JOIN shop.parcel q ON q.depot = s.depot'),
	('(SELECT s.depot, t.no FROM shop.scan s JOIN shop.parcel p USING (depot, no) JOIN shop.orders o ON o.id = p.order_id JOIN shop.orders u ON u.customer = o.customer JOIN shop.parcel v ON v.order_id = u.id JOIN shop.scan t ON (t.depot, t.no) = (v.depot, v.no)) s JOIN shop.parcel p USING (depot, no)'),
	('shop.parcel p JOIN (SELECT s.depot, t.no FROM shop.scan s JOIN shop.parcel p USING (depot, no) JOIN shop.orders o ON o.id = p.order_id JOIN shop.orders u ON u.customer = o.customer JOIN shop.parcel v ON v.order_id = u.id JOIN shop.scan t ON (t.depot, t.no) = (v.depot, v.no)) s USING (depot, no)'),
	('(SELECT depot, max(no) AS no FROM shop.scan GROUP BY depot, no) s JOIN shop.parcel p USING (depot, no)')) q (query);
-- Elements count as rows of another table: three may stand beside one another.
SELECT is(verdict('shop.customer c, unnest(c.tags) s, unnest(c.tags) t, unnest(c.tags) u'), 'answered', 'three arrays');
SELECT alike(verdict('shop.customer c, unnest(c.tags) s, unnest(c.tags) t, unnest(c.tags) u, unnest(c.tags) v'), 'Rule 8 %more than three tables%', 'but not four');
-- Elements that are rows are not taken apart: an int4 that is none would fail where there is such a row.
SELECT alike(verdict('shop.customer c, unnest(c.boxes) AS b(height, note) WHERE height > 0'), 'Rule 4 %', 'elements of a type of several columns');
SELECT is(verdict('shop.scan s, shop.orders o'), 'Rule 8 (unit and rows): rows of scan are read without the row that says whose they are. Its rows are those of the people of parcel: JOIN shop.parcel ON scan.no = parcel.no AND scan.depot = parcel.depot.', 'a hint says all columns');
SELECT alike(after('ALTER TABLE shop.orders ENABLE ROW LEVEL SECURITY', 'shop.item'), 'Rule 8 (unit and rows): rows of item are read without%', 'row security of the orders would choose among them');
SELECT alike(after('ALTER TABLE shop.orders DROP CONSTRAINT orders_code_key; CREATE UNIQUE INDEX ON shop.orders (day, code)', 'shop.orders o JOIN shop.orders p USING (day, code)'), 'answered%', 'a unique key of two columns');
SELECT alike(after('ALTER TABLE shop.orders DROP CONSTRAINT orders_code_key; CREATE UNIQUE INDEX ON shop.orders (day, code)', 'shop.orders o JOIN shop.orders p USING (code)'), 'Rule 8 %', 'and one of them alone');

-- UNION ALL of rows whose people are the same.
CREATE TABLE shop.stranger (id int PRIMARY KEY, code text);
CREATE TABLE shop.account (customer bigint PRIMARY KEY);
DO $$BEGIN PERFORM gaussdp.protect('shop.stranger', 'id', people => 'strangers'), gaussdp.protect('shop.account', 'customer', people => 'customers', max_rows => 1); END$$;
SELECT is(verdict(query), 'answered', what) FROM (VALUES
	('(SELECT day FROM shop.orders UNION ALL SELECT product FROM shop.item UNION ALL SELECT why FROM shop.back) u', 'UNION ALL of rows by way of others'),
	('(SELECT town, id FROM shop.customer UNION ALL (SELECT day, customer FROM shop.orders UNION ALL SELECT 1, id FROM shop.customer)) u JOIN shop.orders o ON o.customer = u.id', 'joined to others'),
	('(SELECT customer, count(*) AS n FROM shop.orders GROUP BY customer UNION ALL SELECT id, 0 FROM shop.customer) u', 'of groups of each person'),
	('shop.customer c LEFT JOIN (SELECT customer FROM shop.orders UNION ALL SELECT customer FROM shop.orders) u ON u.customer = c.id', 'by an outer join'),
	('(SELECT * FROM (SELECT product FROM shop.item UNION ALL SELECT day FROM shop.orders) u WHERE product > 2) v', 'in a sub-select')) q (query, what);
SELECT alike(verdict(query), refusal, what) FROM (VALUES
	('(SELECT id FROM shop.customer UNION ALL SELECT id FROM shop.stranger) u', 'Rule 8 %: UNION ALL of rows of different people.%', 'UNION ALL of strangers'),
	('(SELECT id FROM shop.customer UNION ALL SELECT customer FROM shop.account) u', 'Rule 8 %in the same column%', 'of people whom another type names'),
	('(SELECT id, id AS n FROM shop.customer UNION ALL SELECT day, customer FROM shop.orders) u', 'answered%', 'with the unit in a place of each'),
	('(SELECT id FROM shop.customer UNION ALL SELECT day FROM day) u', 'Rule %', 'with public rows'), ('(SELECT id FROM shop.customer UNION SELECT customer FROM shop.orders) u', 'Rule 0 %UNION, INTERSECT or EXCEPT of rows%', 'UNION'),
	('(SELECT id FROM shop.customer UNION ALL SELECT customer FROM shop.orders EXCEPT ALL SELECT 7) u', 'Rule 0 %', 'EXCEPT ALL'),
	('(SELECT id FROM shop.customer UNION ALL (SELECT customer FROM shop.orders LIMIT 3)) u', 'Rule 0 %LIMIT or OFFSET%', 'LIMIT'),
	('(SELECT id, town FROM shop.customer UNION ALL SELECT max(customer), day FROM shop.orders GROUP BY day) u', 'Rule 8 %', 'groups of several people'),
	('(SELECT order_id FROM shop.item UNION ALL SELECT id FROM shop.orders) u JOIN shop.orders o ON o.id = u.order_id JOIN shop.orders p ON p.customer = o.customer', 'Rule 8 %', 'a column of UNION ALL names no row')) q (query, refusal, what);

-- What the path rests on is looked at when it is used.
SELECT is(after(change, 'shop.fix'), 'Rule 8 (unit and rows): ' || problem, change) FROM (VALUES
	('ALTER TABLE shop.line DROP CONSTRAINT line_pkey', 'table shop.line, by way of which its rows are somebody''s, has no unique index on the column that is referred to. Ask the owner of the table: gaussdp.protect.'),
	('ALTER TABLE shop.line DROP CONSTRAINT line_pkey; ALTER TABLE shop.line ADD UNIQUE (order_id, no, x)', 'table shop.line, by way of which its rows are somebody''s, has no unique index on the column that is referred to. Ask the owner of the table: gaussdp.protect.'),
	('ALTER TABLE shop.line RENAME order_id TO o', 'a column that names a row of the table by way of which its rows are somebody''s, or of that one, does not exist. Ask the owner of the table: gaussdp.protect.'),
	('ALTER TABLE shop.fix DROP order_id', 'table shop.line, by way of which its rows are somebody''s, has no unique index on the column that is referred to. Ask the owner of the table: gaussdp.protect.')) c (change, problem);
SELECT is(after('ALTER TABLE shop.fix RENAME order_id TO o', 'shop.fix'), 'answered', 'a column of the key may be renamed');
SELECT alike(after('CREATE TABLE shop.late () INHERITS (shop.orders)', 'shop.item i JOIN ONLY shop.orders o ON o.id = i.order_id'), 'Rule 8 (unit and rows): table shop.orders, by way of which its rows are somebody''s, has inheritance children%', 'ONLY does not help');
\set joined '''shop.item i JOIN shop.orders o ON o.id = i.order_id'''
SELECT is(after('SELECT', :joined), 'answered', 'nothing has changed');
SELECT alike(after(change, :joined), CASE WHEN change ~ 'INHERITS' THEN 'Rule 5 (each row once): %/ ' ELSE 'Rule 8 (unit and rows): ' || problem || '%/ ' END || problem, change) FROM (VALUES
	('ALTER TABLE shop.orders DROP CONSTRAINT orders_pkey', 'table shop.orders, by way of which its rows are somebody''s, has no unique index on the column that is referred to'),
	('ALTER TABLE shop.orders DROP CONSTRAINT orders_pkey; CREATE UNIQUE INDEX ON shop.orders (id) WHERE day > 0', 'table shop.orders, by way of which its rows are somebody''s, has no unique index on the column that is referred to'),
	('ALTER TABLE shop.orders DROP CONSTRAINT orders_pkey; ALTER TABLE shop.orders ADD UNIQUE (id) DEFERRABLE', 'table shop.orders, by way of which its rows are somebody''s, has no unique index on the column that is referred to'),
	('ALTER TABLE shop.orders DROP CONSTRAINT orders_pkey; CREATE UNIQUE INDEX ON shop.orders (id, day)', 'table shop.orders, by way of which its rows are somebody''s, has no unique index on the column that is referred to'),
	('CREATE TABLE shop.late () INHERITS (shop.orders)', 'table shop.orders, by way of which its rows are somebody''s, has inheritance children%'),
	('CREATE ROLE other_owner; GRANT ALL ON SCHEMA shop TO other_owner; ALTER TABLE shop.item OWNER TO other_owner', 'table shop.orders, by way of which its rows are somebody''s, is another owner''s'),
	('SELECT gaussdp.unprotect(''shop.orders'')', 'table shop.orders, by way of which its rows are somebody''s, is not protected itself'),
	('ALTER TABLE shop.orders RENAME COLUMN id TO no; ALTER TABLE shop.orders ADD id int', 'table shop.orders, by way of which its rows are somebody''s, has no unique index on the column that is referred to'),
	('ALTER TABLE shop.customer RENAME TO c; ALTER TABLE shop.orders RENAME TO customer; CREATE VIEW shop.orders AS SELECT * FROM shop.customer', '%'),
	('ALTER TABLE shop.orders ADD item_id bigint NOT NULL DEFAULT 1; SELECT gaussdp.protect(''shop.orders'', ''item_id'', via => ''shop.item'', change_unit => true)', 'its path to a table that names persons has more than eight steps, or none ends it')) c (change, problem);
SELECT is((SELECT problem FROM gaussdp.protected_tables WHERE "table" = 'shop.back'::regclass), NULL, 'two steps');
CREATE TABLE shop.third (back_id int PRIMARY KEY);
ALTER TABLE shop.back ADD id serial PRIMARY KEY;
DO $$BEGIN PERFORM gaussdp.protect('shop.third', 'back_id', via => 'shop.back', max_rows => 1); END$$;
SELECT is((SELECT problem FROM gaussdp.protected_tables WHERE "table" = 'shop.third'::regclass), NULL, 'and three');
DO $$BEGIN
	FOR i IN 4 .. 9 LOOP
		EXECUTE format('CREATE TABLE shop.step_%s (id int PRIMARY KEY)', i);
		PERFORM gaussdp.protect('shop.step_' || i, 'id', via => CASE i WHEN 4 THEN 'shop.third' ELSE 'shop.step_' || i - 1 END, via_column => CASE i WHEN 4 THEN 'back_id' END);
	END LOOP;
END$$;
SELECT is(string_agg(coalesce(problem, 'none'), ', ' ORDER BY "table"::text), 'none, its path to a table that names persons has more than eight steps, or none ends it', 'eight steps, and not nine') FROM gaussdp.protected_tables WHERE "table"::text ~ '[89]$';
SELECT is((SELECT people FROM gaussdp_internal.population_of('shop.back')), 'customers', 'populations follow the path');
DO $$BEGIN PERFORM gaussdp.protect('shop.orders', people => 'others', change_unit => true); END$$;
SELECT is((SELECT people FROM gaussdp_internal.population_of('shop.back')), 'others', 'to where it leads now');
DO $$BEGIN PERFORM gaussdp.protect('shop.orders', people => '', change_unit => true); END$$;
SELECT is((SELECT relation FROM gaussdp_internal.population_of('shop.back')), 'shop.orders'::regclass, 'also to people without a name');
SELECT * FROM finish();
ROLLBACK;
