\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- What somebody else could make a publication do: its refresh runs in the publisher's name, and all may read what it shows.
LOAD '$libdir/gaussdp';
SET client_min_messages = error;
SET gaussdp.reuse_answers = 0;
SELECT no_plan();
CREATE ROLE pa_press;
CREATE ROLE pa_part;
CREATE SCHEMA news AUTHORIZATION pa_press;
GRANT USAGE, CREATE ON SCHEMA news TO PUBLIC;
CREATE TABLE sale (id int PRIMARY KEY, price int);
INSERT INTO sale SELECT i, i % 90 FROM generate_series(1, 300) i;
CREATE TABLE visit (id int PRIMARY KEY, ward text, doctor text);
INSERT INTO visit SELECT i, 'w' || i % 2, 'd' || i FROM generate_series(1, 100) i;
CREATE TABLE seen (who name);
GRANT INSERT ON seen TO PUBLIC;
DO $$BEGIN
	PERFORM gaussdp.protect('sale', unit => 'id'), gaussdp.protect('visit', unit => 'id');
	PERFORM gaussdp.grant_budget('pa_press', 'sale', 500, 1e-6), gaussdp.grant_budget('pa_part', 'sale', 20, 1e-6), gaussdp.grant_budget('pa_part', 'visit', 20, 1e-6);
