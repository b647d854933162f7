-- As how many rows a person should count: for owners, from the rows themselves.

-- FROM of a query of people's rows: the table, joined to those by way of which its rows are somebody's; and the unit. Every name is quoted.
CREATE FUNCTION gaussdp_internal.rows_with_unit("table" regclass, OUT from_clause text, OUT unit text) RETURNS record
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  d record;
  depth int := 0;
BEGIN
  SELECT * INTO d FROM gaussdp_internal.table_declaration("table");
  IF d.declared_on IS NULL THEN
    RAISE EXCEPTION USING errcode = 'object_not_in_prerequisite_state', message = format('%s is not protected', "table"),
      hint = 'Declare it first: SELECT gaussdp.protect(...), or let gaussdp.suggest(schema) propose it.';
  END IF;
  from_clause := format('%s AS t0', "table");
  WHILE d.via IS NOT NULL AND depth < 32 LOOP
    depth := depth + 1;
    from_clause := format('%s JOIN %s AS t%s ON %s', from_clause, d.via, depth,
      (SELECT string_agg(format('t%s.%I = t%s.%I', depth - 1, c.own, depth, c.other), ' AND ') FROM unnest(d.unit::name || coalesce(d.also, '{}'), d.via_column::name || coalesce(d.via_also, '{}')) AS c (own, other)));
    SELECT * INTO d FROM gaussdp_internal.table_declaration(d.via);
  END LOOP;
  unit := format('t%s.%I', depth, d.unit);
END
$$;
COMMENT ON FUNCTION gaussdp_internal.rows_with_unit(regclass) IS 'FROM clause and unit column of a protected table''s rows, along its path; for gaussdp.suggest_max_rows(). Errors: 55000.';

CREATE FUNCTION gaussdp.suggest_max_rows("table" regclass, epsilon float8 DEFAULT 1, delta float8 DEFAULT 1e-6)
RETURNS TABLE (max_rows int8, people float8, rows_cut float8, noise float8, error float8)
LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  source record;
  sigma float8 := 1 / gdp.mu(epsilon, delta);
BEGIN
  IF pg_catalog.current_setting('gaussdp.as_analyst', true)::bool THEN
    RAISE EXCEPTION USING errcode = 'object_not_in_prerequisite_state', message = 'rows are counted exactly, which gaussdp.as_analyst keeps from this session',
      hint = 'RESET gaussdp.as_analyst';
  END IF;
  SELECT * INTO source FROM gaussdp_internal.rows_with_unit("table");
  RETURN QUERY EXECUTE format($query$
    WITH person AS (SELECT count(*) AS n FROM %s WHERE %s IS NOT NULL GROUP BY %s),
    size AS (SELECT n, count(*) AS people FROM person GROUP BY n),
    power AS (SELECT i, round(2::numeric ^ i, 1 - trunc(i * log(2.0))::int)::int8 AS k FROM generate_series(0, 32) AS i),
    k AS (SELECT p.k FROM (SELECT k, lag(k, 1, 0::int8) OVER (ORDER BY i) AS before FROM power) AS p WHERE p.before < (SELECT max(n) FROM size)),
    at AS (SELECT k, sum(people) FILTER (WHERE n <= k)::float8 / sum(people)::float8 AS people, sum(people * greatest(n - k, 0))::float8 AS cut FROM k CROSS JOIN size GROUP BY k)
    SELECT k, coalesce(people, 0), cut, $1 * k, sqrt(cut ^ 2 + ($1 * k) ^ 2) FROM at ORDER BY k
  $query$, source.from_clause, source.unit, source.unit) USING sigma;
END
$$;
COMMENT ON FUNCTION gaussdp.suggest_max_rows(regclass, float8, float8) IS
'For the owner of a protected table, who may read it: for each power of two, rounded to two digits, that gaussdp.protect() could declare as max_rows, the share of people with no more rows (people), how many rows a count of all rows would lack (rows_cut), the standard deviation of its noise at this epsilon and delta (noise), and both together (error, a root mean square). Counts rows exactly: keep it to yourself. The least error is the best max_rows for totals; by many groups a smaller one does. Do not declare the largest number that somebody has: declarations can be read by everybody, and it is one person''s. Errors: 22023, 42501, 55000.';
