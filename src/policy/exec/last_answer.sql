-- What the session's last statement has released.

CREATE FUNCTION gaussdp_internal.last_answer(OUT call text, OUT relation regclass, OUT max_rows float8, OUT is_found bool, OUT cut float8, OUT cut_at_most float8,
  OUT sigma float8, OUT half_width_95 float8, OUT mu_squared float8, OUT epsilon float8, OUT delta float8, OUT groups int8, OUT least_people float8, OUT rough int8, OUT beyond_bounds float8, OUT at timestamptz,
  OUT price_mu_squared float8, OUT price_threshold_delta float8, OUT is_owners bool)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'gaussdp_last_answer' LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION gaussdp_internal.last_answer() IS 'What gaussdp.last_answer shows; what the releases cost, whoever has paid for them; and whether the role may read the rows by itself.';

CREATE VIEW gaussdp.last_answer AS
SELECT call, relation, max_rows, is_found, cut, cut_at_most, sigma, half_width_95, mu_squared, epsilon, delta, groups, least_people, rough, beyond_bounds, at FROM gaussdp_internal.last_answer();
GRANT SELECT ON gaussdp.last_answer TO PUBLIC;
COMMENT ON VIEW gaussdp.last_answer IS
'What this session''s last statement over protected tables has released to the current role, a row for each call: its noise and price, as how many rows a person counts, about what part of all that people have this leaves out, in how many groups its noise is large beside the number, and, of a call that hides small groups, of about how many people a group is shown at least. All of it is released, or was known before: reading it costs nothing.';
