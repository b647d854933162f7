-- How much of what is random or large a test tries: a tenth, or all of it where GAUSSDP_FULL is set (make nightly). To be included by \ir.
\getenv full GAUSSDP_FULL
\if :{?full}
CREATE FUNCTION sized(int) RETURNS int IMMUTABLE LANGUAGE sql RETURN $1;
\else
CREATE FUNCTION sized(int) RETURNS int IMMUTABLE LANGUAGE sql RETURN ceil($1 / 10.0);
\endif
