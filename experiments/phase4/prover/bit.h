/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bits inside a circuit: a known constant, a variable that is 0 or 1, or the negation of one.
 * Negation and everything with a constant is free; the rest costs one constraint per call
 * (bit_majority up to two).
 */
#ifndef PROVER_BIT_H
#define PROVER_BIT_H

#include "cs.h"

struct bit {
	enum bit_kind {
		BIT_CONSTANT,
		BIT_IS,
		BIT_NOT,
	} kind;
	bool value; /* of the bit itself, after the negation */
	struct var var;
};

struct bit bit_constant(bool value);
/* A new variable, with the constraint (1 - x) * x = 0. */
struct bit bit_alloc(struct cs *cs, bool value);
struct bit bit_not(struct bit x);
struct bit bit_xor(struct cs *cs, struct bit x, struct bit y);
struct bit bit_and(struct cs *cs, struct bit x, struct bit y);
/* x ? y : z, and the value that at least two of three have: SHA-256's Ch and Maj */
struct bit bit_choose(struct cs *cs, struct bit x, struct bit y, struct bit z);
struct bit bit_majority(struct cs *cs, struct bit x, struct bit y, struct bit z);

/* coeff * x as a combination of its own */
struct lc bit_lc(struct bit x, struct fr coeff);
/* lc + coeff * x, lc - coeff * x */
struct lc bit_add_to(struct lc lc, struct bit x, struct fr coeff);
struct lc bit_sub_from(struct lc lc, struct bit x, struct fr coeff);

#endif
