# What the tests of libraries beside gaussdp share: two databases that differ in one protected row, a fixed set
# of statements for a role that may read the table, for one that may read columns of it and for an analyst with a
# budget, and what each statement shall answer.
package Neighbours;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

our @EXPORT = qw(neighbours beside answers same differing session paid);

my @databases = qw(one none);

# A server with databases one and none.  They are copies of each other, so that relations and statements have the
# same numbers; person 7, who is in one of them alone, has a department, an extreme salary and a TOASTed note of his
# own.  SQL makes the extensions first.
sub neighbours
{
	my ($libraries, $extensions) = @_;
	my $node = PostgreSQL::Test::Cluster->new('neighbours');

	$node->init;
	$node->append_conf('postgresql.conf', <<CONF);
shared_preload_libraries = '$libraries'
max_worker_processes = 16
autovacuum = off
jit = off
cron.database_name = 'one'
CONF
	$node->start;
	OnePsql::keep() if defined &OnePsql::keep;
	$node->safe_psql('postgres', 'CREATE ROLE own; CREATE ROLE hr LOGIN; CREATE ROLE clerk LOGIN; CREATE ROLE ana LOGIN;'
		  . ' CREATE ROLE auditor; CREATE DATABASE one');
	$node->safe_psql('one', $extensions . <<'SQL');
CREATE EXTENSION gaussdp;
GRANT CREATE ON SCHEMA public TO own, ana;
SET ROLE own;
CREATE TABLE emp (id int PRIMARY KEY, dept int, salary int, note text);
ALTER TABLE emp ALTER note SET STORAGE EXTERNAL;
INSERT INTO emp SELECT i, i % 4, 100, 'staff' FROM generate_series(1, 2000) i WHERE i <> 7;
INSERT INTO emp VALUES (7, 99, 1000000, repeat('x', 100000));
CREATE VIEW names AS SELECT id, dept FROM emp;
CREATE VIEW large AS SELECT dept, count(*) AS n FROM emp WHERE id > 100 GROUP BY dept;
CREATE TABLE dept (id int PRIMARY KEY, name text);
INSERT INTO dept SELECT i, 'dept ' || i FROM generate_series(0, 3) i;
GRANT SELECT ON emp TO hr;
GRANT SELECT (id, dept), UPDATE (dept), INSERT (id) ON emp TO clerk;
GRANT SELECT ON names, large, dept TO hr, clerk, ana;
GRANT SELECT, UPDATE ON emp TO auditor;
SELECT gaussdp.protect('emp', 'id'), gaussdp.set_bounds('emp', 'salary', 0, 1000), gaussdp.grant_budget('ana', 'emp', 1000, 1e-2);
SQL
	$node->safe_psql('postgres', 'CREATE DATABASE none TEMPLATE one');
	$node->safe_psql('none', 'DELETE FROM emp WHERE id = 7');
	$node->safe_psql($_, 'VACUUM ANALYZE') foreach @databases;
	return $node;
}

my ($loaded, $reloads) = (undef, 0);

