-- Old rows of the journal: closed by a checkpoint, moved out, and still proven to be what budgets say.

CREATE TABLE gaussdp_internal.journal_checkpoint (
  number int4 PRIMARY KEY,
  at timestamptz NOT NULL,
  session_role text NOT NULL,                           -- who closed the stretch
  rows int8 NOT NULL,
  first_charge int8 NOT NULL,
  last_charge int8 NOT NULL,
  first_at timestamptz NOT NULL,
  last_at timestamptz NOT NULL,
  hash bytea NOT NULL                                   -- SHA-256 of the last checkpoint's and of those of all rows
);
COMMENT ON TABLE gaussdp_internal.journal_checkpoint IS 'Stretches of the journal that were moved out; written by gaussdp.archive_journal() alone. See gaussdp.verify_journal().';

-- What a stretch has of each account in each of its terms: periods, and what resets make of them.
CREATE TABLE gaussdp_internal.journal_sum (
  checkpoint int4 NOT NULL,                            -- no foreign key: a parallel restore fills tables in any order
  account int4 NOT NULL,
  term int4 NOT NULL,
  people text NOT NULL,
  paid_by text NOT NULL,
  rows int8 NOT NULL,
  queries int8 NOT NULL,
  mu2 numeric NOT NULL,                                 -- units as in gaussdp_internal.ledger_account
  threshold_delta numeric NOT NULL,
  PRIMARY KEY (account, term, checkpoint)
);
COMMENT ON TABLE gaussdp_internal.journal_sum IS 'What stretches of the journal that were moved out have of each account in each period; written by gaussdp.archive_journal() alone.';

-- The rows themselves; a superuser may copy them elsewhere and delete them here. OIDs of tables stay behind: they may come again.
CREATE TABLE gaussdp_internal.journal_archive (
  checkpoint int4 NOT NULL,                            -- no foreign key: a parallel restore fills tables in any order
  charge int8 NOT NULL,
  at timestamptz NOT NULL,
  mu2 int8,
  threshold_delta int8,
  query_id int8,
  queries int4,
  population int4,
  population_term int4,
  account int4,
  account_term int4,
  more_accounts int4[],
  event text NOT NULL,
  session_role text NOT NULL,
  role text NOT NULL,
  people text NOT NULL,
  relation_name text NOT NULL,
  releases bytea,
  query_text text,
  terms text
);
CREATE INDEX journal_archive_checkpoint ON gaussdp_internal.journal_archive (checkpoint);
COMMENT ON TABLE gaussdp_internal.journal_archive IS 'Rows of the journal that were moved out; written by gaussdp.archive_journal() alone.';

-- Numbers that were kept, once nobody may be shown them again.
CREATE TABLE gaussdp_internal.kept_archive (
  checkpoint int4 NOT NULL,                            -- no foreign key: a parallel restore fills tables in any order
  drawn timestamptz NOT NULL,
  until timestamptz NOT NULL,
  role text NOT NULL,                                   -- who has asked
  people text NOT NULL,
  relation_name text NOT NULL,
  key bytea NOT NULL,                                   -- as in gaussdp_internal.kept_answer
  released bytea NOT NULL
);
CREATE INDEX kept_archive_checkpoint ON gaussdp_internal.kept_archive (checkpoint);
COMMENT ON TABLE gaussdp_internal.kept_archive IS 'Kept answers that were moved out with the journal; written by gaussdp.archive_journal() alone.';

REVOKE ALL ON gaussdp_internal.journal_checkpoint, gaussdp_internal.journal_sum, gaussdp_internal.journal_archive, gaussdp_internal.kept_archive FROM PUBLIC;
SELECT pg_catalog.pg_extension_config_dump('gaussdp_internal.journal_checkpoint', '');
SELECT pg_catalog.pg_extension_config_dump('gaussdp_internal.journal_sum', '');
SELECT pg_catalog.pg_extension_config_dump('gaussdp_internal.journal_archive', '');
SELECT pg_catalog.pg_extension_config_dump('gaussdp_internal.kept_archive', '');

