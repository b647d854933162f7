-- What would undo the protection of a table, beside rights on it: system columns, code of other roles that its owner runs, tables to come, foreign
-- servers that lead back here, sequences.

CREATE FUNCTION gaussdp_internal.check_system_columns("table" regclass) RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT DISTINCT 'error', format('%s may read %I of %s, a system column: whoever reads one counts rows', CASE x.grantee WHEN 0 THEN 'PUBLIC' ELSE format('role %I', r.rolname) END,
    a.attname, p.name),
  'Revoke SELECT on the column.'
FROM gaussdp_internal.checked_table("table") AS me, gaussdp_internal.checked_storage("table") AS p JOIN pg_attribute AS a ON a.attrelid = p.oid AND a.attnum < 0
CROSS JOIN LATERAL aclexplode(a.attacl) AS x LEFT JOIN pg_roles AS r ON r.oid = x.grantee
WHERE x.privilege_type = 'SELECT' AND x.grantee <> me.relowner
$$;
COMMENT ON FUNCTION gaussdp_internal.check_system_columns(regclass) IS
'Which system columns may be read, each of which counts rows? For gaussdp.check_policy().';

-- Everything that PostgreSQL runs with the rights of whoever writes to the table, or plans a query over it.
CREATE FUNCTION gaussdp_internal.check_code("table" regclass) RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
WITH RECURSIVE part AS (
  SELECT p.oid, me.relowner FROM gaussdp_internal.checked_table("table") AS me, gaussdp_internal.checked_parts("table") AS p
), domains AS ( -- of columns, and what these are domains or arrays over
  SELECT a.atttypid AS oid FROM part AS p JOIN pg_attribute AS a ON a.attrelid = p.oid AND a.attnum > 0 AND NOT a.attisdropped WHERE a.atttypid >= 16384
  UNION
  SELECT b.base FROM domains AS d JOIN pg_type AS t ON t.oid = d.oid CROSS JOIN LATERAL unnest(ARRAY[t.typbasetype, t.typelem]) AS b (base) WHERE b.base >= 16384
), piece AS ( -- what hangs on the table: defaults and generated columns, constraints, indexes, policies, statistics; rules and triggers have a check of their own
  SELECT 'pg_class'::regclass AS class, p.oid, 'partition key' AS kind FROM part AS p
  UNION ALL SELECT 'pg_attrdef'::regclass, d.oid, format('%s of column %I', CASE a.attgenerated WHEN '' THEN 'default' ELSE 'expression' END, a.attname)
    FROM part AS p JOIN pg_attrdef AS d ON d.adrelid = p.oid JOIN pg_attribute AS a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
  UNION ALL SELECT 'pg_constraint'::regclass, c.oid, format('constraint %I', c.conname) FROM part AS p JOIN pg_constraint AS c ON c.conrelid = p.oid
  UNION ALL SELECT 'pg_class'::regclass, i.indexrelid, format('index %s', i.indexrelid::regclass) FROM part AS p JOIN pg_index AS i ON i.indrelid = p.oid
  UNION ALL SELECT 'pg_policy'::regclass, y.oid, format('policy %I', y.polname) FROM part AS p JOIN pg_policy AS y ON y.polrelid = p.oid
  UNION ALL SELECT 'pg_statistic_ext'::regclass, s.oid, format('statistics %I', s.stxname) FROM part AS p JOIN pg_statistic_ext AS s ON s.stxrelid = p.oid
  UNION ALL SELECT 'pg_constraint'::regclass, c.oid, format('domain %s', c.contypid::regtype) FROM domains AS d JOIN pg_constraint AS c ON c.contypid = d.oid
), code AS (
  SELECT s.kind, format('function %s', f.oid::regprocedure) AS name, f.proowner AS owner
  FROM piece AS s JOIN pg_depend AS d ON d.classid = s.class AND d.objid = s.oid LEFT JOIN pg_operator AS o ON d.refclassid = 'pg_operator'::regclass AND o.oid = d.refobjid
  JOIN pg_proc AS f ON f.oid = CASE d.refclassid WHEN 'pg_proc'::regclass THEN d.refobjid ELSE o.oprcode END
  UNION
  SELECT 'column', format('domain %s', t.oid::regtype), t.typowner FROM domains AS d JOIN pg_type AS t ON t.oid = d.oid WHERE t.typtype = 'd'
)
SELECT DISTINCT 'error', format('%s, of role %I, is run by whoever writes to the table: %s', c.name, r.rolname, c.kind),
  'Make it the table''s owner''s: whoever owns it may change it, so that the next INSERT or UPDATE hands over rows, with the rights of the writer.'
