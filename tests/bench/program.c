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

#include "tests/bench/bench.h"

#define ROUNDS 15
#define LONG_RUNS 500
#define SHORT_RUNS 20
#define MAX_ARGS 24

enum tool {
	ASSAY,
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

static const char *const names[] = {"assay measure", "hyperfine -N", "perf stat"};

/* Its seconds for the number of runs with index `at`. */
static double seconds_of(const struct bench *bench, enum tool tool, int at)
{
	const char *program = bench->programs[tool], *runs = bench->runs[at];
	/* assay splits its argument by the quoting rules of a shell */
	AUTOFREE char *quoted = xasprintf("'%s'", bench->empty);
	const char *argv[MAX_ARGS] = {program};
	int n = 1;

	switch (tool) {
	case ASSAY:
		argv[n++] = "measure";
		argv[n++] = "--runs";
		argv[n++] = runs;
		argv[n++] = "--warmup";
		argv[n++] = "0";
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
	argv[n] = tool == ASSAY ? quoted : bench->empty;
	return bench_command(argv);
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
	for (int tool = 0; tool < N_TOOLS; tool++) {
		AUTOFREE char *label = xasprintf("%s, %s", names[tool], what);

		if (!bench->programs[tool])
			bench_skip(table, label, "skipped: it is not in PATH");
		else if (isnan(series_median(&series[tool])))
			bench_skip(table, label, "skipped: it failed");
		else
			bench_add(table, &(struct bench_row){
						 label, &series[tool], 1e6, 0, "us", NULL, NULL});
	}
	for (int peer = HYPERFINE; peer < N_TOOLS; peer++) {
		AUTOFREE char *label = xasprintf("assay to %s, %s", names[peer], what);

		if (series[peer].values.n)
			bench_add(table, &(struct bench_row){label, &series[ASSAY], 1e6, 0, "us",
						 &series[peer], peer == HYPERFINE ? goal : "< 1"});
	}
}

int main(int argc, char **argv)
{
	int rounds = bench_rounds(argc, argv, ROUNDS);
	struct bench bench = {.empty = getenv("EMPTY"),
		.runs = {xasprintf("%d", SHORT_RUNS), xasprintf("%d", LONG_RUNS)},
		.programs = {getenv("ASSAY_BIN"), bench_which("hyperfine"), bench_which("perf")}};
	CLEANUP(table_freep) struct table *table = bench_table();

	if (!bench.programs[ASSAY] || !bench.empty) {
		fprintf(stderr, "%s: ASSAY_BIN and EMPTY must name programs\n", argv[0]);
		return 2;
	}
	for (int round = 0; round < rounds; round++)
		run_round(&bench, round);
	add_rows(&bench, table, bench.whole, "whole", "1.3, at most 1.6");
	add_rows(&bench, table, bench.further, "each further run", NULL);
	bench_title("Cost per run of an empty program by whole tools");
	bench_print(table);
	for (int tool = 0; tool < N_TOOLS; tool++) {
		series_release(&bench.whole[tool]);
		series_release(&bench.further[tool]);
		if (tool != ASSAY)
			free(bench.programs[tool]);
	}
	free(bench.runs[0]);
	free(bench.runs[1]);
	return 0;
}
