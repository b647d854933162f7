\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Automatic bounds: whatever bounds a release finds, one row moves the exact total by no more whole
-- steps than the noise is made for, for sums and for centred sums; and the order of rows is nothing to it.
\getenv testlib GAUSSDP_TESTLIB
BEGIN;
SELECT plan(33);
LOAD '$libdir/gaussdp';
CREATE FUNCTION probe_auto_final(internal) RETURNS numeric[] AS :'testlib' LANGUAGE C;
CREATE AGGREGATE probe_auto(float8, float8, float8) (SFUNC = gaussdp_internal.sum_auto_float8_accum, STYPE = internal,
	FINALFUNC = probe_auto_final, FINALFUNC_MODIFY = READ_WRITE);

-- 200 tables of values from 1e-25 to 1e25 of both signs, NULL, NaN, infinities, equal ones among them
SELECT setseed(0.4);
CREATE TABLE v AS
SELECT t, i, CASE (random() * 20)::int WHEN 0 THEN NULL WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' WHEN 3 THEN '-Infinity' WHEN 4 THEN 0
	WHEN 5 THEN 2 ^ (random() * 100 - 50)::int WHEN 6 THEN 5e-324 WHEN 7 THEN 1e308
	ELSE (random() - 0.5) * 10 ^ (random() * 50 - 25) END::float8 AS x
FROM generate_series(1, 200) t, generate_series(1, 30) i;
CREATE TABLE whole AS SELECT t, probe_auto(x, 1, 1e-6) AS p FROM v GROUP BY t;
CREATE TABLE less AS SELECT o.t, o.i, probe_auto(v.x, 1, 1e-6) AS p FROM v o JOIN v ON v.t = o.t AND v.i <> o.i GROUP BY o.t, o.i;
-- The totals stand at odd places, each before what a row may move it by; arrays are read once, and not from their beginning for each place.
CREATE TABLE whole_total AS SELECT t, n, total, w.p[n + 1] AS most FROM whole w, unnest(w.p) WITH ORDINALITY AS u(total, n) WHERE n % 2 = 1 AND n < 120;
CREATE TABLE moved AS
SELECT w.t, l.i, n % 4 = 1 AS is_sum, abs(w.total - u.total) AS by, w.most
FROM less l CROSS JOIN LATERAL unnest(l.p) WITH ORDINALITY AS u(total, n) JOIN whole_total w USING (t, n);
SELECT is((SELECT count(*) FROM moved)::int, 200 * 30 * 60, '6,000 removals, 30 bounds and grids, sums and centred sums');
SELECT is_empty('SELECT * FROM moved WHERE is_sum AND by > most', 'a row moves no sum by more than declared');
SELECT is_empty('SELECT * FROM moved WHERE NOT is_sum AND by > most', 'nor a centred sum');
SELECT ok(bool_or(is_sum AND by = most) AND bool_or(NOT is_sum AND by = most), 'and extreme values by just that') FROM moved;
SELECT is_empty($$SELECT w.t FROM whole w JOIN (SELECT t, probe_auto(x, 1, 1e-6 ORDER BY x) AS p FROM v GROUP BY t) o USING (t) WHERE w.p <> o.p$$,
	'the same in another order');
-- Two rows of one person, wherever they fall
SELECT is_empty($$SELECT 1 FROM (SELECT o.t, o.i, probe_auto(v.x, 1, 1e-6) AS p FROM v o JOIN v ON v.t = o.t AND v.i NOT IN (o.i, o.i + 1)
	WHERE o.i < 30 GROUP BY o.t, o.i) l CROSS JOIN LATERAL unnest(l.p) WITH ORDINALITY AS u(total, n) JOIN whole_total w USING (t, n) WHERE abs(w.total - u.total) > 2 * w.most$$, 'two rows by no more than twice that');