FROM code AS c JOIN pg_roles AS r ON r.oid = c.owner, gaussdp_internal.checked_table("table") AS me
WHERE c.owner <> me.relowner AND NOT r.rolsuper AND NOT pg_has_role(r.oid, me.relowner, 'MEMBER')
$$;
COMMENT ON FUNCTION gaussdp_internal.check_code(regclass) IS
'Which functions, operators and domains of other roles does writing to the table run? For gaussdp.check_policy().';

CREATE FUNCTION gaussdp_internal.check_default_privileges("table" regclass) RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT DISTINCT 'warning', format('default privileges let %s read each new table of role %I%s, a new partition or a table that is swapped in as well',
    CASE x.grantee WHEN 0 THEN 'PUBLIC' ELSE format('role %I', g.rolname) END, o.rolname, CASE d.defaclnamespace WHEN 0 THEN '' ELSE format(' in schema %s', d.defaclnamespace::regnamespace) END),
  format('ALTER DEFAULT PRIVILEGES FOR ROLE %I%s REVOKE SELECT ON TABLES FROM %s.', o.rolname,
    CASE d.defaclnamespace WHEN 0 THEN '' ELSE format(' IN SCHEMA %s', d.defaclnamespace::regnamespace) END, CASE x.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(g.rolname) END)
FROM gaussdp_internal.checked_table("table") AS me JOIN pg_class AS c ON c.oid = me.oid
JOIN pg_default_acl AS d ON d.defaclrole = me.relowner AND d.defaclobjtype = 'r' AND d.defaclnamespace IN (0, c.relnamespace)
CROSS JOIN LATERAL aclexplode(d.defaclacl) AS x JOIN pg_roles AS o ON o.oid = d.defaclrole LEFT JOIN pg_roles AS g ON g.oid = x.grantee
WHERE x.privilege_type = 'SELECT' AND x.grantee <> me.relowner
$$;
COMMENT ON FUNCTION gaussdp_internal.check_default_privileges(regclass) IS
'Whom do default privileges let read tables and partitions to come? For gaussdp.check_policy().';

-- A server without a host, or of this machine, with this server's port and this database, or none: as libpq takes them.
CREATE FUNCTION gaussdp_internal.check_foreign_servers("table" regclass) RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT DISTINCT 'warning', format('foreign server %I leads back to this database, and %s may use it as another user', s.srvname, CASE m.umuser WHEN 0 THEN 'PUBLIC' ELSE format('role %I', m.usename) END),
  'Drop the user mapping, or make sure that the user it names there may not read the table.'
FROM gaussdp_internal.checked_table("table") AS me, pg_foreign_server AS s JOIN pg_user_mappings AS m ON m.srvid = s.oid LEFT JOIN pg_roles AS r ON r.oid = m.umuser
CROSS JOIN LATERAL (
  SELECT max(o.option_value) FILTER (WHERE o.option_name IN ('host', 'hostaddr')) AS host, max(o.option_value) FILTER (WHERE o.option_name = 'port') AS port,
    max(o.option_value) FILTER (WHERE o.option_name = 'dbname') AS dbname
  FROM pg_options_to_table(s.srvoptions) AS o) AS o
WHERE (m.umuser = 0 OR NOT r.rolsuper AND NOT pg_has_role(r.oid, me.relowner, 'MEMBER'))
  AND coalesce(o.host, '') ~ '^($|/|@|localhost$|127[.]|::1$|0[.]0[.]0[.]0$)' AND coalesce(o.port, current_setting('port')) = current_setting('port')
  AND coalesce(o.dbname, current_database()) = current_database()
$$;
COMMENT ON FUNCTION gaussdp_internal.check_foreign_servers(regclass) IS
'Which foreign servers lead back to this database, as a user who may read more? For gaussdp.check_policy().';

CREATE FUNCTION gaussdp_internal.check_sequences("table" regclass) RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT DISTINCT 'warning', format('role %I may read sequence %s: it counts the rows that were inserted', r.rolname, s.oid::regclass), 'Revoke SELECT and USAGE on the sequence.'
FROM gaussdp_internal.checked_table("table") AS me, gaussdp_internal.checked_parts("table") AS p
JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = p.oid AND d.classid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
JOIN pg_class AS s ON s.oid = d.objid AND s.relkind = 'S', gaussdp_internal.rights_of_roles() AS r
WHERE NOT pg_has_role(r.oid, me.relowner, 'MEMBER') AND has_sequence_privilege(r.other, s.oid, 'SELECT, USAGE')
$$;
COMMENT ON FUNCTION gaussdp_internal.check_sequences(regclass) IS
'Which roles may read sequences of the table''s columns? For gaussdp.check_policy().';
