-- Weights of the rows of people who own several: what the policy's rewriting calls beside the weighted aggregates.

CREATE FUNCTION gaussdp_internal.group_place(seed int8, VARIADIC "any") RETURNS int8
AS 'MODULE_PATHNAME', 'gaussdp_group_place' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.group_place(int8, "any") IS
'A number for the unit and the keys of a group, by which the groups of a person are put in an order; the same for equal values and one seed. For the rewriting of queries over protected tables.';

CREATE FUNCTION gaussdp_internal.takes_value(person int8, value int8, size int8, k20 int8) RETURNS int8
AS 'MODULE_PATHNAME', 'gaussdp_takes_value' LANGUAGE C IMMUTABLE WINDOW PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.takes_value(int8, int8, int8, int8) IS
'Window function: 2^31 in the row by which a person takes a value, 0 in all others. Each person takes the first k20 / 2^20 of their values that nobody before has taken; a row of size 0 takes none. People and values are numbers from 0 on. For OVER (ORDER BY person, ...). Error: 22023.';
