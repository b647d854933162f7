# An analyst's own enumeration is renamed while a level runs: no person decides which of the two names the rows of others have.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

my $node = neighbours('renamed', '', <<'SQL');
CREATE TABLE hr.who (id int PRIMARY KEY);
INSERT INTO hr.who SELECT generate_series(1, 1040);
SELECT gaussdp.protect('hr.who', 'id'), gaussdp.grant_budget('ana', 'hr.who', 10, 1e-4);
SQL
$node->safe_psql('none', 'DELETE FROM hr.who WHERE id = 7');

# Person 7's row asks for the name first; then come rows that take their time, in which it changes; then all others ask.
my $query = <<'SQL';
SELECT dp_count(0.05, 1e-9) FILTER (WHERE (CASE WHEN id = 7 OR id > 40 THEN 'old'::ana.mine
	WHEN id BETWEEN 10 AND 40 AND length(power((repeat('7', 900) || '.' || repeat('7', 1000))::numeric + id, ('1.' || repeat('3', 1000))::numeric)::text) > 0 THEN NULL END)::text = 'old')
FROM hr.who;
SQL
# not sooner after the charge than by new connections: the labels are copied behind it, before the first row
OnePsql::keep(0) if defined &OnePsql::keep;
my %answer;
foreach my $database ('none', 'one')
{
	$node->safe_psql($database, "CREATE TYPE ana.mine AS ENUM ('old', 'b'); ALTER TYPE ana.mine OWNER TO ana");
	my $ana = $node->background_psql($database, on_error_stop => 0, timeout => $PostgreSQL::Test::Utils::timeout_default, extra_params => ['-U', 'ana']);
	$ana->query_until(qr/begun/, "\\echo begun\n$query");
	$node->poll_query_until($database, "SELECT count(*) > 0 FROM gaussdp.journal") or die 'nothing was charged';
	$node->safe_psql($database, "ALTER TYPE ana.mine RENAME VALUE 'old' TO 'new'");
	my $said = $ana->query('SELECT 1') . $ana->{stderr};
	($answer{$database}) = $said =~ /^(-?[\d.]+)\n1$/m;
	ok(defined $answer{$database}, "$database: answered") || diag($said);
	$ana->quit;
}
# 5 standard deviations of the difference
cmp_ok(abs(($answer{one} // 1e9) - ($answer{none} // -1e9)), '<', 700, 'one person changes one row of the answer');
$node->stop;
done_testing();
