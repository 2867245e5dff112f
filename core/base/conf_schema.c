/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes to structs by field tables. */
#include "config.h"

#include "core/base/conf_impl.h"

#include <assert.h>
#include <string.h>

#include "core/base/text.h"
#include "core/base/vec.h"

/* --- Lists and maps --- */

static void argv_help(struct conf_reader *r, const char *text)
{
	CLEANUP(buf_release) struct buf list = BUF_INIT;

	for (const char *c = text; *c && list.len < 60; c++) {
		if (*c == ' ' && c[1] != ' ' && c[1] && list.len)
			buf_adds(&list, ", ");
		else if (conf_name_char(*c) || strchr("./-+=", *c))
			buf_addc(&list, *c);
		else if (*c != ' ')
			break;
		if (!c[1]) {
			diag_help(r->diags,
				"write the words as a list, [%s]; or write [sh, -c, ...] if a "
				"shell "
				"is meant",
				list.data);
			return;
		}
	}
	diag_help(r->diags, "write [sh, -c, ...] if a shell is meant, else the words as a list");
}

static bool read_list(struct conf_reader *r, const struct conf_node *node,
	const char *item_expected, struct conf_texts *to)
{
	const char **items = arena_array(r->arena, node->n + 1, sizeof(*items));
	const struct conf_node *item;
	size_t n = 0;
	bool good = true;

	conf_foreach (item, node) {
		if (conf_scalar(r, item, item_expected))
			items[n++] = item->text;
		else
			good = false;
	}
	if (good)
		*to = (struct conf_texts){.items = items, .n = n, .node = node};
	return good;
}

static bool read_texts(struct conf_reader *r, const struct conf_node *node,
	const struct conf_field *field, struct conf_texts *to)
{
	if (node->kind == CONF_LIST)
		return read_list(r, node, "text", to);
	if (field->type == CT_TEXT_OR_TEXTS) {
		if (!conf_scalar(r, node, "text or a list of texts"))
			return false;
		to->items = arena_array(r->arena, 2, sizeof(*to->items));
		to->items[0] = node->text;
		to->n = 1;
		to->node = node;
		return true;
	}
	conf_wrong_kind(r, node, "a list of texts");
	if (node->kind == CONF_SCALAR)
		diag_help(r->diags, "write a list: [%s]",
			conf_word(node->text, 60, true, "./-+") ? node->text : "...");
	return false;
}

static bool read_argv(struct conf_reader *r, const struct conf_node *node, const char *const **to)
{
	struct conf_texts words;

	if (node->kind != CONF_LIST) {
		conf_wrong_kind(r, node, "a command as a list of words");
		if (node->kind == CONF_SCALAR)
			argv_help(r, node->text);
		return false;
	}
	if (!node->n) {
		conf_error(r->diags, node, "the command is empty");
		return false;
	}
	if (!read_list(r, node, "a word of the command", &words))
		return false;
	*to = words.items;
	return true;
}

static bool key_fits(
	struct conf_reader *r, const struct conf_node *item, const struct conf_field *field)
{
	if (field->flags & CONF_ANY_KEY)
		return true;
	return conf_check_name(r, item, item->key, true, false, field->type == CT_MAP_OF);
}

static bool read_pairs(struct conf_reader *r, const struct conf_node *node,
	const struct conf_field *field, struct conf_pairs *to)
{
	struct conf_pair *items;
	const struct conf_node *item;
	size_t n = 0;
	bool good = true;

	if (node->kind != CONF_MAP)
		return conf_wrong_kind(r, node, "a map");
	items = arena_array(r->arena, node->n + 1, sizeof(*items));
	conf_foreach (item, node) {
		bool null = item->kind == CONF_NULL && (field->flags & CONF_NULL_OK);

		if (!key_fits(r, item, field) || (!null && !conf_scalar(r, item, "text"))) {
			good = false;
			continue;
		}
		items[n++] = (struct conf_pair){
			.key = item->key, .value = null ? NULL : item->text, .node = item};
	}
	if (good)
		*to = (struct conf_pairs){.items = items, .n = n};
	return good;
}

static bool read_struct(struct conf_reader *r, const struct conf_node *node,
	const struct conf_field *fields, void *to);

/* Maps NAME -> struct, and lists of structs. Structs with mistakes stay in the array, so that what
 * refers to them by name is not called unknown as well. */
static bool read_array(struct conf_reader *r, const struct conf_node *node,
	const struct conf_field *field, struct conf_array *to)
{
	bool map = field->type == CT_MAP_OF;
	bool one = !map && (field->flags & CONF_ONE_OK) && node->kind == CONF_MAP;
	size_t n = one ? 1 : node->n;
	bool good = true;
	char *items;

	assert(field->item_size >= sizeof(struct conf_item));
	if (!one && node->kind != (map ? CONF_MAP : CONF_LIST))
		return conf_wrong_kind(r, node, map ? "a map of names" : "a list of maps");
	items = arena_array(r->arena, n + 1, field->item_size);
	for (size_t i = 0; i < n; i++) {
		const struct conf_node *item = one ? node : node->items[i];
		struct conf_item *head = (struct conf_item *)(items + i * field->item_size);

		*head = (struct conf_item){.name = map ? item->key : NULL, .node = item};
		if (map && !key_fits(r, item, field))
			good = false;
		if (!read_struct(r, item, field->sub, head))
			good = false;
	}
	*to = (struct conf_array){.items = items, .n = n};
	return good;
}

