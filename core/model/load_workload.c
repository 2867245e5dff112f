/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sections workloads and parsers (doc/descriptor.md). */
#include "config.h"

#include "core/model/load.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/datafile.h"
#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/base/vec.h"

struct raw_metric {
	struct conf_item item;
	const char *in, *re, *unit, *better, *combine;
	bool exact;
};

struct raw_workload {
	struct conf_item item;
	struct workload workload; /* what is read in place */
	const struct conf_node *metrics, *check, *measure;
	const char *stdin_path, *cwd, *capture;
	struct conf_texts options;
};

/* --- metrics --------------------------------------------------------------------------------- */

static void read_metric(struct loader *l, const struct raw_metric *raw, struct metric_def *ret)
{
	const struct conf_node *node = raw->item.node;
	const struct conf_node *in = conf_get(node, "in");
	char why[400];

	*ret = (struct metric_def){
		.name = raw->item.name,
		.re = raw->re ? raw->re : "",
		.unit = raw->unit ? raw->unit : "",
		.better = raw->better ? raw->better : "lower",
		.combine = raw->combine ? raw->combine : "last",
		.exact = raw->exact,
		.node = node,
	};
	if (metric_ref_valid(NULL, raw->item.name, why, sizeof(why)))
		conf_key_error(l->diags, node, "'%s' is the name of a metric of assay's own",
			raw->item.name);
	if (raw->re)
		load_pattern(l, conf_get(node, "re"), raw->re, "v");
	else if (node->kind == CONF_MAP && !conf_get(node, "json") && !conf_get(node, "csv"))
		conf_key_error(l->diags, node, "\"re\" is missing");
	if (!raw->in)
		return;
	if (!strcmp(raw->in, "stdout")) {
		ret->in = STREAM_STDOUT;
	} else if (!strcmp(raw->in, "stderr")) {
		ret->in = STREAM_STDERR;
	} else if (text_starts(raw->in, "file:") && raw->in[5]) {
		ret->in = STREAM_FILE;
		ret->path = raw->in + 5;
		load_template(l, in, IN_RUN, false);
	} else {
		conf_error(l->diags, in, "expected stdout, stderr or file:PATH");
	}
}

static void load_metrics(struct loader *l, const struct conf_node *node, struct workload *to)
{
	static const char *const betters[] = {"lower", "higher", "none", NULL};
	static const char *const combines[] = {"last", "first", "mean", "min", "max", "sum", NULL};
#define R(member) offsetof(struct raw_metric, member)
	static const struct conf_field fields[] = {
		FIELD("in", CT_TEXT, R(in), .flags = CONF_REQUIRED),
		FIELD("re", CT_TEXT, R(re)),
		FIELD("unit", CT_TEXT, R(unit)),
		FIELD("better", CT_CHOICE, R(better), .choices = betters),
		FIELD("combine", CT_CHOICE, R(combine), .choices = combines),
		FIELD("exact", CT_BOOL, R(exact)),
		FIELD("json", CT_NODE, 0, .flags = CONF_LATER,
			.later = "use re: with a group named v"),
		FIELD("csv", CT_NODE, 0, .flags = CONF_LATER,
			.later = "use re: with a group named v"),
		{NULL},
	};
#undef R
	static const struct conf_field map = FIELD(
		"metrics", CT_MAP_OF, 0, .sub = fields, .item_size = sizeof(struct raw_metric));
	struct conf_array array = {0};
	struct metric_def *metrics;

	if (!node)
		return;
	conf_read_value(node, &map, &array, l->arena, l->diags);
	metrics = arena_array(l->arena, array.n, sizeof(*metrics));
	for (size_t i = 0; i < array.n; i++)
		read_metric(l, &((const struct raw_metric *)array.items)[i], &metrics[i]);
	to->metrics = metrics;
	to->n_metrics = array.n;
}

/* --- Which options reach it ------------------------------------------------------------------ */

/* What a reaching option requires reaches too, else the workload would run a variant that breaks
 * the constraint. */
