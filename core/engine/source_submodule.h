/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The submodules of a commit, put into its checkout. */
#ifndef ASSAY_ENGINE_SOURCE_SUBMODULE_H
#define ASSAY_ENGINE_SOURCE_SUBMODULE_H

#include "core/engine/source_repo.h"
#include "core/model/descriptor.h"

/* Those that source.submodules asks for, and the ones inside them. E_MISSING for one that is not on
 * this machine. */
int source_submodules_checkout(const struct source_repo *repo, const struct source *source,
	const char *commit, const char *to, struct err *err) MUST_CHECK;

#endif
