/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Many small equations in one constraint: equations between n-bit sums are shifted beside each
 * other, left sides into one combination and right sides into another, until no more bits fit
 * into a scalar. The packed combinations grow to hundreds of terms, and each new equation clones
 * them first: that is how the real gadget does it, and it is where long combinations come from.
 */
#ifndef PROVER_MULTIEQ_H
#define PROVER_MULTIEQ_H

#include "cs.h"

/* Every integer of so many bits is below r. */
#define MULTIEQ_CAPACITY 254

struct multieq {
	struct cs *cs;
	unsigned bits_used;
	struct lc left;
	struct lc right;
};

void multieq_init(struct multieq *eq, struct cs *cs);
/* left = right, both sums below 2^bits; the combinations are only read. */
void multieq_equal(
	struct multieq *eq, unsigned bits, const struct lc *left, const struct lc *right);
/* Enforces what is still pending and frees the rest. */
void multieq_release(struct multieq *eq);

#endif
