\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- What a distributed engine demands, without one: states that travel as bytes between wrappers which
-- call the aggregates' functions afresh for each row.  test/module/aggregate.c has the wrappers.
BEGIN;
SELECT plan(18);

\ir ../module/wrapper.sql

CREATE TABLE shard AS SELECT g % 4 AS k, g % 50 AS grp, g::float8 AS x FROM generate_series(1, 10000) g;
CREATE TABLE part AS SELECT k, grp, worker_sum(x, 1e6, 1e-6, 0, 20) AS state FROM shard GROUP BY k, grp;

SELECT is((SELECT max(length(state)) FROM part), 3 + 4 * 8 + 24, 'a state is 59 bytes on the wire');
SELECT ok(abs(coordinator_sum(state) - (SELECT sum(least(x, 20)) FROM shard)) < 1, 'states of shards give the whole sum') FROM part;
SELECT is_empty($$SELECT grp FROM (SELECT grp, coordinator_sum(state) AS s FROM part GROUP BY grp) a
	JOIN (SELECT grp, sum(least(x, 20)) AS t FROM shard GROUP BY grp) b USING (grp) WHERE abs(s - t) > 1$$, 'and of each group');
SELECT ok(abs(coordinator_sum(state ORDER BY state NULLS FIRST) - (SELECT sum(least(x, 20)) FROM shard)) < 1, 'NULL states before the others')
FROM (SELECT state FROM part UNION ALL SELECT NULL FROM generate_series(1, 3)) s;
SELECT ok(abs(coordinator_sum(state ORDER BY state NULLS LAST) - (SELECT sum(least(x, 20)) FROM shard)) < 1, 'NULL states after the others')
FROM (SELECT state FROM part UNION ALL SELECT NULL FROM generate_series(1, 3)) s;
SELECT throws_ok('SELECT coordinator_sum(state) FROM (SELECT NULL::bytea AS state) s', '0A000', NULL, 'nothing but NULL: the parameters are nowhere');
SELECT throws_ok($$SELECT coordinator_sum(state) FROM (SELECT worker_sum(x, e, 1e-6, 0, 20) AS state FROM shard, (VALUES (1), (2)) v(e) GROUP BY e) s$$,
	'22023', 'epsilon varies within a group', 'states of different epsilon do not add up');
SELECT throws_ok($$SELECT worker_sum(x, k + 1, 1e-6, 0, 20) FROM shard$$, '22023', 'epsilon varies within a group', 'nor do rows, without fn_extra');
SELECT lives_ok($$SELECT worker_sum(x, 1 + grp * 0.01, 1e-6, 0, 20) FROM shard GROUP BY grp, k$$, 'more sets of parameters than are kept');
SELECT ok(abs(s - t) < 2, 'groups of their own parameters, more than are kept') FROM (
	SELECT coordinator_sum(state) AS s, max(t) AS t FROM (
		SELECT g, worker_sum(x, 1e6 + g, 1e-6, 0, 20) AS state, sum(least(x, 20)) AS t FROM shard, generate_series(1, 100) g WHERE grp < 2 GROUP BY g) w
	GROUP BY g ORDER BY abs(coordinator_sum(state) - max(t)) DESC LIMIT 1) q;

-- Version, kind, number of parameters, length, fields: each wrong byte is noticed.
CREATE TABLE good AS SELECT state FROM part LIMIT 1;
SELECT is((SELECT encode(substr(state, 1, 3), 'hex') FROM good), '010204', 'version 1, kind 2 (sum), 4 parameters');
SELECT is((SELECT encode(substr(state, 4, 8), 'hex') FROM good), encode(float8send(1e6), 'hex'), 'parameters in network byte order');
SELECT throws_ok($$SELECT coordinator_sum(set_byte(state, 0, 2)) FROM good$$, '22P03', NULL, 'another version');
SELECT throws_ok($$SELECT coordinator_sum(set_byte(state, 1, 1)) FROM good$$, '22P03', NULL, 'a kind that has no such form');
SELECT throws_ok($$SELECT coordinator_sum(set_byte(state, 1, 3)) FROM good$$, '22P03', NULL, 'a sum that an average cannot have');
SELECT throws_ok($$SELECT coordinator_sum(state || '\x00') FROM good$$, '22P03', NULL, 'a byte too many');
SELECT throws_ok($$SELECT coordinator_sum(substr(state, 1, 58)) FROM good$$, '22P03', NULL, 'a byte too few');
SELECT throws_ok($$SELECT coordinator_sum(overlay(state PLACING float8send('NaN') FROM 4)) FROM good$$, '22023', NULL, 'a parameter out of range');

SELECT * FROM finish();
ROLLBACK;
