/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/model/variants.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"
#include "core/model/matrix.h"

/* --- Walking a product ----------------------------------------------------------------------- */

/* Option `owner`, when not off, asks for (or against) an atom. */
struct constraint {
	int owner;
	const struct atom *atom;
	bool require;
};

struct touching {
	struct constraint *items;
	size_t n;
};

struct walker {
	const struct variant_walk *w;
	int *order;       /* options in the order they get their levels */
	size_t n_reached; /* the first ones reach the workload */
	uint8_t *levels;
	bool *settled;
	struct touching *touching; /* per option: constraints on it */
	struct constraint *pool;
	size_t looked;
	bool ended;
};

static bool reached(const struct variant_walk *w, size_t option)
{
	return !w->reaches || w->reaches[option];
}

static void list_constraints(struct walker *k)
{
	const struct variant_walk *w = k->w;
	size_t total = 0, used = 0;
	size_t *room = xcalloc(w->n_options + 1, sizeof(*room));

	for (size_t i = 0; i < w->n_options; i++) {
		const struct option *o = &w->options[i];

		room[i] += o->n_requires + o->n_conflicts;
		for (size_t a = 0; a < o->n_requires; a++)
			room[o->requires[a].option]++;
		for (size_t a = 0; a < o->n_conflicts; a++)
			room[o->conflicts[a].option]++;
		total += 2 * (o->n_requires + o->n_conflicts);
	}
	k->pool = xcalloc(total + 1, sizeof(*k->pool));
	k->touching = xcalloc(w->n_options + 1, sizeof(*k->touching));
	for (size_t i = 0; i < w->n_options; i++) {
		k->touching[i].items = k->pool + used;
		used += room[i];
	}
	for (size_t i = 0; i < w->n_options; i++) {
		const struct option *o = &w->options[i];

		for (size_t a = 0; a < o->n_requires + o->n_conflicts; a++) {
			bool require = a < o->n_requires;
			const struct atom *atom =
				require ? &o->requires[a] : &o->conflicts[a - o->n_requires];
			struct constraint constraint = {(int)i, atom, require};

			struct touching *owner = &k->touching[i];
			struct touching *other = &k->touching[atom->option];

			owner->items[owner->n++] = constraint;
			other->items[other->n++] = constraint;
		}
	}
	free(room);
}

static bool constraints_hold(const struct walker *k, int option)
{
	const struct touching *list = &k->touching[option];

	for (size_t i = 0; i < list->n; i++) {
		const struct constraint *c = &list->items[i];

		if (!k->settled[c->owner] || !k->settled[c->atom->option] || !k->levels[c->owner])
			continue;
		if (atom_holds(c->atom, k->levels) != c->require)
			return false;
	}
	return true;
}

/* The levels that an option can take: all, or off and its default in a half. */
static int n_choices(const struct variant_walk *w, int option)
{
	return w->half ? 2 : w->options[option].n_levels;
}

static uint8_t choice(const struct variant_walk *w, int option, int i)
{
	return (uint8_t)(w->half && i ? w->options[option].default_level : i);
}

/* Half: can options that do not reach be chosen so that the number of active ones is even? */
static bool complete(struct walker *k, size_t depth, bool odd)
{
	bool found = false;
	int option;

	if (depth == k->w->n_options)
		return !odd;
	option = k->order[depth];
	k->settled[option] = true;
	for (int i = 0; i < n_choices(k->w, option) && !found; i++) {
		k->levels[option] = choice(k->w, option, i);
		if (constraints_hold(k, option))
			found = complete(k, depth + 1, odd != (i != 0));
	}
	k->levels[option] = 0;
	k->settled[option] = false;
	return found;
}

static void walk_from(struct walker *k, size_t depth, bool odd)
{
	const struct variant_walk *w = k->w;
	int option;

	if (depth == k->n_reached) {
		if ((!w->half || complete(k, depth, odd)) && !w->emit(w->ctx, k->levels))
			k->ended = true;
		return;
	}
	option = k->order[depth];
	k->settled[option] = true;
	for (int i = 0; i < n_choices(w, option) && !k->ended; i++) {
		if (w->budget && ++k->looked > w->budget) {
			k->ended = true;
			break;
		}
		k->levels[option] = choice(w, option, i);
		if (!constraints_hold(k, option) ||
			(w->cut && w->cut(w->ctx, k->levels, k->settled)))
			continue;
		walk_from(k, depth + 1, odd != (i != 0));
	}
	k->levels[option] = 0;
	k->settled[option] = false;
}

