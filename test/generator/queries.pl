#!/usr/bin/perl
# queries.pl SEED COUNT: random questions about a small clinic (judge.sql), one a line.
#
# A grammar of what is legal, and of much that is not: joins of tables about the same people and of public ones,
# sub-selects with a row for each person, views, WITH, conditions on other rows of the person, groups.  The same seed
# gives the same questions.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Settings;

my ($seed, $count) = @ARGV;
die "usage: queries.pl SEED COUNT\n" unless defined $count && "$seed $count" =~ /^\d+ \d+$/;
my $aliases;

# An item of FROM: its source, a column of each kind, the column that says whose its rows are, if any, and for public
# ones the key, and the column of others that it matches.
sub item
{
	my ($source, %columns) = @_;
	my $alias = 't' . ++$aliases;

	$columns{day} //= $columns{key};
	$columns{number} //= $columns{day};
	$columns{text} //= $columns{day};
	return { source => "$source $alias", map { ($_ => "$alias.$columns{$_}") } keys %columns };
}

sub person { return item('person', owner => 'id', number => 'income', day => 'born', text => 'town', town => 'town'); }
sub visit  { return item(one_of('visit', 'visit', 'visit', 'costly', '(SELECT * FROM visit WHERE cost > 1)'), owner => 'person', number => one_of('cost', 'score'), day => 'day', text => 'kind', id => 'id'); }
sub diagnosis { return item('diagnosis', owner => 'person', number => 'day', day => 'day', text => 'code', code => 'code'); }
sub bill { return item('bill', number => 'price', day => 'price', text => 'product', visit => 'visit', owner => 'visit'); }
sub foreigner { return item('foreigner', owner => 'person', number => 'day', day => 'day', text => 'kind'); }

sub town { return item('town', text => 'region', key => 'town', matches => 'town'); }
sub area { return item('area', text => 'area', key => 'town', matches => 'town'); }
sub calendar { return item(one_of('calendar', 'calendar', '(SELECT DISTINCT day, weekend FROM calendar)'), number => 'day', day => 'day', key => 'day', matches => 'day'); }
sub chapter { return item('chapter', text => 'chapter', key => 'code', matches => 'code'); }

# One row, or one for each of some keys, of each person.
sub per_person
{
	my ($depth) = @_;
	my $of = $depth > 0 && rand() < 0.15 ? per_person($depth - 1) : one_of(\&visit, \&visit, \&diagnosis, \&person, (\&windowed) x (rand() < 0.3))->();
	my $aggregate = one_of(
		'count(*)', "count(DISTINCT $of->{text})", "min($of->{day})", "max($of->{day})", "sum($of->{day})", "count(*) FILTER (WHERE $of->{day} > 2)",
		"sum($of->{number}::numeric)", "sum($of->{number})", "avg($of->{number}::numeric)", "max($of->{day}) - min($of->{day})", "sum(CASE WHEN $of->{day} > 1 THEN 2 ELSE 0 END)",
		"bool_or($of->{day} > 3)::int", "count($of->{text})", "array_length(array_agg($of->{day}), 1)", "max($of->{number})");
	my $extra = maybe(0.2, one_of($of->{day}, $of->{text}));
	my $where = maybe(0.3, ' WHERE ' . condition([$of], 0));
	my $having = maybe(0.2, ' HAVING ' . one_of('count(*) > 1', "max($of->{day}) > 2", "sum($of->{day}) > $of->{day}"));
	my $limit = maybe(0.03, ' LIMIT 3');

	return item("(SELECT $of->{owner} AS owner, $aggregate AS amount, " . ($extra ? "$extra AS extra, " : '') . "min($of->{day}) AS first FROM $of->{source}$where GROUP BY $of->{owner}" .
			($extra ? ", $extra" : '') . "$having$limit)", owner => 'owner', number => 'amount', day => 'first', text => $extra ? 'extra' : 'first');
}

