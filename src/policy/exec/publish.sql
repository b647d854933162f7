-- Released numbers in plain tables, which readers need no budget for.
--
-- All of it runs as whoever calls it: nobody makes another role pay. A publication is its table, whose owner alone refreshes it; what
-- superusers ran in that role's name would be exact, and is refused.

CREATE VIEW gaussdp.publications WITH (security_barrier) AS
SELECT p.relation AS publication, pg_catalog.pg_get_userbyid(c.relowner) AS publisher, p.query, p.every, p.drawn_at,
  greatest(p.drawn_at, p.failed_at, p.charged_at) OPERATOR(pg_catalog.+) p.every AS due_at, p.price_epsilon, p.price_delta, p.settings,
  CASE WHEN pg_catalog.pg_has_role(c.relowner, 'USAGE') THEN p.charged_at END AS charged_at,
  CASE WHEN pg_catalog.pg_has_role(c.relowner, 'USAGE') THEN p.failed_at END AS failed_at, CASE WHEN pg_catalog.pg_has_role(c.relowner, 'USAGE') THEN p.problem END AS problem
FROM gaussdp_internal.publication AS p JOIN pg_catalog.pg_class AS c ON c.oid OPERATOR(pg_catalog.=) p.relation::oid AND c.relowner OPERATOR(pg_catalog.=) p.publisher::oid
WHERE pg_catalog.pg_has_role(c.relowner, 'USAGE') OR pg_catalog.has_table_privilege(c.oid, 'SELECT');
GRANT SELECT ON gaussdp.publications TO PUBLIC;
COMMENT ON VIEW gaussdp.publications IS
'Tables of released numbers that gaussdp.publish() has made and the current role may read: the query, who pays for it, how old the numbers are, when the next ones are due, and the price of one release.';

CREATE FUNCTION gaussdp_internal.write_publication(publication regclass, query text, every interval, settings text[]) RETURNS void
AS 'MODULE_PATHNAME', 'gaussdp_write_publication' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp_internal.write_publication(regclass, text, interval, text[]) IS
'Writes what a refresh of a table asks, for the table''s owner alone, and of a table that this transaction has made, or that is a publication already. Errors: 22004, 22023, 42501, 55000.';

CREATE FUNCTION gaussdp_internal.fail_publication(publication regclass, problem text, was_due bool) RETURNS void
AS 'MODULE_PATHNAME', 'gaussdp_fail_publication' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp_internal.fail_publication(regclass, text, bool) IS 'Writes that a refresh has failed, and why, now or, if it was not due, when it was charged, for the table''s owner alone. Errors: 42501.';

CREATE FUNCTION gaussdp_internal.lock_publication(publication regclass) RETURNS void
AS 'MODULE_PATHNAME', 'gaussdp_lock_publication' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp_internal.lock_publication(regclass) IS 'Waits for other refreshes of a table that is the current role''s own, whatever name it has, and keeps them out until the transaction ends.';

CREATE FUNCTION gaussdp_internal.replace_published(publication regclass, query text, is_paid bool) RETURNS timestamptz
AS 'MODULE_PATHNAME', 'gaussdp_replace_published' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp_internal.replace_published(regclass, text, bool) IS
'Puts what a query releases, with its price, in place of a table''s rows, for the table''s owner alone; with is_paid what has been paid for, and nothing is charged. Nothing of the table runs. Returns when the oldest number was drawn. Errors: 0A000, 22023, 42501, 42601, 42804, 55000, and those of the query.';

-- Half widths go by the names of calls: dp_sum, and dp_sum 2 for another one. Of so many calls that some are forgotten there are none.
CREATE FUNCTION gaussdp_internal.half_widths(calls int8) RETURNS jsonb
LANGUAGE sql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT coalesce(CASE WHEN count(*) = half_widths.calls THEN jsonb_object_agg(c.call || CASE WHEN c.n > 1 THEN ' ' || c.n ELSE '' END, gaussdp_internal.three_digits(c.half_width_95, true))
  FILTER (WHERE c.half_width_95 IS NOT NULL AND c.call <> 'dp_keep_group') END, '{}')
FROM (SELECT a.*, row_number() OVER (PARTITION BY a.call ORDER BY a.ordinality) AS n
  FROM (SELECT l.*, count(*) OVER () AS known FROM gaussdp_internal.last_answer() WITH ORDINALITY AS l) AS a WHERE a.ordinality > a.known - half_widths.calls) AS c
