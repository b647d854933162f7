"""SQLAlchemy's query builder and reflection, and pandas over it, by psycopg2."""
import datetime
import decimal

import pandas
import sqlalchemy as sa
from sqlalchemy import case, distinct, extract, func, select

from tap import answered, done, lives, not_charged, ok

engine = {role: sa.create_engine("postgresql+psycopg2://", connect_args={"user": role}) for role in ("ana", "registrar")}
ana = engine["ana"]
metadata = sa.MetaData()
reflected = lives("reflection of tables without SELECT", lambda: [
    sa.Table(name, metadata, schema=schema, autoload_with=ana)
    for schema, name in (("shop", "orders"), ("shop", "customer"), ("shop", "region"), ("clinic", "visit"))])
orders, customer, region, visit = reflected
o, c = orders.c, customer.c


def rows(query, **parameters):
    def ask(role):
        with engine[role].connect() as connection:
            return connection.execute(query, parameters).fetchall()
    return ask


def spent():
    with ana.connect() as connection:
        return connection.execute(sa.text("SELECT sum(mu2) FROM gaussdp.my_journal")).scalar()


# Reflection
inspector = sa.inspect(ana)
ok([x["name"] for x in inspector.get_columns("orders", "shop")] == [x.name for x in o], "get_columns")
ok(str(o.amount.type) == "NUMERIC(10, 2)" and o.amount.comment == "Euro, with taxes", "types and comments")
ok(inspector.get_pk_constraint("orders", "shop")["constrained_columns"] == ["order_id"], "get_pk_constraint")
ok([f["referred_table"] for f in inspector.get_foreign_keys("orders", "shop")] == ["customer"], "get_foreign_keys")
ok([i["column_names"] for i in inspector.get_indexes("orders", "shop")] == [["customer_id"]], "get_indexes")
ok(inspector.get_table_comment("customer", "shop")["text"] == "Who has bought something", "get_table_comment")
ok(sorted(inspector.get_table_names("shop")) == ["customer", "day", "orders", "region"], "get_table_names")
ok("shop" in inspector.get_schema_names() and inspector.has_table("orders", "shop"), "get_schema_names, has_table")

# Questions
answered("count", rows(select(func.count()).select_from(orders)))
answered("count of a column, sum, average", rows(select(func.count(o.note), func.sum(o.amount), func.avg(o.pieces))))
answered("GROUP BY public keys, ORDER BY", rows(select(c.region, func.count().label("n"), func.avg(c.age)).group_by(c.region).order_by(c.region)))
answered("GROUP BY other keys, HAVING, LIMIT with parameters",
         rows(select(o.channel, func.sum(o.amount).label("total")).group_by(o.channel).having(func.count() > 100).order_by(sa.desc("total")).limit(1)))
answered("WHERE with bound values", rows(select(func.count()).select_from(orders)
         .where(o.amount > decimal.Decimal("20.50"), o.ordered_on >= datetime.date(2024, 3, 1), o.channel.in_(["web", "shop"]))))
answered("BETWEEN, LIKE, IS NULL, a truth value", rows(select(func.count()).select_from(orders.join(customer))
         .where(o.pieces.between(2, 8), o.channel.like("w%"), o.note.is_(None), sa.not_(c.vip))))
answered("join, by region", rows(select(c.region, func.sum(o.amount)).select_from(orders.join(customer)).group_by(c.region).order_by(c.region)))
answered("count(DISTINCT unit)", rows(select(func.count(distinct(o.customer_id))).where(o.channel == "web")))
answered("CASE", rows(select(func.sum(case((c.age >= 40, 1), else_=0)), func.avg(case((c.vip, 1.0), else_=0.0)))))
answered("FILTER", rows(select(func.count().filter(c.vip), func.count())))
answered("EXTRACT", rows(select(extract("month", o.ordered_on).label("m"), func.count()).group_by("m").order_by("m")))
answered("date_trunc with a bound value", rows(select(func.date_trunc("quarter", o.ordered_on).label("q"), func.count()).group_by("q").order_by("q")))
answered("percentile_cont", rows(select(func.percentile_cont(0.5).within_group(c.age))))
answered("a sub-select in FROM", rows(select(func.avg(sa.column("n"))).select_from(
    select(c.region, func.count().label("n")).group_by(c.region).subquery())))
answered("a CTE", rows(select(sa.text("region, n FROM cte ORDER BY region")).add_cte(
    select(c.region, func.count().label("n")).group_by(c.region).cte("cte"))))
answered("EXISTS", rows(select(func.count()).select_from(customer).where(
    sa.exists().where(o.customer_id == c.customer_id, o.amount > 100))))
answered("one row for each person", rows(select(func.avg(sa.text("n"))).select_from(
    select(o.customer_id, func.count().label("n")).group_by(o.customer_id).subquery())))
answered("the clinic", rows(select(visit.c.department, func.count(), func.avg(visit.c.cost)).group_by(visit.c.department).order_by(visit.c.department)))
for name, epsilon in (("a float", 3.0), ("a Decimal", decimal.Decimal("3.0")), ("an integer", 3), ("a text", "3.0")):
    answered(f"dp_count with {name} as epsilon", lambda role: rows(
        select(func.dp_count(sa.literal(epsilon), 1e-6) if role == "ana" else func.count()).select_from(customer))(role))

# Probes
probe = ["order_id", "customer_id", "ordered_on", "channel", "pieces", "amount", "note"]
grouped = select(o.channel, func.count().label("n")).group_by(o.channel)


def described(query):
    with ana.connect() as connection:
        result = connection.execute(query)
        return list(result.keys()), result.fetchall()


not_charged("LIMIT 0 of rows", spent, lambda: described(select(orders).limit(0)), (probe, []))
not_charged("WHERE false of rows", spent, lambda: described(select(orders).where(sa.false())), (probe, []))
not_charged("WHERE 1 = 0 of rows", spent, lambda: described(select(orders).where(sa.literal(1) == 0)), (probe, []))
not_charged("LIMIT 0 of groups", spent, lambda: described(grouped.limit(0)), (["channel", "n"], []))
not_charged("WHERE 1 = 0 around groups", spent, lambda: described(select(grouped.subquery()).where(sa.text("1 = 0"))), (["channel", "n"], []))

# pandas
sql = "SELECT region, count(*) AS n, avg(age) AS age FROM shop.customer WHERE age > %(age)s GROUP BY region ORDER BY region"
answered("pandas: read_sql with a parameter", lambda role: pandas.read_sql(sql, engine[role], params={"age": 30}).values.tolist())
answered("pandas: read_sql of a query that was built", lambda role: pandas.read_sql(grouped.order_by(o.channel), engine[role]).values.tolist())
types = pandas.read_sql("SELECT count(*) AS n, avg(age) AS age, avg(age)::float8 AS real FROM shop.customer", ana).dtypes
ok([str(t) for t in types] == ["int64", "float64", "float64"], "pandas: types of columns", types)
not_charged("pandas: a probe", spent, lambda: list(pandas.read_sql("SELECT * FROM shop.orders WHERE 1 = 0", ana).columns), probe)
done()
