-- dp_sum as a distributed engine calls it (aggregate.c), in two halves.  Included by tests:
--   \ir ../module/wrapper.sql
\getenv testlib GAUSSDP_TESTLIB
CREATE FUNCTION test_worker_accum(internal, float8, float8, float8, float8, float8) RETURNS internal AS :'testlib' LANGUAGE C;
CREATE FUNCTION test_worker_final(internal) RETURNS bytea AS :'testlib' LANGUAGE C;
CREATE FUNCTION test_coordinator_accum(internal, bytea) RETURNS internal AS :'testlib' LANGUAGE C;
CREATE FUNCTION test_coordinator_final(internal) RETURNS float8 AS :'testlib' LANGUAGE C;
CREATE AGGREGATE worker_sum(float8, float8, float8, float8, float8)
	(SFUNC = test_worker_accum, STYPE = internal, FINALFUNC = test_worker_final);
CREATE AGGREGATE coordinator_sum(bytea)
	(SFUNC = test_coordinator_accum, STYPE = internal, FINALFUNC = test_coordinator_final);