# A call over a window of one item: of a number, or else of anything.
sub window_call
{
	my ($of, $is_number) = @_;
	my @calls = ('row_number()', 'rank()', "lag($of->{day})", "$of->{day} - lag($of->{day})", 'count(*)', "first_value($of->{day})", "sum($of->{day})", "lead($of->{day}, 2)");
	my $call = one_of(@calls, $is_number ? () : ("last_value($of->{text})", "lead($of->{number}::numeric, 1, 2.50)"));
	my $by = one_of(($of->{owner}) x 8, ("$of->{owner}, $of->{day}") x 2, $of->{day});
	my $order = $call =~ /count|sum/ && rand() < 0.5 ? '' : " ORDER BY " . one_of($of->{day}, $of->{day}, $of->{text}) . maybe(0.3, ' DESC');
	my $frame = maybe(0.2, ' ROWS BETWEEN UNBOUNDED PRECEDING AND ' . one_of('CURRENT ROW', 'UNBOUNDED FOLLOWING', '1 FOLLOWING'));

	return "$call OVER (PARTITION BY $by$order$frame)";
}

# The rows of each person, numbered or compared with others, in one window or in two at once.
sub windowed
{
	my $of = one_of(\&visit, \&visit, \&diagnosis, (sub { per_person(0) }) x (rand() < 0.2))->();
	my $shown = rand() < 0.6 ? window_call($of, 0) : '10 * (' . window_call($of, 1) . ') ' . one_of('+', '-') . ' ' . window_call($of, 1);

	return item("(SELECT $of->{owner} AS owner, $of->{day} AS day, $of->{text} AS what, $shown AS w FROM $of->{source})",
		owner => 'owner', number => 'w', day => 'day', text => 'what');
}

sub constant { return int rand 5; }

# A condition on the columns of these items.
sub condition
{
	my ($items, $depth) = @_;
	my $i = one_of(@$items);
	my $j = one_of(@$items);
	my $c = constant();
	my @choices = ("$i->{day} > $c", "$i->{day} <= $j->{day} + 1", "$i->{number} > $c", "$i->{text} IS NOT NULL", "$i->{day} BETWEEN 1 AND $c", "$i->{day} IN (1, 2, $c)",
		"($i->{day} = $c OR $j->{day} > 3)", "NOT ($i->{day} = $c)", "coalesce($i->{day}, $c) < 3", "CASE WHEN $i->{day} > 1 THEN $j->{day} < 4 ELSE true END");

	push @choices, (about_person($i, $j)) x 4 if $depth > 0 && defined $i->{owner};
	push @choices, "1 / $i->{day} > 0", "random() < 0.5" if rand() < 0.05;
	return one_of(@choices);
}

# A condition on other rows of the person.
sub about_person
{
	my ($outer, $outer2) = @_;
	my $inner = one_of(\&visit, \&visit, \&diagnosis, \&person, \&bill)->();
	my $tie = "$inner->{owner} = $outer->{owner}";
	my $more = maybe(0.5, ' AND ' . one_of("$inner->{day} > $outer->{day}", "$inner->{day} > 2", "$inner->{day} BETWEEN $outer->{day} AND $outer->{day} + 2", "$inner->{text} = $outer->{text}"));

	$tie = one_of("$inner->{day} = $outer->{day}", "$inner->{owner} >= $outer->{owner}", "($tie OR $inner->{day} = 1)", 'true') if rand() < 0.15;
	return one_of(
		"EXISTS (SELECT FROM $inner->{source} WHERE $tie$more)", "EXISTS (SELECT 1 FROM $inner->{source} WHERE $tie$more)", "NOT EXISTS (SELECT FROM $inner->{source} WHERE $tie$more)",
		"$outer->{owner} IN (SELECT $inner->{owner} FROM $inner->{source} WHERE $inner->{day} > 1)", "$outer->{owner} NOT IN (SELECT $inner->{owner} FROM $inner->{source} WHERE $inner->{day} > 3)",
		"$outer->{owner} IN (SELECT max($inner->{owner}) FROM $inner->{source})", "(SELECT count(*) FROM $inner->{source} WHERE $tie$more) >= 2",
		"(SELECT max($inner->{day}) FROM $inner->{source} WHERE $tie$more) > $outer->{day}", "EXISTS (SELECT FROM $inner->{source} WHERE $tie$more LIMIT 1)");
}

# Two items joined, by what may join them or by something else.
sub join_on
{
	my ($left, $right) = @_;
	my $i = one_of(grep { defined $_->{owner} || rand() < 0.2 } @$left) // $left->[0];
	my $on = one_of('true', "$i->{day} = $right->{day}");

	if (defined $right->{matches})
	{
		my $column = $right->{matches};
		my ($with) = grep { defined $_->{$column} } @$left;

		$on = "$right->{key} = $with->{$column}" if $with && rand() < 0.95;
	}
	elsif (defined $right->{visit} && rand() < 0.9)
	{
		my ($with) = grep { defined $_->{id} } @$left;

		$on = "$right->{visit} = $with->{id}" if $with;
	}
	elsif (defined $right->{owner} && defined $i->{owner} && rand() < 0.92)
	{
		$on = "$right->{owner} = $i->{owner}";
	}
	return $on . maybe(0.25, ' AND ' . condition([$i, $right], 0));
}

