/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the benchmarks share: a series of figures for each thing that is measured, taken in turn in
 * rounds (A B C A B C ...), and a table of medians, ratios and goals. Nothing is asserted.
 *
 * A ratio is made within each round and the median of those is shown: what slows the machine for a
 * moment slows both sides of it.
 */
#ifndef ASSAY_TESTS_BENCH_H
#define ASSAY_TESTS_BENCH_H

#include "core/base/err.h"
#include "core/base/table.h"
#include "core/base/vec.h"

#define BENCH_MAX_ROUNDS 1000

/* One figure per round; NaN = this round has none. */
struct series {
	VEC(double) values;
};

void series_add(struct series *series, double value);
void series_release(struct series *series);
double series_median(const struct series *series);

/* Title, then the machine: all figures of this output belong to it. */
void bench_title(const char *title);

/* What a row shows; unset members leave their cells empty. */
struct bench_row {
	const char *what;
	const struct series *figure;
	double scale; /* shown = figure * scale */
	int decimals;
	const char *unit;          /* behind the figure */
	const struct series *peer; /* ratio = figure / peer, round by round */
	const char *goal;          /* as text: "1.3, at most 1.6" */
};
struct table *bench_table(void);
void bench_add(struct table *table, const struct bench_row *row);
/* A row of something that could not be measured, with the reason. */
void bench_skip(struct table *table, const char *what, const char *reason);
void bench_print(const struct table *table);

/* Prints and exits with 1: a bench that cannot be carried out has nothing to say. */
_Noreturn void bench_die(const struct err *err);
_Noreturn void bench_die_errno(const char *what);

/* First argument as a number of rounds, else the given one; exits with 2 when it is none. */
int bench_rounds(int argc, char **argv, int rounds);

/* Wall time of a command, from outside, in seconds; its output is discarded, its end awaited. NaN
 * when it cannot be started or does not exit with 0. */
double bench_command(const char *const *argv);
/* The program in PATH; NULL when there is none. Owned by the caller. */
char *bench_which(const char *program);

#endif
