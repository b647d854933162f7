# Cluster's servers with fewer programs around them: a data directory is copied, and a server started and stopped, by this process, where
# Cluster runs initdb, pg_ctl and rm; to start a program costs as much as a query.  The server is started by the same
# command, as nobody's child, and both wait for the same: the state in its lock file, and that this is gone.  What does not go as expected goes to pg_ctl, or to initdb
# (test/bin), which says why.  test/bin/tap loads this before each .pl file, which runs without it, too.
package Servers;

use strict;
use warnings FATAL => 'all';

use Digest::MD5 qw(md5_hex);
use Fcntl qw(LOCK_EX LOCK_SH);
use OnePsql;
use POSIX ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::RecursiveCopy;
use PostgreSQL::Test::Utils;
use Time::HiRes qw(time usleep);

my %original = map { $_ => PostgreSQL::Test::Cluster->can($_) } qw(init start stop restart reload clean_node _set_pg_version);
my $system_or_bail = \&PostgreSQL::Test::Utils::system_or_bail;
my %version;    # by installation

# The lock file's number of the process, and its state.
sub postmaster
{
	my ($self) = @_;
	open my $file, '<', $self->data_dir . '/postmaster.pid' or return;
	my @lines = <$file>;
	return map { defined $_ ? s/\s+\z//r : '' } @lines[ 0, 7 ];
}

# Is there such a process, other than one that nobody has reaped?
sub runs
{
	my ($pid) = @_;
	open my $file, '<', "/proc/$pid/stat" or return 0;
	return (<$file> // '') !~ /\) Z /;
}

sub limit { return $ENV{PGCTLTIMEOUT} || 60; }

# The postmaster, as a child of process 1; its number.
sub launch
{
	my ($self) = @_;
	my $program = $self->installed_command('postgres');
	my @command = ($program, '-D', $self->data_dir, '--cluster-name=' . $self->name);

	pipe my $from, my $to or die "pipe: $!";
	my $between = fork // die "fork: $!";
	if (!$between)
	{
		my $pid = fork // POSIX::_exit(1);
		if ($pid)
		{
			syswrite $to, "$pid\n";
			POSIX::_exit(0);
		}
		POSIX::setsid();
		umask 077;
		open STDIN, '<', '/dev/null' or POSIX::_exit(1);
		open STDOUT, '>>', $self->logfile or POSIX::_exit(1);
		open STDERR, '>&', \*STDOUT or POSIX::_exit(1);
		POSIX::close($_) foreach 3 .. 255;
		$ENV{LD_PRELOAD} = join ':', grep { length } $ENV{LD_PRELOAD} // '', $ENV{faults} if $ENV{faults};
		no warnings 'exec';
		exec { $program } @command or POSIX::_exit(1);
	}
	close $to;
	chomp(my $pid = <$from> // '');
	local $?;
	waitpid $between, 0;
	return $pid;
}

sub start
{
	my ($self, %params) = @_;
	return $original{start}->(@_) if defined $self->{_pid} || !-e '/proc/self/stat';

	print '### Starting node "' . $self->name . "\"\n";
	local %ENV = $self->_get_env(PGAPPNAME => undef);
	my $pid = launch($self);
	my $until = time() + limit();
	while ($pid ne '' && time() < $until)
	{
		my $lives = runs($pid);
		my ($found, $state) = postmaster($self);
		if (($found // '') eq $pid && $state =~ /^(ready|standby)$/)
		{
			$self->_update_pid(1);
			return 1;
		}
		last if !$lives;
		usleep(5_000);
	}
	print "# the server did not start; logfile:\n", PostgreSQL::Test::Utils::slurp_file($self->logfile);
	$self->_update_pid(-1);
	Test::More::BAIL_OUT('the server did not start') unless $params{fail_ok};
	return 0;
}

sub stop
{
	my ($self, $mode, %params) = @_;
	return 1 unless defined $self->{_pid};
	my $signal = { smart => 'TERM', fast => 'INT', immediate => 'QUIT' }->{ $mode // 'fast' };
	my ($pid) = postmaster($self);
	return $original{stop}->(@_) if !defined $signal || !defined $pid || $pid !~ /^\d+$/ || !runs($pid);

	print '### Stopping node "' . $self->name . "\" by $signal\n";
	my $until = time() + limit();
	OnePsql::release();
	kill $signal, $pid;
	while (time() < $until)
	{
		my $lives = runs($pid);    # before its file: it may end in between
		if (!-e $self->data_dir . '/postmaster.pid')
		{
			# what it leaves is for the next one
			usleep(1_000) while runs($pid) && time() < $until;
			$self->_update_pid(0);
			return 1;
		}
		last if !$lives;
		usleep(5_000);
	}
	return $original{stop}->(@_);
}

sub restart
{
	my ($self, @params) = @_;
	my ($pid) = postmaster($self);
	return $original{restart}->(@_) unless defined $self->{_pid} && ($pid // '') =~ /^\d+$/ && runs($pid);
	$self->stop('fast');
	return $self->start(@params);
}

sub reload
{
	my ($self) = @_;
	my ($pid) = postmaster($self);
	return $original{reload}->(@_) unless defined $pid && $pid =~ /^\d+$/ && runs($pid);
	print '### Reloading node "' . $self->name . "\"\n";
	OnePsql::release();
	kill 'HUP', $pid;
	return;
}

sub clean_node
{
	my ($self) = @_;
	system('rm', '-rf', $self->{_basedir}) unless defined $self->{_pid};
	return;
}

sub set_pg_version
{
	my ($self) = @_;
	my $which = join "\n", $self->{_install_path} // '', $ENV{PATH};
	$original{_set_pg_version}->($self) unless defined $version{$which};
	$self->{_pg_version} = $version{$which} //= $self->{_pg_version};
	return;
}

# A copy of what test/bin/initdb has made for the same options and SQL, also where a test has an installation of its own, which is of the same version.
my ($make_template) = grep { -x } map { "$_/initdb" } split /:/, $ENV{PATH} // '';
sub copy_template
{
	my (undef, $flag, $data, @options) = @_;
	return if ($flag // '') ne '-D' || !$ENV{GAUSSDP_TEMPLATES} || !$make_template;
	my $sql = $ENV{INITIAL_SQL};
	my $template = "$ENV{GAUSSDP_TEMPLATES}/" . md5_hex(join "\n", @options, defined $sql ? slurp_file($sql) : '');

	open my $lock, '>>', "$template.lock" or return;
	flock $lock, LOCK_SH;
	if (!-e $template)
	{
		flock $lock, LOCK_EX;
		if (!-e $template)
		{
			if (defined $sql)
			{
				delete local $ENV{INITIAL_SQL};
				copy_template('initdb', '-D', "$template.new", @options);
			}
			local $ENV{GAUSSDP_TEMPLATE} = $template;
			$system_or_bail->($make_template, @_[ 1 .. $#_ ]);
		}
	}
	# with its access and holes
	$system_or_bail->('cp', '-aT', $template, $data);
	append_to_file("$sql.done", '') if defined $sql;
	return 1;
}

# Of what Cluster runs; --config-auth does something on Windows alone.
sub system_or_bail_
{
	return if $_[0] eq 'initdb' && copy_template(@_);
	return if defined $ENV{PG_REGRESS} && $_[0] eq $ENV{PG_REGRESS} && ($_[1] // '') eq '--config-auth';
	return $system_or_bail->(@_);
}

# Copies of backups
my $copypath = \&PostgreSQL::Test::RecursiveCopy::copypath;
sub copypath
{
	my ($from, $to, @params) = @_;
	return $copypath->(@_) if @params;
	$system_or_bail->('cp', '-aT', $from, $to);
	return 1;
}

{
	no warnings 'redefine';
	*PostgreSQL::Test::RecursiveCopy::copypath = \&copypath;
	*PostgreSQL::Test::Cluster::start = \&start;
	*PostgreSQL::Test::Cluster::stop = \&stop;
	*PostgreSQL::Test::Cluster::restart = \&restart;
	*PostgreSQL::Test::Cluster::reload = \&reload;
	*PostgreSQL::Test::Cluster::clean_node = \&clean_node;
	*PostgreSQL::Test::Cluster::_set_pg_version = \&set_pg_version;
	*PostgreSQL::Test::Utils::system_or_bail = \&system_or_bail_;
}

1;
