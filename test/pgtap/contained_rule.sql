\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- The list of pure functions is what the rule says on this major: none that qualifies is missing, none of the list is gone.
-- Who makes it anew (test/pure) has looked at each function that is new.
SET client_min_messages = warning;
\ir ../module/pure.sql
SELECT plan(5);
SELECT cmp_ok((SELECT count(*) FROM pure), '>', 800::bigint, 'there are pure functions');
SELECT is_empty($$SELECT signature FROM pure WHERE NOT gaussdp_internal.is_pure(function)$$, 'all that qualify are listed');
SELECT is_empty($$SELECT oid::regprocedure FROM pg_proc WHERE gaussdp_internal.is_pure(oid) AND oid NOT IN (SELECT function FROM pure)$$, 'all that are listed qualify');
SELECT is_empty($$SELECT signature FROM pure_stable WHERE signature NOT IN (SELECT signature FROM pure)$$, 'the reviewed ones are there');
SELECT is_empty($$SELECT p.oid::regprocedure FROM pg_proc p WHERE gaussdp_internal.is_pure(p.oid) AND (p.provolatile = 'v' OR NOT p.proisstrict OR p.proretset OR p.prosecdef
	OR p.proparallel = 'u' OR p.prorettype = 'cstring'::regtype OR p.oid >= 16384)$$, 'none is volatile, may give a set or has a value for NULL');
SELECT * FROM finish();
