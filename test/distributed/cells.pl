# Calls that count in cells and leaves, over people who own many rows of a table that Citus distributes: the integers and prices of one server.
use strict;
use warnings FATAL => 'all';

use Cwd;
use Distributed;
use PostgreSQL::Test::Utils;
use Test::More;

my ($coordinator, @workers) = cluster();
my $module = getcwd . '/test/module';

# near is the same table on the coordinator alone; person 99 has most rows, of each kind of value.
$coordinator->safe_psql('d', <<'SQL');
CREATE ROLE owner LOGIN;
CREATE ROLE ana LOGIN;
GRANT CREATE ON SCHEMA public TO owner;
GRANT ana TO owner;
SET ROLE owner;
CREATE TABLE near (id int NOT NULL, k int NOT NULL, x float8, i int8, n numeric(10, 2), m numeric);
INSERT INTO near SELECT g % 40 + 1, g % 7, CASE WHEN g % 11 > 0 THEN g * 0.37 - 30 END, CASE WHEN g % 13 > 0 THEN g % 100 END, g / 7.0, g * 1.1::numeric ^ (g % 50) FROM generate_series(1, 300) g;
INSERT INTO near SELECT 99, g % 5, g * 0.1, g % 90, g / 9.0, -g FROM generate_series(1, 700) g;
INSERT INTO near SELECT p, 1, v, NULL, NULL, v::text::numeric FROM unnest('{7,41,99}'::int[]) p, unnest('{NaN,infinity,-infinity,-0,1e-310,1.7e308,-1e40}'::float8[]) v;
CREATE TABLE far (LIKE near INCLUDING ALL);
SELECT create_distributed_table('far', 'id');
INSERT INTO far SELECT * FROM near;
CREATE TABLE near_nothing (LIKE near);
CREATE TABLE far_nothing (LIKE near);
SELECT create_distributed_table('far_nothing', 'id');
-- person 1 has so many rows that a row of them hardly weighs anything
CREATE TABLE near_much AS SELECT greatest(g - 13000, 1) AS id, g % 90 AS x FROM generate_series(1, 13040) g;
ALTER TABLE near_much ALTER id SET NOT NULL;
CREATE TABLE far_much (LIKE near_much INCLUDING ALL);
SELECT create_distributed_table('far_much', 'id');
INSERT INTO far_much SELECT * FROM near_much;
-- each person has one value, once in each of six groups
CREATE TABLE near_even AS SELECT p AS id, k, p % 10 AS x FROM generate_series(1, 60) p, generate_series(1, 6) k;
ALTER TABLE near_even ALTER id SET NOT NULL;
CREATE TABLE far_even (LIKE near_even INCLUDING ALL);
SELECT create_distributed_table('far_even', 'id');
INSERT INTO far_even SELECT * FROM near_even;
CREATE TABLE kind AS SELECT k FROM generate_series(0, 8) k;
ALTER TABLE kind ADD PRIMARY KEY (k);
GRANT SELECT ON kind TO ana;
SELECT gaussdp.protect(t::regclass, 'id', max_rows => 3, max_groups => CASE WHEN t ~ 'even' THEN 2 ELSE 100 END, people => 'people') FROM unnest('{near,far,near_nothing,far_nothing,near_much,far_much,near_even,far_even}'::text[]) t;
SELECT gaussdp.grant_budget('ana', 'near', 1000, 1e-2);
RESET ROLE;
SQL
$coordinator->safe_psql('d', "SET citus.enable_ddl_propagation = off;\n\\i $module/probe.sql\nCREATE FUNCTION test_weighed(text) RETURNS text AS :'testlib' LANGUAGE C STRICT SET gaussdp.as_analyst = on;");
my $released = slurp_file("$module/released.sql");

# What the releases of a query are given, but for those that count rows alone, which decide on groups: the order of groups is open.
sub given
{
	my ($query) = @_;
	my $given = $coordinator->safe_psql('d', "BEGIN; SET LOCAL client_min_messages = error;\n$released\nRESET citus.enable_ddl_propagation; SET ROLE ana; SELECT released(\$q\$$query\$q\$); ROLLBACK");
	return sort grep { !/^\{\d+\}$/ } split /\n/, $given;
}

# What the policy makes of it over the table of this server, with its integers shown instead of released.
sub exact
{
	my ($query) = @_;
	my $weighed = $coordinator->safe_psql('d', "SELECT regexp_replace(regexp_replace(test_weighed(\$q\$$query\$q\$), 'HAVING [^\\n]*', '', 'g'), 'gaussdp_internal\\.(\\w+)_weighted', 'probe_\\1_weighted', 'g')");
	my @kinds = $weighed =~ /probe_(\w+)_weighted/g;
	my $list = join ', ', map { "cells_probed('$kinds[$_]', release_" . ($_ + 1) . ')' } 0 .. $#kinds;
	my $exact = $coordinator->safe_psql('d', "BEGIN;\n$released\nSELECT coalesce(c, '{}') FROM ($weighed) s, unnest(ARRAY[" . ($list =~ s/(cells_probed\([^()]*\))/$1::text/gr) . "]) c; ROLLBACK");
	return sort split /\n/, $exact;
}

