# The ledger survives dump and restore, plain and custom: limits, what is spent and the journal are there, and
# charges go on counting from there. Roles that are missing are told loudly.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use LedgerTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = ledger_server('dump', "gaussdp.journal_query_text = on\ngaussdp.max_private_errors = 5");
my $dir = PostgreSQL::Test::Utils::tempdir();
$node->safe_psql('d', <<'SQL');
CREATE ROLE eve LOGIN;
CREATE TABLE "Odd Table" (id int PRIMARY KEY);
CREATE TABLE gone (id int PRIMARY KEY);
SELECT gaussdp.protect('"Odd Table"', 'id', people => 'people of ''odd''; tables'), gaussdp.protect('gone', 'id');
SELECT gaussdp.grant_budget('ana', '"Odd Table"', 3, 1e-6, '30 days', 1, 2e-7), gaussdp.grant_budget('public', 'pay', 2, 1e-6),
  gaussdp.grant_budget('eve', 'emp', 1, 1e-6), gaussdp.grant_budget('ana', 'gone', 1, 1e-6), gaussdp.set_population_budget('emp', 9, 1e-6);
SQL
$node->safe_psql('d', 'CREATE ROLE zoe LOGIN');
$node->psql('d', "SELECT charge('pay', 0.001); SET gaussdp.charge_timeout = '60s'; SELECT private_error('{pay}')", extra_params => [ '-U', 'zoe' ]) foreach 1 .. 6;
ana($node, "SELECT charge('$_', 1, 10, 1e-9, 2)") foreach 'emp', '"Odd Table"', 'gone', 'pay';
$node->safe_psql('d', "SELECT gaussdp.revoke_budget('eve', 'emp'); DROP TABLE gone");

# Part of the journal is archived
$node->safe_psql('d', "UPDATE gaussdp_internal.journal_entry SET at = at - interval '1 year'");
is($node->safe_psql('d', "SELECT gaussdp.archive_journal(now() - interval '1 day', 4)"), 4, 'four rows of the journal are archived');
my $proofs = 'SELECT (SELECT count(*) || \' \' || bool_and(agrees) FROM gaussdp.verify_journal() WHERE "table" = 0 OR "table" IN (SELECT oid FROM pg_class)), (SELECT count(*) || \' \' || bool_and(agrees) FROM gaussdp.verify_archive())';
my $proven = $node->safe_psql('d', $proofs);
like($proven, qr/^\d+ true\|1 true$/, 'budgets and archive are proven');

my $accounts = <<'SQL';
SELECT people, relation::text, holder, role::text, role_name, granted, epsilon, delta, threshold_delta, max_epsilon_per_query,
  limit_mu2, limit_delta, query_mu2, every, since, period, spent_mu2, spent_delta, number, term
FROM gaussdp_internal.ledger_account WHERE relation = 0 OR relation IN (SELECT oid FROM pg_class) ORDER BY people COLLATE "C", relation::text, holder, role_name
SQL
my $journal = <<'SQL';
SELECT charge, at, event, session_role, role, people, relation_name, mu2, threshold_delta, releases, population, population_term,
  account, account_term, more_accounts, queries, query_text, terms
FROM gaussdp_internal.journal_entry ORDER BY charge
SQL
my ($old_accounts, $old_journal) = ($node->safe_psql('d', $accounts), $node->safe_psql('d', $journal));
like($old_accounts, qr/\|emp\|r\|eve.*\|pay\|r\|-.*people of 'odd'; tables\|-\|r\|ana/s, 'there are accounts of all kinds');
is(journal($node), 14, 'and charges');
my $counts = 'SELECT people, relation::text, role::text, role_name, errors, clears, suspended FROM gaussdp_internal.error_count ORDER BY role_name, relation::text';
my $old_counts = $node->safe_psql('d', $counts);
like($old_counts, qr/^\|pay\|zoe\|zoe\|6\|infinity\|20/, 'and a role that is suspended');

$node->command_ok([ 'pg_dump', '-d', 'd', '-f', "$dir/plain.sql" ], 'pg_dump, plain');
$node->command_ok([ 'pg_dump', '-d', 'd', '-Fc', '-f', "$dir/custom" ], 'pg_dump, custom');

# The restored ledger is the old one, and goes on.
sub same_ledger
{
	my ($database) = @_;

	is($node->safe_psql($database, $accounts), $old_accounts, "$database: limits and what is spent are there");
	is($node->safe_psql($database, $journal), $old_journal, "$database: and the journal");
	is($node->safe_psql($database, $counts), $old_counts, "$database: and counts of errors");
	is($node->safe_psql($database, $proofs), $proven, "$database: and proofs");
	my ($status, $out, $err) = $node->psql($database, "SELECT charge('emp')", extra_params => [ '-U', 'ana' ]);
	is($out, 1, "$database: charges go on");
	is($node->safe_psql($database, <<'SQL'), 't', "$database: and count from there");
SELECT count(*) = 2 AND bool_and(agrees)
  AND (SELECT count(*) FROM (SELECT charge FROM gaussdp_internal.journal_entry UNION ALL SELECT charge FROM gaussdp_internal.journal_archive) AS j)
    = (SELECT last_value FROM gaussdp_internal.journal_number)
FROM gaussdp.verify_journal() WHERE "table" = 'emp'::regclass AND paid_by IN ('ana', 'population')
SQL
	($status, $out, $err) = $node->psql($database, "SELECT charge('emp')", extra_params => [ '-U', 'eve', '-v', 'VERBOSITY=verbose' ]);
	like($err, qr/42501/, "$database: a revoked budget stays revoked");
	($status, $out, $err) = $node->psql($database, "SELECT charge('pay')", extra_params => [ '-U', 'zoe' ]);
	like($err, qr/is suspended/, "$database: a suspended role stays suspended");
	return;
}

