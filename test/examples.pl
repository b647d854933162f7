#!/usr/bin/perl
# examples.pl: runs the SQL of the documents, so that what they show is true.
#
#   test/examples.pl README.md docs/*.md      (with a server in PG* of the environment)
#
# Each document gets a database of its own, prepared by test/examples.sql unless the document creates
# the extension itself; its ```sql blocks run in
# their order, a session each, and must succeed.  A comment in the line before the block says
# otherwise:
#
#   <!-- as analyst -->          by SET ROLE analyst
#   <!-- error 42501 -->         fails with this SQLSTATE
#   <!-- as analyst, error 42501 -->
#   <!-- needs FILE -->          the rest of the document is skipped unless GAUSSDP_DATA has FILE
#
# A ```text block that follows directly is what psql prints; numbers may differ, since most of them
# are noisy, all else must be the same.
use strict;
use warnings;

my ($tests, $failures) = (0, 0);

sub report
{
	my ($good, $name, @details) = @_;
	$tests++;
	$failures++ unless $good;
	print $good ? '' : 'not ', "ok $tests - $name\n";
	print "# $_\n" for $good ? () : map { split /\n/ } @details;
}

# What is the same in each run: the text, the columns and the number of rows.
sub shape
{
	my ($text) = @_;
	$text =~ s/[-+]?[0-9][0-9.,]*(e[-+]?[0-9]+)?/0/g;
	$text =~ s/-[-+]*/-/g;
	$text =~ s/[ \t]+/ /g;
	$text =~ s/^ | $//mg;
	$text =~ s/\n+/\n/g;
	$text =~ s/^\n|\n$//g;
	return $text;
}

# The ```sql blocks of a document, each with its line, its conditions and the output it shows.
sub blocks
{
	my ($file) = @_;
	open my $in, '<', $file or die "$file: $!";
	my ($comment, $kind, @found) = ('');
	while (my $line = <$in>)
	{
		if (defined $kind)
		{
			if ($line =~ /^```/) { undef $kind; next }
			$found[-1]{$kind} .= $line if $kind eq 'sql' || $kind eq 'text';
		}
		elsif ($line =~ /^```(\w*)/)
		{
			$kind = $1;
			push @found, { line => $., comment => $comment, sql => '' } if $kind eq 'sql';
			# output belongs to the block right before it
			$kind = 'other' if $kind eq 'text' && !(@found && !$found[-1]{closed});
			$comment = '';
		}
		elsif ($line =~ /^<!-- (.*) -->$/) { $comment = $1 }
		elsif ($line =~ /\S/)
		{
			$comment = '';
			$found[-1]{closed} = 1 if @found;
		}
	}
	return @found;
}

sub run_block
{
	my ($database, $block) = @_;
	my $role = $block->{comment} =~ /\bas (\w+)/ ? $1 : '';
	my $expected = $block->{comment} =~ /\berror (\w{5})/ ? $1 : '';
	open my $out, '>', "$ENV{scratch}/example.sql" or die $!;
	print $out "SET ROLE $role;\n" if $role;
	print $out $block->{sql};
	close $out;
	my $output = `psql -qX -v ON_ERROR_STOP=1 -v VERBOSITY=verbose -d $database -f $ENV{scratch}/example.sql 2>&1`;
	my $failed = $? != 0;

	return (0, "expected SQLSTATE $expected, got:\n$output")
	  if $expected && !($failed && $output =~ /ERROR:  $expected:/);
	return (0, $output) if $failed && !$expected;
	return (0, "shown:\n$block->{text}\nprinted:\n$output")
	  if !$expected && defined $block->{text} && shape($block->{text}) ne shape($output);
	return 1;
}

for my $file (grep { -e } @ARGV)
{
	my @blocks = blocks($file) or next;
	(my $database = lc $file) =~ s/\W+/_/g;
	# a document that creates the extension itself begins with nothing, and makes its own tables
	my $prepare = (grep { $_->{sql} =~ /CREATE EXTENSION gaussdp/ } @blocks) ? 'true'
	  : "psql -qX -v ON_ERROR_STOP=1 -d $database -f test/examples.sql";
	if (system("createdb $database && $prepare") != 0)
	{
		report(0, "$file: could not be prepared");
		next;
	}
	for my $block (@blocks)
	{
		if ($block->{comment} =~ /\bneeds (\S+)/ && !-e ($ENV{GAUSSDP_DATA} // '') . "/$1")
		{
			$tests++;
			print "ok $tests - $file # skip needs $1\n";
			last;
		}
		my ($good, $details) = run_block($database, $block);
		report($good, "$file:$block->{line}", $details // '');
	}
}
print "1..$tests\n";
exit($failures != 0);
