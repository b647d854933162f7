-- Statistics of the server, taken from those who may not read the rows, and given back.

-- Everything that gaussdp.lock_down() closes, but for pg_class itself: functions that count rows, blocks, locks or bytes of a
-- relation or of the database, or say how far the WAL has come (a page that is read for the first time may be
-- written there as a whole) and, from 17 on, which blocks have changed; functions of extensions that show how many rows
-- other roles' queries read and dropped, how large a table or a shard is, or what another server says of that; and views over
-- them, read with their owner's rights.
CREATE FUNCTION gaussdp_internal.statistics_objects(OUT class regclass, OUT object oid, OUT acl aclitem[], OUT breaks text)
RETURNS SETOF record
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
SELECT 'pg_proc'::regclass, p.oid, coalesce(p.proacl, acldefault('f', p.proowner)),
  CASE WHEN p.proname IN ('pg_relation_size', 'pg_total_relation_size', 'pg_table_size', 'pg_indexes_size', 'pg_database_size', 'pg_tablespace_size')
       THEN 'nothing while gaussdp is preloaded: \dt+, \di+ and \l+ of psql and browsers of schemas show no size'
       WHEN p.proname LIKE 'pg\_stat\_get\_%' OR p.proname IN ('pg_lock_status', 'pg_get_replication_slots') THEN 'queries of the view over it'
       WHEN p.proname LIKE 'pg\_current\_wal%' OR p.proname LIKE 'pg\_last\_wal%' THEN 'monitoring of replication'
       WHEN x.extname = 'citus' THEN 'monitoring and administration of Citus by roles without pg_monitor'
       WHEN x.extname IS NOT NULL THEN 'monitoring by ' || x.extname
       ELSE 'no client that is known' END
FROM pg_proc p
LEFT JOIN (pg_depend d JOIN pg_extension x ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = x.oid)
  ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
WHERE (p.pronamespace = 'pg_catalog'::regnamespace AND p.oid < 16384
       AND (p.proname LIKE 'pg\_stat\_get\_%'
            OR p.proname IN ('pg_relation_size', 'pg_total_relation_size', 'pg_table_size',
                             'pg_indexes_size', 'pg_database_size', 'pg_tablespace_size',
                             'pg_lock_status', 'currtid2', 'pg_stat_file', 'pg_ls_dir',
                             'pg_current_wal_lsn', 'pg_current_wal_insert_lsn', 'pg_current_wal_flush_lsn',
                             'pg_last_wal_receive_lsn', 'pg_last_wal_replay_lsn', 'pg_logical_emit_message',
                             'pg_control_checkpoint', 'pg_control_recovery', 'pg_get_replication_slots',
                             'pg_available_wal_summaries', 'pg_wal_summary_contents', 'pg_get_wal_summarizer_state')))
   OR x.extname IN ('pg_stat_statements', 'pg_stat_kcache', 'pg_qualstats', 'pg_wait_sampling')
   OR x.extname = 'hypopg' AND p.proname = 'hypopg_relation_size'
   OR x.extname = 'citus'
      AND (p.proname LIKE 'run\_command\_on\_%' OR p.proname LIKE 'citus\_stat\_%' OR p.proname LIKE 'worker\_partitioned\_%size'
           OR p.proname LIKE 'dump\_%\_wait\_edges' OR p.proname LIKE '%\_blocked\_processes' OR p.proname LIKE 'get\_%\_active\_transactions'
           OR p.proname LIKE '%\_update\_shard\_statistics' OR p.proname LIKE '%\_update\_table\_statistics'
           OR p.proname IN ('master_run_on_worker', 'citus_table_size', 'citus_relation_size', 'citus_total_relation_size', 'citus_shard_sizes',
                            'citus_shard_cost_by_disk_size', 'citus_local_disk_space_stats', 'citus_query_stats', 'citus_locks',
                            'citus_rebalance_status', 'citus_job_status', 'get_rebalance_table_shards_plan', 'get_rebalance_progress'))
UNION ALL
SELECT 'pg_class'::regclass, c.oid, coalesce(c.relacl, acldefault('r', c.relowner)),
  CASE WHEN x.extname = 'citus' THEN 'monitoring and administration of Citus by roles without pg_monitor'
       WHEN c.relname = 'pg_locks' OR c.relname IN ('pg_stat_activity', 'pg_stat_database') THEN 'dashboards, as of pgAdmin, and DBeaver''s session manager'
       WHEN c.relname LIKE '%replication%' OR c.relname LIKE '%wal%' THEN 'monitoring of replication'
       ELSE 'monitoring, and statistics in browsers of schemas' END
