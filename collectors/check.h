/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Judges a run by the checks of its workload and the `seen` checks of its active options. Fed while
 * the streams are drained, so the whole output counts, not the kept part.
 */
#ifndef ASSAY_COLLECTORS_CHECK_H
#define ASSAY_COLLECTORS_CHECK_H

#include "core/base/digest.h"
#include "core/base/proc.h"
#include "core/model/descriptor.h"
#include "core/model/record.h"

struct checker;

/* Patterns were compiled once at descriptor_load for their errors; here for use. */
int checker_new(const struct checks *checks, size_t n_lists /* several lists in one */,
	struct checker **ret, struct err *err) MUST_CHECK;
void checker_free(struct checker *checker);
DEFINE_CLEANUP(struct checker, checker_free)
void checker_begin(struct checker *checker); /* a new run */
void checker_bytes(struct checker *checker, enum stream stream, const char *data, size_t len);
void checker_line(struct checker *checker, enum stream stream, const char *line, size_t len);

struct check_result {
	const struct check *check;
	size_t list; /* which of the n_lists it came from */
	bool holds;
	const char *why; /* when it does not: `stdout has no "proof verified"`; in the arena */
};
struct check_context { /* borrowed */
	const struct proc_result *result;
	const struct run_record *record;
	/* Baseline's digests for {sha256: same}; hex "" = not known yet: then the check holds,
	 * unless they are required, and ret_digests is what to keep. */
	const struct digest *same[2];
	bool same_required;
	int (*expand)(void *ctx, const char *text, struct arena *arena, const char **ret,
		struct err *err);
	void *expand_ctx;
};
/* One result per check, in order; in the arena. */
int checker_end(struct checker *checker, const struct check_context *context, struct arena *arena,
	struct check_result **ret, size_t *ret_n, struct digest ret_digests[2], struct err *err)
	MUST_CHECK;

#endif
