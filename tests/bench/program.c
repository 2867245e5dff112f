/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cost per run of an empty program by whole tools, timed from outside: `assay measure`, hyperfine
 * without a shell, perf stat. One after the other in each round.
 *
 *	program [ROUNDS]
 *
 * ASSAY_BIN and EMPTY in the environment name the programs. Cost per run is the wall time of the
 * whole command, start, summary and all, through its number of runs; each further run is the
 * difference of a long and a short command through the difference of their runs. A tool that is not
 * there is left out, and it is said.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/fs.h"
#include "tests/bench/bench.h"
#include "tests/unit/scratch.h"

#define ROUNDS 15
#define LONG_RUNS 500
#define SHORT_RUNS 20
#define MAX_ARGS 24

enum tool {
	ASSAY,
	ASSAY_SAVED, /* with a store that stays */
	HYPERFINE,
	PERF,
	N_TOOLS
};

struct bench {
	char *runs[2]; /* texts of SHORT_RUNS and LONG_RUNS */
	const char *empty;
	char *programs[N_TOOLS]; /* NULL = not there */
	struct series whole[N_TOOLS], further[N_TOOLS];
};

static const char *const names[] = {
	"assay measure", "assay measure --save", "hyperfine -N", "perf stat"};

/* Its seconds for the number of runs with index `at`. */
static double seconds_of(const struct bench *bench, enum tool tool, int at)
{
	const char *program = bench->programs[tool], *runs = bench->runs[at];
	/* assay splits its argument by the quoting rules of a shell */
	AUTOFREE char *quoted = xasprintf("'%s'", bench->empty);
	char *dir = scratch_new();
	AUTOFREE char *file = path_join(dir, "saved.yaml");
	const char *argv[MAX_ARGS] = {program};
	double seconds;
	int n = 1;

	switch (tool) {
	case ASSAY:
	case ASSAY_SAVED:
		argv[n++] = "measure";
		argv[n++] = "--runs";
		argv[n++] = runs;
		argv[n++] = "--warmup";
		argv[n++] = "0";
		if (tool == ASSAY_SAVED) {
			argv[n++] = "--save";
			argv[n++] = file;
		}
		argv[n++] = quoted;
		break;
	case HYPERFINE:
		argv[n++] = "-N";
		argv[n++] = "--style";
		argv[n++] = "none";
		argv[n++] = "--warmup";
		argv[n++] = "0";
		argv[n++] = "--runs";
		argv[n++] = runs;
		break;
	case PERF:
		argv[n++] = "stat";
		argv[n++] = "-r";
		argv[n++] = runs;
		break;
	case N_TOOLS:
		break;
	}
	if (tool == HYPERFINE || tool == PERF)
		argv[n] = bench->empty;
	seconds = bench_command(argv);
	scratch_free(dir);
	return seconds;
}

static void run_round(struct bench *bench, int round)
{
	for (int i = 0; i < N_TOOLS; i++) {
		enum tool tool = (enum tool)((round + i) % N_TOOLS);
		double few, many;

		if (!bench->programs[tool])
			continue;
		few = seconds_of(bench, tool, 0);
		many = seconds_of(bench, tool, 1);
		series_add(&bench->whole[tool], many / LONG_RUNS);
		series_add(&bench->further[tool], (many - few) / (LONG_RUNS - SHORT_RUNS));
	}
}

static void add_rows(const struct bench *bench, struct table *table, const struct series *series,
	const char *what, const char *goal)
{
	static const enum tool order[] = {HYPERFINE, PERF, ASSAY, ASSAY_SAVED};

	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		enum tool tool = order[i];
		AUTOFREE char *label = xasprintf("%s%s", names[tool], what);
		struct bench_row row = {.what = label,
			.figure = &series[tool],
			.scale = 1e6,
			.unit = "us",
			.goal = tool == ASSAY ? goal : NULL};

		if (tool != HYPERFINE && bench->programs[HYPERFINE])
			row.peer = &series[HYPERFINE];
		if (!bench->programs[tool])
			bench_skip(table, label, "skipped: it is not in PATH");
		else if (isnan(series_median(&series[tool])))
			bench_skip(table, label, "skipped: it failed");
		else
			bench_add(table, &row);
	}
	if (bench->programs[PERF]) {
		AUTOFREE char *label = xasprintf("%s%s to perf stat", names[ASSAY], what);

		bench_add(table, &(struct bench_row){label, &series[ASSAY], 1e6, 0, "us",
					 &series[PERF], "< 1"});
	}
}

int main(int argc, char **argv)
{
	int rounds = bench_rounds(argc, argv, ROUNDS);
	struct bench bench = {.empty = getenv("EMPTY"),
		.runs = {xasprintf("%d", SHORT_RUNS), xasprintf("%d", LONG_RUNS)},
		.programs = {getenv("ASSAY_BIN"), getenv("ASSAY_BIN"), bench_which("hyperfine"),
			bench_which("perf")}};
	CLEANUP(table_freep) struct table *table = bench_table();

	if (!bench.programs[ASSAY] || !bench.empty) {
		fprintf(stderr, "%s: ASSAY_BIN and EMPTY must name programs\n", argv[0]);
		return 2;
	}
	for (int round = 0; round < rounds; round++)
		run_round(&bench, round);
	add_rows(&bench, table, bench.whole, "", "1.3, at most 1.6");
	add_rows(&bench, table, bench.further, ", a further run", NULL);
	bench_title("Cost per run of an empty program by whole tools (ratios to hyperfine)");
	bench_print(table);
	for (int tool = 0; tool < N_TOOLS; tool++) {
		series_release(&bench.whole[tool]);
		series_release(&bench.further[tool]);
		if (tool >= HYPERFINE)
			free(bench.programs[tool]);
	}
	free(bench.runs[0]);
	free(bench.runs[1]);
	return 0;
}
