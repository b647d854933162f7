\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Bad parameters: SQLSTATE 22023 with the value and the allowed range, over rows and over none,
-- and the session lives on.  No value of a row makes an error.
BEGIN;
SELECT plan(79);

CREATE TABLE t AS SELECT 1::float8 AS x, 2 AS i FROM generate_series(1, 10);

CREATE TABLE bad (call text, message text);
INSERT INTO bad VALUES
('dp_count(0, 1e-6)', 'epsilon is out of range: 0'),
('dp_count(-1, 1e-6)', 'epsilon is out of range: -1'),
('dp_count(''NaN'', 1e-6)', 'epsilon is out of range: NaN'),
('dp_count(''Infinity'', 1e-6)', 'epsilon is out of range: Infinity'),
('dp_count(NULL, 1e-6)', 'epsilon must not be null'),
('dp_count(1, 0)', 'delta is out of range: 0'),
('dp_count(1, 1)', 'delta is out of range: 1'),
('dp_count(1, -0.5)', 'delta is out of range: -0.5'),
('dp_count(1, ''NaN'')', 'delta is out of range: NaN'),
('dp_count(1, NULL)', 'delta must not be null'),
('dp_count(x, 1, 1e-6, 0)', 'l2_sensitivity is out of range: 0'),
('dp_count(x, 1, 1e-6, -2)', 'l2_sensitivity is out of range: -2'),
('dp_count(x, 1, 1e-6, ''Infinity'')', 'l2_sensitivity is out of range: Infinity'),
('dp_count(x, 1, 1e-6, NULL)', 'l2_sensitivity must not be null'),
('dp_count(x, 1, 1e-6, 1e-30)', NULL),
('dp_count(x, 1, 1e-6, 1e30)', NULL),
('dp_sum(x, 1, 1e-6, 0)', 'l2_sensitivity is out of range: 0'),
('dp_sum(x, 1, 1e-6, ''NaN'')', 'l2_sensitivity is out of range: NaN'),
('dp_sum(x, 0, 1e-6, 0, 1)', 'epsilon is out of range: 0'),
('dp_sum(x, 1, 2, 0, 1)', 'delta is out of range: 2'),
('dp_sum(x, 1, 1e-6, 1, 1)', 'bounds are out of range: lower 1, upper 1'),
('dp_sum(x, 1, 1e-6, 2, 1)', 'bounds are out of range: lower 2, upper 1'),
('dp_sum(x, 1, 1e-6, ''-Infinity'', 1)', 'bounds are out of range: lower -Infinity, upper 1'),
('dp_sum(x, 1, 1e-6, 0, ''NaN'')', 'bounds are out of range: lower 0, upper NaN'),
('dp_sum(x, 1, 1e-6, NULL, 1)', 'lower must not be null'),
('dp_sum(x, 1, 1e-6, 0, NULL)', 'upper must not be null'),
('dp_sum(x, 1, 1e-6, 0, 1, 0)', 'max_rows is out of range: 0'),
('dp_sum(x, 1, 1e-6, 0, 1, -7)', 'max_rows is out of range: -7'),
('dp_sum(x, 1, 1e-6, 0, 1, NULL)', 'max_rows must not be null'),
('dp_sum(x, 1, 1e-6, 0, 1, 9223372036854775807)', NULL),
('dp_sum(x, 1, 1e-6, 0, 1e-300)', NULL),
('dp_sum(x, 1e-300, 1e-300, 0, 1e300)', NULL),
('dp_avg(x, 1, 1e-6, 1, 0)', 'bounds are out of range: lower 1, upper 0'),
('dp_avg(x, 1, 1e-6, 0, 1, 0)', 'max_rows is out of range: 0'),
('dp_avg(x, 1, 1e-6, 0, 1e-300)', NULL),
('dp_avg(x, 1, 1e-6, 0, 5e-324)', NULL);

SELECT throws_ok(format('SELECT %s FROM t', call), '22023', message, call) FROM bad;
SELECT throws_ok(format('SELECT %s FROM t WHERE false', call), '22023', message, call || ' over no row') FROM bad;

SELECT throws_ok('SELECT dp_count(i, 1e-6) FROM (VALUES (1), (2)) v(i)', '22023', 'epsilon varies within a group', 'epsilon from a column');
SELECT throws_ok('SELECT dp_sum(1.0, 1, 1e-6, 0, i) FROM (VALUES (1), (2)) v(i)', '22023', 'upper varies within a group', 'bounds from a column');
SELECT lives_ok('SELECT i, dp_count(i, 1e-6) FROM (VALUES (1), (2)) v(i) GROUP BY i', 'parameters may vary between groups');
SELECT lives_ok('SELECT dp_sum(1.0, 1, 1e-6, i * 0.0::float8, 9) FROM (VALUES (1), (-1)) v(i)', '-0 equals 0');
SELECT throws_ok('SELECT dp_count(1, 1e-6) OVER () FROM t', '0A000', NULL, 'no window');
SELECT throws_ok('SELECT dp_avg(x, 1, 1e-6, 0, 1) OVER (ORDER BY i) FROM t', '0A000', NULL, 'no running average');
SELECT is((SELECT sum(x) FROM t), 10::float8, 'the session lives on');

SELECT * FROM finish();
ROLLBACK;
