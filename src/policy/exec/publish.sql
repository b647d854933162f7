-- Released numbers in plain tables, which readers need no budget for.
--
-- All of it runs as whoever calls it: nobody makes another role pay. A publication is its table, whose owner alone refreshes it; what
-- superusers ran in that role's name would be exact, and is refused.

CREATE VIEW gaussdp.publications WITH (security_barrier) AS
SELECT p.relation AS publication, pg_catalog.pg_get_userbyid(c.relowner) AS publisher, p.query, p.every, p.drawn_at,
  greatest(p.drawn_at, p.failed_at) OPERATOR(pg_catalog.+) CASE WHEN p.every OPERATOR(pg_catalog.<=) '10 years' THEN p.every END AS due_at, p.price_epsilon, p.price_delta, p.settings,
  CASE WHEN pg_catalog.pg_has_role(c.relowner, 'USAGE') THEN p.failed_at END AS failed_at, CASE WHEN pg_catalog.pg_has_role(c.relowner, 'USAGE') THEN p.problem END AS problem
FROM gaussdp_internal.publication AS p JOIN pg_catalog.pg_class AS c ON c.oid OPERATOR(pg_catalog.=) p.relation::oid AND c.relowner OPERATOR(pg_catalog.=) p.publisher::oid
WHERE pg_catalog.pg_has_role(c.relowner, 'USAGE') OR pg_catalog.has_table_privilege(c.oid, 'SELECT');
GRANT SELECT ON gaussdp.publications TO PUBLIC;
COMMENT ON VIEW gaussdp.publications IS
'Tables of released numbers that gaussdp.publish() has made and the current role may read: the query, who pays for it, how old the numbers are, when the next ones are due, and the price of one release.';

CREATE FUNCTION gaussdp_internal.write_publication(publication regclass, query text, every interval, settings text[], drawn_at timestamptz,
  price_epsilon float8, price_delta float8, failed_at timestamptz, problem text) RETURNS void
AS 'MODULE_PATHNAME', 'gaussdp_write_publication' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp_internal.write_publication(regclass, text, interval, text[], timestamptz, float8, float8, timestamptz, text) IS
'Writes what gaussdp.publications shows of a table, for the table''s owner alone. Errors: 42501, 55000.';

CREATE FUNCTION gaussdp_internal.forget_last_answer() RETURNS void
AS 'MODULE_PATHNAME', 'gaussdp_forget_last_answer' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp_internal.forget_last_answer() IS 'From here on gaussdp.last_answer shows what is released later; for gaussdp.refresh().';

-- Half widths go by the names of calls: dp_sum, and dp_sum 2 for another one.
CREATE FUNCTION gaussdp_internal.released(OUT calls int8, OUT drawn_at timestamptz, OUT epsilon float8, OUT delta float8, OUT half_widths jsonb, OUT readable regclass)
LANGUAGE sql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT count(*), min(c.at), gaussdp_internal.three_digits(gdp.epsilon(sqrt(sum(c.price_mu_squared)), max(c.delta)), true), gaussdp_internal.three_digits(max(c.delta) + sum(c.price_threshold_delta), true),
  coalesce(jsonb_object_agg(c.call || CASE WHEN c.n > 1 THEN ' ' || c.n ELSE '' END, gaussdp_internal.three_digits(c.half_width_95, true))
    FILTER (WHERE c.half_width_95 IS NOT NULL AND c.call <> 'dp_keep_group'), '{}'),
  min(c.relation::oid) FILTER (WHERE c.is_owners)
FROM (SELECT a.*, row_number() OVER (PARTITION BY a.call ORDER BY a.ordinality) AS n FROM gaussdp_internal.last_answer() WITH ORDINALITY AS a) AS c
$$;
COMMENT ON FUNCTION gaussdp_internal.released() IS 'What gaussdp.last_answer shows, taken together; for gaussdp.refresh().';

-- The settings that a publication keeps are in the SET clause, so that their values end with the function.
CREATE FUNCTION gaussdp_internal.fill_publication(publication regclass, query text, settings text[], reuse_answers int8, OUT drawn_at timestamptz, OUT epsilon float8, OUT delta float8)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET gaussdp.answer_plain_sql = on SET gaussdp.as_analyst = on
SET gaussdp.reuse_answers = -1 SET gaussdp.epsilon = 0 SET gaussdp.delta = 0 SET TimeZone = 'UTC' SET DateStyle = 'ISO' SET IntervalStyle = 'postgres' AS $$
DECLARE
  target text := publication::text;
  released record;
