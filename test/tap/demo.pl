# The demo: each step shows what it promises, and ends well.
use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('demo');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'gaussdp'\nfsync = off");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION gaussdp');

chdir 'demo' or die;
my ($out, $err) = ('', '');
my $status = IPC::Run::run([ 'psql', '-qX', '-d', $node->connstr('postgres'), '-v', 'ON_ERROR_STOP=1' ],
	'<', 'clinic_tour.sql', '>', \$out, '2>', \$err);
ok($status, 'the tour ends well') or diag($err);
like($err, qr/permission denied for table visit.*HINT:  Select dp_ calls/s, 'rows are refused, with a hint');
like($err, qr/does not suffice for this query.*costs epsilon 10 at delta 1e-06.*fits\./s, 'a budget runs out in words');
is(scalar(() = $err =~ /ERROR:/g), 2, 'nothing else fails');

# What is shown for Ana and for the registrar, who sees the truth
my ($private, $true) = $out =~ /^ +General +\| +(\d+)/mg;
cmp_ok(abs($private - $true), '<', 141 / 1.96 * 6, 'visits are within their error'); # 6 sigma
my ($private_f, $private_m, $f, $m) = $out =~ /^ [fm] +\| +(\d+)/mg;
cmp_ok(abs($private_f - $f) + abs($private_m - $m), '<', 2 * 9 * 6, 'so are people'); # sigma is 9
my ($often, $truly) = $out =~ /^ +(\d\.\d\d)$/mg;
cmp_ok(abs($often - $truly), '<', 0.1, 'and an average of one number a person');
like($out, qr/ana +\| +4 \| 1e-06/, 'the price and what is left are shown');
is(scalar(() = $out =~ /\| t$/mg), 2, 'the journal agrees with the budgets');

$node->stop;

# Who may neither install nor use sudo is told so before anything is built.
chdir '..' or die;
my $tools = PostgreSQL::Test::Utils::tempdir;
foreach ([ 'sudo', 'exit 1' ], [ 'pg_config', 'echo /' ], [ 'make', 'echo built; exit 1' ])
{
	append_to_file("$tools/$_->[0]", "#!/bin/sh\n$_->[1]\n");
	chmod 0755, "$tools/$_->[0]" or die;
}
{
	local $ENV{PATH} = "$tools:$ENV{PATH}";
	$status = IPC::Run::run([ 'demo/run' ], '>', \$out, '2>', \$err);
}
ok(!$status, 'the demo ends');
is($out, '', 'nothing is built');
like($err, qr{missing: the right to install into / .*run make demo as root, or as somebody who may use sudo; nothing was built}s, 'and it is said what is missing');
done_testing();
