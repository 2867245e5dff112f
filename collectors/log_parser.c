/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A parser file -> compiled rules. */
#include "config.h"

#include "collectors/log_rule.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/datafile.h"
#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/base/vec.h"

static const char *const stream_names[] = {"stdout", "stderr", NULL};

/* A rule as its map reads. */
struct rule_conf {
	const char *name; /* unused: head of list items */
	const struct conf_node *node;
	const char *match, *stream, *pairs, *begin, *end, *point, *instance, *thread, *prefix, *at;
	const char *reduce;
	struct conf_pairs values, rename;
	const struct conf_node *spans, *fail;
	bool sequence, ignore;
};

struct parser_conf {
	int64_t schema;
	const char *name, *title;
	struct conf_texts resync;
	struct conf_array rules;
	const struct conf_node *tests;
};

#define RULE(member) .offset = offsetof(struct rule_conf, member)
static const struct conf_field rule_fields[] = {
	{"match", CT_TEXT, RULE(match), .flags = CONF_REQUIRED},
	{"stream", CT_CHOICE, RULE(stream), .choices = stream_names},
	{"pairs", CT_TEXT, RULE(pairs)},
	{"values", CT_PAIRS, RULE(values), .flags = CONF_ANY_KEY},
	{"spans", CT_NODE, RULE(spans)},
	{"sequence", CT_BOOL, RULE(sequence)},
	{"begin", CT_TEXT, RULE(begin)},
	{"end", CT_TEXT, RULE(end)},
	{"point", CT_TEXT, RULE(point)},
	{"instance", CT_TEXT, RULE(instance)},
	{"thread", CT_TEXT, RULE(thread)},
	{"at", CT_TEXT, RULE(at)},
	{"reduce", CT_CHOICE, RULE(reduce), .choices = log_reduce_names},
	{"fail", CT_NODE, RULE(fail)},
	{"prefix", CT_TEXT, RULE(prefix)},
	{"rename", CT_PAIRS, RULE(rename), .flags = CONF_ANY_KEY},
	{"ignore", CT_BOOL, RULE(ignore)},
	{0},
};

#define PARSER(member) .offset = offsetof(struct parser_conf, member)
static const struct conf_field parser_fields[] = {
	{"schema", CT_INT, PARSER(schema)},
	{"name", CT_NAME, PARSER(name)},
	{"title", CT_TEXT, PARSER(title)},
	{"resync", CT_TEXTS, PARSER(resync)},
	{"rules", CT_LIST_OF, PARSER(rules), .flags = CONF_REQUIRED, .sub = rule_fields,
		.item_size = sizeof(struct rule_conf)},
	{"tests", CT_NODE, PARSER(tests)},
	{0},
};

/* --- Rules ------------------------------------------------------------------------------------ */

struct loader {
	struct log_parser *parser;
	struct diags *diags;
	const struct rule_conf *conf; /* the rule at hand */
	struct log_rule *rule;
	VEC(const char *) clocks;
};

static const struct conf_node *field(const struct loader *l, const char *name)
{
	const struct conf_node *node = conf_get(l->conf->node, name);

	return node ? node : l->conf->node;
}

static int group(struct loader *l, const struct conf_node *node, const char *name)
{
	int number = regex_group(l->rule->regex, name);

	if (number < 0) {
		conf_error(l->diags, node, "the pattern has no group '%s'", name);
		diag_help(l->diags, "name a part of `match`: (?<%s>...)", name);
	}
	return number;
}

/* Length of the group name behind a '$', and where the text goes on: "$job", "${job}". */
static size_t template_name(const char *s, const char **ret_name, const char **ret_next)
{
	bool braces = *s == '{';
	size_t n;

	s += braces;
	n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
	*ret_name = s;
	*ret_next = s + n;
	if (braces) {
		if (s[n] != '}')
			return 0;
		(*ret_next)++;
	}
	return n;
}

static void read_template(
	struct loader *l, const char *key, const char *text, struct log_template *ret)
{
	struct arena *arena = &l->parser->arena;
	const char *s = text;

	if (!text)
		return;
	/* A piece takes at least one byte. */
	ret->pieces = arena_array(arena, strlen(text) + 1, sizeof(*ret->pieces));
	while (*s) {
		size_t n = strcspn(s, "$");
		const char *name;

		if (n) {
			ret->pieces[ret->n++].text = arena_strndup(arena, s, n);
			s += n;
		} else if (s[1] == '$') {
			ret->pieces[ret->n++].text = "$";
			s += 2;
		} else {
			n = template_name(s + 1, &name, &s);
			if (!n) {
				conf_error(l->diags, field(l, key),
					"expected the name of a group behind '$' (write $$ for a "
					"dollar sign)");
				return;
			}
			ret->pieces[ret->n++].group =
				group(l, field(l, key), arena_strndup(arena, name, n));
		}
	}
	if (!ret->n)
		conf_error(l->diags, field(l, key), "`%s` is empty", key);
}

