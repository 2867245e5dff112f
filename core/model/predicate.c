/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/model/predicate.h"

#include <string.h>

#include "core/base/num.h"
#include "core/base/text.h"

/* Parsing and evaluation recurse: deeper nesting than this is refused. */
#define DEPTH_MAX 64
/* Names listed in a message. */
#define KNOWN_SHOWN 20

enum node_kind {
	NODE_AND,
	NODE_OR,
	NODE_NOT,
	NODE_ACTIVE,
	NODE_COMPARE,
	NODE_SET
};
enum op {
	OP_EQ,
	OP_NE,
	OP_LT,
	OP_LE,
	OP_GT,
	OP_GE,
	OP_GLOB,
	OP_IN
};

struct predicate {
	enum node_kind kind;
	struct predicate *left, *right;
	const char *key;
	enum op op;
	const char **values;
	size_t n_values;
};

enum token_kind {
	T_END,
	T_WORD,
	T_QUOTED,
	T_OP,
	T_AND,
	T_OR,
	T_NOT,
	T_OPEN,
	T_CLOSE,
	T_COMMA
};

struct token {
	enum token_kind kind;
	const char *start;
	const char *text; /* of words and quoted texts, in the arena */
	enum op op;
};

struct parser {
	const char *text, *at;
	const struct predicate_names *names;
	struct arena *arena;
	struct err *err;
	struct token token;
	int depth;
};

static const char *const general_keys[] = {
	"workload", "variant", "set", "status", "block", "host", "session"};

static int fail_at(struct parser *p, const char *at, const char *fmt, ...) PRINTF_LIKE(3, 4);
static int fail_at(struct parser *p, const char *at, const char *fmt, ...)
{
	va_list ap;
	AUTOFREE char *text = NULL;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	return err_set(p->err, E_CONFIG, "'%.*s%s', column %d: %s", text_cut(p->text, 80), p->text,
		strlen(p->text) > 80 ? "..." : "", (int)(at - p->text) + 1, text);
}

static bool is_word_char(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
	       (c && strchr("_.:+%/-", c));
}

static int quoted_token(struct parser *p)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;
	const char *s = p->at + 1;

	for (; *s != '"'; s++) {
		if (*s == '\\' && (s[1] == '"' || s[1] == '\\'))
			s++;
		if (!*s)
			return fail_at(p, p->at, "a quoted text that does not end");
		buf_addc(&text, *s);
	}
	p->token.kind = T_QUOTED;
	p->token.text = arena_strndup(p->arena, text.data, text.len);
	p->at = s + 1;
	return 0;
}

static void word_token(struct parser *p)
{
	const char *s = p->at;

	while (is_word_char(*s))
		s++;
	p->token.text = arena_strndup(p->arena, p->at, (size_t)(s - p->at));
	p->at = s;
	if (!strcmp(p->token.text, "and"))
		p->token.kind = T_AND;
	else if (!strcmp(p->token.text, "or"))
		p->token.kind = T_OR;
	else if (!strcmp(p->token.text, "not"))
		p->token.kind = T_NOT;
	else
		p->token.kind = T_WORD;
}

static int next_token(struct parser *p)
{
	static const struct {
		const char *text;
		enum token_kind kind;
		enum op op;
	} signs[] = {
		{"==", T_OP, OP_EQ},
		{"!=", T_OP, OP_NE},
		{"<=", T_OP, OP_LE},
		{">=", T_OP, OP_GE},
		{"&&", T_AND, 0},
		{"||", T_OR, 0},
		{"=", T_OP, OP_EQ},
		{"<", T_OP, OP_LT},
		{">", T_OP, OP_GT},
		{"~", T_OP, OP_GLOB},
		{"&", T_AND, 0},
		{"|", T_OR, 0},
		{"!", T_NOT, 0},
		{"(", T_OPEN, 0},
		{")", T_CLOSE, 0},
		{",", T_COMMA, 0},
	};

	int len;

	p->at += strspn(p->at, " \t\n");
	p->token = (struct token){.kind = T_END, .start = p->at};
	if (!*p->at)
		return 0;
	if (*p->at == '"')
		return quoted_token(p);
	if (is_word_char(*p->at)) {
		word_token(p);
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(signs); i++) {
		if (text_starts(p->at, signs[i].text)) {
			p->token.kind = signs[i].kind;
			p->token.op = signs[i].op;
			p->at += strlen(signs[i].text);
			return 0;
		}
	}
	len = 1;
	while (((unsigned char)p->at[len] & 0xC0) == 0x80)
		len++;
	fail_at(p, p->at, "unexpected '%.*s'", len, p->at);
	return err_help(p->err, "put texts with other characters into double quotes");
}

