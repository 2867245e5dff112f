/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files, nodes, overlays, messages at nodes. */
#include "config.h"

#include "core/base/conf_impl.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/text.h"

/* Longest parts of paths and foreign texts in messages. */
#define KEY_SHOWN 64
#define TEXT_SHOWN 80
#define PATH_SHOWN 240

const char *conf_kind_name(enum conf_kind kind)
{
	switch (kind) {
	case CONF_SCALAR:
		return "text";
	case CONF_LIST:
		return "a list";
	case CONF_MAP:
		return "a map";
	case CONF_NULL:
		break;
	}
	return "nothing";
}

static void show(struct buf *to, const char *text, size_t max)
{
	size_t len = strlen(text);

	if (len <= max) {
		text_clean(to, text, len);
		return;
	}
	len = max;
	while (len && ((unsigned char)text[len] & 0xC0) == 0x80)
		len--;
	text_clean(to, text, len);
	buf_adds(to, "...");
}

void conf_show(struct buf *to, const char *text)
{
	show(to, text, TEXT_SHOWN);
}

const char *conf_path(struct arena *arena, const char *parent, const char *key, size_t index)
{
	CLEANUP(buf_release) struct buf path = BUF_INIT;
	size_t len = strlen(parent);

	if (len > PATH_SHOWN) {
		size_t from = len - PATH_SHOWN / 2;

		while (((unsigned char)parent[from] & 0xC0) == 0x80)
			from++;
		buf_adds(&path, "...");
		buf_adds(&path, parent + from);
	} else {
		buf_adds(&path, parent);
	}
	if (!key) {
		buf_addf(&path, "[%zu]", index);
	} else {
		if (path.len)
			buf_addc(&path, '.');
		show(&path, key, KEY_SHOWN);
	}
	return arena_strdup(arena, path.data);
}

/* --- Loading --- */

/* One byte more than allowed, so that the parser sees what is too large. */
static int read_limited(const char *path, struct buf *to, struct err *err)
{
	AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return err_sys(err, E_MISSING, errno, "cannot read '%s'", path);
	if (S_ISDIR(st.st_mode))
		return err_set(err, E_MISSING, "cannot read '%s': it is a folder", path);
	while (to->len <= CONF_MAX_BYTES) {
		ssize_t got;

		buf_reserve(to, 65536);
		got = read(fd, to->data + to->len, 65536);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_sys(err, E_MISSING, errno, "cannot read '%s'", path);
		if (got == 0)
			break;
		to->len += (size_t)got;
		to->data[to->len] = '\0';
	}
	return 0;
}

int conf_load(const char *path, struct arena *arena, struct diags *diags, struct conf_node **ret,
	struct err *err)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;

	if (read_limited(path, &text, err))
		return -1;
	return conf_parse(path, text.data, text.len, arena, diags, ret, err);
}

/* --- Nodes --- */

static size_t find(const struct conf_node *map, const char *key)
{
	for (size_t i = 0; map->kind == CONF_MAP && i < map->n; i++) {
		if (strcmp(map->items[i]->key, key) == 0)
			return i;
	}
	return SIZE_MAX;
}

const struct conf_node *conf_get(const struct conf_node *map, const char *key)
{
	size_t i = map ? find(map, key) : SIZE_MAX;

	return i == SIZE_MAX ? NULL : map->items[i];
}

static void append(struct conf_node *map, struct conf_node *item, struct arena *arena)
{
	struct conf_node **items = arena_array(arena, map->n + 1, sizeof(*items));

	if (map->n)
		memcpy(items, map->items, map->n * sizeof(*items));
	items[map->n] = item;
	map->items = items;
	map->n++;
}

/* A copy, so that later merges and assignments leave the overlay as it is. Texts are shared. */
static struct conf_node *clone(const struct conf_node *node, struct arena *arena)
{
	struct conf_node *copy = arena_memdup(arena, node, sizeof(*node));

	if (node->n) {
		copy->items = arena_array(arena, node->n, sizeof(*copy->items));
		for (size_t i = 0; i < node->n; i++)
			copy->items[i] = clone(node->items[i], arena);
	}
	return copy;
}

void conf_merge(struct conf_node *base, const struct conf_node *over, struct arena *arena)
{
	if (over->kind == CONF_NULL && !over->key)
		return; /* an empty overlay file */
	if (base->kind != CONF_MAP || over->kind != CONF_MAP) {
		struct conf_node *copy = clone(over, arena);

		*base = *copy;
		return;
	}
	for (size_t i = 0; i < over->n; i++) {
		size_t at = find(base, over->items[i]->key);

		if (at == SIZE_MAX)
			append(base, clone(over->items[i], arena), arena);
		else if (base->items[at]->kind == CONF_MAP && over->items[i]->kind == CONF_MAP)
			conf_merge(base->items[at], over->items[i], arena);
		else
			base->items[at] = clone(over->items[i], arena);
	}
}

/* --- --set --- */

