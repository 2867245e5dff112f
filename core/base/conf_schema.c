/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes to structs by field tables. */
#include "config.h"

#include "core/base/conf_impl.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "core/base/num.h"
#include "core/base/text.h"
#include "core/base/vec.h"

#define NAME_MAX_LEN 64
#define LEVEL_MAX_LEN 32

struct reader {
	struct arena *arena;
	struct diags *diags;
};

/* --- Words -------------------------------------------------------------------------------------
 */

static bool letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool name_char(char c)
{
	return letter(c) || (c >= '0' && c <= '9');
}

/* more: what a word may hold beside letters, digits and '_'. */
static bool word(const char *s, size_t max, bool any_start, const char *more)
{
	size_t len = strlen(s);

	if (!len || len > max || (!any_start && !letter(*s)))
		return false;
	for (size_t i = 0; i < len; i++) {
		if (!name_char(s[i]) && !strchr(more, s[i]))
			return false;
	}
	return true;
}

bool conf_is_name(const char *s)
{
	return word(s, NAME_MAX_LEN, false, ".");
}

bool conf_is_level(const char *s)
{
	return word(s, LEVEL_MAX_LEN, true, ".");
}

bool conf_is_reserved(const char *s)
{
	static const char *const reserved[] = {"none", "each", "all", "full", "half", "cumulative",
		"tree", "off", "on", "and", "or", "not", "in", "true", "false", "workload",
		"variant", "session", "host", "status", "block", "set", "base", "bin", "input",
		"env"};

	for (size_t i = 0; i < ARRAY_SIZE(reserved); i++) {
		if (strcmp(s, reserved[i]) == 0)
			return true;
	}
	return false;
}

/* --- Messages ----------------------------------------------------------------------------------
 */

static bool wrong_kind(struct reader *r, const struct conf_node *node, const char *expected)
{
	CLEANUP(buf_release) struct buf got = BUF_INIT;

	if (node->kind == CONF_SCALAR) {
		conf_show(&got, node->text);
		conf_error(r->diags, node, "expected %s, got the text \"%s\"", expected, got.data);
	} else {
		conf_error(r->diags, node, "expected %s, got %s", expected,
			conf_kind_name(node->kind));
	}
	return false;
}

/* {out} without quotes is a map with an empty value: the usual mistake with placeholders. */
static void placeholder_help(struct reader *r, const struct conf_node *node)
{
	CLEANUP(buf_release) struct buf key = BUF_INIT;

	if (node->kind != CONF_MAP || node->n != 1 || node->items[0]->kind != CONF_NULL)
		return;
	conf_show(&key, node->items[0]->key);
	diag_help(r->diags, "a text that begins with { needs quotes: \"{%s}\"", key.data);
}

static bool scalar(struct reader *r, const struct conf_node *node, const char *expected)
{
	if (node->kind == CONF_SCALAR)
		return true;
	wrong_kind(r, node, expected);
	placeholder_help(r, node);
	return false;
}

/* Why a text is no name, and a name near it. */
static bool check_name(struct reader *r, const struct conf_node *node, const char *text,
	bool at_key, bool ident, bool reserved)
{
	void (*complain)(struct diags *, const struct conf_node *, const char *, ...) =
		at_key ? conf_key_error : conf_error;
	CLEANUP(buf_release) struct buf shown = BUF_INIT, better = BUF_INIT;

	conf_show(&shown, text);
	if (word(text, NAME_MAX_LEN, false, ident ? ".-" : ".")) {
		if (!reserved || !conf_is_reserved(text))
			return true;
		complain(r->diags, node, "\"%s\" is a reserved word", shown.data);
		diag_help(r->diags, "choose another name, for instance %s_1", text);
		return false;
	}
	complain(r->diags, node, "\"%s\" is not a name", shown.data);
	if (!letter(*text))
		buf_addc(&better, '_');
	for (const char *c = text; *c && better.len <= NAME_MAX_LEN; c++)
		buf_addc(&better, name_char(*c) || *c == '.' ? *c : '_');
	diag_help(r->diags,
		"a name has letters, digits, \"_\"%s and \".\", begins with a letter or \"_\" and "
		"has at most %d characters%s%s",
		ident ? ", \"-\"" : "", NAME_MAX_LEN, conf_is_name(better.data) ? ": " : "",
		conf_is_name(better.data) ? better.data : "");
	return false;
}

/* "a, b or c" */
static void add_choices(struct buf *to, const char *const *choices)
{
	for (size_t i = 0; choices[i]; i++) {
		if (i)
			buf_adds(to, choices[i + 1] ? ", " : " or ");
		buf_adds(to, choices[i]);
	}
}

