/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What predicates over a descriptor's rows may name: for the descriptor's excludes and for --where.
 */
#ifndef ASSAY_MODEL_MATRIX_H
#define ASSAY_MODEL_MATRIX_H

#include "core/model/descriptor.h"
#include "core/model/predicate.h"

/* Options, axes, workload, variant and set, with the values each can have. Lives in the arena. */
void descriptor_names(
	const struct descriptor *descriptor, struct arena *arena, struct predicate_names *ret);

/* A set expression without its blanks, in the arena. */
const char *set_text(const char *text, struct arena *arena);

#endif
