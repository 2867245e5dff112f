/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages on stderr, for commands only (libraries never print). The level is process-wide. */
#ifndef ASSAY_BASE_LOG_H
#define ASSAY_BASE_LOG_H

#include "core/base/err.h"

enum log_level {
	LOG_QUIET,
	LOG_NORMAL,
	LOG_VERBOSE
};

void log_set_level(enum log_level level);
enum log_level log_get_level(void);
/* "assay: text", not with --quiet. */
void log_note(const char *fmt, ...) PRINTF_LIKE(1, 2);
void log_verbose(const char *fmt, ...) PRINTF_LIKE(1, 2);
void log_warn(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* "place: error: text" or "assay COMMAND: error: text", then the help on a line of its own.
 * E_SIGNAL is told without the word error. */
void log_err(const char *command, const struct err *err);

#endif