static bool is_one_of(const char *word, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(word, list[i]))
			return true;
	}
	return false;
}

/* The nearest of what there is, or all of it. */
static int help_known(struct parser *p, const char *word, const char *const *names, size_t n)
{
	CLEANUP(buf_release) struct buf known = BUF_INIT;
	const char *near = text_nearest(word, names, n);

	if (near)
		return err_help(p->err, "did you mean '%s'?", near);
	for (size_t i = 0; i < n && i < KNOWN_SHOWN; i++)
		buf_addf(&known, "%s%s", i ? ", " : "", names[i]);
	return n ? err_help(p->err, "there are: %s%s", known.data, n > KNOWN_SHOWN ? ", ..." : "")
		 : -1;
}

static int check_key(struct parser *p, const struct token *key)
{
	if (is_one_of(key->text, p->names->keys, p->names->n_keys))
		return 0;
	if (is_one_of(key->text, general_keys, ARRAY_SIZE(general_keys)))
		return fail_at(p, key->start,
			"'%s' means nothing here: it is known only after a run", key->text);
	fail_at(p, key->start, "unknown name '%s'", key->text);
	return help_known(p, key->text, p->names->keys, p->names->n_keys);
}

/* What a text is when it is compared by size. */
enum quantity {
	Q_NONE,
	Q_NUMBER,
	Q_DURATION,
	Q_SIZE
};

static enum quantity quantity(const char *s, double *ret)
{
	struct why why;
	int64_t ns;
	uint64_t bytes;

	if (!num_double(s, ret, &why))
		return Q_NUMBER;
	if (!num_duration(s, &ns, &why)) {
		*ret = (double)ns;
		return Q_DURATION;
	}
	if (!num_size(s, &bytes, &why)) {
		*ret = (double)bytes;
		return Q_SIZE;
	}
	return Q_NONE;
}

static const char *const *allowed_values(struct parser *p, const char *key)
{
	return p->names->values ? p->names->values(p->names->ctx, key) : NULL;
}

/* A value against what the key can be. Sets are compared without their blanks. */
static int check_value(struct parser *p, const char *key, enum op op, const struct token *value)
{
	const char *const *allowed = allowed_values(p, key);
	double number, other;
	size_t n = 0;

	if (op == OP_LT || op == OP_LE || op == OP_GT || op == OP_GE) {
		enum quantity kind = quantity(value->text, &number);

		if (kind == Q_NONE)
			return fail_at(p, value->start,
				"'%s' is neither number nor duration: it cannot be compared by "
				"size",
				value->text);
		for (; allowed && *allowed; allowed++) {
			if (quantity(*allowed, &other) != kind)
				return fail_at(p, value->start,
					"'%s' of '%s' cannot be compared by size with '%s'",
					*allowed, key, value->text);
		}
		return 0;
	}
	if (!allowed || op == OP_GLOB)
		return 0;
	for (; allowed[n]; n++) {
		if (!strcmp(allowed[n], value->text))
			return 0;
		if (quantity(value->text, &number) == Q_NUMBER &&
			quantity(allowed[n], &other) == Q_NUMBER && number == other)
			return 0;
	}
	fail_at(p, value->start, "'%s' has no value '%s'", key, value->text);
	return help_known(p, value->text, allowed, n);
}

