/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "multieq.h"

void multieq_init(struct multieq *eq, struct cs *cs)
{
	*eq = (struct multieq){.cs = cs};
	eq->left = lc_zero();
	eq->right = lc_zero();
}

/* side = clone of side + coeff * addend */
static void accumulate(struct lc *side, const struct fr *coeff, const struct lc *addend)
{
	struct lc sum = lc_add_scaled(lc_clone(side), *coeff, addend);

	lc_free(side);
	*side = sum;
}

static void flush(struct multieq *eq)
{
	cs_enforce(
		eq->cs, lc_clone(&eq->left), lc_add_var(lc_zero(), VAR_ONE), lc_clone(&eq->right));
	lc_free(&eq->left);
	lc_free(&eq->right);
	multieq_init(eq, eq->cs);
}

void multieq_equal(struct multieq *eq, unsigned bits, const struct lc *left, const struct lc *right)
{
	if (eq->bits_used + bits >= MULTIEQ_CAPACITY)
		flush(eq);

	struct fr coeff = fr_power_of_two(eq->bits_used);

	accumulate(&eq->left, &coeff, left);
	accumulate(&eq->right, &coeff, right);
	eq->bits_used += bits;
}

void multieq_release(struct multieq *eq)
{
	if (eq->bits_used)
		flush(eq);
	lc_free(&eq->left);
	lc_free(&eq->right);
}
