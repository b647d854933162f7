# What lower(), upper(), initcap(), ILIKE and to_char() make of a text or a time depends on locale and zone.  In no encoding and under no zone
# may there be a row that they fail for: where the C library does not know every text that the encoding allows (EUC_JP), and
# where a zone's abbreviation of summer or winter alone is too long, such calls are refused before any row.
use strict;
use warnings FATAL => 'all';

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

# What ana is told of a query of two tables; hr.staff has one person more, whose name has each of the rare letters.
sub told
{
	my ($database, $query) = @_;
	return map {
		my $table = $_;
		my ($out, $err) = ('', '');
		$node->psql($database, $query =~ s/\{T\}/hr.$table/r, stdout => \$out, stderr => \$err, extra_params => [ '-U', 'ana' ]);
		$err eq '' ? 'answered' : $err =~ s/\b$table\b/{T}/gr =~ s/, at character \d+//gr =~ s/^.*\^$//gmr;
	} 'staff', 'staff_without';
}

sub told_alike
{
	my ($database, $verdict, $query) = @_;
	my ($one, $none) = told($database, $query);
	is($one, $none, "$database: told alike: $query");
	return like($one, $verdict eq 'A' ? qr/^answered$/ : qr/permission denied/, "$database: $verdict");
}

# Every code of EUC_JP (three bytes begin with 8F), of UTF8 and of one byte that PostgreSQL stores.
my %letters = (
	japanese => q{SELECT convert_from(decode('8f' || to_hex(a) || to_hex(b), 'hex'), 'EUC_JP') FROM generate_series(161, 254) a, generate_series(161, 254) b},
	utf8 => q{SELECT chr(i) FROM generate_series(1, 1114111, 7) i WHERE i NOT BETWEEN 55296 AND 57343},
	latin1 => q{SELECT chr(i) FROM generate_series(1, 255) i},
	ascii => q{SELECT convert_from(decode(to_hex(i), 'hex'), 'SQL_ASCII') FROM generate_series(16, 255) i},
);
$letters{japanese_c} = $letters{japanese};

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
SQL
	my $verdict = $database eq 'japanese' ? 'R' : 'A';
	my @calls = map { my $f = $_; map { "$f($_) = 'x'" } 'name', 'note' } 'lower', 'upper', 'initcap';
	told_alike($database, $verdict, "SELECT dp_count(0.001, 1e-9) FROM {T} WHERE $_") foreach @calls, "name ILIKE 'y%'", "note NOT ILIKE '%y'";
	told_alike($database, 'A', "SELECT dp_count(0.001, 1e-9) FROM {T} WHERE lower(note COLLATE \"C\") = 'x' AND note COLLATE \"C\" ILIKE 'y%'");
	told_alike($database, 'A', "SELECT dp_count(0.001, 1e-9) FROM {T} WHERE $_") foreach "note LIKE '%y'", "trim(note) = 'x'", "left(note, 1) = 'x'", "position('y' IN note) > 0", "note < 'y'";
	is($node->safe_psql($database, 'SELECT sum(errors) FROM gaussdp.budget'), '0', "$database: no call has failed");
}

# What the hint of a refusal says, works: COLLATE "C" is above.
my ($refusal) = told('japanese', "SELECT dp_count(0.001, 1e-9) FROM {T} WHERE lower(note) = 'x'");
like($refusal, qr/HINT:  .*COLLATE "C"/, 'the refusal names the collation that works');

# Zones whose names are long in summer, in winter, always; the format is the analyst's, and so is the zone.
foreach my $zone ("<+00>0<" . 'A' x 40 . ">,M3.2.0,M11.1.0", "<" . 'A' x 40 . ">0<+01>,M3.2.0,M11.1.0", 'UTC', 'Asia/Kolkata')
{
	told_alike('utf8', $_->[0], "SET TimeZone = '$zone'; SELECT dp_count(0.001, 1e-9) FROM {T} WHERE to_char(at, '$_->[1]') = 'x'")
	  foreach [ 'R', 'TZ' ], [ 'R', 'tz' ], [ 'R', 'YYYY-MM-DD Tz' ], [ 'R', 'TMMonth' ], [ 'A', 'YYYY-MM-DD HH24:MI:SS.US OF' ], [ 'A', 'Day, DDth Month YYYY' ];
}
told_alike('utf8', 'R', "SELECT dp_count(0.001, 1e-9) FROM {T} WHERE to_char(at, '" . 'Month' x 1000 . "') = 'x'");
is($node->safe_psql('utf8', 'SELECT sum(errors) FROM gaussdp.budget'), '0', 'no call of to_char has failed');

done_testing();