static struct predicate *new_node(struct parser *p, enum node_kind kind)
{
	struct predicate *node = arena_alloc(p->arena, sizeof(*node));

	node->kind = kind;
	return node;
}

/* One value behind an operator, or one of a list. */
static int parse_value(struct parser *p, struct predicate *node)
{
	struct token value = p->token;

	if (value.kind != T_WORD && value.kind != T_QUOTED) {
		fail_at(p, value.start, "a value is missing");
		return err_help(p->err, "put texts with other characters into double quotes");
	}
	if (node->kind == NODE_SET) {
		/* Blanks do not matter in set expressions. */
		char *to = arena_alloc(p->arena, strlen(value.text) + 1), *out = to;

		for (const char *s = value.text; *s; s++) {
			if (*s != ' ')
				*out++ = *s;
		}
		value.text = to;
	}
	if (check_value(p, node->key, node->op, &value))
		return -1;
	if (node->n_values % 8 == 0) {
		const char **more = arena_array(p->arena, node->n_values + 8, sizeof(*more));

		if (node->n_values)
			memcpy(more, node->values, node->n_values * sizeof(*more));
		node->values = more;
	}
	node->values[node->n_values++] = value.text;
	return next_token(p);
}

static int parse_list(struct parser *p, struct predicate *node)
{
	node->op = OP_IN;
	if (next_token(p))
		return -1;
	if (p->token.kind != T_OPEN)
		return fail_at(p, p->token.start, "'(' is missing after 'in'");
	do {
		if (next_token(p) || parse_value(p, node))
			return -1;
	} while (p->token.kind == T_COMMA);
	if (p->token.kind != T_CLOSE)
		return fail_at(p, p->token.start, "')' is missing");
	return next_token(p);
}

static int parse_test(struct parser *p, struct predicate **ret)
{
	struct token key = p->token;
	struct predicate *node;

	if (key.kind != T_WORD)
		return fail_at(p, key.start,
			key.kind == T_END ? "something is missing" : "a name is missing");
	if (check_key(p, &key) || next_token(p))
		return -1;
	node = new_node(p, strcmp(key.text, "set") ? NODE_COMPARE : NODE_SET);
	node->key = key.text;
	*ret = node;
	if (p->token.kind == T_WORD && !strcmp(p->token.text, "in"))
		return parse_list(p, node);
	if (p->token.kind != T_OP) {
		if (is_one_of(key.text, p->names->options, p->names->n_options)) {
			node->kind = NODE_ACTIVE;
			return 0;
		}
		fail_at(p, key.start, "'%s' is no option and cannot stand alone", key.text);
		return err_help(p->err, "write %s = VALUE", key.text);
	}
	node->op = p->token.op;
	if (node->kind == NODE_SET && node->op != OP_EQ && node->op != OP_NE)
		return fail_at(p, p->token.start, "sets are compared by ==, != and in only");
	return next_token(p) || parse_value(p, node) ? -1 : 0;
}

static int parse_or(struct parser *p, struct predicate **ret);

static int parse_not(struct parser *p, struct predicate **ret)
{
	int rc;

	if (p->depth >= DEPTH_MAX)
		return fail_at(p, p->token.start, "nested too deeply");
	if (p->token.kind == T_NOT) {
		*ret = new_node(p, NODE_NOT);
		p->depth++;
		rc = next_token(p) || parse_not(p, &(*ret)->left) ? -1 : 0;
		p->depth--;
		return rc;
	}
	if (p->token.kind != T_OPEN)
		return parse_test(p, ret);
	p->depth++;
	rc = next_token(p) || parse_or(p, ret) ? -1 : 0;
	p->depth--;
	if (rc)
		return rc;
	if (p->token.kind != T_CLOSE)
		return fail_at(p, p->token.start, "')' is missing");
	return next_token(p);
}

