/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/model/plan_id.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/num.h"
#include "core/base/text.h"

/* --- Small parts ----------------------------------------------------------------------------- */

static void field_real(struct digest_ctx *ctx, const char *name, double value)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;

	num_add_exact(&text, value);
	digest_field(ctx, name, text.data);
}

static void field_texts(
	struct digest_ctx *ctx, const char *name, const char *const *items, size_t n)
{
	digest_field_int(ctx, name, (int64_t)n);
	for (size_t i = 0; i < n; i++)
		digest_field(ctx, name, items[i]);
}

static void field_argv(struct digest_ctx *ctx, const char *name, const char *const *argv)
{
	size_t n = 0;

	while (argv && argv[n])
		n++;
	field_texts(ctx, name, argv, n);
}

static void field_pairs(struct digest_ctx *ctx, const char *name, const struct conf_pairs *pairs)
{
	digest_field_int(ctx, name, (int64_t)pairs->n);
	for (size_t i = 0; i < pairs->n; i++) {
		digest_field(ctx, "key", pairs->items[i].key);
		digest_field(ctx, "value", pairs->items[i].value);
	}
}

/* --- What templates use ---------------------------------------------------------------------- */

/* Vars, inputs and environment that a text names go into the id with their values; a var's own
 * placeholders too. */
struct uses {
	struct id_maker *maker;
	const struct effective *effective;
	struct digest_ctx *ctx;
	bool inputs; /* else all inputs are in the id already */
};

static void use_text(struct uses *uses, const char *text);

static void use_name(void *ctx, const char *name, size_t len)
{
	struct uses *uses = ctx;
	const struct descriptor *d = uses->maker->d;
	AUTOFREE char *word = xstrndup(name, len);

	if (text_starts(word, "env:")) {
		const char *value = getenv(word + 4);

		digest_field(uses->ctx, word, value);
		if (!value && !uses->maker->missing_env)
			uses->maker->missing_env = arena_strdup(uses->maker->arena, word + 4);
		return;
	}
	for (size_t i = 0; i < d->n_inputs && uses->inputs; i++) {
		if (text_starts(word, "input.") && !strcmp(d->inputs[i].name, word + 6) &&
			uses->maker->facts->input_digests)
			digest_field(uses->ctx, word, uses->maker->facts->input_digests[i]);
	}
	for (size_t i = 0; i < uses->effective->n_vars; i++) {
		const struct named_value *var = &uses->effective->vars[i];

		if (strcmp(var->name, word))
			continue;
		digest_field(uses->ctx, "var", word);
		field_texts(uses->ctx, "is", var->value.items, var->value.n);
		digest_field_int(uses->ctx, "list", var->value.is_list);
		for (size_t k = 0; k < var->value.n; k++)
			use_text(uses, var->value.items[k]);
	}
}

static void use_text(struct uses *uses, const char *text)
{
	char why[160];

	/* Templates of vars hold no vars, so this ends. */
	if (text && !expand_scan(text, use_name, uses, why, sizeof(why)))
		digest_field(uses->ctx, "broken", text);
}

static void use_argv(struct uses *uses, const char *const *argv)
{
	for (; argv && *argv; argv++)
		use_text(uses, *argv);
}

static void use_pairs(struct uses *uses, const struct conf_pairs *pairs)
{
	for (size_t i = 0; i < pairs->n; i++)
		use_text(uses, pairs->items[i].value);
}

/* --- Build ----------------------------------------------------------------------------------- */

static int payload_digest(struct id_maker *maker, const struct patch *patch, const char *pick,
	const char **ret, struct err *err)
{
	char key[64];
	const char *known;
	struct digest digest;

	snprintf(key, sizeof(key), "%p", patch ? (const void *)patch : (const void *)pick);
	known = map_get(&maker->payloads, key);
	if (!known && maker->facts->payload_digest) {
		if (maker->facts->payload_digest(maker->facts->ctx, patch, pick, &digest, err))
			return -1;
		known = arena_strdup(maker->arena, digest.hex);
		map_put(&maker->payloads, key, (void *)(uintptr_t)known);
	}
	*ret = known ? known : patch ? patch->file : pick;
	return 0;
}

static int field_changes(
	struct id_maker *maker, const struct effective *e, struct digest_ctx *ctx, struct err *err)
{
	const char *hex;

