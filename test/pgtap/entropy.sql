\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- The random source: when it fails nothing is released, and no random word outlives its use, an abort
-- or the process.
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS entropy CASCADE;
CREATE SCHEMA entropy;
SET search_path = entropy, public;
\ir ../module/probe.sql
CREATE TABLE t AS SELECT i, i::float8 AS x, ARRAY[i, 1]::float8[] AS v FROM generate_series(1, 10) i;
CREATE TABLE calls (call text);
INSERT INTO calls VALUES ('dp_count(1, 1e-6)'), ('dp_sum(x, 1, 1e-6, 0, 1)'), ('dp_avg(x, 1, 1e-6, 0, 1)'), ('dp_var(x, 1, 1e-6, 0, 1)'), ('dp_stddev(x, 1, 1e-6, 0, 1)'),
	('dp_histogram(x, 1, 1e-6, 0, 1, 5)'), ('dp_cdf(x, 1, 1e-6, 0, 1, 5)'), ('dp_quantile(x, 1, 1e-6, 0, 1, 0.2)'), ('dp_quantiles(x, 1, 1e-6, 0, 1, ''{0.2,0.9}'')'), ('dp_median(x, 1, 1e-6, 0, 1)'), ('dp_sum(v, 1, 1e-6, 1, 2)'), ('dp_avg(v, 1, 1e-6, 1, 2)'),
	('dp_keep_group(1, 1e-6)'), ('dp_count_estimate(x, 1, 1e-6)'), ('dp_avg_estimate(x, 1, 1e-6, 0, 1)'), ('dp_sum(x, 1, 1e-6)'), ('dp_avg(x, 1, 1e-6)'), ('dp_bounds(x, 1, 1e-6)');

SELECT plan((count(*) * 2 + 6)::int) FROM calls;
SELECT test_entropy_fails(true) \g /dev/null
SELECT throws_ok(format('SELECT %s FROM t', call), 'XX000', 'could not generate random values', call || ': nothing is released without random bits') FROM calls;
SELECT throws_ok(format('SELECT %s FROM t WHERE false', call), 'XX000', 'could not generate random values', call || ': nor for no row') FROM calls;
SELECT is((test_entropy())[1], 0, 'half-filled buffers are not kept');
SELECT test_entropy_fails(false) \g /dev/null
SELECT lives_ok('SELECT dp_count(1, 1e-6) FROM t', 'the session goes on when the source is back');
SELECT ok((test_entropy())[1] > 0 AND (test_entropy())[2] = 0, 'unused words wait, used ones are zero');
BEGIN;
SELECT ok((test_entropy())[1] > 0, 'they outlast a transaction');
ROLLBACK;
SELECT is((test_entropy())[1], 0, 'but not its abort');
SELECT dp_count(1, 1e-6) IS NOT NULL FROM t \g /dev/null
SELECT is(test_entropy_other_process(), 0, 'a child process finds none of its parent');
SELECT * FROM finish();
DROP SCHEMA entropy CASCADE;
