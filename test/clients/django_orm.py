"""Django's ORM over models that inspectdb wrote by itself, without SELECT."""
import datetime
import decimal
import io
import os
import sys
import types

import django
from django.conf import settings
from django.core.management import call_command

from tap import answered, done, lives, not_charged, ok


def database(role, schema):
    return {"ENGINE": "django.db.backends.postgresql", "NAME": os.environ["PGDATABASE"], "USER": role, "HOST": os.environ["PGHOST"],
            "PORT": os.environ["PGPORT"], "PASSWORD": os.environ["PGPASSWORD"], "OPTIONS": {"options": f"-c search_path={schema},public"}}


# An application by this name, which Django needs to follow keys backwards
sys.modules["shop"] = types.ModuleType("shop")
sys.modules["shop"].__path__ = [os.path.dirname(os.path.abspath(__file__))]
settings.configure(INSTALLED_APPS=["shop"], USE_TZ=True, DEFAULT_AUTO_FIELD="django.db.models.AutoField",
                   DATABASES={"default": database("ana", "shop"), "registrar": database("registrar", "shop"), "clinic": database("ana", "clinic")})
django.setup()

from django.db import connections, models  # noqa: E402
from django.db.models import Avg, Case, Count, Exists, F, OuterRef, Q, StdDev, Subquery, Sum, Value, When  # noqa: E402
from django.db.models.functions import Cast, Coalesce, ExtractYear, TruncMonth  # noqa: E402


def inspected(using):
    text = io.StringIO()
    call_command("inspectdb", database=using, stdout=text)
    return text.getvalue()


source = lives("inspectdb", lambda: inspected("default"))
ok("class Customer(models.Model)" in source and "amount = models.DecimalField(max_digits=10, decimal_places=2)" in source, "its types", source)
ok("customer = models.ForeignKey(Customer, models.DO_NOTHING)" in source and "unable to inspect" not in source.lower(), "its keys", source)
ok("class Visit(models.Model)" in (lives("inspectdb of the clinic", lambda: inspected("clinic")) or ""), "its tables")
code = source.replace("class Meta:", "class Meta:\n        app_label = 'shop'")
exec(code)
Customer, Orders = globals()["Customer"], globals()["Orders"]


def spent():
    with connections["default"].cursor() as cursor:
        cursor.execute("SELECT sum(mu2) FROM gaussdp.my_journal")
        return cursor.fetchone()[0]


def ask(name, query):
    """query(model manager of customers, of orders): a list of tuples, one tuple, or a number."""
    def by(role):
        using = {"ana": "default"}.get(role, role)
        result = query(Customer.objects.using(using), Orders.objects.using(using))
        if isinstance(result, dict):
            return [tuple(result.values())]
        return [tuple(row) for row in result] if isinstance(result, (list, models.QuerySet)) else [(result,)]
    answered(name, by)


ask("count()", lambda c, o: c.count())
ask("filter().count()", lambda c, o: o.filter(pieces__gt=3, amount__lte=decimal.Decimal("150.5")).exclude(channel="web").count())
ask("aggregate()", lambda c, o: o.aggregate(n=Count("order_id"), total=Sum("amount"), mean=Avg("pieces")))
ask("values().annotate()", lambda c, o: o.values("channel").annotate(n=Count("order_id"), total=Sum("amount")).order_by("channel").values_list("channel", "n", "total"))
ask("over a foreign key", lambda c, o: o.values("customer__region").annotate(n=Count("order_id"), mean=Avg("amount")).order_by("customer__region").values_list("customer__region", "n", "mean"))
ask("condition over a foreign key", lambda c, o: o.filter(customer__vip=True, customer__age__range=(20, 60)).count())
ask("dates", lambda c, o: o.filter(ordered_on__gte=datetime.date(2024, 3, 1), ordered_on__month=5).count())
ask("timestamps", lambda c, o: c.filter(joined__lt=datetime.datetime(2023, 8, 1, tzinfo=datetime.timezone.utc)).count())
ask("TruncMonth", lambda c, o: o.annotate(m=TruncMonth("ordered_on")).values("m").annotate(n=Count("order_id")).order_by("m").values_list("m", "n"))
ask("TruncMonth of a timestamp, in a time zone", lambda c, o: c.annotate(m=TruncMonth("joined")).values("m").annotate(n=Count("customer_id")).order_by("m").values_list("m", "n"))
ask("ExtractYear", lambda c, o: o.annotate(y=ExtractYear("ordered_on")).values("y").annotate(n=Count("order_id")).order_by("y").values_list("y", "n"))
ask("Q, F, isnull", lambda c, o: o.filter(Q(note__isnull=True) | Q(channel__in=["web", "phone"]), amount__gt=F("pieces")).count())
ask("startswith, contains, iexact", lambda c, o: o.filter(Q(channel__startswith="w") | Q(channel__contains="hon") | Q(channel__iexact="SHOP")).count())
ask("filter of an aggregate", lambda c, o: c.aggregate(vips=Count("customer_id", filter=Q(vip=True)), age=Avg("age", filter=Q(vip=True))))
ask("Case, When", lambda c, o: c.aggregate(old=Sum(Case(When(age__gte=50, then=Value(1)), default=Value(0)))))
ask("StdDev", lambda c, o: c.aggregate(StdDev("age")))
ask("count of people", lambda c, o: o.filter(channel="web").aggregate(Count("customer", distinct=True)))
ask("having", lambda c, o: o.values("channel").annotate(n=Count("order_id")).filter(n__gt=100).order_by("-n").values_list("channel", "n")[:1])
ask("Exists", lambda c, o: c.filter(Exists(o.filter(customer=OuterRef("pk"), amount__gt=100))).count())
ask("orders__amount", lambda c, o: c.filter(orders__amount__gt=100).distinct().count())
ask("in a sub-query", lambda c, o: c.filter(pk__in=o.filter(pieces=9).values("customer_id")).count())
ask("annotate each person, then aggregate", lambda c, o: c.annotate(n=Count("orders")).aggregate(Avg("n")))
ask("Coalesce, Cast", lambda c, o: o.aggregate(x=Avg(Coalesce(Cast("pieces", models.FloatField()), 0.0))))

names = [f.column for f in Customer._meta.fields]
not_charged("none()", spent, lambda: list(Customer.objects.none()), [])
not_charged("an empty IN", spent, lambda: Customer.objects.filter(pk__in=[]).count(), 0)
not_charged("[:0]", spent, lambda: list(Customer.objects.all()[:0]), [])


def probe():
    with connections["default"].cursor() as cursor:
        cursor.execute("SELECT * FROM customer WHERE 1 = 0")
        return [c.name for c in cursor.description], cursor.fetchall()


not_charged("WHERE 1 = 0", spent, probe, (names, []))
done()
