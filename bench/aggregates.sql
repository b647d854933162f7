-- Tables and procedures of bench/aggregates: -v rows=N -v groups=N
CREATE SCHEMA bench;
-- Six columns, 65 bytes a row. Values partly beyond the bounds that the calls give, in random order: a
-- clamp must not pay for it.
CREATE UNLOGGED TABLE bench.big AS
SELECT g::int8 AS id, g % 1000 AS k, (random() * 110)::int4 AS i4, (random() * 110)::int8 AS i8, random() * 110 AS f8,
	(random() * 110)::numeric(12, 2) AS n
FROM generate_series(1, :rows) g;
CREATE UNLOGGED TABLE bench.grouped AS
SELECT (g % :groups)::int4 AS g, random() * 110 AS f8 FROM generate_series(1, 3 * :groups) g;
VACUUM (ANALYZE, FREEZE) bench.big, bench.grouped;

CREATE TABLE bench.pairs (ord int, name text PRIMARY KEY, base text, dp text);
INSERT INTO bench.pairs VALUES
(1, 'dp_avg(float8) / avg', 'SELECT avg(f8) FROM bench.big', 'SELECT dp_avg(f8, 0.5, 1e-6, 0, 100) FROM bench.big'),
(2, 'dp_sum(float8) / sum', 'SELECT sum(f8) FROM bench.big', 'SELECT dp_sum(f8, 0.5, 1e-6, 0, 100) FROM bench.big'),
(3, 'dp_avg(int8) / avg', 'SELECT avg(i8) FROM bench.big', 'SELECT dp_avg(i8, 0.5, 1e-6, 0, 100) FROM bench.big'),
(4, 'dp_sum(int4) / sum', 'SELECT sum(i4) FROM bench.big', 'SELECT dp_sum(i4, 0.5, 1e-6, 0, 100) FROM bench.big'),
(5, 'dp_avg(numeric) / avg', 'SELECT avg(n) FROM bench.big', 'SELECT dp_avg(n, 0.5, 1e-6, 0, 100) FROM bench.big'),
(6, 'dp_count / count(*)', 'SELECT count(*) FROM bench.big', 'SELECT dp_count(0.5, 1e-6) FROM bench.big'),
(7, 'dp_avg(float8), automatic bounds / avg', 'SELECT avg(f8) FROM bench.big', 'SELECT dp_avg(f8, 0.5, 1e-6) FROM bench.big'),
(8, 'the first five over one scan', 'SELECT avg(f8) AS a, sum(f8) AS b, avg(i8) AS c, sum(i4) AS d, avg(n) AS e FROM bench.big',
	'SELECT dp_avg(f8, 0.5, 1e-6, 0, 100) AS a, dp_sum(f8, 0.5, 1e-6, 0, 100) AS b, dp_avg(i8, 0.5, 1e-6, 0, 100) AS c, dp_sum(i4, 0.5, 1e-6, 0, 100) AS d, dp_avg(n, 0.5, 1e-6, 0, 100) AS e FROM bench.big');

CREATE TABLE bench.runs (setting text, name text, rep int, base_wall_ms float8, dp_wall_ms float8, base_cpu_ms float8, dp_cpu_ms float8);

-- Nanoseconds that this process has spent on a processor; its workers' are not among them.
CREATE FUNCTION bench.cpu_ns() RETURNS float8 LANGUAGE sql AS
$$SELECT split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::float8$$;

CREATE PROCEDURE bench.timed(query text, INOUT wall_ms float8, INOUT cpu_ms float8) LANGUAGE plpgsql AS
$$DECLARE
	wall timestamptz;
	cpu float8;
BEGIN
	-- Into a table: a fetch into a variable would not run in parallel.
	cpu := bench.cpu_ns();
	wall := clock_timestamp();
	EXECUTE 'CREATE TEMP TABLE answer AS ' || query;
	wall_ms := extract(epoch FROM clock_timestamp() - wall) * 1000;
	cpu_ms := (bench.cpu_ns() - cpu) / 1e6;
	DROP TABLE answer;
END$$;

-- Pairs side by side, the order within a pair alternating; one pair before to warm up.
CREATE PROCEDURE bench.pair(setting text, name text, base text, dp text, reps int) LANGUAGE plpgsql AS
$$DECLARE
	b float8; bc float8; d float8; dc float8;
BEGIN
	FOR rep IN 0 .. reps LOOP
		IF rep % 2 = 0 THEN
			CALL bench.timed(base, b, bc);
			CALL bench.timed(dp, d, dc);
		ELSE
			CALL bench.timed(dp, d, dc);
			CALL bench.timed(base, b, bc);
		END IF;
		IF rep > 0 THEN
			INSERT INTO bench.runs VALUES (setting, name, rep, b, d, bc, dc);
		END IF;
	END LOOP;
END$$;

CREATE PROCEDURE bench.all_pairs(setting text, reps int) LANGUAGE plpgsql AS
$$DECLARE p record;
BEGIN
	FOR p IN SELECT * FROM bench.pairs ORDER BY ord LOOP
		CALL bench.pair(setting, p.name, p.base, p.dp, reps);
	END LOOP;
END$$;

CREATE VIEW bench.ratios AS
SELECT setting, name, count(*) AS reps,
	percentile_cont(0.5) WITHIN GROUP (ORDER BY base_wall_ms) AS base_wall_ms,
	percentile_cont(0.5) WITHIN GROUP (ORDER BY dp_wall_ms) AS dp_wall_ms,
	percentile_cont(0.5) WITHIN GROUP (ORDER BY dp_wall_ms / base_wall_ms) AS wall_ratio,
	percentile_cont(0.5) WITHIN GROUP (ORDER BY dp_cpu_ms / base_cpu_ms) AS cpu_ratio,
	min(dp_cpu_ms) / min(base_cpu_ms) AS cpu_min_ratio
FROM bench.runs GROUP BY setting, name;
