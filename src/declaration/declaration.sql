-- Declarations: what is protected, bounds of columns, public keys.

-- From here on every name says its schema; all that stands in the extension's own has been made. Nothing in the extension's own shall be called for a
-- built-in one. Event triggers run under this search path, too, and may need the other one: then privileges.sql refuses what has found such a name.
SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true) WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_event_trigger);

CREATE FUNCTION gaussdp_internal.label(existing text, item text, text, text, text, int8, float8, float8, max_groups int8) RETURNS text
AS 'MODULE_PATHNAME', 'gaussdp_label' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.label(text, text, text, text, text, int8, float8, float8, int8) IS
'The text of a security label with one item changed; for the functions of schema gaussdp. Changes nothing by itself.';

CREATE FUNCTION gaussdp_internal.table_declaration("table" regclass, OUT declared_on regclass, OUT unit text, OUT max_rows int8, OUT max_groups int8, OUT people text, OUT problem text,
  OUT via regclass, OUT via_column text, OUT also name[], OUT via_also name[])
AS 'MODULE_PATHNAME', 'gaussdp_table_declaration' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.table_declaration(regclass) IS
'What is declared of a protected table or a partition of one, as it holds now; problem says why nothing can be asked of it. NULL for tables that are not protected.';

CREATE FUNCTION gaussdp_internal.column_declaration("table" regclass, attnum int2, OUT lower float8, OUT upper float8, OUT key_table regclass, OUT key_column text, OUT is_hidden bool)
AS 'MODULE_PATHNAME', 'gaussdp_column_declaration' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.column_declaration(regclass, int2) IS
'What is declared of a column, as it holds now; NULL for columns of which nothing is.';

CREATE FUNCTION gaussdp_internal.unit_problem("table" regclass) RETURNS text
AS 'MODULE_PATHNAME', 'gaussdp_why_unit_problem' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.unit_problem(regclass) IS
'Why it is not known whose rows the table has, so that nothing can be asked of it; NULL where it is.';

CREATE FUNCTION gaussdp_internal.server_problem(OUT problem text, OUT remedy text)
AS 'MODULE_PATHNAME', 'gaussdp_server_problem' LANGUAGE C STABLE PARALLEL RESTRICTED;
COMMENT ON FUNCTION gaussdp_internal.server_problem() IS
'Why this server answers no query over protected tables, whatever is declared: the library is not in shared_preload_libraries, or of another version than the extension''s objects. NULL where it is not so.';

CREATE FUNCTION gaussdp_internal.warn_of_server() RETURNS void
AS 'MODULE_PATHNAME', 'gaussdp_warn_of_server_problem' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp_internal.warn_of_server() IS
'Warns of gaussdp_internal.server_problem(); for the functions of schema gaussdp.';

CREATE FUNCTION gaussdp_internal.population_of("table" regclass, OUT people text, OUT relation regclass)
AS 'MODULE_PATHNAME', 'gaussdp_population_of' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.population_of(regclass) IS
'Whose data a protected table or a partition of one holds, as in gaussdp_internal.ledger_account: the name of its people, or, where that is empty, those of relation alone. NULL for tables that are not protected.';

CREATE FUNCTION gaussdp_internal.current_role_owns("table" regclass) RETURNS bool
AS 'MODULE_PATHNAME', 'gaussdp_current_role_owns' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.current_role_owns(regclass) IS
'Does the current role have the privileges of the table''s owner, or all, as a superuser? For the views of schema gaussdp.';

CREATE FUNCTION gaussdp_internal.check_coordinator() RETURNS void
AS 'MODULE_PATHNAME', 'gaussdp_check_coordinator' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.check_coordinator() IS
'Refuses on a worker of Citus, where nothing may be declared or granted; for the functions of schema gaussdp. Error: 55000.';

CREATE FUNCTION gaussdp_internal.run_command(command text) RETURNS void
AS 'MODULE_PATHNAME', 'gaussdp_run_command' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp_internal.run_command(text) IS
'Runs a command under the search path of whoever has called a function of schema gaussdp, for the sake of event triggers; for these functions, which name all objects with their schemas. Error: 42501.';

CREATE FUNCTION gaussdp_internal.full_name("table" regclass) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.oid = "table"
$$;
COMMENT ON FUNCTION gaussdp_internal.full_name(regclass) IS 'A table as each search path finds it; for commands.';

-- Writes the label of a table (attnum 0) or a column with the rights of the caller: only owners may. A label that stays as it is is not written: cached
-- plans stay, and nothing is left behind.
CREATE FUNCTION gaussdp_internal.write_label("table" regclass, "column" name, item text, a text DEFAULT NULL, b text DEFAULT NULL,
  c text DEFAULT NULL, n int8 DEFAULT NULL, lower float8 DEFAULT NULL, upper float8 DEFAULT NULL, max_groups int8 DEFAULT NULL) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  number int2 := 0;
  existing text;
  wanted text;
