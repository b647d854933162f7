-- What would undo the protection of a table on the other servers of Citus.

CREATE FUNCTION gaussdp_internal.labels_of("table" regclass) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT string_agg(CASE WHEN a.attname IS NULL THEN '' ELSE format('%I: ', a.attname) END || l.label, ', ' ORDER BY a.attname NULLS FIRST)
FROM pg_seclabel AS l LEFT JOIN pg_attribute AS a ON a.attrelid = l.objoid AND a.attnum = l.objsubid AND l.objsubid > 0
WHERE l.objoid = "table" AND l.classoid = 'pg_class'::regclass AND l.provider = 'gaussdp'
$$;
COMMENT ON FUNCTION gaussdp_internal.labels_of(regclass) IS
'What is declared of a table and its columns, as one text; for gaussdp.check_policy().';

-- Who has which rights is mostly the same on all servers.
CREATE FUNCTION gaussdp_internal.check_rights("table" regclass) RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY
    SELECT f.severity, f.what, f.remedy
    FROM (
      SELECT 1, c.* FROM gaussdp_internal.check_readers("table") AS c
      UNION ALL SELECT 2, c.* FROM gaussdp_internal.check_public("table") AS c
      UNION ALL SELECT 3, c.* FROM gaussdp_internal.check_writers("table") AS c
      UNION ALL SELECT 4, c.* FROM gaussdp_internal.check_views("table") AS c
      UNION ALL SELECT 5, c.* FROM gaussdp_internal.check_triggers("table") AS c
      UNION ALL SELECT 6, c.* FROM gaussdp_internal.check_publications("table") AS c
      UNION ALL SELECT 7, c.* FROM gaussdp_internal.check_definer_functions("table") AS c
      UNION ALL SELECT 8, c.* FROM gaussdp_internal.check_privileged_roles("table") AS c
      UNION ALL SELECT 9, c.* FROM gaussdp_internal.check_schema("table") AS c
    ) AS f (number, severity, what, remedy)
    ORDER BY f.number, f.what;
END
$$;
COMMENT ON FUNCTION gaussdp_internal.check_rights(regclass) IS
'Who may see or change rows of a table on this server, and what shows them? For gaussdp.check_policy(), of the other servers of Citus.';

-- What a server says of itself: asked on each, with the name and the labels that the table has where check_policy() was called.
CREATE FUNCTION gaussdp_internal.check_node("table" text, labels text) RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
  me regclass := to_regclass("table");
BEGIN
  PERFORM gaussdp_internal.check_library(x.extversion) FROM pg_extension AS x WHERE x.extname = 'gaussdp';
  RETURN QUERY SELECT 'error', s.problem, 'Add gaussdp to shared_preload_libraries, after citus, and restart the server.'
    FROM gaussdp_internal.server_problem() AS s WHERE s.problem IS NOT NULL;
  IF me IS NULL THEN
    RETURN QUERY SELECT 'warning', 'the table is not known, so that its shards could not be looked at', 'Call start_metadata_sync_to_all_nodes() on the coordinator.';
    RETURN;
  END IF;
  IF gaussdp_internal.labels_of(me) IS DISTINCT FROM labels THEN
    RETURN QUERY SELECT 'warning', 'the table is declared otherwise', 'Repeat the declarations on the coordinator: gaussdp.protect(), set_bounds(), set_public_keys().';
  END IF;
  RETURN QUERY SELECT 'error', format('no query is answered: the owner, %I, may not log in, as the coordinator does', r.rolname), 'ALTER ROLE ... LOGIN, and let it in by pg_hba.conf.'
    FROM pg_class AS c JOIN pg_roles AS r ON r.oid = c.relowner WHERE c.oid = me AND NOT r.rolcanlogin;
  RETURN QUERY SELECT c.* FROM gaussdp_internal.check_rights(me) AS c;
  RETURN QUERY SELECT c.* FROM gaussdp_internal.check_statistics() AS c;
END
$$;
COMMENT ON FUNCTION gaussdp_internal.check_node(text, text) IS
'What would undo the protection of a table of Citus on this server; for gaussdp.check_policy(), which asks all servers. Errors: 55000.';

CREATE FUNCTION gaussdp_internal.check_nodes("table" regclass) RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
  is_distributed bool := false;
  name text;
  labels text := gaussdp_internal.labels_of("table");
  version text;
  known text[];
  other record;
BEGIN
  IF EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
    EXECUTE 'SELECT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = $1)' INTO is_distributed USING "table";
  END IF;
  IF NOT is_distributed THEN
    RETURN;
  END IF;
  IF NOT has_function_privilege('master_run_on_worker(text[], int4[], text[], bool)', 'EXECUTE') THEN
    RETURN QUERY SELECT 'warning', 'the other servers of Citus have not been asked: the current role may not run commands there',
      'Call gaussdp.check_policy() as a superuser or with pg_monitor.';
    RETURN;
  END IF;
  RETURN QUERY EXECUTE
    'SELECT ''warning'', format(''server %s:%s of Citus is not active and has not been asked'', nodename, nodeport),'
    ' ''Activate or remove it, and call gaussdp.check_policy() again.'' FROM pg_dist_node WHERE NOT isactive ORDER BY nodename, nodeport';
  SELECT format('%I.%I', n.nspname, c.relname), x.extversion INTO name, version
  FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace, pg_extension AS x WHERE c.oid = "table" AND x.extname = 'gaussdp';
  -- What was said of this server is not said again of each.
  known := ARRAY(SELECT c.what FROM gaussdp_internal.check_rights("table") AS c);
  FOR other IN
    SELECT v.node, v.answered AS is_up, v.answer AS version, c.answered, c.answer
    FROM gaussdp_internal.ask_nodes($q$SELECT coalesce((SELECT extversion FROM pg_catalog.pg_extension WHERE extname = 'gaussdp'), '')$q$) AS v
    JOIN gaussdp_internal.ask_nodes(format(
      'SELECT coalesce(pg_catalog.json_agg(c), ''[]'') FROM gaussdp_internal.check_node(%L, %L) AS c', name, labels)) AS c ON c.node = v.node
    ORDER BY v.node
  LOOP
    IF NOT other.is_up THEN
      RETURN QUERY SELECT 'error', format('server %s of Citus cannot be asked: %s', other.node, other.version),
        'Let it run, and let the current role log in there.';
    ELSIF other.version <> version THEN
      RETURN QUERY SELECT 'error', format('server %s of Citus has %s, this one version %s', other.node,
          CASE other.version WHEN '' THEN 'no extension gaussdp' ELSE 'version ' || other.version || ' of gaussdp' END, version),
        'Install the same version on all servers, and CREATE EXTENSION or ALTER EXTENSION gaussdp UPDATE.';
    ELSIF NOT other.answered THEN
      RETURN QUERY SELECT 'error', format('server %s of Citus cannot use gaussdp: %s', other.node, other.answer),
        'Install the library there, with shared_preload_libraries = ''citus,gaussdp'', and restart the server.';
    ELSE
      RETURN QUERY SELECT r.severity, format('on server %s: %s', other.node, r.what), r.remedy
        FROM json_to_recordset(other.answer::json) AS r (severity text, what text, remedy text) WHERE r.what <> ALL (known);
    END IF;
  END LOOP;
END
$$;
COMMENT ON FUNCTION gaussdp_internal.check_nodes(regclass) IS
'What would undo the protection of a table on the other servers of Citus? For gaussdp.check_policy().';