$$;
COMMENT ON FUNCTION gaussdp_internal.half_widths(int8) IS 'Half widths of the last so many calls that gaussdp.last_answer shows; none where it does not know them all. For gaussdp.refresh().';

-- The settings that a publication keeps are in the SET clause, so that their values end with the function.
CREATE FUNCTION gaussdp_internal.fill_publication(publication regclass, query text, settings text[], reuse_answers int8, is_paid bool) RETURNS timestamptz
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET gaussdp.answer_plain_sql = on SET gaussdp.as_analyst = on
SET gaussdp.reuse_answers = -1 SET gaussdp.epsilon = 0 SET gaussdp.delta = 0 SET TimeZone = 'UTC' SET DateStyle = 'ISO' SET IntervalStyle = 'postgres' AS $$
BEGIN
  PERFORM set_config('gaussdp.reuse_answers', reuse_answers::text, true);
  PERFORM set_config(split_part(s, '=', 1), substr(s, strpos(s, '=') + 1), true) FROM unnest(settings) AS s;
  RETURN gaussdp_internal.replace_published(publication, query, is_paid);
END
$$;
COMMENT ON FUNCTION gaussdp_internal.fill_publication(regclass, text, text[], int8, bool) IS 'gaussdp_internal.replace_published() under the settings of the publication.';

CREATE FUNCTION gaussdp_internal.refresh_publication(publication regclass, is_paid bool) RETURNS timestamptz
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  p record;
  -- Numbers that are older than every are drawn anew.
  reuse int8 := (SELECT nullif(s.setting::int8, -1) FROM pg_settings AS s WHERE s.name = 'gaussdp.reuse_answers');
BEGIN
  SELECT * INTO p FROM gaussdp.publications AS q WHERE q.publication = refresh_publication.publication;
  IF FOUND AND p.publisher = current_user THEN
    -- Readers see the old numbers until the commit, and another refresh, or a new query, is waited for.
    PERFORM gaussdp_internal.lock_publication(publication);
    SELECT * INTO p FROM gaussdp.publications AS q WHERE q.publication = refresh_publication.publication;
  END IF;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING errcode = 'object_not_in_prerequisite_state', message = format('%s is no publication of this role', coalesce(publication::text, 'NULL')),
      hint = 'gaussdp.publications lists those that there are.';
  ELSIF p.publisher <> current_user THEN
    RAISE EXCEPTION USING errcode = 'insufficient_privilege', message = format('must be owner of publication %s to refresh it', publication),
      hint = format('The budget of role %I pays for it: SET ROLE %1$I.', p.publisher);
  END IF;
  RETURN gaussdp_internal.fill_publication(publication, p.query, p.settings, coalesce(least(reuse, extract(epoch FROM p.every)::int8, 2147483647), -1), is_paid);
END
$$;
COMMENT ON FUNCTION gaussdp_internal.refresh_publication(regclass, bool) IS 'gaussdp.refresh(); with is_paid nothing is charged for it any more.';

CREATE FUNCTION gaussdp.refresh(publication regclass) RETURNS timestamptz
LANGUAGE sql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS 'SELECT gaussdp_internal.refresh_publication($1, false)';
COMMENT ON FUNCTION gaussdp.refresh(regclass) IS
'Asks the query of a publication and puts its numbers in the place of the old ones, at once for all readers; when it fails these stay. For its owner alone, whose budget pays, as for the same query by hand: an answer that is young enough by the grant, and no older than every, is shown again for nothing. Returns when the numbers were drawn. Errors: 0A000, 22023, 42501, 55000, and those of the query.';

CREATE FUNCTION gaussdp.refresh_due() RETURNS SETOF regclass
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  p record;
  is_due bool;
  said text;
