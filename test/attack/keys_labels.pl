# Labels of enumerations: one that is added while a level runs, a type that is dropped, and what a session keeps of their
# order, tell no row and make no error.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

# `high` stands in the order where its number does not: comparisons ask the catalog.
my $node = neighbours('labels', '', <<'SQL');
CREATE TYPE hr.mood AS ENUM ('low', 'mid');
ALTER TYPE hr.mood ADD VALUE 'high' BEFORE 'mid';
ALTER TABLE hr.emp ADD mood hr.mood NOT NULL DEFAULT 'low';
UPDATE hr.emp SET mood = 'high' WHERE id = 7;
SQL
prepare(<<'SQL');
CREATE TYPE ana.mine AS ENUM ('a', 'b');
ALTER TYPE ana.mine ADD VALUE 'c' BEFORE 'b';
SQL

my $n = 'dp_count(0.01, 1e-6)';
my $mine = "CASE WHEN id = 7 THEN 'c'::ana.mine ELSE 'b' END";

# What a session has read of an order it keeps: the next statement that sorts would read less.
my $probe = 'EXPLAIN (ANALYZE, BUFFERS, TIMING off, SUMMARY off, COSTS off) SELECT * FROM (VALUES (%s), (%s)) v (x) ORDER BY x;';
my $hr = sprintf $probe, map { "'$_'::hr.mood" } 'high', 'mid';
my $own = sprintf $probe, map { "'$_'::ana.mine" } 'c', 'b';
foreach (
	[ 'a comparison', "SELECT $n IS NULL FROM hr.emp WHERE id = 7 AND mood < 'mid'", $hr ],
	[ 'greatest()', "SELECT $n IS NULL FROM hr.emp WHERE id = 7 AND greatest(mood, 'mid') = 'mid'", $hr ],
	[ 'a text', "SELECT $n IS NULL FROM hr.emp WHERE id = 7 AND mood::text LIKE 'h%'", $hr ],
	[ 'a maximum', "SELECT $n IS NULL FROM (SELECT id, max(mood) AS m FROM hr.emp WHERE id IN (6, 7) AND mood > 'low' GROUP BY id) q WHERE m = 'mid'", $hr ],
	[ 'groups', "SELECT mood, $n IS NULL FROM hr.emp WHERE mood <> 'low' GROUP BY mood", $hr ],
	[ "the analyst's own labels", "SELECT $n IS NULL FROM hr.emp WHERE id = 7 AND $mine < 'b'", $own ],
	[ "groups by the analyst's own labels", "SELECT $mine, $n IS NULL FROM hr.emp GROUP BY 1", $own ])
{
	my ($what, $level, $look) = @$_;
	my ($one, $none) = map { Neighbours::run("$level;\n$look", $_) } 'one', 'none';
	is($one, $none, "$what: what a session has cached of an order tells no row");
}

# Only the room locks the index of the TOAST table: when labels have been copied, and before the first row.  Another session
# does something meanwhile, then the one that holds the lock, and lets it go.
sub while_waiting
{
	my ($database, $query, $sql, $last, $look) = @_;
	my $ana = $node->background_psql($database, on_error_stop => 0, extra_params => [ '-U', 'ana' ]);
	my $dba = $node->background_psql($database);
	my $toast = $node->safe_psql($database, q(SELECT reltoastrelid::regclass FROM pg_class WHERE oid = 'hr.emp'::regclass));

	# the session knows the order as it is now
	$ana->query("SELECT max(x) FROM (VALUES ('low'::hr.mood), ('high'), ('mid')) v (x)");
	$dba->query_safe("BEGIN; REINDEX TABLE $toast");
	my $seen = meanwhile($ana, $query, $dba, sub { $node->safe_psql($database, $sql); $dba->query_safe("$last COMMIT;") });
	$look &&= $ana->query($look);
	$_->quit foreach $ana, $dba;
	return Neighbours::seen($seen), $look;
}