-- Who has paid for which row; checkpoint is NULL where the row is still in the journal.
CREATE VIEW gaussdp_internal.journal_payment AS
SELECT j.checkpoint, p.account, p.term, j.people, j.queries, j.mu2, coalesce(j.threshold_delta, 0) AS threshold_delta
FROM (
  SELECT NULL::int4 AS checkpoint, people, queries, mu2, threshold_delta, population, population_term, account, account_term, more_accounts
  FROM gaussdp_internal.journal_entry WHERE event = 'charge'
  UNION ALL
  SELECT checkpoint, people, queries, mu2, threshold_delta, population, population_term, account, account_term, more_accounts
  FROM gaussdp_internal.journal_archive WHERE event = 'charge'
) AS j, LATERAL (
  SELECT j.population, j.population_term
  UNION ALL
  SELECT j.account, j.account_term
  UNION ALL
  SELECT j.more_accounts[i], j.more_accounts[i + 1] FROM generate_series(1, coalesce(array_length(j.more_accounts, 1), 0), 2) AS i
) AS p (account, term)
WHERE p.account IS NOT NULL; -- what is shown again is paid by those alone who had not
REVOKE ALL ON gaussdp_internal.journal_payment FROM PUBLIC;
COMMENT ON VIEW gaussdp_internal.journal_payment IS 'Which accounts have paid for the rows of the journal and of its archive; for gaussdp.verify_journal() and gaussdp.archive_journal().';

-- A row's hash leaves out the OID of its table, which is another one after dump and restore. Text is taken as it is stored: record_send()
-- would convert it to the client's encoding, and the hash would depend on who asks.
CREATE FUNCTION gaussdp_internal.hash_of_archive(checkpoint int4, before bytea) RETURNS bytea
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT sha256(coalesce($2, ''::bytea) || string_agg(sha256(record_send(ROW(charge, at, mu2, threshold_delta, query_id, queries, population, population_term,
  account, account_term, more_accounts, convert_to(event, e), convert_to(session_role, e), convert_to(role, e), convert_to(people, e), convert_to(relation_name, e), releases,
  convert_to(query_text, e), convert_to(terms, e)))), ''::bytea ORDER BY charge) || coalesce(
  (SELECT string_agg(k.hash, ''::bytea ORDER BY k.hash)
  FROM (SELECT sha256(record_send(ROW(drawn, until, convert_to(role, e), convert_to(people, e), convert_to(relation_name, e), key, released))) AS hash
    FROM gaussdp_internal.kept_archive, getdatabaseencoding() AS e WHERE kept_archive.checkpoint = $1) AS k), ''))
FROM gaussdp_internal.journal_archive AS a, getdatabaseencoding() AS e WHERE a.checkpoint = $1
$$;
REVOKE ALL ON FUNCTION gaussdp_internal.hash_of_archive(int4, bytea) FROM PUBLIC;
COMMENT ON FUNCTION gaussdp_internal.hash_of_archive(int4, bytea) IS 'SHA-256 of the rows and kept answers of a stretch that was moved out, and of the hash before it.';

CREATE FUNCTION gaussdp_internal.archive_journal(before timestamptz, max_rows int4) RETURNS int8
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  last gaussdp_internal.journal_checkpoint;
  this int4;
  moved int8;
