# Private aggregates over tables of another server, by postgres_fdw: noise is drawn once, at the server that computes the
# whole call, by the parameters that were written; and the other server's policy and budgets hold.
use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $groups = 600;
my $node = PostgreSQL::Test::Cluster->new('foreign_servers');
$node->init;
$node->append_conf('postgresql.conf',
	"shared_preload_libraries = 'gaussdp'\nmax_worker_processes = 16\nlc_messages = 'C'\n");
$node->start;
plan skip_all => 'no postgres_fdw here'
  if $node->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'") eq '0';

# One person in each row: 10 in each of many groups; and a protected table.
$node->safe_psql('postgres', 'CREATE DATABASE far');
$node->safe_psql('far', <<"SQL");
CREATE EXTENSION gaussdp;
CREATE TABLE emp (id int PRIMARY KEY, dept int NOT NULL, x float8);
INSERT INTO emp SELECT i, i % $groups, 50 FROM generate_series(0, $groups * 10 - 1) i;
CREATE TABLE empty (id int, dept int, x float8);
CREATE TABLE odd AS SELECT * FROM emp WHERE dept % 2 = 1;
CREATE TABLE pay (id int PRIMARY KEY, x float8);
INSERT INTO pay SELECT i, 50 FROM generate_series(1, 10000) i;
ANALYZE;
CREATE ROLE ana LOGIN;
SELECT gaussdp.protect('pay', 'id'), gaussdp.set_bounds('pay', 'x', 0, 100), gaussdp.grant_budget('ana', 'pay', 5, 1e-3);
SQL
my ($host, $port) = ($node->host, $node->port);
$node->safe_psql('postgres', <<"SQL");
CREATE EXTENSION gaussdp;
CREATE EXTENSION postgres_fdw;
CREATE SERVER whole FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'far', extensions 'gaussdp');
CREATE SERVER rows FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'far');
CREATE SERVER analyst FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'far', extensions 'gaussdp');
CREATE USER MAPPING FOR CURRENT_USER SERVER whole;
CREATE USER MAPPING FOR CURRENT_USER SERVER rows;
CREATE USER MAPPING FOR CURRENT_USER SERVER analyst OPTIONS (user 'ana', password_required 'false');
CREATE FOREIGN TABLE emp (id int, dept int, x float8) SERVER whole;
CREATE FOREIGN TABLE emp_rows (id int, dept int, x float8) SERVER rows OPTIONS (table_name 'emp');
CREATE FOREIGN TABLE empty (id int, dept int, x float8) SERVER whole;
CREATE FOREIGN TABLE pay (id int, x float8) SERVER analyst;
CREATE TABLE parts (id int, dept int, x float8) PARTITION BY LIST ((dept % 2));
CREATE TABLE even PARTITION OF parts FOR VALUES IN (0);
INSERT INTO even SELECT i, i % $groups, 50 FROM generate_series(0, $groups * 10 - 1) i WHERE i % 2 = 0;
CREATE FOREIGN TABLE odd PARTITION OF parts FOR VALUES IN (1) SERVER whole;
ANALYZE;
SQL

# What a query prints in one line, its error included.
sub answer
{
	my ($sql) = @_;
	my ($out, $err) = ('', '');
	$node->psql('postgres', $sql, stdout => \$out, stderr => \$err);
	return "$out$err";
}

# The text that the other server is sent.
sub remote
{
	my ($sql) = @_;
	return join "\n", answer("EXPLAIN (VERBOSE, COSTS OFF) $sql") =~ /Remote SQL: (.*)/g;
}

# Standard deviation of the noise of many groups, as a part of what one draw has.  That of one draw is outside of 0.85 to 1.15
# with a probability of 2e-7 (chi-square of 600), that of two draws is 1.41.
sub drawn_once
{
	my ($table, $settings, $name) = @_;
	my $ratio = $node->safe_psql('postgres', <<"SQL");
$settings
SELECT sqrt(avg((n - 10) ^ 2)) / dp_gaussian_sigma(1, 1e-6)
FROM (SELECT dept, dp_count(1, 1e-6)::float8 AS n FROM $table GROUP BY dept) s
SQL
	ok($ratio > 0.85 && $ratio < 1.15, $name) or diag("ratio $ratio");
}

my $call = 'dp_sum(x, 0.951, 1e-6, 0, 0.30000000000000004)';
my $sent = 'public.dp_sum(x, 0.951::double precision, 1e-06::double precision, 0::double precision, 0.30000000000000004::double precision)';
is(remote("SELECT dept, $call FROM emp GROUP BY dept"),
	"SELECT dept, $sent FROM public.emp GROUP BY 1",
	'the whole call goes to the server that has the rows');
