# Tables of a server without gaussdp, as a managed cloud runs it, answered privately on another one: the README's recipe, word for word.
use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $readme = slurp_file('README.md');

# The indented block that follows this comment
sub recipe
{
	my ($where) = @_;
	my ($block) = $readme =~ /^<!-- in \Q$where\E -->\n((?:    .*\n)+)/m or die "README.md has no block for $where";
	return $block =~ s/^    //mgr;
}

my $cloud = PostgreSQL::Test::Cluster->new('cloud');
$cloud->init(allows_streaming => 'logical');
$cloud->append_conf('postgresql.conf', 'fsync = off');
$cloud->start;
$cloud->safe_psql('postgres', 'CREATE DATABASE hr');
$cloud->safe_psql('hr', <<'END');
CREATE SCHEMA hr;
CREATE TABLE hr.staff (person_id int PRIMARY KEY, dept text NOT NULL, salary numeric NOT NULL);
CREATE TABLE hr.absence (id int PRIMARY KEY, person_id int NOT NULL REFERENCES hr.staff, hours numeric NOT NULL);
INSERT INTO hr.staff SELECT i, (ARRAY['Sales', 'Research'])[1 + i % 2], 30000 + i FROM generate_series(1, 2000) i;
INSERT INTO hr.absence SELECT i, 1 + i % 2000, 8 FROM generate_series(1, 5000) i;
END
$cloud->safe_psql('hr', recipe('the cloud'));

my $own = PostgreSQL::Test::Cluster->new('own');
$own->init;
$own->append_conf('postgresql.conf', "shared_preload_libraries = 'gaussdp'\nfsync = off");
$own->start;
my $address = 'host=' . $cloud->host . ' port=' . $cloud->port;
{
	local @ENV{qw(PGHOST PGPORT)} = ($own->host, $own->port);
	my $commands = recipe('a shell of your server') =~ s/host=CLOUD/$address/gr;
	is(PostgreSQL::Test::Utils::system_log('sh', '-ec', $commands), 0, 'definitions are copied');
}
# a subscription cannot be made in the transaction of several statements
$own->safe_psql('hr', $_) foreach recipe('database hr of your server') =~ s/host=CLOUD/$address/gr =~ /[^;]+;/g;
$own->wait_for_subscription_sync($cloud, 'hr');

$own->safe_psql('hr', <<'END');
CREATE ROLE analyst LOGIN;
GRANT USAGE ON SCHEMA hr TO analyst;
SELECT gaussdp.grant_budget('analyst', 'hr.staff', epsilon => 100, delta => 1e-5);
END

# epsilon 10 at delta 1e-7: sigma is below 1 for people, below 20 for their absences
sub count_of
{
	my ($table) = @_;
	return $own->safe_psql('hr', "SELECT dp_count(10, 1e-7) FROM hr.$table", extra_params => [ '-U', 'analyst' ]);
}
cmp_ok(abs(count_of('staff') - 2000), '<', 6, 'people who were copied are counted');
cmp_ok(abs(count_of('absence') - 5000), '<', 6 * 20, 'so are their rows');

$cloud->safe_psql('hr', <<'END');
INSERT INTO hr.staff SELECT i, 'Sales', 50000 FROM generate_series(2001, 3000) i;
DELETE FROM hr.absence WHERE id > 1000;
UPDATE hr.staff SET dept = 'Research';
END
$cloud->wait_for_catchup('hr');
cmp_ok(abs(count_of('staff') - 3000), '<', 6, 'people who came later are counted');
cmp_ok(abs(count_of('absence') - 1000), '<', 6 * 20, 'rows that were deleted are not');
cmp_ok(abs(count_of(q{staff WHERE dept = 'Sales'})), '<', 6, 'changes have arrived');

my ($status, $out, $err) = $own->psql('hr', 'SELECT * FROM hr.staff', extra_params => [ '-U', 'analyst' ]);
like($err, qr/permission denied for table staff/, 'rows are not shown');
is($own->safe_psql('hr', q{SELECT what FROM gaussdp.check_policy() WHERE severity = 'error'}), '', 'nothing on this server undoes the protection');

$own->stop;
$cloud->stop;
done_testing();
