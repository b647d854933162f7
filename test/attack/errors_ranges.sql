\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Arithmetic at the ends of ranges: whether a conversion leaves its type depends on roundings, and nothing tells.  A double that becomes a numeric is
-- rounded to 15 digits, a float4 to 6.
SET client_min_messages = warning;
\set ana errors_ranges_ana
\ir ../module/neighbours.sql
SELECT no_plan();
-- Beyond all bounds: what becomes of person 7 is the bound itself.
INSERT INTO hr.one VALUES (7, 1e300, 3e38, 9e131071, 2147483647, '2020-07-15');

-- Bounds that a double holds, but 15 digits do not: rounded up they are larger.  The factors bring the bound just below 2^63, and what is
-- larger above it.
CREATE TABLE bound (bound float8, factor numeric);
INSERT INTO bound SELECT b::float8, trunc((9223372036854775807 - 4096 - 2 * trunc(9223372036854775807 / b)) / b, 12)
FROM (SELECT 1000000000000006 + trunc(abs(hashint4(i))::numeric * 50000) * 10 AS b FROM generate_series(1, 24) i) b;
SELECT cmp_ok(count(*), '=', 24::bigint, 'there are such bounds') FROM bound;
SELECT cmp_ok(count(*), '=', 0::bigint, 'and as bigint each would fail') FROM bound WHERE bound::numeric * factor < 9223372036854775808;
SELECT is_told_alike('A', format('SELECT dp_count(0.001, 1e-9) FROM {T} WHERE (least(greatest(f8, 0), %L::float8)::numeric * %s)::bigint > 5', bound, factor)) FROM bound;
SELECT is_told_alike('A', format('SELECT dp_count(0.001, 1e-9) FROM {T} WHERE (greatest(least(-f8, 0), -%L::float8)::numeric * %s)::bigint < -5', bound, factor)) FROM bound;
-- As keys, and as values.
SELECT is_told_alike('A', format('SELECT (least(greatest(f8, 0), %L::float8)::numeric * %s)::bigint, dp_count(0.001, 1e-9) FROM {T} GROUP BY 1 HAVING dp_keep_group(0.01, 1e-8)',
    bound, factor)) FROM bound LIMIT 3;
SELECT is_told_alike('A', format('SELECT dp_sum((least(greatest(f8, 0), %L::float8)::numeric * %s)::bigint, 0.001, 1e-9, 0, 100) FROM {T}', bound, factor)) FROM bound LIMIT 3;
-- float4, and integers by way of doubles.  Constants are written as they are read: a cast of a numeric would be another expression.
SELECT is_told_alike('A', 'SELECT dp_count(0.001, 1e-9) FROM {T} WHERE ' || condition) FROM unnest(ARRAY[
    $$(least(greatest(f4::float8, '0'), '1.0000000000000051')::numeric * 9223372036854710000)::bigint > 5$$,
    $$(least(greatest(f4, '0'::float4), '1.0000051'::float4)::numeric * 9223370000000000000)::bigint > 5$$,
    $$(least(greatest(f4, '-9e18'), '9.2233720e18')::numeric)::bigint > 5$$,
    $$(least(greatest(f8, '-9e18'), '9223372036854774784')::numeric)::bigint > 5$$,
    $$(least(greatest(f8, '-9e18'), '9223372036854774784'))::bigint > 5$$,
    $$(least(greatest(n, 0), 9223372036854774784.4) / 1.0000000000000001)::bigint > 5$$,
    $$(i::float8::numeric * 4294967298)::bigint > 5$$,
    $$((i::bigint * 4294967297)::float8::numeric)::bigint > 5$$,
    $$round(least(greatest(f8, '0'), '9223372036854774784')::numeric)::bigint > 5$$,
    $$least(greatest(f8, '-9.2e18'), '9223372036854774784')::numeric + 1000 > 5$$,
    $$(-least(greatest(f8, '-9.2e18'), '9223372036854774784')::numeric)::bigint < -5$$]) condition;
-- Integers that no double is: their differences are not 0, and products of these are far out.
SELECT is_told_alike('A', format('SELECT dp_count(0.001, 1e-9) FROM {T} WHERE (CASE WHEN id = 7 THEN %s ELSE %s END - %2$s) * 4611686018427387904 * 2 > 5', n + more, n))
FROM unnest('{-9007199254740994,-9007199254740993,-9007199254740992,9007199254740990,9007199254740991,9007199254740992,9007199254740993,18014398509481984}'::int8[]) n,
    unnest('{-1,1,2}'::int8[]) more;
-- Sums of numerics of any size.
SELECT is_told_alike('A', format('SELECT dp_count(0.001, 1e-9) FROM (SELECT id, %s AS x FROM (SELECT id, n FROM {T} UNION ALL SELECT id, n FROM {T}) u %s) s WHERE x IS NULL', x, g))
FROM (VALUES ('sum(n)', 'GROUP BY id'), ('avg(n)', 'GROUP BY id'), ('sum(greatest(n, 5))', 'GROUP BY id'), ('sum(CASE WHEN id = 7 THEN n ELSE 1 END)', 'GROUP BY id'), ('sum(n) OVER (PARTITION BY id)', '')) v (x, g);
SELECT is((SELECT sum(errors)::int FROM gaussdp.budget WHERE paid_by = :'ana'), 0, 'and none of them has failed');
SELECT * FROM finish();
DROP OWNED BY :ana;
DROP ROLE :ana;
