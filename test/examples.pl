#!/usr/bin/perl
# examples.pl: runs the SQL of the documents, so that what they show is true.
#
#   test/examples.pl README.md docs/*.md      (with a server in PG* of the environment)
#
# Each document gets a database of its own, in which there is the extension and nothing else, or nothing if the document creates the extension; its ```sql blocks run in
# their order, as if they were typed into one psql: a SET or RESET holds for the blocks after it, so that the text says who asks.  They must succeed.  A
# comment in the line before the block says otherwise:
#
#   <!-- error 42501 -->         fails with this SQLSTATE
#   <!-- as analyst -->          by SET ROLE analyst, in lists of questions, each of which stands for itself
#   <!-- beside owner, within 100 0.5 - -->
#                                what owner is answered is the truth: no number of a column may be farther from it, in the
#                                same row, than the column's entry says; "-" is for a column that is the same in both
#   <!-- needs FILE -->          the rest of the document is skipped unless GAUSSDP_DATA has FILE
#
#   <!-- noisy -->               prints numbers that differ in each run: all else must be the same
#
# A ```text block that follows directly is what psql prints, to the digit unless it is noisy.  Where there is a truth, its numbers may differ by what the
# block says, and its columns stand to the right of the answer's.  Of an
# error it is the message with its SQLSTATE, detail and hint, word for word; where lines break does not matter.
use strict;
use warnings;

use IO::Handle;
use IPC::Open3;

my ($tests, $failures) = (0, 0);

sub report
{
	my ($good, $name, @details) = @_;
	$tests++;
	$failures++ unless $good;
	print $good ? '' : 'not ', "ok $tests - $name\n";
	print "# $_\n" for $good ? () : map { split /\n/ } @details;
}

# The text without the widths of its columns.
sub letters
{
	my ($text) = @_;
	$text =~ s/-[-+]+/-/g;
	$text =~ s/[ \t]+/ /g;
	$text =~ s/^ | $//mg;
	$text =~ s/\n+/\n/g;
	$text =~ s/^\n|\n$//g;
	return $text;
}

# What is the same in each run of a block that prints noise: the text, the columns and the number of rows.
sub shape
{
	return letters($_[0] =~ s/[-+]?[0-9][0-9.,]*(e[-+]?[0-9]+)?/0/gr =~ s/-[-+]*/-/gr);
}

