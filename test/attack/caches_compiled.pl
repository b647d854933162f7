# A superuser's LEAKPROOF function that is compiled at its first call is compiled whether a row calls it or not: the
# session keeps what was compiled, and its own next call shows it.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

my $node = neighbours('compiled', '', <<'SQL');
CREATE FUNCTION public.is_old(int) RETURNS bool LANGUAGE plpgsql IMMUTABLE STRICT LEAKPROOF SET search_path = pg_catalog, pg_temp AS 'DECLARE t text; m macaddr8; BEGIN RETURN $1 > 45; END';
SQL
prepare('CREATE TABLE ana.pub (k int PRIMARY KEY); INSERT INTO ana.pub VALUES (1);');

my $probe = 'EXPLAIN (ANALYZE, BUFFERS, TIMING off, SUMMARY off, COSTS off) SELECT public.is_old(k) FROM ana.pub;';
my ($one, $none) = map { Neighbours::run($probe, $_) } 'one', 'none';
is($one, $none, 'without a level, both databases read the same');
my $level = 'SELECT dp_count(0.01, 1e-6) > -1e9 FROM hr.emp WHERE CASE WHEN id = 7 AND salary > 65000 THEN public.is_old(age) ELSE false END;';
($one, $none) = map { Neighbours::run("$level\n$probe", $_) } 'one', 'none';
is($one, $none, 'that a row was given to a function tells no row');

# A function with settings of its own is loaded with its language at its first call.
my $settings = "SELECT string_agg(name, ' ' ORDER BY name) FROM pg_settings WHERE name LIKE 'plpgsql.%';";
Neighbours::same("that the language of a function was loaded for a row tells no row", "$level\n$settings");

$node->stop;
done_testing();
