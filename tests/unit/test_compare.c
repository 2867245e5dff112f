/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Intervals and verdicts against references made elsewhere (tests/reference/compare.py), published
 * tables, and their own promises in simulation with fixed seeds. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/base/rng.h"
#include "core/stats/compare.h"
#include "core/stats/describe.h"
#include "core/stats/two_way.h"
#include "tests/reference/compare_values.h"

#define assert_near(a, b, relative) \
	do { \
		double a_ = (a), b_ = (b); \
		if (!(a_ == b_ || fabs(a_ - b_) <= (relative)*fabs(b_))) \
			fail_msg("%s = %.17g, expected %.17g", #a, a_, b_); \
	} while (0)

static const struct variance_prior no_prior = {0, 0};

/* --- References --------------------------------------------------------------------------------
 */

static void test_describe(void **state)
{
	struct description got = describe(reference_x, ARRAY_SIZE(reference_x));
	double one = 3, mixed[] = {1, 0, 4};

	(void)state;
	assert_int_equal(got.n, 11);
	assert_near(got.mean, reference_mean, 1e-14);
	assert_near(got.sd, reference_sd, 1e-14);
	assert_near(got.median, reference_median, 0);
	assert_near(got.mad, reference_mad, 1e-12);
	assert_near(got.geomean, reference_geomean, 1e-14);
	for (size_t i = 0; i < ARRAY_SIZE(reference_quantile); i++)
		assert_near(quantile(reference_x, 11, reference_quantile[i].p),
			reference_quantile[i].value, 1e-14);
	assert_near(got.min, reference_quantile[0].value, 0);
	assert_near(got.max, reference_quantile[6].value, 0);

	got = describe(&one, 1);
	assert_true(got.mean == 3 && got.median == 3 && got.mad == 0 && isnan(got.sd));
	got = describe(NULL, 0);
	assert_true(isnan(got.mean) && isnan(got.median) && isnan(got.min) && isnan(got.geomean));
	assert_true(isnan(describe(mixed, 3).geomean));
	assert_true(isnan(quantile(NULL, 0, 0.5)) && isnan(quantile(mixed, 3, 1.5)));
}

static void test_interval_t(void **state)
{
	struct interval got;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(reference_t); i++) {
		got = interval_t(reference_d, reference_t[i].n, reference_t[i].level, no_prior);
		assert_near(got.estimate, reference_t[i].estimate, 1e-13);
		assert_near(got.high - got.low, reference_t[i].high - reference_t[i].low, 1e-8);
		assert_near(got.high + got.low, 2 * reference_t[i].estimate, 1e-8);
		assert_int_equal(got.method, METHOD_T);
	}
	for (size_t i = 0; i < ARRAY_SIZE(reference_moderated); i++) {
		struct variance_prior prior = {
			reference_moderated[i].d0, reference_moderated[i].s02};

		got = interval_t(reference_d, reference_moderated[i].n, 0.05, prior);
		assert_near(got.low, reference_moderated[i].low, 1e-8);
		assert_near(got.high, reference_moderated[i].high, 1e-8);
	}
	got = interval_t(reference_d, 1, 0.05, no_prior);
	assert_true(isinf(got.low) && isinf(got.high) && got.estimate == reference_d[0]);
	got = interval_t(NULL, 0, 0.05, (struct variance_prior){4, 1});
	assert_true(isnan(got.estimate) && isinf(got.low));
	/* A prior that could not be had is none. */
	got = interval_t(reference_d, 4, 0.05, (struct variance_prior){4, NAN});
	assert_true(got.low == interval_t(reference_d, 4, 0.05, no_prior).low);
}

