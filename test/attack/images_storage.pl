# A released value lies in memory as any other of its kind: how the row had it, compressed or not, is not to be seen.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

# enough people beside person 7 for a group to be shown, whatever the noise; the group's key is the same text in all
# rows, which only in that of person 7 is compressed, as his row is the long one
my $node = neighbours('storage', '', <<'SQL');
SET ROLE own;
CREATE TABLE hr.long (id int PRIMARY KEY, town text, note text);
ALTER TABLE hr.long ALTER note SET STORAGE EXTERNAL;
INSERT INTO hr.long SELECT i, repeat('town', 200), CASE i WHEN 7 THEN repeat('q', 1900) ELSE 'q' END FROM generate_series(1, 100) i;
RESET ROLE;
SELECT gaussdp.protect('hr.long', 'id'), gaussdp.grant_budget('ana', 'hr.long', 1000, 1e-2);
INSERT INTO hr.emp SELECT i, 'd', 40, 1, i, 1, timestamp '2020-01-01', 'q' FROM generate_series(10, 100) i;
DELETE FROM hr.long WHERE id = 7 AND current_database() = 'none';
SQL

prepare(<<'SQL');
CREATE TABLE ana.long (k int PRIMARY KEY, x text);
INSERT INTO ana.long VALUES (7, repeat('q', 3000));
ALTER TABLE ana.long ALTER x SET STORAGE EXTERNAL;
INSERT INTO ana.long SELECT i, repeat('q', 3000) FROM generate_series(1, 100) i WHERE i <> 7;
SQL

my $n = 'dp_count(2, 1e-6) > -1e9';
my $keep = 'HAVING dp_keep_group(2, 1e-6)';
same("how a value was stored tells no row: $_->[0]", "SELECT pg_column_size(x) < 500, pg_column_compression(x) FROM (SELECT $_->[1], $n FROM $_->[2] GROUP BY 1 $keep) t (x);") foreach
  [ 'of a public column', 'x', 'hr.emp JOIN ana.long ON k = id WHERE id >= 7' ],
  [ 'of a sub-select', 'x', 'hr.emp JOIN (SELECT k, x FROM ana.long) l ON k = id WHERE id >= 7' ],
  [ 'of CASE', 'CASE WHEN id = 7 THEN x ELSE x END', 'hr.emp JOIN ana.long ON k = id WHERE id >= 7' ],
  [ 'of a protected column', 'town', 'hr.long WHERE id >= 7' ],
  [ 'of a column beside an input', "CASE WHEN id = 7 THEN repeat('town', 200) ELSE town END", 'hr.long WHERE id >= 7' ];

$node->stop;
done_testing();