BEGIN
  EXECUTE format('DELETE FROM %s', target);
  PERFORM gaussdp_internal.forget_last_answer(), set_config('gaussdp.reuse_answers', reuse_answers::text, true);
  PERFORM set_config(split_part(s, '=', 1), substr(s, strpos(s, '=') + 1), true) FROM unnest(settings) AS s;
  EXECUTE pg_catalog.format(E'INSERT INTO %s SELECT q.* FROM (\n%s\n) AS q', target, query);
  PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
  SELECT * INTO released FROM gaussdp_internal.released();
  IF released.calls = 0 THEN
    RAISE EXCEPTION USING errcode = 'invalid_parameter_value', message = 'the query releases nothing about a protected table', hint = 'A view shows what is public.';
  ELSIF released.readable IS NOT NULL THEN
    RAISE EXCEPTION USING errcode = 'insufficient_privilege', message = format('role %I may read %s, so that no budget pays for these numbers', current_user, released.readable),
      hint = 'Publish as a role that has a budget and may not read the table.';
  END IF;
  EXECUTE format('UPDATE %s SET drawn_at = $1, price_epsilon = $2, price_delta = $3, half_widths = $4', target)
  USING released.drawn_at, released.epsilon, released.delta, released.half_widths;
  drawn_at := released.drawn_at;
  epsilon := released.epsilon;
  delta := released.delta;
END
$$;
COMMENT ON FUNCTION gaussdp_internal.fill_publication(regclass, text, text[], int8) IS 'Puts what a query releases in place of a publication''s numbers; for gaussdp.refresh(). Errors: 22023, 42501, and those of the query.';

CREATE FUNCTION gaussdp.refresh(publication regclass) RETURNS timestamptz
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  p record;
  -- Numbers that are older than every are drawn anew.
  reuse int8 := (SELECT nullif(s.setting::int8, -1) FROM pg_settings AS s WHERE s.name = 'gaussdp.reuse_answers');
  filled record;
BEGIN
  SELECT * INTO p FROM gaussdp.publications AS q WHERE q.publication = refresh.publication;
  IF FOUND AND p.publisher = current_user THEN
    -- Readers see the old numbers until the commit, and another refresh, or a new query, is waited for.
    EXECUTE format('LOCK TABLE %s IN SHARE UPDATE EXCLUSIVE MODE', publication);
    SELECT * INTO p FROM gaussdp.publications AS q WHERE q.publication = refresh.publication;
  END IF;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING errcode = 'object_not_in_prerequisite_state', message = format('%s is no publication of this role', coalesce(publication::text, 'NULL')),
      hint = 'gaussdp.publications lists those that there are.';
  ELSIF p.publisher <> current_user THEN
    RAISE EXCEPTION USING errcode = 'insufficient_privilege', message = format('must be owner of publication %s to refresh it', publication),
      hint = format('The budget of role %I pays for it: SET ROLE %1$I.', p.publisher);
  END IF;
  SELECT * INTO filled FROM gaussdp_internal.fill_publication(publication, p.query, p.settings, coalesce(least(reuse, extract(epoch FROM p.every)::int8, 2147483647), -1));
  PERFORM gaussdp_internal.write_publication(publication, p.query, p.every, p.settings, filled.drawn_at, filled.epsilon, filled.delta, NULL, NULL);
  RETURN filled.drawn_at;
END
$$;
COMMENT ON FUNCTION gaussdp.refresh(regclass) IS
'Asks the query of a publication and puts its numbers in the place of the old ones, at once for all readers; when it fails these stay. For its owner alone, whose budget pays, as for the same query by hand: an answer that is young enough by the grant, and no older than every, is shown again for nothing. Returns when the numbers were drawn. Errors: 22023, 42501, 55000, and those of the query.';

CREATE FUNCTION gaussdp.refresh_due() RETURNS SETOF regclass
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  p record;
  said text;
