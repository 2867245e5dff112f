/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A descriptor out of commands, for `assay measure`: each command is an option, named a, b, ...,
 * and a row of its own; the first is the baseline. */
#ifndef ASSAY_CLI_ADHOC_H
#define ASSAY_CLI_ADHOC_H

#include "core/base/arena.h"
#include "core/base/buf.h"
#include "core/base/err.h"

struct adhoc {
	const char *const *commands; /* as typed */
	size_t n;
	const char *name; /* of the experiment */
	const char *cwd;  /* of the runs; NULL = the descriptor's folder */
	uint64_t blocks, warmup;
	const char *difference, *metric;
	bool ignore_failure;
};

/* Option and variant of command i: a, b, ... z, c27, ... */
void adhoc_name(size_t i, char to[16]);
int adhoc_descriptor(const struct adhoc *adhoc, struct buf *to, struct err *err) MUST_CHECK;

#endif
