/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The constraint system of one circuit during synthesis: a rank-1 constraint says
 * (A.w) * (B.w) = (C.w) for the assignment w = inputs followed by auxiliary variables.
 * As in the real prover the combinations do not outlive their constraint: each is evaluated at
 * once, its three values are appended to a, b and c, and it is freed.
 *
 * Option A2 (PRESIZE_OUTPUTS=1) reserves the output vectors; else they grow by doubling.
 */
#ifndef PROVER_CS_H
#define PROVER_CS_H

#include "lc.h"

struct fr_vec {
	struct fr *at;
	size_t len;
	size_t capacity;
};

struct cs {
	struct fr_vec a; /* A.w, B.w and C.w of each constraint */
	struct fr_vec b;
	struct fr_vec c;
	struct fr_vec inputs; /* the assignment; input 0 is one */
	struct fr_vec aux;
	struct density a_aux;
	struct density b_input;
	struct density b_aux;
	size_t corrupt; /* this auxiliary variable gets a wrong value; SIZE_MAX: none */
};

#define CS_NO_CORRUPTION SIZE_MAX

/* Upper bounds on what a circuit will need; used only with PRESIZE_OUTPUTS. */
struct cs_hint {
	size_t constraints;
	size_t inputs;
	size_t aux;
};

/* Starts with input 0 = one. */
void cs_init(struct cs *cs, const struct cs_hint *hint, size_t corrupt);
void cs_release(struct cs *cs);

struct var cs_alloc(struct cs *cs, struct fr value);
struct var cs_alloc_input(struct cs *cs, struct fr value);
/* Takes the three combinations over and frees them. */
void cs_enforce(struct cs *cs, struct lc a, struct lc b, struct lc c);
/* To be called once at the end: one constraint per input, input * 0 = 0. */
void cs_close(struct cs *cs);

/* The number of the first constraint that does not hold, or the number of constraints. */
size_t cs_first_violation(const struct cs *cs);
/* A digest of the three evaluations and the densities, for comparing builds; not cryptographic. */
uint64_t cs_checksum(const struct cs *cs);

#endif