static size_t count(const char *const *names)
{
	size_t n = 0;

	while (names[n])
		n++;
	return n;
}

/* --- Single values -----------------------------------------------------------------------------
 */

static bool read_choice(struct reader *r, const struct conf_node *node,
	const struct conf_field *field, const char **to)
{
	CLEANUP(buf_release) struct buf expected = BUF_INIT;
	const char *near;

	add_choices(&expected, field->choices);
	if (!scalar(r, node, expected.data))
		return false;
	for (size_t i = 0; field->choices[i]; i++) {
		if (strcmp(field->choices[i], node->text) == 0) {
			*to = field->choices[i];
			return true;
		}
	}
	wrong_kind(r, node, expected.data);
	near = text_nearest(node->text, field->choices, count(field->choices));
	if (near)
		diag_help(r->diags, "did you mean \"%s\"?", near);
	return false;
}

static bool read_int(
	struct reader *r, const struct conf_node *node, const struct conf_field *field, int64_t *to)
{
	struct why why;
	int64_t value;

	if (!scalar(r, node, "a whole number"))
		return false;
	if (num_int(node->text, &value, &why)) {
		conf_error(r->diags, node, "%s", why.text);
		return false;
	}
	if (field->max > field->min && (value < field->min || value > field->max)) {
		if (field->max == INT64_MAX)
			conf_error(r->diags, node, "%" PRId64 " is less than %" PRId64, value,
				field->min);
		else
			conf_error(r->diags, node, "%" PRId64 " is not in %" PRId64 " to %" PRId64,
				value, field->min, field->max);
		return false;
	}
	*to = value;
	return true;
}

static bool read_bool(struct reader *r, const struct conf_node *node, bool *to)
{
	static const char *const yes[] = {"yes", "on", "True", "TRUE", "1", "y"};
	static const char *const no[] = {"no", "off", "False", "FALSE", "0", "n"};

	if (!scalar(r, node, "true or false"))
		return false;
	if (strcmp(node->text, "true") == 0 || strcmp(node->text, "false") == 0) {
		*to = node->text[0] == 't';
		return true;
	}
	wrong_kind(r, node, "true or false");
	for (size_t i = 0; i < ARRAY_SIZE(yes); i++) {
		if (strcmp(node->text, yes[i]) == 0)
			diag_help(r->diags, "write true");
		else if (strcmp(node->text, no[i]) == 0)
			diag_help(r->diags, "write false");
	}
	return false;
}

static bool read_quantity(
	struct reader *r, const struct conf_node *node, const struct conf_field *field, char *to)
{
	static const char *const expected[] = {[CT_REAL] = "a number",
		[CT_DURATION] = "a duration (10 s)",
		[CT_SIZE] = "a size (1 GiB)",
		[CT_PERCENT] = "a percentage (1%)"};
	struct why why = {{0}};
	double real = 0;
	int64_t ns = 0;
	uint64_t bytes = 0;
	int bad;

	if (!scalar(r, node, expected[field->type]))
		return false;
	if (field->type == CT_REAL)
		bad = num_double(node->text, &real, &why);
	else if (field->type == CT_PERCENT)
		bad = num_percent(node->text, &real, &why);
	else if (field->type == CT_DURATION)
		bad = num_duration(node->text, &ns, &why);
	else
		bad = num_size(node->text, &bytes, &why);
	if (bad) {
		conf_error(r->diags, node, "%s", why.text);
		return false;
	}
	if (field->type == CT_DURATION && ns <= 0 && !(field->flags & CONF_ZERO_OK)) {
		conf_error(r->diags, node, "must be longer than 0");
		return false;
	}
	if (field->type == CT_DURATION)
		memcpy(to, &ns, sizeof(ns));
	else if (field->type == CT_SIZE)
		memcpy(to, &bytes, sizeof(bytes));
	else
		memcpy(to, &real, sizeof(real));
	return true;
}

/* --- Lists and maps ----------------------------------------------------------------------------
 */

