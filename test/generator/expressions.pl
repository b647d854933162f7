#!/usr/bin/perl
# expressions.pl SEED COUNT: random expressions over rows of extreme values (extremes.sql), one question a line.
#
# What may be computed on a row must not fail on any.  So the values are those at which types end, the constants those
# at which a proven bound just fits, and texts, arrays and keys are now and then as large as a question can make them.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Settings;

my ($seed, $count) = @ARGV;
die "usage: expressions.pl SEED COUNT\n" unless defined $count && "$seed $count" =~ /^\d+ \d+$/;

# The columns of each type that an expression may use; sub-selects have others.
my %table = (
	i2 => ['i2'], i4 => ['i4'], i8 => ['i8'], f4 => ['f4'], f8 => [ 'f8', 'f8', 'near' ], num => [ 'num', 'num', 'money' ], text => [ 'word', 'word', 'code', 'wide', 'fixed', 'long', 'nd' ],
	date => ['day'], moment => ['moment'], instant => ['instant'], span => ['span'], bool => ['flag'], doc => ['doc'], list => ['list'], nums => ['nums'], time => ['hour']);
my $columns = \%table;

my %sql_type = (i2 => 'int2', i4 => 'int4', i8 => 'int8', f4 => 'float4', f8 => 'float8', num => 'numeric', text => 'text', date => 'date', moment => 'timestamp', instant => 'timestamptz',
	span => 'interval', bool => 'bool', doc => 'jsonb', list => 'int[]', nums => 'numeric[]', time => 'time');

my @integers = (0, 1, -1, 2, 3, 7, 10, 12, 100, 32767, -32768, 2147483647, -2147483647, 46341, 65536);
my @times = ('2021-03-28 02:30', '2021-03-28 03:00', '2000-01-01', '0001-01-01', '4713-01-01 BC', '3900-01-01 BC', '1582-10-15', '199999-12-31 23:59:59.999999', '200000-01-01', '294276-12-31', 'infinity', '-infinity');
my @formats = ('YYYY-MM-DD', 'Day', 'FMDay DDth', 'IYYY-IW', 'CC', 'J', 'RM', 'TZ', 'tz', 'OF', 'TZH:TZM', 'HH24:MI:SS.US', 'Q', 'WW', 'SSSS', 'FF6', 'B.C. YYYY', 'Y,YYY', 'MONTH', '"text" YY', 'FMMonth TZ', 'DDD', 'P.M.', 'YYYYTH', 'FXYYYY');
my @fields = qw(year month day hour minute second epoch dow doy week quarter isoyear century decade millennium isodow microseconds milliseconds julian timezone timezone_hour);
my @units = qw(year month day hour minute second week quarter century decade millennium microseconds milliseconds);

