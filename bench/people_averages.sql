-- How far averages, standard deviations and histograms are off where the rows of a person are weighed by their number, and where what they add up to
-- is clipped as a whole: root mean square error over groups, of bias and noise together, at the k that is best for each.  Included by bench/people.
CREATE TABLE number_of (task text, u int, g text, x float8, low float8, high float8);
INSERT INTO number_of SELECT 'output events: mL, 0 to 1000', subject_id, '', value, 0, 1000 FROM output_event WHERE value IS NOT NULL;
INSERT INTO number_of SELECT 'output events: mL by item (4)', subject_id, itemid, value, 0, 1000 FROM output_event WHERE value IS NOT NULL AND itemid IN (SELECT itemid FROM output_event GROUP BY itemid ORDER BY count(*) DESC, itemid LIMIT 4);
INSERT INTO number_of SELECT 'panel: wages by year (7), 0 to 3000', id, year, wage, 0, 3000 FROM panel;
INSERT INTO number_of SELECT 'stays: days, 0 to 20', subject_id, '', los_days, 0, 20 FROM icu_stay WHERE los_days IS NOT NULL;
-- In half widths about the middle, v and v^2 - 1/2; and the bin of twenty.
CREATE TABLE own AS SELECT task, u, g, count(*)::float8 AS n, sum(v) AS s1, sum(v * v - 0.5) AS s2, (max(high) - max(low)) / 2 AS w
	FROM (SELECT *, least(greatest((x - (low + high) / 2) / ((high - low) / 2), -1), 1) AS v FROM number_of) r GROUP BY task, u, g;
CREATE TABLE own_bin AS SELECT task, u, g, least(greatest(floor((x - low) / (high - low) * 20), 0), 19) AS bin, count(*)::float8 AS n FROM number_of GROUP BY task, u, g, bin;
CREATE TABLE norm AS SELECT task, u, sqrt(sum(n ^ 2)) AS by_rows, sqrt(sum(3 * s1 ^ 2 + n ^ 2) / 4) AS average, sqrt(sum(n ^ 2 + s1 ^ 2 + 2 * (2 * s2) ^ 2) / 4) AS variance, (SELECT sqrt(sum(b.n ^ 2)) FROM own_bin b WHERE (b.task, b.u) = (o.task, o.u)) AS histogram
	FROM own o GROUP BY task, u;
CREATE TABLE way AS SELECT w.kind, w.way, n.task, n.u, w.size FROM norm n, LATERAL (VALUES ('average', 'rows', by_rows), ('average', 'clipped', average), ('standard deviation', 'rows', by_rows), ('standard deviation', 'clipped', variance),
	('histogram', 'rows', by_rows), ('histogram', 'clipped', histogram)) AS w(kind, way, size);
CREATE TABLE weighed AS SELECT kind, way, task, k, g, sum(n) AS all_n, sum(s1) AS all_s1, sum(s2) AS all_s2, sum(n * m) AS n, sum(s1 * m) AS s1, sum(s2 * m) AS s2, max(w) AS w
	FROM (SELECT *, least(1, k / size) AS m FROM way JOIN own USING (task, u), unnest('{1,2,3,5,7,10,15,20,30,50,70,100,150,200,300,500,700,1000}'::float8[]) k) r GROUP BY kind, way, task, k, g;
-- Noise of an average and of a variance to its first order, and no more than half of the width between the bounds; a histogram's error is that of a bin.
CREATE TABLE erring AS
	SELECT kind, way, task, mu, k, sqrt(avg(least(CASE kind WHEN 'average' THEN (s1 / n - all_s1 / all_n) ^ 2 + ((k / mu / n) ^ 2) * (1 / 0.75 + (s1 / n) ^ 2 / 0.25)
		ELSE (sqrt(var) - sqrt(all_var)) ^ 2 + ((k / mu / n) ^ 2 * (0.25 / 0.5 + (2 * s1 / n) ^ 2 / 0.25 + (2 * (s1 / n) ^ 2 - s2 / n) ^ 2 / 0.25)) / (4 * var) END, 1) * w ^ 2)) AS error
	FROM (SELECT *, s2 / n + 0.5 - (s1 / n) ^ 2 AS var, all_s2 / all_n + 0.5 - (all_s1 / all_n) ^ 2 AS all_var FROM weighed) w, unnest('{0.25,1}'::float8[]) mu WHERE kind <> 'histogram' GROUP BY kind, way, task, mu, k
	UNION ALL SELECT kind, way, task, mu, k, sqrt(sum(lost ^ 2) / (20 * max(groups)) + (k / mu) ^ 2)
	FROM (SELECT kind, way, b.task, k, b.g, bin, sum(n * (1 - least(1, k / size))) AS lost, (SELECT count(DISTINCT g) FROM own o WHERE o.task = b.task) AS groups FROM way w JOIN own_bin b ON (b.task, b.u) = (w.task, w.u) AND kind = 'histogram',
		unnest('{1,2,3,5,7,10,15,20,30,50,70,100,150,200,300,500,700,1000}'::float8[]) k GROUP BY kind, way, b.task, k, b.g, bin) h, unnest('{0.25,1}'::float8[]) mu GROUP BY kind, way, task, mu, k;
