# Tables of other servers by postgres_fdw, and partitions that are: noise is drawn once, there or here.
use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('foreign');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'gaussdp'");
$node->start;
$node->safe_psql('postgres', "CREATE DATABASE $_") for qw(here there);

# The other server, which is a database of this one.
$node->safe_psql('there', <<'SQL');
CREATE EXTENSION gaussdp;
CREATE TABLE t (id int, k int, x float8);
INSERT INTO t SELECT g, g % 4, g % 100 FROM generate_series(1, 4000) g;
INSERT INTO t VALUES (0, 0, 'NaN'), (0, 1, NULL);
CREATE TABLE nothing (LIKE t);
CREATE TABLE t01 AS SELECT * FROM t WHERE k < 2;
CREATE TABLE t23 AS SELECT * FROM t WHERE k > 1;
SQL

my ($host, $port) = ($node->host, $node->port);
$node->safe_psql('here', <<"SQL");
CREATE EXTENSION gaussdp;
CREATE EXTENSION postgres_fdw;
CREATE SERVER knows FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'there', extensions 'gaussdp');
CREATE SERVER plain FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'there');
CREATE USER MAPPING FOR CURRENT_USER SERVER knows;
CREATE USER MAPPING FOR CURRENT_USER SERVER plain;
CREATE FOREIGN TABLE pushed (id int, k int, x float8) SERVER knows OPTIONS (table_name 't');
CREATE FOREIGN TABLE pulled (id int, k int, x float8) SERVER plain OPTIONS (table_name 't');
CREATE FOREIGN TABLE pushed_nothing (id int, k int, x float8) SERVER knows OPTIONS (table_name 'nothing');
CREATE FOREIGN TABLE pulled_nothing (id int, k int, x float8) SERVER plain OPTIONS (table_name 'nothing');
CREATE TABLE parts (id int, k int, x float8) PARTITION BY RANGE (k);
CREATE FOREIGN TABLE part01 PARTITION OF parts FOR VALUES FROM (0) TO (2) SERVER knows OPTIONS (table_name 't01');
CREATE FOREIGN TABLE part23 PARTITION OF parts FOR VALUES FROM (2) TO (4) SERVER knows OPTIONS (table_name 't23');
CREATE FUNCTION run(query text, g int) RETURNS dp_estimate LANGUAGE plpgsql AS \$\$DECLARE r record; BEGIN EXECUTE query INTO r; RETURN r.e; END\$\$;
SQL

sub answer
{
	my ($sql) = @_;
	return $node->safe_psql('here', $sql);
}

# Where the call stands: in what is sent, or above it.
sub place_of_call
{
	my ($sql) = @_;
	return answer("EXPLAIN (VERBOSE, COSTS OFF) $sql") =~ /Remote SQL: SELECT[^\n]*(?:dp_|_packed)/ ? 'there' : 'here';
}

# 200 answers have the standard deviation of one release, within 25 %, but for one time in a million.
sub noise_is_drawn_once
{
	my ($query, $name) = @_;
	my $ratio = answer("SELECT stddev_samp((e).value) / max((e).stddev) FROM (SELECT e FROM generate_series(1, 200) g, LATERAL run('$query', g) e) s");
	ok($ratio > 0.75 && $ratio < 1.27, "$name: noise of one release") or diag("ratio $ratio");
	return;
}

my $sum = 'dp_sum(x, 1, 1e-6, 0, 100)';
is(place_of_call("SELECT $sum FROM pushed"), 'there', 'a call is sent to a server that knows gaussdp');
is(place_of_call("SELECT $sum FROM pulled"), 'here', 'to another one rows are asked for');
is(place_of_call("SELECT k, $sum FROM pushed GROUP BY k HAVING dp_count(1, 1e-6) > 10"), 'there', 'groups and HAVING are sent, too');
is(place_of_call("SET enable_partitionwise_aggregate = on; SELECT k, $sum FROM parts GROUP BY k" =~ s/^SET.*?; //r), 'here', 'partitions: rows are asked for');
is($node->safe_psql('here', "SET enable_partitionwise_aggregate = on; EXPLAIN (VERBOSE, COSTS OFF) SELECT k, $sum FROM parts GROUP BY k") =~ /Remote SQL: SELECT k, gaussdp_internal\.sum_packed/ ? 'there' : 'here', 'there',
	'but for groups that are within one partition each, with partitionwise aggregation');

noise_is_drawn_once("SELECT dp_sum_estimate(x, 1, 1e-6, 0, 100) AS e FROM $_", $_) for qw(pushed pulled parts);
noise_is_drawn_once('SELECT e FROM (SELECT k, dp_sum_estimate(x, 1, 1e-6, 0, 100) AS e FROM parts GROUP BY k) s WHERE k = 2', 'groups of partitions');
noise_is_drawn_once("SELECT dp_count_estimate(1, 1e-6) AS e FROM ${_}_nothing", "no rows, $_") for qw(pushed pulled);

for my $table (qw(pushed pulled parts))
{
	ok(abs(answer("SELECT $sum FROM $table") - 198000) < 6000, "the right sum: $table");
	is(answer("SELECT count(*) FROM (SELECT k, dp_count(1, 1e-6) c, dp_median(x, 1, 1e-6, 0, 100), dp_avg_auto(x, 1, 1e-6) FROM $table GROUP BY k) s WHERE c BETWEEN 940 AND 1060"), 4, "the right counts: $table");
	is(answer("SELECT count(*) FROM (SELECT id, dp_count(1, 1e-6) c FROM $table GROUP BY id HAVING dp_count(1, 1e-6) > 3) s WHERE c <= 3"), 0, "what HAVING compares is what is shown: $table");
	is(answer("SELECT $sum IS NULL FROM $table WHERE id < 0"), 'f', "no match: $table");
}

# What a session does to its digits changes the parameters that it sends, so nothing else may change them.
like(answer('EXPLAIN (VERBOSE, COSTS OFF) SELECT dp_count(0.951234567890123, 1.23456789e-6) FROM pushed'), qr/0\.951234567890123.*1\.23456789e-06/s, 'parameters keep their digits');

# The policy
$node->safe_psql('here', <<'SQL');
CREATE ROLE ana LOGIN;
CREATE TABLE kept (id int NOT NULL, k int, x float8) PARTITION BY RANGE (id);
CREATE TABLE kept_here PARTITION OF kept FOR VALUES FROM (0) TO (9);
SELECT gaussdp.protect('kept', 'id'), gaussdp.grant_budget('ana', 'kept', 100, 1e-3);
SQL
my @ana = (extra_params => [ '-U', 'ana' ]);
is($node->safe_psql('here', 'SELECT dp_count(1, 1e-6) IS NOT NULL FROM kept', @ana), 't', 'a protected table whose partitions are here');
$node->safe_psql('here', "CREATE FOREIGN TABLE kept_there PARTITION OF kept FOR VALUES FROM (9) TO (99) SERVER knows OPTIONS (table_name 't')");
my ($status, $out, $err) = $node->psql('here', 'SELECT dp_count(1, 1e-6) FROM kept', @ana);
like($err, qr/a partition is on a foreign server, which would see the conditions/, 'no partition of it may be elsewhere');
($status, $out, $err) = $node->psql('here', "SELECT gaussdp.protect('pushed', 'id')");
like($err, qr/Only tables and their columns can be declared/, 'a foreign table is not protected');

$node->stop;
done_testing();