BEGIN
  IF "table" IS NULL THEN
    RAISE EXCEPTION 'table must not be null' USING ERRCODE = 'null_value_not_allowed';
  END IF;
  PERFORM gaussdp_internal.check_coordinator();
  IF item !~ '^(protected|limits)' THEN
    IF "column" IS NULL THEN
      RAISE EXCEPTION 'column must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    SELECT a.attnum INTO number FROM pg_attribute AS a
    WHERE a.attrelid = "table" AND a.attname = "column" AND NOT a.attisdropped;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'column "%" of table % does not exist', "column", "table" USING ERRCODE = 'undefined_column';
    END IF;
  END IF;
  SELECT l.label INTO existing FROM pg_seclabel AS l
  WHERE l.objoid = "table" AND l.classoid = 'pg_class'::regclass AND l.objsubid = number AND l.provider = 'gaussdp';
  wanted := gaussdp_internal.label(existing, item, a, b, c, n, lower, upper, max_groups);
  IF wanted IS DISTINCT FROM existing THEN
    PERFORM gaussdp_internal.run_command(format('SECURITY LABEL FOR gaussdp ON %s %s%s IS %L', CASE number WHEN 0 THEN 'TABLE' ELSE 'COLUMN' END,
      gaussdp_internal.full_name("table"), CASE number WHEN 0 THEN '' ELSE format('.%I', "column") END, wanted));
  ELSIF NOT gaussdp_internal.current_role_owns("table") THEN -- as SECURITY LABEL says it
    RAISE EXCEPTION 'must be owner of table %', (SELECT c.relname FROM pg_class AS c WHERE c.oid = "table") USING ERRCODE = 'insufficient_privilege';
  END IF;
END
$$;
COMMENT ON FUNCTION gaussdp_internal.write_label(regclass, name, text, text, text, text, int8, float8, float8, int8) IS
'Changes one item of a security label, with the rights of the caller; for the functions of schema gaussdp.';