BEGIN
  FOR p IN SELECT q.publication, q.due_at <= clock_timestamp() AS is_due FROM gaussdp.publications AS q
    WHERE q.publisher = current_user AND q.every IS NOT NULL AND (q.due_at <= clock_timestamp() OR q.charged_at > coalesce(q.failed_at, '-infinity')) ORDER BY q.due_at, q.publication LOOP
    BEGIN
      is_due := p.is_due;
      PERFORM gaussdp_internal.lock_publication(p.publication);
      SELECT q.due_at <= clock_timestamp() INTO is_due FROM gaussdp.publications AS q WHERE q.publication = p.publication AND (q.due_at <= clock_timestamp() OR q.charged_at > coalesce(q.failed_at, '-infinity'));
      IF FOUND THEN
        -- One that was charged, and cancelled or broken off, is filled with what is kept of it, once, and not charged before it is due.
        PERFORM gaussdp_internal.refresh_publication(p.publication, NOT is_due);
        RETURN NEXT p.publication;
      END IF;
    EXCEPTION WHEN OTHERS THEN
      -- It may have been charged, and so is not tried again before the next ones are due; nor is that other one.
      GET STACKED DIAGNOSTICS said = MESSAGE_TEXT;
      PERFORM gaussdp_internal.fail_publication(p.publication, said, is_due);
      IF is_due THEN
        RAISE WARNING USING message = format('publication %s keeps its old numbers: %s', p.publication, said);
      END IF;
    END;
  END LOOP;
END
$$;
COMMENT ON FUNCTION gaussdp.refresh_due() IS
'Refreshes the publications of the current role whose numbers are as old as their every says, for jobs that run it from time to time; returns those that it has refreshed. One that fails keeps its numbers, with a warning and a problem in gaussdp.publications, and is tried again after every: it may have been charged. One that was charged and then cancelled, or broken off by a crash, is filled with what is kept of it, and is not charged again before every is over.';

CREATE FUNCTION gaussdp.publish(name text, query text, every interval DEFAULT NULL, path text DEFAULT pg_catalog.current_setting('search_path')) RETURNS regclass
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  quoted text := (SELECT string_agg(quote_ident(p.part), '.' ORDER BY p.n) FROM unnest(parse_ident(name)) WITH ORDINALITY AS p (part, n));
  statement text := rtrim(query, E'; \n\r\t');
  names text := concat_ws(', ', nullif(btrim(path), ''), 'pg_temp'); -- a temporary table shadows nothing
  settings text[] := ARRAY(SELECT s || '=' || current_setting(s) FROM unnest('{gaussdp.epsilon,gaussdp.delta,TimeZone,DateStyle,IntervalStyle}'::text[]) AS s) || ('search_path=' || names);
  target regclass;
BEGIN
  IF name IS NULL OR query IS NULL OR path IS NULL THEN
    RAISE EXCEPTION USING errcode = 'null_value_not_allowed', message = 'name, query and path must not be null';
  END IF;
  PERFORM set_config('search_path', names, true);
  target := pg_catalog.to_regclass(quoted);
  PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
  IF NOT EXISTS (SELECT FROM gaussdp.publications AS p WHERE p.publication = target AND p.publisher = current_user) THEN
    PERFORM set_config('search_path', names, true);
    EXECUTE pg_catalog.format(E'CREATE TABLE %s AS SELECT q.*, NULL::pg_catalog.timestamptz AS drawn_at, NULL::pg_catalog.float8 AS price_epsilon, NULL::pg_catalog.float8 AS price_delta,'
      ' NULL::pg_catalog.jsonb AS half_widths FROM (\n%s\n) AS q WITH NO DATA', quoted, statement);
    target := pg_catalog.to_regclass(quoted);
    PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
    IF NOT EXISTS (SELECT FROM pg_class AS c WHERE c.oid = target AND c.relpersistence = 'p') THEN
      RAISE EXCEPTION USING errcode = 'invalid_table_definition', message = format('%s would be temporary', quoted);
    END IF;
  END IF;
  PERFORM gaussdp_internal.lock_publication(target);
  PERFORM gaussdp_internal.write_publication(target, statement, every, settings);
  PERFORM gaussdp.refresh(target);
  RETURN target;
END
$$;
COMMENT ON FUNCTION gaussdp.publish(text, text, interval, text) IS
'Makes a table of what a private query releases: its columns, and drawn_at, price_epsilon, price_delta and half_widths (of 95 % intervals, by call). Plain SQL is answered privately, whatever gaussdp.answer_plain_sql says. The current role pays, once for each release, and owns the table; who reads it needs SELECT and no budget. every: how old the numbers may be before gaussdp.refresh_due() draws new ones; NULL: gaussdp.refresh() does. path is where names in the query are found; the epsilon, delta, time zone and date style of the session are kept, too. A publication of that name takes over the new query, if its columns are the same. DROP TABLE ends it. Errors: 0A000, 22004, 22023, 42501, 42P07, 55000, and those of the query.';
