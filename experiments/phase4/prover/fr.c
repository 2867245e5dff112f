/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fr.h"

__extension__ typedef unsigned __int128 u128;

static const uint64_t modulus[FR_LIMBS] = {
	0xffffffff00000001ULL, 0x53bda402fffe5bfeULL, 0x3339d80809a1d805ULL, 0x73eda753299d7d48ULL};

/* -1/r mod 2^64 */
static const uint64_t minus_inverse = 0xfffffffeffffffffULL;

/* 2^512 mod r: a product with it brings an integer into Montgomery form */
static const struct fr r_squared = {{0xc999e990f3f29c6dULL, 0x2b6cedcb87925c23ULL,
	0x05d314967254398fULL, 0x0748d9d99f59ff11ULL}};

/* t - r if t >= r, else t; needs t < 2r */
static inline struct fr reduce_once(const uint64_t t[FR_LIMBS])
{
	struct fr d;
	uint64_t borrow = 0;

#pragma GCC unroll 4
	for (int i = 0; i < FR_LIMBS; i++) {
		u128 x = (u128)t[i] - modulus[i] - borrow;
		d.limb[i] = (uint64_t)x;
		borrow = (uint64_t)(x >> 64) & 1;
	}
	uint64_t keep = 0 - borrow; /* all ones: t was below r */
#pragma GCC unroll 4
	for (int i = 0; i < FR_LIMBS; i++)
		d.limb[i] = (t[i] & keep) | (d.limb[i] & ~keep);
	return d;
}

struct fr fr_add(const struct fr *a, const struct fr *b)
{
	uint64_t t[FR_LIMBS];
	uint64_t carry = 0;

#pragma GCC unroll 4
	for (int i = 0; i < FR_LIMBS; i++) {
		u128 x = (u128)a->limb[i] + b->limb[i] + carry;
		t[i] = (uint64_t)x;
		carry = (uint64_t)(x >> 64);
	}
	return reduce_once(t);
}

struct fr fr_sub(const struct fr *a, const struct fr *b)
{
	struct fr d;
	uint64_t borrow = 0;
	uint64_t carry = 0;

#pragma GCC unroll 4
	for (int i = 0; i < FR_LIMBS; i++) {
		u128 x = (u128)a->limb[i] - b->limb[i] - borrow;
		d.limb[i] = (uint64_t)x;
		borrow = (uint64_t)(x >> 64) & 1;
	}
	uint64_t add_back = 0 - borrow;
#pragma GCC unroll 4
	for (int i = 0; i < FR_LIMBS; i++) {
		u128 x = (u128)d.limb[i] + (modulus[i] & add_back) + carry;
		d.limb[i] = (uint64_t)x;
		carry = (uint64_t)(x >> 64);
	}
	return d;
}

struct fr fr_neg(const struct fr *a)
{
	struct fr zero = FR_ZERO;

	return fr_sub(&zero, a);
}

struct fr fr_double(const struct fr *a)
{
	return fr_add(a, a);
}

struct fr fr_mul(const struct fr *a, const struct fr *b)
{
	/* No limb above t[4]: r's top bit is clear, so each round ends below 2r < 2^256. */
	uint64_t t[FR_LIMBS + 1] = {0};

#pragma GCC unroll 4
	for (int i = 0; i < FR_LIMBS; i++) {
		uint64_t carry = 0;
#pragma GCC unroll 4
		for (int j = 0; j < FR_LIMBS; j++) {
			u128 x = (u128)a->limb[j] * b->limb[i] + t[j] + carry;
			t[j] = (uint64_t)x;
			carry = (uint64_t)(x >> 64);
		}
		t[FR_LIMBS] += carry;

		uint64_t m = t[0] * minus_inverse;
		u128 x = (u128)m * modulus[0] + t[0];
		carry = (uint64_t)(x >> 64);
#pragma GCC unroll 4
		for (int j = 1; j < FR_LIMBS; j++) {
			x = (u128)m * modulus[j] + t[j] + carry;
			t[j - 1] = (uint64_t)x;
			carry = (uint64_t)(x >> 64);
		}
		t[FR_LIMBS - 1] = t[FR_LIMBS] + carry;
		t[FR_LIMBS] = 0;
	}
	return reduce_once(t);
}

struct fr fr_power_of_two(unsigned exponent)
{
	struct fr power = FR_ONE;
	unsigned bit = 1u << 31;

	while (bit && !(exponent & bit))
		bit >>= 1;
	for (; bit; bit >>= 1) {
		power = fr_mul(&power, &power);
		if (exponent & bit)
			power = fr_double(&power);
	}
	return power;
}

struct fr fr_from_u64(uint64_t x)
{
	const uint64_t limb[FR_LIMBS] = {x, 0, 0, 0};

	return fr_from_limbs(limb);
}

struct fr fr_from_limbs(const uint64_t limb[FR_LIMBS])
{
	struct fr plain;

	memcpy(plain.limb, limb, sizeof(plain.limb));
	return fr_mul(&plain, &r_squared);
}

void fr_to_limbs(const struct fr *a, uint64_t ret_limb[FR_LIMBS])
{
	const struct fr one = {{1, 0, 0, 0}};
	struct fr plain = fr_mul(a, &one);

	memcpy(ret_limb, plain.limb, sizeof(plain.limb));
}
