/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A command as typed in one argument -> argv, by the quoting rules of a POSIX shell, but nothing of
 * a shell happens: no expansion, no pipes. */
#ifndef ASSAY_CLI_WORDS_H
#define ASSAY_CLI_WORDS_H

#include "core/base/arena.h"
#include "core/base/err.h"

/* E_USAGE for unfinished quotes, nothing at all, or a character that only a shell understands. */
int words_split(const char *text, struct arena *arena, const char *const **ret, size_t *ret_n,
	struct err *err) MUST_CHECK;

#endif
