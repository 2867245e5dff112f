/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/map.h"
#include "core/base/text.h"
#include "core/engine/build.h"
#include "core/engine/childenv.h"

/* Of what a tool says of itself. */
#define VERSION_BYTES 4096
#define VERSION_TIMEOUT_NS (30 * NS_PER_S)

struct tools {
	const struct descriptor *descriptor;
	struct launcher *launcher;
	struct arena arena;
	struct map names; /* program -> anything: needed; NULL: where it is there */
	const char *path; /* PATH of the build */
	const char *const *envp;
};

/* --- Which ones ----------------------------------------------------------------------------------
 */

static void add_tool(struct tools *tools, const char *name, bool needed)
{
	/* A program of the source itself: its content is in the source's digest, and running it in
	 * the user's folder could do anything. */
	if (!name[0] || (strchr(name, '/') && name[0] != '/'))
		return;
	if (needed || !map_find(&tools->names, name))
		map_put(&tools->names, name, needed ? tools : NULL);
}

static void bind_vars(struct tools *tools, struct bindings *to)
{
	const struct descriptor *descriptor = tools->descriptor;

	bindings_text(to, "here", descriptor->dir);
	for (size_t i = 0; i < descriptor->n_vars; i++) {
		const struct named_value *var = &descriptor->vars[i];

		if (var->value.is_list)
			bindings_list(to, var->name, var->value.items, var->value.n, false, ' ');
		else if (var->value.n)
			bindings_text(to, var->name, var->value.items[0]);
	}
}

/* Programs that options put in the place of one ("{CC}" and set: {CC: clang}). */
static void add_set_programs(struct tools *tools, const char *template)
{
	const struct descriptor *descriptor = tools->descriptor;
	size_t len = strlen(template);

	if (len < 3 || template[0] != '{' || template[len - 1] != '}')
		return;

	AUTOFREE char *var = xstrndup(template + 1, len - 2);

	for (size_t o = 0; o < descriptor->n_options; o++) {
		for (int l = 0; l < descriptor->options[o].n_levels; l++) {
			const struct payload *payload = &descriptor->options[o].levels[l].payload;

			for (size_t s = 0; s < payload->n_sets; s++) {
				const struct named_value *set = &payload->sets[s];

				if (!strcmp(set->name, var) && set->value.n)
					add_tool(tools, set->value.items[0], true);
			}
		}
	}
}

static void add_step_programs(struct tools *tools, const struct bindings *bindings)
{
	const struct argv_list *steps = &tools->descriptor->build.steps;

	for (size_t i = 0; i < steps->n; i++) {
		const char *const *argv;
		struct err ignored;
		/* The first word alone: the others hold names that only a build knows. */
		const char *first[] = {steps->items[i][0], NULL};

		add_set_programs(tools, first[0]);
		if (!expand_argv(first, bindings, &tools->arena, &argv, &ignored) && argv[0])
			add_tool(tools, argv[0], true);
	}
}

static void find_tools(struct tools *tools, const struct bindings *bindings)
{
	static const char *const compilers[] = {"cc", "c++", "rustc", "nvcc"};
	const struct build *build = &tools->descriptor->build;

	if (build->tools.node) {
		for (size_t i = 0; i < build->tools.n; i++)
			add_tool(tools, build->tools.items[i], true);
		return;
	}
	/* Nothing is built: no tool decides anything, and asking them takes longer than some runs.
	 */
	if (!build->steps.n)
		return;
	add_step_programs(tools, bindings);
	for (size_t i = 0; i < ARRAY_SIZE(compilers); i++)
		add_tool(tools, compilers[i], false);
}

static void make_environment(struct tools *tools, const struct bindings *bindings)
{
	const struct conf_pairs *pairs = &tools->descriptor->build.env;
	CLEANUP(childenv_release) struct childenv env;

	childenv_init(&env, &tools->descriptor->pass);
	for (size_t i = 0; i < pairs->n; i++) {
		struct err ignored;
		const char *value;

		/* Values with {out} and the like say nothing about the tools. */
		if (pairs->items[i].value && !expand_text(pairs->items[i].value, bindings,
						     &tools->arena, &value, &ignored))
			childenv_set(&env, pairs->items[i].key, value);
	}
	tools->path = map_get(&env.vars, "PATH");
	if (tools->path)
		tools->path = arena_strdup(&tools->arena, tools->path);
	tools->envp = childenv_list(&env, &tools->arena);
}

