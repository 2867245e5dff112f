/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What build steps and build.fetch share: environment and log. */
#include "config.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "core/base/text.h"
#include "core/engine/build_job.h"
#include "core/engine/childenv.h"

/* Of a log, in a reason. */
#define TAIL_BYTES 8192
#define TAIL_LINES 20
#define TAIL_WIDTH 300

static bool has_key(const struct conf_pairs *pairs, const char *key)
{
	for (size_t i = 0; i < pairs->n; i++) {
		if (!strcmp(pairs->items[i].key, key))
			return true;
	}
	return false;
}

static void set_rustflags(struct childenv *env, const struct plan_build *build)
{
	CLEANUP(buf_release) struct buf flags = BUF_INIT;

	if (!build->rustflags_used)
		return;
	/* 0x1f separates them: one flag may hold blanks. */
	for (size_t i = 0; i < build->n_rustflags; i++)
		buf_addf(&flags, "%s%s", i ? "\x1f" : "", build->rustflags[i]);
	childenv_set(env, "CARGO_ENCODED_RUSTFLAGS", flags.data);
}

int build_environment(const struct plan *plan, const struct plan_build *build,
	const struct bindings *bindings, const char *seen, struct arena *arena,
	const char *const **ret, struct err *err)
{
	CLEANUP(childenv_release) struct childenv env;
	int rc = 0;

	childenv_init(&env, &plan->descriptor->pass);
	/* A build that asks git about itself must not find the tree around the state folder. */
	childenv_set(&env, "GIT_CEILING_DIRECTORIES", seen);
	if (!has_key(&build->env, "CARGO_TARGET_DIR"))
		childenv_set(&env, "CARGO_TARGET_DIR", arena_printf(arena, "%s/out/target", seen));
	set_rustflags(&env, build);
	for (size_t i = 0; i < build->env.n && !rc; i++) {
		const struct conf_pair *pair = &build->env.items[i];
		const char *value = NULL;

		if (pair->value)
			rc = expand_text(pair->value, bindings, arena, &value, err);
		if (rc)
			err_wrap(err, "build.env %s", pair->key);
		else
			childenv_set(&env, pair->key, value);
	}
	*ret = childenv_list(&env, arena);
	return rc;
}

void build_log_tail(const char *path, int64_t from, struct buf *to)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;
	AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	off_t end = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	const char *at;
	size_t lines = 0;
	ssize_t n;

	if (end <= from)
		return;
	if (end - from > TAIL_BYTES)
		from = end - TAIL_BYTES;
	buf_reserve(&text, TAIL_BYTES + 1);
	n = pread(fd, text.data, TAIL_BYTES, from);
	if (n <= 0)
		return;
	text.len = (size_t)n;
	while (text.len && text.data[text.len - 1] == '\n')
		text.len--;
	text.data[text.len] = '\0';
	for (at = text.data + text.len; at > text.data; at--) {
		if (at[-1] == '\n' && ++lines == TAIL_LINES)
			break;
	}
	while (at < text.data + text.len) {
		const char *stop = memchr(at, '\n', (size_t)(text.data + text.len - at));
		size_t len = (size_t)((stop ? stop : text.data + text.len) - at);

		buf_adds(to, "\n  ");
		text_clean(to, at, len < TAIL_WIDTH ? len : TAIL_WIDTH);
		at += len + 1;
	}
}
