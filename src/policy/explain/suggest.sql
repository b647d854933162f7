-- A first draft of declarations, from names, types and constraints. It reads no row of any table: what it says is no secret of anybody.

-- Does a table look as if each of its rows were a person? By its name, or by columns that only persons have.
CREATE FUNCTION gaussdp_internal.looks_like_people("table" regclass) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT c.relname ~* ('(^|_)(person|people|patient|customer|client|user|employee|emp|staff|member|student|pupil|citizen|resident|inhabitant|subscriber|passenger|contact|driver|teacher|worker|donor'
    '|voter|guest|applicant|candidate|participant|respondent|subject|account_?holder|kunde|mitarbeiter|personne|klient)(e?s|en|n)?(_?[0-9]+)?$')
  OR (SELECT count(*) FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    AND a.attname ~* '(^|_)(birth|birthday|birthdate|born|dob|first_?name|last_?name|surname|given_?name|family_?name|e_?mail|gender|sex|ssn|passport|maiden)($|_)|^(date_of_birth|phone)$') >= 2
FROM pg_class AS c WHERE c.oid = "table"
$$;
COMMENT ON FUNCTION gaussdp_internal.looks_like_people(regclass) IS 'Does each row of the table seem to be a person? For gaussdp.suggest().';

-- Whose rows the tables of a schema have: a person's each, a person's named by a foreign key, or those of a row that is named so.
CREATE FUNCTION gaussdp_internal.suggested_tables(schema regnamespace) RETURNS TABLE ("table" regclass, unit name, people text, via regclass, via_column name, steps int4, reason text)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
WITH RECURSIVE candidate AS (
  SELECT c.oid::regclass AS "table", c.relname, (SELECT a.attname FROM pg_index AS i JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
    WHERE i.indrelid = c.oid AND i.indisprimary AND i.indnkeyatts = 1) AS key
  FROM pg_class AS c WHERE c.relnamespace = schema AND c.relkind IN ('r', 'p') AND NOT c.relispartition
), person AS (
  -- A declaration that there is says it; else what looks so, unless its own key names somebody of another such table.
  SELECT c."table", coalesce(d.unit::name, c.key) AS key, coalesce(d.people, c.relname::text) COLLATE "C" AS people, d.declared_on IS NOT NULL AS is_declared
  FROM candidate AS c LEFT JOIN LATERAL gaussdp_internal.table_declaration(c."table") AS d ON true
  WHERE d.declared_on IS NOT NULL AND d.via IS NULL AND d.unit = c.key
    OR d.declared_on IS NULL AND c.key IS NOT NULL AND gaussdp_internal.looks_like_people(c."table")
      AND NOT EXISTS (SELECT FROM gaussdp_internal.references_of(c."table") AS f WHERE f."column" = c.key AND gaussdp_internal.looks_like_people(f.other))
), reached AS (
  SELECT p."table", p.key AS unit, p.people, NULL::regclass AS via, NULL::name AS via_column, 0 AS steps,
    'its name or its columns say that each row is a person'::text COLLATE "C" AS reason
  FROM person AS p
  UNION ALL
  SELECT n."table", n.unit, n.people, n.via, n.via_column, n.steps, n.reason
  FROM (
    SELECT c."table", f."column" AS unit, r.people, CASE WHEN r.steps > 0 THEN r."table" END AS via, CASE WHEN r.steps > 0 THEN f.other_column END AS via_column, r.steps + 1 AS steps,
      format('%I refers to %s', f."column", f.other) COLLATE "C" AS reason,
      row_number() OVER (PARTITION BY c."table" ORDER BY a.attnotnull DESC, a.attnum) AS rank
    FROM reached AS r JOIN candidate AS c ON true CROSS JOIN LATERAL gaussdp_internal.references_of(c."table") AS f JOIN pg_attribute AS a ON a.attrelid = c."table" AND a.attname = f."column"
    WHERE f.other = r."table" AND r.steps < 3 AND c."table" <> r."table" AND NOT EXISTS (SELECT FROM person AS p WHERE p."table" = c."table")
      AND (r.steps > 0 OR f.other_column = r.unit)
  ) AS n
  WHERE n.rank = 1
)
SELECT DISTINCT ON (r."table") r."table", r.unit, r.people, r.via, r.via_column, r.steps, r.reason FROM reached AS r ORDER BY r."table", r.steps, r.reason
$$;
COMMENT ON FUNCTION gaussdp_internal.suggested_tables(regnamespace) IS 'Which tables hold people, and which reach them by foreign keys; for gaussdp.suggest().';

