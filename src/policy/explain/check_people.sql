-- Is it the right person whom a declaration protects, and by enough? What foreign keys, other tables and budgets say of it.

-- The foreign keys of one column each, between tables: those of partitions are their parents'.
CREATE FUNCTION gaussdp_internal.references_of("table" regclass, OUT "column" name, OUT other regclass, OUT other_column name) RETURNS SETOF record
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT a.attname, k.confrelid, b.attname
FROM pg_constraint AS k JOIN pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1] JOIN pg_attribute AS b ON b.attrelid = k.confrelid AND b.attnum = k.confkey[1]
WHERE k.conrelid = "table" AND k.contype = 'f' AND cardinality(k.conkey) = 1
  -- from 15 on, a key that refers to a partitioned table has one more row for each of its partitions
  AND NOT EXISTS (SELECT FROM pg_constraint AS p WHERE p.oid = k.conparentid AND p.conrelid = k.conrelid)
$$;
COMMENT ON FUNCTION gaussdp_internal.references_of(regclass) IS 'Which columns of a table refer to which columns of others? For gaussdp.check_policy() and gaussdp.suggest().';

CREATE FUNCTION gaussdp_internal.check_second_person("table" regclass) RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
WITH me AS (
  SELECT d.unit, d.via, d.people, d.declared_on FROM gaussdp_internal.table_declaration("table") AS d WHERE d.unit IS NOT NULL
)
SELECT DISTINCT 'warning', format('column %I names a second person in each row, whom nothing protects', f."column"),
  'Hide it: gaussdp.hide_columns(); and protect the one whom the rows are about, or a household or an account as a population of its own: docs/admin.md, "Rows of two people".'
FROM me CROSS JOIN gaussdp_internal.references_of("table") AS f
WHERE f."column" <> me.unit
  AND NOT EXISTS (SELECT FROM pg_attribute AS a CROSS JOIN LATERAL gaussdp_internal.column_declaration("table", a.attnum) AS h
    WHERE a.attrelid = "table" AND a.attname = f."column" AND h.is_hidden)
  AND (EXISTS (SELECT FROM gaussdp_internal.references_of("table") AS u WHERE u."column" = me.unit AND (u.other, u.other_column) = (f.other, f.other_column) AND me.via IS NULL)
    OR EXISTS (SELECT FROM gaussdp_internal.table_declaration(f.other) AS d WHERE d.via IS NULL AND d.unit = f.other_column
      AND NOT EXISTS (SELECT FROM gaussdp_internal.references_of("table") AS u WHERE u."column" = me.unit AND u.other = f.other)))
$$;
COMMENT ON FUNCTION gaussdp_internal.check_second_person(regclass) IS
'Do foreign keys name another person than the unit does? For gaussdp.check_policy().';

CREATE FUNCTION gaussdp_internal.check_key_unit("table" regclass) RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT DISTINCT 'warning',
  CASE WHEN o.unit IS NOT NULL THEN format('unit %I names rows of %s, which belong to persons by %I: such a row is protected, and no person', me.unit, f.other, o.unit)
    ELSE format('unit %I names rows of %s, whose %I refers to the people of %s: such a row is protected, and no person', me.unit, f.other, g."column", g.other) END,
  CASE WHEN o.unit IS NOT NULL THEN format('SELECT gaussdp.protect(%L, via => %L, via_column => %L, change_unit => true);', me."table", f.other, f.other_column)
    ELSE format('Protect %s first: SELECT gaussdp.protect(%L, unit => %L, people => %L); then SELECT gaussdp.protect(%L, via => %L, via_column => %L, change_unit => true);',
      f.other, f.other, g."column", g.people, me."table", f.other, f.other_column) END
FROM (SELECT "table", d.unit FROM gaussdp_internal.table_declaration("table") AS d WHERE d.via IS NULL AND d.unit IS NOT NULL AND d.declared_on = "table") AS me
JOIN gaussdp_internal.references_of(me."table") AS f ON f."column" = me.unit AND f.other <> me."table"
LEFT JOIN LATERAL gaussdp_internal.table_declaration(f.other) AS o ON true
LEFT JOIN LATERAL (
  SELECT g."column", g.other, d.people FROM gaussdp_internal.references_of(f.other) AS g CROSS JOIN LATERAL gaussdp_internal.table_declaration(g.other) AS d
  WHERE d.unit = g.other_column AND d.via IS NULL AND g.other <> me."table") AS g ON true
