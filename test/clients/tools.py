"""tools.py: what BI tools write over a schema of views for them (docs/bi-tools.md), after the forms in their sources and documents: Metabase, Superset,
Tableau, Power BI, Grafana, Looker and dbt.  Each question is answered, or refused with a hint that leads to one that is.

The same through PgBouncer in transaction mode, where each statement may meet another session: settings come by ALTER ROLE.
"""
import csv
import io
import os
import shutil
import subprocess
import tempfile
import time

from tap import answered, done, lives, ok

QUESTIONS = [
    ("Metabase", "counts by a foreign key", """SELECT "Customer"."region" AS "Customer__region", COUNT(*) AS "count" FROM "tools"."orders"
LEFT JOIN "tools"."customer" AS "Customer" ON "tools"."orders"."customer_id" = "Customer"."customer_id"
GROUP BY "Customer"."region" ORDER BY "Customer"."region" ASC"""),
    ("Metabase", "a sum by month", """SELECT DATE_TRUNC('month', "tools"."orders"."ordered_on") AS "ordered_on", SUM("tools"."orders"."amount") AS "sum" FROM "tools"."orders"
WHERE ("tools"."orders"."ordered_on" >= date '2024-02-01') AND ("tools"."orders"."ordered_on" < date '2024-08-01')
GROUP BY DATE_TRUNC('month', "tools"."orders"."ordered_on") ORDER BY DATE_TRUNC('month', "tools"."orders"."ordered_on") ASC"""),
    ("Metabase", "classes of a number", """SELECT FLOOR(("tools"."customer"."age" / 10.0)) * 10.0 AS "age", COUNT(*) AS "count" FROM "tools"."customer"
GROUP BY FLOOR(("tools"."customer"."age" / 10.0)) * 10.0 ORDER BY FLOOR(("tools"."customer"."age" / 10.0)) * 10.0 ASC"""),
    ("Metabase", "different orders", """SELECT "Customer"."region" AS "Customer__region", COUNT(DISTINCT "tools"."orders"."order_id") AS "count" FROM "tools"."orders"
LEFT JOIN "tools"."customer" AS "Customer" ON "tools"."orders"."customer_id" = "Customer"."customer_id" GROUP BY "Customer"."region" ORDER BY "Customer"."region" ASC"""),
    ("Superset", "a chart of one metric", """SELECT DATE_TRUNC('month', ordered_on) AS __timestamp, AVG(amount) AS "AVG(amount)" FROM tools.orders
WHERE ordered_on >= TO_DATE('2024-01-01', 'YYYY-MM-DD') AND ordered_on < TO_DATE('2024-07-01', 'YYYY-MM-DD') GROUP BY DATE_TRUNC('month', ordered_on) ORDER BY __timestamp LIMIT 10000"""),
    ("Superset", "a limited number of series", """SELECT DATE_TRUNC('quarter', ordered_on) AS __timestamp, channel AS channel, COUNT(*) AS count FROM tools.orders
JOIN (SELECT channel AS channel__, COUNT(*) AS mme_inner__ FROM tools.orders GROUP BY channel ORDER BY mme_inner__ DESC LIMIT 2) AS series_limit ON channel = channel__
GROUP BY DATE_TRUNC('quarter', ordered_on), channel ORDER BY __timestamp, channel LIMIT 10000"""),
    ("Superset", "a virtual data set", """SELECT channel AS channel, COUNT(*) AS count, SUM(pieces) AS "SUM(pieces)" FROM (SELECT o.channel, o.pieces, c.vip FROM tools.orders o
JOIN tools.customer c ON o.customer_id = c.customer_id) AS virtual_table WHERE vip GROUP BY channel ORDER BY channel LIMIT 1000"""),
    ("Tableau", "a relation of two tables", """SELECT "customer"."region" AS "region", SUM("orders"."amount") AS "sum:amount:ok" FROM "tools"."orders" "orders"
INNER JOIN "tools"."customer" "customer" ON ("orders"."customer_id" = "customer"."customer_id") GROUP BY 1 ORDER BY 1"""),
    ("Tableau", "people, counted", """SELECT COUNT(DISTINCT "orders"."customer_id") AS "ctd:customer_id:ok" FROM "tools"."orders" "orders" HAVING (COUNT(1) > 0)"""),
    ("Tableau", "a union of tables", """SELECT "t0"."what" AS "what", COUNT(1) AS "cnt" FROM (SELECT 'orders' AS "what", "customer_id" FROM "tools"."orders" UNION ALL
SELECT 'customers' AS "what", "customer_id" FROM "tools"."customer") "t0" GROUP BY 1 ORDER BY 1"""),
    ("Tableau", "of the largest group alone", """SELECT COUNT(1) AS "cnt" FROM "tools"."orders" "orders" INNER JOIN (SELECT "channel" AS "channel", SUM("amount") AS "$__alias__0" FROM "tools"."orders"
GROUP BY 1 ORDER BY 2 DESC, 1 ASC LIMIT 1) "t0" ON ("orders"."channel" = "t0"."channel")"""),
    ("Power BI", "people, NULL among them", """select "_"."region", COUNT(DISTINCT "_"."customer_id") + MAX(CASE WHEN "_"."customer_id" IS NULL THEN 1 ELSE 0 END) as "a0"
from "tools"."customer" "_" group by "_"."region" order by "_"."region" limit 1000001"""),
    ("Power BI", "a folded query", """select "rows"."region" as "region", sum("rows"."age") as "ages", count(1) as "n" from (select "_"."region", "_"."age" from "tools"."customer" "_" where "_"."age" >= 30) "rows"
group by "region" order by "rows"."region" """),
    ("Grafana", "a time series", """SELECT floor(extract(epoch from ordered_on)/2592000)*2592000 AS "time", channel AS metric, count(*) AS value FROM tools.orders
WHERE ordered_on BETWEEN '2024-02-01T00:00:00Z' AND '2024-09-01T00:00:00Z' GROUP BY 1, 2 ORDER BY 1, 2"""),
    ("Grafana", "every month of a series", """SELECT d AS "time", count(o.order_id) AS value FROM generate_series(timestamp '2024-03-01', '2024-07-01', '1 month') d
LEFT JOIN tools.orders o ON o.ordered_on >= d AND o.ordered_on < d + interval '1 month' GROUP BY d ORDER BY d"""),
    ("Looker", "an explore", """SELECT (DATE(DATE_TRUNC('quarter', orders.ordered_on))) AS "orders.ordered_quarter", COUNT(*) AS "orders.count", COALESCE(SUM(orders.amount), 0) AS "orders.total"
FROM tools.orders AS orders LEFT JOIN tools.customer AS customer ON orders.customer_id = customer.customer_id WHERE customer.vip
GROUP BY (DATE_TRUNC('quarter', orders.ordered_on)) ORDER BY 1 LIMIT 500"""),
    ("Looker", "a derived table", """WITH per_customer AS (SELECT customer_id, COUNT(*) AS orders, SUM(amount) AS spent FROM tools.orders GROUP BY 1)
SELECT customer.region AS "customer.region", AVG(per_customer.spent) AS "spent", COUNT(*) AS "n" FROM per_customer
LEFT JOIN tools.customer AS customer ON per_customer.customer_id = customer.customer_id GROUP BY 1 ORDER BY 1 LIMIT 500"""),
    ("dbt", "a model, with its sources", """with source as (select * from tools.orders), renamed as (select order_id, customer_id, ordered_on as day, amount from source),
final as (select date_trunc('month', day) as month, count(*) as orders, avg(amount) as amount from renamed group by 1) select * from final order by month limit 4"""),
    ("dbt", "models that unite", """with united as (select customer_id, amount from tools.orders where channel = 'web' union all select customer_id, amount from tools.orders where channel = 'shop')
select count(*) as n, round(avg(amount)) as amount from united"""),
]