static void read_values(struct loader *l)
{
	const struct conf_pairs *values = &l->conf->values;
	struct log_rule *rule = l->rule;

	rule->values = arena_array(&l->parser->arena, values->n, sizeof(*rule->values));
	for (size_t i = 0; i < values->n; i++) {
		const struct conf_pair *pair = &values->items[i];
		struct log_group_unit *to = &rule->values[rule->n_values++];

		to->name = pair->key;
		to->group = group(l, pair->node, pair->key);
		if (log_unit_find(pair->value, strlen(pair->value), &to->unit))
			continue;
		conf_error(l->diags, pair->node, "'%s' is not a unit", pair->value);
		diag_help(l->diags, "ns, us, ms, s, min, B, kB, MB, KiB, MiB, GiB, Hz, %%, or \"\" "
				    "for a count");
	}
}

static void read_spans(struct loader *l)
{
	const struct conf_field as_bool = {.name = "spans", .type = CT_BOOL};
	const struct conf_field as_list = {.name = "spans", .type = CT_TEXTS};
	const struct conf_node *spans = l->conf->spans;
	struct arena *arena = &l->parser->arena;

	if (spans && spans->kind == CONF_LIST)
		(void)conf_read_value(spans, &as_list, &l->rule->spans, arena, l->diags);
	else if (spans)
		(void)conf_read_value(spans, &as_bool, &l->rule->spans_all, arena, l->diags);
	l->rule->sequence = l->conf->sequence;
	if ((l->rule->spans_all || l->rule->spans.n) && !l->conf->pairs && !l->conf->values.n)
		conf_error(l->diags, spans, "`spans` needs `pairs` or `values`: the times to use");
	if (l->rule->sequence && !l->rule->spans_all && !l->rule->spans.n)
		conf_error(l->diags, field(l, "sequence"), "`sequence` needs `spans`");
}

/* "GROUP UNIT" */
static void read_at(struct loader *l)
{
	const char *at = l->conf->at, *blank;
	struct log_rule *rule = l->rule;

	rule->at = -1;
	if (!at)
		return;
	blank = strchr(at, ' ');
	if (!blank || !log_unit_find(blank + 1, strlen(blank + 1), &rule->at_unit) ||
		strcmp(rule->at_unit.base, "s")) {
		conf_error(l->diags, field(l, "at"),
			"expected a group and a unit of time, got '%s'", at);
		diag_help(l->diags, "for instance `at: ms ms` with (?<ms>\\d+) in the pattern");
		return;
	}
	rule->at = group(
		l, field(l, "at"), arena_strndup(&l->parser->arena, at, (size_t)(blank - at)));
	for (size_t i = 0; i < l->clocks.n; i++) {
		if (!strcmp(l->clocks.items[i], at)) {
			rule->clock = (int)i;
			return;
		}
	}
	rule->clock = (int)l->clocks.n;
	*vec_push(&l->clocks) = at;
}

static void read_fail(struct loader *l)
{
	const struct conf_field list = {.name = "fail", .type = CT_TEXT_OR_TEXTS};
	const struct conf_node *fail = l->conf->fail, *item;

	if (!fail)
		return;
	if (fail->kind != CONF_MAP || !fail->n) {
		conf_error(l->diags, fail, "expected {GROUP: [VALUE, ...]}");
		diag_help(l->diags, "for instance `fail: {status: [FAILED, TIMEOUT]}`");
		return;
	}
	l->rule->fails = arena_array(&l->parser->arena, fail->n, sizeof(*l->rule->fails));
	conf_foreach (item, fail) {
		struct log_fail *to = &l->rule->fails[l->rule->n_fails++];

		to->group = group(l, item, item->key);
		(void)conf_read_value(item, &list, &to->values, &l->parser->arena, l->diags);
	}
}

