\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- What the catalog says of the objects of the extension, whatever they are: comments, names,
-- labels, search paths, rights.
BEGIN;
SELECT plan(9);

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

SELECT * FROM finish();
ROLLBACK;
