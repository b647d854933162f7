-- How far counts and sums by group are off, where people own many rows: three ways to bound what a person adds.
--
-- The error of a number is the root of what bounding takes from it, squared, and of the variance of the noise, which all ways
-- share; so no noise is drawn here, and only what is kept at random is repeated.  A row is (task, unit, g, x), 0 <= x; it adds
-- at most least(x, bound), and the L2 sensitivity over all groups is
--
--		weights		k bound				weight of a person: least(1, k / sqrt(sum over g of (sum of its x / bound)^2))
--		rows		k bound				k rows of a person are kept, drawn at random
--		cells		r sqrt(m) bound		m groups of a person are kept, drawn at random, and r rows in each; or, for sums,
--										their sum in each, clamped to some limit, in the place of r bound
--
-- For counts that limit is the same as r rows.
-- Groups are taken as public.  Every way has its best parameters, the bound included, as if somebody had told them.
SELECT setseed(0.15);

CREATE TABLE item AS
SELECT task, unit, g, x FROM (
	SELECT '1 prescriptions: count', subject_id, 'all', 1 FROM prescription
	UNION ALL SELECT '2 prescriptions: count by type of drug (3)', subject_id, drug_type, 1 FROM prescription
	UNION ALL SELECT '3 prescriptions: count by route (37)', subject_id, route, 1 FROM prescription WHERE route IS NOT NULL
	UNION ALL SELECT '4 prescriptions: count by drug (592)', subject_id, drug, 1 FROM prescription
	UNION ALL SELECT '5 output events: count by item (62)', subject_id, itemid::text, 1 FROM output_event
	UNION ALL SELECT '6 output events: sum of mL', subject_id, 'all', greatest(value, 0) FROM output_event WHERE value IS NOT NULL
	UNION ALL SELECT '7 output events: sum of mL by item (62)', subject_id, itemid::text, greatest(value, 0) FROM output_event WHERE value IS NOT NULL
	UNION ALL SELECT '8 stays: count by unit of care (5)', subject_id, first_careunit, 1 FROM icu_stay
	UNION ALL SELECT '9 stays: sum of days by unit of care (5)', subject_id, first_careunit, los_days FROM icu_stay WHERE los_days IS NOT NULL
	UNION ALL SELECT '10 panel: count by year (7)', id, year::text, 1 FROM panel
	UNION ALL SELECT '11 panel: sum of wages by year (7)', id, year::text, wage FROM panel
	UNION ALL SELECT '12 panel: sum of wages by schooling (14)', id, education::text, wage FROM panel) s(task, unit, g, x);

CREATE TABLE truth AS SELECT task, g, sum(x) AS x FROM item GROUP BY task, g;
CREATE TABLE mu AS SELECT unnest(ARRAY[0.25, 1]::float8[]) AS mu;

-- Bounds: the natural one, and parts of it; counts have 1.
CREATE TABLE bound AS
SELECT task, largest * part AS bound
FROM (SELECT DISTINCT task, CASE WHEN task LIKE '%mL%' THEN 5000 WHEN task LIKE '%days%' THEN 60 WHEN task LIKE '%wages%' THEN 6000 ELSE 1 END AS largest FROM item) t
JOIN unnest(ARRAY[1, 0.5, 0.2, 0.1, 0.05, 0.02]::float8[]) part ON part = 1 OR largest > 1;
CREATE TABLE k AS SELECT unnest(ARRAY[1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000]) AS k;

-- Limits of the sum of a person in a group.
CREATE TABLE clamp AS
SELECT task, max(bound) * part AS limited FROM bound, unnest(ARRAY[0.02, 0.05, 0.1, 0.2, 0.5, 0.7, 1, 1.5, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100]::float8[]) part
WHERE task LIKE '%sum%' GROUP BY task, part;

CREATE TABLE taken (way text, task text, bound float8, parameters text, sensitivity float8, bias float8);

CREATE TABLE cell AS
SELECT task, bound, unit, g, sum(least(x, bound)) AS x FROM item JOIN bound USING (task) GROUP BY task, bound, unit, g;
INSERT INTO taken
SELECT 'weights', task, bound, format('k = %s', k), k * bound, avg((coalesce(s.x, 0) - t.x) ^ 2)
FROM (SELECT task, bound, k, g, sum(x * least(1, k * bound / norm)) AS x
	FROM (SELECT *, sqrt(sum(x * x) OVER (PARTITION BY task, bound, unit)) AS norm FROM cell) c, k
	WHERE norm > 0 GROUP BY task, bound, k, g) s
