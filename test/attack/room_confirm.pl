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
my $seen = meanwhile($ana, $query, $dba, "SELECT gaussdp.drop_public_keys('hr.emp', 'dept'); COMMIT;");
like($seen, qr/ERROR:  permission denied/, 'keys that are public no more when the level has its locks refuse it');
is($node->safe_psql('one', $charges), $before, 'which is not charged then');

$ana->quit;
$dba->quit;
$node->stop;
done_testing();
