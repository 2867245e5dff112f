/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lc.h"

#include <stdlib.h>

static void insert_at(struct indexer *ix, size_t position, size_t key, const struct fr *coeff)
{
	entries_insert(&ix->values, position, key, coeff);
	ix->last = (struct last_inserted){1, position, key};
}

static void update_at(struct indexer *ix, size_t position, const struct fr *coeff)
{
	struct fr *old = &entries_at(&ix->values)[position].coeff;

	*old = fr_add(old, coeff);
}

void indexer_add(struct indexer *ix, size_t key, const struct fr *coeff)
{
	if (ix->last.known) {
		if (ix->last.key == key) {
			update_at(ix, ix->last.position, coeff);
			return;
		}
		if (ix->last.key + 1 == key) {
			size_t i = ix->last.position + 1;

			if (i < entries_len(&ix->values) && entries_at(&ix->values)[i].key == key)
				update_at(ix, i, coeff);
			else
				insert_at(ix, i, key, coeff);
			return;
		}
	}
	const struct entry *at = entries_view(&ix->values);
	size_t low = 0;
	size_t high = entries_len(&ix->values);

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (at[middle].key == key) {
			update_at(ix, middle, coeff);
			return;
		}
		if (at[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	insert_at(ix, low, key, coeff);
}

static struct indexer indexer_empty(void)
{
	struct indexer ix;

	ix.values = entries_empty();
	ix.last = (struct last_inserted){0, 0, 0};
	return ix;
}

static struct indexer indexer_from(size_t key, const struct fr *coeff)
{
	struct indexer ix;

	ix.values = entries_from_one(key, coeff);
	ix.last = (struct last_inserted){1, 0, key};
	return ix;
}

static struct indexer *indexer_of(struct lc *lc, struct var var)
{
	return var.kind == VAR_INPUT ? &lc->inputs : &lc->aux;
}

struct lc lc_zero(void)
{
	return (struct lc){indexer_empty(), indexer_empty()};
}

struct lc lc_from(struct var var, const struct fr *coeff)
{
	if (var.kind == VAR_INPUT)
		return (struct lc){indexer_from(var.index, coeff), indexer_empty()};
	return (struct lc){indexer_empty(), indexer_from(var.index, coeff)};
}

struct lc lc_clone(const struct lc *lc)
{
	struct lc copy;

	copy.inputs.values = entries_clone(&lc->inputs.values);
	copy.inputs.last = lc->inputs.last;
	copy.aux.values = entries_clone(&lc->aux.values);
	copy.aux.last = lc->aux.last;
	return copy;
}

void lc_free(struct lc *lc)
{
	entries_free(&lc->inputs.values);
	entries_free(&lc->aux.values);
}

struct lc lc_add_term(struct lc lc, struct fr coeff, struct var var)
{
	indexer_add(indexer_of(&lc, var), var.index, &coeff);
	return lc;
}

struct lc lc_sub_term(struct lc lc, struct fr coeff, struct var var)
{
	return lc_add_term(lc, fr_neg(&coeff), var);
}

struct lc lc_add_var(struct lc lc, struct var var)
{
	return lc_add_term(lc, FR_ONE, var);
}

struct lc lc_sub_var(struct lc lc, struct var var)
{
	return lc_sub_term(lc, FR_ONE, var);
}

static void add_all(struct indexer *ix, const struct indexer *other)
{
	const struct entry *at = entries_view(&other->values);
	size_t len = entries_len(&other->values);

	for (size_t i = 0; i < len; i++)
		indexer_add(ix, at[i].key, &at[i].coeff);
}

static void sub_all(struct indexer *ix, const struct indexer *other)
{
	const struct entry *at = entries_view(&other->values);
	size_t len = entries_len(&other->values);

	for (size_t i = 0; i < len; i++) {
		struct fr coeff = fr_neg(&at[i].coeff);

		indexer_add(ix, at[i].key, &coeff);
	}
}

static void add_all_scaled(struct indexer *ix, const struct fr *factor, const struct indexer *other)
{
	const struct entry *at = entries_view(&other->values);
	size_t len = entries_len(&other->values);

	for (size_t i = 0; i < len; i++) {
		struct fr coeff = fr_mul(&at[i].coeff, factor);

		indexer_add(ix, at[i].key, &coeff);
	}
}

struct lc lc_add(struct lc lc, const struct lc *other)
{
	add_all(&lc.inputs, &other->inputs);
	add_all(&lc.aux, &other->aux);
	return lc;
}

struct lc lc_sub(struct lc lc, const struct lc *other)
{
	sub_all(&lc.inputs, &other->inputs);
	sub_all(&lc.aux, &other->aux);
	return lc;
}

struct lc lc_add_scaled(struct lc lc, struct fr coeff, const struct lc *other)
{
	add_all_scaled(&lc.inputs, &coeff, &other->inputs);
	add_all_scaled(&lc.aux, &coeff, &other->aux);
	return lc;
}

void density_reserve(struct density *d, size_t bits)
{
	size_t words = bits / 64 + 1;

	if (words > d->capacity) {
		d->word = mem_resize(d->word, words, sizeof(*d->word));
		d->capacity = words;
	}
}

void density_push(struct density *d)
{
	if (d->bits == d->capacity * 64) {
		d->capacity = d->capacity ? d->capacity * 2 : 4;
		d->word = mem_resize(d->word, d->capacity, sizeof(*d->word));
	}
	if (d->bits % 64 == 0)
		d->word[d->bits / 64] = 0;
	d->bits++;
}

void density_free(struct density *d)
{
	free(d->word);
}

static struct fr sum_terms(struct fr sum, const struct indexer *ix, const struct fr *assignment,
	struct density *density)
{
	const struct entry *at = entries_view(&ix->values);
	size_t len = entries_len(&ix->values);
	const struct fr one = FR_ONE;

	for (size_t i = 0; i < len; i++) {
		if (fr_is_zero(&at[i].coeff))
			continue;
		struct fr term = assignment[at[i].key];

		if (!fr_equal(&at[i].coeff, &one))
			term = fr_mul(&term, &at[i].coeff);
		sum = fr_add(&sum, &term);
		if (density)
			density_mark(density, at[i].key);
	}
	return sum;
}

struct fr lc_eval(const struct lc *lc, const struct fr *inputs, const struct fr *aux,
	struct density *input_density, struct density *aux_density)
{
	struct fr sum = sum_terms(FR_ZERO, &lc->inputs, inputs, input_density);

	return sum_terms(sum, &lc->aux, aux, aux_density);
}
