\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- What can be done with a column of each type, by the verdicts of explain_privacy: the table of docs/analyst.md.
SET client_min_messages = warning;
CREATE TABLE kind (number serial, name text, value text);
INSERT INTO kind (name, value) VALUES ('smallint', '1'), ('integer', '1'), ('bigint', '1'), ('numeric(8,2)', '1'), ('numeric', '1'), ('real', '1'), ('double precision', '1'), ('money', '1'), ('boolean', 'true'),
	('text', 'x'), ('varchar(20)', 'x'), ('char(3)', 'x'), ('name', 'x'), ('"char"', 'x'), ('mood', 'low'), ('years', '1'), ('uuid', '00000000-0000-0000-0000-000000000001'), ('bytea', '\x01'), ('bit(4)', '0001'), ('varbit(8)', '01'),
	('date', '2024-01-01'), ('time', '12:00'), ('timetz', '12:00+00'), ('timestamp', '2024-01-01'), ('timestamptz', '2024-01-01+00'), ('interval', '1 day'), ('int4range', '[1,2)'), ('numrange', '[1,2)'), ('daterange', '[2024-01-01,2024-01-02)'), ('tsrange', '[2024-01-01,2024-01-02)'),
	('tstzrange', '[2024-01-01,2024-01-02)'), ('inet', '10.0.0.1'), ('cidr', '10.0.0.0/8'), ('macaddr', '08:00:2b:01:02:03'), ('json', '1'), ('jsonb', '1'), ('integer[]', '{1}'), ('text[]', '{x}'), ('point', '(1,2)');
CREATE TYPE mood AS ENUM ('low', 'high');
CREATE DOMAIN years AS int;
CREATE ROLE types_ana; GRANT SELECT ON kind TO types_ana;
DO $$
DECLARE k kind;
BEGIN
	FOR k IN SELECT * FROM kind LOOP
		EXECUTE format('CREATE TABLE t%s (id int PRIMARY KEY, v %s); CREATE TABLE r%1$s (id int NOT NULL, v %2$s)', k.number, k.name);
		PERFORM gaussdp.protect(('t' || k.number)::regclass, unit => 'id', people => 'all'), gaussdp.protect(('r' || k.number)::regclass, unit => 'id', people => 'all');
	END LOOP;
	PERFORM gaussdp.grant_budget('types_ana', 't1', 100, 1e-3, default_epsilon => 1, default_delta => 1e-6);
END $$;
CREATE FUNCTION verdict(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE v text;
BEGIN
	SELECT min(CASE x.verdict WHEN 'private' THEN 'yes' ELSE 'no' END) INTO v FROM gaussdp.explain_privacy(query) x;
	RETURN v;
EXCEPTION WHEN undefined_function THEN RETURN '-';
	WHEN OTHERS THEN RETURN 'no';
END $$;
SET ROLE types_ana;
SET gaussdp.answer_plain_sql = on;
CREATE TEMP VIEW can AS
SELECT number, name, verdict(format('SELECT v, count(*) FROM t%s GROUP BY v', number)) AS key, verdict(format('SELECT count(*) FROM t%s WHERE v = %L', number, value)) AS equal, verdict(format('SELECT count(*) FROM t%s WHERE v IN (%L, %2$L)', number, value)) AS "in",
	verdict(format('SELECT count(*) FROM t%s WHERE v > %L', number, value)) AS "order", verdict(format('SELECT count(*) FROM t%s WHERE v::text LIKE ''1%%''', number)) AS text,
	verdict(format('SELECT max(v) FROM t%s', number)) AS max, verdict(format('SELECT sum(v) FROM t%s', number)) AS sum, verdict(format('SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY v) FROM t%s', number)) AS median,
	verdict(format('SELECT count(*) FROM (SELECT id, max(v) AS m FROM r%s GROUP BY id) s WHERE m > %L', number, value)) AS person,
	verdict(format('SELECT count(*) FROM (SELECT id, count(DISTINCT v) AS n FROM r%s GROUP BY id) s WHERE n > 1', number)) AS distinct
FROM kind;
RESET ROLE;
SELECT plan(2);
SELECT is(count(*), 39::bigint, 'types') FROM kind;
-- The lines of the document, as they should be.
SET ROLE types_ana;
CREATE TEMP TABLE made AS SELECT number, format('| `%s` | %s |', name, concat_ws(' | ', key, equal, "in", "order", text, max, sum, median, person, "distinct")) AS line FROM can;
RESET ROLE;
\set document `cat docs/analyst.md`
-- From PostgreSQL 18 on there is max(bytea), which is refused.
UPDATE made SET line = replace(line, '| no | - | no | no |', '| - | - | no | - |') WHERE current_setting('server_version_num')::int >= 180000 AND line LIKE '| `bytea` |%';
SELECT is(coalesce(string_agg(line, E'\n' ORDER BY number), ''), '', 'stand in docs/analyst.md, and no other') FROM made
WHERE position(E'\n' || line || E'\n' IN :'document') = 0;
SELECT * FROM finish();
DROP OWNED BY types_ana;
DROP ROLE types_ana;