/* What the fields mean together. */
static void check_rule(struct loader *l)
{
	const struct rule_conf *c = l->conf;
	const struct log_rule *rule = l->rule;
	int events = !!c->begin + !!c->end + !!c->point;
	bool numbers = c->pairs || c->values.n;

	if (events > 1)
		conf_error(l->diags, c->node, "only one of `begin`, `end` and `point` in a rule");
	if (c->ignore && (events || numbers || c->fail))
		conf_error(l->diags, field(l, "ignore"), "a rule that ignores can do nothing else");
	if (!c->ignore && !events && !numbers && !c->fail) {
		conf_error(l->diags, c->node, "this rule does nothing with the lines it matches");
		diag_help(l->diags, "give it pairs, values, begin, end, point or fail, or "
				    "`ignore: true`");
	}
	if (c->at && !events && !rule->spans_all && !rule->spans.n)
		conf_error(
			l->diags, field(l, "at"), "`at` needs `begin`, `end`, `point` or `spans`");
}

static void load_rule(struct loader *l)
{
	struct log_rule *rule = l->rule;
	struct err err;

	rule->pairs = rule->at = -1;
	if (regex_new(l->conf->match, &rule->regex, &err)) {
		conf_error(l->diags, field(l, "match"), "%s", err.text);
		return;
	}
	rule->any_stream = !l->conf->stream;
	rule->stream = l->conf->stream && !strcmp(l->conf->stream, "stderr") ? STREAM_STDERR
									     : STREAM_STDOUT;
	if (l->conf->pairs)
		rule->pairs = group(l, field(l, "pairs"), l->conf->pairs);
	read_values(l);
	read_spans(l);
	read_at(l);
	read_fail(l);
	read_template(l, "begin", l->conf->begin, &rule->begin);
	read_template(l, "end", l->conf->end, &rule->end);
	read_template(l, "point", l->conf->point, &rule->point);
	read_template(l, "instance", l->conf->instance, &rule->instance);
	read_template(l, "thread", l->conf->thread, &rule->thread);
	read_template(l, "prefix", l->conf->prefix, &rule->prefix);
	rule->rename = l->conf->rename;
	rule->ignore = l->conf->ignore;
	rule->reduce =
		l->conf->reduce ? (enum log_reduce)log_reduce_find(l->conf->reduce) : LOG_LAST;
	check_rule(l);
}

/* --- Parsers ---------------------------------------------------------------------------------- */

static void digest_node(struct digest_ctx *ctx, const struct conf_node *node)
{
	digest_field_int(ctx, node->key ? node->key : "", (int64_t)node->kind);
	if (node->kind == CONF_SCALAR)
		digest_field(ctx, "text", node->text);
	digest_field_int(ctx, "n", (int64_t)node->n);
	for (size_t i = 0; i < node->n; i++)
		digest_node(ctx, node->items[i]);
}

/* What changes results; not comments, title and tests. */
static struct digest digest_parser(const struct conf_node *root)
{
	static const char *const parts[] = {"resync", "rules"};
	CLEANUP(digest_freep) struct digest_ctx *ctx = digest_new();

	digest_field(ctx, "format", "log-parser-1");
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		const struct conf_node *node = conf_get(root, parts[i]);

		if (node)
			digest_node(ctx, node);
	}
	return digest_end(ctx);
}

static void check_resync(const struct conf_texts *resync, struct diags *diags)
{
	for (size_t i = 0; i < resync->n; i++) {
		if (!resync->items[i][0])
			conf_error(
				diags, resync->node->items[i], "a resync prefix cannot be empty");
	}
}

/* root lives as long as the parser: in its arena or in the descriptor's. */
static int load_node(struct log_parser *parser, const struct conf_node *root, const char *name,
	struct diags *diags, struct err *err)
{
	struct parser_conf conf = {.schema = 1};
	struct loader l = {.parser = parser, .diags = diags, .clocks = VEC_INIT};
	size_t errors = diags->errors;

	parser->name = arena_strdup(&parser->arena, name);
	if (root->kind != CONF_MAP) {
		conf_error(diags, root, "a log parser is a map with `rules`");
		return err_set(err, E_CONFIG, "log parser '%s' cannot be used", name);
	}
	/* Goes on after mistakes, to find all of them. */
	(void)conf_read(root, parser_fields, &conf, &parser->arena, diags);
	if (conf.schema != 1)
		conf_error(diags, conf_get(root, "schema"), "only schema 1 is known");
	check_resync(&conf.resync, diags);
	parser->resync = conf.resync;
	parser->rules = arena_array(&parser->arena, conf.rules.n, sizeof(*parser->rules));
	parser->n_rules = conf.rules.n;
	for (size_t i = 0; i < conf.rules.n; i++) {
		l.conf = &((const struct rule_conf *)conf.rules.items)[i];
		l.rule = &parser->rules[i];
		if (l.conf->match)
			load_rule(&l);
	}
	parser->n_clocks = l.clocks.n;
	parser->tests = conf.tests;
	vec_release(&l.clocks);
	if (diags->errors > errors)
		return err_set(err, E_CONFIG, "log parser '%s' cannot be used", name);
	parser->digest = digest_parser(root);
	return 0;
}

