/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>

#include "lc.h"
#include "selftest.h"

#ifdef LC_INLINE_CAP
#define FIRST_CAPACITY LC_INLINE_CAP /* of an empty list */
#else
#define FIRST_CAPACITY 0
#endif

static bool has(const struct indexer *ix, size_t i, size_t key, uint64_t coeff)
{
	struct fr want = fr_from_u64(coeff);

	return i < entries_len(&ix->values) && entries_view(&ix->values)[i].key == key &&
	       fr_equal(&entries_view(&ix->values)[i].coeff, &want);
}

static bool last_is(const struct indexer *ix, size_t position, size_t key)
{
	return ix->last.known && ix->last.position == position && ix->last.key == key;
}

static void add(struct indexer *ix, size_t key, uint64_t coeff)
{
	struct fr c = fr_from_u64(coeff);

	indexer_add(ix, key, &c);
}

/* Each branch of indexer_add, with the memory of the last insertion after it. */
static bool insert_or_update(void)
{
	struct lc lc = lc_zero();
	struct indexer *ix = &lc.aux;

	EXPECT(!ix->last.known, "an empty indexer has no last key");
	add(ix, 10, 1); /* first: search, miss */
	EXPECT(has(ix, 0, 10, 1) && last_is(ix, 0, 10), "first key");
	add(ix, 10, 2); /* the last key again */
	EXPECT(has(ix, 0, 10, 3) && last_is(ix, 0, 10), "update of the last key");
	add(ix, 11, 4); /* the one behind it, at the end */
	EXPECT(has(ix, 1, 11, 4) && last_is(ix, 1, 11), "next key at the end");
	add(ix, 5, 6); /* search, miss, in front */
	EXPECT(has(ix, 0, 5, 6) && has(ix, 2, 11, 4) && last_is(ix, 0, 5), "insertion in front");
	add(ix, 6, 7); /* next key, another one stands behind */
	EXPECT(has(ix, 1, 6, 7) && has(ix, 2, 10, 3) && last_is(ix, 1, 6), "next key between");
	add(ix, 11, 1); /* search, hit: last stays */
	EXPECT(has(ix, 3, 11, 5) && last_is(ix, 1, 6), "a hit does not move the last key");
	add(ix, 9, 8); /* search, miss: 5 6 9 10 11 */
	EXPECT(has(ix, 2, 9, 8) && last_is(ix, 2, 9), "insertion between");
	add(ix, 10, 1); /* next key, already there: updated, last NOT advanced */
	EXPECT(has(ix, 3, 10, 4) && last_is(ix, 2, 9), "an update of the next key keeps the last");
	add(ix, 12, 3);
	EXPECT(entries_len(&ix->values) == 6 && has(ix, 5, 12, 3) && last_is(ix, 5, 12),
		"search beyond the end");
	EXPECT(entries_len(&lc.inputs.values) == 0, "inputs stay apart");
	lc_free(&lc);
	return true;
}

/* Against the plainest model there is: an array with a place for each key. */
static bool against_model(void)
{
	enum {
		KEYS = 48
	};
	uint64_t state = 12345;

	for (int round = 0; round < 200; round++) {
		uint64_t model[KEYS] = {0};
		bool known[KEYS] = {false};
		struct lc lc = lc_zero();
		size_t key = 0;

		for (int step = 0; step < 3 * round % 100 + 1; step++) {
			state = state * 6364136223846793005ULL + 1442695040888963407ULL;
			key = state >> 60 < 8 ? (key + 1) % KEYS : (state >> 33) % KEYS;
			uint64_t coeff = state >> 40;

			add(&lc.aux, key, coeff);
			model[key] += coeff;
			known[key] = true;
		}
		struct lc copy = lc_clone(&lc);
		lc_free(&lc);
		size_t n = 0;
		for (size_t k = 0; k < KEYS; k++) {
			if (!known[k])
				continue;
			EXPECT(has(&copy.aux, n, k, model[k]), "round %d, key %zu", round, k);
			n++;
		}
		EXPECT(entries_len(&copy.aux.values) == n, "round %d has other keys", round);
		lc_free(&copy);
	}
	return true;
}

