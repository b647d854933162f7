#!/usr/bin/env python3
"""Writes test/reference.tsv: values of the calibration library at random arguments, by mpmath.

usage: test/reference.py > test/reference.tsv        (a few minutes; the seed is fixed)

Columns: function, arguments, value (25 digits).  The arguments are exact doubles, written in 17
digits.  Functions and the order of their arguments are those of test/unit/golden.c, so that one
dispatch table serves golden.tsv and this file.  Written independently of the C code: textbook formulas,
and enough digits that their cancellations don't matter; inverses by bisection and Newton.
"""
import random
import sys

from mpmath import mp, mpf, erf, erfc, exp, expm1, log, log1p, sqrt, pi, inf

BASE = 60                   # digits beyond every cancellation


# --------------------------------------------------------------------------- the normal law
def sf(x):
    return erfc(x / sqrt(mpf(2))) / 2


def erfcx(x):
    if x > mpf(10) ** 25:
        return (1 - 1 / (2 * x * x)) / (x * sqrt(pi))
    return exp(x * x) * erfc(x)


def monotone_root(f, lo, hi, rising):
    """The root of a monotone f in [lo, hi]: bisection, then the secant method at full precision."""
    for _ in range(40):
        mid = (lo + hi) / 2
        if (f(mid) > 0) == rising:
            hi = mid
        else:
            lo = mid
    x0, x1 = lo, hi
    f0, f1 = f(x0), f(x1)
    for _ in range(60):
        if f1 == f0:
            break
        x2 = x1 - f1 * (x1 - x0) / (f1 - f0)
        if x2 < lo or x2 > hi:              # keeps the bracket; rarely taken
            x2 = (lo + hi) / 2
        x0, f0, x1 = x1, f1, x2
        f1 = f(x1)
        if (f1 > 0) == rising:
            hi = min(hi, x1)
        else:
            lo = max(lo, x1)
        if abs(x1 - x0) <= abs(x1) * mpf(10) ** -45:
            break
    return x1


def erfc_inv_log(ln_y):
    """x with ln erfc(x) = ln_y"""
    if ln_y > 0:
        return -erfc_inv_log(log(2 - exp(ln_y)))
    return monotone_root(lambda x: log(erfc(x)) - ln_y, mpf(0), sqrt(-ln_y) + mpf(10) ** -400, False)


def erfc_inv(y):
    if y == 1:
        return mpf(0)
    return erfc_inv_log(log(mpf(y)))


# --------------------------------------------------------------------------- the profile
def tails(eps, mu):
    """delta and 1 - delta"""
    a = (eps / mu - mu / 2) / sqrt(mpf(2))
    A = (eps / mu + mu / 2) / sqrt(mpf(2))
    e = exp(mpf(eps)) * erfc(A)
    return (erfc(a) - e) / 2, (erfc(-a) + e) / 2


def mu_of_a(a, eps):
    A = sqrt(a * a + eps)
    return sqrt(mpf(2)) * (A - a) if a < 0 else sqrt(mpf(2)) * eps / (A + a)


def gdp_delta(eps, mu):
    return tails(eps, mu)[0]


def gdp_one_minus_delta(eps, mu):
    return tails(eps, mu)[1]


def gdp_log_delta(eps, mu):
    delta, rest = tails(eps, mu)
    return log(delta) if delta < 0.5 else log1p(-rest)


def mu_guess(eps, delta):
    """At most the mu of (eps, delta): the limit at eps = 0, or by way of zCDP."""
    t = sqrt(-2 * log(mpf(delta)))
    return max(mpf(delta), 2 * eps / (t + sqrt(t * t + 2 * eps)) * (1 - mpf(10) ** -9))


def gdp_mu(eps, delta):
    if eps == 0:
        return 2 * sqrt(mpf(2)) * erfc_inv(1 - mpf(delta))
    goal = log(mpf(delta)) if delta <= 0.5 else log(1 - mpf(delta))

    def f(t):                               # rising in t = ln mu
        d, r = tails(eps, exp(t))
        return log(d) - goal if delta <= 0.5 else goal - log(r)
    lo = log(mu_guess(eps, delta))          # and mu <= sqrt(2 eps) + 2 z
    hi = log(sqrt(2 * mpf(eps)) + 2 * sqrt(2 * abs(log(1 - mpf(delta)))) + 3)
    return exp(monotone_root(f, lo, hi, True))


