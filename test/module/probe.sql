-- Functions of the test library (probe.c), and for each dp_ aggregate a probe_ aggregate with the same
-- arguments, transition, combine and serialization, which shows the exact integers.  Included by tests:
--   \ir ../module/probe.sql
\getenv testlib GAUSSDP_TESTLIB
LOAD '$libdir/gaussdp';
CREATE TYPE probe AS (exact numeric[], noisy numeric[], sensitivity numeric[], sigma_int numeric[], exponent numeric[]);
CREATE FUNCTION test_noise(sigma_int int8, n int4) RETURNS int8[] AS :'testlib' LANGUAGE C STRICT;
CREATE FUNCTION test_entropy() RETURNS int4[] AS :'testlib' LANGUAGE C;
CREATE FUNCTION test_entropy_other_process() RETURNS int4 AS :'testlib' LANGUAGE C;
CREATE FUNCTION test_entropy_fails(fails bool) RETURNS void AS :'testlib' LANGUAGE C STRICT;
CREATE FUNCTION test_entropy_repeats(seed int4) RETURNS void AS :'testlib' LANGUAGE C STRICT;
CREATE FUNCTION test_audit_mu(fp int8, fn int8, n int8, alpha float8) RETURNS float8 AS :'testlib' LANGUAGE C STRICT;
CREATE FUNCTION test_call_cost(call regprocedure, params float8[], n_rows float8) RETURNS float8[] AS :'testlib' LANGUAGE C STRICT;
CREATE FUNCTION test_weighted(call regprocedure, given float8[], k float8, max_groups float8, smallest float8, OUT kind int4, OUT aggregate regprocedure, OUT params float8[],
	OUT cost float8[], OUT own_k float8, OUT by_value bool, OUT counted_rows float8[], OUT counted_people float8[]) AS :'testlib' LANGUAGE C STRICT;
CREATE TABLE probe_finals AS SELECT unnest(ARRAY['count', 'sum', 'avg', 'keep_group', 'var', 'histogram', 'cdf', 'quantile', 'quantiles', 'vector_sum', 'vector_avg', 'regression', 'bounds', 'sum_auto', 'avg_auto']) AS kind;
SELECT format('CREATE FUNCTION probe_%s_final(internal) RETURNS probe AS %L LANGUAGE C PARALLEL SAFE', kind, :'testlib') FROM probe_finals \gexec
DO $$
DECLARE
	a record;
BEGIN
	FOR a IN
		SELECT substr(p.proname, 4) AS name, pg_get_function_identity_arguments(p.oid) AS arguments, k.kind, g.*
		FROM pg_aggregate g JOIN pg_proc p ON p.oid = g.aggfnoid JOIN pg_proc f ON f.oid = g.aggfinalfn
			JOIN probe_finals k ON f.proname = k.kind || '_final' AND f.pronamespace = 'gaussdp_internal'::regnamespace AND p.proname ~ '^dp_'
	LOOP
		EXECUTE format('CREATE AGGREGATE probe_%1$s(%2$s) (SFUNC = %3$s, STYPE = internal, FINALFUNC = probe_%7$s_final,
			FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = %4$s, SERIALFUNC = %5$s, DESERIALFUNC = %6$s, PARALLEL = SAFE)',
			a.name, a.arguments, a.aggtransfn::regproc, a.aggcombinefn::regproc, a.aggserialfn::regproc, a.aggdeserialfn::regproc, a.kind);
	END LOOP;
	-- and for each weighted one, by its own name
	FOR a IN
		SELECT p.proname AS name, pg_get_function_identity_arguments(p.oid) AS arguments, k.kind, g.*
		FROM pg_aggregate g JOIN pg_proc p ON p.oid = g.aggfnoid JOIN pg_proc f ON f.oid = g.aggfinalfn
			JOIN probe_finals k ON f.proname = k.kind || '_final' AND f.pronamespace = 'gaussdp_internal'::regnamespace AND p.proname ~ '_weighted$'
	LOOP
		EXECUTE format('CREATE AGGREGATE probe_%s(%s) (SFUNC = %s, STYPE = internal, FINALFUNC = probe_%s_final, FINALFUNC_MODIFY = READ_WRITE,
			COMBINEFUNC = %s, SERIALFUNC = %s, DESERIALFUNC = %s, PARALLEL = SAFE)',
			a.name, a.arguments, a.aggtransfn::regproc, a.kind, a.aggcombinefn::regproc, a.aggserialfn::regproc, a.aggdeserialfn::regproc);
	END LOOP;
	-- and the other answers of its state: avg_estimate_weighted of gaussdp_internal.avg_weighted
	FOR a IN
		SELECT regexp_replace(o.proname, '_final$', '_weighted') AS name, pg_get_function_identity_arguments(p.oid) AS arguments, o.oid::regproc AS final, g.*
		FROM pg_aggregate g JOIN pg_proc p ON p.oid = g.aggfnoid JOIN pg_proc f ON f.oid = g.aggfinalfn JOIN pg_proc o ON o.pronamespace = f.pronamespace
			AND regexp_replace(o.proname, '^stddev', 'var') IN (f.proname, replace(f.proname, '_final', '_estimate_final')) AND o.proname <> f.proname
		WHERE f.pronamespace = 'gaussdp_internal'::regnamespace AND p.proname ~ '_weighted$'
	LOOP
		EXECUTE format('CREATE AGGREGATE %s(%s) (SFUNC = %s, STYPE = internal, FINALFUNC = %s, FINALFUNC_MODIFY = READ_WRITE,
			COMBINEFUNC = %s, SERIALFUNC = %s, DESERIALFUNC = %s, PARALLEL = SAFE)',
			a.name, a.arguments, a.aggtransfn::regproc, a.final, a.aggcombinefn::regproc, a.aggserialfn::regproc, a.aggdeserialfn::regproc);
	END LOOP;
END $$;
-- What a row adds to an average or a variance over people who own many rows, where it has this weight.
CREATE FUNCTION row_total(kind int4, params float8[], value anyelement, m int8) RETURNS bytea LANGUAGE sql AS $$
	SELECT gaussdp_internal.clip_total(gaussdp_internal.person_total(kind, params, v), m) FROM (SELECT value OFFSET 0) s(v) $$;
