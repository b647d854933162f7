\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- A call that fails on person 7's row is NULL there: what an analyst is told is the same without that row.
SET client_min_messages = warning;
\set ana errors_contained_ana
\ir ../module/neighbours.sql
SELECT no_plan();
INSERT INTO hr.one SELECT 7, 0, 'NaN', 1e131071, -2147483648, 'infinity', 'x', repeat(E'\u0130', 1000000), jsonb_build_object('a', repeat('[', 30000), 'b', 1e131071), ARRAY[repeat('x', 1000000)];
SELECT is_told_alike('A', 'SELECT dp_count(0.001, 1e-9) FROM {T} WHERE ' || c) FROM unnest(ARRAY[
	'1 / f8 > 0', 'ln(f8) > 0', 'sqrt(f8 - 1) > 0', 'f8 ^ (-1) > 0', 'exp(1 / f8) > 0', 'f4::int > 0', 'f4 / f8 > 0', 'n * n > 0', 'n ^ n > 0', 'exp(n) > 0', 'n::float8 > 0', 'round(n, 1000) > 0', 'sqrt(n) > 0', 'n % 7 > 0', 'gcd(n, 7) > 0',
	'-i > 0', 'abs(i) > 0', 'i / (i + 2147483647 + 1) > 0', 'i % (id - 7) > 0', 'at - at > interval ''1 s''', 'at + (at - timestamptz ''2020-01-01'') > now()', 'date_trunc(name, at) > now()', 'extract(epoch FROM at)::int > 0', 'at::date + id > date ''2020-01-01''',
	'justify_days(at - timestamptz ''2020-01-01'') > ''1 day''', 'to_char(at, ''RM YYYY'') || note = ''x''', 'name::int > 0', 'note::int > 0', 'note::date > now()', 'name::timestamptz > now()', 'name::inet = ''1.1.1.1''', 'tags[1]::numeric > 0', 'lower(note || note) = ''x''',
	'(data ->> ''a'')::int > 0', '(data -> ''b'')::numeric > 0', '(data -> ''b'')::int8 > 0', 'data::text = ''x''', 'jsonb_pretty(data) = ''x''', 'data - ''a'' = ''{}''', 'data || data = ''{}''', 'to_timestamp(f4) > now()', 'chr(i) = ''x''',
	'decode(name, ''hex'') = ''x''', 'make_date(id, id, i) > now()', 'to_date(note, ''YYYY'') > now()', 'to_number(name, ''999'') > 0', 'split_part(note, ''y'', id - 7) = ''x''', 'substr(name, 1, i) = ''x''', 'width_bucket(f8, f8, 1, id) > 0', 'sha256(note::bytea) = ''x''',
	'get_byte(name::bytea, id) > 0', 'point(f8, f8) / point(f8, f8) <> point(1, 1)', 'normalize(note) = ''x''', 'ascii(note) / (id - 7) = 1', 'n::money > 0::money', 'date_bin(at - timestamptz ''2020-01-01'', at, at) > now()']) c;
SELECT is_told_alike('A', format('SELECT dp_count(0.001, 1e-9) FROM {T} GROUP BY %s HAVING dp_keep_group(0.01, 1e-8)', k)) FROM unnest(ARRAY['(1 / f8)::int', '(n * 2)::numeric(10, 2)', 'note || note', 'name::int', 'at::date + id']) k;
SELECT is_told_alike('A', 'SELECT dp_sum(q, 0.001, 1e-9, 0, 1) FROM (SELECT id, max((1 / f8)::numeric(10, 2)) AS q, min((n::float8 / f8)::int) AS p FROM {T} GROUP BY id) s WHERE p > 0');
SELECT is_told_alike('A', 'SELECT dp_count(0.001, 1e-9) FROM (SELECT id, row_number() OVER (PARTITION BY id ORDER BY i, n * n, 1 / f8, id) AS r FROM {T}) s WHERE r / (r - 1) > 0');
SELECT is_told_alike('A', 'SELECT dp_count(0.001, 1e-9) FROM {T} a JOIN {T} b ON a.id = b.id AND a.f8 / b.f8 = b.n * a.n');
SELECT * FROM finish();
