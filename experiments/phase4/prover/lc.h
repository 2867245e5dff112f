/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Linear combinations over the variables of a constraint system, built in the way that the real
 * prover's synthesis builds them. Nothing here tries to be fast beyond that: how a combination is
 * made, moved, evaluated and thrown away IS the workload.
 *
 * A combination is two indexers, one for inputs and one for auxiliary variables. An indexer is a
 * list of (key, coefficient) with ascending keys and a memory of the last insertion.
 *
 * Combinations are consumed and returned by value: an operation takes its left side over, and the
 * caller must not use or free it again. A right side given by pointer is only read.
 */
#ifndef PROVER_LC_H
#define PROVER_LC_H

#include "entries.h"

/* A variable: the number of an input (0 is the constant one) or of an auxiliary variable. */
struct var {
	enum var_kind {
		VAR_INPUT,
		VAR_AUX,
	} kind;
	size_t index;
};

#define VAR_ONE ((struct var){VAR_INPUT, 0})

/* "Nothing yet" or the place and key of the last insertion. */
struct last_inserted {
	size_t known;
	size_t position;
	size_t key;
};

struct indexer {
	struct entries values;
	struct last_inserted last;
};

struct lc {
	struct indexer inputs;
	struct indexer aux;
};

#ifndef LC_INLINE_CAP
_Static_assert(sizeof(struct indexer) == 48 && sizeof(struct lc) == 96, "plain vector");
#elif LC_INLINE_CAP == 1
_Static_assert(sizeof(struct indexer) == 80 && sizeof(struct lc) == 160, "inline capacity 1");
#elif LC_INLINE_CAP == 2
_Static_assert(sizeof(struct indexer) == 120 && sizeof(struct lc) == 240, "inline capacity 2");
#else
_Static_assert(sizeof(struct indexer) == 200 && sizeof(struct lc) == 400, "inline capacity 4");
#endif

/*
 * Adds coeff to the coefficient of key, or enters it. A key that follows the last inserted one is
 * looked for right behind it, all others by binary search. Only a true insertion moves the memory
 * of the last one; an update of a key found does not.
 */
void indexer_add(struct indexer *ix, size_t key, const struct fr *coeff);

struct lc lc_zero(void);
struct lc lc_from(struct var var, const struct fr *coeff);
struct lc lc_clone(const struct lc *lc);
void lc_free(struct lc *lc);

/* lc + coeff * var, lc - coeff * var, lc + var, lc - var */
struct lc lc_add_term(struct lc lc, struct fr coeff, struct var var);
struct lc lc_sub_term(struct lc lc, struct fr coeff, struct var var);
struct lc lc_add_var(struct lc lc, struct var var);
struct lc lc_sub_var(struct lc lc, struct var var);

/* lc + other, lc - other, lc + coeff * other */
struct lc lc_add(struct lc lc, const struct lc *other);
struct lc lc_sub(struct lc lc, const struct lc *other);
struct lc lc_add_scaled(struct lc lc, struct fr coeff, const struct lc *other);

/* Which variables of one kind were ever used with a coefficient other than 0, and how many. */
struct density {
	uint64_t *word;
	size_t bits;
	size_t capacity; /* in words */
	size_t used;
};

void density_reserve(struct density *d, size_t bits);
void density_push(struct density *d);
void density_free(struct density *d);

static inline void density_mark(struct density *d, size_t i)
{
	uint64_t bit = (uint64_t)1 << (i % 64);

	if (!(d->word[i / 64] & bit)) {
		d->word[i / 64] |= bit;
		d->used++;
	}
}

/* The value of lc for these assignments. A density given as NULL is not tracked. */
struct fr lc_eval(const struct lc *lc, const struct fr *inputs, const struct fr *aux,
	struct density *input_density, struct density *aux_density);

#endif
