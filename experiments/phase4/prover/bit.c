/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bit.h"

static struct fr fr_bit(bool value)
{
	return value ? FR_ONE : FR_ZERO;
}

struct bit bit_constant(bool value)
{
	return (struct bit){BIT_CONSTANT, value, VAR_ONE};
}

/* For results: the constraint that defines them also makes them 0 or 1. */
static struct bit bit_result(struct cs *cs, bool value)
{
	return (struct bit){BIT_IS, value, cs_alloc(cs, fr_bit(value))};
}

struct bit bit_alloc(struct cs *cs, bool value)
{
	struct bit x = bit_result(cs, value);

	cs_enforce(cs, lc_sub_var(lc_add_var(lc_zero(), VAR_ONE), x.var),
		lc_add_var(lc_zero(), x.var), lc_zero());
	return x;
}

struct bit bit_not(struct bit x)
{
	x.value = !x.value;
	if (x.kind != BIT_CONSTANT)
		x.kind = x.kind == BIT_IS ? BIT_NOT : BIT_IS;
	return x;
}

static bool is_constant(struct bit x, bool value)
{
	return x.kind == BIT_CONSTANT && x.value == value;
}

struct bit bit_xor(struct cs *cs, struct bit x, struct bit y)
{
	if (x.kind == BIT_CONSTANT)
		return x.value ? bit_not(y) : y;
	if (y.kind == BIT_CONSTANT)
		return y.value ? bit_not(x) : x;

	/* 2u * v = u + v - w for the variables u, v below; negations move to the result */
	bool negated = (x.kind == BIT_NOT) != (y.kind == BIT_NOT);
	struct bit w = bit_result(cs, (x.value != y.value) != negated);

	cs_enforce(cs, lc_add_var(lc_add_var(lc_zero(), x.var), x.var),
		lc_add_var(lc_zero(), y.var),
		lc_sub_var(lc_add_var(lc_add_var(lc_zero(), x.var), y.var), w.var));
	return negated ? bit_not(w) : w;
}

struct bit bit_and(struct cs *cs, struct bit x, struct bit y)
{
	if (is_constant(x, false) || is_constant(y, true))
		return x;
	if (is_constant(y, false) || is_constant(x, true))
		return y;

	struct bit w = bit_result(cs, x.value && y.value);

	cs_enforce(cs, bit_lc(x, FR_ONE), bit_lc(y, FR_ONE), lc_add_var(lc_zero(), w.var));
	return w;
}

static struct bit bit_or(struct cs *cs, struct bit x, struct bit y)
{
	return bit_not(bit_and(cs, bit_not(x), bit_not(y)));
}

struct bit bit_choose(struct cs *cs, struct bit x, struct bit y, struct bit z)
{
	if (x.kind == BIT_CONSTANT)
		return x.value ? y : z;
	if (is_constant(y, false))
		return bit_and(cs, bit_not(x), z);
	if (is_constant(y, true))
		return bit_or(cs, x, z);
	if (is_constant(z, false))
		return bit_and(cs, x, y);
	if (is_constant(z, true))
		return bit_or(cs, bit_not(x), y);

	/* (y - z) * x = w - z */
	struct bit w = bit_result(cs, x.value ? y.value : z.value);

	cs_enforce(cs, bit_sub_from(bit_lc(y, FR_ONE), z, FR_ONE), bit_lc(x, FR_ONE),
		bit_sub_from(lc_add_var(lc_zero(), w.var), z, FR_ONE));
	return w;
}

struct bit bit_majority(struct cs *cs, struct bit x, struct bit y, struct bit z)
{
	if (x.kind == BIT_CONSTANT)
		return x.value ? bit_or(cs, y, z) : bit_and(cs, y, z);
	if (y.kind == BIT_CONSTANT)
		return y.value ? bit_or(cs, x, z) : bit_and(cs, x, z);
	if (z.kind == BIT_CONSTANT)
		return z.value ? bit_or(cs, x, y) : bit_and(cs, x, y);

	/* with both = y and z:  (y + z - 2 both) * x = w - both */
	struct bit both = bit_and(cs, y, z);
	struct bit w = bit_result(cs, x.value ? y.value || z.value : both.value);
	struct lc either = bit_add_to(bit_lc(y, FR_ONE), z, FR_ONE);

	either = bit_sub_from(bit_sub_from(either, both, FR_ONE), both, FR_ONE);
	cs_enforce(cs, either, bit_lc(x, FR_ONE),
		bit_sub_from(lc_add_var(lc_zero(), w.var), both, FR_ONE));
	return w;
}

struct lc bit_lc(struct bit x, struct fr coeff)
{
	if (x.kind == BIT_IS)
		return lc_from(x.var, &coeff);
	if (x.kind == BIT_NOT)
		return lc_sub_term(lc_from(VAR_ONE, &coeff), coeff, x.var);
	return x.value ? lc_from(VAR_ONE, &coeff) : lc_zero();
}

/* Through a temporary combination, made and freed for each bit, as the prover had it before. */
struct lc bit_add_to(struct lc lc, struct bit x, struct fr coeff)
{
	struct lc term = bit_lc(x, coeff);

	lc = lc_add(lc, &term);
	lc_free(&term);
	return lc;
}

struct lc bit_sub_from(struct lc lc, struct bit x, struct fr coeff)
{
	struct lc term = bit_lc(x, coeff);

	lc = lc_sub(lc, &term);
	lc_free(&term);
	return lc;
}