# ERROR, DETAIL and HINT, without the place in the file or the query, each on a line.
sub message
{
	my ($output) = @_;
	$output =~ s/^psql:[^ ]*: //mg;
	$output =~ s/\n[ \t]+(?=\S)/ /g;
	return join "\n", map { s/\s+/ /gr } grep { /^(ERROR|DETAIL|HINT):/ } split /\n/, $output;
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

# One psql runs the blocks, each over a connection of its own: to start psql takes longer than most of them.  An error ends it, and the next block starts
# another, as does one with commands of psql, which would leave something behind.
my ($psql, $to_psql, $from_psql);

sub end_psql
{
	return unless $psql;
	close $to_psql;
	1 while <$from_psql>;
	waitpid $psql, 0;
	undef $psql;
}

# Whether psql, as this role, has run the statements; and what it printed.  The connection is the last block's where it is said so.
sub run_sql
{
	my ($database, $role, $sql, $goes_on) = @_;
	my $done = "examples.pl: done\n";
	open my $out, '>', "$ENV{scratch}/example.sql" or die $!;
	print $out "DISCARD ALL;\n" if $goes_on;
	print $out "SET ROLE $role;\n" if $role;
	print $out $sql;
	close $out;
	end_psql() if $sql =~ /\\/;
	local $SIG{PIPE} = 'IGNORE';
	if ($psql) { print $to_psql "\\connect $database\n" unless $goes_on; }
	else
	{
		$psql = open3($to_psql, $from_psql, undef, qw(psql -qX -v ON_ERROR_STOP=1 -v VERBOSITY=verbose -d), $database);
		$to_psql->autoflush;
	}
	print $to_psql "\\i $ENV{scratch}/example.sql\n\\echo $done";
	my $output = '';
	while (my $line = <$from_psql>)
	{
		if ($line eq $done)
		{
			end_psql() if $sql =~ /\\/;
			return (1, $output);
		}
		$output .= $line;
	}
	waitpid $psql, 0;
	undef $psql;
	return (0, $output);
}

# Two tables of psql, the second to the right of the first.
sub side_by_side
{
	my @left = split /\n/, shift;
	my @right = split /\n/, shift;
	my $width = (sort { $b <=> $a } map { length } @left)[0];
	my $together = '';
	for my $i (0 .. ($#left > $#right ? $#left : $#right))
	{
		my $line = sprintf "%-${width}s    %s", $left[$i] // '', $right[$i] // '';
		$line =~ s/ +$//;
		$together .= "$line\n";
	}
	return $together;
}

# The cells of a table as psql prints it; nothing of its head and foot.
sub cells
{
	my ($header, $rule, @rows) = split /\n/, shift;
	return map { [ map { s/^\s+|\s+$//gr } split /\|/ ] } grep { !/^\(\d+ rows?\)$/ && /\S/ } @rows;
}

# What is wrong with an answer beside the truth; '' if nothing is.
sub too_far
{
	my ($answer, $truth, @within) = @_;
	my @answered = cells($answer);
	my @true = cells($truth);
	return 'other rows than the truth has' if !@true || @answered != @true;
	for my $row (0 .. $#true)
	{
		return 'each column needs its entry in "within"' if @{ $true[$row] } != @within;
		for my $column (0 .. $#within)
		{
			my ($a, $t) = ($answered[$row][$column], $true[$row][$column]);
			return "$a is not $t" if $within[$column] eq '-' && $a ne $t;
			return "$a is farther than $within[$column] from $t" if $within[$column] ne '-' && !(abs($a - $t) <= $within[$column]);
		}
	}
	return '';
}

sub run_block
{
	my ($database, $block, $typed) = @_;
	my $role = $block->{comment} =~ /\bas (\w+)/ ? $1 : '';
	my $expected = $block->{comment} =~ /\berror (\w{5})/ ? $1 : '';
	my ($succeeded, $output) = run_sql($database, $role, $typed . $block->{sql});

	return (0, "expected SQLSTATE $expected, got:\n$output")
	  if $expected && !(!$succeeded && $output =~ /ERROR:  $expected:/);
	return (0, $output) if !$succeeded && !$expected;
	if ($block->{comment} =~ /\bbeside (\w+), within ([-0-9. ]+)/)
	{
		my ($owner, @within) = ($1, split ' ', $2);
		my ($known, $truth) = run_sql($database, '', "${typed}SET ROLE $owner;\n" . $block->{sql} =~ s/^SET ROLE .*\n//mr, 'goes on');
		my $wrong = $known ? too_far($output, $truth, @within) : 'no truth';
		$output = side_by_side($output, $truth);
		return (0, "$wrong:\n$output") if $wrong;
	}
	my $compared = $expected ? \&message : $block->{comment} =~ /\bnoisy\b|\bbeside\b/ ? \&shape : \&letters;
	return (0, "shown:\n$block->{text}\nprinted:\n$output")
	  if defined $block->{text} && $compared->($block->{text}) ne $compared->($output);
	return 1;
}

# A database with the extension and nothing else: what makes it, the first time.
my ($template, $is_prepared) = ('documents_template', 0);

sub prepared
{
	return $is_prepared++ ? 'true' : "createdb $template && psql -qX -d $template -c 'CREATE EXTENSION gaussdp'";
}

for my $file (grep { -e } @ARGV)
{
	my @blocks = blocks($file) or next;
	(my $database = lc $file) =~ s/\W+/_/g;
	# a document that creates the extension itself begins with nothing, and makes its own tables; others with a copy of a database that has it
	my $creates = grep { $_->{sql} =~ /CREATE EXTENSION (?:IF NOT EXISTS )?gaussdp/ } @blocks;
	# test/distributed has made it already
	if (!$ENV{GAUSSDP_PREPARED} && system($creates ? "createdb $database" : prepared() . " && createdb -T $template -S file_copy $database") != 0)
	{
		report(0, "$file: could not be prepared");
		next;
	}
	my $typed = '';
	for my $block (@blocks)
	{
		if ($block->{comment} =~ /\bneeds (\S+)/ && !-e ($ENV{GAUSSDP_DATA} // '') . "/$1")
		{
			$tests++;
			print "ok $tests - $file # skip needs $1\n";
			last;
		}
		my ($good, $details) = run_block($database, $block, $typed);
		$typed .= join '', $block->{sql} =~ /^(?:SET (?!LOCAL)|RESET ).*;.*\n/mg;
		report($good, "$file:$block->{line}", $details // '');
	}
}
end_psql();
print "1..$tests\n";
exit($failures != 0);
