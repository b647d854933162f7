# Cluster's psql() and poll_query_until() without a process for each call: to start psql takes ten times as long as to connect.
#
# One psql runs for each server and each set of variables.  What a call asks is a file that psql includes, over a connection
# of its own; between calls psql is connected to nobody (below).  An error, a lost connection and a limit of time end psql as
# they do where it runs alone, and the next call starts another.  What could leave something behind in psql (most of its
# commands), asks for something else (other options, replication) or gets no connection goes to Cluster's own.  test/run
# loads this before each .pl file, which runs without it, too.
#
# Where a test allows it (keep), the superuser's connections stay between calls, one for each database: to connect takes as long as most of what
# is asked.  What a session has is thrown away after each call; and the connections, where a new one would find something else: with a
# server that is stopped, or settings that are changed.
package OnePsql;

use strict;
use warnings FATAL => 'all';

use IO::Select;
use IO::Socket::UNIX;
use POSIX ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Time::HiRes qw(time usleep);

my ($begun, $done, $end) = map { "OnePsql: $_\n" } "begun", "done", "end";
my %processes;    # by environment and variables
my ($dir, $files) = (undef, 0);
my $nobody;       # the end of a pipe by which nobody's process knows that we are there
my $keep = 0;
my $cluster_psql = \&PostgreSQL::Test::Cluster::psql;
my $cluster_poll = \&PostgreSQL::Test::Cluster::poll_query_until;

