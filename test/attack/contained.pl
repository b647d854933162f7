# contained() catches errors without a subtransaction.  Nothing of that shows: no message, no setting; and it takes no error for
# its own that is not: one of a parallel worker, a cancel.
use strict;
use warnings FATAL => 'all';

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('contained');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'gaussdp'\n");
$node->start;
$node->safe_psql('postgres', "CREATE EXTENSION gaussdp;\n\\i $FindBin::RealBin/../module/contained.sql\n"
	  . 'CREATE TABLE numbers AS SELECT i, i::numeric AS n FROM generate_series(1, 20000) i; ALTER TABLE numbers SET (parallel_workers = 2); ANALYZE numbers');

sub asked
{
	my ($sql) = @_;
	$node->psql('postgres', $sql, stdout => \my $out, stderr => \my $err, on_error_stop => 0, timeout => $PostgreSQL::Test::Utils::timeout_default, timed_out => \my $late);
	return ($late ? 'never answered' : $out, $err);
}

my $fails = q{SELECT count(*), count(gaussdp_internal.contained(NULL::int, test_tree('$1 / $2', '{int,int}'), i, i - i)) FROM numbers};
my ($out, $err) = asked("SET exit_on_error = on; $fails; SHOW exit_on_error;");
is($out, "20000|0\non", 'errors are contained where every error would end the session');
is($err, '', 'without a message');

my $start = -s $node->logfile;
($out, $err) = asked("SET log_min_messages = debug5; SET client_min_messages = debug5; SET log_error_verbosity = verbose; $fails; SHOW client_min_messages;");
like($out, qr/^20000\|0\ndebug5$/m, 'answered where all messages are shown');
unlike($err . slurp_file($node->logfile, $start), qr/division by zero|22012/, 'a contained error is no message, at any level');

# The leader is in a contained expression nearly all of the time; where a major's functions look for interrupts, these wait.
my $slow = q{gaussdp_internal.contained(NULL::numeric, test_tree('ln($1 + $2)', '{numeric,numeric}'), n, repeat('7', 999)::numeric)};
my $parallel = 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2';
($out, $err) = asked("$parallel; SELECT count($slow), count(test_fails_in_worker(i)) FROM numbers");
is($out, '', "a worker's error ends the query");
like($err, qr/ERROR:  failed in a worker/, 'as what it is');
($out, $err) = asked("$parallel; " . ($fails =~ s/count\(\*\), //r));
is($out, '0', 'errors are contained in workers, too');

($out, $err) = asked("SET statement_timeout = 200; SELECT count($slow) FROM numbers, generate_series(1, 1000); RESET statement_timeout; SELECT count($slow) FROM numbers WHERE i < 3;");
like($err, qr/canceling statement due to statement timeout/, 'a cancel ends the query');
is($out, '2', 'and the session goes on');

$node->stop;
done_testing();
