# SPDX-License-Identifier: GPL-3.0-or-later
# The numbers of test_analysis.c's test_known_values, made without any code of ours: moderated paired
# t on log ratios (prior: d0 = 4, s0^2 = 2 x two-way residual variance) at level .05 / 3.
import math

rows = {
    "none": [1.000, 1.105, 0.898, 1.052],
    "SLOW": [1.202, 1.318, 1.083, 1.257],
    "FAST": [0.901, 0.992, 0.812, 0.943],
    "NOP": [1.001, 1.103, 0.900, 1.051],
}


def t_cdf(x, df):
    n, a = 200000, math.gamma((df + 1) / 2) / math.sqrt(df * math.pi) / math.gamma(df / 2)
    h = x / n
    f = [a * (1 + (i * h) ** 2 / df) ** (-(df + 1) / 2) for i in range(n + 1)]
    return 0.5 + h / 3 * (f[0] + f[-1] + 4 * sum(f[1:-1:2]) + 2 * sum(f[2:-1:2]))


def t_quantile(p, df):
    low, high = 0.0, 50.0
    for _ in range(60):
        mid = (low + high) / 2
        low, high = (mid, high) if t_cdf(mid, df) < p else (low, mid)
    return low


y = [[math.log(v) for v in r] for r in rows.values()]
V, B = len(y), len(y[0])
grand = sum(map(sum, y)) / V / B
row = [sum(r) / B for r in y]
col = [sum(r[b] for r in y) / V for b in range(B)]
s2 = sum((y[v][b] - row[v] - col[b] + grand) ** 2 for v in range(V) for b in range(B))
s02 = 2 * s2 / ((V - 1) * (B - 1))
q = t_quantile(1 - 0.05 / 3 / 2, 4 + B - 1)
for name, v in zip(list(rows)[1:], y[1:]):
    d = [a - b for a, b in zip(v, y[0])]
    m = sum(d) / B
    ss = sum((x - m) ** 2 for x in d)
    half = q * math.sqrt((4 * s02 + ss) / (4 + B - 1) / B)
    print(name, *("%.9f" % math.expm1(x) for x in (m, m - half, m + half)))
