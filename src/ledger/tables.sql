-- The ledger: what is stored.

CREATE SEQUENCE gaussdp_internal.journal_number;
COMMENT ON SEQUENCE gaussdp_internal.journal_number IS 'Numbers of gaussdp.journal: one for each charge and each act of an owner.';
CREATE SEQUENCE gaussdp_internal.account_number AS int4;
COMMENT ON SEQUENCE gaussdp_internal.account_number IS 'Numbers of gaussdp_internal.ledger_account, by which the journal names the accounts that have paid.';

-- One row for each account. people is a population's name, or empty for the people of relation alone.
CREATE TABLE gaussdp_internal.ledger_account (
  people text NOT NULL,
  relation regclass NOT NULL,
  holder "char" NOT NULL,                               -- p, the population itself; r, a role
  role regrole NOT NULL,                                -- '-' is PUBLIC
  role_name text NOT NULL,                              -- as last seen; p: who owned the last table, when it went
  granted boolean NOT NULL,
  epsilon float8,
  delta float8,
  threshold_delta float8,
  max_epsilon_per_query float8,
  default_epsilon float8,                               -- of calls that give none
  default_delta float8,
  max_relation_pages int8,                              -- of the protected tables that a query reads
  reuse_answers int8,                                   -- seconds for which an answer is shown again; NULL: not
  max_resource_errors int4,                             -- of a role in 24 hours; NULL: as the setting says
  share_answers boolean NOT NULL DEFAULT true,          -- p: to any role, for its budget
  limit_mu2 int8,                                       -- 2^-52; NULL: no limit
  limit_delta int8,                                     -- 10^-18
  query_mu2 int8,
  every interval,
  since timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
  period int8 NOT NULL DEFAULT 0,
  spent_mu2 int8 NOT NULL DEFAULT 0,
  spent_delta int8 NOT NULL DEFAULT 0,
  number int4 NOT NULL DEFAULT pg_catalog.nextval('gaussdp_internal.account_number'),
  term int4 NOT NULL DEFAULT 0,                         -- counts how often what is spent began at zero again: periods and resets
  carried_mu2 int8 NOT NULL DEFAULT 0,                  -- what is spent in this term beside what the journal has of it: of a dropped role
  carried_delta int8 NOT NULL DEFAULT 0
) USING heap WITH (fillfactor = 50);
-- These four columns are a key, but the index is not unique: beside somebody's old snapshot PostgreSQL would look through all old versions of
-- an account whenever a new one goes to another page. Who adds an account has a lock against others who do (src/ledger/owners.c).
CREATE INDEX ledger_account_key ON gaussdp_internal.ledger_account (people, relation, holder, role);
-- Without a primary key, a publication of all tables would refuse the updates.
ALTER TABLE gaussdp_internal.ledger_account REPLICA IDENTITY FULL;
-- Rows that a restore adds to those that are there would leave each account twice, and every charge would fail.
CREATE FUNCTION gaussdp_internal.refuse_second_account() RETURNS trigger
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM gaussdp_internal.ledger_account AS a WHERE a.people = new.people AND a.relation = new.relation AND a.holder = new.holder AND a.role = new.role) THEN
    RAISE EXCEPTION 'the ledger has this account already' USING ERRCODE = 'unique_violation',
      DETAIL = format('People "%s", table %s, role %s: a second row would make every charge fail.', new.people, new.relation, new.role),
      HINT = 'To restore a ledger over another one, empty that as superuser: TRUNCATE gaussdp_internal.ledger_account, gaussdp_internal.error_count, gaussdp_internal.journal_entry, gaussdp_internal.journal_checkpoint, gaussdp_internal.journal_sum, gaussdp_internal.journal_archive, gaussdp_internal.kept_archive.';
  END IF;
  -- By its number an account is known to have paid: no other one gets it, neither here nor later.
  IF EXISTS (SELECT FROM gaussdp_internal.ledger_account AS a WHERE a.number = new.number) THEN
    RAISE EXCEPTION 'the ledger has an account of this number already' USING ERRCODE = 'unique_violation',
      DETAIL = format('Number %s.', new.number),
      HINT = 'As superuser: SELECT setval(''gaussdp_internal.account_number'', (SELECT max(number) FROM gaussdp_internal.ledger_account)).';
  END IF;
  PERFORM setval('gaussdp_internal.account_number', new.number) FROM gaussdp_internal.account_number AS s WHERE s.last_value < new.number;
  -- A new account has a new number: one that has been there comes from a dump, in which it may have paid less.
  DELETE FROM gaussdp_internal.kept_answer AS k WHERE EXISTS (SELECT FROM unnest(k.paid) AS p WHERE p >> 32 = new.number);
  RETURN new;