/* The growth that the facts of the real containers give. */
static bool growth(void)
{
	struct fr one = FR_ONE;
	struct lc lc = lc_zero();
	struct lc single = lc_from((struct var){VAR_AUX, 3}, &one);

	EXPECT(entries_capacity(&lc.aux.values) == FIRST_CAPACITY, "capacity of an empty list");
	for (size_t len = 1; len <= 40; len++) {
		size_t want = FIRST_CAPACITY ? FIRST_CAPACITY : 4;

		add(&lc.aux, len, 1);
		while (want < len)
			want *= 2;
		EXPECT(entries_capacity(&lc.aux.values) == want, "%zu entries: room for %zu", len,
			entries_capacity(&lc.aux.values));
	}
	EXPECT(entries_capacity(&single.aux.values) == (FIRST_CAPACITY ? FIRST_CAPACITY : 1),
		"a single entry starts with %zu", entries_capacity(&single.aux.values));
	add(&single.aux, 4, 1);
	EXPECT(entries_capacity(&single.aux.values) ==
			(FIRST_CAPACITY ? (FIRST_CAPACITY < 2 ? 2 : FIRST_CAPACITY) : 4),
		"its second entry makes it %zu", entries_capacity(&single.aux.values));
	lc_free(&single);
	lc_free(&lc);
	return true;
}

/* 7 + 3 x0 - x2, twice 5 x2 more, minus x1, at x = (2, 11, 13): 7 + 6 - 13 + 130 - 11 = 119 */
static bool arithmetic(void)
{
	const struct fr inputs[] = {FR_ONE};
	const struct fr aux[] = {fr_from_u64(2), fr_from_u64(11), fr_from_u64(13), FR_ONE};
	const struct var x0 = {VAR_AUX, 0}, x1 = {VAR_AUX, 1}, x2 = {VAR_AUX, 2}, x3 = {VAR_AUX, 3};
	struct fr five = fr_from_u64(5), two = fr_from_u64(2), want = fr_from_u64(119);
	struct density in = {0}, density = {0};

	density_push(&in);
	for (int i = 0; i < 4; i++)
		density_push(&density);
	struct lc other = lc_from(x2, &five);
	struct lc lc = lc_add_term(lc_zero(), fr_from_u64(7), VAR_ONE);
	lc = lc_sub_var(lc_add_term(lc, fr_from_u64(3), x0), x2);
	lc = lc_sub_var(lc_add_scaled(lc, two, &other), x1);
	lc = lc_sub_var(lc_add_var(lc, x3), x3); /* a term with coefficient 0 stays in the list */
	struct fr value = lc_eval(&lc, inputs, aux, &in, &density);

	EXPECT(fr_equal(&value, &want), "value of a combination");
	EXPECT(entries_len(&lc.aux.values) == 4, "terms that cancel stay");
	EXPECT(in.used == 1 && density.used == 3, "density: %zu, %zu", in.used, density.used);
	value = lc_eval(&lc, inputs, aux, &in, &density);
	EXPECT(in.used == 1 && density.used == 3, "a second use counts nothing new");
	lc = lc_sub(lc_add(lc, &other), &other);
	value = lc_eval(&lc, inputs, aux, NULL, NULL);
	EXPECT(fr_equal(&value, &want), "plus and minus the same");
	struct lc copy = lc_clone(&lc);
	copy = lc_sub(copy, &lc);
	value = lc_eval(&copy, inputs, aux, NULL, NULL);
	EXPECT(fr_is_zero(&value), "a combination minus itself");
	lc_free(&copy);
	lc_free(&lc);
	lc_free(&other);
	density_free(&in);
	density_free(&density);
	return true;
}

bool selftest_lc(void)
{
	return insert_or_update() && against_model() && growth() && arithmetic();
}