static void argv_help(struct reader *r, const char *text)
{
	CLEANUP(buf_release) struct buf list = BUF_INIT;

	for (const char *c = text; *c && list.len < 60; c++) {
		if (*c == ' ' && c[1] != ' ' && c[1] && list.len)
			buf_adds(&list, ", ");
		else if (name_char(*c) || strchr("./-+=", *c))
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

static bool read_list(struct reader *r, const struct conf_node *node, const char *item_expected,
	struct conf_texts *to)
{
	const char **items = arena_array(r->arena, node->n + 1, sizeof(*items));
	const struct conf_node *item;
	size_t n = 0;
	bool good = true;

	conf_foreach (item, node) {
		if (scalar(r, item, item_expected))
			items[n++] = item->text;
		else
			good = false;
	}
	if (good)
		*to = (struct conf_texts){.items = items, .n = n, .node = node};
	return good;
}

static bool read_texts(struct reader *r, const struct conf_node *node,
	const struct conf_field *field, struct conf_texts *to)
{
	if (node->kind == CONF_LIST)
		return read_list(r, node, "text", to);
	if (field->type == CT_TEXT_OR_TEXTS) {
		if (!scalar(r, node, "text or a list of texts"))
			return false;
		to->items = arena_array(r->arena, 2, sizeof(*to->items));
		to->items[0] = node->text;
		to->n = 1;
		to->node = node;
		return true;
	}
	wrong_kind(r, node, "a list of texts");
	if (node->kind == CONF_SCALAR)
		diag_help(r->diags, "write a list: [%s]",
			word(node->text, 60, true, "./-+") ? node->text : "...");
	return false;
}

static bool read_argv(struct reader *r, const struct conf_node *node, const char *const **to)
{
	struct conf_texts words;

	if (node->kind != CONF_LIST) {
		wrong_kind(r, node, "a command as a list of words");
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

static bool key_fits(struct reader *r, const struct conf_node *item, const struct conf_field *field)
{
	if (field->flags & CONF_ANY_KEY)
		return true;
	return check_name(r, item, item->key, true, false, field->type == CT_MAP_OF);
}

static bool read_pairs(struct reader *r, const struct conf_node *node,
	const struct conf_field *field, struct conf_pairs *to)
{
	struct conf_pair *items;
	const struct conf_node *item;
	size_t n = 0;
	bool good = true;

	if (node->kind != CONF_MAP)
		return wrong_kind(r, node, "a map");
	items = arena_array(r->arena, node->n + 1, sizeof(*items));
	conf_foreach (item, node) {
		bool null = item->kind == CONF_NULL && (field->flags & CONF_NULL_OK);

		if (!key_fits(r, item, field) || (!null && !scalar(r, item, "text"))) {
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

static bool read_struct(
	struct reader *r, const struct conf_node *node, const struct conf_field *fields, void *to);

/* Maps NAME -> struct, and lists of structs. Structs with mistakes stay in the array, so that what
 * refers to them by name is not called unknown as well. */
static bool read_array(struct reader *r, const struct conf_node *node,
	const struct conf_field *field, struct conf_array *to)
{
	bool map = field->type == CT_MAP_OF;
	bool one = !map && (field->flags & CONF_ONE_OK) && node->kind == CONF_MAP;
	size_t n = one ? 1 : node->n;
	bool good = true;
	char *items;

	assert(field->item_size >= sizeof(struct conf_item));
	if (!one && node->kind != (map ? CONF_MAP : CONF_LIST))
		return wrong_kind(r, node, map ? "a map of names" : "a list of maps");
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

/* --- Structs -----------------------------------------------------------------------------------
 */

static const struct conf_field *field_find(const struct conf_field *fields, const char *name)
{
	for (; fields->name; fields++) {
		if (strcmp(fields->name, name) == 0)
			return fields;
	}
	return NULL;
}

static void unknown_key(
	struct reader *r, const struct conf_node *item, const struct conf_field *fields)
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

static bool read_field(
	struct reader *r, const struct conf_node *node, const struct conf_field *field, char *to)
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
		if (!scalar(r, node, field->type == CT_TEXT ? "text" : "a name"))
			return false;
		if (field->type != CT_TEXT &&
			!check_name(r, node, node->text, false, field->type == CT_IDENT,
				field->type == CT_NAME))
			return false;
		*(const char **)to = node->text;
		return true;
	case CT_BOOL:
		return read_bool(r, node, (bool *)to);
	case CT_INT:
		return read_int(r, node, field, (int64_t *)to);
	case CT_REAL:
	case CT_DURATION:
	case CT_SIZE:
	case CT_PERCENT:
		return read_quantity(r, node, field, to);
	case CT_CHOICE:
		return read_choice(r, node, field, (const char **)to);
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

static bool read_struct(
	struct reader *r, const struct conf_node *node, const struct conf_field *fields, void *to)
{
	const struct conf_node *item;
	bool good = true;

	if (node->kind != CONF_MAP) {
		if (node->kind == CONF_NULL && !*node->path)
			conf_error(r->diags, node, "the file is empty");
		else
			wrong_kind(r, node, "a map");
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
	struct reader r = {.arena = arena, .diags = diags};

	return read_struct(&r, map, fields, to);
}

bool conf_read_value(const struct conf_node *node, const struct conf_field *field, void *to,
	struct arena *arena, struct diags *diags)
{
	struct reader r = {.arena = arena, .diags = diags};

	return read_field(&r, node, field, (char *)to + field->offset);
}
