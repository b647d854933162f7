\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Questions as tools write them, to an insurer and to a mobile network: all but those of this list are answered as typed, and nearly all answers
-- are near the truth where noise is small.  Each is asked by the analyst, and by the owner for the truth.
SET client_min_messages = warning;
CREATE TABLE question (number serial, client text, query text, schema text, analyst text, owner text, answer json, truth json, refusal text);
SET search_path = public;
\ir ../asked/insurance.sql
SET search_path = public;
\ir ../asked/insurance_questions.sql
UPDATE question SET schema = 'cover', analyst = 'paul', owner = 'iris' WHERE schema IS NULL;
\ir ../asked/telecom.sql
SET search_path = public;
\ir ../asked/telecom_questions.sql
UPDATE question SET schema = 'net', analyst = 'amir', owner = 'tess' WHERE schema IS NULL;
SET gaussdp.answer_plain_sql = on;
SET gaussdp.epsilon = 16;
SET gaussdp.delta = 1e-7;

CREATE FUNCTION asked(query text, role text, schema text, OUT answer json, OUT refusal text) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('role', role, true), set_config('search_path', schema || ', public', true);
	EXECUTE format('SELECT json_agg(row_to_json(answered)) FROM (%s) answered', query) INTO answer;
	RESET ROLE;
EXCEPTION WHEN OTHERS THEN
	refusal := SQLERRM;
END $$;

-- Numbers, lengths of time and money within 5 %, days within half a year; all else is the same.
CREATE FUNCTION number_in(value text) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	IF value ~ '^-?\d{4}-\d\d-\d\d' THEN
		RETURN extract(epoch FROM value::timestamp);
	ELSIF value ~ '^-?\$[\d,.]+$' THEN
		RETURN replace(replace(value, ',', ''), '$', '')::float8;
	ELSIF value ~ '\d:\d\d:\d\d|^-?\d+ days?$' THEN
		RETURN extract(epoch FROM value::interval);
	END IF;
	RETURN value::float8;
EXCEPTION WHEN OTHERS THEN
	RETURN NULL;
END $$;
CREATE FUNCTION is_near(value text, truth text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
	SELECT value IS NOT DISTINCT FROM truth OR coalesce(abs(number_in(value) - number_in(truth)) <= CASE WHEN truth ~ '^\d{4}-\d\d-\d\d' THEN 190 * 86400.0 ELSE abs(number_in(truth)) / 20 + 0.001 END, false) $$;
CREATE FUNCTION are_near(answer json, truth json) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
	SELECT json_array_length(answer) = json_array_length(truth) AND bool_and(is_near(a.value, t.value))
	FROM json_array_elements(answer) WITH ORDINALITY x (line, n) JOIN json_array_elements(truth) WITH ORDINALITY y (line, n) USING (n),
		LATERAL json_each_text(x.line) WITH ORDINALITY a JOIN LATERAL json_each_text(y.line) WITH ORDINALITY t USING (ordinality) $$;

SELECT plan(6);
UPDATE question SET (answer, refusal) = (SELECT a.answer, a.refusal FROM asked(query, analyst, schema) a), truth = (SELECT t.answer FROM asked(query, owner, schema) t);
SELECT is(string_agg(query, E'\n' ORDER BY number), $refused$SELECT mode() WITHIN GROUP (ORDER BY occupation) FROM holders
SELECT bool_or(newsletter), every(income > 0) FROM holders$refused$, 'these alone are refused') FROM question WHERE refusal IS NOT NULL;
SELECT cmp_ok(count(*), '=', 220::bigint, 'questions') FROM question;
SELECT cmp_ok(count(*) FILTER (WHERE are_near(answer, truth)), '>=', 196::bigint, 'are answered within 5 %') FROM question;
SELECT diag(format('%s of %s questions are answered as typed, %s of them within 5 %%', count(*) FILTER (WHERE refusal IS NULL), count(*), count(*) FILTER (WHERE are_near(answer, truth)))) FROM question;
-- What their hints say instead.
SELECT ok(are_near((asked(query, 'paul', 'cover')).answer, (asked(query, 'iris', 'cover')).answer), 'a hint, followed: ' || query) FROM (VALUES
	('SELECT occupation FROM (SELECT occupation, count(*) AS n FROM holders GROUP BY occupation) s ORDER BY n DESC LIMIT 1'), ('SELECT count(*) FILTER (WHERE newsletter) AS n, avg((income > 0)::int) AS share FROM holders')) q (query);
SELECT diag(format('%s: %s', query, refusal)) FROM question WHERE refusal <> ALL ('{permission denied for table holders,permission denied for table policies}');
SELECT diag(format('%s %s: %s, truly %s', number, left(query, 100), left(answer::text, 200), left(truth::text, 200))) FROM question WHERE refusal IS NULL AND NOT are_near(answer, truth) ORDER BY number;
SELECT is((SELECT sum(errors)::int FROM gaussdp.budget), 0, 'and none has failed');
SELECT * FROM finish();
DROP OWNED BY paul, iris, amir, tess;