WHERE o.unit <> f.other_column OR o.unit IS NULL AND g."column" <> f.other_column
$$;
COMMENT ON FUNCTION gaussdp_internal.check_key_unit(regclass) IS
'Is the unit a key of rows that belong to persons, as an order or a card? For gaussdp.check_policy().';

CREATE FUNCTION gaussdp_internal.check_owners("table" regclass) RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT 'warning', format('table %s of role %I has the same people, %s: budgets that are granted on one of the tables hold for both, and neither owner may change them', c.oid::regclass, c.relowner::regrole::name, d.people),
  format('ALTER TABLE %s OWNER TO %I;', c.oid::regclass, me.relowner::regrole::name)
FROM gaussdp_internal.checked_table("table") AS me CROSS JOIN LATERAL gaussdp_internal.table_declaration(me.oid::regclass) AS d
JOIN gaussdp.protected_tables AS t ON t.people = d.people JOIN pg_class AS c ON c.oid = t."table"
WHERE d.people <> '' AND d.declared_on = me.oid AND NOT pg_has_role(me.relowner, c.relowner, 'USAGE')
$$;
COMMENT ON FUNCTION gaussdp_internal.check_owners(regclass) IS
'Which tables about the same people are those of other owners? For gaussdp.check_policy().';

-- By whom there is a policy for SELECT: others get noise around 0, which looks like an empty table.
CREATE FUNCTION gaussdp_internal.check_row_security("table" regclass) RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
WITH me AS (
  SELECT c.oid, EXISTS (SELECT FROM pg_policy AS y WHERE y.polrelid = c.oid AND y.polcmd IN ('r', '*') AND y.polpermissive) AS is_shown
  FROM gaussdp_internal.checked_table("table") AS t JOIN pg_class AS c ON c.oid = t.oid WHERE c.relrowsecurity AND t.max_rows IS NOT NULL
)
SELECT 'warning', 'row security is on, and no policy shows a row: answers are noise around 0',
  format('CREATE POLICY analysts ON %1$s FOR SELECT USING (true); or ALTER TABLE %1$s DISABLE ROW LEVEL SECURITY;', oid::regclass)
FROM me WHERE NOT is_shown
UNION ALL
SELECT 'notice', 'row security is on: answers are about the rows that its policies show to the role that asks',
  format('Nothing, if that is meant. Otherwise ALTER TABLE %s DISABLE ROW LEVEL SECURITY;', oid::regclass)
FROM me WHERE is_shown
UNION ALL
SELECT 'warning', format('row security is on, and no policy shows role %I a row: its answers are noise around 0', r.rolname),
  format('CREATE POLICY %I ON %s FOR SELECT TO %I USING (true);', left('rows_for_' || r.rolname, 63), me.oid::regclass, r.rolname)
FROM me, gaussdp_internal.population_of("table") AS p JOIN gaussdp.budget AS b ON b.granted AND b.people = p.people AND b."table" = p.relation JOIN pg_roles AS r ON r.rolname = b.paid_by
WHERE is_shown AND NOT EXISTS (SELECT FROM pg_policy AS y, unnest(y.polroles) AS u (role)
  WHERE y.polrelid = me.oid AND y.polcmd IN ('r', '*') AND y.polpermissive AND (u.role = 0 OR pg_has_role(r.oid, u.role, 'USAGE')))
$$;
COMMENT ON FUNCTION gaussdp_internal.check_row_security(regclass) IS
'Whom does row security show rows? For gaussdp.check_policy().';

-- Reads the table, unlike all other checks.
CREATE FUNCTION gaussdp_internal.check_nobody("table" regclass) RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT 'notice', format('rows that belong to nobody, since %I is NULL there: %s. No answer counts them', me.unit, n.rows),
  'Nothing, if they are rows of people who were erased. Otherwise fill in whose they are.'
