/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/model/descriptor.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/model/load.h"

int option_level(const struct option *option, const char *name)
{
	for (int i = 0; i < option->n_levels; i++) {
		if (!strcmp(option->levels[i].name, name))
			return i;
	}
	return -1;
}

int descriptor_option(const struct descriptor *d, const char *name)
{
	for (size_t i = 0; i < d->n_options; i++) {
		if (!strcmp(d->options[i].name, name))
			return (int)i;
	}
	return -1;
}

int descriptor_workload(const struct descriptor *d, const char *name)
{
	for (size_t i = 0; i < d->n_workloads; i++) {
		if (!strcmp(d->workloads[i].name, name))
			return (int)i;
	}
	return -1;
}

int descriptor_axis(const struct descriptor *d, const char *name)
{
	for (size_t i = 0; i < d->n_axes; i++) {
		if (!strcmp(d->axes[i].name, name))
			return (int)i;
	}
	return -1;
}

/* --- Finding the files ----------------------------------------------------------------------- */

static bool is_yaml(const char *name)
{
	return (text_ends(name, ".yaml") || text_ends(name, ".yml")) &&
	       !text_ends(name, ".local.yaml") && !text_ends(name, ".local.yml");
}

/* Worlds, parsers and whatever else is YAML has no workloads. */
static bool has_workloads(const char *path)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;
	struct err unused = {0};

	if (fs_read(path, 1 << 20, &text, &unused))
		return false;
	return text_starts(text.data, "workloads:") || strstr(text.data, "\nworkloads:");
}

static int find_in_folder(const char *folder, char **ret, struct err *err)
{
	CLEANUP(buf_release) struct buf names = BUF_INIT;
	AUTOFREE char *found = NULL;
	struct dirent *entry;
	DIR *dir = opendir(folder);
	int n = 0;

	if (!dir)
		return err_sys(err, E_MISSING, errno, "cannot read the folder '%s'", folder);
	while ((entry = readdir(dir))) {
		AUTOFREE char *path = path_join(folder, entry->d_name);

		if (entry->d_name[0] == '.' || !is_yaml(entry->d_name) || !has_workloads(path))
			continue;
		buf_addf(&names, "%s%s", n++ ? ", " : "", entry->d_name);
		free(found);
		found = STEAL(path);
	}
	closedir(dir);
	if (n == 1) {
		*ret = STEAL(found);
		return 0;
	}
	if (!n) {
		err_set(err, E_MISSING, "there is no descriptor in the folder '%s'", folder);
		return err_help(err, "write one by `assay init`");
	}
	err_set(err, E_USAGE, "there are %d descriptors in the folder '%s'", n, folder);
	return err_help(err, "name one of them: %s", names.data);
}

static char *overlay_of(const char *file)
{
	size_t len = strlen(file);

	if (text_ends(file, ".yaml"))
		return xasprintf("%.*s.local.yaml", (int)(len - 5), file);
	if (text_ends(file, ".yml"))
		return xasprintf("%.*s.local.yml", (int)(len - 4), file);
	return xasprintf("%s.local.yaml", file);
}

static int set_dir(struct descriptor *d, struct err *err)
{
	AUTOFREE char *folder = path_dirname(d->file);
	AUTOFREE char *absolute = NULL;

	if (path_absolute(folder, &absolute, err))
		return -1;
	d->dir = arena_strdup(&d->arena, absolute);
	return 0;
}

static int read_overlay(
	struct descriptor *d, struct conf_node *root, struct diags *diags, struct err *err)
{
	AUTOFREE char *path = overlay_of(d->file);
	struct conf_node *over;

	if (!fs_exists(path))
		return 0;
	d->overlay = arena_strdup(&d->arena, path);
	if (conf_load(d->overlay, &d->arena, diags, &over, err))
		return -1;
	conf_merge(root, over, &d->arena);
	return 0;
}

static int read_files(struct descriptor *d, const char *const *set_args, size_t n_set_args,
	struct diags *diags, struct conf_node **ret, struct err *err)
{
	struct conf_node *root;
	const char **kept = arena_array(&d->arena, n_set_args + 1, sizeof(*kept));

	if (set_dir(d, err) || conf_load(d->file, &d->arena, diags, &root, err) ||
		read_overlay(d, root, diags, err))
		return -1;
	for (size_t i = 0; i < n_set_args; i++) {
		kept[i] = arena_strdup(&d->arena, set_args[i]);
		if (conf_set(root, kept[i], &d->arena, diags, err))
			return -1;
	}
	d->set_args = (struct conf_texts){.items = kept, .n = n_set_args};
	d->root = *ret = root;
	return 0;
}

