/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For tests of builds: an experiment from a descriptor in the test's folder, built. */
#ifndef ASSAY_TESTS_BUILD_FIXTURE_H
#define ASSAY_TESTS_BUILD_FIXTURE_H

#include "core/engine/build.h"
#include "core/engine/experiment.h"
#include "tests/unit/tree_fixture.h"

struct built {
	struct experiment experiment;
	struct build_result *results;
	size_t n, n_outputs;
};

static inline void built_release(struct built *b)
{
	build_results_free(b->results, b->n, b->n_outputs);
	experiment_release(&b->experiment);
}

/* Writes exp.yaml: the common head, then `rest`. */
static inline void declare(struct trees *t, const char *rest)
{
	AUTOFREE char *path = at(t, "exp.yaml");
	AUTOFREE char *text = xasprintf("schema: 1\nname: test\n%s\n"
					"workloads: {w: {run: [\"true\"]}}\n",
		rest);
	struct err err;

	if (fs_write(path, text, strlen(text), 0, &err))
		fail_msg("%s", err.text);
}

static inline int try_open(struct trees *t, struct built *b, struct err *err)
{
	AUTOFREE char *file = at(t, "exp.yaml");
	struct experiment_options options = {.file = file, .lock = true};

	/* The lock is the experiment's. */
	state_release(&t->state);
	*b = (struct built){0};
	*err = (struct err){0};
	if (experiment_open(&b->experiment, &options, t->launcher, err)) {
		diags_print(&b->experiment.diags, stderr, false);
		return -1;
	}
	b->n = b->experiment.plan->n_builds;
	b->n_outputs = b->experiment.descriptor->build.outputs.n;
	return 0;
}

static inline struct build_request request_of(struct trees *t, struct built *b)
{
	return (struct build_request){
		.plan = b->experiment.plan,
		.state = &b->experiment.state,
		.source = &b->experiment.source,
		.launcher = t->launcher,
	};
}

static inline void open_built(struct trees *t, struct built *b)
{
	struct err err;

	if (try_open(t, b, &err))
		fail_msg("%s (%s)", err.text, err.help);
}

/* Opens exp.yaml and builds all; change may alter the request. */
static inline void build_now(struct trees *t, struct built *b, int parallel, bool again)
{
	struct build_request request;
	struct err err;

	open_built(t, b);
	request = request_of(t, b);
	request.parallel = parallel;
	request.again = again;
	if (build_all(&request, &b->results, &err))
		fail_msg("%s (%s)", err.text, err.help);
}

/* The result of the build that a variant names. */
static inline struct build_result *result_of(struct built *b, const char *variant)
{
	for (size_t i = 0; i < b->n; i++) {
		if (!strcmp(b->experiment.plan->builds[i].name, variant))
			return &b->results[i];
	}
	fail_msg("no build is called '%s'", variant);
	return NULL;
}

static inline void assert_ok(const struct build_result *result)
{
	if (result->status != BUILD_OK)
		fail_msg("%s: %s", build_status_name(result->status), result->reason);
}

/* Nothing of a build is left in work/ but empty mount points. */
static inline void assert_no_work(struct trees *t)
{
	sh(t, "test -z \"$(find .assay/work -type f 2>/dev/null)\"");
}

#endif
