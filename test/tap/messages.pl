# The server's log shows what went wrong, and no statement that the library runs to do its work: neither of sessions nor of the
# process that charges.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use LedgerTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = ledger_server('messages', "log_error_verbosity = verbose\nlog_min_error_statement = panic\nlog_lock_waits = on\ndeadlock_timeout = '50ms'\n");
my $seen = 0;

# The log since the last look.
sub logged
{
	my $log = slurp_file($node->logfile, $seen);

	$seen = -s $node->logfile;
	return $log;
}

# After SQL has failed, the log has the message and nothing of the ledger's own statements.
sub tells
{
	my ($name, $message, @log) = @_;
	my $log = join '', @log, logged();

	like($log, $message, "$name: the log tells");
	my @contexts = grep { /CONTEXT:|^\t/ && /gaussdp_internal|SECURITY LABEL|ledger_says_no|PL\/pgSQL/ } split /\n/, $log;
	is(join("\n", @contexts), '', "$name: without statements of the ledger");
	return;
}

$node->safe_psql('d', <<'SQL');
CREATE FUNCTION ledger_says_no() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE 'written to %', TG_RELNAME; END$$;
CREATE ROLE carl;
CREATE ROLE dora;
CREATE TABLE carls (id int PRIMARY KEY);
ALTER TABLE carls OWNER TO carl;
SELECT gaussdp.protect('carls', 'id', people => 'staff');
CREATE TABLE mine (id int PRIMARY KEY);
ALTER TABLE mine OWNER TO dora;
SQL
logged();

# Sessions
$node->psql('d', "SELECT gaussdp.protect('mine', 'nope')");
tells('a declaration', qr/column "nope" of table public.mine does not exist/);
$node->psql('d', "SELECT gaussdp.protect('mine', 'id', people => 'staff')");
tells('a warning', qr/WARNING:.*are those of table public.carls of another owner, too/);
$node->psql('d', "SELECT gaussdp.archive_journal(now())");
tells('an archive', qr/before must be a minute ago at least/);

# What protect() says of a change, to the client
sub noticed
{
	my ($sql) = @_;

	my (undef, undef, $said) = $node->psql('d', "$sql");
	return $said;
}
$node->safe_psql('d', 'CREATE TABLE trip (id int PRIMARY KEY, person int NOT NULL, other int NOT NULL); CREATE TABLE ticket (trip int NOT NULL)');
is(noticed("SELECT gaussdp.protect('trip', 'person', people => 'staff')"), '', 'nothing is said of a population that others have');
like(noticed("SELECT gaussdp.protect('trip', people => 'stafff', change_unit => true)"),
	qr/NOTICE:  whose rows public.trip has is declared anew: people stafff instead of staff\nDETAIL:  Answers until now .* are refused\.\n.*NOTICE:  no other table has the people "stafff"\nDETAIL:  Populations of other tables: "staff"\./,
	'a new population beside others');
$node->safe_psql('d', "SELECT gaussdp.protect('ticket', 'trip', via => 'trip')");
like(noticed("SELECT gaussdp.protect('trip', 'other', people => 'staff', change_unit => true)"),
	qr/declared anew: unit other instead of person; people staff instead of stafff\nDETAIL:  .* by way of this one: public.ticket\.$/, 'another unit of tables by way of it');
is(noticed("SELECT gaussdp.protect('trip', max_rows => 9)"), '', 'nothing of another max_rows');
$node->safe_psql('d', 'DROP TABLE ticket, trip');

# What was meant otherwise: years as bounds of a date, a budget that a role has by its group
$node->safe_psql('d', 'CREATE TABLE born (id int PRIMARY KEY, day date); CREATE ROLE theirs');
$node->safe_psql('d', "SELECT gaussdp.protect('born', 'id', people => 'staff')");
like(noticed("SELECT gaussdp.set_bounds('born', 'day', 1900, 2020)"),
	qr/NOTICE:  bounds of column "day" lie at 2005-03-15 and 2005-07-13\nDETAIL:  Numbers are days since 2000-01-01\.\nHINT:  Dates are written as text: gaussdp.set_bounds\('public.born', 'day', '2005-03-15', '2005-07-13'\)\.$/,
	'numbers as bounds of a date');
is(noticed("SELECT gaussdp.set_bounds('born', 'day', '1900-01-01', '2020-01-01')"), '', 'nothing is said of dates');
like(noticed("SELECT gaussdp.revoke_budget('theirs', 'born')"),
	qr/NOTICE:  role "theirs" has no budget of its own for the people of table public.born\nHINT:  It still asks by the budgets of its groups and of PUBLIC, which gaussdp.budget shows\.$/, 'a budget that there is not');
$node->safe_psql('d', 'DROP TABLE born; DROP ROLE theirs');

