\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Dates, times, intervals and money that plain SQL takes as numbers: no value at an end of its type makes an error, and nobody's is shown.
SET client_min_messages = warning;
\set ana errors_measures_ana
\ir ../module/neighbours.sql
SELECT no_plan();
ALTER TABLE hr.one ADD day date, ADD ts timestamp, ADD clock time, ADD took interval, ADD price money;
ALTER TABLE hr.none ADD day date, ADD ts timestamp, ADD clock time, ADD took interval, ADD price money;
SET gaussdp.epsilon = 0.01;
SET gaussdp.delta = 1e-9;
SET gaussdp.answer_plain_sql = on;

-- Person 7 has a value at each end of a type in turn.
CREATE TABLE ends (col text, value text);
INSERT INTO ends VALUES ('day', 'infinity'), ('day', '-infinity'), ('day', '4714-11-24 BC'), ('day', '5874897-12-31'), ('ts', 'infinity'), ('ts', '-infinity'), ('ts', '4714-11-24 00:00:00 BC'),
	('ts', '294276-12-31 23:59:59.999999'), ('at', 'infinity'), ('at', '-infinity'), ('at', '4714-11-24 00:00:00+00 BC'), ('at', '294276-12-31 23:59:59.999999+00'), ('clock', '00:00'), ('clock', '24:00'),
	('took', '178000000 years 2147483647 days 2562047788:00:54'), ('took', '-178000000 years -2147483647 days -2562047788:00:54'), ('price', '92233720368547758.07'), ('price', '-92233720368547758.08');
CREATE TABLE asked (col text, call text);
INSERT INTO asked SELECT c.column_name, format(f, c.column_name) FROM (VALUES ('day'), ('ts'), ('at'), ('clock'), ('took'), ('price')) c (column_name),
	unnest('{min(%I),max(%I),"percentile_disc(0.5) WITHIN GROUP (ORDER BY %I)"}'::text[]) f;
INSERT INTO asked SELECT 'took', unnest('{sum(took),avg(took),"percentile_cont(0.9) WITHIN GROUP (ORDER BY took)","percentile_cont(''{0,1}''::float8[]) WITHIN GROUP (ORDER BY took)"}'::text[]) UNION ALL SELECT 'price', 'sum(price)';
CREATE FUNCTION is_told_alike_with(col text, value text, query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM hr.one WHERE id = 7;
	EXECUTE format('INSERT INTO hr.one (id, %I) VALUES (7, %L)', col, value);
	RETURN QUERY SELECT is_told_alike('A', query);
END $$;
SELECT is_told_alike_with(e.col, e.value, format('SELECT %s FROM {T}', a.call)) FROM ends e JOIN asked a USING (col) ORDER BY e.col, e.value, a.call;
-- And in HAVING, where the answer becomes such a value within the level.
SELECT is_told_alike_with(e.col, e.value, format('SELECT dp_count(0.001, 1e-9) FROM {T} HAVING max(%I) IS NOT NULL', e.col)) FROM ends e ORDER BY e.col, e.value;
-- A key that person 7 alone has, and arms of CASE.
SELECT is_told_alike_with('day', 'infinity', 'SELECT count(DISTINCT CASE WHEN day > ''2000-01-01'' THEN id END), count(DISTINCT id) FROM {T}');
SELECT is((SELECT sum(errors)::int FROM gaussdp.budget WHERE paid_by = :'ana'), 0, 'and none of them has failed');

-- Every number becomes a value.
SELECT lives_ok(format('SELECT gaussdp_internal.as_%s(%L::float8)', t, n), format('%s of %s', t, n)) FROM unnest('{date,time,timestamp,timestamptz,interval,money}'::text[]) t,
	unnest('{NaN,Infinity,-Infinity,1e300,-1e300,9223372036854775807,-9223372036854775808,1e18,1e15,-1e15,0.5}'::text[]) n;
SELECT ok(isfinite(gaussdp_internal.as_date(1e300)) AND isfinite(gaussdp_internal.as_timestamp(1e300)) AND isfinite(gaussdp_internal.as_timestamptz(-1e300)), 'a finite one');
SELECT ok(bool_and(gaussdp_internal.as_date(gaussdp_internal.measure(d)) = d AND gaussdp_internal.as_timestamp(gaussdp_internal.measure(d::timestamp)) = d), 'the same one again')
FROM (SELECT date '1850-01-01' + i * 97 AS d FROM generate_series(1, 1000) i) s;
SELECT is(ROW(gaussdp_internal.measure(timestamp '1999-12-31 23:59:59.5'), gaussdp_internal.measure(timestamp '2000-01-01 00:00:01.5'), gaussdp_internal.measure(interval '1 mon 2 days 03:00'), gaussdp_internal.measure(time '24:00'))::text, '(-1,1,2775600,86400)', 'the second in which it lies');
SELECT is(ROW(gaussdp_internal.as_interval(90061.5), gaussdp_internal.as_interval(-90061.5), gaussdp_internal.as_time(1e9))::text, '("1 day 01:01:01.5","-1 days -01:01:01.5",24:00:00)', 'days, and the rest');
SELECT * FROM finish();
DROP OWNED BY :ana;
DROP ROLE :ana;
