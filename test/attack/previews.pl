# A preview of rows is empty, and says so each time; what would be filled by it without a word is refused.  A client may prepare it by the
# protocol, whose plan other statements run, too.
use strict;
use warnings FATAL => 'all';

use IO::Socket::UNIX;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('previews');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'gaussdp'\n");
$node->start;
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION gaussdp;
CREATE ROLE ana LOGIN;
CREATE TABLE t (id int PRIMARY KEY);
INSERT INTO t SELECT generate_series(1, 50);
SELECT gaussdp.protect('t', 'id'), gaussdp.grant_budget('ana', 't', 10, 1e-5);
CREATE SCHEMA ana AUTHORIZATION ana;
ALTER ROLE ana SET gaussdp.answer_plain_sql = on;
SQL

my $socket = IO::Socket::UNIX->new(Type => SOCK_STREAM, Peer => $node->host . '/.s.PGSQL.' . $node->port) or die "no connection: $!";
$socket->autoflush(1);
my $start = pack('N', 196608) . "user\0ana\0database\0postgres\0\0";
print $socket pack('N', length($start) + 4) . $start;

sub message
{
	my ($type, $body) = @_;
	return $type . pack('N', length($body) + 4) . $body;
}

# Up to the next ReadyForQuery: rows (D), notices (N) and errors (E), in their order, and the SQLSTATE of an error.
sub answer
{
	my $told = '';
	while (1)
	{
		my ($head, $body) = ('', '');
		(read($socket, $head, 5) // 0) == 5 or die 'the connection is gone';
		my ($type, $length) = unpack('a N', $head);
		$length == 4 or (read($socket, $body, $length - 4) // 0) == $length - 4 or die 'the connection is gone';
		$told .= $type if $type =~ /[DN]/;
		$told .= "E$1" if $type eq 'E' && $body =~ /\0C(\w{5})\0/;
		return $told if $type eq 'Z';
	}
}
sub ask { print $socket message('Q', "$_[0]\0"); return answer(); }
sub execute { print $socket message('B', "\0$_[0]\0" . pack('n n n', 0, 0, 0)), message('E', "\0" . pack('N', 0)), message('S', ''); return answer(); }
answer();

is(ask('SELECT id FROM t LIMIT 10'), 'N', 'a preview is empty, with a notice');
print $socket message('P', "s\0SELECT id FROM t LIMIT 10\0" . pack('n', 0)), message('S', '');
is(answer(), '', 'it is prepared');
is(execute('s'), 'N', "run $_ of one that is prepared says so") foreach 1 .. 7;
is(ask('EXECUTE s'), 'N', 'so does EXECUTE');
is(ask("BEGIN; DECLARE c CURSOR FOR SELECT * FROM t LIMIT 1; FETCH c"), 'N', 'and FETCH');
ask('ROLLBACK');
is(ask("CREATE TABLE ana.loaded AS $_"), 'E42501', "no table is made of $_") foreach 'EXECUTE s', 'SELECT id FROM t LIMIT 10', 'SELECT * FROM t LIMIT 1';
ask(<<'SQL');
CREATE FUNCTION ana.peek() RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'DECLARE a int; BEGIN SELECT id INTO a FROM public.t LIMIT 10; RETURN a; END'
SQL
is(ask('SELECT ana.peek()'), 'E42501', 'no variable is filled, while a query is planned neither');
is(ask('SELECT gaussdp_internal.preview(\'t\')') =~ /E42501$/, 1, 'a call by itself is refused');
is($node->safe_psql('postgres', "SELECT to_regclass('ana.loaded') IS NULL"), 't', 'and there is no table');
$node->stop;
done_testing();
