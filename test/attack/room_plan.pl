# The finished plan is proven by itself: what only the planner has put in, from the catalog or from an index, does
# not run in a level.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

# A superuser's comparisons leave a trace when they are called; one of them is the negator of a verified operator.
my $node = neighbours('plan', '', <<'SQL');
CREATE SEQUENCE public.called;
GRANT ALL ON SEQUENCE public.called TO PUBLIC;
CREATE FUNCTION public.calls() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM public.called';
CREATE FUNCTION public.not_less(int, int) RETURNS bool LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM nextval(''public.called''); RETURN $1 >= $2; END';
CREATE FUNCTION public.order_of(int, int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM nextval(''public.called''); RETURN btint4cmp($1, $2); END';
CREATE OPERATOR public.!< (FUNCTION = public.not_less, LEFTARG = int, RIGHTARG = int);
UPDATE pg_operator SET oprnegate = 'public.!<(int,int)'::regoperator WHERE oid = 'pg_catalog.<(int,int)'::regoperator;
CREATE OPERATOR CLASS public.traced FOR TYPE int USING btree AS OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 public.order_of(int, int);
CREATE INDEX ON hr.emp (age public.traced);
ALTER SEQUENCE public.called RESTART;
SQL
my $count = 'SELECT dp_count(0.1, 1e-6) > -1e9 FROM hr.emp';

sub answer
{
	my ($sql) = @_;
	$node->psql('one', $sql, stdout => \my $out, stderr => \my $err, on_error_stop => 0, extra_params => [ '-U', 'ana' ]);
	return ($out, $err);
}

# Refused before anything is read or charged
my $charges = 'SELECT count(*) FROM gaussdp.journal';
my $before = $node->safe_psql('one', $charges);
my ($out, $err) = answer("$count WHERE NOT (age < 45);");
like($err, qr/ERROR:  .*\n.*a function that is not in the verified query/m, 'an operator that the planner alone has written refuses the query');
is($node->safe_psql('one', $charges), $before, 'which is not charged then');

# Whatever the planner would like best
foreach my $query ("$count WHERE age = 47", "$count WHERE age > 44", "$count a JOIN generate_series(40, 50) k ON k = age",
	'SELECT dp_count(0.1, 1e-6) > -1e9 FROM hr.emp GROUP BY age HAVING dp_keep_group(0.1, 1e-6)')
{
	($out, $err) = answer("SET client_min_messages = warning; SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_nestloop = off; SET enable_hashagg = off; $query;");
	is($err, '', "answered beside an index of a superuser's operator class: $query");
}
is($node->safe_psql('one', 'SELECT public.calls()'), '0', 'no function of that operator class, nor of that operator, was called');

$node->stop;
done_testing();
