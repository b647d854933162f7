\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- What a newcomer asks of people with 1 to 25 rows each, where nothing is declared but whose rows they are: at epsilon 15 every answer is within
-- 5 percent of the truth, or gaussdp.last_answer, from which the notice comes, says that so much may be missing.
SET client_min_messages = warning;
CREATE TABLE month (month int PRIMARY KEY);
INSERT INTO month SELECT generate_series(1, 12);
CREATE TABLE tag (month int NOT NULL, tag text NOT NULL);
INSERT INTO tag SELECT m, t FROM generate_series(1, 12) m, unnest('{a,b,c}'::text[]) t;
CREATE TABLE buy (kind text NOT NULL, customer int NOT NULL, month int NOT NULL, amount numeric(8, 2) NOT NULL, vip bool NOT NULL);
-- As many rows each: 1 to 25 alike; few of most and 25 of a tenth; 25 of all; 1 of most and 25 of one in fifty; falling off as 1/n
INSERT INTO buy SELECT kind, p, 1 + (p * 7 + i * 5) % 12, 10 + (p * i) % 80, i % 3 = 1
FROM generate_series(1, 6000) p, LATERAL (VALUES ('alike', 1 + p % 25), ('a tenth', CASE WHEN p % 10 = 0 THEN 25 ELSE 1 + p % 3 END), ('all', 25), ('a fiftieth', CASE WHEN p % 50 = 0 THEN 25 ELSE 1 END), ('falling', 1 + 25 * 25 / (25 + p % 400))) AS k (kind, n), generate_series(1, n) i WHERE p <= 1500 OR kind = 'a fiftieth';
CREATE ROLE newcomer;
GRANT SELECT ON month, tag TO newcomer;
SELECT gaussdp.protect('buy', unit => 'customer', max_rows => 0), gaussdp.set_public_keys('buy', 'month', 'month', 'month'),
	gaussdp.grant_budget('newcomer', 'buy', epsilon => 1000, delta => 1e-2, default_epsilon => 15, default_delta => 1e-6) \g /dev/null
SELECT plan(3);

-- The answers of a query to one population, a number a row: the analyst's, the truth, and how much may be missing.
CREATE FUNCTION answers(query text, kind text) RETURNS TABLE (n bigint, answer float8, truth float8, missing float8) LANGUAGE plpgsql AS $$
DECLARE
	numbered text := format('SELECT array_agg(a::float8 ORDER BY k) FROM (%s) AS s (k, a)', replace(query, '$1', quote_literal(kind)));
	truths float8[];
	found float8[];
	said float8;
BEGIN
	EXECUTE numbered INTO truths;
	SET LOCAL ROLE newcomer;
	SET LOCAL gaussdp.answer_plain_sql = on;
	EXECUTE numbered INTO found;
	-- as the notice: where more than 5 percent is cut, or 15 may be
	SELECT coalesce(max(CASE WHEN NOT is_found THEN 1 WHEN cut > 0.05 OR cut_at_most > 0.15 THEN cut_at_most END), 0) INTO said FROM gaussdp.last_answer;
	RESET ROLE;
	RETURN QUERY SELECT u.ordinality, u.f, u.t, said FROM unnest(found, truths) WITH ORDINALITY AS u (f, t);
END $$;
CREATE TABLE asked (name text, query text);
INSERT INTO asked VALUES ('a count', 'SELECT 0, count(*) FROM buy WHERE kind = $1'), ('a sum', 'SELECT 0, sum(amount) FROM buy WHERE kind = $1'),
	('a quotient', 'SELECT 0, sum(amount) / count(*) FROM buy WHERE kind = $1'), ('an average', 'SELECT 0, avg(amount) FROM buy WHERE kind = $1'),
	('a share', 'SELECT 0, count(*) FILTER (WHERE vip) / count(*)::numeric FROM buy WHERE kind = $1'), ('a share by CASE', 'SELECT 0, 100.0 * sum(CASE WHEN vip THEN 1 ELSE 0 END) / count(*) FROM buy WHERE kind = $1'),
	('people', 'SELECT 0, count(DISTINCT customer) FROM buy WHERE kind = $1'), ('people by month', 'SELECT month, count(DISTINCT customer) FROM buy WHERE kind = $1 GROUP BY month'),
	('counts by month', 'SELECT month, count(*) FROM buy WHERE kind = $1 GROUP BY month'), ('joined to several public rows', 'SELECT 0, count(*) FROM buy JOIN tag ON tag.month = buy.month WHERE kind = $1'),
	('joined, by public rows', 'SELECT tag, count(*) FROM buy JOIN tag ON tag.month = buy.month WHERE kind = $1 GROUP BY tag');
CREATE TABLE kinds AS SELECT DISTINCT kind FROM buy;
CREATE TABLE got (name text, kind text, n bigint, answer float8, truth float8, missing float8);
-- Each a statement of its own, of which gaussdp.last_answer is
SELECT format('INSERT INTO got SELECT %L, %L, * FROM answers(%L, %L)', a.name, k.kind, a.query, k.kind) FROM asked a, kinds k \gexec
CREATE VIEW judged AS SELECT name, kind, bool_and(abs(answer / truth - 1) <= greatest(0.05, missing * 1.05)) AS is_right, max(abs(answer / truth - 1)) AS off, max(missing) AS said FROM got GROUP BY name, kind;
SELECT diag(format('%s, %s: off by %s %%, and %s %% may be missing, as is said', name, kind, round(100 * off), round(100 * said))) FROM judged WHERE is_right IS NOT TRUE ORDER BY 1;
-- An empty bin stands out in one histogram of 2.5 million; of 55 two do not.
SELECT cmp_ok(count(*), '>=', 54::bigint, 'within 5 percent of the truth, or it is said how much may be missing') FROM judged WHERE is_right;
SELECT is(count(*), 55::bigint, 'of all questions to all people') FROM (SELECT DISTINCT name, kind FROM got WHERE answer IS NOT NULL) s;
SELECT cmp_ok(count(*) FILTER (WHERE abs(answer / truth - 1) <= 0.05)::float8 / count(*), '>', 0.9::float8, 'nearly all answers are near by themselves') FROM got;
SELECT * FROM finish();
