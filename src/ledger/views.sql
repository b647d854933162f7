-- Budgets and journal as those see them whom they concern.

-- Every account as it stands in its current period; gaussdp.my_budget and gaussdp.budget show their part. Columns are written out: an update
-- that gives the table another one would have to drop all views over this one.
CREATE VIEW gaussdp_internal.ledger_account_now WITH (security_barrier) AS
SELECT p.people, p.relation, p.holder, p.role, p.role_name, p.granted, p.epsilon, p.delta, p.threshold_delta, p.max_epsilon_per_query, p.default_epsilon,
  p.default_delta, p.max_relation_pages, make_interval(secs => p.reuse_answers) AS reuse_answers, p.max_resource_errors, CASE WHEN p.holder = 'p' THEN p.share_answers END AS share_answers, p.limit_mu2, p.limit_delta, p.query_mu2, p.every, p.since, p.period, p.spent_mu2, p.spent_delta,
  CASE WHEN n.now_period > p.period THEN 0 ELSE p.spent_mu2 END AS now_mu2,
  CASE WHEN n.now_period > p.period THEN 0 ELSE p.spent_delta END AS now_delta,
  CASE WHEN p.limit_mu2 IS NOT NULL THEN
    greatest(p.limit_mu2 - CASE WHEN n.now_period > p.period THEN 0 ELSE p.spent_mu2 END, 0) END AS left_mu2,
  CASE WHEN p.limit_delta IS NOT NULL THEN
    greatest(p.limit_delta - CASE WHEN n.now_period > p.period THEN 0 ELSE p.spent_delta END, 0) END AS left_delta_units,
  coalesce(p.delta, 1e-6) AS noise_delta,
  p.since + (greatest(n.now_period, p.period) + 1) * extract(epoch FROM p.every)::float8 * interval '1 second' AS renews_at
FROM gaussdp_internal.ledger_account AS p, LATERAL (SELECT gaussdp_internal.period_number(p.since, p.every)) AS n (now_period);
REVOKE ALL ON gaussdp_internal.ledger_account_now FROM PUBLIC;
COMMENT ON VIEW gaussdp_internal.ledger_account_now IS 'gaussdp_internal.ledger_account, each in its current period; for the ledger and the views of schema gaussdp.';

CREATE VIEW gaussdp_internal.budget_text AS
SELECT people, relation, holder, role, granted AND (role = 0 OR r.oid IS NOT NULL) AS granted,
  (CASE WHEN holder = 'p' THEN 'population' WHEN role = 0 THEN 'public' ELSE coalesce(r.rolname::text, role_name) END) COLLATE pg_catalog."default" AS paid_by,
  epsilon, delta, threshold_delta, every, renews_at, max_epsilon_per_query, default_epsilon, default_delta, max_relation_pages, reuse_answers, max_resource_errors, share_answers,
  gaussdp_internal.mu2_epsilon(now_mu2, noise_delta) AS spent_epsilon,
  now_delta / 1e18::float8 AS spent_threshold_delta,
  gaussdp_internal.mu2_epsilon(left_mu2, noise_delta) AS left_epsilon,
  left_delta_units / 1e18::float8 AS left_threshold_delta,
  left_mu2::float8 / limit_mu2 AS left_part,
  left_delta_units::float8 / nullif(limit_delta, 0) AS left_threshold_part
FROM gaussdp_internal.ledger_account_now LEFT JOIN pg_roles AS r ON r.oid = role;
REVOKE ALL ON gaussdp_internal.budget_text FROM PUBLIC;
COMMENT ON VIEW gaussdp_internal.budget_text IS 'All accounts in (epsilon, delta); for the views of schema gaussdp.';

-- Three digits of a number that is spent or left: none that fits by them is refused.
CREATE FUNCTION gaussdp_internal.three_digits(x float8, up bool) RETURNS float8
AS 'MODULE_PATHNAME', 'gaussdp_three_digits_of' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.three_digits(float8, bool) IS
'A number in three significant digits, rounded up or down; for gaussdp.my_budget.';

-- Who has errors in the current period or is suspended.
CREATE VIEW gaussdp_internal.error_now WITH (security_barrier) AS
SELECT people, relation, role, coalesce(r.rolname::text, role_name) COLLATE pg_catalog."default" AS role_name,
  CASE WHEN suspended IS NOT NULL OR clears > clock_timestamp() THEN errors ELSE 0 END AS errors,
  CASE WHEN cancels_clear > clock_timestamp() THEN cancels ELSE 0 END AS cancels,
  CASE WHEN resource_errors_clear > clock_timestamp() THEN resource_errors ELSE 0 END AS resource_errors,
  suspended IS NOT NULL OR coalesce(paused_until > clock_timestamp(), false) AS suspended
FROM gaussdp_internal.error_count LEFT JOIN pg_roles AS r ON r.oid = role
WHERE suspended IS NOT NULL OR paused_until > clock_timestamp() OR errors > 0 AND clears > clock_timestamp() OR cancels > 0 AND cancels_clear > clock_timestamp()
  OR resource_errors > 0 AND resource_errors_clear > clock_timestamp();
