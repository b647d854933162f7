# What the owner of the ledger's tables hangs on them runs with that owner's rights, and makes no second account.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use LedgerTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = ledger_server('triggers');

# The ledger belongs to keeper, who is no superuser
$node->safe_psql('d', <<'SQL');
CREATE ROLE keeper LOGIN;
CREATE SCHEMA keeper AUTHORIZATION keeper;
GRANT CREATE ON SCHEMA gaussdp_internal TO keeper;
DO $$
DECLARE
  command text;
BEGIN
  FOR command IN SELECT format('ALTER %s %s OWNER TO keeper', CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, oid::regclass)
    FROM pg_class WHERE relnamespace = 'gaussdp_internal'::regnamespace AND relkind IN ('r', 'v', 'S')
  LOOP
    EXECUTE command;
  END LOOP;
END
$$;
SET ROLE keeper;
CREATE TABLE keeper.run (name text, role name);
CREATE FUNCTION keeper.note() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN INSERT INTO keeper.run VALUES (TG_NAME, current_user); RETURN NULL; END$$;
CREATE TRIGGER at_once AFTER INSERT ON gaussdp_internal.journal_entry FOR EACH ROW EXECUTE FUNCTION keeper.note();
CREATE CONSTRAINT TRIGGER late AFTER INSERT ON gaussdp_internal.journal_entry DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION keeper.note();
SQL
is((ana($node, "SELECT charge('emp')"))[1], '1', 'ana pays from a ledger that keeper owns');
is((ana($node, "SELECT charge('emp')"))[1], '1', 'and once more, from the same worker');
is($node->safe_psql('d', 'SELECT name, role, count(*) FROM keeper.run GROUP BY 1, 2 ORDER BY 1'),
	"at_once|keeper|2\nlate|keeper|2", 'triggers on the journal run as its owner, those that are deferred until the commit, too');
$node->safe_psql('d', 'DROP TRIGGER at_once ON gaussdp_internal.journal_entry; DROP TRIGGER late ON gaussdp_internal.journal_entry');

# A trigger that leaves out updates which change nothing
$node->safe_psql('d', 'CREATE TRIGGER redundant BEFORE UPDATE ON gaussdp_internal.ledger_account'
	  . ' FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()');
$node->safe_psql('d', "SELECT gaussdp.grant_budget('ana', 'emp', 20, 1e-6)") foreach 1 .. 2;
is($node->safe_psql('d', "SELECT count(*) FROM gaussdp_internal.ledger_account WHERE relation = 'emp'::regclass AND holder = 'r'"),
	'1', 'a grant that is repeated makes no second account');
is((ana($node, "SELECT charge('emp')"))[1], '1', 'and ana pays from the one that is there');

$node->stop;
done_testing();
