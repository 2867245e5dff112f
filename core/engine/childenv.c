/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/engine/childenv.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"

#define PAD_NAME "ASSAY_PAD="
/* Linux takes no string of 128 KiB: more is filled by several variables. */
#define PAD_PIECE ((size_t)64 << 10)

extern char **environ;

static bool inherited(const char *name, const struct conf_texts *pass)
{
	static const char *const names[] = {"PATH", "HOME", "USER", "LOGNAME", "TMPDIR",
		"LD_LIBRARY_PATH", "CARGO_HOME", "RUSTUP_HOME"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(names[i], name))
			return true;
	}
	if (text_starts(name, "CUDA_") || text_starts(name, "NVIDIA_"))
		return true;
	for (size_t i = 0; pass && i < pass->n; i++) {
		if (!strcmp(pass->items[i], name))
			return true;
	}
	return false;
}

void childenv_init(struct childenv *env, const struct conf_texts *pass)
{
	*env = (struct childenv){MAP_INIT};
	for (char **item = environ; *item; item++) {
		const char *equals = strchr(*item, '=');

		if (!equals)
			continue;

		AUTOFREE char *name = xstrndup(*item, (size_t)(equals - *item));

		if (inherited(name, pass))
			childenv_set(env, name, equals + 1);
	}
	childenv_set(env, "LC_ALL", "C");
}

void childenv_release(struct childenv *env)
{
	for (size_t i = 0; i < env->vars.n; i++)
		free(env->vars.entries[i].value);
	map_release(&env->vars);
}

void childenv_set(struct childenv *env, const char *name, const char *value)
{
	struct map_entry *entry = map_find(&env->vars, name);

	if (entry)
		free(entry->value);
	map_put(&env->vars, name, value ? xstrdup(value) : NULL);
}

void childenv_pairs(struct childenv *env, const struct conf_pairs *pairs)
{
	for (size_t i = 0; i < pairs->n; i++)
		childenv_set(env, pairs->items[i].key, pairs->items[i].value);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char *const *childenv_list(const struct childenv *env, struct arena *arena)
{
	const char **list = arena_array(arena, env->vars.n + 1, sizeof(*list));
	size_t n = 0;

	for (size_t i = 0; i < env->vars.n; i++) {
		const struct map_entry *entry = &env->vars.entries[i];

		if (entry->value)
			list[n++] = arena_printf(
				arena, "%s=%s", entry->key, (const char *)entry->value);
	}
	qsort(list, n, sizeof(*list), by_text);
	return list;
}

size_t childenv_bytes(const char *const *argv, const char *const *envp)
{
	const char *const *const lists[] = {argv, envp};
	size_t bytes = 0;

	for (size_t l = 0; l < ARRAY_SIZE(lists); l++) {
		for (const char *const *item = lists[l]; *item; item++)
			bytes += strlen(*item) + 1 + sizeof(char *);
	}
	return bytes;
}

/* NAME= and as many x as make it take `bytes`, with its NUL and its pointer. */
static const char *pad_of(const char *name, size_t bytes, struct arena *arena)
{
	size_t head = strlen(name), fill = bytes - head - 1 - sizeof(char *);
	char *pad = arena_alloc(arena, head + fill + 1);

	memcpy(pad, name, head);
	memset(pad + head, 'x', fill);
	return pad;
}

const char *const *childenv_pad(
	const char *const *argv, const char *const *envp, size_t target, struct arena *arena)
{
	size_t least = sizeof(PAD_NAME) + sizeof(char *); /* an empty one, with its NUL */
	size_t have = childenv_bytes(argv, envp), n = 0, left;
	const char **list;

	if (have + least > target)
		return envp;
	left = target - have;
	while (envp[n])
		n++;
	list = arena_array(arena, n + left / PAD_PIECE + 2, sizeof(*list));
	memcpy(list, envp, n * sizeof(*list));
	for (size_t k = 2; left >= PAD_PIECE + least; k++) {
		list[n++] = pad_of(arena_printf(arena, "ASSAY_PAD_%zu=", k), PAD_PIECE, arena);
		left -= PAD_PIECE;
	}
	list[n++] = pad_of(PAD_NAME, left, arena);
	list[n] = NULL;
	return list;
}
