/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows per second of store_end_run against the sqlite3 shell's .import of the same rows into the
 * same table (WAL, synchronous NORMAL, one transaction each), alternating in one run. The shell
 * checks no foreign keys and gets the dictionary ids ready-made; reading its CSV is part of its
 * way.
 *
 * usage: store_insert [ROWS [ROUNDS]]
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/fs.h"
#include "core/store/store.h"
#include "core/stats/describe.h"

#define METRICS 20
#define SCOPES 5
#define MAX_ROUNDS 50

extern char **environ;

static void die(const struct err *err)
{
	fprintf(stderr, "store_insert: %s\n", err->text);
	exit(1);
}

/* A store with one run that goes on; its id is 1. */
static struct store *new_store(const char *path, struct store_run *run, int64_t *ret_id)
{
	struct store_session session = {.plan = "p", .command = "bench", .version = "0"};
	struct store_row row = {.name = "w/none", .workload = "w", .variant = "none"};
	struct store *store;
	struct err err;

	if (store_open(path, STORE_WRITE, &store, &err) < 0 ||
		store_put_host(store, &(struct store_host){.uid = "h"}, &session.host_id, &err) <
			0 ||
		store_put_experiment(store, "bench", "d", "", &session.experiment_id, &err) < 0 ||
		store_begin_session(store, &session, &err) < 0 ||
		store_put_rows(store, session.id, &row, 1, &run->row_id, &err) < 0 ||
		store_begin_run(store, run, ret_id, &err) < 0)
		die(&err);
	return store;
}

static void fill(struct run_record *record, size_t rows)
{
	for (size_t i = 0; i < rows; i++) {
		char metric[32], scope[32], instance[32];

		snprintf(metric, sizeof(metric), "log:metric_%zu", i % METRICS);
		snprintf(scope, sizeof(scope), "phase:%zu", i / METRICS % SCOPES);
		snprintf(instance, sizeof(instance), "%06zu", i / METRICS / SCOPES);
		run_record_sample(record, &(struct sample){.metric = metric,
						  .unit = "s",
						  .scope = scope,
						  .instance = instance,
						  .value = 0.001 * (double)i,
						  .quantum = NAN,
						  .collector = "log"});
	}
}

/* The rows as they came to be, in the order of the key; empty fields of REAL columns would be
 * refused, so all of them have a number. */
static void write_csv(struct store *store, const char *path)
{
	FILE *to = fopen(path, "w");
	sqlite3_stmt *st;

	if (!to || sqlite3_prepare_v2(store_db(store),
			   "SELECT metric_id, scope_id, instance, value FROM sample", -1, &st,
			   NULL) != SQLITE_OK) {
		perror(path);
		exit(1);
	}
	while (sqlite3_step(st) == SQLITE_ROW)
		fprintf(to, "1,%d,%d,%s,%.17g,,,0.0,log\n", sqlite3_column_int(st, 0),
			sqlite3_column_int(st, 1), sqlite3_column_text(st, 2),
			sqlite3_column_double(st, 3));
	sqlite3_finalize(st);
	if (fclose(to)) {
		perror(path);
		exit(1);
	}
}

static double import(const char *db, const char *csv)
{
	AUTOFREE char *command = xasprintf(".import --csv '%s' sample", csv);
	char *argv[] = {(char *)"sqlite3", (char *)db, (char *)"PRAGMA synchronous = NORMAL",
		command, NULL};
	int64_t start = clock_mono_ns();
	int status;
	pid_t pid;

	if (posix_spawnp(&pid, "sqlite3", NULL, NULL, argv, environ) ||
		waitpid(pid, &status, 0) < 0 || status) {
		fprintf(stderr, "store_insert: sqlite3 (the shell) does not work here\n");
		exit(77);
	}
	return (double)(clock_mono_ns() - start) / 1e9;
}

int main(int argc, char **argv)
{
	size_t rows = argc > 1 ? strtoul(argv[1], NULL, 10) : 500000;
	size_t rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 5;
	const char *tmp = getenv("TMPDIR");
	AUTOFREE char *folder = xasprintf("%s/assay-bench-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	AUTOFREE char *csv = NULL;
	double ours[MAX_ROUNDS], shell[MAX_ROUNDS], ratio[MAX_ROUNDS];
	struct run_record record;
	struct err err;

	if (!rows || !rounds || rounds > MAX_ROUNDS) {
		fprintf(stderr, "usage: store_insert [ROWS [ROUNDS]]\n");
		return 2;
	}
	if (!mkdtemp(folder)) {
		perror(folder);
		return 1;
	}
	csv = path_join(folder, "rows.csv");
	run_record_init(&record);
	fill(&record, rows);
	for (size_t i = 0; i < rounds; i++) {
		AUTOFREE char *a = xasprintf("%s/a%zu.db", folder, i);
		AUTOFREE char *b = xasprintf("%s/b%zu.db", folder, i);
		struct store_run run = {.attempt = 1, .status = RUN_OK, .exit_code = 0};
		struct store *store = new_store(a, &run, &(int64_t){0});
		int64_t start = clock_mono_ns(), id;

		if (store_end_run(store, 1, &run, &record, NULL, 0, &err) < 0)
			die(&err);
		ours[i] = (double)(clock_mono_ns() - start) / 1e9;
		if (!i)
			write_csv(store, csv);
		/* Like the shell's exit: with the close, which writes the WAL back. */
		start = clock_mono_ns();
		store_close(store);
		ours[i] += (double)(clock_mono_ns() - start) / 1e9;
		store_close(new_store(b, &run, &id));
		shell[i] = import(b, csv);
		ratio[i] = shell[i] / ours[i];
		printf("%zu rows: store_end_run %.3f s (%.2f M rows/s), .import %.3f s (%.2f M "
		       "rows/s)\n",
			rows, ours[i], (double)rows / ours[i] / 1e6, shell[i],
			(double)rows / shell[i] / 1e6);
		unlink(a);
		unlink(b);
	}
	printf("speed against .import: %.2f (median of %zu, lowest %.2f; goal 0.80)\n",
		quantile(ratio, rounds, 0.5), rounds, quantile(ratio, rounds, 0));
	run_record_release(&record);
	return fs_remove(folder, &err) < 0;
}