-- The least and greatest value that types and CHECK constraints let a column have; NULL where they don't say.
CREATE FUNCTION gaussdp_internal.suggested_bounds("table" regclass, attnum int2, OUT lower numeric, OUT upper numeric) RETURNS record
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT coalesce(max(c.bound) FILTER (WHERE c.is_lower), min(t.lower)), coalesce(min(c.bound) FILTER (WHERE NOT c.is_lower), max(t.upper))
FROM (
  SELECT CASE WHEN a.atttypid = 'int2'::regtype THEN -32768 WHEN a.atttypid = 'numeric'::regtype AND a.atttypmod >= 4 THEN -n.most END AS lower,
    CASE WHEN a.atttypid = 'int2'::regtype THEN 32767 WHEN a.atttypid = 'numeric'::regtype AND a.atttypmod >= 4 THEN n.most END AS upper, a.attname
  FROM pg_attribute AS a CROSS JOIN LATERAL ( -- numeric(p, s): p digits, s of them behind the point, which may be below zero
    SELECT 10::numeric ^ (p - s) - 10::numeric ^ (-s) AS most FROM (SELECT ((a.atttypmod - 4) >> 16) & 65535 AS p, (((a.atttypmod - 4) & 2047) # 1024) - 1024 AS s) AS m WHERE a.atttypid = 'numeric'::regtype AND a.atttypmod >= 4
    UNION ALL SELECT NULL WHERE NOT (a.atttypid = 'numeric'::regtype AND a.atttypmod >= 4)) AS n
  WHERE a.attrelid = suggested_bounds."table" AND a.attnum = suggested_bounds.attnum
) AS t
LEFT JOIN LATERAL (
  SELECT m[1] ~ '>' AS is_lower, m[2]::numeric AS bound
  FROM pg_constraint AS k CROSS JOIN LATERAL regexp_matches(pg_get_constraintdef(k.oid), -- a conjunction alone: what holds in one branch of an OR does not hold
    format('\(%s\)?(?:::[a-z0-9 ]+)? (>=|<=|>|<) \(?''?(-?[0-9]+(?:[.][0-9]+)?)''?\)?(?:::[a-z0-9 ]+(?:\([0-9,]+\))?)?\)', regexp_replace(quote_ident(t.attname), '([^a-z0-9_])', '\\\1', 'g')), 'g') AS m
  WHERE k.conrelid = suggested_bounds."table" AND k.contype = 'c' AND pg_get_constraintdef(k.oid) !~ ' OR | NOT '
) AS c ON true
$$;
COMMENT ON FUNCTION gaussdp_internal.suggested_bounds(regclass, int2) IS 'Bounds of a column that its type and its CHECK constraints give; for gaussdp.suggest().';

-- The values that a CHECK constraint or an enum lists: text of SQL, NULL where nothing does. A constant may hold brackets, and is taken whole.
CREATE FUNCTION gaussdp_internal.listed_values("table" regclass, attnum int2) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT CASE t.typtype WHEN 'e' THEN format('enum_range(NULL::%s)', t.oid::regtype) ELSE (
  SELECT (regexp_match(pg_get_constraintdef(k.oid), '= ANY \(+(ARRAY\[(?:''(?:[^'']|'''')*''|[^]''])*\](?:\)?::[a-z ]+\[\])?)\)'))[1]
  FROM pg_constraint AS k WHERE k.conrelid = a.attrelid AND k.contype = 'c' AND k.conkey = ARRAY[a.attnum] AND pg_get_constraintdef(k.oid) !~ ' OR | AND | NOT ' LIMIT 1) END
FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid
WHERE a.attrelid = "table" AND a.attnum = listed_values.attnum
$$;
COMMENT ON FUNCTION gaussdp_internal.listed_values(regclass, int2) IS 'The values that an enum or a CHECK list allows a column, as an array in SQL; for gaussdp.suggest().';

CREATE FUNCTION gaussdp.suggest(schema regnamespace) RETURNS TABLE ("table" regclass, sql text, reason text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET jit = off SET standard_conforming_strings = on AS $$
WITH mine AS MATERIALIZED (
  SELECT t.*, d.declared_on IS NOT NULL AS is_declared, u.attnum AS unit_attnum, u.attnotnull,
    EXISTS (SELECT FROM pg_index AS i WHERE i.indrelid = t."table" AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indnkeyatts = 1 AND i.indkey[0] = u.attnum) AS is_unique,
    coalesce((SELECT n.collisdeterministic FROM pg_collation AS n WHERE n.oid = u.attcollation), true) AND EXISTS (SELECT FROM pg_type AS k WHERE k.oid = u.atttypid AND (k.typnamespace = 'pg_catalog'::regnamespace OR k.typtype = 'e')) AS can_find
  FROM gaussdp_internal.suggested_tables(schema) AS t JOIN pg_attribute AS u ON u.attrelid = t."table" AND u.attname = t.unit
  LEFT JOIN LATERAL gaussdp_internal.table_declaration(t."table") AS d ON true
), col AS MATERIALIZED (
  SELECT m."table", m.steps, a.attnum, a.attname, a.atttypid, f.other, f.other_column
  FROM mine AS m JOIN pg_attribute AS a ON a.attrelid = m."table" AND a.attnum > 0 AND NOT a.attisdropped AND a.attnum <> m.unit_attnum
  LEFT JOIN LATERAL (SELECT r.other, r.other_column FROM gaussdp_internal.references_of(m."table") AS r WHERE r."column" = a.attname LIMIT 1) AS f ON true
  LEFT JOIN LATERAL gaussdp_internal.column_declaration(m."table", a.attnum) AS c ON true
  WHERE c.lower IS NULL AND c.key_table IS NULL
), line AS (
  SELECT m.steps, 2 AS part, m."table", 0 AS attnum, format('SELECT gaussdp.protect(%L, unit => %L%s%s);', m."table", m.unit, CASE WHEN NOT m.is_unique THEN format(', max_rows => %s', CASE WHEN m.can_find THEN 0 ELSE 10 END) END,
      CASE WHEN m.via IS NULL THEN format(', people => %L', m.people) ELSE format(', via => %L, via_column => %L', m.via, m.via_column) END) AS sql,
    m.reason || CASE WHEN NOT m.attnotnull THEN format('; no answer counts rows where %I is NULL', m.unit) ELSE '' END || CASE WHEN m.is_unique THEN '' WHEN m.can_find THEN '; max_rows: each query finds as how many rows a person counts' ELSE '; max_rows: as many rows as a person has here as usual, by the meaning of the table' END
      || coalesce('; a second person is named by ' || (SELECT string_agg(quote_ident(c.attname), ', ') FROM col AS c JOIN mine AS p ON p."table" = c.other AND p.steps = 0 WHERE c."table" = m."table") || ', and is not protected', '') AS reason
  FROM mine AS m WHERE NOT m.is_declared
  UNION ALL
  SELECT c.steps, 3, c."table", c.attnum, format('SELECT gaussdp.set_bounds(%L, %L, %s, %s);', c."table", c.attname, trim_scale(b.lower), trim_scale(b.upper)), 'its type and its CHECK constraints allow no other values; narrower ones make less noise'
  FROM col AS c CROSS JOIN LATERAL gaussdp_internal.suggested_bounds(c."table", c.attnum) AS b
  WHERE c.other IS NULL AND b.lower < b.upper AND gaussdp_internal.listed_values(c."table", c.attnum) IS NULL AND c.atttypid IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'float4'::regtype, 'float8'::regtype, 'numeric'::regtype)
    AND NOT EXISTS (SELECT FROM pg_index AS i WHERE i.indrelid = c."table" AND i.indisprimary AND i.indkey[0] = c.attnum)
  UNION ALL
  SELECT c.steps, 4, c."table", c.attnum, format('SELECT gaussdp.set_public_keys(%L, %L, %L, %L);', c."table", c.attname, c.other, c.other_column),
    format('%I refers to %s, which names nobody; analysts need SELECT on it', c.attname, c.other)
  FROM col AS c JOIN pg_attribute AS k ON k.attrelid = c.other AND k.attname = c.other_column
  WHERE NOT EXISTS (SELECT FROM mine AS m WHERE m."table" = c.other) AND (gaussdp_internal.table_declaration(c.other)).declared_on IS NULL AND k.atttypid = c.atttypid
  UNION ALL
  SELECT c.steps, 4, c."table", c.attnum, format('CREATE TABLE %1$s AS SELECT unnest(%2$s) AS %3$I; ALTER TABLE %1$s ADD PRIMARY KEY (%3$I); GRANT SELECT ON %1$s TO PUBLIC; SELECT gaussdp.set_public_keys(%4$L, %5$L, %6$L, %5$L);',
      k.name, gaussdp_internal.listed_values(c."table", c.attnum), c.attname, c."table", c.attname, k.name),
    CASE t.typtype WHEN 'e' THEN 'an enum' ELSE 'a CHECK constraint' END || ' lists its values'
  FROM col AS c JOIN pg_type AS t ON t.oid = c.atttypid JOIN pg_class AS r ON r.oid = c."table"
  CROSS JOIN LATERAL (SELECT format('%I.%I', r.relnamespace::regnamespace::name, left(format('%s_%s', r.relname, c.attname), 58) || '_keys')) AS k (name)
  WHERE gaussdp_internal.listed_values(c."table", c.attnum) IS NOT NULL AND to_regclass(k.name) IS NULL
)
SELECT l."table", l.sql, l.reason FROM line AS l ORDER BY CASE WHEN l.part <= 2 THEN 0 ELSE 1 END, CASE WHEN l.part <= 2 THEN l.steps END, l."table"::text, l.part, l.attnum
$$;
COMMENT ON FUNCTION gaussdp.suggest(regnamespace) IS
'Declarations for the tables of a schema, as SQL for its owner to read, correct and run, each with its reason: which tables hold people, which reach them by foreign keys, bounds by types and CHECK constraints, public keys by foreign keys, enums and CHECK lists. From names, types and constraints alone: no row is read. What is declared already is left out.';
