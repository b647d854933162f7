-- Comes last. ALTER DEFAULT PRIVILEGES may have given others more: to write the ledger, or to put functions beside these.
-- Views that begin with stat_ are pg_monitor's to read.

DO $script$
DECLARE
	given record;
BEGIN
	FOR given IN
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
			AND NOT (a.grantee = 'pg_monitor'::regrole AND a.privilege_type = 'SELECT' AND o.object ~ '^TABLE gaussdp\.stat_')
	LOOP
		EXECUTE format('REVOKE %s ON %s FROM %s', given.privilege, given.object, given.grantee);
	END LOOP;
END
$script$;