RIGHT JOIN (SELECT * FROM truth JOIN bound USING (task) CROSS JOIN k) t USING (task, bound, k, g)
GROUP BY task, bound, k;

-- What is drawn at random: the place of each row among its person's, of each group among its person's, of each row in both.
CREATE TABLE draw AS
SELECT *, row_number() OVER (PARTITION BY repetition, task, unit ORDER BY random()) AS place,
	dense_rank() OVER (PARTITION BY repetition, task, unit ORDER BY hashtext(g || salt), g) AS place_of_group,
	row_number() OVER (PARTITION BY repetition, task, unit, g ORDER BY random()) AS place_in_group
FROM (SELECT repetition, random()::text AS salt FROM generate_series(1, :repetitions) repetition) r, item;
ANALYZE draw;

-- Whatever is kept is a sum of what stands at the first places: one step a place, added up.
INSERT INTO taken
SELECT 'rows', task, bound, format('k = %s', k), k * bound, avg((coalesce(s.x, 0) - t.x) ^ 2)
FROM (SELECT repetition, task, bound, k, g, sum(x) AS x
	FROM (SELECT repetition, task, bound, place, g, sum(least(x, bound)) AS x FROM draw JOIN bound USING (task)
		GROUP BY repetition, task, bound, place, g) d
	JOIN k ON place <= k GROUP BY repetition, task, bound, k, g) s
RIGHT JOIN (SELECT * FROM truth JOIN bound USING (task) CROSS JOIN k CROSS JOIN generate_series(1, :repetitions) repetition) t
	USING (repetition, task, bound, k, g)
GROUP BY task, bound, k;

CREATE TABLE per_group AS
SELECT repetition, task, bound, g, place_of_group, r.k AS r, sum(least(x, bound)) AS x
FROM draw JOIN bound USING (task) JOIN k AS r ON place_in_group <= r.k GROUP BY repetition, task, bound, g, place_of_group, r.k;
ANALYZE per_group;
INSERT INTO taken
SELECT 'cells', task, bound, format('m = %s, r = %s', m, r), r * sqrt(m) * bound, avg((coalesce(s.x, 0) - t.x) ^ 2)
FROM (SELECT repetition, task, bound, m.k AS m, r, g, sum(x) AS x
	FROM per_group JOIN k AS m ON place_of_group <= m.k AND m.k <= 300 GROUP BY repetition, task, bound, m.k, r, g) s
RIGHT JOIN (SELECT truth.*, bound, m.k AS m, r.k AS r, repetition
	FROM truth JOIN bound USING (task) JOIN k AS m ON m.k <= 300 CROSS JOIN k AS r CROSS JOIN generate_series(1, :repetitions) repetition) t
	USING (repetition, task, bound, m, r, g)
GROUP BY task, bound, m, r;

INSERT INTO taken
SELECT 'cells', task, limited, format('m = %s, limit %s', m, limited), limited * sqrt(m), avg((coalesce(s.x, 0) - t.x) ^ 2)
FROM (SELECT repetition, task, limited, m.k AS m, g, sum(x) AS x
	FROM (SELECT repetition, task, limited, place_of_group, g, sum(least(x, limited)) AS x
		FROM (SELECT repetition, task, unit, g, place_of_group, sum(x) AS x FROM draw GROUP BY repetition, task, unit, g, place_of_group) c
		JOIN clamp USING (task) GROUP BY repetition, task, limited, place_of_group, g) d
	JOIN k AS m ON place_of_group <= m.k AND m.k <= 300 GROUP BY repetition, task, limited, m.k, g) s
RIGHT JOIN (SELECT truth.*, limited, m.k AS m, repetition
	FROM truth JOIN clamp USING (task) JOIN k AS m ON m.k <= 300 CROSS JOIN generate_series(1, :repetitions) repetition) t
	USING (repetition, task, limited, m, g)
GROUP BY task, limited, m;

CREATE TABLE off AS
SELECT way, task, mu, bound, parameters, sqrt(bias + (sensitivity / mu) ^ 2) AS error, sensitivity FROM taken CROSS JOIN mu;
CREATE TABLE best AS
SELECT DISTINCT ON (way, task, mu) * FROM off ORDER BY way, task, mu, error;
