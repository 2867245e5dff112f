/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Starting git so that nothing but its arguments decides what it does: GIT_* of assay's own
 * environment is dropped, no hook and no file system monitor runs, no optional lock is taken.
 */
#ifndef ASSAY_ENGINE_GIT_H
#define ASSAY_ENGINE_GIT_H

#include "core/base/proc.h"

/* Where a git works. Everything borrowed; NULL = not given. */
struct git {
	struct launcher *launcher;
	const char *dir;       /* working folder */
	const char *git_dir;   /* repository; NULL = found from dir upwards */
	const char *work_tree; /* only with git_dir */
	const char *index;     /* index file */
	const char *ceiling;   /* the repository is not looked for in this folder or above it */
	bool isolated;         /* the user's and the machine's configuration do not count: for what
				* must give the same result everywhere */
};

#define GIT_ARGS(...) \
	(const char *const[]) \
	{ \
		__VA_ARGS__, NULL \
	}

/* Runs `git ARGS`; args without "git" itself, NULL-terminated. stdout into ret_out (NULL =
 * dropped). Non-zero status: E_MISSING with what git said, unless ret_code is given; then
 * ret_said (may be NULL) gets its stderr. */
int git_run(const struct git *git, const char *const *args, struct buf *ret_out,
	struct buf *ret_said, int *ret_code, struct err *err) MUST_CHECK;
/* The same for commands that print one line: it is returned without its end, owned. */
int git_line(const struct git *git, const char *const *args, char **ret, struct err *err)
	MUST_CHECK;
/* True when `git ARGS` exits with 0; -1 when it could not be run at all. */
int git_ask(const struct git *git, const char *const *args, bool *ret, struct err *err) MUST_CHECK;

#endif
