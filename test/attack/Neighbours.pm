# What the attacks on rows share: two neighbouring databases.  In `one` person 7 is there, in `none` not; all else
# is equal.  Whatever an analyst does must look the same in both: SQLSTATE, messages, notices, how many rows come
# back and what stands in them, numbers aside, since these carry noise.
#
# ana holds a budget on hr.emp and no SELECT, and owns schema ana.  own owns the tables.
package Neighbours;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use Initial;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

our @EXPORT = qw(neighbours prepare same same_each told same_steps counted meanwhile seen);

my $node;
my %told;    # by database, what the last session of same() has seen
my @databases = qw(one none);

# Salaries are numeric, so that a product of theirs can overflow; person 7 alone has a long note.
my $tables = <<'SQL';
CREATE EXTENSION gaussdp;
CREATE SCHEMA hr AUTHORIZATION own;
CREATE SCHEMA ana AUTHORIZATION ana;
GRANT USAGE ON SCHEMA hr TO ana;
SET ROLE own;
CREATE TABLE hr.emp (id int PRIMARY KEY, dept text, age int, salary float8, dept_id int, rate numeric(9,2), hired timestamp, note text);
ALTER TABLE hr.emp ALTER note SET STORAGE EXTERNAL;
INSERT INTO hr.emp SELECT i, 'd' || i % 3, 40 + i, 10000 * i, i, i, timestamp '2020-01-01' + i * interval '1 day', CASE i WHEN 7 THEN repeat('q', 30000) ELSE 'q' END
FROM generate_series(1, 9) i;
ANALYZE hr.emp;
RESET ROLE;
SELECT gaussdp.protect('hr.emp', 'id'), gaussdp.grant_budget('ana', 'hr.emp', 1000, 1e-2),
    gaussdp.set_bounds('hr.emp', 'salary', 0, 100000), gaussdp.set_bounds('hr.emp', 'age', 0, 100);
SQL

