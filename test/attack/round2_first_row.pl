# One protected row costs one row's time: whatever is to be made of constants and public rows is made before the first of
# them, so that it costs the same where there is none.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use List::Util qw(min);
use Test::More;
use Time::HiRes qw(time);

my $node = neighbours('first_row');

prepare(<<'SQL');
CREATE TABLE ana.list AS SELECT array_agg(i) AS list FROM generate_series(1000, 6000000) i;
CREATE TABLE ana.pub (k int PRIMARY KEY);
INSERT INTO ana.pub SELECT generate_series(1, 1000000);
SQL

# The least of three times, in seconds, in the database of person 7.
sub seconds
{
	my ($sql) = @_;
	return min map {
		my $start = time();
		$node->safe_psql('one', $sql, extra_params => [ '-U', 'ana' ]);
		time() - $start
	} 1 .. 3;
}

my $n = 'SELECT dp_count(0.001, 1e-6) FROM hr.emp';
foreach ([ 'a list to compare with', "$n WHERE CASE WHEN id = 7 AND salary > %d THEN age = ANY ((SELECT list FROM ana.list)::int[]) ELSE false END" ],
	[ 'public rows to join with', "SET enable_nestloop = off; SET enable_mergejoin = off; $n JOIN ana.pub ON k = dept_id WHERE id = 7 AND salary > %d" ])
{
	my ($what, $sql) = @$_;
	my ($there, $not) = map { seconds(sprintf $sql, $_) } 65000, 75000;
	cmp_ok($there - $not, '<', 0.2, "$what: one row takes no longer than none") || diag("$there and $not seconds");
}

$node->stop;
done_testing();
