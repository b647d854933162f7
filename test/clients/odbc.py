"""ODBC: PostgreSQL's driver behind unixODBC, by pyodbc: bound parameters, and the catalog functions of ODBC."""
import datetime
import decimal
import os

import pyodbc

from tap import answered, done, not_charged, ok


def connect(role, **more):
    keys = {"DRIVER": "{PostgreSQL Unicode}", "SERVER": os.environ["PGHOST"], "PORT": os.environ["PGPORT"],
            "DATABASE": os.environ["PGDATABASE"], "UID": role, "PWD": os.environ["PGPASSWORD"], **more}
    return pyodbc.connect(";".join(f"{k}={v}" for k, v in keys.items()), autocommit=True)


# UseServerSidePrepare binds on the server, or writes values into the text; UseDeclareFetch reads by a cursor.
connections = {"bound": {}, "not bound": {"UseServerSidePrepare": 0}, "by a cursor": {"UseDeclareFetch": 1, "Fetch": 2}}
ana = connect("ana")


def spent():
    return ana.execute("SELECT sum(mu2) FROM gaussdp.my_journal").fetchone()[0]


for how, more in connections.items():
    connection = {role: connect(role, **more) for role in ("ana", "registrar")}

    def ask(name, query, *parameters):
        answered(f"{how}: {name}", lambda role: connection[role].execute(query, *parameters).fetchall())

    ask("plain SQL", "SELECT channel, count(*), sum(amount), avg(pieces) FROM shop.orders GROUP BY channel ORDER BY channel")
    ask("integers, texts, numbers", "SELECT count(*) FROM shop.orders WHERE pieces > ? AND channel <> ? AND amount < ?", 3, "web", decimal.Decimal("150.5"))
    ask("dates", "SELECT count(*) FROM shop.orders WHERE ordered_on >= ? AND ordered_on < ?", datetime.date(2024, 3, 1), datetime.date(2024, 9, 1))
    ask("timestamps and truth values", "SELECT count(*) FROM shop.customer WHERE joined < ? AND vip = ?", datetime.datetime(2023, 8, 1), False)
    ask("ODBC's own syntax", "SELECT {fn UCASE(channel)}, count(*) FROM shop.orders WHERE ordered_on > {d '2024-02-01'} GROUP BY 1 ORDER BY 1")
    ask("as spreadsheets write it", 'SELECT "customer"."region", COUNT("customer"."customer_id") AS "C1", SUM("customer"."age") AS "C2" FROM "shop"."customer" "customer" '
        'WHERE ("customer"."age" BETWEEN 20 AND 80) GROUP BY "customer"."region" ORDER BY "customer"."region"')
    for epsilon in (3.0, decimal.Decimal("3.0"), 3, "3.0"):
        name = f"{how}: dp_avg, epsilon {type(epsilon).__name__}"
        answered(name, lambda role: connection[role].execute("SELECT dp_avg(age, ?, ?, ?, ?) FROM shop.customer", epsilon, 1e-6, 0, 120).fetchall() if role == "ana"
                 else connection[role].execute("SELECT avg(age)::float8 FROM shop.customer").fetchall())

    def columns(query, *parameters):
        cursor = connection["ana"].execute(query, *parameters)
        return [(c[0], c[1].__name__) for c in cursor.description], cursor.fetchall()

    rows = [("region", "str"), ("age", "int"), ("vip", "str"), ("joined", "datetime")]
    not_charged(f"{how}: LIMIT 0", spent, lambda: columns("SELECT region, age, vip, joined FROM shop.customer LIMIT 0"), (rows, []))
    not_charged(f"{how}: WHERE 1 = 0", spent, lambda: columns("SELECT region, age, vip, joined FROM shop.customer WHERE 1 = 0"), (rows, []))
    not_charged(f"{how}: WHERE 1 = 0 around groups", spent, lambda: columns(
        'SELECT * FROM (SELECT region, count(*) AS n FROM shop.customer GROUP BY region) "probe" WHERE 1 = 0'), ([("region", "str"), ("n", "int")], []))


def catalog(name, expected, function, column, **arguments):
    try:
        found = [row[column] for row in getattr(ana.cursor(), function)(**arguments).fetchall()]
    except pyodbc.Error as error:
        found = str(error)
    ok(found == expected, f"{function}: {name}", found)


catalog("SQLTables", ["customer", "day", "orders", "region"], "tables", 2, schema="shop")
catalog("SQLColumns", ["customer_id", "region", "age", "vip", "joined"], "columns", 3, schema="shop", table="customer")
catalog("SQLColumns, types", ["int4", "text", "int4", "bool", "timestamptz"], "columns", 5, schema="shop", table="customer")
catalog("SQLPrimaryKeys", ["order_id"], "primaryKeys", 3, schema="shop", table="orders")
catalog("SQLForeignKeys", ["customer"], "foreignKeys", 2, foreignSchema="shop", foreignTable="orders")
catalog("SQLStatistics", ["order_id", "customer_id"], "statistics", 8, schema="shop", table="orders")
catalog("SQLProcedures", ["queries_left", "queries_left"], "procedures", 2, schema="gaussdp", procedure="queries_left")
done()
