/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cost of one run of an empty program, in its parts, inside one process: what the launcher, the
 * pipes and the store add to posix_spawn and wait4, below which no tool can be.
 *
 *	spawn [ROUNDS]
 *
 * EMPTY in the environment names the program. Each round does RUNS of each kind, one of each in
 * turn; its figure is their mean, so that what comes only now and then (a checkpoint of the
 * database) is paid by all.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "core/base/clock.h"
#include "core/base/proc.h"
#include "tests/bench/bench.h"
#include "tests/bench/bench_store.h"

#define RUNS 50
#define ROUNDS 20

extern char **environ;

enum kind {
	BARE,     /* posix_spawn, wait4 */
	LAUNCHER, /* proc_run, streams to /dev/null */
	PIPES,    /* proc_run, both streams drained */
	WHOLE,    /* and both transactions of a stored run */
	N_KINDS
};

/* Times inside WHOLE, from stamp to stamp. */
enum part {
	PART_BEGIN,   /* the transaction before */
	PART_SPAWN,   /* from the request to execve */
	PART_PROGRAM, /* execve to the end of wait4 */
	PART_DRAIN,   /* from there to the result: the tree has ended, the streams too */
	PART_END,     /* the transaction after */
	N_PARTS
};

struct bench {
	const char *argv[2];
	struct launcher *launcher;
	struct bench_store store;
	struct series kinds[N_KINDS], parts[N_PARTS];
	double part_ns[N_PARTS]; /* of this round */
};

static void run_bare(struct bench *bench)
{
	struct rusage usage;
	int status, error;
	pid_t pid;

	error = posix_spawn(&pid, bench->argv[0], NULL, NULL, (char *const *)bench->argv, environ);
	if (error) {
		errno = error;
		bench_die_errno(bench->argv[0]);
	}
	while (wait4(pid, &status, 0, &usage) < 0)
		if (errno != EINTR)
			bench_die_errno("wait4");
}

static void run_proc(struct bench *bench, enum proc_capture capture, struct proc_result *ret)
{
	struct proc_spec spec = {
		.argv = bench->argv, .out = capture, .err = capture, .keep = 1 << 20};
	struct err err;

	if (proc_run(bench->launcher, &spec, NULL, ret, &err))
		bench_die(&err);
}