# The user and the variables (as options) of extra_params; nothing where there is anything else.
sub options_of
{
	my @rest = @{ $_[0] // [] };
	my ($user, @variables) = ('');
	while (my ($option, $value) = splice @rest, 0, 2)
	{
		return if !defined $value || $option !~ /^-[Uv]$/ || $value =~ /['\\\s]/;
		if ($option eq '-U') { $user = " user='$value'"; }
		else { push @variables, '-v', $value; }
	}
	return ($user, @variables);
}

# A server that lets everybody in and answers nothing: psql cannot be without a connection.
sub serve_nobody
{
	my $listener = IO::Socket::UNIX->new(Local => "$dir/.s.PGSQL.1", Listen => 10) or die "no socket in $dir: $!";
	pipe my $alive, $nobody or die "pipe: $!";
	my $pid = fork // die "fork: $!";
	return if $pid;

	close $nobody;
	my $select = IO::Select->new($listener, $alive);
	while (1)
	{
		foreach my $handle ($select->can_read)
		{
			if ($handle == $alive) { POSIX::_exit(0); }
			elsif ($handle == $listener) { $select->add($listener->accept); }
			elsif (!sysread $handle, my $message, 8192) { $select->remove($handle); close $handle; }
			elsif ($message !~ /^X/) { syswrite $handle, pack('a N N a N a', 'R', 8, 0, 'Z', 5, 'I'); }
		}
	}
	return;
}

sub start
{
	my ($key, @command) = @_;
	pipe my $for_in, my $in or die "pipe: $!";
	pipe my $out, my $for_out or die "pipe: $!";
	pipe my $err, my $for_err or die "pipe: $!";
	my $pid = fork // die "fork: $!";
	if (!$pid)
	{
		POSIX::dup2(fileno $for_in, 0);
		POSIX::dup2(fileno $for_out, 1);
		POSIX::dup2(fileno $for_err, 2);
		# the ends of other sessions' pipes, whose inputs would never end
		POSIX::close($_) foreach 3 .. 255;
		no warnings 'exec';
		exec { $command[0] } @command, '-d', "host=$dir port=1" or POSIX::_exit(127);
	}
	return $processes{$key} = { key => $key, pid => $pid, in => $in, out => $out, err => $err };
}

# Closes a psql's input, at whose end it ends; its status.
sub finish
{
	my ($process) = @_;
	delete $processes{ $process->{key} };
	close $process->{in};
	local $?;
	waitpid $process->{pid}, 0;
	return $?;
}

# Sends commands, and reads both outputs up to their ends; returns them, and whether that was in time.
sub talk
{
	my ($process, $commands, $until) = @_;
	my %text = (out => '', err => '');
	my %name = map { fileno($process->{$_}) => $_ } keys %text;
	my $select = IO::Select->new(map { $process->{$_} } keys %text);

	local $SIG{PIPE} = 'IGNORE';
	syswrite $process->{in}, $commands;
	while ($select->count)
	{
		my @ready = $select->can_read(defined $until ? $until - time() : undef);
		return (\%text, 0) if defined $until && time() >= $until;
		foreach my $handle (@ready)
		{
			my $text = \$text{ $name{ fileno $handle } };
			my $read = sysread $handle, $$text, 65536, length $$text;
			$select->remove($handle) if !$read || substr($$text, -length $end) eq $end;
		}
	}
	return (\%text, 1);
}

sub keep
{
	($keep) = (@_, 1);
	release() if !$keep;
	return;
}

# Gives up all connections that are kept.
sub release
{
	foreach my $process (grep { delete $_->{kept} } values %processes)
	{
		my ($text) = talk($process, "\\connect -reuse-previous=off 'host=$dir port=1'\n\\echo OnePsql: end\n\\warn OnePsql: end\n", time() + 10);
		finish($process) if $text->{out} !~ /$end\z/;
	}
	return;
}

sub psql
{
	my ($self, $dbname, $sql, %params) = @_;
	my $changes = $sql =~ /\bDATABASE\b|\bALTER\s+(ROLE|USER|SYSTEM)\b|pg_reload_conf/i;
	release() if $changes;
	my ($user, @variables) = options_of($params{extra_params});
	# \gset leaves a variable, which each script sets before it uses it.
	return $cluster_psql->(@_)
	  if !defined $user || defined $params{replication} || $sql =~ /\\(?!(?:g|gx|gset|gdesc|echo|warn)\b|;)|[^\x00-\xff]/;

	local %ENV = $self->_get_env();
	my $connection = ($params{connstr} // $self->connstr($dbname)) . $user;
	my @command = ($self->installed_command('psql'), '-XAtq', '-f', '-', @variables);
	my $kept = $keep && $user eq '' && !$changes;
	my $key = join "\n", $kept ? $connection : '', @command, map { "$_=$ENV{$_}" } sort keys %ENV;
	my $stop = ($params{on_error_stop} // 1) ? 'on' : 'off';
	my $until = defined $params{timeout} ? time() + $params{timeout} : undef;

	if (!defined $dir)
	{
		$dir = PostgreSQL::Test::Utils::tempdir_short();
		serve_nobody();
	}
	my $file = "$dir/" . ++$files . '.sql';
	append_to_file($file, $sql);
	my $process = $processes{$key} // start($key, @command);
	# an empty transaction tells whether a connection that was kept is still there
	my $again = delete $process->{kept};
	my ($text, $in_time) = talk($process, "\\set ON_ERROR_STOP on\n" . ($again ? "BEGIN\\;ROLLBACK;\n" : "\\connect -reuse-previous=off '" . $connection =~ s/'/''/gr . "'\n")
		  . "\\set ON_ERROR_STOP $stop\n\\echo OnePsql: begun\n\\warn OnePsql: begun\n\\i $file\n\\set ON_ERROR_STOP off\n\\echo OnePsql: done\n\\warn OnePsql: done\n"
		  # statistics are told as at the end of a session
		  . ($kept ? "BEGIN\\;ROLLBACK;\nSELECT pg_catalog.pg_stat_force_next_flush() \\g /dev/null\nDISCARD ALL;\n" : "\\connect -reuse-previous=off 'host=$dir port=1'\n") . "\\echo OnePsql: end\n\\warn OnePsql: end\n", $until);
	if ($in_time && $text->{out} !~ /^$begun/)
	{
		finish($process);
		return $again ? psql(@_) : $cluster_psql->(@_);
	}
	$process->{kept} = $kept;

	my $ended = $in_time && substr($text->{err}, -length $end) ne $end;
	my $status = 0;
	if (!$in_time)
	{
		kill 'TERM', $process->{pid};
		finish($process);
		die "psql timed out: stderr: '$text->{err}'\nwhile running '@command'" unless defined $params{timed_out};
	}
	elsif ($ended)
	{
		$status = finish($process);
	}
	unlink $file;
	my ($out, $err) = map { s/\A(?:.*?^)?$begun//msr } @$text{qw(out err)};
	$err =~ s/^psql:\Q$file\E:/psql:<stdin>:/mg;
	foreach ($out, $err)
	{
		s/^$done.*//ms;
		chomp;
	}
	${ $params{timed_out} } = !$in_time ? 1 : 0 if defined $params{timed_out};
	foreach ([ stdout => $out ], [ stderr => $err ])
	{
		if (ref $params{ $_->[0] }) { ${ $params{ $_->[0] } } = $_->[1]; }
		elsif (!wantarray && $_->[1] ne '') { print "$_->[1]\n"; }
	}

	die 'psql exited with signal ' . ($status & 127) . ": '$err' while running '@command'" if $status & 127;
	$status >>= 8;
	die "psql returns $status: '$err'\nwhile running '@command' with sql '$sql'" if $status && $params{on_error_die};
	return wantarray ? ($status, $out, $err) : $status;
}

sub poll_query_until
{
	my ($self, $dbname, $query, $expected) = @_;
	return $cluster_poll->(@_) unless defined $query;

	$expected //= 't';
	my ($out, $err);
	foreach (1 .. 10 * $PostgreSQL::Test::Utils::timeout_default)
	{
		(undef, $out, $err) = $self->psql($dbname, $query, on_error_stop => 0);
		return 1 if $out eq $expected && $err eq '';
		usleep(100_000);
	}
	Test::More::diag("poll_query_until timed out executing this query:\n$query\nexpecting this output:\n$expected\nlast actual query output:\n$out\nwith stderr:\n$err");
	return 0;
}

{
	no warnings 'redefine';
	*PostgreSQL::Test::Cluster::psql = \&psql;
	*PostgreSQL::Test::Cluster::poll_query_until = \&poll_query_until;
	# programs that may stop the server, or need a database for themselves
	foreach my $method (qw(command_ok command_fails command_like command_fails_like command_checks_all promote backup))
	{
		my $code = PostgreSQL::Test::Cluster->can($method) or next;
		no strict 'refs';
		*{"PostgreSQL::Test::Cluster::$method"} = sub { release(); goto &$code; };
	}
}

END
{
	finish($_) foreach values %processes;
}

1;
