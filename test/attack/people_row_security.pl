# A role that may read a protected table, but by row security not all of its rows, pays for what a view with dp_ calls tells
# of the others, with gaussdp.as_analyst and without.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

my $node = neighbours('row_security', '', <<'SQL');
DO $$BEGIN IF to_regrole('reader_of_some') IS NULL THEN CREATE ROLE reader_of_some LOGIN; END IF; END$$;
GRANT USAGE ON SCHEMA hr TO reader_of_some;
SET ROLE own;
CREATE TABLE hr.visit (id int NOT NULL, reader name, n int);
INSERT INTO hr.visit SELECT i, CASE i % 2 WHEN 0 THEN 'reader_of_some' ELSE 'somebody' END, i FROM generate_series(1, 50) i;
ALTER TABLE hr.visit ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON hr.visit USING (reader = current_user);
CREATE VIEW hr.counted AS SELECT dp_count(1, 1e-6) AS n FROM hr.visit WHERE reader = 'somebody';
CREATE VIEW hr.published AS SELECT id, reader FROM hr.visit;
GRANT SELECT ON hr.visit, hr.counted, hr.published TO reader_of_some, own;
RESET ROLE;
SELECT gaussdp.protect('hr.visit', 'id', max_rows => 3);
SQL

sub as_reader
{
	my ($sql, $role) = @_;
	my ($out, $err);
	$node->psql('one', $sql, stdout => \$out, stderr => \$err, on_error_stop => 0, extra_params => [ '-U', $role // 'reader_of_some' ]);
	return $out . Neighbours::without_noise($err);
}

foreach my $as_analyst ('off', 'on')
{
	my $set = "SET gaussdp.as_analyst = $as_analyst;";
	like(as_reader("$set SELECT n FROM hr.counted;"), qr/permission denied for table visit/, "a view over hidden rows is not free: as_analyst $as_analyst");
	like(as_reader("$set SELECT dp_count(1, 1e-6) FROM hr.published;"), qr/permission denied for table visit/, "nor are calls over one: as_analyst $as_analyst");
	is(as_reader("$set SELECT count(*) FROM hr.visit; SELECT dp_count(1, 1e-6) IS NULL FROM hr.visit;"), "25\nf", "what the role may read by itself is: as_analyst $as_analyst");
	is(as_reader("$set SELECT count(*) FROM hr.published;"), '50', "what the owner has published is: as_analyst $as_analyst");
	is(as_reader("$set SELECT n IS NULL FROM hr.counted;", 'own'), 'f', "the owner pays nothing: as_analyst $as_analyst");
}
$node->safe_psql('one', q{SELECT gaussdp.grant_budget('reader_of_some', 'hr.visit', 2, 1e-4)});
foreach my $as_analyst ('off', 'on')
{
	is(as_reader("SET gaussdp.as_analyst = $as_analyst; SELECT n IS NULL FROM hr.counted;"), 'f', "with a budget it is answered: as_analyst $as_analyst");
}
is($node->safe_psql('one', q{SELECT count(*) FROM gaussdp.journal WHERE role = 'reader_of_some' AND event = 'charge'}), '2', 'and each reading charged');

done_testing();