static void test_signed_rank_distribution(void **state)
{
	/* Largest T with two-sided P <= .05 and <= .01, as printed in textbooks (Hollander and
	 * Wolfe, table A.4; Wilcoxon and Wilcox 1964); -1: none. */
	static const struct {
		size_t n;
		int five, one;
	} published[] = {
		{5, -1, -1},
		{6, 0, -1},
		{7, 2, -1},
		{8, 3, 0},
		{9, 5, 1},
		{10, 8, 3},
		{11, 10, 5},
		{12, 13, 7},
		{13, 17, 9},
		{14, 21, 12},
		{15, 25, 15},
		{20, 52, 37},
		{25, 89, 68},
		{30, 137, 109},
		{40, 264, 220},
		{50, 434, 373},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(reference_cdf); i++)
		assert_near(signed_rank_cdf(reference_cdf[i].n, reference_cdf[i].k),
			reference_cdf[i].p, 1e-12);
	for (size_t i = 0; i < ARRAY_SIZE(published); i++) {
		size_t n = published[i].n;
		int k = published[i].five;

		assert_true(k < 0 || 2 * signed_rank_cdf(n, (size_t)k) <= 0.05);
		assert_true(2 * signed_rank_cdf(n, (size_t)(k + 1)) > 0.05);
		assert_int_equal(interval_hl_exists(n, 0.05), k >= 0);
		assert_int_equal(interval_hl_exists(n, 0.01), published[i].one >= 0);
	}
	/* A level that is met exactly is met: 2/2^5. */
	assert_true(interval_hl_exists(5, 0.0625) && !interval_hl_exists(5, 0.0624));
	assert_true(signed_rank_cdf(4, 10) == 1 && signed_rank_cdf(4, 99) == 1);
	assert_true(isnan(signed_rank_cdf(51, 3)));
	/* At the per-look level .01009 from n = 8, at .00169 from n = 11. */
	assert_true(!interval_hl_exists(7, 0.01009) && interval_hl_exists(8, 0.01009));
	assert_true(!interval_hl_exists(10, 0.00169) && interval_hl_exists(11, 0.00169));
}

static void test_interval_hl(void **state)
{
	struct interval got;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(reference_hl); i++) {
		size_t n = reference_hl[i].n;
		/* Above 50 values the cut is approximate: it may be a neighbour's. */
		double relative = n > 50 ? 0.02 : 1e-12;

		got = interval_hl(reference_d, n, reference_hl[i].level);
		assert_near(got.estimate, reference_hl[i].estimate, 1e-12);
		assert_near(got.low, reference_hl[i].low, relative);
		assert_near(got.high, reference_hl[i].high, relative);
		assert_int_equal(isfinite(got.low), interval_hl_exists(n, reference_hl[i].level));
	}
	assert_true(isnan(interval_hl(NULL, 0, 0.05).estimate));
	/* The rule of the two methods. */
	assert_int_equal(interval_paired(reference_d, 5, 0.05, no_prior).method, METHOD_T);
	assert_int_equal(interval_paired(reference_d, 6, 0.05, no_prior).method, METHOD_HL);
	assert_int_equal(interval_paired(reference_d, 7, 0.01, no_prior).method, METHOD_T);
	assert_int_equal(interval_paired(reference_d, 8, 0.01, no_prior).method, METHOD_HL);
	assert_string_equal(interval_method_name(METHOD_HL), "signed-rank");
}

static void test_residual_variance(void **state)
{
	double y[8] = {1, 2, 3, 4, 2, 3, 4, 5};

	(void)state;
	assert_near(
		two_way_residual_variance(reference_y, 4, 6), reference_residual_variance, 1e-10);
	assert_near(two_way_residual_variance(reference_incomplete, 4, 6),
		reference_incomplete_variance, 1e-10);
	assert_near(two_way_residual_variance(y, 2, 4), 0, 0); /* rows and blocks add up */
	assert_true(isnan(two_way_residual_variance(y, 1, 8)));
	assert_true(isnan(two_way_residual_variance(y, 8, 1)));
	y[0] = y[5] = y[6] = NAN; /* nothing is left to judge by */
	assert_true(isnan(two_way_residual_variance(y, 2, 4)));
	assert_true(isnan(two_way_residual_variance(NULL, 0, 0)));
}

