/* gaussdp--1.0.sql, made by make from the .sql files of src/ */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION gaussdp" to load this file. \quit

CREATE SCHEMA gdp;
COMMENT ON SCHEMA gdp IS 'The calibration library of gaussdp: noise, composition, conversions between notions of privacy.';
CREATE SCHEMA gaussdp;
COMMENT ON SCHEMA gaussdp IS 'Administration of gaussdp: declarations, budgets, policy.';
CREATE SCHEMA gaussdp_internal;
COMMENT ON SCHEMA gaussdp_internal IS 'What the other objects of gaussdp are made of; not to be called by name.';
GRANT USAGE ON SCHEMA gdp, gaussdp, gaussdp_internal TO PUBLIC;

-- Each script begins so: a server that has loaded another version's library is told to restart. One of ALTER EXTENSION may be a step on
-- the way to the library's version, and says or_newer => true.
CREATE FUNCTION gaussdp_internal.check_library(version text, or_newer bool DEFAULT false) RETURNS void
AS 'MODULE_PATHNAME', 'gaussdp_check_library' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.check_library(text, bool) IS 'Refuses unless the library that is loaded has this version, or a newer one. Errors: 55000.';
SELECT gaussdp_internal.check_library('1.0');
