\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Black-box audit of weights: what a person with one row, or with 10,000 (1,000 in `make test`), adds to a release is told by no more
-- than what is paid; and groups that exist through one person alone are shown with a probability of at most
-- delta_T, all of them together.
BEGIN;
\ir ../module/size.sql
\ir ../module/probe.sql
SELECT plan(55);

-- Others' rows, which count in full, and one person's, each with the weight that so many rows (or one) at k = 5 have; and what each of these persons
-- adds to a sum or an average of equal values, in one row.
CREATE FUNCTION weighed(n_rows int, k int, kind int, params float8[], x int) RETURNS TABLE (side int, m int8, part bytea) LANGUAGE sql AS $$
	SELECT 0, 2147483648, row_total(kind, params, x, 2147483648) FROM generate_series(1, 20)
	UNION ALL SELECT 1, gaussdp_internal.person_weight(s, total, k * 1048576::int8) OVER (),
		CASE WHEN i = 1 THEN gaussdp_internal.clip_total(t, gaussdp_internal.total_weight(CASE WHEN i = 1 THEN t END, kind, params, k * 1048576::int8) OVER ()) END
	FROM (SELECT i, s, gaussdp_internal.size_sum(s) OVER () AS total, gaussdp_internal.person_total(kind, params, x) OVER () AS t FROM generate_series(1, n_rows) i, (VALUES (1048576::int8)) v(s)) r $$;
-- By which part of mu one row is told, and how an average is: rows on a bound move sum and count, those in the middle the count alone, by twice as many rows.
CREATE TABLE calls (name text, call text, x int, one_row float8, told text, kind int DEFAULT 3, params text DEFAULT '{%s,1e-6,-100,100,5}');
INSERT INTO calls VALUES ('a count', 'gaussdp_internal.count_weighted(m, ''{%s,1e-6,5}'')', 0, 0.2, 'a'), 
	('an average', 'avg_estimate_weighted(part, ''{%s,1e-6,-100,100,5}'')', 100, 0.2, '(a).num / (a).num_sd * sqrt(3) + (a).den / (a).den_sd'),
	('an average of rows in the middle', 'avg_estimate_weighted(part, ''{%s,1e-6,-100,100,5}'')', 0, 0.1, '(a).den / (a).den_sd'),
	('a distribution function', 'gaussdp_internal.cdf_weighted(m, ''{%s,1e-6,-100,100,2,5}'', -50)', 0, 0.2, '(1 - sqrt(0.2)) * (a)[1] + sqrt(0.2) * (a)[2]');