# Now and then a session forgets all of its caches meanwhile, in the one database or in the other: most likely by what REINDEX tells of the
# old index's file when its lock is gone already.  What a row did would be seen each time: one of twelve tries is without a difference, but for one run in ten million.
my $i = 0;
foreach (
	[ 'groups', "SELECT mood, $n IS NULL FROM hr.emp GROUP BY mood", 1 ],
	[ 'a comparison', "SELECT $n IS NULL FROM hr.emp WHERE mood < 'mid'" ],
	[ 'a text', "SELECT $n IS NULL FROM hr.emp WHERE mood::text LIKE 'l%'" ],
	[ 'a maximum', "SELECT m, $n IS NULL FROM (SELECT id, max(mood) AS m FROM hr.emp GROUP BY id) q GROUP BY m", 1 ])
{
	my ($what, $query, $has_groups) = @$_;
	my (%seen, $expected);
	for my $try (1 .. 12)
	{
		$expected = $has_groups ? join('', map { "$_|f\n" } 'low', (map { "later$_" } 1 .. $i), 'high', 'mid') : "f\n";
		$i++;
		foreach my $database ('one', 'none')
		{
			$seen{$database} = [ while_waiting($database, $query, "ALTER TYPE hr.mood ADD VALUE 'later$i' BEFORE 'high'", "UPDATE hr.emp SET mood = 'later$i' WHERE id = 7;",
				sprintf $probe, map { "'$_'::hr.mood" } "later$i", 'mid') ];
		}
		last if $seen{one}[1] eq $seen{none}[1];
	}
	is_deeply($seen{one}, $seen{none}, "$what: a label that is added while a level waits tells no row, nor what is cached of it");
	is($seen{one}[0], $expected, "$what: and is neither an error nor a group");
}

# A type that is dropped: before the level has its locks that is an error, later it waits.
foreach my $database ('one', 'none')
{
	my ($seen) = while_waiting($database, "SELECT $n IS NULL FROM hr.emp WHERE $mine < 'b'", 'DROP TYPE ana.mine', '');
	like($seen, qr/ERROR:  a type of the query has been dropped meanwhile/,
		"$database: a type that is dropped while a level waits is an error before the first row");
}
# So is whatever else somebody may drop that the level names.
foreach (
	[ 'type', 'DOMAIN ana.word AS text', 'DOMAIN ana.word', "(CASE WHEN id = 7 THEN note END)::ana.word = 'x'" ],
	[ 'operator', 'OPERATOR ana./// (leftarg = int, rightarg = int, function = int4div)', 'OPERATOR ana./// (int, int)', 'CASE WHEN id = 7 THEN age OPERATOR(ana.///) 2 > 1 END' ])
{
	my ($kind, $made, $dropped, $condition) = @$_;
	prepare("CREATE $made;");
	my $locks = "SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND classid = 'pg_$kind'::regclass";
	foreach my $database ('one', 'none')
	{
		is(Neighbours::seen(Neighbours::run("BEGIN; SELECT $n IS NULL FROM hr.emp WHERE $condition; $locks;", $database)), "f\n#\n", "$database: a level with a $kind of an analyst's is answered");
		like(Neighbours::run("BEGIN; SELECT $n IS NULL FROM hr.emp WHERE $condition; $locks;", $database), qr/^1$/m, '... and locks it');
		my ($seen) = while_waiting($database, "SELECT $n IS NULL FROM hr.emp WHERE $condition", "DROP $dropped", '');
		like($seen, qr/ERROR:  a $kind of the query has been dropped meanwhile/, "... one that is dropped while a level waits is an error before the first row");
	}
}
prepare("CREATE TYPE ana.mine AS ENUM ('a', 'b', 'c');");
foreach my $database ('one', 'none')
{
	my $locks = "SELECT string_agg(objid::regtype::text, ' ' ORDER BY objid::regtype::text) FROM pg_locks WHERE pid = pg_backend_pid() AND classid = 'pg_type'::regclass";
	is(Neighbours::seen(Neighbours::run("BEGIN; SELECT $n IS NULL FROM hr.emp WHERE ($mine)::text = 'b' AND mood > 'low'; $locks;", $database)),
		"f\nhr.mood mine\n", "$database: a level's enumerations are locked until the transaction ends");
}

# A label of the own transaction is nobody's to use before it is committed; the analyst's own labels are no more than constants.
same('a label that is not committed is no group', "BEGIN; ALTER TYPE ana.mine ADD VALUE 'd'; SELECT $mine, $n IS NULL FROM hr.emp GROUP BY 1; ROLLBACK;");
like(Neighbours::run("BEGIN; ALTER TYPE ana.mine ADD VALUE 'd'; SELECT $mine, $n IS NULL FROM hr.emp GROUP BY 1; ROLLBACK;", 'one'), qr/^a\|f\nb\|f\nc\|f\n$/m, 'and the others are');
same('groups by the own labels are all there', "SELECT $mine, $n IS NULL FROM hr.emp GROUP BY 1;");

$node->stop;
done_testing();
