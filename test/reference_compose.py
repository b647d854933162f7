#!/usr/bin/env python3
"""Writes test/reference_compose.tsv: compositions, conversions and the GDP transformation, by mpmath.

usage: test/reference_compose.py > test/reference_compose.tsv       (a minute; the seed is fixed)

Columns: function, arguments, value (25 digits), as in test/reference.tsv and for the same table,
test/unit/golden_table.h.  Textbook formulas at 400 digits and more, inverses by bisection; written
independently of the C code.
"""
import random

from mpmath import mp, mpf, binomial, ceil, erfc, exp, expm1, log, pi, sqrt, tanh

mp.dps = 420


def root(f, lo, hi, rising=True, steps=330):
    lo, hi = mpf(lo), mpf(hi)
    for _ in range(steps):
        mid = (lo + hi) / 2
        if (f(mid) > 0) == rising:
            hi = mid
        else:
            lo = mid
    return (lo + hi) / 2


def erfc_inv_log(ln_y):
    """x >= 0 with ln erfc(x) = ln_y"""
    x = root(lambda v: log(erfc(v)) - ln_y, 0, sqrt(-ln_y) + 1, False, 60)
    for _ in range(7):                      # Newton; the digits double
        e = erfc(x)
        x -= (log(e) - ln_y) * e / (-2 / sqrt(pi) * exp(-x * x))
    return x


def gauss_delta(eps, mu):
    a = (eps / mu - mu / 2) / sqrt(mpf(2))
    return (erfc(a) - exp(eps) * erfc(a + mu / sqrt(mpf(2)))) / 2


def gauss_rest(eps, mu):
    a = (eps / mu - mu / 2) / sqrt(mpf(2))
    return (erfc(-a) + exp(eps) * erfc(a + mu / sqrt(mpf(2)))) / 2


def gauss_mu(eps, delta):
    """by bisection in ln mu, then the secant method"""
    if delta <= 0:
        return mpf(0)
    goal = log(delta) if delta < 0.5 else log(1 - delta)

    def f(t):
        return log(gauss_delta(eps, exp(t))) - goal if delta < 0.5 else goal - log(gauss_rest(eps, exp(t)))
    lo, hi = log(delta) - 1, log(sqrt(2 * eps) + 4 * sqrt(abs(log(delta)) + abs(log(1 - delta))) + 3)
    for _ in range(40):
        mid = (lo + hi) / 2
        lo, hi = (lo, mid) if f(mid) > 0 else (mid, hi)
    fl, fh = f(lo), f(hi)
    for _ in range(9):
        t = lo - fl * (hi - lo) / (fh - fl)
        lo, fl, hi, fh = hi, fh, t, f(t)
        if abs(hi - lo) < mpf(10) ** -40:
            break
    return exp(hi)


# --------------------------------------------------------------------------- composition
def kov_delta(eps, delta, k, eps_g):
    k = int(k)
    s = sum((binomial(k, l) * (exp((k - l) * eps) - exp(eps_g + l * eps))
             for l in range(k + 1) if (k - l) * eps > eps_g + l * eps), mpf(0)) / (1 + exp(eps)) ** k
    kept = (1 - delta) ** k
    return 1 - kept + kept * s


def kov_eps(eps, delta, k, delta_g):
    if kov_delta(eps, delta, k, mpf(0)) <= delta_g:
        return mpf(0)
    return root(lambda g: kov_delta(eps, delta, k, g) - delta_g, 0, k * eps, False, 110)


def opt_hetero_delta(a, b, c, eps_g):
    s = mpf(0)
    for bits in range(8):
        inside = sum(e for i, e in enumerate((a, b, c)) if bits >> i & 1)
        outside = eps_g + sum(e for i, e in enumerate((a, b, c)) if not bits >> i & 1)
        s += max(exp(inside) - exp(outside), mpf(0))
    return s / ((1 + exp(a)) * (1 + exp(b)) * (1 + exp(c)))


def kov_simple_eps(eps, k, slack):
    base, v = k * eps * tanh(eps / 2), 2 * k * eps ** 2
    return min(k * eps, base + sqrt(v * log(exp(mpf(1)) + sqrt(k * eps ** 2) / slack)),
               base + sqrt(v * log(1 / slack)))