# A server with both databases, and more in each by further SQL.
sub neighbours
{
	my ($name, $conf, $more) = @_;

	$node = PostgreSQL::Test::Cluster->new($name);
	start_with($node, "CREATE ROLE ana LOGIN; CREATE ROLE own LOGIN;\n"
		  . join('', map { "CREATE DATABASE $_ TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8';\n" } @databases)
		  . join('', map { "\\connect $_\n$tables" } @databases), sub {
		$node->append_conf('postgresql.conf', "shared_preload_libraries = 'gaussdp'\nautovacuum = off\nmax_connections = 20\ngaussdp.max_private_errors = 1000\ngaussdp.max_private_cancels = 1000\n" . ($conf // ''));
	});
	OnePsql::keep() if defined &OnePsql::keep;
	$node->safe_psql($_, ($more // '') . ($_ eq 'none' ? ';DELETE FROM hr.emp WHERE id = 7' : '')) foreach defined $more ? @databases : 'none';
	my @control = map { seen(run('SELECT dp_count(0.1, 1e-6) > -1e9 FROM hr.emp;', $_)) } 'one', 'none';
	is_deeply(\@control, [ "t\n", "t\n" ], "$name: a query of ana's is answered in both databases");
	return $node;
}

# SQL that must succeed, as ana, in both databases.
sub prepare
{
	my ($sql) = @_;
	$node->safe_psql($_, $sql, extra_params => [ '-U', 'ana' ]) foreach 'one', 'none';
	return;
}

# Output and errors of a session of ana's in a database.
sub run
{
	my ($sql, $database) = @_;
	my ($out, $err) = ('', '');
	$node->psql($database, $sql, stdout => \$out, stderr => \$err, on_error_stop => 0, timeout => $PostgreSQL::Test::Utils::timeout_default, timed_out => \my $late,
		extra_params => [ '-U', 'ana', '-v', 'VERBOSITY=verbose' ]);
	return "$out\n" . without_noise($err) . ($late ? "\nnever answered" : '');
}

# How much has been asked is no secret, and tests ask one database more than the other.  What is said of an answer is computed of noisy
# numbers (pgtap/last_answer.sql), and so differs as they do.
sub without_noise
{
	my ($err) = @_;
	return $err =~ s/^.*NOTICE:  (\w{5}: )?(more than 80 percent are spent|the answer (is rough|leaves something out)).*\n(DETAIL:.*\n?)?(HINT:.*\n?)?(LOCATION:.*\n?)?//mgr;
}

# What of it may not differ: numbers carry noise, those of objects come from a counter.
sub seen
{
	my ($text) = @_;
	my ($out, $err) = split /^(?=psql:|NOTICE:|WARNING:|ERROR:)/m, $text, 2;
	$out =~ s/(?<![\w.])-?\d+(\.\d+)?(e[-+]?\d+)?/#/g if defined $out;
	$err =~ s/(toast value|pg_toast_|OID|relation|process|transaction) ?\d+/$1 #/g if defined $err;
	return join '', map { defined $_ ? $_ =~ s/\n+\z/\n/r : '' } $out, $err;
}

# The property of this file: a session's statements look the same in both databases.
sub same
{
	my ($name, $sql) = @_;
	%told = map { $_ => run($sql, $_) } 'one', 'none';
	my ($one, $none) = map { seen($told{$_}) } 'one', 'none';
	return fail("$name: the server is there and answers") if "$one$none" =~ m{never answered|server closed the connection|connection to server};
	return is($one, $none, $name);
}

# The same sessions in full, for what else is to be said of them.
sub told
{
	return $told{ $_[0] };
}

# The property of each [ name, statements ], asked in one session of each database: for what does not depend on what a session has cached.  With the
# first argument 'word for word', numbers are compared, too.
sub same_each
{
	my @cases = @_;
	my $whole = !ref $cases[0] && shift @cases;
	my %seen;

	foreach my $database ('one', 'none')
	{
		my ($out, $err) = ('', '');
		$node->psql($database, join('', map { "\\echo \@$_\n\\warn \@$_\n$cases[$_][1]\n\\echo \@end\n\\warn \@end\nROLLBACK; DISCARD ALL;\n" } 0 .. $#cases), stdout => \$out, stderr => \$err,
			on_error_stop => 0, timeout => $PostgreSQL::Test::Utils::timeout_default, timed_out => \my $late, extra_params => [ '-U', 'ana', '-v', 'VERBOSITY=verbose' ]);
		foreach my $text ($out, $err)
		{
			$seen{$database}[$1] .= "$2\n" while $text =~ /^@(\d+)\n(.*?)^@(?=end$)/gms;
		}
		@{ $seen{$database} } = map { !defined $_ ? undef : $whole ? $_ : seen(without_noise($_)) } @{ $seen{$database} }[ 0 .. $#cases ];
	}
	foreach my $i (0 .. $#cases)
	{
		my ($one, $none) = map { $seen{$_}[$i] } 'one', 'none';
		if (defined $one && defined $none) { is($one, $none, $cases[$i][0]); }
		else { fail("$cases[$i][0]: the server is there and answers"); }
	}
	return;
}

# The same of several sessions side by side: [ session, statements ], one after the other.  What sessions of ana's
# see is compared; sessions of ana... are hers, all others are of the role by that name.
sub same_steps
{
	my ($name, @steps) = @_;
	my ($one, $none) = map { steps($_, @steps) } 'one', 'none';
	return is($one, $none, $name);
}

sub steps
{
	my ($database, @steps) = @_;
	my (%session, $all);

	foreach my $step (@steps)
	{
		my ($who, $sql) = @$step;
		my $session = $session{$who} //= $node->background_psql($database, on_error_stop => 0, timeout => $PostgreSQL::Test::Utils::timeout_default,
			extra_params => [ '-U', $who =~ /^ana/ ? 'ana' : $who, '-v', 'VERBOSITY=verbose' ]);
		my $out = $session->query($sql);
		$all .= "$who: " . seen("$out\n" . without_noise($session->{stderr})) if $who =~ /^ana/;
		$session->{stderr} = '';
	}
	$_->quit foreach values %session;
	return $all;
}

# How often a query whose condition holds for person 7 alone has counted one row: it counts with a standard deviation
# below 0.3, so that 3 is 10 of these away from 1.  A refusal counts nothing.
sub counted
{
	my ($name, $answer) = @_;
	my @counts = $answer =~ /^(-?\d+(?:\.\d+)?)$/mg;
	return fail("$name: the server is there") if $answer =~ m{server closed the connection|connection to server};
	my ($most) = sort { $b <=> $a } @counts, 0;
	return cmp_ok($most, '<', 4, $name) || diag($answer);
}

# Starts a query in a session, waits until it waits for advisory lock 1 (which another session holds) or has ended,
# lets this other session run SQL, or something else, which lets the lock go, and returns what the first has seen.
sub meanwhile
{
	my ($session, $query, $other, $sql) = @_;
	my $pid = $session->query('SELECT pg_backend_pid()');

	$session->query_until(qr/running/, "\\echo running\n$query;\n");
	my $until = time() + $PostgreSQL::Test::Utils::timeout_default;
	# by a superuser, who sees the state of every session
	usleep(20_000) until $node->safe_psql('postgres', "SELECT EXISTS (SELECT FROM pg_locks WHERE pid = $pid AND NOT granted) OR state <> 'active'"
		  . " FROM pg_stat_activity WHERE pid = $pid AND query !~ 'pg_backend_pid'") eq 't' || time() > $until;
	ref $sql ? $sql->() : $other->query($sql);
	my $out = $session->query('SELECT NULL');
	my $all = "$out\n" . without_noise($session->{stderr});
	$session->{stderr} = '';
	return $all;
}

1;
