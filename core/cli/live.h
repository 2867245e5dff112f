/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a person sees while a session goes on: a live block on a terminal, a line a run in a pipe,
 * nothing with --quiet. All of it on stderr.
 */
#ifndef ASSAY_CLI_LIVE_H
#define ASSAY_CLI_LIVE_H

#include "core/base/tty.h"
#include "core/engine/session.h"

struct live;

/* state_dir: for the paths of logs; borrowed. */
struct live *live_new(const struct plan *plan, const char *state_dir, bool quiet);
void live_free(struct live *live);
DEFINE_CLEANUP(struct live, live_free)
struct build_hooks live_build_hooks(struct live *live);
struct session_hooks live_session_hooks(struct live *live);

#endif
