-- In the place of the functions that release what Citus has added up: functions that remember what they were given, and
-- answer null.  After probe.sql; included by tests:
--   \ir ../module/released.sql
SET citus.enable_ddl_propagation = off;
CREATE FUNCTION remember(VARIADIC given numeric[]) RETURNS void LANGUAGE sql AS
$$SELECT set_config('test.released', concat_ws(';', nullif(current_setting('test.released', true), ''), array(SELECT trim_scale(g) FROM unnest(given) WITH ORDINALITY AS u (g, i) WHERE g IS NOT NULL ORDER BY i)), false)$$;
-- Sums of cells out of a hash table: the cells that are not 0, in order, each before its sum.  The number of rows is that of -1.
CREATE FUNCTION cell_sums(sums int8[]) RETURNS numeric[] LANGUAGE sql IMMUTABLE AS
$$SELECT array_agg(v ORDER BY tag, i) FROM generate_series(2, cardinality(sums), 3) s,
	LATERAL (SELECT sums[s] >> 32 AS tag, sums[s + 1] * 2::numeric ^ 64 + sums[s + 2] + CASE WHEN sums[s + 2] < 0 THEN 2::numeric ^ 64 ELSE 0 END AS steps) t, LATERAL (VALUES (1, tag - 2), (2, steps)) w (i, v)
WHERE tag <> 0 AND steps <> 0$$;
-- The same of the probe_ aggregate of a call, 'quantile' being that of a weighted one.
CREATE FUNCTION cells_probed(kind text, p probe) RETURNS numeric[] LANGUAGE sql IMMUTABLE AS
$$SELECT array_agg(v ORDER BY cell, i) FROM (
	SELECT i - CASE kind WHEN 'avg_auto' THEN 2 ELSE 1 END AS cell, steps FROM unnest(CASE WHEN kind = 'cdf' AND p.noisy <> '{}' THEN p.noisy ELSE p.exact END) WITH ORDINALITY AS u (steps, i) WHERE kind !~ 'quantile'
	UNION ALL SELECT 2 * p.noisy[l] + part - 1, p.noisy[l + part] FROM (SELECT CASE kind WHEN 'quantile' THEN 2 ELSE 1 END) n (parts), generate_series(1, cardinality(p.noisy), 1 + parts) l, generate_series(1, parts) part
	WHERE kind ~ 'quantile') c, LATERAL (VALUES (1, cell), (2, steps)) w (i, v)
WHERE steps <> 0$$;
DO $$
DECLARE
	f record;
	given text;
BEGIN
	FOR f IN
		SELECT p.oid, p.proname AS name, pg_get_function_arguments(p.oid) AS arguments, pg_get_function_result(p.oid) AS result
		FROM pg_proc p WHERE p.pronamespace = 'gaussdp_internal'::regnamespace AND p.proname ~ '^release_'
	LOOP
		given := CASE
			WHEN f.name ~ 'count|keep' THEN 'n'
			WHEN f.name ~ 'release_sum_auto|release_avg_auto' THEN
				-- the sums of cells out of their halves, of a sum those of the 260 bins alone
				format('VARIADIC (SELECT array_agg(CASE WHEN i <= n THEN bins[i] ELSE bins[h - 1]::numeric * 2::numeric ^ 64 + bins[h]
					+ CASE WHEN bins[h] < 0 THEN 2::numeric ^ 64 ELSE 0 END END ORDER BY i) FROM (VALUES (%s)) c(n), generate_series(1, 2 * n) i, LATERAL (SELECT 516 + 2 * (i - n) AS h) l)',
					CASE WHEN f.name ~ 'sum' THEN 260 ELSE 516 END)
			WHEN f.name ~ 'release_sum' THEN 'coalesce(total, 0)'
			WHEN f.name ~ 'release_avg' THEN 'coalesce(total, 0), n'
			WHEN f.name ~ 'var|stddev' THEN 'n, coalesce(total, 0), coalesce(squares, 0)'
			WHEN f.name ~ 'bounds' THEN 'VARIADIC bins[:260]::numeric[]'
			ELSE 'VARIADIC public.cell_sums(sums)'
		END;
		IF f.name ~ 'auto' THEN
			given := format('VARIADIC CASE WHEN get_byte(params, 0) > 127 THEN public.cell_sums(bins) ELSE %s END', substr(given, 10));
		END IF;
		EXECUTE format('CREATE OR REPLACE FUNCTION gaussdp_internal.%s(%s) RETURNS %s LANGUAGE sql VOLATILE AS $f$SELECT public.remember(%s); SELECT NULL::%s$f$',
			f.name, f.arguments, f.result, given, f.result);
	END LOOP;
END $$;
-- What the releases of a query were given, in the order of their evaluation.
CREATE FUNCTION released(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	r record;
BEGIN
	PERFORM set_config('test.released', '', false);
	FOR r IN EXECUTE query LOOP
	END LOOP;
	RETURN QUERY SELECT unnest(string_to_array(current_setting('test.released'), ';'));
END $$;
-- The same of the probe_ aggregate of a query without noise: whole numbers of rows, as they are given to releases.
CREATE FUNCTION probed(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	r probe;
	kind text := substring(query FROM 'probe_([a-z_]+)');
	counted int := CASE WHEN kind ~ '^(count|keep_group|var)' THEN 1 WHEN kind = 'avg' THEN 2 END;
BEGIN
	FOR r IN EXECUTE query LOOP
		IF counted IS NOT NULL THEN
			r.exact[counted] := round(r.exact[counted] * 2::numeric ^ r.exponent[counted]);
		ELSIF kind = 'avg_auto' THEN
			r.exact := r.exact[2:];
		END IF;
		IF kind ~ 'histogram|cdf|median|quantile' THEN
			r.exact := coalesce(public.cells_probed(CASE WHEN kind ~ 'median|quantile' THEN 'quantiles' ELSE kind END, r), '{}');
		END IF;
		-- no rows are no cells
		IF kind ~ 'auto|bounds' AND 0 = ALL (r.exact) THEN
			r.exact := '{}';
		END IF;
		RETURN NEXT r.exact::text;
	END LOOP;
END $$;
