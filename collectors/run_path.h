/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that a run leaves, as the descriptor names them. */
#ifndef ASSAY_COLLECTORS_RUN_PATH_H
#define ASSAY_COLLECTORS_RUN_PATH_H

#include "core/base/arena.h"
#include "core/base/err.h"

typedef int run_expand_fn(
	void *ctx, const char *text, struct arena *arena, const char **ret, struct err *err);

/* The template expanded; a relative path begins at the run's {scratch}. In the arena. */
int run_path(run_expand_fn *expand, void *ctx, const char *template, struct arena *arena,
	const char **ret, struct err *err) MUST_CHECK;

#endif
