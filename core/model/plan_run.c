/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the plan's templates to what is executed. */
#include "config.h"

#include "core/model/plan.h"

#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"

static const char *number_text(struct arena *arena, unsigned long long n)
{
	return arena_printf(arena, "%llu", n);
}

static int jobs_of(const struct descriptor *d)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	return d->build.jobs ? (int)d->build.jobs : cores > 0 ? (int)cores : 1;
}

/* What means the same everywhere: the base that vars and defines themselves are expanded with. */
static void bind_fixed(
	const struct descriptor *d, int jobs, struct bindings *to, struct arena *arena)
{
	bindings_text(to, "here", d->dir);
	bindings_text(to, "jobs", number_text(arena, (unsigned long long)(jobs > 0 ? jobs : 1)));
	for (size_t i = 0; i < d->n_inputs; i++)
		bindings_text(
			to, arena_printf(arena, "input.%s", d->inputs[i].name), d->inputs[i].path);
}

/* plan_make has tried these texts; one that cannot be expanded now (the environment changed in
 * between) stays as it is. */
static const char *expanded(const struct bindings *with, const char *text, struct arena *arena)
{
	struct err unused = {0};
	const char *out;

	return expand_text(text, with, arena, &out, &unused) ? text : out;
}

static void bind_vars(const struct named_value *vars, size_t n, const struct bindings *fixed,
	struct bindings *to, struct arena *arena)
{
	for (size_t i = 0; i < n; i++) {
		const struct value *value = &vars[i].value;
		const char **items = arena_array(arena, value->n + 1, sizeof(*items));

		for (size_t k = 0; k < value->n; k++)
			items[k] = expanded(fixed, value->items[k], arena);
		if (value->is_list)
			bindings_list(to, vars[i].name, items, value->n, false, ' ');
		else
			bindings_text(to, vars[i].name, items[0]);
	}
}

/* {define:NAME} is known for every name that any option or axis can define; "" while it is off. */
static void bind_absent_defines(
	const struct payload *payload, struct bindings *to, struct arena *arena)
{
	for (size_t i = 0; i < payload->defines.n; i++)
		bindings_text(
			to, arena_printf(arena, "define:%s", payload->defines.items[i].key), "");
}

static void bind_defines(const struct descriptor *d, const struct conf_pairs *defines,
	const struct bindings *fixed, struct bindings *to, struct arena *arena)
{
	const char **items = arena_array(arena, defines->n + 1, sizeof(*items));

	for (size_t i = 0; i < d->n_options; i++) {
		for (int k = 0; k < d->options[i].n_levels; k++)
			bind_absent_defines(&d->options[i].levels[k].payload, to, arena);
	}
	for (size_t i = 0; i < d->n_axes; i++)
		bind_absent_defines(&d->axes[i].payload, to, arena);
	for (size_t i = 0; i < defines->n; i++) {
		const struct conf_pair *pair = &defines->items[i];
		const char *value = expanded(fixed, pair->value, arena);

		items[i] = arena_printf(arena, "-D%s=%s", pair->key, value);
		bindings_text(to, arena_printf(arena, "define:%s", pair->key), value);
	}
	bindings_list(to, "defines", items, defines->n, true, ' ');
}

static void bind_features(const struct plan_build *build, struct bindings *to, struct arena *arena)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;

	for (size_t i = 0; i < build->n_features; i++)
		buf_addf(&text, "%s%s", i ? "," : "", build->features[i]);
	bindings_text(to, "features", arena_strdup(arena, text.data));
}

static void bind_common(const struct plan *plan, const struct plan_build *build,
	const struct named_value *vars, size_t n_vars, int jobs, struct bindings *to,
	struct arena *arena)
{
	struct bindings fixed = {0};

	bind_fixed(plan->descriptor, jobs, &fixed, arena);
	bind_fixed(plan->descriptor, jobs, to, arena);
	bind_vars(vars, n_vars, &fixed, to, arena);
	bind_defines(plan->descriptor, &build->defines, &fixed, to, arena);
	bind_features(build, to, arena);
	bindings_release(&fixed);
}

void plan_build_bindings(const struct plan *plan, const struct plan_build *build, const char *tree,
	const char *out, int jobs, struct bindings *to, struct arena *arena)
{
	bind_common(plan, build, build->vars, build->n_vars, jobs, to, arena);
	bindings_text(to, "tree", tree);
	bindings_text(to, "out", out);
}