int log_parser_load_file(
	const char *path, struct diags *diags, struct log_parser **ret, struct err *err)
{
	CLEANUP(log_parser_freep) struct log_parser *parser = xcalloc(1, sizeof(*parser));
	struct conf_node *root;
	const char *base = path_basename(path);
	AUTOFREE char *name = xstrndup(base, strcspn(base, "."));

	if (conf_load(path, &parser->arena, diags, &root, err))
		return -1;
	if (load_node(parser, root, name, diags, err))
		return -1;
	*ret = STEAL(parser);
	return 0;
}

int log_parser_load(const struct descriptor *descriptor, const char *name, struct diags *diags,
	struct log_parser **ret, struct err *err)
{
	const struct conf_node *node =
		descriptor->parsers ? conf_get(descriptor->parsers, name) : NULL;
	AUTOFREE char *file = xasprintf("parsers/%s.yaml", name);
	AUTOFREE char *own = descriptor->dir ? path_join(descriptor->dir, file) : NULL;
	AUTOFREE char *installed = NULL;

	if (node) {
		CLEANUP(log_parser_freep) struct log_parser *parser = xcalloc(1, sizeof(*parser));

		if (load_node(parser, node, name, diags, err))
			return -1;
		*ret = STEAL(parser);
		return 0;
	}
	if (own && fs_exists(own))
		return log_parser_load_file(own, diags, ret, err);
	if (datafile_find(file, &installed, err)) {
		err_wrap(err, "no log parser '%s'", name);
		err_help(err,
			"`assay list parsers` shows the installed ones; or write parsers/%s.yaml "
			"beside the descriptor",
			name);
		return -1;
	}
	return log_parser_load_file(installed, diags, ret, err);
}

void log_parser_free(struct log_parser *parser)
{
	if (!parser)
		return;
	for (size_t i = 0; i < parser->n_rules; i++)
		regex_free(parser->rules[i].regex);
	arena_release(&parser->arena);
	free(parser);
}

struct digest log_parser_digest(const struct log_parser *parser)
{
	return parser->digest;
}

const char *log_parser_name(const struct log_parser *parser)
{
	return parser->name;
}

size_t log_parser_n_rules(const struct log_parser *parser)
{
	return parser->n_rules;
}

const char *log_parser_rule_text(const struct log_parser *parser, size_t i)
{
	return parser->rules[i].regex->pattern;
}

/* --- What it can give ------------------------------------------------------------------------- */

/* One name of a rule; a template with groups in it can be any. */
struct giving {
	const char *name; /* asked for */
	bool found;
	VEC(const char *) names;
};

static void give(struct giving *giving, const char *name)
{
	giving->found |= !strcmp(giving->name, name);
	*vec_push(&giving->names) = name;
}

static void give_template(struct giving *giving, const struct log_template *template)
{
	if (template->n == 1 && template->pieces[0].text)
		give(giving, template->pieces[0].text);
	else
		giving->found |= template->n > 0;
}

static const char *renamed(const struct log_rule *rule, const char *name)
{
	for (size_t i = 0; i < rule->rename.n; i++) {
		if (!strcmp(rule->rename.items[i].key, name))
			return rule->rename.items[i].value;
	}
	return name;
}

static void give_values(struct giving *giving, const struct log_rule *rule)
{
	giving->found |= rule->pairs >= 0 || (rule->prefix.n && rule->n_values);
	for (size_t i = 0; i < rule->n_values; i++)
		give(giving, renamed(rule, rule->values[i].name));
}

bool log_parser_can_give(
	const struct log_parser *parser, bool phase, const char *name, struct conf_texts *known)
{
	struct giving giving = {.name = name, .names = VEC_INIT};

	for (size_t i = 0; i < parser->n_rules; i++) {
		const struct log_rule *rule = &parser->rules[i];

		if (!phase) {
			give_values(&giving, rule);
			continue;
		}
		give_template(&giving, &rule->begin);
		give_template(&giving, &rule->end);
		give_template(&giving, &rule->point);
		giving.found |= rule->spans_all || rule->spans.n;
	}
	*known = (struct conf_texts){.items = giving.names.items, .n = giving.names.n};
	if (giving.found) {
		free(giving.names.items);
		*known = (struct conf_texts){0};
	}
	return giving.found;
}
