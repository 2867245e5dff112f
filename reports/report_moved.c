/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What else moved in a cell: other metrics and phases, each fact once. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"
#include "reports/report_impl.h"
#include "reports/words.h"

#define MOVED_MAX 16 /* lines of the table */
#define WITH_MAX 6   /* other names of one fact that are said */

static int by_size(const void *pa, const void *pb)
{
	const struct change *a = *(const struct change *const *)pa;
	const struct change *b = *(const struct change *const *)pb;
	double sa = a->absolute ? INFINITY : fabs(log1p(a->effect));
	double sb = b->absolute ? INFINITY : fabs(log1p(b->effect));

	if (a->also != b->also || a->guard != b->guard)
		return a->also || a->guard ? -1 : 1;
	return sa > sb ? -1 : sa < sb ? 1 : a < b ? -1 : a > b;
}

/* "wall", "phase kernel", "user in kernel" */
static void add_metric(struct buf *to, const struct change *change)
{
	bool phase = !strncmp(change->scope, "phase:", 6);

	if (phase && strcmp(change->metric, "wall") != 0)
		buf_addf(to, "%s in %s", change->metric, change->scope + 6);
	else if (phase)
		buf_addf(to, "phase %s", change->scope + 6);
	else
		buf_adds(to, change->metric);
}

/* Times that say one fact: those of a row that went the same way by, as far as is known, the same
 * share. */
static bool same_fact(const struct change *a, const struct change *b)
{
	return a->result == b->result && a->moved == b->moved && is_time(a->unit) &&
	       is_time(b->unit) && !a->absolute && !b->absolute && !a->guard && !b->guard &&
	       a->low <= b->high && b->low <= a->high;
}

/* What moved, and the other names of the same fact. */
struct moved {
	const struct change *change;
	const struct change *with[WITH_MAX];
	size_t n_with; /* of them all, more than are kept here */
};

typedef VEC(struct moved) moved_list;

/* Which of several names of one fact leads: the whole run's time, then phases. */
static int rank(const struct change *change)
{
	bool wall = !strcmp(change->metric, "wall");

	return wall && !strcmp(change->scope, "run") ? 0 : wall ? 1 : 2;
}

/* "phase kernel and user moved with wall" */
static void add_with(struct buf *to, const struct moved *moved)
{
	for (size_t i = 0; i < moved->n_with && i < WITH_MAX; i++) {
		if (i)
			buf_adds(to, i + 1 == moved->n_with ? " and " : ", ");
		add_metric(to, moved->with[i]);
	}
	if (moved->n_with > WITH_MAX)
		buf_addf(to, " and %zu more", moved->n_with - WITH_MAX);
	buf_adds(to, " moved with ");
	add_metric(to, moved->change);
}

/* The other names of each fact, once for all variants where they are the same. */
static void say_with(const moved_list *moved, struct doc *doc)
{
	size_t n = moved->n < MOVED_MAX ? moved->n : MOVED_MAX;
	struct buf said[MOVED_MAX];

	for (size_t i = 0; i < n; i++) {
		said[i] = (struct buf)BUF_INIT;
		if (moved->items[i].n_with)
			add_with(&said[i], &moved->items[i]);
	}
	for (size_t i = 0; i < n; i++) {
		CLEANUP(buf_release) struct buf variants = BUF_INIT;

		for (size_t k = i; k < n && said[i].len; k++) {
			if (strcmp(said[k].data, said[i].data) != 0)
				continue;
			buf_addf(&variants, "%s%s", variants.len ? ", " : "",
				row_label(moved->items[k].change->result->row));
			if (k > i)
				buf_clear(&said[k]);
		}
		if (said[i].len)
			doc_text(doc, "%s (%s).", said[i].data, variants.data);
	}
	for (size_t i = 0; i < n; i++)
		buf_release(&said[i]);
}

static void add_moved(struct table *table, const struct change *change)
{
	CLEANUP(buf_release) struct buf from = BUF_INIT;
	CLEANUP(buf_release) struct buf to = BUF_INIT;
	CLEANUP(buf_release) struct buf effect = BUF_INIT;
	CLEANUP(buf_release) struct buf interval = BUF_INIT;
	double wide = fmax(fabs(change->value), fabs(change->baseline_value));
	struct scale scale = scale_for(wide, change->unit);
	CLEANUP(buf_release) struct buf metric = BUF_INIT;
	const char *word =
		verdict_adjective(change->verdict, change->unit, change->better, change->moved);

	table_row(table);
	table_text(table, "variant", row_label(change->result->row));
	add_metric(&metric, change);
	table_text(table, "metric", metric.data);
	scale_add_unit(&from, &scale, change->baseline_value);
	table_real_text(table, "baseline", change->baseline_value, from.data);
	scale_add_unit(&to, &scale, change->value);
	table_real_text(table, "value", change->value, to.data);
	if (change->absolute) {
		scale_add_signed(&effect, &scale, change->effect);
		buf_adds(&effect, scale.unit[0] ? " " : "");
		buf_adds(&effect, scale.unit);
		add_interval(&interval, change->low, change->high, scale.factor, scale.digits);
	} else {
		int digits = percent_digits((change->high - change->low) / 2, change->effect);

		add_percent(&effect, change->effect, digits);
		add_percent_interval(&interval, change->low, change->high, digits);
	}
	table_real_text(table, "effect", change->effect, effect.data);
	table_text(table, "interval", interval.data);
	table_textf(table, "verdict", "%s%s", word, change->guard ? " (guard)" : "");
	table_style(table, "verdict",
		!strcmp(change->better, "none")        ? NULL
		: change->verdict == VERDICT_REGRESSED ? "bad"
						       : "good");
}

