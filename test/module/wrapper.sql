-- Aggregates as a distributed engine calls them (aggregate.c), in two halves: worker_NAME gives the bytes of
-- a state, coordinator_NAME adds such bytes up.  Included by tests:
--   \ir ../module/wrapper.sql
\getenv testlib GAUSSDP_TESTLIB
CREATE TABLE wrapped (name text, arguments text, state text, result text);
INSERT INTO wrapped VALUES
('sum', 'float8, float8, float8, float8, float8', 'gaussdp_scalar', 'float8'), ('sum_auto', 'float8, float8, float8', 'gaussdp_cells', 'float8'),
('var', 'float8, float8, float8, float8, float8', 'gaussdp_cells', 'float8'), ('histogram', 'float8, float8, float8, float8, float8, int8', 'gaussdp_cells', 'int8[]'),
('quantile', 'float8, float8, float8, float8, float8, float8', 'gaussdp_leaves', 'float8'), ('quantiles', 'float8, float8, float8, float8, float8, float8[]', 'gaussdp_leaves', 'float8[]');
CREATE FUNCTION wrap(testlib text) RETURNS void LANGUAGE plpgsql AS
$$DECLARE w record;
BEGIN
	FOR w IN SELECT * FROM wrapped LOOP
		EXECUTE format('CREATE FUNCTION worker_of_gaussdp_%s_float8_accum(internal, %s) RETURNS internal AS %L, ''test_worker_accum'' LANGUAGE C', w.name, w.arguments, testlib);
		EXECUTE format('CREATE FUNCTION worker_of_gaussdp_%s_serialize(internal) RETURNS bytea AS %L, ''test_worker_final'' LANGUAGE C', w.name, testlib);
		EXECUTE format('CREATE AGGREGATE worker_%1$s(%2$s) (SFUNC = worker_of_gaussdp_%1$s_float8_accum, STYPE = internal, FINALFUNC = worker_of_gaussdp_%1$s_serialize)', w.name, w.arguments);
		EXECUTE format('CREATE OR REPLACE FUNCTION coordinator_of_%s(internal, bytea) RETURNS internal AS %L, ''test_coordinator_accum'' LANGUAGE C', w.state, testlib);
		EXECUTE format('CREATE FUNCTION coordinator_of_gaussdp_%s_final(internal) RETURNS %s AS %L, ''test_coordinator_final'' LANGUAGE C', w.name, w.result, testlib);
		EXECUTE format('CREATE AGGREGATE coordinator_%1$s(bytea) (SFUNC = coordinator_of_%2$s, STYPE = internal, FINALFUNC = coordinator_of_gaussdp_%1$s_final)', w.name, w.state);
	END LOOP;
END$$;
SELECT wrap(:'testlib') \g /dev/null
