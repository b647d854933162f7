# Runs TAP tests in Perl, as many at a time as asked for, and prints what each printed when it has ended (test/bin/tap).
#
# To load the modules takes longer than many a test: it is done once, and each file runs in a fork of this process.  It forks while the
# program (no file, whose place forks would share) is being compiled, since blocks of PostgreSQL's modules run at the end of that (INIT) and name things by $0.  As prove does, it
# demands that a file ends with status 0 and runs what it has planned; a file that did not is named at the end.
package Forked;

use strict;
use warnings FATAL => 'all';

my $file;

BEGIN
{
	require Test2::API;
	Test2::API::test2_start_preload();
	require $_ foreach 'IPC/Run.pm', 'Test/More.pm', 'File/stat.pm', 'File/Find.pm', 'File/Copy.pm', 'JSON/PP.pm', 'List/Util.pm', 'IO/Socket/UNIX.pm', 'OnePsql.pm', 'Servers.pm', 'Initial.pm';
	require POSIX;
	require TAP::Parser;
	require TAP::Parser::Iterator::Array;
}

# What is wrong with a file by what it printed and how it ended; nothing if all is right.
sub problems
{
	my ($text, $status) = @_;
	my $parser = TAP::Parser->new({ iterator => TAP::Parser::Iterator::Array->new([ split /\n/, $text ]) });
	$parser->run;
	my @problems = ($parser->parse_errors, map { "failed test $_" } $parser->failed);
	unshift @problems, "Wstat: $status" if $status;
	unshift @problems, 'Wstat: 256' if @problems && !$status;
	return @problems;
}

# Returns in forks alone.
sub fork_each
{
	my ($jobs, @files) = @_;
	my (%running, @wrong);
	my $tests = 0;
	my $started = time;
	$| = 1;
	STDOUT->flush;
	while (@files || %running)
	{
		if (@files && keys %running < $jobs)
		{
			my $next = shift @files;
			my $log = ($ENV{TESTDIR} // '/tmp') . '/' . ($next =~ s/\W/_/gr) . ".$$";
			my $pid = fork // die "fork: $!";
			if (!$pid)
			{
				open STDOUT, '>', $log or die "$log: $!";
				open STDERR, '>&', \*STDOUT or die "$log: $!";
				$| = 1;
				($0, @ARGV) = ($next);
				$file = $next;
				$ENV{PGAPPNAME} = $next =~ s{.*/}{}r;
				Test2::API::test2_stop_preload();
				srand;
				last;
			}
			$running{$pid} = [ $next, $log, time ];
			next;
		}
		my $pid = waitpid -1, 0;
		my $status = $?;
		my ($name, $log, $since) = @{ delete $running{$pid} // next };
		open my $in, '<', $log or die "$log: $!";
		my $text = do { local $/; <$in> };
		unlink $log;
		my @problems = problems($text, $status);
		printf "[%s] %s ..\n%s%s %s %d s\n", POSIX::strftime('%H:%M:%S', localtime), $name, $text, $name, @problems ? 'failed' : 'ok', time - $since;
		push @wrong, sprintf "%-40s (%s)\n", $name, join '; ', @problems if @problems;
	}
	if (!defined $file)
	{
		print @wrong ? ("\nTest Summary Report\n-------------------\n", @wrong, "Result: FAIL\n") : "All tests successful.\n";
		POSIX::_exit(@wrong ? 1 : 0);
	}
	return;
}

# The program of each fork.
sub run
{
	my $done = do "./$file";
	my $error = $@ || (!defined $done && !-r $file ? "$file: $!" : return);
	Test::More::diag($error);    # what die says would go nowhere
	exit 255;
}

1;