	digest_field_int(ctx, "picks", (int64_t)e->n_picks);
	for (size_t i = 0; i < e->n_picks; i++) {
		if (payload_digest(maker, NULL, e->picks[i], &hex, err))
			return -1;
		digest_field(ctx, "pick", hex);
	}
	digest_field_int(ctx, "patches", (int64_t)e->n_patches);
	for (size_t i = 0; i < e->n_patches; i++) {
		const struct patch *patch = e->patches[i];

		if (payload_digest(maker, patch, NULL, &hex, err))
			return -1;
		digest_field(ctx, "patch", hex);
		digest_field_int(ctx, "reverse", patch->reverse);
		digest_field_int(ctx, "strip", patch->strip);
		digest_field(ctx, "dir", patch->dir);
	}
	digest_field_int(ctx, "edits", (int64_t)e->n_edits);
	for (size_t i = 0; i < e->n_edits; i++) {
		digest_field(ctx, "file", e->edits[i]->file);
		digest_field(ctx, "find", e->edits[i]->find);
		digest_field(ctx, "replace", e->edits[i]->replace);
		digest_field_int(ctx, "count", e->edits[i]->count);
	}
	return 0;
}

int id_build(struct id_maker *maker, const struct effective *e, struct digest *ret, struct err *err)
{
	CLEANUP(digest_freep) struct digest_ctx *ctx = digest_new();
	const struct build *build = &maker->d->build;
	struct uses uses = {maker, e, ctx, true};

	digest_field(ctx, "assay", "build 1");
	digest_field(ctx, "source", maker->facts->source_digest);
	digest_field(ctx, "tools", maker->facts->tools_digest);
	if (field_changes(maker, e, ctx, err))
		return -1;
	field_pairs(ctx, "defines", &e->defines);
	field_texts(ctx, "features", e->features, e->n_features);
	digest_field_int(ctx, "rustflags used", maker->rustflags_used);
	field_texts(ctx, "rustflags", e->rustflags, e->n_rustflags);
	digest_field_int(ctx, "steps", (int64_t)build->steps.n);
	for (size_t i = 0; i < build->steps.n; i++) {
		field_argv(ctx, "step", build->steps.items[i]);
		use_argv(&uses, build->steps.items[i]);
	}
	field_argv(ctx, "fetch", build->fetch);
	use_argv(&uses, build->fetch);
	field_pairs(ctx, "env", &e->build_env);
	use_pairs(&uses, &e->build_env);
	field_pairs(ctx, "outputs", &build->outputs);
	use_pairs(&uses, &build->outputs);
	use_pairs(&uses, &e->defines);
	digest_field(ctx, "dir", build->dir);
	digest_field_int(ctx, "own path", build->own_path);
	*ret = digest_end(ctx);
	return 0;
}

/* --- Run ------------------------------------------------------------------------------------- */

static void field_checks(struct digest_ctx *ctx, const struct checks *checks)
{
	digest_field_int(ctx, "checks", (int64_t)checks->n);
	for (size_t i = 0; i < checks->n; i++) {
		const struct check *check = &checks->items[i];

		digest_field_int(ctx, "kind", check->kind);
		digest_field_int(ctx, "any", check->exit_any);
		for (size_t k = 0; k < check->n_exit_codes; k++)
			digest_field_int(ctx, "exit", check->exit_codes[k]);
		digest_field_int(ctx, "in", check->in);
		digest_field(ctx, "pattern", check->pattern);
		digest_field(ctx, "name", check->name);
		digest_field_int(ctx, "times", check->times.op);
		field_real(ctx, "n", check->times.value);
		digest_field_int(ctx, "is", check->is.op);
		field_real(ctx, "n", check->is.value);
	}
}

/* A path below the descriptor's folder counts without it. */
static const char *local_path(const struct descriptor *d, const char *path)
{
	size_t len = strlen(d->dir);

	if (path && !strncmp(path, d->dir, len) && path[len] == '/')
		return path + len + 1;
	return path;
}

