# A level is verified, planned and run over the public columns that are there, not over those that the query was parsed
# with: a column whose type, length or existence has changed since tells no row.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

my $node = neighbours('catalog');

# change() is folded while the query around a level is planned: after the level was cut out, before its tables are opened.
# undo() is an input, computed when they are open; dropping what a column depends on does not ask whether they are.
prepare(<<'SQL');
CREATE COLLATION ana.own FROM "C";
CREATE DOMAIN ana.number AS int;
CREATE TABLE ana.pub (k int PRIMARY KEY, x int, d ana.number, t text COLLATE ana.own, c char(3));
INSERT INTO ana.pub SELECT i, 1, 1, 'x', 'a' FROM generate_series(1, 9) i;
CREATE FUNCTION ana.run(how text) RETURNS int LANGUAGE plpgsql VOLATILE AS 'BEGIN EXECUTE how; RETURN 0; END';
CREATE FUNCTION ana.change(how text) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN ana.run(how); END';
CREATE FUNCTION ana.undo(how text) RETURNS int LANGUAGE plpgsql STABLE AS 'BEGIN RETURN ana.run(how); END';
SQL

# Too many errors would suspend the budget, which is no property of this file.
sub same_once
{
	same(@_);
	$node->safe_psql($_, "SELECT gaussdp.resume_budget('ana', 'hr.emp')") foreach 'one', 'none';
	return;
}

my $from = 'FROM hr.emp e JOIN ana.pub p ON p.k = e.id';
foreach my $how ('ALTER x TYPE text', 'ALTER x TYPE bigint', 'DROP x')
{
	foreach my $plan ('nestloop', 'hashjoin', 'mergejoin')
	{
		my $off = join ' ', map { "SET enable_$_ = off;" } grep { $_ ne $plan } qw(nestloop hashjoin mergejoin);
		same_once("a public column that is another when the level runs tells no row: $how, $plan",
			"$off BEGIN; SELECT n IS NOT NULL, ana.change('ALTER TABLE ana.pub $how') FROM (SELECT dp_count(0.01, 1e-6) $from AND p.x <> e.age WHERE e.id = 7) s (n); ROLLBACK;");
	}
}

# Equal keys that look different: the group shows the first row's.
same_once('a public char(n) that has lost its length is no key whose equal values look the same',
	q{BEGIN; SELECT octet_length(c) = 1, ana.change('ALTER TABLE ana.pub ALTER c TYPE bpchar USING CASE WHEN k = 7 THEN ''a'' ELSE ''a    ''::bpchar END')}
	  . " FROM (SELECT c, dp_count(40, 1e-6) $from WHERE e.id >= 7 GROUP BY c HAVING dp_keep_group(40, 1e-6)) s (c, n); ROLLBACK;");

# The room holds its tables open, but a column goes with its collation or domain all the same.
my %gone = (
	'DROP COLLATION ana.own CASCADE' => 'p.t COLLATE "C" <> e.note',
	'DROP DOMAIN ana.number CASCADE' => 'p.d > 0');
foreach my $how (sort keys %gone)
{
	same_once("a public column that is dropped between DECLARE and FETCH tells no row: $how",
		"BEGIN; DECLARE c CURSOR FOR SELECT dp_count(0.01, 1e-6) IS NULL $from AND $gone{$how} WHERE e.id = 7; $how; FETCH c; ROLLBACK;");
	same_once("nor one that an input of the level drops: $how",
		"BEGIN; SELECT dp_count(0.01, 1e-6) IS NULL $from AND $gone{$how} WHERE e.id = 7 AND e.age >= ana.undo('$how'); ROLLBACK;");
	same_once("nor one that the planning of the query around drops: $how",
		"BEGIN; SELECT n IS NULL, ana.change('$how') FROM (SELECT dp_count(0.01, 1e-6) $from AND $gone{$how} WHERE e.id = 7) s (n); ROLLBACK;");
}

$node->stop;
done_testing();
