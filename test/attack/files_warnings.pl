# What a level has opened, spilled or kept is closed by its end: no warning of the server's counts it for the analyst.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

my $node = neighbours('files', "work_mem = '64kB'\n");

my $n = 'SELECT dp_count(0.001, 1e-6) > -1e9';
my $spill = "$n FROM hr.emp JOIN generate_series(1, 50000) g ON g = dept_id";

# Person 7 alone has a note in the TOAST table, whose files are opened for it.
unlike(Neighbours::run("$spill;", $_), qr/WARNING/, "public rows that do not fit into memory leave no warning: $_") foreach 'one', 'none';
# Right after a start nothing is cached, so that a page that is read opens its file.
sub after_restart
{
	my ($name, $sql) = @_;
	my ($one, $none) = map { $node->restart; Neighbours::seen(Neighbours::run($sql, $_)) } 'one', 'none';
	return is($one, $none, $name);
}
after_restart("the number of open files tells no row: $_->[0]", "$n FROM hr.emp WHERE CASE WHEN $_->[1] THEN note > 'qq' ELSE false END; $spill;") foreach
  [ 'a condition that nobody meets', 'id = 7 AND salary > 75000' ],
  [ 'a condition that person 7 meets', 'id = 7 AND salary > 65000' ];

$node->stop;
done_testing();
