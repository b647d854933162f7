"""psql's commands for schemas, tables, columns, privileges and sizes, and what other browsers select from pg_class."""
import subprocess

from tap import done, not_charged, ok


def psql(command, role="ana"):
    run = subprocess.run(["psql", "-XqAt", "-U", role, "-c", command], capture_output=True, text=True)
    return run.stdout if run.returncode == 0 and not run.stderr else run.stdout + run.stderr


def shows(command, *parts):
    found = psql(command)
    ok("ERROR" not in found and all(part in found for part in parts), command, found)


def same(command):
    """The same as for the owner of the tables."""
    found, truth = psql(command), psql(command, "registrar")
    ok("ERROR" not in found and found == truth != "", command, found)


for command in (r"\d shop.orders", r"\d+ shop.orders", r"\dt shop.*", r"\di shop.*", r"\dn", r"\dv gaussdp.*", r"\df gaussdp.*",
                r"\da dp_count", r"\dx", r"\du", r"\dp shop.*", r"\dT", r"\l", r"\db", r"\dg", r"\sf gaussdp.queries_left()"):
    same(command)
shows(r"\dt+ shop.*", "customer", "Who has bought something")
shows(r"\di+ shop.*", "orders_pkey")
shows(r"\l+", "clients")
shows("SELECT * FROM pg_class WHERE relname = 'orders'", "orders")
shows("SELECT c.*, n.nspname FROM pg_catalog.pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = 'shop.orders'::regclass", "shop")
shows("SELECT relname, reltuples::bigint FROM pg_class WHERE oid = 'shop.orders'::regclass", "orders")
shows("SELECT pg_size_pretty(pg_total_relation_size('shop.orders'))")
closed = psql("SELECT has_table_privilege('pg_stat_user_tables', 'SELECT')") == "f\n"
for command, part in (("SELECT * FROM pg_stat_activity WHERE pid = pg_backend_pid()", "active"),
                      ("SELECT * FROM pg_stat_user_tables WHERE relname = 'orders'", "orders")):
    found = psql(command)
    ok(("permission denied" if closed else part) in found, command + ", unless closed by lock_down", found)
shows("SELECT tablename, hasindexes FROM pg_tables WHERE schemaname = 'shop'", "orders", "customer")
shows("SELECT \"column\", type FROM gaussdp.columns WHERE \"table\" = 'shop.orders'::regclass", "amount|numeric(10,2)")
shows("SELECT table_name FROM information_schema.tables WHERE table_schema = 'shop'", "region")
ok(psql("SELECT count(*) FROM information_schema.columns WHERE table_schema = 'shop' AND table_name = 'orders'") == "0\n", "information_schema shows nothing of what the role has no privilege on")


def spent():
    return psql("SELECT sum(mu2) FROM gaussdp.my_journal")


not_charged(r"\gdesc", spent, lambda: psql(r"SELECT region, count(*) AS n, avg(age) FROM shop.customer GROUP BY region \gdesc"), None)
done()
