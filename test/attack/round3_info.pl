# No client_min_messages holds back what is raised as INFO.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

# A superuser has promised too much.
my $node = neighbours('info', '', <<'SQL');
CREATE FUNCTION public.informs(float8) RETURNS bool LANGUAGE plpgsql IMMUTABLE STRICT LEAKPROOF SET search_path = pg_catalog, pg_temp
AS $$BEGIN RAISE INFO 'secret %', $1; RETURN true; END$$;
SQL

unlike(Neighbours::run('SELECT dp_count(0.01, 1e-6) > -1e9 FROM hr.emp WHERE id = 7 AND public.informs(salary);', 'one'),
	qr/secret/, 'INFO from inside of a level does not reach the analyst');

$node->stop;
done_testing();
