# Run by bench/citus, in the surroundings of test/citus.  The two queries of a pair run in turns, in one session; times are those
# of all processes of the three servers on a processor, and of a clock.
use strict;
use warnings FATAL => 'all';

use Distributed;
use IO::Handle;
use Time::HiRes qw(time);

my $rows = $ENV{ROWS} || 5_000_000;
my $reps = $ENV{REPS} || 11;
my @pairs = (
	[ 'count(*)', 'count(*)', 'dp_count(1, 1e-6)' ],
	[ 'count(float8)', 'count(f8)', 'dp_count(f8, 1, 1e-6)' ],
	[ 'sum(float8)', 'sum(f8)', 'dp_sum(f8, 1, 1e-6, 0, 100)' ],
	[ 'sum(int4)', 'sum(i4)', 'dp_sum(i4, 1, 1e-6, 0, 100)' ],
	[ 'sum(int8)', 'sum(i8)', 'dp_sum(i8, 1, 1e-6, 0, 100)' ],
	[ 'sum(numeric)', 'sum(n)', 'dp_sum(n, 1, 1e-6, 0, 100)' ],
	[ 'avg(float8)', 'avg(f8)', 'dp_avg(f8, 1, 1e-6, 0, 100)' ],
	[ 'avg(int4)', 'avg(i4)', 'dp_avg(i4, 1, 1e-6, 0, 100)' ],
	[ 'avg(numeric)', 'avg(n)', 'dp_avg(n, 1, 1e-6, 0, 100)' ],
	[ 'avg(float8), 16 groups', 'g, avg(f8)', 'g, dp_avg(f8, 1, 1e-6, 0, 100)', 'GROUP BY g' ],
	[ 'avg, sum and count', 'avg(f8), sum(f8), count(*)', 'dp_avg(f8, 1, 1e-6, 0, 100), dp_sum(f8, 1, 1e-6, 0, 100), dp_count(1, 1e-6)' ],
	[ 'var_pop(float8)', 'var_pop(f8)', 'dp_var(f8, 1, 1e-6, 0, 100)' ],
	[ 'dp_median, beside avg(float8)', 'avg(f8)', 'dp_median(f8, 1, 1e-6, 0, 100)' ],
	[ 'dp_histogram of 20, beside avg(float8)', 'avg(f8)', 'dp_histogram(f8, 1, 1e-6, 0, 100, 20)' ],
	[ 'dp_avg_auto, beside avg(float8)', 'avg(f8)', 'dp_avg_auto(f8, 1, 1e-6)' ],
);

# One connection to each worker, so that it is the same process all the time.
my ($coordinator, @workers) = cluster(
	shared_buffers => '1GB', max_wal_size => '4GB', autovacuum => 'off', fsync => 'off', max_parallel_workers_per_gather => 0,
	'citus.max_adaptive_executor_pool_size' => 1, 'citus.max_cached_conns_per_worker' => 1);
$coordinator->safe_psql('d', <<"SQL");
CREATE TABLE big (id int8, g int, i4 int, i8 int8, f8 float8, n numeric);
SELECT create_distributed_table('big', 'id');
INSERT INTO big SELECT g, g % 16, g % 100, g % 1000, random() * 100, (random() * 100)::numeric(10, 2) FROM generate_series(1, $rows) g;
VACUUM ANALYZE big;
SQL

# Seconds that all processes but this one have run on a processor.
sub cpu_time
{
	my $sum = 0;
	for my $file (glob '/proc/[0-9]*/schedstat')
	{
		next if $file =~ m{/(?:$$|self)/};
		open my $in, '<', $file or next;
		$sum += (split ' ', <$in> // 0)[0];
	}
	return $sum / 1e9;
}

my $session = $coordinator->background_psql('d');
$session->set_query_timer_restart;

# What a query takes: on processors, and by the clock.
sub take
{
	my ($query) = @_;
	my ($cpu, $clock) = (cpu_time(), time);
	$session->query_safe($query);
	$clock = time - $clock;
	return (cpu_time() - $cpu, $clock);
}

sub median
{
	my @sorted = sort { $a <=> $b } @_;
	return $sorted[ @sorted / 2 ];
}

my $version = $coordinator->safe_psql('d', q{SELECT split_part(citus_version(), ' on ', 1) || ', PostgreSQL ' || current_setting('server_version')});
chomp(my $cores = `nproc`);
my $load = `cut -d' ' -f1-3 /proc/loadavg`;
open my $out, '>', $ENV{BENCH_OUT} or die "$ENV{BENCH_OUT}: $!";
$out->autoflush(1);
printf $out "%d rows in 8 shards, %d rounds, %s,\n%d cores, load average before: %s\n", $rows, $reps, $version, $cores, $load;
print $out "| pair | built-in CPU ms | gaussdp CPU ms | CPU ratio | wall ratio |\n|---|---|---|---|---|\n";
for my $pair (@pairs)
{
	my ($name, $own, $private, $group) = (@$pair, '');
	my (@cpu, @clock, @cpu_ratio, @clock_ratio);
	for my $round (0 .. $reps)
	{
		my ($cpu1, $clock1) = take("SELECT $own FROM big $group");
		my ($cpu2, $clock2) = take("SELECT $private FROM big $group");
		next if $round == 0;    # warms the caches
		push @cpu, [ $cpu1, $cpu2 ];
		push @cpu_ratio, $cpu2 / $cpu1;
		push @clock_ratio, $clock2 / $clock1;
	}
	printf $out "| %s | %.0f | %.0f | %.3f | %.3f |\n", $name, 1000 * median(map { $_->[0] } @cpu), 1000 * median(map { $_->[1] } @cpu), median(@cpu_ratio), median(@clock_ratio);
}
$session->quit;
