# A level of a statement looks ahead at the others, which may be in the middle of computing their inputs: what they
# have computed so far stays where it is, and no memory of a level's gets into the hands of a function of the analyst's.
# What it adds up is what the statement would be charged.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

my $node = neighbours('lookahead', "restart_after_crash = on\n", <<'SQL');
INSERT INTO hr.emp SELECT i, 'dept-of-' || i, 40, 1, i, 1, timestamp '2020-01-01', 'secret-of-' || i FROM generate_series(10, 20000) i;
SELECT 'CREATE ROLE bob LOGIN' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'bob') \gexec
GRANT USAGE ON SCHEMA hr TO bob;
SELECT gaussdp.grant_budget('bob', 'hr.emp', 1, 1e-5);
SQL
my @ana = (extra_params => [ '-U', 'ana' ]);

# Tells whether the text that it is given first is the one that it was made as, and what of the rows is in it.
prepare(<<'SQL');
CREATE FUNCTION ana.make(int) RETURNS text LANGUAGE plpgsql STABLE AS 'BEGIN RETURN repeat(''x'', $1); END';
CREATE FUNCTION ana.epsilon() RETURNS float8 LANGUAGE plpgsql STABLE AS 'BEGIN RETURN 0.001; END';
CREATE FUNCTION ana.see(text, float8) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE found text;
BEGIN
    SELECT string_agg(m, ' ') INTO found FROM (SELECT encode(substr(b, g, 14), 'escape') m
        FROM (SELECT textsend($1) AS b OFFSET 0) AS t, generate_series(1, least(octet_length(b), 200000)) g WHERE substr(b, g, 10) = 'secret-of-'::bytea) q WHERE m ~ '\d';
    RAISE NOTICE 'same: %, rows: %', $1 = repeat('x', octet_length($1)), found;
    RETURN 'y';
END$$;
SQL

my $count = '(SELECT dp_count(0.001, 1e-6) FROM hr.emp)';
my $groups = '(SELECT max(c) FROM (SELECT dp_count(0.001, 1e-6) c FROM hr.emp GROUP BY dept, note HAVING dp_keep_group(0.001, 1e-6)) x)';
foreach ([ 5, $count ], [ 100, $count ], [ 5000, $count ], [ 30_000, $groups ], [ 100_000, $count ], [ 120_000, $groups ], [ 1_000_000, $count ])
{
	my ($size, $other) = @$_;
	my ($out, $err) = ('', '');

	$node->psql('one', "SET statement_timeout = '120s'; SET work_mem = '64MB'; SET enable_hashagg = off;"
		  . " SELECT dp_count(ana.epsilon(), 1e-6) > -1e9 FROM hr.emp WHERE dept <> ana.see(ana.make($size), $other)",
		stdout => \$out, stderr => \$err, @ana);
	like($err, qr/same: t, rows: <NULL>/, "a text of $size bytes that is computed before another level runs is the same afterwards");
	is($out, 't', '... and the level is answered');
	my $until = time + 120;
	sleep 1 until $node->psql('one', 'SELECT 1', stderr => \$err) == 0 || time > $until;
}

# Statements that were charged, of bob's, who begins with one budget each time.
sub charged
{
	my ($sql) = @_;
	my $err = '';
	$node->safe_psql('one', "UPDATE gaussdp_internal.ledger_account SET spent_mu2 = 0, spent_delta = 0");
	$node->psql('one', "SET client_min_messages = warning; SET statement_timeout = '120s'; $sql", stderr => \$err, extra_params => [ '-U', 'bob' ]);
	return ($node->safe_psql('one', "SELECT coalesce(sum(spent_mu2), 0) > 0 FROM gaussdp_internal.ledger_account WHERE role = 'bob'::regrole"), $err);
}

my $generic = 'SET plan_cache_mode = force_generic_plan; PREPARE p(float8, float8) AS SELECT';
my $twice = '(SELECT dp_count($1, 1e-5) + dp_count($2, 1e-5) FROM hr.emp)';
my ($paid, $error) = charged("$generic $twice; EXECUTE p(0.95, 0.95);");
is($error, '', 'two calls whose parameters are equal are one draw, which the budget suffices for');
($paid, $error) = charged("$generic $count, $twice; EXECUTE p(0.95, 0.95);");
is($error, '', '... also beside another level');

foreach my $having ('dp_keep_group(0.001, 1e-4)', 'dp_count(0.5, 1e-4) > 23')
{
	my $level = "(SELECT count(*) FROM (SELECT dept, dp_count(0.001, 1e-4) FROM hr.emp GROUP BY dept HAVING $having) x)";
	($paid, $error) = charged("SELECT $level;");
	like($error, qr/does not suffice/, "a threshold whose delta is above the budget's is refused: $having");
	($paid, $error) = charged("SELECT $count, $level;");
	like($error, qr/does not suffice/, '... also beside another level');
	is($paid, 'f', '... which is not charged either');
}

# A level that no row asks for is not computed, nor are its inputs.
($paid, $error) = charged("SELECT $count IS NULL, CASE WHEN random() > 2 THEN (SELECT dp_count(1.0 / (extract(epoch FROM now()) - extract(epoch FROM now()))::float8, 1e-6) FROM hr.emp) END");
is($error, '', 'an input of a level that never runs does not fail');
my ($out, $err) = ('', '');
prepare("CREATE FUNCTION ana.tell() RETURNS float8 LANGUAGE plpgsql STABLE AS 'BEGIN RAISE NOTICE ''called''; RETURN 0.001; END'");
$node->psql('one', "SELECT $count IS NULL, (SELECT dp_count(ana.tell(), 1e-6) FROM hr.emp) IS NULL", stderr => \$err, @ana);
my @notices = $err =~ /called/g;
is(@notices, 1, 'an input is computed once');

$node->stop;
done_testing();
