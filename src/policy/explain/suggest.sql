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
CREATE FUNCTION gaussdp_internal.suggested_tables(schema regnamespace) RETURNS TABLE ("table" regclass, unit name, people text, via regclass, via_column name, also name[], via_also name[], steps int4, reason text)
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
  SELECT p."table", p.key AS unit, p.people, NULL::regclass AS via, NULL::name AS via_column, NULL::name[] AS also, NULL::name[] AS via_also, 0 AS steps,
    'its name or its columns say that each row is a person'::text COLLATE "C" AS reason
  FROM person AS p
  UNION ALL
  SELECT n."table", n.unit, n.people, n.via, n.via_column, n.also, n.via_also, n.steps, n.reason
  FROM (
    SELECT c."table", f.own[f.i] AS unit, r.people, v.via, CASE WHEN r.steps > 0 THEN f.others[f.i] END AS via_column, CASE WHEN r.steps > 0 AND cardinality(f.own) > 1 THEN f.own[2:] END AS also,
      CASE WHEN r.steps > 0 AND cardinality(f.own) > 1 THEN f.others[2:] END AS via_also, r.steps + 1 AS steps,
      format(CASE WHEN cardinality(f.own) = 1 OR v.via IS NULL THEN '%s refers to %s' ELSE '%s refer to %s' END, CASE WHEN v.via IS NULL THEN quote_ident(f.own[f.i]) ELSE k.columns END, r."table") COLLATE "C" AS reason,
      row_number() OVER (PARTITION BY c."table" ORDER BY cardinality(f.own), k.is_not_null DESC, k.first) AS rank
    FROM reached AS r JOIN candidate AS c ON true CROSS JOIN LATERAL (SELECT CASE WHEN r.steps > 0 THEN r."table" END AS via) AS v
    -- of a key of several columns the first is the unit, or to a table of people the one that names the person
    CROSS JOIN LATERAL (SELECT g.own, g.others, CASE WHEN r.steps > 0 THEN 1 ELSE array_position(g.others, r.unit) END AS i FROM (
      SELECT ARRAY[f."column"] AS own, ARRAY[f.other_column] AS others FROM gaussdp_internal.references_of(c."table") AS f WHERE f.other = r."table"
      UNION ALL SELECT f.own, f.others FROM gaussdp_internal.keys_to(c."table", r."table") AS f) AS g) AS f
    CROSS JOIN LATERAL (SELECT bool_and(a.attnotnull) AS is_not_null, min(a.attnum) AS first, string_agg(quote_ident(a.attname), ' and ' ORDER BY array_position(f.own, a.attname)) AS columns
      FROM pg_attribute AS a WHERE a.attrelid = c."table" AND a.attname = ANY (f.own)) AS k
    WHERE r.steps < 8 AND c."table" <> r."table" AND f.i IS NOT NULL AND NOT EXISTS (SELECT FROM person AS p WHERE p."table" = c."table")
  ) AS n
  WHERE n.rank = 1
)
SELECT DISTINCT ON (r."table") r."table", r.unit, r.people, r.via, r.via_column, r.also, r.via_also, r.steps, r.reason FROM reached AS r ORDER BY r."table", r.steps, r.reason
$$;
COMMENT ON FUNCTION gaussdp_internal.suggested_tables(regnamespace) IS 'Which tables hold people, and which reach them by foreign keys; for gaussdp.suggest().';

-- The least and greatest value that types and CHECK constraints let a column have; NULL where they don't say. is_said: CHECKs give both ends.
CREATE FUNCTION gaussdp_internal.suggested_bounds("table" regclass, attnum int2, OUT lower numeric, OUT upper numeric, OUT is_said bool) RETURNS record
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT coalesce(max(c.bound) FILTER (WHERE c.is_lower), min(t.lower)), coalesce(min(c.bound) FILTER (WHERE NOT c.is_lower), max(t.upper)),
  coalesce(bool_or(c.is_lower) AND bool_or(NOT c.is_lower), false)
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

