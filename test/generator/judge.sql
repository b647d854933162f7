-- Judges questions about a small clinic (queries.pl) and about rows of extreme values (expressions.pl) by what
-- neighbouring databases make of them.  Included by a pgTAP file or run by test/generator/run, outside of a transaction;
-- judge(settings, query, no) returns what is wrong, or NULL.
--
--   * The analyst is answered, or refused in the same words, whoever is missing; and public groups are the same.
--   * No question fails that has been charged: what fails while rows are read may tell of one.
--   * What the calls add up before the noise is the sum of what each person gives alone, to the last integer; so
--     that nobody's rows change what others count for, whatever plan is chosen.
--   * What a person gives, over all groups together, is no more than the sensitivity that the noise is made for; and all
--     of it, measured in the noise, no more than the price.
--   * What is charged is what explain_privacy has said.
--   * Where max_rows is found, as in a quarter of the questions: a person moves each histogram by 1 at most, whoever else is there; and
--     all that was said holds of the calls with any number that may be found, for their part of the price.
--
-- Each under the question's own settings, on which no verdict depends: groups are told apart by their keys' binary form.
SET client_min_messages = error;
-- Thousands of small queries: compiling would take most of the time.  A share of the questions asks for it.
SET jit = off;
-- What fails is a finding; the next question is asked all the same.
SET gaussdp.max_private_errors = 1000000;
\ir ../module/probe.sql
-- Its constants are printed so that they are read again as they were.
CREATE FUNCTION test_weighed(text, found float8 DEFAULT 1) RETURNS text AS :'testlib' LANGUAGE C STRICT SET gaussdp.as_analyst = on SET DateStyle = 'ISO, MDY' SET IntervalStyle = 'postgres' SET extra_float_digits = 1;
CREATE FUNCTION test_histograms(text) RETURNS int8[] AS :'testlib' LANGUAGE C STRICT SET gaussdp.as_analyst = on;

-- What the clinic's people and visits are known by; run chooses others.
\if :{?unit}
\else
\set unit int
\set path int
\set seed 0.7
\endif
SELECT :'unit' = 'citext' AS is_citext \gset
\if :is_citext
CREATE EXTENSION citext;
\endif
SELECT pg_encoding_to_char(encoding) <> 'SQL_ASCII' AS has_icu FROM pg_database WHERE datname = current_database() \gset
\if :has_icu
CREATE COLLATION odd (provider = icu, locale = 'und-u-ks-level1', deterministic = false);
\else
CREATE COLLATION odd (provider = libc, locale = 'C');
\endif
-- $1 is the number of a person or visit, $2 a spelling where equal values may look different.  In a table of people there
-- are several spellings of each where its index tells them apart.
CREATE TEMP TABLE kinds (kind text, type text, make text, spellings int, index_key text);
INSERT INTO kinds VALUES
	('int', 'int', '$1', 1, 'id'),
	('bigint', 'int8', '$1', 1, 'id'),
	('text', 'text COLLATE "C"', $$'p' || $1$$, 1, 'id'),
	('numeric', 'numeric', 'round($1::numeric, $2)', 1, 'id'),
	('float', 'float8', '$1::float8', 1, 'id'),
	('odd', 'text COLLATE odd', $$translate('person' || $1, substr('person', 1, $2), substr('PERSON', 1, $2))$$, 1, 'id'),
	('odd_other', 'text COLLATE odd', $$translate('person' || $1, substr('person', 1, $2), substr('PERSON', 1, $2))$$, 6, 'id COLLATE "C"'),
	('citext', 'citext', $$translate('person' || $1, substr('person', 1, $2), substr('PERSON', 1, $2))::citext$$, 6, 'id text_ops'),
	-- what of these is equal depends on the zone: two in the hour before summer time
	('moment', 'timestamp', $$timestamp '2021-03-28 00:30' + $1 * interval '15 minutes'$$, 1, 'id'),
	('instant', 'timestamptz', $$timestamptz '2021-03-27 23:30+00' + $1 * interval '15 minutes'$$, 1, 'id');
SELECT u.type AS unit_type, split_part(u.type, ' ', 1) AS unit_returns, 'SELECT ' || u.make AS unit_make, u.spellings, u.index_key,
	p.type AS path_type, split_part(p.type, ' ', 1) AS path_returns, 'SELECT ' || p.make AS path_make, b.type AS bill_type, split_part(b.type, ' ', 1) AS bill_returns, 'SELECT ' || b.make AS bill_make
