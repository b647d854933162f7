-- Judges questions about a small clinic (queries.pl) by what neighbouring databases make of them.  Included by a pgTAP
-- file or run by test/generator/run, outside of a transaction; judge(query) returns what is wrong, or NULL.
--
--   * The analyst is answered, or refused in the same words, whoever is missing; and public groups are the same.
--   * What the calls add up before the noise is the sum of what each person gives alone, to the last integer; so
--     that nobody's rows change what others count for, whatever plan is chosen.
--   * What a person gives, over all groups together, is no more than the sensitivity that the noise is made for; and all
--     of it, measured in the noise, no more than the price.
--   * What is charged is what explain_privacy has said.
SET client_min_messages = error;
-- Thousands of small queries: compiling would take most of the time.  One of the settings below has it.
SET jit = off;
\ir ../module/probe.sql
CREATE FUNCTION test_weighed(text) RETURNS text AS :'testlib' LANGUAGE C STRICT SET gaussdp.as_analyst = on;

CREATE TABLE person (id int PRIMARY KEY, town int, born int, income numeric);
CREATE TABLE visit (id int PRIMARY KEY, person int NOT NULL, day int, kind text, cost numeric, score float8);
CREATE TABLE diagnosis (person int NOT NULL, code int, day int);
CREATE TABLE bill (visit int NOT NULL, product text, price int);
CREATE TABLE foreigner (person int NOT NULL, kind text, day int);
CREATE VIEW costly AS SELECT * FROM visit WHERE cost > 1;
CREATE TABLE town (town int PRIMARY KEY, region int);
CREATE TABLE area (town int, area int);
CREATE TABLE calendar (day int PRIMARY KEY, weekend bool);
CREATE TABLE chapter (code int PRIMARY KEY, chapter int);
SELECT setseed(0.7) \g /dev/null
INSERT INTO person SELECT i, nullif(i % 4, 3), nullif((random() * 6)::int, 6), random() * 9 FROM generate_series(1, 7) i;
INSERT INTO visit SELECT row_number() OVER (), i, nullif((random() * 6)::int, 6), 'k' || (random() * 2)::int, round((random() * 9)::numeric, (random() * 3)::int), nullif(random() * 10, 5) - 1
	FROM generate_series(1, 8) i, generate_series(1, i) WHERE i <> 3;
INSERT INTO visit SELECT 100 + i, 8, 2, 'k1', 2.50, 'NaN' FROM generate_series(1, 4) i;
INSERT INTO diagnosis SELECT i, nullif((random() * 5)::int, 5), (random() * 5)::int FROM generate_series(1, 8) i, generate_series(1, 9 - i) WHERE i <> 5;
INSERT INTO bill SELECT id, 'p' || (random() * 3)::int, (random() * 5)::int FROM visit, generate_series(1, id % 3);
INSERT INTO foreigner SELECT i % 8, 'k' || i % 3, i % 6 FROM generate_series(1, 20) i;
INSERT INTO town SELECT i, i % 2 FROM generate_series(0, 4) i;
INSERT INTO area SELECT i % 4, i % 3 FROM generate_series(0, 9) i;
INSERT INTO calendar SELECT i, i > 3 FROM generate_series(0, 5) i;
INSERT INTO chapter SELECT i, i % 2 FROM generate_series(0, 4) i;
CREATE ROLE generator_analyst;
GRANT SELECT ON town, area, calendar, chapter TO generator_analyst;
DO $$
BEGIN
	PERFORM gaussdp.protect('person', 'id', people => 'patients'), gaussdp.protect('visit', 'person', max_rows => 2, max_groups => 2, people => 'patients'),
		gaussdp.protect('diagnosis', 'person', max_rows => 3, people => 'patients'), gaussdp.protect('foreigner', 'person', people => 'others');
	IF EXISTS (SELECT FROM pg_proc WHERE oid = 'gaussdp.protect'::regproc AND 'via' = ANY (proargnames)) THEN
		EXECUTE 'SELECT gaussdp.protect(''bill'', unit => ''visit'', via => ''visit'')';
	END IF;
	PERFORM gaussdp.grant_budget('generator_analyst', 'visit', 500, 0.1), gaussdp.grant_budget('generator_analyst', 'foreigner', 500, 0.1);
END $$;
ANALYZE;

-- What the analyst sees: an answer, or the refusal in full.
CREATE FUNCTION outcome(query text) RETURNS text LANGUAGE plpgsql SET ROLE generator_analyst AS $$
DECLARE
	detail text;
	hint text;
