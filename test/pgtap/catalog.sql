\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- What the catalog says of the objects of the extension, whatever they are: comments, names,
-- labels, search paths, rights.
BEGIN;
SELECT plan(14);

CREATE TEMP VIEW member AS
SELECT d.classid, d.objid
FROM pg_depend d JOIN pg_extension e ON d.refobjid = e.oid
WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND e.extname = 'gaussdp';

CREATE TEMP VIEW function AS
SELECT p.oid::regprocedure::text AS name, p.*
FROM member m JOIN pg_proc p ON p.oid = m.objid AND m.classid = 'pg_proc'::regclass;

SELECT isnt_empty('SELECT name FROM function', 'the extension has functions');

SELECT is_empty($$SELECT name FROM function WHERE obj_description(oid, 'pg_proc') IS NULL$$,
                'every function has a comment');

SELECT is_empty($$SELECT pg_describe_object(m.classid, m.objid, 0) FROM member m
                  WHERE classid IN ('pg_class'::regclass, 'pg_type'::regclass, 'pg_namespace'::regclass)
                    AND obj_description(objid, classid::regclass::text::name) IS NULL
                    AND NOT EXISTS (SELECT 1 FROM pg_type t
                                    WHERE t.oid = objid AND (t.typrelid <> 0 OR t.typelem <> 0))
                    AND NOT EXISTS (SELECT 1 FROM pg_class c
                                    WHERE c.oid = objid AND c.relkind IN ('c', 'i', 'S'))$$,
                'every table, view, type and schema has a comment');

SELECT is_empty($$SELECT c.relname, a.attname FROM member m JOIN pg_class c ON c.oid = m.objid AND m.classid = 'pg_class'::regclass AND c.relkind = 'v'
                  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
                  WHERE c.relnamespace = 'gaussdp'::regnamespace AND col_description(c.oid, a.attnum) IS NULL$$,
                'every column of a view of schema gaussdp has a comment');

SELECT is_empty($$SELECT name FROM function JOIN pg_proc builtin USING (proname)
                  WHERE builtin.pronamespace = 'pg_catalog'::regnamespace$$,
                'no function is named like a built-in one');

SELECT is_empty($$SELECT name FROM function JOIN pg_language l ON l.oid = prolang
                  WHERE lanname IN ('sql', 'plpgsql')
                    AND NOT EXISTS (SELECT 1 FROM unnest(proconfig) c WHERE c ~ '^search_path=')
                    AND prosqlbody IS NULL$$,
                'every SQL and PL/pgSQL function sets its search path');

SELECT is_empty($$SELECT name FROM function
                  WHERE prosecdef AND NOT EXISTS (SELECT 1 FROM unnest(proconfig) c
                                                  WHERE c ~ '^search_path=(pg_catalog|"?pg_catalog)')$$,
                'every SECURITY DEFINER function has pg_catalog first in its search path');

SELECT is_empty($$SELECT name FROM function JOIN pg_aggregate a ON a.aggfnoid = function.oid
                  WHERE proname ~ '^dp_' AND proparallel <> 's'$$,
                'every dp_ aggregate is parallel safe');

SELECT is_empty($$SELECT name FROM function JOIN pg_aggregate a ON a.aggfnoid = function.oid
                  WHERE proname ~ '^dp_' AND aggtranstype = 'internal'::regtype
                    AND (aggfinalmodify <> 'w' OR aggtransspace = 0
                         OR aggcombinefn = 0 OR aggserialfn = 0 OR aggdeserialfn = 0)$$,
                'every dp_ aggregate refuses OVER, states its size, and combines');

SELECT is_empty($$SELECT c.oid::regclass, a.privilege_type
                  FROM member m JOIN pg_class c ON c.oid = m.objid AND m.classid = 'pg_class'::regclass,
                       aclexplode(c.relacl) a
                  WHERE a.grantee = 0 AND a.privilege_type <> 'SELECT'$$,
                'PUBLIC may not write to any relation');

-- Who may make objects in the schema that the extension is created in shall not have it call them.
DROP EXTENSION gaussdp CASCADE;
CREATE SCHEMA trap;
DO $$
DECLARE
  body text = 'BEGIN RAISE EXCEPTION ''trapped''; END';
  name text;
  signature text;
BEGIN
  FOREACH signature IN ARRAY ARRAY['format(text, text', 'concat_ws(text, text'] LOOP
    FOR i IN 1..6 LOOP
      EXECUTE format('CREATE FUNCTION trap.%s) RETURNS text LANGUAGE plpgsql AS %L', signature, body);
      signature := signature || ', text';
    END LOOP;
  END LOOP;
  EXECUTE format('CREATE FUNCTION trap.unnest(text[]) RETURNS SETOF text LANGUAGE plpgsql AS %L', body);
  EXECUTE format('CREATE FUNCTION trap.array_length(text[], int) RETURNS int LANGUAGE plpgsql AS %L', body);
  FOREACH signature IN ARRAY ARRAY['= regrole int4', '= regrole oid', '= regrole regrole', '= regclass oid', '= oid regclass', '= oid regrole',
    '/ int8 float8', '^ float8 int4', '* int8 float8', '> int8 int4', '+ int8 int4'] LOOP
    name := 'trap.f_' || md5(signature);
    EXECUTE format('CREATE FUNCTION %s(%s, %s) RETURNS %s LANGUAGE plpgsql AS %L', name, split_part(signature, ' ', 2), split_part(signature, ' ', 3),
      CASE WHEN signature ~ '^[=>]' THEN 'bool' ELSE 'float8' END, body);
    EXECUTE format('CREATE OPERATOR trap.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = %s)', split_part(signature, ' ', 1), split_part(signature, ' ', 2),
      split_part(signature, ' ', 3), name);
  END LOOP;
END$$;
SELECT lives_ok('CREATE EXTENSION gaussdp SCHEMA trap', 'the extension is created without calling what others have put in its schema');
SELECT is_empty($$SELECT DISTINCT r.ev_class::regclass, pg_describe_object(d.refclassid, d.refobjid, 0) FROM pg_depend AS d JOIN pg_rewrite AS r ON r.oid = d.objid
    JOIN pg_operator AS o ON o.oid = d.refobjid WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_operator'::regclass$$,
                'and its views call none of it');
SELECT unalike(current_setting('search_path'), '%trap%', 'the search path is the caller''s again');

SELECT CASE WHEN to_regproc('pg_get_loaded_modules') IS NULL THEN skip('PostgreSQL shows versions of loaded libraries since 18', 1)
            ELSE results_eq($$SELECT version COLLATE "C" = (SELECT extversion FROM pg_extension WHERE extname = 'gaussdp')
                              FROM pg_get_loaded_modules() WHERE module_name = 'gaussdp'$$, ARRAY[true], 'the loaded library shows its version') END;

SELECT * FROM finish();
ROLLBACK;
