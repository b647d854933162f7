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

# Runs the analyst's statements in both databases, as the analyst or as a role that may read the table.
sub run_both
{
	my ($role, $before) = @_;
	return map { session($node, $_, $role, 'ana', $before) } qw(one none);
}

# Statements: all that is counted of them, times aside.  Pages that were there already and pages that were read
# add up to the same; a temporary table has a number of its own, and so has a statement that names one.  What CREATE and DROP read and
# write of the catalogs depends on when PostgreSQL has removed dead rows there.
my $counted = <<'SQL';
SELECT query, (SELECT string_agg(key || ' ' || value, ', ' ORDER BY key)
    FROM jsonb_each_text(to_jsonb(s) || jsonb_build_object('pages', shared_blks_hit + shared_blks_read))
    WHERE key !~ 'time|since|^(dbid|query|queryid|shared_blks_hit|shared_blks_read)$'
      AND NOT (query ~ '^(CREATE|DROP) ' AND key ~ '^(pages|shared_blks_dirtied|wal_.*)$'))
FROM pg_stat_statements s
WHERE userid = %s::regrole AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND query NOT LIKE '%%pg_stat_statements%%'
ORDER BY query COLLATE "C"
SQL
# Predicates: which, how often, on how many rows.
my $qualified = <<'SQL';
SELECT to_jsonb(q) - '{dbid,queryid}'::text[]
FROM pg_qualstats q
WHERE userid = %s::regrole AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
ORDER BY 1
SQL