BEGIN
	EXECUTE query;
	RETURN 'answered';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(' / ', SQLSTATE, SQLERRM, detail, hint);
END $$;

-- The level as SQL that shows what is summed, each group being shown.
CREATE FUNCTION shown(query text) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(regexp_replace(regexp_replace(regexp_replace(test_weighed(query),
		'gaussdp_internal\.(\w+?)(_estimate)?_weighted', 'probe_\1_weighted', 'g'), '\mdp_(\w+)\(', 'probe_\1(', 'g'), 'group_place\(''-?\d+''', 'group_place(''1''', 'g'), 'HAVING [^\n]*probe_[^\n]*', '', 'g') $$;
CREATE FUNCTION parts(shown text) RETURNS TABLE (key text, place text, i int, part numeric, most numeric, sigma numeric) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT coalesce((SELECT jsonb_object_agg(k.key, k.value) FROM jsonb_each(j) k WHERE k.key LIKE ''key%%''), ''{}'')::text, r.key, e.i::int, e.part::numeric,
			CASE WHEN jsonb_array_length(r.value -> ''exact'') = jsonb_array_length(r.value -> ''sensitivity'') THEN (r.value -> ''sensitivity'' ->> (e.i::int - 1))::numeric END,
			CASE WHEN jsonb_array_length(r.value -> ''exact'') = jsonb_array_length(r.value -> ''sigma_int'') THEN (r.value -> ''sigma_int'' ->> (e.i::int - 1))::numeric END
		FROM (SELECT to_jsonb(s) FROM (%s) s) s(j), jsonb_each(j) r, jsonb_array_elements_text(r.value -> ''exact'') WITH ORDINALITY e(part, i) WHERE jsonb_typeof(r.value) = ''object'' AND (e.i = 1 OR e.part <> ''0'')', shown);
END $$;

CREATE FUNCTION remove(who int, others bool) RETURNS void LANGUAGE sql AS $$
	DELETE FROM bill USING visit v WHERE bill.visit = v.id AND (v.person = who) <> others;
	DELETE FROM visit WHERE (person = who) <> others;
	DELETE FROM diagnosis WHERE (person = who) <> others;
	DELETE FROM person WHERE (id = who) <> others;
$$;

-- The parts without a person, or of that one alone.
CREATE FUNCTION parts_without(shown text, who int, others bool) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	found jsonb;
BEGIN
	BEGIN
		PERFORM remove(who, others);
		SELECT jsonb_agg(to_jsonb(p)) INTO found FROM parts(shown) p;
		RAISE EXCEPTION USING ERRCODE = 'ZZ001';
	EXCEPTION WHEN SQLSTATE 'ZZ001' THEN NULL;
	END;
	RETURN found;
END $$;
CREATE TYPE part AS (key text, place text, i int, part numeric, most numeric, sigma numeric);

CREATE FUNCTION planner_setting(random_number int) RETURNS text LANGUAGE sql AS $$
	SELECT (ARRAY['SET enable_hashjoin = off', 'SET enable_mergejoin = off', 'SET enable_nestloop = off', 'SET enable_hashagg = off', 'SET enable_sort = off', 'SET enable_memoize = off', 'SET work_mem = 64',
		'SET min_parallel_table_scan_size = 0; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0', 'SET enable_seqscan = off', 'SET join_collapse_limit = 1', 'SET jit = on; SET jit_above_cost = 0'])[1 + random_number % 11] $$;

-- One person: what changes without it is what it gives alone, and no more than what is paid for.
CREATE FUNCTION judge_person(shown text, who int, is_public bool, told float8) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	rest part[];
	alone part[];
	found text;
