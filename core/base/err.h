/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Errors that carry their text to the top, where a command prints them once.
 *
 * A function that can fail returns 0 or -1 and takes `struct err *err` as its last argument, never
 * NULL. On failure it has called err_set (or a callee did, and it may add context by err_wrap); on
 * success err is untouched. `struct err` is a stack value that owns nothing.
 */
#ifndef ASSAY_BASE_ERR_H
#define ASSAY_BASE_ERR_H

#include "core/base/util.h"

/* The code decides the exit status of the program (err_exit_status, doc/interfaces.md). */
enum err_code {
	E_NONE = 0,
	E_NEGATIVE,  /* 1: a negative answer */
	E_USAGE,     /* 2: bad command line */
	E_CONFIG,    /* 3: bad descriptor or data file */
	E_BUILD,     /* 4: a build failed, a patch does not apply */
	E_RUN,       /* 5: runs failed */
	E_MISSING,   /* 6: permission, missing tool, source or feature */
	E_STORE,     /* 7: the store: full disk, newer, foreign, locked */
	E_UNDECIDED, /* 8 */
	E_NOTHING,   /* 9: nothing measured, nothing there to show */
	E_SYSTEM,    /* 7 as exit status: a system call failed where none should (disk, memory) */
	E_BUG,       /* 70: our bug */
	E_SIGNAL,    /* 128 + err.sys: ended by a signal that assay itself received */
};

/* A place in a file: line and column count from 1; line 0 = the whole file, file NULL = none. */
struct place {
	const char *file; /* borrowed: must outlive the diagnostic that shows it */
	int line, column;
};

#define ERR_TEXT_MAX 2048

struct err {
	enum err_code code;
	int sys;                 /* errno, or the signal number with E_SIGNAL; 0 = none */
	char place[256];         /* "file:line:col" or empty */
	char text[ERR_TEXT_MAX]; /* one sentence, no trailing newline; may hold several lines */
	char help[512];          /* what the user can do about it; may be empty */
};

/* All of these return -1, so that callers write `return err_set(...)`. */
int err_set(struct err *err, enum err_code code, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Adds ": strerror(errno_value)" and keeps the number. */
int err_sys(struct err *err, enum err_code code, int errno_value, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
int err_at(struct err *err, enum err_code code, struct place place, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
/* Puts "context: " before the text. */
int err_wrap(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Sets the advice that is printed after the message. */
int err_help(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

int err_exit_status(const struct err *err);

/* Formats "file:line:col" (shorter when line is 0) into to; empty without a file. */
void place_format(struct place place, char *to, size_t size);

#endif
