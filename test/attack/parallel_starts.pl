# How many processes a level starts is the same whatever its rows are: everybody sees processes, their numbers and what the server counts of them.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = neighbours('starts', "min_parallel_table_scan_size = 0\nparallel_setup_cost = 0\nparallel_tuple_cost = 0\nmax_parallel_workers_per_gather = 2\nmax_parallel_workers = 8\nlog_min_messages = debug1\n", <<'SQL');
CREATE TABLE hr.pay (id int PRIMARY KEY, y int, pad text);
INSERT INTO hr.pay SELECT g, g, repeat('x', 50) FROM generate_series(1, 20000) g;
CREATE TABLE hr.who (id int PRIMARY KEY, name text UNIQUE);
INSERT INTO hr.who SELECT g, 'p' || g FROM generate_series(1, 500) g;
CREATE TABLE dept (k int PRIMARY KEY);
INSERT INTO dept SELECT generate_series(0, 2);
GRANT SELECT ON dept TO ana;
SELECT gaussdp.protect(t, unit => 'id', people => 'folk') FROM unnest('{hr.pay,hr.who}'::regclass[]) t;
SELECT gaussdp.grant_budget('ana', 'hr.pay', 1000, 1e-2);
SQL
$node->safe_psql('none', 'DELETE FROM hr.who WHERE id = 7; DELETE FROM hr.pay WHERE id = 7');

# started(DATABASE, SETTINGS, QUERY): how many processes it starts; the answer must be a number.
sub started
{
	my ($database, $settings, $query) = @_;
	my $from = -s $node->logfile;
	my $answer = Neighbours::run("$settings; $query;", $database);
	my $log = substr(slurp_file($node->logfile), $from);

	like($answer, qr/^-?[\d.]+(e[+-]?\d+)?$/m, "$database: an answer") || diag($answer);
	return scalar(() = $log =~ /starting background worker process "parallel worker/g);
}

is(started('one', 'SELECT 1', 'SELECT dp_sum(y, 0.01, 1e-9, 0, 100) FROM hr.pay'), 2, 'a plan may be parallel');
is(started('one', 'SELECT 1', 'SELECT dp_count(0.01, 1e-9) FROM hr.pay b JOIN dept d ON d.k = b.id % 3'), started('none', 'SELECT 1', 'SELECT dp_count(0.01, 1e-9) FROM hr.pay b JOIN dept d ON d.k = b.id % 3'), 'beside a public table, too');
my $nested = 'SET enable_material = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_indexscan = off; SET enable_bitmapscan = off; SET enable_indexonlyscan = off';
my %way = (
	'nested loops' => $nested,
	'nested loops that keep rows' => $nested =~ s/SET enable_material = off; //r,
	'a hash join' => 'SET enable_nestloop = off; SET enable_mergejoin = off; SET enable_indexscan = off; SET enable_bitmapscan = off',
	'a merge join' => 'SET enable_nestloop = off; SET enable_hashjoin = off; SET enable_indexscan = off; SET enable_bitmapscan = off');
foreach my $name (sort keys %way)
{
	foreach my $join ('hr.who e JOIN hr.pay b ON b.id = e.id', 'hr.pay b JOIN hr.who e ON b.id = e.id', 'hr.who e LEFT JOIN hr.pay b ON b.id = e.id')
	{
		my $query = "SELECT dp_count(0.001, 1e-9) FROM $join JOIN dept d ON d.k = e.id % 3 WHERE e.name";
		my $none = started('none', $way{$name}, "$query = 'p7'");

		is(started('one', $way{$name}, "$query = 'p7'"), $none, "$name, $join: one person who is there or not");
		is(started('one', $way{$name}, "$query LIKE 'p1%'"), $none, "$name, $join: many people");
	}
}
# An empty inner side spares the outer one, with its processes.
foreach my $way ('a hash join', 'a merge join', 'nested loops')
{
	my $query = 'SELECT dp_count(0.001, 1e-9) FROM hr.pay b JOIN (hr.who e JOIN dept d ON d.k = e.id % 3) ON b.id = e.id WHERE e.name';
	my $settings = "$way{$way}; SET join_collapse_limit = 1; SET from_collapse_limit = 1; SET parallel_setup_cost = 20000; SET cpu_tuple_cost = 10";

	is(started('one', $settings, "$query = 'p7'"), started('none', $settings, "$query = 'p7'"), "$way: a side that is empty where a person is missing");
}
$node->stop;
done_testing();
