/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "fr.h"
#include "fr_vectors.h"
#include "selftest.h"

static bool same_limbs(const struct fr *x, const uint64_t want[FR_LIMBS])
{
	uint64_t limb[FR_LIMBS];

	fr_to_limbs(x, limb);
	return memcmp(limb, want, sizeof(limb)) == 0;
}

static bool known_answers(void)
{
	for (size_t i = 0; i < sizeof(fr_vectors) / sizeof(fr_vectors[0]); i++) {
		struct fr a = fr_from_limbs(fr_vectors[i][0]);
		struct fr b = fr_from_limbs(fr_vectors[i][1]);
		struct fr sum = fr_add(&a, &b);
		struct fr difference = fr_sub(&a, &b);
		struct fr product = fr_mul(&a, &b);
		struct fr turned = fr_mul(&b, &a);

		EXPECT(same_limbs(&a, fr_vectors[i][0]), "there and back, vector %zu", i);
		EXPECT(same_limbs(&sum, fr_vectors[i][2]), "sum, vector %zu", i);
		EXPECT(same_limbs(&difference, fr_vectors[i][3]), "difference, vector %zu", i);
		EXPECT(same_limbs(&product, fr_vectors[i][4]), "product, vector %zu", i);
		EXPECT(fr_equal(&product, &turned), "commuted product, vector %zu", i);
	}
	for (size_t i = 0; i < sizeof(fr_powers) / sizeof(fr_powers[0]); i++) {
		struct fr power = fr_power_of_two(fr_powers[i].exponent);

		EXPECT(same_limbs(&power, fr_powers[i].power), "2^%u", fr_powers[i].exponent);
	}
	return true;
}

/* The laws of a field, along a walk that each step mixes. */
static bool laws(void)
{
	struct fr x = fr_from_u64(0x123456789abcdef1ULL);
	struct fr y = fr_from_u64(381);
	struct fr z = fr_power_of_two(200);
	const struct fr one = FR_ONE;
	const struct fr zero = FR_ZERO;

	for (int i = 0; i < 20000; i++) {
		struct fr minus = fr_neg(&x);
		struct fr gone = fr_add(&x, &minus);
		struct fr times_one = fr_mul(&x, &one);
		struct fr twice = fr_double(&x);
		struct fr sum = fr_add(&x, &y);
		struct fr back = fr_sub(&sum, &y);
		struct fr left = fr_mul(&sum, &z);
		struct fr xz = fr_mul(&x, &z);
		struct fr yz = fr_mul(&y, &z);
		struct fr right = fr_add(&xz, &yz);
		struct fr xy = fr_mul(&x, &y);
		struct fr xy_z = fr_mul(&xy, &z);
		struct fr x_yz = fr_mul(&x, &yz);
		struct fr x_plus_x = fr_add(&x, &x);

		EXPECT(fr_is_zero(&gone) && fr_equal(&gone, &zero), "x - x, step %d", i);
		EXPECT(fr_equal(&times_one, &x), "x * 1, step %d", i);
		EXPECT(fr_equal(&twice, &x_plus_x), "2x, step %d", i);
		EXPECT(fr_equal(&back, &x), "x + y - y, step %d", i);
		EXPECT(fr_equal(&left, &right), "(x + y) z, step %d", i);
		EXPECT(fr_equal(&xy_z, &x_yz), "(x y) z, step %d", i);
		z = y;
		y = x;
		x = fr_add(&xy_z, &sum);
	}
	return true;
}

bool selftest_fr(void)
{
	const struct fr one = FR_ONE;
	struct fr made = fr_from_u64(1);

	EXPECT(fr_equal(&one, &made), "the constant one");
	return known_answers() && laws();
}