FROM kinds u, kinds p, kinds b
WHERE u.kind = :'unit' AND p.kind = :'path' AND b.kind = CASE :'path' WHEN 'moment' THEN 'instant' WHEN 'instant' THEN 'moment' WHEN 'int' THEN 'bigint' ELSE :'path' END \gset
CREATE FUNCTION unit(who int, spelling int DEFAULT 1) RETURNS :unit_returns LANGUAGE sql AS :'unit_make';
CREATE FUNCTION visit_id(int, int DEFAULT 1) RETURNS :path_returns LANGUAGE sql AS :'path_make';
CREATE FUNCTION bill_visit(int, int DEFAULT 1) RETURNS :bill_returns LANGUAGE sql AS :'bill_make';

CREATE TABLE person (id :unit_type NOT NULL, town int, born int, income numeric);
CREATE UNIQUE INDEX ON person (:index_key);
CREATE TABLE visit (id :path_type PRIMARY KEY, person :unit_type NOT NULL, day int, kind text, cost numeric, score float8);
CREATE TABLE diagnosis (person :unit_type NOT NULL, code int, day int);
CREATE TABLE bill (visit :bill_type NOT NULL, product text, price int);
CREATE TABLE foreigner (person int NOT NULL, kind text, day int);
CREATE VIEW costly AS SELECT * FROM visit WHERE cost > 1;
CREATE TABLE town (town int PRIMARY KEY, region int);
CREATE TABLE area (town int, area int);
CREATE TABLE calendar (day int PRIMARY KEY, weekend bool);
CREATE TABLE chapter (code int PRIMARY KEY, chapter int);
SELECT setseed(:seed) \g /dev/null
CREATE FUNCTION spelling() RETURNS int LANGUAGE sql AS 'SELECT 1 + (random() * 5)::int';
INSERT INTO person SELECT unit(i, j), nullif(i % 4, 3), nullif((random() * 6)::int, 6), random() * 9 FROM generate_series(1, 7) i, generate_series(1, :spellings) j;
CREATE TEMP TABLE visits AS SELECT row_number() OVER ()::int AS n, i AS who FROM generate_series(1, 8) i, generate_series(1, i) WHERE i <> 3;
INSERT INTO visit SELECT visit_id(n), unit(who, spelling()), nullif((random() * 6)::int, 6), 'k' || (random() * 2)::int, round((random() * 9)::numeric, (random() * 3)::int), nullif(random() * 10, 5) - 1 FROM visits;
INSERT INTO visit SELECT visit_id(60 + i), unit(8), 2, 'k1', 2.50, 'NaN' FROM generate_series(1, 4) i;
INSERT INTO diagnosis SELECT unit(i, spelling()), nullif((random() * 5)::int, 5), (random() * 5)::int FROM generate_series(1, 8) i, generate_series(1, 9 - i) WHERE i <> 5;
INSERT INTO bill SELECT bill_visit(n), 'p' || (random() * 3)::int, (random() * 5)::int FROM (SELECT n FROM visits UNION ALL SELECT 60 + i FROM generate_series(1, 4) i) v(n), generate_series(1, n % 3);
INSERT INTO foreigner SELECT i % 8, 'k' || i % 3, i % 6 FROM generate_series(1, 20) i;
INSERT INTO town SELECT i, i % 2 FROM generate_series(0, 4) i;
INSERT INTO area SELECT i % 4, i % 3 FROM generate_series(0, 9) i;
INSERT INTO calendar SELECT i, i > 3 FROM generate_series(0, 5) i;
INSERT INTO chapter SELECT i, i % 2 FROM generate_series(0, 4) i;
\ir extremes.sql
CREATE ROLE generator_analyst;
GRANT SELECT ON town, area, calendar, chapter TO generator_analyst;
SELECT gaussdp.protect('person', 'id', people => 'patients'), gaussdp.protect('visit', 'person', max_rows => 2, max_groups => 2, people => 'patients'),
	gaussdp.protect('diagnosis', 'person', max_rows => 3, people => 'patients'), gaussdp.protect('foreigner', 'person', 1, people => 'others'),
	gaussdp.protect('extreme', 'id', max_rows => 2, max_groups => 2, people => 'extremes') \g /dev/null
-- Where this is no path, questions about bills are refused.
DO $$
BEGIN
	PERFORM gaussdp.protect('bill', unit => 'visit', max_rows => 1, via => 'visit');