/* As many samples as a run with rusage has. */
static void add_samples(struct run_record *record, const struct proc_result *result)
{
	const struct rusage *usage = &result->usage;
	const struct {
		const char *metric, *unit;
		double value;
	} samples[] = {
		{"wall", "s", (double)result->wall_ns / NS_PER_S},
		{"user", "s", (double)usage->ru_utime.tv_usec / 1e6},
		{"sys", "s", (double)usage->ru_stime.tv_usec / 1e6},
		{"cpu", "s", (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6},
		{"rss_peak", "B", (double)usage->ru_maxrss * 1024},
		{"faults_minor", "", (double)usage->ru_minflt},
		{"faults_major", "", (double)usage->ru_majflt},
		{"switches_vol", "", (double)usage->ru_nvcsw},
		{"switches_invol", "", (double)usage->ru_nivcsw},
		{"read_bytes", "B", (double)usage->ru_inblock * 512},
		{"written_bytes", "B", (double)usage->ru_oublock * 512},
		{"orphans", "", (double)result->orphans},
	};

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		run_record_sample(record, &(struct sample){.metric = samples[i].metric,
						  .unit = samples[i].unit,
						  .better = "lower",
						  .scope = "run",
						  .value = samples[i].value,
						  .quantum = NAN,
						  .collector = "rusage"});
}

static void run_whole(struct bench *bench)
{
	int64_t t[4];
	struct proc_result result;
	struct run_record record;
	struct store_run run;
	int64_t id;

	t[0] = clock_mono_ns();
	id = bench_store_begin(&bench->store, &run);
	t[1] = clock_mono_ns();
	run_proc(bench, PROC_PIPE, &result);
	t[2] = clock_mono_ns();
	run_record_init(&record);
	add_samples(&record, &result);
	run.wall_ns = result.wall_ns;
	bench_store_end(&bench->store, id, &run, &record);
	t[3] = clock_mono_ns();
	run_record_release(&record);
	bench->part_ns[PART_BEGIN] += (double)(t[1] - t[0]);
	bench->part_ns[PART_SPAWN] += (double)(result.start.mono_ns - t[1]);
	bench->part_ns[PART_PROGRAM] += (double)result.wall_ns;
	bench->part_ns[PART_DRAIN] += (double)(t[2] - result.stop.mono_ns);
	bench->part_ns[PART_END] += (double)(t[3] - t[2]);
	proc_result_release(&result);
}

static void run_one(struct bench *bench, enum kind kind)
{
	struct proc_result result;

	switch (kind) {
	case BARE:
		run_bare(bench);
		break;
	case LAUNCHER:
	case PIPES:
		run_proc(bench, kind == PIPES ? PROC_PIPE : PROC_NULL, &result);
		proc_result_release(&result);
		break;
	case WHOLE:
		run_whole(bench);
		break;
	case N_KINDS:
		break;
	}
}

static void run_round(struct bench *bench)
{
	double kind_ns[N_KINDS] = {0};

	for (int i = 0; i < N_PARTS; i++)
		bench->part_ns[i] = 0;
	for (int run = 0; run < RUNS; run++) {
		for (int i = 0; i < N_KINDS; i++) {
			/* each kind comes after every other one: they leave caches behind */
			enum kind kind = (enum kind)((run + i) % N_KINDS);
			int64_t begin = clock_mono_ns();

			run_one(bench, kind);
			kind_ns[kind] += (double)(clock_mono_ns() - begin);
		}
	}
	for (int i = 0; i < N_KINDS; i++)
		series_add(&bench->kinds[i], kind_ns[i] / RUNS);
	for (int i = 0; i < N_PARTS; i++)
		series_add(&bench->parts[i], bench->part_ns[i] / RUNS);
}

static void report(const struct bench *bench)
{
	static const char *const kinds[] = {"posix_spawn + wait4", "launcher, no streams",
		"launcher, both streams drained", "the same, and stored"};
	static const char *const parts[] = {"  store: begin the run", "  spawn: request to execve",
		"  the program: execve to wait4", "  drain: to the result", "  store: end the run"};
	CLEANUP(table_freep) struct table *table = bench_table();

	for (int i = 0; i < N_KINDS; i++)
		bench_add(table, &(struct bench_row){kinds[i], &bench->kinds[i], 1e-3, 0, "us",
					 i ? &bench->kinds[BARE] : NULL, NULL});
	for (int i = 0; i < N_PARTS; i++)
		bench_add(table, &(struct bench_row){parts[i], &bench->parts[i], 1e-3, 0, "us",
					 &bench->kinds[BARE], NULL});
	bench_print(table);
}

int main(int argc, char **argv)
{
	struct bench bench = {.argv = {getenv("EMPTY"), NULL}};
	int rounds = bench_rounds(argc, argv, ROUNDS);
	struct err err;

	if (!bench.argv[0])
		bench.argv[0] = "/bin/true";
	if (launcher_start(&bench.launcher, &err))
		bench_die(&err);
	bench_store_open(&bench.store);
	for (int kind = 0; kind < N_KINDS; kind++)
		run_one(&bench, kind);
	for (int round = 0; round < rounds; round++)
		run_round(&bench);
	bench_title("Cost per run of an empty program, in its parts (ratios to posix_spawn)");
	report(&bench);
	for (int i = 0; i < N_KINDS; i++)
		series_release(&bench.kinds[i]);
	for (int i = 0; i < N_PARTS; i++)
		series_release(&bench.parts[i]);
	launcher_stop(bench.launcher);
	bench_store_remove(&bench.store);
	return 0;
}
