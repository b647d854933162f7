/* gaussdp--1.0.sql, made by make from the .sql files of src/ */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION gaussdp" to load this file. \quit
