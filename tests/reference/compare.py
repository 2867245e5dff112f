#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference values for tests/unit/test_compare.c and test_describe.c, by ways of their own.

usage: python3 compare.py >compare_values.h     (Debian: python3-numpy python3-scipy)

t and quantiles: scipy.stats; the null distribution of the signed-rank statistic: all 2^n choices of
signs (n <= 12), scipy.stats.wilcoxon's exact p-values (n <= 50), whole numbers of any size above;
Walsh averages: a sorted list; residual variance: least squares on dummy variables.
"""
import itertools
import math
import sys

import numpy as np
import scipy
from scipy import stats

rng = np.random.default_rng(20240229)


def num(x):
    x = float(x)
    return "NAN" if math.isnan(x) else ("-" if x < 0 else "") + "INFINITY" if math.isinf(x) else repr(x)


def array(name, values):
    print(f"static const double {name}[] = {{")
    for i in range(0, len(values), 4):
        print("\t" + " ".join(num(v) + "," for v in values[i:i + 4]))
    print("};")


def table(name, fields, rows):
    print(f"static const struct {{\n\t{fields}\n}} {name}[] = {{")
    for row in rows:
        print("\t{" + ", ".join(str(v) if isinstance(v, int) else num(v) for v in row) + "},")
    print("};")


def tail_all_signs(n):
    """P(T+ <= k) for all k by going through every choice of signs."""
    ranks = np.arange(1, n + 1)
    sums = np.zeros(n * (n + 1) // 2 + 1)
    for signs in itertools.product((0, 1), repeat=n):
        sums[int(np.dot(signs, ranks))] += 1
    return np.cumsum(sums) / 2**n


def values_with_sum(n, k):
    """n values without ties whose positive ranks sum to k."""
    signs = np.full(n, -1.0)
    for rank in range(n, 0, -1):
        if k >= rank:
            signs[rank - 1] = 1.0
            k -= rank
    assert k == 0
    return signs * np.arange(1, n + 1)


def cdf_scipy(n, k):
    """From the two-sided exact p-value of data whose smaller rank sum is k."""
    return stats.wilcoxon(values_with_sum(n, k), mode="exact").pvalue / 2


def cdf_whole(n):
    counts = [1] + [0] * (n * (n + 1) // 2)
    for rank in range(1, n + 1):
        for s in range(len(counts) - 1, rank - 1, -1):
            counts[s] += counts[s - rank]
    total, out = 0, []
    for c in counts:
        total += c
        out.append(total)
    return out  # over 2^n


def hl_interval(d, level):
    n = len(d)
    walsh = np.sort([(d[i] + d[j]) / 2 for i in range(n) for j in range(i, n)])
    if n <= 12:
        cdf = tail_all_signs(n)
        k = int(np.searchsorted(cdf, level / 2, side="right"))
    else:
        cdf = cdf_whole(n)
        k = 0
        while cdf[k] <= level / 2 * 2**n:
            k += 1
    if k == 0:
        return np.median(walsh), -math.inf, math.inf
    return np.median(walsh), walsh[k - 1], walsh[len(walsh) - k]


def residual_variance(y):
    """Least squares on dummy variables over the values that are there."""
    v, b = y.shape
    there = [(i, j) for i in range(v) for j in range(b) if not math.isnan(y[i, j])]
    design = np.zeros((len(there), v + b))
    for k, (i, j) in enumerate(there):
        design[k, i] = design[k, v + j] = 1
    z = np.array([y[i, j] for i, j in there])
    fit, _, rank, _ = np.linalg.lstsq(design, z, rcond=None)
    return np.sum((z - design @ fit) ** 2) / (len(there) - rank)


def main():
    print("/* SPDX-License-Identifier: GPL-3.0-or-later */")
    print(f"/* Made by compare.py with numpy {np.__version__}, scipy {scipy.__version__}. */")
    print("/* clang-format off */")
    print("#include <math.h>\n#include <stddef.h>\n")

    d = np.round(rng.normal(0.01, 0.02, 60), 6)
    d[7] = 0.25  # an outlier
    array("reference_d", d)

    rows = []
    for n in (2, 3, 4, 5, 10, 40):
        for level in (0.05, 0.1, 0.01, 0.05 / 36, 1e-6):
            x = d[:n]
            low, high = stats.t.interval(1 - level, n - 1, loc=np.mean(x), scale=stats.sem(x))
            rows.append((n, level, np.mean(x), low, high))
    table("reference_t", "size_t n;\n\tdouble level, estimate, low, high;", rows)

    rows = []
    for n in (1, 2, 4, 5):
        for d0, s02 in ((4, 0.0003), (4, 0.0), (2.5, 0.01)):
            x = d[:n]
            s2 = (d0 * s02 + np.sum((x - x.mean()) ** 2)) / (d0 + n - 1)
            q = stats.t.ppf(1 - 0.025, d0 + n - 1)
            h = q * math.sqrt(s2 / n)
            rows.append((n, float(d0), s02, x.mean() - h, x.mean() + h))
    table("reference_moderated", "size_t n;\n\tdouble d0, s02, low, high;", rows)

    rows = [(n, k, v) for n in (1, 2, 5, 9, 12) for k, v in enumerate(tail_all_signs(n)) if k % 3 == 0]
    for n, ks in ((20, (0, 30, 52, 100)), (33, (100, 170, 250)), (50, (200, 434, 600))):
        rows += [(n, k, cdf_scipy(n, k)) for k in ks]
    table("reference_cdf", "size_t n, k;\n\tdouble p;", rows)

    rows = []
    for n in (5, 6, 7, 8, 10, 11, 12, 15, 20, 32, 50, 60):
        for level in (0.05, 0.1, 0.01):
            if n > 50 and level != 0.05:
                continue
            rows.append((n, level) + tuple(hl_interval(d[:n], level)))
    table("reference_hl", "size_t n;\n\tdouble level, estimate, low, high;", rows)

    y = np.round(rng.normal(0, 0.01, (4, 6)) + np.arange(4)[:, None] * 0.1 + rng.normal(0, 1, 6), 6)
    y[2, 3] = math.nan
    array("reference_y", y.ravel())
    print(f"static const double reference_residual_variance = {num(residual_variance(y))};")
    z = y.copy()
    for i, j in ((1, 0), (2, 0), (3, 1), (1, 1), (2, 2), (1, 4), (3, 5)):
        z[i, j] = math.nan  # blocks of some rows each, the first row in all of them
    array("reference_incomplete", z.ravel())
    print(f"static const double reference_incomplete_variance = {num(residual_variance(z))};")

    x = np.round(rng.lognormal(0, 0.5, 11), 4)
    array("reference_x", x)
    print(f"static const double reference_mean = {num(np.mean(x))};")
    print(f"static const double reference_sd = {num(np.std(x, ddof=1))};")
    print(f"static const double reference_median = {num(np.median(x))};")
    print(f"static const double reference_mad = {num(stats.median_abs_deviation(x))};")
    print(f"static const double reference_geomean = {num(stats.gmean(x))};")
    table("reference_quantile", "double p, value;",
          [(p, np.percentile(x, 100 * p)) for p in (0.0, 0.05, 0.25, 0.5, 0.61, 0.9, 1.0)])


if __name__ == "__main__":
    sys.exit(main())
