-- Functions of extensions that a superuser declares pure. Included behind declaration.sql.

-- By name, which pg_upgrade and a dump keep.
CREATE TABLE gaussdp_internal.allowed_function (function text PRIMARY KEY, fingerprint text NOT NULL);
REVOKE ALL ON gaussdp_internal.allowed_function FROM PUBLIC;
SELECT pg_catalog.pg_extension_config_dump('gaussdp_internal.allowed_function', '');
COMMENT ON TABLE gaussdp_internal.allowed_function IS
'Functions of extensions that a superuser has declared pure, and what they were then.';

CREATE FUNCTION gaussdp_internal.fingerprint(function regprocedure) RETURNS text
AS 'MODULE_PATHNAME', 'gaussdp_fingerprint' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.fingerprint(regprocedure) IS
'What a function that may be declared pure is now; for gaussdp.allow_function(). Errors: 22023, 42883.';

CREATE FUNCTION gaussdp_internal.function_name(function regprocedure) RETURNS text
AS 'MODULE_PATHNAME', 'gaussdp_function_name' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.function_name(regprocedure) IS
'A function''s name and those of its arguments'' types, with their schemas whatever search_path is; for gaussdp.allow_function().';

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
  IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
    RAISE EXCEPTION 'permission denied to declare functions pure' USING ERRCODE = 'insufficient_privilege', DETAIL = 'Only superusers may.';
  END IF;
  PERFORM gaussdp_internal.check_coordinator();
  INSERT INTO gaussdp_internal.allowed_function AS a VALUES (gaussdp_internal.function_name(function), gaussdp_internal.fingerprint(function))
  ON CONFLICT ON CONSTRAINT allowed_function_pkey DO UPDATE SET fingerprint = excluded.fingerprint;
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
  IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
    RAISE EXCEPTION 'permission denied to declare functions pure' USING ERRCODE = 'insufficient_privilege', DETAIL = 'Only superusers may.';
  END IF;
  DELETE FROM gaussdp_internal.allowed_function AS a WHERE a.function = gaussdp_internal.function_name(disallow_function.function);
END
$$;
COMMENT ON FUNCTION gaussdp_internal.disallow_function(regprocedure) IS 'What gaussdp.disallow_function() does.';

CREATE FUNCTION gaussdp.disallow_function(function regprocedure) RETURNS void
AS 'MODULE_PATHNAME', 'gaussdp_call_inner' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp.disallow_function(regprocedure) IS
'Takes gaussdp.allow_function() back. Only for superusers. Errors: 22004, 42501.';

CREATE FUNCTION gaussdp_internal.check_functions() RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT has_table_privilege('gaussdp_internal.allowed_function', 'SELECT') THEN
    RETURN;
  END IF;
  RETURN QUERY
  SELECT CASE WHEN why IS NULL THEN 'notice' ELSE 'warning' END,
    CASE WHEN why IS NULL THEN format('a superuser promises that function %s reads nothing but its arguments', f) ELSE format('function %s is declared pure, and not used: it %s', f, why) END,
    CASE WHEN why IS NULL THEN format('If that is in doubt: SELECT gaussdp.disallow_function(%L);', f)
      WHEN is_gone THEN format('DELETE FROM gaussdp_internal.allowed_function WHERE function = %L;', f)
      ELSE format('Look at it, and declare it again, or not: SELECT gaussdp.allow_function(%L); SELECT gaussdp.disallow_function(%1$L);', f) END
  FROM (SELECT a.function, p.oid IS NULL, CASE WHEN p.oid IS NULL THEN 'does not exist' ELSE gaussdp_internal.why_not_pure(p.oid) END
    FROM gaussdp_internal.allowed_function AS a LEFT JOIN pg_proc AS p ON p.oid >= 16384 AND gaussdp_internal.function_name(p.oid) = a.function) AS declared (f, is_gone, why);
END
$$;
COMMENT ON FUNCTION gaussdp_internal.check_functions() IS
'Functions that a superuser has declared pure, for those who may see the table: superusers. For gaussdp.check_policy().';