BEGIN
  IF before IS NULL OR max_rows IS NULL THEN
    RAISE null_value_not_allowed USING MESSAGE = CASE WHEN before IS NULL THEN 'before must not be null' ELSE 'max_rows must not be null' END;
  END IF;
  -- The worker still counts equal queries in rows of the last second.
  IF before > clock_timestamp() - interval '1 minute' OR max_rows NOT BETWEEN 1 AND 1000000 THEN
    RAISE invalid_parameter_value USING
      MESSAGE = CASE WHEN max_rows BETWEEN 1 AND 1000000 THEN 'before must be a minute ago at least' ELSE 'max_rows must be between 1 and 1000000' END;
  END IF;
  LOCK TABLE gaussdp_internal.journal_checkpoint IN SHARE ROW EXCLUSIVE MODE;
  SELECT * INTO last FROM gaussdp_internal.journal_checkpoint ORDER BY number DESC LIMIT 1;
  this := coalesce(last.number, 0) + 1;
  INSERT INTO gaussdp_internal.journal_checkpoint VALUES (this, clock_timestamp(), session_user, 0, 0, 0, before, before, '');
  -- Who has dropped a table and not committed has its rows locked: they are moved another time.
  WITH gone AS (
    DELETE FROM gaussdp_internal.journal_entry AS j
    WHERE j.charge = ANY (ARRAY(
      SELECT e.charge FROM gaussdp_internal.journal_entry AS e WHERE e.at < before ORDER BY e.at LIMIT max_rows FOR UPDATE SKIP LOCKED))
    RETURNING j.*)
  INSERT INTO gaussdp_internal.journal_archive
  SELECT this, charge, at, mu2, threshold_delta, query_id, queries, population, population_term, account, account_term, more_accounts, event,
    session_role, role, people, relation_name, releases, query_text, terms
  FROM gone;
  GET DIAGNOSTICS moved = ROW_COUNT;
  IF moved = 0 THEN
    DELETE FROM gaussdp_internal.journal_checkpoint AS c WHERE c.number = this;
    RETURN 0;
  END IF;
  WITH gone AS (
    DELETE FROM gaussdp_internal.kept_answer AS k
    WHERE k.ctid = ANY (ARRAY(
      SELECT o.ctid FROM gaussdp_internal.kept_answer AS o
      WHERE o.until <= clock_timestamp() AND o.drawn <= (SELECT max(at) FROM gaussdp_internal.journal_archive WHERE checkpoint = this) FOR UPDATE SKIP LOCKED))
    RETURNING k.*)
  INSERT INTO gaussdp_internal.kept_archive
  SELECT this, g.drawn, g.until, coalesce(r.rolname, g.role::text), g.people,
    coalesce(quote_ident(n.nspname) || '.' || quote_ident(c.relname), ''), g.key, g.released
  FROM gone AS g LEFT JOIN pg_authid AS r ON r.oid = g.role
    LEFT JOIN (pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace) ON c.oid = g.relation;
  UPDATE gaussdp_internal.journal_checkpoint AS c
  SET rows = moved, first_charge = a.first_charge, last_charge = a.last_charge, first_at = a.first_at, last_at = a.last_at,
    hash = gaussdp_internal.hash_of_archive(this, last.hash)
  FROM (SELECT min(charge) AS first_charge, max(charge) AS last_charge, min(at) AS first_at, max(at) AS last_at
    FROM gaussdp_internal.journal_archive WHERE checkpoint = this) AS a
  WHERE c.number = this;
  INSERT INTO gaussdp_internal.journal_sum
  SELECT this, p.account, p.term, min(p.people), coalesce(min(CASE WHEN a.holder = 'p' THEN 'population' WHEN a.role = 0 THEN 'public' ELSE a.role_name END), ''),
    count(*), sum(p.queries), sum(p.mu2), sum(p.threshold_delta)
  FROM gaussdp_internal.journal_payment AS p LEFT JOIN gaussdp_internal.ledger_account AS a ON a.number = p.account
  WHERE p.checkpoint = this
  GROUP BY p.account, p.term;
  RETURN moved;
END
$$;
REVOKE ALL ON FUNCTION gaussdp_internal.archive_journal(timestamptz, int4) FROM PUBLIC;
COMMENT ON FUNCTION gaussdp_internal.archive_journal(timestamptz, int4) IS 'What gaussdp.archive_journal() does.';

CREATE FUNCTION gaussdp.archive_journal(before timestamptz, max_rows int4 DEFAULT 100000) RETURNS int8
AS 'MODULE_PATHNAME', 'gaussdp_call_inner' LANGUAGE C VOLATILE PARALLEL UNSAFE;
REVOKE ALL ON FUNCTION gaussdp.archive_journal(timestamptz, int4) FROM PUBLIC;
COMMENT ON FUNCTION gaussdp.archive_journal(timestamptz, int4) IS
'Moves the oldest rows of the journal from before that time, max_rows of them at most, to gaussdp_internal.journal_archive, and answers that were kept until then and are shown to nobody any more to gaussdp_internal.kept_archive, and closes them by a checkpoint: their number, sums for each account and period, and a hash. Returns how many; 0: there are no more. For superusers, and who is granted EXECUTE. Errors: 22004, 22023.';

-- Does the journal say of each account's present term what the account says? What an account without a limit has spent is counted up to the
-- largest int8, mu^2 = 2,048; the journal goes on.
CREATE VIEW gaussdp_internal.journal_proof WITH (security_barrier) AS
SELECT a.people, a.relation, CASE WHEN a.holder = 'p' THEN 'population' WHEN a.role = 0 THEN 'public' ELSE a.role_name END AS paid_by,
  a.spent_mu2, least(a.carried_mu2 + coalesce(j.mu2, 0) + coalesce(s.mu2, 0), 9223372036854775807) AS journal_mu2,
  a.spent_delta, least(a.carried_delta + coalesce(j.threshold_delta, 0) + coalesce(s.threshold_delta, 0), 9223372036854775807) AS journal_delta,
  coalesce(j.rows, 0) + coalesce(s.rows, 0) AS rows
