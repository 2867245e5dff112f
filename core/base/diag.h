/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A list of mistakes and warnings of one or several files, collected in one go and printed once.
 */
#ifndef ASSAY_BASE_DIAG_H
#define ASSAY_BASE_DIAG_H

#include <stdio.h>

#include "core/base/buf.h"
#include "core/base/err.h"

enum diag_level {
	DIAG_ERROR,
	DIAG_WARNING
};

struct diag {
	enum diag_level level;
	char *file; /* NULL = no place */
	int line, column;
	char *message;
	char *help;   /* the cure, may be NULL */
	char *source; /* the source line the column points into, may be NULL */
};

struct diags {
	struct diag *items;
	size_t n;
	size_t errors, warnings;
};

#define DIAGS_INIT \
	{ \
		0 \
	}

void diags_release(struct diags *diags);

/* source: the text of the line, borrowed, may be NULL. Returns the new item, valid until the next.
 */
struct diag *diag_add(struct diags *diags, enum diag_level level, struct place place,
	const char *source, const char *fmt, ...) PRINTF_LIKE(5, 6);
/* Sets the help of the item added last. */
void diag_help(struct diags *diags, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Takes a failed call over into the list, as an error. */
void diag_add_err(struct diags *diags, const struct err *err);

/* `file:line:col: error: text`, the source line with a caret, `  help: ...`; errors and warnings in
 * the order of their places. */
void diags_print(const struct diags *diags, FILE *to, bool colour);

/* Sets err to a summary ("3 errors in x.yaml") when there is an error; returns -1 then, else 0. */
int diags_to_err(const struct diags *diags, enum err_code code, struct err *err);

#endif
