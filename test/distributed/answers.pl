# Private aggregates over distributed tables: the integers that a table of one server gives, and noise drawn once.
use strict;
use warnings FATAL => 'all';

use Cwd;
use Distributed;
use PostgreSQL::Test::Utils;
use Test::More;

my ($coordinator, @workers) = cluster();

# Rows with every kind of value; near is the same table on the coordinator alone.
$coordinator->safe_psql('d', <<'SQL');
CREATE TABLE near (id int PRIMARY KEY, k int, i2 int2, i4 int4, i8 int8, f4 float4, f8 float8, n numeric);
INSERT INTO near SELECT g, g % 7, g % 200, g * 7919 % 1000 - 300, g::int8 * 7919 * 1000003 % 1000000, g / 7.0, -50 + g * 0.37, g / 3.0 FROM generate_series(1, 500) g;
INSERT INTO near (id, k, f4, f8, n) VALUES (501, 1, 'NaN', 'NaN', 'NaN'), (502, 2, 'infinity', 'infinity', 'infinity'), (503, 3, '-infinity', '-infinity', '-infinity'),
	(504, 4, -0.0, -0.0, 1e400), (505, 5, 1e-40, 1e-310, 1e-400), (506, 6, 3e38, 1.7e308, -1e400), (507, 0, NULL, NULL, NULL);
INSERT INTO near (id, k, i8, f8) VALUES (508, 1, 9223372036854775807, 2 ^ 53 + 1), (509, 1, -9223372036854775808, 0.5);
CREATE TABLE far (LIKE near INCLUDING ALL);
SELECT create_distributed_table('far', 'id');
INSERT INTO far SELECT * FROM near;
-- one row: most of its shards are empty
CREATE TABLE near_one AS SELECT * FROM near WHERE id = 7;
CREATE TABLE far_one (LIKE near);
SELECT create_distributed_table('far_one', 'id');
INSERT INTO far_one SELECT * FROM near_one;
CREATE TABLE near_nothing (LIKE near);
CREATE TABLE far_nothing (LIKE near);
SELECT create_distributed_table('far_nothing', 'id');
-- rows of the same id are on the same shard
CREATE TABLE near_visit AS SELECT g AS visit, g % 300 AS id, g % 50 AS cost FROM generate_series(1, 2000) g;
CREATE TABLE far_visit (LIKE near_visit);
SELECT create_distributed_table('far_visit', 'id', colocate_with => 'far');
INSERT INTO far_visit SELECT * FROM near_visit;
CREATE TABLE near_kind AS SELECT g AS k, 'kind ' || g AS name FROM generate_series(0, 9) g;
CREATE TABLE far_kind (LIKE near_kind);
SELECT create_reference_table('far_kind');
INSERT INTO far_kind SELECT * FROM near_kind;
CREATE TABLE near_here AS SELECT * FROM near_kind;
CREATE TABLE far_here (LIKE near_kind);
INSERT INTO far_here SELECT * FROM near_kind;
SELECT citus_add_local_table_to_metadata('far_here');
CREATE TABLE near_day (day date, x int) PARTITION BY RANGE (day);
CREATE TABLE near_day_1 PARTITION OF near_day FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');
CREATE TABLE near_day_2 PARTITION OF near_day FOR VALUES FROM ('2021-01-01') TO ('2022-01-01');
CREATE TABLE far_day (day date, x int) PARTITION BY RANGE (day);
CREATE TABLE far_day_1 PARTITION OF far_day FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');
CREATE TABLE far_day_2 PARTITION OF far_day FOR VALUES FROM ('2021-01-01') TO ('2022-01-01');
SELECT create_distributed_table('far_day', 'x');
INSERT INTO near_day SELECT '2020-01-01'::date + g, g FROM generate_series(1, 700) g;
INSERT INTO far_day SELECT * FROM near_day;
SQL

# The first column of the only row.
sub answer
{
	my ($sql) = @_;
	return (rows($coordinator, $sql))[0][0];
}

# Noise ----------------------------------------------------------------------------------------------------------------