def gdp_eps(delta, mu):
    if gdp_delta(mpf(0), mu) <= delta:
        return mpf(0)
    goal = log(mpf(delta)) if delta <= 0.5 else log(1 - mpf(delta))

    def f(m):
        d, r = tails(sqrt(mpf(2)) * mu * m, mu)
        return log(d) - goal if delta <= 0.5 else goal - log(r)
    hi = mu / (2 * sqrt(mpf(2))) + sqrt(-log(mpf(delta))) + 1
    lo = mpf(10) ** -5
    while f(lo) < 0:
        lo = lo ** 2
    return sqrt(mpf(2)) * mu * monotone_root(f, lo, hi, False)


def gdp_tradeoff(alpha, mu):
    return sf(mu - sqrt(mpf(2)) * erfc_inv(2 * mpf(alpha)))


# --------------------------------------------------------------------------- probabilistic DP
def pdp_delta_one(eps, mu):
    return sf(eps / mu - mu / 2)


def pdp_delta_two(eps, mu):
    return sf(eps / mu - mu / 2) + sf(eps / mu + mu / 2)


def pdp_two_rest(eps, mu):
    a = (eps / mu - mu / 2) / sqrt(mpf(2))
    A = (eps / mu + mu / 2) / sqrt(mpf(2))
    return (erf(a) + erf(A)) / 2


def pdp_opt_sigma(eps, delta, sensitivity):
    goal = log(mpf(delta)) if delta <= 0.5 else log(1 - mpf(delta))

    def f(t):
        mu = exp(t)
        return log(pdp_delta_two(eps, mu)) - goal if delta <= 0.5 else goal - log(pdp_two_rest(eps, mu))
    lo = log(mu_of_a(erfc_inv(mpf(delta)) + 1, mpf(eps)))
    hi = log(mu_of_a(erfc_inv(2 * mpf(delta)) - mpf(10) ** -20, mpf(eps)))
    return sensitivity / exp(monotone_root(f, lo, hi, True))


def pdp_eps_one(delta, mu):
    v = mu * mu / 2 + mu * sqrt(mpf(2)) * erfc_inv(2 * mpf(delta))
    return v if v > 0 else mpf(0)


def pdp_eps_two(delta, mu):
    goal = log(mpf(delta)) if delta <= 0.5 else log(1 - mpf(delta))

    def f(t):
        eps = sqrt(mpf(2)) * mu * exp(t)
        return log(pdp_delta_two(eps, mu)) - goal if delta <= 0.5 else goal - log(pdp_two_rest(eps, mu))
    hi = log(mu / (2 * sqrt(mpf(2))) + sqrt(-log(mpf(delta))) + 1)
    return sqrt(mpf(2)) * mu * exp(monotone_root(f, -mpf(90), hi, False))


# --------------------------------------------------------------------------- closed forms
def sigma(x, eps, sensitivity):
    return sensitivity / mu_of_a(x, mpf(eps))


def mech1_b(eps, delta):
    q = 2 * mpf(delta) + erfcx(sqrt(mpf(eps)))
    if q >= 2:
        return mpf(0)
    u = erfc_inv(q)
    return erfc_inv(2 * mpf(delta) / (1 - exp(mpf(eps)) * erfc(sqrt(u * u + eps)) / q))


def mech2_x(delta):
    return sqrt(log((1 + sqrt(1 + 16 * mpf(delta))) / (8 * mpf(delta))))


def vinterbo_z(delta):
    return -log(4 * mpf(delta) * (1 - mpf(delta)))


def vinterbo9_x(delta):
    z = vinterbo_z(delta)
    return sqrt(z) if delta <= 0.5 else -sqrt(pi * z / 4)