END
$$;
COMMENT ON FUNCTION gaussdp_internal.refuse_second_account() IS 'Refuses a second row of an account or of its number, as a restore over an existing ledger would add it, and forgets answers that an account of this number has paid for. Error: 23505.';
CREATE TRIGGER refuse_second_account BEFORE INSERT ON gaussdp_internal.ledger_account FOR EACH ROW EXECUTE FUNCTION gaussdp_internal.refuse_second_account();
-- Also where rows come by logical replication.
ALTER TABLE gaussdp_internal.ledger_account ENABLE ALWAYS TRIGGER refuse_second_account;
COMMENT ON TABLE gaussdp_internal.ledger_account IS 'Budgets and what is spent of them; written by the ledger alone. See gaussdp.budget.';

-- One row for each level that was charged, or for each act of an owner; many equal levels in a second share one. Columns of a fixed width come first: no bytes are lost between them.
CREATE TABLE gaussdp_internal.journal_entry (
  charge int8 PRIMARY KEY,                              -- its number
  at timestamptz NOT NULL,
  mu2 int8,                                             -- what was charged: the sum of its releases, or the least price
  threshold_delta int8,                                 -- NULL: nothing
  query_id int8,
  relation regclass NOT NULL,
  queries int4,                                         -- how many equal ones were charged, in the second that begins at this time
  population int4,                                      -- number and term of the accounts that have paid: the population's,
  population_term int4,
  account int4,                                         -- the role's, its group's or PUBLIC's; of what is shown again, those that had not paid yet
  account_term int4,
  more_accounts int4[],                                 -- and of further groups, in pairs
  event text NOT NULL,
  session_role text NOT NULL,
  role text NOT NULL,
  people text NOT NULL,
  relation_name text NOT NULL,
  releases bytea,                                       -- gaussdp_internal.releases() reads it
  query_text text,
  terms text                                            -- of a grant or limit
);
CREATE INDEX journal_entry_at ON gaussdp_internal.journal_entry (at);
CREATE INDEX journal_entry_act ON gaussdp_internal.journal_entry (session_role, at) WHERE event <> 'charge'; -- a role has so many a day
COMMENT ON TABLE gaussdp_internal.journal_entry IS 'What was charged and what owners did; written by the ledger alone. See gaussdp.journal.';

-- Of a role, whichever accounts pay for it. pg_dump writes tables in the order of their names, so this one comes before ledger_account: a
-- budget that is restored finds its suspension there.
CREATE TABLE gaussdp_internal.error_count (
  people text NOT NULL,                                 -- as in gaussdp_internal.ledger_account
  relation regclass NOT NULL,
  role regrole NOT NULL,
  role_name text NOT NULL,                              -- as last seen
  errors int8 NOT NULL,
  clears timestamptz NOT NULL,                          -- when the last period ends of the accounts that paid
  suspended timestamptz,                                -- since then; NULL: it is not
  cancels int8 NOT NULL DEFAULT 0,
  cancels_clear timestamptz NOT NULL DEFAULT '-infinity', -- 24 hours after the first of them
  resource_errors int8 NOT NULL DEFAULT 0,              -- something was lacking, and the query has waited
  resource_errors_clear timestamptz NOT NULL DEFAULT '-infinity',
  paused_until timestamptz,                             -- after too many of either
  PRIMARY KEY (people, relation, role)
) USING heap;
CREATE INDEX error_count_suspended ON gaussdp_internal.error_count (role) WHERE suspended IS NOT NULL OR paused_until IS NOT NULL;
COMMENT ON TABLE gaussdp_internal.error_count IS 'Errors and cancels inside of private queries, and who is suspended after them; written by the ledger alone. See gaussdp.budget.';

-- While one of them has no end, nothing is answered. Every pause stays, for whoever asks who made it.
CREATE TABLE gaussdp_internal.answer_pause (
  since timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
  paused_by text NOT NULL,
  until timestamptz,                                    -- NULL: it lasts
  resumed_by text
) USING heap;
ALTER TABLE gaussdp_internal.answer_pause REPLICA IDENTITY FULL;
COMMENT ON TABLE gaussdp_internal.answer_pause IS 'When all private answers of this database were paused; written by gaussdp.pause_answers() and resume_answers() alone.';