REVOKE ALL ON gaussdp_internal.error_now FROM PUBLIC;
COMMENT ON VIEW gaussdp_internal.error_now IS 'gaussdp_internal.error_count as it counts now; for the views of this schema.';

CREATE VIEW gaussdp_internal.my_account WITH (security_barrier) AS
SELECT b.*, coalesce(e.errors, 0) AS errors, coalesce(e.cancels, 0) AS cancels, coalesce(e.suspended, false) AS suspended
FROM gaussdp_internal.budget_text AS b
LEFT JOIN LATERAL (
  SELECT n.errors, n.cancels, n.suspended FROM gaussdp_internal.error_now AS n JOIN pg_roles AS r ON r.oid = n.role
  WHERE n.people = b.people AND n.relation = b.relation AND r.rolname = current_user) AS e ON true
WHERE granted AND epsilon IS NOT NULL AND EXISTS ( -- a population may have no limit
  SELECT FROM gaussdp_internal.ledger_account AS q
  WHERE q.people = b.people AND q.relation = b.relation AND q.holder = 'r' AND q.granted AND (b.holder = 'p' OR q.role = b.role)
    AND (q.role = 0 OR EXISTS (SELECT FROM pg_roles AS r WHERE r.oid = q.role AND pg_has_role(current_user, r.oid, 'USAGE'))));
REVOKE ALL ON gaussdp_internal.my_account FROM PUBLIC;
COMMENT ON VIEW gaussdp_internal.my_account IS 'Budgets that the current role may draw on; for gaussdp.my_budget and gaussdp.columns.';

CREATE VIEW gaussdp.my_budget WITH (security_barrier) AS
-- The row that runs out first comes first, and no column is empty: what not every grant has stands together in terms.
SELECT coalesce(nullif(b.people, ''), b.relation::text) AS people, paid_by, epsilon, delta,
  gaussdp_internal.three_digits(spent_epsilon, true) AS spent_epsilon, gaussdp_internal.three_digits(left_epsilon, false) AS left_epsilon,
  floor(1000 * left_part) / 10 AS left_percent, coalesce(renews_at, 'infinity') AS renews_at, threshold_delta,
  gaussdp_internal.three_digits(spent_threshold_delta, true) AS spent_threshold_delta,
  gaussdp_internal.three_digits(left_threshold_delta, false) AS left_threshold_delta, errors, cancels, suspended,
  jsonb_strip_nulls(jsonb_build_object('every', every, 'max_epsilon_per_query', max_epsilon_per_query, 'default_epsilon', default_epsilon,
    'default_delta', default_delta, 'max_relation_pages', max_relation_pages, 'reuse_answers', reuse_answers,
    'max_resource_errors', max_resource_errors)) AS terms,
  ARRAY(SELECT t."table" FROM gaussdp.protected_tables AS t CROSS JOIN LATERAL gaussdp_internal.population_of(t."table") AS p
    WHERE p.people = b.people AND p.relation = b.relation ORDER BY t."table"::text) AS tables
FROM gaussdp_internal.my_account AS b
ORDER BY left_part NULLS LAST, holder DESC, b.people, b.relation, paid_by;
GRANT SELECT ON gaussdp.my_budget TO PUBLIC;
COMMENT ON VIEW gaussdp.my_budget IS
'Budgets that the current role may draw on, and those of the populations behind them: granted, spent and left in the current period, and for which tables. A role with a budget of its own pays from that, else from those of roles that it is a member of, else from PUBLIC''s; always from the population''s, too. What is promised is (epsilon, delta + threshold_delta): noise spends epsilon at delta, so that a call of left_epsilon at delta fits, and group thresholds spend threshold_delta. In three digits, what is spent rounded up, what is left down. left_percent is the part of the queries that are left: costs add up in mu^2, which grows with the square of epsilon, so that what is spent and what is left in epsilon are more together than the whole. The row that runs out first comes first. errors, cancels (of the last 24 hours) and suspended are the current role''s own, the same in all lines of a population.';

CREATE VIEW gaussdp_internal.budget_line AS
SELECT t.*, coalesce(e.errors, 0) AS errors, coalesce(e.suspended, false) AS suspended, coalesce(e.cancels, 0) AS cancels, coalesce(e.resource_errors, 0) AS resource_errors
FROM gaussdp_internal.budget_text AS t LEFT JOIN gaussdp_internal.error_now AS e
  ON t.holder = 'r' AND e.people = t.people AND e.relation = t.relation AND e.role = t.role
