\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- A domain is its base type: what may be asked of a column, and at which price, is the same of both.  One transaction, since nothing is
-- answered but the verdicts.
SET client_min_messages = warning;
BEGIN;
CREATE DOMAIN d_int AS int;
CREATE DOMAIN d_big AS bigint;
CREATE DOMAIN d_num AS numeric(8,2);
CREATE DOMAIN d_num2 AS d_num CHECK (VALUE >= 0);
CREATE DOMAIN d_free AS numeric;
CREATE DOMAIN d_text AS text;
CREATE DOMAIN d_vc AS varchar(10);
CREATE DOMAIN d_date AS date;
CREATE DOMAIN d_ts AS timestamp;
CREATE DOMAIN d_bool AS boolean;
CREATE DOMAIN d_f8 AS float8;
CREATE DOMAIN d_bp AS char(4);
CREATE DOMAIN d_tz AS timestamptz;
CREATE DOMAIN d_json AS jsonb;
CREATE DOMAIN d_arr AS text[];
CREATE TABLE a (id int NOT NULL, i d_int, big d_big, num d_num, num2 d_num2, fr d_free, t d_text, vc d_vc, d d_date, ts d_ts, tz d_tz, bo d_bool, f8 d_f8, bp d_bp, js d_json, arr d_arr);
CREATE TABLE b (id int NOT NULL, i int, big bigint, num numeric(8,2), num2 numeric(8,2), fr numeric, t text, vc varchar(10), d date, ts timestamp, tz timestamptz, bo boolean, f8 float8, bp char(4), js jsonb, arr text[]);
CREATE DOMAIN small AS int CHECK (VALUE < 10);
CREATE TABLE asked (q text);
INSERT INTO asked (q) SELECT unnest(ARRAY['avg('||e||')', 'sum('||e||')', 'count('||e||')']) FROM unnest(ARRAY['i','big','num','num2','fr','f8','i::int','i::bigint','big::int','num::int','num2::int','fr::int','f8::int','num*12','num*num','i*12','i+big','i*i','-i','abs(i)','round(num,1)','round(num)','num::float8','i::numeric','bo::int','(i>3)::int','coalesce(num,0)','coalesce(num,num2)','greatest(num,0)','least(num,num2)','CASE WHEN bo THEN num END','CASE WHEN bo THEN num ELSE 0 END','nullif(num,0)','length(t)','extract(year FROM d)','extract(epoch FROM ts)','d-d','d - date ''2020-01-01''','extract(epoch FROM ts-ts)','i/2','num/2','num/4','i%2','sqrt(f8)','width_bucket(num,0,100,10)','width_bucket(f8,0,100,10)','floor(num/10)','floor(f8/10)::int','i::float8/2','num::numeric(6,1)','array_length(arr,1)','cardinality(arr)','f8*2','f8+1','num+fr','trunc(num,1)','ceil(num)','i::smallint','date_part(''year'',d)','date_part(''month'',ts)']) e;
INSERT INTO asked (q) SELECT e||', count(*)' FROM unnest(ARRAY['i','big','num','num2','fr','t','vc','d','ts','tz','bo','f8','bp','bp::text','vc::text','t::text','i::text','num::text','d::text','lower(t)','upper(vc)','left(t,1)','t||vc','vc||vc','vc||''x''','substr(t,1,2)','date_trunc(''month'',d)','date_trunc(''month'',ts)','date_trunc(''day'',tz)','d::timestamp','ts::date','tz::date','extract(year FROM d)','extract(month FROM ts)','to_char(d,''YYYY-MM'')','to_char(ts,''YYYY'')','js->>''a''','js->''a''','js->>''a'' = ''b''','arr[1]','''x'' = ANY(arr)','round(num)','round(num,1)','floor(num/10)*10','num::int','num::int/10','floor(i/10)','i/10','coalesce(t,''none'')','coalesce(vc,t)','CASE WHEN i>3 THEN vc ELSE ''o'' END','trim(t)','bo AND i>3','NOT bo','d + 1','d - 7','d + interval ''1 month''','ts + interval ''1 day''','date_bin(''1 h'',ts,''2020-01-01'')','ts::time','split_part(t,''t'',2)','coalesce(num,0)','nullif(t,''t1'')','initcap(t)','left(vc,2)||right(vc,2)','num2 + 1','num * 2','greatest(d, date ''2020-01-05'')','least(t,vc)','bp||''x''','length(bp)','t COLLATE "C"']) e;
INSERT INTO asked (q) SELECT 'count(*) WHERE '||e FROM unnest(ARRAY['i=3','i IN (1,2)','num BETWEEN 1 AND 5','t LIKE ''t%''','vc ILIKE ''V%''','t=''t1''','vc=''v1''','vc=t','d>''2020-01-05''','d BETWEEN ts AND tz','bo','bo IS TRUE','i=big','num=fr','num>f8','bp=''x1''','js @> ''{"a":"b"}''','js ? ''a''','t IS NOT NULL','i IS DISTINCT FROM big','arr[1]=''x''','t = ANY(ARRAY[''a'',''t1''])','i*i > 5','num*num > 5','t||vc = ''t1v1''','age(ts,ts) > ''1 day''','ts - ts > ''1 day''','starts_with(t,''t'')','position(''1'' in t) > 0','extract(dow FROM d) = 1','tz AT TIME ZONE ''UTC'' > ts','i::numeric > 3','num::int=3','vc::char(3) = ''v1''','vc::varchar(3) = ''v1''']) e;
INSERT INTO asked (q) SELECT 'count(*) FROM (SELECT id, '||e||' AS x FROM T GROUP BY id) s WHERE x IS NOT NULL' FROM unnest(ARRAY['sum(i)','sum(num)','avg(num)','sum(fr)','max(i)','max(num)','min(t)','max(vc)','max(d)','min(ts)','bool_or(bo)','sum(big)','avg(i)','count(DISTINCT t)','max(f8)','sum(f8)','max(bp)','sum(num::int)','avg(i*2)','max(tz)','sum(num*2)']) e;
INSERT INTO asked (q) SELECT 'avg(x) FROM (SELECT id, '||e||' AS x FROM T GROUP BY id) s' FROM unnest(ARRAY['sum(i)','sum(num)','avg(num)','max(i)','max(num)','avg(i)']) e;
INSERT INTO asked (q) SELECT 'stddev('||e||')' FROM unnest(ARRAY['i','num','fr','f8']) e;
INSERT INTO asked (q) SELECT 'percentile_cont(0.5) WITHIN GROUP (ORDER BY '||e||')' FROM unnest(ARRAY['i','num','fr','f8','num*2']) e;
INSERT INTO asked (q) VALUES ('count(DISTINCT i)'),('count(DISTINCT id)'),('count(DISTINCT t)'),('sum(num) FILTER (WHERE i > 3)'),('dp_histogram(num,10)'),('dp_median(num)'),('dp_quantile(i,0.5)'),('dp_avg(num,1,1e-6,0,10)'),('dp_avg(i,1,1e-6,0,10)'),('dp_sum(fr,1,1e-6,0,10)'),('dp_count(num,1,1e-6)'),('dp_var(f8,1,1e-6,0,1)');
CREATE ROLE domain_ana;
GRANT SELECT ON asked TO domain_ana;
DO $$BEGIN
	PERFORM gaussdp.protect(t, unit => 'id', max_rows => 2, people => 'p'), gaussdp.grant_budget('domain_ana', t, epsilon => 100, delta => 1e-2),
		gaussdp.set_bounds(t, 'num', 0, 100), gaussdp.set_bounds(t, 'i', 0, 100), gaussdp.set_bounds(t, 'fr', 0, 100), gaussdp.set_bounds(t, 'f8', 0, 100)
	FROM unnest(ARRAY['a', 'b']::regclass[]) t;
