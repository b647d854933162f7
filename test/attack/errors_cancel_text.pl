# The text of a cancelled level is PostgreSQL's own, not that of the row's function which has chosen the same SQLSTATE.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

# A superuser has promised too much.
my $lib = $ENV{GAUSSDP_TESTLIB} or plan skip_all => 'needs the test module';
my $node = neighbours('cancel_text', '', "CREATE FUNCTION public.ends_57014(int) RETURNS bool LANGUAGE C IMMUTABLE LEAKPROOF AS '$lib', 'test_fails';");

unlike(Neighbours::run('SELECT dp_count(0.01, 1e-6) > -1e9 FROM hr.emp WHERE id = 7 AND public.ends_57014(age);', 'one'),
	qr/secret/, 'an error of the class of cancels does not show the row');

$node->stop;
done_testing();
