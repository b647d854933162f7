# Charges that are committed together: queries that are equal in all that the journal says are one row of it, others are not.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use LedgerTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = ledger_server('batches', "max_connections = 20\n");

$node->safe_psql('d', <<'SQL');
CREATE ROLE deputy LOGIN;
GRANT ana TO deputy;
CREATE TABLE staff (id int PRIMARY KEY);
SELECT gaussdp.protect('staff', 'id'), gaussdp.grant_budget('ana', 'staff', 20, 1e-6);
ALTER SYSTEM SET gaussdp.charge_timeout = '60s';
SELECT pg_reload_conf();
SQL

# All wait for a lock on the budgets, and are tried again together until it is gone
my $dba = $node->background_psql('d');
$dba->query_safe('BEGIN; SELECT FROM gaussdp_internal.ledger_account FOR UPDATE');
my @sessions = map { start_ana($node, @$_) } (
	([ '-c', "SELECT charge('emp')" ]) x 3,
	([ '-c', "SELECT charge('emp', 1, 20)" ]) x 2,
	[ '-c', "SELECT charge('emp', 1, 10, 0, 2)" ],
	[ '-c', "SELECT charge('emp', 1, 10, 1e-9)" ],
	[ '-c', "SELECT charge('emp', 2, 20)" ],    # of the same price as the first, but other releases
	[ '-c', "SELECT charge('staff')" ],
	[ '-U', 'deputy', '-c', 'SET ROLE ana', '-c', "SELECT charge('emp')" ]);
wait_until($node, "count(*) = 10 FROM pg_stat_activity WHERE usename IN ('ana', 'deputy') AND wait_event IN ('Extension', 'GaussdpCharge')");
$dba->query_safe('COMMIT');
$dba->quit;
foreach my $session (@sessions)
{
	my ($out, $err) = finish_ana($session);
	is($err, '', 'charged') or diag($out);
}

is($node->safe_psql('d', <<'SQL'), <<'ROWS' =~ s/\n\z//r, 'a row of the journal for each query that is not equal to another, with the sum of those that are');
SELECT relation_name, session_role, queries, round(mu2 / 2 ^ 52 * 1e4) AS mu2, threshold_delta > 0 AS hides_groups
FROM gaussdp_internal.journal_entry WHERE event = 'charge' ORDER BY 1, 2, 4, 3, 5
SQL
public.emp|ana|2|50|
public.emp|ana|1|100|t
public.emp|ana|1|100|
public.emp|ana|1|200|
public.emp|ana|3|300|
public.emp|deputy|1|100|
public.staff|ana|1|100|
ROWS
is($node->safe_psql('d', 'SELECT bool_and(agrees) FROM gaussdp.verify_journal()'), 't', 'and the budgets have paid for them');
$node->stop;
done_testing();
