# A list that rows are compared with is looked at whole for the first row: so it is not longer than a megabyte, whether there
# is such a row or not.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

my $node = neighbours('first_row');

# Four megabytes; twenty in the long form.
my $most = $ENV{GAUSSDP_FULL} ? 5_000_000 : 1_000_000;
prepare("CREATE TABLE ana.list AS SELECT array_agg(i) AS list FROM generate_series(1000, 1000 + $most) i;");

my $query = 'SELECT dp_count(0.001, 1e-6) FROM hr.emp WHERE CASE WHEN id = 7 THEN age = ANY ((SELECT list[1:%d] FROM ana.list)::int[]) ELSE false END';
foreach ([ 'a list of a megabyte', 262000, '' ], [ 'a longer one', 263000, '42501' ], [ 'a very long one', $most, '42501' ])
{
	my ($what, $n, $state) = @$_;
	foreach my $database ('one', 'none')
	{
		$node->psql($database, sprintf($query, $n), stdout => \my $out, stderr => \my $err, extra_params => [ '-U', 'ana', '-v', 'VERBOSITY=verbose' ]);
		is(($err // '') =~ /ERROR:  (\w+)/ ? $1 : '', $state, "$what beside protected rows, in database $database") or diag($err);
	}
}

$node->stop;
done_testing();