static bool same_metric(const struct change *a, const struct change *b)
{
	return a->result->cell == b->result->cell && !strcmp(a->metric, b->metric) &&
	       !strcmp(a->scope, b->scope);
}

/* A metric that was asked for and stayed where it was in all rows that have it gets its sentence.
 * first: index of its first row. */
static void add_still(const struct analysis *analysis, size_t first, struct doc *doc)
{
	const struct change *change = &analysis->changes[first];
	CLEANUP(buf_release) struct buf text = BUF_INIT;
	bool some_unmeasured = false, some_same = false;

	for (size_t k = 0; k < analysis->n_changes; k++) {
		const struct change *other = &analysis->changes[k];

		if (!same_metric(change, other))
			continue;
		if (k < first)
			return; /* said already */
		if (other->verdict == VERDICT_UNMEASURED) {
			some_unmeasured = true;
			continue;
		}
		if (other->verdict != VERDICT_SAME || other->absolute)
			return;
		some_same = true;
	}
	if (!some_same)
		return;
	buf_addf(&text, "%s: same within ", metric_noun(change->metric, change->scope));
	add_short(&text, change->difference * 100, 3);
	buf_addf(&text, " %% in every %srow.", some_unmeasured ? "measured " : "");
	doc_text(doc, "%s", text.data);
}

/* In the order of the metrics, so that the same names make the same sentence. */
static void also_known(struct moved *moved, const struct change *change)
{
	size_t n = moved->n_with++, i = n;

	if (n >= WITH_MAX)
		return;
	for (; i && moved->with[i - 1] > change; i--)
		moved->with[i] = moved->with[i - 1];
	moved->with[i] = change;
}

/* Finds what moved in a cell; returns the number of comparisons where nothing is known to. */
static size_t find_moved(const struct analysis *analysis, size_t cell, moved_list *moved)
{
	VEC(const struct change *) all = VEC_INIT;
	size_t others = 0;

	for (size_t i = 0; i < analysis->n_changes; i++) {
		const struct change *change = &analysis->changes[i];

		if (change->result->cell != cell || !change->result->shown)
			continue;
		if (change->moved)
			*vec_push(&all) = change;
		else
			others++;
	}
	if (all.n)
		qsort(all.items, all.n, sizeof(*all.items), by_size);
	for (size_t i = 0; i < all.n; i++) {
		size_t k = 0;

		while (k < moved->n && !same_fact(moved->items[k].change, all.items[i]))
			k++;
		if (k == moved->n) {
			*vec_push(moved) = (struct moved){.change = all.items[i]};
			continue;
		}
		if (rank(all.items[i]) < rank(moved->items[k].change)) {
			const struct change *before = moved->items[k].change;

			moved->items[k].change = all.items[i];
			all.items[i] = before;
		}
		also_known(&moved->items[k], all.items[i]);
	}
	vec_release(&all);
	return others;
}

void compare_moved(const struct analysis *analysis, const struct cell_result *cell, struct doc *doc)
{
	size_t c = (size_t)(cell - analysis->cells), others;
	moved_list moved = VEC_INIT;
	struct table *table;

	others = find_moved(analysis, c, &moved);
	if (moved.n) {
		table = table_new("What else moved (a family of its own, by Holm's rule)");
		table_column(table, "variant", "variant", ALIGN_LEFT, 0);
		table_column(table, "metric", "metric", ALIGN_LEFT, 0);
		table_column(table, "baseline", row_label(analysis->results[cell->rows[0]].row),
			ALIGN_RIGHT, 2);
		table_column(table, "value", "value", ALIGN_RIGHT, 0);
		table_column(table, "effect", "difference", ALIGN_RIGHT, 0);
		table_column(table, "interval", "interval", ALIGN_RIGHT, 1);
		table_column(table, "verdict", "verdict", ALIGN_LEFT, 0);
		for (size_t i = 0; i < moved.n && i < MOVED_MAX; i++)
			add_moved(table, moved.items[i].change);
		doc_table(doc, table);
		say_with(&moved, doc);
		if (moved.n > MOVED_MAX)
			doc_text(doc, "and %zu more: --format json has all of them.",
				moved.n - MOVED_MAX);
	} else if (others) {
		doc_text(doc,
			"Nothing else moved for sure: %zu comparison%s of other metrics and "
			"phases in %s %s the same, undecided or too few.",
			others, plural(others), cell->name, others == 1 ? "is" : "are");
	}
	vec_release(&moved);
	for (size_t i = 0; i < analysis->n_changes; i++) {
		if (analysis->changes[i].also && analysis->changes[i].result->cell == c)
			add_still(analysis, i, doc);
	}
}
