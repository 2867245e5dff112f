/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks on runs: `check` of workloads and `seen` of options (doc/descriptor.md). */
#include "config.h"

#include "core/model/load.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/base/num.h"
#include "core/base/text.h"

struct raw_check {
	struct conf_item item;
	const struct conf_node *exit;
	const char *in, *text, *re, *times, *phase, *metric, *is, *file, *sha256, *call;
};

bool bound_holds(const struct bound *bound, double value)
{
	switch (bound->op) {
	case BOUND_EQ:
		return value == bound->value;
	case BOUND_NE:
		return value != bound->value;
	case BOUND_LT:
		return value < bound->value;
	case BOUND_LE:
		return value <= bound->value;
	case BOUND_GT:
		return value > bound->value;
	case BOUND_GE:
		return value >= bound->value;
	}
	return false;
}

/* ">= 1", "== 1", "1" */
static bool read_bound(
	struct loader *l, const struct conf_node *node, const char *text, struct bound *ret)
{
	static const struct {
		const char *text;
		int op;
	} signs[] = {{"==", BOUND_EQ}, {"!=", BOUND_NE}, {"<=", BOUND_LE}, {">=", BOUND_GE},
		{"<", BOUND_LT}, {">", BOUND_GT}, {"=", BOUND_EQ}};
	const char *number = text;
	struct why why;

	ret->op = BOUND_EQ;
	for (size_t i = 0; i < ARRAY_SIZE(signs); i++) {
		if (text_starts(text, signs[i].text)) {
			__typeof__(ret->op) op = signs[i].op;

			ret->op = op;
			number = text + strlen(signs[i].text);
			break;
		}
	}
	number += strspn(number, " ");
	if (!num_double(number, &ret->value, &why))
		return true;
	conf_error(l->diags, node, "'%s' is no bound", text);
	diag_help(l->diags, "write for instance \">= 1\"");
	return false;
}

/* --- The kinds ------------------------------------------------------------------------------- */

static void read_exit(struct loader *l, const struct conf_node *node, struct check *ret)
{
	static const struct conf_field code = FIELD("exit", CT_INT, 0, .min = 0, .max = 255);
	CLEANUP(buf_release) struct buf text = BUF_INIT;
	size_t n = node->kind == CONF_LIST ? node->n : 1;
	int *codes;

	ret->kind = CHECK_EXIT;
	if (node->kind == CONF_SCALAR && !strcmp(node->text, "any")) {
		ret->exit_any = true;
		ret->text = "any exit status";
		return;
	}
	if (!n)
		conf_error(l->diags, node, "the list of exit codes is empty");
	codes = arena_array(l->arena, n, sizeof(*codes));
	buf_adds(&text, "exit status ");
	for (size_t i = 0; i < n; i++) {
		int64_t value = 0;

		if (!conf_read_value(load_item(node, i), &code, &value, l->arena, l->diags))
			continue;
		buf_addf(&text, "%s%d", ret->n_exit_codes ? " or " : "", (int)value);
		codes[ret->n_exit_codes++] = (int)value;
	}
	ret->exit_codes = codes;
	ret->text = arena_strdup(l->arena, text.data);
}

static void read_stream(struct loader *l, const struct conf_node *node, enum stream *ret)
{
	if (!node->text || (strcmp(node->text, "stdout") && strcmp(node->text, "stderr"))) {
		conf_error(l->diags, node, "expected stdout or stderr");
		if (node->text)
			diag_help(l->diags, "output of services comes with a later version of "
					    "assay");
		return;
	}
	*ret = strcmp(node->text, "stdout") ? STREAM_STDERR : STREAM_STDOUT;
}

static void read_in(struct loader *l, const struct raw_check *raw, struct check *ret)
{
	const struct conf_node *node = raw->item.node;
	int n = !!raw->text + !!raw->re + !!raw->sha256;

	read_stream(l, conf_get(node, "in"), &ret->in);
	if (n != 1) {
		conf_key_error(l->diags, conf_get(node, "in"),
			n ? "only one of text, re and sha256 can be asked for"
			  : "text, re or sha256 is missing beside it");
		return;
	}
	if (raw->text) {
		ret->kind = CHECK_TEXT;
		ret->pattern = raw->text;
		ret->text = arena_printf(l->arena, "%s has \"%s\"", raw->in, raw->text);
		if (!*raw->text)
			conf_error(l->diags, conf_get(node, "text"), "the text is empty");
	} else if (raw->re) {
		ret->kind = CHECK_RE;
		ret->pattern = raw->re;
		ret->text = arena_printf(l->arena, "%s matches '%s'", raw->in, raw->re);
		load_pattern(l, conf_get(node, "re"), raw->re, NULL);
	} else {
		ret->kind = CHECK_SHA256;
		ret->text = arena_printf(l->arena, "%s is the same as the baseline's", raw->in);
		if (strcmp(raw->sha256, "same"))
			conf_error(l->diags, conf_get(node, "sha256"), "expected same");
	}
}

