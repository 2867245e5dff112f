/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A folder of its own for each test program below $TMPDIR, removed at the end. */
#ifndef ASSAY_TESTS_SCRATCH_H
#define ASSAY_TESTS_SCRATCH_H

#include <stdio.h>
#include <stdlib.h>

#include "core/base/fs.h"

/* Owned path; removed by scratch_free. */
static inline char *scratch_new(void)
{
	const char *tmp = getenv("TMPDIR");
	char *path = xasprintf("%s/assay-test-XXXXXX", tmp && *tmp ? tmp : "/tmp");

	if (!mkdtemp(path)) {
		perror(path);
		exit(1);
	}
	return path;
}

static inline void scratch_free(char *path)
{
	struct err err;

	if (fs_remove(path, &err))
		fprintf(stderr, "%s\n", err.text);
	free(path);
}

#endif
