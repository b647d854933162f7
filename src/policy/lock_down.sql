-- Statistics of the server, taken from those who may not read the rows, and given back.

-- Which functions in C, or of extensions with their owner's rights, take a table? Such a function may read it whatever the caller's privileges are
-- (PostGIS estimates extents, pgfincore counts pages), and no catalog says which do. So the rule is one of signatures: a table, as regclass; any oid;
-- an argument whose name says that it is a table or a schema; two texts, which may be a schema and a table, or any text where the owner's
-- rights are used. What cannot read a table is left out: IMMUTABLE functions, unless they take a regclass, those that SQL cannot call, validators of
-- foreign data wrappers and of languages, and operators. gaussdp's own ask for privileges; those of Citus are listed one by one below.
CREATE FUNCTION gaussdp_internal.table_functions(OUT function oid, OUT extension name) RETURNS SETOF record
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
WITH candidate AS MATERIALIZED (
  SELECT p.oid AS function, x.extname AS extension, p.proargtypes, p.proargnames, p.proargmodes, p.provolatile AS volatility, p.prosecdef AS with_owners_rights
  FROM (
    SELECT * FROM pg_proc AS p
    WHERE p.oid >= 16384 AND (p.prosecdef OR p.prolang IN (SELECT l.oid FROM pg_language AS l WHERE l.lanname IN ('c', 'internal')))
      AND p.oid NOT IN (SELECT d.objid FROM pg_depend AS d JOIN pg_extension AS e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
        WHERE d.classid = 'pg_proc'::regclass AND d.deptype = 'e' AND e.extname IN ('gaussdp', 'citus'))
    OFFSET 0) AS p
  CROSS JOIN LATERAL (SELECT ( -- one look into an index for each of these few
    SELECT e.extname FROM pg_depend AS d JOIN pg_extension AS e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
    WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')) AS x (extname)
  WHERE (x.extname IS NOT NULL OR p.prolang IN (SELECT l.oid FROM pg_language AS l WHERE l.lanname IN ('c', 'internal')))
    AND NOT EXISTS (SELECT FROM pg_foreign_data_wrapper AS w WHERE w.fdwvalidator = p.oid) AND NOT EXISTS (SELECT FROM pg_language AS v WHERE v.lanvalidator = p.oid)
), argument AS (
  SELECT c.*, CASE WHEN t.typcategory = 'A' THEN t.typelem WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END::regtype AS type,
    regexp_split_to_array(lower(i.name), '_') && '{rel,relation,relname,relid,reloid,tab,tbl,tblname,table,tables,tablename,tableoid,index,indexname,schema,schemaname}' AS is_said
  FROM candidate AS c
  CROSS JOIN LATERAL unnest(c.proargtypes::oid[]) WITH ORDINALITY AS a (type, number)
  JOIN pg_type AS t ON t.oid = a.type
  LEFT JOIN LATERAL ( -- names stand beside those of results
    SELECT n.name, row_number() OVER (ORDER BY n.number) AS number
    FROM unnest(c.proargnames, c.proargmodes) WITH ORDINALITY AS n (name, mode, number)
    WHERE n.mode IS NULL OR n.mode IN ('i', 'b', 'v')) AS i ON i.number = a.number
), signature AS (
  SELECT function, extension, volatility, with_owners_rights, bool_or(type IN ('internal', 'cstring')) AS is_internal,
    bool_or(type = 'regclass'::regtype) AS has_table, bool_or(type = 'oid'::regtype) AS has_oid,
    bool_or(is_said) FILTER (WHERE type IN ('text', 'varchar', 'bpchar', 'name')) AS has_name, count(*) FILTER (WHERE type IN ('text', 'varchar', 'bpchar', 'name')) AS texts
  FROM argument GROUP BY function, extension, volatility, with_owners_rights
)
SELECT function, extension
FROM signature AS s
WHERE NOT is_internal AND (has_table OR volatility <> 'i' AND (has_oid OR has_name
  OR texts >= 1 AND with_owners_rights
  OR texts >= 2 AND volatility = 's' AND NOT EXISTS (SELECT FROM pg_operator AS o WHERE o.oprcode = s.function)))
$$;
COMMENT ON FUNCTION gaussdp_internal.table_functions() IS
'Functions in C, and those of extensions with their owner''s rights, that take a table by their signature, with their extension; for gaussdp.lock_down().';

-- Everything that gaussdp.lock_down() closes, but for columns of pg_class, pg_database and pg_index: functions that count rows, blocks, locks or bytes of a
-- relation or of the database, or say how far the WAL has come (a page that is read for the first time may be
-- written there as a whole) and, from 17 on, which blocks have changed; functions that may read tables (table_functions()); functions of extensions that show
-- how many rows other roles' queries read and dropped, how large a shard is, or what another server says of that; and views over
-- them, read with their owner's rights.
CREATE FUNCTION gaussdp_internal.statistics_objects(OUT class regclass, OUT object oid, OUT acl aclitem[], OUT breaks text)
RETURNS SETOF record
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on
AS $$
SELECT 'pg_proc'::regclass, p.oid, coalesce(p.proacl, acldefault('f', p.proowner)),
  CASE WHEN p.proname IN ('pg_relation_size', 'pg_total_relation_size', 'pg_table_size', 'pg_indexes_size', 'pg_database_size', 'pg_tablespace_size')
       THEN 'nothing while gaussdp is preloaded: \dt+, \di+ and \l+ of psql and browsers of schemas show no size'
       WHEN p.proname LIKE 'pg\_stat\_get\_%' OR p.proname IN ('pg_lock_status', 'pg_get_replication_slots') THEN 'queries of the view over it'
       WHEN p.proname LIKE 'pg\_current\_wal%' OR p.proname LIKE 'pg\_last\_wal%' THEN 'monitoring of replication'
       WHEN x.extname = 'citus' THEN 'monitoring and administration of Citus by roles without pg_monitor'
       WHEN f.function IS NOT NULL THEN
         'roles without pg_monitor that call this function' || coalesce(' of ' || x.extname, '') || ', as it may read any table'
       WHEN x.extname IS NOT NULL THEN 'monitoring by ' || x.extname
       ELSE 'no client that is known' END
FROM pg_proc p LEFT JOIN gaussdp_internal.table_functions() AS f ON f.function = p.oid
CROSS JOIN LATERAL (SELECT CASE WHEN p.oid >= 16384 THEN ( -- for those alone that are left
  SELECT e.extname FROM pg_depend AS d JOIN pg_extension AS e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
  WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e') END) AS x (extname)
WHERE (p.pronamespace = 'pg_catalog'::regnamespace AND p.oid < 16384
       AND (p.proname LIKE 'pg\_stat\_get\_%'
            OR p.proname IN ('pg_relation_size', 'pg_total_relation_size', 'pg_table_size',
                             'pg_indexes_size', 'pg_database_size', 'pg_tablespace_size',
                             'pg_lock_status', 'currtid2', 'pg_stat_file', 'pg_ls_dir',
                             'pg_current_wal_lsn', 'pg_current_wal_insert_lsn', 'pg_current_wal_flush_lsn',
                             'pg_last_wal_receive_lsn', 'pg_last_wal_replay_lsn', 'pg_logical_emit_message',
                             'pg_control_checkpoint', 'pg_control_recovery', 'pg_get_replication_slots',
                             'pg_available_wal_summaries', 'pg_wal_summary_contents', 'pg_get_wal_summarizer_state')))
   OR p.oid IN (SELECT d.objid FROM pg_depend AS d JOIN pg_extension AS e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
     WHERE d.classid = 'pg_proc'::regclass AND d.deptype = 'e' AND e.extname IN ('pg_stat_statements', 'pg_stat_kcache', 'pg_qualstats', 'pg_wait_sampling'))
   OR f.function IS NOT NULL
   OR p.oid IN (SELECT d.objid FROM pg_depend AS d JOIN pg_extension AS e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
     WHERE d.classid = 'pg_proc'::regclass AND d.deptype = 'e' AND e.extname = 'citus')
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

-- Names, and no OIDs: a restored database has what was taken in the one that was dumped, where pg_dump has seen the privileges.
CREATE TABLE gaussdp_internal.taken_privilege (
  class text NOT NULL,                                  -- f, a function; r, a view or a catalog
  object text NOT NULL,                                 -- as regprocedure or regclass, with its schema unless that is pg_catalog
  columns name[],                                       -- those that PUBLIC might read; NULL: all, as one privilege
  monitor_had boolean NOT NULL,                         -- pg_monitor had the privilege before
  PRIMARY KEY (class, object)
);
REVOKE ALL ON gaussdp_internal.taken_privilege FROM PUBLIC;
COMMENT ON TABLE gaussdp_internal.taken_privilege IS 'What gaussdp.lock_down() has taken from PUBLIC in this database, for gaussdp.undo_lock_down(), which gives back nothing else.';
SELECT pg_catalog.pg_extension_config_dump('gaussdp_internal.taken_privilege', '');

CREATE FUNCTION gaussdp_internal.remember_taken(class text, object text, columns name[], monitor_had boolean) RETURNS void
LANGUAGE sql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
INSERT INTO gaussdp_internal.taken_privilege AS t (class, object, columns, monitor_had) VALUES (class, object, columns, monitor_had)
-- Taken again, of an extension that was created anew, or after somebody gave it back: pg_monitor has it by lock_down, unless it lost that meanwhile.
ON CONFLICT ON CONSTRAINT taken_privilege_pkey DO UPDATE SET columns = CASE WHEN t.columns IS NOT NULL THEN excluded.columns END, monitor_had = t.monitor_had AND excluded.monitor_had
$$;
REVOKE EXECUTE ON FUNCTION gaussdp_internal.remember_taken(text, text, name[], boolean) FROM PUBLIC;
COMMENT ON FUNCTION gaussdp_internal.remember_taken(text, text, name[], boolean) IS 'Adds to gaussdp_internal.taken_privilege; for gaussdp.lock_down().';

-- A membership gives it, too, but what is granted to pg_monitor by name is what undo_lock_down() leaves or takes.
CREATE FUNCTION gaussdp_internal.monitor_has(acl aclitem[], privilege text) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
SELECT EXISTS (SELECT FROM aclexplode(acl) AS e WHERE e.grantee = 'pg_monitor'::regrole AND e.privilege_type = privilege)
$$;
COMMENT ON FUNCTION gaussdp_internal.monitor_has(aclitem[], text) IS 'Is the privilege granted to pg_monitor by name? For gaussdp.lock_down().';

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

CREATE FUNCTION gaussdp_internal.lock_down(dry_run boolean,
    OUT object text, OUT action text, OUT breaks text)
RETURNS SETOF record
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    f regprocedure;
    v regclass;
    acl aclitem[];
    closed CONSTANT name[] := '{reltuples,relpages,relallvisible,relallfrozen,relfrozenxid,relminmxid,datfrozenxid,datminmxid,indcheckxmin}';
    readable name[];
BEGIN
    PERFORM gaussdp_internal.demand_superuser();
    FOR f, breaks, acl IN
        SELECT s.object, s.breaks, s.acl FROM gaussdp_internal.statistics_objects() AS s
        WHERE s.class = 'pg_proc'::regclass AND has_function_privilege('public', s.object, 'EXECUTE')
        ORDER BY s.object::regprocedure::text
    LOOP
        IF NOT dry_run THEN
            PERFORM gaussdp_internal.remember_taken('f', f::text, NULL, gaussdp_internal.monitor_has(acl, 'EXECUTE'));
            PERFORM gaussdp_internal.run_command(format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', f));
            PERFORM gaussdp_internal.run_command(format('GRANT EXECUTE ON FUNCTION %s TO pg_monitor', f));
        END IF;
        object := f::text;
        action := 'EXECUTE revoked from PUBLIC, granted to pg_monitor';
        RETURN NEXT;
    END LOOP;
    FOR v, breaks, acl IN
        SELECT s.object, s.breaks, s.acl FROM gaussdp_internal.statistics_objects() AS s
        WHERE s.class = 'pg_class'::regclass AND has_table_privilege('public', s.object, 'SELECT')
        ORDER BY s.object::regclass::text
    LOOP
        IF NOT dry_run THEN
            PERFORM gaussdp_internal.remember_taken('r', v::text, NULL, gaussdp_internal.monitor_has(acl, 'SELECT'));
            PERFORM gaussdp_internal.run_command(format('REVOKE SELECT ON %s FROM PUBLIC', v));
            PERFORM gaussdp_internal.run_command(format('GRANT SELECT ON %s TO pg_monitor', v));
        END IF;
        object := v::text;
        action := 'SELECT revoked from PUBLIC, granted to pg_monitor';
        RETURN NEXT;
    END LOOP;
    -- numbers of rows and pages as of the last VACUUM or ANALYZE, the oldest transaction of which a row is, and whether an index was made while an old version
    -- of some row was there; PUBLIC keeps the other columns that it has
    FOREACH v IN ARRAY '{pg_class,pg_database,pg_index}'::regclass[] LOOP
        CONTINUE WHEN NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = v AND attname = ANY (closed) AND has_column_privilege('public', attrelid, attnum, 'SELECT'));
        IF NOT dry_run THEN
            readable := ARRAY(SELECT attname FROM pg_attribute
                WHERE attrelid = v AND attnum > 0 AND NOT attisdropped AND has_column_privilege('public', attrelid, attnum, 'SELECT') ORDER BY attnum);
            PERFORM gaussdp_internal.remember_taken('r', v::text, CASE WHEN NOT has_table_privilege('public', v, 'SELECT') THEN readable END,
                gaussdp_internal.monitor_has(relacl, 'SELECT')) FROM pg_class WHERE oid = v;
            PERFORM gaussdp_internal.run_command(format('REVOKE SELECT ON %s FROM PUBLIC', v));
            PERFORM gaussdp_internal.run_command((SELECT format('GRANT SELECT (%s) ON %s TO PUBLIC', string_agg(quote_ident(c), ', '), v) FROM unnest(readable) AS c WHERE c <> ALL (closed)));
            PERFORM gaussdp_internal.run_command(format('GRANT SELECT ON %s TO pg_monitor', v));
        END IF;
        object := v::text;
        action := format('SELECT of %s revoked from PUBLIC, granted to pg_monitor',
            CASE v WHEN 'pg_class'::regclass THEN 'reltuples, relpages, relallvisible, relfrozenxid, relminmxid' WHEN 'pg_database'::regclass THEN 'datfrozenxid, datminmxid' ELSE 'indcheckxmin' END);
        breaks := format('nothing while gaussdp is preloaded: SELECT * FROM %s shows %s. Whole rows (SELECT c FROM %s c) are refused', v,
            CASE v WHEN 'pg_class'::regclass THEN '-1 rows and 0 pages' WHEN 'pg_database'::regclass THEN 'no oldest transaction' ELSE 'false as indcheckxmin' END, v);
        RETURN NEXT;
    END LOOP;
END
$$;
REVOKE EXECUTE ON FUNCTION gaussdp_internal.lock_down(boolean) FROM PUBLIC;
COMMENT ON FUNCTION gaussdp_internal.lock_down(boolean) IS 'What gaussdp.lock_down() does.';

CREATE FUNCTION gaussdp.lock_down(dry_run boolean DEFAULT false,
    OUT object text, OUT action text, OUT breaks text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gaussdp_call_inner' LANGUAGE C VOLATILE PARALLEL UNSAFE;
REVOKE EXECUTE ON FUNCTION gaussdp.lock_down(boolean) FROM PUBLIC;
COMMENT ON FUNCTION gaussdp.lock_down(boolean) IS
'takes from PUBLIC, in the current database, what tells about rows that a role may not read: pg_stat views and functions, sizes, locks, the position in the WAL, the row counts in pg_class, the oldest transaction of a row there and in pg_database, pg_index.indcheckxmin, functions of pg_stat_statements, pg_stat_kcache, pg_qualstats, pg_wait_sampling and Citus that show such numbers, and all functions in C that take a table, as those of PostGIS, pgfincore and hypopg; pg_monitor keeps them. Returns what it changed, and which clients need that; a second call returns nothing. With dry_run it changes nothing. gaussdp.undo_lock_down() gives all back. 42501 unless superuser. gaussdp.lock_down_all_nodes() is for all servers of Citus. docs/threat-model.md says what remains';

CREATE FUNCTION gaussdp_internal.undo_lock_down(OUT object text, OUT action text)
RETURNS SETOF record
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    taken record;
    privilege text;
BEGIN
    PERFORM gaussdp_internal.demand_superuser();
    FOR taken IN
        DELETE FROM gaussdp_internal.taken_privilege AS t
        RETURNING t.class, t.object, t.monitor_had,
            CASE t.class WHEN 'f' THEN to_regprocedure(t.object)::oid ELSE to_regclass(t.object)::oid END AS is_there,
            '(' || (SELECT string_agg(quote_ident(c), ', ') FROM unnest(t.columns) AS c) || ')' AS columns
    LOOP
        -- Of an extension that was dropped; or PUBLIC has it again, by somebody else.
        CONTINUE WHEN taken.is_there IS NULL OR
            CASE taken.class WHEN 'f' THEN has_function_privilege('public', taken.is_there, 'EXECUTE') ELSE has_table_privilege('public', taken.is_there, 'SELECT') END;
        object := taken.object;
        privilege := CASE taken.class WHEN 'f' THEN 'EXECUTE' ELSE 'SELECT' END;
        -- The columns, too, that it was left.
        IF taken.class = 'r' THEN
            PERFORM gaussdp_internal.run_command(format('REVOKE SELECT ON %s FROM PUBLIC', object));
        END IF;
        PERFORM gaussdp_internal.run_command(format('GRANT %s%s ON %s %s TO PUBLIC', privilege, taken.columns, CASE taken.class WHEN 'f' THEN 'FUNCTION' ELSE 'TABLE' END, object));
        action := format('%s granted to PUBLIC', privilege);
        IF NOT taken.monitor_had THEN
            PERFORM gaussdp_internal.run_command(format('REVOKE %s ON %s %s FROM pg_monitor', privilege, CASE taken.class WHEN 'f' THEN 'FUNCTION' ELSE 'TABLE' END, object));
            action := action || ', revoked from pg_monitor';
        END IF;
        RETURN NEXT;
    END LOOP;
END
$$;
REVOKE EXECUTE ON FUNCTION gaussdp_internal.undo_lock_down() FROM PUBLIC;
COMMENT ON FUNCTION gaussdp_internal.undo_lock_down() IS 'What gaussdp.undo_lock_down() does.';

CREATE FUNCTION gaussdp.undo_lock_down(OUT object text, OUT action text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gaussdp_call_inner' LANGUAGE C VOLATILE PARALLEL UNSAFE;
REVOKE EXECUTE ON FUNCTION gaussdp.undo_lock_down() FROM PUBLIC;
COMMENT ON FUNCTION gaussdp.undo_lock_down() IS
'gives back to PUBLIC, in the current database, what gaussdp.lock_down() has taken, and nothing else, and takes from pg_monitor what it had not before. Returns what it changed. 42501 unless superuser';

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