CREATE FUNCTION gaussdp_internal.notice_change("table" regclass, change text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  below text := (SELECT string_agg(t."table"::text, ', ' ORDER BY t."table"::text) FROM gaussdp.protected_tables AS t WHERE t.via = notice_change."table");
BEGIN
  RAISE NOTICE 'whose rows % has is declared anew: %', "table", change
    USING DETAIL = 'Answers until now protect whom the old declaration names, and stay charged to their population. A new population pays from budgets of its own: without a grant on it queries are refused.'
      || coalesce(' The same goes for tables by way of this one: ' || below || '.', '');
END
$$;
COMMENT ON FUNCTION gaussdp_internal.notice_change(regclass, text) IS 'Says what a new unit, population or path of a table means; for gaussdp.protect().';

CREATE FUNCTION gaussdp_internal.notice_new_people("table" regclass, people text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  others text;
BEGIN
  SELECT string_agg(DISTINCT format('"%s"', t.people), ', ') INTO others
  FROM gaussdp.protected_tables AS t WHERE t."table" <> notice_new_people."table" AND t.people <> '' HAVING bool_and(t.people <> notice_new_people.people);
  IF others IS NOT NULL THEN
    RAISE NOTICE 'no other table has the people "%"', people
      USING DETAIL = format('Populations of other tables: %s.', others),
      HINT = 'Tables about the same people share their name and budgets. If one of these was meant: gaussdp.protect(..., people => NAME, change_unit => true).';
  END IF;
END
$$;
COMMENT ON FUNCTION gaussdp_internal.notice_new_people(regclass, text) IS 'Says that a population is new, beside which others, in case its name was mistyped; for gaussdp.protect().';

-- Counted with the rights of the caller, as whom it reads the table.
CREATE FUNCTION gaussdp_internal.rows_of_nobody("table" regclass) RETURNS int8
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET gaussdp.as_analyst = off AS $$
DECLARE
  unit text;
  rows int8;
BEGIN
  SELECT d.unit INTO unit FROM gaussdp_internal.table_declaration("table") AS d JOIN pg_attribute AS a ON a.attname = d.unit
  WHERE a.attrelid = "table" AND NOT a.attnotnull AND gaussdp_internal.current_role_owns("table");
  IF FOUND THEN
    EXECUTE format('SELECT count(*) FROM %s%s WHERE %I IS NULL', CASE WHEN (SELECT c.relkind FROM pg_class AS c WHERE c.oid = "table") = 'r' THEN 'ONLY ' ELSE '' END, "table", unit)
    INTO rows;
  END IF;
  RETURN rows;
END
$$;
COMMENT ON FUNCTION gaussdp_internal.rows_of_nobody(regclass) IS
'In how many rows of a protected table the unit column is NULL, which no answer counts; NULL where it cannot be, and for roles that do not own the table.';

CREATE FUNCTION gaussdp_internal.notice_nobody("table" regclass) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  rows int8 := gaussdp_internal.rows_of_nobody("table");
BEGIN
  IF rows > 0 THEN
    RAISE NOTICE 'rows of table % that belong to nobody: %', "table", rows
      USING DETAIL = 'The unit column is NULL there. No answer counts these rows.';
  END IF;
END
$$;
COMMENT ON FUNCTION gaussdp_internal.notice_nobody(regclass) IS 'Says how many rows no answer will count; for gaussdp.protect().';

-- The columns that a path leads to: those that are named; or else the primary key; or those of the one foreign key of several columns, the unit among them.
CREATE FUNCTION gaussdp_internal.path_end("table" regclass, unit name, via regclass, via_column name, INOUT also name[], INOUT via_also name[],
  OUT schema name, OUT name name, OUT "column" name) RETURNS record
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  relkind "char";
  own name[];
  others name[];
BEGIN
  IF via IS NULL THEN
    RETURN;
  END IF;
  also := nullif(also, '{}');
  via_also := coalesce(nullif(via_also, '{}'), also);
  IF cardinality(also) > 0 THEN
    via_column := coalesce(via_column, unit);
  ELSIF via_column IS NULL AND NOT EXISTS (SELECT FROM pg_index AS i WHERE i.indrelid = via AND i.indisprimary AND i.indnkeyatts = 1) THEN
    SELECT k.own, k.others INTO own, others FROM gaussdp_internal.keys_to("table", via) AS k WHERE unit = ANY (k.own) ORDER BY k.number LIMIT 1;
    via_column := others[array_position(own, unit)];
    also := (SELECT array_agg(c.o ORDER BY c.n) FROM unnest(own) WITH ORDINALITY AS c (o, n) WHERE c.o <> unit);
    via_also := (SELECT array_agg(c.o ORDER BY c.n) FROM unnest(others) WITH ORDINALITY AS c (o, n) WHERE own[c.n] <> unit);
  END IF;
  IF cardinality(also) IS DISTINCT FROM cardinality(via_also) OR cardinality(also) > 7 THEN
    RAISE EXCEPTION 'also and via_also must name as many columns, 7 at most' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  SELECT array_agg(c.o ORDER BY a.attnum), array_agg(c.v ORDER BY a.attnum) INTO also, via_also
  FROM unnest(also, via_also) AS c (o, v) LEFT JOIN pg_attribute AS a ON a.attrelid = "table" AND a.attname = c.o;
  SELECT n.nspname, c.relname, c.relkind, a.attname INTO schema, name, relkind, "column"
  FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
  LEFT JOIN pg_index AS i ON i.indrelid = c.oid AND i.indisprimary AND i.indnkeyatts = 1 AND via_column IS NULL
  LEFT JOIN pg_attribute AS a ON a.attrelid = c.oid AND NOT a.attisdropped AND a.attnum > 0 AND (a.attnum = i.indkey[0] OR a.attname = via_column)
  WHERE c.oid = via;
  IF relkind IS NULL OR relkind NOT IN ('r', 'p') THEN
    RAISE EXCEPTION '% is not a table', via USING ERRCODE = 'wrong_object_type';
  END IF;
  IF "column" IS NULL AND via_column IS NULL THEN
    RAISE EXCEPTION 'table % has no primary key of one column', via
      USING ERRCODE = 'undefined_column', HINT = 'Name the column that the unit column refers to: via_column => ...; and where several columns do so together, the others: also => ''{...}''.';
  ELSIF "column" IS NULL THEN
    RAISE EXCEPTION 'column "%" of table % does not exist', via_column, via USING ERRCODE = 'undefined_column';
  END IF;
  FOR via_column IN SELECT c FROM unnest(via_also) AS c WHERE NOT EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = via AND a.attname = c AND a.attnum > 0 AND NOT a.attisdropped) LOOP
    RAISE EXCEPTION 'column "%" of table % does not exist', via_column, via USING ERRCODE = 'undefined_column';
  END LOOP;
END
$$;
COMMENT ON FUNCTION gaussdp_internal.path_end(regclass, name, regclass, name, name[], name[]) IS 'Where a path leads, by name; for gaussdp.protect(). Errors: 22023, 42703, 42809.';

CREATE FUNCTION gaussdp_internal.keys_to("table" regclass, via regclass, OUT number oid, OUT own name[], OUT others name[]) RETURNS SETOF record
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT k.oid, (SELECT array_agg(a.attname ORDER BY c.n) FROM unnest(k.conkey) WITH ORDINALITY AS c (attnum, n) JOIN pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = c.attnum),
  (SELECT array_agg(a.attname ORDER BY c.n) FROM unnest(k.confkey) WITH ORDINALITY AS c (attnum, n) JOIN pg_attribute AS a ON a.attrelid = k.confrelid AND a.attnum = c.attnum)
FROM pg_constraint AS k WHERE k.conrelid = "table" AND k.confrelid = via AND k.contype = 'f' AND cardinality(k.conkey) BETWEEN 2 AND 8
$$;
COMMENT ON FUNCTION gaussdp_internal.keys_to(regclass, regclass) IS 'The foreign keys of several columns from one table to another; for gaussdp.protect().';

CREATE FUNCTION gaussdp_internal.key_text(unit name, via_column name, also name[], via_also name[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT concat_ws(', ', quote_ident(via_column), (SELECT string_agg(format('%I for %I', v, c), ', ') FROM unnest(also, via_also) AS k (c, v)))
$$;
COMMENT ON FUNCTION gaussdp_internal.key_text(name, name, name[], name[]) IS 'The columns that a path leads to, for people; for gaussdp.protect().';

-- For people: what the owner may do about what gaussdp_internal.unit_problem() says.
CREATE FUNCTION gaussdp_internal.remedy_of("table" regclass, problem text) RETURNS text
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT CASE
  WHEN problem ~ 'is not protected itself$' THEN format('Protect that table first, by the column that says whose its rows are: SELECT gaussdp.protect(%L, unit => ...);', substring(problem FROM '^table (.*), by way of which'))
  WHEN problem ~ 'has no unique index' THEN format('ALTER TABLE %s ADD UNIQUE (%s); where that fails, a row may belong to several people: let the path lead to another column.', d.via,
    (SELECT string_agg(quote_ident(c), ', ') FROM unnest(d.via_column || coalesce(d.via_also, '{}')) AS c))
  WHEN problem ~ 'is another owner''s$' THEN format('ALTER TABLE %s OWNER TO %I;', "table", (SELECT c.relowner::regrole::name FROM pg_class AS c WHERE c.oid = d.via))
  WHEN problem ~ 'cannot be asked itself$' THEN format('Mend that table: SELECT * FROM gaussdp.check_policy(%L) WHERE severity = ''error'';', d.via)
  WHEN problem = 'no column is declared as its unit' THEN format('SELECT gaussdp.protect(%L, unit => ...); with the column that says whose a row is.', "table")
  ELSE 'Mend the table or call gaussdp.protect() again.' END
FROM gaussdp_internal.declared_before("table") AS d
$$;
COMMENT ON FUNCTION gaussdp_internal.remedy_of(regclass, text) IS 'How to mend a declaration that does not hold; for gaussdp.protect() and gaussdp.check_policy().';

CREATE FUNCTION gaussdp_internal.warn(what text, detail text, hint text) RETURNS void
AS 'MODULE_PATHNAME', 'gaussdp_warn' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp_internal.warn(text, text, text) IS 'Warns without the context of the functions around it, which would fill the log; for the functions of schema gaussdp.';

CREATE FUNCTION gaussdp_internal.warn_of_problem("table" regclass) RETURNS void
LANGUAGE sql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT gaussdp_internal.warn(format('no query over table %s is answered', "table"), format('Its declaration does not hold: %s.', u.problem), gaussdp_internal.remedy_of("table", u.problem))
FROM gaussdp_internal.unit_problem("table") AS u (problem) WHERE u.problem IS NOT NULL
$$;
COMMENT ON FUNCTION gaussdp_internal.warn_of_problem(regclass) IS 'Warns of a declaration that does not hold; for gaussdp.protect().';

-- The label's own words: what is resolved may have become something else, or nothing.
CREATE FUNCTION gaussdp_internal.declared_before("table" regclass, OUT is_declared bool, OUT unit name, OUT people text, OUT has_path bool, OUT via regclass, OUT via_column name, OUT also name[], OUT via_also name[])
RETURNS record
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT l.label IS NOT NULL, d.unit::name, CASE WHEN NOT l.has_path THEN coalesce(d.people, '') END, l.has_path, d.via, d.via_column::name, d.also, d.via_also
FROM (SELECT) AS one
LEFT JOIN (
  SELECT l.label, l.label ~ '^protected( max_rows=([0-9]+|found))?( max_groups=[0-9]+)? via=' AS has_path FROM pg_seclabel AS l
  WHERE l.objoid = "table" AND l.classoid = 'pg_class'::regclass AND l.objsubid = 0 AND l.provider = 'gaussdp') AS l ON true
LEFT JOIN LATERAL gaussdp_internal.table_declaration("table") AS d ON l.label IS NOT NULL
$$;
COMMENT ON FUNCTION gaussdp_internal.declared_before(regclass) IS
'What the label of a table says of whose rows it has, people being empty for a population of its own, NULL with a path; for gaussdp.protect().';

-- Citus may distribute the table later.
CREATE FUNCTION gaussdp_internal.can_find_rows("table" regclass) RETURNS bool
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT coalesce(bool_and(coalesce(c.collisdeterministic, true) AND (t.typnamespace = 'pg_catalog'::regnamespace OR t.typtype = 'e')), false)
  AND NOT EXISTS (SELECT FROM pg_extension AS e WHERE e.extname = 'citus')
FROM gaussdp_internal.declared_before("table") AS d JOIN pg_attribute AS a ON a.attrelid = "table" AND a.attname = d.unit AND NOT a.attisdropped
JOIN pg_type AS t ON t.oid = a.atttypid LEFT JOIN pg_collation AS c ON c.oid = a.attcollation
$$;
COMMENT ON FUNCTION gaussdp_internal.can_find_rows(regclass) IS
'Could max_rows be found in queries over the protected table, by the type and collation of its unit? For gaussdp.protect().';

CREATE FUNCTION gaussdp_internal.protect("table" regclass, unit name, max_rows int8, max_groups int8, people text,
  via regclass, via_column name, change_unit bool, also name[], via_also name[]) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  other name;
  before record;
  place record;
  change text;
BEGIN
  IF max_rows < 0 OR max_rows > 4294967296 THEN
    RAISE EXCEPTION 'max_rows is out of range: %', max_rows
      USING ERRCODE = 'invalid_parameter_value', DETAIL = 'max_rows must be between 1 and 4294967296, or 0 to be found by each query.';
  END IF;
  IF max_groups < 1 OR max_groups > 1048576 THEN
    RAISE EXCEPTION 'max_groups is out of range: %', max_groups
      USING ERRCODE = 'invalid_parameter_value', DETAIL = 'max_groups must be between 1 and 1048576.';
  END IF;
  IF via IS NULL AND coalesce(via_column, also[1], via_also[1]) IS NOT NULL OR via IS NOT NULL AND people IS NOT NULL THEN
    RAISE EXCEPTION '% is given with via', CASE WHEN via IS NOT NULL THEN 'people' WHEN via_column IS NOT NULL THEN 'via_column alone' ELSE 'also alone' END
      USING ERRCODE = 'invalid_parameter_value', DETAIL = 'A table whose rows are somebody''s by way of another table has the people of that table.';
  END IF;
  before := gaussdp_internal.declared_before("table");
  unit := coalesce(unit, before.unit);
  IF "table" IS NOT NULL AND unit IS NULL THEN
    RAISE EXCEPTION 'unit must not be null' USING ERRCODE = 'null_value_not_allowed',
      DETAIL = format('Table %s has no unit column yet.', "table"), HINT = format('Name the column that says whose a row is: SELECT gaussdp.protect(%L, unit => ...);', "table");
  END IF;
  place := gaussdp_internal.path_end("table", unit, via, via_column, also, via_also);
  -- A unit that was dropped and a path that leads nowhere answer no query: what comes in their place changes nothing that was promised.
  change := concat_ws('; ',
    CASE WHEN unit <> before.unit AND EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = "table" AND a.attname = unit AND NOT a.attisdropped)
      THEN format('unit %I instead of %I', unit, before.unit) END,
    CASE WHEN people <> before.people THEN format('people %s instead of %s', coalesce(nullif(people, ''), '(its own)'), coalesce(nullif(before.people, ''), '(its own)'))
         WHEN people IS NOT NULL AND before.via IS NOT NULL THEN format('people %s instead of those by way of %s', coalesce(nullif(people, ''), '(its own)'), before.via)
         WHEN (via, place."column") <> (before.via, before.via_column) OR via = before.via AND (place.also, place.via_also) IS DISTINCT FROM (before.also, before.via_also)
           THEN format('by way of %s(%s) instead of %s(%s)', via, gaussdp_internal.key_text(unit, place."column", place.also, place.via_also), before.via,
             gaussdp_internal.key_text(before.unit, before.via_column, before.also, before.via_also))
         WHEN via IS NOT NULL AND before.people IS NOT NULL THEN format('by way of %s instead of people %s', via, coalesce(nullif(before.people, ''), '(its own)'))
    END);
  IF unit <> before.unit AND before.has_path AND via IS NULL AND people IS NULL THEN
    RAISE EXCEPTION 'a new unit of table % needs people or via', "table" USING ERRCODE = 'invalid_parameter_value',
      DETAIL = format('Its old unit, %I, names rows of another table.', before.unit);
  END IF;
  IF change <> '' AND change_unit IS NOT TRUE THEN
    RAISE EXCEPTION 'table % is protected otherwise', "table" USING ERRCODE = 'object_not_in_prerequisite_state',
      DETAIL = format('It would have %s.', change), HINT = 'If this is meant, add change_unit => true.';
  END IF;
  FOR other IN
    SELECT a.attname FROM pg_attribute AS a
    JOIN pg_seclabel AS l ON l.objoid = a.attrelid AND l.objsubid = a.attnum AND l.classoid = 'pg_class'::regclass
    WHERE a.attrelid = "table" AND a.attname <> unit AND l.provider = 'gaussdp' AND l.label ~ '^unit( |$)'
  LOOP
    PERFORM gaussdp_internal.write_label("table", other, 'no unit');
  END LOOP;
  FOR other IN
    SELECT a.attname FROM pg_attribute AS a
    JOIN pg_seclabel AS l ON l.objoid = a.attrelid AND l.objsubid = a.attnum AND l.classoid = 'pg_class'::regclass
    WHERE a.attrelid = "table" AND (via IS NOT NULL OR people IS NOT NULL) AND NOT a.attname = ANY (coalesce(place.also, '{}')) AND l.provider = 'gaussdp' AND l.label ~ '^references='
  LOOP
    PERFORM gaussdp_internal.write_label("table", other, 'no references');
  END LOOP;
  PERFORM gaussdp_internal.write_label("table", unit, 'unit');
  FOR i IN 1 .. coalesce(cardinality(place.also), 0) LOOP
    PERFORM gaussdp_internal.write_label("table", place.also[i], 'references', place.via_also[i]);
  END LOOP;
  IF via IS NOT NULL THEN
    PERFORM gaussdp_internal.write_label("table", NULL, 'protected via', place.schema, place.name, place."column", n => max_rows, max_groups => max_groups);
  ELSIF before.is_declared AND people IS NULL THEN
    PERFORM gaussdp_internal.write_label("table", NULL, 'limits', n => max_rows, max_groups => max_groups);
  ELSE
    PERFORM gaussdp_internal.write_label("table", NULL, 'protected', people, n => max_rows, max_groups => max_groups);
  END IF;
  -- Also where an index proves that a person has one row: a query may join several public ones.
  IF NOT before.is_declared AND max_rows IS NULL AND gaussdp_internal.can_find_rows("table") THEN
    PERFORM gaussdp_internal.write_label("table", NULL, 'limits', n => 0);
  END IF;
  IF change <> '' THEN
    PERFORM gaussdp_internal.notice_change("table", change);
  END IF;
  IF people <> '' AND people IS DISTINCT FROM before.people THEN
    PERFORM gaussdp_internal.notice_new_people("table", people);
  END IF;
  IF unit IS DISTINCT FROM before.unit THEN
    PERFORM gaussdp_internal.notice_nobody("table");
  END IF;
  PERFORM gaussdp_internal.warn_of_problem("table"), gaussdp_internal.warn_of_server();
END
$$;
COMMENT ON FUNCTION gaussdp_internal.protect(regclass, name, int8, int8, text, regclass, name, bool, name[], name[]) IS 'What gaussdp.protect() does.';

CREATE FUNCTION gaussdp.protect("table" regclass, unit name DEFAULT NULL, max_rows int8 DEFAULT NULL, max_groups int8 DEFAULT NULL, people text DEFAULT NULL,
  via regclass DEFAULT NULL, via_column name DEFAULT NULL, change_unit bool DEFAULT false, also name[] DEFAULT NULL, via_also name[] DEFAULT NULL) RETURNS void
AS 'MODULE_PATHNAME', 'gaussdp_call_inner' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp.protect(regclass, name, int8, int8, text, regclass, name, bool, name[], name[]) IS
'Declares a table as protected, or changes that: what is left out or NULL stays as it is. unit: the column that says whose row it is; no answer counts rows where it is NULL. Where it has no unique index, or a query joins several public rows to one, a person may have many: max_rows (1 to 4294967296; 0, as at first where it can be: each query finds it privately, for a quarter of its price) says as how many they count together, unless a call says otherwise, and max_groups (1 to 1048576, 100 at first) in how many groups that are found in the data. people: the population, shared by all tables about the same people; at first, or where it is empty, the table is one of its own. via: a protected table whose rows the unit column refers to, by via_column, its primary key by default: a row is the person''s whose that row is. also, via_also: where several columns name that row, those beside the unit, and what they refer to (columns of the same names by default); the table''s foreign key says both where neither is given. change_unit: must be true where a protected table gets another unit, population or path. Only for the owner. Errors: 22004, 22023, 42501, 42703, 42809, 55000.';

CREATE FUNCTION gaussdp_internal.unprotect("table" regclass) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  marked name;
BEGIN
  IF "table" IS NULL THEN
    RAISE EXCEPTION 'table must not be null' USING ERRCODE = 'null_value_not_allowed';
  END IF;
  PERFORM gaussdp_internal.check_coordinator();
  FOR marked IN
    SELECT a.attname FROM pg_attribute AS a
    JOIN pg_seclabel AS l ON l.objoid = a.attrelid AND l.objsubid = a.attnum AND l.classoid = 'pg_class'::regclass
    WHERE a.attrelid = "table" AND l.provider = 'gaussdp' AND l.label ~ '^unit( |$)'
  LOOP
    PERFORM gaussdp_internal.write_label("table", marked, 'no unit');
  END LOOP;
  PERFORM gaussdp_internal.run_command(format('SECURITY LABEL FOR gaussdp ON TABLE %s IS NULL', gaussdp_internal.full_name("table")));
END
$$;
COMMENT ON FUNCTION gaussdp_internal.unprotect(regclass) IS 'What gaussdp.unprotect() does.';

CREATE FUNCTION gaussdp.unprotect("table" regclass) RETURNS void
AS 'MODULE_PATHNAME', 'gaussdp_call_inner' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp.unprotect(regclass) IS
'Takes the declaration of a protected table back; bounds and public keys of its columns stay. Only for the owner. Errors: 22004, 42501, 55000.';

CREATE FUNCTION gaussdp_internal.base_type_of("table" regclass, "column" name) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
WITH RECURSIVE t AS (
  SELECT p.oid, p.typbasetype FROM pg_attribute AS a JOIN pg_type AS p ON p.oid = a.atttypid
  WHERE a.attrelid = "table" AND a.attname = "column" AND NOT a.attisdropped
  UNION ALL SELECT p.oid, p.typbasetype FROM t JOIN pg_type AS p ON p.oid = t.typbasetype)
SELECT format_type(t.oid, NULL) FROM t WHERE t.typbasetype = 0
$$;
COMMENT ON FUNCTION gaussdp_internal.base_type_of(regclass, name) IS 'The type of a column, that of its domain.';

-- measures.sql has the way back.
CREATE FUNCTION gaussdp_internal.bounds_as_text(type text, lower float8, upper float8) RETURNS text[]
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp SET "DateStyle" = 'ISO, YMD' AS $$
DECLARE
  low text;
  high text;
  zone text := CASE type WHEN 'timestamp with time zone' THEN '+00' ELSE '' END;
BEGIN
  IF type = 'date' AND gaussdp_internal.measure(gaussdp_internal.as_date(lower)) = lower AND gaussdp_internal.measure(gaussdp_internal.as_date(upper)) = upper THEN
    low := gaussdp_internal.as_date(lower);
    high := gaussdp_internal.as_date(upper);
  ELSIF type ~ '^timestamp with' AND gaussdp_internal.measure(gaussdp_internal.as_timestamp(lower)) = lower
    AND gaussdp_internal.measure(gaussdp_internal.as_timestamp(upper)) = upper THEN
    low := gaussdp_internal.as_timestamp(lower) || zone;
    high := gaussdp_internal.as_timestamp(upper) || zone;
  END IF;
  RETURN ARRAY[low, high];
END
$$;
COMMENT ON FUNCTION gaussdp_internal.bounds_as_text(text, float8, float8) IS 'Bounds of dates and timestamps as gaussdp.set_bounds() takes them; NULLs for other types, and where a number is no such value.';

CREATE FUNCTION gaussdp_internal.write_bounds("table" regclass, "column" name, lower float8, upper float8) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET extra_float_digits = 1 AS $$
BEGIN
  -- NaN is greater than Infinity here.
  IF lower IS NULL OR upper IS NULL OR NOT (lower > '-Infinity' AND lower < upper AND upper < 'Infinity') THEN
    RAISE EXCEPTION 'bounds are out of range: lower %, upper %', coalesce(lower::text, 'NULL'), coalesce(upper::text, 'NULL')
      USING ERRCODE = 'invalid_parameter_value', DETAIL = 'Bounds must be finite, and lower must be less than upper.';
  END IF;
  PERFORM gaussdp_internal.write_label("table", "column", 'bounds', lower => lower, upper => upper);
END
$$;
COMMENT ON FUNCTION gaussdp_internal.write_bounds(regclass, name, float8, float8) IS 'Declares bounds as they are kept; for gaussdp.set_bounds().';

CREATE FUNCTION gaussdp_internal.set_bounds("table" regclass, "column" name, lower float8, upper float8) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  type text := gaussdp_internal.base_type_of("table", "column");
  bounds text[];
BEGIN
  PERFORM gaussdp_internal.write_bounds("table", "column", lower, upper);
  bounds := gaussdp_internal.bounds_as_text(type, lower, upper);
  IF bounds[1] IS NOT NULL THEN -- 1900 may have been meant as a year
    RAISE NOTICE 'bounds of column "%" lie at % and %', "column", bounds[1], bounds[2]
      USING DETAIL = format('Numbers are %s since 2000-01-01.', CASE type WHEN 'date' THEN 'days' ELSE 'seconds' END),
      HINT = format('Dates are written as text: gaussdp.set_bounds(%L, %L, %L, %L).', "table", "column", bounds[1], bounds[2]);
  END IF;
END
$$;
COMMENT ON FUNCTION gaussdp_internal.set_bounds(regclass, name, float8, float8) IS 'What gaussdp.set_bounds() does.';

CREATE FUNCTION gaussdp.set_bounds("table" regclass, "column" name, lower float8, upper float8) RETURNS void
AS 'MODULE_PATHNAME', 'gaussdp_call_inner' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp.set_bounds(regclass, name, float8, float8) IS
'Declares that values of a column are to be clamped to [lower, upper] where a call gives no bounds. They must come from what is publicly known of the column, never from its data. Only for the owner. Errors: 22004, 42501, 42703, 22023, 55000.';

CREATE FUNCTION gaussdp_internal.set_bounds("table" regclass, "column" name, lower text, upper text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  type text := gaussdp_internal.base_type_of("table", "column");
  bounds float8[];
BEGIN
  EXECUTE format(CASE WHEN type IN ('date', 'time without time zone', 'timestamp without time zone', 'timestamp with time zone', 'interval', 'money')
    THEN 'SELECT ARRAY[gaussdp_internal.measure($1::%1$s), gaussdp_internal.measure($2::%1$s)]' ELSE 'SELECT ARRAY[$1, $2]::float8[]' END, type)
  INTO bounds USING lower, upper;
  PERFORM gaussdp_internal.write_bounds("table", "column", bounds[1], bounds[2]);
END
$$;
COMMENT ON FUNCTION gaussdp_internal.set_bounds(regclass, name, text, text) IS 'What gaussdp.set_bounds() does.';

CREATE FUNCTION gaussdp.set_bounds("table" regclass, "column" name, lower text, upper text) RETURNS void
AS 'MODULE_PATHNAME', 'gaussdp_call_inner' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp.set_bounds(regclass, name, text, text) IS
'The same of values written as the column has them: of a date, time, timestamp, interval or of money. They are kept as numbers: days and seconds since 2000-01-01 (UTC), seconds since midnight, seconds, and hundreds of the smallest unit. Only for the owner. Errors: 22004, 42501, 42703, 22007, 22023, 22P02, 55000.';

CREATE FUNCTION gaussdp_internal.drop_bounds("table" regclass, "column" name) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM gaussdp_internal.write_label("table", "column", 'no bounds');
END
$$;
COMMENT ON FUNCTION gaussdp_internal.drop_bounds(regclass, name) IS 'What gaussdp.drop_bounds() does.';

CREATE FUNCTION gaussdp.drop_bounds("table" regclass, "column" name) RETURNS void
AS 'MODULE_PATHNAME', 'gaussdp_call_inner' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp.drop_bounds(regclass, name) IS
'Takes the declared bounds of a column back. Only for the owner. Errors: 22004, 42501, 42703, 55000.';

CREATE FUNCTION gaussdp_internal.set_public_keys("table" regclass, "column" name, key_table regclass, key_column name) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  place record;
BEGIN
  IF key_table IS NULL OR key_column IS NULL THEN
    RAISE EXCEPTION 'key_table and key_column must not be null' USING ERRCODE = 'null_value_not_allowed',
      HINT = 'gaussdp.drop_public_keys() takes a declaration back.';
  END IF;
  SELECT n.nspname, c.relname, c.relkind, k.atttypid AS type, a.atttypid AS wanted INTO place
  FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
  JOIN pg_attribute AS k ON k.attrelid = c.oid AND k.attname = key_column AND NOT k.attisdropped AND k.attnum > 0
  LEFT JOIN pg_attribute AS a ON a.attrelid = "table" AND a.attname = "column" AND NOT a.attisdropped
  WHERE c.oid = key_table;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'column "%" of table % does not exist', key_column, key_table USING ERRCODE = 'undefined_column';
  END IF;
  IF place.relkind NOT IN ('r', 'p') THEN
    RAISE EXCEPTION '% is not a table', key_table USING ERRCODE = 'wrong_object_type', DETAIL = 'Public keys stand in a table.';
  END IF;
  IF place.type <> place.wanted THEN
    RAISE EXCEPTION 'column "%" of table % has another type than column "%"', key_column, key_table, "column"
      USING ERRCODE = 'datatype_mismatch', DETAIL = format('It is %s, not %s.', format_type(place.type, NULL), format_type(place.wanted, NULL));
  END IF;
  PERFORM gaussdp_internal.write_label("table", "column", 'keys', place.nspname, place.relname, key_column);
END
$$;
COMMENT ON FUNCTION gaussdp_internal.set_public_keys(regclass, name, regclass, name) IS 'What gaussdp.set_public_keys() does.';

CREATE FUNCTION gaussdp.set_public_keys("table" regclass, "column" name, key_table regclass, key_column name) RETURNS void
AS 'MODULE_PATHNAME', 'gaussdp_call_inner' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp.set_public_keys(regclass, name, regclass, name) IS
'Declares that key_column of key_table holds every public value of a column, and nothing that comes from protected rows. The declaration goes by name: a key table that is renamed must be declared again. Only for the owner of table. Errors: 22004, 42501, 42703, 42804, 42809, 55000.';

CREATE FUNCTION gaussdp_internal.drop_public_keys("table" regclass, "column" name) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM gaussdp_internal.write_label("table", "column", 'no keys');
END
$$;
COMMENT ON FUNCTION gaussdp_internal.drop_public_keys(regclass, name) IS 'What gaussdp.drop_public_keys() does.';

CREATE FUNCTION gaussdp.drop_public_keys("table" regclass, "column" name) RETURNS void
AS 'MODULE_PATHNAME', 'gaussdp_call_inner' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp.drop_public_keys(regclass, name) IS
'Takes the declared public keys of a column back. Only for the owner. Errors: 22004, 42501, 42703, 55000.';

CREATE FUNCTION gaussdp_internal.hide_columns("table" regclass, columns name[]) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  "column" name;
  below regclass;
BEGIN
  FOR "column" IN SELECT c FROM unnest(columns) AS c LOOP
    SELECT t."table" INTO below FROM gaussdp.protected_tables AS t WHERE t.via = hide_columns."table" AND "column" = ANY (t.via_column::name || coalesce(t.via_also, '{}'));
    IF FOUND THEN
      RAISE EXCEPTION 'column "%" of table % cannot be hidden', "column", "table" USING ERRCODE = 'invalid_parameter_value',
        DETAIL = format('The path of table %s leads to it: queries join by it.', below);
    END IF;
    PERFORM gaussdp_internal.write_label("table", "column", 'hidden');
  END LOOP;
END
$$;
COMMENT ON FUNCTION gaussdp_internal.hide_columns(regclass, name[]) IS 'What gaussdp.hide_columns() does.';

CREATE FUNCTION gaussdp.hide_columns("table" regclass, columns name[]) RETURNS void
AS 'MODULE_PATHNAME', 'gaussdp_call_inner' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp.hide_columns(regclass, name[]) IS
'Declares that no private query may use these columns: a second person, free text, an e-mail address. Not the unit column, nor one that a path leads to. Only for the owner. Errors: 22004, 22023, 42501, 42703, 55000.';

CREATE FUNCTION gaussdp_internal.show_columns("table" regclass, columns name[]) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  "column" name;
BEGIN
  FOR "column" IN SELECT c FROM unnest(columns) AS c LOOP
    PERFORM gaussdp_internal.write_label("table", "column", 'not hidden');
  END LOOP;
END
$$;
COMMENT ON FUNCTION gaussdp_internal.show_columns(regclass, name[]) IS 'What gaussdp.show_columns() does.';

CREATE FUNCTION gaussdp.show_columns("table" regclass, columns name[]) RETURNS void
AS 'MODULE_PATHNAME', 'gaussdp_call_inner' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp.show_columns(regclass, name[]) IS
'Takes gaussdp.hide_columns() back. Only for the owner. Errors: 22004, 42501, 42703, 55000.';

CREATE VIEW gaussdp.protected_tables AS
SELECT c.oid::pg_catalog.regclass AS "table", d.unit, d.max_rows, d.max_groups, d.people, p.problem IS NULL AND s.problem IS NULL AS usable, coalesce(p.problem, s.problem) AS problem, d.via, d.via_column, d.also, d.via_also
FROM pg_catalog.pg_seclabel AS l
JOIN pg_catalog.pg_class AS c ON c.oid = l.objoid
CROSS JOIN LATERAL gaussdp_internal.table_declaration(c.oid::pg_catalog.regclass) AS d
CROSS JOIN LATERAL gaussdp_internal.unit_problem(c.oid::pg_catalog.regclass) AS p (problem)
CROSS JOIN gaussdp_internal.server_problem() AS s
WHERE l.provider = 'gaussdp' AND l.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass AND l.objsubid = 0;
COMMENT ON VIEW gaussdp.protected_tables IS
'Tables that are declared as protected: unit column, as how many rows and in how many groups a person counts where the unit column is not unique, population (null: the table''s own), whether the declaration holds (usable), why no query is answered (problem: what is wrong with the declaration, or a server that does not preload the library), and by way of which columns of which table rows are somebody''s: those that the unit column refers to and, where several name a row, the others.';

CREATE VIEW gaussdp.column_bounds AS
SELECT c.oid::pg_catalog.regclass AS "table", a.attname AS "column", d.lower, d.upper, d.key_table, d.key_column, l.label, coalesce(d.is_hidden, false) AS hidden,
  CASE WHEN d.lower IS NOT NULL THEN pg_catalog.format('%s to %s', coalesce(b.texts[1], d.lower::text), coalesce(b.texts[2], d.upper::text)) END AS bounds
FROM pg_catalog.pg_seclabel AS l
JOIN pg_catalog.pg_class AS c ON c.oid = l.objoid
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = l.objsubid
LEFT JOIN LATERAL gaussdp_internal.column_declaration(c.oid::pg_catalog.regclass, a.attnum) AS d ON true
LEFT JOIN LATERAL gaussdp_internal.bounds_as_text(gaussdp_internal.base_type_of(c.oid::pg_catalog.regclass, a.attname), d.lower, d.upper) AS b (texts) ON true
WHERE l.provider = 'gaussdp' AND l.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass AND l.objsubid > 0
  AND l.label <> 'unit';
COMMENT ON VIEW gaussdp.column_bounds IS
'Columns with declared bounds or public keys, as they hold now, or hidden from private queries; what the label says beside it. lower and upper are days and seconds since 2000 where the column has dates and timestamps; bounds shows them as values of the column.';

GRANT SELECT ON gaussdp.protected_tables, gaussdp.column_bounds TO PUBLIC;
