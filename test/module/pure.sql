-- The rule by which functions of PostgreSQL are pure: view pure (function, constants), where constants are the arguments, as bits
-- from the first one on, that must be constants.  src/policy/contained/pure_functions.inc is made of it (test/pure), and
-- test/pgtap/contained_rule.sql holds the two against each other.

-- Immutable ones whose time and memory are limited by those of their arguments, and which read nothing but these.
CREATE TEMP VIEW pure_candidates AS
SELECT p.oid, p.proname, p.prosrc, p.provolatile, p.oid::regprocedure::text AS signature,
	ARRAY(SELECT format_type(t, NULL) FROM unnest(p.proargtypes::oid[]) AS t) AS arguments, format_type(p.prorettype, NULL) AS result
FROM pg_proc AS p
WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.oid < 16384 AND p.prolang = (SELECT oid FROM pg_language WHERE lanname = 'internal')
	AND p.prokind = 'f' AND p.proisstrict AND NOT p.proretset AND NOT p.prosecdef AND p.proconfig IS NULL AND p.provariadic = 0 AND p.pronargs > 0;

-- Types whose functions read no catalog, file or other state, and recurse on no value; documents have a limit of depth of their own.
CREATE TEMP TABLE pure_types (name text);
INSERT INTO pure_types VALUES ('boolean'), ('smallint'), ('integer'), ('bigint'), ('real'), ('double precision'), ('numeric'), ('money'),
	('text'), ('character varying'), ('character'), ('"char"'), ('bytea'), ('bit'), ('bit varying'), ('uuid'),
	('date'), ('time without time zone'), ('time with time zone'), ('timestamp without time zone'), ('timestamp with time zone'), ('interval'),
	('inet'), ('cidr'), ('macaddr'), ('macaddr8'), ('point'), ('lseg'), ('box'), ('line'), ('circle'), ('jsonb'), ('text[]'),
	('anyrange'), ('anyelement');

-- Stable ones, reviewed one by one: they depend on settings, and on the zone of the session, which no row changes.
CREATE TEMP TABLE pure_stable (signature text, constants int);
INSERT INTO pure_stable VALUES
	('date_part(text,timestamp with time zone)', 0), ('date_part(text,time with time zone)', 0), ('"extract"(text,timestamp with time zone)', 0),
	('date_trunc(text,timestamp with time zone)', 0), ('date_trunc(text,timestamp with time zone,text)', 4),
	('date(timestamp with time zone)', 0), ('"timestamp"(timestamp with time zone)', 0),
	('timestamptz(date)', 0), ('timestamptz(timestamp without time zone)', 0),
	('"time"(timestamp with time zone)', 0), ('timetz(timestamp with time zone)', 0), ('timetz(time without time zone)', 0),
	('timestamptz_pl_interval(timestamp with time zone,interval)', 0), ('timestamptz_mi_interval(timestamp with time zone,interval)', 0),
	('to_char(timestamp with time zone,text)', 2), ('to_char(timestamp without time zone,text)', 2), ('to_char(interval,text)', 2),
	('to_char(integer,text)', 2), ('to_char(bigint,text)', 2), ('to_char(real,text)', 2), ('to_char(double precision,text)', 2), ('to_char(numeric,text)', 2),
	('to_date(text,text)', 2), ('to_timestamp(text,text)', 2), ('to_number(text,text)', 2),
	('"numeric"(money)', 0), ('money(numeric)', 0), ('money(integer)', 0), ('money(bigint)', 0);

CREATE TEMP VIEW pure AS
SELECT c.oid::int4 AS function, c.signature,
	CASE WHEN s.signature IS NOT NULL THEN s.constants
		-- a zone is a file, and the session keeps it
		WHEN c.proname = 'timezone' AND c.arguments[1] = 'text' THEN 1
		WHEN c.proname IN ('date_add', 'date_subtract') AND c.arguments[3] = 'text' THEN 4
		-- as long as this argument says
		WHEN c.prosrc IN ('bpchar', 'bit', 'bitfromint4', 'bitfromint8') THEN 2
		-- each letter is looked for among these
		WHEN c.prosrc IN ('btrim', 'ltrim', 'rtrim', 'byteatrim', 'bytealtrim', 'byteartrim') THEN 2
		ELSE 0 END AS constants
FROM pure_candidates AS c LEFT JOIN pure_stable AS s USING (signature)
WHERE (c.provolatile = 'i' OR s.signature IS NOT NULL)
	AND (c.arguments || c.result) <@ ARRAY(SELECT name FROM pure_types)
	-- polymorphic ones of ranges alone
	AND (NOT (c.arguments || c.result) && ARRAY['anyelement'] OR c.arguments && ARRAY['anyrange'])
	-- for indexes, sorts and windows: of no use in a query
	AND c.proname !~ '^(pg_|binary_|gin_|gist_|brin_|spg_|bt|hash|in_range)'
	AND c.proname !~ '(_canonical|_subdiff|larger|smaller|cmp|cmp_[a-z]+|_accum|_hash|_hash_extended|_sortsupport|send|statefunc|transfn|int8inc_[a-z0-9_]+)$'
	-- libxml has a state of its own
	AND c.proname !~ '^xml'
	-- patterns: memory and time of an automaton, one call deeper for each %
	AND c.prosrc !~ '(regex|regexp|similar|like|match_)' AND c.prosrc <> 'textregexsubstr'
	-- a short value makes a long one
	AND c.prosrc !~ '^(repeat|lpad|rpad|replace_text|text_replace|numeric_fac|range_merge)$'
	-- letter by letter through another list, bit by bit through another value
	AND c.prosrc !~ '^(translate|bitposition)$'
	-- a byte of "char" is no text of the encoding
	AND NOT (c.arguments && ARRAY['"char"'] AND c.result IN ('text', 'character', 'character varying'))
	-- other encodings
	AND c.proname <> 'to_ascii'
	-- lists of arguments in rows, and what looks into other types
	AND c.proname <> 'parse_ident';
