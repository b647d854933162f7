"""psycopg 3: parameters bound by the server, prepared statements, pipeline mode, COPY and named cursors.

psycopg has no query builder; what is its own are the types of parameters, which the server has to find out (OID 0 for
texts, numeric or int2 for numbers), and statements that were parsed, described and executed by themselves.
"""
import datetime
import decimal

import psycopg
from psycopg import sql

from tap import answered, done, not_charged, ok

connection = {role: psycopg.connect(user=role, autocommit=True) for role in ("ana", "registrar")}
ana = connection["ana"]


def spent():
    return ana.execute("SELECT sum(mu2) FROM gaussdp.my_journal").fetchone()[0]


def rows(query, *parameters, **options):
    return lambda role: connection[role].execute(query, parameters, **options).fetchall()


answered("bound values", rows("SELECT channel, count(*), avg(amount) FROM shop.orders WHERE pieces > %s AND ordered_on < %s"
                              " AND channel <> %s GROUP BY channel ORDER BY channel", 3, datetime.date(2024, 10, 1), "phone"))
answered("a list as an array", rows("SELECT count(*) FROM shop.orders WHERE channel = ANY(%s) AND pieces = ANY(%s)", ["web", "shop"], [1, 2, 3]))
answered("texts of unknown type", rows("SELECT count(*) FROM shop.orders WHERE ordered_on BETWEEN %s AND %s", "2024-02-01", "2024-11-30"))
answered("names by psycopg.sql", rows(sql.SQL("SELECT {c}, sum({x}) FROM {t} GROUP BY {c} ORDER BY {c}").format(
    c=sql.Identifier("channel"), x=sql.Identifier("amount"), t=sql.Identifier("shop", "orders"))))
answered("prepared", rows("SELECT avg(age) FROM shop.customer WHERE age > %s", 40, prepare=True))
answered("prepared, with another value", rows("SELECT avg(age) FROM shop.customer WHERE age > %s", 60, prepare=True))
for age in range(20, 30):  # psycopg prepares from the fifth time on, and PostgreSQL may make a generic plan
    rows("SELECT count(*) FROM shop.customer WHERE age > %s", age)("ana")
answered("generic plan", rows("SELECT count(*) FROM shop.customer WHERE age > %s", 30))
answered("binary results", rows("SELECT region, count(*), sum(age), avg(age), stddev(age) FROM shop.customer GROUP BY region ORDER BY region", binary=True))
for name, epsilon in (("numeric", decimal.Decimal("3.0")), ("float8", 3.0), ("an integer", 3), ("unknown", "3.0"), ("float4", psycopg.types.numeric.Float4(3))):
    answered(f"dp_count, epsilon {name}", lambda role: rows(
        f"SELECT {'dp_count(%s, %s)' if role == 'ana' else 'count(*) + 0 * (%s::float8 + %s)'} FROM shop.customer", epsilon, 1e-6)(role))
    answered(f"dp_avg with bounds, epsilon {name}", lambda role: rows(
        f"SELECT {'dp_avg(age, %s, %s, %s, %s)' if role == 'ana' else 'avg(age) + 0 * (%s::float8 + %s + %s + %s)'} FROM shop.customer", epsilon, 1e-6, 0, 120)(role))
answered("dp_count, epsilon a text with a cast", lambda role: rows(
    f"SELECT {'dp_count(%s::text::numeric, 1e-6)' if role == 'ana' else 'count(*) + 0 * %s::text::int'} FROM shop.customer", "3")(role))

# Pipeline mode: all statements are sent before the first answer is read.
def pipelined(role):
    with connection[role].pipeline():
        cursors = [connection[role].execute("SELECT count(*), sum(amount) FROM shop.orders WHERE pieces > %s", [n]) for n in range(1, 6)]
        return [cursor.fetchone() for cursor in cursors]


answered("pipeline", pipelined)
try:
    with ana.pipeline():
        ana.execute("SELECT count(*) FROM shop.customer WHERE vip")
        ana.execute("SELECT * FROM shop.customer")
        ana.execute("SELECT count(*) FROM shop.customer WHERE NOT vip")
    ok(False, "pipeline: a refusal ends it")
except psycopg.errors.InsufficientPrivilege as error:
    ok("Rule 0" in str(error), "pipeline: a refusal ends it", error)
ok(ana.execute("SELECT 1").fetchone() == (1,), "and leaves the connection as it was")


def by_cursor(role):
    with connection[role].transaction(), connection[role].cursor("named") as cursor:
        cursor.execute("SELECT region, count(*) FROM shop.customer GROUP BY region ORDER BY region")
        return [cursor.fetchone() for _ in range(3)]


def by_copy(role):
    with connection[role].cursor() as cursor, cursor.copy("COPY (SELECT region, avg(age)::float8 FROM shop.customer GROUP BY region ORDER BY region) TO STDOUT") as copy:
        copy.set_types(["text", "float8"])
        return list(copy.rows())


def by_stream(role):
    with connection[role].cursor() as cursor:
        return list(cursor.stream("SELECT region, sum(age) FROM shop.customer WHERE vip GROUP BY region ORDER BY region"))


answered("a cursor of the server", by_cursor)
answered("COPY", by_copy)
answered("row by row", by_stream)

# Probes
def columns(query, *parameters):
    cursor = ana.execute(query, parameters)
    return [column.name for column in cursor.description], cursor.fetchall()


not_charged("LIMIT 0", spent, lambda: columns("SELECT * FROM shop.customer LIMIT 0"), (["customer_id", "region", "age", "vip", "joined"], []))
not_charged("LIMIT 0, by a bound value", spent, lambda: columns("SELECT region, count(*) AS n FROM shop.customer GROUP BY region LIMIT %s", 0), (["region", "n"], []))
not_charged("WHERE 1 = 0, with a bound value", spent, lambda: columns("SELECT region FROM shop.customer WHERE age > %s AND 1 = 0", 3), (["region"], []))


def described():
    """Parse and Describe, without Execute."""
    ana.pgconn.prepare(b"described", b"SELECT c.*, count(*) OVER () FROM shop.customer c WHERE age > $1")
    result = ana.pgconn.describe_prepared(b"described")
    return [result.fname(i).decode() for i in range(result.nfields)]


not_charged("Describe", spent, described, ["customer_id", "region", "age", "vip", "joined", "count"])
done()
