/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Changes a fresh tree into a variant: picks, patches, edits, in the order of the plan.
 *
 * `git apply` inside a sub folder of another git tree can print nothing, change nothing and exit 0,
 * so the ceiling is set to the tree's parent, and afterwards every file that the diff names must
 * have changed (digests before and after).
 */
#ifndef ASSAY_ENGINE_APPLY_H
#define ASSAY_ENGINE_APPLY_H

#include "core/engine/source.h"
#include "core/model/plan.h"

/* One diff (text) on a tree: whole or not at all. E_BUILD with git's message and the hunk that does
 * not apply with the lines of the file around the place where it belongs. name: for messages. The
 * folder that holds the tree must be writable. */
int apply_diff(struct launcher *launcher, const char *tree, const char *name, const char *diff,
	size_t len, int strip, bool reverse, const char *dir, struct err *err) MUST_CHECK;
/* Literal text; `find` must occur exactly `count` times: else E_BUILD with the count found and the
 * nearest line when there is none. A file that a link puts outside of the tree is refused. */
int apply_edit(const char *tree, const struct edit *edit, struct err *err) MUST_CHECK;
/* Everything of a build, wrapped with the option's name. */
int apply_build(struct launcher *launcher, const struct state *state, const struct plan *plan,
	const struct plan_build *build, const char *tree, struct err *err) MUST_CHECK;

/* For plan_facts.payload_digest: ctx is a struct apply_facts. */
struct apply_facts {
	const struct descriptor *descriptor;
	const struct state *state;
	struct launcher *launcher;
};
int apply_payload_digest(void *ctx, const struct patch *patch, const char *pick, struct digest *ret,
	struct err *err);

/* One answer of apply_check. */
struct apply_finding {
	char *option; /* "A4", "A1=cap2"; "all": the defaults of all options together; "none": what
		       * is applied when nothing is on */
	char *what;   /* "patch b1.patch", "edit src/a.c", "pick 1234abc" */
	bool holds;
	char *message; /* when not; several lines */
	const struct conf_node
		*node; /* of the change in the descriptor; NULL with several of them */
};
void apply_findings_free(struct apply_finding *findings, size_t n);

/*
 * Do the picks, patches and edits of every option and level apply alone on the source (after what
 * the option requires), and do all defaults apply together (as the set `all` takes them)? Makes the
 * source's snapshot when needed. Findings that do not hold are no error; -1 when nothing can be
 * tried.
 */
int apply_check(const struct descriptor *descriptor, const struct state *state,
	const struct source_state *source, struct launcher *launcher, struct apply_finding **ret,
	size_t *ret_n, struct err *err) MUST_CHECK;

#endif
