# gaussdp beside other libraries in shared_preload_libraries, in both orders: nothing crashes, every role gets the
# answers and refusals that it gets without them, and the analyst is told the same by two databases that differ in
# one protected row, whatever these libraries print for the client.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

# Everything that these libraries can be made to print, and at a level that clients see.
my $pgaudit = <<'CONF';
pgaudit.log_client = on
pgaudit.log_level = notice
pgaudit.log_catalog = on
pgaudit.log_parameter = on
pgaudit.log_relation = on
pgaudit.log_rows = on
CONF
my $explain = <<'CONF';
auto_explain.log_min_duration = 0
auto_explain.log_nested_statements = on
auto_explain.log_level = notice
auto_explain.log_settings = on
auto_explain.log_verbose = on
CONF
my $analyze = <<'CONF';
auto_explain.log_analyze = on
auto_explain.log_buffers = on
auto_explain.log_wal = on
auto_explain.log_triggers = on
auto_explain.log_timing = off
CONF
my $statements = <<'CONF';
pg_stat_statements.track = all
pg_stat_statements.track_planning = on
CONF
my $quals = <<'CONF';
pg_qualstats.sample_rate = 1
pg_qualstats.track_constants = on
CONF

my $everything = 'auto_explain,pgaudit,pg_cron,pg_qualstats,pg_stat_statements,pg_wait_sampling,set_user,hypopg';
my @cases = (
	[ 'pgaudit', "$pgaudit\npgaudit.log = all" ],
	[ 'pg_stat_statements', $statements ],
	[ 'auto_explain', "$explain\n$analyze" ],
	[ 'pg_qualstats', $quals ],
	[ 'hypopg,pg_cron,pg_wait_sampling,set_user', "pg_wait_sampling.profile_queries = on\nset_user.block_log_statement = on" ],
	[ $everything, "$pgaudit\npgaudit.log = all\n$explain\n$analyze\n$statements\n$quals" ]);

my $node = neighbours('gaussdp', '');
answers($node, 'alone');
# All of them at once in both orders, one alone in one of them, in the long form in both
my $first = 1;
foreach my $case (@cases)
{
	my ($libraries, $settings) = @$case;

	$first = !$first;
	foreach my $order ("gaussdp,$libraries", "$libraries,gaussdp")
	{
		next if !$ENV{GAUSSDP_FULL} && $libraries ne $everything && $first != ($order =~ /^gaussdp/);
		beside($node, $order, $settings);
		answers($node, $order);
	}
}

# auto_explain with compiled expressions, and as it is mostly used
beside($node, 'auto_explain,gaussdp', "$explain\n$analyze");
answers($node, 'auto_explain and JIT', 'SET jit = on; SET jit_above_cost = 0;' . ($ENV{GAUSSDP_FULL} ? ' SET jit_optimize_above_cost = 0;' : ''));
beside($node, 'auto_explain,gaussdp', $explain);
answers($node, 'auto_explain without log_analyze');

# Each class of pgaudit by itself, and its audit of objects, in one order of the two
foreach ([ 'gaussdp,pgaudit', qw(read function ddl misc_set) ], [ 'pgaudit,gaussdp', qw(write role misc none) ])
{
	my ($order, @classes) = @$_;
	foreach my $log (@classes)
	{
		my $role = $log eq 'none' ? 'pgaudit.role = auditor' : '';
		beside($node, $order, "$pgaudit\npgaudit.log = $log\n$role");
		answers($node, "$order, class $log $role");
	}
}
$node->stop;
done_testing();