-- Groups of so few rows that nothing stands out: 0, in which nobody is told to trust, and any average may be the true one.
CREATE TABLE small AS SELECT g, dp_avg_auto_estimate(5.0::float8, 1, 1e-6) AS e, dp_avg_auto(5.0::float8, 1, 1e-6) AS a, dp_sum_auto(5.0::float8, 1, 1e-6) AS s, dp_sum_auto_estimate(5.0::float8, 1, 1e-6) AS t
FROM generate_series(1, 100) g, generate_series(1, 10) GROUP BY g;
SELECT is(count(*) FILTER (WHERE (e).reliable OR (e).value <> 0 OR a <> 0 OR s <> 0 OR (t).value <> 0), 0::bigint, 'ten rows: 0, and not reliable') FROM small;
SELECT ok(bool_and((e).ci_low = -2.0 ^ 65 AND (e).ci_high = 2.0 ^ 65 AND (e).lower_bound = -2.0 ^ 65), 'the interval is all that is possible') FROM small;
SELECT ok(bool_and((t).ci_low < -2.0 ^ 65 AND (t).ci_high > 2.0 ^ 65), 'of sums, too') FROM small;
SELECT ok(bool_and((e).value = 0 AND NOT (e).reliable), 'no rows') FROM (SELECT dp_avg_auto_estimate(x, 1, 1e-6) AS e FROM generate_series(1, 3) g LEFT JOIN unnest('{}'::float8[]) x ON true GROUP BY g) s;
-- At 70 rows a bin stands out by chance: then the answer is near, and else it says that it is none.
SELECT ok(bool_and(NOT (e).reliable OR abs((e).value - 5) < 300) AND count(*) FILTER (WHERE (e).value = 0 AND (e).den = 0) BETWEEN 1 AND 499, 'seventy rows: reliable ones are near') FROM
	(SELECT dp_avg_auto_estimate(5.0::float8, 1, 1e-6) AS e FROM generate_series(1, 500) g, generate_series(1, 70) GROUP BY g) s;
-- 1,000 rows over sixteen powers of two, of which no bin stands out by itself as often as it should
SELECT ok(bool_and((e).den <> 0) AND count(*) FILTER (WHERE (e).upper_bound >= 2 ^ 14) > 10, 'bins that stand out together: ' || count(*) FILTER (WHERE (e).upper_bound >= 2 ^ 14)) FROM
	(SELECT dp_avg_auto_estimate(2.0 ^ (i % 16) * 1.1, 0.7, 1e-6) AS e FROM generate_series(1, 50) g, generate_series(1, 1000) i GROUP BY g) s;
-- Narrow spans: of each window of 64 cells that a release of an average could look at, whatever the values are, one row moves the total by no more
-- than is declared.  Values of all sizes, and some within the windows.
\ir ../module/probe.sql
CREATE FUNCTION probe_narrow_final(internal) RETURNS numeric[] AS :'testlib' LANGUAGE C;
CREATE AGGREGATE probe_narrow(float8, float8, float8) (SFUNC = gaussdp_internal.avg_auto_float8_accum, STYPE = internal,
	FINALFUNC = probe_narrow_final, FINALFUNC_MODIFY = READ_WRITE);
CREATE TABLE near AS SELECT t, i, CASE (random() * 4)::int WHEN 0 THEN x ELSE CASE WHEN random() < 0.4 THEN -1 ELSE 1 END * (ARRAY[1000, 1.5, 2.0 ^ -64, 2.0 ^ -200, 2.0 ^ 70])[1 + floor(random() * 5)::int] * (1 + (random() - 0.5) * 2.0 ^ -floor(random() * 20)) END AS x
FROM v WHERE t <= 20;
CREATE TABLE near_whole AS SELECT t, probe_narrow(x, 1, 1e-6) AS p FROM near GROUP BY t;
CREATE TABLE near_total AS SELECT t, n, total, w.p[n + 1] AS most FROM near_whole w, unnest(w.p) WITH ORDINALITY AS u(total, n) WHERE n % 2 = 1 AND n < 384;
CREATE TABLE near_moved AS SELECT n, abs(w.total - u.total) AS by, w.most
FROM (SELECT o.t, o.i, probe_narrow(n.x, 1, 1e-6) AS p FROM near o JOIN near n ON n.t = o.t AND n.i <> o.i GROUP BY o.t, o.i) l
	CROSS JOIN LATERAL unnest(l.p) WITH ORDINALITY AS u(total, n) JOIN near_total w USING (t, n);
SELECT is((SELECT count(*) FROM near_moved)::int, 20 * 30 * 192, '600 removals, 96 spans, sums and centred sums');
SELECT is_empty('SELECT * FROM near_moved WHERE by > most', 'narrow spans: a row moves no total by more than declared');
SELECT is(count(DISTINCT n)::int, 144, 'and some row by just that, where a span does not have all cells') FROM near_moved WHERE by = most AND n / 32 % 4 <> 0;
SELECT is_empty($$SELECT w.t FROM near_whole w JOIN (SELECT t, probe_narrow(x, 1, 1e-6 ORDER BY x) AS p FROM near GROUP BY t) o USING (t) WHERE w.p <> o.p$$, 'the same in another order');
-- What a level is asked for: a row is in one fold of each.
CREATE TABLE folds AS SELECT l.t, l.i, (place - 262) / 64 AS level, sum(abs(u.w - u.l)) AS moved, sum(u.w) AS n
FROM (SELECT t, (probe_avg_auto(x, 1, 1e-6)).exact AS e FROM near GROUP BY t) w
JOIN (SELECT o.t, o.i, (probe_avg_auto(n.x, 1, 1e-6)).exact AS e FROM near o JOIN near n ON n.t = o.t AND n.i <> o.i WHERE o.t <= 10 GROUP BY o.t, o.i) l USING (t),
	unnest(w.e, l.e) WITH ORDINALITY AS u(w, l, place) WHERE place BETWEEN 262 AND 261 + 4 * 64 GROUP BY l.t, l.i, level;
