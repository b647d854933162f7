# Other libraries beside gaussdp: the server survives, its other users notice nothing, and what a library asks for is
# either given or refused by its right name.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../tap";
use Initial;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $libraries = `pg_config --pkglibdir`;
chomp $libraries;

# A server with these libraries, in which reader may read a protected table, ana has a budget, and both read a view.
sub server
{
	my ($name, $preload, $conf) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	start_with($node, <<'SQL', sub { $node->append_conf('postgresql.conf', "shared_preload_libraries = '$preload'\n$conf") });
CREATE EXTENSION gaussdp;
CREATE ROLE ana LOGIN;
CREATE ROLE reader LOGIN;
CREATE TABLE emp (id int PRIMARY KEY, age int);
INSERT INTO emp SELECT i, i FROM generate_series(1, 9) i;
CREATE VIEW old AS SELECT id, age FROM emp WHERE age > 5;
GRANT SELECT ON emp TO reader;
GRANT SELECT ON old TO reader, ana;
SELECT gaussdp.protect('emp', 'id'), gaussdp.grant_budget('ana', 'emp', 1000, 1e-2);
SQL
	return $node;
}

# Who asks what, and is to be answered.
my @queries = (
	[ 'reader', 'SELECT count(*) FROM emp', 9 ],
	[ 'reader', 'SELECT count(*) FROM old', 4 ],
	[ 'reader', 'SELECT dp_count(0.1, 1e-6) IS NOT NULL FROM emp', 't' ],
	[ 'ana', 'SELECT count(*) FROM old', 4 ],
	[ 'ana', 'SELECT dp_count(0.1, 1e-6) IS NOT NULL FROM emp', 't' ]);

SKIP: foreach my $preload ('pgaudit,gaussdp', 'gaussdp,pgaudit')
{
	skip 'pgaudit is not installed', 1 unless -e "$libraries/pgaudit.so";
	my $node = server('pgaudit_' . ($preload =~ /^p/ ? 'first' : 'last'), $preload, "pgaudit.log_relation = on\n");
	foreach my $class ('all', 'read', 'write', 'function', 'role', 'ddl', 'misc')
	{
		my $asked = join "\n", map { "SET ROLE $_->[0]; $_->[1];" } @queries;
		my ($status, $out, $err) = $node->psql('postgres', "SET pgaudit.log = '$class'; $asked", timeout => $PostgreSQL::Test::Utils::timeout_default);
		my @answers = split /\n/, $out;
		foreach my $i (0 .. $#queries)
		{
			my ($role, $sql, $answer) = @{ $queries[$i] };
			is($answers[$i], $answer, "$preload, pgaudit.log = $class: $role is answered, $sql (R1)") || diag($err);
		}
	}
	is($node->psql('postgres', 'SELECT 1'), 0, "$preload: the server is still there (R1)");
	$node->stop('immediate', fail_ok => 1);
}

# Query identifiers come to be where somebody asks for them.
{
	my $node = server('identifiers', 'gaussdp', "compute_query_id = auto\n");
	unlike($node->safe_psql('postgres', 'EXPLAIN (VERBOSE) SELECT 1'), qr/Query Identifier/, 'preloading does not turn query identifiers on (R5)');
	is($node->safe_psql('postgres', 'SELECT count(*) FROM pg_stat_activity WHERE query_id IS NOT NULL'), '0', 'nor does pg_stat_activity show any (R5)');
	$node->stop;
}

# Who counts rows is named.
{
	my $node = server('instrumented', 'gaussdp,auto_explain', "auto_explain.log_min_duration = 0\nauto_explain.log_analyze = on\n");
	my ($status, $out, $err) = $node->psql('postgres', 'SELECT dp_count(0.1, 1e-6) IS NOT NULL FROM emp', extra_params => [ '-U', 'ana' ]);
	like("$out$err", qr/\At\z|instrument/, 'under auto_explain.log_analyze a query is answered, or its refusal names the instrumentation (R6)');
	$node->stop;
}

done_testing();