static void reach(const struct descriptor *d, int option, bool *reaches)
{
	const struct option *o = &d->options[option];

	if (reaches[option])
		return;
	reaches[option] = true;
	for (size_t i = 0; i < o->n_requires; i++)
		reach(d, o->requires[i].option, reaches);
}

static const bool *load_reach(struct loader *l, const struct raw_workload *raw)
{
	bool *reaches = arena_array(l->arena, l->d->n_options, sizeof(*reaches));
	const char **names = arena_array(l->arena, l->d->n_options, sizeof(*names));

	for (size_t i = 0; i < l->d->n_options; i++) {
		names[i] = l->d->options[i].name;
		if (!raw->options.node)
			reaches[i] = true;
	}
	for (size_t i = 0; i < raw->options.n; i++) {
		int at = descriptor_option(l->d, raw->options.items[i]);

		if (at >= 0)
			reach(l->d, at, reaches);
		else
			load_unknown(l, load_item(raw->options.node, i), "option",
				raw->options.items[i], names, l->d->n_options);
	}
	return reaches;
}

/* --- log ------------------------------------------------------------------------------------- */

static bool parser_exists(struct loader *l, const char *name)
{
	AUTOFREE char *file = xasprintf("parsers/%s.yaml", name);
	AUTOFREE char *beside = path_join(l->d->dir, file);
	AUTOFREE char *installed = NULL;
	struct err unused = {0};

	if (l->d->parsers && conf_get(l->d->parsers, name))
		return true;
	return fs_exists(beside) || !datafile_find(file, &installed, &unused);
}

static void check_parser(struct loader *l, const struct conf_node *node, const char *name)
{
	VEC(const char *) names = VEC_INIT;
	const struct conf_node *item;
	char **installed;

	if (!conf_is_name(name)) {
		conf_error(l->diags, node, "\"%s\" is not a parser's name", name);
		return;
	}
	if (parser_exists(l, name))
		return;
	installed = datafile_list_with(l->d->dir, "parsers", ".yaml");
	for (size_t i = 0; installed[i]; i++)
		*vec_push(&names) = installed[i];
	if (l->d->parsers) {
		conf_foreach (item, l->d->parsers)
			*vec_push(&names) = item->key;
	}
	load_unknown(l, node, "parser", name, names.items, names.n);
	for (size_t i = 0; installed[i]; i++)
		free(installed[i]);
	free(installed);
	vec_release(&names);
}

void load_parsers(struct loader *l, const struct conf_node *node)
{
	const struct conf_node *item;

	if (!node)
		return;
	if (node->kind != CONF_MAP) {
		conf_error(l->diags, node, "expected a map of names to parsers");
		return;
	}
	conf_foreach (item, node) {
		if (!conf_is_name(item->key) || conf_is_reserved(item->key))
			conf_key_error(l->diags, item, "\"%s\" is %s", item->key,
				conf_is_name(item->key) ? "a reserved word" : "not a name");
		else if (item->kind != CONF_MAP)
			conf_error(l->diags, item, "expected a map: {rules: [...]}");
		load_name(l, item, "a parser");
	}
	l->d->parsers = node;
}

/* --- The section ----------------------------------------------------------------------------- */

static void check_templates(struct loader *l, const struct conf_node *node)
{
	load_template(l, conf_get(node, "run"), IN_RUN_ARGV, false);
	load_template(l, conf_get(node, "cost"), IN_RUN_ARGV, false);
	load_template(l, conf_get(node, "env"), IN_RUN, false);
	load_template(l, conf_get(node, "cwd"), IN_RUN, false);
	load_template(l, conf_get(node, "stdin"), IN_RUN, false);
}

