/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A descriptor out of commands, for `assay measure`: the commands are the levels of one option. */
#ifndef ASSAY_CLI_ADHOC_H
#define ASSAY_CLI_ADHOC_H

#include "core/base/arena.h"
#include "core/base/buf.h"
#include "core/base/err.h"

struct adhoc {
	const char *const *commands; /* as typed */
	size_t n;
	const char *source; /* an empty folder */
	const char *cwd;    /* of the runs */
	uint64_t blocks, warmup;
	const char *difference, *metric;
	bool ignore_failure;
};

/* Level of command i: a, b, ... z, c27, ... */
void adhoc_level(size_t i, char to[16]);
int adhoc_descriptor(const struct adhoc *adhoc, struct buf *to, struct err *err) MUST_CHECK;

#endif
