-- Expressions on protected rows whose errors are NULL: the rewriter's, executed by whoever asks the query.

CREATE FUNCTION gaussdp_internal.contained(result anyelement, expression pg_node_tree, VARIADIC "any") RETURNS anyelement
AS 'MODULE_PATHNAME', 'gaussdp_contained' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.contained(anyelement, pg_node_tree, "any") IS
'The value of a pure expression over the arguments, or NULL where it fails. For the rewriting of queries over protected tables.';

CREATE FUNCTION gaussdp_internal.contained(result anyelement, expression text, VARIADIC "any") RETURNS anyelement
AS 'MODULE_PATHNAME', 'gaussdp_contained' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.contained(anyelement, text, "any") IS
'The same of an expression in SQL, with $1, $2, ... and the names of pg_catalog. For servers of Citus.';

CREATE FUNCTION gaussdp_internal.small(anyelement) RETURNS anyelement
AS 'MODULE_PATHNAME', 'gaussdp_small' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.small(anyelement) IS
'The argument, or an error where it is longer than values within a contained expression may be.';

CREATE FUNCTION gaussdp_internal.without_zone(text) RETURNS text
AS 'MODULE_PATHNAME', 'gaussdp_without_zone' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.without_zone(text) IS
'The text of a time, or an error where it may name a time zone.';

CREATE FUNCTION gaussdp_internal.limited_power(numeric, numeric) RETURNS numeric
AS 'MODULE_PATHNAME', 'gaussdp_power' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.limited_power(numeric, numeric) IS
'The power, or an error where it has more than 1,000 digits before the point.';

CREATE FUNCTION gaussdp_internal.is_pure(function regprocedure) RETURNS bool
AS 'MODULE_PATHNAME', 'gaussdp_is_pure_function' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.is_pure(regprocedure) IS
'Is it one of the functions of PostgreSQL that may be contained, on this major?';

CREATE FUNCTION gaussdp_internal.alone(result anyelement, expression pg_node_tree, VARIADIC "any") RETURNS anyelement
AS 'MODULE_PATHNAME', 'gaussdp_alone' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.alone(anyelement, pg_node_tree, "any") IS
'The value of an expression over the arguments, computed in memory of its own; NULL where that would be more than 256 MB. For plans over protected tables.';

CREATE FUNCTION gaussdp_internal.at_most(anyelement, int) RETURNS anyelement
AS 'MODULE_PATHNAME', 'gaussdp_at_most' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.at_most(anyelement, int) IS
'The argument, or NULL where it is longer than so many bytes, or an array of more than 10,000 elements. For plans over protected tables.';
