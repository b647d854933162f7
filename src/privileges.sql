-- Comes last. ALTER DEFAULT PRIVILEGES may have given others more: to write the ledger, or to put functions beside these.
-- Views that begin with stat_ are pg_monitor's to read.

DO $script$
DECLARE
	path text := pg_catalog.current_setting('search_path');
	other text;
	commands text[];
	command text;
BEGIN
	PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
	-- A function or an operator in the extension's schema may fit a call better than PostgreSQL's own. What PostgreSQL came with has no rows in pg_depend.
	SELECT pg_describe_object(d.refclassid, d.refobjid, 0) INTO other
	FROM pg_extension AS x CROSS JOIN LATERAL (
		SELECT m.classid, m.objid FROM pg_depend AS m WHERE m.refclassid = 'pg_extension'::regclass AND m.refobjid = x.oid AND m.deptype = 'e'
		UNION ALL SELECT 'pg_rewrite'::regclass, r.oid FROM pg_rewrite AS r JOIN pg_depend AS m ON m.objid = r.ev_class AND m.classid = 'pg_class'::regclass
			WHERE m.refclassid = 'pg_extension'::regclass AND m.refobjid = x.oid AND m.deptype = 'e'
		UNION ALL SELECT p.classid, p.objid FROM pg_depend AS p JOIN pg_depend AS m ON m.objid = p.refobjid AND m.classid = p.refclassid AND p.refclassid = 'pg_class'::regclass
			WHERE m.refclassid = 'pg_extension'::regclass AND m.refobjid = x.oid AND m.deptype = 'e' AND p.deptype IN ('a', 'i')
	) AS o JOIN pg_depend AS d ON d.classid = o.classid AND d.objid = o.objid
	WHERE x.extname = 'gaussdp' AND d.refclassid IN ('pg_proc'::regclass, 'pg_operator'::regclass, 'pg_type'::regclass, 'pg_collation'::regclass, 'pg_opclass'::regclass, 'pg_opfamily'::regclass)
		AND NOT EXISTS (SELECT FROM pg_depend AS m WHERE m.classid = d.refclassid AND m.objid = d.refobjid
			AND (m.refclassid = 'pg_extension'::regclass AND m.refobjid = x.oid AND m.deptype = 'e' OR m.deptype = 'i'))
	LIMIT 1;
	IF other IS NOT NULL THEN
		RAISE EXCEPTION 'an object of the extension would use %', other USING ERRCODE = 'object_not_in_prerequisite_state',
			DETAIL = 'It stands in the schema of the extension, and fits a call better than what PostgreSQL came with.',
			HINT = 'Create the extension in a schema where nobody else may create anything: CREATE SCHEMA dp; CREATE EXTENSION gaussdp SCHEMA dp;';
	END IF;
	commands := ARRAY(
		SELECT format('REVOKE %s ON %s FROM %s', given.privilege, given.object, given.grantee) FROM (
		SELECT a.privilege_type AS privilege, o.object,
			CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END AS grantee
		FROM (
			SELECT 'TABLE ' || c.oid::regclass::text, c.relacl, c.relowner, 'SELECT'
			FROM pg_class AS c WHERE c.relnamespace IN ('gaussdp'::regnamespace, 'gaussdp_internal'::regnamespace)
			UNION ALL
			SELECT 'SCHEMA ' || n.nspname, n.nspacl, n.nspowner, 'USAGE'
			FROM pg_namespace AS n WHERE n.nspname IN ('gdp', 'gaussdp', 'gaussdp_internal')
		) AS o (object, acl, owner, of_public), aclexplode(o.acl) AS a
		WHERE a.grantee <> o.owner AND NOT (a.grantee = 0 AND a.privilege_type = o.of_public)
			AND NOT (a.grantee = 'pg_monitor'::regrole AND a.privilege_type = 'SELECT' AND o.object ~ '^TABLE gaussdp\.stat_')) AS given);
	PERFORM pg_catalog.set_config('search_path', path, true);
	FOREACH command IN ARRAY commands LOOP
		EXECUTE command;
	END LOOP;
END
$script$;