/* --- The whole ------------------------------------------------------------------------------- */

struct raw_top {
	int64_t schema;
	const char *name, *title;
	const struct conf_node *source, *inputs, *vars, *needs, *build, *options, *axes, *workloads,
		*parsers, *matrix, *measure, *bisect;
	struct conf_texts pass;
};

static void read_sections(struct loader *l, const struct raw_top *raw)
{
	load_define_names(l);
	load_source(l, raw->source);
	load_inputs(l, raw->inputs);
	load_vars(l, raw->vars);
	load_needs(l, raw->needs);
	load_build(l, raw->build);
	load_parsers(l, raw->parsers);
	load_options(l, raw->options);
	load_axes(l, raw->axes);
	l->d->measure = (struct measure){
		.metric = "wall",
		.difference = {true, 0.01, ""},
		.confidence = 0.95,
		.blocks_min = 4,
		.blocks_max = 32,
		.warmup = -1,
		.timeout_ns = 3600 * NS_PER_S,
	};
	load_measure(l, raw->measure, false, &l->d->measure);
	load_workloads(l, raw->workloads);
	load_measure_metrics(l);
	load_matrix(l, raw->matrix);
	load_joins(l);
	load_bisect(l, raw->bisect);
}

static void read_top(struct loader *l)
{
#define T(name, type, ...) FIELD(#name, type, offsetof(struct raw_top, name), ##__VA_ARGS__)
#define LATER(name) FIELD(#name, CT_NODE, 0, .flags = CONF_LATER)
	static const struct conf_field fields[] = {
		T(schema, CT_INT, .flags = CONF_REQUIRED),
		T(name, CT_IDENT, .flags = CONF_REQUIRED),
		T(title, CT_TEXT),
		T(source, CT_NODE),
		T(inputs, CT_NODE),
		T(vars, CT_NODE),
		T(needs, CT_NODE),
		T(build, CT_NODE),
		T(options, CT_NODE),
		T(axes, CT_NODE),
		T(workloads, CT_NODE, .flags = CONF_REQUIRED),
		T(parsers, CT_NODE),
		T(matrix, CT_NODE),
		T(measure, CT_NODE),
		T(bisect, CT_NODE),
		T(pass, CT_TEXTS),
		LATER(services),
		LATER(sources),
		LATER(executor),
		LATER(gate),
		LATER(store),
		{NULL},
	};
#undef LATER
#undef T
	struct raw_top raw = {.schema = 1};

	conf_read(l->root, fields, &raw, l->arena, l->diags);
	if (l->root->kind != CONF_MAP)
		return;
	if (raw.schema != 1) {
		conf_error(l->diags, conf_get(l->root, "schema"),
			"this assay reads schema 1, not %lld", (long long)raw.schema);
		return; /* whatever follows would be nonsense */
	}
	l->d->name = raw.name ? raw.name : "";
	l->d->title = raw.title ? raw.title : l->d->name;
	l->d->pass = raw.pass;
	read_sections(l, &raw);
}

int descriptor_load(const char *file, const char *const *set_args, size_t n_set_args,
	struct diags *diags, struct descriptor **ret, struct err *err)
{
	CLEANUP(descriptor_freep) struct descriptor *d = xcalloc(1, sizeof(*d));
	AUTOFREE char *found = NULL;
	struct conf_node *root;
	struct loader loader;
	int rc;

	if (fs_is_dir(file) && find_in_folder(file, &found, err))
		return -1;
	d->file = arena_strdup(&d->arena, found ? found : file);
	if (read_files(d, set_args, n_set_args, diags, &root, err))
		return -1;
	loader = (struct loader){
		.d = d,
		.arena = &d->arena,
		.diags = diags,
		.root = root,
		.names = MAP_INIT,
		.defines = MAP_INIT,
	};
	read_top(&loader);
	map_release(&loader.names);
	map_release(&loader.defines);
	rc = diags_to_err(diags, E_CONFIG, err);
	if (!rc)
		*ret = STEAL(d);
	return rc;
}

void descriptor_free(struct descriptor *d)
{
	struct arena arena;

	if (!d)
		return;
	arena = d->arena;
	arena_release(&arena);
	free(d);
}
