/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a person sees while a session goes on: a live block on a terminal, lines in a pipe, nothing
 * with --quiet. All of it on stderr.
 */
#ifndef ASSAY_CLI_LIVE_H
#define ASSAY_CLI_LIVE_H

#include "core/base/tty.h"
#include "core/engine/session.h"

/* What goes into a pipe. Runs that fail are told in any case. */
enum live_lines {
	LIVE_LINE_A_RUN,
	LIVE_LINE_A_BLOCK,
	LIVE_NO_LINES
};

struct live;

/* state_dir: for the paths of logs; borrowed. */
struct live *live_new(const struct plan *plan, const char *state_dir, bool quiet);
/* Before the session begins; otherwise LIVE_LINE_A_RUN, and kept. kept: `assay show` will find the
 * runs, so that it can be proposed. */
void live_set_lines(struct live *live, enum live_lines lines, bool kept);
void live_free(struct live *live);
DEFINE_CLEANUP(struct live, live_free)
struct build_hooks live_build_hooks(struct live *live);
struct session_hooks live_session_hooks(struct live *live);

#endif