SELECT ok(count(*) = 10 * 30 * 4 AND bool_and(moved = CASE WHEN near.x IS NULL OR near.x = 'NaN' THEN 0 ELSE 1 END) AND bool_and(n = (SELECT count(*) FROM near m WHERE m.t = f.t AND m.x <> 'NaN')), 'a row is in one fold of each level')
FROM folds f JOIN near USING (t, i);
-- Values within a window: their own sum, in steps of 2^e, but for half a step of each cell.
CREATE TABLE inside AS SELECT level, sign, e, sum(sign * x) AS exact, probe_narrow(sign * x, 1, 1e-6) AS p
FROM (VALUES (1, 1, 100, -23), (2, 1, 7, -27), (3, 1, 0.45, -22), (1, -1, 100, -14), (2, -1, 7, -27), (3, -1, 0.45, -31)) l(level, sign, span, e),
	LATERAL (SELECT 1000 + (random() - 0.5) * span + 0 * e AS x FROM generate_series(1, 500)) v GROUP BY level, sign, e;
SELECT ok(bool_and(abs(p[8 * level + 3 - 2 * sign] * 2 ^ e::float8 - exact) <= 33 * 2 ^ e::float8) AND count(*) = 6, 'values within the window: their sum') FROM inside;

-- Averages of values that lie close together: bounds as narrow as they are, and no error three times that of an average with bounds from the meaning.
CREATE TABLE close AS SELECT name, natural_lower AS low, natural_upper AS high, CASE name WHEN '1000' THEN 990 + i % 21 WHEN 'a day' THEN 1.7e9 + i * 28.8 WHEN 'a year' THEN 1.7e9 + i * 1e4 WHEN 'constant' THEN -7.3 ELSE 1020 + i % 9 END AS x
FROM (VALUES ('1000', 990, 1010), ('a day', 1.7e9, 1.7e9 + 86400), ('a year', 1.7e9, 1.7e9 + 3.1536e7), ('constant', -10, 0), ('about 1024', 1020, 1028)) n(name, natural_lower, natural_upper), generate_series(0, 2999) i;
CREATE TABLE closer AS SELECT name, g, dp_avg(x, 1, 1e-6, low, high) - avg(x) AS given, dp_avg_auto_estimate(x, 1, 1e-6) AS e, avg(x) AS truth FROM close, generate_series(1, 60) g GROUP BY name, g, low, high;
-- Two means of 58 squares are apart by a factor of 2.2 ^ 2, where they should not be, in less than one of 1e8 cases.  One call in 30,000 ends with bounds so wide
-- that its error, and its interval, are a hundred times as large: the two largest errors are left out, of both.
SELECT ok(found < 3 * 2.2 * given, name || ': within three times the error with given bounds')
FROM (SELECT name, sqrt(avg(found ^ 2) FILTER (WHERE found_place > 2)) AS found, sqrt(avg(given ^ 2) FILTER (WHERE given_place > 2)) AS given
	FROM (SELECT name, (e).value - truth AS found, given, row_number() OVER (PARTITION BY name ORDER BY abs((e).value - truth) DESC) AS found_place,
		row_number() OVER (PARTITION BY name ORDER BY abs(given) DESC) AS given_place FROM closer) r GROUP BY name ORDER BY name) s;
SELECT ok(bool_and((e).reliable AND truth BETWEEN (e).lower_bound AND (e).upper_bound AND (e).value BETWEEN (e).lower_bound AND (e).upper_bound AND (e).ci_low >= (e).lower_bound AND (e).ci_high <= (e).upper_bound),
	'reliable, and within its bounds') FROM closer;
-- Spread over all of a power of two or two: no bounds within it that leave out more than the noise hides.
SELECT ok(bool_and((e).lower_bound BETWEEN 0.5 AND 1.15 AND (e).upper_bound BETWEEN 1.85 AND 4), 'values all over a power of two') FROM
	(SELECT dp_avg_auto_estimate(1 + i / 3000.0, 1, 1e-6) AS e FROM generate_series(1, 100) g, generate_series(0, 2999) i GROUP BY g) s;
