# The demo and the tutorial: each step shows what it promises, and ends well.
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

# The tutorial: the registrar gets the truth that it shows, and Ana answers that are as near to it as it says.
# "within 450 20" is at least six standard deviations of each number of a row, one in 10^9, and what weights and bounds cut off.
my $tutorial = slurp_file('../docs/tutorial.md');
$node->safe_psql('postgres', "SELECT gaussdp.grant_budget('ana', 'clinic.patient', 40, 1e-6, default_epsilon => 0.5, default_delta => 1e-7)");

sub ask
{
	my ($role, $query, @format) = @_;
	my ($text, $errors);
	IPC::Run::run([ 'psql', '-qX', '-d', $node->connstr('postgres'), '-v', 'ON_ERROR_STOP=1', @format ],
		'<', \"SET client_min_messages = error; SET gaussdp.answer_plain_sql = on; SET ROLE $role;\n$query", '>', \$text, '2>', \$errors)
	  or diag($errors);
	return $text;
}

my $questions = 0;
while ($tutorial =~ /^### (.*?)\n.*?<!-- as ana, within (.*?) -->\n```sql\n(.*?)```\n```text\n.*?```\n\nTruly:\n\n```text\n(.*?)```/msg)
{
	my ($name, $within, $query, $truth) = ($1, $2, $3, $4);
	$questions++;
	(my $shown = ask('registrar', $query)) =~ s/\n+\z/\n/;
	is($shown, $truth, "$name: the truth is what is shown");
	my ($private, $true) = map { [ map { [ split /\|/ ] } split /\n/, ask($_, $query, '-At') ] } 'ana', 'registrar';
	my @far;
	foreach my $row (0 .. $#$true)
	{
		my @limits = split / /, $within;
		foreach my $i (0 .. $#{ $true->[$row] })
		{
			my ($is, $was) = ($private->[$row][$i] // 'missing', $true->[$row][$i]);
			my $limit = $was =~ /^-?[\d.]+$/ ? shift @limits : undef;
			push @far, "$is and $was" if defined $limit ? $is !~ /^-?[\d.]+$/ || abs($is - $was) > $limit : $is ne $was;
		}
	}
	is("@far", '', "$name: the private answer is near it");
}
is($questions, 15, 'fifteen questions');

$node->stop;
done_testing();
