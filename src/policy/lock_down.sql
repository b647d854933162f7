-- Statistics of the server, taken from those who may not read the rows.

CREATE FUNCTION gaussdp.lock_down(
    OUT object text, OUT action text)
RETURNS SETOF record
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    f regprocedure;
    v regclass;
    columns text;
BEGIN
    IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
        RAISE EXCEPTION 'only a superuser may lock down the statistics of a database'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    -- functions that count rows, blocks, locks or bytes of a relation or of the database, or say how far
    -- the WAL has come: a page that is read for the first time may be written there as a whole.  And, from 17
    -- on, which blocks have changed.
    FOR f IN
        SELECT p.oid FROM pg_proc p
        WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.oid < 16384
          AND (p.proname LIKE 'pg\_stat\_get\_%'
               OR p.proname IN ('pg_relation_size', 'pg_total_relation_size', 'pg_table_size',
                                'pg_indexes_size', 'pg_database_size', 'pg_tablespace_size',
                                'pg_lock_status', 'currtid2', 'pg_stat_file', 'pg_ls_dir',
                                'pg_current_wal_lsn', 'pg_current_wal_insert_lsn', 'pg_current_wal_flush_lsn',
                                'pg_last_wal_receive_lsn', 'pg_last_wal_replay_lsn', 'pg_logical_emit_message',
                                'pg_control_checkpoint', 'pg_control_recovery', 'pg_get_replication_slots',
                                'pg_available_wal_summaries', 'pg_wal_summary_contents', 'pg_get_wal_summarizer_state'))
          AND has_function_privilege('public', p.oid, 'EXECUTE')
        ORDER BY p.oid::regprocedure::text
    LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', f);
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO pg_monitor', f);
        object := f::text;
        action := 'EXECUTE revoked from PUBLIC, granted to pg_monitor';
        RETURN NEXT;
    END LOOP;
    -- views over them, read with their owner's rights
    FOR v IN
        SELECT c.oid FROM pg_class c
        WHERE c.relnamespace = 'pg_catalog'::regnamespace AND c.relkind = 'v' AND c.oid < 16384
          AND (c.relname LIKE 'pg\_stat\_%' OR c.relname LIKE 'pg\_statio\_%'
               OR c.relname IN ('pg_locks', 'pg_replication_slots'))
          AND has_table_privilege('public', c.oid, 'SELECT')
        ORDER BY c.relname
    LOOP
        EXECUTE format('REVOKE SELECT ON %s FROM PUBLIC', v);
        EXECUTE format('GRANT SELECT ON %s TO pg_monitor', v);
        object := v::text;
        action := 'SELECT revoked from PUBLIC, granted to pg_monitor';
        RETURN NEXT;
    END LOOP;
    -- numbers of rows and pages as of the last VACUUM or ANALYZE
    IF has_column_privilege('public', 'pg_class', 'reltuples', 'SELECT') THEN
        SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) INTO columns
        FROM pg_attribute
        WHERE attrelid = 'pg_class'::regclass AND NOT attisdropped
          AND attname NOT IN ('reltuples', 'relpages', 'relallvisible', 'relallfrozen');
        REVOKE SELECT ON pg_class FROM PUBLIC;
        EXECUTE format('GRANT SELECT (%s) ON pg_class TO PUBLIC', columns);
        GRANT SELECT ON pg_class TO pg_monitor;
        object := 'pg_class';
        action := 'SELECT of reltuples, relpages, relallvisible revoked from PUBLIC, granted to pg_monitor';
        RETURN NEXT;
    END IF;
END
$$;
REVOKE EXECUTE ON FUNCTION gaussdp.lock_down() FROM PUBLIC;
COMMENT ON FUNCTION gaussdp.lock_down() IS
'takes from PUBLIC, in the current database, what tells about rows that a role may not read: pg_stat views and functions, sizes, locks, the position in the WAL, and the row counts in pg_class; pg_monitor keeps them. Returns what it changed; a second call returns nothing. 42501 unless superuser. docs/threat-model.md says what remains';
