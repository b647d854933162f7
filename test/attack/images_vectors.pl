# oidvector is an array inside, which jsonb_populate_record fills with any array of OIDs: equal ones with other bounds, and
# some that no function of the type takes, whatever PostgreSQL says of its comparisons being leakproof.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

# enough people beside person 7 for a group to be shown, whatever the noise
my $node = neighbours('vector', '', "INSERT INTO hr.emp SELECT i, 'd', 40, 1, i, 1, timestamp '2020-01-01', 'q' FROM generate_series(10, 100) i;");

prepare(<<'SQL');
CREATE TYPE ana.holder AS (v oidvector);
CREATE FUNCTION ana.made(text) RETURNS oidvector LANGUAGE sql IMMUTABLE AS 'SELECT v FROM jsonb_populate_record(NULL::ana.holder, jsonb_build_object(''v'', $1::jsonb))';
CREATE TABLE ana.equal (k int PRIMARY KEY, v oidvector);
INSERT INTO ana.equal SELECT i, CASE i WHEN 7 THEN ana.made('[1, 2]') ELSE '1 2' END FROM generate_series(1, 100) i;
CREATE TABLE ana.invalid (k int PRIMARY KEY, v oidvector);
INSERT INTO ana.invalid SELECT i, CASE i WHEN 7 THEN ana.made('[[1, 2]]') ELSE '1 2' END FROM generate_series(1, 100) i;
SQL

# Too many errors would suspend the budget, which is no property of this file.
sub same_once
{
	same(@_);
	$node->safe_psql($_, "SELECT gaussdp.resume_budget('ana', 'hr.emp')") foreach 'one', 'none';
	return;
}

my $n = 'dp_count(2, 1e-6) > -1e9';
my $keep = 'HAVING dp_keep_group(2, 1e-6)';
same_once("equal oidvectors with other bounds tell no row: $_->[0]",
	"SELECT CASE array_lower(v::oid[], 1) WHEN 0 THEN 'zero' ELSE 'one' END FROM (SELECT $_->[1], $n FROM $_->[2] GROUP BY 1 $keep) t (v);") foreach
  [ 'of a public column', 'v', 'hr.emp JOIN ana.equal ON k = id WHERE id >= 7' ],
  [ 'as inputs of CASE', "CASE WHEN id = 7 THEN ana.made('[1, 2]') ELSE '1 2'::oidvector END", 'hr.emp WHERE id >= 7' ],
  [ 'by somebody\'s salary', "CASE WHEN salary > 65000 THEN ana.made('[1, 2]') ELSE '1 2'::oidvector END", 'hr.emp WHERE id = 7 OR id > 9' ];

foreach my $value ('[[1, 2]]', '[1, null]', '[]')
{
	same_once("an oidvector that is none tells no row: $value",
		"SELECT $n FROM hr.emp WHERE id = 7 AND CASE WHEN salary > 65000 THEN ana.made('$value') ELSE '1 2'::oidvector END = '1 2'::oidvector;");
}
same_once('nor one of a public column', "SELECT $n FROM hr.emp JOIN ana.invalid ON k = id WHERE id = 7 AND v <> '1 2'::oidvector;");
same_once('nor as a group key', "SELECT $n FROM hr.emp JOIN ana.invalid ON k = id WHERE id IN (7, 8) GROUP BY v $keep;");

$node->stop;
done_testing();
