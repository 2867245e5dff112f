#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes fr_vectors.h: known answers for fr.c from Python's integers. Run by hand, the output
is kept, formatted by clang-format."""
import random

R = 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001
rng = random.Random(381)


def limbs(x):
    return "{" + ", ".join(f"0x{x >> 64 * i & (1 << 64) - 1:016x}" for i in range(4)) + "}"


edges = [0, 1, 2, R - 1, R - 2, (R - 1) // 2, (R + 1) // 2, 2**64 - 1, 2**64, 2**128 - 1, 2**192,
         2**254, 2**254 - 1, pow(2, 256, R), pow(2, 512, R), R - 2**32, R - 2**64, R - 2**192]
pairs = [(a, b) for a in edges for b in edges if a <= b][::7]
pairs += [(0, 0), (R - 1, R - 1), (1, R - 1), (2**254, 2**254), (2**254 - 1, R - 1)]
pairs += [(rng.randrange(R), rng.randrange(R)) for _ in range(40)]

print("/* SPDX-License-Identifier: GPL-3.0-or-later */")
print("/* Written by fr_vectors.py. Plain integers below r: a, b, a + b, a - b, a * b. */")
print("static const uint64_t fr_vectors[][5][FR_LIMBS] = {")
for a, b in pairs:
    print("\t{" + ",\n\t\t".join(map(limbs, (a, b, (a + b) % R, (a - b) % R, a * b % R))) + "},")
print("};")
print()
print("/* 2^exponent */")
print("static const struct {")
print("\tunsigned exponent;")
print("\tuint64_t power[FR_LIMBS];")
print("} fr_powers[] = {")
for e in (0, 1, 63, 64, 253, 254, 255, 256, 1000):
    print("\t{" + f"{e}, {limbs(pow(2, e, R))}" + "},")
print("};")
