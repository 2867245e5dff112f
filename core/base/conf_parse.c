/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * YAML text to nodes. libfyaml scans; the nodes are built from its event stream and not from its
 * documents, because those stop silently at a second document and resolve aliases without end.
 * What libfyaml must never see (NUL, invalid UTF-8: version 0.7.12 can loop on it) is refused
 * first.
 */
#include "config.h"

#include "core/base/conf_impl.h"

#include <assert.h>
#include <string.h>

#include <libfyaml.h>

#include "core/base/map.h"
#include "core/base/text.h"
#include "core/base/vec.h"

/* One open list or map. */
struct frame {
	struct conf_node *node;
	VEC(struct conf_node *) items;
	struct map keys;        /* of a map: key -> first node */
	struct conf_node *next; /* of a map: has its key, waits for its value */
	bool dropped; /* next is a duplicate or a merge key: its value is read, not kept */
	bool merge;   /* next is a merge key */
	bool flow;
	size_t start;
};

struct parser {
	struct conf_text text;
	const char *root_path;
	struct arena *arena;
	bool no_tree; /* a mistake that leaves a wrong tree */
	bool stop;
	struct frame frames[CONF_MAX_DEPTH];
	size_t depth;
	struct conf_node *root;
	size_t last; /* end of the last token: where an empty value is looked for */
};

/* --- Building --- */

/* First byte of the set at or after the last token that is not in a comment; the last token's end
 * if there is none. */
static size_t find_after_last(const struct parser *p, const char *set)
{
	bool blank = true;

	for (size_t i = p->last; i < p->text.len; i++) {
		char c = p->text.text[i];

		if (c == '#' && blank) {
			while (i < p->text.len && p->text.text[i] != '\n')
				i++;
			continue;
		}
		if (c && strchr(set, c))
			return i;
		blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
	}
	return p->last;
}

static void set_place(struct parser *p, struct conf_node *node, size_t offset)
{
	node->place = conf_text_place(&p->text, offset);
	node->source = conf_text_source(&p->text, offset);
}

static struct frame *top(struct parser *p)
{
	return p->depth ? &p->frames[p->depth - 1] : NULL;
}

/* A key has come: the node that waits for its value. text NULL: an empty key. */
static void take_key(
	struct parser *p, struct frame *frame, const char *text, size_t offset, bool plain)
{
	struct conf_node *node, *first;

	if (!text) {
		offset = find_after_last(p, ":?");
		conf_text_error(&p->text, offset, "a key is missing");
		p->no_tree = true;
		text = "";
	}
	node = arena_alloc(p->arena, sizeof(*node));
	node->key = text;
	node->path = conf_path(p->arena, frame->node->path, text, 0);
	node->key_place = conf_text_place(&p->text, offset);
	node->key_source = conf_text_source(&p->text, offset);
	/* A flow pair in a list, [a: 1], begins for libfyaml at the colon. */
	if (!frame->items.n && frame->start > offset) {
		frame->start = offset;
		set_place(p, frame->node, offset);
	}
	frame->next = node;
	frame->merge = plain && strcmp(text, "<<") == 0;
	first = map_get(&frame->keys, text);
	frame->dropped = frame->merge || first;
	if (frame->merge) {
		conf_text_error(&p->text, offset, "merge keys (<<) are not allowed");
		p->no_tree = true;
	} else if (first) {
		if (p->text.line_text)
			conf_text_error(
				&p->text, offset, "%s: this key is there twice", node->path);
		else
			conf_text_error(&p->text, offset,
				"%s: this key is there twice, first in line %d", node->path,
				first->key_place.line);
	} else {
		map_put(&frame->keys, text, node);
	}
}

/* The node for a value that begins: hung into the tree. */
static struct conf_node *take_value(struct parser *p, size_t offset)
{
	struct frame *frame = top(p);
	struct conf_node *node;