is(remote("SELECT $call FROM (SELECT * FROM emp) e"), "SELECT $sent FROM public.emp",
	'... through a sub-select, too');
is(remote("SELECT $call FROM emp_rows"), 'SELECT x FROM public.emp', 'rows come here from a server that is not told of the extension');
for my $digits (-15, 0)
{
	like(answer("SET extra_float_digits = $digits; EXPLAIN (VERBOSE, COSTS OFF) SELECT $call FROM emp"),
		qr/Remote SQL: SELECT \Q$sent\E/,
		"the parameters that go are those that were written, with extra_float_digits = $digits");
}
is(answer("SET extra_float_digits = -15; SELECT dp_sum(x, 1, 1e-6, 0, 100) IS NOT NULL, current_setting('extra_float_digits') FROM emp"),
	't|-15', 'planning leaves the setting as it was');

drawn_once('emp', '', 'noise is drawn once, at the other server');
drawn_once('emp_rows', '', 'noise is drawn once, here');
drawn_once('parts', '', 'noise is drawn once, over partitions here and there');
drawn_once('parts', 'SET enable_partitionwise_aggregate = on;', '... with partition-wise aggregation');
like(answer('SET enable_partitionwise_aggregate = on; SELECT dp_count(10, 1e-6) FROM parts'),
	qr/^(59[0-9][0-9]|60[0-9][0-9])$/, 'partial counts of partitions here and there are one count');
for my $server ('empty', 'emp WHERE x < 0', 'emp_rows WHERE x < 0')
{
	like(answer("SELECT dp_count(1, 1e-6) IS NOT NULL, dp_sum(x, 1, 1e-6, 0, 1) IS NOT NULL, dp_avg(x, 1, 1e-6, 0, 1) IS NOT NULL FROM $server"),
		qr/^t\|t\|t$/, "no rows: noise alone ($server)");
}
is(answer("SELECT count(*) FROM (SELECT id, dp_count(1, 1e-6) AS c FROM $_ GROUP BY id HAVING dp_count(1, 1e-6) > 3) s WHERE c <= 3"), 0, "what HAVING compares is what is shown: $_")
  for qw(emp emp_rows parts);

# The other server protects the table: this one's role is an analyst there.
like(answer('SELECT dp_count(1, 1e-6) FROM pay'), qr/^(99[0-9][0-9]|100[0-9][0-9])$/, 'a protected table there answers by its policy');
is($node->safe_psql('far', q{SELECT string_agg(format('%s %s', role, times), ', ') FROM gaussdp.journal WHERE event = 'charge'}),
	'ana 1', '... and charges its budget');
like(answer('SELECT dp_avg(x, 1, 1e-6, 0, 100) FROM pay WHERE id > 0'), qr/^[\d.]+$/, '... with conditions');
like(answer('SELECT avg(x) FROM pay'), qr/permission denied for table pay/, '... and shows no exact number');
like(answer('SELECT dp_count(1, 1e-6) FROM pay WHERE random() < 2'), qr/permission denied for table pay/,
	'... nor rows, where the condition is computed here');
like(answer('SELECT dp_avg(x, 1, 1e-6) FROM pay'), qr/^[\d.]+$/, 'a call without bounds finds them privately there');
my $charged = $node->safe_psql('far', q{SELECT sum(times) FROM gaussdp.journal WHERE event = 'charge'});
like(answer('EXPLAIN SELECT dp_count(1, 1e-6) FROM pay'), qr/Foreign Scan/, 'EXPLAIN asks the other server nothing');
is($node->safe_psql('far', q{SELECT sum(times) FROM gaussdp.journal WHERE event = 'charge'}), $charged, '... and charges nothing');

# What this server cannot protect.
like(answer(q{SELECT gaussdp.protect('emp', 'id')}), qr/Only tables and their columns can be declared/, 'a foreign table is not protected here');
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE halves (id int NOT NULL, x float8) PARTITION BY RANGE (id);
CREATE TABLE near_half PARTITION OF halves FOR VALUES FROM (0) TO (10000);
CREATE FOREIGN TABLE far_half PARTITION OF halves FOR VALUES FROM (10000) TO (20000) SERVER whole;
CREATE ROLE bob;
SQL
like(answer(q{SELECT gaussdp.protect('halves', 'id'); SELECT gaussdp.grant_budget('bob', 'halves', 1, 1e-6);
	SET ROLE bob; SELECT dp_count(1, 1e-6) FROM halves}), qr/a partition is on a foreign server/, '... nor a table with a foreign partition');

$node->stop;
done_testing();
