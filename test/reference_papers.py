#!/usr/bin/env python3
"""Writes test/reference_papers.tsv: statements of the papers that the library offers as they are, by mpmath.

usage: test/reference_papers.py > test/reference_papers.tsv       (three minutes; the seed is fixed)

Columns: function, arguments, value (25 digits), as in test/reference.tsv and for the same table,
test/unit/golden_table.h.  Computed with 60 digits and more from the statements themselves, not from the closed
forms that the library uses: bounds and scales by bisection of what they bound, densities piece by piece,
refined profiles by the derivative of what an epsilon0 implies.
"""
import random

from mpmath import diff, erfc, exp, log, mp, mpf, sqrt

from reference_compose import gauss_mu

mp.dps = 75
rows = []


def add(name, arguments, value):
    if abs(value) > mpf('1e308') or 0 < abs(value) < mpf('1e-307'):
        return
    rows.append((name, arguments, mp.nstr(value, 25, strip_zeros=False, min_fixed=-5, max_fixed=20)))


def root(f, lo, hi, steps):
    """Where a monotone f(x) becomes true: the end of the last bracket at which it is."""
    lo, hi = mpf(lo), mpf(hi)
    for _ in range(steps):
        mid = (lo + hi) / 2
        if f(mid):
            hi = mid
        else:
            lo = mid
    return hi


# --------------------------------------------------------------------------- noise of log-concave densities
def between(x, psi):
    """psi of a density given by points"""
    x, psi = [mpf(v) for v in x], [mpf(v) for v in psi]

    def value(v):
        v = abs(v)
        i = max(j for j in range(len(x)) if x[j] <= v)
        i = min(i, len(x) - 2)
        return psi[i] + (psi[i + 1] - psi[i]) / (x[i + 1] - x[i]) * (v - x[i])
    return value


def tail_between(x, psi):
    """Q of the same: the integral of each piece, and of the last one without end"""
    x = [mpf(v) for v in x]
    value = between(x, psi)
    slope = value(x[-1] + 1) - value(x[-1])

    def mass(v):
        ends = [v] + [p for p in x if p > v]
        total = exp(-value(ends[-1])) / slope
        for lo, hi in zip(ends, ends[1:]):
            rise = value(hi) - value(lo)
            total += (exp(-value(lo)) - exp(-value(hi))) / rise * (hi - lo) if rise else exp(-value(lo)) * (hi - lo)
        return total
    total = 2 * mass(mpf(0))
    return lambda v: mass(v) / total if v >= 0 else 1 - mass(-v) / total


POINTS = [([0, 1], [0, 1]), ([0, 0.5, 1, 2], [1, 1, 1.25, 3]),
          ([0, 0.5, 1, 1.5, 2, 2.5, 3, 4, 6], [0, 0.125, 0.5, 1.125, 2, 3.125, 4.5, 8, 18])]
LAWS = [(lambda v: v * v / 2, lambda v: erfc(v / sqrt(mpf(2))) / 2),
        (abs, lambda v: exp(-v) / 2 if v >= 0 else 1 - exp(v) / 2),
        (lambda v: abs(v) + 2 * log(1 + exp(-abs(v))), lambda v: 1 / (1 + exp(v)))]
LAWS += [(between(*p), tail_between(*p)) for p in POINTS]


def loss_exceeds(law, t, eps):
    """P(loss > eps): the loss is seen to pass eps at some v, or never does"""
    psi, tail = LAWS[law]
    far = t + eps / t + 800

    def exceeds(v):
        return psi(v + t) - psi(v) > eps
    if not exceeds(far):
        return mpf(0)
    return tail(root(exceeds, -far, far, 230))


def noise_scale(law, eps, delta, sensitivity):
    """By bisection of what it bounds, in t = sensitivity / scale"""
    t = root(lambda v: loss_exceeds(law, v, eps) > delta, mpf(10) ** -30, eps + 1000, 120)
    return sensitivity / t


def noise(rng):
    for law in range(len(LAWS)):
        for _ in range(12):
            eps = rng.choice([0.0, 0.5, 1.0, 10.0 ** rng.uniform(-3, 1.5)])
            sensitivity = rng.choice([1.0, 10.0 ** rng.uniform(-6, 6)])
            scale = sensitivity / (max(eps, 0.1) * 10.0 ** rng.uniform(-0.2, 1))
            add('noise_delta', [scale, eps, sensitivity, law],
                loss_exceeds(law, mpf(sensitivity) / mpf(scale), mpf(eps)))
        for _ in range(8):
            eps = rng.choice([0.5, 1.0, 10.0 ** rng.uniform(-3, 1.5)])
            delta = rng.choice([0.5, rng.uniform(0.01, 0.99), 10.0 ** rng.uniform(-25, -1)])
            sensitivity = rng.choice([1.0, 10.0 ** rng.uniform(-6, 6)])
            add('noise_scale', [eps, delta, sensitivity, law],
                noise_scale(law, mpf(eps), mpf(delta), mpf(sensitivity)))


