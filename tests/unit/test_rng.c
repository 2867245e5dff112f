/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/rng.h"

#include <math.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

/* Values of the authors' C code, as the test vectors of rand_xoshiro (Rust) quote them. */
static void reference_stream(void **state)
{
	static const uint64_t expected[] = {UINT64_C(11520), UINT64_C(0), UINT64_C(1509978240),
		UINT64_C(1215971899390074240), UINT64_C(1216172134540287360),
		UINT64_C(607988272756665600), UINT64_C(16172922978634559625),
		UINT64_C(8476171486693032832), UINT64_C(10595114339597558777),
		UINT64_C(2904607092377533576)};
	struct rng rng = {{1, 2, 3, 4}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
		assert_true(rng_next(&rng) == expected[i]);
}

/* SplitMix64 from 0: the published first outputs are the state. */
static void seeding(void **state)
{
	struct rng rng = rng_seeded(0);

	(void)state;
	assert_true(rng.s[0] == UINT64_C(0xe220a8397b1dcdaf));
	assert_true(rng.s[1] == UINT64_C(0x6e789e6aa1b965f4));
	assert_true(rng.s[2] == UINT64_C(0x06c45d188009454f));
	assert_true(rng.s[3] == UINT64_C(0xf88bb8a8724c81ec));
}

static bool same(struct rng a, struct rng b)
{
	return !memcmp(&a, &b, sizeof(a));
}

static void derived_streams_differ(void **state)
{
	struct rng a = rng_derived(7, "cell", 3);

	(void)state;
	assert_true(same(a, rng_derived(7, "cell", 3)));
	assert_false(same(a, rng_derived(8, "cell", 3)));
	assert_false(same(a, rng_derived(7, "cell", 4)));
	assert_false(same(a, rng_derived(7, "cel", 3)));
	assert_false(same(a, rng_derived(7, "", 3)));
	assert_false(same(rng_derived(1, "a", 0), rng_derived(0, "a", 1)));
	/* Part of the interface: orders of stored sessions are made again from their seeds. */
	assert_true(rng_next(&a) == UINT64_C(17986693288865645425));
}

static void below_is_even(void **state)
{
	struct rng rng = rng_seeded(1);
	size_t counts[6] = {0};
	double chi = 0;

	(void)state;
	for (int i = 0; i < 60000; i++)
		counts[rng_below(&rng, 6)]++;
	for (size_t i = 0; i < 6; i++)
		chi += pow((double)counts[i] - 10000, 2) / 10000;
	assert_true(chi < 20.5); /* chi-squared, 5 degrees of freedom: p = .001 */
	for (int i = 0; i < 100; i++) {
		assert_true(rng_below(&rng, 1) == 0);
		assert_true(rng_below(&rng, UINT64_MAX) < UINT64_MAX);
	}
}

/* The values that modulo would count twice are drawn again: 2^64 mod n of them, the low ones. */
static void below_draws_again(void **state)
{
	const uint64_t n = (UINT64_C(1) << 63) + 1; /* nearly half of all values must go */
	struct rng rng = rng_seeded(2), check = rng;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		uint64_t got = rng_below(&rng, n), x;

		do {
			x = rng_next(&check);
		} while (x < n - 2);
		assert_true(got == x - (x >= n ? n : 0));
	}
}

static void moments(void **state)
{
	struct rng rng = rng_seeded(3);
	double sum[3] = {0}, squares[3] = {0};
	const int n = 100000;

	(void)state;
	for (int i = 0; i < n; i++) {
		const double v[3] = {rng_uniform(&rng), rng_normal(&rng), rng_exponential(&rng)};

		assert_true(v[0] >= 0 && v[0] < 1);
		assert_true(v[2] >= 0 && isfinite(v[1]) && isfinite(v[2]));
		for (int k = 0; k < 3; k++) {
			sum[k] += v[k];
			squares[k] += v[k] * v[k];
		}
	}
	/* Means .5, 0, 1; second moments 1/3, 1, 2: within five standard errors. */
	assert_true(fabs(sum[0] / n - .5) < .005);
	assert_true(fabs(sum[1] / n) < .016);
	assert_true(fabs(sum[2] / n - 1) < .016);
	assert_true(fabs(squares[0] / n - 1. / 3) < .005);
	assert_true(fabs(squares[1] / n - 1) < .023);
	assert_true(fabs(squares[2] / n - 2) < .071);
}

static void shuffling(void **state)
{
	struct rng rng = rng_seeded(4);
	size_t counts[6] = {0}, items[3] = {0};
	double chi = 0;

	(void)state;
	rng_shuffle(&rng, NULL, 0);
	for (int i = 0; i < 60000; i++) {
		for (size_t k = 0; k < 3; k++)
			items[k] = k;
		rng_shuffle(&rng, items, 3);
		assert_int_equal(items[0] + items[1] + items[2], 3);
		counts[items[0] * 2 + (items[1] > items[2])]++;
	}
	for (size_t i = 0; i < 6; i++)
		chi += pow((double)counts[i] - 10000, 2) / 10000;
	assert_true(chi < 20.5);
}

static void random_ids(void **state)
{
	char a[33], b[33];

	(void)state;
	rng_random_uid(a);
	rng_random_uid(b);
	assert_int_equal(strlen(a), 32);
	assert_int_equal(strspn(a, "0123456789abcdef"), 32);
	assert_string_not_equal(a, b);
	assert_true(rng_random_seed() != rng_random_seed());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reference_stream),
		cmocka_unit_test(seeding),
		cmocka_unit_test(derived_streams_differ),
		cmocka_unit_test(below_is_even),
		cmocka_unit_test(below_draws_again),
		cmocka_unit_test(moments),
		cmocka_unit_test(shuffling),
		cmocka_unit_test(random_ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
