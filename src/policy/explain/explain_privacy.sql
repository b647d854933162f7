-- Verdict and price of a query without execution.

-- Stands in the plan of a query where a level over protected tables was; the library gives it its plan node.
CREATE FUNCTION gaussdp_internal.private_level(VARIADIC "any")
RETURNS SETOF record AS 'MODULE_PATHNAME', 'gaussdp_private_level' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp_internal.private_level("any") IS
'Stands in plans where a query reads protected tables. Cannot be called. Errors: 42501.';

CREATE FUNCTION gaussdp.explain_privacy(
    query text, group_size int8 DEFAULT 1000, exact bool DEFAULT false,
    OUT verdict text, OUT call text, OUT relation regclass, OUT max_rows int8, OUT l2_sensitivity float8,
    OUT sigma float8, OUT half_width_95 float8, OUT mu_squared float8, OUT epsilon float8,
    OUT delta float8, OUT threshold_delta float8, OUT epsilon_left_before float8,
    OUT epsilon_left_after float8, OUT reason text, OUT hint text)
RETURNS SETOF record
LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'explain_privacy';
COMMENT ON FUNCTION gaussdp.explain_privacy(text, int8, bool) IS
'verdict of the policy on a query, for the current role, and one row for each dp_ call: as how many rows a person counts (NULL where a person owns one row, persons are counted, or it is found when the query runs), its enforced L2 sensitivity, the standard deviation of its noise, the half width of a 95 % interval of its answer (of averages, variances and standard deviations in a group of group_size rows, at most; of quantiles that of their rank, in rows; NULL where bounds are found privately), its cost mu^2, the epsilon that this is at the call''s own delta, and what it takes from the budget''s delta for thresholds, and what the role has left before and after it, in epsilon at its budget''s delta; executes and charges nothing. Numbers have three digits, costs rounded up and what is left down, unless exact is true. verdict is private, too expensive (the budget does not suffice for all of it: nothing would be charged), refused (reason and hint say why), published (reached through views that are granted and not proven) or outside the policy. Errors: 0A000 unless the text is one SELECT or INSERT, 22023';
