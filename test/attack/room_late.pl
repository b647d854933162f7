# What stands in a query beside the rows is computed before the first of them is read, or not at all: no error, notice
# or trace of it comes, or stays away, because a row was there.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

my $node = neighbours('late');

prepare(<<'SQL');
CREATE FUNCTION ana.tell(float8) RETURNS int LANGUAGE plpgsql AS 'BEGIN RAISE NOTICE ''called''; RETURN 1; END';
CREATE TABLE ana.pub (k int PRIMARY KEY, v int);
INSERT INTO ana.pub SELECT i, i FROM generate_series(0, 20) i;
CREATE VIEW ana.fails AS SELECT 1 / v AS v FROM ana.pub WHERE k = 0;
CREATE TABLE ana.long (body text);
ALTER TABLE ana.long ALTER body SET STORAGE EXTERNAL;
CREATE TABLE ana.huge AS SELECT 7 AS k, x FROM ROWS FROM (unnest(ARRAY[ROW(1e131000)]) AS (x numeric(5,2)));
ALTER TABLE ana.huge ADD PRIMARY KEY (k);
CREATE DOMAIN ana.small AS int CHECK (VALUE < 10);
CREATE TYPE ana.any_size AS (x numeric);
CREATE FUNCTION ana.as_it_is(ana.any_size, int, bool) RETURNS numeric LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN ($1).x; END';
CREATE CAST (ana.any_size AS numeric) WITH FUNCTION ana.as_it_is(ana.any_size, int, bool);
CREATE DOMAIN ana.price AS numeric(5,2);
CREATE TABLE ana.beyond AS SELECT 7 AS k, ROW(1e131000)::ana.any_size::ana.price AS x;
ALTER TABLE ana.beyond ADD PRIMARY KEY (k);
SQL

my $n = 'dp_count(0.001, 1e-6)';
# Of the conditions, id = 7 is looked at last, as the constant of an equivalence class.
my $there = 'id = 7 AND salary BETWEEN 65000 AND 75000';

# A scalar sub-select is an initialization plan, which runs when the first row needs it.
my %level = (
	'an error' => "(SELECT 1 / ($n * 0) FROM hr.emp)",
	'a notice' => "(SELECT ana.tell($n) FROM hr.emp)",
	'two rows' => "(SELECT $n FROM ana.pub LEFT JOIN hr.emp ON k = dept_id GROUP BY k)",
	'an error in public rows' => '(SELECT v FROM ana.fails)',
	'a public function' => '(SELECT ana.tell(1))');
my @cases;
foreach my $what (sort keys %level)
{
	my $s = $level{$what};
	push @cases, map { [ "a scalar sub-select with $what tells no row: $_->[0] (S01)", "$_->[1];" ] }
	  [ 'in WHERE', "SELECT $n FROM hr.emp WHERE $there AND age > $s" ],
	  [ 'in FILTER', "SELECT $n, dp_count(0.001, 1e-6) FILTER (WHERE age > $s) FROM hr.emp WHERE $there" ],
	  [ 'in CASE', "SELECT $n FROM hr.emp WHERE CASE WHEN id = 7 THEN age > $s ELSE false END" ],
	  [ 'in ON', "SELECT $n FROM hr.emp JOIN ana.pub ON k = id AND $there AND age > $s" ],
	  [ 'in an argument', "SELECT dp_sum(CASE WHEN $there THEN $s ELSE 0 END, 0.001, 1e-6, 0, 1) FROM hr.emp" ],
	  [ 'as a bound', "SELECT dp_sum(salary, 0.001, 1e-6, 0, $s) FROM hr.emp WHERE $there" ],
	  [ 'as an epsilon', "SELECT dp_count($s, 1e-6) FROM hr.emp WHERE $there" ],
	  [ 'in GROUP BY', "SELECT $n FROM hr.emp WHERE $there GROUP BY age > $s HAVING dp_keep_group(0.001, 1e-6)" ];
}
same_each(@cases);

# Parameters of PL/pgSQL are fetched when they are needed, at rows where the plan is a generic one; and texts when one as long is compared with them.
prepare(<<SQL);
CREATE FUNCTION ana.field() RETURNS void LANGUAGE plpgsql AS \$\$
DECLARE r record;
BEGIN
    FOR i IN 1 .. 2 LOOP
        IF i = 1 THEN SELECT 1 AS a INTO r; ELSE SELECT 1 AS b INTO r; END IF;
        BEGIN
            PERFORM $n FROM hr.emp WHERE $there AND age > r.a;
            RAISE NOTICE 'answered';
        EXCEPTION WHEN OTHERS THEN
            RAISE NOTICE '%', SQLSTATE;
        END;
    END LOOP;
END\$\$;
CREATE FUNCTION ana.unset() RETURNS void LANGUAGE plpgsql AS \$\$
DECLARE r record;
BEGIN
    PERFORM $n FROM hr.emp WHERE $there AND age > r.a;
END\$\$;
CREATE FUNCTION ana.dangling() RETURNS void LANGUAGE plpgsql AS \$\$
DECLARE x text;
BEGIN
    INSERT INTO ana.long VALUES (repeat('z', 30000));
    SELECT body INTO x FROM ana.long;
    TRUNCATE ana.long;
    PERFORM $n FROM hr.emp WHERE $there AND note <> x;
END\$\$;
CREATE FUNCTION ana.dangling_field() RETURNS void LANGUAGE plpgsql AS \$\$
DECLARE r record;
BEGIN
    INSERT INTO ana.long VALUES (repeat('z', 30000));
    SELECT * INTO r FROM ana.long;
    TRUNCATE ana.long;
    PERFORM $n FROM hr.emp WHERE $there AND note <> r.body;
