# What waits for whom: an analyst's open transaction holds up no owner, and no lock holds up a charge for longer than
# gaussdp.charge_timeout.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use LedgerTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

my $node = ledger_server('locks', 'client_min_messages = warning');
my $no_wait = "SET lock_timeout = '10s'";    # a wait would be one for good

$node->safe_psql('d', <<'SQL');
CREATE SCHEMA ana AUTHORIZATION ana;
CREATE TABLE staff (id int PRIMARY KEY);
SELECT gaussdp.protect('staff', 'id', people => 'staff'), gaussdp.grant_budget('ana', 'staff', 20, 1e-6);
SQL

# What ana leaves open, and what owners then say of her (D02)
foreach my $left_open (
	"CREATE TABLE ana.x (id int PRIMARY KEY); SELECT gaussdp.protect('ana.x', 'id', people => 'x')",
	"CREATE TABLE ana.y (id int PRIMARY KEY); SELECT gaussdp.protect('ana.y', 'id')",
	"CREATE TABLE ana.z (id int PRIMARY KEY); SELECT gaussdp.protect('ana.z', 'id', people => 'x'), gaussdp.unprotect('ana.z'); DROP TABLE ana.z")
{
	my $ana = $node->background_psql('d', extra_params => [ '-U', 'ana' ]);

	$ana->query_safe("BEGIN; $left_open");
	foreach my $act (
		"gaussdp.revoke_budget('ana', 'emp')", "gaussdp.grant_budget('ana', 'emp', 20, 1e-6)", "gaussdp.reset_budget('ana', 'emp')",
		"gaussdp.resume_budget('ana', 'staff')", "gaussdp.set_population_budget('staff', 20, 1e-6)", "gaussdp.revoke_budget('ana', 'staff')",
		"gaussdp.grant_budget('ana', 'staff', 20, 1e-6)", "gaussdp.drop_population_budget('staff')")
	{
		my ($status, $out, $err) = $node->psql('d', "$no_wait; SELECT $act");
		is($err, '', "$left_open: $act does not wait");
	}
	$ana->query_safe('ROLLBACK');
	$ana->quit;
}

# Who may not join a population holds up nobody by trying, even where the attempt is rolled back later
{
	my $ana = $node->background_psql('d', extra_params => [ '-U', 'ana' ], on_error_stop => 0);

	$ana->query("BEGIN; CREATE TABLE ana.s (id int PRIMARY KEY); SAVEPOINT s; SELECT gaussdp.protect('ana.s', 'id', people => 'staff'); ROLLBACK TO s");
	my ($status, $out, $err) = $node->psql('d', "$no_wait; SELECT gaussdp.revoke_budget('ana', 'staff')");
	is($err, '', 'an attempt to join a population holds up nobody');
	$ana->query('ROLLBACK');
	$ana->quit;
}

# Nobody finds a name for people of his own whose lock is that of others: here two names with the same 32-bit hash
{
	my ($mine, $others) = split /\|/, $node->safe_psql('d', <<'SQL');
SELECT min(n), max(n) FROM (SELECT 'p' || i AS n FROM generate_series(1, 400000) i) AS names GROUP BY hashtext(n) HAVING count(*) > 1 LIMIT 1
SQL
	$node->safe_psql('d', <<"SQL");
CREATE TABLE others (id int PRIMARY KEY);
SELECT gaussdp.protect('others', 'id', people => '$others'), gaussdp.grant_budget('ana', 'others', 20, 1e-6);
SQL
	my $ana = $node->background_psql('d', extra_params => [ '-U', 'ana' ]);

	$ana->query_safe("BEGIN; CREATE TABLE ana.t (id int PRIMARY KEY); SELECT gaussdp.protect('ana.t', 'id', people => '$mine'), gaussdp.grant_budget('public', 'ana.t', 1, 1e-6)");
	my ($status, $out, $err) = $node->psql('d', "$no_wait; SELECT gaussdp.revoke_budget('ana', 'others')");
	is($err, '', 'a population whose name has the same hash holds up no revocation');
	$ana->query_safe('ROLLBACK');
	$ana->quit;
}