struct assignment {
	const char *line; /* "a.b=VALUE" in the arena */
	const char *name; /* for places */
	size_t equals;    /* offset of '=' */
};

/* The longest key of the map that begins the path, since keys may hold dots; else up to the next
 * dot. Returns the length of the key. */
static size_t key_length(const struct conf_node *map, const char *path, size_t len)
{
	size_t best = 0;
	const char *dot;

	for (size_t i = 0; i < map->n; i++) {
		size_t n = strlen(map->items[i]->key);

		if (n > best && n <= len && memcmp(map->items[i]->key, path, n) == 0 &&
			(n == len || path[n] == '.'))
			best = n;
	}
	if (best)
		return best;
	dot = memchr(path, '.', len);
	return dot ? (size_t)(dot - path) : len;
}

static struct conf_node *new_node(const struct assignment *set, const struct conf_node *parent,
	size_t from, size_t len, struct arena *arena)
{
	struct conf_node *node = arena_alloc(arena, sizeof(*node));

	node->key = arena_strndup(arena, set->line + from, len);
	node->path = conf_path(arena, parent->path, node->key, 0);
	node->source = node->key_source = set->line;
	node->key_place = node->place = (struct place){set->name, 0, (int)from + 1};
	return node;
}

/* [ { " ' begin YAML; everything else is the text as it stands, so that no shell user has to quote
 * twice; null, ~ and nothing are null. */
static int parse_value(const struct assignment *set, struct conf_node *to, struct arena *arena,
	struct diags *diags, struct err *err)
{
	const char *text = set->line + set->equals + 1;
	struct conf_node *value;
	struct conf_input input = {.name = set->name,
		.text = text,
		.len = strlen(text),
		.line_text = set->line,
		.line_offset = set->equals + 1,
		.path = to->path};

	to->place = (struct place){set->name, 0, (int)set->equals + 2};
	if (!*text || strcmp(text, "null") == 0 || strcmp(text, "~") == 0)
		return 0;
	if (text_utf8_check(text, input.len) < input.len)
		return err_set(err, E_USAGE, "%s: not valid UTF-8", set->name);
	if (!strchr("[{\"'", *text)) {
		to->kind = CONF_SCALAR;
		to->text = text;
		return 0;
	}
	if (conf_parse_input(&input, arena, diags, &value, err))
		return -1;
	to->kind = value->kind;
	to->text = value->text;
	to->items = value->items;
	to->n = value->n;
	return 0;
}

int conf_set(struct conf_node *root, const char *assignment, struct arena *arena,
	struct diags *diags, struct err *err)
{
	struct assignment set = {.line = arena_strdup(arena, assignment), .name = "--set"};
	const char *equals = strchr(set.line, '=');
	struct conf_node *map = root, *node;
	size_t from = 0, len, at;

	if (!equals || equals == set.line) {
		err_set(err, E_USAGE, "--set %s: not of the form FIELD=VALUE", assignment);
		return err_help(err, "write for instance --set measure.blocks.min=8");
	}
	set.equals = (size_t)(equals - set.line);
	for (;; from += len + 1, map = map->items[at]) {
		if (map->kind == CONF_NULL)
			map->kind = CONF_MAP;
		if (map->kind != CONF_MAP)
			return err_set(err, E_CONFIG, "--set %s: %s is %s, not a map", assignment,
				*map->path ? map->path : "the file", conf_kind_name(map->kind));
		len = from <= set.equals ? key_length(map, set.line + from, set.equals - from) : 0;
		if (!len)
			return err_set(
				err, E_USAGE, "--set %s: a part of the name is empty", assignment);
		node = new_node(&set, map, from, len, arena);
		at = find(map, node->key);
		if (from + len == set.equals)
			break;
		if (at == SIZE_MAX) {
			node->kind = CONF_MAP;
			at = map->n;
			append(map, node, arena);
		}
	}
	if (parse_value(&set, node, arena, diags, err))
		return -1;
	if (at == SIZE_MAX)
		append(map, node, arena);
	else
		map->items[at] = node;
	return 0;
}

/* --- Messages --- */

static void PRINTF_LIKE(6, 0)
	message(struct diags *diags, enum diag_level level, const struct conf_node *node,
		struct place place, const char *source, const char *fmt, va_list ap)
{
	AUTOFREE char *text = xvasprintf(fmt, ap);

	diag_add(diags, level, place, source, "%s%s%s", node->path, *node->path ? ": " : "", text);
}

void conf_error(struct diags *diags, const struct conf_node *node, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message(diags, DIAG_ERROR, node, node->place, node->source, fmt, ap);
	va_end(ap);
}

void conf_warning(struct diags *diags, const struct conf_node *node, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message(diags, DIAG_WARNING, node, node->place, node->source, fmt, ap);
	va_end(ap);
}

void conf_key_error(struct diags *diags, const struct conf_node *node, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message(diags, DIAG_ERROR, node, node->key_place, node->key_source, fmt, ap);
	va_end(ap);
}
