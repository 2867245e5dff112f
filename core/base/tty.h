/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is known of the terminal, and progress on it. Progress goes to stderr: a live block of lines
 * that redraws itself on a terminal; in a pipe nothing of it, only finished lines.
 */
#ifndef ASSAY_BASE_TTY_H
#define ASSAY_BASE_TTY_H

#include <stdio.h>

#include "core/base/util.h"

bool tty_is(int fd);
/* Terminal, NO_COLOR unset or empty, TERM not dumb. */
bool tty_colour(int fd);
/* Columns of the terminal, from COLUMNS or the device; 100 in a pipe; limited to 40..200. */
int tty_width(int fd);
/* Lines of the terminal, from LINES or the device; 24 in a pipe; limited to 2..1000. */
int tty_height(int fd);

struct progress;
/* live: draw on the terminal (the caller passes tty_is(STDERR_FILENO) && !quiet). */
struct progress *progress_new(FILE *to, bool live);
/* Clears the live block. */
void progress_free(struct progress *progress);
DEFINE_CLEANUP(struct progress, progress_free)
/* Replaces the live block by these lines ('\n'-separated; cut to the width, and to one line less
 * than the terminal has: what left the screen could not be taken back); at most ten redraws a
 * second, the last one is never lost (progress_tick or the next call draws it). No-op when not
 * live. */
void progress_show(struct progress *progress, const char *lines);
void progress_tick(struct progress *progress);
/* A line that stays: printed above the live block; also in pipes. */
void progress_line(struct progress *progress, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