static void walker_init(struct walker *k, const struct variant_walk *w)
{
	size_t n = 0;

	*k = (struct walker){
		.w = w,
		.order = xcalloc(w->n_options + 1, sizeof(*k->order)),
		.levels = xcalloc(w->n_options + 1, 1),
		.settled = xcalloc(w->n_options + 1, sizeof(*k->settled)),
	};
	/* Deepest varies fastest: the first option gets its level last. */
	for (size_t i = w->n_options; i-- > 0;) {
		if (reached(w, i))
			k->order[n++] = (int)i;
	}
	k->n_reached = n;
	for (size_t i = w->n_options; i-- > 0;) {
		if (!reached(w, i))
			k->order[n++] = (int)i;
	}
	list_constraints(k);
}

static void walker_release(struct walker *k)
{
	free(k->order);
	free(k->levels);
	free(k->settled);
	free(k->touching);
	free(k->pool);
}

bool variants_walk(const struct variant_walk *walk)
{
	struct walker k;

	walker_init(&k, walk);
	walk_from(&k, 0, false);
	walker_release(&k);
	return !k.ended;
}

void variant_mask(const uint8_t *from, const bool *reaches, size_t n_options, uint8_t *to)
{
	for (size_t i = 0; i < n_options; i++)
		to[i] = reaches && !reaches[i] ? 0 : from[i];
}

/* Is a masked variant in the half? Its options must be at off or default, and the rest must be able
 * to make the number even. */
static bool half_has(const struct variant_sets *sets, const bool *reaches, const uint8_t *levels)
{
	struct variant_walk w = {.options = sets->options,
		.n_options = sets->n_options,
		.reaches = reaches,
		.half = true};
	struct walker k;
	bool odd = false, has = true;

	for (size_t i = 0; i < sets->n_options; i++) {
		if (levels[i] && levels[i] != (uint8_t)sets->options[i].default_level)
			return false;
		odd ^= levels[i] != 0;
	}
	if (!odd)
		return true;
	walker_init(&k, &w);
	memcpy(k.levels, levels, sets->n_options);
	for (size_t i = 0; i < k.n_reached; i++)
		k.settled[k.order[i]] = true;
	has = complete(&k, k.n_reached, odd);
	walker_release(&k);
	return has;
}

/* --- Listing --------------------------------------------------------------------------------- */

struct lister {
	const struct descriptor *d;
	struct arena *arena;
	void (*warn)(void *ctx, const struct conf_node *node, const char *text);
	void *ctx;
	const struct conf_node *node;
	VEC(uint8_t) rows;
	size_t n, left_out;
	char why[256]; /* of the first one left out */
};

static void add_row(struct lister *x, const uint8_t *levels)
{
	for (size_t i = 0; i < x->d->n_options; i++)
		*vec_push(&x->rows) = levels[i];
	x->n++;
}

static void list_each(struct lister *x, uint8_t *levels)
{
	const struct option *options = x->d->options;
	char why[256];

	for (size_t i = 0; i < x->d->n_options; i++) {
		for (int level = 1; level < options[i].n_levels; level++) {
			memset(levels, 0, x->d->n_options);
			variant_with(options, x->d->n_options, (int)i, level, levels);
			if (options_hold(options, x->d->n_options, levels, why, sizeof(why)))
				add_row(x, levels);
			else if (!x->left_out++)
				memcpy(x->why, why, sizeof(why));
		}
	}
}

/* Takes an option out, and what requires it, transitively. */
static void take_out(const struct option *options, size_t n, size_t out, uint8_t *levels)
{
	levels[out] = 0;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; levels[i] && k < options[i].n_requires; k++) {
			if (!atom_holds(&options[i].requires[k], levels))
				take_out(options, n, i, levels);
		}
	}
}

static void list_of_all(struct lister *x, enum set_kind kind, uint8_t *levels)
{
	const struct option *options = x->d->options;
	size_t n = x->d->n_options;
	AUTOFREE uint8_t *all = xcalloc(n + 1, 1);

	variant_all(options, n, all, NULL);
	for (size_t i = 0; i < n; i++) {
		if (!all[i])
			continue;
		if (kind == SET_CUMULATIVE) {
			levels[i] = all[i];
		} else {
			memcpy(levels, all, n);
			take_out(options, n, i, levels);
		}
		add_row(x, levels);
	}
}

static void list_one(struct lister *x, const char *text, uint8_t *levels)
{
	struct err err = {0};

	/* descriptor_load has checked it */
	if (!setexpr_row(x->d->options, x->d->n_options, text, levels, &err))
		add_row(x, levels);
}