EXCEPTION WHEN OTHERS THEN NULL;
END $$;
-- For each thousand questions anew, or the budget would end.
CREATE FUNCTION grant_anew() RETURNS void LANGUAGE sql AS $$
	SELECT gaussdp.grant_budget('generator_analyst', t, 500, 0.1) FROM (VALUES ('visit'::regclass), ('foreigner'), ('extreme')) t(t) $$;
SELECT grant_anew() \g /dev/null
ANALYZE;

-- What the analyst sees: an answer, with the number of its groups if these are public, or the refusal in full.
CREATE FUNCTION groups_are_public(query text) RETURNS bool LANGUAGE sql AS $$
	SELECT query !~ 'HAVING (dp_keep_group|dp_count)[^)]*\)( > \d+)?$' $$;
CREATE FUNCTION outcome(query text) RETURNS text LANGUAGE plpgsql SET ROLE generator_analyst AS $$
DECLARE
	detail text;
	hint text;
	groups bigint;
BEGIN
	EXECUTE query;
	GET DIAGNOSTICS groups = ROW_COUNT;
	RETURN 'answered' || CASE WHEN groups_are_public(query) THEN format(', %s groups', groups) ELSE '' END;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(' / ', SQLSTATE, SQLERRM, detail, hint);
END $$;

-- A level as SQL that shows what is summed, each group being shown.
CREATE FUNCTION with_probes(weighed text) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(regexp_replace(regexp_replace(regexp_replace(weighed,
		'gaussdp_internal\.(\w+)_weighted', 'probe_\1_weighted', 'g'), '\mdp_(\w+)\(', 'probe_\1(', 'g'), 'group_place\(''-?\d+''', 'group_place(''1''', 'g'), 'HAVING [^\n]*probe_[^\n]*', '', 'g') $$;
-- Of grouping sets the number of the set is a key, the last in ORDER BY: keys may be NULL in one set, and left out of another.
CREATE FUNCTION with_sets(weighed text) RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN weighed ~ 'grouping_sets\(number\)' THEN regexp_replace(weighed, '^\s*SELECT\s(.*\s(\S+)\s*)$', 'SELECT \2 AS key_0, \1') ELSE weighed END $$;
CREATE FUNCTION shown(query text, found float8 DEFAULT 1) RETURNS text LANGUAGE sql AS 'SELECT with_sets(with_probes(test_weighed(query, found)))';
CREATE FUNCTION parts(shown text) RETURNS TABLE (key text, place text, i int, part numeric, most numeric, sigma numeric) LANGUAGE plpgsql AS $$
DECLARE
	-- those of the outermost SELECT: sub-selects may have some, too
	keys text := (SELECT string_agg('s.' || m[1], ', ') FROM regexp_matches(coalesce(substring(shown FROM '^.*?\n +FROM\M'), substring(shown FROM '^.*?\sFROM\M')), 'AS (key_\d+)', 'g') m);
