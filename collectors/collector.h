/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a collector is: one file (or folder) that exports one `const struct collector`, and one row
 * in registry.c.
 *
 * Life, for each workload of a session:
 *
 *	probe      can it work on this machine at all? (once per process, before anything starts)
 *	open       once per session and workload: read options, compile, reserve
 *	begin      before each run; may add environment variables for the child
 *	attach     the child exists and is stopped before execve
 *	line       each line of output with the stamp of its arrival; after the program has ended,
 *so that matching takes no time from it (sooner only when it prints very much) collect    the run
 *is over: write samples and phases into the record close      in reverse order of open; cannot
 *fail; not called after a failed open
 *
 * Any member but name, summary and collect may be NULL. A collector that cannot work (probe or open
 * fails) says why and what would cure it; the run goes on without it, and its metrics are stored as
 * not measured with that reason. An error of begin, attach or collect costs that run its samples of
 * this collector (again with the reason), never the run.
 */
#ifndef ASSAY_COLLECTORS_COLLECTOR_H
#define ASSAY_COLLECTORS_COLLECTOR_H

#include "core/base/conf.h"
#include "core/base/proc.h"
#include "core/model/descriptor.h"
#include "core/model/record.h"

enum collector_caps {
	COLLECTOR_PERTURBS = 1 << 0, /* runs in passes of its own, never compared with bare runs */
	COLLECTOR_DEFAULT = 1 << 1,  /* on when the descriptor names no collectors */
};

struct collector_setup { /* borrowed for the life of the state */
	const struct descriptor *descriptor;
	const struct workload *workload;
	const void *
		options; /* the collector's options struct, read by its table; defaults filled in */
};

/* What begin may change of the run. */
struct collector_begin {
	struct conf_pairs env; /* out: additions, in arena */
	struct arena *arena;   /* of the run */
	const char *scratch;
};

struct collector_run { /* for collect */
	const struct proc_result *result;
	struct run_record *record;
	/* Template expansion of the run ({scratch} in file paths of metrics). */
	int (*expand)(void *ctx, const char *text, struct arena *arena, const char **ret,
		struct err *err);
	void *expand_ctx;
	/* out: set to a reason when the output says that the run failed (a parser's `fail` rule);
	 * text in the record's arena. */
	const char *failed;
};

struct collector {
	const char *name;
	const char *summary;
	unsigned caps;
	const struct conf_field *options; /* table of its options in the descriptor; NULL = none */
	size_t options_size;
	size_t state_size; /* zeroed before open */

	/* -1: why with the cause and the cure in one line. */
	int (*probe)(char *why, size_t why_size);
	int (*open)(void *state, const struct collector_setup *setup, struct diags *diags,
		struct err *err);
	int (*begin)(void *state, struct collector_begin *begin, struct err *err);
	int (*attach)(void *state, pid_t pid, struct err *err);
	void (*line)(void *state, enum stream stream, const char *line, size_t len, int64_t t_ns);
	int (*collect)(void *state, struct collector_run *run, struct err *err);
	void (*close)(void *state);
};

/* NULL-terminated. */
extern const struct collector *const collectors[];
const struct collector *collector_find(const char *name);

/* Reads measure.collectors into options structs, in the order of the table. Those with
 * COLLECTOR_DEFAULT are on unless the map says `NAME: false`: a descriptor that asks for one more
 * still gets its wall time and its phases. Unknown names are errors with a suggestion. For `check`
 * and before runs. */
struct collector_choice {
	const struct collector *collector;
	void *options; /* in the arena */
};
bool collectors_read(const struct conf_node *node, struct arena *arena, struct diags *diags,
	struct collector_choice **ret, size_t *ret_n);

#endif
