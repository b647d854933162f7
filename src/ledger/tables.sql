-- The ledger: what is stored.

CREATE SEQUENCE gaussdp_internal.journal_number;
COMMENT ON SEQUENCE gaussdp_internal.journal_number IS 'Numbers of gaussdp.journal: one for each charge and each act of an owner.';

-- One row for each pot. people is a population's name, or empty for the people of relation alone.
CREATE TABLE gaussdp_internal.pot (
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
  limit_mu2 int8,                                       -- 2^-52; NULL: no limit
  limit_delta int8,                                     -- 2^-62
  query_mu2 int8,
  every interval,
  since timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
  period int8 NOT NULL DEFAULT 0,
  spent_mu2 int8 NOT NULL DEFAULT 0,
  spent_delta int8 NOT NULL DEFAULT 0,
  PRIMARY KEY (people, relation, holder, role)
) USING heap WITH (fillfactor = 50);
COMMENT ON TABLE gaussdp_internal.pot IS 'Budgets and what is spent of them; written by the ledger alone. See gaussdp.budget.';

CREATE TABLE gaussdp_internal.journal_entry (
  charge int8 NOT NULL,
  item int4 NOT NULL,
  at timestamptz NOT NULL,
  event text NOT NULL,
  session_role text NOT NULL,
  role text NOT NULL,
  people text NOT NULL,
  relation regclass NOT NULL,
  relation_name text NOT NULL,
  kind text,
  l2_sensitivity float8,
  sigma float8,
  mu2 int8,
  threshold_delta int8,
  query_id int8,
  query_text text,
  terms text,                                           -- of a grant or limit
  PRIMARY KEY (charge, item)
);
COMMENT ON TABLE gaussdp_internal.journal_entry IS 'What was charged and what owners did; written by the ledger alone. See gaussdp.journal.';

REVOKE ALL ON SEQUENCE gaussdp_internal.journal_number FROM PUBLIC;
REVOKE ALL ON gaussdp_internal.pot, gaussdp_internal.journal_entry FROM PUBLIC;
SELECT pg_catalog.pg_extension_config_dump('gaussdp_internal.journal_number', '');
SELECT pg_catalog.pg_extension_config_dump('gaussdp_internal.journal_entry',
  'WHERE relation = 0 OR EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE c.oid = relation)');
SELECT pg_catalog.pg_extension_config_dump('gaussdp_internal.pot',
  'WHERE (role = 0 OR EXISTS (SELECT FROM pg_catalog.pg_roles AS r WHERE r.oid = role)) AND (relation = 0 OR EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE c.oid = relation))');