FROM gaussdp_internal.checked_table("table") AS me, gaussdp_internal.rows_of_nobody("table") AS n (rows) WHERE n.rows > 0
$$;
COMMENT ON FUNCTION gaussdp_internal.check_nobody(regclass) IS
'How many rows does no answer count, since their unit is NULL? For gaussdp.check_policy().';

CREATE FUNCTION gaussdp_internal.check_open_references("table" regclass) RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT 'error', format('table %s refers to the people of the table, is not protected, and may be read by %s', c.oid::regclass, string_agg(DISTINCT r.name, ', ')),
  'Protect it (gaussdp.suggest() says how), or revoke SELECT on it.'
FROM gaussdp_internal.checked_table("table") AS me JOIN pg_constraint AS k ON k.confrelid = me.oid AND k.contype = 'f' AND k.conparentid = 0 JOIN pg_class AS c ON c.oid = k.conrelid
CROSS JOIN LATERAL (
  SELECT quote_ident(r.rolname) FROM gaussdp_internal.rights_of_roles() AS r
  WHERE NOT pg_has_role(r.oid, me.relowner, 'MEMBER') AND NOT pg_has_role(r.oid, c.relowner, 'MEMBER')
    AND (has_table_privilege(r.other, c.oid, 'SELECT') OR has_any_column_privilege(r.other, c.oid, 'SELECT'))
  UNION ALL SELECT 'PUBLIC' WHERE has_table_privilege('public', c.oid, 'SELECT') OR has_any_column_privilege('public', c.oid, 'SELECT')) AS r (name)
WHERE me.max_rows IS NOT NULL AND (gaussdp_internal.table_declaration(c.oid::regclass)).declared_on IS NULL
GROUP BY c.oid
$$;
COMMENT ON FUNCTION gaussdp_internal.check_open_references(regclass) IS
'Which tables about the same people are readable and not protected? For gaussdp.check_policy().';

