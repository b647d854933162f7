-- Declarations carried to another table, as where a job swaps tables by renames, and to another database.

CREATE FUNCTION gaussdp_internal.copy_declaration("from" regclass, "to" regclass) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  t record;
  before record;
  col record;
  lost text;
BEGIN
  IF "to" IS NULL THEN
    RAISE EXCEPTION 'to must not be null' USING ERRCODE = 'null_value_not_allowed';
  END IF;
  IF "from" IS NULL THEN
    RAISE NOTICE 'there is no table to copy a declaration from: table % stays as it is', "to";
    RETURN;
  END IF;
  before := gaussdp_internal.declared_before("from");
  SELECT * INTO t FROM gaussdp_internal.table_declaration("from");
  IF before.is_declared IS NOT TRUE THEN
    RAISE EXCEPTION 'table % has no declaration of its own', "from" USING ERRCODE = 'object_not_in_prerequisite_state',
      HINT = coalesce(format('Copy that of table %s, which protects it.', t.declared_on), 'Declare it by gaussdp.protect().');
  END IF;
  IF before.unit IS NULL OR before.has_path AND before.via IS NULL THEN
    RAISE EXCEPTION 'the declaration of table % does not hold any more', "from" USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = format('Why: %s.', t.problem);
  END IF;
  PERFORM gaussdp_internal.protect("to", before.unit, t.max_rows, t.max_groups, before.people, before.via, before.via_column, false, before.also, before.via_also);
  FOR col IN
    SELECT a.attname, d.*, b.attname IS NOT NULL AS is_there FROM pg_attribute AS a CROSS JOIN LATERAL gaussdp_internal.column_declaration("from", a.attnum) AS d
    LEFT JOIN pg_attribute AS b ON b.attrelid = "to" AND b.attname = a.attname AND NOT b.attisdropped
    WHERE a.attrelid = "from" AND a.attnum > 0 AND NOT a.attisdropped AND d.is_hidden IS NOT NULL ORDER BY a.attnum
  LOOP
    IF NOT col.is_there THEN
      lost := concat_ws(', ', lost, quote_ident(col.attname));
      CONTINUE;
    END IF;
    IF col.lower IS NOT NULL THEN
      PERFORM gaussdp_internal.write_bounds("to", col.attname, col.lower, col.upper);
    END IF;
    IF col.is_hidden THEN
      PERFORM gaussdp_internal.hide_columns("to", ARRAY[col.attname]);
    END IF;
    IF col.key_table IS NOT NULL THEN
      PERFORM gaussdp_internal.set_public_keys("to", col.attname, col.key_table, col.key_column);
    END IF;
  END LOOP;
  IF lost IS NOT NULL THEN
    RAISE NOTICE 'table % lacks columns with declarations: %', "to", lost;
  END IF;
  IF before.people = '' AND "from" <> "to" THEN
    RAISE WARNING 'table % has people of its own: budgets on table % are not its', "to", "from"
      USING HINT = format('Give them a name that both have: SELECT gaussdp.protect(%L, people => ''...'', change_unit => true), and grant budgets on that.', "from"::text);
  END IF;
END
$$;
COMMENT ON FUNCTION gaussdp_internal.copy_declaration(regclass, regclass) IS 'What gaussdp.copy_declaration() does.';

CREATE FUNCTION gaussdp.copy_declaration("from" regclass, "to" regclass) RETURNS void
AS 'MODULE_PATHNAME', 'gaussdp_call_inner' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp.copy_declaration(regclass, regclass) IS
'Declares table "to" as table "from" is: unit, max_rows, max_groups, people or path, bounds and public keys of columns of the same names, and which are hidden. For jobs that make a table anew and swap it in; where from is NULL nothing happens. Only for the owner of "to". Errors: 22004, 22023, 42501, 42703, 42804, 55000.';

