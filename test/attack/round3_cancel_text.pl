# The text of a cancelled level is PostgreSQL's own, not that of the row's function which has chosen the same SQLSTATE.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

# A superuser has promised too much.
my $node = neighbours('cancel_text', '', <<'SQL');
CREATE FUNCTION public.ends(float8) RETURNS bool LANGUAGE plpgsql IMMUTABLE STRICT LEAKPROOF SET search_path = pg_catalog, pg_temp
AS $$BEGIN RAISE 'secret %', $1 USING ERRCODE = '57014'; END$$;
SQL

unlike(Neighbours::run('SELECT dp_count(0.01, 1e-6) > -1e9 FROM hr.emp WHERE id = 7 AND public.ends(salary);', 'one'),
	qr/secret/, 'an error of the class of cancels does not show the row');

$node->stop;
done_testing();
