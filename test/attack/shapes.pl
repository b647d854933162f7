# Queries as people and their tools type them, with gaussdp.answer_plain_sql: joins that are put in, outer joins, views, previews.  What comes
# back looks the same whether person 7, with rows, orders and parts that nobody else has, is there or not.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

my $node = neighbours('shapes', '', <<'SQL');
SET ROLE own;
CREATE TABLE hr.ord (no int PRIMARY KEY, id int NOT NULL, day int, status text);
INSERT INTO hr.ord SELECT 10 * i + j, i, j, CASE i WHEN 7 THEN 'only' ELSE 's' || j END FROM generate_series(1, 9) i, generate_series(1, 3) j
WHERE i <> 7 OR current_database() = 'one';
CREATE TABLE hr.part (ord int NOT NULL, piece int, price int);
INSERT INTO hr.part SELECT no, CASE id WHEN 7 THEN 77 ELSE no % 4 END, day FROM hr.ord, generate_series(1, 2);
CREATE TABLE hr.pub (k int PRIMARY KEY, name text);
INSERT INTO hr.pub SELECT i, 'p' || i FROM generate_series(0, 80) i;
GRANT SELECT ON hr.pub TO ana;
RESET ROLE;
SELECT gaussdp.protect('hr.emp', 'id', people => 'staff', change_unit => true), gaussdp.protect('hr.ord', 'id', max_rows => 3, people => 'staff'),
    gaussdp.protect('hr.part', 'ord', via => 'hr.ord', max_rows => 6), gaussdp.set_bounds('hr.part', 'price', 0, 5),
    gaussdp.grant_budget('ana', 'hr.ord', 1000, 1e-2, default_epsilon => 1, default_delta => 1e-8);
SQL

# In one session, where an error ends nothing; $refused of the queries are, and the others answered.
sub look_same
{
	my ($name, $refused, @queries) = @_;
	my $script = join "\n", 'SET gaussdp.answer_plain_sql = on;', @queries;
	my ($out, $err);
	same($name, $script);
	$node->psql('one', $script, stdout => \$out, stderr => \$err, on_error_stop => 0, extra_params => [ '-U', 'ana' ]);
	is(scalar(() = $err =~ /ERROR: /g), $refused, "$name: refused are $refused of " . scalar(@queries)) or diag $err;
	return;
}

# Rows that name no person, joined by the rewriting.
look_same('rows that name no person', 2,
	'SELECT count(*), sum(price) FROM hr.part;',
	'SELECT piece, count(*) FROM hr.part GROUP BY piece;',
	'SELECT name, count(ord) FROM hr.pub LEFT JOIN hr.part ON k = piece WHERE k > 75 GROUP BY name ORDER BY name;',
	'SELECT count(*) FROM hr.ord o WHERE EXISTS (SELECT FROM hr.part p WHERE p.ord = o.no AND p.piece = 77);',
	'SELECT n, count(*) FROM (SELECT ord, sum(price) AS n FROM hr.part GROUP BY ord) s GROUP BY n;',
	'SELECT count(*) FROM hr.part p LEFT JOIN hr.ord o ON o.no = p.ord AND o.status = \'only\';',
	'SELECT count(*) FROM hr.ord a JOIN hr.ord b USING (no) JOIN hr.part p ON p.ord = b.no WHERE a.id = 7;',
	'SELECT count(*) FROM hr.part a JOIN hr.part b ON a.ord = b.ord AND a.piece = 77;',
	'SELECT a.piece, count(*) FROM hr.part a JOIN hr.part b ON a.piece = b.piece GROUP BY a.piece;',
	'SELECT ord, count(*) FROM hr.part GROUP BY ord;');

# Where all groups are hidden, the answer says so, and from which size on they are shown.
{
	my ($out, $err);
	$node->psql('one', 'SET gaussdp.answer_plain_sql = on; SELECT piece, count(*) FROM hr.part GROUP BY piece', stdout => \$out, stderr => \$err, extra_params => [ '-U', 'ana' ]);
	is($out, '', 'groups of a few people are hidden');
	like($err, qr/NOTICE:  no group is shown\nDETAIL:  Groups of fewer than about (3[0-9]|4[0-9]) people are hidden/, 'which is said');
}

