/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "collectors/run_path.h"

#include <stdlib.h>

#include "core/base/fs.h"

int run_path(run_expand_fn *expand, void *ctx, const char *template, struct arena *arena,
	const char **ret, struct err *err)
{
	AUTOFREE char *full = NULL;
	const char *path, *scratch;

	if (expand(ctx, template, arena, &path, err) ||
		(path[0] != '/' && expand(ctx, "{scratch}", arena, &scratch, err)))
		return -1;
	if (path[0] != '/') {
		full = path_join(scratch, path);
		path = arena_strdup(arena, full);
	}
	*ret = path;
	return 0;
}