static void test_planning(void **state)
{
	struct interval h = {.level = 0.05, .df = 3};

	(void)state;
	/* t(3, .975) = 3.182446, t(7, .975) = 2.364624; s = .01 */
	h.low = -3.182446305 * 0.01 / 2;
	h.high = -h.low;
	assert_near(half_width_at(&h, 4, 8), 2.364624252 * 0.01 / sqrt(8), 1e-8);
	assert_near(half_width_at(&h, 4, 4), h.high, 0);
	assert_true(isinf(half_width_at(&h, 4, 1)));
	/* The textbook's n for a half width of one and of half a standard deviation. */
	assert_int_equal(blocks_needed(&h, 4, 0.01), 7);
	assert_int_equal(blocks_needed(&h, 4, 0.005), 18);
	assert_int_equal(blocks_needed(&h, 4, 0.001), 387);
	assert_int_equal(blocks_needed(&h, 4, 0.02), 4);
	assert_int_equal(blocks_needed(&h, 4, 0.00001), 3841459);
	assert_int_equal(blocks_needed(&h, 4, 0), SIZE_MAX);
	h.low = h.high = 0;
	assert_int_equal(blocks_needed(&h, 6, 0.01), 6);
	h.high = INFINITY;
	assert_int_equal(blocks_needed(&h, 6, 0.01), SIZE_MAX);
	assert_true(isinf(half_width_at(&h, 6, 8)));
	h.high = NAN;
	assert_int_equal(blocks_needed(&h, 6, 0.01), SIZE_MAX);
}

/* --- Verdicts ----------------------------------------------------------------------------------
 */

static void test_verdict_decide(void **state)
{
	static const struct {
		double e, low95, high95, low90, high90;
		int better;
		enum verdict verdict;
		enum doubt doubt;
	} cases[] = {
		{0.001, -0.008, 0.010, -0.006, 0.009, 1, VERDICT_SAME, DOUBT_NONE},
		/* real but small: same comes first */
		{0.005, 0.001, 0.009, 0.002, 0.008, 1, VERDICT_SAME, DOUBT_NONE},
		{0.020, 0.001, 0.040, 0.004, 0.036, 1, VERDICT_REGRESSED, DOUBT_NONE},
		{0.020, 0.001, 0.040, 0.004, 0.036, -1, VERDICT_IMPROVED, DOUBT_NONE},
		{-0.020, -0.040, -0.001, -0.036, -0.004, 1, VERDICT_IMPROVED, DOUBT_NONE},
		{-0.020, -0.040, -0.001, -0.036, -0.004, -1, VERDICT_REGRESSED, DOUBT_NONE},
		{0.010, 0.001, 0.019, 0.002, 0.018, 1, VERDICT_REGRESSED, DOUBT_NONE},
		/* not zero, but too near to delta */
		{0.009, 0.001, 0.017, 0.002, 0.016, 1, VERDICT_UNDECIDED, DOUBT_NEAR_DELTA},
		{-0.009, -0.017, -0.001, -0.016, -0.002, 1, VERDICT_UNDECIDED, DOUBT_NEAR_DELTA},
		{0.050, 0.000, 0.100, 0.010, 0.090, 1, VERDICT_UNDECIDED, DOUBT_NOISE},
		{0.002, -0.010, 0.014, -0.008, 0.010, 1, VERDICT_UNDECIDED, DOUBT_NOISE},
		{0.500, -INFINITY, INFINITY, -INFINITY, INFINITY, 1, VERDICT_UNDECIDED,
			DOUBT_NOISE},
		{NAN, NAN, NAN, NAN, NAN, 1, VERDICT_UNDECIDED, DOUBT_NOISE},
		/* half width 0 */
		{0, 0, 0, 0, 0, 1, VERDICT_SAME, DOUBT_NONE},
		{0.05, 0.05, 0.05, 0.05, 0.05, 1, VERDICT_REGRESSED, DOUBT_NONE},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct interval i95 = {
			.estimate = cases[i].e, .low = cases[i].low95, .high = cases[i].high95};
		struct interval i90 = {
			.estimate = cases[i].e, .low = cases[i].low90, .high = cases[i].high90};
		enum doubt doubt;
		enum verdict got = verdict_decide(&i95, &i90, 0.01, cases[i].better, &doubt);

		if (got != cases[i].verdict || doubt != cases[i].doubt)
			fail_msg("case %zu: %s, doubt %d", i, verdict_name(got), (int)doubt);
	}
	assert_string_equal(verdict_name(VERDICT_UNMEASURED), "unmeasured");
}