static void read_named(struct loader *l, const struct raw_check *raw, struct check *ret)
{
	const struct conf_node *node = raw->item.node;

	if (raw->phase) {
		ret->kind = CHECK_PHASE;
		ret->name = raw->phase;
		ret->text = arena_printf(l->arena, "phase %s", raw->phase);
	} else if (raw->metric) {
		ret->kind = CHECK_METRIC;
		ret->name = raw->metric;
		ret->text = arena_printf(l->arena, "%s %s", raw->metric, raw->is ? raw->is : "");
		if (!raw->is)
			conf_key_error(l->diags, conf_get(node, "metric"),
				"is: \"OP NUMBER\" is missing beside it");
		else
			read_bound(l, conf_get(node, "is"), raw->is, &ret->is);
	} else if (raw->file) {
		ret->kind = CHECK_FILE;
		ret->name = raw->file;
		ret->text = arena_printf(l->arena, "file %s", raw->file);
		load_template(l, conf_get(node, "file"), IN_RUN, false);
	} else {
		ret->kind = CHECK_CALL;
		ret->name = raw->call;
		ret->text = arena_printf(l->arena, "calls of %s", raw->call);
	}
}

/* Fields that only some kinds know. */
static void refuse_beside(struct loader *l, const struct raw_check *raw, const struct check *check)
{
	const struct conf_node *node = raw->item.node;
	static const char *const with_in[] = {"text", "re", "sha256"};

	for (size_t i = 0; !raw->in && i < ARRAY_SIZE(with_in); i++) {
		if (conf_get(node, with_in[i]))
			conf_key_error(
				l->diags, conf_get(node, with_in[i]), "needs in: stdout or stderr");
	}
	if (raw->is && !raw->metric)
		conf_key_error(l->diags, conf_get(node, "is"), "needs metric");
	if (raw->times && check->kind != CHECK_TEXT && check->kind != CHECK_RE &&
		check->kind != CHECK_CALL)
		conf_key_error(l->diags, conf_get(node, "times"),
			"means something beside text, re and call only");
}

static void load_check(struct loader *l, const struct raw_check *raw, bool seen, struct check *ret)
{
	const struct conf_node *node = raw->item.node;
	int n = !!raw->exit + !!raw->in + !!raw->phase + !!raw->metric + !!raw->file + !!raw->call;

	*ret = (struct check){
		.text = "", .name = "", .pattern = "", .times = {BOUND_GE, 1}, .node = node};
	if (n != 1) {
		if (node->kind == CONF_MAP && !conf_get(node, "run")) {
			conf_error(l->diags, node,
				n ? "a check asks for one thing, this one for %d"
				  : "a check that asks for nothing",
				n);
			diag_help(l->diags, "write one of exit, in, phase, metric, file, call");
		}
		return;
	}
	if (raw->exit)
		read_exit(l, raw->exit, ret);
	else if (raw->in)
		read_in(l, raw, ret);
	else
		read_named(l, raw, ret);
	if (raw->exit && seen)
		conf_key_error(l->diags, raw->exit, "an exit status does not show that code ran");
	if (raw->sha256 && seen)
		conf_key_error(l->diags, conf_get(node, "sha256"),
			"the same output does not show that code ran");
	refuse_beside(l, raw, ret);
	if (raw->times && read_bound(l, conf_get(node, "times"), raw->times, &ret->times) &&
		*ret->text)
		ret->text = arena_printf(l->arena, "%s, times %s", ret->text, raw->times);
}

void load_checks(struct loader *l, const struct conf_node *list, bool seen, struct checks *ret)
{
#define C(name, type) FIELD(#name, type, offsetof(struct raw_check, name))
	static const struct conf_field fields[] = {
		C(exit, CT_NODE),
		C(in, CT_TEXT),
		C(text, CT_TEXT),
		C(re, CT_TEXT),
		C(times, CT_TEXT),
		C(phase, CT_TEXT),
		C(metric, CT_TEXT),
		C(is, CT_TEXT),
		C(file, CT_TEXT),
		C(sha256, CT_TEXT),
		C(call, CT_TEXT),
		FIELD("run", CT_NODE, 0, .flags = CONF_LATER,
			.later = "let the workload itself fail, by a command in run"),
		{NULL},
	};
#undef C
	static const struct conf_field as_list = FIELD("check", CT_LIST_OF, 0, .flags = CONF_ONE_OK,
		.sub = fields, .item_size = sizeof(struct raw_check));
	struct conf_array array = {0};
	const struct raw_check *raw;
	struct check *checks;
	bool exit_given = false;

	if (list)
		conf_read_value(list, &as_list, &array, l->arena, l->diags);
	raw = array.items;
	checks = arena_array(l->arena, array.n + 1, sizeof(*checks));
	for (size_t i = 0; i < array.n; i++) {
		load_check(l, &raw[i], seen, &checks[i]);
		exit_given |= raw[i].exit != NULL;
	}
	*ret = (struct checks){checks, array.n};
	if (!seen && !exit_given) {
		static const int zero[] = {0};

		checks[ret->n++] = (struct check){
			.kind = CHECK_EXIT,
			.text = "exit status 0",
			.exit_codes = zero,
			.n_exit_codes = 1,
		};
	}
}