CREATE FUNCTION gaussdp_internal.steps_of("table" regclass) RETURNS int4
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
WITH RECURSIVE step AS (
  SELECT 0 AS n, (gaussdp_internal.declared_before("table")).via
  UNION ALL
  SELECT s.n + 1, (gaussdp_internal.declared_before(s.via)).via FROM step AS s WHERE s.via IS NOT NULL AND s.n < 32
)
SELECT max(n) FROM step
$$;
COMMENT ON FUNCTION gaussdp_internal.steps_of(regclass) IS 'How many tables lie between the table and the people of its rows; for gaussdp.dump_declarations().';

CREATE FUNCTION gaussdp.dump_declarations() RETURNS TABLE (sql text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET extra_float_digits = 1 SET quote_all_identifiers = off AS $$
WITH t AS (
  SELECT c.oid::regclass AS "table", b.unit, d.max_rows, d.max_groups, b.people, b.has_path, b.via, b.via_column, b.also, b.via_also,
    gaussdp_internal.steps_of(c.oid::regclass) AS steps
  FROM pg_seclabel AS l JOIN pg_class AS c ON c.oid = l.objoid CROSS JOIN LATERAL gaussdp_internal.declared_before(c.oid::regclass) AS b
  CROSS JOIN LATERAL gaussdp_internal.table_declaration(c.oid::regclass) AS d
  WHERE l.provider = 'gaussdp' AND l.classoid = 'pg_class'::regclass AND l.objsubid = 0 AND gaussdp_internal.current_role_owns(c.oid::regclass)
), line AS (
  -- Tables before those that go by way of them.
  SELECT steps, "table"::text AS name, 0 AS number, CASE
    WHEN unit IS NULL OR has_path AND via IS NULL THEN format('-- table %s: its declaration does not hold any more', "table")
    ELSE format('SELECT gaussdp.protect(%L, unit => %L, max_rows => %s, max_groups => %s%s);', "table", unit, max_rows, max_groups,
      CASE WHEN has_path THEN format(', via => %L, via_column => %L', via, via_column) || CASE WHEN also IS NULL THEN '' ELSE format(', also => %L, via_also => %L', also, via_also) END WHEN people <> '' THEN format(', people => %L', people) END) END AS sql
  FROM t
  UNION ALL
  SELECT 100, c.oid::regclass::text, a.attnum, concat_ws(E'\n',
    CASE WHEN d.lower IS NOT NULL THEN format('SELECT gaussdp.set_bounds(%L, %L, %s, %s);', c.oid::regclass, a.attname,
      coalesce(quote_literal(b.texts[1]), d.lower::text), coalesce(quote_literal(b.texts[2]), d.upper::text)) END,
    CASE WHEN d.key_table IS NOT NULL THEN format('SELECT gaussdp.set_public_keys(%L, %L, %L, %L);', c.oid::regclass, a.attname, d.key_table, d.key_column) END,
    CASE WHEN d.is_hidden THEN format('SELECT gaussdp.hide_columns(%L, %L);', c.oid::regclass, ARRAY[a.attname]) END)
  FROM pg_seclabel AS l JOIN pg_class AS c ON c.oid = l.objoid JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = l.objsubid
  CROSS JOIN LATERAL gaussdp_internal.column_declaration(c.oid::regclass, a.attnum) AS d
  CROSS JOIN LATERAL gaussdp_internal.bounds_as_text(gaussdp_internal.base_type_of(c.oid::regclass, a.attname), d.lower, d.upper) AS b (texts)
  WHERE l.provider = 'gaussdp' AND l.classoid = 'pg_class'::regclass AND l.objsubid > 0 AND d.is_hidden IS NOT NULL
    AND gaussdp_internal.current_role_owns(c.oid::regclass)
)
SELECT s.sql FROM line CROSS JOIN LATERAL string_to_table(line.sql, E'\n') AS s (sql) ORDER BY line.steps, line.name, line.number
$$;
COMMENT ON FUNCTION gaussdp.dump_declarations() IS
'The declarations of all tables that the current role owns, as SQL that makes them in another database, a statement each, tables before those that go by way of them. Budgets are not among them.';