static void finish_workload(struct loader *l, const struct raw_workload *raw, struct workload *ret)
{
	const struct conf_node *node = raw->item.node;
	static const char *const nothing[] = {"", NULL};
	char why[400];

	*ret = raw->workload;
	ret->name = raw->item.name;
	ret->node = node;
	ret->measure = l->d->measure;
	load_measure(l, raw->measure, true, &ret->measure);
	if (!ret->run)
		ret->run = nothing; /* a mistake reported already */
	if (!ret->timeout_ns)
		ret->timeout_ns = ret->measure.timeout_ns;
	if (!conf_get(node, "keep_output"))
		ret->keep_output = UINT64_C(1) << 20;
	ret->cwd = raw->cwd ? load_path_template(l, raw->cwd) : "{scratch}";
	if (raw->stdin_path && strcmp(raw->stdin_path, "/dev/null"))
		ret->stdin_path = load_path_template(l, raw->stdin_path);
	if (raw->capture)
		ret->capture = strcmp(raw->capture, "pty") ? CAPTURE_PIPE : CAPTURE_PTY;
	if (ret->log)
		check_parser(l, conf_get(node, "log"), ret->log);
	load_metrics(l, raw->metrics, ret);
	load_checks(l, raw->check, false, &ret->checks);
	ret->reaches = load_reach(l, raw);
	check_templates(l, node);
	for (size_t i = 0; i < ret->checks.n; i++) {
		const struct check *check = &ret->checks.items[i];

		if (check->kind == CHECK_METRIC &&
			!metric_ref_valid(ret, check->name, why, sizeof(why)))
			conf_error(l->diags, conf_get(check->node, "metric"), "%s", why);
		if (check->kind == CHECK_PHASE && !ret->log && !ret->measure.collectors)
			conf_warning(l->diags, check->node,
				"the workload names no log parser: the phase is never seen");
	}
}

void load_workloads(struct loader *l, const struct conf_node *node)
{
	static const char *const captures[] = {"pipe", "pty", NULL};
#define W(member) offsetof(struct raw_workload, workload.member)
#define R(member) offsetof(struct raw_workload, member)
	static const struct conf_field limits[] = {
		FIELD("as", CT_SIZE, offsetof(struct workload, limit_as)),
		FIELD("nofile", CT_INT, offsetof(struct workload, limit_nofile), .min = 1,
			.max = INT64_MAX),
		{NULL},
	};
	static const struct conf_field fields[] = {
		FIELD("run", CT_ARGV, W(run), .flags = CONF_REQUIRED),
		FIELD("log", CT_TEXT, W(log)),
		FIELD("metrics", CT_NODE, R(metrics)),
		FIELD("check", CT_NODE, R(check)),
		FIELD("env", CT_PAIRS, W(env), .flags = CONF_NULL_OK),
		FIELD("cwd", CT_TEXT, R(cwd)),
		FIELD("stdin", CT_TEXT, R(stdin_path)),
		FIELD("capture", CT_CHOICE, R(capture), .choices = captures),
		FIELD("timeout", CT_DURATION, W(timeout_ns)),
		FIELD("cpus", CT_TEXT, W(cpus)),
		FIELD("limits", CT_STRUCT, R(workload), .sub = limits),
		FIELD("keep_output", CT_SIZE, W(keep_output)),
		FIELD("options", CT_TEXTS, R(options)),
		FIELD("measure", CT_NODE, R(measure)),
		FIELD("cost", CT_ARGV, W(cost)),
		FIELD("iterations", CT_NODE, 0, .flags = CONF_LATER,
			.later = "write the count into run; the run is what is compared"),
		FIELD("uses", CT_NODE, 0, .flags = CONF_LATER),
		{NULL},
	};
#undef R
#undef W
	static const struct conf_field map = FIELD(
		"workloads", CT_MAP_OF, 0, .sub = fields, .item_size = sizeof(struct raw_workload));
	struct conf_array array = {0};
	const struct raw_workload *raw;
	struct workload *workloads;

	if (!node)
		return;
	conf_read_value(node, &map, &array, l->arena, l->diags);
	raw = array.items;
	if (node->kind == CONF_MAP && !node->n)
		conf_error(l->diags, node, "there is no workload: nothing to run");
	workloads = arena_array(l->arena, array.n, sizeof(*workloads));
	for (size_t i = 0; i < array.n; i++) {
		load_name(l, raw[i].item.node, "a workload");
		finish_workload(l, &raw[i], &workloads[i]);
	}
	l->d->workloads = workloads;
	l->d->n_workloads = array.n;
}
