-- What would undo the protection of a table: one function for each question, and one that asks them all, without jit: there
-- are many small queries, which it would compile for seconds.

CREATE FUNCTION gaussdp_internal.has_unique_unit("table" regclass) RETURNS bool
AS 'MODULE_PATHNAME', 'gaussdp_has_unique_unit' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.has_unique_unit(regclass) IS
'Does a unique index that is valid, immediate and complete prove that a person has one row of a protected table at most? For gaussdp.check_policy().';

-- The table that a check is about: one row
CREATE FUNCTION gaussdp_internal.checked_table("table" regclass)
RETURNS TABLE (oid oid, relname name, relowner oid, problem text, max_rows int8, unit text)
LANGUAGE sql STABLE PARALLEL UNSAFE ROWS 1 SET search_path = pg_catalog, pg_temp AS $$
SELECT c.oid, c.relname, c.relowner, CASE WHEN d.max_rows IS NOT NULL THEN gaussdp_internal.unit_problem(c.oid::regclass) END, d.max_rows, d.unit
FROM pg_class AS c LEFT JOIN LATERAL gaussdp_internal.table_declaration(c.oid::regclass) AS d ON true
WHERE c.oid = "table"
$$;
COMMENT ON FUNCTION gaussdp_internal.checked_table(regclass) IS
'A table, its owner and its declaration; for gaussdp.check_policy().';

CREATE FUNCTION gaussdp_internal.checked_parts("table" regclass) RETURNS TABLE (oid oid)
LANGUAGE sql STABLE PARALLEL UNSAFE ROWS 4 SET search_path = pg_catalog, pg_temp AS $$
WITH RECURSIVE parts AS (
  SELECT c.oid FROM pg_class AS c WHERE c.oid = "table"
  UNION SELECT i.inhrelid FROM pg_inherits AS i JOIN parts AS p ON i.inhparent = p.oid
)
SELECT p.oid FROM parts AS p
$$;
COMMENT ON FUNCTION gaussdp_internal.checked_parts(regclass) IS
'A table and everything that is stored under it; for gaussdp.check_policy().';

-- Where rows are: the parts, and their shards on this server, all of one name. Citus keeps the latter from pg_class, so that who joins that sees them on
-- its own connections alone, as check_nodes() uses.
CREATE FUNCTION gaussdp_internal.checked_storage("table" regclass) RETURNS TABLE (oid oid, name text)
LANGUAGE sql STABLE PARALLEL UNSAFE ROWS 4 SET search_path = pg_catalog, pg_temp AS $$
SELECT p.oid, p.oid::regclass::text FROM gaussdp_internal.checked_parts("table") AS p
UNION ALL
SELECT s.oid, format('shards of %s', p.oid::regclass)
FROM gaussdp_internal.checked_parts("table") AS p, gaussdp_internal.shards_here(p.oid::regclass) AS s (oid)
$$;
COMMENT ON FUNCTION gaussdp_internal.checked_storage(regclass) IS
'Every relation of this server that has rows of a table; for gaussdp.check_policy().';

CREATE FUNCTION gaussdp_internal.rights_of_roles()
RETURNS TABLE (oid oid, rolname name, other oid, other_name name, rolreplication boolean, rolcreaterole boolean)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT r.oid, r.rolname, g.oid, g.rolname, g.rolreplication, g.rolcreaterole
FROM pg_roles AS r JOIN pg_roles AS g ON pg_has_role(r.oid, g.oid, 'MEMBER')
WHERE NOT r.rolsuper AND r.rolname !~ '^pg_'
$$;
COMMENT ON FUNCTION gaussdp_internal.rights_of_roles() IS
'Whose rights a role has or can take by SET ROLE: its own among them, and also a superuser''s; for gaussdp.check_policy().';

CREATE FUNCTION gaussdp_internal.check_declaration("table" regclass) RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT 'error', 'the table is not protected', 'Call gaussdp.protect().'
FROM gaussdp_internal.checked_table("table") AS me WHERE max_rows IS NULL
UNION ALL
SELECT 'error', format('no query is answered: %s', problem), gaussdp_internal.remedy_of("table", problem)
FROM gaussdp_internal.checked_table("table") AS me WHERE problem IS NOT NULL
UNION ALL
SELECT 'error', format('no query is answered: %s', s.problem), s.remedy
FROM gaussdp_internal.server_problem() AS s WHERE s.problem IS NOT NULL
$$;
COMMENT ON FUNCTION gaussdp_internal.check_declaration(regclass) IS
'Is the table declared as protected, does the declaration hold, and is the library there to keep it? For gaussdp.check_policy().';

CREATE FUNCTION gaussdp_internal.check_readers("table" regclass) RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT DISTINCT 'error', format('role %I may read %s directly', r.rolname, p.name),
  'Revoke SELECT on the table and its columns, and memberships that give it.'