# --------------------------------------------------------------------------- bounds, tails, counterexamples
def inverse_bounds(rng):
    for y in [0.5, 1e-5, 1 - 2.0 ** -53, 5e-324, 1e-300] + [10.0 ** rng.uniform(-20, 0) for _ in range(20)] \
            + [1 - 10.0 ** rng.uniform(-15, 0) for _ in range(10)]:
        if 0 < y < 1:
            goal = mpf(y)
            with mp.workdps(400):
                x = root(lambda v: exp(-v) + exp(-2 * v) <= 2 * goal, 0, 1000, 1300)
                add('erfc_inv_bound', [y], sqrt(x))
                add('erfc_inv_bound_log', [y], sqrt(root(lambda v: exp(-v) <= goal, 0, 1000, 1300)))


def tails(rng):
    for _ in range(20):
        eps, delta = 10.0 ** rng.uniform(-10, 2), 10.0 ** rng.uniform(-30, 0)
        add('pdp_lower_tail', [eps, delta], exp(-mpf(eps)) * mpf(delta))


def leaks(rng):
    for _ in range(30):
        eps, delta = rng.choice([0.0, 10.0 ** rng.uniform(-3, 1)]), 10.0 ** rng.uniform(-9, -1)
        delta_hat = min(delta * rng.choice([1.0, 10.0 ** rng.uniform(-1, 2)]), 0.45)
        d, g, e = mpf(delta), mpf(delta_hat), mpf(eps)
        most = e - log(1 - d / g) if g > d else e + 5
        hat = float(e + (most - e) * rng.uniform(0.1, 0.9))
        t = mpf(hat)
        if not hat > eps:
            continue
        # q between what makes p above delta_hat, and what makes it leak; p + q at most 1
        low, high = max((g - d) / exp(e), mpf(0)), min(d / (exp(t) - exp(e)), (1 - d) / (1 + exp(e)))
        q = (low + high) / 2
        p = (max(exp(t) * q, g) + exp(e) * q + d) / 2
        assert p > exp(t) * q and p > g and p - exp(e) * q <= d and p + q <= 1
        n = 1 + mp.floor((1 - p) / q)
        for name, value in (('n', n), ('delta_prime', p - exp(e) * q), ('p', p), ('q', q)):
            add('leak_' + name, [eps, delta, hat, delta_hat], value)


# --------------------------------------------------------------------------- refined profiles
def implied(e0, d0, e):
    """Theorem 3.1: what (e0, d0) implies at e <= e0"""
    return 1 - (1 - d0) * (1 + exp(e)) / (1 + exp(e0))


def switch_of(profile, start):
    """Where what e0 implies is least, by the derivative of (1 - dhat(x)) / (1 + e^x)"""
    def falls(x):
        return diff(lambda v: (1 - profile(v)) / (1 + exp(v)), x) < 0
    hi = start + 1
    while not falls(hi):
        hi *= 2
    return root(falls, start, hi, 150)


def refined(profile, switch, eps):
    return profile(eps) if eps >= switch else implied(switch, profile(switch), eps)


def profiles(rng):
    for _ in range(24):
        first, power = 10.0 ** rng.uniform(-1.5, 1.5), rng.choice([1.0, 2.0, rng.uniform(0.3, 6)])
        for kind in ('exponential', 'power'):
            f, c = mpf(first), mpf(power)
            if kind == 'exponential':
                def profile(x, f=f, c=c): return exp(-(x / f) ** c)
                start = mpf(10) ** -12
            else:
                def profile(x, f=f, c=c): return f / x ** c
                start = f ** (1 / c)
            switch = switch_of(profile, start)
            add(kind + '_switch', [first, power, 0.0], switch)
            add(kind + '_switch', [first, power, 1.0], profile(switch))
            for share in (0.0, rng.uniform(0, 1), rng.uniform(1, 4)):
                eps = float(switch * share)
                delta = refined(profile, switch, mpf(eps))
                add(kind + '_delta', [first, power, eps], delta)
                if delta > mpf(10) ** -60:
                    with mp.workdps(200):
                        add(kind + '_mu', [first, power, eps], gauss_mu(mpf(eps), delta))
    for m, n in ((20.0, 4.0), (30.0, 8.0), (0.0, 0.5), (100.0, 3.0)):
        k = mpf(n) * exp(-mpf(m) / 10)
        switch = switch_of(lambda x: k / x, k)
        for eps in (0.0, 0.5, 2.0):
            add('icea_delta', [m, n, eps], refined(lambda x: k / x, switch, mpf(eps)))


def four_outputs(rng):
    for _ in range(10):
        e0, d0 = 10.0 ** rng.uniform(-6, 2), rng.choice([0.0, 10.0 ** rng.uniform(-15, 0)])
        rest = (1 - mpf(d0)) / (1 + exp(mpf(e0)))
        p = [mpf(d0), exp(mpf(e0)) * rest, rest, mpf(0)]
        for i in range(4):
            add('four_outputs_p', [e0, d0, i + 1], p[i])
            add('four_outputs_q', [e0, d0, i + 1], p[3 - i])


def main():
    rng = random.Random(20261125)
    inverse_bounds(rng)
    tails(rng)
    leaks(rng)
    four_outputs(rng)
    profiles(rng)
    noise(rng)
    print('function\targuments\tvalue')
    for name, arguments, value in rows:
        print(name + '\t' + ' '.join(repr(x) for x in arguments) + '\t' + value)


if __name__ == '__main__':
    main()
