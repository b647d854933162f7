# What libraries beside gaussdp keep, or print on demand: nothing that the analyst can see of it differs between two
# databases that differ in one protected row.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

my $node = neighbours('gaussdp,pg_stat_statements,pg_qualstats,pg_wait_sampling,hypopg', <<'SQL');
CREATE EXTENSION pg_stat_statements;
CREATE EXTENSION pg_qualstats;
CREATE EXTENSION pg_wait_sampling;
CREATE EXTENSION hypopg;
SQL

# What a query of ana's tells in each database.
sub seen
{
	my ($query) = @_;
	return map { $node->safe_psql($_, $query, extra_params => [ '-U', 'ana' ]) } qw(one none);
}

# Runs the analyst's statements in both databases.
sub run_both
{
	session($node, $_, 'ana', 'ana', @_) foreach qw(one none);
}

# Statements: all that is counted of them, times aside.  Pages that were there already and pages that were read
# add up to the same; a temporary table has a number of its own, and so has a statement that names one.
my $counted = <<'SQL';
SELECT query, (SELECT string_agg(key || ' ' || value, ', ' ORDER BY key)
    FROM jsonb_each_text(to_jsonb(s) || jsonb_build_object('pages', shared_blks_hit + shared_blks_read))
    WHERE key !~ 'time|since|^(dbid|query|queryid|shared_blks_hit|shared_blks_read)$')
FROM pg_stat_statements s
WHERE userid = 'ana'::regrole AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND query NOT LIKE '%pg_stat_statements%'
ORDER BY query COLLATE "C"
SQL
foreach my $order ('gaussdp,pg_stat_statements', 'pg_stat_statements,gaussdp')
{
	beside($node, $order, "pg_stat_statements.track = all\n");
	run_both();
	$node->safe_psql('one', 'SELECT pg_stat_statements_reset()');
	# A row that nobody has read yet: who reads it first marks its page.
	$node->safe_psql($_, 'UPDATE emp SET dept = dept WHERE id = 7') foreach qw(one none);
	run_both();
	my ($one, $none) = seen($counted);
	like($one, qr/^SELECT round\(dp_count\(\$1, \$2\) [^\n]*\|calls 1,/m, "$order: the analyst's queries are counted");
	is($one, $none, "$order: and what is counted does not depend on a row");
}

# Predicates: which, how often, on how many rows.
my $qualified = <<'SQL';
SELECT to_jsonb(q) - '{dbid}'::text[]
FROM pg_qualstats q
WHERE userid = 'ana'::regrole AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
ORDER BY 1
SQL
foreach my $order ('gaussdp,pg_qualstats', 'pg_qualstats,gaussdp')
{
	beside($node, $order, "pg_qualstats.sample_rate = 1\npg_qualstats.track_constants = on\n");
	run_both();
	my ($one, $none) = seen($qualified);
	is($one, $none, "$order: predicates tell no row");
	$node->safe_psql('one', 'SELECT count(*) FROM emp WHERE note IS NULL');
	$node->safe_psql('one', "SELECT count(*) FROM emp WHERE salary = 5", extra_params => [ '-U', 'hr' ]);
	isnt($node->safe_psql('one', "SELECT count(*) FROM pg_qualstats WHERE userid = 'hr'::regrole AND nbfiltered = 2000"), '0',
		"$order: those of a role that may read the table are counted");
}

# The server's own log, asked for by the client: an answer, or a refusal, but the same one.
foreach my $case (
	[ 'auto_explain', "auto_explain.log_min_duration = 0\nauto_explain.log_analyze = on\nauto_explain.log_buffers = on\n"
		  . "auto_explain.log_wal = on\nauto_explain.log_verbose = on\nauto_explain.log_triggers = on\nauto_explain.log_timing = off\n"
		  . "auto_explain.log_nested_statements = on\n" ],
	[ 'auto_explain', "auto_explain.log_min_duration = 0\nauto_explain.log_verbose = on\nauto_explain.log_nested_statements = on\n" ],
	[ 'pgaudit', "pgaudit.log = all\npgaudit.log_client = on\npgaudit.log_rows = on\npgaudit.log_parameter = on\n" ],
	[ 'pg_stat_statements', "pg_stat_statements.track = all\n" ])
{
	my ($library, $settings) = @$case;

	foreach my $order ("gaussdp,$library", "$library,gaussdp")
	{
		beside($node, $order, $settings);
		foreach my $level (qw(log debug1))
		{
			my ($one, $none) = map { session($node, $_, 'ana', 'ana', "SET client_min_messages = $level;") } qw(one none);
			same("$order, client_min_messages = $level", $one, $none);
		}
		my $hr = session($node, 'one', 'hr', 'hr', 'SET client_min_messages = log;');
		like($hr->{table}{err}, $library eq 'pgaudit' ? qr/AUDIT: SESSION/ : qr/plan:.*Aggregate/s, "$order: prints for its clients")
		  unless $library eq 'pg_stat_statements';
	}
}

# Hypothetical indexes
foreach my $order ('gaussdp,hypopg', 'hypopg,gaussdp')
{
	beside($node, $order, '');
	my ($one, $none) = map { session($node, $_, 'ana', 'ana', "SELECT FROM hypopg_create_index('CREATE INDEX ON emp (dept, note)');") } qw(one none);
	same("$order: plans with a hypothetical index", $one, $none);
}

# Waits: how many there are is a matter of time; that they can be asked for, and nothing breaks.
foreach my $order ('gaussdp,pg_wait_sampling', 'pg_wait_sampling,gaussdp')
{
	beside($node, $order, "pg_wait_sampling.profile_period = 1\n");
	run_both();
	is(join(' ', seen('SELECT count(*) >= 0 FROM pg_wait_sampling_profile')), 't t', "$order: waits can be asked for");
}
$node->stop;
done_testing();