sub from
{
	my @items = (one_of(\&person, \&visit, \&visit, \&diagnosis, sub { per_person(1) }, \&windowed)->());
	my $text = $items[0]{source};

	while (rand() < 0.42 && @items < 4)
	{
		my $right = one_of(\&person, \&visit, \&diagnosis, sub { per_person(1) }, \&town, \&calendar, \&chapter, \&area, \&bill, (\&foreigner) x (rand() < 0.2), \&windowed)->();
		my $kind = one_of('JOIN', 'JOIN', 'JOIN', 'LEFT JOIN', 'LEFT JOIN', 'RIGHT JOIN', maybe(0.1, 'FULL ') . 'JOIN');

		$text = "$text $kind $right->{source} ON " . join_on(\@items, $right);
		$text = "($text)" if rand() < 0.2;
		push @items, $right;
	}
	return ($text, @items);
}

sub call
{
	my (@items) = @_;
	my $i = one_of(@items);
	my ($owned) = grep { defined $_->{owner} } @items;
	my $filter = maybe(0.2, ' FILTER (WHERE ' . condition(\@items, rand() < 0.1) . ')');

	return one_of('dp_count(0.3, 1e-6)', "dp_count($i->{text}, 0.3, 1e-6)", "dp_sum($i->{number}, 0.3, 1e-6, -1, 9)", "dp_avg($i->{number}, 0.3, 1e-6, 0, 9)", "dp_sum($i->{day}, 0.3, 1e-6, 4)",
		"dp_var($i->{number}, 0.3, 1e-6, 0, 9)", "dp_histogram($i->{number}, 0.3, 1e-6, 0, 9, 3)", (rand() < 0.2 ? "dp_median($i->{day}, 0.3, 1e-6, 0, 6)" : "dp_avg($i->{day}, 0.3, 1e-6, 0, 6)"),
		"dp_count(DISTINCT $owned->{owner}, 0.3, 1e-6)", "dp_count(DISTINCT $owned->{owner}, 0.3, 1e-6, 2)", rand() < 0.1 ? "dp_count(DISTINCT $i->{text}, 0.3, 1e-6)" : 'dp_count(0.3, 1e-6)') . $filter;
}

sub group
{
	my (@items) = @_;
	my @public = grep { defined $_->{key} } @items;
	my $i = @public && rand() < 0.5 ? one_of(@public) : one_of(@items);
	my @keys = (one_of(grep { defined } $i->{key}, $i->{text}, "($i->{day} > 2)", $i->{day}));

	return ('', '', '') if rand() < 0.45;
	push @keys, one_of(grep { defined } map { ($_->{key}, $_->{text}) } @items) if rand() < 0.2;
	my $sets = join ', ', @keys;
	my $grouping = '';
	if (rand() < 0.1)
	{
		# groups of several sets are told apart, also where a key is NULL
		pop @keys if @keys == 2 && $keys[0] eq $keys[1];
		$sets = join ', ', @keys;
		$grouping = "GROUPING($sets) AS g, ";
		$sets = one_of("ROLLUP ($sets)", "CUBE ($sets)", "GROUPING SETS (($keys[0]), ())");
	}
	my $n = 0;
	return ($grouping . join(', ', map { "$_ AS k" . ++$n } @keys) . ', ', " GROUP BY $sets", one_of('', ' HAVING dp_keep_group(0.3, 1e-6)', ' HAVING dp_keep_group(0.3, 1e-6)', ' HAVING dp_count(0.3, 1e-6) > ' . one_of(100, 1000, 1000)));
}

sub query
{
	$aliases = 0;
	my ($from, @items) = from();
	my ($keys, $group, $having) = group(@items);
	my $where = maybe(0.45, ' WHERE ' . join ' AND ', map { condition(\@items, 1) } 1 .. one_of(1, 1, 2));
	my $calls = join ', ', map { call(@items) } 1 .. one_of(1, 1, 2);

	return "SELECT $keys$calls FROM $from$where$group$having";
}

srand($seed);
print_question(query()) for 1 .. $count;
