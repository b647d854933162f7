-- Verdict and price of a query without execution.

CREATE FUNCTION gaussdp.explain_privacy(
    query text,
    OUT verdict text, OUT call text, OUT relation regclass, OUT l2_sensitivity float8,
    OUT sigma float8, OUT half_width_95 float8, OUT mu_squared float8, OUT epsilon float8,
    OUT delta float8, OUT threshold_delta float8, OUT epsilon_left_before float8,
    OUT epsilon_left_after float8, OUT reason text, OUT hint text)
RETURNS SETOF record
LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'explain_privacy';
COMMENT ON FUNCTION gaussdp.explain_privacy(text) IS
'verdict of the policy on a query, for the current role, and one row for each dp_ call: its enforced L2 sensitivity, the standard deviation of its noise and the half width of a 95 % interval (NULL where several numbers are released together), its cost mu^2, the epsilon that this is at the call''s own delta, and what it takes from the budget''s delta for thresholds, and what the role has left before and after it, in epsilon at its budget''s delta; executes and charges nothing. verdict is private, refused (reason and hint say why), published (reached through views that are granted and not proven) or outside the policy. 0A000 unless the text is one SELECT or INSERT';
