-- Budgets: granting, revoking, forgetting, asking.

CREATE FUNCTION gaussdp_internal.period_number(since timestamptz, every interval) RETURNS int8
AS 'MODULE_PATHNAME', 'gaussdp_period_number' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.period_number(timestamptz, interval) IS
'How many whole periods have passed since then; 0 without a period.';

CREATE FUNCTION gaussdp_internal.mu2_epsilon(mu2 int8, delta float8) RETURNS float8
AS 'MODULE_PATHNAME', 'gaussdp_mu2_epsilon' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.mu2_epsilon(int8, float8) IS
'The epsilon at delta of a sum of mu^2 in units of 2^-52, rounded up. Theorem 8, Balle and Wang 2018. Error: 22023.';

CREATE FUNCTION gaussdp.grant_budget("role" text, "table" regclass, epsilon float8, delta float8, every interval DEFAULT NULL,
  max_epsilon_per_query float8 DEFAULT NULL, threshold_delta float8 DEFAULT NULL, default_epsilon float8 DEFAULT NULL,
  default_delta float8 DEFAULT NULL, max_relation_pages int8 DEFAULT NULL, reuse_answers interval DEFAULT '1 hour',
  max_resource_errors int4 DEFAULT NULL) RETURNS void
AS 'MODULE_PATHNAME', 'gaussdp_grant_budget' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp.grant_budget(text, regclass, float8, float8, interval, float8, float8, float8, float8, int8, interval, int4) IS
'Lets a role, or public, learn (epsilon, delta + threshold_delta) about the people of a table in each period; again, to change it. every: days and hours, for ever by default. threshold_delta: for group thresholds, on top of delta, as much again by default. default_epsilon, default_delta: those of calls that give none. max_relation_pages: how many pages the protected tables of a query may have, any by default. reuse_answers: for how long an equal query is shown the same numbers again, at no cost; 0 or NULL: not at all. max_resource_errors: how often in 24 hours queries of a role may lack disk, memory or locks before it is suspended, as the setting says by default and never more. What is spent stays spent. Only for the owner of all tables about these people. Errors: 22004, 22023, 42501, 42704, 42P01, 55000.';

CREATE FUNCTION gaussdp.revoke_budget("role" text, "table" regclass) RETURNS void
AS 'MODULE_PATHNAME', 'gaussdp_revoke_budget' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp.revoke_budget(text, regclass) IS
'Takes a role''s budget back; what it has spent is remembered. Only for the owner of all tables about these people. Errors: 22004, 42501, 42704, 42P01, 55000.';

CREATE FUNCTION gaussdp.set_population_budget(people text, epsilon float8, delta float8, every interval DEFAULT NULL,
  max_epsilon_per_query float8 DEFAULT NULL, threshold_delta float8 DEFAULT NULL) RETURNS void
AS 'MODULE_PATHNAME', 'gaussdp_set_population_budget' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp.set_population_budget(text, float8, float8, interval, float8, float8) IS
'Limits what all roles together learn about a population to (epsilon, delta + threshold_delta), named by people of gaussdp.protect() or, if there is none, by a table. Only for the owner of all its tables. Errors: 22004, 22023, 42501, 42P01, 42P08, 55000.';

CREATE FUNCTION gaussdp.drop_population_budget(people text) RETURNS void
AS 'MODULE_PATHNAME', 'gaussdp_drop_population_budget' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp.drop_population_budget(text) IS
'Takes the limit of a population away; what is spent stays spent. Only for the owner of all its tables. Errors: 22004, 42501, 42P01, 42P08, 55000.';

CREATE FUNCTION gaussdp.reset_budget("role" text, "table" regclass) RETURNS void
AS 'MODULE_PATHNAME', 'gaussdp_reset_budget' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp.reset_budget(text, regclass) IS
'Forgets what a role, or public, has spent on the people of a table; the guarantee starts anew. The journal keeps all. Only for the owner of all tables about these people. Errors: 22004, 42501, 42704, 42P01, 55000.';

CREATE FUNCTION gaussdp.reset_population_budget(people text) RETURNS void
AS 'MODULE_PATHNAME', 'gaussdp_reset_population_budget' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp.reset_population_budget(text) IS
'Forgets everything that was spent on a population, by all roles; the guarantee starts anew. The journal keeps all. Only for the owner of all its tables. Errors: 22004, 42501, 42P01, 42P08, 55000.';

CREATE FUNCTION gaussdp.resume_budget("role" text, "table" regclass) RETURNS void
AS 'MODULE_PATHNAME', 'gaussdp_resume_budget' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp.resume_budget(text, regclass) IS
'Lets a role go on that was suspended for the people of a table after more than gaussdp.max_private_errors errors, gaussdp.max_private_cancels cancels or gaussdp.max_resource_errors resource errors, inside of its private queries, and counts all of them from zero. Only for the owner of all tables about these people. Errors: 22004, 42501, 42704, 42P01, 55000.';

CREATE FUNCTION gaussdp.queries_left("table" regclass, epsilon float8, delta float8, threshold_delta float8 DEFAULT 0) RETURNS int8
AS 'MODULE_PATHNAME', 'gaussdp_queries_left' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp.queries_left(regclass, float8, float8, float8) IS
'How many more dp_count(epsilon, delta) the current role can pay for in this period, or as many other releases, give or take the rounding of their noise; with threshold_delta, as many that each hide small groups at that delta. 0 without a budget. Error: 22023.';

CREATE FUNCTION gaussdp_internal.thresholds_left("table" regclass, epsilon float8, delta float8) RETURNS int8
AS 'MODULE_PATHNAME', 'gaussdp_thresholds_left' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp_internal.thresholds_left(regclass, float8, float8) IS
'How many more dp_keep_group(*) the current role can pay for in this period where these are the epsilon and delta of calls without numbers: for gaussdp.queries_left(). 0 without a budget. Error: 22023.';

CREATE FUNCTION gaussdp.pause_answers() RETURNS void
AS 'MODULE_PATHNAME', 'gaussdp_pause_answers' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp.pause_answers() IS
'Stops all private answers of this database, of every role and population, until gaussdp.resume_answers(): with the commit no query is charged any more, and those that run end with an error. Only for the owner of the extension and superusers. Errors: 42501, 55000.';

CREATE FUNCTION gaussdp.resume_answers() RETURNS void
AS 'MODULE_PATHNAME', 'gaussdp_resume_answers' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp.resume_answers() IS
'Ends gaussdp.pause_answers(). Only for the owner of the extension and superusers. Errors: 42501, 55000.';

CREATE FUNCTION gaussdp.share_answers(people text, share boolean) RETURNS void
AS 'MODULE_PATHNAME', 'gaussdp_share_answers' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp.share_answers(text, boolean) IS
'Whether what was released to one role about a population may be shown to another one that asks the same, which pays for it as for a new answer; it may unless this says otherwise. people as in gaussdp.set_population_budget(). Only for the owner of all its tables. Errors: 22004, 42501, 42P01, 42P08, 55000.';

CREATE FUNCTION gaussdp.set_data_version("table" regclass, version text) RETURNS void
AS 'MODULE_PATHNAME', 'gaussdp_set_data_version' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp.set_data_version(regclass, text) IS
'Says which version the rows of a table are, for example after each load: answers of another version are not shown again. NULL: none. Only for the owner of all tables about these people. Errors: 22004, 42501, 55000.';
