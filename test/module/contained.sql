-- Calls of contained() with expressions in SQL, by the tests' own module (contained.c). To be included by \ir.
\getenv testlib GAUSSDP_TESTLIB
CREATE FUNCTION test_tree(text, regtype[]) RETURNS pg_node_tree AS :'testlib' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION test_memory() RETURNS bigint AS :'testlib' LANGUAGE C;
CREATE FUNCTION test_peak() RETURNS bigint AS :'testlib' LANGUAGE C;
CREATE FUNCTION test_fails_in_worker(anyelement) RETURNS anyelement AS :'testlib' LANGUAGE C PARALLEL SAFE;
CREATE FUNCTION test_then_cancelled(text) RETURNS text AS :'testlib' LANGUAGE C;
