# With exit_on_error every error ends the session as it was raised, past all that catches it.  A level's error is the one
# fixed message nevertheless, and is counted.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

# A superuser has vouched for a function that fails on some values.
my $node = neighbours('exit', '', <<'SQL');
CREATE FUNCTION public.logarithm(float8) RETURNS float8 LANGUAGE internal IMMUTABLE STRICT LEAKPROOF AS 'dlog1';
SQL

my $level = 'SELECT dp_count(0.01, 1e-6) > -1e9 FROM hr.emp WHERE id = 7 AND public.logarithm(-salary) > 0;';
foreach my $setting ('off', 'on')
{
	my $before = $node->safe_psql('one', 'SELECT coalesce(sum(errors), 0) FROM gaussdp_internal.error_count');
	my $answer = Neighbours::run("SET exit_on_error = $setting;\n$level", 'one');
	my $after = $node->safe_psql('one', 'SELECT coalesce(sum(errors), 0) FROM gaussdp_internal.error_count');
	unlike($answer, qr/logarithm of|2201E/, "exit_on_error = $setting: the message of a row's error is not shown");
	cmp_ok($after, '>', $before, "exit_on_error = $setting: the error is counted");
}

$node->stop;
done_testing();
