/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names and single values of a schema. */
#include "config.h"

#include "core/base/conf_impl.h"

#include <inttypes.h>
#include <string.h>

#include "core/base/num.h"
#include "core/base/text.h"

#define NAME_MAX_LEN 64
#define LEVEL_MAX_LEN 32

/* --- Words --- */

static bool letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool conf_name_char(char c)
{
	return letter(c) || (c >= '0' && c <= '9');
}

/* more: what a word may hold beside letters, digits and '_'. */
bool conf_word(const char *s, size_t max, bool any_start, const char *more)
{
	size_t len = strlen(s);

	if (!len || len > max || (!any_start && !letter(*s)))
		return false;
	for (size_t i = 0; i < len; i++) {
		if (!conf_name_char(s[i]) && !strchr(more, s[i]))
			return false;
	}
	return true;
}

bool conf_is_name(const char *s)
{
	return conf_word(s, NAME_MAX_LEN, false, ".");
}

bool conf_is_level(const char *s)
{
	return conf_word(s, LEVEL_MAX_LEN, true, ".");
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

/* --- Messages --- */

bool conf_wrong_kind(struct conf_reader *r, const struct conf_node *node, const char *expected)
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
static void placeholder_help(struct conf_reader *r, const struct conf_node *node)
{
	CLEANUP(buf_release) struct buf key = BUF_INIT;

	if (node->kind != CONF_MAP || node->n != 1 || node->items[0]->kind != CONF_NULL)
		return;
	conf_show(&key, node->items[0]->key);
	diag_help(r->diags, "a text that begins with { needs quotes: \"{%s}\"", key.data);
}

bool conf_scalar(struct conf_reader *r, const struct conf_node *node, const char *expected)
{
	if (node->kind == CONF_SCALAR)
		return true;
	conf_wrong_kind(r, node, expected);
	placeholder_help(r, node);
	return false;
}

/* Why a text is no name, and a name near it. */
bool conf_check_name(struct conf_reader *r, const struct conf_node *node, const char *text,
	bool at_key, bool ident, bool reserved)
{
	void (*complain)(struct diags *, const struct conf_node *, const char *, ...) =
		at_key ? conf_key_error : conf_error;
	CLEANUP(buf_release) struct buf shown = BUF_INIT, better = BUF_INIT;

	conf_show(&shown, text);
	if (conf_word(text, NAME_MAX_LEN, false, ident ? ".-" : ".")) {
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
		buf_addc(&better, conf_name_char(*c) || *c == '.' ? *c : '_');
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

/* --- Single values --- */

bool conf_read_choice(struct conf_reader *r, const struct conf_node *node,
	const struct conf_field *field, const char **to)
{
	CLEANUP(buf_release) struct buf expected = BUF_INIT;
	const char *near;

	add_choices(&expected, field->choices);
	if (!conf_scalar(r, node, expected.data))
		return false;
	for (size_t i = 0; field->choices[i]; i++) {
		if (strcmp(field->choices[i], node->text) == 0) {
			*to = field->choices[i];
			return true;
		}
	}
	conf_wrong_kind(r, node, expected.data);
	near = text_nearest(node->text, field->choices, count(field->choices));
	if (near)
		diag_help(r->diags, "did you mean \"%s\"?", near);
	return false;
}

bool conf_read_int(struct conf_reader *r, const struct conf_node *node,
	const struct conf_field *field, int64_t *to)
{
	struct why why;
	int64_t value;

	if (!conf_scalar(r, node, "a whole number"))
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

bool conf_read_bool(struct conf_reader *r, const struct conf_node *node, bool *to)
{
	static const char *const yes[] = {"yes", "on", "True", "TRUE", "1", "y"};
	static const char *const no[] = {"no", "off", "False", "FALSE", "0", "n"};

	if (!conf_scalar(r, node, "true or false"))
		return false;
	if (strcmp(node->text, "true") == 0 || strcmp(node->text, "false") == 0) {
		*to = node->text[0] == 't';
		return true;
	}
	conf_wrong_kind(r, node, "true or false");
	for (size_t i = 0; i < ARRAY_SIZE(yes); i++) {
		if (strcmp(node->text, yes[i]) == 0)
			diag_help(r->diags, "write true");
		else if (strcmp(node->text, no[i]) == 0)
			diag_help(r->diags, "write false");
	}
	return false;
}

bool conf_read_quantity(struct conf_reader *r, const struct conf_node *node,
	const struct conf_field *field, char *to)
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

	if (!conf_scalar(r, node, expected[field->type]))
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
