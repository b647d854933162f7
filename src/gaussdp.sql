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