END$$;
CREATE FUNCTION spent() RETURNS float8 LANGUAGE sql SECURITY DEFINER AS $$SELECT sum(spent_mu2) * 2 ^ -52 FROM gaussdp_internal.ledger_account WHERE holder = 'r'$$;
CREATE FUNCTION note_who() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN INSERT INTO public.seen VALUES (current_user); RETURN new; END$$;
CREATE FUNCTION note_value(float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$BEGIN RETURN $1; END$$;

-- The table is known by its number: what comes under its name while the query runs is left alone. As whoever owns the schema could do it.
CREATE FUNCTION put_another(n float8) RETURNS bool LANGUAGE plpgsql SECURITY DEFINER AS $$BEGIN
	IF to_regnamespace('away') IS NULL THEN
		ALTER SCHEMA news RENAME TO away;
		CREATE SCHEMA news;
		CREATE TABLE news.swapped (LIKE away.swapped);
		GRANT ALL ON SCHEMA news TO PUBLIC;
		GRANT ALL ON news.swapped TO PUBLIC;
		CREATE TRIGGER note_who BEFORE INSERT ON news.swapped FOR EACH ROW EXECUTE FUNCTION public.note_who();
	END IF;
	RETURN true; END$$;
SET ROLE pa_press;
SELECT gaussdp.publish('news.swapped', 'SELECT dp_avg(price, 1, 1e-6, 0, 90) AS n FROM sale') \g /dev/null
SELECT n AS first FROM news.swapped \gset
SELECT gaussdp.publish('news.swapped', 'SELECT q.n FROM (SELECT dp_avg(price, 1, 1e-6, 0, 90) AS n FROM sale) AS q WHERE public.put_another(q.n)') \g /dev/null
SELECT is((SELECT count(*) FROM away.swapped WHERE n <> :first) || ' ' || (SELECT count(*) FROM news.swapped), '1 0', 'another table of its name is not written to');
RESET ROLE;
SELECT is(count(*), 0::int8, 'nor runs its trigger in the publisher''s name') FROM seen;
DROP SCHEMA news CASCADE;
ALTER SCHEMA away RENAME TO news;

-- Nothing that hangs on it is run when it is filled.
SET ROLE pa_press;
SELECT gaussdp.publish('news.total', 'SELECT dp_count(1, 1e-6) AS n FROM sale') \g /dev/null
CREATE TABLE news.key (n float8 PRIMARY KEY);
RESET ROLE;
CREATE FUNCTION refuses(makes text, takes text, what text) RETURNS text LANGUAGE plpgsql SET search_path = news, public AS $$
DECLARE result text;
BEGIN
	EXECUTE makes;
	result := throws_ok('SELECT gaussdp.refresh(''news.total'')', '55000', 'table "total" has ' || what || ', which would run in the name of its publisher', makes);
	EXECUTE takes;
	RETURN result;
END$$;
SET ROLE pa_press;
SELECT spent() AS before \gset
SELECT refuses('CREATE TRIGGER note_who AFTER INSERT ON total FOR EACH ROW EXECUTE FUNCTION note_who()', 'DROP TRIGGER note_who ON total', 'a trigger or a foreign key');
SELECT refuses('ALTER TABLE total ADD CONSTRAINT out FOREIGN KEY (n) REFERENCES key NOT VALID', 'ALTER TABLE total DROP CONSTRAINT out', 'a trigger or a foreign key');
SELECT refuses('CREATE RULE also AS ON INSERT TO total DO ALSO INSERT INTO seen VALUES (current_user)', 'DROP RULE also ON total', 'a rule');
SELECT refuses('ALTER TABLE total ADD CONSTRAINT looks CHECK (note_value(n) IS NOT NULL)', 'ALTER TABLE total DROP CONSTRAINT looks', 'a CHECK constraint');
SELECT refuses('ALTER TABLE total ADD COLUMN more float8 GENERATED ALWAYS AS (note_value(n)) STORED', 'ALTER TABLE total DROP COLUMN more', 'a generated column');
SELECT refuses('CREATE INDEX looks ON total (note_value(n))', 'DROP INDEX looks', 'an index with an expression or a condition');
SELECT refuses('CREATE INDEX looks ON total (n) WHERE note_value(n) > 0', 'DROP INDEX looks', 'an index with an expression or a condition');
SELECT refuses('CREATE TABLE whole (LIKE total) PARTITION BY LIST (note_value(n)); ALTER TABLE whole ATTACH PARTITION total DEFAULT', 'ALTER TABLE whole DETACH PARTITION total; DROP TABLE whole', 'the constraint of a partition');
RESET ROLE;
CREATE PUBLICATION pa_copied FOR TABLE news.total;
SET ROLE pa_press;
SELECT throws_ok('SELECT gaussdp.refresh(''news.total'')', '55000', 'cannot delete from table "total" because it does not have a replica identity and publishes deletes', 'a table that is replicated by no key');
RESET ROLE;
DROP PUBLICATION pa_copied;
SET ROLE pa_press;
SELECT is(spent(), :before::float8, 'which is known before anything is charged');
ALTER TABLE news.total ADD COLUMN more text DEFAULT note_value(1)::text;
SELECT throws_ok('SELECT gaussdp.refresh(''news.total'')', '42804', 'table "total" does not end with the columns of a publication', 'no default is computed');
ALTER TABLE news.total DROP COLUMN more;
SELECT is(spent(), :before::float8, 'nor charged');
ALTER TABLE news.total ALTER n SET NOT NULL, ADD PRIMARY KEY (n);
CREATE INDEX ON news.total USING gin (half_widths);
SELECT lives_ok('SELECT gaussdp.refresh(''news.total'')', 'keys and indexes of its columns stay');
SET enable_seqscan = off;
SELECT is(count(*), 1::int8, 'and have the new row') FROM news.total WHERE n = (SELECT max(n) FROM news.total);
RESET enable_seqscan;
-- As REFRESH MATERIALIZED VIEW does.
CREATE FUNCTION news.becomes() RETURNS bool LANGUAGE plpgsql AS $$BEGIN SET ROLE pa_part; RETURN true; END$$;
SELECT throws_ok($$SELECT gaussdp.publish('news.x', 'SELECT q.n FROM (SELECT dp_count(1, 1e-6) AS n FROM sale) AS q WHERE news.becomes()')$$, '42501', NULL, 'functions of the query become no other role');
-- Nor do they put something on the table that runs after them.
CREATE FUNCTION news.adds() RETURNS bool LANGUAGE plpgsql AS $$BEGIN CREATE TRIGGER note_who BEFORE INSERT ON news.total FOR EACH ROW EXECUTE FUNCTION public.note_who(); RETURN true; END$$;
SELECT throws_ok($$SELECT gaussdp.publish('news.total', 'SELECT q.n FROM (SELECT dp_count(1, 1e-6) AS n FROM sale) AS q WHERE news.adds()')$$, '55000', 'table "total" has a trigger or a foreign key, which would run in the name of its publisher', 'a trigger that its query makes');

BEGIN READ ONLY;
SELECT throws_ok($$SELECT gaussdp.refresh('news.total')$$, '25006', NULL, 'a read-only transaction writes nothing');
SELECT throws_ok($$SELECT gaussdp_internal.replace_published('news.total', 'SELECT dp_count(1, 1e-6) AS n FROM sale', false)$$, '25006', NULL, 'nor by what is inside');
COMMIT;

-- A row of the ledger is written for a table of its own, and shows no other times than there are.
CREATE TABLE news.older (n int);
SELECT throws_ok($$SELECT gaussdp_internal.write_publication('news.older', 'SELECT 1', '1 day', '{}')$$, '55000', 'a publication begins with its table, and this one is older', 'an older table is none');
SELECT throws_ok(format($$SELECT gaussdp_internal.write_publication('news.total', 'SELECT 1', %L, '{}')$$, every), '22023', NULL, every::text)
FROM unnest('{00:00:00.9,-1 day,1 month -1 day,1 day -1 second,1 day -1 month,10 years 1 month,3661 days,71582788 mons -2147483640 days 01:00:00}'::interval[]) AS every;

-- Temporary tables shadow no name, wherever else pg_temp is a part of one; nor do they where the table is made.
RESET ROLE;
CREATE SCHEMA my_pg_temp AUTHORIZATION pa_press;
SET ROLE pa_press;
CREATE TEMPORARY TABLE sale AS SELECT 1 AS id;
CREATE TEMPORARY TABLE shadowed (n float8);
SELECT throws_ok($$SELECT gaussdp.publish('news.x', 'SELECT dp_count(1, 1e-6) AS n, (SELECT count(*) FROM shadowed) AS m FROM public.sale')$$, '0A000', 'a publication cannot read temporary tables or views', 'which other sessions do not have');
SELECT is(gaussdp.publish('shadowed', 'SELECT dp_count(1, 1e-6) AS n FROM sale', path => path || ', public')::text, path || '.shadowed', 'the search path ' || path) FROM unnest(ARRAY['news', 'my_pg_temp']) AS path;
DROP TABLE pg_temp.sale, pg_temp.shadowed;

-- Refreshed twice in a transaction, and in one that has begun before
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT gaussdp.refresh('news.total') AS one \gset
SELECT gaussdp.refresh('news.total') AS two \gset
SELECT is(ROW(count(*), min(drawn_at) = :'two'), ROW(1::int8, true), 'the last one stays') FROM news.total;
COMMIT;

-- Nobody publishes columns or rows that he may read by himself: neither so, nor by a view of his own, nor in a function.
RESET ROLE;
GRANT SELECT (ward) ON visit TO pa_part;
CREATE FUNCTION wards() RETURNS text LANGUAGE plpgsql AS $$BEGIN RETURN (SELECT string_agg(ward, '') FROM public.visit); END$$;
CREATE VIEW shown AS SELECT ward FROM visit;
GRANT SELECT ON shown TO pa_part;
SET ROLE pa_part;
CREATE VIEW news.wards AS SELECT ward FROM public.visit;
SELECT spent() AS before, public.wards() AS read_before \gset
SELECT throws_ok(format($$SELECT gaussdp.publish('news.x', 'SELECT %s AS wards, (SELECT dp_count(1, 1e-6) FROM sale) AS sales')$$, part), '42501',
	'role "pa_part" may read columns or rows of table "visit", which would be published as they are', part)
FROM unnest(ARRAY['(SELECT max(ward) FROM public.visit)', '(SELECT max(ward) FROM news.wards)', 'public.wards()']) AS part;
SELECT throws_ok($$SELECT gaussdp.publish('news.x', 'SELECT v.ward, q.n FROM visit AS v, (SELECT dp_count(1, 1e-6) AS n FROM sale) AS q')$$, '42501', NULL, 'nor beside private ones');
SELECT is(spent(), :before::float8, 'and that is known before anything is charged');
SELECT lives_ok($$SELECT gaussdp.publish('news.doctors', 'SELECT dp_count(1, 1e-6) AS n FROM visit WHERE doctor > ''d5''')$$, 'what is released of other columns is published');
SELECT lives_ok($$SELECT gaussdp.publish('news.shown', 'SELECT max(v.ward) AS ward, (SELECT dp_count(1, 1e-6) FROM sale) AS n FROM shown AS v')$$, 'and what the owner of the table shows to all by a view');
RESET ROLE;
GRANT SELECT ON visit TO pa_part;
ALTER TABLE visit ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON visit FOR SELECT TO pa_part USING (ward = 'w1');
SET ROLE pa_part;
SELECT throws_ok($$SELECT gaussdp.publish('news.x', 'SELECT v.doctor, q.n FROM visit AS v, (SELECT dp_count(1, 1e-6) AS n FROM sale) AS q')$$, '42501', NULL, 'nor rows that a policy shows it');
SELECT is((SELECT max(doctor) FROM visit), 'd99', 'all of which he may read as before');
RESET ROLE;
CREATE TABLE night (CHECK (ward = 'w9')) INHERITS (visit);
GRANT SELECT ON night TO pa_part;
SET ROLE pa_part;
SELECT throws_ok($$SELECT gaussdp.publish('news.x', 'SELECT v.doctor, q.n FROM night AS v, (SELECT dp_count(1, 1e-6) AS n FROM sale) AS q')$$, '42501', NULL, 'nor those of a table that inherits');

-- The price is that of all that is released, however much of it functions release.
RESET ROLE;
CREATE FUNCTION many(n int) RETURNS bool LANGUAGE plpgsql AS $$BEGIN FOR i IN 1 .. n LOOP PERFORM public.dp_count(0.5, 1e-7) FROM public.sale WHERE price < i; END LOOP; RETURN true; END$$;
SET ROLE pa_press;
SELECT spent() AS before \gset
SELECT gaussdp.publish('news.many', 'SELECT q.n FROM (SELECT dp_count(0.5, 1e-7) AS n FROM sale) AS q WHERE public.many(130)') \g /dev/null
SELECT is(price_epsilon, gaussdp_internal.three_digits(gdp.epsilon(sqrt(spent() - :before), 1e-7), true), 'of 131 releases the price is what was charged') FROM news.many;
SELECT is(half_widths, '{}', 'without half widths, as the first ones are forgotten') FROM news.many;
SELECT gaussdp.publish('news.outer', 'SELECT q.n FROM (SELECT dp_count(1, 1e-6) AS n FROM sale) AS q WHERE gaussdp.refresh(''news.total'') IS NOT NULL') \g /dev/null
SELECT ok(o.price_epsilon > t.price_epsilon AND o.half_widths ? 'dp_count 2' AND NOT t.half_widths ? 'dp_count 2', 'what it refreshes beside is in its price') FROM news.outer AS o, news.total AS t;
SET gaussdp.reuse_answers = -1;
SELECT spent() AS before \gset
SELECT gaussdp.publish('news.equal', 'SELECT (SELECT dp_count(1, 1e-6) FROM sale) AS a, (SELECT dp_count(1, 1e-6) FROM sale) AS b, dp_count(0.5, 1e-6) AS c FROM sale') \g /dev/null
SELECT is(price_epsilon, gaussdp_internal.three_digits(gdp.epsilon(sqrt(spent() - :before), 1e-6), true), 'equal queries in it are one draw, and have one price') FROM news.equal;
SELECT * FROM finish();