/* --- Structs --- */

static const struct conf_field *field_find(const struct conf_field *fields, const char *name)
{
	for (; fields->name; fields++) {
		if (strcmp(fields->name, name) == 0)
			return fields;
	}
	return NULL;
}

static void unknown_key(
	struct conf_reader *r, const struct conf_node *item, const struct conf_field *fields)
{
	VEC(const char *) names = VEC_INIT;
	CLEANUP(buf_release) struct buf known = BUF_INIT;
	const char *near;

	for (const struct conf_field *f = fields; f->name; f++) {
		if (f->flags & CONF_LATER)
			continue;
		buf_addf(&known, "%s%s", known.len ? ", " : "", f->name);
		*vec_push(&names) = f->name;
	}
	near = text_nearest(item->key, names.items, names.n);
	conf_key_error(r->diags, item, "unknown key");
	if (near)
		diag_help(r->diags, "did you mean \"%s\"?", near);
	else if (names.n)
		diag_help(r->diags, "known here: %s", known.data);
	vec_release(&names);
}

static bool read_field(struct conf_reader *r, const struct conf_node *node,
	const struct conf_field *field, char *to)
{
	if (field->flags & CONF_LATER) {
		conf_key_error(r->diags, node,
			"comes with a later version of assay and is refused until then");
		if (field->later)
			diag_help(r->diags, "%s", field->later);
		return false;
	}
	switch (field->type) {
	case CT_TEXT:
	case CT_NAME:
	case CT_IDENT:
		if (!conf_scalar(r, node, field->type == CT_TEXT ? "text" : "a name"))
			return false;
		if (field->type != CT_TEXT &&
			!conf_check_name(r, node, node->text, false, field->type == CT_IDENT,
				field->type == CT_NAME))
			return false;
		*(const char **)to = node->text;
		return true;
	case CT_BOOL:
		return conf_read_bool(r, node, (bool *)to);
	case CT_INT:
		return conf_read_int(r, node, field, (int64_t *)to);
	case CT_REAL:
	case CT_DURATION:
	case CT_SIZE:
	case CT_PERCENT:
		return conf_read_quantity(r, node, field, to);
	case CT_CHOICE:
		return conf_read_choice(r, node, field, (const char **)to);
	case CT_ARGV:
		return read_argv(r, node, (const char *const **)to);
	case CT_TEXTS:
	case CT_TEXT_OR_TEXTS:
		return read_texts(r, node, field, (struct conf_texts *)to);
	case CT_PAIRS:
		return read_pairs(r, node, field, (struct conf_pairs *)to);
	case CT_NODE:
		*(const struct conf_node **)to = node;
		return true;
	case CT_STRUCT:
		return read_struct(r, node, field->sub, to);
	case CT_MAP_OF:
	case CT_LIST_OF:
		return read_array(r, node, field, (struct conf_array *)to);
	}
	assert(!"a conf_type of its own");
	return false;
}

static bool read_struct(struct conf_reader *r, const struct conf_node *node,
	const struct conf_field *fields, void *to)
{
	const struct conf_node *item;
	bool good = true;

	if (node->kind != CONF_MAP) {
		if (node->kind == CONF_NULL && !*node->path)
			conf_error(r->diags, node, "the file is empty");
		else
			conf_wrong_kind(r, node, "a map");
		return false;
	}
	conf_foreach (item, node) {
		const struct conf_field *field = field_find(fields, item->key);

		if (!field) {
			unknown_key(r, item, fields);
			good = false;
		} else if (!read_field(r, item, field, (char *)to + field->offset)) {
			good = false;
		}
	}
	for (const struct conf_field *field = fields; field->name; field++) {
		if (!(field->flags & CONF_REQUIRED) || conf_get(node, field->name))
			continue;
		conf_key_error(r->diags, node, "\"%s\" is missing", field->name);
		good = false;
	}
	return good;
}

bool conf_read(const struct conf_node *map, const struct conf_field *fields, void *to,
	struct arena *arena, struct diags *diags)
{
	struct conf_reader r = {.arena = arena, .diags = diags};

	return read_struct(&r, map, fields, to);
}

bool conf_read_value(const struct conf_node *node, const struct conf_field *field, void *to,
	struct arena *arena, struct diags *diags)
{
	struct conf_reader r = {.arena = arena, .diags = diags};

	return read_field(&r, node, field, (char *)to + field->offset);
}
