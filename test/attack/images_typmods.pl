# What a group shows of its key is the same whichever row it is taken from: no value of the analyst's making looks
# unlike one that it is equal to, whatever a type modifier says of it.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

# enough people beside person 7 for a group to be shown, whatever the noise
my $node = neighbours('image', '', "INSERT INTO hr.emp SELECT i, 'd', 40, 1, i, 1, timestamp '2020-01-01', 'q' FROM generate_series(10, 100) i;");

# char(5) by its modifier, and yet without blanks for person 7; and a cast that does what it likes with its modifier.
prepare(<<'SQL');
CREATE TABLE ana.liar AS SELECT x, k FROM ROWS FROM (unnest((SELECT array_agg(ROW(CASE i WHEN 7 THEN 'a' ELSE 'a    ' END::bpchar, i)) FROM generate_series(1, 100) i)) AS (x char(5), k int)) t;
ALTER TABLE ana.liar ADD PRIMARY KEY (k);
CREATE TYPE ana.short AS (x text);
CREATE FUNCTION ana.short(ana.short, int, bool) RETURNS bpchar LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN ($1).x; END';
CREATE CAST (ana.short AS bpchar) WITH FUNCTION ana.short(ana.short, int, bool);
CREATE DOMAIN ana.char5 AS char(5);
CREATE TABLE ana.five AS SELECT ROW(CASE i WHEN 7 THEN 'a' ELSE 'a    ' END)::ana.short::ana.char5 AS x, i AS k FROM generate_series(1, 100) i;
ALTER TABLE ana.five ADD PRIMARY KEY (k);
SQL

my $n = 'dp_count(2, 1e-6) > -1e9';
my $keep = 'HAVING dp_keep_group(2, 1e-6)';
same("a value of char(5) that has fewer characters tells no row: $_->[0]", "SELECT x, octet_length(x) > 1 FROM (SELECT $_->[1], $n FROM hr.emp $_->[2] GROUP BY 1 $keep) t (x);") foreach
  [ 'of a public column', 'x', 'JOIN ana.liar ON k = id WHERE id >= 7' ],
  [ 'of a public column of a domain', 'x', 'JOIN ana.five ON k = id WHERE id >= 7' ],
  [ "of a domain, by a cast of the analyst's own", "CASE WHEN id = 7 THEN ROW('a')::ana.short::ana.char5 ELSE ROW('a  ')::ana.short::ana.char5 END", 'WHERE id >= 7' ],
  [ 'of a sub-select', 'x', 'JOIN (SELECT DISTINCT k, x FROM ana.liar) l ON k = id AND x = x WHERE id >= 7' ],
  [ 'as an input of CASE', 'CASE WHEN id = 7 THEN (SELECT x FROM ana.liar WHERE k = 7) ELSE (SELECT x FROM ana.liar WHERE k = 8) END', 'WHERE id >= 7' ],
  [ "of a cast of the analyst's own", "CASE WHEN id = 7 THEN ROW('a')::ana.short::char(5) ELSE ROW('a  ')::ana.short::char(5) END", 'WHERE id >= 7' ];

$node->stop;
done_testing();