# --------------------------------------------------------------------------- conversions
def order_log_delta(x, tau, eps):
    return x * (tau - eps) + (1 + x) * log(x / (1 + x)) - log(x)


def order_eps(x, tau, delta):
    return tau + log(x / (1 + x)) - log(delta * (1 + x)) / x


def best_order(f):
    return exp(root(lambda t: f(exp(t)), -900, 900, True, 500))


def zcdp_delta_tight(rho, eps):
    x = best_order(lambda v: (2 * v + 1) * rho - eps + log(v / (1 + v)))
    return min(exp(order_log_delta(x, (1 + x) * rho, eps)), mpf(1))


def zcdp_eps_tight(rho, delta):
    x = best_order(lambda v: rho * v * v + log(1 + v) + log(delta))
    return max(order_eps(x, (1 + x) * rho, delta), mpf(0))


def zcdp_max_rho(eps, delta):
    return exp(root(lambda t: zcdp_eps_tight(exp(t), delta) - eps, -50, 30, True, 120))


def mcdp_delta(eps, m, tau):
    return min(exp(-(eps - m) ** 2 / (2 * tau ** 2)) + exp(-(eps + m) ** 2 / (2 * tau ** 2)), mpf(1)) \
        if eps > m else mpf(1)


def mcdp_eps(m, tau, delta):
    return root(lambda e: exp(-(e - m) ** 2 / (2 * tau ** 2)) + exp(-(e + m) ** 2 / (2 * tau ** 2)) - delta,
                m, m + tau * (sqrt(2 * log(2 / delta)) + 1), False, 200)


def zcdp_delta(rho, eps):
    return exp(-(eps - rho) ** 2 / (4 * rho)) if eps > rho else mpf(1)


def tcdp_eps(rho, omega, delta):
    L = -log(delta)
    return rho + 2 * sqrt(rho * L) if L <= (omega - 1) ** 2 * rho else rho * omega + L / (omega - 1)


def tcdp_delta(rho, omega, eps):
    if eps <= rho * (2 * omega - 1):
        return zcdp_delta(rho, eps)
    return exp(-(omega - 1) * (eps - rho * omega))


def cex(eps, delta, hat):
    E = exp(hat) + exp(eps)
    n = ceil(E * (1 - delta) / delta)
    q = (2 - delta) / (2 * (n - 1) + E)
    return n, (E * q + delta) / 2, q


def implied_delta(e0, d0, e):
    return d0 + (1 - d0) * (1 - exp(e - e0)) / (1 + exp(-e0)) if e < e0 else d0


def implied_delta_max(e, e0, d0):
    return (d0 * (1 + exp(e)) - exp(e) + exp(e0)) / (1 + exp(e0))


def refine_sigma(eps, delta):
    """sigma, epsilon0 and delta0"""
    def d0(x):
        return implied_delta_max(x, eps, delta)

    def slope(x):
        return x * (1 - delta) * exp(x) / ((1 + exp(eps)) * d0(x)) + log(d0(x)) if d0(x) > 0 else mpf(1)
    x = eps if slope(eps) >= 0 else root(slope, eps, log((exp(eps) + delta) / (1 - delta)), True, 200)
    return -log(d0(x)) / x, x, d0(x)