$node->safe_psql('postgres', 'CREATE DATABASE plain; CREATE DATABASE custom; CREATE DATABASE late');
my @psql = ('psql', '-qX', '-v', 'ON_ERROR_STOP=1', '-o', '/dev/null', '-f', "$dir/plain.sql");
$node->command_ok([ @psql, '-d', 'plain' ], 'restore, plain');
same_ledger('plain');
$node->command_ok([ 'pg_restore', '--exit-on-error', '-j4', '-d', 'custom', "$dir/custom" ], 'restore, custom with -j4');
same_ledger('custom');

# A role is missing at restore: an error, no budget at all and no answer, until it is there.
$node->safe_psql($_, 'DROP OWNED BY eve') foreach 'd', 'plain', 'custom';
$node->safe_psql('d', 'DROP ROLE eve');
$node->command_fails_like([ @psql, '-d', 'late' ], qr/role "eve" does not exist/, 'a missing role is an error at restore');
$node->safe_psql('postgres', 'DROP DATABASE late; CREATE DATABASE late');
$node->command_fails_like([ 'pg_restore', '-d', 'late', "$dir/custom" ], qr/role "eve" does not exist/, 'with pg_restore, too');
my ($status, $out, $err) = $node->psql('late', "SELECT charge('emp')", extra_params => [ '-U', 'ana', '-v', 'VERBOSITY=verbose' ]);
like($err, qr/42501/, 'without budgets nothing is answered');
$node->safe_psql('late', 'CREATE ROLE eve LOGIN');
$node->command_ok([ 'pg_restore', '--exit-on-error', '--data-only', '-n', 'gaussdp_internal', '-t', 'ledger_account', '-d', 'late', "$dir/custom" ],
	'the budgets are restored when the role is there');
same_ledger('late');

# Restored over budgets that are there: refused at once, and not by the next charge; then as the hint says.
my @over = ('pg_restore', '-h', $node->host, '-p', $node->port, '--exit-on-error', '--data-only', '-n', 'gaussdp_internal', '-d', 'late', "$dir/custom");
$node->safe_psql('late', 'CREATE ROLE eve LOGIN') if $node->safe_psql('late', "SELECT count(*) FROM pg_roles WHERE rolname = 'eve'") eq '0';
my ($before) = $node->safe_psql('late', 'SELECT count(*) FROM gaussdp_internal.ledger_account');
($status, $out, $err) = (0, '', '');
IPC::Run::run([ @over, '-t', 'ledger_account' ], '>', \$out, '2>', \$err);
like($err, qr/the ledger has this account already/, 'a second row of an account is refused');
is($node->safe_psql('late', 'SELECT count(*) FROM gaussdp_internal.ledger_account'), $before, 'and none is there');
my ($empty) = $err =~ /HINT: .*(TRUNCATE [^.]*(?:[.]\w+[^.]*)*)[.]/ or fail('the hint says what to do');
$node->safe_psql('late', $empty);
$node->command_ok([ @over, '-t', 'ledger_account', '-t', 'error_count', '-t', 'journal_entry', '-t', 'journal_checkpoint', '-t', 'journal_sum', '-t', 'journal_archive' ], 'a restore over an emptied ledger');
is($node->safe_psql('late', $accounts), $old_accounts, 'has the budgets of the dump');

# A subscriber of logical replication has the rows and not the sequences: the worker mends them before its first charge.
sub without_sequences
{
	my ($numbers) = @_;

	$node->restart; # no worker is left
	$node->safe_psql('custom', "SELECT setval('gaussdp_internal.journal_number', $numbers), setval('gaussdp_internal.account_number', $numbers)");
	($status, $out, $err) = $node->psql('custom', "SELECT charge('emp')", extra_params => [ '-U', 'ana' ]);
	is("$out$err", 1, "charges go on where the sequences stood at $numbers");
	is($node->safe_psql('custom', q(SELECT max(charge) = (SELECT last_value FROM gaussdp_internal.journal_number) FROM gaussdp_internal.journal_entry)), 't', 'with the next number');
	$node->safe_psql('custom', q(SELECT gaussdp.grant_budget('zoe', 'emp', 1, 1e-6)));
	is($node->safe_psql('custom', 'SELECT count(*) - count(DISTINCT number) FROM gaussdp_internal.ledger_account'), '0', 'and accounts have numbers of their own');
	return;
}
without_sequences('1, false');
my $last = $node->safe_psql('custom', 'SELECT max(charge) FROM gaussdp_internal.journal_entry');
without_sequences("$last, false");
my $untouched = $node->safe_psql('custom', 'SELECT setval(\'gaussdp_internal.journal_number\', 1000)');
$node->restart;
$node->safe_psql('custom', "SELECT charge('emp')", extra_params => [ '-U', 'ana' ]);
is($node->safe_psql('custom', 'SELECT max(charge) FROM gaussdp_internal.journal_entry'), 1001, 'a sequence that is ahead stays there');

$node->stop;
done_testing();