BEGIN
  FOR p IN SELECT * FROM gaussdp.publications AS q WHERE q.publisher = current_user AND q.due_at <= clock_timestamp() ORDER BY q.due_at, q.publication LOOP
    BEGIN
      EXECUTE format('LOCK TABLE %s IN SHARE UPDATE EXCLUSIVE MODE', p.publication);
      IF EXISTS (SELECT FROM gaussdp.publications AS q WHERE q.publication = p.publication AND q.due_at <= clock_timestamp()) THEN
        PERFORM gaussdp.refresh(p.publication);
        RETURN NEXT p.publication;
      END IF;
    EXCEPTION WHEN OTHERS THEN
      -- It may have been charged, and so is not tried again before the next ones are due.
      GET STACKED DIAGNOSTICS said = MESSAGE_TEXT;
      PERFORM gaussdp_internal.write_publication(q.publication, q.query, q.every, q.settings, q.drawn_at, q.price_epsilon, q.price_delta, clock_timestamp(), said)
      FROM gaussdp.publications AS q WHERE q.publication = p.publication AND q.publisher = current_user;
      RAISE WARNING USING message = format('publication %s keeps its old numbers: %s', p.publication, said);
    END;
  END LOOP;
END
$$;
COMMENT ON FUNCTION gaussdp.refresh_due() IS
'Refreshes the publications of the current role whose numbers are as old as their every says, for jobs that run it from time to time; returns those that it has refreshed. One that fails keeps its numbers, with a warning and a problem in gaussdp.publications, and is tried again after every: it may have been charged.';

CREATE FUNCTION gaussdp.publish(name text, query text, every interval DEFAULT NULL, path text DEFAULT pg_catalog.current_setting('search_path')) RETURNS regclass
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  quoted text := (SELECT string_agg(quote_ident(p.part), '.' ORDER BY p.n) FROM unnest(parse_ident(name)) WITH ORDINALITY AS p (part, n));
  statement text := rtrim(query, E'; \n\r\t');
  settings text[] := ARRAY(SELECT s || '=' || current_setting(s) FROM unnest('{gaussdp.epsilon,gaussdp.delta,TimeZone,DateStyle,IntervalStyle}'::text[]) AS s) || ('search_path=' || concat_ws(', ', nullif(btrim(path), ''), CASE WHEN path !~ 'pg_temp' THEN 'pg_temp' END));
  target regclass;
BEGIN
  IF name IS NULL OR query IS NULL OR path IS NULL THEN
    RAISE EXCEPTION USING errcode = 'null_value_not_allowed', message = 'name, query and path must not be null';
  ELSIF every < '1 second' OR every > '10 years' THEN
    RAISE EXCEPTION USING errcode = 'invalid_parameter_value', message = format('every must be from 1 second to 10 years, not %s', every);
  END IF;
  PERFORM set_config('search_path', path, true);
  target := pg_catalog.to_regclass(quoted);
  PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
  IF NOT EXISTS (SELECT FROM gaussdp.publications AS p WHERE p.publication = target AND p.publisher = current_user) THEN
    PERFORM set_config('search_path', path, true);
    EXECUTE pg_catalog.format(E'CREATE TABLE %s AS SELECT q.*, NULL::pg_catalog.timestamptz AS drawn_at, NULL::pg_catalog.float8 AS price_epsilon, NULL::pg_catalog.float8 AS price_delta,'
      ' NULL::pg_catalog.jsonb AS half_widths FROM (\n%s\n) AS q WITH NO DATA', quoted, statement);
    target := pg_catalog.to_regclass(quoted);
    PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
    IF NOT EXISTS (SELECT FROM pg_class AS c WHERE c.oid = target AND c.relpersistence = 'p') THEN
      RAISE EXCEPTION USING errcode = 'invalid_table_definition', message = format('%s would be temporary', quoted);
    END IF;
  END IF;
  PERFORM gaussdp_internal.write_publication(target, statement, every, settings, NULL, NULL, NULL, NULL, NULL);
  PERFORM gaussdp.refresh(target);
  RETURN target;
END
$$;
COMMENT ON FUNCTION gaussdp.publish(text, text, interval, text) IS
'Makes a table of what a private query releases: its columns, and drawn_at, price_epsilon, price_delta and half_widths (of 95 % intervals, by call). Plain SQL is answered privately, whatever gaussdp.answer_plain_sql says. The current role pays, once for each release, and owns the table; who reads it needs SELECT and no budget. every: how old the numbers may be before gaussdp.refresh_due() draws new ones; NULL: gaussdp.refresh() does. path is where names in the query are found; the epsilon, delta, time zone and date style of the session are kept, too. A publication of that name takes over the new query, if its columns are the same. DROP TABLE ends it. Errors: 22004, 22023, 42501, 42P07, and those of the query.';
