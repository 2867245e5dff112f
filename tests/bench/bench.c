/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "tests/bench/bench.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/fs.h"
#include "core/base/host.h"
#include "core/base/num.h"
#include "core/stats/describe.h"

extern char **environ;

void series_add(struct series *series, double value)
{
	*vec_push(&series->values) = value;
}

void series_release(struct series *series)
{
	vec_release(&series->values);
}

struct summary {
	double low, median, high; /* quartiles */
};

/* Of values, or of the ratios values / peer of each round; rounds without a figure are left out. */
static struct summary summary_of(const struct series *series, const struct series *peer)
{
	size_t n = 0, rounds = series->values.n;
	AUTOFREE double *x = xcalloc(rounds ? rounds : 1, sizeof(*x));

	if (peer && peer->values.n < rounds)
		rounds = peer->values.n;
	for (size_t i = 0; i < rounds; i++) {
		double v = series->values.items[i];

		if (peer)
			v /= peer->values.items[i];
		if (isfinite(v))
			x[n++] = v;
	}
	return (struct summary){quantile(x, n, 0.25), quantile(x, n, 0.5), quantile(x, n, 0.75)};
}

double series_median(const struct series *series)
{
	return summary_of(series, NULL).median;
}

static void add_load(struct buf *to)
{
	char text[128];

	if (fs_read_small("/proc/loadavg", text, sizeof(text)))
		return;
	text[strcspn(text, " \n")] = '\0';
	buf_addf(to, ", load %s", text);
}

void bench_title(const char *title)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;
	struct host host;

	host_read(&host, NULL);
	buf_addf(&text, "%s\n%s, %d cores, ", title, host.cpu[0] ? host.cpu : "unknown processor",
		host.cores);
	num_add_size(&text, (double)host.memory_bytes);
	buf_addf(&text, ", %s", host.kernel);
	if (host.hypervisor[0])
		buf_addf(&text, ", virtual (hypervisor: %s)", host.hypervisor);
	if (host.governor[0])
		buf_addf(&text, ", governor %s", host.governor);
	add_load(&text);
	buf_adds(&text, ", ");
	clock_add_iso(&text, clock_real_ns());
	printf("%s\n\n", text.data);
}

struct table *bench_table(void)
{
	struct table *table = table_new(NULL);

	table_column(table, "what", "what", ALIGN_LEFT, 0);
	table_column(table, "median", "median", ALIGN_RIGHT, 0);
	table_column(table, "quartiles", "quartiles", ALIGN_RIGHT, 0);
	table_column(table, "ratio", "ratio", ALIGN_RIGHT, 0);
	table_column(table, "spread", "its quartiles", ALIGN_RIGHT, 0);
	table_column(table, "goal", "goal", ALIGN_LEFT, 0);
	return table;
}

static void add_summary(struct table *table, const char *key, const char *spread_key,
	struct summary of, int decimals, const char *unit)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;

	num_addf(&text, "%.*f%s%s", decimals, of.median, *unit ? " " : "", unit);
	table_real_text(table, key, of.median, text.data);
	buf_clear(&text);
	num_addf(&text, "%.*f..%.*f", decimals, of.low, decimals, of.high);
	table_text(table, spread_key, text.data);
}

void bench_add(struct table *table, const struct bench_row *row)
{
	struct summary figure = summary_of(row->figure, NULL);

	table_row(table);
	table_text(table, "what", row->what);
	figure.low *= row->scale;
	figure.median *= row->scale;
	figure.high *= row->scale;
	add_summary(table, "median", "quartiles", figure, row->decimals, row->unit);
	if (row->peer)
		add_summary(table, "ratio", "spread", summary_of(row->figure, row->peer), 2, "");
	if (row->goal)
		table_text(table, "goal", row->goal);
}

void bench_skip(struct table *table, const char *what, const char *reason)
{
	table_row(table);
	table_text(table, "what", what);
	table_none(table, "median", NULL);
	table_text(table, "goal", reason);
}

void bench_print(const struct table *table)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;

	table_render_text(table, &text, 120, false);
	printf("%s\n", text.data);
	fflush(stdout);
}

void bench_die(const struct err *err)
{
	fprintf(stderr, "bench: %s\n", err->text);
	exit(1);
}

void bench_die_errno(const char *what)
{
	fprintf(stderr, "bench: %s: %s\n", what, strerror(errno));
	exit(1);
}

int bench_rounds(int argc, char **argv, int rounds)
{
	struct why why;
	int64_t n;

	if (argc < 2)
		return rounds;
	if (num_int(argv[1], &n, &why) || n < 1 || n > BENCH_MAX_ROUNDS) {
		fprintf(stderr, "usage: %s [ROUNDS], 1 to %d\n", argv[0], BENCH_MAX_ROUNDS);
		exit(2);
	}
	return (int)n;
}

double bench_command(const char *const *argv)
{
	posix_spawn_file_actions_t actions;
	int64_t begin;
	int status, error;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	for (int fd = 0; fd < 3; fd++)
		posix_spawn_file_actions_addopen(
			&actions, fd, "/dev/null", fd ? O_WRONLY : O_RDONLY, 0);
	begin = clock_mono_ns();
	error = posix_spawn(&pid, argv[0], &actions, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (error)
		return NAN;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return NAN;
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return NAN;
	return (double)(clock_mono_ns() - begin) / NS_PER_S;
}

char *bench_which(const char *program)
{
	const char *path = getenv("PATH");

	return path_which(program, path ? path : "/usr/bin:/bin");
}