FROM gaussdp_internal.checked_table("table") AS me, gaussdp_internal.checked_storage("table") AS p, gaussdp_internal.rights_of_roles() AS r
WHERE NOT pg_has_role(r.oid, me.relowner, 'MEMBER')
  AND (has_table_privilege(r.other, p.oid, 'SELECT') OR has_any_column_privilege(r.other, p.oid, 'SELECT'))
UNION ALL
SELECT 'error', format('role %I has the rights of the owner', r.rolname), 'Revoke the membership.'
FROM gaussdp_internal.checked_table("table") AS me, pg_roles AS r
WHERE NOT r.rolsuper AND r.oid <> me.relowner AND pg_has_role(r.oid, me.relowner, 'MEMBER')
$$;
COMMENT ON FUNCTION gaussdp_internal.check_readers(regclass) IS
'Which roles may read the rows without asking? For gaussdp.check_policy().';

CREATE FUNCTION gaussdp_internal.check_public("table" regclass) RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT DISTINCT 'error', format('PUBLIC may read %s', p.name), 'Revoke SELECT from PUBLIC.'
FROM gaussdp_internal.checked_storage("table") AS p JOIN pg_class AS c ON c.oid = p.oid, aclexplode(c.relacl) AS x
WHERE x.grantee = 0 AND x.privilege_type = 'SELECT'
UNION ALL
SELECT DISTINCT 'error', format('PUBLIC may read columns of %s', p.name), 'Revoke SELECT on the columns from PUBLIC.'
FROM gaussdp_internal.checked_storage("table") AS p JOIN pg_attribute AS a ON a.attrelid = p.oid, aclexplode(a.attacl) AS x
WHERE x.grantee = 0 AND x.privilege_type = 'SELECT'
$$;
COMMENT ON FUNCTION gaussdp_internal.check_public(regclass) IS
'May everybody read the rows? For gaussdp.check_policy().';

CREATE FUNCTION gaussdp_internal.check_writers("table" regclass) RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT DISTINCT 'warning', format('role %I may change %s: whether a change is accepted tells of rows', r.rolname, p.name),
  'Revoke INSERT, UPDATE, DELETE, REFERENCES and TRIGGER.'