def main():
    rng = random.Random(20261122)
    print('function\targuments\tvalue')

    def add(name, value, *args):
        if value == 0 or (mpf('1e-306') < abs(value) < mpf('1e307')):
            print(name + '\t' + ' '.join(repr(x) for x in args) + '\t'
                  + mp.nstr(value, 25, strip_zeros=False, min_fixed=-5, max_fixed=20), flush=True)

    def call(name, f, *args):
        add(name, f(*[mpf(x) for x in args]), *args)

    def wide(lo, hi):
        return 10.0 ** rng.uniform(lo, hi)

    def probability():
        kind = rng.random()
        if kind < 0.5:
            return wide(-300, 0) if kind < 0.2 else wide(-12, 0)
        return rng.uniform(0.001, 0.999) if kind < 0.8 else 1 - max(wide(-15.5, -1), 1.2e-16)

    for _ in range(25):
        eps, k = wide(-12, 1.3), float(rng.choice([1, 2, 3, 7, 30, 100, rng.randrange(1, 300)]))
        delta = rng.choice([0.0, 0.0, probability(), wide(-12, -6), wide(-300, -1)])
        g = k * eps * rng.choice([0, rng.random(), rng.random() ** 3, 1 - wide(-9, -1), 0.3 / k ** 0.5])
        call('kov_delta', kov_delta, eps, delta, k, g)
        total = float(kov_delta(mpf(eps), mpf(delta), k, mpf(g)))
        if 0 < total < 1:
            goal = total * (1 + rng.choice([1e-15, 1e-9, 0.1]))
            if goal < 1:
                call('kov_eps', kov_eps, eps, delta, k, goal)
        parts = [wide(-6, 1) for _ in range(3)]
        call('opt_hetero_delta', opt_hetero_delta, *parts, sum(parts) * rng.choice([0, rng.random(), 0.999999]))
        slack, k = probability(), float(int(wide(0, 9)))
        call('advanced_comp_eps', lambda e, n, s: e * sqrt(-2 * n * log(s)) + n * e * expm1(e), eps, k, slack)
        call('kov_simple_eps', kov_simple_eps, eps, k, slack)
        mus = [wide(-300, 300) if rng.random() < 0.2 else wide(-6, 3) for _ in range(4)]
        call('compose_mu', lambda *m: sqrt(sum(x * x for x in m)), *mus)
        pairs = [wide(-6, 6) for _ in range(6)]
        call('compose_sigma_star', lambda a, b, c, d, e, f: 1 / sqrt((a / b) ** 2 + (c / d) ** 2 + (e / f) ** 2),
             *pairs)

        eps, delta = wide(-12, 6), probability()
        hat = eps + rng.choice([wide(-12, 3), eps * wide(-15, 0)])
        if hat > eps:
            call('dp_to_pdp_delta_two', lambda e, d, t: min(d * (1 + exp(-t)) / -expm1(e - t), mpf(1)), eps, delta, hat)
            call('dp_to_pdp_delta_one', lambda e, d, t: min(d / -expm1(e - t), mpf(1)), eps, delta, hat)
        more = min(1.0, delta * (1 + rng.choice([3e-16, wide(-12, 0), wide(0, 9)])))
        if more > delta:
            call('dp_to_pdp_eps_one', lambda e, d, h: e - log(1 - d / h), eps, delta, more)
            call('dp_to_pdp_eps_two', lambda e, d, h: log((d + h * exp(e)) / (h - d)), eps, delta, more)
            call('dp_to_pdp_eps_one_lower', lambda e, d, h: e + log(1 + d / h), eps, delta, more)
        e, d = wide(-6, 1.5), wide(-20, -0.31)
        hat = float(e - log(1 - mpf(d))) * (1 + wide(-10, 1))
        for i, name in enumerate(('cex_n', 'cex_p', 'cex_q')):
            call(name, lambda a, b, c: cex(a, b, c)[i], e, d, hat)

        rho, alpha, omega = wide(-12, 5), 1 + wide(-12, 9), 1 + wide(-6, 4)
        over = rho * (1 + wide(-6, 6))
        call('zcdp_eps', lambda r, t: r + 2 * sqrt(-r * log(t)), rho, delta)
        call('zcdp_delta', zcdp_delta, rho, over)
        call('zcdp_eps_tight', zcdp_eps_tight, rho, delta)
        call('zcdp_delta_tight', zcdp_delta_tight, rho, over)
        if rng.random() < 0.3:
            call('zcdp_max_rho', zcdp_max_rho, wide(-6, 3), delta)
        call('zcdp_rho', lambda s, D: (D / s) ** 2 / 2, wide(-6, 6), wide(-6, 6))
        call('rdp_gauss', lambda a, m: a * m * m / 2, alpha, wide(-9, 9))
        call('rdp_to_dp_delta', lambda a, t, e: exp(order_log_delta(a - 1, t, e)), alpha, wide(-9, 3), wide(-9, 3))
        call('rdp_to_dp_eps', lambda a, t, d: max(order_eps(a - 1, t, d), mpf(0)), alpha, wide(-9, 3), delta)
        call('rdp_to_dp_eps_mironov', lambda a, t, d: t - log(d) / (a - 1), alpha, wide(-9, 3), delta)
        call('tcdp_eps', tcdp_eps, rho, omega, delta)
        call('tcdp_delta', tcdp_delta, rho, omega, over)
        m, tau = wide(-6, 3), wide(-6, 3)
        call('mcdp_delta', mcdp_delta, m + tau * wide(-3, 1.5), m, tau)
        call('mcdp_eps', mcdp_eps, m, tau, delta)

        e0 = wide(-12, 3)
        below = rng.choice([0.0, e0 * rng.random(), e0 * (1 - wide(-15, 0))])
        small = rng.choice([0.0, delta])
        call('implied_delta', implied_delta, e0, small, below)
        above = e0 * (1 + wide(-15, 0))
        if above - e0 < 600:
            call('implied_delta_max', implied_delta_max, above, e0, small)
        call('laplace_delta', lambda a, b: 1 - exp((a - b) / 2), below, e0)
        call('epsdp_to_mu', lambda e: 2 * sqrt(mpf(2)) * erfc_inv_log(log(2) - log(1 + exp(e))), e0)
        call('laplace_to_mu', lambda e: 2 * sqrt(mpf(2)) * erfc_inv_log(-e / 2), e0)
        if e0 < 200:
            call('gdpt_epsdp', lambda a, b: gauss_mu(a, implied_delta(b, mpf(0), a)), below, e0)
            call('gdpt_laplace', lambda a, b: gauss_mu(a, 1 - exp((a - b) / 2)), below, e0)
        gamma = rng.choice([wide(-12, 0), rng.random(), 1.0])
        call('subsample_eps', lambda e, g: log(1 + g * (exp(e) - 1)), wide(-12, 3), gamma)
        mu = wide(-3, 1)
        call('subsampled_gauss_delta', lambda e, m, g: g * gauss_delta(log(1 + (exp(e) - 1) / g), m),
             mu * wide(-6, 1), mu, gamma)
        for name, switch, profile in (('sgd_profile', mpf('1.18784889958051325833094582520'), lambda e: exp(-e * e)),
                                      ('icea_profile', mpf('1.15660703536557801753673534355'),
                                       lambda e: 4 * exp(mpf(-2)) / e)):
            call(name, lambda e: profile(e) if e >= switch else implied_delta(switch, profile(switch), e), wide(-6, 1.3))
        e, d = wide(-6, 1.5), rng.choice([wide(-30, 0), rng.random()])
        for i in range(3):
            call('refine_sigma_log', lambda a, b, w: refine_sigma(a, b)[int(w)], e, d, float(i))

        sigma, beta, dims = wide(-6, 6), probability(), float(int(wide(0, 9)))
        call('ci_halfwidth', lambda s, b, n: s * sqrt(mpf(2)) * erfc_inv_log(log(1 - (1 - b) ** (1 / n))),
             sigma, beta, dims)
        bounds = sorted(rng.choice([-1, 1]) * wide(-3, 6) for _ in range(2))
        average = bounds[0] + (bounds[1] - bounds[0]) * rng.random()
        k, m, share = float(rng.randrange(1, 50)), float(rng.randrange(1, 50)), rng.uniform(0.01, 0.99)
        w, off = lambda a, b: (b - a) / 2, lambda a, b, t: abs(t - (a + b) / 2)
        call('avg_sigma_sum', lambda a, b, u, p, x, y: x * sqrt(y) * w(a, b) / (u * sqrt(p)), *bounds, mu, share, k, m)
        call('avg_sigma_count', lambda u, p, x, y: x * sqrt(y) / (u * sqrt(1 - p)), mu, share, k, m)
        if bounds[0] <= average <= bounds[1]:
            call('avg_std', lambda a, b, t, u, p, n: sqrt(w(a, b) ** 2 / p + off(a, b, t) ** 2 / (1 - p)) / (u * n),
                 *bounds, average, mu, share, 1000.0)
            call('avg_best_p', lambda a, b, t: w(a, b) / (w(a, b) + off(a, b, t)), *bounds, average)


if __name__ == '__main__':
    main()
