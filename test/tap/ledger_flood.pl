# The ledger: eight sessions that ask for next to nothing as fast as they can do not fill the journal.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use LedgerTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = ledger_server('flood', "max_connections = 40\n");
my $size = "SELECT pg_total_relation_size('gaussdp_internal.journal_entry') + pg_total_relation_size('gaussdp_internal.ledger_account')";
my $before = $node->safe_psql('d', $size);

# 128 calls a query, which once were as many rows of the journal: 60,000 by 60 queries of each session, and two million in the 20 seconds of the
# long form.
my @length = $ENV{GAUSSDP_FULL} ? ('-T', 20) : ('-t', 60);
my $script = PostgreSQL::Test::Utils::tempdir() . '/flood.sql';
append_to_file($script, 'SELECT ' . join(', ', ('dp_count(1e-5, 1e-12)') x 128) . " FROM emp;\n");
my ($out, $err) = run_command([ 'pgbench', '-n', '-c', 8, '-j', 2, @length, '-U', 'ana', '-f', $script, $node->connstr('d') ]);
my ($queries) = $out =~ /number of transactions actually processed: (\d+)/;
like($out, qr/number of failed transactions: 0/, 'eight sessions ask, and get answers') or diag($err);
cmp_ok($queries, '>=', 480, 'hundreds of them');

cmp_ok($node->safe_psql('d', $size) - $before, '<', 2 * 1024 * 1024, 'journal and accounts take less than 2 MB more');
is($node->safe_psql('d', "SELECT sum(queries) FROM gaussdp_internal.journal_entry WHERE event = 'charge'"), $queries, 'and no query is missing in them');
is($node->safe_psql('d', "SELECT sum(mu2) FROM gaussdp_internal.journal_entry WHERE event = 'charge'"), spent($node), 'what they cost adds up to the budget');
diag("$queries queries, " . ($node->safe_psql('d', $size) - $before) . ' bytes');
$node->stop;
done_testing();
