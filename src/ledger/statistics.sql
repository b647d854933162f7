-- What an administrator watches.  Each view is read by pg_monitor, some by owners; none tells of rows, nor a query's text.

CREATE FUNCTION gaussdp_internal.charge_outcomes(OUT role oid, OUT outcome text, OUT charges int8) RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gaussdp_charge_outcomes' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp_internal.charge_outcomes() IS
'How often each role of this database was told each outcome of a charge since the server''s start; role is NULL for all roles beyond 1,023. For gaussdp.stat_charges.';

-- Whom it shows what, the function decides: everybody may call it.
CREATE FUNCTION gaussdp_internal.refusals(OUT role oid, OUT rule int4, OUT refusals int8) RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gaussdp_refusals' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp_internal.refusals() IS
'How many queries of each role of this database each rule has refused since the server''s start: all of them for pg_monitor; for others those of rules 12 to 15, by roles that have budgets on tables that the current role owns. For gaussdp.stat_refusals.';

CREATE FUNCTION gaussdp_internal.rule_name(rule int4) RETURNS text
AS 'MODULE_PATHNAME', 'gaussdp_rule_name' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.rule_name(int4) IS 'A rule of the policy as refusals name it; NULL where there is none of that number.';

CREATE FUNCTION gaussdp_internal.charge_latency(OUT within float8, OUT charges int8, OUT seconds float8) RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gaussdp_charge_latency' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp_internal.charge_latency() IS
'How many charges in this database took so many seconds at most, and how long all of them together, since the server''s start. For gaussdp.stat_latency.';

CREATE FUNCTION gaussdp_internal.ledger_sessions(OUT pid int4, OUT role oid, OUT state text, OUT waited float8) RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gaussdp_ledger_sessions' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp_internal.ledger_sessions() IS 'Sessions of this database that wait for a charge, and for how many seconds. For gaussdp.stat_sessions.';

CREATE FUNCTION gaussdp_internal.ledger_worker(OUT pid int4, OUT started timestamptz) RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gaussdp_ledger_worker' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp_internal.ledger_worker() IS 'The worker that charges in this database, while there is one. For gaussdp.stat_queue.';

-- Whom it shows what, the function decides: everybody may call it.
CREATE FUNCTION gaussdp_internal.level_progress(OUT pid int4, OUT role oid, OUT relation regclass, OUT started timestamptz, OUT phase text, OUT blocks_total int8, OUT blocks_done int8)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'gaussdp_level_progress' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp_internal.level_progress() IS
'Private queries that read rows now, of tables of this database that the current role owns, and all of them for pg_monitor. For gaussdp.stat_progress.';

REVOKE ALL ON FUNCTION gaussdp_internal.charge_outcomes(), gaussdp_internal.charge_latency(),
  gaussdp_internal.ledger_sessions(), gaussdp_internal.ledger_worker() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gaussdp_internal.charge_outcomes(), gaussdp_internal.charge_latency(),
  gaussdp_internal.ledger_sessions(), gaussdp_internal.ledger_worker() TO pg_monitor;

CREATE VIEW gaussdp.stat_charges AS
SELECT r.rolname::text COLLATE pg_catalog."default" AS role, o.outcome, o.charges
FROM gaussdp_internal.charge_outcomes() AS o LEFT JOIN pg_roles AS r ON r.oid = o.role
WHERE o.role IS NULL OR r.oid IS NOT NULL;
COMMENT ON VIEW gaussdp.stat_charges IS
'Charges in this database since the server''s start, by role and by what its sessions were told: charged; refused for no budget, suspended, budget exhausted, threshold_delta exhausted or max_epsilon_per_query; timed out, cancelled or failed, nothing being charged; unknown, which counts as spent. role is NULL for all roles beyond 1,023.';

CREATE VIEW gaussdp.stat_refusals AS
SELECT r.rolname::text COLLATE pg_catalog."default" AS role, f.rule, gaussdp_internal.rule_name(f.rule) AS name, f.refusals
FROM gaussdp_internal.refusals() AS f LEFT JOIN pg_roles AS r ON r.oid = f.role
WHERE f.role IS NULL OR r.oid IS NOT NULL;
COMMENT ON VIEW gaussdp.stat_refusals IS
'How many queries were refused in this database since the server''s start, by role and by the rule that was broken (docs/threat-model.md): all of them to pg_monitor. Owners see of roles that have budgets on their tables what the server lacked for a query, before it was charged: shared buffers, the lock table, memory or temporary disk (rules 12 to 15). role is NULL for all roles beyond 1,023.';