BEGIN
	RETURN QUERY EXECUTE format('SELECT md5(s.key), r.key, e.i::int, e.part::numeric,
			CASE WHEN jsonb_array_length(r.value -> ''exact'') = jsonb_array_length(r.value -> ''sensitivity'') THEN (r.value -> ''sensitivity'' ->> (e.i::int - 1))::numeric END,
			CASE WHEN jsonb_array_length(r.value -> ''exact'') = jsonb_array_length(r.value -> ''sigma_int'') THEN (r.value -> ''sigma_int'' ->> (e.i::int - 1))::numeric END
		FROM (SELECT record_send(ROW(%s)), to_jsonb(s) FROM (%s) s) s(key, j), jsonb_each(j) r, jsonb_array_elements_text(r.value -> ''exact'') WITH ORDINALITY e(part, i)
		WHERE r.key !~ ''^key'' AND jsonb_typeof(r.value) = ''object'' AND (e.i = 1 OR e.part <> ''0'')', keys, shown);
END $$;

-- What the clinic or the rows of extreme values are without a person, or with this one alone.
CREATE FUNCTION remove(who int, others bool) RETURNS void LANGUAGE sql SET enable_mergejoin = off /* whose order a zone may break */ AS $$
	DELETE FROM bill USING visit v WHERE bill.visit = v.id AND (v.person = unit(who)) <> others;
	DELETE FROM visit WHERE (person = unit(who)) <> others;
	DELETE FROM diagnosis WHERE (person = unit(who)) <> others;
	DELETE FROM person WHERE (id = unit(who)) <> others;
$$;
CREATE FUNCTION remove(query text, who int, others bool) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	IF query ~ '\mextreme\M' THEN
		DELETE FROM extreme WHERE (id = who) <> others;
	ELSE
		PERFORM remove(who, others);
	END IF;
END $$;

CREATE FUNCTION parts_without(shown text, who int, others bool) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	found jsonb;
BEGIN
	BEGIN
		PERFORM remove(shown, who, others);
		SELECT jsonb_agg(to_jsonb(p)) INTO found FROM parts(shown) p;
		RAISE EXCEPTION USING ERRCODE = 'ZZ001';
	EXCEPTION WHEN SQLSTATE 'ZZ001' THEN NULL;
	END;
	RETURN found;
END $$;
CREATE FUNCTION histograms_without(query text, who int, others bool) RETURNS int8[] LANGUAGE plpgsql AS $$
DECLARE
	found int8[];
BEGIN
	BEGIN
		PERFORM remove(query, who, others);
		found := test_histograms(query);
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
	WHERE coalesce(b.part, 0) <> coalesce(r.part, 0) + coalesce(a.part, 0) AND shown !~ 'probe_\w+\(DISTINCT|takes_value' /* different values are not everybody's own */ LIMIT 1;
	IF found IS NULL THEN
		-- the numbers of an average, and those of a variance, together
		SELECT format('%s moves %s by %s times what is paid for', who, place, sqrt(max(share))) INTO found
		FROM (SELECT place, CASE count(*) WHEN 2 THEN sum(square * (ARRAY[0.75, 0.25])[i]) WHEN 3 THEN sum(square * (ARRAY[0.25, 0.25, 0.5])[i]) ELSE max(square) END AS share
			FROM (SELECT place, i, sum((coalesce(b.part, 0) - coalesce(r.part, 0)) ^ 2) / max(coalesce(b.most, r.most)) ^ 2 AS square FROM before b FULL JOIN unnest(rest) r USING (key, place, i) GROUP BY place, i) s
			WHERE square IS NOT NULL GROUP BY place) t
		WHERE shown !~* 'GROUPING' -- with several sets it is the price that counts
		GROUP BY place HAVING max(share) > 1 LIMIT 1;
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

-- A person is in one bin of each histogram, or in none, whoever else is there.
CREATE FUNCTION judge_histograms(query text, who int) RETURNS text LANGUAGE sql AS $$
	SELECT format('%s moves histogram %s by %s, alone by %s', who, h, moved, alone)
	FROM (SELECT (i - 1) / 31 AS h, sum(abs(a - r)) AS moved, sum(l) AS alone, sum(abs(a - r - l)) AS off
		FROM unnest(test_histograms(query), histograms_without(query, who, false), histograms_without(query, who, true)) WITH ORDINALITY u(a, r, l, i) GROUP BY 1) s
	WHERE moved > 1 OR off > 0 OR off IS NULL LIMIT 1 $$;

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

-- Does PostgreSQL's plan read a protected table?  Not where the question's condition is known to be false.
CREATE FUNCTION reads_rows(query text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
		IF line ~ ' on (public\.)?"?(extreme|person|visit|diagnosis|bill|foreigner)\M' THEN
			RETURN true;
		END IF;
	END LOOP;
	RETURN false;
END $$;

-- What the analyst was charged against what it was told; both in mu^2.  Each question that reads rows costs more than
-- the least price, 2^-20 of the grant.
CREATE FUNCTION judge_charge(query text, told float8, last_charge bigint) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	charged float8;
BEGIN
	SELECT sum(mu2) INTO charged FROM gaussdp.journal WHERE charge > last_charge;
	RETURN CASE WHEN charged IS NULL AND told IS NULL THEN CASE WHEN reads_rows(query) THEN 'reads rows for nothing' END
		WHEN charged IS NULL OR told IS NULL OR abs(charged - told) > 1e-6 * told THEN format('charged %s where %s was told', charged, told) END;
END $$;
CREATE FUNCTION told(query text) RETURNS float8 LANGUAGE sql SET ROLE generator_analyst AS 'SELECT sum(mu_squared) FROM gaussdp.explain_privacy(query, exact => true)';
CREATE FUNCTION told_of_calls(query text) RETURNS float8 LANGUAGE sql SET ROLE generator_analyst AS $$SELECT sum(mu_squared) FROM gaussdp.explain_privacy(query, exact => true) WHERE call IS DISTINCT FROM 'max_rows'$$;

-- Why a question fails whose price has been charged: what its level says to a superuser, under one plan and then others.
CREATE FUNCTION reason(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM count(*) FROM parts(shown(query));
	RETURN 'not known: no error by SQL';
EXCEPTION WHEN OTHERS THEN
	RETURN concat(SQLSTATE, ': ', left(SQLERRM, 200));
END $$;

CREATE TEMP TABLE before (key text, place text, i int, part numeric, most numeric, sigma numeric);
-- The outcome, the same without a person, and what was charged.
CREATE FUNCTION judge_outcome(query text, who int, OUT said text, OUT wrong text, OUT told float8) LANGUAGE plpgsql AS $$
DECLARE
	without text;
	last_charge bigint;
BEGIN
	SELECT coalesce(max(charge), 0) INTO last_charge FROM gaussdp.journal;
	said := outcome(query);
	IF said ~ '^answered' THEN
		BEGIN
			told := told(query);
			wrong := judge_charge(query, told, last_charge);
		EXCEPTION WHEN data_exception OR feature_not_supported THEN NULL; -- of constants, which need not be computed for an answer
		END;
	ELSIF EXISTS (SELECT FROM gaussdp.journal WHERE charge > last_charge) THEN
		wrong := format('fails: %s (%s)', said, reason(query));
	END IF;
	BEGIN
		PERFORM remove(query, who, false);
		without := outcome(query);
		RAISE EXCEPTION USING ERRCODE = 'ZZ001';
	EXCEPTION WHEN SQLSTATE 'ZZ001' THEN NULL;
	END;
	IF without <> said THEN
		wrong := concat_ws('; ', wrong, format('%s, but without %s: %s', said, who, without));
	END IF;
END $$;

CREATE FUNCTION judge(settings jsonb, query text, random_number int, OUT said text, OUT wrong text) LANGUAGE plpgsql AS $$
DECLARE
	sql text;
	told float8;
	found float8 := (ARRAY[1, 2, 8, 0.25])[1 + random_number % 4];
	-- the others are asked of by other questions
	people int := CASE WHEN query ~ '\mextreme\M' THEN 1 ELSE 3 END;
BEGIN
	PERFORM set_config(s.key, s.value, false) FROM jsonb_each_text(settings) s;
	SELECT o.* INTO said, wrong, told FROM judge_outcome(query, 1 + random_number % 8) o;
	IF said !~ '^answered' OR wrong IS NOT NULL OR told IS NULL THEN
		RETURN;
	END IF;
	SET jit = off;
	-- what is printed is searched for names
	SET quote_all_identifiers = off;
	sql := shown(query, found);
	told := told_of_calls(query);
	TRUNCATE before;
	INSERT INTO before SELECT * FROM parts(sql);
	wrong := judge_plan(sql, random_number);
	FOR who IN 1 .. people LOOP
		wrong := coalesce(wrong, judge_histograms(query, 1 + (3 * who + random_number) % 8));
		wrong := coalesce(wrong, judge_person(sql, 1 + (3 * who + random_number) % 8, groups_are_public(query), told));
	END LOOP;
EXCEPTION
	-- values that are computed once, before the rows are read, are no SQL
	WHEN undefined_parameter THEN said := 'answered, not weighed';
	-- constants that fail, in an answer that has no row for which they would be computed
	WHEN data_exception OR program_limit_exceeded THEN said := 'answered, not weighed: ' || SQLERRM;
	WHEN OTHERS THEN
		-- and a unit of time that a constant's type has not
		IF SQLERRM ~ 'contained expression has no form in SQL|^unit ".*" not (supported|recognized) for type' THEN
			said := 'answered, not weighed: ' || SQLERRM;
		ELSE
			wrong := format('the judge failed: %s', SQLERRM);
		END IF;
END $$;

CREATE TABLE questions (no serial, settings jsonb, query text, said text, wrong text);
-- A quarter of the questions is asked where max_rows is found.
CREATE FUNCTION declare_rows(found bool) RETURNS void LANGUAGE sql AS $$
	SELECT gaussdp.protect(t, max_rows => CASE WHEN found THEN 0 ELSE n END) FROM (VALUES ('visit'::regclass, 2), ('diagnosis', 3), ('foreigner', 1), ('extreme', 2)) d(t, n) $$;
-- Each is judged by a statement of its own: TABLE judging \gexec
CREATE VIEW judging AS SELECT CASE WHEN no % 10 = 0 THEN format('SELECT declare_rows(%L)', no / 10 % 4 = 3) END AS declare, format('SELECT judge_question(%s)', no) AS judge FROM questions ORDER BY no;
CREATE FUNCTION judge_question(question int) RETURNS void LANGUAGE sql AS $$
	UPDATE questions q SET (said, wrong) = (SELECT j.said, j.wrong FROM judge(q.settings, q.query, q.no) j) WHERE no = question $$;