FROM gaussdp_internal.checked_table("table") AS me, gaussdp_internal.checked_storage("table") AS p, gaussdp_internal.rights_of_roles() AS r
WHERE NOT pg_has_role(r.oid, me.relowner, 'MEMBER')
  AND (has_table_privilege(r.other, p.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
    OR has_any_column_privilege(r.other, p.oid, 'INSERT, UPDATE, REFERENCES'))
UNION ALL
SELECT DISTINCT 'warning', format('role %I may maintain %s: ANALYZE VERBOSE counts rows', r.rolname, p.name),
  'Revoke MAINTAIN on the table, and the membership in pg_maintain; the owner of the database may always.'
FROM gaussdp_internal.checked_table("table") AS me, gaussdp_internal.checked_storage("table") AS p, gaussdp_internal.rights_of_roles() AS r
WHERE NOT pg_has_role(r.oid, me.relowner, 'MEMBER')
  AND (r.other = (SELECT d.datdba FROM pg_database AS d WHERE d.datname = current_database())
    OR CASE WHEN current_setting('server_version_num')::int >= 170000 THEN has_table_privilege(r.other, p.oid, 'MAINTAIN') ELSE false END)
$$;
COMMENT ON FUNCTION gaussdp_internal.check_writers(regclass) IS
'Which roles may change or maintain the table, and learn from whether it works? For gaussdp.check_policy().';

CREATE FUNCTION gaussdp_internal.shown_by(view regclass, relations oid[]) RETURNS text
AS 'MODULE_PATHNAME', 'gaussdp_shown_by' LANGUAGE C STABLE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp_internal.shown_by(regclass, oid[]) IS
'What a view shows of relations to those who may read it: rows, or answers of dp_ calls; NULL for neither. For gaussdp.check_policy().';

CREATE FUNCTION gaussdp_internal.check_views("table" regclass) RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
WITH RECURSIVE views AS ( -- over the table, and over those views; asked: what they shall not show, stored copies of rows included
  SELECT r.ev_class AS oid, a.parts AS asked, gaussdp_internal.shown_by(r.ev_class::regclass, a.parts) AS shows
  FROM (SELECT array_agg(p.oid) AS parts FROM gaussdp_internal.checked_storage("table") AS p) AS a
  JOIN pg_depend AS d ON d.refobjid = ANY (a.parts) JOIN pg_rewrite AS r ON r.oid = d.objid
  WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass AND r.rulename = '_RETURN' AND r.ev_class <> ALL (a.parts)
  UNION
  SELECT r.ev_class, a.asked, gaussdp_internal.shown_by(r.ev_class::regclass, a.asked)
  FROM views AS v JOIN pg_class AS c ON c.oid = v.oid
  CROSS JOIN LATERAL (SELECT CASE WHEN c.relkind = 'm' AND v.shows = 'rows' THEN v.asked || v.oid ELSE v.asked END) AS a (asked)
  JOIN pg_depend AS d ON d.refobjid = v.oid JOIN pg_rewrite AS r ON r.oid = d.objid
  WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass AND r.rulename = '_RETURN' AND r.ev_class <> v.oid
),
shown AS (
  SELECT c.oid, c.relkind, bool_or(v.shows = 'rows') AS rows
  FROM views AS v JOIN pg_class AS c ON c.oid = v.oid
  WHERE v.shows = 'rows' OR v.shows = 'answers' AND c.relkind = 'm'
  GROUP BY c.oid, c.relkind
)
SELECT CASE WHEN s.rows THEN 'error' ELSE 'warning' END,
  CASE WHEN s.rows THEN format('%s %s shows rows of the table to those who may read it', CASE s.relkind WHEN 'm' THEN 'materialized view' ELSE 'view' END, s.oid::regclass)
    ELSE format('materialized view %s keeps dp_ answers of a role that may read the table: nothing has proven or charged them', s.oid::regclass) END,
  CASE WHEN s.rows THEN 'Drop it, revoke SELECT on it, or make sure that it shows only what may be published.'
    ELSE 'Make sure that its groups may be known, and count its calls as published once; or let a role with a budget make it.' END
FROM shown AS s
WHERE has_table_privilege('public', s.oid, 'SELECT') OR has_any_column_privilege('public', s.oid, 'SELECT') OR EXISTS (SELECT FROM gaussdp_internal.checked_table("table") AS me, gaussdp_internal.rights_of_roles() AS r
  WHERE NOT pg_has_role(r.oid, me.relowner, 'MEMBER')
    AND (has_table_privilege(r.other, s.oid, 'SELECT') OR has_any_column_privilege(r.other, s.oid, 'SELECT')))
$$;
COMMENT ON FUNCTION gaussdp_internal.check_views(regclass) IS
'Which views show rows of the table to other roles than its owner, and which stored ones answers that nothing has proven? For gaussdp.check_policy().';

CREATE FUNCTION gaussdp_internal.check_foreign_keys("table" regclass) RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT 'warning', format('foreign key %I of %s refers to the table: whether a row is accepted tells who is in it', k.conname, k.conrelid::regclass),
  'Drop the foreign key, or revoke INSERT and UPDATE on the table that refers, from all but the owner.'
FROM pg_constraint AS k JOIN gaussdp_internal.checked_parts("table") AS p ON k.confrelid = p.oid JOIN pg_class AS c ON c.oid = k.conrelid
WHERE k.contype = 'f' AND k.conparentid = 0 AND EXISTS (
  SELECT FROM gaussdp_internal.checked_table("table") AS me, gaussdp_internal.rights_of_roles() AS r
  WHERE NOT pg_has_role(r.oid, me.relowner, 'MEMBER')
    AND (has_table_privilege(r.other, c.oid, 'INSERT, UPDATE') OR has_any_column_privilege(r.other, c.oid, 'INSERT, UPDATE')))
UNION ALL
SELECT 'warning', format('foreign key %I of the table refers to %s: whether a row there may be deleted, or have another key, tells whether anybody refers to it', k.conname, k.confrelid::regclass),
  format('Drop the foreign key, or revoke DELETE on %s, and UPDATE of what it names, from all but the owner of the protected table.', k.confrelid::regclass)
FROM pg_constraint AS k JOIN gaussdp_internal.checked_parts("table") AS p ON k.conrelid = p.oid
WHERE k.contype = 'f' AND k.conparentid = 0 AND EXISTS (
  SELECT FROM gaussdp_internal.checked_table("table") AS me, gaussdp_internal.rights_of_roles() AS r
  WHERE NOT pg_has_role(r.oid, me.relowner, 'MEMBER') AND (has_table_privilege(r.other, k.confrelid, 'DELETE')
    OR EXISTS (SELECT FROM unnest(k.confkey) AS c (number) WHERE has_column_privilege(r.other, k.confrelid, c.number, 'UPDATE'))))
$$;
COMMENT ON FUNCTION gaussdp_internal.check_foreign_keys(regclass) IS
'Which foreign keys tell who is in the table, or to what its rows refer? For gaussdp.check_policy().';

CREATE FUNCTION gaussdp_internal.check_triggers("table" regclass) RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT DISTINCT 'warning', format('trigger %I on %s may copy rows', t.tgname, p.name),
  'Read its function; drop the trigger unless what it writes is protected too.'
FROM pg_trigger AS t JOIN gaussdp_internal.checked_storage("table") AS p ON t.tgrelid = p.oid WHERE NOT t.tgisinternal AND t.tgparentid = 0
UNION ALL
SELECT DISTINCT 'warning', format('rule %I on %s may copy rows', r.rulename, p.name),
  'Drop the rule unless what it writes is protected too.'
FROM pg_rewrite AS r JOIN gaussdp_internal.checked_storage("table") AS p ON r.ev_class = p.oid
$$;
COMMENT ON FUNCTION gaussdp_internal.check_triggers(regclass) IS
'Which triggers and rules may copy rows? For gaussdp.check_policy().';

CREATE FUNCTION gaussdp_internal.check_publications("table" regclass) RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT DISTINCT 'warning', format('publication %I sends its rows to subscribers', b.pubname),
  'Take the table out of the publication, or protect it there as well.'
FROM gaussdp_internal.checked_storage("table") AS p JOIN pg_class AS c ON c.oid = p.oid JOIN pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_publication_tables AS b ON b.schemaname = n.nspname AND b.tablename = c.relname
$$;
COMMENT ON FUNCTION gaussdp_internal.check_publications(regclass) IS
'Which publications send the rows elsewhere? For gaussdp.check_policy().';

CREATE FUNCTION gaussdp_internal.check_inheritance("table" regclass) RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
WITH RECURSIVE parents AS (
  SELECT i.inhparent AS oid FROM pg_inherits AS i WHERE i.inhrelid = "table"
  UNION SELECT i.inhparent FROM pg_inherits AS i JOIN parents AS p ON i.inhrelid = p.oid
)
SELECT 'error', format('parent %s is not protected: its rows include those of the table', q.oid::regclass),
  'Protect the parent, or take the table out of the inheritance.'
FROM parents AS q WHERE gaussdp_internal.table_declaration(q.oid::regclass) IS NULL
UNION ALL
SELECT 'warning', format('child %s is not protected by itself', p.oid::regclass), 'Protect the child.'
FROM gaussdp_internal.checked_parts("table") AS p WHERE p.oid <> "table" AND gaussdp_internal.table_declaration(p.oid::regclass) IS NULL
$$;
COMMENT ON FUNCTION gaussdp_internal.check_inheritance(regclass) IS
'Is what the table inherits from, and what inherits from it, protected as well? For gaussdp.check_policy().';

CREATE FUNCTION gaussdp_internal.check_definer_functions("table" regclass) RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT 'warning', format('function %s runs with its owner''s rights and names the table', f.oid::regprocedure),
  'Read it; revoke EXECUTE unless it shows only what may be published.'
FROM gaussdp_internal.checked_table("table") AS me, pg_proc AS f
WHERE f.prosecdef
AND NOT EXISTS (SELECT FROM pg_depend AS d JOIN pg_extension AS x ON d.refobjid = x.oid
  WHERE d.classid = 'pg_proc'::regclass AND d.objid = f.oid AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND x.extname = 'gaussdp')
AND (CASE WHEN me.relname ~ '^[A-Za-z0-9_]+$' THEN f.prosrc ~* ('[[:<:]]' || me.relname || '[[:>:]]')
    ELSE position(me.relname IN f.prosrc) > 0 OR position(replace(me.relname, '"', '""') IN f.prosrc) > 0 END
  OR EXISTS (SELECT FROM pg_depend AS d JOIN gaussdp_internal.checked_storage("table") AS p ON d.refobjid = p.oid
    WHERE d.classid = 'pg_proc'::regclass AND d.objid = f.oid AND d.refclassid = 'pg_class'::regclass))
$$;
COMMENT ON FUNCTION gaussdp_internal.check_definer_functions(regclass) IS
'Which functions show the table with the rights of their owners? For gaussdp.check_policy().';

CREATE FUNCTION gaussdp_internal.check_columns("table" regclass) RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT 'error', format('the public keys of column %I do not hold any more: %s', a.attname, l.label),
  'Call gaussdp.set_public_keys() again.'
FROM gaussdp_internal.checked_table("table") AS me JOIN pg_seclabel AS l ON l.objoid = me.oid AND l.classoid = 'pg_class'::regclass AND l.provider = 'gaussdp'
JOIN pg_attribute AS a ON a.attrelid = me.oid AND a.attnum = l.objsubid
WHERE l.label ~ '(^| )keys=' AND (gaussdp_internal.column_declaration(me.oid::regclass, a.attnum)).key_table IS NULL
UNION ALL
SELECT 'error', format('the declared bounds of column %I do not hold any more: %s', a.attname, l.label),
  'Call gaussdp.set_bounds() again.'
FROM gaussdp_internal.checked_table("table") AS me JOIN pg_seclabel AS l ON l.objoid = me.oid AND l.classoid = 'pg_class'::regclass AND l.provider = 'gaussdp'
JOIN pg_attribute AS a ON a.attrelid = me.oid AND a.attnum = l.objsubid
WHERE l.label ~ '(^| )bounds=' AND (gaussdp_internal.column_declaration(me.oid::regclass, a.attnum)).lower IS NULL
$$;
COMMENT ON FUNCTION gaussdp_internal.check_columns(regclass) IS
'Do the declarations of columns still hold? For gaussdp.check_policy().';

CREATE FUNCTION gaussdp_internal.check_key_tables("table" regclass) RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT DISTINCT 'warning', format('key table %s may be filled from the table: %s', k.oid::regclass, k.why),
  'Public keys must not come from protected rows: fill the key table by hand or from a public source.'
FROM gaussdp_internal.checked_table("table") AS me JOIN pg_attribute AS a ON a.attrelid = me.oid AND a.attnum > 0 AND NOT a.attisdropped
CROSS JOIN LATERAL gaussdp_internal.column_declaration(me.oid::regclass, a.attnum) AS d
CROSS JOIN LATERAL (
  SELECT d.key_table AS oid, format('trigger %I on %s', t.tgname, t.tgrelid::regclass) AS why
  FROM pg_trigger AS t JOIN gaussdp_internal.checked_parts("table") AS p ON t.tgrelid = p.oid JOIN pg_proc AS f ON f.oid = t.tgfoid, pg_class AS c
  WHERE NOT t.tgisinternal AND c.oid = d.key_table AND position(c.relname IN f.prosrc) > 0
  UNION ALL
  SELECT d.key_table, 'it inherits from the table' FROM gaussdp_internal.checked_parts("table") AS p WHERE p.oid = d.key_table
  UNION ALL
  SELECT d.key_table, format('foreign key %I refers to the table', x.conname)
  FROM pg_constraint AS x JOIN gaussdp_internal.checked_parts("table") AS p ON x.confrelid = p.oid WHERE x.contype = 'f' AND x.conrelid = d.key_table
  UNION ALL
  SELECT d.key_table, format('function %s names both', f.oid::regprocedure)
  FROM pg_proc AS f, pg_class AS c
  WHERE c.oid = d.key_table AND position(c.relname IN f.prosrc) > 0
    AND CASE WHEN position(me.relname IN f.prosrc) > 0 THEN f.prosrc ~* 'insert|update|merge|copy' END -- the expression last, which costs ten times as much
) AS k
WHERE d.key_table IS NOT NULL
$$;
COMMENT ON FUNCTION gaussdp_internal.check_key_tables(regclass) IS
'Which tables of public keys may be filled from the table? For gaussdp.check_policy().';

CREATE FUNCTION gaussdp_internal.check_unit("table" regclass) RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT CASE me.max_rows WHEN 1 THEN 'warning' ELSE 'notice' END,
  format('nothing proves that column %I is unique: a person''s rows are weighed, and %s', me.unit, CASE me.max_rows WHEN 1 THEN 'count as one row together' ELSE 'each query finds as how many they count together' END),
  'Create a unique index on the unit column, or declare max_rows. If the column names no person, as the number of an order, protect another one.'
FROM gaussdp_internal.checked_table("table") AS me CROSS JOIN LATERAL gaussdp_internal.table_declaration(me.oid::regclass) AS d
WHERE me.max_rows IN (0, 1) AND me.unit IS NOT NULL AND NOT gaussdp_internal.has_unique_unit(me.oid::regclass) AND d.via IS NULL
  AND (me.max_rows = 1 OR d.people = '' OR NOT EXISTS (SELECT FROM gaussdp.protected_tables AS t WHERE t.people = d.people AND t."table" <> d.declared_on))
$$;
COMMENT ON FUNCTION gaussdp_internal.check_unit(regclass) IS
'Are rows weighed where one row a person may have been meant? For gaussdp.check_policy().';

CREATE FUNCTION gaussdp_internal.check_statistics() RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT 'warning', format('statistics of the table are readable by everybody: %s%s', string_agg(o.name, ', ' ORDER BY o.number) FILTER (WHERE o.number <= 4),
    CASE WHEN count(*) > 4 THEN format(' and %s more', count(*) - 4) END),
  'Call gaussdp.lock_down(), as a superuser, in each database that analysts may connect to; with dry_run => true it lists them all.'
FROM (
  -- functions of extensions first, which are the fewest
  SELECT v.name, row_number() OVER (ORDER BY v.oid >= 16384 DESC, v.name COLLATE "C") AS number
  FROM (
    SELECT s.object, CASE s.class WHEN 'pg_proc'::regclass THEN s.object::regprocedure::text ELSE s.object::regclass::text END
    FROM gaussdp_internal.statistics_objects() AS s
    WHERE CASE s.class WHEN 'pg_proc'::regclass THEN has_function_privilege('public', s.object, 'EXECUTE') ELSE has_table_privilege('public', s.object, 'SELECT') END
    UNION ALL SELECT 'pg_class'::regclass, 'pg_class' WHERE has_column_privilege('public', 'pg_class', 'reltuples', 'SELECT') OR has_column_privilege('public', 'pg_class', 'relfrozenxid', 'SELECT')
    UNION ALL SELECT 'pg_database'::regclass, 'pg_database' WHERE has_column_privilege('public', 'pg_database', 'datfrozenxid', 'SELECT')
    UNION ALL SELECT 'pg_index'::regclass, 'pg_index' WHERE has_column_privilege('public', 'pg_index', 'indcheckxmin', 'SELECT')
  ) AS v (oid, name)) AS o
HAVING count(*) > 0
UNION ALL
SELECT 'warning', 'sizes of shards are readable by everybody: citus_shards and functions of Citus',
  'Call gaussdp.lock_down_all_nodes(), as a superuser, in each database that analysts may connect to.'
WHERE has_function_privilege('public', to_regprocedure('citus_shard_sizes()'), 'EXECUTE')
$$;
COMMENT ON FUNCTION gaussdp_internal.check_statistics() IS
'May everybody read how many rows there are? For gaussdp.check_policy().';

CREATE FUNCTION gaussdp_internal.check_collusion("table" regclass) RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT 'warning', format('nothing limits what %s roles with budgets of their own learn together: they could collude', count(b.epsilon)),
  'Call gaussdp.set_population_budget().'
FROM gaussdp_internal.population_of("table") AS p JOIN gaussdp.budget AS b ON b.granted AND b.people = p.people AND b."table" = p.relation
HAVING count(b.epsilon) > 1 AND bool_or(b.epsilon IS NULL) -- only a population can have no limit
$$;
COMMENT ON FUNCTION gaussdp_internal.check_collusion(regclass) IS
'Could roles learn more together than each may alone? For gaussdp.check_policy().';

CREATE FUNCTION gaussdp_internal.check_populations("table" regclass) RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT 'warning', format('what is asked of %s alone counts for other people than those of the table', p.oid::regclass),
  CASE WHEN whole.people <> '' THEN format('SELECT gaussdp.protect(%L, people => %L, change_unit => true);', p.oid::regclass, whole.people)
    ELSE format('SELECT gaussdp.protect(%L, people => NAME, change_unit => true), gaussdp.protect(%L, people => NAME, change_unit => true);', "table", p.oid::regclass) END
FROM gaussdp_internal.population_of("table") AS whole, gaussdp_internal.checked_parts("table") AS p, gaussdp_internal.population_of(p.oid::regclass) AS part
WHERE part <> whole
$$;
COMMENT ON FUNCTION gaussdp_internal.check_populations(regclass) IS
'Does what is asked of a part count for the same people? For gaussdp.check_policy().';

CREATE FUNCTION gaussdp_internal.check_ledger("table" regclass) RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT DISTINCT 'error', format('role %I may write the ledger: budgets do not bind it', r.rolname),
  'Revoke its rights on the tables of schema gaussdp_internal, and memberships that give them, as that in pg_write_all_data.'
FROM gaussdp_internal.checked_table("table") AS me, pg_class AS c, gaussdp_internal.rights_of_roles() AS r
WHERE c.oid IN ('gaussdp_internal.ledger_account'::regclass, 'gaussdp_internal.journal_entry'::regclass, 'gaussdp_internal.kept_answer'::regclass, 'gaussdp_internal.error_count'::regclass,
    'gaussdp_internal.journal_checkpoint'::regclass, 'gaussdp_internal.journal_sum'::regclass, 'gaussdp_internal.journal_archive'::regclass,
    'gaussdp_internal.kept_archive'::regclass) AND r.oid <> c.relowner
  AND (has_table_privilege(r.other, c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER')
    OR has_any_column_privilege(r.other, c.oid, 'INSERT, UPDATE'))
$$;
COMMENT ON FUNCTION gaussdp_internal.check_ledger(regclass) IS
'Which roles may write the ledger? For gaussdp.check_policy().';

CREATE FUNCTION gaussdp_internal.check_privileged_roles("table" regclass) RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT DISTINCT 'warning', format('role %I can get at the rows without a right on the table: %s', r.rolname, k.why),
  'Take the attribute or the membership away, unless the role is trusted with all rows.'
FROM gaussdp_internal.checked_table("table") AS me, gaussdp_internal.rights_of_roles() AS r CROSS JOIN LATERAL (
  SELECT 'REPLICATION reads the files and every change' WHERE r.rolreplication
  UNION ALL
  SELECT 'CREATEROLE lets it grant itself any role but a superuser' -- from 16 on, only those that it administers
  WHERE r.rolcreaterole AND current_setting('server_version_num')::int < 160000
  UNION ALL
  SELECT r.other_name || ' works on the files of the server'
  WHERE r.other_name IN ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program')
) AS k (why)
WHERE r.oid <> me.relowner
$$;
COMMENT ON FUNCTION gaussdp_internal.check_privileged_roles(regclass) IS
'Which roles get at the rows without a right on the table? For gaussdp.check_policy().';

CREATE FUNCTION gaussdp_internal.check_schema("table" regclass) RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT DISTINCT 'warning', format('role %I may create functions in schema %s: one that fits a call better is called for a dp_ function',
    r.rolname, x.extnamespace::regnamespace),
  'Revoke CREATE on that schema. The owner of the database has it while the schema''s owner is pg_database_owner.'
FROM gaussdp_internal.checked_table("table") AS me, pg_extension AS x, gaussdp_internal.rights_of_roles() AS r
WHERE x.extname = 'gaussdp' AND NOT pg_has_role(r.oid, me.relowner, 'MEMBER') AND has_schema_privilege(r.other, x.extnamespace, 'CREATE')
$$;
COMMENT ON FUNCTION gaussdp_internal.check_schema(regclass) IS
'Which roles may put functions beside the aggregates? For gaussdp.check_policy().';

CREATE FUNCTION gaussdp_internal.check_table("table" regclass) RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE sql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
SELECT f.severity, f.what, f.remedy
FROM (
  SELECT 1, c.* FROM gaussdp_internal.check_declaration("table") AS c
  UNION ALL SELECT 2, c.* FROM gaussdp_internal.check_readers("table") AS c
  UNION ALL SELECT 3, c.* FROM gaussdp_internal.check_public("table") AS c
  UNION ALL SELECT 4, c.* FROM gaussdp_internal.check_writers("table") AS c
  UNION ALL SELECT 5, c.* FROM gaussdp_internal.check_views("table") AS c
  UNION ALL SELECT 6, c.* FROM gaussdp_internal.check_foreign_keys("table") AS c
  UNION ALL SELECT 7, c.* FROM gaussdp_internal.check_triggers("table") AS c
  UNION ALL SELECT 8, c.* FROM gaussdp_internal.check_publications("table") AS c
  UNION ALL SELECT 9, c.* FROM gaussdp_internal.check_inheritance("table") AS c
  UNION ALL SELECT 10, c.* FROM gaussdp_internal.check_definer_functions("table") AS c
  UNION ALL SELECT 11, c.* FROM gaussdp_internal.check_columns("table") AS c
  UNION ALL SELECT 12, c.* FROM gaussdp_internal.check_key_tables("table") AS c
  UNION ALL SELECT 13, c.* FROM gaussdp_internal.check_unit("table") AS c
  UNION ALL SELECT 15, c.* FROM gaussdp_internal.check_collusion("table") AS c
  UNION ALL SELECT 16, c.* FROM gaussdp_internal.check_populations("table") AS c
  UNION ALL SELECT 17, c.* FROM gaussdp_internal.check_ledger("table") AS c
  UNION ALL SELECT 18, c.* FROM gaussdp_internal.check_privileged_roles("table") AS c
  UNION ALL SELECT 19, c.* FROM gaussdp_internal.check_schema("table") AS c
  UNION ALL SELECT 20, c.* FROM gaussdp_internal.check_nodes("table") AS c
  UNION ALL SELECT 21, c.* FROM gaussdp_internal.check_system_columns("table") AS c
  UNION ALL SELECT 22, c.* FROM gaussdp_internal.check_code("table") AS c
  UNION ALL SELECT 23, c.* FROM gaussdp_internal.check_default_privileges("table") AS c
  UNION ALL SELECT 24, c.* FROM gaussdp_internal.check_foreign_servers("table") AS c
  UNION ALL SELECT 25, c.* FROM gaussdp_internal.check_sequences("table") AS c
  UNION ALL SELECT 26, c.* FROM gaussdp_internal.check_second_person("table") AS c
  UNION ALL SELECT 27, c.* FROM gaussdp_internal.check_key_unit("table") AS c
  UNION ALL SELECT 28, c.* FROM gaussdp_internal.check_open_references("table") AS c
  UNION ALL SELECT 29, c.* FROM gaussdp_internal.check_copies("table") AS c
  UNION ALL SELECT 30, c.* FROM gaussdp_internal.check_key_use("table") AS c
  UNION ALL SELECT 31, c.* FROM gaussdp_internal.check_budgets("table") AS c
  UNION ALL SELECT 32, c.* FROM gaussdp_internal.check_owners("table") AS c
  UNION ALL SELECT 33, c.* FROM gaussdp_internal.check_row_security("table") AS c
) AS f (number, severity, what, remedy)
ORDER BY f.number, f.what
$$;
COMMENT ON FUNCTION gaussdp_internal.check_table(regclass) IS
'What would undo the protection of a table, but for what is the same of all tables: check_statistics(). For gaussdp.check_policy().';

-- Who fills the disk of temporary files makes queries wait or fail at rows that need some of it.
CREATE FUNCTION gaussdp_internal.check_temporary_files() RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT 'warning', format('temporary files of private queries share a disk with role %I, which may fill it', min(r.rolname)) || CASE count(*) WHEN 1 THEN '' ELSE ', and with others' END,
  'Make a tablespace on a disk of its own, give nobody CREATE on it, and name it in gaussdp.temp_tablespaces.'
FROM pg_roles AS r
WHERE EXISTS (SELECT FROM gaussdp.budget AS b WHERE b.granted AND b.paid_by = r.rolname) AND NOT r.rolsuper AND NOT EXISTS (
  SELECT FROM (SELECT btrim(n, ' "') FROM string_to_table(nullif(btrim(current_setting('gaussdp.temp_tablespaces', true)), ''), ',') AS n) AS n (name)
  HAVING count(*) > 0 AND bool_and(n.name <> 'pg_default' AND EXISTS (SELECT FROM pg_tablespace AS t WHERE t.spcname = n.name AND NOT has_tablespace_privilege(r.oid, t.oid, 'CREATE')
    AND t.oid <> (SELECT d.dattablespace FROM pg_database AS d WHERE d.datname = current_database()))))
HAVING count(*) > 0
$$;
COMMENT ON FUNCTION gaussdp_internal.check_temporary_files() IS
'Do temporary files of private queries lie where roles with budgets can write? For gaussdp.check_policy().';

CREATE FUNCTION gaussdp.check_policy("table" regclass) RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE sql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
SELECT c.* FROM gaussdp_internal.check_table("table") AS c UNION ALL SELECT c.* FROM gaussdp_internal.check_statistics() AS c
UNION ALL SELECT c.* FROM gaussdp_internal.check_nobody("table") AS c
$$;
COMMENT ON FUNCTION gaussdp.check_policy(regclass) IS
'What would undo the protection of a table, a row each: severity (error: rows can be seen, or no query is answered; warning: look at it; notice: to the owner, how many rows no answer counts), what, and how to mend it; of a table of Citus, on all its servers. Changes nothing.';

CREATE FUNCTION gaussdp.check_policy() RETURNS TABLE ("table" regclass, severity text, what text, remedy text)
LANGUAGE sql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
SELECT f."table", f.severity, f.what, f.remedy
FROM (
  SELECT CASE count(*) WHEN 1 THEN min(p.oid)::regclass END, c.severity, c.what, c.remedy
  FROM (SELECT DISTINCT l.objoid AS oid FROM pg_seclabel AS l
    WHERE l.provider = 'gaussdp' AND l.classoid = 'pg_class'::regclass AND l.objsubid = 0) AS p
  CROSS JOIN LATERAL gaussdp_internal.check_table(p.oid::regclass) AS c
  GROUP BY c.severity, c.what, c.remedy
  UNION ALL
  SELECT NULL, c.* FROM gaussdp_internal.check_statistics() AS c WHERE EXISTS (SELECT FROM gaussdp.protected_tables)
  UNION ALL
  SELECT NULL, c.* FROM gaussdp_internal.check_functions() AS c
  UNION ALL
  SELECT NULL, c.* FROM gaussdp_internal.check_temporary_files() AS c
) AS f ("table", severity, what, remedy)
ORDER BY f.severity, f."table"::text, f.what
$$;
COMMENT ON FUNCTION gaussdp.check_policy() IS
'What would undo the protection of each protected table: check_policy("table") of them all, errors first. What is said of several tables is one row, without a table.';

-- Read by what watches the server: a number that rises is a reason to call check_policy().
CREATE VIEW gaussdp.stat_policy AS
SELECT count(*) FILTER (WHERE c.severity = 'error') AS policy_errors, count(*) FILTER (WHERE c.severity = 'warning') AS policy_warnings,
  (SELECT count(*) FROM gaussdp.protected_tables) AS tables, (SELECT count(*) FROM gaussdp.protected_tables AS t WHERE NOT t.usable) AS unusable
FROM gaussdp.check_policy() AS c;
REVOKE ALL ON gaussdp.stat_policy FROM PUBLIC;
GRANT SELECT ON gaussdp.stat_policy TO pg_monitor;
COMMENT ON VIEW gaussdp.stat_policy IS
'How many errors and warnings gaussdp.check_policy() has in this database, how many tables are protected, and of how many of these nothing can be asked. It takes a tenth of a second for each table.';