FROM pg_class c
LEFT JOIN (pg_depend d JOIN pg_extension x ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = x.oid)
  ON d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.objsubid = 0 AND d.deptype = 'e'
WHERE c.relnamespace = 'pg_catalog'::regnamespace AND c.relkind = 'v' AND c.oid < 16384
  AND (c.relname LIKE 'pg\_stat\_%' OR c.relname LIKE 'pg\_statio\_%' OR c.relname IN ('pg_locks', 'pg_replication_slots'))
   OR x.extname = 'citus' AND c.relkind = 'v'
      AND (c.relname LIKE 'citus\_stat\_%' OR c.relname IN ('citus_shards', 'citus_tables', 'citus_schemas', 'citus_stats', 'citus_dist_stat_activity', 'citus_locks', 'citus_lock_waits'))
$$;
COMMENT ON FUNCTION gaussdp_internal.statistics_objects() IS
'Functions and views that gaussdp.lock_down() takes from PUBLIC: their privileges as they are, and which clients need them.';

CREATE FUNCTION gaussdp_internal.demand_superuser() RETURNS void
LANGUAGE plpgsql STABLE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
        RAISE EXCEPTION 'only a superuser may lock down the statistics of a database'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
END
$$;
COMMENT ON FUNCTION gaussdp_internal.demand_superuser() IS 'Raises 42501 unless the current role is a superuser.';

CREATE FUNCTION gaussdp.lock_down(dry_run boolean DEFAULT false,
    OUT object text, OUT action text, OUT breaks text)
RETURNS SETOF record
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    f regprocedure;
    v regclass;
    columns text;
BEGIN
    PERFORM gaussdp_internal.demand_superuser();
    FOR f, breaks IN
        SELECT s.object, s.breaks FROM gaussdp_internal.statistics_objects() AS s
        WHERE s.class = 'pg_proc'::regclass AND has_function_privilege('public', s.object, 'EXECUTE')
        ORDER BY s.object::regprocedure::text
    LOOP
        IF NOT dry_run THEN
            EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', f);
            EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO pg_monitor', f);
        END IF;
        object := f::text;
        action := 'EXECUTE revoked from PUBLIC, granted to pg_monitor';
        RETURN NEXT;
    END LOOP;
    FOR v, breaks IN
        SELECT s.object, s.breaks FROM gaussdp_internal.statistics_objects() AS s
        WHERE s.class = 'pg_class'::regclass AND has_table_privilege('public', s.object, 'SELECT')
        ORDER BY s.object::regclass::text
    LOOP
        IF NOT dry_run THEN
            EXECUTE format('REVOKE SELECT ON %s FROM PUBLIC', v);
            EXECUTE format('GRANT SELECT ON %s TO pg_monitor', v);
        END IF;
        object := v::text;
        action := 'SELECT revoked from PUBLIC, granted to pg_monitor';
        RETURN NEXT;
    END LOOP;
    -- numbers of rows and pages as of the last VACUUM or ANALYZE
    IF has_column_privilege('public', 'pg_class', 'reltuples', 'SELECT') THEN
        IF NOT dry_run THEN
            SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) INTO columns
            FROM pg_attribute
            WHERE attrelid = 'pg_class'::regclass AND NOT attisdropped
              AND attname NOT IN ('reltuples', 'relpages', 'relallvisible', 'relallfrozen');
            REVOKE SELECT ON pg_class FROM PUBLIC;
            EXECUTE format('GRANT SELECT (%s) ON pg_class TO PUBLIC', columns);
            GRANT SELECT ON pg_class TO pg_monitor;
        END IF;
        object := 'pg_class';
        action := 'SELECT of reltuples, relpages, relallvisible revoked from PUBLIC, granted to pg_monitor';
        breaks := 'nothing while gaussdp is preloaded: SELECT * FROM pg_class shows -1 rows and 0 pages. Whole rows (SELECT c FROM pg_class c) are refused';
        RETURN NEXT;
    END IF;
