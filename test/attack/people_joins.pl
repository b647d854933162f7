# Joins of tables about the same people, and rows that are weighed: which groups are there, and whether there is an
# answer, tells of no person.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

# Person 7 is in both tables in `one`, and in neither in `none`.
my $node = neighbours('people', '', <<'SQL');
SET ROLE own;
CREATE TABLE hr.buy (id int NOT NULL, item text, price float8, day int);
INSERT INTO hr.buy SELECT i, 'i' || j % 4, 10 * j, j FROM generate_series(1, 9) i, generate_series(1, 6) j
WHERE i <> 7 OR current_database() = 'one';
CREATE TABLE hr.pub (k int PRIMARY KEY, name text);
INSERT INTO hr.pub SELECT i, 'p' || i FROM generate_series(0, 20) i;
GRANT SELECT ON hr.pub TO ana;
RESET ROLE;
SELECT gaussdp.protect('hr.emp', 'id', people => 'staff', change_unit => true), gaussdp.protect('hr.buy', 'id', max_rows => 3, people => 'staff'),
    gaussdp.grant_budget('ana', 'hr.buy', 1000, 1e-2);
SQL

# Public relations in what an outer join adds beside a person's rows are there if the person is.
my $person = '(hr.pub LEFT JOIN hr.emp ON pub.k = dept_id AND emp.id = 7)';
my %added = (
	'an inner join' => 'hr.buy JOIN hr.pub p ON p.k = 5',
	'a left join' => 'hr.buy LEFT JOIN hr.pub p ON p.k = 5',
	'a list' => '(hr.buy CROSS JOIN hr.pub p) JOIN hr.pub q ON p.k = 5 AND q.k = 6',
	'a row for one row each' => 'hr.emp b JOIN hr.pub p ON p.k = 5',
);
foreach my $name (sort keys %added)
{
	my $unit = $added{$name} =~ /emp b/ ? 'b.id' : 'buy.id';
	same("a group named by public rows beside a person's tells of nobody: $name",
		"SELECT p.k, dp_count(1, 1e-6) FROM $person LEFT JOIN ($added{$name}) ON $unit = emp.id GROUP BY p.k ORDER BY p.k;");
	same("nor the other way round: $name",
		"SELECT p.k, dp_count(1, 1e-6) FROM ($added{$name}) RIGHT JOIN $person ON $unit = emp.id GROUP BY p.k ORDER BY p.k;");
}
same('nor by WHERE over all of it',
	"SELECT pub.k, dp_count(1, 1e-6) FROM $person LEFT JOIN (hr.buy JOIN hr.pub p ON p.k = 5) ON buy.id = emp.id WHERE p.k = 5 GROUP BY pub.k;");
like($node->safe_psql('one', "SELECT pub.k, dp_count(1, 1e-6) FROM $person LEFT JOIN (hr.buy JOIN hr.pub p ON p.k = 5 AND p.k = buy.day) ON buy.id = emp.id GROUP BY pub.k",
		extra_params => [ '-U', 'ana' ]), qr/^20\|/m, 'groups named by rows that are kept are answered');

# A weight of no unit at all would be found out at the first row.
same("persons are counted by at least one unit of weight: $_", "SELECT dp_count(DISTINCT id, 1, 1e-6, $_) FROM hr.buy WHERE id = 7;")
	foreach '1e-9', '9.5e-7', '1e-6', '1e-300', "'NaN'", 'NULL';
same("and of rows: $_", "SELECT item, dp_count(DISTINCT id, 1, 1e-6, $_) FROM hr.buy WHERE id = 7 GROUP BY item HAVING dp_count(DISTINCT id, 1, 1e-6, $_) > 1000;")
	foreach '1e-9', "'NaN'";

done_testing();
