/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "word.h"

struct word word_constant(uint32_t value)
{
	struct word x = {.value = value};

	for (unsigned i = 0; i < 32; i++)
		x.bit[i] = bit_constant(value >> i & 1);
	return x;
}

struct word word_alloc(struct cs *cs, uint32_t value)
{
	struct word x = {.value = value};

	for (unsigned i = 0; i < 32; i++)
		x.bit[i] = bit_alloc(cs, value >> i & 1);
	return x;
}

struct word word_rotate_right(const struct word *x, unsigned n)
{
	struct word y = {.value = x->value >> n | x->value << (32 - n)};

	for (unsigned i = 0; i < 32; i++)
		y.bit[i] = x->bit[(i + n) % 32];
	return y;
}

struct word word_shift_right(const struct word *x, unsigned n)
{
	struct word y = {.value = x->value >> n};

	for (unsigned i = 0; i < 32; i++)
		y.bit[i] = i + n < 32 ? x->bit[i + n] : bit_constant(false);
	return y;
}

struct word word_xor(struct cs *cs, const struct word *x, const struct word *y)
{
	struct word w = {.value = x->value ^ y->value};

	for (unsigned i = 0; i < 32; i++)
		w.bit[i] = bit_xor(cs, x->bit[i], y->bit[i]);
	return w;
}

struct word word_choose(
	struct cs *cs, const struct word *x, const struct word *y, const struct word *z)
{
	struct word w = {.value = (x->value & y->value) | (~x->value & z->value)};

	for (unsigned i = 0; i < 32; i++)
		w.bit[i] = bit_choose(cs, x->bit[i], y->bit[i], z->bit[i]);
	return w;
}

struct word word_majority(
	struct cs *cs, const struct word *x, const struct word *y, const struct word *z)
{
	struct word w = {
		.value = (x->value & y->value) | (x->value & z->value) | (y->value & z->value)};

	for (unsigned i = 0; i < 32; i++)
		w.bit[i] = bit_majority(cs, x->bit[i], y->bit[i], z->bit[i]);
	return w;
}

void word_sum_add(struct word_sum *sum, const struct word *x)
{
	sum->term[sum->terms++] = *x;
}

static bool all_constant(const struct word_sum *sum)
{
	for (unsigned k = 0; k < sum->terms; k++)
		for (unsigned i = 0; i < 32; i++)
			if (sum->term[k].bit[i].kind != BIT_CONSTANT)
				return false;
	return true;
}

struct word word_sum_compute(struct multieq *eq, const struct word_sum *sum)
{
	uint64_t value = 0;

	for (unsigned k = 0; k < sum->terms; k++)
		value += sum->term[k].value;
	if (all_constant(sum))
		return word_constant((uint32_t)value);

	struct lc terms = lc_zero();
	for (unsigned k = 0; k < sum->terms; k++) {
		struct fr coeff = FR_ONE;

		for (unsigned i = 0; i < 32; i++) {
			terms = bit_add_to(terms, sum->term[k].bit[i], coeff);
			coeff = fr_double(&coeff);
		}
	}

	struct word result = {.value = (uint32_t)value};
	struct lc bits = lc_zero();
	struct fr coeff = FR_ONE;
	unsigned n = 0;

	/* as many bits as the largest possible sum has */
	for (uint64_t left = sum->terms * (uint64_t)UINT32_MAX; left; left >>= 1, n++) {
		struct bit x = bit_alloc(eq->cs, value >> n & 1);

		bits = bit_add_to(bits, x, coeff);
		coeff = fr_double(&coeff);
		if (n < 32)
			result.bit[n] = x;
	}
	multieq_equal(eq, n, &terms, &bits);
	lc_free(&terms);
	lc_free(&bits);
	return result;
}
