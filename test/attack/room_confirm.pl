# What a verdict rests on may change while a level waits for a lock: then nothing is read, and nothing is charged.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

my $node = neighbours('confirm', '', <<'SQL');
CREATE TABLE hr.dept (name text PRIMARY KEY);
INSERT INTO hr.dept VALUES ('d0'), ('d1'), ('d2');
GRANT SELECT ON hr.dept TO ana;
SELECT gaussdp.set_public_keys('hr.emp', 'dept', 'hr.dept', 'name');
CREATE TABLE hr.visit (person int NOT NULL, note text);
INSERT INTO hr.visit SELECT i % 9, 'n' FROM generate_series(1, 90) i;
SELECT gaussdp.protect('hr.visit', 'person', max_rows => 5), gaussdp.grant_budget('ana', 'hr.visit', 100, 1e-2);
SQL
my $ana = $node->background_psql('one', on_error_stop => 0, extra_params => [ '-U', 'ana' ]);
my $dba = $node->background_psql('one');
my $charges = 'SELECT count(*) FROM gaussdp.journal';
my $query = 'SELECT dept, dp_count(0.1, 1e-6) > -1e9 FROM hr.emp GROUP BY dept ORDER BY dept';

is($ana->query("$query;"), "d0|t\nd1|t\nd2|t", 'groups of public keys are answered');

# Only the room locks the index of the TOAST table: after the first verdict, and before the second.
my $before = $node->safe_psql('one', $charges);
my $toast = $node->safe_psql('one', q(SELECT reltoastrelid::regclass FROM pg_class WHERE oid = 'hr.emp'::regclass));
$dba->query_safe("BEGIN; REINDEX TABLE $toast");
my $seen = meanwhile($ana, $query, $dba, q(SELECT gaussdp.hide_columns('hr.emp', ARRAY['dept']); COMMIT;));
like($seen, qr/ERROR:  permission denied/, 'a column that is hidden when the level has its locks refuses it');
is($node->safe_psql('one', $charges), $before, 'which is not charged then');

# What a person counts as is no part of the query.
foreach ([ 'max_rows', 'max_rows => 50' ], [ 'max_groups', 'max_rows => 5, max_groups => 2' ])
{
	my ($what, $declared) = @$_;
	$node->safe_psql('one', "SELECT gaussdp.protect('hr.visit', 'person', max_rows => 5)");
	$before = $node->safe_psql('one', $charges);
	$toast = $node->safe_psql('one', q(SELECT reltoastrelid::regclass FROM pg_class WHERE oid = 'hr.visit'::regclass));
	$dba->query_safe("BEGIN; REINDEX TABLE $toast");
	$seen = meanwhile($ana, "SELECT dp_count(0.1, 1e-6) > -1e9 FROM hr.visit GROUP BY person HAVING dp_keep_group(0.1, 1e-6)", $dba,
		"SELECT gaussdp.protect('hr.visit', 'person', $declared); COMMIT;");
	like($seen, qr/ERROR:  what the query over protected tables rests on has changed meanwhile/, "another $what when the level has its locks is another verdict");
	is($node->safe_psql('one', $charges), $before, 'and nothing is charged then');
}

# A column that may be NULL from now on needs a condition that the query does not have yet.
$before = $node->safe_psql('one', $charges);
$toast = $node->safe_psql('one', q(SELECT reltoastrelid::regclass FROM pg_class WHERE oid = 'hr.visit'::regclass));
$dba->query_safe("BEGIN; REINDEX TABLE $toast");
$seen = meanwhile($ana, 'SELECT dp_count(0.1, 1e-6) > -1e9 FROM hr.visit', $dba, "UPDATE pg_attribute SET attnotnull = false WHERE attrelid = 'hr.visit'::regclass AND attname = 'person'; COMMIT;");
like($seen, qr/ERROR:  permission denied/, 'a unit that may be NULL when the level has its locks refuses it');
is($node->safe_psql('one', $charges), $before, 'and nothing is charged then');

$ana->quit;
$dba->quit;
$node->stop;
done_testing();
