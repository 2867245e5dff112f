/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/engine/apply.h"

#include <stdlib.h>
#include <string.h>

#include "core/engine/apply_item.h"

#define PATCH_MAX ((size_t)256 << 20)

/* --- One item ------------------------------------------------------------------------------------
 */

char *apply_item_name(const struct apply_item *item)
{
	if (item->pick)
		return xasprintf("pick %s", item->pick);
	if (item->patch)
		return xasprintf("patch %s", path_basename(item->patch->file));
	return xasprintf("edit %s", item->edit->file);
}

int apply_item_diff(const struct apply_place *place, const struct apply_item *item, struct buf *ret,
	struct err *err)
{
	if (item->pick)
		return source_pick_diff(
			place->descriptor, place->state, place->launcher, item->pick, ret, err);
	return fs_read(item->patch->file, PATCH_MAX, ret, err);
}

int apply_item(const struct apply_place *place, const struct apply_item *item, struct err *err)
{
	CLEANUP(buf_release) struct buf diff = BUF_INIT;
	AUTOFREE char *name = NULL;

	if (item->edit)
		return apply_edit(place->tree, item->edit, err);
	name = apply_item_name(item);
	if (apply_item_diff(place, item, &diff, err))
		return -1;
	if (item->pick)
		return apply_diff(place->launcher, place->tree, name, diff.data, diff.len, 1, false,
			NULL, err);
	return apply_diff(place->launcher, place->tree, name, diff.data, diff.len,
		item->patch->strip, item->patch->reverse, item->patch->dir, err);
}

/* --- A build -------------------------------------------------------------------------------------
 */

/* The option whose active level has this pick. */
static int pick_option(const struct descriptor *descriptor, const uint8_t *levels, const char *pick)
{
	for (size_t o = 0; o < descriptor->n_options; o++) {
		const struct payload *payload = &descriptor->options[o].levels[levels[o]].payload;

		for (size_t i = 0; i < payload->picks.n; i++) {
			if (!strcmp(payload->picks.items[i], pick))
				return (int)o;
		}
	}
	return -1;
}

static int apply_one(
	const struct apply_place *place, const struct apply_item *item, int option, struct err *err)
{
	if (!apply_item(place, item, err))
		return 0;
	if (option >= 0)
		return err_wrap(err, "option '%s'", place->descriptor->options[option].name);
	return -1;
}

int apply_build(struct launcher *launcher, const struct state *state, const struct plan *plan,
	const struct plan_build *build, const char *tree, struct err *err)
{
	struct apply_place place = {launcher, plan->descriptor, state, tree};

	for (size_t i = 0; i < build->n_picks; i++) {
		struct apply_item item = {.pick = build->picks[i]};
		int option = pick_option(plan->descriptor, build->levels, item.pick);

		if (apply_one(&place, &item, option, err))
			return -1;
	}
	for (size_t i = 0; i < build->n_patches; i++) {
		struct apply_item item = {.patch = build->patches[i]};

		if (apply_one(&place, &item, build->patch_options[i], err))
			return -1;
	}
	for (size_t i = 0; i < build->n_edits; i++) {
		struct apply_item item = {.edit = build->edits[i]};

		if (apply_one(&place, &item, build->edit_options[i], err))
			return -1;
	}
	return 0;
}

/* --- Its identity --------------------------------------------------------------------------------
 */

int apply_payload_digest(
	void *ctx, const struct patch *patch, const char *pick, struct digest *ret, struct err *err)
{
	const struct apply_facts *facts = ctx;
	CLEANUP(digest_freep) struct digest_ctx *to = digest_new();
	CLEANUP(buf_release) struct buf diff = BUF_INIT;
	struct apply_place place = {facts->launcher, facts->descriptor, facts->state, NULL};
	struct apply_item item = {.pick = patch ? NULL : pick, .patch = patch};

	if (apply_item_diff(&place, &item, &diff, err))
		return -1;
	digest_field_n(to, "diff", diff.data, diff.len);
	if (patch) {
		digest_field_int(to, "strip", patch->strip);
		digest_field_int(to, "reverse", patch->reverse);
		digest_field(to, "dir", patch->dir);
	}
	*ret = digest_end(to);
	return 0;
}
