/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tries every option on one copy of the source: after each try only the files that it named are
 * put back, since the tree may be large.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine/apply_diff.h"
#include "core/engine/apply_item.h"

/* Level of an option that contributes nothing to a try. */
#define NOT_IN -1

struct checking {
	struct apply_place place;
	const char *snapshot;
	struct diff_names touched; /* since the tree was as the snapshot is */
	VEC(struct apply_finding) findings;
};

void apply_findings_free(struct apply_finding *findings, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(findings[i].option);
		free(findings[i].what);
		free(findings[i].message);
	}
	free(findings);
}

/* --- One try -------------------------------------------------------------------------------------
 */

static int touch(struct checking *checking, const struct apply_item *item, struct err *err)
{
	const struct apply_place *place = &checking->place;
	CLEANUP(buf_release) struct buf diff = BUF_INIT;
	struct diff_use use = {.launcher = place->launcher, .tree = place->tree, .strip = 1};
	AUTOFREE char *name = apply_item_name(item);

	if (item->edit) {
		char *target;

		if (apply_edit_target(place->tree, item->edit, &target, err))
			return -1;
		*vec_push(&checking->touched.items) = target;
		return 0;
	}
	if (apply_item_diff(place, item, &diff, err))
		return -1;
	use.name = name;
	use.text = diff.data;
	use.len = diff.len;
	if (item->patch) {
		use.strip = item->patch->strip;
		use.reverse = item->patch->reverse;
		use.dir = item->patch->dir;
	}
	if (diff_read_names(&use, false, &checking->touched, err))
		return -1;
	return diff_read_names(&use, true, &checking->touched, err);
}

static int restore_file(const struct checking *checking, const char *name, struct err *err)
{
	AUTOFREE char *from = path_join(checking->snapshot, name);
	AUTOFREE char *to = path_join(checking->place.tree, name);
	AUTOFREE char *folder = path_dirname(to);
	struct stat st;

	if (fs_remove(to, err))
		return -1;
	if (lstat(from, &st)) {
		if (errno == ENOENT || errno == ENOTDIR)
			return 0;
		return err_sys(err, E_SYSTEM, errno, "cannot read '%s'", from);
	}
	return fs_mkdirs(folder, err) ? -1 : fs_copy_tree(from, to, err);
}

static int restore(struct checking *checking, struct err *err)
{
	for (size_t i = 0; i < checking->touched.items.n; i++) {
		if (restore_file(checking, checking->touched.items.items[i], err))
			return -1;
	}
	diff_names_release(&checking->touched);
	return 0;
}

/* --- The items of a configuration ----------------------------------------------------------------
 */

struct tried {
	struct apply_item item;
	int option;
	const struct conf_node *node;
};
typedef VEC(struct tried) tried_items;

static void add_items(const struct payload *payload, int option, int kind, tried_items *to)
{
	for (size_t i = 0; kind == 0 && i < payload->picks.n; i++)
		*vec_push(to) = (struct tried){
			{.pick = payload->picks.items[i]}, option, payload->picks.node};
	for (size_t i = 0; kind == 1 && i < payload->n_patches; i++)
		*vec_push(to) = (struct tried){
			{.patch = &payload->patches[i]}, option, payload->patches[i].node};
	for (size_t i = 0; kind == 2 && i < payload->n_edits; i++)
		*vec_push(to) = (struct tried){
			{.edit = &payload->edits[i]}, option, payload->edits[i].node};
}

/* In the order of application: picks, patches, edits; inside a kind by declaration. */
static void collect(const struct descriptor *descriptor, const int *levels, tried_items *to)
{
	for (int kind = 0; kind < 3; kind++) {
		for (size_t o = 0; o < descriptor->n_options; o++) {
			if (levels[o] != NOT_IN)
				add_items(&descriptor->options[o].levels[levels[o]].payload, (int)o,
					kind, to);
		}
	}
}

static struct apply_finding *add_finding(
	struct checking *checking, const char *option, char *what, const struct conf_node *node)
{
	struct apply_finding *finding = vec_push(&checking->findings);

	*finding = (struct apply_finding){
		.option = xstrdup(option), .what = what, .holds = true, .node = node};
	return finding;
}

/* Message and advice as one text. */
static char *told(const struct err *err)
{
	return err->help[0] ? xasprintf("%s\n  %s", err->text, err->help) : xstrdup(err->text);
}

static int try_item(struct checking *checking, const struct apply_item *item, struct err *err)
{
	return touch(checking, item, err) ? -1 : apply_item(&checking->place, item, err);
}

/* Not the patch's fault, or the user wants to stop. */
static bool is_grave(const struct err *err)
{
	return err->code == E_SYSTEM || err->code == E_SIGNAL;
}

/* --- Alone ---------------------------------------------------------------------------------------
 */

static void require(const struct descriptor *descriptor, int option, int level, int *levels)
{
	const struct option *o = &descriptor->options[option];

	if (levels[option] != NOT_IN)
		return;
	levels[option] = level;
	for (size_t i = 0; level && i < o->n_requires; i++) {
		const struct atom *atom = &o->requires[i];

		require(descriptor, atom->option,
			atom->level >= 0 ? atom->level
					 : descriptor->options[atom->option].default_level,
			levels);
	}
}

static char *level_name(const struct option *option, int level)
{
	if (!option->named_levels && level)
		return xstrdup(option->name);
	return xasprintf("%s=%s", option->name, option->levels[level].name);
}