my %constants = (
	integer => sub { one_of(@integers, int rand 1000) },
	i2 => sub { one_of(1, 2, 7, -1, 32767, -32768) . '::int2' },
	i4 => sub { one_of(@integers) },
	i8 => sub { one_of(@integers, '9223372036854775807', '-9223372036854775808', '4611686018427387904', '3037000500') . '::int8' },
	f4 => sub { one_of('0', '1', '0.1', '3.4028235e38', '1e-45', '16777217', '1e30') . '::float4' },
	f8 => sub { one_of('0', '1', '-1', '0.1', '1e6', '1e15', '1e308', '5e-324', '1.7976931348623157e308', '9007199254740993', '9223372036854774784', '1e-300', '2.5') . '::float8' },
	num => sub { one_of('0', '1', '-1', '0.5', '1e6', '2.50', '1e100', '1e-100', '9223372036854775807.5', '2147483647.49', '1e30', '99999999999999.99') . '::numeric' },
	text => sub { one_of("''", "' '", "'a'", "'b'", "'A%'", "'x y'", "'abcabcabc'", "'-'", "repeat('ab', 50000)") },
	pattern => sub { one_of("'%'", "'a%'", "'%a'", "'_'", "'%a_b%'", "'%' || repeat('_%', 40)", "'a\\%'", "''", "'%\\'", "'%A%B%'") },
	date => sub { "date '" . one_of(grep { !/:/ } @times) . "'" },
	moment => sub { "timestamp '" . one_of(@times) . "'" },
	instant => sub { "timestamptz '" . one_of(@times) . "'" },
	time => sub { "time '" . one_of('00:00', '24:00', '12:30:15.5') . "'" },
	span => sub { "interval '" . one_of('1 day', '1 month', '100 years', '-100 years', '36525 days', '1 microsecond', '15 minutes', '1 year 2 mons -3 days 04:05:06', '0', '1000 years') . "'" },
	stride => sub { "interval '" . one_of('1 day', '15 minutes', '1 week', '1 microsecond', '36525 days', '1 month', '0') . "'" },
	bool => sub { one_of('true', 'false', 'NULL::bool') },
	doc => sub { one_of("'{}'", q('{"a": 1}'), q('[1]'), q('{"a": {"b": [1]}}'), q('"a"'), 'NULL') . '::jsonb' },
	list => sub { one_of("'{}'", "'{1,2,3}'", "'{NULL}'") . '::int[]' },
	nums => sub { one_of("'{}'", "'{1.5,NaN}'") . '::numeric[]' },
	format => sub { rand() < 0.05 ? "repeat('" . one_of('Day', 'MONTH', 'TZ', 'FMMonth') . "', " . one_of(10, 1000, 20000) . ')' : "'" . one_of(@formats) . maybe(0.2, ' ' . one_of(@formats)) . "'" },
	field => sub { "'" . one_of(@fields) . "'" },
	unit => sub { "'" . one_of(@units) . "'" },
	zone => sub { "'" . one_of('UTC', 'Europe/Berlin', 'Pacific/Apia', 'EST5EDT', 'Australia/Lord_Howe', '+05', '<' . 'W' x 30 . '>3') . "'" },
	key => sub { one_of("'a'", "'b'", "'n'", 0, 1, -1) },
	length => sub { one_of(0, 1, 3, 10, 1000, -1, 2147483647) },
	place => sub { one_of(1, 2, -3, 0, 2147483647, -2147483647) },
	digits => sub { one_of(0, 1, 2, 10, -3, 15, 300, -300) },
	collation => sub { one_of('"C"', '"und-x-icu"', '"tr-x-icu"', '"de-x-icu"', '"POSIX"', '"odd"', '"default"') },
);