# Outer joins: the side that is kept decides which groups may be seen.
look_same('outer joins', 0,
	'SELECT name, count(*) FROM hr.emp LEFT JOIN hr.pub ON k = id GROUP BY name;',
	'SELECT coalesce(name, \'none\'), count(*) FROM hr.emp LEFT JOIN hr.pub ON k = id AND k <> 8 GROUP BY 1;',
	'SELECT CASE WHEN name = \'p7\' THEN 1 WHEN name IS NULL THEN 2 END, count(*) FROM hr.emp LEFT JOIN hr.pub ON k = id GROUP BY 1;',
	'SELECT name, status, count(*) FROM hr.pub RIGHT JOIN hr.emp ON k = emp.id JOIN hr.ord ON ord.id = emp.id GROUP BY 1, 2;',
	'SELECT name, count(emp.id) FROM hr.pub LEFT JOIN hr.emp ON k = id GROUP BY name ORDER BY 1;',
	'SELECT name, count(*) FROM hr.pub LEFT JOIN hr.emp ON k = id WHERE age > 46 GROUP BY name;',
	'SELECT name, count(*) FROM hr.pub LEFT JOIN hr.emp ON k = emp.id JOIN hr.ord ON ord.id = emp.id GROUP BY name;',
	'SELECT p.name, q.name, count(*) FROM hr.pub p LEFT JOIN hr.emp ON p.k = emp.id LEFT JOIN hr.pub q ON q.k = emp.age GROUP BY 1, 2;',
	'SELECT name FROM hr.emp LEFT JOIN hr.pub ON k = id GROUP BY name;',
	'SELECT DISTINCT name FROM hr.emp LEFT JOIN hr.pub ON k = id;');

# A number for each row of a public table.
look_same('sub-selects', 2,
	'SELECT name, (SELECT count(*) FROM hr.emp WHERE id = k) FROM hr.pub ORDER BY k;',
	'SELECT name, (SELECT sum(price) FROM hr.part WHERE piece = k) FROM hr.pub WHERE k > 70 ORDER BY k;',
	'SELECT name FROM hr.pub WHERE (SELECT count(*) FROM hr.emp WHERE id = k) > 1e6;',
	'SELECT name, (SELECT count(*) FROM hr.ord o JOIN hr.part p ON p.ord = o.no WHERE p.piece = pub.k AND o.status = \'only\') FROM hr.pub ORDER BY k;',
	'SELECT name, (SELECT bit_or(age) FROM hr.emp WHERE id = k) FROM hr.pub;',
	'SELECT name, (SELECT count(*) FROM hr.emp WHERE id = k AND age > length(name)) FROM hr.pub;');

# UNION ALL of the same people's rows, and what comes near it.
look_same('UNION ALL', 4,
	'SELECT count(*), sum(x) FROM (SELECT price AS x FROM hr.part UNION ALL SELECT day FROM hr.ord WHERE status = \'only\') u;',
	'SELECT x, count(*) FROM (SELECT piece AS x FROM hr.part UNION ALL SELECT age FROM hr.emp) u GROUP BY x;',
	'WITH u AS (SELECT id, day AS x FROM hr.ord UNION ALL SELECT id, age FROM hr.emp) SELECT k, count(u.id) FROM hr.pub LEFT JOIN u ON u.x = k WHERE k > 70 GROUP BY k ORDER BY k;',
	'SELECT count(*) FROM (SELECT id FROM hr.emp UNION SELECT id FROM hr.ord) u;',
	'SELECT count(*) FROM (SELECT id FROM hr.emp UNION ALL SELECT id FROM hr.ord INTERSECT ALL SELECT 7) u;',
	'SELECT count(*) FROM (SELECT id FROM hr.emp UNION ALL (SELECT id FROM hr.ord ORDER BY day LIMIT 1)) u;',
	'SELECT id FROM hr.emp UNION ALL SELECT id FROM hr.ord;');

# Views of her own, which are read as if they were written in the query, and those that only tools need.
$node->safe_psql($_, 'SELECT gaussdp.create_tool_schema(\'tool\', \'{hr.emp,hr.ord,hr.part}\'); GRANT CREATE ON SCHEMA ana TO ana;') foreach 'one', 'none';
prepare(<<'SQL');
CREATE VIEW ana.parts AS SELECT p.*, o.status FROM hr.part p JOIN hr.ord o ON o.no = p.ord;
CREATE VIEW ana.statuses AS SELECT status, count(*) AS n, avg(price) AS price FROM ana.parts GROUP BY status;
CREATE VIEW ana.spent AS SELECT id, count(*) AS n FROM hr.ord GROUP BY id;
SQL
look_same('views', 2,
	'SELECT * FROM ana.statuses;',
	'SELECT status, count(*) FROM ana.parts GROUP BY status;',
	'SELECT n, count(*) FROM ana.spent GROUP BY n;',
	'SELECT * FROM ana.spent;',
	'CREATE TEMP VIEW v AS SELECT dept, note, count(*) FROM hr.emp GROUP BY dept, note; SELECT * FROM v;',
	'SELECT e.dept, count(p.piece) FROM tool.emp e LEFT JOIN tool.ord o ON o.id = e.id LEFT JOIN tool.part p ON p.ord = o.no GROUP BY e.dept;',
	'SELECT o.status, count(*) FROM tool.ord o JOIN tool.ord q ON q.no = o.no GROUP BY o.status;',
	'SELECT * FROM tool.emp;');

done_testing();
