/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What earlier sessions of an experiment say about a plan: time, disk, detectable difference. */
#ifndef ASSAY_CLI_HISTORY_H
#define ASSAY_CLI_HISTORY_H

#include "core/engine/experiment.h"

struct history {
	int64_t eta_ns;      /* builds to make and all runs; -1 = not known */
	double detectable;   /* smallest relative difference the planned blocks can show; NaN */
	uint64_t disk_bytes; /* expected size of the builds; 0 = not known */
};

/* No store, or no session in it, is no error: nothing is known then. */
int history_read(const struct experiment *experiment, struct history *ret, struct err *err)
	MUST_CHECK;

#endif