struct digest id_run(struct id_maker *maker, const struct workload *workload,
	const struct effective *e, const char *build_key)
{
	CLEANUP(digest_freep) struct digest_ctx *ctx = digest_new();
	const struct descriptor *d = maker->d;
	struct uses uses = {maker, e, ctx, false};

	digest_field(ctx, "assay", "run 1");
	digest_field(ctx, "build", build_key);
	field_argv(ctx, "run", workload->run);
	use_argv(&uses, workload->run);
	field_texts(ctx, "args", e->args, e->n_args);
	for (size_t i = 0; i < e->n_args; i++)
		use_text(&uses, e->args[i]);
	field_pairs(ctx, "env", &e->env);
	use_pairs(&uses, &e->env);
	digest_field(ctx, "cwd", local_path(d, workload->cwd));
	use_text(&uses, workload->cwd);
	digest_field(ctx, "stdin", local_path(d, workload->stdin_path));
	use_text(&uses, workload->stdin_path);
	digest_field_int(ctx, "capture", workload->capture);
	digest_field(ctx, "cpus", workload->cpus);
	digest_field_int(ctx, "as", (int64_t)workload->limit_as);
	digest_field_int(ctx, "nofile", workload->limit_nofile);
	field_checks(ctx, &workload->checks);
	for (size_t i = 0; i < d->n_inputs; i++) {
		digest_field(ctx, "input", d->inputs[i].name);
		digest_field(ctx, "is",
			maker->facts->input_digests ? maker->facts->input_digests[i] : NULL);
	}
	return digest_end(ctx);
}

/* --- Plan ------------------------------------------------------------------------------------ */

static void field_node(struct digest_ctx *ctx, const struct conf_node *node)
{
	const struct conf_node *item;

	digest_field_int(ctx, "node", node ? (int64_t)node->kind : -1);
	if (!node)
		return;
	digest_field(ctx, "key", node->key);
	digest_field(ctx, "text", node->text);
	digest_field_int(ctx, "n", (int64_t)node->n);
	conf_foreach (item, node)
		field_node(ctx, item);
}

static void field_difference(
	struct digest_ctx *ctx, const char *metric, const struct difference *difference)
{
	digest_field(ctx, "metric", metric);
	digest_field_int(ctx, "relative", difference->relative);
	field_real(ctx, "difference", difference->value);
	digest_field(ctx, "unit", difference->unit);
}

static void field_measure(struct digest_ctx *ctx, const struct measure *measure)
{
	field_difference(ctx, measure->metric, &measure->difference);
	field_real(ctx, "confidence", measure->confidence);
	digest_field_int(ctx, "blocks", measure->blocks_min);
	digest_field_int(ctx, "to", measure->blocks_max);
	digest_field_int(ctx, "warmup", measure->warmup);
	digest_field_int(ctx, "timeout", measure->timeout_ns);
	digest_field_int(ctx, "fixed", measure->order_fixed);
	digest_field_int(ctx, "budget", measure->budget_ns);
	field_texts(ctx, "also", measure->also.items, measure->also.n);
	digest_field_int(ctx, "guards", (int64_t)measure->n_guards);
	for (size_t i = 0; i < measure->n_guards; i++)
		field_difference(ctx, measure->guards[i].metric, &measure->guards[i].difference);
	field_node(ctx, measure->collectors);
}

static void field_workload(
	struct digest_ctx *ctx, const struct workload *workload, const char *parser)
{
	digest_field(ctx, "workload", workload->name);
	digest_field(ctx, "log", workload->log);
	digest_field(ctx, "parser", parser);
	digest_field_int(ctx, "timeout", workload->timeout_ns);
	digest_field_int(ctx, "keep", (int64_t)workload->keep_output);
	field_argv(ctx, "cost", workload->cost);
	digest_field_int(ctx, "metrics", (int64_t)workload->n_metrics);
	for (size_t i = 0; i < workload->n_metrics; i++)
		field_node(ctx, workload->metrics[i].node);
	field_measure(ctx, &workload->measure);
}

struct digest id_plan(struct id_maker *maker, const struct plan *plan)
{
	CLEANUP(digest_freep) struct digest_ctx *ctx = digest_new();
	const struct descriptor *d = maker->d;

	digest_field(ctx, "assay", "plan 1");
	digest_field_int(ctx, "rows", (int64_t)plan->n_rows);
	for (size_t i = 0; i < plan->n_rows; i++) {
		digest_field(ctx, "row", plan->rows[i].name);
		digest_field(ctx, "run", plan->rows[i].run_key);
		digest_field_int(ctx, "baseline", plan->rows[i].baseline);
	}
	for (size_t i = 0; i < d->n_workloads; i++)
		field_workload(ctx, &d->workloads[i],
			maker->facts->parser_digests ? maker->facts->parser_digests[i] : NULL);
	/* Whether a run counts as one of the option is part of what the session means. */
	for (size_t i = 0; i < d->n_options; i++) {
		digest_field(ctx, "option", d->options[i].name);
		field_checks(ctx, &d->options[i].seen);
	}
	digest_field(ctx, "where", plan->where);
	return digest_end(ctx);
}
