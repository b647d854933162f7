# No client_min_messages holds back what is raised as INFO.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

# A superuser has promised too much.
my $lib = $ENV{GAUSSDP_TESTLIB} or plan skip_all => 'needs the test module';
my $node = neighbours('info', '', "CREATE FUNCTION public.informs(int) RETURNS bool LANGUAGE C IMMUTABLE LEAKPROOF AS '$lib', 'test_tells';");

unlike(Neighbours::run('SELECT dp_count(0.01, 1e-6) > -1e9 FROM hr.emp WHERE id = 7 AND public.informs(age);', 'one'),
	qr/secret/, 'INFO from inside of a level does not reach the analyst');

$node->stop;
done_testing();
