-- What would undo the protection of a table.

CREATE FUNCTION gaussdp.check_policy("table" regclass) RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
WITH RECURSIVE me AS (
  SELECT c.oid, c.relname, c.relowner, c.relkind, d.problem, d.max_rows, d.unit, d.people, d.declared_on
  FROM pg_class AS c LEFT JOIN LATERAL gaussdp.table_declaration(c.oid::regclass) AS d ON true
  WHERE c.oid = "table"
),
-- The table and everything that is stored under it
parts AS (
  SELECT oid FROM me UNION SELECT i.inhrelid FROM pg_inherits AS i JOIN parts AS p ON i.inhparent = p.oid
),
parents AS (
  SELECT i.inhparent AS oid FROM pg_inherits AS i JOIN me ON i.inhrelid = me.oid
  UNION SELECT i.inhparent FROM pg_inherits AS i JOIN parents AS p ON i.inhrelid = p.oid
),
-- Views over it, and views over those
views AS (
  SELECT DISTINCT r.ev_class AS oid FROM pg_depend AS d JOIN pg_rewrite AS r ON r.oid = d.objid
  JOIN parts AS p ON d.refobjid = p.oid
  WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass AND r.ev_class <> p.oid
  UNION
  SELECT r.ev_class FROM pg_depend AS d JOIN pg_rewrite AS r ON r.oid = d.objid
  JOIN views AS v ON d.refobjid = v.oid
  WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass AND r.ev_class <> v.oid
),
-- Whose rights a role has or can take by SET ROLE: its own among them, and also a superuser's
may_be AS (
  SELECT r.oid, r.rolname, g.oid AS other, g.rolname AS other_name, g.rolreplication, g.rolcreaterole
  FROM pg_roles AS r JOIN pg_roles AS g ON pg_has_role(r.oid, g.oid, 'MEMBER')
  WHERE NOT r.rolsuper AND r.rolname !~ '^pg_'
),
findings AS (
  SELECT 1 AS ord, 'error' AS severity, 'the table is not protected' AS what, 'Call gaussdp.protect().' AS remedy
  FROM me WHERE max_rows IS NULL
  UNION ALL
  SELECT 1, 'error', format('no query is answered: %s', problem), 'Mend the table or call gaussdp.protect() again.'
  FROM me WHERE problem IS NOT NULL
  UNION ALL
  SELECT DISTINCT 2, 'error', format('role %I may read %s directly', r.rolname, p.oid::regclass),
    'Revoke SELECT on the table and its columns, and memberships that give it.'
  FROM me, parts AS p, may_be AS r
  WHERE NOT pg_has_role(r.oid, me.relowner, 'MEMBER')
    AND (has_table_privilege(r.other, p.oid, 'SELECT') OR has_any_column_privilege(r.other, p.oid, 'SELECT'))
  UNION ALL
  SELECT 2, 'error', format('role %I has the rights of the owner', r.rolname), 'Revoke the membership.'
  FROM me, pg_roles AS r
  WHERE NOT r.rolsuper AND r.oid <> me.relowner AND pg_has_role(r.oid, me.relowner, 'MEMBER')
  UNION ALL
  SELECT 3, 'error', format('PUBLIC may read %s', p.oid::regclass), 'Revoke SELECT from PUBLIC.'
  FROM parts AS p JOIN pg_class AS c ON c.oid = p.oid, aclexplode(c.relacl) AS x
  WHERE x.grantee = 0 AND x.privilege_type = 'SELECT'
  UNION ALL
  SELECT DISTINCT 3, 'error', format('PUBLIC may read columns of %s', p.oid::regclass), 'Revoke SELECT on the columns from PUBLIC.'
  FROM parts AS p JOIN pg_attribute AS a ON a.attrelid = p.oid, aclexplode(a.attacl) AS x
  WHERE x.grantee = 0 AND x.privilege_type = 'SELECT'
  UNION ALL
  SELECT DISTINCT 4, 'warning', format('role %I may change %s: whether a change is accepted tells of rows', r.rolname, p.oid::regclass),
    'Revoke INSERT, UPDATE, DELETE, REFERENCES and TRIGGER.'
  FROM me, parts AS p, may_be AS r
  WHERE NOT pg_has_role(r.oid, me.relowner, 'MEMBER')
    AND (has_table_privilege(r.other, p.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
      OR has_any_column_privilege(r.other, p.oid, 'INSERT, UPDATE, REFERENCES'))
  UNION ALL
  SELECT DISTINCT 4, 'warning', format('role %I may maintain %s: ANALYZE VERBOSE counts rows', r.rolname, p.oid::regclass),
    'Revoke MAINTAIN on the table, and the membership in pg_maintain; the owner of the database may always.'
  FROM me, parts AS p, may_be AS r
  WHERE NOT pg_has_role(r.oid, me.relowner, 'MEMBER')
    AND (r.other = (SELECT d.datdba FROM pg_database AS d WHERE d.datname = current_database())
      OR CASE WHEN current_setting('server_version_num')::int >= 170000 THEN has_table_privilege(r.other, p.oid, 'MAINTAIN') ELSE false END)
  UNION ALL
  SELECT 5, 'error', format('%s %s shows rows of the table to those who may read it',
      CASE c.relkind WHEN 'm' THEN 'materialized view' ELSE 'view' END, c.oid::regclass),
    'Drop it, revoke SELECT on it, or make sure that it shows only what may be published.'
  FROM views AS v JOIN pg_class AS c ON c.oid = v.oid
  UNION ALL
  SELECT 6, 'warning', format('foreign key %I of %s refers to the table: whether a row is accepted tells who is in it', k.conname, k.conrelid::regclass),
    'Drop the foreign key, or let nobody but the owner write there.'
  FROM pg_constraint AS k JOIN parts AS p ON k.confrelid = p.oid WHERE k.contype = 'f' AND k.conparentid = 0
  UNION ALL
  SELECT 7, 'warning', format('trigger %I on %s may copy rows', t.tgname, t.tgrelid::regclass),
    'Read its function; drop the trigger unless what it writes is protected too.'
  FROM pg_trigger AS t JOIN parts AS p ON t.tgrelid = p.oid WHERE NOT t.tgisinternal AND t.tgparentid = 0
  UNION ALL
  SELECT 7, 'warning', format('rule %I on %s may copy rows', r.rulename, r.ev_class::regclass),
    'Drop the rule unless what it writes is protected too.'
  FROM pg_rewrite AS r JOIN parts AS p ON r.ev_class = p.oid
  UNION ALL
  SELECT DISTINCT 8, 'warning', format('publication %I sends its rows to subscribers', b.pubname),
    'Take the table out of the publication, or protect it there as well.'
  FROM parts AS p JOIN pg_class AS c ON c.oid = p.oid JOIN pg_namespace AS n ON n.oid = c.relnamespace
  JOIN pg_publication_tables AS b ON b.schemaname = n.nspname AND b.tablename = c.relname
  UNION ALL
  SELECT 9, 'error', format('parent %s is not protected: its rows include those of the table', q.oid::regclass),
    'Protect the parent, or take the table out of the inheritance.'
  FROM parents AS q WHERE gaussdp.table_declaration(q.oid::regclass) IS NULL
  UNION ALL
  SELECT 9, 'warning', format('child %s is not protected by itself', p.oid::regclass), 'Protect the child.'
  FROM parts AS p WHERE p.oid <> "table" AND gaussdp.table_declaration(p.oid::regclass) IS NULL
  UNION ALL
  SELECT 10, 'warning', format('function %s runs with its owner''s rights and names the table', f.oid::regprocedure),
    'Read it; revoke EXECUTE unless it shows only what may be published.'
  FROM me, pg_proc AS f
  WHERE f.prosecdef AND (CASE WHEN me.relname ~ '^[A-Za-z0-9_]+$' THEN f.prosrc ~* ('[[:<:]]' || me.relname || '[[:>:]]')
      ELSE position(me.relname IN f.prosrc) > 0 OR position(replace(me.relname, '"', '""') IN f.prosrc) > 0 END
    OR EXISTS (SELECT FROM pg_depend AS d JOIN parts AS p ON d.refobjid = p.oid
      WHERE d.classid = 'pg_proc'::regclass AND d.objid = f.oid AND d.refclassid = 'pg_class'::regclass))
  UNION ALL
  SELECT 11, 'error', format('the public keys of column %I do not hold any more: %s', a.attname, l.label),
    'Call gaussdp.set_public_keys() again.'
  FROM me JOIN pg_seclabel AS l ON l.objoid = me.oid AND l.classoid = 'pg_class'::regclass AND l.provider = 'gaussdp'
  JOIN pg_attribute AS a ON a.attrelid = me.oid AND a.attnum = l.objsubid
  WHERE l.label ~ '(^| )keys=' AND (gaussdp.column_declaration(me.oid::regclass, a.attnum)).key_table IS NULL
  UNION ALL
  SELECT 11, 'error', format('the declared bounds of column %I do not hold any more: %s', a.attname, l.label),
    'Call gaussdp.set_bounds() again.'
  FROM me JOIN pg_seclabel AS l ON l.objoid = me.oid AND l.classoid = 'pg_class'::regclass AND l.provider = 'gaussdp'
  JOIN pg_attribute AS a ON a.attrelid = me.oid AND a.attnum = l.objsubid
  WHERE l.label ~ '(^| )bounds=' AND (gaussdp.column_declaration(me.oid::regclass, a.attnum)).lower IS NULL
  UNION ALL
  SELECT DISTINCT 12, 'warning', format('key table %s may be filled from the table: %s', k.oid::regclass, k.why),
    'Public keys must not come from protected rows: fill the key table by hand or from a public source.'
  FROM me JOIN pg_attribute AS a ON a.attrelid = me.oid AND a.attnum > 0 AND NOT a.attisdropped
  CROSS JOIN LATERAL gaussdp.column_declaration(me.oid::regclass, a.attnum) AS d
  CROSS JOIN LATERAL (
    SELECT d.key_table AS oid, format('trigger %I on %s', t.tgname, t.tgrelid::regclass) AS why
    FROM pg_trigger AS t JOIN parts AS p ON t.tgrelid = p.oid JOIN pg_proc AS f ON f.oid = t.tgfoid, pg_class AS c
    WHERE NOT t.tgisinternal AND c.oid = d.key_table AND position(c.relname IN f.prosrc) > 0
    UNION ALL
    SELECT d.key_table, 'it inherits from the table' FROM parts AS p WHERE p.oid = d.key_table
    UNION ALL
    SELECT d.key_table, format('foreign key %I refers to the table', x.conname)
    FROM pg_constraint AS x JOIN parts AS p ON x.confrelid = p.oid WHERE x.contype = 'f' AND x.conrelid = d.key_table
    UNION ALL
    SELECT d.key_table, format('function %s names both', f.oid::regprocedure)
    FROM pg_proc AS f, pg_class AS c
    WHERE c.oid = d.key_table AND position(c.relname IN f.prosrc) > 0 AND position(me.relname IN f.prosrc) > 0
      AND f.prosrc ~* 'insert|update|merge|copy'
  ) AS k
  WHERE d.key_table IS NOT NULL
  UNION ALL
  SELECT 13, 'error', format('nothing proves that column %I is unique, but max_rows is 1', me.unit),
    'Create a unique index on the unit column, or declare max_rows.'
  FROM me
  WHERE me.max_rows = 1 AND me.unit IS NOT NULL AND NOT EXISTS (
    SELECT FROM pg_index AS i JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attname = me.unit
    WHERE i.indrelid = me.oid AND i.indisunique AND i.indimmediate AND i.indisvalid AND i.indisready
      AND i.indpred IS NULL AND i.indexprs IS NULL AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum)
  UNION ALL
  SELECT 14, 'warning', format('statistics of the table are readable by everybody: %s', v.name),
    'Call gaussdp.lock_down(), as a superuser, in each database that analysts may connect to.'
  FROM (SELECT 'pg_class.reltuples and pg_stat views') AS v (name)
  WHERE has_function_privilege('public', 'pg_stat_get_live_tuples(oid)', 'EXECUTE')
  UNION ALL
  SELECT 15, 'warning', format('nothing limits what %s roles with budgets of their own learn together: they could collude', count(b.epsilon)),
    'Call gaussdp.set_population_budget().'
  FROM me JOIN gaussdp.budget AS b
    ON b.granted AND b.people = coalesce(me.people, '') AND (me.people IS NOT NULL OR b."table" = me.declared_on)
  HAVING count(b.epsilon) > 1 AND bool_or(b.epsilon IS NULL) -- only a population can have no limit
  UNION ALL
  SELECT 16, 'warning', format('what is asked of %s alone counts for other people than those of the table', p.oid::regclass),
    'Call gaussdp.protect() with the same people for both.'
  FROM me, parts AS p, gaussdp.table_declaration(p.oid::regclass) AS d
  WHERE d.declared_on <> me.declared_on AND (d.people = me.people) IS NOT TRUE
  UNION ALL
  SELECT DISTINCT 17, 'error', format('role %I may write the ledger: budgets do not bind it', r.rolname),
    'Revoke its rights on the tables of schema gaussdp, and memberships that give them, as that in pg_write_all_data.'
  FROM me, pg_class AS c, may_be AS r
  WHERE c.oid IN ('gaussdp.pot'::regclass, 'gaussdp.journal_entry'::regclass) AND r.oid <> c.relowner
    AND (has_table_privilege(r.other, c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER')
      OR has_any_column_privilege(r.other, c.oid, 'INSERT, UPDATE'))
  UNION ALL
  SELECT DISTINCT 18, 'warning', format('role %I can get at the rows without a right on the table: %s', r.rolname, k.why),
    'Take the attribute or the membership away, unless the role is trusted with all rows.'
  FROM me, may_be AS r CROSS JOIN LATERAL (
    SELECT 'REPLICATION reads the files and every change' WHERE r.rolreplication
    UNION ALL
    SELECT 'CREATEROLE lets it grant itself any role but a superuser' -- from 16 on, only those that it administers
    WHERE r.rolcreaterole AND current_setting('server_version_num')::int < 160000
    UNION ALL
    SELECT r.other_name || ' works on the files of the server'
    WHERE r.other_name IN ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program')
  ) AS k (why)
  WHERE r.oid <> me.relowner
  UNION ALL
  SELECT DISTINCT 19, 'warning', format('role %I may create functions in schema %s: one that fits a call better is called for a dp_ function',
      r.rolname, x.extnamespace::regnamespace),
    'Revoke CREATE on that schema. The owner of the database has it while the schema''s owner is pg_database_owner.'
  FROM me, pg_extension AS x, may_be AS r
  WHERE x.extname = 'gaussdp' AND NOT pg_has_role(r.oid, me.relowner, 'MEMBER') AND has_schema_privilege(r.other, x.extnamespace, 'CREATE')
)
SELECT f.severity, f.what, f.remedy FROM findings AS f ORDER BY f.ord, f.what
$$;
COMMENT ON FUNCTION gaussdp.check_policy(regclass) IS
'What would undo the protection of a table, a row each: severity (error: rows can be seen, or no query is answered; warning: look at it), what, and how to mend it. Changes nothing.';