CREATE VIEW gaussdp.stat_latency AS
SELECT within, charges, seconds FROM gaussdp_internal.charge_latency();
COMMENT ON VIEW gaussdp.stat_latency IS
'How long sessions of this database have waited for charges since the server''s start: how many charges took within seconds at most, the last line having all of them; and how many seconds all of them took together, the same in each line.';

CREATE VIEW gaussdp.stat_sessions AS
SELECT s.pid, r.rolname::text COLLATE pg_catalog."default" AS role, s.state, s.waited
FROM gaussdp_internal.ledger_sessions() AS s LEFT JOIN pg_roles AS r ON r.oid = s.role;
COMMENT ON VIEW gaussdp.stat_sessions IS
'Sessions of this database that wait for a charge now: the role that pays, and for how many seconds. state is queued, taken (the worker has it), committing (it is written and waits for disk and standbys) or answered.';

CREATE VIEW gaussdp.stat_queue AS
SELECT (SELECT pid FROM gaussdp_internal.ledger_worker()) AS worker, (SELECT started FROM gaussdp_internal.ledger_worker()) AS worker_started,
  count(*) FILTER (WHERE state = 'queued') AS queued, count(*) FILTER (WHERE state = 'taken') AS taken,
  count(*) FILTER (WHERE state = 'committing') AS committing, coalesce(max(waited), 0) AS longest_wait
FROM gaussdp_internal.ledger_sessions();
COMMENT ON VIEW gaussdp.stat_queue IS
'The queue of charges of this database, one line: the process that charges (NULL: none, since it leaves after 3 s without work and comes with the next charge), how many sessions wait in each state of gaussdp.stat_sessions, and for how many seconds the longest.';

CREATE VIEW gaussdp.stat_progress AS
SELECT p.pid, r.rolname::text COLLATE pg_catalog."default" AS role, p.relation AS "table", p.started, p.phase, p.blocks_total, p.blocks_done
FROM gaussdp_internal.level_progress() AS p LEFT JOIN pg_roles AS r ON r.oid = p.role;
COMMENT ON VIEW gaussdp.stat_progress IS
'Private queries of this database that read rows now, to owners of their tables, and all of them to pg_monitor: since when, what they do, and how many blocks they have read of the tables that they read from the first block to the last, as of the last second; NULL where an index leads to all rows. A query goes through a table again where it is joined row by row. Nothing here comes from rows.';

CREATE VIEW gaussdp.stat_budgets AS
SELECT people, relation AS "table", paid_by, epsilon, delta, spent_epsilon, left_epsilon, left_part, left_threshold_delta, left_threshold_part, every, renews_at, suspended
FROM gaussdp_internal.budget_line WHERE granted OR suspended;
COMMENT ON VIEW gaussdp.stat_budgets IS
'All budgets that are granted in this database and all suspended roles: what is spent and left in the current period, and which part of the queries that the budget pays for (of its mu^2, left_part) and of threshold_delta is left: 0.1 is a tenth. NULL without a limit.';

CREATE VIEW gaussdp.stat_journal WITH (security_barrier) AS
SELECT at::date AS day, role, people, relation_name AS "table", sum(queries)::int8 AS queries, (sum(mu2) / 2::numeric ^ 52)::float8 AS mu2,
  gaussdp_internal.three_digits(gaussdp_internal.mu2_epsilon(least(sum(mu2), 9223372036854775807)::int8, 1e-6), true) AS epsilon,
  (sum(coalesce(threshold_delta, 0)) / 1e18)::float8 AS threshold_delta
FROM gaussdp_internal.journal_entry
WHERE event = 'charge' AND (pg_has_role(current_user, 'pg_monitor', 'USAGE') OR gaussdp_internal.current_role_owns(relation))
GROUP BY 1, 2, 3, 4;
COMMENT ON VIEW gaussdp.stat_journal IS
'The journal by day (of the session''s time zone), role and table: how many levels of queries were charged, for how much mu^2, the epsilon that this is at delta 1e-6, and how much delta of thresholds. pg_monitor sees all, owners see their tables; rows that were archived are not counted.';

REVOKE ALL ON gaussdp.stat_charges, gaussdp.stat_latency, gaussdp.stat_sessions, gaussdp.stat_queue, gaussdp.stat_budgets FROM PUBLIC;
GRANT SELECT ON gaussdp.stat_charges, gaussdp.stat_latency, gaussdp.stat_sessions, gaussdp.stat_queue, gaussdp.stat_budgets TO pg_monitor;
GRANT SELECT ON gaussdp.stat_journal, gaussdp.stat_progress, gaussdp.stat_refusals TO PUBLIC;
