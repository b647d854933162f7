# The life of the data, as docs/admin.md tells it: erasing, new columns, tables and partitions, a new analyst by a group role, revoking, a mistaken
# max_rows, dbt's swap of tables with the recipe of the page word for word, and what a publication of all tables takes along.
use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $page = slurp_file('docs/admin.md');
my $node = PostgreSQL::Test::Cluster->new('life');
$node->init(allows_streaming => 'logical');
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'gaussdp'\nfsync = off");
$node->start;
$node->safe_psql('postgres', 'CREATE DATABASE d');
$node->safe_psql('d', <<'SQL');
CREATE EXTENSION gaussdp;
CREATE ROLE own LOGIN;
CREATE ROLE analysts;
CREATE ROLE ana LOGIN;
CREATE ROLE bea LOGIN;
CREATE SCHEMA hr AUTHORIZATION own;
GRANT USAGE ON SCHEMA hr TO analysts;
SET ROLE own;
CREATE TABLE hr.emp (id int PRIMARY KEY, dept text);
CREATE TABLE hr.absence (emp int REFERENCES hr.emp ON DELETE SET NULL, day date NOT NULL) PARTITION BY RANGE (day);
CREATE TABLE hr.absence_2026 PARTITION OF hr.absence FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
INSERT INTO hr.emp SELECT i, 'a' FROM generate_series(1, 2000) i;
INSERT INTO hr.absence SELECT i, '2026-05-05' FROM generate_series(1, 1000) i;
SELECT gaussdp.protect('hr.emp', 'id', people => 'staff'), gaussdp.protect('hr.absence', 'emp', 3, people => 'staff'),
  gaussdp.grant_budget('analysts', 'hr.emp', 1000, 1e-3, default_epsilon => 20, default_delta => 1e-6);
SQL

# What a role is told: the answer, or SQLSTATE and message
sub as
{
	my ($role, $sql) = @_;
	my ($status, $out, $err) = $node->psql('d', $sql, extra_params => [ '-U', $role, '-v', 'VERBOSITY=verbose' ]);
	return $status == 0 ? $out : $err;
}

# epsilon 20 at delta 1e-6: sigma is below 0.4 for a row of each person
sub is_about
{
	my ($role, $sql, $expected, $within, $name) = @_;
	my $answer = as($role, $sql);
	ok($answer =~ /^-?[\d.]+$/ && abs($answer - $expected) <= $within, "$name: $answer, about $expected");
	return;
}

# A new analyst
like(as('ana', 'SELECT dp_count(*) FROM hr.emp'), qr/42501|22023/, 'who is in no group is answered nothing');
$node->safe_psql('d', 'GRANT analysts TO ana');
is_about('ana', 'SELECT dp_count(*) FROM hr.emp', 2000, 6, 'who joins the group asks from its budget, at its defaults');
is(as('ana', 'SELECT people, paid_by FROM gaussdp.my_budget'), 'staff|analysts', 'which my_budget names');
$node->safe_psql('d', 'ALTER ROLE analysts SET gaussdp.epsilon = 0.5');
is(as('ana', 'SHOW gaussdp.epsilon'), '0', 'settings of the group are not its members\'');
is(as('ana', "SELECT epsilon FROM gaussdp.explain_privacy('SELECT dp_count(*) FROM hr.emp')"), '20', 'the defaults of the grant hold on');
$node->safe_psql('d', 'GRANT analysts TO bea');
my ($of_ana, $of_bea) = map { as($_, 'SELECT left_epsilon FROM gaussdp.my_budget') } 'ana', 'bea';
is($of_bea, $of_ana, 'members share what is left');

# Revoking
$node->safe_psql('d', 'REVOKE analysts FROM bea');
like(as('bea', 'SELECT dp_count(*) FROM hr.emp'), qr/42501|22023/, 'who leaves the group is answered nothing');
is_about('ana', 'SELECT dp_count(*) FROM hr.emp', 2000, 6, 'others go on');
as('own', "SELECT gaussdp.grant_budget('bea', 'hr.emp', 50, 1e-5)");
$node->safe_psql('d', 'GRANT USAGE ON SCHEMA hr TO bea');
is_about('bea', 'SELECT dp_count(10, 1e-6) FROM hr.emp', 2000, 12, 'a budget of her own');
as('own', "SELECT gaussdp.revoke_budget('bea', 'hr.emp')");
like(as('bea', 'SELECT dp_count(10, 1e-6) FROM hr.emp'), qr/42501.*Rule 9/s, 'that is revoked pays no more');
like(as('own', "SELECT spent_epsilon > 9 FROM gaussdp.budget WHERE paid_by = 'bea' AND NOT granted"), qr/^t$/, 'what it has paid stays known');

# Erasing a person
as('own', 'DELETE FROM hr.emp WHERE id <= 500');
is_about('ana', 'SELECT dp_count(*) FROM hr.emp', 1500, 6, 'people who were erased are in no answer');
is_about('ana', 'SELECT dp_count(*) FROM hr.absence', 500, 20, 'nor are their rows, of nobody now');
is(as('own', "SELECT what FROM gaussdp.check_policy('hr.absence') WHERE severity = 'notice'"), 'rows that belong to nobody, since emp is NULL there: 500. No answer counts them', 'of which the owner is told');