/* Chains grow to the left, so that long ones nest by loops, not by recursion of the parser. */
static int parse_chain(struct parser *p, enum token_kind sign, enum node_kind kind,
	int (*operand)(struct parser *p, struct predicate **ret), struct predicate **ret)
{
	int links = 0;

	if (operand(p, ret))
		return -1;
	while (p->token.kind == sign) {
		struct predicate *node = new_node(p, kind);

		if (++links > 1000)
			return fail_at(p, p->token.start, "too many terms");
		node->left = *ret;
		if (next_token(p) || operand(p, &node->right))
			return -1;
		*ret = node;
	}
	return 0;
}

static int parse_and(struct parser *p, struct predicate **ret)
{
	return parse_chain(p, T_AND, NODE_AND, parse_not, ret);
}

static int parse_or(struct parser *p, struct predicate **ret)
{
	return parse_chain(p, T_OR, NODE_OR, parse_and, ret);
}

int predicate_parse(const char *text, const struct predicate_names *names, struct arena *arena,
	struct predicate **ret, struct err *err)
{
	struct parser p = {.text = text, .at = text, .names = names, .arena = arena, .err = err};
	struct predicate *node = NULL;

	if (next_token(&p) || parse_or(&p, &node))
		return -1;
	if (p.token.kind != T_END) {
		fail_at(&p, p.token.start, "unexpected text");
		return err_help(err, "join tests by & or |");
	}
	*ret = node;
	return 0;
}

static bool compare(enum op op, const char *have, const char *want)
{
	double a, b;
	enum quantity qa, qb;

	if (op == OP_GLOB)
		return text_glob(want, have);
	qa = quantity(have, &a);
	qb = quantity(want, &b);
	if (op == OP_EQ || op == OP_NE || op == OP_IN) {
		bool equal = qa == Q_NUMBER && qb == Q_NUMBER ? a == b : !strcmp(have, want);

		return op == OP_NE ? !equal : equal;
	}
	if (qa == Q_NONE || qa != qb)
		return false;
	return op == OP_LT ? a < b : op == OP_LE ? a <= b : op == OP_GT ? a > b : a >= b;
}

static bool test_holds(const struct predicate *node, const struct predicate_world *world)
{
	const char *have;
	bool any = false;

	if (node->kind == NODE_ACTIVE)
		return world->active(world->ctx, node->key);
	if (node->kind == NODE_SET) {
		for (size_t i = 0; i < node->n_values && !any; i++)
			any = world->in_set(world->ctx, node->values[i]);
		return node->op == OP_NE ? !any : any;
	}
	have = world->get(world->ctx, node->key);
	if (!have)
		return node->op == OP_NE;
	for (size_t i = 0; i < node->n_values && !any; i++)
		any = compare(node->op, have, node->values[i]);
	return any;
}

enum truth predicate_decide(const struct predicate *node, const struct predicate_world *world)
{
	enum truth left, right, decided;

	switch (node->kind) {
	case NODE_NOT:
		left = predicate_decide(node->left, world);
		return left == TRUTH_OPEN ? left : left == TRUTH_TRUE ? TRUTH_FALSE : TRUTH_TRUE;
	case NODE_AND:
	case NODE_OR:
		decided = node->kind == NODE_AND ? TRUTH_FALSE : TRUTH_TRUE;
		left = predicate_decide(node->left, world);
		if (left == decided)
			return left;
		right = predicate_decide(node->right, world);
		if (right == decided)
			return right;
		return left == TRUTH_OPEN ? left : right;
	default:
		if (world->known && !world->known(world->ctx, node->key))
			return TRUTH_OPEN;
		return test_holds(node, world) ? TRUTH_TRUE : TRUTH_FALSE;
	}
}

bool predicate_holds(const struct predicate *predicate, const struct predicate_world *world)
{
	struct predicate_world settled = *world;

	settled.known = NULL;
	return predicate_decide(predicate, &settled) == TRUTH_TRUE;
}

void predicate_keys(
	const struct predicate *predicate, void (*fn)(void *ctx, const char *key), void *ctx)
{
	if (predicate->left)
		predicate_keys(predicate->left, fn, ctx);
	if (predicate->right)
		predicate_keys(predicate->right, fn, ctx);
	if (predicate->key)
		fn(ctx, predicate->key);
}