# What makes a value of a type: {t} is an expression of type t, [c] a constant of kind c.
my @generic = ('CASE WHEN {bool} THEN {T} ELSE {T} END', 'coalesce({T}, {T})', 'nullif({T}, [T])', 'CASE WHEN {bool} THEN {T} END');
my @ordered = (@generic, 'least({T}, {T})', 'greatest({T}, {T})', 'least(greatest({T}, [T]), [T])', 'least({T}, [T])');
my @arithmetic = (@ordered, '{T} + {T}', '{T} - {T}', '{T} * {T}', '{T} / {T}', '{T} * [T]', '{T} / [T]', '-{T}', 'abs({T})', '{T} + [T]');
my @rounded = ('round({T})', 'floor({T})', 'ceil({T})', 'trunc({T})', 'sign({T})');
my %casts = (i2 => [ 'i4', 'i8', 'num', 'f8', 'fit' ], i4 => [ 'i2', 'i8', 'num', 'f8', 'f4', 'fit', 'bool' ], i8 => [ 'i4', 'num', 'f8', 'fit', 'fit' ], f4 => [ 'f8', 'num', 'i4', 'i8' ], f8 => [ 'f4', 'num', 'i4', 'i8' ], num => [ 'f4', 'f8', 'i4', 'i8', 'f8' ]);
my @extracted = map { ("extract([field] FROM {$_})", "date_part([field], {$_})") } 'date', 'moment', 'instant', 'span';
my %forms = (
	i2 => \@arithmetic,
	i4 => [ @arithmetic, '{text}::int', '({doc} ->> [key])::int', '{i4} % {i4}', '{i4} % [i4]', '{i4} & {i4}', '{date} - {date}', 'length({text})', 'octet_length({text})', 'cardinality({list})', 'array_length({list}, 1)', 'position([text] IN {text})', 'strpos({text}, {text})',
		'width_bucket({f8}, 0, 1e6, 10)', 'width_bucket({num}, 0, [num], 10)', 'extract([field] FROM {date})::int', 'extract([field] FROM {moment})::int', '{i4}::int2::int4', 'char_length({text})',
		'cardinality(ARRAY[{num}, {num}, {num}])', 'cardinality(ARRAY[{text}, {text}])', 'cardinality({nums})', '~{i4}' ],
	i8 => [ @arithmetic, '{i8} % [i8]', '{i8} | {i8}', 'extract(epoch FROM {moment})::int8', '{i4} * {i8}', '{fit}', '{fit}' ],
	f4 => [ @ordered, '-{f4}', 'abs({f4})', '{f4} * [f4]' ],
	f8 => [ @arithmetic, @rounded, 'least(greatest({f8}, [f8]), [f8]) * [f8]', '{f8} * {f4}', 'bounded({f8})', 'bounded({f8})', 'sqrt(abs({f8}))', 'sqrt({f8})', 'ln({f8})', 'exp({f8})', '{f8} ^ {f8}', '{text}::float8', "date_part('epoch', {span})" ],
	num => [ @arithmetic, @rounded, '{text}::numeric', '({doc} -> [key])::numeric', 'sqrt({num})', '{num} ^ [num]', '{num} % {num}', 'round({num}, [digits])', 'trunc({num}, [digits])', 'round({f8}::numeric, [digits])', 'bounded({num})', 'bounded({num})', 'bounded({f8})::numeric * [num]', @extracted ],
	text => [ @ordered, 'lower({text})', 'upper({text})', 'initcap({text})', 'trim({text})', 'ltrim({text}, [text])', 'rtrim({text}, {text})', 'left({text}, [length])', 'right({text}, [length])', 'substr({text}, [place])',
		'substring({text} FROM [place] FOR [length])', '{text} || {text}', '{i4}::text', '{i8}::text', '{f8}::text', '{num}::text', '{date}::text', '{bool}::text', 'split_part({text}, [text], [place])',
		'{doc} ->> [key]', 'jsonb_typeof({doc})', 'to_char({moment}, [format])', 'to_char({instant}, [format])', 'to_char({instant}, [format])', 'to_char({num}, \'999.99\')', '{text} COLLATE [collation]',
		'{text}::varchar(10)', '{text}::char(5)::text', '{moment}::text', 'replace({text}, [text], [text])', 'concat({text}, {text})', 'lpad({text}, [length])', 'reverse({text})', 'md5({text})', '{f4}::text' ],
	date => [ @ordered, '{text}::date', 'to_date({text}, [format])', 'make_date({i4}, {i4}, {i4})', '{date} + {i4}', '{moment}::date', '{instant}::date', '{date} + [integer]', '{date} - [integer]' ],
	moment => [ @ordered, '{date}::timestamp', '{instant}::timestamp', '{moment} + [span]', '{moment} - [span]', 'date_trunc([unit], {moment})', '{instant} AT TIME ZONE [zone]', 'date_bin([stride], {moment}, [moment])', '{date} + [span]' ],
	instant => [ @ordered, '{text}::timestamptz', 'to_timestamp({f8})', '{instant} + {span}', '{date}::timestamptz', '{moment}::timestamptz', '{instant} + [span]', '{instant} - [span]', 'date_trunc([unit], {instant})', '{moment} AT TIME ZONE [zone]', 'date_bin([stride], {instant}, [instant])', 'date_trunc([unit], {instant}, [zone])' ],
	span => [ @ordered, '{moment} - {moment}', '{instant} - {instant}', 'age({moment}, {moment})', 'age({instant}, {instant})', '{time}::interval', '{span} * {f8}', 'justify_interval({span})' ],
	time => [ @ordered, '{time} + {span}', '{moment}::time', '{instant}::time' ],
	doc => [ @generic, '{doc} -> [key]', '{doc} -> [key]' ],
	list => [ @generic, 'ARRAY[{i4}, {i4}]' ],
	nums => [ @generic, 'ARRAY[{num}, {num}, [num]]', 'ARRAY[{f8}::numeric, {num}]' ],
	bool => [ @generic, 'NOT {bool}', '{bool} AND {bool}', '{bool} OR {bool}', '{text} LIKE [pattern]', '{text} ILIKE [pattern]', '{text} NOT ILIKE [pattern]', '{text} LIKE {text}', 'starts_with({text}, [text])', '{doc} ? [text]', '{doc} @> [doc]',
		'{i4} = ANY ({list})', '{i4} IN (1, 2, [i4])', '{text} IN ([text], [text])', '{num} BETWEEN [num] AND [num]', 'isfinite({moment})', 'isfinite({date})', '{moment} = {instant}', '{date} < {instant}', '{date} = {moment}', '{doc} = {doc}',
		map { ("{$_} < {$_}", "{$_} = [$_]", "{$_} >= [$_]", "{$_} IS DISTINCT FROM {$_}", "{$_} IS NULL") } qw(i4 i8 f8 num text date moment instant span time list nums) ]);
