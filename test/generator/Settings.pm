# Settings.pm: settings of a session, by chance.  No answer may depend on them but as the manual says, no error at all.
package Settings;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(one_of maybe print_question);

sub one_of { return $_[int rand @_]; }
sub maybe  { my ($share, $text) = @_; return rand() < $share ? $text : ''; }

# Zones of today and of old, with summer time by halves of an hour, days that were skipped, names as long as they may be.
my @zones = (
	('UTC', 'Europe/Berlin', 'Europe/Berlin', 'America/New_York') x 3, # whose summer time parts the clinic's visits
	'Pacific/Apia', 'Pacific/Kiritimati', 'Australia/Lord_Howe', 'Africa/Monrovia', 'America/Sao_Paulo', 'Asia/Kathmandu', 'Europe/Dublin', 'Antarctica/Troll',
	'EST5EDT,M3.2.0,M11.1.0', '<+14>-14', 'XXX14:59', '<' . 'W' x 60 . '>3<' . 'S' x 190 . '>', '<' . 'W' x 3 . '>-3<' . 'S' x 245 . '>');

my @switches = map { "enable_$_" } qw(bitmapscan gathermerge hashagg hashjoin incremental_sort indexonlyscan indexscan material memoize mergejoin nestloop
  parallel_append parallel_hash partition_pruning partitionwise_aggregate partitionwise_join seqscan sort tidscan);

my %choices = (
	TimeZone => \@zones,
	work_mem => [ 64, 64, 1024, 4096, 1048576 ],
	hash_mem_multiplier => [ 1, 2, 8 ],
	DateStyle => [ 'ISO, MDY', 'ISO, DMY', 'SQL, YMD', 'Postgres, DMY', 'German, DMY' ],
	IntervalStyle => [ 'postgres', 'postgres_verbose', 'sql_standard', 'iso_8601' ],
	extra_float_digits => [ -15, -12, 0, 1, 3 ],
	bytea_output => [ 'hex', 'escape' ],
	lc_numeric => [ 'C', 'C.UTF-8' ],
	lc_monetary => [ 'C', 'C.UTF-8' ],
	lc_time => [ 'C', 'C.UTF-8' ],
	quote_all_identifiers => [ 'on', 'off', 'off' ],
	join_collapse_limit => [ 1, 8 ],
	from_collapse_limit => [ 1, 8 ],
	geqo_threshold => [ 2, 12 ],
	cursor_tuple_fraction => [ 0, 0.1, 1 ],
	max_parallel_workers_per_gather => [ 0, 1, 2 ],
	parallel_leader_participation => [ 'on', 'on', 'off' ],
	plan_cache_mode => [ 'auto', 'force_generic_plan', 'force_custom_plan' ],
	constraint_exclusion => [ 'on', 'off', 'partition' ],
);

# All of them, so that nothing is left of the question before; as a JSON object.
sub settings
{
	my %set = map { ($_ => one_of(@{ $choices{$_} })) } sort keys %choices;
	my ($cost, $parallel) = (rand() < 0.01 ? 0 : -1, rand() < 0.3);

	$set{$_} = rand() < 0.15 ? 'off' : 'on' foreach @switches;
	$set{jit} = $cost == 0 ? 'on' : 'off';
	$set{jit_above_cost} = $cost;
	$set{$_} = rand() < 0.3 ? $cost : -1 foreach 'jit_inline_above_cost', 'jit_optimize_above_cost';
	($set{min_parallel_table_scan_size}, $set{parallel_setup_cost}, $set{parallel_tuple_cost}) = $parallel ? (0, 0, 0) : ('8MB', 1000, 0.1);
	return '{' . join(', ', map { qq("$_": "$set{$_}") } sort keys %set) . '}';
}

# A line for COPY questions (settings, query).
sub print_question
{
	my ($query) = @_;

	$query =~ s/\\/\\\\/g;
	$query =~ s/\n/\\n/g;
	print settings(), "\t$query\n";
	return;
}

1;
