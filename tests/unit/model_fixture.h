/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For tests of descriptors and plans: each program works in a folder of its own. */
#ifndef ASSAY_TESTS_MODEL_FIXTURE_H
#define ASSAY_TESTS_MODEL_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/diag.h"
#include "core/base/fs.h"
#include "tests/unit/scratch.h"

static inline void write_file(const char *path, const char *text)
{
	struct err err = {0};

	if (fs_write(path, text, strlen(text), 0, &err)) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
}

/* "LINE:COL: level: text", then "help: text", as they were found. */
static inline void show_diags(const struct diags *diags, struct buf *to)
{
	for (size_t i = 0; i < diags->n; i++) {
		const struct diag *diag = &diags->items[i];

		buf_addf(to, "%d:%d: %s: %s\n", diag->line, diag->column,
			diag->level == DIAG_ERROR ? "error" : "warning", diag->message);
		if (diag->help)
			buf_addf(to, "help: %s\n", diag->help);
	}
}

/* Into the folder, so that places in messages are short and the same everywhere. */
static inline int model_setup(void **state)
{
	char *scratch = scratch_new();

	*state = scratch;
	return chdir(scratch);
}

static inline int model_teardown(void **state)
{
	if (chdir("/"))
		return -1;
	scratch_free(*state);
	return 0;
}

#endif