foreach my $to (keys %casts)
{
	$forms{$to} = [ @{ $forms{$to} }, map { $_ eq 'fit' ? '{fit}' : ("({$_})::$sql_type{$to}", $_ eq 'bool' ? () : "bounded({$_})::$sql_type{$to}") } @{ $casts{$to} } ];
}

# The end of a type, or a little before it.
sub end
{
	my ($end) = @_;

	return $end * one_of(1, 1 - 2**-53, (map { 1 - $_ * 2**-52 } 1 .. 6), 1 - 1e-9, 0.5);
}

# A number within bounds that are divided and multiplied by the same factor: the result just fits its type, or not.
sub fit
{
	my ($depth) = @_;
	my ($type, $end) = @{ one_of(([ 'int8', 2**63 ]) x 5, [ 'int4', 2**31 - 1 ], [ 'int2', 32767 ], [ 'float8', 1.797693134862315e308 ], [ 'float4', 3.4028234e38 ]) };
	my $factor = one_of(1, 3, 7, 10, 12, 1000, 1 + int rand 1000);
	my ($from, $via) = @{ one_of(([ 'f8', '::numeric' ]) x 5, [ 'f8', '' ], [ 'num', '' ], [ 'num', '::float8' ], [ 'f4', '::numeric' ], [ 'i8', '::numeric' ], [ 'i8', '::float8' ]) };
	my $bound = sprintf '%.17g', end($end) / $factor;
	my $value = expression($from, rand() < 0.6 ? 0 : $depth);

	return sprintf '((%s)%s * %d)::%s', one_of("least(greatest($value, 0), $bound)", "least(greatest($value, -$bound), $bound)", "greatest(least($value, $bound), 0)"), $via, $factor, $type;
}

sub bounded
{
	my ($value) = @_;
	my $bound = one_of('1', '100', '1e6', '2147483647', '9e18', '32767.4', '1e15', '1e100', '0.5', sprintf '%.17g', 10**rand(19));

	return one_of("least(greatest($value, 0), $bound)", "least(greatest($value, -$bound), $bound)");
}