	if (!frame) {
		node = arena_alloc(p->arena, sizeof(*node));
		node->path = arena_strdup(p->arena, p->root_path);
		p->root = node;
	} else if (frame->node->kind == CONF_LIST) {
		node = arena_alloc(p->arena, sizeof(*node));
		node->path = conf_path(p->arena, frame->node->path, NULL, frame->items.n);
		*vec_push(&frame->items) = node;
	} else {
		node = frame->next;
		frame->next = NULL;
		if (!frame->dropped)
			*vec_push(&frame->items) = node;
	}
	set_place(p, node, offset);
	if (!node->key) {
		node->key_place = node->place;
		node->key_source = node->source;
	}
	return node;
}

static bool key_expected(struct parser *p)
{
	struct frame *frame = top(p);

	return frame && frame->node->kind == CONF_MAP && !frame->next;
}

static void on_scalar(struct parser *p, struct fy_token *token)
{
	size_t len = 0, offset;
	const char *text = token ? fy_token_get_text(token, &len) : NULL;
	enum fy_scalar_style style = token ? fy_token_scalar_style(token) : FYSS_PLAIN;
	const struct fy_mark *start = token ? fy_token_start_mark(token) : NULL;
	const struct fy_mark *end = token ? fy_token_end_mark(token) : NULL;
	struct frame *frame = top(p);
	bool plain = style == FYSS_PLAIN || style == FYSS_ANY;
	bool none = !text || !start || (plain && !len);
	struct conf_node *node;

	offset = start ? start->input_pos : p->last;
	if (style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED)
		offset -= offset > 0; /* the mark stands behind the quote */
	else if (style == FYSS_LITERAL || style == FYSS_FOLDED)
		offset = find_after_last(p, "|>"); /* the mark stands at the first line */
	if (text && (memchr(text, '\0', len) || text_utf8_check(text, len) < len)) {
		conf_text_error(&p->text, offset,
			"the text holds an escape for a character that is not allowed");
		p->no_tree = true;
	}
	if (text)
		text = arena_strndup(p->arena, text, len);
	if (key_expected(p)) {
		take_key(p, frame, none ? NULL : text, offset, plain);
	} else {
		if (none && frame && frame->node->kind == CONF_LIST)
			offset = find_after_last(p, "-");
		node = take_value(p, offset);
		if (none && node->key) {
			node->place = node->key_place;
			node->source = node->key_source;
		}
		if (none && frame && frame->node->kind == CONF_LIST)
			p->last = offset + 1;
		if (!none && !(plain && (strcmp(text, "null") == 0 || strcmp(text, "~") == 0))) {
			node->kind = CONF_SCALAR;
			node->text = text;
		}
	}
	if (end && end->input_pos > p->last)
		p->last = end->input_pos;
}

static void on_alias(struct parser *p, size_t offset)
{
	struct frame *frame = top(p);

	offset -= offset > 0;
	p->no_tree = true;
	if (!frame || frame->node->kind != CONF_MAP || !frame->next || !frame->merge) {
		conf_text_error(&p->text, offset, "aliases (*name) are not allowed");
		diag_help(p->text.diags, "write the value out, or put the text in quotes");
	}
	if (key_expected(p))
		take_key(p, frame, "*", offset, false);
	else
		take_value(p, offset);
}

static void on_start(struct parser *p, enum conf_kind kind, const struct fy_mark *mark, bool flow)
{
	size_t offset = mark ? mark->input_pos : p->last;
	struct conf_node *node;

	if (key_expected(p)) {
		conf_text_error(
			&p->text, offset, "a key must be a text, not %s", conf_kind_name(kind));
		diag_help(p->text.diags, "a text that begins with { or [ needs quotes");
		p->no_tree = p->stop = true;
		return;
	}
	if (p->depth == CONF_MAX_DEPTH) {
		conf_text_error(
			&p->text, offset, "more than %d levels of lists and maps", CONF_MAX_DEPTH);
		p->no_tree = p->stop = true;
		return;
	}
	node = take_value(p, offset);
	node->kind = kind;
	p->frames[p->depth++] = (struct frame){.node = node, .flow = flow, .start = offset};
	/* A block begins at its first token, which comes again. */
	p->last = offset + flow;
}