-- Of 3,000 rows the noise hides about 110 on a side: 30 that lie far away are clamped, 300 are not.
SELECT ok(count(*) FILTER (WHERE few > 900) >= 40 AND count(*) FILTER (WHERE many <= 700) >= 40, format('what is hidden: %s and %s of 50', count(*) FILTER (WHERE few > 900), count(*) FILTER (WHERE many <= 700))) FROM
	(SELECT (dp_avg_auto_estimate(CASE WHEN i <= 30 THEN 700 ELSE 1000 END, 1, 1e-6)).lower_bound AS few, (dp_avg_auto_estimate(CASE WHEN i <= 300 THEN 700 ELSE 1000 END, 1, 1e-6)).lower_bound AS many
	FROM generate_series(1, 50) g, generate_series(1, 3000) i GROUP BY g) s;
-- Of 11,000 rows 86 that lie apart are more than the noise hides, at a price at which one in 128 would be hidden, and these in half of the calls.
SELECT ok(count(*) FILTER (WHERE lower_bound > 700) <= 2, format('rows that lie apart, 86 of 11,000, are left out in %s of 20 calls', count(*) FILTER (WHERE lower_bound > 700))) FROM
	(SELECT (dp_avg_auto_estimate(CASE WHEN i <= 86 THEN 600 ELSE 1000 END, 4, 1e-6)).lower_bound FROM generate_series(1, 20) g, generate_series(1, 11000) i GROUP BY g) s;
-- 300 rows are few: they are in two powers of two, whose neighbours are empty, or fill half a cell. One answer in 250 is far off at most, so that more than 15 of 600
-- are with a probability below 1e-7.
SELECT ok(far <= 15, format('%s, 300 rows: %s of 600 answers are three times as far off as 95 %% with given bounds', name, far)) FROM
	(SELECT name, count(*) FILTER (WHERE abs(a - truth) > 3 * 1.96 * sd) AS far FROM
		(SELECT name, dp_avg_auto(first + i * step, 1, 1e-6) AS a, avg(first + i * step) AS truth, (high - low) / 2 / sqrt(0.75) / (300 * gdp.mu(1, 1e-6)) AS sd
		FROM (VALUES ('about 1024', 1014, 1034, 1022, 4 / 300.0::float8), ('a year', 1.69e9, 1.74e9, 1.7e9, 1e5)) v(name, low, high, first, step), generate_series(1, 600) g, generate_series(0, 299) i
		GROUP BY name, g, low, high) s GROUP BY name ORDER BY name) s;
-- Where the noise ends the search it goes on: of 300 rows of a day it did in one of 160 calls, of which there are some 12 here; now in one of 20,000.
SELECT ok(count(*) FILTER (WHERE (e).upper_bound - (e).lower_bound > 2 ^ 20) <= 6, format('a day, 300 rows: %s of 2,000 bounds are wider than 64 of the narrowest cells', count(*) FILTER (WHERE (e).upper_bound - (e).lower_bound > 2 ^ 20))) FROM
	(SELECT dp_avg_auto_estimate(1.7e9 + i * 288.0::float8, 1, 1e-6) AS e FROM generate_series(1, 2000) g, generate_series(0, 299) i GROUP BY g) s;
-- The price: an eighth of mu^2 for the bins, here 16 128ths for each of four levels, or five looks at them, and what is left but for a 2^20th for sum and count, 3 : 1.
SELECT ok(bool_and(round(units) IN (64, 80) AND abs(units - round(units)) < 1e-5 AND ((e).upper_bound - (e).lower_bound) / 2 <= (e).num_sd * gdp.mu(1, 1e-6) * sqrt(0.75 * rest)), 'levels are paid for') FROM
	(SELECT e, rest, 128 * (0.875 - 2.0 ^ -20 - rest) AS units FROM closer, LATERAL (SELECT 4 / ((e).den_sd * gdp.mu(1, 1e-6)) ^ 2 AS rest) r WHERE name = 'constant') s;
-- Of both signs, or from 0 on, there is no such span.
SELECT ok(bool_and((e).lower_bound < 0 AND log(2, (e).upper_bound::numeric) % 1 = 0 AND log(2, (-(e).lower_bound)::numeric) % 1 = 0), 'both signs: bounds are powers of two') FROM
	(SELECT dp_avg_auto_estimate(CASE i % 2 WHEN 0 THEN 1000 ELSE -1000 END, 1, 1e-6) AS e FROM generate_series(1, 20) g, generate_series(1, 3000) i GROUP BY g) s;
-- People who own many rows: whole weights are no weights, and the price is that of their number.
SELECT ok(bool_and(abs((e).value - 1000) < 1 AND (e).upper_bound - (e).lower_bound < 40), 'weighted: as narrow') FROM
	(SELECT avg_auto_estimate_weighted(1073741824, '{1,1e-6,1}', 999 + i % 3) AS e FROM generate_series(1, 50) g, generate_series(1, 3000) i GROUP BY g) s;
SELECT * FROM finish();
ROLLBACK;
