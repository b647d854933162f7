# A level gives back what it has loaded into the session's caches of the catalogs, and that alone: what was there before
# stays, or else each query after a level would read the catalogs anew.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

my $node = neighbours('restored');

# A column of each type that can be sorted; what one is called tells its type.
my %values = (bool => 'true', char => "'c'", name => "'n'", int2 => 2, int8 => 8, float4 => 4, float8 => 8, numeric => 1, text => "'t'", bpchar => "'b'", bytea => "'b'", oid => 26,
	date => "'2020-01-01'", time => "'1:00'", timetz => "'1:00'", timestamp => "'2020-01-01'", timestamptz => "'2020-01-01'", interval => "'1 day'", uuid => "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'",
	macaddr => "'08:00:2b:01:02:03'", macaddr8 => "'08:00:2b:01:02:03:04:05'", inet => "'10.0.0.1'", bit => "'1'", varbit => "'1'", money => 5, pg_lsn => "'0/1'", xid8 => "'1'");
my @types = sort keys %values;
prepare('CREATE TABLE ana.pub (k int PRIMARY KEY, ' . join(', ', map { qq(_$_ "$_") } @types) . ');'
	  . 'INSERT INTO ana.pub SELECT i, ' . join(', ', map { qq($values{$_}::"$_") } @types) . ' FROM generate_series(1, 9) i;');

my $explain = 'EXPLAIN (ANALYZE, BUFFERS, TIMING off, SUMMARY off, COSTS off)';
my $kept = 'GROUP BY dept HAVING dp_keep_group(0.01, 1e-9)';
my $sort = 'SELECT _macaddr8, _uuid FROM ana.pub ORDER BY _macaddr8, _uuid;';
my $level = "SELECT dp_count(DISTINCT _macaddr8, 0.001, 1e-6) IS NULL FROM hr.emp JOIN ana.pub ON k = id WHERE id = 7 $kept;";
my $read = qr/Planning:\n +Buffers: shared/;

# What the session has read stays, whether a row has made the level read more or not.
foreach my $database ('one', 'none')
{
	like(Neighbours::run("$explain $sort", $database), $read, "a new session reads the catalog: $database");
	unlike(Neighbours::run("$sort\n$level\n$explain $sort", $database), $read, "what was read before a level is there after it: $database");
	unlike(Neighbours::run("PREPARE q AS $sort EXECUTE q;\n$level\n$explain EXECUTE q;", $database), $read, "a plan stays: $database");
	like(Neighbours::run("SELECT k FROM ana.pub ORDER BY k;\n$level\n$explain $sort", $database), $read, "what a level has read is gone: $database");
}

# Levels that look up something for their first row alone, and a statement that looks up the same.
sub tells_nothing
{
	my ($what, $level, $probe, $before) = @_;
	my ($one, $none) = map { Neighbours::run(($before // '') . "\n$probe", $_) } 'one', 'none';
	is($one, $none, "$what: without the level, both databases read the same");
	($one, $none) = map { Neighbours::run(($before // '') . "\n$level\n$level\n$probe", $_) } 'one', 'none';
	is($one, $none, "$what: what a level has read tells no row");
	return;
}

tells_nothing("DISTINCT of $_", "SELECT dp_count(DISTINCT _$_, 0.001, 1e-6) IS NULL FROM hr.emp JOIN ana.pub ON k = id WHERE id = 7 $kept;",
	"$explain SELECT _$_ FROM ana.pub ORDER BY _$_;") foreach 'numeric', 'text', 'timestamp', 'interval', 'inet', 'bit';

# The hash table of the join is made when the other side has a row, and so is the sort of a merge join.
foreach my $method ('hashjoin', 'mergejoin', 'nestloop')
{
	my $others = join ' ', map { "SET enable_$_ = off;" } grep { $_ ne $method } 'hashjoin', 'mergejoin', 'nestloop';
	tells_nothing("a $method", "SELECT dp_count(0.001, 1e-6) IS NULL FROM hr.emp JOIN ana.pub ON k = dept_id WHERE id = 7 $kept;",
		"$explain SELECT count(*) FROM ana.pub a JOIN ana.pub b USING (k);", $others);
}

# All types in one level make some of the caches grow; many entries say that there is nothing.
my $all = 'SELECT ' . join(', ', map { "dp_count(DISTINCT _$_, 0.001, 1e-6) IS NULL" } @types) . " FROM hr.emp JOIN ana.pub ON k = id WHERE id = 7 $kept;";
tells_nothing('DISTINCT of all types', $all, join "\n", map { "$explain SELECT _$_ FROM ana.pub ORDER BY _$_;" } @types);

# A cursor that was open before looks at once.
my $fetched = '(pg_stat_get_xact_blocks_fetched(2662) + pg_stat_get_xact_blocks_fetched(1259))';
tells_nothing('a TOAST table', "SELECT dp_count(0.001, 1e-6) IS NULL FROM hr.emp WHERE id = 7 AND note < 'r';\nFETCH probe;", '', <<SQL);
SELECT i.indexrelid AS index FROM pg_class c JOIN pg_index i ON i.indrelid = c.reltoastrelid WHERE c.oid = 'hr.emp'::regclass \\gset
BEGIN;
DECLARE probe CURSOR FOR SELECT chr((65 - $fetched + 0 * pg_relation_size(:index) + $fetched)::int) FROM generate_series(1, 2);
SQL

# Relations of the catalog change between levels, and levels fail: all that is left is as if there had been none.
my $changes = "CREATE TEMP TABLE t (a int); DROP TABLE t;\n$level\nANALYZE ana.pub;\n$all\nSET statement_timeout = '200ms'; SELECT pg_sleep(5); RESET statement_timeout;\n$level";
tells_nothing('changes between levels', $changes x 3, "$explain $sort\n$explain SELECT _inet FROM ana.pub ORDER BY 1;");

# Another session's change, which arrives while a level runs or does not.
my $other = $node->background_psql('one', on_error_stop => 0, extra_params => [ '-U', 'ana' ]);
my $session = $node->background_psql('one', on_error_stop => 0, extra_params => [ '-U', 'ana' ]);
$session->query('SET client_min_messages = warning');
foreach (1 .. 5)
{
	$session->query($all);
	$other->query('ALTER TABLE ana.pub ADD x int; ALTER TABLE ana.pub DROP x; CREATE TABLE ana.y (y int); DROP TABLE ana.y;');
	$session->query($level);
}
is($session->query('SELECT count(*) FROM (SELECT DISTINCT ' . join(', ', map { "_$_" } @types) . ' FROM ana.pub) d'), 1, 'a session with many levels goes on');
is(Neighbours::without_noise($session->{stderr}), '', 'without a warning');
$_->quit foreach $session, $other;

$node->stop;
done_testing();