MECHANISMS = {
    'dwork2006_sigma': lambda e, d, s: sqrt(2 * log(2 / mpf(d))) * s / e,
    'dwork2014_sigma': lambda e, d, s: sqrt(2 * log(mpf(5) / 4 / mpf(d))) * s / e,
    'mech1_sigma': lambda e, d, s: sigma(mech1_b(e, d), e, s),
    'mech2_sigma': lambda e, d, s: sigma(mech2_x(d), e, s),
    'mech3_sigma': lambda e, d, s: sigma(erfc_inv(mpf(d)), e, s),
    'mech4_sigma': lambda e, d, s: sigma(mech2_x(mpf(d) / 2), e, s),
    'vinterbo8_sigma': lambda e, d, s: sigma(erfc_inv(2 * mpf(d)), e, s),
    'vinterbo9_sigma': lambda e, d, s: sigma(vinterbo9_x(d), e, s),
    'vinterbo10_sigma': lambda e, d, s: (2 * sqrt(vinterbo_z(d)) if d <= 0.5 else 0) * s / (e * sqrt(mpf(2)))
    + s / sqrt(2 * mpf(e)),
    'thm2_upper_sigma': lambda e, d, s: sqrt(-2 * log(2 * mpf(d))) * s / e + s / sqrt(2 * mpf(e)),
    'zcdp_sigma': lambda e, d, s: sigma(sqrt(-log(mpf(d))), e, s),
    'mcdp_sigma': lambda e, d, s: sigma(sqrt(log((1 + exp(-mpf(e))) / d)), e, s),
}


# --------------------------------------------------------------------------- bounds
def lemma10_lower_small_eps(e, d, s):
    v = erfc_inv((2 - 2 * mpf(d)) / (exp(mpf(e)) + 1))
    return s / (sqrt(mpf(2)) * (v + sqrt(v * v + e)))


def inverse_erfcx_of_root(y):
    hi = mpf(1)
    while erfcx(hi) > y:
        hi *= 2
    return monotone_root(lambda s: erfcx(s) - y, mpf(0), hi, False) ** 2


def threshold(delta, numerator, profile):
    factor = sqrt(2 * log(numerator / mpf(delta)))
    hi = mpf(1)
    while profile(hi, hi / factor) < delta:
        hi *= 2
    return monotone_root(lambda e: profile(e, e / factor) - delta, hi / 1000, hi, True)


# --------------------------------------------------------------------------- the table
def digits(eps, mu):
    """Enough digits for the cancellations of the textbook formulas."""
    lost = abs(mp.log10(mu)) if mu else 0
    return int(BASE + 2 * lost + (eps / 2.3 if 0 < eps < 1 else 0) + (mp.log10(eps) if eps > 1 else 0)
               + (-2 * mp.log10(eps) if 0 < eps < 1 else 0)) + 20


def mechanism1_corner(add):
    """Rows next to b = 0 of Mechanism 1: delta next to sqrt(epsilon / pi)."""
    rng = random.Random(1)
    for _ in range(30):
        eps = 10.0 ** rng.uniform(-12, -2.7)
        mp.dps = BASE
        delta = float(sqrt(mpf(eps) / pi)) * (1 + rng.choice([-1, 1]) * 10.0 ** rng.uniform(-16, -0.5))
        add('mech1_sigma', lambda e, d, s: sigma(mech1_b(e, d), e, s), [eps, delta, 1.0], 120)


