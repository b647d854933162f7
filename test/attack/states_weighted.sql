\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Bytes of weighted states that nobody serialized: whatever integers they hold, a number or a refusal, and the session lives on.
BEGIN;
SELECT plan(16);
\getenv testlib GAUSSDP_TESTLIB
CREATE TABLE weighted (kind text, number int, params float8[], state text, result text, cells int, ints int[]);
INSERT INTO weighted VALUES ('count', 1, '{1,1e-6,3}', 'scalar', 'int8', 0, '{}'), ('sum', 2, '{1,1e-6,-5,20,3}', 'scalar', 'float8', 0, '{}'), ('avg', 3, '{1,1e-6,-5,20,3}', 'scalar', 'float8', 0, '{5}'),
	('var', 5, '{1,1e-6,-5,20,3}', 'cells', 'float8', 2, '{5}'), ('quantile', 7, '{1,1e-6,-5,20,0.5,3}', 'leaves', 'float8', 6, '{6}'), ('vector_sum', 8, '{1,1e-6,4,2,3}', 'cells', 'float8[]', 2, '{4}'),
	('sum_auto', 10, '{1,1e-6,3}', 'cells', 'float8', 780, '{3}'), ('avg_auto', 11, '{1,1e-6,3}', 'cells', 'float8', 1292, '{3}');
CREATE FUNCTION wrap(testlib text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	w record;
BEGIN
	FOR w IN SELECT * FROM weighted LOOP
		EXECUTE format('CREATE OR REPLACE FUNCTION coordinator_of_gaussdp_%s(internal, bytea) RETURNS internal AS %L, ''test_coordinator_accum'' LANGUAGE C', w.state, testlib);
		EXECUTE format('CREATE FUNCTION coordinator_of_gaussdp_%s_final(internal) RETURNS %s AS %L, ''test_coordinator_final'' LANGUAGE C', w.kind, w.result, testlib);
		EXECUTE format('CREATE AGGREGATE coordinator_%1$s(bytea) (SFUNC = coordinator_of_gaussdp_%2$s, STYPE = internal, FINALFUNC = coordinator_of_gaussdp_%1$s_final)', w.kind, w.state);
	END LOOP;
END $$;
SELECT wrap(:'testlib') \g /dev/null
-- Integers of 16 bytes: the ends, those beside zero, and halves; those from the fourth on are not negative, as numbers of rows are.
CREATE FUNCTION integers(cells int, start int DEFAULT 1) RETURNS bytea LANGUAGE sql VOLATILE AS $$
	SELECT coalesce(string_agg(decode((ARRAY['80000000000000000000000000000000', 'ffffffffffffffffffffffffffffffff', 'c0000000000000000000000000000000', '7fffffffffffffffffffffffffffffff',
		'00000000000000000000000000000000', '00000000000000000000000000000001', '40000000000000000000000000000000', '0000000000000000ffffffffffffffff'])[start + floor(random() * (9 - start))::int], 'hex'), ''), '') FROM generate_series(1, cells) $$;
CREATE FUNCTION bytes(w weighted, n int8) RETURNS bytea LANGUAGE sql VOLATILE AS $$
	SELECT '\x81'::bytea || set_byte('\x00', 0, w.number) || set_byte('\x00', 0, cardinality(w.params)) || (SELECT string_agg(CASE WHEN place = ANY (w.ints) THEN int8send(p::int8) ELSE float8send(p) END, '' ORDER BY place) FROM unnest(w.params) WITH ORDINALITY u(p, place)) ||
		CASE w.state WHEN 'leaves' THEN '\x00'::bytea || (SELECT string_agg(int4send(i * CASE n WHEN 0 THEN 7 ELSE -1 END) || integers(2, CASE WHEN random() < 0.9 THEN 4 ELSE 1 END), '' ORDER BY i) FROM generate_series(1, w.cells) i) ELSE int8send(n) END || CASE WHEN w.state = 'leaves' THEN '' WHEN w.kind ~ 'auto' THEN integers(1 + (w.cells - 260) / 2, 4) || integers((w.cells + 260) / 2) ELSE integers(w.cells + CASE w.state WHEN 'scalar' THEN 2 ELSE 1 END) END $$;
CREATE FUNCTION outcome(w weighted, n int8) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	r text;
BEGIN
	EXECUTE format('SELECT coordinator_%s(b) FROM (VALUES ($1), ($2), ($1)) v(b)', w.kind) INTO r USING bytes(w, n), bytes(w, n);
	RETURN CASE WHEN r IS NULL OR r LIKE '%NaN%' THEN 'no number' ELSE 'number' END;
EXCEPTION WHEN invalid_binary_representation OR invalid_parameter_value THEN
	RETURN SQLERRM;
END $$;
SELECT setseed(0.7);
SELECT is((SELECT string_agg(DISTINCT o, ', ' ORDER BY o) FROM (SELECT outcome(w, 0) AS o FROM generate_series(1, 200)) s), CASE WHEN kind ~ 'auto' THEN 'number' ELSE 'invalid serialized state of a private aggregate, number' END, 'integers of any size: ' || kind) FROM weighted w;
SELECT is((SELECT string_agg(DISTINCT o, ', ' ORDER BY o) FROM (SELECT outcome(w, n) AS o FROM (VALUES (1), (-1), (-9223372036854775808), (9223372036854775807)) v(n)) s), 'invalid serialized state of a private aggregate',
	CASE state WHEN 'leaves' THEN 'leaves out of order: ' ELSE 'a number of rows, which weighted states have not: ' END || kind) FROM weighted w;
SELECT * FROM finish();
ROLLBACK;
