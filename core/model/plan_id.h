/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ids of builds, runs and plans (doc/descriptor.md). They hold contents, never
 * places: templates enter before expansion, files by their digests, so that an experiment moved to
 * another folder keeps its ids.
 */
#ifndef ASSAY_MODEL_PLAN_ID_H
#define ASSAY_MODEL_PLAN_ID_H

#include "core/base/map.h"
#include "core/model/effective.h"

struct id_maker {
	const struct descriptor *d;
	const struct plan_facts *facts;
	struct map payloads;     /* patch or pick -> its digest, asked for once */
	struct arena *arena;     /* for what payloads holds */
	bool rustflags_used;     /* by any option */
	const char *missing_env; /* first {env:NAME} that is used and not set, in the arena */
};

/* Source content, diffs and edits in order, defines, vars and inputs used by the build, features,
 * rustflags, steps and env before expansion, tools, outputs. */
int id_build(struct id_maker *maker, const struct effective *effective, struct digest *ret,
	struct err *err) MUST_CHECK;
/* The build, how the workload runs and is checked, vars that the run uses, env and args, inputs. */
struct digest id_run(struct id_maker *maker, const struct workload *workload,
	const struct effective *effective, const char *build_key);
/* Rows, workloads, measure (without seed), --where. */
struct digest id_plan(struct id_maker *maker, const struct plan *plan);

#endif
