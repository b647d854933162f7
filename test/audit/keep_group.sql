\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- The existence of a group (attacks 4.4): groups that exist through one person alone are shown with a
-- probability of at most delta_T = delta / 2, all of them together; and not much less in the worst case.
BEGIN;
SELECT plan(9);

-- 20,000 runs at delta_T = 0.01: 200 expected at most; 271 or more has a probability below 1e-6.  In truth 196 to 201 are expected
-- where 100 is the least, and 139 where 75 is: that threshold is set by persons with one row in each of five groups.
CREATE FUNCTION shown(call text, groups int, rows int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	n bigint;
BEGIN
	EXECUTE format('SELECT count(DISTINCT run) FROM (SELECT run, g FROM generate_series(1, 20000) run, generate_series(1, %s) g, generate_series(1, %s) r
		GROUP BY run, g HAVING %s) s', groups, rows, call) INTO n;
	RETURN n;
END $$;
SELECT ok(shown BETWEEN least AND 270, format('%s: %s groups of %s rows: %s of 20,000 runs show one', call, groups, rows, shown))
FROM (VALUES ('dp_keep_group(1, 0.02)', 1, 1, 100), ('dp_keep_group(8, 0.02)', 1, 1, 100), ('dp_keep_group(1, 0.02, 5)', 1, 5, 75), ('dp_keep_group(1, 0.02, 5)', 5, 1, 0),
	('dp_keep_group(1, 0.02, 5)', 2, 2, 0), ('dp_keep_group(8, 0.02, 4)', 1, 4, 0), ('dp_keep_group(8, 0.02, 4)', 4, 1, 0), ('dp_keep_group(100, 0.02, 3)', 3, 1, 0)) c(call, groups, rows, least),
	shown(call, groups, rows);
SELECT ok(count(*) = 1000, 'groups far above the threshold are always shown')
FROM (SELECT i FROM generate_series(1, 1000) i, generate_series(1, 100) r GROUP BY i HAVING dp_keep_group(1, 1e-6)) s;

SELECT * FROM finish();
ROLLBACK;