FROM gaussdp_internal.ledger_account AS a
LEFT JOIN (SELECT account, term, count(*) AS rows, sum(mu2) AS mu2, sum(threshold_delta) AS threshold_delta
  FROM gaussdp_internal.journal_payment WHERE checkpoint IS NULL GROUP BY account, term) AS j ON j.account = a.number AND j.term = a.term
LEFT JOIN (SELECT account, term, sum(rows) AS rows, sum(mu2) AS mu2, sum(threshold_delta) AS threshold_delta
  FROM gaussdp_internal.journal_sum GROUP BY account, term) AS s ON s.account = a.number AND s.term = a.term
WHERE gaussdp_internal.current_role_owns(a.relation)
  OR a.people <> '' AND EXISTS (
    SELECT FROM gaussdp.protected_tables AS t WHERE t.people = a.people AND gaussdp_internal.current_role_owns(t."table"));
GRANT SELECT ON gaussdp_internal.journal_proof TO PUBLIC;
COMMENT ON VIEW gaussdp_internal.journal_proof IS 'What accounts of the current role''s tables say is spent, and what the journal says; for gaussdp.verify_journal().';

-- Are the rows that were moved out what they were? Where they are no longer here, their sums are what is left.
CREATE VIEW gaussdp_internal.archive_proof WITH (security_barrier) AS
SELECT c.number, c.rows, a.rows AS archived_rows,
  CASE WHEN a.rows IS NOT NULL THEN a.rows = c.rows AND c.hash = gaussdp_internal.hash_of_archive(c.number, c.before)
  AND NOT EXISTS (
    (SELECT account, term, count(*), sum(queries), sum(mu2), sum(threshold_delta) FROM gaussdp_internal.journal_payment WHERE checkpoint = c.number GROUP BY account, term
      EXCEPT SELECT account, term, rows, queries, mu2, threshold_delta FROM gaussdp_internal.journal_sum WHERE checkpoint = c.number)
    UNION ALL
    (SELECT account, term, rows, queries, mu2, threshold_delta FROM gaussdp_internal.journal_sum WHERE checkpoint = c.number
      EXCEPT SELECT account, term, count(*), sum(queries), sum(mu2), sum(threshold_delta) FROM gaussdp_internal.journal_payment WHERE checkpoint = c.number GROUP BY account, term)
  ) END AS agrees
FROM (SELECT *, lag(hash) OVER (ORDER BY number) AS before FROM gaussdp_internal.journal_checkpoint) AS c
LEFT JOIN (SELECT checkpoint, count(*) AS rows FROM gaussdp_internal.journal_archive GROUP BY checkpoint) AS a ON a.checkpoint = c.number;
REVOKE ALL ON gaussdp_internal.archive_proof FROM PUBLIC;
COMMENT ON VIEW gaussdp_internal.archive_proof IS 'Whether rows of the journal that were moved out are as they were; NULL where they are no longer here. For gaussdp.verify_archive().';

CREATE FUNCTION gaussdp.verify_journal(OUT people text, OUT "table" regclass, OUT paid_by text, OUT spent_mu2 float8, OUT journal_mu2 float8,
  OUT spent_threshold_delta float8, OUT journal_threshold_delta float8, OUT rows int8, OUT agrees bool) RETURNS SETOF record
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT people, relation, paid_by, spent_mu2 / 2.0::float8 ^ 52, (journal_mu2 / 2 ^ 52::numeric)::float8, spent_delta / 1e18::float8,
  (journal_delta / 1e18)::float8, rows::int8, spent_mu2 = journal_mu2 AND spent_delta = journal_delta
FROM gaussdp_internal.journal_proof ORDER BY 1, 2, 3
$$;
COMMENT ON FUNCTION gaussdp.verify_journal() IS
'Each budget on tables that the current role owns: what it says is spent in its last period in which it was used, what the journal says, in how many rows, also of stretches that were moved out, and whether both agree, exactly.';

CREATE FUNCTION gaussdp.verify_archive(OUT number int4, OUT rows int8, OUT archived_rows int8, OUT agrees bool) RETURNS SETOF record
LANGUAGE sql STABLE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
SELECT number, rows, archived_rows, agrees FROM gaussdp_internal.archive_proof ORDER BY 1
$$;
REVOKE ALL ON FUNCTION gaussdp.verify_archive() FROM PUBLIC;
COMMENT ON FUNCTION gaussdp.verify_archive() IS
'Each stretch of the journal that was moved out: whether its rows, sums and hash are as they were when it was closed; agrees is NULL where the rows are no longer here. For superusers, and who is granted EXECUTE.';
