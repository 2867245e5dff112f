/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A store filled by code, for tests of what reads one: a session with rows, builds and runs whose
 * values the test chooses. */
#ifndef ASSAY_TESTS_STORE_FILL_H
#define ASSAY_TESTS_STORE_FILL_H

#include "core/store/store.h"

struct fill {
	char dir[64];
	struct store *store;
	struct store_session session;
	int64_t started_at;
	int attempt;        /* of the next runs; 0 = 1 */
	enum run_role role; /* of the next runs */
};

struct fill_row {
	const char *workload, *variant, *label, *baseline; /* baseline: row name */
	const char *options, *axes;                        /* JSON */
	const char *digest, *build_status, *build_reason;  /* digest NULL: own; status NULL: "ok" */
	int64_t id;                                        /* filled in */
};

/* A new store below a new folder with an open session of an experiment whose JSON text is given. */
void fill_begin(struct fill *fill, const char *experiment_json);
void fill_rows(struct fill *fill, struct fill_row *rows, size_t n);
/* A measured run that ends with this status and wall time in seconds; more: further samples by
 * metric, unit, scope, value, ended by a NULL metric. Returns the run's id. */
struct fill_sample {
	const char *metric, *unit, *better, *scope;
	double value, quantum;
};
int64_t fill_run(struct fill *fill, const struct fill_row *row, int block, enum run_status status,
	const char *reason, double wall_s, const struct fill_sample *more);
void fill_complete(struct fill *fill);
void fill_end(struct fill *fill);

#endif
