/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What every run of a workload needs from the machine, looked at before the first build: a mistake
 * found here costs a second, found at run 400 it costs the night.
 */
#ifndef ASSAY_ENGINE_PREFLIGHT_H
#define ASSAY_ENGINE_PREFLIGHT_H

#include "core/base/err.h"
#include "core/model/descriptor.h"

/* Its program, standard input, working folder and cpus, as far as they are known before the builds
 * (no placeholder in them, PATH changed by no option or axis). The first that is missing is the
 * error, with its place: E_MISSING, or E_CONFIG for a cpu set that cannot be read. */
int preflight_workload(const struct descriptor *descriptor, const struct workload *workload,
	struct err *err) MUST_CHECK;

#endif