# Each library before gaussdp and behind it: in the long form by itself, else all of them at once.
my @counting = qw(pg_stat_statements pg_qualstats pg_wait_sampling hypopg);
foreach my $libraries ($ENV{GAUSSDP_FULL} ? map { [ $_ ] } @counting : \@counting)
{
	my %has = map { $_ => 1 } @$libraries;
	foreach my $order (join(',', 'gaussdp', @$libraries), join(',', @$libraries, 'gaussdp'))
	{
		beside($node, $order, ($has{pg_stat_statements} ? "pg_stat_statements.track = all\n" : '')
			  . ($has{pg_qualstats} ? "pg_qualstats.sample_rate = 1\npg_qualstats.track_constants = on\n" : '') . ($has{pg_wait_sampling} ? "pg_wait_sampling.profile_period = 1\n" : ''));
		run_both('ana');
		$node->safe_psql('one', 'SELECT pg_stat_statements_reset()') if $has{pg_stat_statements};
		# A row that nobody has read yet: who reads it first marks its page.
		$node->safe_psql($_, 'UPDATE emp SET dept = dept WHERE id = 7') foreach qw(one none);
		run_both('ana');
		if ($has{pg_stat_statements})
		{
			my ($one, $none) = seen(sprintf $counted, q{'ana'});
			like($one, qr/^SELECT round\(dp_count\(\$1, \$2\) [^\n]*\|calls 1,/m, "$order: the analyst's queries are counted");
			is($one, $none, "$order: and what is counted does not depend on a row");
		}
		if ($has{pg_qualstats})
		{
			my ($one, $none) = seen(sprintf $qualified, q{'ana'});
			is($one, $none, "$order: predicates of the analyst tell no row");
		}
		# How many waits there are is a matter of time; that they can be asked for, and nothing breaks.
		is(join(' ', seen('SELECT count(*) >= 0 FROM pg_wait_sampling_profile')), 't t', "$order: waits can be asked for") if $has{pg_wait_sampling};
		same("$order: plans with a hypothetical index", run_both('ana', "SELECT FROM hypopg_create_index('CREATE INDEX ON emp (dept, note)');")) if $has{hypopg};
		next unless $has{pg_stat_statements} || $has{pg_qualstats};
		run_both('hr');
		my ($one, $none) = map { $node->safe_psql($_, sprintf $counted, q{'hr'}) } $has{pg_stat_statements} ? qw(one none) : ();
		isnt($one, $none, "$order: and what is counted does so for the same statements of a role that may read the table") if $has{pg_stat_statements};
		($one, $none) = $has{pg_qualstats} ? seen(sprintf $qualified, q{'hr'}) : ();
		isnt($one, $none, "$order: and predicates do when a role that may read the table has them") if $has{pg_qualstats};
	}
}

# The server's own log, asked for by the client: an answer, or a refusal, but the same one.
foreach my $case (
	[ 'auto_explain', qr/plan:.*Aggregate/s, "auto_explain.log_min_duration = 0\nauto_explain.log_analyze = on\nauto_explain.log_buffers = on\n"
		  . "auto_explain.log_wal = on\nauto_explain.log_verbose = on\nauto_explain.log_triggers = on\nauto_explain.log_timing = off\n"
		  . "auto_explain.log_nested_statements = on\n" ],
	[ 'auto_explain', qr/plan:.*Aggregate/s, "auto_explain.log_min_duration = 0\nauto_explain.log_verbose = on\nauto_explain.log_nested_statements = on\n" ],
	[ 'pgaudit', qr/AUDIT: SESSION/, "pgaudit.log = all\npgaudit.log_client = on\npgaudit.log_rows = on\npgaudit.log_parameter = on\n" ])
{
	my ($library, $told, $settings) = @$case;

	foreach my $order ("gaussdp,$library", "$library,gaussdp")
	{
		beside($node, $order, $settings);
		# At debug1 there are all messages of log, too.
		foreach my $level ($ENV{GAUSSDP_FULL} ? 'log' : (), 'debug1')
		{
			my ($one, $none) = run_both('ana', "SET client_min_messages = $level;");

			same("$order, client_min_messages = $level", $one, $none);
			like($one->{contained}{err}, qr/(EXECUTE,FUNCTION,public.afterwards.*){2}/s, "$order: is told of functions again, when all rows have been read") if $library eq 'pgaudit';
		}
		my ($one, $none) = run_both('hr', 'SET client_min_messages = log;');
		like($one->{'refused: count'}{err}, $told, "$order: prints for its clients");
		like(join(', ', differing($one, $none)), qr/refused: rows/, "$order: and tells a role that may read the table of a row");
	}
}

# What they show of everybody's statements, and of sizes, is the owner's to close.
my %shown = (
	pg_stat_statements => q{SELECT string_agg(rows::text, ' ' ORDER BY queryid, rows) FROM pg_stat_statements WHERE userid = 'hr'::regrole
		AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database())},
	pg_qualstats => sprintf($qualified, q{'hr'}),
	hypopg_relation_size => q{SELECT hypopg_relation_size(indexrelid) FROM hypopg_create_index('CREATE INDEX ON emp (note)')});
beside($node, 'gaussdp,pg_stat_statements,pg_qualstats,hypopg', "pg_qualstats.sample_rate = 1\n");
$node->safe_psql('one', 'SELECT pg_stat_statements_reset(), pg_qualstats_reset()');
$node->safe_psql('one', q{INSERT INTO emp SELECT -i, 0, 0, 'staff' FROM generate_series(1, 5000) i; ANALYZE emp});
run_both('hr');
foreach my $function (sort keys %shown)
{
	my ($one, $none) = seen($shown{$function});
	isnt($one, $none, "$function tells everybody of others, or of the table");
}
$node->safe_psql($_, 'SELECT gaussdp.lock_down()') foreach qw(one none);
foreach my $function (sort keys %shown)
{
	$node->psql('one', $shown{$function}, stderr => \my $err, extra_params => [ '-U', 'ana' ]);
	like($err, qr/permission denied for function $function/, "$function: not after lock_down");
}
is($node->safe_psql('one', 'SELECT count(*) FROM gaussdp.lock_down()'), '0', 'which has nothing left to do');
$node->stop;
done_testing();