# 200 answers: the standard deviation of as many normal deviates is within 25 % of sigma but for one time in a million.
# Noise of each of 8 shards would give 2.8 times as much, and that of two answers 1.4 times.
sub noise_is_drawn_once
{
	my ($name, $query) = @_;
	my $ratio = answer("SELECT stddev_samp((e).value) / max((e).stddev) FROM (SELECT e FROM generate_series(1, 200) g, LATERAL run('$query', g) e) s");
	cmp_ok($ratio, '>', 0.75, "$name: no less noise than one release has");
	cmp_ok($ratio, '<', 1.27, "$name: no more");
	return;
}
$coordinator->safe_psql('d', 'SET citus.enable_ddl_propagation = off; CREATE FUNCTION run(query text, g int) RETURNS dp_estimate LANGUAGE plpgsql VOLATILE AS $$DECLARE r record; BEGIN EXECUTE query INTO r; RETURN r.e; END$$');
noise_is_drawn_once('on the coordinator', 'SELECT dp_sum_estimate(i2, 1, 1e-6, 0, 100) AS e FROM far');
noise_is_drawn_once('on a worker', 'SELECT dp_count_estimate(1, 1e-6) AS e FROM far WHERE id = 5');
noise_is_drawn_once('over no rows', 'SELECT dp_count_estimate(1, 1e-6) AS e FROM far_nothing');

is(answer("SELECT count(*) FROM (SELECT id, dp_count(1, 1e-6) c FROM far GROUP BY id HAVING dp_count(1, 1e-6) > 3) s WHERE c <= 3"), 0, 'what HAVING compares is what is shown, on workers');
is(answer("SELECT count(*) FROM (SELECT i4, dp_count(1, 1e-6) c FROM far GROUP BY i4 HAVING dp_count(1, 1e-6) > 3) s WHERE c <= 3"), 0, 'and on the coordinator');
is(answer("SELECT count(*) FROM (SELECT k, dp_count(1, 1e-6) a, dp_count(1, 1e-6) b FROM far GROUP BY k) s WHERE a <> b"), 0, 'equal calls are one release');
is(answer("WITH m AS NOT MATERIALIZED (SELECT dp_sum(i4, 1, 1e-6, 0, 100) a FROM far) SELECT x.a - y.a FROM m x, m y"), 0, 'a WITH query that is read twice');
is(answer("SELECT a - a FROM (SELECT dp_sum(i4, 1, 1e-6, 0, 100) a FROM far) s"), 0, 'a sub-select');
is(answer("SELECT count(*) FROM (SELECT lag(c) OVER (ORDER BY r) > c AS bad FROM (SELECT i4, dp_count(1, 1e-6) c, rank() OVER (ORDER BY dp_count(1, 1e-6)) r FROM far GROUP BY i4) s) q WHERE bad"), 0, 'ranks');
is(answer("SELECT count(*) FROM (SELECT DISTINCT dp_keep_group(50, 1e-2) AS keep FROM far GROUP BY k) s WHERE keep"), 1, 'groups that are kept');

# What is written is one value on every copy of a shard.
$coordinator->safe_psql('d', <<'SQL');
SET citus.shard_replication_factor = 2;
CREATE TABLE written (id int, v float8);
SELECT create_distributed_table('written', 'id', colocate_with => 'none');
INSERT INTO written SELECT id, dp_sum(i4, 1, 1e-6, 0, 100) FROM far WHERE id < 100 GROUP BY id;
INSERT INTO written SELECT k + 1000, dp_sum(i4, 1, 1e-6, 0, 100) FROM far GROUP BY k;
SQL
sub copies_are_equal
{
	my ($name) = @_;
	my @sums = rows($coordinator, q{SELECT (SELECT string_agg(result, ' ' ORDER BY nodeport) FROM run_command_on_placements('written', 'SELECT md5(string_agg(t::text, '','' ORDER BY id)) FROM %s t') r WHERE r.shardid = s.shardid)
		FROM pg_dist_shard s WHERE logicalrelid = 'written'::regclass});
	is(scalar(grep { my ($a, $b) = split / /, $_->[0]; !defined $b || $a ne $b } @sums), 0, $name);
	return;
}
is(answer('SELECT count(*) FROM written'), 106, 'INSERT ... SELECT');
copies_are_equal('and both copies of each shard have the same value');
$coordinator->safe_psql('d', 'UPDATE written SET v = (SELECT dp_sum(i4, 1, 1e-6, 0, 100) FROM far)');
is(answer('SELECT count(DISTINCT v) FROM written'), 1, 'UPDATE with one answer');
copies_are_equal('and both copies have it');
$coordinator->safe_psql('d', 'UPDATE written w SET v = s FROM (SELECT id, dp_sum(i4, 1, 1e-6, 0, 100) s FROM far GROUP BY id OFFSET 0) q WHERE q.id = w.id');
copies_are_equal('UPDATE with an answer for each row');
$coordinator->safe_psql('d', 'CREATE TABLE kept AS SELECT k, dp_count(1, 1e-6) FROM far GROUP BY k');
is(answer('SELECT count(*) FROM kept'), 7, 'CREATE TABLE AS');