static bool uses_all(const char *plain)
{
	size_t len;

	if (!strcmp(plain, "all-each") || !strcmp(plain, "cumulative"))
		return true;
	for (; *plain; plain += len + (plain[len] != '\0')) {
		len = strcspn(plain, "+-");
		if (len == 3 && !strncmp(plain, "all", 3))
			return true;
	}
	return false;
}

static void warn_left_out(struct lister *x, const struct variant_set *set, double left_out)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;

	if (left_out < 1)
		return;
	buf_addf(&text, "'%s' leaves out %.0f variant%s that break%s a constraint", set->plain,
		left_out, left_out > 1 ? "s" : "", left_out > 1 ? "" : "s");
	if (x->why[0])
		buf_addf(&text, " (%s)", x->why);
	x->warn(x->ctx, x->node, text.data);
}

static void warn_all(struct lister *x)
{
	CLEANUP(buf_release) struct buf left_out = BUF_INIT, text = BUF_INIT;
	AUTOFREE uint8_t *levels = xcalloc(x->d->n_options + 1, 1);

	variant_all(x->d->options, x->d->n_options, levels, &left_out);
	if (!left_out.len)
		return;
	for (char *c = left_out.data; *c; c++)
		*c = *c == '\n' ? ';' : *c;
	left_out.data[left_out.len - 1] = '\0';
	buf_addf(&text, "'all' leaves out %s", left_out.data);
	x->warn(x->ctx, x->node, text.data);
}

static double all_combinations(const struct descriptor *d, bool half)
{
	double n = half && d->n_options ? 0.5 : 1;

	for (size_t i = 0; i < d->n_options; i++)
		n *= half ? 2 : d->options[i].n_levels;
	return n;
}

static void list_set(struct lister *x, const struct variant_sets *sets, struct variant_set *set)
{
	AUTOFREE uint8_t *levels = xcalloc(x->d->n_options + 1, 1);

	x->n = x->left_out = 0;
	x->rows.n = 0;
	x->why[0] = '\0';
	switch (set->kind) {
	case SET_ONE:
		list_one(x, set->text, levels);
		break;
	case SET_EACH:
		list_each(x, levels);
		break;
	case SET_ALL_EACH:
	case SET_CUMULATIVE:
		list_of_all(x, set->kind, levels);
		break;
	case SET_FULL:
		warn_left_out(
			x, set, all_combinations(x->d, false) - variants_count(sets, false, NULL));
		break;
	case SET_HALF:
		warn_left_out(
			x, set, all_combinations(x->d, true) - variants_count(sets, true, NULL));
		break;
	}
	warn_left_out(x, set, (double)x->left_out);
	set->rows = arena_memdup(x->arena, x->rows.items, x->rows.n);
	set->n = x->n;
}

void variant_sets_make(const struct descriptor *d, struct arena *arena,
	void (*warn)(void *ctx, const struct conf_node *node, const char *text), void *ctx,
	struct variant_sets *ret)
{
	struct lister x = {.d = d, .arena = arena, .warn = warn, .ctx = ctx};
	bool warned = false;

	*ret = (struct variant_sets){
		.options = d->options,
		.n_options = d->n_options,
		.items = arena_array(arena, d->matrix.sets.n + 1, sizeof(*ret->items)),
		.n = d->matrix.sets.n,
	};
	for (size_t i = 0; i < ret->n; i++) {
		struct variant_set *set = &ret->items[i];
		const struct conf_node *list = d->matrix.sets.node;

		set->text = d->matrix.sets.items[i];
		set->plain = set_text(set->text, arena);
		set->kind = setexpr_kind(set->text);
		x.node = list && list->kind == CONF_LIST ? list->items[i] : list;
		if (uses_all(set->plain) && !warned) {
			warned = true;
			warn_all(&x);
		}
		list_set(&x, ret, set);
	}
	vec_release(&x.rows);
}

bool variant_set_has(const struct variant_sets *sets, const struct variant_set *set,
	const bool *reaches, const uint8_t *levels)
{
	AUTOFREE uint8_t *row = NULL;

	if (set->kind == SET_FULL)
		return true;
	if (set->kind == SET_HALF)
		return half_has(sets, reaches, levels);
	row = xcalloc(sets->n_options + 1, 1);
	for (size_t i = 0; i < set->n; i++) {
		variant_mask(set->rows + i * sets->n_options, reaches, sets->n_options, row);
		if (!memcmp(row, levels, sets->n_options))
			return true;
	}
	return false;
}
