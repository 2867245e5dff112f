/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What else the machine was doing: load before and after the run; and during it time stolen by the
 * hypervisor, processor time of others, and stalls for want of a processor. Values of scope
 * "system", for finding noise, never for verdicts. What this machine does not tell is stored as not
 * measured, and nothing here fails a run.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collectors/collector.h"
#include "core/base/fs.h"
#include "core/base/num.h"

struct host_options {
	const char *proc;
};

struct host_reading {
	double load1;  /* NaN = unreadable, as all below */
	double busy_s; /* all processors together, without idle, waiting and stolen time */
	double steal_s;
	double pressure_s; /* time in which some task waited for a processor */
};

enum host_file {
	FILE_LOADAVG,
	FILE_STAT,
	FILE_PRESSURE,
	N_FILES
};
static const char *const file_names[] = {"loadavg", "stat", "pressure/cpu"};

struct host_state {
	/* Kept open, -1 = not there: opening costs several times what reading does, and that is
	 * paid twice a run. */
	int files[N_FILES];
	struct host_reading before;
};

/* As it is now; the first `size` bytes do. */
static int read_file(const struct host_state *host, enum host_file file, char *to, size_t size)
{
	ssize_t n;

	do
		n = pread(host->files[file], to, size - 1, 0);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return -1;
	to[n] = '\0';
	return 0;
}

/* The number that follows `label` in a text of fields, NaN when there is none. */
static double field(const char *text, const char *label)
{
	const char *at = strstr(text, label);
	char word[64];
	struct why why;
	double value;
	size_t n;

	if (!at)
		return NAN;
	at += strlen(label);
	n = strcspn(at, " \n");
	if (n >= sizeof(word))
		return NAN;
	memcpy(word, at, n);
	word[n] = '\0';
	return num_double(word, &value, &why) ? NAN : value;
}

static void read_stat(const char *text, struct host_reading *to)
{
	/* user nice system idle iowait irq softirq steal, in clock ticks; guest is in user. */
	uint64_t t[8];
	double ticks = (double)sysconf(_SC_CLK_TCK);

	if (strncmp(text, "cpu ", 4) ||
		sscanf(text + 4,
			"%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
			" %" SCNu64 " %" SCNu64,
			&t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]) != 8)
		return;
	to->busy_s = (double)(t[0] + t[1] + t[2] + t[5] + t[6]) / ticks;
	to->steal_s = (double)t[7] / ticks;
}

static struct host_reading host_read(const struct host_state *host)
{
	struct host_reading r = {NAN, NAN, NAN, NAN};
	char text[4096];

	if (!read_file(host, FILE_LOADAVG, text, sizeof(text))) {
		text[strcspn(text, " ")] = '\0';
		r.load1 = field(text, "");
	}
	if (!read_file(host, FILE_STAT, text, sizeof(text)))
		read_stat(text, &r);
	/* "some avg10=0.43 avg60=0.64 avg300=1.14 total=12459837", in us */
	if (!read_file(host, FILE_PRESSURE, text, sizeof(text)))
		r.pressure_s = field(text, " total=") / 1e6;
	return r;
}

static int host_open(
	void *state, const struct collector_setup *setup, struct diags *diags, struct err *err)
{
	struct host_state *host = state;
	const struct host_options *options = setup->options;
	const char *proc = options && options->proc ? options->proc : "/proc";

	(void)diags;
	(void)err;
	for (int i = 0; i < N_FILES; i++) {
		AUTOFREE char *path = path_join(proc, file_names[i]);

		host->files[i] = open(path, O_RDONLY | O_CLOEXEC);
	}
	return 0;
}

static void host_close(void *state)
{
	struct host_state *host = state;

	for (int i = 0; i < N_FILES; i++)
		cleanup_close(&host->files[i]);
}

static int host_begin(void *state, struct collector_begin *begin, struct err *err)
{
	struct host_state *host = state;

	(void)begin;
	(void)err;
	host->before = host_read(host);
	return 0;
}

static void add(struct run_record *record, const char *metric, const char *unit,
	const char *instance, double value, double quantum)
{
	run_record_sample(
		record, &(struct sample){.metric = metric,
				.unit = unit,
				.better = "none",
				.scope = "system",
				.instance = instance,
				.value = value,
				.reason = isnan(value) ? "this kernel does not tell" : NULL,
				.quality = "system-wide",
				.quantum = quantum,
				.collector = "host"});
}

static int host_collect(void *state, struct collector_run *run, struct err *err)
{
	const struct host_state *host = state;
	const struct host_reading *before = &host->before, after = host_read(host);
	const struct rusage *usage = &run->result->usage;
	double tick = 1 / (double)sysconf(_SC_CLK_TCK);
	double own = (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
		     (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6;
	double others = after.busy_s - before->busy_s - own;

	(void)err;
	/* The load before is the noise that the run met; the one after has the run itself in it. */
	add(run->record, "host:loadavg1", "", "", before->load1, 0.01);
	add(run->record, "host:loadavg1", "", "after", after.load1, 0.01);
	add(run->record, "host:steal_s", "s", "", after.steal_s - before->steal_s, tick);
	/* assay's own small share is in it; the two clocks differ by some ticks. */
	add(run->record, "host:others_s", "s", "", others < 0 ? 0 : others, tick);
	add(run->record, "host:cpu_pressure_s", "s", "", after.pressure_s - before->pressure_s,
		1e-6);
	return 0;
}

static const struct conf_field host_fields[] = {
	/* A folder in the place of /proc: for tests, and for a /proc mounted elsewhere. */
	{"proc", CT_TEXT, .offset = offsetof(struct host_options, proc)},
	{0},
};

const struct collector host_collector = {
	.name = "host",
	.summary = "load, stolen time and other processes' time while the run went on",
	.caps = COLLECTOR_DEFAULT,
	.options = host_fields,
	.options_size = sizeof(struct host_options),
	.state_size = sizeof(struct host_state),
	.open = host_open,
	.begin = host_begin,
	.collect = host_collect,
	.close = host_close,
};
