# A server that has run some SQL at its start.  test/run keeps data directories (test/bin/initdb), and of tests that ask for the
# same SQL, as superuser in database postgres, only the first runs it.
package Initial;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use PostgreSQL::Test::Utils;

our @EXPORT = qw(start_with);

# Starts a new server; $configure changes its configuration, $sql is a script of psql's for any.
sub start_with
{
	my ($node, $sql, $configure, %init) = @_;
	my $file = PostgreSQL::Test::Utils::tempdir() . '/initial.sql';
	append_to_file($file, $sql);
	{
		local $ENV{INITIAL_SQL} = $file;
		$node->init(%init);
	}
	$configure->($node);
	$node->start;
	PostgreSQL::Test::Utils::system_or_bail('psql', '-XqAt', '-o', '/dev/null', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('postgres'), '-f', $file) unless -e "$file.done";
	return;
}

1;
