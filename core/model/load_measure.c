/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sections measure and bisect. */
#include "config.h"

#include "core/model/load.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/num.h"
#include "core/base/text.h"
#include "core/model/setexpr.h"

/* Numbers of blocks at which a sequential session may look (doc/statistics.md). */
static const int64_t looks[] = {4, 6, 8, 11, 15, 20, 26, 32};

struct raw_measure {
	const char *metric, *difference, *order;
	double confidence;
	const struct conf_node *blocks, *collectors;
	int64_t warmup, timeout_ns, seed, budget_ns;
	struct conf_texts also;
	struct conf_pairs guard;
};

/* percent, size, duration, or a bare number */
static bool read_difference(
	struct loader *l, const struct conf_node *node, const char *text, struct difference *ret)
{
	struct difference found = {.unit = ""};
	struct why why;
	uint64_t bytes;
	int64_t ns;

	if (!num_percent(text, &found.value, &why)) {
		found.relative = true;
	} else if (!num_size(text, &bytes, &why)) {
		found.unit = "B";
		found.value = (double)bytes;
	} else if (!num_duration(text, &ns, &why)) {
		found.unit = "s";
		found.value = (double)ns / (double)NS_PER_S;
	} else if (num_double(text, &found.value, &why)) {
		conf_error(l->diags, node, "'%s' is no difference", text);
		diag_help(l->diags, "write 1%%, 5 ms, 10 MiB or a number");
		return false;
	}
	if (found.value <= 0) {
		conf_error(l->diags, node, "the smallest difference that matters must be above 0");
		return false;
	}
	*ret = found;
	return true;
}

static bool is_look(int64_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(looks); i++) {
		if (looks[i] == n)
			return true;
	}
	return false;
}

static int64_t nearest_look(int64_t n)
{
	int64_t best = looks[0];

	for (size_t i = 1; i < ARRAY_SIZE(looks); i++) {
		if (llabs(looks[i] - n) < llabs(best - n))
			best = looks[i];
	}
	return best;
}

static void check_look(struct loader *l, const struct conf_node *node, int64_t *n)
{
	if (is_look(*n))
		return;
	conf_error(l->diags, node, "%" PRId64 " is no number of blocks at which a session can look",
		*n);
	diag_help(l->diags, "looks are at 4 6 8 11 15 20 26 32: the nearest is %" PRId64,
		nearest_look(*n));
	*n = nearest_look(*n);
}

struct raw_blocks {
	int64_t min, max;
};

static void load_blocks(struct loader *l, const struct conf_node *node, struct measure *measure)
{
	static const struct conf_field fields[] = {
		FIELD("min", CT_INT, offsetof(struct raw_blocks, min), .min = 1, .max = INT64_MAX),
		FIELD("max", CT_INT, offsetof(struct raw_blocks, max), .min = 1, .max = INT64_MAX),
		{NULL},
	};
	static const struct conf_field number =
		FIELD("blocks", CT_INT, 0, .min = 2, .max = 1000000);
	struct raw_blocks raw = {4, 32};
	int64_t n;

	if (node->kind != CONF_MAP) {
		if (conf_read_value(node, &number, &n, l->arena, l->diags))
			measure->blocks_min = measure->blocks_max = n;
		return;
	}
	if (!conf_read(node, fields, &raw, l->arena, l->diags))
		return;
	if (conf_get(node, "min"))
		check_look(l, conf_get(node, "min"), &raw.min);
	if (conf_get(node, "max"))
		check_look(l, conf_get(node, "max"), &raw.max);
	if (raw.min > raw.max)
		conf_error(l->diags, node, "min is above max (%" PRId64 ")", raw.max);
	measure->blocks_min = raw.min;
	measure->blocks_max = raw.max;
}

static void load_guards(struct loader *l, const struct conf_pairs *pairs, struct measure *measure)
{
	struct guard *guards = arena_array(l->arena, pairs->n, sizeof(*guards));

	for (size_t i = 0; i < pairs->n; i++) {
		guards[i] = (struct guard){pairs->items[i].key, {true, 0.01, ""}};
		read_difference(
			l, pairs->items[i].node, pairs->items[i].value, &guards[i].difference);
	}
	measure->guards = guards;
	measure->n_guards = pairs->n;
}

static void load_collectors(struct loader *l, const struct conf_node *node, struct measure *measure)
{
	const struct conf_node *item;

	if (node->kind != CONF_MAP) {
		conf_error(l->diags, node, "expected a map of collectors to their options");
		diag_help(l->diags, "write {rusage: {}, log: {}, host: {}}");
		return;
	}
	conf_foreach (item, node) {
		if (item->kind != CONF_MAP && item->kind != CONF_NULL)
			conf_error(l->diags, item, "expected a map of options, maybe {}");
	}
	measure->collectors = node;
}

