# The protocol can call a function without a query (message F): each function of the extension, with nulls, by a role that may do nothing, is
# answered or refused, and no server ends by it.
use strict;
use warnings FATAL => 'all';

use IO::Socket::UNIX;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('protocol');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'gaussdp'\nrestart_after_crash = off\n");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION gaussdp; CREATE ROLE nobody_special LOGIN');

my $socket = IO::Socket::UNIX->new(Type => SOCK_STREAM, Peer => $node->host . '/.s.PGSQL.' . $node->port) or die "no connection: $!";
$socket->autoflush(1);
my $start = pack('N', 196608) . "user\0nobody_special\0database\0postgres\0\0";
print $socket pack('N', length($start) + 4) . $start;

# Messages up to the next ReadyForQuery: their types, and SQLSTATEs; undef where the connection is gone.
sub answer
{
	my ($types, $states) = ('', '');
	while (1)
	{
		my ($head, $body) = ('', '');
		(read($socket, $head, 5) // 0) == 5 or return;
		my ($type, $length) = unpack('a N', $head);
		$length == 4 or (read($socket, $body, $length - 4) // 0) == $length - 4 or return;
		$types .= $type;
		$states .= $1 if $type eq 'E' && $body =~ /\0C(\w{5})\0/;
		return ($types, $states) if $type eq 'Z';
	}
}
like((answer())[0], qr/Z$/, 'a session of nobody special');

my @functions = map { [ split /\|/ ] } split /\n/, $node->safe_psql('postgres', <<'SQL');
SELECT p.oid, p.pronargs, p.oid::regprocedure FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
JOIN pg_extension e ON e.oid = d.refobjid AND extname = 'gaussdp' WHERE prokind = 'f' AND NOT proretset ORDER BY 1
SQL
cmp_ok(scalar @functions, '>', 300, 'the functions of the extension');
my (@gone, @internal);
foreach (@functions)
{
	my ($oid, $n, $name) = @$_;
	# one format (text), nulls, the result as text
	my $call = pack('N n n n', $oid, 1, 0, $n) . pack('N', 0xFFFFFFFF) x $n . pack('n', 0);
	print $socket 'F' . pack('N', length($call) + 4) . $call;
	my ($types, $states) = answer();
	push @gone, $name if !defined $types;
	last if @gone;
	push @internal, "$name: $states" if $states =~ /XX/;
}
is("@gone", '', 'each call is answered');
is("@internal", '', 'and none is an internal error');
is($node->safe_psql('postgres', 'SELECT 1'), '1', 'the server goes on');
$node->stop;
done_testing();