END
$$;
REVOKE EXECUTE ON FUNCTION gaussdp.lock_down(boolean) FROM PUBLIC;
COMMENT ON FUNCTION gaussdp.lock_down(boolean) IS
'takes from PUBLIC, in the current database, what tells about rows that a role may not read: pg_stat views and functions, sizes, locks, the position in the WAL, the row counts in pg_class, and the functions of pg_stat_statements, pg_stat_kcache, pg_qualstats, pg_wait_sampling, hypopg and Citus that show such numbers; pg_monitor keeps them. Returns what it changed, and which clients need that; a second call returns nothing. With dry_run it changes nothing. gaussdp.undo_lock_down() gives all back. 42501 unless superuser. gaussdp.lock_down_all_nodes() is for all servers of Citus. docs/threat-model.md says what remains';

CREATE FUNCTION gaussdp.undo_lock_down(OUT object text, OUT action text)
RETURNS SETOF record
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    f regprocedure;
    v regclass;
BEGIN
    PERFORM gaussdp_internal.demand_superuser();
    -- What PUBLIC had when the server or the extension was installed, and what pg_monitor has instead: so lock_down leaves it.
    FOR f, v IN
        WITH closed AS (
          SELECT s.class, s.object, s.acl,
            coalesce(i.initprivs, CASE WHEN s.class = 'pg_proc'::regclass THEN acldefault('f', 10) ELSE acldefault('r', 10) END) AS initial
          FROM (SELECT o.class, o.object, o.acl FROM gaussdp_internal.statistics_objects() AS o
                UNION ALL SELECT 'pg_class'::regclass, c.oid, c.relacl FROM pg_class c WHERE c.oid = 'pg_class'::regclass) AS s
          LEFT JOIN pg_init_privs i ON i.classoid = s.class AND i.objoid = s.object AND i.objsubid = 0
        )
        SELECT CASE WHEN class = 'pg_proc'::regclass THEN closed.object END, CASE WHEN class = 'pg_class'::regclass THEN closed.object END
        FROM closed
        WHERE EXISTS (SELECT FROM aclexplode(initial) e WHERE e.grantee = 0 AND e.privilege_type IN ('EXECUTE', 'SELECT'))
          AND NOT EXISTS (SELECT FROM aclexplode(initial) e WHERE e.grantee = 'pg_monitor'::regrole)
          AND NOT EXISTS (SELECT FROM aclexplode(acl) e WHERE e.grantee = 0 AND e.privilege_type IN ('EXECUTE', 'SELECT'))
          AND EXISTS (SELECT FROM aclexplode(acl) e WHERE e.grantee = 'pg_monitor'::regrole)
        ORDER BY class DESC, closed.object::regprocedure::text
    LOOP
        IF f IS NOT NULL THEN
            EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO PUBLIC', f);
            EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM pg_monitor', f);
            object := f::text;
            action := 'EXECUTE granted to PUBLIC, revoked from pg_monitor';
        ELSE
            -- of all columns, too
            EXECUTE format('REVOKE SELECT ON %s FROM PUBLIC', v);
            EXECUTE format('GRANT SELECT ON %s TO PUBLIC', v);
            EXECUTE format('REVOKE SELECT ON %s FROM pg_monitor', v);
            object := v::text;
            action := 'SELECT granted to PUBLIC, revoked from pg_monitor';
        END IF;
        RETURN NEXT;
    END LOOP;
END
$$;
REVOKE EXECUTE ON FUNCTION gaussdp.undo_lock_down() FROM PUBLIC;
COMMENT ON FUNCTION gaussdp.undo_lock_down() IS
'gives back to PUBLIC, in the current database, what gaussdp.lock_down() has taken, and takes it from pg_monitor: of what PUBLIC had when the server or the extension was installed. Returns what it changed. 42501 unless superuser';

-- On every server of Citus. Here comes first: where another server fails, what was done here is taken back, and the call can be repeated.
CREATE FUNCTION gaussdp_internal.run_on_all_nodes(command text, OUT node text, OUT item json) RETURNS SETOF record
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    here text;
    found text;
    failed text;
    other record;
