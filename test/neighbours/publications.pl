# The recipe of the administrator's guide: pg_cron refreshes publications as their owner, who pays.
use strict;
use warnings FATAL => 'all';

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('press');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'gaussdp,pg_cron'\ncron.use_background_workers = on");
$node->start;
my ($recipe) = slurp_file("$FindBin::RealBin/../../docs/admin.md") =~ /^    (SELECT cron\.schedule\('publications', '[^']*', 'SELECT gaussdp\.refresh_due\(\)'\);)$/m
  or die 'docs/admin.md has no recipe for pg_cron';
# pg_cron looks once a minute what is due; what is to run at its own start runs at once.
my $at_start = $recipe =~ s/', '[^']*',/', '\@reboot',/r;

$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION gaussdp;
CREATE EXTENSION pg_cron;
CREATE ROLE ana LOGIN;
GRANT USAGE ON SCHEMA cron TO ana;
CREATE SCHEMA news AUTHORIZATION ana;
CREATE TABLE emp (id int PRIMARY KEY);
SELECT gaussdp.protect('emp', 'id'), gaussdp.grant_budget('ana', 'emp', 10, 1e-6);
SQL
sub ana
{
	my ($sql) = @_;
	return ($node->psql('postgres', $sql, extra_params => [ '-U', 'ana' ]))[1];
}
is(ana(q{SELECT gaussdp.publish('news.staff', 'SELECT dp_count(0.1, 1e-6) AS n FROM emp', every => '1 day')}), 'news.staff', 'a publication');
my $charges = q{SELECT sum(queries) FROM gaussdp_internal.journal_entry WHERE event = 'charge' AND role = 'ana'};
is($node->safe_psql('postgres', $charges), 1, 'is charged');
like(ana($recipe), qr/^\d+$/, 'its owner schedules a job');
ana(q{SELECT cron.unschedule('publications')});
ana($at_start);
$node->safe_psql('postgres', q{UPDATE gaussdp_internal.publication SET drawn_at = drawn_at - interval '1 day'});
$node->restart;
$node->poll_query_until('postgres', q{SELECT EXISTS (SELECT FROM cron.job_run_details WHERE status IN ('succeeded', 'failed'))}) or die 'the job does not run';
is($node->safe_psql('postgres', 'SELECT username, status FROM cron.job_run_details'), 'ana|succeeded', 'which runs as its owner');
is($node->safe_psql('postgres', q{SELECT drawn_at > now() - interval '1 hour' FROM gaussdp_internal.publication}), 't', 'there are new numbers');
is($node->safe_psql('postgres', $charges), 2, 'and one more charge, to its owner');
$node->stop;
done_testing();
