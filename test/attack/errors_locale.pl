# What lower(), upper(), initcap(), ILIKE and to_char() make of a text or a time depends on locale and zone.  In no encoding and under no zone
# may there be a row that they fail for: where the C library does not know every text that the encoding allows (EUC_JP), and
# where a zone's abbreviation of summer or winter alone is too long, such calls are refused before any row.
use strict;
use warnings FATAL => 'all';

use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# A locale of its own, which the server finds by LOCPATH.
my $locales = PostgreSQL::Test::Utils::tempdir();
system("localedef -i ja_JP -f EUC-JP $locales/ja_JP.eucjp >/dev/null 2>&1");
-d "$locales/ja_JP.eucjp" or plan skip_all => 'localedef cannot make ja_JP.eucjp: the package locales is missing';
chmod 0755, $locales;
$ENV{LOCPATH} = $locales;

my $node = PostgreSQL::Test::Cluster->new('errors_locale');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'gaussdp'\nautovacuum = off\ngaussdp.max_private_errors = 1000000\n");
$node->start;
$node->safe_psql('postgres', 'CREATE ROLE ana LOGIN');

my %databases = (
	japanese => "ENCODING 'EUC_JP' LOCALE 'ja_JP.eucjp'",
	japanese_c => "ENCODING 'EUC_JP' LOCALE 'C'",
	utf8 => "ENCODING 'UTF8' LOCALE 'C.UTF-8'",
	latin1 => "ENCODING 'LATIN1' LOCALE 'C'",
	ascii => "ENCODING 'SQL_ASCII' LOCALE 'C'",
);

# Asks each query of two tables in one session; hr.staff has one person more, whose name has each of the rare letters.  A query is
# [verdict, text], with {T} for the table: A for answered, R for refused before any row.
sub told_alike
{
	my ($database, $settings, @queries) = @_;
	my $texts = join ', ', map { "\$q\$$_->[1]\$q\$" } @queries;
	my $told = decode_json($node->safe_psql($database, <<"SQL"));
SET test.ana = 'ana';
$settings
SELECT json_agg(json_build_array(told(q, 'hr.staff'), told(q, 'hr.staff_without')) ORDER BY i) FROM unnest(ARRAY[$texts]) WITH ORDINALITY AS t (q, i)
SQL
	foreach my $i (0 .. $#queries)
	{
		my ($verdict, $query) = @{ $queries[$i] };
		my $name = substr "$database: $settings $query", 0, 200;
		is($told->[$i][0], $told->[$i][1], "told alike, $name");
		like($told->[$i][0], $verdict eq 'A' ? qr/^answered$/ : qr/^42501/, "$verdict, $name");
	}
	return $told->[0][0];
}

sub count_where
{
	my ($verdict, @conditions) = @_;
	return map { [ $verdict, "SELECT dp_count(0.001, 1e-9) FROM {T} WHERE $_" ] } @conditions;
}

# Every code of EUC_JP (three bytes begin with 8F), of UTF8 and of one byte that PostgreSQL stores.
my %letters = (
	japanese => q{SELECT convert_from(decode('8f' || to_hex(a) || to_hex(b), 'hex'), 'EUC_JP') FROM generate_series(161, 254) a, generate_series(161, 254) b},
	utf8 => q{SELECT chr(i) FROM generate_series(1, 1114111, 41) i WHERE i NOT BETWEEN 55296 AND 57343},
	latin1 => q{SELECT chr(i) FROM generate_series(1, 255) i},
	ascii => q{SELECT convert_from(decode(to_hex(i), 'hex'), 'SQL_ASCII') FROM generate_series(16, 255) i},
);
$letters{japanese_c} = $letters{japanese};

my $new = $node->pg_version >= 18;
foreach my $database (sort keys %databases)
{
	$node->safe_psql('postgres', "CREATE DATABASE $database TEMPLATE template0 $databases{$database}");
	$node->safe_psql($database, <<"SQL");
CREATE EXTENSION gaussdp;
CREATE SCHEMA hr;
GRANT USAGE ON SCHEMA hr TO ana;
CREATE TABLE hr.staff_without (id int PRIMARY KEY, name varchar(20), note text, at timestamptz);
INSERT INTO hr.staff_without SELECT i, 'x', 'x', '2020-01-15' FROM generate_series(1, 5) i;
CREATE TABLE hr.staff (LIKE hr.staff_without INCLUDING ALL);
INSERT INTO hr.staff SELECT * FROM hr.staff_without;
INSERT INTO hr.staff SELECT 100 + row_number() OVER (), c, c, '2020-07-15' FROM ($letters{$database}) l (c);
SELECT gaussdp.protect(t, 'id'), gaussdp.grant_budget('ana', t, 500, 1e-3) FROM unnest('{hr.staff,hr.staff_without}'::regclass[]) t;
\\i test/module/told.sql
SQL
	my @calls = map { my $f = $_; map { "$f($_) = 'x'" } 'name', 'note' } 'lower', 'upper', 'initcap';
	told_alike($database, '',
		# 18 does not tell of the database's own locale that it is C, and may crash where the C library does not know a text
		count_where($database eq 'japanese' || $database ne 'utf8' && $database ne 'latin1' && $new ? 'R' : 'A', "name ILIKE 'y%'", "note NOT ILIKE '%y'"),
		count_where($database =~ /^japanese/ && $new ? 'R' : 'A', @calls),
		count_where('A', "lower(note COLLATE \"C\") = 'x' AND note COLLATE \"C\" ILIKE 'y%'", "note LIKE '%y'", "trim(note) = 'x'", "left(note, 1) = 'x'",
			"position('y' IN note) > 0", "note < 'y'"));
	is($node->safe_psql($database, 'SELECT sum(errors) FROM gaussdp.budget'), '0', "$database: no call has failed");
}

# What the hint of a refusal says, works: COLLATE "C" is above.
like(told_alike('japanese', '', count_where('R', "note ILIKE 'x'")), qr/COLLATE "C"/, 'the refusal names the collation that works');

# Zones whose names are long in summer, in winter, always; the format is the analyst's, and so is the zone.
foreach my $zone ("<+00>0<" . 'A' x 40 . ">,M3.2.0,M11.1.0", "<" . 'A' x 40 . ">0<+01>,M3.2.0,M11.1.0", 'UTC', 'Asia/Kolkata')
{
	told_alike('utf8', "SET TimeZone = '$zone';",
		count_where('R', map { "to_char(at, '$_') = 'x'" } 'TZ', 'tz', 'YYYY-MM-DD Tz', 'TMMonth', 'Month' x 1000),
		count_where('A', map { "to_char(at, '$_') = 'x'" } 'YYYY-MM-DD HH24:MI:SS.US OF', 'Day, DDth Month YYYY'));
}
is($node->safe_psql('utf8', 'SELECT sum(errors) FROM gaussdp.budget'), '0', 'no call of to_char has failed');

done_testing();
