# Private answers from protected tables that Citus distributes: the same integers and prices as on one server, charged on the
# coordinator; and nothing else, whatever is asked.
use strict;
use warnings FATAL => 'all';

use Cwd;
use Distributed;
use PostgreSQL::Test::Utils;
use Test::More;

my ($coordinator, @workers) = cluster(shared_preload_libraries => "'citus,pg_stat_statements,gaussdp'", 'pg_stat_statements.track' => 'all');
my $module = getcwd . '/test/module';

# near is the same table on the coordinator alone.
$coordinator->safe_psql('d', <<'SQL');
CREATE ROLE owner LOGIN;
CREATE ROLE ana LOGIN;
GRANT CREATE ON SCHEMA public TO owner;
SET ROLE owner;
CREATE TABLE near (id int PRIMARY KEY, k int NOT NULL, x float8, i int, n numeric, name text, day date, seen timestamptz);
INSERT INTO near SELECT g, g % 7, g * 0.37, g % 100, g / 3.0, 'kind ' || g % 12, '2020-01-01'::date + g, now() - g * interval '1 day' FROM generate_series(1, 1000) g;
CREATE TABLE far (LIKE near INCLUDING ALL);
SELECT create_distributed_table('far', 'id');
INSERT INTO far SELECT * FROM near;
CREATE TABLE near_visit AS SELECT g % 200 + 1 AS id, g % 7 AS k, g AS v, g * 0.1::float8 AS x FROM generate_series(1, 3000) g;
ALTER TABLE near_visit ALTER id SET NOT NULL;
CREATE TABLE far_visit (LIKE near_visit INCLUDING ALL);
SELECT create_distributed_table('far_visit', 'id', colocate_with => 'far');
INSERT INTO far_visit SELECT * FROM near_visit;
CREATE TABLE near_nothing (LIKE near INCLUDING ALL);
CREATE TABLE far_nothing (LIKE near INCLUDING ALL);
SELECT create_distributed_table('far_nothing', 'id');
CREATE TABLE near_day (day date NOT NULL, id int NOT NULL, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
CREATE TABLE near_day_1 PARTITION OF near_day FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');
CREATE TABLE near_day_2 PARTITION OF near_day FOR VALUES FROM ('2021-01-01') TO ('2022-01-01');
CREATE TABLE far_day (day date NOT NULL, id int NOT NULL, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
CREATE TABLE far_day_1 PARTITION OF far_day FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');
CREATE TABLE far_day_2 PARTITION OF far_day FOR VALUES FROM ('2021-01-01') TO ('2022-01-01');
SELECT create_distributed_table('far_day', 'id');
INSERT INTO near_day SELECT '2020-01-01'::date + g, g FROM generate_series(1, 700) g;
INSERT INTO far_day SELECT * FROM near_day;
-- on every server, and on the coordinator alone
CREATE TABLE near_everywhere AS SELECT g AS id, g % 90 AS v FROM generate_series(1, 500) g;
ALTER TABLE near_everywhere ADD PRIMARY KEY (id);
CREATE TABLE far_everywhere (LIKE near_everywhere INCLUDING ALL);
SELECT create_reference_table('far_everywhere');
INSERT INTO far_everywhere SELECT * FROM near_everywhere;
CREATE TABLE near_local AS TABLE near_everywhere;
ALTER TABLE near_local ADD PRIMARY KEY (id);
CREATE TABLE far_local (LIKE near_local INCLUDING ALL);
INSERT INTO far_local SELECT * FROM near_local;
SELECT citus_add_local_table_to_metadata('far_local');
-- public
CREATE TABLE near_kind (k int PRIMARY KEY, name text, empty text);
INSERT INTO near_kind SELECT g, 'kind ' || g FROM generate_series(0, 9) g;
CREATE TABLE far_kind (LIKE near_kind INCLUDING ALL);
SELECT create_reference_table('far_kind');
INSERT INTO far_kind SELECT * FROM near_kind;
CREATE TABLE far_here (LIKE near_kind INCLUDING ALL);
INSERT INTO far_here SELECT * FROM near_kind;
SELECT citus_add_local_table_to_metadata('far_here');
CREATE TABLE far_spread (LIKE near_kind INCLUDING ALL);
SELECT create_distributed_table('far_spread', 'k');
GRANT SELECT ON near_kind, far_kind, far_here, far_spread TO ana;
-- labelled before they are distributed
CREATE TABLE everywhere_before (LIKE near_local INCLUDING ALL);
SELECT gaussdp.protect('everywhere_before', 'id');
SELECT create_reference_table('everywhere_before');
INSERT INTO everywhere_before SELECT * FROM near_local;
CREATE TABLE far_before (LIKE near INCLUDING ALL);
SELECT gaussdp.protect('far_before', 'id');
SELECT create_distributed_table('far_before', 'id');
INSERT INTO far_before SELECT * FROM near;
SELECT gaussdp.protect(t::regclass, 'id', people => 'people') FROM unnest('{near,far,near_visit,far_visit,near_nothing,far_nothing,near_day,far_day,near_everywhere,far_everywhere,near_local,far_local}'::text[]) t;
SELECT gaussdp.grant_budget('ana', t, 1000, 1e-2) FROM unnest('{near,far_before,everywhere_before}'::regclass[]) t;
RESET ROLE;
SELECT format('CREATE ROLE ana%s LOGIN', g) FROM generate_series(1, 90) g \gexec
GRANT ana TO owner;
SELECT format('GRANT ana TO ana%s', g) FROM generate_series(1, 90) g \gexec
SET ROLE owner;
SELECT count(gaussdp.grant_budget(('ana' || g)::name, 'near', 1000, 1e-2)) FROM generate_series(1, 90) g;
RESET ROLE;
SQL

my @ana = (extra_params => [ '-U', 'ana' ]);
my $roles = 0;
my $charges = q{SELECT count(*) FROM gaussdp.journal WHERE event = 'charge'};

sub answer
{
	my ($sql) = @_;
	return $coordinator->safe_psql('d', $sql, @ana);
}

# Refused with this message, in which there is no row; and nothing is paid.
sub refused
{
	my ($sql, $message, $name) = @_;
	my $before = $coordinator->safe_psql('d', $charges);
	my ($status, $out, $err) = $coordinator->psql('d', $sql, @ana);
	like($err, $message, $name || $sql);
	is($out, '', 'nothing is shown');
	is($coordinator->safe_psql('d', $charges), $before, 'nor charged');
	return;
}

# Answers, with hardly any noise: sigma is a tenth of what a person counts for, 20 queries are a budget ------------------
my $p = '93.5, 1e-10';

sub near_and_far
{
	my ($sql, $name) = @_;
	my ($upper, $rows) = (1, 1);
	$upper = $1 > $upper ? $1 : $upper while $sql =~ /$p, \d+, (\d+)/g;
	$rows = $1 > $rows ? $1 : $rows while $sql =~ /, (\d+)\)/g;
	$rows = 1 if $rows > 20;
	my @as = (extra_params => [ '-U', 'ana' . ++$roles ]);
	my $before = $coordinator->safe_psql('d', "SELECT coalesce(max(charge), 0) FROM gaussdp.journal");
	my $far = $coordinator->safe_psql('d', $sql, @as);
	my $price = "SELECT kind, sum(times), sum(mu2), sum(threshold_delta) FROM gaussdp.journal WHERE event = 'charge' AND charge > %d GROUP BY kind ORDER BY kind";
	my $paid = $coordinator->safe_psql('d', sprintf $price, $before);
	my ($middle) = $coordinator->safe_psql('d', "SELECT max(charge) FROM gaussdp.journal");
	my $near = $coordinator->safe_psql('d', $sql =~ s/\bfar/near/gr =~ s/near_here/near_kind/gr, @as);
	isnt($paid, '', 'it is charged');
	is($paid, $coordinator->safe_psql('d', sprintf $price, $middle), 'once, and as much as on one server');
	my @far = split /[|\n]/, $far;
	my @near = split /[|\n]/, $near;
	my $differ = @far != @near;
	for my $i (0 .. $#near)
	{
		next if $differ || $far[$i] eq $near[$i];
		$differ = 1 if "$far[$i]$near[$i]" !~ /^[-0-9.e+]+$/ || abs($far[$i] - $near[$i]) > $rows * ("$far[$i]$near[$i]" =~ /\./ ? $upper : 3);
	}
	ok(!$differ, $name || $sql) or diag("far:\n$far\nnear:\n$near");
	return;
}

near_and_far($_) for
  "SELECT dp_count($p) FROM far",
  "SELECT dp_count($p), dp_sum(x, $p, 0, 400), dp_avg(i, $p, 0, 100), dp_sum(n, $p, 0, 400) FROM far WHERE k > 2 AND name LIKE 'kind%'",
  "SELECT dp_count($p), dp_sum(x, $p, 0, 400) FROM far_nothing",
  "SELECT dp_count($p), dp_sum(x, $p, 0, 400) FROM far WHERE k > 100",
  "SELECT dp_count($p) FROM far WHERE id = 5",
  "SELECT dp_count($p) FROM far WHERE id IN (5, 7, 9)",
  "SELECT dp_count($p) FILTER (WHERE i > 30), dp_sum(x, $p, 0, 400) FILTER (WHERE i < 30) FROM far",
  "SELECT dp_median(x, $p, 0, 400), dp_histogram(x, $p, 0, 400, 4) FROM far",
  "SELECT dp_stddev(x, $p, 0, 400) FROM far",
  "SELECT dp_count(DISTINCT id, $p) FROM far",
  "SELECT dp_count($p) FROM far WHERE seen > now() - interval '300 days' AND day < '2021-06-01'",
  "SELECT dp_count($p) FROM far_everywhere WHERE v > 30",
  "SELECT dp_count($p), dp_sum(v, $p, 0, 90) FROM far_local WHERE v > 30",
  "SELECT dp_count($p) FROM far_day WHERE day > '2020-10-01'",
  # groups, of the data and of public rows
  "SELECT name, dp_count($p) FROM far GROUP BY name HAVING dp_keep_group(1, 1e-6)",
  "SELECT name, dp_count($p) FROM far GROUP BY name HAVING dp_count($p) > 60 ORDER BY name DESC LIMIT 3",
  "SELECT name, dp_count($p), dp_avg(x, $p, 0, 400) FROM far_kind LEFT JOIN far USING (k, name) GROUP BY name",
  "SELECT kind.name, dp_count($p), dp_sum(x, $p, 0, 400) FROM far RIGHT JOIN near_kind kind USING (k) WHERE kind.k > 2 GROUP BY kind.name HAVING dp_count($p) < 150 AND kind.name <> 'kind 4'",
  "SELECT h.name, dp_count($p) FROM far_here h LEFT JOIN far ON far.k = h.k AND far.i > 50 LEFT JOIN far_kind o ON o.k = h.k GROUP BY h.name, o.name",
  "SELECT kind.name, dp_count($p) FROM near_kind kind LEFT JOIN (SELECT * FROM far WHERE i > 30) x ON x.k = kind.k GROUP BY kind.name",
  "SELECT g, dp_count($p) FROM generate_series(1, 3) g LEFT JOIN far ON far.k = g GROUP BY g",
  "SELECT r.name, dp_count($p) FROM (SELECT * FROM far_kind WHERE k > 100) r LEFT JOIN far USING (k) GROUP BY r.name",
  "SELECT kind.k, kind.name, grouping(kind.k, kind.name), dp_count($p) FROM far_kind kind LEFT JOIN far USING (k) GROUP BY GROUPING SETS ((kind.k, kind.name), (kind.k), ())",
  # joins to public rows: sent along
  "SELECT dp_count($p) FROM far JOIN near_kind USING (k) WHERE near_kind.name <> 'kind 3'",
  "SELECT dp_count($p) FROM far LEFT JOIN far_kind USING (k) WHERE far_kind.name <> 'kind 3'",
  "SELECT dp_count($p) FROM far JOIN (SELECT * FROM near_kind WHERE k > 100) none USING (k)",
  "SELECT dp_count($p) FROM far LEFT JOIN (SELECT * FROM near_kind WHERE k > 100) none USING (k)",
  "SELECT dp_count(id, $p, 3) FROM far, (SELECT * FROM near_kind WHERE k > 100) none",
  "SELECT dp_count($p) FROM far JOIN (VALUES (1, 'a''b', 0.1::float8 + 0.2::float8, '2020-02-01'::date), (2, NULL, 1, NULL)) AS v (k, t, f, d) ON v.k = far.k WHERE v.f > 0.3 AND v.f < 0.30000000000000005 AND t = 'a''b'",
  # keys and values of other kinds
  "SELECT k % 3, k % 3 AS again, dp_count($p) FROM far GROUP BY 1, 2 HAVING dp_keep_group(1, 1e-6)",
  "SELECT CASE WHEN k > 3 THEN 'many' END, extract(year FROM day), dp_count($p) FROM far GROUP BY 1, 2 HAVING dp_keep_group(1, 1e-6)",
  "SELECT upper(r.name), r.k > 3, dp_count($p) FROM far_kind r LEFT JOIN far ON far.k = r.k GROUP BY upper(r.name), r.k > 3",
  "SELECT k FROM far GROUP BY k HAVING dp_count($p) > 100",
  "SELECT 1 FROM far HAVING dp_count($p) > 100",
  "SELECT (dp_count_estimate($p)).value::int, ((dp_avg_estimate(x, $p, 0, 400)).value) FROM far",
  "SELECT dp_count($p), rank() OVER (ORDER BY name) FROM far WHERE k = ANY (ARRAY[1, 2]) GROUP BY name HAVING dp_keep_group(20, 1e-6) ORDER BY 2",
  "SELECT dp_sum(i::int8, $p, 0, 100), dp_sum(i + k, $p, 0, 100), dp_avg(least(greatest(n, 0), 1000) * 2, $p, 0, 400), dp_sum(least(greatest(x, 0), 400) * 2 + i, $p, 0, 900) FROM far",
  "SET standard_conforming_strings = off; SET escape_string_warning = off; SELECT dp_count($p), dp_sum(x, $p, 0, 400) FROM far JOIN (VALUES (1, 'a\\\\b''c')) v (k, t) USING (k) WHERE t = 'a\\\\b''c' AND length(t) = 5",
  "SELECT dp_count($p) FROM far JOIN (VALUES (1, 'a\\b''c', E'\\n\\tf\\u00fcr')) v (k, t, u) USING (k) WHERE t = 'a\\b''c' AND u = E'\\n\\tf\\u00fcr'",
  # people
  "SELECT dp_count(id, $p, 20), dp_sum(v, $p, 0, 3000, 20), dp_avg(x, $p, 0, 300, 20), dp_var(x, $p, 0, 300, 20) FROM far_visit",
  "SELECT dp_count(id, $p, 3), dp_count(DISTINCT id, $p) FROM far_visit WHERE v > 1000",
  "SELECT (dp_histogram(x, $p, 0, 300, 4))[2], (dp_cdf(x, $p, 0, 300, 4))[4], dp_median(x, $p, 0, 300) + 0.001, (dp_quantiles(v, $p, 0, 3000, '{0.1,0.9}'))[2] > 1500 FROM far_visit",
  "SELECT name, (dp_histogram(v, $p, 0, 3000, 2))[1], dp_quantile(x, $p, 0, 300, 0.2) + 0.001 FROM far_kind LEFT JOIN far_visit USING (k) GROUP BY name",
  "SELECT dp_sum(v, $p) > 0, dp_avg(x, $p) > 0, (dp_avg_auto_estimate(v, $p)).value > 0 FROM far_visit",
  "SELECT dp_bounds(x, $p) FROM far WHERE x > 128",
  "SELECT name, dp_count(v, $p, 20), dp_sum(v, $p, 0, 3000, 20) FROM far_kind LEFT JOIN far_visit USING (k) GROUP BY name",
  "SELECT k, dp_count(id, $p, 20) FROM far_visit GROUP BY k HAVING dp_keep_group(50, 1e-6)",
  "SELECT dp_avg(s, $p, 0, 40000), dp_count($p) FROM (SELECT id, sum(v) AS s FROM far_visit GROUP BY id HAVING count(*) > 3) q",
  "SELECT dp_sum(g, $p, 0, 1000, 20) FROM (SELECT id, v - lag(v) OVER (PARTITION BY id ORDER BY v) AS g FROM far_visit) q",
  "SELECT dp_count(far_visit.v, $p, 20) FROM far JOIN far_visit USING (id) WHERE far.k = 2",
  "SELECT dp_count($p), dp_sum(s, $p, 0, 40000) FROM far LEFT JOIN (SELECT id, sum(v) AS s FROM far_visit GROUP BY id) q USING (id)",
  "SELECT dp_count($p) FROM far WHERE EXISTS (SELECT 1 FROM far_visit v WHERE v.id = far.id AND v.v > 2900)",
  "SELECT dp_count($p) FROM far_everywhere JOIN far USING (id) WHERE far.k = 2",
  "SELECT dp_count($p), dp_count(far.k, $p) FROM far_everywhere LEFT JOIN far ON far.id = far_everywhere.id AND far.k > 3",
  "SELECT dp_count($p), dp_count(e.v, $p) FROM far LEFT JOIN far_everywhere e ON far.id = e.id AND far.k > 3",
  # what stands around
  "SELECT (SELECT dp_count($p) FROM far) + 0",
  "WITH a AS (SELECT dp_count($p) AS c FROM far), b AS (SELECT dp_sum(x, $p, 0, 400) AS s FROM far) SELECT c, s FROM a, b",
  "SELECT s.c FROM (SELECT dp_count($p) AS c FROM far WHERE k < (SELECT max(k) FROM near_kind WHERE k < 4)) s, generate_series(1, 2)",
  "BEGIN; SELECT dp_count($p) FROM far; SELECT dp_avg(i, $p, 0, 100) FROM far; COMMIT",
  "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT dp_count($p) FROM far; COMMIT",
  "SET gaussdp.as_analyst = on; SELECT dp_count($p) FROM far",
  "SET gaussdp.answer_plain_sql = on; SET gaussdp.epsilon = 93.5; SET gaussdp.delta = 1e-10; SET client_min_messages = error; SELECT count(*), avg(i) FROM far JOIN near_kind USING (k)",
  "SET extra_float_digits = -15; SET DateStyle = 'SQL, DMY'; SET IntervalStyle = iso_8601; SET bytea_output = escape; SET TimeZone = 'Asia/Tokyo'; SELECT dp_sum(x, 93.512345678901234, 1e-10, 0, 399.123456789) FROM far WHERE day > '01/02/2021' AND x > 3.7000000000000002",
  "PREPARE q (int, float8) AS SELECT dp_count(\$2, 1e-10) FROM far WHERE k = \$1; EXECUTE q (1, 93.5); EXECUTE q (2, 93.5); EXECUTE q (2, 93.5); EXECUTE q (2, 93.5); EXECUTE q (2, 93.5); EXECUTE q (2, 93.5); EXECUTE q (2, 93.5)",
  "CREATE TEMP TABLE kept AS SELECT name, dp_count($p) FROM far GROUP BY name HAVING dp_keep_group(1, 1e-6); TABLE kept";
is(answer("SELECT dp_count(50, 1e-6) BETWEEN 995 AND 1005 FROM far_before"), 't', 'a table that was protected before it was distributed');
is(answer("SELECT dp_count(50, 1e-6) BETWEEN 490 AND 510 FROM everywhere_before"), 't', 'and one that is on every server');
like(answer("SELECT verdict, calls FROM (SELECT max(verdict) AS verdict, count(*) AS calls FROM gaussdp.explain_privacy('SELECT dp_count(1, 1e-6) FROM far')) s"), qr/^private\|1$/, 'explain_privacy says so');
is($coordinator->safe_psql('d', "SET ROLE owner; SET gaussdp.as_analyst = on; SELECT dp_count($p) BETWEEN 997 AND 1003 FROM far"), "t", 'the owner, as an analyst');

# EXPLAIN shows nothing of the inside, and charges nothing unless it executes.
my $before = $coordinator->safe_psql('d', $charges);
is(answer("EXPLAIN (VERBOSE, COSTS OFF) SELECT dp_count($p) FROM far WHERE k = 3") =~ s/\nQuery Identifier.*//r, "Custom Scan (PrivateLevel)\n  Output: release_1", 'EXPLAIN');
is($coordinator->safe_psql('d', $charges), $before, 'for nothing');
is(answer("EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT dp_count($p) FROM far WHERE k = 3") =~ s/\nQuery Identifier.*//r, "Custom Scan (PrivateLevel) (actual rows=1 loops=1)\n  Output: release_1", 'EXPLAIN ANALYZE');
is($coordinator->safe_psql('d', $charges), $before + 1, 'is charged');

# Counters of the servers stand still: the number of rows that an index has found would be an exact answer.
my $counted = q{SELECT coalesce(sum(pg_stat_get_tuples_returned(oid) + pg_stat_get_tuples_fetched(oid)), 0) FROM pg_class WHERE relname ~ '^far(_visit|_local|_everywhere)?_(pkey_)?[0-9]+$'};
sub counters { return join ' ', map { $_->safe_psql('d', "SET citus.show_shards_for_app_name_prefixes = '*'; $counted") } $coordinator, @workers }
# A session that waits shows what it has counted after 10 seconds at last.
$coordinator->safe_psql('d', 'SELECT count(*) FROM far; SELECT count(*) FROM far_local; SELECT pg_sleep(11)');
my $counters = counters();
like($counters, qr/^[1-9]\d\d+ [1-9]\d\d+ [1-9]\d\d+$/, 'the servers count rows,');
answer("SELECT dp_count($p) FROM far WHERE id > 900; SELECT dp_count(id, $p, 3) FROM far_visit; SELECT dp_count($p) FROM far_local WHERE id > 300; SELECT dp_count($p) FROM far_everywhere; SELECT pg_sleep(11)");
is(counters(), $counters, 'but not those of a level');
$_->safe_psql('d', 'SET citus.enable_ddl_propagation = off; CREATE EXTENSION pg_stat_statements; SELECT pg_stat_statements_reset()') for $coordinator, @workers;
$coordinator->safe_psql('d', 'SELECT count(*) FROM far');
answer("SELECT dp_count($p) FROM far WHERE id > 900; SELECT dp_count($p) FROM far_local");
is(join(' ', map { $_->safe_psql('d', q{SELECT count(*) > 0 FROM pg_stat_statements WHERE query ~ 'count.* FROM public.far_'}) } @workers), 't t', 'queries of shards are in pg_stat_statements,');
is(join(' ', map { $_->safe_psql('d', q{SELECT count(*) FROM pg_stat_statements WHERE query ~ 'level_part'}) } $coordinator, @workers), '0 0 0', 'but not parts of a level');

# Integers before noise ------------------------------------------------------------------------------------------------
$coordinator->safe_psql('d', "SET citus.enable_ddl_propagation = off;\n\\i $module/probe.sql\nBEGIN;\n\\i $module/released.sql\nROLLBACK;");
my $released = slurp_file("$module/released.sql");

sub same_integers
{
	my ($calls, $from, $probed, $name) = @_;
	my $given = $coordinator->safe_psql('d', "BEGIN; SET LOCAL client_min_messages = error;\n$released\nRESET citus.enable_ddl_propagation; SET ROLE ana; SELECT released(\$q\$SELECT $calls FROM $from\$q\$); ROLLBACK");
	my $exact = $coordinator->safe_psql('d', "BEGIN;\n$released\nSELECT probed(\$q\$$probed\$q\$); ROLLBACK");
	isnt($given, '', "some integers: $calls");
	is($given, $exact, $name || "$calls from $from");
	return;
}
for my $call ('sum(x, 1, 1e-6, -20, 100)', 'avg(n, 1, 1e-6, -20, 100)', 'var(i, 1, 1e-6, -20, 100)', 'count(x, 1, 1e-6)', 'median(x, 1, 1e-6, -20, 100)', 'histogram(n, 1, 1e-6, 0, 99, 7)', 'sum_auto(x, 1, 1e-6)')
{
	same_integers("dp_$call", $_, "SELECT (probe_$call).* FROM " . s/\bfar/near/gr) for 'far', 'far WHERE k = 3 AND i < 77', 'far_nothing';
}
# what is NULL where it fails is sent as SQL
same_integers('dp_sum(x / i, 1, 1e-6, -20, 100)', 'far WHERE substr(name, 6)::int % 5 > 1 AND k * k < 30', q{SELECT (probe_sum(x / nullif(i, 0), 1, 1e-6, -20, 100)).* FROM near WHERE substr(name, 6)::int % 5 > 1 AND k * k < 30});
same_integers('dp_count(1, 1e-6)', q{far WHERE (extract(year FROM day) - 2020)::int * 1000000000 > 5 OR sqrt(x - 300)::numeric(10, 2) > 2 OR round(n / (k - 3), 2) > 1 OR n::text || name > '9'},
	q{SELECT (probe_count(1, 1e-6)).* FROM near WHERE CASE WHEN extract(year FROM day) < 2023 THEN (extract(year FROM day) - 2020)::int * 1000000000 > 5 END OR CASE WHEN x >= 300 THEN sqrt(x - 300)::numeric(10, 2) > 2 END OR round(n / nullif(k - 3, 0), 2) > 1 OR n::text || name > '9'});
# the weights by hand: max_rows 5, three groups of rows, no filter
my $weighed = 'SELECT *, gaussdp_internal.person_weight(size, sizes, 5 * 1048576) OVER (PARTITION BY id) AS m FROM (SELECT *, gaussdp_internal.size_sum(size) OVER (PARTITION BY id) AS sizes FROM (SELECT *, %s AS size FROM near_visit WHERE v %% 3 > 0) a) b';
my $rows = sprintf $weighed, '1048576';
# sums, averages and variances: what each person's rows add up to, clipped as a whole
my $params = q{'{1,1e-6,0,300,5}'};
my $clipped = "SELECT gaussdp_internal.clip_total(t, gaussdp_internal.total_weight(t, %1\$s, $params, 5 * 1048576) OVER (PARTITION BY id)) AS part FROM (SELECT id, gaussdp_internal.person_total(%1\$s, $params, x) AS t FROM near_visit WHERE v %% 3 > 0 GROUP BY id) a";
same_integers('dp_sum(x, 1, 1e-6, 0, 300, 5)', 'far_visit WHERE v % 3 > 0', "SELECT (probe_sum_weighted(part, $params)).* FROM (" . sprintf($clipped, 2) . ') s', 'weighted sums');
for (['dp_count(v, 1, 1e-6, 5)', "probe_count_weighted(m, '{1,1e-6,5}')", $rows], ['dp_avg(x, 1, 1e-6, 0, 300, 5)', "probe_avg_weighted(part, $params)", sprintf($clipped, 3)], ['dp_var(x, 1, 1e-6, 0, 300, 5)', "probe_var_weighted(part, $params)", sprintf($clipped, 5)])
{
	my ($call, $probe, $parts) = @$_;
	# as they are, in steps of the grid
	my $given = $coordinator->safe_psql('d', "BEGIN; SET LOCAL client_min_messages = error;\n$released\nRESET citus.enable_ddl_propagation; SET ROLE ana; SELECT string_agg(r, ',') FROM released(\$q\$SELECT $call FROM far_visit WHERE v % 3 > 0\$q\$) r; ROLLBACK");
	my $exact = $coordinator->safe_psql('d', "SELECT array_to_string((($probe).exact)::numeric[], ',') FROM ($parts) s");
	is($given =~ tr/{}//dr, $exact, "weighted integers: $call");
}

# Refused, by name, for nothing ----------------------------------------------------------------------------------------
$coordinator->safe_psql('d', <<'SQL');
CREATE ROLE nobody NOLOGIN;
GRANT CREATE ON SCHEMA public TO nobody;
SET ROLE owner;
CREATE TABLE by_k (id int NOT NULL, k int);
SELECT create_distributed_table('by_k', 'k');
CREATE TABLE appended (id int NOT NULL, k int);
SELECT create_distributed_table('appended', 'id', 'append');
CREATE TABLE ranged (id int NOT NULL, k int);
SELECT create_distributed_table('ranged', 'id', 'range');
CREATE TABLE apart (id int PRIMARY KEY, k int);
SELECT create_distributed_table('apart', 'id', colocate_with => 'none');
CREATE TABLE filtered (id int PRIMARY KEY, k int);
CREATE POLICY p ON filtered USING (k > 3);
ALTER TABLE filtered ENABLE ROW LEVEL SECURITY;
CREATE TABLE paged (id int PRIMARY KEY, k int);
SELECT create_distributed_table('paged', 'id');
CREATE TABLE child (visit int NOT NULL, k int);
SELECT create_distributed_table('child', 'visit');
SELECT gaussdp.protect(t, 'id', people => 'people') FROM unnest('{by_k,appended,ranged,apart,filtered}'::regclass[]) t;
SELECT gaussdp.protect('paged', 'id');
SELECT gaussdp.grant_budget('ana', 'paged', 10, 1e-4, max_relation_pages => 100);
RESET ROLE;
SELECT create_distributed_table('filtered', 'id');
CREATE ROLE another LOGIN;
GRANT CREATE ON SCHEMA public TO another;
CREATE TABLE another (id int PRIMARY KEY);
SELECT create_distributed_table('another', 'id', colocate_with => 'far');
SELECT gaussdp.protect('another', 'id', people => 'people');
ALTER TABLE another OWNER TO another;
CREATE TABLE unreachable (id int PRIMARY KEY);
SELECT create_distributed_table('unreachable', 'id');
SELECT gaussdp.protect('unreachable', 'id');
SELECT gaussdp.grant_budget('ana', 'unreachable', 10, 1e-4);
ALTER TABLE unreachable OWNER TO nobody;
SQL
refused('SELECT dp_count(1, 1e-6) FROM unreachable', qr/Citus cannot ask its servers as the owner of the table: .*role "nobody" is not permitted to log in/, 'an owner who cannot log in on the workers');
refused('SELECT dp_count(id, 1, 1e-6, 5) FROM by_k', qr/Citus distributes the table by another column than its unit/);
refused('SELECT dp_count(id, 1, 1e-6, 5) FROM appended', qr/Citus distributes the table, and neither by hash nor as a reference table/);
refused('SELECT dp_count(id, 1, 1e-6, 5) FROM ranged', qr/Citus distributes the table, and neither by hash nor as a reference table/);
refused('SELECT dp_count(1, 1e-6) FROM far JOIN apart USING (id)', qr/Citus distributes the joined tables in different ways/);
refused('SELECT dp_count(1, 1e-6) FROM far JOIN another USING (id)', qr/Citus distributes the joined tables, which are several owners'|different people/);
refused('SELECT dp_count(1, 1e-6) FROM far JOIN near USING (id)', qr/Citus distributes one of the joined protected tables, and not the other/);
refused('SELECT dp_count(1, 1e-6) FROM filtered', qr/Citus distributes the table, whose row security its servers would not apply/);
refused('SELECT dp_count(1, 1e-6) FROM paged', qr/Citus distributes the table, whose pages are not counted here for max_relation_pages/);
refused('SELECT dp_count(1, 1e-6) FROM far JOIN far_spread s ON s.k = far.k', qr/Citus distributes the table over several servers/);
refused('SELECT dp_sum(ARRAY[x], 1, 1e-6, 3, 1) FROM far_visit', qr/Citus cannot split calls over arrays/);
refused('SELECT dp_regression(ARRAY[x, v], 1, 1e-6, 0, 300, 0, 300) FROM far_visit', qr/Citus cannot split calls over arrays/);
refused('SELECT dp_bounds(x, 1, 1e-6) FROM far_visit', qr/several rows|one row/, 'bounds of people who own many rows, as on one server');
refused('SELECT dp_sum(ARRAY[x], 1, 1e-6, 3, 1) FROM far', qr/Citus cannot split calls over arrays/);
refused('SELECT dp_count(1, 1e-6) FROM far WHERE seen::date = now()::date', qr/Citus would compute something on other servers that depends on the session/);
refused("SELECT dp_count(1, 1e-6) FROM far JOIN (VALUES (1, $_)) v (k, m) USING (k) WHERE m IS NOT NULL", qr/Citus would compute something on other servers/, $_) for "'1'::money", "'far'::regclass";
refused('SELECT dp_count(1, 1e-6) FROM far JOIN generate_series(1, 20000) g ON g = far.id', qr/Citus would send more than 10000 rows/);
refused('SELECT * FROM far_kind, (SELECT dp_count(1, 1e-6) FROM far) s', qr/a query of a protected table and of table far_kind is not supported/);
refused("SET $_; SELECT dp_count(1, 1e-6) FROM far", qr/Citus distributes the table, and citus\.[a-z_]+ has been changed/, $_)
  for 'citus.log_remote_commands = on', 'citus.explain_all_tasks = on', 'citus.max_intermediate_result_size = 1', 'citus.enable_repartition_joins = on', 'citus.subquery_pushdown = on',
  'citus.enable_router_execution = off', "citus.worker_min_messages = 'debug5'", "citus.multi_task_query_log_level = 'notice'", 'citus.limit_clause_row_fetch_count = 1', 'citus.enable_binary_protocol = off', "citus.task_assignment_policy = 'round-robin'";
is(answer('SET citus.log_remote_commands = on; RESET citus.log_remote_commands; SELECT dp_count(50, 1e-6) > 900 FROM far'), 't', 'a setting that has been reset');
is(answer("SELECT count(*) FROM gaussdp.explain_privacy('SELECT dp_count(1, 1e-6) FROM far JOIN apart USING (id)') WHERE verdict = 'refused' AND reason ~ 'Citus'"), 1, 'explain_privacy says what is refused');
like(answer("SELECT string_agg(verdict || reason, ' ') FROM gaussdp.explain_privacy('$_')"), qr/^refusedRule 4 \(public relations\): Citus/, "what its plan is refused for, too: $_")
  for 'SELECT dp_count(1, 1e-6) FROM far JOIN generate_series(1, 20000) g ON g = far.id', 'SELECT dp_count(1, 1e-6) FROM far JOIN generate_series(1, 20000) g ON g = far.id WHERE far.k > 3';
$coordinator->safe_psql('d', 'ALTER ROLE ana SET citus.log_remote_commands = on');
refused('SELECT dp_count(1, 1e-6) FROM far', qr/citus\.log_remote_commands has been changed/, 'a setting of the role');
$coordinator->safe_psql('d', 'ALTER ROLE ana RESET citus.log_remote_commands');
for my $worker (@workers)
{
	my ($status, $out, $err) = $worker->psql('d', 'SELECT dp_count(1, 1e-6) FROM far', @ana);
	like($err, qr/permission denied for table far/, 'a worker answers nothing');
	is($out, '', 'at all');
}

# Rows and exact numbers by other ways
refused($_, qr/permission denied|cannot be called/) for 'SELECT * FROM far', 'SELECT count(*) FROM far', 'SELECT sum(gaussdp_internal.grid_point(x, $$\x00$$)) FROM far', 'SELECT count(*) FROM far WHERE gaussdp_internal.level_part(true)',
  'COPY far TO STDOUT', 'SELECT count(*) FROM far_visit JOIN far USING (id)', 'EXPLAIN ANALYZE SELECT count(*) FROM far', q{SELECT * FROM gaussdp_internal.private_level(0, 1) AS f (a int)};
my $shard = $coordinator->safe_psql('d', q{SELECT shard_name FROM citus_shards WHERE table_name = 'far'::regclass LIMIT 1});
is(answer("SELECT count(*) FROM run_command_on_all_nodes('SELECT count(*) FROM $shard') WHERE success"), 0, 'shards by their names');

# A function that somebody puts in the way on a worker does not run there as the owner.
$_->safe_psql('d', <<'SQL') for @workers;
SET citus.enable_ddl_propagation = off;
CREATE TABLE trap (who name);
GRANT INSERT ON trap TO PUBLIC;
CREATE FUNCTION public.trapped(n int8, v int) RETURNS int8 LANGUAGE plpgsql AS $$BEGIN INSERT INTO trap VALUES (current_user); RETURN 1; END$$;
CREATE AGGREGATE public.count(int) (SFUNC = public.trapped, STYPE = int8, INITCOND = '0');
SQL
my ($status, $out, $err) = $coordinator->psql('d', "SELECT dp_count(i, $p) FROM far", @ana);
is($out, '', 'a function of another on the workers: no answer');
is(join('', map { $_->safe_psql('d', 'SELECT count(*) FROM trap') } @workers), '00', 'and it has not run');
$_->safe_psql('d', 'SET citus.enable_ddl_propagation = off; DROP AGGREGATE public.count(int)') for @workers;
# The error was counted as one that a row may have made.
$coordinator->safe_psql('d', q{SELECT gaussdp.resume_budget('ana', 'far')});

# A worker that is down is seen before the charge.
$workers[1]->stop;
refused('SELECT dp_count(1, 1e-6) FROM far', qr/Citus cannot ask its servers as the owner of the table/, 'a worker is down');
$workers[1]->start;
is(answer('SELECT dp_count(50, 1e-6) > 900 FROM far'), 't', 'and comes back');

# The suite's own attacks ----------------------------------------------------------------------------------------------
# Tables, roles and queries of test/attack/queries.sql; the analyst's functions and views stay on the coordinator.
my $attacks = slurp_file(getcwd . '/test/attack/queries.sql');
my ($setup) = $attacks =~ /^(CREATE SCHEMA hr;.*)^SELECT no_plan/ms or die;
$setup =~ s/^SELECT :'data'.*?^\\else\n//ms;
$setup =~ s/^\\endif\n//m;
$setup =~ s/sized\(48842\)/5000/g;
$setup =~ s/^CREATE EXTENSION file_fdw.*?^CREATE FOREIGN TABLE[^;]*;/CREATE TABLE hr.elsewhere (id int);/ms;
$setup =~ s/^SELECT \* FROM gaussdp.lock_down.*\n//m;
my $distribute = <<'SQL';
RESET citus.enable_ddl_propagation;
SELECT create_distributed_table('hr.emp', 'id'), create_distributed_table('hr.part', 'id'), create_distributed_table('hr.visit', 'person', colocate_with => 'hr.emp'), create_reference_table('hr.dept') \g /dev/null
SET citus.enable_ddl_propagation = off;
SQL
$setup =~ s/^(-- What the analyst owns)/$distribute$1/m or die;
$coordinator->safe_psql('d', "SET client_min_messages = error; SET citus.enable_ddl_propagation = off;\n$setup");
$coordinator->safe_psql('d', q{SELECT run_command_on_all_nodes($$SELECT gaussdp.lock_down()$$)});
$coordinator->safe_psql('d', $_) for 'ALTER SYSTEM SET citus.enable_ddl_propagation = off', 'SELECT pg_reload_conf()', 'SELECT pg_sleep(1)';

$coordinator->safe_psql('d', q{DELETE FROM ana.query WHERE id LIKE 'C10%'}); # there is no foreign table here

# Of each attack, what is said; where one server answers, Citus may refuse.
sub verdicts
{
	my %verdict = map { split /\t/, $_, 2 } split /\n/, $coordinator->safe_psql('d', <<'SQL');
SET client_min_messages = error;
SELECT format('SELECT %L || E''\t'' || replace(ana.try(%L), E''\n'', '' '');', id, statements) FROM ana.query ORDER BY id \gexec
SQL
	return \%verdict;
}
my %state = map { split /\|/ } split /\n/, $coordinator->safe_psql('d', 'SELECT id, state FROM ana.query');
my $full = verdicts();
is(scalar(keys %$full), scalar(keys %state), 'every attack of the suite has a verdict');
for my $id (sort keys %state)
{
	my $verdict = $full->{$id};
	my $got = $verdict =~ s/\|.*//r;
	if ($got eq $state{$id}) { pass("attack $id: $got") }
	elsif ($state{$id} eq 'answered') { like($verdict, qr/Citus/, "attack $id is refused, and Citus is named") }
	else { isnt($got, 'answered', "attack $id: another refusal") or diag($verdict) }
}
is($coordinator->safe_psql('d', 'SELECT is_called FROM ana.seen'), 'f', 'no function of the analyst has seen a row');
$coordinator->safe_psql('d', 'DELETE FROM hr.emp WHERE id = 7');
is_deeply(verdicts(), $full, 'each verdict is the same, word for word, on a neighbour');
$coordinator->safe_psql('d', 'TRUNCATE hr.emp');
is_deeply(verdicts(), $full, 'and on an empty table');

done_testing();