#define M(member) offsetof(struct raw_measure, member)
#define FIELDS_OF_BOTH \
	FIELD("metric", CT_TEXT, M(metric)), FIELD("difference", CT_TEXT, M(difference)), \
		FIELD("guard", CT_PAIRS, M(guard), .flags = CONF_ANY_KEY), \
		FIELD("blocks", CT_NODE, M(blocks)), \
		FIELD("warmup", CT_INT, M(warmup), .min = 0, .max = 1000)

void load_measure(
	struct loader *l, const struct conf_node *node, bool of_workload, struct measure *measure)
{
	static const char *const orders[] = {"random", "fixed", NULL};
	static const struct conf_field of_all[] = {
		FIELDS_OF_BOTH,
		FIELD("confidence", CT_PERCENT, M(confidence)),
		FIELD("timeout", CT_DURATION, M(timeout_ns)),
		FIELD("seed", CT_INT, M(seed), .min = 0, .max = INT64_MAX),
		FIELD("order", CT_CHOICE, M(order), .choices = orders),
		FIELD("budget", CT_DURATION, M(budget_ns)),
		FIELD("also", CT_TEXTS, M(also)),
		FIELD("collectors", CT_NODE, M(collectors)),
		FIELD("scope", CT_NODE, 0, .flags = CONF_LATER),
		{NULL},
	};
	static const struct conf_field of_one[] = {FIELDS_OF_BOTH, {NULL}};
	struct raw_measure raw = {
		.confidence = measure->confidence,
		.warmup = measure->warmup,
		.timeout_ns = measure->timeout_ns,
		.seed = -1,
	};

	if (!node)
		return;
	conf_read(node, of_workload ? of_one : of_all, &raw, l->arena, l->diags);
	if (raw.metric)
		measure->metric = raw.metric;
	if (raw.difference)
		read_difference(
			l, conf_get(node, "difference"), raw.difference, &measure->difference);
	if (raw.blocks)
		load_blocks(l, raw.blocks, measure);
	if (raw.guard.n)
		load_guards(l, &raw.guard, measure);
	measure->warmup = raw.warmup;
	measure->timeout_ns = raw.timeout_ns;
	if (of_workload)
		return;
	if (raw.confidence < 0.5 || raw.confidence >= 1)
		conf_error(
			l->diags, conf_get(node, "confidence"), "must be from 50%% to below 100%%");
	else
		measure->confidence = raw.confidence;
	measure->seed_given = raw.seed >= 0;
	measure->seed = raw.seed >= 0 ? (uint64_t)raw.seed : 0;
	measure->order_fixed = raw.order && !strcmp(raw.order, "fixed");
	measure->budget_ns = raw.budget_ns;
	measure->also = raw.also;
	if (raw.collectors)
		load_collectors(l, raw.collectors, measure);
}

/* --- Metrics, once all are known ------------------------------------------------------------- */

static bool check_ref(struct loader *l, const struct workload *workload,
	const struct conf_node *node, const char *ref)
{
	char why[400];

	if (!node || metric_ref_valid(workload, ref, why, sizeof(why)))
		return true;
	conf_error(l->diags, node, "%s", why);
	return false;
}

static char *unit_words(const char *unit)
{
	return !strcmp(unit, "s")   ? xstrdup("a time")
	       : !strcmp(unit, "B") ? xstrdup("a size")
	       : *unit              ? xasprintf("in %s", unit)
				    : xstrdup("a bare number");
}

/* An absolute difference in the wrong dimension could never be compared with the metric. One in a
 * unit that assay does not know is written as a bare number. */
static bool check_unit(struct loader *l, const struct workload *workload,
	const struct conf_node *node, const char *metric, const struct difference *difference)
{
	const char *unit = metric_ref_unit(workload, metric);
	AUTOFREE char *given = NULL, *needed = NULL;
	bool bare = unit && strcmp(unit, "s") != 0 && strcmp(unit, "B") != 0;

	if (!node || difference->relative || !unit || !strcmp(bare ? "" : unit, difference->unit))
		return true;
	given = unit_words(difference->unit);
	needed = unit_words(unit);
	conf_error(l->diags, node, "the difference is %s, but %s is %s", given, metric, needed);
	if (bare && *unit)
		diag_help(l->diags, "write a percentage, or a number: it is in %s", unit);
	return false;
}

static const struct conf_node *child(const struct conf_node *node, const char *key)
{
	return node ? conf_get(node, key) : NULL;
}

