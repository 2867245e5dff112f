/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Builds the variants of a plan, each from a fresh tree of its own, and keeps the outputs in a
 * cache addressed by the build id.
 *
 * build.path same (D): every tree appears at one fixed path (work/build/tree, products in
 * work/build/out): one after the other, or several at once in private mount namespaces where the
 * kernel permits; then equal sources give equal binaries. own: work/KEY/..., names of equal length.
 * A build is renamed into builds/KEY whole; a crash leaves nothing that looks like a build.
 */
#ifndef ASSAY_ENGINE_BUILD_H
#define ASSAY_ENGINE_BUILD_H

#include "core/engine/apply.h"
#include "core/engine/source.h"

enum build_status {
	BUILD_OK,
	BUILD_FAILED,
	BUILD_TIMEOUT,
	BUILD_CANCELLED
};
const char *build_status_name(enum build_status status); /* "ok" "failed" "timeout" "cancelled" */

struct build_result {
	enum build_status status;
	bool cached;
	double seconds;                    /* of the build when it was made */
	struct digest digest, code_digest; /* of the outputs; doc/statistics.md; hex "" = none */
	char *reason;                      /* when not ok: first line says what failed */
	char *log;                         /* path relative to the state folder, NULL = none */
	char **bins; /* absolute paths, parallel to descriptor->build.outputs */
};
void build_results_free(struct build_result *results, size_t n, size_t n_outputs);

struct build_hooks {
	void *ctx;
	/* Called when a build begins and ends and now and then in between (result NULL while it
	 * runs). */
	void (*progress)(void *ctx, const struct plan_build *build, int64_t elapsed_ns,
		const struct build_result *result);
};
struct build_request {
	const struct plan *plan;
	const struct state *state;
	const struct source_state *source;
	struct launcher *launcher;
	int parallel;             /* 0 = as many as cores allow */
	bool again;               /* build even what is cached */
	const bool *wanted;       /* per build, NULL = all */
	const volatile int *stop; /* sig_received */
	struct build_hooks hooks;
};
/* results: plan->n_builds items, filled for every wanted build; failed ones do not stop the others.
 * -1 only when nothing can be built (disk, source). */
int build_all(const struct build_request *request, struct build_result **ret, struct err *err)
	MUST_CHECK;

/* `--version` output (first 4 KiB, run in the source folder) of build.tools, or argv[0] of each
 * step and cc, c++, rustc, nvcc where on PATH. E_MISSING naming a step's program that is not on
 * PATH. ret_json (may be NULL): {"cc": "gcc (Debian ...", ...}, new reference. */
int build_tools_digest(const struct descriptor *descriptor, struct launcher *launcher,
	struct digest *ret, json_t **ret_json, struct err *err) MUST_CHECK;

#endif