# Budgets of several owners, and paths that lead nowhere
$node->safe_psql('d', <<'SQL');
CREATE TABLE theirs (id int PRIMARY KEY);
CREATE ROLE eve;
SELECT gaussdp.protect('theirs', 'id', people => 'staff');
ALTER TABLE theirs OWNER TO eve;
CREATE TABLE visit (id int NOT NULL, person int NOT NULL);
CREATE TABLE bill (visit int NOT NULL);
SQL
my $shared = qr/WARNING:  the people "staff" are those of table public\.\w+ of another owner, too\nDETAIL:  Budgets that were granted there hold for this table, too\.$/;
like(noticed("SELECT gaussdp.grant_budget('ana', 'theirs', 3, 1e-6)"), $shared, 'a grant on a table whose people are those of another owner, too');
like(noticed("SELECT gaussdp.set_population_budget('staff', 3, 1e-6)"), $shared, 'and a budget of all roles');
$node->safe_psql('d', "SELECT gaussdp.drop_population_budget('staff'); DROP TABLE theirs; DROP ROLE eve");
my $nowhere = qr/WARNING:  no query over table (?:public\.)?bill is answered\nDETAIL:  Its declaration does not hold: table public\.visit, by way of which its rows are somebody's,/;
like(noticed("SELECT gaussdp.protect('bill', 'visit', via => 'visit', via_column => 'id')"),
	qr/$nowhere is not protected itself\.\nHINT:  Protect that table first, by the column that says whose its rows are: SELECT gaussdp\.protect\('public\.visit', unit => \.\.\.\);$/, 'a path to a table that is not protected');
like(noticed("SELECT gaussdp.grant_budget('ana', 'bill', 3, 1e-6)"),
	qr/$nowhere is not protected itself\.\nHINT:  Mend it as gaussdp\.check_policy\('public\.bill'\) says, and grant again\.$/, 'a grant on it');
is(noticed("SELECT gaussdp.protect('visit', 'person', people => 'staff')"), '', 'which is protected now');
my $ambiguous = noticed("SELECT gaussdp.protect('bill', max_rows => 3)");
like($ambiguous, qr/$nowhere has no unique index on the column that is referred to\.\nHINT:  ALTER TABLE public\.visit ADD UNIQUE \(id\);/, 'a path by a column that may be several people\'s');
$node->safe_psql('d', ($ambiguous =~ /HINT:  ([^;]+);/)[0]);
is(noticed("SELECT gaussdp.protect('bill', max_rows => 4), gaussdp.grant_budget('ana', 'bill', 3, 1e-6)"), '', 'and after what the hint says');
$node->safe_psql('d', 'DROP TABLE bill, visit');

# Rows without a public key are in no group: plain SQL says so, dp_ calls do not
$node->safe_psql('d', <<'SQL');
CREATE TABLE code (code text PRIMARY KEY);
CREATE TABLE coded (id int PRIMARY KEY, code text, known text NOT NULL);
GRANT SELECT ON code TO PUBLIC;
SELECT gaussdp.protect('coded', 'id', people => 'staff'), gaussdp.set_public_keys('coded', 'code', 'code', 'code'), gaussdp.set_public_keys('coded', 'known', 'code', 'code'),
	gaussdp.grant_budget('ana', 'coded', 9, 1e-6, default_epsilon => 0.1, default_delta => 1e-8);
SQL
my $missing = qr/NOTICE:  00000: rows without a public key are left out\nDETAIL:  Rows whose code is NULL or not in table code are in no group, and in no total; HAVING dp_keep_group\(\*\) shows/;
my $plain = 'SET gaussdp.answer_plain_sql = on;';
like((ana($node, "$plain SELECT code, count(*) FROM coded GROUP BY ROLLUP (code)"))[2], $missing, 'a key that may be NULL');
unlike((ana($node, "$plain SELECT known, count(*) FROM coded GROUP BY known"))[2], qr/left out/, 'one that is never NULL');
unlike((ana($node, "$plain SELECT code, count(*) FROM coded GROUP BY code HAVING dp_keep_group(*)"))[2], qr/left out/, 'groups that are found');
unlike((ana($node, 'SELECT code, dp_count(0.1, 1e-8) FROM coded GROUP BY code'))[2], qr/left out/, 'a dp_ call');
$node->safe_psql('d', 'DROP TABLE coded, code');

# The ledger's own tables
$node->safe_psql('d', 'CREATE TRIGGER no BEFORE INSERT ON gaussdp_internal.journal_entry EXECUTE FUNCTION ledger_says_no()');
$node->psql('d', "SELECT gaussdp.grant_budget('ana', 'emp', 3, 1e-6)");
tells('a grant', qr/written to journal_entry/);
my (undef, undef, $err) = ana($node, "SELECT charge('emp')");
like($err, qr/could not charge the privacy budget: written to journal_entry/, 'a charge: the session is told');
unlike($err, qr/CONTEXT/, 'a charge: without context');
tells('a charge', qr/could not charge the privacy budget: written to journal_entry/);
$node->safe_psql('d', 'DROP TRIGGER no ON gaussdp_internal.journal_entry');

# Errors that are counted while nobody waits: the process that charges is alone with its own
ana($node, "SELECT charge('emp')");
$node->safe_psql('d', 'CREATE TRIGGER no BEFORE INSERT ON gaussdp_internal.error_count EXECUTE FUNCTION ledger_says_no()');
logged();
ana($node, "SET gaussdp.charge_timeout = '300ms'; SELECT charge('emp'); SELECT private_error('{emp}')");
tells('an error that cannot be counted', qr/gaussdp ledger|written to error_count/);
$node->safe_psql('d', 'DROP TRIGGER no ON gaussdp_internal.error_count');

# Somebody holds the lock
my $dba = $node->background_psql('d');
$dba->query_safe('BEGIN; LOCK TABLE gaussdp_internal.ledger_account');
logged();
ana($node, "SET gaussdp.charge_timeout = '1s'; SELECT charge('emp')");
tells('a wait for a lock', qr/still waiting for|could not charge/);
$dba->query_safe('ROLLBACK');
$dba->quit;
$node->stop;
done_testing();
