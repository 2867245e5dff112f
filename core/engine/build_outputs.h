/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The outputs of a build, found after its steps and put together by name. */
#ifndef ASSAY_ENGINE_BUILD_OUTPUTS_H
#define ASSAY_ENGINE_BUILD_OUTPUTS_H

#include "core/engine/build_job.h"

/* The tree of a build with build.keep: tree, beside its outputs. */
#define BUILD_TREE_NAME "tree"

struct build_outputs {                  /* all borrowed */
	const struct conf_pairs *pairs; /* name -> template */
	const struct bindings *bindings;
	const struct build_place *place;
	const char *dir; /* build.dir: what relative paths start from */
	bool keep_tree;
	struct arena *arena;
};

/* Moves (copies where it must) each output to `to`/NAME. E_BUILD for one that is not there, with
 * what else is in {out}, or that lies outside of the build; nothing is moved then. */
int build_outputs_collect(const struct build_outputs *outputs, const char *to, struct err *err)
	MUST_CHECK;

#endif