my @calls = ('dp_histogram(T.x, 1, 1e-6, -20, 100, 7)', 'dp_histogram(T.n, 1, 1e-6, 0, 99, 4)', 'dp_cdf(T.x, 1, 1e-6, -20, 100, 7)', 'dp_median(T.i, 1, 1e-6, -20, 100)', 'dp_quantile(T.n, 1, 1e-6, -20, 100, 0.9)',
	'dp_median(T.x, 1, 1e-6, -20, 100)', 'dp_quantile(T.m, 1, 1e-6, -20, 100, 0)', "dp_quantiles(T.n, 1, 1e-6, -20, 100, '{0.9,0.1}')", 'dp_sum(T.x, 1, 1e-6)', 'dp_avg(T.m, 1, 1e-6)', 'dp_avg(T.i, 1, 1e-6)');
for my $from ('far', 'far WHERE k = 3 AND i < 77', 'far WHERE id = 99', 'far WHERE id > 1000', 'far_nothing', 'kind LEFT JOIN far f ON f.k = kind.k GROUP BY kind.k', 'far GROUP BY k HAVING dp_keep_group(1, 1e-6)',
	'(SELECT id, k, n, x, i, m FROM far WHERE i > 3) f JOIN kind ON kind.k = f.k')
{
	for my $filter ('', ' FILTER (WHERE T.i % 3 > 0)')
	{
		my $of = $from =~ /\bf\b/ ? 'f.' : '';
		my $far = 'SELECT ' . (join(', ', map { "$_$filter" } @calls) =~ s/\bT\./$of/gr) . " FROM $from";
		my @exact = exact($far =~ s/\bfar/near/gr);
		cmp_ok(scalar(grep { $_ ne '{}' || $from ne 'far' } @exact), '>=', @calls, 'there are calls');
		is_deeply([ given($far) ], \@exact, "$from$filter");
	}
}

for my $from ('far_much', 'far_much WHERE id = 1')
{
	my $query = "SELECT dp_histogram(x, 1, 1e-6, 0, 90, 5), dp_cdf(x, 1, 1e-6, 0, 90, 5), dp_median(x, 1, 1e-6, 0, 90), dp_quantiles(x, 1, 1e-6, 0, 90, '{0.2,0.7}'), dp_avg(x, 1, 1e-6) FROM $from";
	my @exact = exact($query =~ s/\bfar/near/gr);
	is(scalar(grep { $_ ne '{}' } @exact), $from =~ /WHERE/ ? 2 : 5, "what hardly weighs anything: $from");
	is_deeply([ given($query) ], \@exact, "$from");
}

# Groups that are found: which ones of a person are kept is drawn, but not what they add up to here.
sub added_up
{
	my %sum;
	for my $cells (@_)
	{
		my @numbers = split /,/, $cells =~ tr/{}//dr;
		while (my ($cell, $steps) = splice @numbers, 0, 2) { $sum{$cell} = ($sum{$cell} // 0) + $steps }
	}
	return \%sum;
}
for my $call ('dp_histogram(x, 1, 1e-6, 0, 10, 5)', 'dp_cdf(x, 1, 1e-6, 0, 10, 5)', 'dp_median(x, 1, 1e-6, 0, 10)', "dp_quantiles(x, 1, 1e-6, 0, 10, '{0.2,0.7}')", 'dp_avg(x, 1, 1e-6)')
{
	my $query = "SELECT k, $call FROM far_even GROUP BY k HAVING dp_keep_group(1, 1e-6)";
	my @given = given($query);
	is(@given, 6, 'all groups are there');
	is_deeply(added_up(@given), added_up(exact($query =~ s/\bfar/near/gr)), "two groups of each person: $call");
	cmp_ok(keys %{ added_up(@given) }, '>', 0, 'with rows');
}
$coordinator->safe_psql('d', "SET ROLE owner; SELECT gaussdp.protect('far_even', max_groups => 6)");
my $query = 'SELECT k, dp_histogram(x, 1, 1e-6, 0, 10, 5) FROM far_even GROUP BY k HAVING dp_keep_group(1, 1e-6)';
is_deeply([ sort map { $_ * 3 } values %{ added_up(exact($query =~ s/\bfar/near/gr)) } ], [ sort values %{ added_up(given($query)) } ], 'and all six of them are three times as much');

done_testing();
