/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Set expressions (doc/descriptor.md), constraints, and variants' names.
 *
 * A variant is one byte per option: the index of its level, 0 = what counts as off. An expression
 * gives either one variant ("none", "A1+D4", "all-B1", "tree") or, by a word that stands alone,
 * many ("each", "full" ...); the product-like ones are walked, not listed (variants.h).
 */
#ifndef ASSAY_MODEL_SETEXPR_H
#define ASSAY_MODEL_SETEXPR_H

#include "core/base/buf.h"
#include "core/model/descriptor.h"

enum set_kind {
	SET_ONE, /* one variant, by the grammar */
	SET_EACH,
	SET_ALL_EACH,
	SET_CUMULATIVE,
	SET_FULL,
	SET_HALF,
};
enum set_kind setexpr_kind(const char *text);

/*
 * The one variant that an expression means; levels has room for n_options bytes and is written on
 * success only. E_CONFIG with a suggestion for unknown names and levels, for words that give many
 * variants, and for variants that break a constraint. Blanks do not matter. What a user types as
 * ROW without its workload is read by this too.
 */
int setexpr_row(const struct option *options, size_t n_options, const char *text, uint8_t *levels,
	struct err *err) MUST_CHECK;
/* Spelling of an expression of any kind, constraints included where it gives one variant. */
int setexpr_check(const struct option *options, size_t n_options, const char *text, struct err *err)
	MUST_CHECK;

/* Do requires and conflicts hold? why (may be NULL) gets "A requires B" or "A conflicts with B". */
bool options_hold(const struct option *options, size_t n_options, const uint8_t *levels, char *why,
	size_t why_size);
/* Is an atom fulfilled? */
bool atom_holds(const struct atom *atom, const uint8_t *levels);

/* `all`: the options in order, each at its default level, if it neither conflicts with nor lacks a
 * required one of those taken. left_out (may be NULL) gets "B1 (conflicts with A1)", one a line. */
void variant_all(
	const struct option *options, size_t n_options, uint8_t *levels, struct buf *left_out);
/* Puts one option to a level, and what it requires to theirs, transitively. Whether the result
 * holds is for options_hold. */
void variant_with(
	const struct option *options, size_t n_options, int option, int level, uint8_t *levels);

/* Canonical name: "A1=cap2+A4", "none". */
void variant_name(
	const struct option *options, size_t n_options, const uint8_t *levels, struct buf *to);

#endif