# Refused, with a hint that has this in it.
REFUSED = [
    ("Tableau", "another level's numbers beside rows", """SELECT MAX("t0"."n"), COUNT(1) FROM "tools"."orders" "orders" INNER JOIN (SELECT "channel", COUNT(1) AS "n" FROM "tools"."orders"
GROUP BY 1) "t0" ON ("orders"."channel" = "t0"."channel")""", "x IN (SELECT key ...)"),
    ("Looker", "a list of rows", 'SELECT orders.order_id AS "orders.order_id" FROM tools.orders AS orders', "Ask for aggregates"),
]


def psql(query, role, **environment):
    run = subprocess.run(["psql", "-Xq", "--csv", "-t", "-U", role, "-v", "VERBOSITY=verbose", "-c", query],
                         capture_output=True, text=True, env={**os.environ, **environment})
    if run.returncode != 0:
        raise RuntimeError(run.stderr)
    return run.stdout


def number(value):
    try:
        return float(value)
    except ValueError:
        return value


def rows(query, **environment):
    return lambda role: [[number(value) for value in row] for row in csv.reader(io.StringIO(psql(query, role, **environment)))]


for tool, name, query in QUESTIONS:
    answered(f"{tool}: {name}", rows(query))
for tool, name, query, hint in REFUSED:
    try:
        said = psql(query, "ana")
    except RuntimeError as error:
        said = str(error)
    ok("42501" in said and hint in said, f"{tool}: {name} is refused, with a hint", said)


def bouncer(folder):
    """PgBouncer in transaction mode, with two sessions for all; its port."""
    port = str(int(os.environ["PGPORT"]) + 1000)
    with open(f"{folder}/users.txt", "w") as file:
        for role in ("ana", "registrar"):
            file.write(f'"{role}" "{os.environ["PGPASSWORD"]}"\n')
    with open(f"{folder}/bouncer.ini", "w") as file:
        file.write(f"""[databases]
{os.environ["PGDATABASE"]} = host={os.environ["PGHOST"]} port={os.environ["PGPORT"]}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = plain
auth_file = {folder}/users.txt
pool_mode = transaction
default_pool_size = 2
ignore_startup_parameters = extra_float_digits
""")
    shutil.chown(folder, "nobody")
    process = subprocess.Popen(["pgbouncer", "-q", "-u", "nobody", f"{folder}/bouncer.ini"] if os.getuid() == 0 else ["pgbouncer", "-q", f"{folder}/bouncer.ini"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(600):
        if subprocess.run(["psql", "-Xqc", "", "-U", "ana"], env={**os.environ, "PGHOST": "127.0.0.1", "PGPORT": port}, capture_output=True).returncode == 0:
            break
        time.sleep(0.1)
    return process, port


with tempfile.TemporaryDirectory() as folder:
    process, port = bouncer(folder)
    through = {"PGHOST": "127.0.0.1", "PGPORT": port}
    try:
        for tool, name, query in QUESTIONS[:3]:
            answered(f"{tool}, through PgBouncer: {name}", rows(query, **through))
        found = lives("last_answer in the transaction of its answer", lambda: psql(
            "BEGIN; SELECT count(*) FROM tools.orders; SELECT count(*) > 0 FROM gaussdp.last_answer; COMMIT", "ana", **through))
        ok(found is not None and found.endswith("t\n"), "tells of it", found)
        ok(psql("SHOW gaussdp.answer_plain_sql", "ana", **through) == "on\n", "settings by ALTER ROLE come through")
    finally:
        process.terminate()
        process.wait()
done()