/* --- What they say -------------------------------------------------------------------------------
 */

/* Where version switchers (rustup, direnv) look for what is meant. */
static const char *source_folder(const struct descriptor *descriptor)
{
	if (descriptor->source.path && fs_is_dir(descriptor->source.path))
		return descriptor->source.path;
	if (descriptor->source.git && fs_is_dir(descriptor->source.git))
		return descriptor->source.git;
	return descriptor->dir;
}

static void set_first_line(json_t *to, const char *name, const struct buf *text)
{
	CLEANUP(buf_release) struct buf clean = BUF_INIT;
	const char *at = text->data + strspn(text->data, "\n");

	text_clean(&clean, at, strcspn(at, "\n"));
	json_object_set_new(to, name, json_string(clean.data));
}

static int ask(struct tools *tools, const char *program, const char *name, struct digest_ctx *to,
	json_t *versions, struct err *err)
{
	const char *argv[] = {program, "--version", NULL};
	struct proc_spec spec = {
		.argv = argv,
		.envp = tools->envp,
		.cwd = source_folder(tools->descriptor),
		.keep = (size_t)2 * VERSION_BYTES,
		.timeout_ns = VERSION_TIMEOUT_NS,
	};
	CLEANUP(buf_release) struct buf text = BUF_INIT;
	struct proc_result result;

	if (proc_run(tools->launcher, &spec, NULL, &result, err))
		return err_wrap(err, "asking '%s' for its version", name);
	for (int s = 0; s < 2; s++)
		buf_add(&text, result.streams[s].head.data, result.streams[s].head.len);
	if (text.len > VERSION_BYTES)
		buf_truncate(&text, VERSION_BYTES);
	digest_field(to, "tool", name);
	digest_field_int(to, "code", result.code);
	digest_field_n(to, "version", text.data, text.len);
	set_first_line(versions, name, &text);
	proc_result_release(&result);
	return 0;
}

static int missing(const char *name, const char *path, struct err *err)
{
	if (name[0] == '/')
		err_set(err, E_MISSING, "the build needs '%s', which is no program", name);
	else
		err_set(err, E_MISSING, "the build needs '%s', which is not in PATH=%s", name,
			path ? path : "");
	return err_help(err, "install it, or name another one in build.steps or build.tools");
}

static int ask_all(struct tools *tools, struct digest_ctx *to, json_t *versions, struct err *err)
{
	for (size_t i = 0; i < tools->names.n; i++) {
		const struct map_entry *entry = &tools->names.entries[i];
		AUTOFREE char *program = path_which(entry->key, tools->path);

		if (!program && entry->value)
			return missing(entry->key, tools->path, err);
		if (program && ask(tools, program, entry->key, to, versions, err))
			return -1;
	}
	return 0;
}

int build_tools_digest(const struct descriptor *descriptor, struct launcher *launcher,
	struct digest *ret, json_t **ret_json, struct err *err)
{
	struct tools tools = {.descriptor = descriptor, .launcher = launcher, .names = MAP_INIT};
	CLEANUP(digest_freep) struct digest_ctx *to = digest_new();
	struct bindings bindings = {0};
	json_t *versions = json_object();
	int rc;

	bind_vars(&tools, &bindings);
	make_environment(&tools, &bindings);
	find_tools(&tools, &bindings);
	rc = ask_all(&tools, to, versions, err);
	if (!rc) {
		*ret = digest_end(to);
		if (ret_json)
			*ret_json = json_incref(versions);
	}
	json_decref(versions);
	bindings_release(&bindings);
	map_release(&tools.names);
	arena_release(&tools.arena);
	return rc;
}