-- A swap by renames leaves the labels with the old table: beside one of the same columns, or of its name as it was before.
CREATE FUNCTION gaussdp_internal.check_copies("table" regclass) RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
WITH candidate AS (
  SELECT c.oid, c.relnamespace, c.relname, (SELECT array_agg(a.attname::text ORDER BY a.attname) FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns
  FROM pg_class AS c WHERE c.relkind IN ('r', 'p') AND c.oid >= 16384 AND NOT c.relispartition
)
SELECT 'warning', CASE WHEN o.columns = me.columns THEN format('table %s has the same columns and is not protected: has a swap by renames left the declaration behind?', o.oid::regclass)
    ELSE format('table %s is not protected, and %s has the name of an old one of it: has a swap by renames left the declaration behind?', o.oid::regclass, me.oid::regclass) END,
  format('SELECT gaussdp.copy_declaration(%L, %L); and let what swaps the tables do so. Or drop the copy.', me.oid::regclass, o.oid::regclass)
FROM candidate AS me JOIN candidate AS o ON o.relnamespace = me.relnamespace AND o.oid <> me.oid
WHERE me.oid = "table" AND (gaussdp_internal.table_declaration(o.oid::regclass)).declared_on IS NULL
  AND (o.columns = me.columns AND cardinality(me.columns) > 1 OR me.relname ~ '_(old|backup|bak|prev|previous|before|swap)$' AND o.relname = regexp_replace(me.relname, '(__dbt)?_[a-z]+$', ''))
  AND NOT EXISTS (SELECT FROM pg_inherits AS i WHERE i.inhrelid IN (o.oid, me.oid) AND i.inhparent IN (o.oid, me.oid))
$$;
COMMENT ON FUNCTION gaussdp_internal.check_copies(regclass) IS
'Which tables beside this one look as if they had taken its place, and are not protected? For gaussdp.check_policy().';

CREATE FUNCTION gaussdp_internal.check_key_use("table" regclass) RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
WITH key AS (
  SELECT DISTINCT d.key_table AS oid, d.key_column AS name, k.attnum
  FROM pg_attribute AS a CROSS JOIN LATERAL gaussdp_internal.column_declaration("table", a.attnum) AS d
  JOIN pg_attribute AS k ON k.attrelid = d.key_table AND k.attname = d.key_column
  WHERE a.attrelid = "table" AND a.attnum > 0 AND NOT a.attisdropped AND d.key_table IS NOT NULL
)
SELECT 'warning', format('groups by public keys are refused: no unique index proves that column %I of %s has each key once', k.name, k.oid),
  format('ALTER TABLE %s ADD UNIQUE (%I);', k.oid, k.name)
FROM key AS k
WHERE NOT EXISTS (SELECT FROM pg_index AS i WHERE i.indrelid = k.oid AND i.indisunique AND i.indisvalid AND i.indimmediate AND i.indpred IS NULL AND i.indnkeyatts = 1 AND i.indkey[0] = k.attnum)
UNION ALL
SELECT 'warning', format('groups by public keys are refused: key table %s has row security', k.oid), format('ALTER TABLE %s DISABLE ROW LEVEL SECURITY;', k.oid)
FROM key AS k JOIN pg_class AS c ON c.oid = k.oid WHERE c.relrowsecurity
UNION ALL
SELECT DISTINCT 'warning', format('groups by public keys are refused: role %I has a budget, and may not read column %I of %s', r.rolname, k.name, k.oid),
  format('GRANT SELECT ON %s TO %I;', k.oid, r.rolname)
FROM key AS k, gaussdp_internal.population_of("table") AS p JOIN gaussdp.budget AS b ON b.granted AND b.people = p.people AND b."table" = p.relation JOIN pg_roles AS r ON r.rolname = b.paid_by
WHERE NOT has_column_privilege(r.oid, k.oid, k.attnum, 'SELECT')
$$;
COMMENT ON FUNCTION gaussdp_internal.check_key_use(regclass) IS
'Can groups be made by the tables of public keys? For gaussdp.check_policy().';

-- How many people there are is taken from statistics, for those who may read the table; others are told nothing that depends on it.
CREATE FUNCTION gaussdp_internal.check_budgets("table" regclass) RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
WITH grants AS (
  SELECT b.paid_by, b.epsilon, b.delta + b.threshold_delta AS delta
  FROM gaussdp_internal.population_of("table") AS p JOIN gaussdp.budget AS b ON b.granted AND b.people = p.people AND b."table" = p.relation
  WHERE b.epsilon IS NOT NULL
), estimate AS (
  SELECT CASE WHEN s.n_distinct > 0 THEN s.n_distinct WHEN s.n_distinct < 0 THEN -s.n_distinct * c.reltuples WHEN gaussdp_internal.has_unique_unit("table") THEN c.reltuples END AS people
  FROM gaussdp_internal.table_declaration("table") AS d JOIN pg_class AS c ON c.oid = "table" JOIN pg_namespace AS n ON n.oid = c.relnamespace
  LEFT JOIN LATERAL (SELECT max(s.n_distinct) FROM pg_stats AS s WHERE s.schemaname = n.nspname AND s.tablename = c.relname AND s.attname = d.unit) AS s (n_distinct) ON true
  WHERE c.reltuples > 0 AND d.via IS NULL AND has_column_privilege("table", d.unit, 'SELECT')
)
SELECT 'warning', format('%s may learn epsilon %s: that promises next to nothing', CASE g.paid_by WHEN 'population' THEN 'all roles together' WHEN 'public' THEN 'everybody' ELSE format('role %I', g.paid_by) END, g.epsilon),
  'Grant less: 1 to 3 a month is usual, above 10 a guess of a value may become nearly certain.'
FROM grants AS g WHERE g.epsilon > 10
UNION ALL
SELECT 'warning', format('%s may learn at delta %s, of about %s people: with such a delta the data of somebody may be shown as they are',
    CASE g.paid_by WHEN 'population' THEN 'all roles together' WHEN 'public' THEN 'everybody' ELSE format('role %I', g.paid_by) END, g.delta, round(e.people::numeric, 1 - length(trunc(e.people)::text))),
  'Grant a delta and threshold_delta far below 1 / people, 1e-6 or less.'
FROM grants AS g, estimate AS e WHERE g.delta * e.people >= 0.1
$$;
COMMENT ON FUNCTION gaussdp_internal.check_budgets(regclass) IS
'Which budgets promise next to nothing? For gaussdp.check_policy().';
