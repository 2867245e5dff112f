/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cs.h"

#include <stdlib.h>

#ifndef PRESIZE_OUTPUTS
#define PRESIZE_OUTPUTS 0
#endif

static void fr_vec_reserve(struct fr_vec *v, size_t capacity)
{
	if (capacity > v->capacity) {
		v->at = mem_resize(v->at, capacity, sizeof(*v->at));
		v->capacity = capacity;
	}
}

static void fr_vec_push(struct fr_vec *v, const struct fr *x)
{
	if (v->len == v->capacity)
		fr_vec_reserve(v, v->capacity ? v->capacity * 2 : 4);
	v->at[v->len++] = *x;
}

static void reserve_outputs(struct cs *cs, const struct cs_hint *hint)
{
	fr_vec_reserve(&cs->a, hint->constraints);
	fr_vec_reserve(&cs->b, hint->constraints);
	fr_vec_reserve(&cs->c, hint->constraints);
	fr_vec_reserve(&cs->inputs, hint->inputs);
	fr_vec_reserve(&cs->aux, hint->aux);
	density_reserve(&cs->a_aux, hint->aux);
	density_reserve(&cs->b_input, hint->inputs);
	density_reserve(&cs->b_aux, hint->aux);
}

void cs_init(struct cs *cs, const struct cs_hint *hint, size_t corrupt)
{
	*cs = (struct cs){.corrupt = corrupt};
	if (PRESIZE_OUTPUTS)
		reserve_outputs(cs, hint);
	cs_alloc_input(cs, FR_ONE);
}

void cs_release(struct cs *cs)
{
	free(cs->a.at);
	free(cs->b.at);
	free(cs->c.at);
	free(cs->inputs.at);
	free(cs->aux.at);
	density_free(&cs->a_aux);
	density_free(&cs->b_input);
	density_free(&cs->b_aux);
	*cs = (struct cs){.corrupt = CS_NO_CORRUPTION};
}

struct var cs_alloc(struct cs *cs, struct fr value)
{
	size_t index = cs->aux.len;

	if (index == cs->corrupt) {
		/* Zero becomes one and all else zero: a wrong bit still looks like a bit. */
		value = fr_is_zero(&value) ? FR_ONE : FR_ZERO;
	}
	fr_vec_push(&cs->aux, &value);
	density_push(&cs->a_aux);
	density_push(&cs->b_aux);
	return (struct var){VAR_AUX, index};
}

struct var cs_alloc_input(struct cs *cs, struct fr value)
{
	fr_vec_push(&cs->inputs, &value);
	density_push(&cs->b_input);
	return (struct var){VAR_INPUT, cs->inputs.len - 1};
}

void cs_enforce(struct cs *cs, struct lc a, struct lc b, struct lc c)
{
	const struct fr *inputs = cs->inputs.at;
	const struct fr *aux = cs->aux.at;
	/* The proof needs no density of C, and of A's inputs neither: cs_close() uses them all. */
	struct fr a_value = lc_eval(&a, inputs, aux, NULL, &cs->a_aux);
	struct fr b_value = lc_eval(&b, inputs, aux, &cs->b_input, &cs->b_aux);
	struct fr c_value = lc_eval(&c, inputs, aux, NULL, NULL);

	fr_vec_push(&cs->a, &a_value);
	fr_vec_push(&cs->b, &b_value);
	fr_vec_push(&cs->c, &c_value);
	lc_free(&a);
	lc_free(&b);
	lc_free(&c);
}

void cs_close(struct cs *cs)
{
	for (size_t i = 0; i < cs->inputs.len; i++) {
		struct var input = {VAR_INPUT, i};

		cs_enforce(cs, lc_add_var(lc_zero(), input), lc_zero(), lc_zero());
	}
}

size_t cs_first_violation(const struct cs *cs)
{
	for (size_t i = 0; i < cs->a.len; i++) {
		struct fr product = fr_mul(&cs->a.at[i], &cs->b.at[i]);

		if (!fr_equal(&product, &cs->c.at[i]))
			return i;
	}
	return cs->a.len;
}

static uint64_t mix(uint64_t sum, uint64_t x)
{
	sum = (sum ^ x) * 0x9e3779b97f4a7c15ULL;
	return sum ^ (sum >> 32);
}

static uint64_t mix_vec(uint64_t sum, const struct fr_vec *v)
{
	sum = mix(sum, v->len);
	for (size_t i = 0; i < v->len; i++)
		for (int k = 0; k < FR_LIMBS; k++)
			sum = mix(sum, v->at[i].limb[k]);
	return sum;
}

uint64_t cs_checksum(const struct cs *cs)
{
	uint64_t sum = mix_vec(1, &cs->a);

	sum = mix_vec(sum, &cs->b);
	sum = mix_vec(sum, &cs->c);
	sum = mix(sum, cs->a_aux.used);
	sum = mix(sum, cs->b_input.used);
	return mix(sum, cs->b_aux.used);
}