# Prepared statements, also when PostgreSQL would like a generic plan
my $prepared = $coordinator->safe_psql('d', <<'SQL');
PREPARE a(float8, int) AS SELECT dp_sum(i4, $1, 1e-6, 0, 100) FROM far WHERE id = $2;
PREPARE b(int) AS SELECT dp_sum(i4, 1, 1e-6, 0, 100) FROM far WHERE k = $1;
PREPARE c(float8) AS SELECT k, dp_count($1, 1e-6) FROM far GROUP BY k;
SELECT 'EXECUTE a(1, 5); EXECUTE b(1); EXECUTE c(1)' FROM generate_series(1, 8) \gexec
SELECT 'custom ' || name || ' ' || custom_plans FROM pg_prepared_statements ORDER BY name;
SQL
like($prepared, qr/custom a 8\ncustom b \d\ncustom c 8$/, 'parameters of calls are known to each plan');
$coordinator->safe_psql('d', <<'SQL');
SET citus.enable_ddl_propagation = off;
CREATE FUNCTION in_plpgsql(e float8) RETURNS float8 LANGUAGE plpgsql AS $$BEGIN RETURN (SELECT dp_avg(i4, e, 1e-6, 0, 100) FROM far); END$$;
SQL
is(answer('SELECT count(a) FROM generate_series(1, 8) g, LATERAL in_plpgsql(g) a'), 8, 'variables of PL/pgSQL');

# Any server may be asked.
is((rows($workers[0], 'SELECT count(*) FROM (SELECT name, dp_count(1, 1e-6) FROM far JOIN far_kind USING (k) GROUP BY name HAVING dp_count(1, 1e-6) > 0) s'))[0][0], 7, 'a worker may be asked');

# Integers -------------------------------------------------------------------------------------------------------------

# On the coordinator releases remember what they were given; on the workers a sum is shown as it is.
my $module = getcwd . '/test/module';
$coordinator->safe_psql('d', "SET citus.enable_ddl_propagation = off;\n\\i $module/probe.sql\n\\i $module/released.sql");
$_->safe_psql('d', <<'SQL') for @workers;
SET citus.enable_ddl_propagation = off;
CREATE OR REPLACE FUNCTION gaussdp_internal.release_sum(total numeric, params bytea) RETURNS float8 LANGUAGE sql VOLATILE AS 'SELECT coalesce(total, 0)::float8';
SQL

sub same_integers
{
	my ($dp, $rest, %options) = @_;
	my $probe = $options{probe} || $dp =~ s/_estimate//r =~ s/^stddev/var/r;
	my $settings = $options{settings} || '';
	my $far = $coordinator->safe_psql('d', "${settings}SELECT released(\$q\$SELECT dp_$dp FROM $rest\$q\$)");
	my $near = $coordinator->safe_psql('d', "SELECT probed(\$q\$SELECT (probe_$probe).* FROM " . ($rest =~ s/\bfar/near/gr) . '$q$)');
	isnt($near, '', "some integers: $dp") if $rest !~ /GROUP BY/ || $rest !~ /nothing/;
	is($far, $near, $options{name} || "dp_$dp from $rest");
	return;
}

my @forms = ('sum(%s, 1, 1e-6, 100)', 'sum(%s, 1, 1e-6, -20, 100)', 'sum(%s, 1, 1e-6, -20, 100, 3)', 'avg(%s, 1, 1e-6, -20, 100)', 'avg(%s, 1, 1e-6, -20, 100, 3)',
	'var(%s, 1, 1e-6, -20, 100)', 'stddev(%s, 1, 1e-6, -20, 100, 2)', 'histogram(%s, 1, 1e-6, -20, 100, 7)', 'cdf(%s, 1, 1e-6, -20, 100, 7)', 'median(%s, 1, 1e-6, -20, 100)', 'quantile(%s, 1, 1e-6, -20, 100, 0.9)', "quantiles(%s, 1, 1e-6, -20, 100, '{0.9,0.1}')",
	'sum_auto(%s, 1, 1e-6)', 'avg_auto(%s, 1, 1e-6)', 'bounds(%s, 1, 1e-6)', 'count(%s, 1, 1e-6)', 'count(%s, 1, 1e-6, 2.5)');
