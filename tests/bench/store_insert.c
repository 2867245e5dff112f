/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples stored per second against the sqlite3 shell's own .import of the same rows: into a plain
 * table with the names as text, which is what one would do by hand, and into a copy of our own
 * table with its keys and checks.
 *
 *	store_insert [ROUNDS]
 *
 * Our time is from opening the store to closing it, records made and the log written back; the
 * shell's is that of the whole program, from an existing .csv.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/fs.h"
#include "tests/bench/bench.h"
#include "tests/bench/bench_store.h"
#include "tests/unit/scratch.h"

#define ROUNDS 5
#define RUNS 50
#define METRICS 20
#define SCOPES 50
#define INSTANCES 10
#define ROWS (RUNS * METRICS * SCOPES * INSTANCES)

enum kind {
	OURS,
	PLAIN,
	SAME,
	N_KINDS
};

struct bench {
	char *dir, *names_csv, *ids_csv;
	char *shell;
	struct series kinds[N_KINDS]; /* rows per second */
};

static double value_of(int run, int metric, int scope, int instance)
{
	return (run * 7919 + metric * 104729 + scope * 1299709 + instance) / 1e6;
}

/* --- Ours ---------------------------------------------------------------------------------------
 */

static void put_run(struct bench_store *store, int run)
{
	struct run_record record;
	struct store_run row;
	int64_t id = bench_store_begin(store, &row);
	char metric[32], scope[32], instance[32];

	run_record_init(&record);
	for (int m = 0; m < METRICS; m++) {
		snprintf(metric, sizeof(metric), "log:metric_%d", m);
		for (int s = 0; s < SCOPES; s++) {
			snprintf(scope, sizeof(scope), "phase:phase_%d", s);
			for (int i = 0; i < INSTANCES; i++) {
				snprintf(instance, sizeof(instance), "%d", i);
				run_record_sample(&record, &(struct sample){.metric = metric,
								   .unit = "s",
								   .better = "lower",
								   .scope = scope,
								   .instance = instance,
								   .value = value_of(run, m, s, i),
								   .quality = "",
								   .quantum = 1e-6,
								   .collector = "log"});
			}
		}
	}
	bench_store_end(store, id, &row, &record);
	run_record_release(&record);
}

static double ours(void)
{
	struct bench_store store;
	int64_t begin = clock_mono_ns(), end;

	bench_store_open(&store);
	for (int run = 0; run < RUNS; run++)
		put_run(&store, run);
	bench_store_close(&store);
	end = clock_mono_ns();
	bench_store_remove(&store);
	return (double)(end - begin) / NS_PER_S;
}

/* --- The shell's --------------------------------------------------------------------------------
 */

static const char plain_sql[] =
	"PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
	"CREATE TABLE sample (run_id INTEGER, metric TEXT, scope TEXT, instance TEXT, value REAL,"
	" reason TEXT, quality TEXT, quantum REAL, collector TEXT);";
static const char same_sql[] =
	"PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
	"CREATE TABLE sample (run_id INTEGER NOT NULL, metric_id INTEGER NOT NULL,"
	" scope_id INTEGER NOT NULL, instance TEXT NOT NULL DEFAULT '', value REAL, reason TEXT,"
	" quality TEXT NOT NULL DEFAULT '', quantum REAL, collector TEXT NOT NULL,"
	" PRIMARY KEY (run_id, metric_id, scope_id, instance),"
	" CHECK (value IS NOT NULL OR reason IS NOT NULL)) STRICT, WITHOUT ROWID;";

/* In the order in which the shell reads them: that of the key of our table. */
static void write_csv(const char *path, bool names)
{
	FILE *file = fopen(path, "we");

	if (!file)
		bench_die_errno(path);
	for (int r = 0; r < RUNS; r++)
		for (int m = 0; m < METRICS; m++)
			for (int s = 0; s < SCOPES; s++)
				for (int i = 0; i < INSTANCES; i++)
					fprintf(file,
						names ? "%d,log:metric_%d,phase:phase_%d,%d,%.6f,,,"
							"0.000001,log\n"
						      : "%d,%d,%d,%d,%.6f,,,0.000001,log\n",
						r + 1, m, s, i, value_of(r, m, s, i));
	if (fclose(file))
		bench_die_errno(path);
}

static double shell(const struct bench *bench, const char *sql, const char *csv)
{
	AUTOFREE char *db = path_join(bench->dir, "shell.db");
	AUTOFREE char *import = xasprintf(".import --csv %s sample", csv);
	const char *const argv[] = {bench->shell, "-batch", db, sql, import, NULL};
	double seconds = bench_command(argv);

	if (unlink(db))
		bench_die_errno(db);
	return seconds;
}

static double seconds_of(const struct bench *bench, enum kind kind)
{
	switch (kind) {
	case OURS:
		return ours();
	case PLAIN:
		return bench->shell ? shell(bench, plain_sql, bench->names_csv) : NAN;
	case SAME:
		return bench->shell ? shell(bench, same_sql, bench->ids_csv) : NAN;
	case N_KINDS:
		break;
	}
	return NAN;
}

static void report(const struct bench *bench)
{
	static const char *const shells[] = {
		NULL, "sqlite3 .import, plain table", "sqlite3 .import, the store's table"};
	CLEANUP(table_freep) struct table *table = bench_table();
	AUTOFREE char *title = xasprintf(
		"Samples stored per second, %d rows in %d runs (ratios: ours to the shell's)", ROWS,
		RUNS);

	bench_add(table, &(struct bench_row){
				 "store_end_run", &bench->kinds[OURS], 1e-3, 0, "k/s", NULL, NULL});
	for (int kind = PLAIN; kind < N_KINDS; kind++) {
		if (!bench->shell)
			bench_skip(table, shells[kind], "skipped: sqlite3 is not in PATH");
		else
			bench_add(table, &(struct bench_row){shells[kind], &bench->kinds[kind],
						 1e-3, 0, "k/s", NULL, NULL});
	}
	if (bench->shell) {
		bench_add(table, &(struct bench_row){"store_end_run to plain", &bench->kinds[OURS],
					 1e-3, 0, "k/s", &bench->kinds[PLAIN], ">= 0.8"});
		bench_add(table,
			&(struct bench_row){"store_end_run to its table", &bench->kinds[OURS], 1e-3,
				0, "k/s", &bench->kinds[SAME], ">= 0.8"});
	}
	bench_title(title);
	bench_print(table);
}

int main(int argc, char **argv)
{
	int rounds = bench_rounds(argc, argv, ROUNDS);
	struct bench bench = {.dir = scratch_new(), .shell = bench_which("sqlite3")};

	bench.names_csv = path_join(bench.dir, "names.csv");
	bench.ids_csv = path_join(bench.dir, "ids.csv");
	write_csv(bench.names_csv, true);
	write_csv(bench.ids_csv, false);
	for (int round = 0; round < rounds; round++)
		for (int kind = 0; kind < N_KINDS; kind++)
			series_add(&bench.kinds[kind], ROWS / seconds_of(&bench, (enum kind)kind));
	report(&bench);
	for (int kind = 0; kind < N_KINDS; kind++)
		series_release(&bench.kinds[kind]);
	scratch_free(bench.dir);
	free(bench.names_csv);
	free(bench.ids_csv);
	free(bench.shell);
	return 0;
}