/* All references of one measure node; false when there was a mistake. */
static bool check_measure(struct loader *l, const struct workload *workload,
	const struct conf_node *node, bool metric_too)
{
	const struct measure *measure = &workload->measure;
	const struct conf_node *guard = child(node, "guard");
	bool good = true;

	if (metric_too && child(node, "metric"))
		good = check_ref(l, workload, child(node, "metric"), measure->metric);
	if (good && child(node, "difference"))
		good = check_unit(l, workload, child(node, "difference"), measure->metric,
			&measure->difference);
	for (size_t i = 0; guard && i < measure->n_guards && i < guard->n; i++) {
		if (!check_ref(l, workload, guard->items[i], measure->guards[i].metric) ||
			!check_unit(l, workload, guard->items[i], measure->guards[i].metric,
				&measure->guards[i].difference))
			good = false;
	}
	return good;
}

void load_measure_metrics(struct loader *l)
{
	const struct conf_node *top = conf_get(l->root, "measure");
	const struct conf_node *also = child(top, "also");
	bool top_good = true;

	for (size_t i = 0; i < l->d->n_workloads; i++) {
		const struct workload *workload = &l->d->workloads[i];
		const struct conf_node *own = child(workload->node, "measure");

		check_measure(l, workload, own, true);
		if (!top_good || workload->measure.metric != l->d->measure.metric)
			continue;
		if (workload->measure.guards == l->d->measure.guards && !child(own, "difference"))
			top_good = check_measure(l, workload, top, true);
		else
			top_good = check_ref(
				l, workload, child(top, "metric"), workload->measure.metric);
	}
	/* `also` may name what one workload has and another has not. */
	for (size_t k = 0; also && k < l->d->measure.also.n; k++) {
		const char *ref = l->d->measure.also.items[k];
		bool any = false;
		char why[400];

		for (size_t i = 0; i < l->d->n_workloads && !any; i++)
			any = metric_ref_valid(&l->d->workloads[i], ref, why, sizeof(why));
		if (!any && l->d->n_workloads)
			conf_error(l->diags, load_item(also, k), "%s", why);
	}
}

/* --- bisect ---------------------------------------------------------------------------------- */

struct raw_bisect {
	const char *workload, *metric, *from, *to, *difference;
	struct conf_texts options;
};

static void check_end(struct loader *l, const struct conf_node *node, const char *text)
{
	AUTOFREE uint8_t *levels = xcalloc(l->d->n_options + 1, 1);
	struct err err = {0};

	if (!text || !setexpr_row(l->d->options, l->d->n_options, text, levels, &err))
		return;
	conf_error(l->diags, node, "%s", err.text);
	if (err.help[0])
		diag_help(l->diags, "%s", err.help);
}

void load_bisect(struct loader *l, const struct conf_node *node)
{
#define B(name, type) FIELD(#name, type, offsetof(struct raw_bisect, name))
	static const struct conf_field fields[] = {B(workload, CT_TEXT), B(metric, CT_TEXT),
		B(from, CT_TEXT), B(to, CT_TEXT), B(difference, CT_TEXT), B(options, CT_TEXTS),
		{NULL}};
#undef B
	struct raw_bisect raw = {0};
	const struct workload *workload = NULL;
	const char **names;
	struct difference unused;

	if (!node)
		return;
	conf_read(node, fields, &raw, l->arena, l->diags);
	names = arena_array(l->arena, l->d->n_options + l->d->n_workloads, sizeof(*names));
	if (raw.workload) {
		int at = descriptor_workload(l->d, raw.workload);

		for (size_t i = 0; i < l->d->n_workloads; i++)
			names[i] = l->d->workloads[i].name;
		if (at >= 0)
			workload = &l->d->workloads[at];
		else
			load_unknown(l, conf_get(node, "workload"), "workload", raw.workload, names,
				l->d->n_workloads);
	}
	if (raw.metric && (workload || l->d->n_workloads == 1))
		check_ref(l, workload ? workload : l->d->workloads, conf_get(node, "metric"),
			raw.metric);
	check_end(l, conf_get(node, "from"), raw.from);
	check_end(l, conf_get(node, "to"), raw.to);
	if (raw.difference)
		read_difference(l, conf_get(node, "difference"), raw.difference, &unused);
	for (size_t i = 0; i < l->d->n_options; i++)
		names[i] = l->d->options[i].name;
	for (size_t i = 0; i < raw.options.n; i++) {
		if (descriptor_option(l->d, raw.options.items[i]) < 0)
			load_unknown(l, load_item(conf_get(node, "options"), i), "option",
				raw.options.items[i], names, l->d->n_options);
	}
	l->d->bisect = node;
}
