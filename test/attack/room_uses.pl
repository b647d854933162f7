# Facts that a verdict rests on (keys, constants, who inherits from whom) hold for the very rows that are read: whatever
# the analyst's functions, rules, snapshots and other sessions do in between, a row counts at most once.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

# visit: the unit is not unique at first; person 7 has 200 rows
my $node = neighbours('uses', '', <<'SQL');
SET ROLE own;
CREATE TABLE hr.visit (person int NOT NULL, n int);
INSERT INTO hr.visit SELECT 7, i FROM generate_series(1, 200) i;
CREATE TABLE hr.leaver (id int PRIMARY KEY, dept text, age int, salary float8, dept_id int, rate numeric(9,2), hired timestamp, note text);
INSERT INTO hr.leaver SELECT i, 'd1', 47, 70000, 7, 1, now(), '' FROM generate_series(7, 7) i, generate_series(1, 1) j;
RESET ROLE;
SELECT gaussdp.protect('hr.visit', 'person', 1), gaussdp.grant_budget('ana', 'hr.visit', 1000, 1e-2);
SQL

# Counts with a standard deviation of 0.19, of people as one row each: as how many they count is not found.
my $count = 'SELECT dp_count(true, 40, 1e-6, 1)';

sub session
{
	my ($user) = @_;
	return $node->background_psql('one', on_error_stop => 0, timeout => $PostgreSQL::Test::Utils::timeout_default, extra_params => [ '-U', $user // 'ana' ]);
}

# What a session of ana's answers to some statements.
sub ana
{
	my ($sql) = @_;
	my ($out, $err);
	$node->psql('one', $sql, stdout => \$out, stderr => \$err, on_error_stop => 0, timeout => $PostgreSQL::Test::Utils::timeout_default, extra_params => [ '-U', 'ana' ]);
	return "$out\n$err";
}

prepare(<<'SQL');
CREATE SEQUENCE ana.calls;
-- One thing in their first ana.n calls, and another later
CREATE FUNCTION ana.pick(first int, later int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS
    'BEGIN RETURN CASE WHEN nextval(''ana.calls'') <= current_setting(''ana.n'')::int THEN first ELSE later END; END';
CREATE FUNCTION ana.pick(first float8, later float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS
    'BEGIN RETURN CASE WHEN nextval(''ana.calls'') <= current_setting(''ana.n'')::int THEN first ELSE later END; END';
SQL

# Constants
my $values = join ', ', map { "(ana.pick($_, 7))" } 1 .. 6, 70, 8 .. 20;
my @folds = map { "SET ana.n = $_; DO \$\$BEGIN PERFORM setval('ana.calls', 1, false); END\$\$;" } 20, 40, 60;
counted('a constant that is another when it is looked at again counts no row twice (S02)',
	ana(join '', map { "$_ $count FROM hr.emp JOIN (VALUES $values) v (k) ON k = dept_id WHERE id = 7;" } @folds));
counted('nor does one in WITH (S02)',
	ana(join '', map { "$_ WITH v (k) AS (VALUES $values) $count FROM hr.emp JOIN v ON k = dept_id WHERE id = 7;" } @folds));
foreach my $folds (1, 2)
{
	my $start = "SET ana.n = $folds; DO \$\$BEGIN PERFORM setval('ana.calls', 1, false); END\$\$;";
	foreach my $plan (qw(hashjoin mergejoin nestloop))
	{
		my $off = join ' ', map { "SET enable_$_ = off;" } grep { $_ ne $plan } qw(nestloop hashjoin mergejoin);
		same("a step that is 0 when it is looked at again tells no row: $plan, at look $folds (S02)",
			"$off $start SELECT dp_count(0.01, 1e-6) FROM hr.emp JOIN generate_series(1, 9, ana.pick(1, 0)) k ON k = dept_id WHERE id = 7;");
	}
	cmp_ok(abs($_), '<', 5, "a bound that is another when it is looked at again is not the one charged, at look $folds")
	  foreach ana("$start SELECT dp_sum(age, 40, 1e-6, 0, ana.pick(1::float8, 100)) FROM hr.emp WHERE id = 7;") =~ /^(-?[\d.]+)$/mg;
}

# Snapshots
{
	my ($a, $b) = (session(), session());
	my @tables = map { "ana.s03_$_" } 1 .. 8;
	$b->query("CREATE TABLE $_ (k int PRIMARY KEY); INSERT INTO $_ SELECT generate_series(1, 9)") foreach @tables;
	$a->query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM ana.s03_1');
	$b->query("DELETE FROM $_ WHERE k = 7") foreach @tables;
	$a->query("INSERT INTO $_ VALUES (7)") foreach @tables;
	counted('a key that an old snapshot sees twice counts no row twice (S03)',
		scalar $a->query("$count FROM hr.emp " . join(' ', map { "JOIN $tables[$_] t$_ ON t$_.k = dept_id" } 0 .. $#tables) . ' WHERE id = 7'));
	$_->quit foreach $a, $b;
}

# Runs a STABLE function, which sees by its caller's snapshot, after another session has done something meanwhile.
sub stable
{
	my ($query, $user, $sql) = @_;
	my ($a, $b) = (session(), session($user));
	$b->query('SELECT pg_advisory_lock(1)');
	$a->query("CREATE OR REPLACE FUNCTION ana.later() RETURNS bigint LANGUAGE plpgsql STABLE AS 'BEGIN RETURN ($query); END'");
	my $answer = meanwhile($a, "SELECT ana.later() FROM (SELECT pg_advisory_xact_lock(1) OFFSET 0) x WHERE x IS NOT NULL", $b, "$sql; SELECT pg_advisory_unlock_all()");
	$_->quit foreach $a, $b;
	return $answer;
}
prepare('CREATE TABLE ana.s03c (k int NOT NULL); INSERT INTO ana.s03c SELECT 7 FROM generate_series(1, 200);');
counted('a public key that is younger than the snapshot counts no row twice (S03c)',
	stable("$count FROM hr.emp JOIN ana.s03c ON k = dept_id WHERE id = 7", 'ana', 'DELETE FROM ana.s03c; INSERT INTO ana.s03c VALUES (7); ALTER TABLE ana.s03c ADD PRIMARY KEY (k)'));
counted('a unit that has become unique since the snapshot counts no person twice (S16)',
	stable("$count FROM hr.visit", 'own', 'DELETE FROM hr.visit WHERE n > 1; ALTER TABLE hr.visit ADD PRIMARY KEY (person)'));
$node->safe_psql('one', 'ALTER TABLE hr.visit DROP CONSTRAINT visit_pkey; TRUNCATE hr.visit; INSERT INTO hr.visit SELECT 7, i FROM generate_series(1, 200) i');
{
	my ($a, $own) = (session(), session('own'));
	$a->query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
	$own->query('DELETE FROM hr.visit WHERE n > 1; ALTER TABLE hr.visit ADD PRIMARY KEY (person)');
	counted('nor in REPEATABLE READ (S16)', scalar $a->query("$count FROM hr.visit"));
	$_->quit foreach $a, $own;
}

# Statements before, in the same plan
prepare(<<'SQL');
CREATE TABLE ana.pub (k int CONSTRAINT pub_key PRIMARY KEY);
INSERT INTO ana.pub SELECT generate_series(1, 9);
CREATE FUNCTION ana.twice() RETURNS int LANGUAGE plpgsql AS
    'BEGIN ALTER TABLE ana.pub DROP CONSTRAINT pub_key; INSERT INTO ana.pub SELECT 7 FROM generate_series(1, 200); RETURN 1; END';
CREATE FUNCTION ana.twice_folded() RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM ana.twice(); RETURN 1; END';
CREATE TABLE ana.t (n bigint);
SQL
my $join = "$count AS n FROM hr.emp JOIN ana.pub ON k = dept_id WHERE id = 7";
my @twice = (
	[ 'a statement before it in a function of SQL (S05)', "CREATE FUNCTION ana.f() RETURNS bigint LANGUAGE sql AS 'SELECT ana.twice(); $join'; SELECT ana.f();" ],
	[ 'a rule with a statement before it (S05)', "CREATE RULE r AS ON INSERT TO ana.t DO INSTEAD (SELECT ana.twice(); $join); INSERT INTO ana.t VALUES (1);" ],
	[ 'a function that is folded beside it (S06)', "SELECT n, ana.twice_folded() FROM ($join) s;" ],
	[ 'a function that is folded above it (S06)', "SELECT n FROM ($join) s WHERE n > ana.twice_folded() - 100;" ],
	[ 'a function that is folded in its condition (S06)', "$join AND age > ana.twice_folded();" ],
	[ 'a function that is folded in an argument (S06)', "SELECT dp_sum(1, 40, 1e-6, 0, ana.twice_folded()) FROM hr.emp JOIN ana.pub ON k = dept_id WHERE id = 7;" ],
	[ 'a function that is folded for LIMIT (S06)', "SELECT n FROM ($join) s LIMIT ana.twice_folded();" ],
	[ 'a function over another level, before it', "SELECT ana.twice() FROM (SELECT dp_count(0.01, 1e-6) AS n FROM hr.emp) s WHERE n IS NOT NULL UNION ALL $join;" ],
	[ 'a function in a sub-select before it', "SELECT n FROM ($join) s WHERE (SELECT ana.twice()) > 0;" ],
	[ 'an argument of its caller', "CREATE FUNCTION ana.g(int) RETURNS bigint LANGUAGE sql AS '$join AND age > \$1'; SELECT ana.g(ana.twice());" ],
	[ 'a parameter of EXECUTE', "PREPARE p (int) AS $join AND age > \$1; EXECUTE p(1); EXECUTE p(ana.twice());" ]);
foreach (@twice)
{
	my ($what, $sql) = @$_;
	my $answer = ana("BEGIN; $sql ROLLBACK;");
	counted("$what, dropping a key, counts no row twice", $answer =~ s/\|1$//mgr);
}

# An index expression of a public table is folded when its relation is planned.
prepare(<<'SQL');
CREATE TABLE ana.planned (k int CONSTRAINT planned_key PRIMARY KEY, w int);
INSERT INTO ana.planned SELECT i, i FROM generate_series(1, 9) i;
CREATE FUNCTION ana.armed() RETURNS void LANGUAGE plpgsql AS $$BEGIN
    IF current_setting('ana.armed', true) = 'yes' THEN
        ALTER TABLE ana.planned DROP CONSTRAINT planned_key;
        INSERT INTO ana.planned SELECT 7, i FROM generate_series(1, 200) i;
    END IF;
END$$;
CREATE FUNCTION ana.armed_folded(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM ana.armed(); RETURN 1; END';
CREATE INDEX ON ana.planned ((w + ana.armed_folded(1)));
CREATE TABLE ana.checked (k int CONSTRAINT checked_key PRIMARY KEY, w int, CHECK (w > ana.armed_folded(2) - 100));
SQL
counted('a function in an index of a public table counts no row twice',
	ana("BEGIN; ALTER TABLE ana.planned ADD z int; SET LOCAL ana.armed = 'yes'; $count FROM hr.emp JOIN ana.planned ON k = dept_id WHERE id = 7; ROLLBACK;"));

# Another session, while a function that is folded waits
foreach ([ 'a table that begins to inherit from a public one (S21)', $join, 'ana',
		'CREATE TABLE ana.child (k int NOT NULL); INSERT INTO ana.child SELECT 7 FROM generate_series(1, 200); ALTER TABLE ana.child INHERIT ana.pub',
		'ALTER TABLE ana.child NO INHERIT ana.pub' ],
	[ 'a table that begins to inherit from a protected one (S21)', "$count AS n FROM hr.emp WHERE id = 7", 'own',
		'TRUNCATE hr.leaver; ALTER TABLE hr.leaver DROP CONSTRAINT leaver_pkey, ALTER id SET NOT NULL;'
		. ' INSERT INTO hr.leaver SELECT e.* FROM hr.emp e, generate_series(1, 200) WHERE id = 7; ALTER TABLE hr.leaver INHERIT hr.emp',
		'ALTER TABLE hr.leaver NO INHERIT hr.emp' ])
{
	my ($what, $query, $who, $attach, $detach) = @$_;
	foreach my $place ('beside', 'inside')
	{
		my ($a, $b) = (session(), session($who));
		$a->query("CREATE OR REPLACE FUNCTION ana.wait() RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM pg_advisory_lock(1), pg_advisory_unlock(1); RETURN 1; END'");
		$b->query('SELECT pg_advisory_lock(1)');
		my $sql = $place eq 'beside' ? "SELECT n FROM ($query) s WHERE ana.wait() > 0" : "$query AND age > ana.wait()";
		counted("$what, while a function $place waits, counts no row twice", meanwhile($a, $sql, $b, "$attach; SELECT pg_advisory_unlock_all()"));
		$b->query($place eq 'beside' ? $detach : '');
		$b->query('DROP TABLE ana.child') if $who eq 'ana' && $place eq 'beside';
		$_->quit foreach $a, $b;
	}
}

$node->stop;
done_testing();