-- Answers that may be shown again, and those that wait for the archive. None of it is dumped: what is lost is drawn and paid anew.
CREATE TABLE gaussdp_internal.kept_answer (
  key bytea NOT NULL,                                   -- SHA-256 of all that the answer depends on but protected rows
  people text NOT NULL,                                 -- as in gaussdp_internal.ledger_account
  relation regclass NOT NULL,
  role oid NOT NULL,                                    -- who has asked
  owner oid NOT NULL,                                   -- of the table
  payers int4[] NOT NULL,                               -- numbers of the accounts that have paid when it was drawn, but for the population's
  drawn timestamptz NOT NULL,
  until timestamptz NOT NULL,
  paid int8[] NOT NULL,                                 -- accounts that have paid for it: number * 2^32 + term
  size int4 NOT NULL,                                   -- as which it counts
  released bytea NOT NULL,                              -- rows, as src/policy/exec/kept_level.c writes them
  PRIMARY KEY (key, role, drawn)
) USING heap;
ALTER TABLE gaussdp_internal.kept_answer ALTER COLUMN released SET STORAGE EXTERNAL; -- the worker, which writes it, compresses nothing
COMMENT ON TABLE gaussdp_internal.kept_answer IS 'What was released, as long as it may be shown again and then until gaussdp.archive_journal() moves it or room is needed; written and read by the ledger alone.';

CREATE TABLE gaussdp_internal.data_version (
  relation regclass PRIMARY KEY,
  version text NOT NULL
) USING heap;
COMMENT ON TABLE gaussdp_internal.data_version IS 'What owners say of the version of a table''s rows; written by gaussdp.set_data_version() alone.';

-- Tables of released numbers. What runs in their owners' names is written by these owners alone (src/ledger/publication.c).
CREATE TABLE gaussdp_internal.publication (
  relation regclass PRIMARY KEY,
  publisher regrole NOT NULL,                           -- who has written this: a publication as long as the table is that role's
  query text NOT NULL,
  every interval,                                       -- NULL: not refreshed by itself
  settings text[] NOT NULL,                             -- under which the query runs, name=value
  drawn_at timestamptz,                                 -- the oldest of its numbers
  price_epsilon float8,
  price_delta float8,
  charged_at timestamptz,                               -- the last charge, unless its numbers are there; written by the worker
  failed_at timestamptz,                                -- the last refresh, if it has failed
  problem text
) USING heap;
COMMENT ON TABLE gaussdp_internal.publication IS 'What gaussdp.publish() has published; see gaussdp.publications.';

REVOKE ALL ON SEQUENCE gaussdp_internal.journal_number, gaussdp_internal.account_number FROM PUBLIC;
REVOKE ALL ON gaussdp_internal.ledger_account, gaussdp_internal.journal_entry, gaussdp_internal.error_count, gaussdp_internal.answer_pause, gaussdp_internal.kept_answer,
  gaussdp_internal.data_version, gaussdp_internal.publication FROM PUBLIC;
SELECT pg_catalog.pg_extension_config_dump('gaussdp_internal.journal_number', '');
SELECT pg_catalog.pg_extension_config_dump('gaussdp_internal.account_number', '');
SELECT pg_catalog.pg_extension_config_dump('gaussdp_internal.journal_entry',
  'WHERE relation = 0 OR EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE c.oid = relation)');
SELECT pg_catalog.pg_extension_config_dump('gaussdp_internal.ledger_account',
  'WHERE (role = 0 OR EXISTS (SELECT FROM pg_catalog.pg_roles AS r WHERE r.oid = role)) AND (relation = 0 OR EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE c.oid = relation))');
SELECT pg_catalog.pg_extension_config_dump('gaussdp_internal.error_count',
  'WHERE EXISTS (SELECT FROM pg_catalog.pg_roles AS r WHERE r.oid = role) AND (relation = 0 OR EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE c.oid = relation))');
SELECT pg_catalog.pg_extension_config_dump('gaussdp_internal.answer_pause', '');
SELECT pg_catalog.pg_extension_config_dump('gaussdp_internal.data_version', 'WHERE EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE c.oid = relation)');
SELECT pg_catalog.pg_extension_config_dump('gaussdp_internal.publication', 'WHERE EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE c.oid = relation AND c.relowner = publisher)');
