/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a process left behind, in the form in which the store keeps a run. */
#ifndef ASSAY_ENGINE_OUTCOME_H
#define ASSAY_ENGINE_OUTCOME_H

#include "core/base/proc.h"
#include "core/engine/executor.h"

/* Exit, times, stream sizes, what was kept of the streams and the last lines of stderr; not status
 * and reason. cpus is borrowed. */
void run_outcome_fill(
	struct run_outcome *outcome, const struct proc_result *result, const char *cpus);

#endif
