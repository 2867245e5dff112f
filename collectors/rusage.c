/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Time and resources of the whole run: CLOCK_MONOTONIC from the release of the stopped child to its
 * exit, and wait4 of that child, which counts it and all descendants it waited for. What outlived
 * it (daemons, forgotten helpers) is in none of these figures; it is stored beside them, as
 * instance "orphans" and marked partial.
 *
 * read_bytes and written_bytes are what the storage saw: ru_inblock and ru_oublock, which Linux
 * keeps in units of 512 bytes from its I/O accounting. /proc/PID/io would be exact to the byte, but
 * is gone (and blind to descendants) when the child is a zombie. Reads served by the page cache are
 * in neither.
 */
#include "config.h"

#include <math.h>
#include <unistd.h>

#include "collectors/collector.h"

#define BLOCK 512

static double seconds(const struct timeval *tv)
{
	return (double)tv->tv_sec + (double)tv->tv_usec / 1e6;
}

static void add(struct run_record *record, const char *metric, const char *unit,
	const char *instance, double value, double quantum, const char *reason)
{
	run_record_sample(record, &(struct sample){.metric = metric,
					  .unit = unit,
					  .better = "lower",
					  .scope = "run",
					  .instance = instance,
					  .value = reason ? NAN : value,
					  .reason = reason,
					  .quality = *instance ? "partial" : "",
					  .quantum = quantum,
					  .collector = "rusage"});
}

static void add_usage(struct run_record *record, const struct rusage *usage, const char *instance,
	bool io_counted)
{
	/* Zero would be a lie on a kernel that does not count. */
	const char *no_io = io_counted ? NULL
				       : "the kernel does not count I/O of processes "
					 "(CONFIG_TASK_IO_ACCOUNTING)";

	add(record, "user", "s", instance, seconds(&usage->ru_utime), 1e-6, NULL);
	add(record, "sys", "s", instance, seconds(&usage->ru_stime), 1e-6, NULL);
	add(record, "rss_peak", "B", instance, (double)usage->ru_maxrss * 1024, 1024, NULL);
	add(record, "faults_minor", "", instance, (double)usage->ru_minflt, 1, NULL);
	add(record, "faults_major", "", instance, (double)usage->ru_majflt, 1, NULL);
	add(record, "switches_vol", "", instance, (double)usage->ru_nvcsw, 1, NULL);
	add(record, "switches_invol", "", instance, (double)usage->ru_nivcsw, 1, NULL);
	add(record, "read_bytes", "B", instance, (double)usage->ru_inblock * BLOCK, BLOCK, no_io);
	add(record, "written_bytes", "B", instance, (double)usage->ru_oublock * BLOCK, BLOCK,
		no_io);
}

static int rusage_collect(void *state, struct collector_run *run, struct err *err)
{
	const struct proc_result *result = run->result;
	bool io_counted = access("/proc/self/io", F_OK) == 0;

	(void)state;
	(void)err;
	add(run->record, "wall", "s", "", (double)result->wall_ns / 1e9, 1e-9, NULL);
	add_usage(run->record, &result->usage, "", io_counted);
	if (result->orphans > 0) {
		add_usage(run->record, &result->orphan_usage, "orphans", io_counted);
		add(run->record, "orphans", "", "", result->orphans, 1, NULL);
	}
	return 0;
}

const struct collector rusage_collector = {
	.name = "rusage",
	.summary = "wall, user and system time, peak memory, faults, switches and I/O of the run",
	.caps = COLLECTOR_DEFAULT,
	.collect = rusage_collect,
};