static void frame_close(struct parser *p)
{
	struct frame *frame = top(p);

	frame->node->n = frame->items.n;
	if (frame->items.n)
		frame->node->items = arena_memdup(
			p->arena, frame->items.items, frame->items.n * sizeof(*frame->items.items));
	vec_release(&frame->items);
	map_release(&frame->keys);
	p->depth--;
}

static void check_token(
	struct parser *p, struct fy_token *token, size_t back, const char *what, const char *help)
{
	const struct fy_mark *mark = token ? fy_token_start_mark(token) : NULL;
	size_t offset;

	if (!token)
		return;
	offset = mark ? mark->input_pos : p->last;
	conf_text_error(&p->text, offset >= back ? offset - back : 0, "%s", what);
	diag_help(p->text.diags, "%s", help);
}

static void on_event(struct parser *p, struct fy_event *event, size_t *documents)
{
	const struct fy_mark *mark = fy_event_start_mark(event);

	if (event->type == FYET_DOCUMENT_START)
		(*documents)++;
	if (*documents > 1 && (mark || event->type != FYET_DOCUMENT_START)) {
		conf_text_error(&p->text, mark ? mark->input_pos : p->last,
			"a second document begins here");
		diag_help(p->text.diags, "a file holds one document: remove the line ---");
		p->no_tree = p->stop = true;
		return;
	}
	check_token(p, fy_event_get_anchor_token(event), 1, "anchors (&name) are not allowed",
		"write the value out where it is used, or put the text in quotes");
	check_token(p, fy_event_get_tag_token(event), 0, "tags (!name) are not allowed",
		"types follow from the field; put a text that begins with ! in quotes");
	switch (event->type) {
	case FYET_SCALAR:
		on_scalar(p, event->scalar.value);
		break;
	case FYET_ALIAS:
		on_alias(p, mark ? mark->input_pos : p->last);
		break;
	case FYET_SEQUENCE_START:
	case FYET_MAPPING_START:
		on_start(p, event->type == FYET_MAPPING_START ? CONF_MAP : CONF_LIST, mark,
			fy_event_get_node_style(event) == FYNS_FLOW);
		break;
	case FYET_SEQUENCE_END:
	case FYET_MAPPING_END:
		if (mark && mark->input_pos > p->last)
			p->last = mark->input_pos + top(p)->flow;
		frame_close(p);
		break;
	default:
		break;
	}
}

/* --- libfyaml's own errors --- */

static const struct {
	const char *part; /* of libfyaml's message */
	const char *help;
} hints[] = {
	{"missing comma", "a text that begins with { or [, or holds a comma, needs quotes"},
	{"invalid value after mapping", "a text that begins with { needs quotes: \"{out}/prover\""},
	{"tab character", "indent with blanks"},
	{"nested block mapping", "a text that holds \": \" needs quotes"},
	{"plain scalar cannot start", "put the text in quotes"},
	{"invalid multiline plain key", "check the indentation and the end of the line before"},
	{"invalid indentation", "entries of one map or list begin in the same column"},
	{"did not find expected key", "entries of one map or list begin in the same column"},
	{"invalid escape",
		"in double quotes \\ begins an escape: write \\\\, or use single quotes"},
};

static void ignore_output(struct fy_diag *diag, void *user, const char *text, size_t len)
{
	(void)diag;
	(void)user;
	(void)text;
	(void)len;
}

