/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Carries out an opened experiment as a session: what `run` and `measure` share. */
#ifndef ASSAY_CLI_EXECUTE_H
#define ASSAY_CLI_EXECUTE_H

#include "core/cli/command.h"
#include "core/cli/live.h"
#include "core/engine/experiment.h"
#include "core/engine/session.h"

struct execute_options {
	const char *world; /* WORLD.yaml: simulate; NULL = really run */
	bool no_resume;
	bool no_lines; /* off a terminal: nothing at all */
	enum live_lines lines;
	int parallel; /* builds at once, 0 = by cores */
	bool brief;   /* the store goes away with its folder: STORE_BRIEF */
};

/* store: opened for writing, the caller closes it. result: release it when 0 was returned. */
int execute(struct cli *cli, struct experiment *experiment, const struct execute_options *options,
	struct store **ret_store, struct session_result *ret, struct err *err) MUST_CHECK;

/* The exit status of `run` (doc/interfaces.md) for a session that ended; err set when not 0. */
int execute_status(struct store *store, const struct session_result *result, struct err *err);

#endif
