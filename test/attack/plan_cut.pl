# A query from which a level was cut out is one that PostgreSQL can plan and run, and its draws are paid.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

# own's views: what they release is drawn anew for each reader, who pays
my $node = neighbours('cut', "restart_after_crash = on\n", <<'SQL');
SET ROLE own;
CREATE VIEW hr.direct AS SELECT dp_count(0.1, 1e-6) FILTER (WHERE e.id > 0) AS n FROM hr.emp e;
CREATE VIEW hr.nested AS SELECT (SELECT dp_count(0.1, 1e-6) FILTER (WHERE e.id > 0)) AS n FROM hr.emp e;
GRANT SELECT ON hr.direct, hr.nested TO ana;
RESET ROLE;
SQL

sub ana
{
	my ($sql) = @_;
	my ($out, $err) = ('', '');
	$node->psql('one', $sql, stdout => \$out, stderr => \$err, on_error_stop => 0, timeout => $PostgreSQL::Test::Utils::timeout_default, extra_params => [ '-U', 'ana', '-v', 'VERBOSITY=verbose' ]);
	return "$out\n$err";
}

# The call of a view may stand in a sub-select and yet belong to the query around it.
foreach my $view ('direct', 'nested')
{
	my $before = $node->safe_psql('one', 'SELECT count(*) FROM gaussdp.journal');
	my $answer = ana("SELECT n IS NOT NULL FROM hr.$view;");
	my $after = $node->safe_psql('one', 'SELECT count(*) FROM gaussdp.journal');
	ok($answer !~ /^t$/m || $after > $before, "hr.$view: what is drawn for a reader is charged, or refused");
}

# The same constant as a key and as a frame: the frame may hold no column.
my $kept = 'HAVING dp_keep_group(1, 1e-6)';
foreach (
	[ 'a key that is the constant of a frame', "SELECT sum(dp_count(1, 1e-6)) OVER (ROWS BETWEEN 3::bigint PRECEDING AND CURRENT ROW) IS NULL FROM hr.emp GROUP BY 3::bigint $kept;" ],
	[ 'a key that is the parameter of a frame', "PREPARE p (bigint) AS SELECT sum(dp_count(1, 1e-6)) OVER (ROWS BETWEEN \$1 PRECEDING AND CURRENT ROW) IS NULL FROM hr.emp GROUP BY \$1 $kept; EXECUTE p(3);" ],
	[ 'a key inside of a frame', "SELECT sum(dp_count(1, 1e-6)) OVER (ROWS BETWEEN (SELECT 3::bigint) PRECEDING AND CURRENT ROW) IS NULL FROM hr.emp GROUP BY 3::bigint $kept;" ])
{
	my ($what, $sql) = @$_;
	my $answer = ana($sql);
	unlike($answer, qr{server closed the connection|connection to server}, "$what does not end the server");
	$node->poll_query_until('one', 'SELECT true');
}

unlike(ana('SELECT grouping(dept), dp_count(1, 1e-6) IS NULL FROM hr.emp GROUP BY dept HAVING dp_keep_group(40, 1e-6);'), qr/XX000/, 'GROUPING of a key is answered or refused');

# Public rows that do not fit into memory are given back with the level.
unlike(ana('SET work_mem = 64; SELECT count(*) FROM (SELECT g, dp_count(1, 1e-6) FROM generate_series(1, 30000) g LEFT JOIN hr.emp e ON e.id = g GROUP BY g) s;'),
	qr/leak/, 'temporary files of public rows are closed');

$node->stop('immediate', fail_ok => 1);
done_testing();
