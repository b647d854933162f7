# Servers that fail before, during and after a query: an error without values, and nothing that was released is uncharged.
use strict;
use warnings FATAL => 'all';

use Distributed;
use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;

my ($coordinator, @workers) = cluster('citus.shard_count' => 4, 'citus.node_connection_timeout' => 5000);

# Values and sums that an error would be known by: they have 7654 in them.
$coordinator->safe_psql('d', <<'SQL');
CREATE ROLE ana LOGIN;
CREATE TABLE far (id int PRIMARY KEY, k int, x float8);
SELECT create_distributed_table('far', 'id');
INSERT INTO far SELECT g, g % 5, 7654000 + g % 2 FROM generate_series(1, 1000) g;
CREATE TABLE secret (LIKE far INCLUDING ALL);
SELECT create_distributed_table('secret', 'id', colocate_with => 'far');
INSERT INTO secret SELECT * FROM far;
SELECT gaussdp.protect('secret', 'id'), gaussdp.grant_budget('ana', 'secret', 1000, 0.1);
SQL
my $sum = 'SELECT dp_sum(x, 50, 1e-3, 0, 7654001)';
my $right = 'BETWEEN 7640000000 AND 7670000000';

# Who asks: one who may read the table, and an analyst, whose answers are charged.
my @askers = ({ table => 'far', psql => [], name => 'reader' });
my ($status, $out, $err) = $coordinator->psql('d', "$sum FROM secret", extra_params => [ '-U', 'ana' ]);
if ($err eq '')
{
	push @askers, { table => 'secret', psql => [ '-U', 'ana' ], name => 'analyst', charged => 1 };
}
else
{
	like($err, qr/Citus/, 'an analyst is refused by the name of Citus');
}

# How many queries have been charged; a line of the journal may stand for several, and a query for several lines.
sub charges
{
	return $coordinator->safe_psql('d', "SELECT coalesce(sum(queries), 0) FROM (SELECT DISTINCT charge, queries FROM gaussdp.journal WHERE event = 'charge') j");
}

