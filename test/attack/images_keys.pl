# A group shows its key as one of its rows has it.  Where equal keys can look different, which row it was tells of a
# person: of the first one whom the conditions leave, whatever a public table writes beside her.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

my $node = neighbours('keys');

# declared: a column whose values were never made as long as its type says.  stored: equal texts, compressed or not.
prepare(<<'SQL');
CREATE TABLE ana.declared AS SELECT * FROM unnest(ARRAY(SELECT ROW(i, rpad('a', i)::bpchar) FROM generate_series(1, 100) i)) t (k int, c char(3));
ALTER TABLE ana.declared ADD PRIMARY KEY (k);
CREATE TABLE ana.stored (k int PRIMARY KEY, t text);
INSERT INTO ana.stored SELECT i, repeat('a', 3000) FROM generate_series(8, 9) i;
ALTER TABLE ana.stored ALTER t SET STORAGE EXTERNAL;
INSERT INTO ana.stored SELECT 7, repeat('a', 3000);
CREATE TABLE ana.spelt AS SELECT i AS k, CASE i WHEN 7 THEN 1.00 ELSE 1 END AS n, CASE i WHEN 7 THEN '-0' ELSE 0 END::float8 AS f, CASE i WHEN 7 THEN '-0' ELSE 0 END::float4 AS r,
	CASE i WHEN 7 THEN '30 days' ELSE '1 mon' END::interval AS v, CASE i WHEN 7 THEN 'a ' ELSE 'a' END::bpchar AS c FROM generate_series(1, 100) i;
ALTER TABLE ana.spelt ADD PRIMARY KEY (k);
SQL

# With this epsilon the threshold is 1.5, and a group of two is shown but once in a million times.
my $kept = 'HAVING dp_keep_group(90, 1e-6)';
same('a char(n) that is shorter or longer than n tells no row',
	"SELECT octet_length(c) = 7 FROM (SELECT c, dp_count(40, 1e-6) FROM hr.emp JOIN ana.declared ON k = id WHERE id >= 7 GROUP BY c $kept) s (c, n);");
same('nor does one that is an input of the level',
	"SELECT octet_length(c) = 7 FROM (SELECT CASE WHEN id = 7 THEN (SELECT c FROM ana.declared WHERE k = 7) ELSE (SELECT c FROM ana.declared WHERE k = 8) END, dp_count(40, 1e-6)"
	  . " FROM hr.emp WHERE id >= 7 GROUP BY 1 $kept) s (c, n);");
foreach ([ 'n', '1' ], [ 'f', '0' ], [ 'f + 0.5 - 0.5', '0' ], [ 'r', '0' ], [ 'v', '1 mon' ], [ "c || ''", 'a' ], [ 'c', 'a' ], [ 'coalesce(n, f::numeric)', '1' ])
{
	my ($key, $image) = @$_;
	my $query = "SELECT k::text = '$image', octet_length(k::text) FROM (SELECT $key, dp_count(40, 1e-6) FROM hr.emp JOIN ana.spelt ON k = id WHERE id >= 7 GROUP BY 1 $kept) s (k, n);";
	same("how equal values are spelt tells no row: $key", $query);
	like(Neighbours::run($query, 'one'), qr/^t\|/, "$key: and they are shown") if $key !~ /[+]|^c$/;
}
same('nor what a person has of them', "SELECT m::text = '1', dp_count(1, 1e-6) FROM (SELECT id, max(n) AS m FROM hr.emp JOIN ana.spelt ON k = id OR k = id + 1 GROUP BY id) s GROUP BY 1;");
same('whether a text is compressed tells no row',
	"SELECT pg_column_size(t) > 1000, pg_column_compression(t) FROM (SELECT t, dp_count(40, 1e-6) FROM hr.emp JOIN ana.stored ON k = id WHERE id >= 7 GROUP BY t $kept) s (t, n);");

# The same reads any column of any person: the length is the age of the first one from id 5 on, or from id 6 on.
my @ages;
foreach my $first (5, 6)
{
	$node->psql('one', "SELECT octet_length(c) FROM (SELECT c, dp_count(40, 1e-6) FROM hr.emp JOIN ana.declared ON k = age WHERE id >= $first GROUP BY c $kept) s (c, n)",
		stdout => \my $length, stderr => \my $err, extra_params => [ '-U', 'ana' ]);
	push @ages, $length;
}
isnt("@ages", '45 46', 'and no age is read out');

$node->stop;
done_testing();
