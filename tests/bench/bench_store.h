/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A store in a folder of its own, with a session and one row to run. Ends the program on errors. */
#ifndef ASSAY_TESTS_BENCH_STORE_H
#define ASSAY_TESTS_BENCH_STORE_H

#include "core/store/store.h"

struct bench_store {
	char *dir, *path;
	struct store *store;
	int64_t row_id;
	int next_block;
};

void bench_store_open(struct bench_store *bench);
/* Closes the store, which writes its log back; the file is still there. */
void bench_store_close(struct bench_store *bench);
/* Removes the folder. */
void bench_store_remove(struct bench_store *bench);

/* A run of the row, as the engine would begin it. */
int64_t bench_store_begin(struct bench_store *bench, struct store_run *ret_run);
void bench_store_end(struct bench_store *bench, int64_t run_id, const struct store_run *run,
	const struct run_record *record);

#endif
