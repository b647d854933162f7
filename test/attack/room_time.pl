# A query may be slow to prove, but it can be stopped: a statement_timeout ends it.  Shapes of which each nesting once doubled the time are
# nested so often that an end means that this is no longer so, or that the timeout was heeded.  In the long form (make nightly) the time is
# measured, too, by the processor: with a timeout of one second a session takes little more.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use PostgreSQL::Test::Utils;
use Test::More;

my $lib = $ENV{GAUSSDP_TESTLIB} or plan skip_all => 'needs the test module';
my $node = neighbours('time', '', "CREATE FUNCTION public.cpu_time() RETURNS float8 LANGUAGE C AS '$lib', 'test_cpu_time';");

sub nested
{
	my ($depth, $inner, $shape) = @_;
	$inner = sprintf $shape, $inner, $inner foreach 1 .. $depth;
	return $inner;
}

my $depth = 60;
my $n = 'SELECT dp_count(0.01, 1e-6) FROM hr.emp';
my $sum = nested($depth, '1::bigint', '(%1$s + 1)');
my @queries = (
	[ 'arithmetic of constants, nested (D01)', "$n WHERE age > $sum" ],
	[ 'arithmetic of a column, nested (D01)', "$n WHERE " . nested($depth, 'age::bigint', '(%1$s + 1)') . ' > 3' ],
	[ 'arithmetic in an argument, nested (D01)', 'SELECT dp_sum(' . nested($depth, 'age::bigint', '(%1$s + 1)') . ', 0.01, 1e-6, 0, 1) FROM hr.emp' ],
	[ 'least() of constants, nested (D01)', "$n WHERE age > " . nested($depth, '1', 'least(%1$s, 2)') ],
	[ 'least() of a column, nested (D01)', "$n WHERE " . nested($depth, 'age', 'least(%1$s, 2)') . ' > 3' ],
	[ 'arithmetic over least(), nested', "$n WHERE " . nested($depth / 2, 'age', 'least(%1$s + 1, 99)') . ' > 3' ],
	[ 'coalesce(), nested', "$n WHERE " . nested($depth, 'age', 'coalesce(%1$s, 2)') . ' > 3' ],
	[ 'CASE, nested', "$n WHERE " . nested($depth, 'age', 'CASE WHEN id > 1 THEN %1$s ELSE 1 END') . ' > 3' ],
	[ 'NOT, nested', "$n WHERE " . nested($depth, 'age > 3', '(NOT (%1$s)) IS NOT TRUE') ],
	[ 'minus, nested', "$n WHERE " . nested($depth, 'age::bigint', '(- %1$s)') . ' > 3' ],
	[ 'multiplication of constants, nested', "$n WHERE age > " . nested($depth, '1', '(1 * %1$s)') ],
	[ 'intervals, nested', "$n WHERE hired > timestamp '2020-01-01' + " . nested($depth, "interval '1 day'", "(%1\$s + interval '1 day')") ],
	[ 'dates, nested', "$n WHERE " . nested($depth, 'hired', "(%1\$s + interval '1 day')") . " > timestamp '2020-01-01'" ],
	[ 'rounding, nested', "$n WHERE " . nested($depth, 'rate', 'round(%1$s + 1)') . ' > 3' ],
	[ 'text, nested', "$n WHERE " . nested($depth, 'dept', "(%1\$s || 'x')") . " > 'x'" ],
	[ 'sub-selects, nested', "SELECT dp_count(0.01, 1e-6) FROM " . nested(40, 'hr.emp', '(SELECT * FROM %1$s x WHERE age > 1)') . ' s' ],
	[ 'VALUES of 20,000 rows (D03)', 'SELECT dp_count(0.01, 1e-6) FROM hr.emp JOIN (VALUES ' . join(',', map { "($_)" } 1 .. 20000) . ') v (k) ON k = dept_id' ],
	[ 'IN with 19,000 constants', "$n WHERE id IN (" . join(',', 1 .. 19000) . ')' ],
	[ '3,000 conditions', "$n WHERE " . join(' AND ', map { "age <> $_" } 1 .. 3000) ],
	[ '3,000 times the same condition on a key', "$n JOIN generate_series(1, 9) k ON " . join(' AND ', ('k = dept_id') x 3000) ],
	[ '800 calls', 'SELECT ' . join(', ', map { "dp_count(age + $_, 0.001, 1e-9)" } 1 .. 800) . ' FROM hr.emp' ],
	[ '40 joined lists', "$n " . join ' ', map { "JOIN generate_series(1, 9) k$_ ON k$_ = dept_id" } 1 .. 40 ]);

foreach (@queries)
{
	my ($what, $sql) = @$_;
	# What still runs when the client gives up is ended with the server.
	$node->psql('one', "SET statement_timeout = '1s'; SET from_collapse_limit = 1; SET join_collapse_limit = 1; SELECT public.cpu_time() AS start \\gset\n$sql;\nSELECT 'took ' || (public.cpu_time() - :start) / 1e6;", stdout => \my $out, stderr => \my $err, on_error_stop => 0,
		timeout => $PostgreSQL::Test::Utils::timeout_default, timed_out => \my $late, extra_params => [ '-U', 'ana' ]);
	my ($took) = ($out // '') =~ /^took (.*)$/m;
	ok(!$late && defined $took, "$what: ended");
	cmp_ok($took // 'inf', '<', 3, '... within two seconds of its statement_timeout') if $ENV{GAUSSDP_FULL};
	$node->safe_psql('postgres', "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'ana'") if $late;
}

$node->stop('immediate');
done_testing();
