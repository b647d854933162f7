\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Bytes that nobody serialized, to the deserialization function: a clean error or a state, and the
-- session lives on.  Mutants of true states, and noise.
BEGIN;
SELECT plan(8);

\ir ../module/wrapper.sql

CREATE FUNCTION outcome(name text, bytes bytea) RETURNS text LANGUAGE plpgsql AS
$$DECLARE r text;
BEGIN
	EXECUTE format('SELECT coordinator_%s(b) FROM (VALUES ($1), ($1)) v(b)', name) INTO r USING bytes;
	RETURN CASE WHEN r IS NULL OR r LIKE '%NaN%' OR r LIKE '%Infinity%' THEN 'no number' ELSE 'number' END;
EXCEPTION WHEN invalid_binary_representation OR invalid_parameter_value THEN
	RETURN 'refused';
END$$;

CREATE FUNCTION mutants(good bytea, n int) RETURNS SETOF bytea LANGUAGE plpgsql AS
$$DECLARE
	m bytea;
BEGIN
	FOR i IN 1 .. n LOOP
		m := good;
		FOR j IN 0 .. (random() * 3)::int LOOP
			m := set_byte(m, (random() * (length(m) - 1))::int, (random() * 255)::int);
		END LOOP;
		IF random() < 0.2 THEN
			m := substr(m, 1, (random() * length(m))::int);
		ELSIF random() < 0.1 THEN
			m := m || decode(repeat('ff', (random() * 20)::int), 'hex');
		END IF;
		RETURN NEXT m;
	END LOOP;
END$$;
CREATE TABLE good AS
SELECT worker_sum(x, 1, 1e-6, -5, 20) AS sum, worker_sum_auto(x, 1, 1e-6) AS sum_auto, worker_var(x, 1, 1e-6, -5, 20) AS var,
	worker_histogram(x, 1, 1e-6, -5, 20, 7) AS histogram, worker_quantile(x, 1, 1e-6, -5, 20, 0.3) AS quantile, worker_quantiles(x, 1, 1e-6, -5, 20, '{0.3,0.6}') AS quantiles
FROM generate_series(1, 9) x;
SELECT setseed(0.3);
SELECT set_eq($$SELECT outcome('sum', m) FROM good, mutants(sum, 20000) m$$, ARRAY['number', 'refused'], 'a sum: a number or a clean refusal');
SELECT set_eq($$SELECT outcome('var', m) FROM good, mutants(var, 10000) m$$, ARRAY['number', 'refused'], 'a variance');
SELECT set_eq($$SELECT outcome('histogram', m) FROM good, mutants(histogram, 10000) m$$, ARRAY['number', 'refused'], 'a histogram');
SELECT set_eq($$SELECT outcome('quantile', m) FROM good, mutants(quantile, 10000) m$$, ARRAY['number', 'refused'], 'a quantile');
SELECT set_eq($$SELECT outcome('quantiles', m) FROM good, mutants(quantiles, 5000) m$$, ARRAY['number', 'refused'], 'several');
SELECT set_eq($$SELECT outcome('sum_auto', m) FROM good, mutants(sum_auto, 4000) m$$, ARRAY['number', 'refused'], 'automatic bounds');
SELECT set_eq($$SELECT outcome('sum', m) FROM good, mutants(var, 2000) m$$, ARRAY['refused'], 'the state of another aggregate');
SELECT set_eq($$SELECT outcome('sum', decode(string_agg(lpad(to_hex((random() * 255)::int), 2, '0'), ''), 'hex'))
	FROM generate_series(1, 59) b, generate_series(1, 2000) g GROUP BY g$$, ARRAY['refused'], 'noise');

SELECT * FROM finish();
ROLLBACK;