BEGIN
    PERFORM gaussdp_internal.demand_superuser();
    IF NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
        RAISE EXCEPTION 'Citus is not installed in database %', current_database()
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'gaussdp.lock_down() and gaussdp.undo_lock_down() are for one server.';
    END IF;
    EXECUTE 'SELECT format(''%s:%s'', nodename, nodeport) FROM pg_dist_node WHERE noderole = ''primary'''
        ' AND groupid = (SELECT groupid FROM pg_dist_local_group)' INTO here;
    EXECUTE command INTO found;
    RETURN QUERY SELECT coalesce(here, 'this server'), j.value FROM json_array_elements(found::json) AS j;
    FOR other IN SELECT a.node, a.answered, a.answer FROM gaussdp_internal.ask_nodes(command) AS a LOOP
        IF other.answered THEN
            RETURN QUERY SELECT other.node, j.value FROM json_array_elements(other.answer::json) AS j;
        ELSE
            failed := concat_ws('; ', failed, format('%s: %s', other.node, other.answer));
        END IF;
    END LOOP;
    IF failed IS NOT NULL THEN
        RAISE EXCEPTION 'not all servers of Citus have been changed'
            USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = failed,
            HINT = 'Call it again when they can be reached and gaussdp is there. This server is as before; others may have been changed.';
    END IF;
    FOR other IN EXECUTE 'SELECT nodename, nodeport FROM pg_dist_node WHERE NOT isactive ORDER BY nodename, nodeport' LOOP
        RAISE WARNING 'server %:% of Citus is not active and has not been changed', other.nodename, other.nodeport;
    END LOOP;
END
$$;
REVOKE EXECUTE ON FUNCTION gaussdp_internal.run_on_all_nodes(text) FROM PUBLIC;
COMMENT ON FUNCTION gaussdp_internal.run_on_all_nodes(text) IS
'Runs a query that returns an array, as JSON, on all active servers of Citus, this one too, and returns its elements; for gaussdp.lock_down_all_nodes(). Errors: 42501 unless superuser, 55000 without Citus or where a server fails.';

CREATE FUNCTION gaussdp_internal.lock_down_all_nodes(dry_run boolean,
    OUT node text, OUT object text, OUT action text, OUT breaks text)
RETURNS SETOF record
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
        SELECT r.node, r.item ->> 'object', r.item ->> 'action', r.item ->> 'breaks'
        FROM gaussdp_internal.run_on_all_nodes(format('SELECT coalesce(pg_catalog.json_agg(l), ''[]'') FROM gaussdp.lock_down(%L) AS l', coalesce(dry_run, true))) AS r;
END
$$;
REVOKE EXECUTE ON FUNCTION gaussdp_internal.lock_down_all_nodes(boolean) FROM PUBLIC;
COMMENT ON FUNCTION gaussdp_internal.lock_down_all_nodes(boolean) IS 'What gaussdp.lock_down_all_nodes() does.';

CREATE FUNCTION gaussdp.lock_down_all_nodes(dry_run boolean DEFAULT false,
    OUT node text, OUT object text, OUT action text, OUT breaks text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gaussdp_call_inner' LANGUAGE C VOLATILE PARALLEL UNSAFE;
REVOKE EXECUTE ON FUNCTION gaussdp.lock_down_all_nodes(boolean) FROM PUBLIC;
COMMENT ON FUNCTION gaussdp.lock_down_all_nodes(boolean) IS
'gaussdp.lock_down() in the current database of every active server of Citus, for its superuser: what was changed, on which. Errors: 42501, 55000 without Citus or where a server fails.';

CREATE FUNCTION gaussdp_internal.undo_lock_down_all_nodes(OUT node text, OUT object text, OUT action text)
RETURNS SETOF record
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
        SELECT r.node, r.item ->> 'object', r.item ->> 'action'
        FROM gaussdp_internal.run_on_all_nodes('SELECT coalesce(pg_catalog.json_agg(l), ''[]'') FROM gaussdp.undo_lock_down() AS l') AS r;
END
$$;
REVOKE EXECUTE ON FUNCTION gaussdp_internal.undo_lock_down_all_nodes() FROM PUBLIC;
COMMENT ON FUNCTION gaussdp_internal.undo_lock_down_all_nodes() IS 'What gaussdp.undo_lock_down_all_nodes() does.';

CREATE FUNCTION gaussdp.undo_lock_down_all_nodes(OUT node text, OUT object text, OUT action text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gaussdp_call_inner' LANGUAGE C VOLATILE PARALLEL UNSAFE;
REVOKE EXECUTE ON FUNCTION gaussdp.undo_lock_down_all_nodes() FROM PUBLIC;
COMMENT ON FUNCTION gaussdp.undo_lock_down_all_nodes() IS
'gaussdp.undo_lock_down() in the current database of every active server of Citus, for its superuser: what was changed, on which. Errors: 42501, 55000 without Citus or where a server fails.';