sub expression
{
	my ($type, $depth) = @_;

	return fit($depth) if $type eq 'fit';
	if ($depth <= 0 || rand() < 0.1)
	{
		my @own = @{ $columns->{$type} // [] };

		return @own && rand() < 0.93 ? one_of(@own) : $constants{$type}->();
	}
	return fill(one_of(@{ $forms{$type} }), $type, $depth - 1);
}

sub fill
{
	my ($form, $type, $depth) = @_;

	$form =~ s/([{[])T([}\]])/$1$type$2/g;
	# in one pass: what is put in has braces and brackets of its own
	$form =~ s/bounded\(\{(\w+)\}\)|\{(\w+)\}|\[(\w+)\]/$1 ? bounded(expression($1, $depth)) : $2 ? expression($2, $depth) : $constants{$3}->()/ge;
	return "($form)";
}

my @key_types = qw(text text text i4 i8 bool date f8 num moment doc list);
my @aggregates = ([ 'min({T})', 'T' ], [ 'max({T})', 'T' ], [ 'count(DISTINCT {T})', 'i8' ], [ 'sum({num})', 'num' ], [ 'avg({num})', 'num' ], [ 'sum({i4})', 'i8' ], [ 'array_agg({i4})', 'list' ], [ 'bool_or({bool})', 'bool' ],
	[ 'count(*)', 'i8' ], [ 'sum(bounded({num}))', 'num' ], [ 'array_agg({num})', 'nums' ], [ 'string_agg({text}, [text])', 'text' ]);
my @windows = ([ 'lag({T}) OVER w', 'T' ], [ 'first_value({T}) OVER w', 'T' ], [ 'lead({T}, 1, [T]) OVER w', 'T' ], [ 'row_number() OVER w', 'i8' ], [ 'sum({i4}) OVER w', 'i8' ], [ 'max({T}) OVER w', 'T' ]);

# The rows, or those of a sub-select with a value for each person or each row, which then are the columns.
sub source
{
	my $type = one_of(qw(i4 i8 f8 num text date moment));
	my $is_window = rand() < 0.4;
	my ($form, $result) = @{ one_of($is_window ? @windows : @aggregates) };

	return 'extreme' if rand() < 0.75;
	$result = $type if $result eq 'T';
	my $value = fill($form, $type, 1);
	my $of = one_of('i4', 'num', 'moment', 'text');
	my $order = expression($of, 1);
	my $where = maybe(0.2, ' WHERE ' . expression('bool', 1));
	$columns = { $result => ['a'], $is_window ? ($of => ['b']) : () };
	return $is_window ? "(SELECT id, $value AS a, $order AS b FROM extreme$where WINDOW w AS (PARTITION BY id ORDER BY $order)) s" : "(SELECT id, $value AS a FROM extreme$where GROUP BY id) s";
}

sub call
{
	my ($depth) = @_;
	my $number = one_of(qw(i4 i8 f8 num f4 i2));
	my $type = one_of(@key_types);
	my ($low, $high) = @{ one_of([ 0, 9 ], [ -1, 1 ], [ 0, 1e6 ], [ -1000, 1e15 ], [ 0, 1e300 ]) };
	my $of = rand() < 0.15 ? fit($depth - 1) : expression($number, $depth);

	return one_of('dp_count(0.3, 1e-6)', 'dp_count(' . expression($type, $depth) . ', 0.3, 1e-6)', ("dp_sum($of, 0.3, 1e-6, $low, $high)") x 3, "dp_avg($of, 0.3, 1e-6, $low, $high)", "dp_var($of, 0.3, 1e-6, $low, $high)",
		"dp_histogram($of, 0.3, 1e-6, $low, $high, 3)", 'dp_count(DISTINCT id, 0.3, 1e-6)') . maybe(0.2, ' FILTER (WHERE ' . expression('bool', $depth) . ')');
}

# As large as a question can make what is computed of a row.
sub large
{
	my $day = 'to_char(' . one_of('moment', 'instant') . ", repeat('" . one_of('J', 'J', 'SSSS') . "', " . one_of(1000, 30000, 130000) . '))';
	my $text = join ' || ', (one_of($day, $day, 'wide')) x one_of(3, 30, 180, 380);

	return (one_of(qw(lower upper trim ltrim rtrim initcap length)) . "($text)" . one_of(' IS NULL', " = 'a'"), '') if rand() < 0.4;
	return ("cardinality(ARRAY[" . join(', ', (one_of('num', 'num', 'wide', 'num * 1')) x one_of(10, 500, 15000)) . ']) > 3', '') if rand() < 0.4;
	return ("($text) ILIKE " . $constants{pattern}->(), '') if rand() < 0.3;
	return ('true', join ', ', map { "substr($text, $_)" } 1 .. one_of(3, 30, 88));
}

sub query
{
	$columns = \%table;
	my $depth = 1 + int rand 3;
	my $source = source();
	my ($where, $keys) = (maybe(0.5, expression('bool', $depth)), '');
	my $call = call($depth);

	if (rand() < 0.003)
	{
		($source, $call) = ('extreme', 'dp_count(0.3, 1e-6)');
		($where, $keys) = large();
		$where = "n = 10 AND $where"; # one row will do
	}
	elsif (rand() < 0.3)
	{
		$keys = join ', ', map { expression(one_of(@key_types), $depth) } 1 .. one_of(1, 1, 1, 2, 3);
	}
	return 'SELECT ' . $call . " FROM $source" . ($where ? " WHERE $where" : '') . ($keys ? " GROUP BY $keys HAVING dp_keep_group(0.3, 1e-6)" : '');
}

srand($seed);
print_question(query()) for 1 .. $count;
