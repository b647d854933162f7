# What the administrator's functions say to an analyst, and what rows of nobody and hidden columns do to answers, is the same whether a person is there,
# was erased so that rows of nobody remain, or never was.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

# In `none` person 7 was erased: hr.badge has rows of nobody then, hr.call none of that caller.
my $node = neighbours('administration', '', <<'SQL');
SET ROLE own;
CREATE TABLE hr.badge (id int REFERENCES hr.emp ON DELETE SET NULL, zone text, printed date);
INSERT INTO hr.badge SELECT i, 'z' || CASE i WHEN 7 THEN 7 ELSE i % 2 END, date '2026-01-01' + i FROM generate_series(1, 9) i, generate_series(1, 3);
CREATE TABLE hr.call (caller int NOT NULL REFERENCES hr.emp ON DELETE CASCADE, callee int REFERENCES hr.emp ON DELETE SET NULL, minutes int, note text);
INSERT INTO hr.call SELECT i, 8 - i % 3, i, 'n' FROM generate_series(1, 9) i;
CREATE VIEW hr.talk AS SELECT caller, minutes, callee FROM hr.call;
CREATE TABLE hr.zone (name text PRIMARY KEY);
INSERT INTO hr.zone VALUES ('z0'), ('z1'), ('z7');
GRANT SELECT ON hr.zone TO ana;
ANALYZE hr.badge, hr.call;
RESET ROLE;
SELECT gaussdp.protect('hr.emp', 'id', people => 'staff', change_unit => true), gaussdp.protect('hr.badge', 'id', max_rows => 2, people => 'staff'),
	gaussdp.protect('hr.call', 'caller', max_rows => 5, people => 'staff'), gaussdp.hide_columns('hr.call', '{callee,note}'), gaussdp.set_public_keys('hr.badge', 'zone', 'hr.zone', 'name'),
	gaussdp.grant_budget('ana', 'hr.emp', 1000, 1e-2);
SQL

my @says = ("SELECT * FROM gaussdp.check_policy()", (map { "SELECT * FROM gaussdp.check_policy('$_')" } 'hr.emp', 'hr.badge', 'hr.call'),
	"SELECT gaussdp_internal.rows_of_nobody('hr.badge')", "SELECT * FROM gaussdp_internal.check_nobody('hr.badge')", "SELECT gaussdp_internal.notice_nobody('hr.badge')",
	"SELECT * FROM gaussdp_internal.check_budgets('hr.badge')", "SELECT gaussdp.protect('hr.badge', 'id')", "SELECT * FROM gaussdp.suggest('hr')",
	'SELECT * FROM gaussdp.dump_declarations()', 'SELECT "table"::text, unit, max_rows, people, usable, problem FROM gaussdp.protected_tables ORDER BY 1',
	'SELECT "table"::text, "column", not_null, is_unit, hidden FROM gaussdp.columns ORDER BY 1, 2', 'SELECT * FROM gaussdp.stat_policy', 'SELECT * FROM gaussdp.stat_progress',
	'SELECT people, paid_by, epsilon, terms, tables::text FROM gaussdp.my_budget',
	(map { ("SELECT verdict, call, sigma, epsilon, reason, hint FROM gaussdp.explain_privacy(\$\$$_\$\$)", "EXPLAIN $_", "SET gaussdp.as_analyst = on; EXPLAIN (VERBOSE) $_") }
		'SELECT dp_count(0.1, 1e-6) FROM hr.badge', 'SELECT zone, dp_count(0.1, 1e-6) FROM hr.badge GROUP BY zone',
		'SELECT dp_count(0.1, 1e-6) FROM hr.emp e JOIN hr.badge b ON b.id = e.id WHERE e.id = 7'));
same_each('word for word', map { [ $_, "$_;" ] } @says);
is($node->safe_psql('none', "SET ROLE own; SELECT gaussdp_internal.rows_of_nobody('hr.badge')"), 3, 'the owner is told of the rows that were left');

# What differs in the rows shows nowhere, but in the numbers.
same_each(map { [ "answered, or not: $_", "$_;" ] }
  'SELECT zone, dp_count(0.1, 1e-6) > -1e9 FROM hr.badge GROUP BY zone ORDER BY zone', "SELECT dp_count(0.1, 1e-6) > -1e9 FROM hr.badge WHERE zone = 'z7'",
  'SELECT printed, dp_count(0.1, 1e-6) > -1e9 FROM hr.badge GROUP BY printed HAVING dp_keep_group(0.1, 1e-9) ORDER BY 1',
  'SELECT dp_count(0.1, 1e-6) > -1e9 FROM hr.emp WHERE id NOT IN (SELECT id FROM hr.badge)', 'SELECT dp_count(0.1, 1e-6) > -1e9 FROM hr.badge WHERE 1 / id > 0',
  'SELECT dp_count(0.1, 1e-6) > -1e9 FROM hr.badge b WHERE NOT EXISTS (SELECT FROM hr.emp e WHERE e.id = b.id)',
  'SELECT dp_count(0.1, 1e-6) > -1e9 FROM hr.talk WHERE minutes > 3');
foreach my $hidden ('SELECT dp_count(0.1, 1e-6) FROM hr.talk WHERE callee = 7', 'SELECT callee, dp_count(0.1, 1e-6) FROM hr.call GROUP BY callee',
	'SELECT dp_count(0.1, 1e-6) FROM hr.call c JOIN hr.emp e ON e.id = c.callee', 'SELECT dp_count(0.1, 1e-6) FROM hr.call WHERE note IS NULL',
	'SELECT dp_count(0.1, 1e-6) FROM (SELECT caller, max(callee) AS m FROM hr.call GROUP BY caller) s', 'SELECT dp_count(0.1, 1e-6) FROM hr.call c WHERE EXISTS (SELECT FROM hr.call d WHERE d.caller = c.caller AND d.callee > 3)')
{
	same("a hidden column is refused in both: $hidden", "$hidden;");
	unlike(told('one'), qr/^-?\d/, 'and not answered');
}

$node->stop;
done_testing();