END$$;

-- the verdict on what is asked of a table
CREATE FUNCTION verdict(q text, t text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	query text := 'SELECT ' || CASE WHEN q ~ 'FROM T ' THEN replace(q, 'FROM T ', 'FROM ' || t || ' ')
		WHEN q ~ ' WHERE ' AND q !~ 'FILTER' THEN replace(q, ' WHERE ', ' FROM ' || t || ' WHERE ')
		WHEN q ~ ', count[(][*][)]$' THEN q || ' FROM ' || t || ' GROUP BY 1'
		ELSE q || ' FROM ' || t END;
BEGIN
	RETURN (SELECT string_agg(concat_ws(' ', verdict, call, sigma, l2_sensitivity, reason), '; ') FROM gaussdp.explain_privacy(query));
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
SELECT plan(7);
SET LOCAL ROLE domain_ana;
SET LOCAL gaussdp.answer_plain_sql = on;
SET LOCAL gaussdp.epsilon = 1;
SET LOCAL gaussdp.delta = 1e-6;
SELECT is(string_agg(q || E'\n  of a domain: ' || of_domain || E'\n  of its base type: ' || of_base, E'\n'), NULL, 'of 300 expressions each has the same verdict')
FROM (SELECT q, verdict(q, 'a') AS of_domain, verdict(q, 'b') AS of_base FROM asked) s WHERE of_domain IS DISTINCT FROM of_base;
SELECT cmp_ok(count(*), '>=', 270::bigint, 'most of them are private') FROM asked WHERE verdict(q, 'a') ~ '^private';
SELECT cmp_ok(count(*), '>=', 330::bigint, 'and so many there are') FROM asked;
SELECT matches(verdict('sum(i::d_int)', 'b'), '^private', 'a cast to a domain');
SELECT matches(verdict('sum(num::d_num)', 'b'), '^private', 'one with a type modifier');
SELECT matches(verdict('sum(i::small)', 'b'), '^refused', 'a cast to a domain that may refuse a value is refused');
SELECT matches(verdict('sum(big::d_num)', 'b'), '^private', 'one to a type modifier that may refuse a value is contained');
SELECT * FROM finish();
ROLLBACK;
