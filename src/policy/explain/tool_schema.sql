-- A schema of views for tools that list only what a role has SELECT on, and that fail at types they do not know.

-- How such a view shows a column: as it is, or as text where tools cannot read its type.
CREATE FUNCTION gaussdp_internal.shown_to_tools("table" regclass, number int2) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT CASE WHEN b.typcategory IN ('B', 'D', 'E', 'N', 'S', 'T') OR b.oid = 'uuid'::regtype THEN format('t.%I', a.attname)
  ELSE format('t.%I::text AS %I', a.attname, a.attname) END
FROM pg_attribute AS a JOIN pg_type AS y ON y.oid = a.atttypid JOIN pg_type AS b ON b.oid = CASE y.typtype WHEN 'd' THEN y.typbasetype ELSE y.oid END
WHERE a.attrelid = "table" AND a.attnum = number
$$;
COMMENT ON FUNCTION gaussdp_internal.shown_to_tools(regclass, int2) IS 'A column as a view for tools shows it; for gaussdp.create_tool_schema().';

CREATE FUNCTION gaussdp.create_tool_schema(schema name, tables regclass[]) RETURNS SETOF regclass
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  t record;
  columns text;
BEGIN
  IF NOT EXISTS (SELECT FROM pg_namespace AS n WHERE n.nspname = schema) THEN
    EXECUTE format('CREATE SCHEMA %I', schema);
  END IF;
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO PUBLIC', schema);
  FOR t IN SELECT u.oid, c.relname, c.relkind FROM unnest(tables) WITH ORDINALITY AS u (oid, n) JOIN pg_class AS c ON c.oid = u.oid ORDER BY u.n LOOP
    IF t.relkind NOT IN ('r', 'p', 'f', 'v', 'm') THEN
      RAISE EXCEPTION USING errcode = 'wrong_object_type', message = format('%s is no table or view', t.oid);
    END IF;
    IF EXISTS (SELECT FROM pg_class AS v WHERE v.relnamespace = to_regnamespace(quote_ident(schema)) AND v.relname = t.relname
        AND NOT EXISTS (SELECT FROM pg_rewrite AS r JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
          WHERE r.ev_class = v.oid AND d.refclassid = 'pg_class'::regclass AND d.refobjid = t.oid)) THEN
      RAISE EXCEPTION USING errcode = 'duplicate_table', message = format('schema %I has another %I already', schema, t.relname),
        hint = 'Give the tables of one name schemas of their own.';
    END IF;
    SELECT string_agg(gaussdp_internal.shown_to_tools(t.oid, a.attnum), ', ' ORDER BY a.attnum) INTO columns
    FROM pg_attribute AS a LEFT JOIN LATERAL gaussdp_internal.column_declaration(t.oid, a.attnum) AS d ON true
    WHERE a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped AND d.is_hidden IS NOT TRUE;
    EXECUTE format('CREATE OR REPLACE VIEW %I.%I WITH (security_invoker) AS SELECT %s FROM %s AS t', schema, t.relname, columns, t.oid);
    EXECUTE format('GRANT SELECT ON %I.%I TO PUBLIC', schema, t.relname);
    RETURN NEXT format('%I.%I', schema, t.relname)::regclass;
  END LOOP;
END
$$;
COMMENT ON FUNCTION gaussdp.create_tool_schema(name, regclass[]) IS
'For tools that list only what a role has SELECT on: makes a schema, unless it is there, with a view of each of these tables, which everybody may name and which shows nothing that the reader may not read (security_invoker): private queries on it are those on the table. Documents, arrays and other types that tools cannot read are shown as text; hidden columns are left out. Called again it adds views, and columns at the end of those that are there. Returns the views. Errors: 42501, 42809, 42P07 for two tables of one name, 42P16.';