# Two who change the tables and the budgets of one population do wait for one another
{
	my $one = $node->background_psql('d');

	$one->query_safe("BEGIN; CREATE TABLE more (id int PRIMARY KEY); SELECT gaussdp.protect('more', 'id', people => 'staff')");
	my ($status, $out, $err) = $node->psql('d', "SET lock_timeout = '300ms'; SELECT gaussdp.grant_budget('ana', 'staff', 20, 1e-6)");
	like($err, qr/lock timeout/, 'a budget of a population that is getting a table is granted after that');
	$one->query_safe('COMMIT');
	$one->quit;
	is(($node->psql('d', "$no_wait; SELECT gaussdp.grant_budget('ana', 'staff', 20, 1e-6)"))[2], '', 'and then it is');
}

# Who drops a table and does not commit holds up no archive: rows of that table are moved later
{
	$node->safe_psql('d', <<'SQL');
CREATE TABLE ana.mine (id int PRIMARY KEY);
ALTER TABLE ana.mine OWNER TO ana;
SELECT gaussdp.protect('ana.mine', 'id'), gaussdp.grant_budget('public', 'ana.mine', 1, 1e-6);
UPDATE gaussdp_internal.journal_entry SET at = at - interval '1 day';
SQL
	my $ana = $node->background_psql('d', extra_params => [ '-U', 'ana' ]);

	$ana->query_safe('BEGIN; DROP TABLE ana.mine');
	my ($status, $out, $err) = $node->psql('d', "$no_wait; SELECT gaussdp.archive_journal(now() - interval '1 hour') > 0");
	is($err, '', 'an open DROP TABLE holds up no archive');
	is($out, 't', 'which moves the other rows');
	$ana->query_safe('COMMIT');
	$ana->quit;
	is($node->safe_psql('d', "SELECT gaussdp.archive_journal(now() - interval '1 hour')"), '1', 'and its own when it has ended');
	is($node->safe_psql('d', 'SELECT bool_and(agrees) FROM gaussdp.verify_journal()'), 't', 'budgets are proven');
	is($node->safe_psql('d', 'SELECT bool_and(agrees) FROM gaussdp.verify_archive()'), 't', 'and so is the archive');
}

# One clock: a lock that the session itself meets, before its charge, ends with the same timeout
{
	my $dba = $node->background_psql('d');

	$dba->query_safe('BEGIN; LOCK TABLE gaussdp_internal.ledger_account');
	my $start = time;
	my ($status, $out, $err) = ana($node, "SET gaussdp.charge_timeout = '700ms'; SELECT dp_count(1, 1e-6) FROM emp");
	like($err, qr/ERROR:  55P03/, 'a lock on all budgets is not waited for without an end');
	cmp_ok(time - $start, '>=', 0.7, 'but for as long as a charge');
	my $session = start_ana($node, '-c', "SET gaussdp.charge_timeout = '60s'", '-c', 'SELECT dp_count(1, 1e-6) IS NOT NULL FROM emp');
	wait_until($node, "EXISTS (SELECT FROM pg_stat_activity WHERE usename = 'ana' AND wait_event_type = 'Lock')");
	$dba->query_safe('COMMIT');
	$dba->quit;
	($out, $err) = finish_ana($session);
	like($out, qr/^t$/m, 'and is answered when the lock is gone');
}

# Nor does a private query leave a lock on the budgets, behind which who wants the whole table would hold up all charges
{
	my $ana = $node->background_psql('d', extra_params => [ '-U', 'ana' ]);

	$ana->query_safe('BEGIN; SELECT dp_count(1, 1e-6) IS NOT NULL FROM emp');
	is(($node->psql('d', "$no_wait; VACUUM FULL gaussdp_internal.ledger_account"))[2], '', 'an open transaction with a private query holds up no lock on all budgets');
	$ana->query_safe('ROLLBACK');
	$ana->quit;
}

$node->stop;
done_testing();