END\$\$;
CREATE FUNCTION ana.dangling_using() RETURNS void LANGUAGE plpgsql AS \$\$
DECLARE x text;
BEGIN
    INSERT INTO ana.long VALUES (repeat('z', 30000));
    SELECT body INTO x FROM ana.long;
    TRUNCATE ana.long;
    EXECUTE 'SELECT $n FROM hr.emp WHERE $there AND note <> \$1' USING x;
END\$\$;
CREATE FUNCTION ana.dangling_sql(text) RETURNS bigint LANGUAGE sql AS 'SELECT $n FROM hr.emp WHERE $there AND note <> \$1';
CREATE FUNCTION ana.dangling_nested() RETURNS void LANGUAGE plpgsql AS \$\$
DECLARE x text;
BEGIN
    INSERT INTO ana.long VALUES (repeat('z', 30000));
    SELECT body INTO x FROM ana.long;
    TRUNCATE ana.long;
    PERFORM ana.dangling_sql(x);
END\$\$;
SQL
same('a parameter that is a field which its record has no more tells no row (S04)', 'SELECT ana.field();');
same('a parameter that is a field of a record without a value tells no row (S04)', "SET plan_cache_mode = force_generic_plan; SELECT ana.unset();");
same("a parameter that points to a value which is gone tells no row: $_ (S08)", "SET plan_cache_mode = force_generic_plan; SELECT ana.$_();")
  foreach 'dangling', 'dangling_field', 'dangling_using', 'dangling_nested';

# Values that SQL has names for, and conversions that the catalog or a setting decides about.
my $trace = 'SELECT pg_my_temp_schema() <> 0';
foreach my $value ("current_schema", "current_schemas(true)::text", "current_setting('ana.none')", "to_regclass('pg_temp.x')::text", "ana.tell(1)::text")
{
	my $lookup = "public.dp_count(0.001, 1e-6)";
	same("$value on rows tells no row: $_->[0] (S11)", "SET search_path = pg_temp; $_->[1]; $trace;") foreach
	  [ 'in WHERE', "SELECT $lookup FROM hr.emp WHERE $there AND dept <> $value" ],
	  [ 'in FILTER', "SELECT $lookup FILTER (WHERE dept <> $value) FROM hr.emp WHERE $there" ],
	  [ 'in an argument', "SELECT public.dp_sum(CASE WHEN dept <> $value THEN 1 ELSE 0 END, 0.001, 1e-6, 0, 1) FROM hr.emp WHERE $there" ];
}
same_each(
	[ "a domain's check on a constant tells no row", "SET plan_cache_mode = force_generic_plan; PREPARE p (int) AS SELECT $n FROM hr.emp WHERE $there AND age > \$1::ana.small; EXECUTE p(99);" ],
	[ 'a text that is no number tells no row', "SET plan_cache_mode = force_generic_plan; PREPARE p (text) AS SELECT $n FROM hr.emp WHERE $there AND age > \$1::int; EXECUTE p('x');" ],
	[ 'a text that is no time tells no row', "SET plan_cache_mode = force_generic_plan; PREPARE p (text) AS SELECT $n FROM hr.emp WHERE $there AND hired > \$1::timestamptz; EXECUTE p('x');" ],
	[ 'a number that overflows tells no row', "SET plan_cache_mode = force_generic_plan; PREPARE p (int) AS SELECT $n FROM hr.emp WHERE $there AND age > \$1 * \$1; EXECUTE p(2000000000);" ],
	[ 'a division of parameters tells no row', "SET plan_cache_mode = force_generic_plan; PREPARE p (int) AS SELECT $n FROM hr.emp WHERE $there AND age > 1 / \$1; EXECUTE p(0);" ],
	[ 'a parameter of the budget that is out of range tells no row',
		"SET plan_cache_mode = force_generic_plan; PREPARE p (float8) AS SELECT dp_count(\$1, 1e-6) FROM hr.emp WHERE $there; EXECUTE p(-1); EXECUTE p('nan'); EXECUTE p(1000); EXECUTE p(NULL);" ],
	[ 'bounds that are out of order tell no row',
		"SET plan_cache_mode = force_generic_plan; PREPARE p (float8) AS SELECT dp_sum(salary, 0.01, 1e-6, \$1, 0) FROM hr.emp WHERE $there; EXECUTE p(1); EXECUTE p('nan'); EXECUTE p(NULL);" ]);

# A type modifier says what was asked of a table's values when it was made, not what is in them.
same_each(map { [ "a public value that its column's modifier does not allow tells no row: $_->[0] (S12)", "$_->[1];" ] }
  [ 'in WHERE', "SELECT $n FROM hr.emp JOIN ana.huge ON k = id WHERE $there AND x * x * rate > 0" ],
  [ 'of a domain', "SELECT $n FROM hr.emp JOIN ana.beyond ON k = id WHERE $there AND x * x * rate > 0" ],
  [ 'in an argument', "SELECT dp_sum(x * x * rate, 0.001, 1e-6, 0, 1) FROM hr.emp JOIN ana.huge ON k = id WHERE $there" ],
  [ 'read in a sub-select', "SELECT $n FROM hr.emp JOIN (SELECT DISTINCT k, x FROM ana.huge) h ON k = id AND x * x * rate > 0 WHERE $there" ],
  [ 'out of WITH', "WITH h AS (SELECT * FROM ana.huge) SELECT $n FROM hr.emp JOIN h ON k = id WHERE $there AND x * x * rate > 0" ]);

$node->stop;
done_testing();