/* --- Runs ------------------------------------------------------------------------------------ */

static void bind_outputs(const struct descriptor *d, const char *prefix, const char *const *paths,
	struct bindings *to, struct arena *arena)
{
	for (size_t i = 0; paths && i < d->build.outputs.n; i++) {
		if (paths[i])
			bindings_text(to,
				arena_printf(arena, "%s%s", prefix, d->build.outputs.items[i].key),
				paths[i]);
	}
}

static void bind_run(const struct plan *plan, const struct plan_row *row,
	const struct run_paths *paths, struct bindings *to, struct arena *arena)
{
	const struct descriptor *d = plan->descriptor;

	bind_common(plan, &plan->builds[row->build], row->vars, row->n_vars, jobs_of(d), to, arena);
	bind_outputs(d, "bin.", paths->bins, to, arena);
	bind_outputs(d, "base.bin.", paths->base_bins, to, arena);
	bindings_text(to, "scratch", paths->scratch ? paths->scratch : "");
	bindings_text(to, "cpus", paths->cpus ? paths->cpus : "");
	bindings_text(to, "seed", number_text(arena, paths->seed));
}

static void see_args(void *ctx, const char *name, size_t len)
{
	bool *seen = ctx;

	*seen |= len == 4 && !strncmp(name, "args", 4);
}

static bool has_args(const char *const *argv)
{
	bool seen = false;
	char why[160];

	for (; *argv; argv++)
		(void)expand_scan(*argv, see_args, &seen, why, sizeof(why));
	return seen;
}

static int run_argv(const struct plan_row *row, struct bindings *to, struct arena *arena,
	const char *const **ret, struct err *err)
{
	const char *const *run = row->workload->run;
	const char **templates = arena_array(arena, row->n_args + 1, sizeof(*templates));
	const char *const *args, *const *argv;
	const char **joined;
	size_t n = 0, n_args = 0;

	for (size_t i = 0; i < row->n_args; i++)
		templates[i] = row->args[i];
	if (expand_argv(templates, to, arena, &args, err))
		return -1;
	while (args[n_args])
		n_args++;
	bindings_list(to, "args", args, n_args, true, ' ');
	if (expand_argv(run, to, arena, &argv, err))
		return -1;
	if (has_args(run)) {
		*ret = argv;
		return 0;
	}
	while (argv[n])
		n++;
	joined = arena_array(arena, n + n_args + 1, sizeof(*joined));
	memcpy(joined, argv, n * sizeof(*joined));
	if (n_args)
		memcpy(joined + n, args, n_args * sizeof(*joined));
	*ret = joined;
	return 0;
}

static int run_env(const struct plan_row *row, const struct bindings *with, struct arena *arena,
	struct conf_pairs *ret, struct err *err)
{
	struct conf_pairs env = {arena_array(arena, row->env.n + 1, sizeof(*env.items)), 0};

	for (size_t i = 0; i < row->env.n; i++) {
		struct conf_pair pair = row->env.items[i];

		if (pair.value && expand_text(pair.value, with, arena, &pair.value, err))
			return err_wrap(err, "env %s", pair.key);
		env.items[env.n++] = pair;
	}
	*ret = env;
	return 0;
}

int plan_row_command(const struct plan *plan, const struct plan_row *row,
	const struct run_paths *paths, struct arena *arena, const char *const **ret_argv,
	struct conf_pairs *ret_env, const char **ret_cwd, struct err *err)
{
	CLEANUP(bindings_release) struct bindings with = {0};
	const char *const *argv;
	struct conf_pairs env;
	const char *cwd;

	bind_run(plan, row, paths, &with, arena);
	if (run_argv(row, &with, arena, &argv, err) || run_env(row, &with, arena, &env, err) ||
		expand_text(row->workload->cwd, &with, arena, &cwd, err))
		return err_wrap(err, "%s", row->name);
	*ret_argv = argv;
	*ret_env = env;
	*ret_cwd = cwd;
	return 0;
}

int plan_row_text(const struct plan *plan, const struct plan_row *row,
	const struct run_paths *paths, const char *text, struct arena *arena, const char **ret,
	struct err *err)
{
	CLEANUP(bindings_release) struct bindings with = {0};

	bind_run(plan, row, paths, &with, arena);
	return expand_text(text, &with, arena, ret, err);
}
