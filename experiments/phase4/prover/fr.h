/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The scalar field Fr of BLS12-381: integers modulo
 *   r = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001
 * in Montgomery form: an element x is kept as x * 2^256 mod r in four 64-bit limbs, the least
 * significant first, always below r, so that equal elements have equal limbs. r < 2^255, so a
 * sum of two elements never overflows four limbs.
 *
 * Multiplication is CIOS (Koc, Acar, Kaliski, "Analyzing and Comparing Montgomery
 * Multiplication Algorithms", IEEE Micro 16(3), 1996) with a constant limb count. Nothing here
 * runs in constant time: there are no secrets in a benchmark.
 */
#ifndef PROVER_FR_H
#define PROVER_FR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define FR_LIMBS 4

struct fr {
	uint64_t limb[FR_LIMBS];
};

_Static_assert(sizeof(struct fr) == 32, "a scalar is 32 bytes");

#define FR_ZERO ((struct fr){{0, 0, 0, 0}})
/* 2^256 mod r */
#define FR_ONE \
	((struct fr){{0x00000001fffffffeULL, 0x5884b7fa00034802ULL, 0x998c4fefecbc4ff5ULL, \
		0x1824b159acc5056fULL}})

static inline bool fr_equal(const struct fr *a, const struct fr *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static inline bool fr_is_zero(const struct fr *a)
{
	return (a->limb[0] | a->limb[1] | a->limb[2] | a->limb[3]) == 0;
}

struct fr fr_add(const struct fr *a, const struct fr *b);
struct fr fr_sub(const struct fr *a, const struct fr *b);
struct fr fr_neg(const struct fr *a);
struct fr fr_double(const struct fr *a);
struct fr fr_mul(const struct fr *a, const struct fr *b);
/* 2^exponent */
struct fr fr_power_of_two(unsigned exponent);

struct fr fr_from_u64(uint64_t x);
/* From an ordinary integer below r, least significant limb first, and back. */
struct fr fr_from_limbs(const uint64_t limb[FR_LIMBS]);
void fr_to_limbs(const struct fr *a, uint64_t ret_limb[FR_LIMBS]);

#endif
