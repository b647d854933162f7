# A level of a statement looks ahead at the others, which may be in the middle of computing their inputs: what they
# have computed so far stays where it is, and no memory of a level's gets into the hands of a function of the analyst's.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

my $node = neighbours('lookahead');
my @ana = (extra_params => [ '-U', 'ana' ]);

# Tells whether the text that it is given first is the one that it was made as.
prepare(<<'SQL');
CREATE FUNCTION ana.make(int) RETURNS text LANGUAGE plpgsql STABLE AS 'BEGIN RETURN repeat(''x'', $1); END';
CREATE FUNCTION ana.epsilon() RETURNS float8 LANGUAGE plpgsql STABLE AS 'BEGIN RETURN 0.001; END';
CREATE FUNCTION ana.see(text, float8) RETURNS text LANGUAGE plpgsql STABLE AS
  'BEGIN RAISE NOTICE ''seen: %'', $1 = repeat(''x'', length($1)); RETURN ''y''; END';
SQL

my $other = '(SELECT dp_count(0.001, 1e-6) FROM hr.emp)';
foreach my $size (5, 100, 5000, 100_000, 1_000_000)
{
	my ($out, $err) = ('', '');
	my $before = $node->safe_psql('one', 'SELECT pg_postmaster_start_time()');
	my $code = $node->psql('one', "SET statement_timeout = '20s'; SELECT dp_count(ana.epsilon(), 1e-6) > -1e9 FROM hr.emp WHERE dept <> ana.see(ana.make($size), $other)",
		stdout => \$out, stderr => \$err, @ana);
	like($err, qr/seen: t/, "a text of $size bytes that is computed before another level runs is the same afterwards") || diag(substr "$code $out $err", 0, 2000);
	is($out, 't', "... and the level is answered");
	my $until = time + 20;
	sleep 1 until $node->psql('one', 'SELECT 1') == 0 || time > $until;
}

$node->stop;
done_testing();