static void syntax_error(struct parser *p, const struct fy_diag_error *error)
{
	const struct fy_mark *mark = error->fyt ? fy_token_start_mark(error->fyt) : NULL;
	size_t offset = mark ? mark->input_pos : p->last;
	const struct frame *frame = top(p);

	p->no_tree = true;
	/* At the end of the file nothing can be shown: the bracket that stayed open is the place.
	 */
	if (frame && frame->flow && offset >= p->text.len) {
		conf_text_error(&p->text, frame->start, "this \"%c\" is never closed",
			frame->node->kind == CONF_MAP ? '{' : '[');
		return;
	}
	if (offset && strstr(error->msg, "without closing quote"))
		offset--; /* the mark stands behind the quote */
	conf_text_error(&p->text, offset, "YAML: %s", error->msg);
	for (size_t i = 0; i < ARRAY_SIZE(hints); i++) {
		if (strstr(error->msg, hints[i].part)) {
			diag_help(p->text.diags, "%s", hints[i].help);
			break;
		}
	}
}

static void parse_events(struct parser *p)
{
	struct fy_diag_cfg diag_config;
	struct fy_diag *diag;
	struct fy_parse_cfg config = {.flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_JSON_NONE |
					       FYPCF_DEFAULT_VERSION_1_2};
	struct fy_parser *parser;
	struct fy_event *event;
	bool ended = false;
	size_t documents = 0;

	fy_diag_cfg_default(&diag_config);
	diag_config.fp = NULL;
	diag_config.output_fn = ignore_output;
	diag_config.colorize = false;
	diag = fy_diag_create(&diag_config);
	fy_diag_set_collect_errors(diag, true);
	config.diag = diag;
	parser = fy_parser_create(&config);
	if (!diag || !parser || fy_parser_set_string(parser, p->text.text, p->text.len))
		abort(); /* only without memory */
	while (!p->stop && !p->text.full && (event = fy_parser_parse(parser))) {
		ended |= event->type == FYET_STREAM_END;
		on_event(p, event, &documents);
		fy_parser_event_free(parser, event);
	}
	if (!p->stop && !p->text.full && !ended) {
		struct fy_diag_error *error;
		void *iterator = NULL;
		bool known = false;

		while (!known && (error = fy_diag_errors_iterate(diag, &iterator))) {
			known = error->type >= FYET_ERROR;
			if (known)
				syntax_error(p, error);
		}
		if (!known) {
			conf_text_error(&p->text, p->last, "this is not valid YAML");
			p->no_tree = true;
		}
	}
	while (p->depth)
		frame_close(p);
	fy_parser_destroy(parser);
	fy_diag_destroy(diag);
}

int conf_parse_input(const struct conf_input *input, struct arena *arena, struct diags *diags,
	struct conf_node **ret, struct err *err)
{
	struct parser p = {.root_path = input->path, .arena = arena};
	struct place whole = {arena_strdup(arena, input->name), 0, 0};

	if (input->len > CONF_MAX_BYTES) {
		diag_add(diags, DIAG_ERROR, whole, NULL, "larger than 1 MiB");
		return err_at(err, E_CONFIG, whole, "larger than 1 MiB");
	}
	conf_text_init(&p.text, input, arena, diags);
	conf_text_check(&p.text);
	if (!p.text.errors)
		parse_events(&p);
	else
		p.no_tree = true;
	if (!p.root) {
		/* An empty file, or comments alone. */
		p.root = arena_alloc(arena, sizeof(*p.root));
		p.root->path = arena_strdup(arena, input->path);
		set_place(&p, p.root, 0);
		p.root->key_place = p.root->place;
		p.root->key_source = p.root->source;
	}
	conf_text_release(&p.text);
	if (p.no_tree || p.text.full)
		return err_at(err, E_CONFIG, whole, "%zu mistake%s", p.text.errors,
			p.text.errors == 1 ? "" : "s");
	*ret = p.root;
	return 0;
}

int conf_parse(const char *name, const char *text, size_t len, struct arena *arena,
	struct diags *diags, struct conf_node **ret, struct err *err)
{
	struct conf_input input = {.name = name, .text = text, .len = len, .path = ""};

	return conf_parse_input(&input, arena, diags, ret, err);
}
