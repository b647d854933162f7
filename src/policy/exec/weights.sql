-- Weights of the rows of people who own several: what the policy's rewriting calls beside the weighted aggregates.

CREATE FUNCTION gaussdp_internal.group_place(seed int8, VARIADIC "any") RETURNS int8
AS 'MODULE_PATHNAME', 'gaussdp_group_place' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.group_place(int8, "any") IS
'A number for the unit and the keys of a group, by which the groups of a person are put in an order; the same for equal values and one seed. For the rewriting of queries over protected tables.';
