-- What there is to ask about: for analysts, who have no SELECT and see nothing in information_schema.

CREATE VIEW gaussdp.columns WITH (security_barrier) AS
SELECT n.nspname AS "schema", c.oid::pg_catalog.regclass AS "table", a.attname AS "column", a.attnum AS "number",
  pg_catalog.format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull AS not_null,
  a.attname OPERATOR(pg_catalog.=) t.unit AS is_unit, d.lower, d.upper, d.key_table, d.key_column,
  pg_catalog.obj_description(c.oid, 'pg_class') AS table_comment, pg_catalog.col_description(c.oid, a.attnum::int4) AS column_comment,
  t.max_rows, t.max_groups, t.people,
  ARRAY(
    SELECT o."table"::text FROM gaussdp.protected_tables AS o
    WHERE o.people OPERATOR(pg_catalog.=) t.people AND o.usable AND o."table"::oid OPERATOR(pg_catalog.<>) c.oid
    ORDER BY 1
  ) AS joined_with,
  coalesce(d.is_hidden, false) AS hidden,
  CASE WHEN d.lower IS NOT NULL THEN pg_catalog.format('%s to %s', coalesce(b.texts[1], d.lower::text), coalesce(b.texts[2], d.upper::text)) END AS bounds
FROM gaussdp.protected_tables AS t
JOIN pg_catalog.pg_class AS c ON c.oid OPERATOR(pg_catalog.=) t."table"::oid
JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
JOIN pg_catalog.pg_attribute AS a ON a.attrelid OPERATOR(pg_catalog.=) c.oid AND a.attnum OPERATOR(pg_catalog.>) 0::int2 AND NOT a.attisdropped
LEFT JOIN LATERAL gaussdp_internal.column_declaration(c.oid::pg_catalog.regclass, a.attnum) AS d ON true
LEFT JOIN LATERAL gaussdp_internal.bounds_as_text(gaussdp_internal.base_type_of(c.oid::pg_catalog.regclass, a.attname), d.lower, d.upper) AS b (texts) ON true
WHERE t.usable AND EXISTS (
  SELECT FROM gaussdp_internal.my_account AS b
  WHERE CASE WHEN t.people IS NULL THEN b.relation::oid OPERATOR(pg_catalog.=) c.oid ELSE b.people OPERATOR(pg_catalog.=) t.people::text END);
GRANT SELECT ON gaussdp.columns TO PUBLIC;
COMMENT ON VIEW gaussdp.columns IS
'Tables and columns that the current role has a budget for: types, comments, declared bounds and public keys, the unit column, as how many rows and in how many groups a person counts, and which other tables are about the same people (joined_with), to be joined on their unit columns; hidden columns are for no private query. lower and upper are days and seconds since 2000 where the column has dates and timestamps; bounds shows them as values of the column.';

CREATE FUNCTION gaussdp.queries_left() RETURNS TABLE ("table" regclass, epsilon float8, delta float8, queries int8, thresholds int8)
LANGUAGE sql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT n."table", n.epsilon, n.delta, gaussdp.queries_left(n."table", n.epsilon, n.delta),
  gaussdp_internal.thresholds_left(n."table", n.epsilon, n.delta)
FROM (
  SELECT t."table", coalesce(nullif(current_setting('gaussdp.epsilon')::float8, 0), min((b.terms ->> 'default_epsilon')::float8)) AS epsilon,
    coalesce(nullif(current_setting('gaussdp.delta')::float8, 0), min((b.terms ->> 'default_delta')::float8)) AS delta
  FROM gaussdp.protected_tables AS t JOIN gaussdp.my_budget AS b ON t."table" = ANY (b.tables)
  WHERE t.usable
  GROUP BY t."table") AS n
$$;
COMMENT ON FUNCTION gaussdp.queries_left() IS
'How many more calls without numbers, dp_count(*) or their like, the current role can pay for in this period: for each table that it has a budget for, at the epsilon and delta that such calls get. thresholds: how many dp_keep_group(*), one of which plain SQL adds to GROUP BY over keys that are not public; by what is left of threshold_delta, too. NULL where neither gaussdp.epsilon and gaussdp.delta nor the grant say them.';