# Restarts the server with these libraries and settings, in place of all that were set before.
sub beside
{
	my ($node, $libraries, $settings) = @_;
	my $conf = $node->data_dir . '/neighbours.conf';

	$node->append_conf('postgresql.conf', "include_if_exists 'neighbours.conf'\n") unless -e $conf;
	unlink $conf;
	$node->append_conf('neighbours.conf', "shared_preload_libraries = '$libraries'\n$settings\n");
	# settings alone need no new server
	if ($libraries ne ($loaded // '')) { $node->restart; }
	else
	{
		# one that does nothing here tells that all have come
		$node->append_conf('neighbours.conf', "krb_server_keyfile = 'reload @{[ ++$reloads ]}'");
		$node->reload;
		my $until = time + $PostgreSQL::Test::Utils::timeout_default;
		while (($node->psql('postgres', "SELECT current_setting('krb_server_keyfile')"))[1] ne "reload $reloads")
		{
			die 'the settings did not come' if time > $until;
			usleep(20_000);
		}
	}
	$loaded = $libraries;
	$node->safe_psql($_, "SELECT gaussdp.reset_budget('ana', 'emp'), gaussdp.reset_population_budget('emp')") foreach @databases;
}

# Each is a name, the statements, and what they print: a string, or a pattern of the error that they raise.
my $denied = qr/permission denied for table emp/;
my $count = 'SELECT round(dp_count(10, 1e-6) / 100.0) FROM emp';
my $groups = 'SELECT dept, round(dp_count(10, 1e-6) / 100.0) FROM emp GROUP BY dept HAVING dp_keep_group(10, 1e-9) ORDER BY 1';
my $grouped = "0|5\n1|5\n2|5\n3|5";
my %statements = (
	# May read the table: outside of the policy.
	hr => [
		[ 'table', 'SELECT count(*) > 1990, min(id) FROM emp', 't|1' ],
		[ 'whole rows', 'SELECT (e).dept FROM (SELECT e FROM emp e WHERE id = 5) s', '1' ],
		[ 'view', 'SELECT count(*) > 1990 FROM names', 't' ],
		[ 'view of groups', 'SELECT count(*) FROM large', '4' ],
		[ 'dp_', $count, '20' ],
		[ 'prepared', 'PREPARE p (int) AS SELECT dept FROM emp WHERE id = $1; EXECUTE p(5); EXECUTE p(6)', "1\n2" ],
		[ 'cursor', 'BEGIN; DECLARE c CURSOR FOR SELECT id FROM emp ORDER BY id; FETCH 2 FROM c; COMMIT', "1\n2" ],
		[ 'COPY', 'COPY (SELECT id FROM emp WHERE id < 3 ORDER BY 1) TO STDOUT', "1\n2" ],
		[ 'EXPLAIN', 'EXPLAIN (COSTS OFF) SELECT id FROM emp WHERE salary < 0', "Seq Scan on emp\n  Filter: (salary < 0)" ],
		[ 'EXPLAIN ANALYZE', 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT id FROM emp WHERE id = 5',
			qr/\AIndex.*actual rows=1/ ],
		[ 'function', 'DO $$BEGIN PERFORM count(*) FROM emp; END$$', '' ],
		[ 'refused', 'UPDATE emp SET dept = 0', $denied ],
	],
	# May read two of its columns.
	clerk => [
		[ 'columns', 'SELECT dept FROM emp WHERE id = 5', '1' ],
		[ 'no column', 'SELECT count(*) > 1990 FROM emp', 't' ],
		[ 'update', 'BEGIN; UPDATE emp SET dept = 8 WHERE id = 5 RETURNING dept; ROLLBACK', '8' ],
		[ 'insert', 'BEGIN; INSERT INTO emp (id) VALUES (-1) RETURNING id; ROLLBACK', '-1' ],
		[ 'another column', 'SELECT salary FROM emp WHERE id = 5', $denied ],
		[ 'whole rows', 'SELECT e FROM emp e WHERE id = 5', $denied ],
		[ 'update of another column', 'UPDATE emp SET salary = 8', $denied ],
		[ 'insert of another column', 'INSERT INTO emp (id, dept) VALUES (-1, 8)', $denied ],
		[ 'delete', 'DELETE FROM emp', $denied ],
	],
	# May read no more than what is proven private.
	ana => [
		[ 'dp_', $count, '20' ],
		[ 'groups', $groups, $grouped ],
		[ 'sum', 'SELECT round(dp_sum(salary, 10, 1e-6) / 20000.0) FROM emp', '10' ],
		[ 'TOAST', "SELECT round(dp_count(10, 1e-6) / 100.0) FROM emp WHERE note > 'a'", '20' ],
		[ 'over a view', 'SELECT round(dp_count(10, 1e-6) / 100.0) FROM names', '20' ],
		[ 'join', 'SELECT round(dp_count(10, 1e-6) / 100.0) FROM emp JOIN dept ON emp.dept = dept.id', '20' ],
		[ 'selective', 'SELECT round(dp_count(10, 1e-6) / 100.0) FROM emp WHERE id = 7', '0' ],
		# What begins at a row, and anew after an error of one; and how much a library has counted by then.
		[ 'contained', "CREATE FUNCTION afterwards(n numeric) RETURNS numeric LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT n); END';"
			  . ' SELECT afterwards(round(dp_count(10, 1e-6) / 100.0)) FROM emp WHERE id = 7 AND power(power(salary / (1000000 - salary), 0.5::numeric), 2) > 0;'
			  . ' SELECT afterwards(0); DROP FUNCTION afterwards(numeric)', "0\n0" ],
		[ 'prepared', 'PREPARE p (int) AS SELECT round(dp_count(10, 1e-6) / 100.0) FROM emp WHERE id > $1; EXECUTE p(0); EXECUTE p(1000)', "20\n10" ],
		[ 'generic', 'SET plan_cache_mode = force_generic_plan; EXECUTE p(1000); RESET plan_cache_mode; DEALLOCATE p', '10' ],
		[ 'cursor', "BEGIN; DECLARE c CURSOR FOR $groups; FETCH 1 FROM c; FETCH ALL FROM c; COMMIT", $grouped ],
		[ 'COPY', "COPY ($groups) TO STDOUT", $grouped =~ tr/|/\t/r ],
		[ 'CREATE TABLE AS', "CREATE TEMP TABLE t AS $groups; SELECT count(*) FROM t; DROP TABLE t", '4' ],
		[ 'function', 'DO $$BEGIN PERFORM dp_count(10, 1e-6) FROM emp; END$$', '' ],
		[ 'EXPLAIN', "EXPLAIN $groups", undef ],
		[ 'EXPLAIN ANALYZE', "EXPLAIN (ANALYZE, BUFFERS, WAL, TIMING OFF, SUMMARY OFF) $groups", undef ],
		[ 'refused: rows', 'SELECT * FROM emp', $denied ],
		[ 'refused: count', 'SELECT count(*) FROM emp', $denied ],
		[ 'refused: error', 'SELECT dp_count(10, 1e-6) FROM emp WHERE factorial(id - 7) > 0', $denied ],
		[ 'refused: COPY', 'COPY emp TO STDOUT', $denied ],
		[ 'refused: EXPLAIN', 'EXPLAIN ANALYZE SELECT * FROM emp', $denied ],
		[ 'refused: prepared', 'PREPARE q AS SELECT id FROM emp; EXECUTE q', $denied ],
		[ 'refused: cursor', 'BEGIN; DECLARE c CURSOR FOR SELECT id FROM emp; ROLLBACK', $denied ],
		[ 'refused: DELETE', 'DELETE FROM emp WHERE id = 7', $denied ],
	],
	# The owner's publications, which gaussdp has no say in.
	reader => [
		[ 'view', 'SELECT count(*) > 1990 FROM names', 't' ],
		[ 'view of groups', 'SELECT count(*) FROM large', '4' ],
	]);

$statements{analyst} = [ @{ $statements{ana} }, map { [ "reader: $_->[0]", @$_[ 1, 2 ] ] } @{ $statements{reader} } ];

# Runs statements of a set in one session; what each printed, and what it was told, by name.
sub session
{
	my ($node, $database, $role, $set, $before) = @_;
	my %seen;
	my $marked = join '', map { "\\echo \@$_->[0]\n\\warn \@$_->[0]\n$_->[1];\n" } @{ $statements{$set} };

	$node->psql($database, ($before // '') . "\n$marked\\echo \@\n\\warn \@\n", on_error_stop => 0, timeout => 120,
		stdout => \my $out, stderr => \my $err, extra_params => [ '-U', $role ]);
	foreach my $stream ([ 'out', $out ], [ 'err', $err ])
	{
		my ($what, $text) = @$stream;
		$seen{$1}{$what} = $2 while $text =~ /^@([^\n]+)\n(.*?)(?=^@)/gms;
	}
	return \%seen;
}

# How many releases have been paid for in this database.
sub paid
{
	my ($node, $database) = @_;
	return $node->safe_psql($database, q{SELECT count(*) FROM gaussdp.journal WHERE event = 'charge'});
}

# What differs from what a set shall print; empty where all is right.
sub wrong
{
	my ($seen, $set) = @_;
	my $wrong = '';

	foreach (@{ $statements{$set} })
	{
		my ($name, undef, $expected) = @$_;
		my ($out, $err) = map { $seen->{$name}{$_} // '(nothing, not even the end)' } qw(out err);
		my ($error) = $err =~ /ERROR:  ([^\n]*)/;

		next if !defined $expected;
		chomp $out;
		next if defined $error && ref $expected && $error =~ $expected;
		next if !defined $error && (ref $expected ? $out =~ $expected : $out eq $expected);
		$wrong .= "$name: $out\n" . join '', map { "    $_\n" } split /\n/, $err;
	}
	return $wrong;
}

# Every role gets what it shall get, in either database; and the analyst the same in both.  Those who may read the table are asked in one of them,
# another one each time, in the long form in both.
my $turn = 0;
sub answers
{
	my ($node, $name, $before) = @_;
	my %ana;

	$turn++;
	foreach my $i (0, 1)
	{
		my $database = $databases[$i];
		foreach my $case ([qw(hr hr)], [qw(clerk clerk)], [qw(ana analyst)])
		{
			my ($role, $set) = @$case;
			next if !$ENV{GAUSSDP_FULL} && ($set eq 'hr' && ($turn + $i) % 2 || $set eq 'clerk' && ($turn + $i) % 2 == 0);
			my $seen = session($node, $database, $role, $set, $before);
			is(wrong($seen, $set), '', "$name: $role, $database: answers and refusals as without it");
			# what she reads of views is the owner's to say
			delete @$seen{ grep { /^reader: / } keys %$seen };
			$ana{$database} = $seen if $set eq 'analyst';
		}
	}
	same("$name: the analyst is told the same", $ana{one}, $ana{none});
	is(paid($node, 'one'), paid($node, 'none'), "$name: and pays the same");
	unlike(slurp_file($node->logfile), qr/terminated by signal|TRAP:/, "$name: the server did not crash");
}

# Times are no rows.
sub without_times
{
	my ($text) = @_;
	return $text =~ s/pg_toast_\d+/pg_toast/gr =~ s/\b(duration|cpu|time|Time|user|system|elapsed)[:=] *[\d.]+( m?s)?/$1/gr;
}

# The statements that printed something else in one of two databases, or nothing.
sub differing
{
	my ($one, $none) = @_;
	my ($some, $other) = map { my $seen = $_; +{ map { $_ => without_times(join "\n", @{ $seen->{$_} }{qw(out err)}) } keys %$seen } } $one, $none;
	my %all = (%$some, %$other);

	return grep { ($some->{$_} // '') ne ($other->{$_} // '') } sort keys %all;
}

# Is what was seen in two neighbouring databases the same, statement by statement?
sub same
{
	my ($name, $one, $none) = @_;
	my @differ = differing($one, $none);

	cmp_ok(scalar keys %$one, '>', 0, "$name: there is something to compare");
	is(join(', ', @differ), '', $name)
	  or diag(map { ("$_\n-- one\n", @{ $one->{$_} }{qw(out err)}, "\n-- none\n", @{ $none->{$_} }{qw(out err)}) } @differ);
}

1;