UNION ALL
SELECT people, relation, 'r', role, false, role_name, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, errors, suspended, cancels, resource_errors
FROM gaussdp_internal.error_now AS e
WHERE NOT EXISTS (SELECT FROM gaussdp_internal.ledger_account AS p WHERE p.people = e.people AND p.relation = e.relation AND p.role = e.role AND p.holder = 'r');
REVOKE ALL ON gaussdp_internal.budget_line FROM PUBLIC;
COMMENT ON VIEW gaussdp_internal.budget_line IS 'All budgets, and roles with errors that have none; for the views of schema gaussdp.';

CREATE VIEW gaussdp.budget WITH (security_barrier) AS
SELECT people, relation AS "table", paid_by, granted, epsilon, delta, spent_epsilon, left_epsilon, floor(1000 * left_part) / 10 AS left_percent, threshold_delta,
  spent_threshold_delta, left_threshold_delta, every, renews_at, max_epsilon_per_query, errors, cancels, resource_errors, suspended, default_epsilon, default_delta, max_relation_pages, reuse_answers, max_resource_errors, share_answers
FROM gaussdp_internal.budget_line AS b
WHERE gaussdp_internal.current_role_owns(b.relation)
  OR b.people <> '' AND EXISTS (
    SELECT FROM gaussdp.protected_tables AS t WHERE t.people = b.people AND gaussdp_internal.current_role_owns(t."table"));
GRANT SELECT ON gaussdp.budget TO PUBLIC;
COMMENT ON VIEW gaussdp.budget IS
'All budgets on tables that the current role owns: what each role, PUBLIC and all roles together (population) may learn, have learnt and may still learn in the current period: (epsilon, delta + threshold_delta) is promised, epsilon counts at delta. Without a limit, spent_epsilon is that at delta 1e-6. left_percent is the part of the queries that are left, by their mu^2. errors, cancels and resource_errors (both of the last 24 hours) and suspended are those of the role in paid_by alone; a role that has no budget of its own has a line as soon as it has any of them.';

CREATE FUNCTION gaussdp_internal.releases(packed bytea, OUT item int4, OUT kind text, OUT times int4, OUT l2_sensitivity float8,
  OUT sigma float8, OUT mu2 int8, OUT threshold_delta int8) RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gaussdp_releases' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.releases(bytea) IS
'The releases of a row of the journal: kind, how many equal ones there are, their noise and what each of them costs, in units of 2^-52 and 10^-18. Errors: 08P01, 22P03.';

CREATE VIEW gaussdp.journal WITH (security_barrier) AS
SELECT charge, coalesce(r.item, 1) AS item, at, event, session_role, role, people, relation AS "table", relation_name, j.queries, r.kind, r.times * j.queries AS times,
  r.l2_sensitivity, r.sigma, coalesce(r.charged, j.mu2) / 2.0::float8 ^ 52 AS mu2,
  coalesce(r.threshold_delta * r.times * j.queries, j.threshold_delta) / 1e18::float8 AS threshold_delta, nullif(query_id, 0) AS query_id, query_text, terms
FROM gaussdp_internal.journal_entry AS j LEFT JOIN LATERAL (
  SELECT p.*, p.mu2 * p.times * j.queries + CASE item WHEN 1 THEN j.mu2 - sum(p.mu2 * p.times * j.queries) OVER () ELSE 0 END AS charged
  FROM gaussdp_internal.releases(j.releases) AS p) AS r ON true
WHERE gaussdp_internal.current_role_owns(j.relation);
GRANT SELECT ON gaussdp.journal TO PUBLIC;
COMMENT ON VIEW gaussdp.journal IS
'Every release that was charged and every act of an owner, on tables that the current role owns: when, by which session and role, on which table, with which noise, for how much mu^2; with which terms a budget was granted. Equal releases are one line, with their number in times and the cost of all in mu2 and threshold_delta; so are equal queries of one second, where there are many, each of which is charged, with their number in queries. A query that cost less than the least price was charged that, in its first line.';

CREATE VIEW gaussdp.my_journal WITH (security_barrier) AS
SELECT charge, coalesce(r.item, 1) AS item, at, people, relation_name AS "table", j.queries, r.kind, r.times * j.queries AS times,
  r.l2_sensitivity, r.sigma, r.mu2 * r.times * j.queries / 2.0::float8 ^ 52 AS mu2, r.threshold_delta * r.times * j.queries / 1e18::float8 AS threshold_delta,
  nullif(query_id, 0) AS query_id
FROM gaussdp_internal.journal_entry AS j LEFT JOIN LATERAL gaussdp_internal.releases(j.releases) AS r ON true
WHERE j.event = 'charge' AND j.role = current_user AND j.charge > ALL ( -- a role of the same name that was dropped was somebody else
  SELECT c.charge FROM gaussdp_internal.journal_entry AS c WHERE c.event = 'close' AND c.role = current_user);
GRANT SELECT ON gaussdp.my_journal TO PUBLIC;
COMMENT ON VIEW gaussdp.my_journal IS
'Every release that the current role was charged for: when, on which table, with which noise, for how much mu^2. Equal releases are one line, with their number in times and the cost of all in mu2 and threshold_delta. The last ones are here; older ones may have been archived.';