INSERT INTO calls VALUES ('a sum', 'gaussdp_internal.sum_weighted(part, ''{%s,1e-6,-1,10,5}'')', 10, 0.2, 'a', 2, '{%s,1e-6,-1,10,5}');
CREATE FUNCTION audit(c calls, epsilon float8, n_rows int, n int) RETURNS TABLE (bounded float8, tight float8) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('WITH rows AS MATERIALIZED (SELECT * FROM weighed(%2$s, 5, %7$s, %5$L, %6$s)),
			outputs AS MATERIALIZED (SELECT i, side, (%4$s)::float8 AS h FROM (SELECT i, s AS side, %1$s AS a
				FROM generate_series(1, %3$s * 2) i, generate_series(0, 1) s, rows r WHERE r.side <= s GROUP BY i, s) g),
			threshold AS (SELECT avg(h) AS t, abs(avg(h) FILTER (WHERE side = 1) - avg(h) FILTER (WHERE side = 0)) / sqrt((var_samp(h) FILTER (WHERE side = 1) + var_samp(h) FILTER (WHERE side = 0)) / 2) AS shift
				FROM outputs WHERE i <= %3$s)
		SELECT test_audit_mu(count(*) FILTER (WHERE side = 0 AND h > t), count(*) FILTER (WHERE side = 1 AND h <= t), %3$s, 1e-6), max(shift)
		FROM outputs, threshold WHERE i > %3$s', format(c.call, epsilon), n_rows, n, c.told, format(c.params, epsilon), c.x, c.kind);
END $$;
CREATE TABLE found AS SELECT c.name, c.one_row, e AS epsilon, r AS n_rows, a.* FROM calls c, unnest('{8,1}'::float8[]) e, unnest(ARRAY[1, sized(10000)]) r, audit(c, e, r, CASE r WHEN 1 THEN 2000 ELSE 500 END) a WHERE r = 1 OR c.call !~ 'cdf';
SELECT ok(bounded <= gdp.mu(epsilon, 1e-6), format('%s at epsilon %s, a person of %s rows: no more is told than is paid for', name, epsilon, n_rows)) FROM found;
-- 2,000 and 500 outputs a side; a difference of two means over their standard deviation: 6 of its own are allowed.
SELECT ok(abs(tight - reach) < 6 * sqrt((2 + reach ^ 2 / 4) / CASE n_rows WHEN 1 THEN 2000 ELSE 500 END),
	format('%s at epsilon %s: a person of %s rows is told by %s of mu: %s', name, epsilon, n_rows, CASE n_rows WHEN 1 THEN one_row ELSE 1 END, round(tight::numeric, 3)))
FROM (SELECT *, gdp.mu(epsilon, 1e-6) * CASE n_rows WHEN 1 THEN one_row ELSE 1 END AS reach FROM found) f;

-- Different values: others take two each, a person of 200 values takes five that nobody else does.
CREATE TABLE valued AS SELECT s AS side, m FROM (SELECT s, gaussdp_internal.takes_value(u, v, 1048576, 5 * 1048576) OVER (PARTITION BY s ORDER BY u, v) AS m
	FROM generate_series(0, 1) s, (SELECT u, 2 * u + j AS v FROM generate_series(1, 20) u, generate_series(0, 1) j UNION ALL SELECT 0, 100 + v FROM generate_series(1, 200) v) r WHERE s = 1 OR u > 0) w;
SELECT ok(bounded <= gdp.mu(4, 1e-6), format('different values: no more is told than is paid for: %s', bounded)) FROM (WITH outputs AS MATERIALIZED (
		SELECT i, side, gaussdp_internal.count_weighted(m, '{4,1e-6,5}')::float8 AS h FROM generate_series(1, 4000) i, valued GROUP BY i, side),
	threshold AS (SELECT avg(h) AS t FROM outputs WHERE i <= 2000)
	SELECT test_audit_mu(count(*) FILTER (WHERE side = 0 AND h > t), count(*) FILTER (WHERE side = 1 AND h <= t), 2000, 1e-6) AS bounded FROM outputs, threshold WHERE i > 2000) s;
SELECT is((SELECT count(*) FILTER (WHERE side = 1) - count(*) FILTER (WHERE side = 0) FROM valued WHERE m > 0), 5::bigint, 'and the person moves the number by all of k');

-- 20,000 runs at delta_T = 0.05: 1,000 expected at most; 1,160 or more has a probability below 1e-6.
CREATE FUNCTION shown(test text, groups int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	n bigint;
BEGIN
	-- a run by itself: two million groups at once would go to files
	EXECUTE format('WITH w AS MATERIALIZED (SELECT gaussdp_internal.person_weight(1048576, 1048576, 1048576) AS m FROM generate_series(1, %s))
		SELECT count(*) FROM generate_series(1, 20000) run WHERE EXISTS (SELECT FROM generate_series(1, %1$s) g, w WHERE run > 0 GROUP BY g HAVING %s)', groups, test) INTO n;
	RETURN n;
END $$;
SELECT ok(n BETWEEN least AND 1159, format('%s, a person alone in %s groups: %s of 20,000 runs show one', test, groups, n))
FROM (VALUES ('gaussdp_internal.keep_group_weighted(m, ''{1,0.1,100}'')', 1, 0), ('gaussdp_internal.keep_group_weighted(m, ''{1,0.1,100}'')', 10, 0),
	('gaussdp_internal.keep_group_weighted(m, ''{1,0.1,100}'')', 100, 600), ('gaussdp_internal.keep_group_weighted(m, ''{1,0.1,1}'')', 1, 600), ('gaussdp_internal.keep_group_weighted(m, ''{8,0.1,100}'')', 1, 300),
	('gaussdp_internal.keep_group_weighted(m, ''{8,0.1,10}'')', 10, 0)) c(test, groups, least), shown(test, groups) n;

-- The same by the numbers that a query may be compared with, which the policy names.
CREATE TABLE visit (person int NOT NULL, clinic text);
DO $$BEGIN PERFORM gaussdp.protect('visit', unit => 'person', max_rows => 4, max_groups => 100); END$$;
SET LOCAL gaussdp.as_analyst = on;
CREATE FUNCTION smallest(test text) RETURNS text LANGUAGE sql AS
	$$SELECT substring(hint FROM '>= (\d+)') FROM gaussdp.explain_privacy(format('SELECT clinic FROM visit GROUP BY clinic HAVING %s > 1', test))$$;
SELECT smallest('dp_count(DISTINCT person, 1, 0.05)') AS people, smallest('dp_count(1, 0.05)') AS rows \gset
SELECT ok(n <= 1159, format('people, a person alone in %s groups: %s of 20,000 runs show one', groups, n))
FROM unnest('{1,10,100}'::int[]) groups, shown(format('gaussdp_internal.count_weighted(m, ''{1,0.05,1}'') >= %s', :people), groups) n;
SELECT ok(n <= 1159, format('rows, a person with four rows in each of %s groups: %s of 20,000 runs show one', groups, n))
FROM unnest('{1,10,100}'::int[]) groups, LATERAL (SELECT count(*) AS n FROM generate_series(1, 20000) run WHERE EXISTS (SELECT FROM generate_series(1, groups) g,
	(SELECT floor(2147483648 / sqrt(groups))::int8 AS m FROM generate_series(1, 4)) w WHERE run > 0 GROUP BY g HAVING gaussdp_internal.count_weighted(m, '{1,0.05,4}') >= :rows)) s;

-- Groups of four grouping sets, by the calls that take the place of dp_keep_group(1, 0.1): of people with 20 groups, 5 in each set, with 4, and of people with one row.
CREATE FUNCTION test_weighed(text) RETURNS text AS :'testlib' LANGUAGE C STRICT;
CREATE TABLE bed (person int NOT NULL, clinic text, ward text);
CREATE TABLE born (person int PRIMARY KEY, clinic text, ward text);
DO $$BEGIN PERFORM gaussdp.protect('bed', unit => 'person', max_rows => 4, max_groups => 5), gaussdp.protect('born', unit => 'person'); END$$;
CREATE FUNCTION keep_over_sets(source text) RETURNS text LANGUAGE sql AS $$
	SELECT CASE source WHEN 'bed' THEN format('gaussdp_internal.keep_group_weighted(m, %L)', substring(query FROM 'keep_group_weighted\([^{]*(\{[^}]*\})')) ELSE substring(query FROM 'dp_keep_group\([^)]*\)') END
	FROM test_weighed(format('SELECT clinic, ward, dp_count(1, 0.1) FROM %s GROUP BY CUBE (clinic, ward) HAVING dp_keep_group(1, 0.1)', source)) query $$;
CREATE FUNCTION shown_over_sets(source text, groups int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	n bigint;
BEGIN
	EXECUTE format('WITH w AS MATERIALIZED (SELECT gaussdp_internal.person_weight(1048576, 1048576, 2097152) AS m FROM generate_series(1, %1$s))
		SELECT count(*) FROM generate_series(1, 20000) run WHERE EXISTS (SELECT FROM generate_series(1, %1$s) g, w WHERE run > 0 GROUP BY g HAVING %2$s)', groups, keep_over_sets(source)) INTO n;
	RETURN n;
END $$;
SELECT ok(n BETWEEN least AND 1159, format('grouping sets of %s, a person alone in %s groups: %s of 20,000 runs show one', source, groups, n))
FROM (VALUES ('bed', 4, 200), ('bed', 20, 600), ('born', 4, 600)) c(source, groups, least), shown_over_sets(source, groups) n;
-- And what the groups of all sets tell of a person beside six others, who is in each set's: 2,000 runs.
CREATE FUNCTION told_over_sets(source text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	found float8;
BEGIN
	EXECUTE format('WITH outputs AS MATERIALIZED (SELECT i, side, count(*) FILTER (WHERE kept) AS h FROM (SELECT i, side, g, %s AS kept
			FROM generate_series(1, 4000) i, generate_series(0, 1) side, generate_series(1, 4) g, generate_series(1, 6 + side) r, (VALUES (2147483648)) w(m) GROUP BY i, side, g) s GROUP BY i, side),
		threshold AS (SELECT avg(h) AS t FROM outputs WHERE i <= 2000)
		SELECT test_audit_mu(count(*) FILTER (WHERE side = 0 AND h > t), count(*) FILTER (WHERE side = 1 AND h <= t), 2000, 1e-6) FROM outputs, threshold WHERE i > 2000', keep_over_sets(source)) INTO found;
	RETURN found;
END $$;
SELECT ok(told BETWEEN 0.05 AND gdp.mu(1, 0.05), format('grouping sets of %s tell no more than is paid: %s', source, told)) FROM unnest('{bed,born}'::text[]) source, told_over_sets(source) told;
SELECT * FROM finish();
ROLLBACK;