/* A quantised clock: most values equal, one a tick off. Nothing infinite, no verdict, MAD 0. */
static void test_quantised(void **state)
{
	double t[2][8] = {{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1},
		{0.1, 0.1, 0.1, 0.1001, 0.1, 0.1, 0.1, 0.1}};
	double d[8];

	(void)state;
	for (size_t i = 0; i < 8; i++)
		d[i] = log(t[1][i]) - log(t[0][i]);
	assert_true(describe(t[1], 8).mad == 0);
	for (size_t n = 2; n <= 8; n++) {
		struct interval i95 = interval_paired(d, n, 0.05, no_prior);
		struct interval i90 = interval_paired(d, n, 0.10, no_prior);

		assert_true(isfinite(i95.estimate) && isfinite(i95.low) && isfinite(i95.high));
		assert_true(i95.low <= i95.estimate && i95.estimate <= i95.high);
		assert_int_equal(verdict_decide(&i95, &i90, log1p(0.01), 1, NULL), VERDICT_SAME);
	}
	/* -0 is not printed as "-0.0 %". */
	d[0] = d[1] = d[2] = d[3] = d[4] = d[5] = -0.0;
	assert_false(signbit(interval_hl(d, 6, 0.05).estimate));
}

/* --- Promises ----------------------------------------------------------------------------------
 */

/* Log time of one run: noise with spikes, over a drift that the block shares. */
static double run_log(struct rng *rng, double drift)
{
	double spike = rng_uniform(rng) < 0.1 ? 0.05 * rng_exponential(rng) : 0;

	return drift + 0.01 * rng_normal(rng) + spike;
}

static void test_coverage(void **state)
{
	enum {
		REPEATS = 8000
	};
	const double truth = 0.02;

	(void)state;
	for (size_t n = 4; n <= 10; n++) {
		struct rng rng = rng_seeded(1000 + n);
		int inside = 0;

		for (int repeat = 0; repeat < REPEATS; repeat++) {
			struct interval got;
			double d[10];

			for (size_t i = 0; i < n; i++) /* two lognormal runs of sd 1 % */
				d[i] = truth + 0.01 * rng_normal(&rng) - 0.01 * rng_normal(&rng);
			got = interval_paired(d, n, 0.05, no_prior);
			inside += got.low <= truth && truth <= got.high;
		}
		/* Exact levels: 95 % for t (n < 6), 96.9 % to 95.1 % for signed ranks; standard
		 * error 0.24 %. */
		if (inside < 0.94 * REPEATS || inside > 0.978 * REPEATS)
			fail_msg("n = %zu: coverage %.2f %%", n, 100.0 * inside / REPEATS);
	}
}

/* Coverage of the moderated interval in a matrix of six variants and four blocks. */
static void test_moderated_coverage(void **state)
{
	enum {
		ROWS = 6,
		BLOCKS = 4,
		REPEATS = 3000
	};
	struct rng rng = rng_seeded(77);
	int inside = 0, wider = 0;

	(void)state;
	for (int repeat = 0; repeat < REPEATS; repeat++) {
		struct interval got, plain;
		double y[ROWS * BLOCKS], d[BLOCKS];

		for (size_t b = 0; b < BLOCKS; b++) {
			double drift = 0.03 * rng_normal(&rng);

			for (size_t row = 0; row < ROWS; row++)
				y[row * BLOCKS + b] = drift + 0.01 * rng_normal(&rng);
			d[b] = y[BLOCKS + b] - y[b];
		}
		got = interval_t(d, BLOCKS, 0.05,
			(struct variance_prior){4, 2 * two_way_residual_variance(y, ROWS, BLOCKS)});
		plain = interval_t(d, BLOCKS, 0.05, no_prior);
		inside += got.low <= 0 && 0 <= got.high;
		wider += got.high - got.low > plain.high - plain.low;
	}
	if (inside < 0.945 * REPEATS)
		fail_msg("coverage %.2f %%", 100.0 * inside / REPEATS);
	assert_true(wider < REPEATS / 2); /* that is what it is for */
}

/* One session: m variants against a baseline in common blocks, all at level alpha / m. Counts
 * the verdicts by kind. */
