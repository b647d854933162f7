# A process with an input and two outputs, as IPC::Run::start makes it for background sessions of psql, at a third of its price: of what
# IPC::Run can do, no more than these tests and PostgreSQL's modules ask of such a process.  Anything else goes to IPC::Run.
package Sessions;

use strict;
use warnings FATAL => 'all';

use IO::Select;
use IPC::Run;
use POSIX ();

my $ipc_start = \&IPC::Run::start;
my $ipc_finish = \&IPC::Run::finish;

# start [ command ], '<', \$input or /dev/null, '>', \$output, '2>', \$errors, perhaps a timer
sub start
{
	my ($command, $less, $input, $more, $output, $two, $errors, $timer, @rest) = @_;
	return $ipc_start->(@_)
	  unless caller ne 'IPC::Run' && ref $command eq 'ARRAY' && ($less // '') eq '<' && (ref $input eq 'SCALAR' || ($input // '') eq '/dev/null') && ($more // '') eq '>' && ref $output eq 'SCALAR'
	  && ($two // '') eq '2>' && ref $errors eq 'SCALAR' && (!defined $timer || ref $timer && $timer->isa('IPC::Run::Timer')) && !@rest;

	pipe my $for_in, my $in or die "pipe: $!";
	pipe my $out, my $for_out or die "pipe: $!";
	pipe my $err, my $for_err or die "pipe: $!";
	my $pid = fork // die "fork: $!";
	if (!$pid)
	{
		POSIX::dup2(fileno $for_in, 0);
		POSIX::dup2(fileno $for_out, 1);
		POSIX::dup2(fileno $for_err, 2);
		POSIX::close($_) foreach 3 .. 255;
		no warnings 'exec';
		exec { $command->[0] } @$command or POSIX::_exit(127);
	}
	if (!ref $input)
	{
		close $in;
		$in = undef;
	}
	$$_ //= '' foreach $output, $errors;
	$timer->start if defined $timer;
	return bless { pid => $pid, in => $in, input => $input, timer => $timer, outputs => IO::Select->new($out, $err), text => { fileno($out) => $output, fileno($err) => $errors } }, 'Sessions';
}

sub write_input
{
	my ($self) = @_;
	my $text = $self->{input};
	return if !defined $self->{in} || $$text eq '';

	local $SIG{PIPE} = 'IGNORE';
	my $from = 0;
	while ($from < length $$text)
	{
		$from += syswrite($self->{in}, $$text, length($$text) - $from, $from) // die "ack Broken pipe: '$$text': $!";
	}
	$$text = '';
	return;
}

# Reads what there is, within so many seconds; is there an output that has not ended?
sub read_outputs
{
	my ($self, $seconds) = @_;

	foreach my $handle ($self->{outputs}->can_read($seconds))
	{
		my $text = $self->{text}{ fileno $handle };
		next if sysread $handle, $$text, 65536, length $$text;
		$self->{outputs}->remove($handle);
		close $handle;
	}
	return $self->{outputs}->count;
}

# Waits for some output.
sub pump
{
	my ($self) = @_;
	die 'process ended prematurely' if !$self->{outputs}->count;

	$self->write_input;
	my $before = join '', map { length($$_), ' ' } values %{ $self->{text} };
	while ($self->read_outputs(1) && $before eq join '', map { length($$_), ' ' } values %{ $self->{text} })
	{
		$self->{timer}->check if defined $self->{timer};
	}
	return 1;
}

sub pump_nb
{
	my ($self) = @_;
	$self->write_input if $self->{outputs}->count;
	return $self->read_outputs(0);
}

sub pumpable
{
	my ($self) = @_;
	return $self->{outputs}->count != 0;
}

# Ends its input, and waits for its end; was that with status 0?
sub finish
{
	my ($self) = @_;
	return $ipc_finish->(@_) if !$self->isa('Sessions');
	return $self->{result} == 0 if exists $self->{result};

	eval { $self->write_input };
	close $self->{in} if defined $self->{in};
	$self->{in} = undef;
	while ($self->read_outputs(1))
	{
		$self->{timer}->check if defined $self->{timer};
	}
	waitpid $self->{pid}, 0;
	$self->{result} = $?;
	return $? == 0;
}

{
	no warnings 'redefine';
	*IPC::Run::start = \&start;
	*IPC::Run::finish = \&finish;
}

1;