# A query in the background; its results are files of perl's.
sub start_query
{
	my ($asker, $sql) = @_;
	my %query = (out => '', err => '');
	$query{run} = IPC::Run::start(
		[ 'psql', '-XAt', '-d', $coordinator->connstr('d'), @{ $asker->{psql} }, '-c', $sql ],
		'<', '/dev/null', '>', \$query{out}, '2>', \$query{err}, IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	return \%query;
}

sub is_without_values
{
	my ($out, $err, $name) = @_;
	is($out, '', "$name: nothing is shown");
	like($err, qr/ERROR|FATAL|server closed the connection/, "$name: an error");
	unlike($err, qr/7654|\b1000\b/, "$name: without values") or diag($err);
	return;
}

# Sums of points need the library on every worker; counts are PostgreSQL's own, and right without it.
my @of_points = ('dp_sum(x, 1, 1e-6, 0, 7654001)', 'dp_avg(x, 1, 1e-6, 0, 7654001)', 'dp_median(x, 1, 1e-6, 0, 7654001)', 'k, dp_sum(x, 1, 1e-6, 0, 7654001)');

sub fails
{
	my ($asker, $name, @calls) = @_;
	for my $call (@calls)
	{
		my ($status, $out, $err) = $coordinator->psql('d', "SELECT $call FROM $asker->{table}" . ($call =~ /^k/ ? ' GROUP BY k' : ''), extra_params => $asker->{psql});
		is_without_values($out, $err, "$asker->{name}, $name: $call");
	}
	return;
}

sub answers
{
	my ($asker, $name) = @_;
	is($coordinator->safe_psql('d', "SELECT s $right FROM ($sum AS s FROM $asker->{table}) q", extra_params => $asker->{psql}), 't', "$asker->{name}, $name");
	return;
}

# Runs a slow query until a worker executes it, does something, and returns what came of the query.
sub meanwhile
{
	my ($asker, $do) = @_;
	# a row takes 20 ms, and each worker has 500
	my $query = start_query($asker, "SELECT dp_sum(x, 1, 1e-6, 0, 7654001) FROM $asker->{table} WHERE pg_sleep(0.02) IS NOT NULL");
	$workers[1]->poll_query_until('d', q{SELECT count(*) > 0 FROM pg_stat_activity WHERE query LIKE '%grid_point%' AND state = 'active' AND pid <> pg_backend_pid()});
	$do->();
	$query->{run}->finish;
	return ($query->{out}, $query->{err});
}

for my $asker (@askers)
{
	answers($asker, 'all servers run');

	# Before: the server is down, or it has no library, or it has another one.
	$workers[1]->stop;
	fails($asker, 'a worker is down', @of_points, 'dp_count(1, 1e-6)');
	$workers[1]->adjust_conf('postgresql.conf', 'shared_preload_libraries', 'citus');
	$workers[1]->start;
	fails($asker, 'a worker does not load the library', @of_points);
	my $bin = $workers[1]->safe_psql('d', q{SELECT DISTINCT probin FROM pg_proc WHERE proname = 'grid_point'});
	$workers[1]->safe_psql('d', "UPDATE pg_proc SET probin = '\$libdir/not_there' WHERE probin = '$bin'");
	fails($asker, 'a worker has no library', @of_points);
	$workers[1]->safe_psql('d', "UPDATE pg_proc SET probin = '$bin' WHERE probin = '\$libdir/not_there'");
	$workers[1]->adjust_conf('postgresql.conf', 'shared_preload_libraries', "'citus,gaussdp'");
	$workers[1]->restart;
	answers($asker, 'it is there again');

	# After: an answer was given, and its transaction is still open.
	my $session = $coordinator->background_psql('d', on_error_stop => 0, extra_params => $asker->{psql});
	my $before = charges();
	$session->query_safe('BEGIN');
	like($session->query_safe("SELECT s $right FROM ($sum AS s FROM $asker->{table}) q"), qr/^t$/m, "$asker->{name}: an answer in a transaction");
	$workers[1]->stop('immediate');
	is_without_values(scalar $session->query("SELECT dp_sum(x, 1, 1e-6, 0, 7654001) FROM $asker->{table}"), $session->{stderr}, "$asker->{name}, the worker goes down after it");
	$session->{stderr} = '';
	$session->query('COMMIT');
	$session->quit;
	cmp_ok(charges(), '>', $before, "$asker->{name}: what was answered is charged") if $asker->{charged};
	$workers[1]->start;
	answers($asker, 'the worker is back');
}

my $crash = sub { $coordinator->stop('immediate'); $coordinator->start };

# During, as one who may read the table: rows can be made slow.
my $reader = $askers[0];
for my $mode ('immediate', 'fast')
{
	my ($out, $err) = meanwhile($reader, sub { $workers[1]->stop($mode) });
	is_without_values($out, $err, "a worker stops ($mode) meanwhile");
	$workers[1]->start;
	answers($reader, 'and comes back');
}
{
	my ($out, $err) = meanwhile($reader, sub { $workers[1]->safe_psql('d', q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%grid_point%' AND pid <> pg_backend_pid()}) });
	is_without_values($out, $err, 'the session of a worker is ended meanwhile');
	($out, $err) = meanwhile($reader, $crash);
	is_without_values($out, $err, 'the coordinator crashes meanwhile');
	answers($reader, 'and recovers');
	($out, $err) = meanwhile($reader, sub { $coordinator->restart });
	is_without_values($out, $err, 'the coordinator is restarted meanwhile');
	answers($reader, 'and is there');
}

# During, as an analyst: once the charge is in the journal, and before the answer.
if (my ($analyst) = grep { $_->{charged} } @askers)
{
	$coordinator->safe_psql('d', <<'SQL');
CREATE TABLE long (LIKE far INCLUDING ALL);
SELECT create_distributed_table('long', 'id', colocate_with => 'far');
INSERT INTO long SELECT g, g % 5, 7654000 + g % 2 FROM generate_series(1, 2000000) g;
SELECT gaussdp.protect('long', 'id'), gaussdp.grant_budget('ana', 'long', 1000, 0.1);
SQL
	for my $case ([ 'a worker crashes', sub { $workers[1]->stop('immediate') } ], [ 'a worker is stopped', sub { $workers[1]->stop('fast') } ], [ 'the coordinator crashes', $crash ])
	{
		my ($name, $do) = @$case;
		my ($before, $charged, $query);
		# where the answer was quicker, again
		for my $try (1 .. 5)
		{
			$before = charges();
			$query = start_query($analyst, 'SELECT dp_median(x, 1, 1e-6, 0, 7654001), dp_var(x, 1, 1e-6, 0, 7654001) FROM long');
			for (1 .. 2000)
			{
				$charged = charges() - $before;
				last if $charged;
				select undef, undef, undef, 0.01;
			}
			$do->();
			$query->{run}->finish;
			last if $query->{out} eq '';
			$workers[1]->start if $name =~ /worker/;
		}
		is_without_values($query->{out}, $query->{err}, "$name after the charge");
		$workers[1]->start if $name =~ /worker/;
		is(charges() - $before, 1, 'and the charge stands');
		# The error is counted as one that a row may have made.
		$coordinator->safe_psql('d', q{SELECT gaussdp.resume_budget('ana', 'long')});
		is($coordinator->safe_psql('d', "SELECT dp_count(1, 1e-6) BETWEEN 1999000 AND 2001000 FROM long", extra_params => $analyst->{psql}), 't', 'the analyst is answered again');
	}
}

# Shards that move while queries run: each is answered right, or not at all.
for my $asker (@askers)
{
	my $file = PostgreSQL::Test::Utils::tempdir . "/load_$asker->{name}.sql";
	append_to_file($file, "SELECT CASE WHEN s $right THEN 'right' ELSE 'wrong' END FROM ($sum AS s FROM $asker->{table}) q;\n" x 20000);
	my $before = charges();
	my %load = (out => '', err => '');
	$load{run} = IPC::Run::start([ 'psql', '-XAt', '-d', $coordinator->connstr('d'), @{ $asker->{psql} }, '-f', $file ],
		'<', '/dev/null', '>', \$load{out}, '2>', \$load{err}, IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	my ($tries, $moves) = (0, 0);
	while ($load{run}->pumpable && $moves < 4 && $tries < 50)
	{
		my ($from, $to) = $tries++ % 2 ? @workers[ 1, 0 ] : @workers[ 0, 1 ];
		# what is left of a shard cannot be removed, nor the shard come back, while queries of it still run
		my ($failed) = $coordinator->psql('d', sprintf "SELECT citus_move_shard_placement(shardid, '%s', %d, '%s', %d, 'block_writes') FROM (SELECT shardid FROM citus_shards WHERE table_name = 'far'::regclass AND nodeport = %d ORDER BY shardid LIMIT 1) s",
			$from->host, $from->port, $to->host, $to->port, $from->port);
		$coordinator->psql('d', 'CALL citus_cleanup_orphaned_resources()');
		$coordinator->safe_psql('d', "SELECT gaussdp.reset_budget('ana', 'secret')");
		$moves++ if !$failed;
		$load{run}->pump_nb;
	}
	$load{run}->kill_kill;
	my $right_ones = () = $load{out} =~ /^right$/mg;
	cmp_ok($moves, '>', 1, "$asker->{name}: shards have moved meanwhile");
	cmp_ok($right_ones, '>', 0, "$asker->{name}: queries are answered");
	unlike($load{out}, qr/wrong/, "$asker->{name}: all of them right");
	unlike($load{err}, qr/7654/, "$asker->{name}: errors have no value");
	cmp_ok(charges() - $before, '>=', $right_ones, "$asker->{name}: each answer is charged") if $asker->{charged};
}

done_testing();
