#!/usr/bin/env python3
"""Writes test/noise.tsv: the least integer standard deviation that is private, by mpmath.

usage: test/noise.py > test/noise.tsv        (a minute)

Columns: kind, then
  single  epsilon, delta, l2_sensitivity, max_exponent, exponent, the least sigma_int with which the
          discrete Gaussian on that grid is (epsilon, delta)-DP for every shift up to the sensitivity
  joint   mu, l2_sensitivity, max_exponent, exponent, the least sigma_int at which the discrete profile
          is nowhere above that of mu-GDP, over a range of epsilon
Arguments are exact doubles.  Written independently of the C code: the tails of the discrete Gaussian are
summed by Euler and Maclaurin's formula, whose error is far below the digits that matter at sigma
of 2^30 and more; delta is the difference of two of them (Canonne, Kamath and Steinke 2020, Theorem 7).
"""
import random

from mpmath import erfc, exp, floor, log, mp, mpf, pi, sqrt

mp.dps = 90


def tail(m, s):
    """P(Y >= m) for Y from the discrete Gaussian of standard deviation s."""
    a = mpf(m) - mpf(1) / 2
    v = mpf(s) ** 2
    x = a / v
    f1 = -x
    f3 = 3 * x / v - x ** 3
    f5 = -15 * x / v ** 2 + 10 * x ** 3 / v - x ** 5
    f7 = 105 * x / v ** 3 - 105 * x ** 3 / v ** 2 + 21 * x ** 5 / v - x ** 7
    terms = f1 / 24 - 7 * f3 / 5760 + 31 * f5 / 967680 - 127 * f7 / 154828800
    density = exp(-a * a / (2 * v)) / (s * sqrt(2 * pi))
    return erfc(a / (s * sqrt(mpf(2)))) / 2 + density * terms


def delta_discrete(epsilon, s, shift):
    s, shift = mpf(s), mpf(shift)
    centre = epsilon * s * s / shift
    low = int(floor(centre - shift / 2)) + 1
    high = int(floor(centre + shift / 2)) + 1
    return tail(low, s) - exp(epsilon) * tail(high, s)


def delta_continuous(epsilon, mu):
    sf = lambda x: erfc(x / sqrt(mpf(2))) / 2
    return sf(epsilon / mu - mu / 2) - exp(epsilon) * sf(epsilon / mu + mu / 2)


def mu_of(epsilon, delta):
    low, high = mpf(2) ** -60, mpf(2) ** 30
    for _ in range(250):
        mid = sqrt(low * high)
        if delta_continuous(epsilon, mid) > delta:
            high = mid
        else:
            low = mid
    return low


def grid(sigma, sensitivity, max_exponent):
    """The largest e with sigma >= 2^(e+30) and sensitivity >= 2^(e+10)."""
    e = min(int(floor(log(sigma, 2))) - 30, int(floor(log(sensitivity, 2))) - 10, max_exponent)
    assert sigma >= mpf(2) ** (e + 30) and sensitivity >= mpf(2) ** (e + 10)
    return e


def least(sigma, private):
    low, high = int(sigma * (1 - mpf(10) ** -5)) - 8, int(sigma * (1 + mpf(10) ** -2)) + 8
    assert not private(low) and private(high)
    while high - low > 1:
        mid = (low + high) // 2
        low, high = (low, mid) if private(mid) else (mid, high)
    return high


def single(epsilon, delta, sensitivity, max_exponent):
    e64, d64, s64 = mpf(epsilon), mpf(delta), mpf(sensitivity)
    sigma = s64 / mu_of(e64, d64)
    e = grid(sigma, s64, max_exponent)
    shift = int(floor(s64 / mpf(2) ** e))
    print("single", "%.17g" % epsilon, "%.17g" % delta, "%.17g" % sensitivity, max_exponent, e,
          least(sigma / mpf(2) ** e, lambda s: delta_discrete(e64, s, shift) <= d64), sep="\t")


def joint(mu, sensitivity, max_exponent):
    m, s64 = mpf(mu), mpf(sensitivity)
    e = grid(s64 / m, s64, max_exponent)
    shift = int(floor(s64 / mpf(2) ** e))
    at = [mpf(0)] + [m * m / 2 + m * mpf(z) / 4 for z in range(-40, 41)]
    at = [(x, delta_continuous(x, m)) for x in at if x >= 0]
    print("joint", "%.17g" % mu, "%.17g" % sensitivity, max_exponent, e,
          least(s64 / m / mpf(2) ** e,
                lambda s: all(delta_discrete(x, s, shift) <= d for x, d in at)), sep="\t")


def main():
    generator = random.Random(2)
    epsilons = [1e-3, 0.01, 0.1, 0.5, 1.0, 2.0, 4.0, 8.0, 20.0, 50.0, 200.0, 1000.0, 1e5]
    for epsilon in epsilons:
        for delta in [1e-300, 1e-12, 1e-6, 1e-3, 0.1, 0.7]:
            single(epsilon, delta, 1.0, 0)
    for _ in range(60):
        single(10 ** generator.uniform(-3, 4), 10 ** generator.uniform(-30, -0.1),
               *generator.choice([(10 ** generator.uniform(-20, 20), 900),
                                  (10 ** generator.uniform(-20, 4), 0)]))
    for mu in [1e-4, 0.01, 0.1, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 10.0, 12.0, 13.0, 15.0, 16.5]:
        joint(mu, 1.0, 0)
        joint(mu, 10 ** generator.uniform(-20, 20), 900)


main()