BEGIN
	rest := ARRAY(SELECT p FROM jsonb_populate_recordset(NULL::part, parts_without(shown, who, false)) p);
	alone := ARRAY(SELECT p FROM jsonb_populate_recordset(NULL::part, parts_without(shown, who, true)) p);
	SELECT format('without %s %s[%s] of %s is %s, with %s, alone %s', who, place, i, key, r.part, b.part, a.part) INTO found
	FROM before b FULL JOIN unnest(rest) r USING (key, place, i) FULL JOIN unnest(alone) a USING (key, place, i)
	WHERE coalesce(b.part, 0) <> coalesce(r.part, 0) + coalesce(a.part, 0) AND shown !~ 'probe_\w+\(DISTINCT' LIMIT 1;
	IF found IS NULL THEN
		SELECT format('%s moves %s[%s] by %s where %s is paid for', who, place, i, sqrt(sum((coalesce(b.part, 0) - coalesce(r.part, 0)) ^ 2)), max(coalesce(b.most, r.most))) INTO found
		FROM before b FULL JOIN unnest(rest) r USING (key, place, i)
		WHERE shown !~* 'GROUPING' GROUP BY place, i -- with several sets it is the price that counts
		HAVING sum((coalesce(b.part, 0) - coalesce(r.part, 0)) ^ 2) > max(coalesce(b.most, r.most)) ^ 2 LIMIT 1;
	END IF;
	IF found IS NULL THEN
		SELECT format('%s moves all by mu^2 %s where %s is paid for', who, sum(squares), told) INTO found
		FROM (SELECT sum((coalesce(b.part, 0) - coalesce(r.part, 0)) ^ 2) / max(coalesce(b.sigma, r.sigma)) ^ 2 AS squares FROM before b FULL JOIN unnest(rest) r USING (key, place, i) GROUP BY place, i) s
		HAVING sum(squares) > told * (1 + 1e-9);
	END IF;
	IF found IS NULL AND is_public THEN
		SELECT format('%s makes or hides group %s', who, key) INTO found FROM before b FULL JOIN unnest(rest) r USING (key, place, i) WHERE i = 1 AND (b.part IS NULL OR r.part IS NULL) LIMIT 1;
	END IF;
	RETURN found;
END $$;

-- The same integers under another plan.
CREATE FUNCTION judge_plan(shown text, setting int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	found text;
BEGIN
	BEGIN
		EXECUTE replace(planner_setting(setting), 'SET ', 'SET LOCAL ');
		SELECT format('by %s, %s[%s] of %s is %s, not %s', planner_setting(setting), place, i, key, n.part, b.part) INTO found
		FROM before b FULL JOIN parts(shown) n USING (key, place, i) WHERE b.part IS DISTINCT FROM n.part LIMIT 1;
		RAISE EXCEPTION USING ERRCODE = 'ZZ001';
	EXCEPTION WHEN SQLSTATE 'ZZ001' THEN NULL;
	END;
	RETURN found;
END $$;

-- What the analyst was charged against what it was told; both in mu^2.  Each question costs more than the least price,
-- 2^-20 of the grant.
CREATE FUNCTION judge_charge(told float8, last_charge bigint) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	charged float8;
BEGIN
	SELECT sum(mu2) INTO charged FROM gaussdp.journal WHERE charge > last_charge;
	RETURN CASE WHEN charged IS NULL OR told IS NULL OR abs(charged - told) > 1e-6 * told THEN format('charged %s where %s was told', charged, told) END;
END $$;
CREATE FUNCTION told(query text) RETURNS float8 LANGUAGE sql SET ROLE generator_analyst AS 'SELECT sum(mu_squared) FROM gaussdp.explain_privacy(query, exact => true)';

CREATE TEMP TABLE before (key text, place text, i int, part numeric, most numeric, sigma numeric);
CREATE FUNCTION judge(query text, random_number int, OUT said text, OUT wrong text) LANGUAGE plpgsql AS $$
DECLARE
	sql text;
	without text;
	told float8;
	last_charge bigint;
BEGIN
	SELECT coalesce(max(charge), 0) INTO last_charge FROM gaussdp.journal;
	said := outcome(query);
	IF said = 'answered' THEN
		told := told(query);
		wrong := judge_charge(told, last_charge);
	END IF;
	BEGIN
		PERFORM remove(1 + random_number % 8, false);
		without := outcome(query);
		RAISE EXCEPTION USING ERRCODE = 'ZZ001';
	EXCEPTION WHEN SQLSTATE 'ZZ001' THEN NULL;
	END;
	IF without <> said THEN
		wrong := format('%s, but without %s: %s', said, 1 + random_number % 8, without);
	END IF;
	IF said <> 'answered' OR wrong IS NOT NULL THEN
		RETURN;
	END IF;
	sql := shown(query);
	TRUNCATE before;
	INSERT INTO before SELECT * FROM parts(sql);
	wrong := judge_plan(sql, random_number);
	FOR who IN 1 .. 8 LOOP
		wrong := coalesce(wrong, judge_person(sql, who, query !~ 'HAVING (dp_keep_group|dp_count)[^)]*\)( > \d+)?$', told));
	END LOOP;
EXCEPTION WHEN OTHERS THEN
	wrong := format('the judge failed: %s', SQLERRM);
END $$;

CREATE TABLE questions (no serial, query text, said text, wrong text);
