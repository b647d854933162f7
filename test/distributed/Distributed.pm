# What the tests of distributed tables share: a coordinator and two workers of Citus, each a throw-away server that is
# reached by its socket alone.
package Distributed;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

our @EXPORT = qw(cluster start_server rows);

# A server on which Citus is loaded before gaussdp, or what libraries says, with database d.
sub start_server
{
	my ($name, %settings) = @_;
	my $server = PostgreSQL::Test::Cluster->new($name);

	%settings = (
		shared_preload_libraries => "'citus,gaussdp'",
		max_connections => 60,
		max_prepared_transactions => 100,
		'citus.shard_count' => 8,
		'citus.local_hostname' => "'" . $server->host . "'",
		'citus.max_adaptive_executor_pool_size' => 2,
		%settings);
	$server->init;
	$server->append_conf('postgresql.conf', join '', map { "$_ = $settings{$_}\n" } sort keys %settings);
	$server->start;
	$server->safe_psql('postgres', 'CREATE DATABASE d');
	$server->safe_psql('d', 'CREATE EXTENSION citus');
	return $server;
}

# Coordinator and two workers that know each other; gaussdp is created on the coordinator, and Citus creates it on the others.
sub cluster
{
	my (%settings) = @_;
	my ($coordinator, @workers) = map { start_server($_, %settings) } qw(coordinator worker1 worker2);

	$coordinator->safe_psql('d', sprintf "SELECT citus_set_coordinator_host('%s', %d)", $coordinator->host, $coordinator->port);
	$coordinator->safe_psql('d', sprintf "SELECT citus_add_node('%s', %d)", $_->host, $_->port) for @workers;
	$coordinator->safe_psql('d', 'CREATE EXTENSION gaussdp');
	return ($coordinator, @workers);
}

# The rows that a query gives, each a reference to its columns.
sub rows
{
	my ($server, $sql) = @_;
	return map { [ split /\|/, $_, -1 ] } split /\n/, $server->safe_psql('d', $sql);
}

1;
