#!/usr/bin/perl
# coverage.pl: sums up what gcov printed (with branch counts) about src/, for test/coverage.
#
# A line that stands in several objects was run if it was in one.  A refusal is a line with GAUSSDP_REFUSE_IF or
# gaussdp_refuse: it was seen if the last call on its line was made, for the calls before that are those of the
# condition.  An error is a line with ereport or elog: it was seen if the line was run, for errfinish does not return.
use strict;
use warnings;

my $least = 95;    # per cent of the lines

# Refusals behind others, which no query can reach, by the first words of their reasons.  One that is seen after all
# is to be taken off.
my %behind = (
	'src/policy/proof/level.c: this call belongs to a query' => 'a level that refers outwards is refused before',
	'src/policy/proof/inner.c: this call belongs to a query' => 'a level that refers outwards is refused before',
	'src/policy/proof/inner.c: protected rows are joined to the result' => 'whoever takes WITH queries into a level has met it (cut.c)',
	'src/policy/proof/level.c: this call has no bounds' => 'the step before has given every call its bounds',
	'src/policy/rewrite/find.c: a protected table stands where' => 'every place has been walked');
my (%count, %last, %text, $file, $line, $call);

# End of what gcov says of a line.
sub finish
{
	$last{$file}{$line} += $call if defined $line && defined $call;
	($line, $call) = ();
}

while (<>)
{
	if (/^ *-: +0:Source:(.*)/)
	{
		finish();
		$file = $1;
	}
	elsif (/^ *([0-9]+\*?|#####|=====|-): *([0-9]+):(.*)/ && $2 > 0)
	{
		finish();
		my ($times, $number, $code) = ($1, $2, $3);
		$text{$file}{$number} = $code;
		next if $times eq '-';
		$line = $number;
		$count{$file}{$line} += $times =~ /^(\d+)/ ? $1 : 0;
	}
	elsif (/^call +\d+ (?:returned (\d+)|never executed)/ && defined $line)
	{
		$call = $1 // 0;
	}
}
finish() if defined $file;

# The first string of the statement that begins at this line, or the line itself.
sub words
{
	my ($f, $n) = @_;
	my $code = my $first = $text{$f}{$n};
	$code .= $text{$f}{ ++$n } // ';' until $code =~ /;/;
	return $code =~ /"((?:[^"\\]|\\.)+)/ ? $1 : $first =~ s/^\s+//r;
}

my (%folder, @unseen, %seen, %of);
for my $f (sort grep { m{^src/} } keys %count)
{
	my ($dir) = $f =~ m{(.*)/};
	for my $n (sort { $a <=> $b } keys %{ $count{$f} })
	{
		my $code = $text{$f}{$n};
		my $times = $count{$f}{$n};
		$folder{$_}[0]++, $folder{$_}[1] += $times > 0 for $dir, 'all of src';
		my $what = $code =~ /GAUSSDP_REFUSE_IF\(|gaussdp_refuse\(/ ? 'refusal' : $code =~ /\b(ereport|elog)\(/ ? 'error' : next;
		$times &&= $last{$f}{$n} // $times if $what eq 'refusal';
		my $words = words($f, $n);
		my ($behind) = grep { index("$f: $words", $_) == 0 } keys %behind;
		print "$f:$n was seen, so it does not belong to those that cannot be: $words\n" if $behind && $times;
		printf "%s behind others (%s): %s\n", $what, $behind{$behind}, "$f:$n: $words" if $behind && !$times;
		next if $behind && !$times;
		$of{$what}++;
		$times ? $seen{$what}++ : push @unseen, [ $what, "$f:$n", $words ];
	}
}
for my $what ('refusal', 'error')
{
	printf "%s never seen: %s: %s\n", @$_ for grep { $_->[0] eq $what } @unseen;
}
for my $dir (sort { ($a eq 'all of src') <=> ($b eq 'all of src') || $a cmp $b } keys %folder)
{
	my ($lines, $run) = @{ $folder{$dir} };
	printf "%-24s %5d of %5d lines, %5.1f %%\n", $dir, $run, $lines, 100 * $run / $lines;
}
printf "%d of %d refusals, %d of %d errors\n", map { $seen{$_} // 0, $of{$_} // 0 } 'refusal', 'error';
my ($lines, $run) = @{ $folder{'all of src'} // [ 1, 0 ] };
exit(100 * $run < $least * $lines || ($seen{refusal} // 0) != ($of{refusal} // 0));
