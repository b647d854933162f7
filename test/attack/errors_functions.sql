\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Every function of PostgreSQL on columns of every type, by constants and by columns, over rows at which types end: it is refused before
-- any row, or it fails for none of them.
SET client_min_messages = warning;
\set ana errors_functions_ana
\ir ../module/neighbours.sql
SELECT no_plan();
\getenv full GAUSSDP_FULL
SELECT CASE WHEN :{?full} THEN 3 ELSE 1 END AS choices \gset
CREATE TYPE hr.mood AS ENUM ('low', 'high');
GRANT USAGE ON TYPE hr.mood TO :ana;

-- Values of each type; the first is also the constant that takes the place of a column, and so are others marked with ! below.
CREATE TABLE extreme (type text PRIMARY KEY, constants text[], literals text[]);
INSERT INTO extreme VALUES
    ('int2', '{1,32767}', '{0,-1,32767,-32768}'), ('int4', '{1,2147483647}', '{0,-1,2147483647,-2147483648}'),
    ('int8', '{1,9223372036854775807}', '{0,-1,9223372036854775807,-9223372036854775808}'), ('oid', '{1}', '{0,4294967295}'), ('bool', '{true}', '{false,true}'),
    ('float4', '{1,1e30}', '{0,-0,3.4028235e38,-3.4028235e38,1e-45,NaN,Infinity,-Infinity}'),
    ('float8', '{1,1e300}', '{0,-0,1.7976931348623157e308,-1.7976931348623157e308,5e-324,9007199254740993,NaN,Infinity,-Infinity}'),
    ('numeric', '{1,1e300}', ARRAY['0', repeat('9', 131072), '-' || repeat('9', 131072), '0.' || repeat('0', 16382) || '1', '9223372036854775807.5', 'NaN', 'Infinity', '-Infinity']),
    ('text', '{year,a%b,UTC}', ARRAY['', ' ', '%', '\', repeat('ab', 500000), U&'\0130\00DF\FB03', U&'\+01F600', '2020', '{']),
    ('bpchar', '{a}', ARRAY['', 'x ', repeat('x', 100000)]), ('name', '{a}', ARRAY['', repeat('x', 63)]), ('"char"', '{a}', ARRAY['', U&'\00DF']),
    ('bytea', '{a}', ARRAY['', '\x00ff', repeat('ab', 50000)]), ('date', '{2020-01-01}', '{infinity,-infinity,4714-11-24 BC,5874897-12-31}'),
    ('time', '{12:00}', '{00:00,24:00,23:59:59.999999}'), ('timetz', '{12:00+00}', '{00:00-15:59,24:00+15:59}'),
    ('timestamp', '{2020-01-01}', '{infinity,-infinity,4714-11-24 00:00:00 BC,294276-12-31 23:59:59.999999}'),
    ('timestamptz', '{2020-01-01 UTC}', '{infinity,-infinity,4714-11-24 00:00:00+00 BC,294276-12-31 23:59:59.999999+00}'),
    ('interval', '{1 day}', '{178000000 years,-178000000 years,2147483647 days,-2147483648 days,2562047788:00:54.775807,-2562047788:00:54.775807,0}'),
    ('jsonb', '{"1"}', ARRAY['{}', '[]', 'null', '1', '"x"', '{"a": {"a": [1]}}', '[[1], {"a": 2}]', repeat('[', 500) || repeat(']', 500), (SELECT jsonb_object_agg(i, i)::text FROM generate_series(1, 1000) i),
        '{"year": 1e1000}']),
    ('json', '{1}', '{"{}","[]"}'), ('_int4', '{"{1}"}', '{"{}","{NULL}","{{1,2},{3,4}}","[5:6]={1,2}","[-2147483648:-2147483648]={1}"}'),
    ('_text', '{"{a}"}', '{"{}","{NULL}","{{a,b},{c,d}}","[5:6]={a,b}"}'), ('_numeric', '{"{1}"}', '{"{}","{NaN,NULL}","{{1,2},{3,4}}"}'),
    ('uuid', '{00000000-0000-0000-0000-000000000000}', '{ffffffff-ffff-ffff-ffff-ffffffffffff}'), ('inet', '{1.2.3.4}', '{0.0.0.0/0,::/0,ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff,255.255.255.255}'),
    ('cidr', '{1.2.3.0/24}', '{0.0.0.0/0,::/0}'), ('macaddr', '{08:00:2b:01:02:03}', '{ff:ff:ff:ff:ff:ff}'), ('macaddr8', '{08:00:2b:01:02:03:04:05}', '{ff:ff:ff:ff:ff:ff:ff:ff}'),
    ('bit', '{1}', '{0}'), ('varbit', '{1}', ARRAY['', repeat('1', 1000)]), ('money', '{1}', '{92233720368547758.07,-92233720368547758.08,0}'),
    ('point', '{"(1,1)"}', '{"(0,0)","(1e308,-1e308)","(NaN,Infinity)"}'), ('box', '{"((0,0),(1,1))"}', '{"((1e308,1e308),(-1e308,-1e308))","((NaN,NaN),(0,0))"}'),
    ('lseg', '{"[(0,0),(1,1)]"}', '{"[(1e308,1e308),(-1e308,-1e308)]","[(0,0),(0,0)]"}'), ('circle', '{"<(0,0),1>"}', '{"<(1e308,1e308),1e308>","<(0,0),0>"}'),
    ('path', '{"((0,0),(1,1))"}', '{"[(1e308,1e308),(-1e308,-1e308)]"}'), ('polygon', '{"((0,0),(1,1),(0,1))"}', '{"((1e308,1e308),(-1e308,-1e308))"}'), ('line', '{"{1,1,1}"}', '{"{1e-300,1e308,0}"}'),
    ('int4range', '{"[1,2)"}', '{empty,"(,)","[-2147483648,2147483647)"}'), ('int4multirange', '{"{[1,2)}"}', '{"{}","{(,)}"}'), ('numrange', '{"[1,2)"}', '{empty,"(,)"}'),
    ('tsvector', '{a}', ARRAY['', 'a:1A b:16383']), ('tsquery', '{a}', ARRAY['', '!a | b <-> c']), ('pg_lsn', '{0/1}', '{0/0,FFFFFFFF/FFFFFFFF}'), ('xid', '{1}', '{0,4294967295}'), ('xid8', '{1}', '{0}'),
    ('tid', '{"(0,1)"}', '{"(4294967295,65535)"}'), ('hr.mood', '{low}', '{high}'), ('oidvector', '{1}', '{""}'), ('int2vector', '{1}', '{""}');

-- Two columns of each type; each person has other pairs of values, and one has none.
CREATE FUNCTION column_of(type text, number int) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT quote_ident('c' || number || '_' || translate(type, '".', '')) $$;
SELECT format('CREATE TABLE hr.extreme (id int PRIMARY KEY, %s) WITH (autovacuum_enabled = off)', string_agg(format('%s %s, %s %2$s', column_of(type, 1), type, column_of(type, 2)), ', ' ORDER BY type)) FROM extreme \gexec
SELECT format('INSERT INTO hr.extreme SELECT i, %s FROM generate_series(1, 100) i',
    string_agg(format('(%1$L::text[])[i %% %2$s + 1]::%3$s, (%1$L::text[])[i / 10 %% %2$s + 1]::%3$s', constants || literals, cardinality(constants || literals), type), ', ' ORDER BY type)) FROM extreme \gexec
INSERT INTO hr.extreme (id) VALUES (101);
-- The same by tens, of eleven persons.
CREATE TABLE hr.visits AS SELECT id % 11 AS person, e.* FROM hr.extreme e;
ALTER TABLE hr.visits ALTER person SET NOT NULL;
SELECT gaussdp.protect(t, unit), gaussdp.grant_budget(:'ana', t, 500, 1e-3) FROM (VALUES ('hr.extreme'::regclass, 'id'), ('hr.visits', 'person')) v (t, unit) \g /dev/null

-- Polymorphic arguments, one choice for all of a call.
CREATE TABLE stands_for (pseudo text, type text);
INSERT INTO stands_for VALUES ('anyelement', 'int4'), ('anyarray', '_int4'), ('anynonarray', 'int4'), ('anycompatible', 'text'), ('anycompatiblearray', '_text'), ('anycompatiblenonarray', 'text'),
    ('anyrange', 'int4range'), ('anymultirange', 'int4multirange'), ('anyenum', 'hr.mood'), ('varchar', 'text');
CREATE TABLE call AS
    SELECT p.oid::regproc::text AS function, p.prokind AS kind, array_agg(coalesce(e.type, f.type) ORDER BY n) AS types
    FROM pg_proc p CROSS JOIN unnest(p.proargtypes) WITH ORDINALITY a (type, n)
        LEFT JOIN extreme e ON a.type = e.type::regtype
        LEFT JOIN (stands_for s JOIN extreme f USING (type)) ON a.type = s.pseudo::regtype AND e.type IS NULL
    WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.prokind IN ('f', 'a', 'w') AND NOT p.proretset AND p.provolatile <> 'v' AND p.pronargs <= 4 AND p.provariadic = 0
        AND p.prorettype NOT IN ('internal'::regtype, 'cstring'::regtype, 'void'::regtype, 'trigger'::regtype)
    GROUP BY p.oid HAVING count(coalesce(e.type, f.type)) = max(p.pronargs);
-- All columns; one column, at each place, and constants elsewhere: the first of each type, in the long form all.
CREATE TABLE asked AS
    SELECT DISTINCT 'pg_catalog.' || regexp_replace(function, '^pg_catalog\.', '') || '(' || (SELECT string_agg(CASE WHEN kept = 0 OR kept = n THEN column_of(type, CASE WHEN kept = 0 THEN 2 - n::int % 2 ELSE 1 END)
            ELSE format('%L::%s', constants[least(choice, cardinality(constants))], type) END, ', ' ORDER BY n)
        FROM unnest(types) WITH ORDINALITY t (type, n) JOIN extreme USING (type)) || ')' AS text, kind
    FROM call, generate_series(0, cardinality(types)) kept, generate_series(1, :choices) choice WHERE kept > 0 OR choice = 1;
INSERT INTO asked SELECT format('%s::text', column_of(type, 1)), 'f' FROM extreme;
CREATE TABLE answer AS
    SELECT text, told(format('SELECT dp_count(0.00001, 1e-9) FROM {T} WHERE (%s) IS NOT NULL', text), 'hr.extreme') AS told FROM asked WHERE kind = 'f'
    UNION ALL SELECT text, told(format('SELECT dp_count(0.00001, 1e-9) FROM (SELECT person, %s AS value FROM {T} GROUP BY person) s WHERE value IS NOT NULL', text), 'hr.visits')
    FROM asked WHERE kind = 'a'
    UNION ALL SELECT text || ' over', told(format('SELECT dp_count(0.00001, 1e-9) FROM (SELECT person, %s OVER (PARTITION BY person ORDER BY id) AS value,
        row_number() OVER (PARTITION BY person ORDER BY id) AS r FROM {T}) s WHERE value IS NOT NULL AND r = 3', text), 'hr.visits') FROM asked WHERE kind <> 'f';
SELECT is(string_agg(text || ': ' || told, E'\n' ORDER BY text), NULL, 'every call is answered or refused before any row')
FROM answer WHERE told <> 'answered' AND told !~ '^(42501|42809|22023)';
SELECT cmp_ok(count(*) FILTER (WHERE told = 'answered'), '>', 500::bigint, format('of %s calls %s are answered', count(*), count(*) FILTER (WHERE told = 'answered'))) FROM answer;
SELECT * FROM finish();
DROP OWNED BY :ana;
DROP ROLE :ana;
