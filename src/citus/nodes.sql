-- The other servers of Citus, asked by its own functions; where Citus is not, there are none.

CREATE FUNCTION gaussdp_internal.shards_here("table" regclass) RETURNS SETOF oid
LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
    RETURN;
  END IF;
  -- shard_name() leaves out the schema where that is public
  RETURN QUERY EXECUTE
    'SELECT h.shard FROM pg_dist_shard AS s JOIN pg_class AS c ON c.oid = s.logicalrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace'
    ' CROSS JOIN LATERAL (SELECT to_regclass(CASE n.nspname WHEN ''public'' THEN ''public.'' ELSE '''' END || shard_name(s.logicalrelid, s.shardid))::oid) AS h (shard)'
    ' WHERE s.logicalrelid = $1 AND h.shard IS NOT NULL'
    USING "table";
END
$$;
COMMENT ON FUNCTION gaussdp_internal.shards_here(regclass) IS
'The shards of a table of Citus that are stored on this server; none where the table is not one of Citus.';

CREATE FUNCTION gaussdp_internal.ask_nodes(command text, OUT node text, OUT answered bool, OUT answer text) RETURNS SETOF record
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY EXECUTE
    'SELECT m.node_name || '':'' || m.node_port, m.success, m.result'
    ' FROM (SELECT array_agg(d.nodename), array_agg(d.nodeport), array_agg($1) FROM pg_dist_node AS d'
    '   WHERE d.isactive AND d.noderole = ''primary'' AND d.nodecluster = current_setting(''citus.cluster_name'')'
    '   AND d.groupid <> (SELECT l.groupid FROM pg_dist_local_group AS l) HAVING count(*) > 0) AS n (names, ports, commands)'
    ' CROSS JOIN LATERAL master_run_on_worker(n.names, n.ports, n.commands, true) AS m'
    ' ORDER BY m.node_name, m.node_port'
    USING command;
END
$$;
COMMENT ON FUNCTION gaussdp_internal.ask_nodes(text) IS
'Runs a query on all other active servers of Citus, as the current role, and returns the first column of its first row, or an error message where answered is false.';
