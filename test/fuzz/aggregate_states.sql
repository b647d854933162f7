\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Bytes that nobody serialized, to the deserialization function: a clean error or a state, and the
-- session lives on.  Mutants of true states, and noise.
BEGIN;
SELECT plan(2);

\ir ../module/wrapper.sql

CREATE FUNCTION outcome(bytes bytea) RETURNS text LANGUAGE plpgsql AS
$$DECLARE r float8;
BEGIN
	SELECT coordinator_sum(b) INTO r FROM (VALUES (bytes), (bytes)) v(b);
	RETURN CASE WHEN r IS NULL OR r = 'NaN' OR abs(r) = 'Infinity' THEN 'no number' ELSE 'number' END;
EXCEPTION WHEN invalid_binary_representation OR invalid_parameter_value THEN
	RETURN 'refused';
END$$;

CREATE FUNCTION mutants(n int) RETURNS SETOF bytea LANGUAGE plpgsql AS
$$DECLARE
	good bytea := (SELECT worker_sum(x, 1, 1e-6, -5, 20) FROM generate_series(1, 9) x);
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
SELECT setseed(0.3);
SELECT set_eq($$SELECT outcome(m) FROM mutants(20000) m$$, ARRAY['number', 'refused'], 'mutants of a state: a number or a clean refusal');
SELECT set_eq($$SELECT outcome(decode(string_agg(lpad(to_hex((random() * 255)::int), 2, '0'), ''), 'hex'))
	FROM generate_series(1, 59) b, generate_series(1, 2000) g GROUP BY g$$, ARRAY['refused'], 'noise is refused');

SELECT * FROM finish();
ROLLBACK;