static int try_level(struct checking *checking, int option, int level, struct err *err)
{
	const struct descriptor *descriptor = checking->place.descriptor;
	AUTOFREE int *levels = xcalloc(descriptor->n_options, sizeof(*levels));
	AUTOFREE char *name = level_name(&descriptor->options[option], level);
	tried_items items = VEC_INIT;
	AUTOFREE char *broken = NULL; /* why the rest need not be tried */
	int rc = 0;

	for (size_t o = 0; o < descriptor->n_options; o++)
		levels[o] = NOT_IN;
	require(descriptor, option, level, levels);
	collect(descriptor, levels, &items);
	for (size_t i = 0; i < items.n && !rc; i++) {
		const struct tried *tried = &items.items[i];
		struct apply_finding *finding = NULL;
		struct err why = {0};
		int failed = broken ? 0 : try_item(checking, &tried->item, &why);

		if (failed && is_grave(&why)) {
			*err = why;
			rc = -1;
			break;
		}
		if (tried->option == option) {
			finding = add_finding(
				checking, name, apply_item_name(&tried->item), tried->node);
			finding->holds = !failed && !broken;
			finding->message = failed   ? told(&why)
					   : broken ? xasprintf("not tried, since %s", broken)
						    : NULL;
		}
		if (failed) {
			AUTOFREE char *what = apply_item_name(&tried->item);

			broken = xasprintf("%s of '%s' does not apply", what,
				descriptor->options[tried->option].name);
		}
	}
	vec_release(&items);
	return rc ? -1 : restore(checking, err);
}

static bool has_items(const struct payload *payload)
{
	return payload->picks.n || payload->n_patches || payload->n_edits;
}

/* --- Together ------------------------------------------------------------------------------------
 */

static bool atom_holds(const struct atom *atom, const int *levels)
{
	return atom->level >= 0 ? levels[atom->option] == atom->level : levels[atom->option] > 0;
}

/* doc/descriptor.md: in order, each at its default level, if it neither conflicts with nor lacks a
 * required one of those taken. */
static void take_all(const struct descriptor *descriptor, int *levels)
{
	for (size_t o = 0; o < descriptor->n_options; o++) {
		const struct option *option = &descriptor->options[o];
		bool fits = true;

		levels[o] = option->default_level;
		for (size_t i = 0; i < option->n_requires; i++)
			fits &= atom_holds(&option->requires[i], levels);
		for (size_t i = 0; i < option->n_conflicts; i++)
			fits &= (size_t)option->conflicts[i].option >= o ||
				!atom_holds(&option->conflicts[i], levels);
		if (!fits)
			levels[o] = 0;
	}
}

static int try_together(
	struct checking *checking, const char *name, const int *levels, struct err *err)
{
	const struct descriptor *descriptor = checking->place.descriptor;
	tried_items items = VEC_INIT;
	struct err why = {0};
	size_t i = 0;

	collect(descriptor, levels, &items);
	while (i < items.n && !try_item(checking, &items.items[i].item, &why))
		i++;
	if (i < items.n && is_grave(&why)) {
		*err = why;
		vec_release(&items);
		return -1;
	}
	if (i < items.n) {
		const struct tried *tried = &items.items[i];
		struct apply_finding *finding =
			add_finding(checking, name, apply_item_name(&tried->item), tried->node);

		err_wrap(&why, "option '%s', after those before it",
			descriptor->options[tried->option].name);
		finding->holds = false;
		finding->message = told(&why);
	} else if (items.n) {
		add_finding(checking, name, xasprintf("%zu changes together", items.n), NULL);
	}
	vec_release(&items);
	return restore(checking, err);
}

static int check_options(struct checking *checking, struct err *err)
{
	const struct descriptor *descriptor = checking->place.descriptor;
	AUTOFREE int *levels = xcalloc(descriptor->n_options, sizeof(*levels));

	for (size_t o = 0; o < descriptor->n_options; o++) {
		const struct option *option = &descriptor->options[o];

		for (int level = 0; level < option->n_levels; level++) {
			if (has_items(&option->levels[level].payload) &&
				try_level(checking, (int)o, level, err))
				return -1;
		}
	}
	/* All at level 0: that is `none`. */
	if (try_together(checking, "none", levels, err))
		return -1;
	take_all(descriptor, levels);
	return try_together(checking, "all", levels, err);
}

int apply_check(const struct descriptor *descriptor, const struct state *state,
	const struct source_state *source, struct launcher *launcher, struct apply_finding **ret,
	size_t *ret_n, struct err *err)
{
	AUTOFREE char *snapshot = source_snapshot_path(state, source);
	AUTOFREE char *temp = NULL, *tree = NULL;
	struct checking checking = {.snapshot = snapshot};
	struct err ignored;
	int rc;

	if (source_snapshot(descriptor, state, launcher, source, err) ||
		source_temp(state, &temp, err))
		return -1;
	tree = path_join(temp, "tree");
	checking.place = (struct apply_place){launcher, descriptor, state, tree};
	rc = source_tree(state, source, tree, err) || check_options(&checking, err) ? -1 : 0;
	diff_names_release(&checking.touched);
	(void)!fs_remove(temp, &ignored);
	if (rc) {
		apply_findings_free(checking.findings.items, checking.findings.n);
		return -1;
	}
	*ret = checking.findings.items;
	*ret_n = checking.findings.n;
	return 0;
}