def main():
    rng = random.Random(20261121)
    rows = []

    def add(name, f, args, dps=None):
        mp.dps = dps or BASE + 40
        value = f(*[mpf(x) for x in args])
        if value != 0 and (value == inf or abs(value) > 1e308 or abs(value) < mpf('1e-307')):
            return
        rows.append((name, args, mp.nstr(value, 25, strip_zeros=False, min_fixed=-5, max_fixed=20)))

    def random_eps():
        return 10.0 ** rng.uniform(-12, 6)

    def random_delta():
        kind = rng.random()
        if kind < 0.4:
            return 10.0 ** rng.uniform(-300, -12)
        if kind < 0.7:
            return 10.0 ** rng.uniform(-12, 0)
        if kind < 0.85:
            return rng.uniform(0.001, 0.999)
        return 1 - max(10.0 ** rng.uniform(-16, -1), 1.2e-16)

    def random_sensitivity():
        return 1.0 if rng.random() < 0.5 else 10.0 ** rng.uniform(-12, 12)

    for _ in range(60):
        x = rng.uniform(-37, 37)
        add('norm_sf', sf, [x])
        add('norm_cdf', lambda v: sf(-v), [x])
        add('norm_log_sf', lambda v: log(sf(v)), [x * rng.choice([1, 1, 100, 1e10])], 600)
        add('erfcx', erfcx, [rng.choice([rng.uniform(-20, 60), 10.0 ** rng.uniform(-10, 20)])], 120)
        add('erfc_inv', erfc_inv, [random_delta() * rng.choice([1, 2])], 400)
        add('norm_quantile', lambda p: -sqrt(mpf(2)) * erfc_inv(2 * p), [random_delta()], 400)

    count = int(sys.argv[1]) if len(sys.argv) > 1 else 250
    for _ in range(count):
        eps, delta, s = random_eps(), random_delta(), random_sensitivity()
        if rng.random() < 0.05:
            eps = 0.0
        mp.dps = BASE
        dps = digits(eps, min(mu_guess(mpf(eps), delta), mpf(1)))
        mp.dps = dps
        exact = gdp_mu(mpf(eps), mpf(delta))
        mu = float(exact) * (1 + rng.choice([0, 0, 1e-15, 1e-6, 0.01]) * rng.uniform(-1, 1))
        rows.append(('gdp_mu', [eps, delta], mp.nstr(exact, 25, min_fixed=-5, max_fixed=20)))
        rows.append(('dp_opt_sigma', [eps, delta, s], mp.nstr(s / exact, 25, min_fixed=-5, max_fixed=20)))
        if mu < 1e-290:
            continue
        add('gdp_delta', gdp_delta, [eps, mu], dps)
        add('gdp_log_delta', gdp_log_delta, [eps, mu], dps)
        add('gdp_one_minus_delta', gdp_one_minus_delta, [eps, mu], dps)
        add('dp_delta_of_sigma', lambda e, g, d: gdp_delta(e, d / g), [eps, s / mu, s], dps)
        add('gdp_eps', gdp_eps, [delta, mu], dps + 40)
        add('dp_eps_of_sigma', lambda t, g, d: gdp_eps(t, d / g), [delta, s / mu, s], dps + 40)
        add('pdp_delta_one', pdp_delta_one, [eps, mu], dps)
        add('pdp_delta_two', pdp_delta_two, [eps, mu], dps)

    for _ in range(count // 5):
        eps, delta, s = random_eps(), random_delta(), random_sensitivity()
        mu = 10.0 ** rng.uniform(-6, 4)
        plain = BASE + 60
        big = plain if delta > 1e-30 else 420       # for differences of the order of delta
        add('pdp_opt_sigma', pdp_opt_sigma, [eps, delta, s], plain)
        add('pdp_eps_one', pdp_eps_one, [delta, mu], plain)
        add('pdp_eps_two', pdp_eps_two, [delta, mu], plain)
        for name, f in MECHANISMS.items():
            if name in ('mech2_sigma', 'thm2_upper_sigma') and delta >= 0.5:
                continue
            add(name, f, [eps, delta, s], big if name == 'mech1_sigma' else plain)
        add('mech1_b', mech1_b, [eps, delta], big)
        alpha = random_delta()
        mu = 10.0 ** rng.uniform(-3, 1.2)
        add('gdp_tradeoff', gdp_tradeoff, [alpha, mu], plain)
        add('lemma10_lower_small_eps', lemma10_lower_small_eps, [eps, delta, s], big)
        if delta < 0.5:
            add('eps_star', lambda d: inverse_erfcx_of_root(1 - 2 * d), [delta], big)
        add('eps_hash', lambda d: inverse_erfcx_of_root(1 - d), [delta], big)

    for _ in range(count // 25):
        delta = random_delta()
        for name, numerator, profile in (('dwork2014_dp_threshold', mpf(5) / 4, gdp_delta),
                                         ('dwork2006_dp_threshold', mpf(2), gdp_delta),
                                         ('dwork2014_pdp_threshold', mpf(5) / 4, pdp_delta_two),
                                         ('dwork2006_pdp_threshold', mpf(2), pdp_delta_two)):
            add(name, lambda d: threshold(d, numerator, profile), [delta], 150)

    mechanism1_corner(add)
    print('function\targuments\tvalue')
    for name, args, value in rows:
        print(name + '\t' + ' '.join(repr(x) for x in args) + '\t' + value)


if __name__ == '__main__':
    main()