static void session(
	struct rng *rng, size_t m, size_t blocks, double effect, int counts[VERDICT_UNMEASURED + 1])
{
	AUTOFREE double *d = xcalloc(m * blocks, sizeof(*d));
	const double level = 0.05 / (double)m;
	double drift = 0;

	for (size_t b = 0; b < blocks; b++) {
		double base;

		drift = 0.9 * drift + 0.02 * rng_normal(rng);
		base = run_log(rng, drift);
		for (size_t i = 0; i < m; i++)
			d[i * blocks + b] = effect + run_log(rng, drift) - base;
	}
	for (size_t i = 0; i < m; i++) {
		struct interval i95 = interval_paired(&d[i * blocks], blocks, level, no_prior);
		struct interval i90 = interval_paired(&d[i * blocks], blocks, 2 * level, no_prior);

		counts[verdict_decide(&i95, &i90, log1p(0.01), 1, NULL)]++;
	}
}

/* The same thing compared with itself m times: in at most 5 % of the sessions is any of them called
 * slower or faster. */
static void test_family_wise_error(void **state)
{
	static const struct {
		size_t m, blocks;
	} plans[] = {{1, 4}, {5, 4}, {50, 4}, {5, 11}, {20, 15}, {50, 20}};
	enum {
		SESSIONS = 1000
	};

	(void)state;
	for (size_t p = 0; p < ARRAY_SIZE(plans); p++) {
		struct rng rng = rng_derived(5, "family", p);
		int bad = 0;

		for (int i = 0; i < SESSIONS; i++) {
			int counts[VERDICT_UNMEASURED + 1] = {0};

			session(&rng, plans[p].m, plans[p].blocks, 0, counts);
			bad += counts[VERDICT_REGRESSED] || counts[VERDICT_IMPROVED];
		}
		if (bad > SESSIONS * 0.05)
			fail_msg("m = %zu, %zu blocks: false verdicts in %.1f %%", plans[p].m,
				plans[p].blocks, 100.0 * bad / SESSIONS);
	}
}

/* And what is there is found. */
static void test_power(void **state)
{
	struct rng rng = rng_seeded(9);
	int slower[VERDICT_UNMEASURED + 1] = {0}, faster[VERDICT_UNMEASURED + 1] = {0};

	(void)state;
	for (int i = 0; i < 200; i++) {
		session(&rng, 5, 15, 0.06, slower);
		session(&rng, 5, 15, -0.06, faster);
	}
	assert_true(slower[VERDICT_REGRESSED] > 900 && slower[VERDICT_IMPROVED] == 0);
	assert_true(faster[VERDICT_IMPROVED] > 900 && faster[VERDICT_REGRESSED] == 0);
}

/* Levels and block effects are no noise; one row with a noise of its own is found, also among
 * three. */
static void test_unequal_variances(void **state)
{
	const double even[] = {
		1.00,
		2.01,
		1.49,
		1.80, /* block effects 0, 1, .5, .8 and a little noise */
		5.01,
		6.00,
		5.52,
		5.79,
		9.02,
		10.00,
		9.50,
		9.81,
	};
	double odd[ARRAY_SIZE(even)];

	(void)state;
	assert_false(two_way_unequal(even, 3, 4));
	memcpy(odd, even, sizeof(odd));
	odd[4] += 0.9;
	odd[6] -= 0.7;
	assert_true(two_way_unequal(odd, 3, 4));
	odd[7] = NAN;
	assert_true(two_way_unequal(odd, 3, 4));
	assert_false(two_way_unequal(odd, 2, 4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unequal_variances),
		cmocka_unit_test(test_describe),
		cmocka_unit_test(test_interval_t),
		cmocka_unit_test(test_signed_rank_distribution),
		cmocka_unit_test(test_interval_hl),
		cmocka_unit_test(test_residual_variance),
		cmocka_unit_test(test_planning),
		cmocka_unit_test(test_verdict_decide),
		cmocka_unit_test(test_quantised),
		cmocka_unit_test(test_coverage),
		cmocka_unit_test(test_moderated_coverage),
		cmocka_unit_test(test_family_wise_error),
		cmocka_unit_test(test_power),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
