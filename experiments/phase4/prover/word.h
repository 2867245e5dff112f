/* SPDX-License-Identifier: GPL-3.0-or-later */
/* 32-bit words inside a circuit: what SHA-256 computes with. */
#ifndef PROVER_WORD_H
#define PROVER_WORD_H

#include "bit.h"
#include "multieq.h"

struct word {
	struct bit bit[32]; /* the least significant first */
	uint32_t value;
};

struct word word_constant(uint32_t value);
/* 32 new variables */
struct word word_alloc(struct cs *cs, uint32_t value);
struct word word_rotate_right(const struct word *x, unsigned n);
struct word word_shift_right(const struct word *x, unsigned n);
struct word word_xor(struct cs *cs, const struct word *x, const struct word *y);
struct word word_choose(
	struct cs *cs, const struct word *x, const struct word *y, const struct word *z);
struct word word_majority(
	struct cs *cs, const struct word *x, const struct word *y, const struct word *z);

/* A sum that is not computed yet. */
#define WORD_SUM_MAX 10
struct word_sum {
	struct word term[WORD_SUM_MAX];
	unsigned terms;
};

void word_sum_add(struct word_sum *sum, const struct word *x);
/*
 * The sum modulo 2^32, of two terms or more: new variables for all its bits, the carries
 * included, and one equation between the terms' bits and these.
 */
struct word word_sum_compute(struct multieq *eq, const struct word_sum *sum);

#endif
