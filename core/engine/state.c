/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/engine/state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/log.h"

/* The longest a second assay waits without --wait: none. */
#define NO_WAIT 0
#define FOR_EVER -1

static int absolute(const char *path, char **ret, struct err *err)
{
	if (path[0] == '/') {
		*ret = xstrdup(path);
		return 0;
	}

	AUTOFREE char *here = getcwd(NULL, 0);

	if (!here)
		return err_sys(err, E_SYSTEM, errno, "cannot read the current folder");
	*ret = path_join(here, path);
	return 0;
}

int state_open(struct state *state, const char *beside, const char *dir, const char *store,
	bool make, struct err *err)
{
	if (!dir || !dir[0])
		dir = getenv("ASSAY_STATE");
	if (dir && dir[0]) {
		if (absolute(dir, &state->dir, err))
			return -1;
	} else {
		state->dir = path_join(beside, ".assay");
	}
	if (store && store[0]) {
		if (absolute(store, &state->store, err))
			return -1;
	} else {
		state->store = path_join(state->dir, "assay.db");
	}
	if (!make)
		return 0;
	if (fs_mkdirs(state->dir, err))
		return err_wrap(err, "state folder '%s'", state->dir);

	AUTOFREE char *ignore = state_path(state, ".gitignore");

	if (!fs_exists(ignore) && fs_write(ignore, "*\n", 2, 0, err))
		return err_wrap(err, "state folder '%s'", state->dir);
	return 0;
}

static void say_waiting(void *ctx, const char *holder)
{
	const struct state *state = ctx;

	log_note("waiting for '%s', held by %s", state->dir, holder);
}

static int clean_up(const struct state *state, struct err *err)
{
	static const char *const leftovers[] = {"work", "run"};

	for (size_t i = 0; i < ARRAY_SIZE(leftovers); i++) {
		AUTOFREE char *left = state_path(state, leftovers[i]);

		if (fs_remove(left, err))
			return -1;
	}
	return 0;
}

static int take(
	struct state *state, struct fs_lock *lock, const char *path, bool wait, struct err *err)
{
	if (!fs_lock_take(lock, path, wait ? FOR_EVER : NO_WAIT, say_waiting, state, err))
		return 0;
	if (!wait && err->code == E_STORE && !err->help[0])
		err_help(err, "--wait waits until it has ended");
	return -1;
}

/* The lock of a store in another state folder is that folder's; else one beside the store. */
static char *store_lock_path(const struct state *state)
{
	AUTOFREE char *own = state_path(state, "assay.db");
	const char *name = path_basename(state->store);
	AUTOFREE char *folder = xstrndup(state->store, (size_t)(name - state->store));
	char *path;

	if (!strcmp(own, state->store))
		return NULL;
	path = path_join(folder, "lock");
	if (!strcmp(name, "assay.db") && fs_exists(path))
		return path;
	free(path);
	return xasprintf("%s-lock", state->store);
}

int state_lock(struct state *state, bool wait, struct err *err)
{
	AUTOFREE char *path = state_path(state, "lock"), *store = store_lock_path(state);

	if (take(state, &state->lock, path, wait, err))
		return -1;
	if (clean_up(state, err))
		return err_wrap(err, "cleaning up after an earlier run");
	if (store && take(state, &state->store_lock, store, wait, err))
		return -1;
	return 0;
}

void state_release(struct state *state)
{
	struct err err;

	if (state->lock.fd >= 0 && clean_up(state, &err))
		log_note("%s", err.text);
	fs_lock_release(&state->store_lock);
	fs_lock_release(&state->lock);
	free(state->dir);
	free(state->store);
	*state = (struct state)STATE_INIT;
}

char *state_path(const struct state *state, const char *name)
{
	return path_join(state->dir, name);
}