-- The values that a CHECK constraint lists: text of SQL, NULL where none does. A constant may hold brackets, and is taken whole.
CREATE FUNCTION gaussdp_internal.listed_values("table" regclass, attnum int2) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT (
  SELECT (regexp_match(pg_get_constraintdef(k.oid), '= ANY \(+(ARRAY\[(?:''(?:[^'']|'''')*''|[^]''])*\](?:\)?::[a-z ]+\[\])?)\)'))[1]
  FROM pg_constraint AS k WHERE k.conrelid = a.attrelid AND k.contype = 'c' AND k.conkey = ARRAY[a.attnum] AND pg_get_constraintdef(k.oid) !~ ' OR | AND | NOT ' LIMIT 1)
FROM pg_attribute AS a
WHERE a.attrelid = "table" AND a.attnum = listed_values.attnum
$$;
COMMENT ON FUNCTION gaussdp_internal.listed_values(regclass, int2) IS 'The values that a CHECK list allows a column, as an array in SQL; for gaussdp.suggest().';

-- Free text, and what names or reaches a person: nothing that statistics are made of. By type and name; NULL: neither.
CREATE FUNCTION gaussdp_internal.why_hide("table" regclass, attnum int2) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT CASE WHEN t.typcategory <> 'S' OR gaussdp_internal.listed_values("table", why_hide.attnum) IS NOT NULL THEN NULL
  WHEN a.attname ~* '(^|_)(e_?mail|phone|mobile|telephone|fax|address|street|(first|last|given|family|full|middle|maiden|sur)_?name|passport|ssn|iban)($|_)' OR a.attname ~* '^(name|nick_?name|user_?name|login)$' AND gaussdp_internal.looks_like_people("table") THEN 'names or reaches a person'
  WHEN a.attname ~* '(^|_)(notes?|comments?|remarks?|memo|message|body|description|free_?text|text|details)$' THEN 'is free text' END
FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid WHERE a.attrelid = "table" AND a.attnum = why_hide.attnum
$$;
COMMENT ON FUNCTION gaussdp_internal.why_hide(regclass, int2) IS 'Why gaussdp.suggest() proposes to hide a column: it names or reaches a person, or is free text.';

-- Tables that no foreign key leads to, whose columns are named as if they named persons: perhaps those of a table of people, by name and type.
CREATE FUNCTION gaussdp_internal.suggested_by_name(schema regnamespace) RETURNS TABLE ("table" regclass, unit name, people text, reason text)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
WITH mine AS MATERIALIZED (
  SELECT t."table", t.unit, t.people, t.steps, u.atttypid, c.relname, regexp_replace(c.relname, 's$', '') AS one
  FROM gaussdp_internal.suggested_tables(schema) AS t JOIN pg_attribute AS u ON u.attrelid = t."table" AND u.attname = t.unit JOIN pg_class AS c ON c.oid = t."table"
)
SELECT DISTINCT ON (c.oid) c.oid::regclass, a.attname, coalesce(m.people, c.relname::text),
  CASE WHEN m."table" IS NOT NULL THEN format('by its name %I may refer to %s, and no foreign key says so', a.attname, m."table")
    WHEN gaussdp_internal.looks_like_people(c.oid::regclass) THEN 'its name or its columns say that each row is a person, and no primary key of one column says which'
    ELSE format('by its name %I may name a person, and no foreign key says whom', a.attname) END
FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN mine AS m ON m.steps = 0 AND m.atttypid = a.atttypid
  AND (a.attname = m.unit AND m.unit !~* '^(id|nr|no|num|number|key|code|uuid)$' OR lower(a.attname) IN (lower(concat(m.relname, '_', m.unit)), lower(concat(m.one, '_', m.unit)), lower(m.one || m.unit)))
WHERE c.relnamespace = schema AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.oid::regclass NOT IN (SELECT "table" FROM mine)
  AND (gaussdp_internal.table_declaration(c.oid::regclass)).declared_on IS NULL
  AND (m."table" IS NOT NULL OR gaussdp_internal.looks_like_people(c.oid::regclass) AND NOT EXISTS (SELECT FROM gaussdp_internal.references_of(c.oid::regclass))
    OR a.attname ~* '^(person|people|patient|customer|client|user|employee|emp|staff|member|student|pupil|citizen|resident|subscriber|passenger|driver|teacher|worker|donor|voter|guest|applicant|participant|respondent|subject)_?(id|nr|no|num|number|key|code|uuid)$')
ORDER BY c.oid, m."table" IS NULL, a.attname !~* '(^|_)(id|nr|no|num|number|key|code|uuid)$', a.attnum
$$;
COMMENT ON FUNCTION gaussdp_internal.suggested_by_name(regnamespace) IS 'Which tables without foreign keys may hold rows of persons, by the names of their columns; for gaussdp.suggest().';

CREATE FUNCTION gaussdp.suggest(schema regnamespace) RETURNS TABLE ("table" regclass, sql text, reason text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET jit = off SET standard_conforming_strings = on AS $$
WITH mine AS MATERIALIZED (
  SELECT t.*, d.declared_on IS NOT NULL AS is_declared, u.attnum AS unit_attnum, (SELECT string_agg(quote_ident(a.attname), ' or ' ORDER BY a.attnum) FROM pg_attribute AS a
      WHERE a.attrelid = t."table" AND a.attname = ANY (t.unit || t.also) AND NOT a.attnotnull) AS nullable,
    EXISTS (SELECT FROM pg_index AS i WHERE i.indrelid = t."table" AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indnkeyatts = 1 AND i.indkey[0] = u.attnum) AS is_unique,
    coalesce((SELECT n.collisdeterministic FROM pg_collation AS n WHERE n.oid = u.attcollation), true) AND EXISTS (SELECT FROM pg_type AS k WHERE k.oid = u.atttypid AND (k.typnamespace = 'pg_catalog'::regnamespace OR k.typtype = 'e')) AS can_find
  FROM gaussdp_internal.suggested_tables(schema) AS t JOIN pg_attribute AS u ON u.attrelid = t."table" AND u.attname = t.unit
  LEFT JOIN LATERAL gaussdp_internal.table_declaration(t."table") AS d ON true
), col AS MATERIALIZED (
  SELECT m."table", m.steps, m.is_declared, a.attnum, a.attname, a.atttypid, f.other, f.other_column
  FROM mine AS m JOIN pg_attribute AS a ON a.attrelid = m."table" AND a.attnum > 0 AND NOT a.attisdropped AND a.attname <> ALL (m.unit || m.also)
  LEFT JOIN LATERAL (SELECT r.other, r.other_column FROM gaussdp_internal.references_of(m."table") AS r WHERE r."column" = a.attname LIMIT 1) AS f ON true
  LEFT JOIN LATERAL gaussdp_internal.column_declaration(m."table", a.attnum) AS c ON true
  WHERE c.lower IS NULL AND c.key_table IS NULL AND c.is_hidden IS NOT TRUE
), hidden AS MATERIALIZED (
  SELECT c.*, CASE WHEN p."table" IS NOT NULL THEN 'names a second person' ELSE gaussdp_internal.why_hide(c."table", c.attnum) END AS why
  FROM col AS c LEFT JOIN mine AS p ON p."table" = c.other AND p.steps = 0
  WHERE (p."table" IS NOT NULL OR c.other IS NULL AND gaussdp_internal.why_hide(c."table", c.attnum) IS NOT NULL)
    AND NOT EXISTS (SELECT FROM mine AS v WHERE v.via = c."table" AND c.attname = ANY (v.via_column || v.via_also))
    AND NOT EXISTS (SELECT FROM pg_index AS i WHERE i.indrelid = c."table" AND i.indisprimary AND c.attnum = ANY (i.indkey))
), line AS (
  SELECT m.steps, 2 AS part, m."table", 0 AS attnum, format('SELECT gaussdp.protect(%L, unit => %L%s%s);', m."table", m.unit, CASE WHEN NOT m.is_unique THEN format(', max_rows => %s', CASE WHEN m.can_find THEN 0 ELSE 10 END) END,
      CASE WHEN m.via IS NULL THEN format(', people => %L', m.people) ELSE format(', via => %L, via_column => %L', m.via, m.via_column) || CASE WHEN m.also IS NULL THEN '' ELSE format(', also => %L, via_also => %L', m.also, m.via_also) END END) AS sql,
    m.reason || coalesce('; no answer counts rows where ' || m.nullable || ' is NULL', '') || CASE WHEN m.is_unique THEN '' WHEN m.can_find THEN '; max_rows 0: each query finds as how many rows a person counts, for a quarter of its price; declare the usual number where it is known'
      ELSE '; max_rows: as many rows as a person has here as usual, by the meaning of the table' END
      || coalesce('; a second person is named by ' || (SELECT string_agg(quote_ident(h.attname), ', ') FROM hidden AS h WHERE h."table" = m."table" AND h.why ~ 'second') || ', and is not protected', '') AS reason
  FROM mine AS m WHERE NOT m.is_declared
  UNION ALL
  SELECT 9, 2, n."table", 0, format('-- SELECT gaussdp.protect(%L, unit => %L, people => %L);', n."table", n.unit, n.people), n.reason || ': is it so, and is each row a person''s?'
  FROM gaussdp_internal.suggested_by_name(schema) AS n
  UNION ALL
  SELECT c.steps, 3, c."table", c.attnum, format('%sSELECT gaussdp.set_bounds(%L, %L, %s, %s);', CASE WHEN NOT b.is_said THEN '-- ' END, c."table", c.attname, trim_scale(b.lower), trim_scale(b.upper)),
    CASE WHEN b.is_said THEN 'its CHECK constraints allow no other values; noise grows with what lies between: where values are mostly far from these ends write what everybody knows of them, or leave this out, and each query finds bounds for itself'
      ELSE 'what its type allows is far wider than its values, and would give noise: write what everybody knows of them; without bounds each query finds its own' END
  FROM col AS c CROSS JOIN LATERAL gaussdp_internal.suggested_bounds(c."table", c.attnum) AS b
  WHERE c.other IS NULL AND b.lower < b.upper AND (b.is_said OR NOT c.is_declared) AND gaussdp_internal.listed_values(c."table", c.attnum) IS NULL AND c.atttypid IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'float4'::regtype, 'float8'::regtype, 'numeric'::regtype)
    AND NOT EXISTS (SELECT FROM pg_index AS i WHERE i.indrelid = c."table" AND i.indisprimary AND i.indkey[0] = c.attnum)
  UNION ALL
  SELECT c.steps, 4, c."table", c.attnum, format('SELECT gaussdp.set_public_keys(%L, %L, %L, %L);', c."table", c.attname, c.other, c.other_column),
    format('%I refers to %s, which names nobody; analysts need SELECT on it', c.attname, c.other)
  FROM col AS c JOIN pg_attribute AS k ON k.attrelid = c.other AND k.attname = c.other_column
  WHERE NOT EXISTS (SELECT FROM mine AS m WHERE m."table" = c.other) AND (gaussdp_internal.table_declaration(c.other)).declared_on IS NULL AND k.atttypid = c.atttypid
  UNION ALL
  SELECT c.steps, 4, c."table", c.attnum, format('CREATE TABLE %1$s AS SELECT unnest(%2$s) AS %3$I; ALTER TABLE %1$s ADD PRIMARY KEY (%3$I); GRANT SELECT ON %1$s TO PUBLIC; SELECT gaussdp.set_public_keys(%4$L, %5$L, %6$L, %5$L);',
      k.name, gaussdp_internal.listed_values(c."table", c.attnum), c.attname, c."table", c.attname, k.name),
    'a CHECK constraint lists its values'
  FROM col AS c JOIN pg_class AS r ON r.oid = c."table"
  CROSS JOIN LATERAL (SELECT format('%I.%I', r.relnamespace::regnamespace::name, left(format('%s_%s', r.relname, c.attname), 58) || '_keys')) AS k (name)
  WHERE gaussdp_internal.listed_values(c."table", c.attnum) IS NOT NULL AND to_regclass(k.name) IS NULL
  UNION ALL
  SELECT h.steps, 5, h."table", min(h.attnum), format('SELECT gaussdp.hide_columns(%L, %L);', h."table", array_agg(h.attname ORDER BY h.attnum)),
    'private queries use none of them: ' || string_agg(format('%I %s', h.attname, h.why), ', ' ORDER BY h.attnum)
  FROM hidden AS h GROUP BY h.steps, h."table"
  UNION ALL -- what is left to do by hand, where something is not declared yet
  SELECT 0, 6, m."table", 0, format('-- GRANT USAGE ON SCHEMA %s TO analyst; SELECT gaussdp.grant_budget(''analyst'', %L, epsilon => 1, delta => 1e-6, every => ''30 days'', default_epsilon => 0.1, default_delta => 1e-8);', schema, m."table"),
    'a role of the name you like, which gets no SELECT; delta far below 1 / number of people'
  FROM mine AS m WHERE m.steps = 0 AND EXISTS (SELECT FROM mine AS n WHERE n.people = m.people AND NOT n.is_declared)
  UNION ALL
  SELECT 0, 7, m."table", 0, format('-- SELECT gaussdp.set_population_budget(%L, epsilon => 3, delta => 1e-6, every => ''30 days'');', m.people),
    'what all roles together may learn of these people: without it nothing limits that'
  FROM mine AS m WHERE m.steps = 0 AND NOT m.is_declared
  UNION ALL
  SELECT DISTINCT 0, 8, c.other, 0, format('-- GRANT SELECT ON %s TO analyst;', c.other), 'groups by its keys are for who may read it'
  FROM col AS c WHERE c.other IS NOT NULL AND NOT c.is_declared AND NOT EXISTS (SELECT FROM mine AS m WHERE m."table" = c.other) AND (gaussdp_internal.table_declaration(c.other)).declared_on IS NULL
)
SELECT l."table", l.sql, l.reason FROM line AS l ORDER BY CASE WHEN l.part <= 2 THEN 0 WHEN l.part <= 5 THEN 1 ELSE 2 END, CASE WHEN l.part <= 2 THEN l.steps END, l."table"::text, l.part, l.attnum
$$;
COMMENT ON FUNCTION gaussdp.suggest(regnamespace) IS
'Declarations for the tables of a schema, as SQL for its owner to read, correct and run, each with its reason: which tables hold people, which reach them by foreign keys, bounds by CHECK constraints, public keys by foreign keys and CHECK lists, columns to hide; and as comments tables that only names of columns tell of, bounds that types alone give, and the grants that are left to do. From names, types and constraints alone: no row is read. What is declared already is left out.';