# New columns, partitions and tables
as('own', 'ALTER TABLE hr.emp ADD salary int DEFAULT 100');
like(as('ana', 'SELECT dp_avg(salary, 5, 1e-6) FROM hr.emp'), qr/^[\d.]+$/, 'a new column is asked for, with bounds that are found privately');
as('own', "SELECT gaussdp.set_bounds('hr.emp', 'salary', 0, 200)");
is_about('ana', 'SELECT dp_avg(salary, 20, 1e-6) FROM hr.emp', 100, 2, 'or within those that are declared');
as('own', "CREATE TABLE hr.absence_2027 PARTITION OF hr.absence FOR VALUES FROM ('2027-01-01') TO ('2028-01-01'); INSERT INTO hr.absence SELECT i, '2027-02-02' FROM generate_series(601, 900) i");
is_about('ana', 'SELECT dp_count(*) FROM hr.absence', 800, 20, 'rows of a new partition count');
is_about('ana', 'SELECT dp_count(*) FROM hr.absence_2027', 300, 20, 'by itself, too');
like(as('ana', 'SELECT * FROM hr.absence_2027'), qr/42501/, 'and are not shown');
as('own', 'ALTER DEFAULT PRIVILEGES IN SCHEMA hr GRANT SELECT ON TABLES TO analysts');
like(as('own', "SELECT what FROM gaussdp.check_policy('hr.absence')"), qr/default privileges let role analysts read each new table of role own in schema hr/, 'default privileges that open the next one are found');
as('own', 'ALTER DEFAULT PRIVILEGES IN SCHEMA hr REVOKE SELECT ON TABLES FROM analysts');
as('own', 'CREATE TABLE hr.bonus (emp int NOT NULL, amount int); INSERT INTO hr.bonus SELECT i, 10 FROM generate_series(601, 700) i');
like(as('ana', 'SELECT dp_count(*) FROM hr.bonus'), qr/42501|22023/, 'a new table answers nothing');
as('own', "SELECT gaussdp.protect('hr.bonus', 'emp', 1, people => 'staff')");
is_about('ana', 'SELECT dp_count(*) FROM hr.bonus', 100, 10, 'until it has the same people: budgets hold at once');

# A mistaken max_rows
my $price = "SELECT max_rows, epsilon FROM gaussdp.explain_privacy('SELECT dp_count(*) FROM hr.bonus')";
is(as('ana', $price), '1|20', 'one row of each person counts');
as('own', "SELECT gaussdp.protect('hr.bonus', max_rows => 40)");
is(as('ana', $price), '40|20', 'corrected, more do, for the same price');
is(as('own', q(SELECT unit, people FROM gaussdp.protected_tables WHERE "table" = 'hr.bonus'::regclass)), 'emp|staff', 'and the rest is as it was');

# dbt: its steps for a table, with the post-hook of the page; the first run has nothing to copy
my ($hook) = $page =~ /^ +post_hook: >\n((?: +\S.*\n)+)/m or die 'docs/admin.md has no post-hook';
sub dbt_run
{
	my ($first) = @_;
	my %this = (schema => 'hr', identifier => 'bonus');
	my $filled = $hook =~ s/\{\{ this\.(\w+) \}\}/$this{$1}/gr;
	my $rename = $first ? '' : 'ALTER TABLE hr.bonus RENAME TO bonus__dbt_backup;';
	return as('own', <<SQL);
BEGIN;
CREATE TABLE hr.bonus__dbt_tmp AS SELECT i AS emp, 10 AS amount FROM generate_series(601, 850) i;
$rename
ALTER TABLE hr.bonus__dbt_tmp RENAME TO bonus;
$filled;
COMMIT;
DROP TABLE IF EXISTS hr.bonus__dbt_backup CASCADE;
SQL
}
is(dbt_run(0), '', 'dbt makes the table anew');
is(as('own', q(SELECT unit, max_rows, people, usable FROM gaussdp.protected_tables WHERE "table" = 'hr.bonus'::regclass)), 'emp|40|staff|t', 'its declaration has gone along');
is_about('ana', 'SELECT dp_count(*) FROM hr.bonus', 250, 100, 'and it answers');
unlike(as('own', q(SELECT what FROM gaussdp.check_policy())), qr/same columns/, 'nothing is left behind');
as('own', 'DROP TABLE hr.bonus');
unlike(dbt_run(1), qr/ERROR/, 'the first run has nothing to copy');
is(as('own', q(SELECT count(*) FROM gaussdp.protected_tables WHERE "table" = 'hr.bonus'::regclass)), '0', 'and declares nothing');
like(as('ana', 'SELECT dp_count(20, 1e-6) FROM hr.bonus'), qr/42501/, 'so that nobody is answered');

# What a publication of all tables takes along is what the page says
my ($list) = $page =~ /A publication `FOR ALL TABLES` takes the ledger along: (.*?) of schema `gaussdp_internal`/s or die 'docs/admin.md has no list';
my @listed = sort $list =~ /`(\w+)`/g;
$node->safe_psql('d', 'CREATE PUBLICATION everything FOR ALL TABLES');
is(join(' ', @listed), $node->safe_psql('d', q(SELECT string_agg(tablename, ' ' ORDER BY tablename COLLATE "C") FROM pg_publication_tables WHERE schemaname ~ '^gaussdp|^gdp')), 'the tables of the ledger that are published with all');

$node->stop;
done_testing();
