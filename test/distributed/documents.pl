# The SQL of docs/distributed.md, on a cluster.
use strict;
use warnings FATAL => 'all';

use Distributed;
use PostgreSQL::Test::Utils;
use Test::More;

my ($coordinator, @workers) = cluster('citus.shard_count' => 32);

# A database of the document's name, as its reader has it before the first block
my $database = 'docs_distributed_md';
$_->safe_psql('postgres', "CREATE DATABASE $database"), $_->safe_psql($database, 'CREATE EXTENSION citus') for $coordinator, @workers;
$coordinator->safe_psql($database, sprintf "SELECT citus_set_coordinator_host('%s', %d)", $coordinator->host, $coordinator->port);
$coordinator->safe_psql($database, sprintf "SELECT citus_add_node('%s', %d)", $_->host, $_->port) for @workers;
$coordinator->safe_psql($database, 'CREATE ROLE analyst');

my $data = PostgreSQL::Test::Utils::tempdir;
append_to_file("$data/citus", '');
$ENV{PGHOST} = $coordinator->host;
$ENV{PGPORT} = $coordinator->port;
$ENV{PGUSER} = 'postgres';
$ENV{GAUSSDP_DATA} = $data;
$ENV{GAUSSDP_PREPARED} = 1;
open my $tap, '-|', 'test/examples.pl docs/distributed.md 2>&1' or die $!;
my ($line, @said);
while ($line = <$tap>)
{
	push @said, $line;
}
close $tap;
my $blocks = 0;
for my $i (0 .. $#said)
{
	next unless $said[$i] =~ /^(not )?ok \d+ - (.*)/;
	my ($bad, $name, $details) = ($1, $2, '');
	for (my $j = $i + 1; $j <= $#said && $said[$j] =~ /^#/; $j++) { $details .= $said[$j] }
	ok(!$bad, $name) or diag($details);
	unlike($name, qr/# skip/, 'and is run');
	$blocks++;
}
cmp_ok($blocks, '>=', 5, 'the document has SQL') or diag(@said);

done_testing();