for my $form (@forms)
{
	same_integers(sprintf($form, $_), 'far') for qw(i2 i4 i8 f4 f8 n);
	same_integers(sprintf($form, 'f8'), $_) for 'far_one', 'far_nothing', 'far WHERE id < 0', 'far GROUP BY k ORDER BY k';
}
same_integers($_, 'far') for 'count(1, 1e-6)', 'count(id, 1, 1e-6, 3)', 'keep_group(1, 1e-6)', 'count(DISTINCT i2, 1, 1e-6)', 'count_estimate(1, 1e-6)', 'sum_estimate(f8, 1, 1e-6, 0, 9)',
	'avg_estimate(n, 1, 1e-6, 0, 9)', 'sum_auto_estimate(f8, 1, 1e-6)', 'avg_auto_estimate(n, 1, 1e-6)', 'sum(f8, 1, 1e-6, 0, 9 ORDER BY id DESC, k)',
	'avg(f8, 1, 1e-6, 0, 9) FILTER (WHERE k > 2 AND f8 <> \'NaN\')', 'median(f8, 1, 1e-6, 0, 9) FILTER (WHERE k > 2)', 'count(DISTINCT k, 1, 1e-6) FILTER (WHERE i2 > 9)';
same_integers('sum(f8, 1, 1e-6)', 'far', probe => 'sum_auto(f8, 1, 1e-6)', name => 'a call without bounds');
for my $call ('sum(i4, 1, 1e-6, 0, 9)', 'avg(i4, 1, 1e-6, 0, 9)', 'median(i4, 1, 1e-6, 0, 9)', 'avg_auto(i4, 1, 1e-6)', 'count(i4, 1, 1e-6)', 'count(DISTINCT k, 1, 1e-6)')
{
	# by alias: what stands in USING has no table
	same_integers($call =~ s/\(DISTINCT k/(DISTINCT t.k/r, $_)
	  for 'far_kind JOIN far t USING (k)', 'far_kind r LEFT JOIN far t ON t.k = r.k AND t.i4 > 0', 'far t JOIN far_here h ON h.k = t.k', 'far t JOIN far_visit v ON v.id = t.id WHERE v.cost > 10',
	  'far t JOIN near_kind h ON h.k = t.k', '(SELECT * FROM far WHERE k = 1) t', 'far t GROUP BY k HAVING count(*) > 73 ORDER BY k';
}
same_integers('sum(i4, 1, 1e-6, 0, 9)', '(SELECT i4 FROM far WHERE k = 1 UNION ALL SELECT k FROM far_kind) s', name => 'a union');
same_integers('sum(s, 1, 1e-6, 0, 900)', '(SELECT id, sum(cost) AS s FROM far_visit GROUP BY id) s', name => 'sums of people');
same_integers('avg(s, 1, 1e-6, 0, 900)', '(SELECT k, sum(i4) AS s FROM far GROUP BY k) s', name => 'sums of groups that are on several servers');
same_integers('count(1, 1e-6)', 'far_kind', name => 'a reference table alone');
same_integers('median(k, 1, 1e-6, 0, 9)', 'far_here', name => 'a local table that Citus knows');
same_integers('avg(x, 1, 1e-6, 0, 900)', 'far_day WHERE day > \'2020-10-01\'', name => 'partitions');
same_integers('sum(x, 1, 1e-6, 0, 900)', 'far_day GROUP BY extract(year FROM day) ORDER BY extract(year FROM day)', name => 'groups of partitions');

# What a session sets does not change parameters on their way.
same_integers('avg(f8, 0.951234567890123, 1.23456789e-6, -0.1, 9.123456789012345)', 'far', settings => "SET extra_float_digits = -15; SET bytea_output = escape;", name => 'few digits, and another way to print bytes');
same_integers('avg(f8, 1, 1e-6, 0, 9)', 'far', settings => "SET citus.task_executor_type = adaptive; SET citus.max_adaptive_executor_pool_size = 1; SET citus.enable_binary_protocol = off;", name => 'one connection, text');
same_integers('histogram(f8, 1, 1e-6, 0, 9, 5)', 'far', settings => "SET citus.enable_binary_protocol = off;", name => 'cells as text');

# Where Citus runs all of a group on one worker
is_deeply(
	[ rows($coordinator, 'SELECT id, dp_sum(i4, 1, 1e-6, -300, 700) FROM far WHERE i4 IS NOT NULL GROUP BY id ORDER BY id') ],
	[ rows($coordinator, 'SELECT id, (probe_sum(i4, 1, 1e-6, -300, 700)).exact[1]::float8 FROM near WHERE i4 IS NOT NULL GROUP BY id ORDER BY id') ],
	'groups by the distribution column');
is(answer('SELECT dp_sum(i4, 1, 1e-6, -300, 700) FROM far WHERE id = 5'), answer('SELECT (probe_sum(i4, 1, 1e-6, -300, 700)).exact[1]::float8 FROM near WHERE id = 5'), 'a query of one shard');

done_testing();
