-- Functions of extensions that a superuser declares pure. Included behind declaration.sql.

CREATE FUNCTION gaussdp_internal.pure_label(function regprocedure) RETURNS text
AS 'MODULE_PATHNAME', 'gaussdp_pure_label' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.pure_label(regprocedure) IS
'The security label that declares a function pure, as it is now; for gaussdp.allow_function(). Errors: 22023, 42883.';

CREATE FUNCTION gaussdp_internal.why_not_pure(function regprocedure) RETURNS text
AS 'MODULE_PATHNAME', 'gaussdp_why_not_pure' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.why_not_pure(regprocedure) IS
'Why a function is not used as pure, though it may have been declared so; NULL where it is. For gaussdp.check_policy().';

CREATE FUNCTION gaussdp_internal.allow_function(function regprocedure) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF function IS NULL THEN
    RAISE EXCEPTION 'function must not be null' USING ERRCODE = 'null_value_not_allowed';
  END IF;
  PERFORM gaussdp_internal.check_coordinator();
  EXECUTE format('SECURITY LABEL FOR gaussdp ON FUNCTION %s IS %L', function, gaussdp_internal.pure_label(function));
END
$$;
COMMENT ON FUNCTION gaussdp_internal.allow_function(regprocedure) IS 'What gaussdp.allow_function() does.';

CREATE FUNCTION gaussdp.allow_function(function regprocedure) RETURNS void
AS 'MODULE_PATHNAME', 'gaussdp_call_inner' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp.allow_function(regprocedure) IS
'Declares a function of an extension pure, so that private queries may call it on protected rows and see NULL where it fails: it reads nothing but its arguments (no table, file, setting or cache), leaves nothing behind where it fails, and takes milliseconds and megabytes at most for arguments of 8 kB. It must be in C, IMMUTABLE, STRICT, and owned by a superuser; when it is replaced, it has to be declared again. Only for superusers. Errors: 22004, 22023, 42501, 42883.';

CREATE FUNCTION gaussdp_internal.disallow_function(function regprocedure) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF function IS NULL THEN
    RAISE EXCEPTION 'function must not be null' USING ERRCODE = 'null_value_not_allowed';
  END IF;
  EXECUTE format('SECURITY LABEL FOR gaussdp ON FUNCTION %s IS NULL', function);
END
$$;
COMMENT ON FUNCTION gaussdp_internal.disallow_function(regprocedure) IS 'What gaussdp.disallow_function() does.';

CREATE FUNCTION gaussdp.disallow_function(function regprocedure) RETURNS void
AS 'MODULE_PATHNAME', 'gaussdp_call_inner' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp.disallow_function(regprocedure) IS
'Takes gaussdp.allow_function() back. Only for superusers. Errors: 22004, 42501.';

CREATE FUNCTION gaussdp_internal.check_functions() RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT CASE WHEN why IS NULL THEN 'notice' ELSE 'warning' END,
  CASE WHEN why IS NULL THEN format('a superuser promises that function %s reads nothing but its arguments', f) ELSE format('function %s is declared pure, and not used: it %s', f, why) END,
  CASE WHEN why IS NULL THEN format('If that is in doubt: SELECT gaussdp.disallow_function(%L);', f) ELSE format('Look at it, and declare it again, or not: SELECT gaussdp.allow_function(%L); SELECT gaussdp.disallow_function(%1$L);', f) END
FROM (SELECT l.objoid::regprocedure::text, gaussdp_internal.why_not_pure(l.objoid) FROM pg_seclabel AS l WHERE l.provider = 'gaussdp' AND l.classoid = 'pg_proc'::regclass) AS declared (f, why)
$$;
COMMENT ON FUNCTION gaussdp_internal.check_functions() IS
'Functions that a superuser has declared pure; for gaussdp.check_policy().';
