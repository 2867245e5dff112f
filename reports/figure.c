/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "reports/figure.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/datafile.h"
#include "core/base/fs.h"
#include "core/base/num.h"
#include "core/base/text.h"
#include "reports/words.h"

#define LABEL_MAX 40  /* columns of a variant's name */
#define NOTE_MAX 32   /* columns of what stands beside it */
#define TITLE_MAX 100 /* columns of a title */
#define LEGEND_MAX 120
#define PICTURE_MAX (64 << 20)

extern char **environ;

double figure_step(double range, int n)
{
	double raw = range / (n > 0 ? n : 1), power = pow(10, floor(log10(raw))),
	       rest = raw / power;

	return power * (rest < 1.5 ? 1 : rest < 3.5 ? 2 : rest < 7.5 ? 5 : 10);
}

void figure_range(const struct figure *figure, double *ret_low, double *ret_high)
{
	double low = -figure->band, high = figure->band, pad;

	for (size_t i = 0; i < figure->n; i++) {
		const struct figure_interval *interval = &figure->intervals[i];

		if (!isfinite(interval->estimate))
			continue;
		low = fmin(low, interval->estimate);
		high = fmax(high, interval->estimate);
		if (figure->percent && beyond(interval->low, interval->high) &&
			isfinite(interval->high))
			continue;
		low = isfinite(interval->low) ? fmin(low, interval->low) : low;
		high = isfinite(interval->high) ? fmax(high, interval->high) : high;
	}
	pad = (high - low) * 0.05;
	if (!(pad > 0))
		pad = 0.01;
	*ret_low = low - pad;
	*ret_high = high + pad;
}

/* A text as gnuplot's single-quoted string. In tic labels % is a format and is doubled. */
static void add_quoted(struct buf *to, const char *text, size_t columns, bool tic)
{
	CLEANUP(buf_release) struct buf clean = BUF_INIT;
	size_t used = 0;

	text_clean(&clean, text, strlen(text));
	buf_addc(to, '\'');
	for (size_t i = 0; i < clean.len;) {
		char part[8];
		size_t n = 1;

		while (i + n < clean.len && n < 4 &&
			((unsigned char)clean.data[i + n] & 0xc0) == 0x80)
			n++;
		memcpy(part, clean.data + i, n);
		part[n] = '\0';
		used += text_width(part);
		if (used > columns) {
			buf_adds(to, "\xe2\x80\xa6");
			break;
		}
		if (part[0] == '\'' || (tic && part[0] == '%'))
			buf_addc(to, part[0]);
		buf_adds(to, part);
		i += n;
	}
	buf_addc(to, '\'');
}

/* Colours of a verdict's mark and, darker for legibility, of its text. */
struct colours {
	const char *verdict, *mark, *text;
};

static const struct colours *verdict_colours(const char *verdict)
{
	static const struct colours colours[] = {
		{"regressed", "#D55E00", "#A84A00"},
		{"improved", "#0072B2", "#005A8C"},
		{"same", "#009E73", "#00704F"},
		{"undecided", "#E69F00", "#8A5F00"},
		{"baseline", "#555555", "#555555"},
		{"unmeasured", "#767676", "#767676"},
	};
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(colours) && strcmp(colours[i].verdict, verdict) != 0)
		i++;
	return &colours[i];
}

static void add_terminal(struct buf *to, const struct figure *figure, const char *format)
{
	int height =
		130 + 26 * (int)(figure->n < 100 ? figure->n : 100) + (figure->legend ? 24 : 0);

	if (!strcmp(format, "png"))
		num_addf(to,
			"set terminal pngcairo size 1000,%d noenhanced font 'DejaVu Sans,11' "
			"background '#ffffff'\n",
			height);
	else
		num_addf(to,
			"set terminal svg size 1000,%d dynamic noenhanced "
			"font 'DejaVu Sans,system-ui,sans-serif,13' background '#ffffff'\n",
			height);
}

static int decimals_of(double step)
{
	int digits = step < 1 ? (int)ceil(-log10(step) - 1e-9) : 0;

	return digits < 9 ? digits : 9;
}

static void add_scale(struct buf *to, double low, double high)
{
	double step = figure_step(high - low, 8);
	bool first = true;

	num_addf(to, "set xrange [%.17g:%.17g]\nset xtics (", low, high);
	for (double k = ceil(low / step); k * step <= high; k++) {
		buf_adds(to, first ? "'" : ", '");
		if (k == 0)
			buf_addc(to, '0');
		else
			num_addf(to, "%+.*f", decimals_of(step), k * step);
		num_addf(to, "' %.17g", k * step);
		first = false;
	}
	buf_adds(to, ")\n");
}

/* Names left of the rows, effects and verdicts right of them. */
static void add_names(struct buf *to, const struct figure *figure)
{
	size_t left = 4, right = 4;

	for (size_t i = 0; i < figure->n; i++) {
		size_t l = text_width(figure->intervals[i].label);
		size_t r = text_width(figure->intervals[i].note);

		left = l > left ? l : left;
		right = r > right ? r : right;
	}
	left = left > LABEL_MAX ? LABEL_MAX + 1 : left;
	right = right > NOTE_MAX ? NOTE_MAX + 1 : right;
	/* Margins are in average characters; capitals are wider. */
	num_addf(to, "set lmargin %zu\nset rmargin %zu\n", left + left / 4 + 3, right + 3);
	buf_adds(to, "set ytics scale 0 noenhanced (");
	for (size_t i = 0; i < figure->n; i++) {
		buf_adds(to, i ? ", " : "");
		add_quoted(to, figure->intervals[i].label, LABEL_MAX, true);
		num_addf(to, " %zu", i);
	}
	buf_adds(to, ")\n");
	for (size_t i = 0; i < figure->n; i++) {
		buf_adds(to, "set label ");
		add_quoted(to, figure->intervals[i].note, NOTE_MAX, false);
		num_addf(to, " at graph 1, first %zu offset 1.5,0 noenhanced textcolor rgb '%s'\n",
			i, verdict_colours(figure->intervals[i].verdict)->text);
	}
}

static void add_axes(struct buf *to, const struct figure *figure)
{
	double low, high, scale = figure->percent ? 100 : 1;

	figure_range(figure, &low, &high);
	add_scale(to, low * scale, high * scale);
	num_addf(to, "set yrange [%zu.4:-0.6]\n", figure->n ? figure->n - 1 : 0);
	if (figure->band > 0)
		num_addf(to,
			"set object 1 rectangle from %.17g, graph 0 to %.17g, graph 1 fc rgb "
			"'#e3f1ec' "
			"fs solid noborder behind\n",
			-figure->band * scale, figure->band * scale);
	buf_adds(to,
		"set arrow 1 from 0, graph 0 to 0, graph 1 nohead lw 1.5 lc rgb '#333333' back\n");
	add_names(to, figure);
	buf_adds(to, "set title ");
	add_quoted(to, figure->title, TITLE_MAX, false);
	buf_adds(to, " noenhanced textcolor rgb '#222222'\nset xlabel ");
	add_quoted(to, figure->xlabel, TITLE_MAX, false);
	buf_adds(to, " noenhanced textcolor rgb '#333333'\n");
	if (figure->legend) {
		buf_adds(to, "set bmargin 5\nset label ");
		add_quoted(to, figure->legend, LEGEND_MAX, false);
		buf_adds(to, " at screen 0.01, character 0.8 noenhanced textcolor rgb '#333333'\n");
	}
}

/* A bound without end, or beyond the axis, is drawn to the edge. */
static double bound(double x, double low, double high)
{
	return fmin(fmax(x, low), high);
}

/* Arrowheads at the edge, where an interval goes on. */
static void add_arrows(struct buf *to, const struct figure *figure, double low, double high)
{
	for (size_t i = 0; i < figure->n; i++) {
		const struct figure_interval *interval = &figure->intervals[i];
		const char *colour = verdict_colours(interval->verdict)->mark;

		if (!isfinite(interval->estimate) || !strcmp(interval->verdict, "baseline"))
			continue;
		if (interval->low < low)
			num_addf(to,
				"set label '\xe2\x97\x80' at graph 0, first %zu center noenhanced "
				"front textcolor rgb '%s'\n",
				i, colour);
		if (interval->high > high)
			num_addf(to,
				"set label '\xe2\x96\xb6' at graph 1, first %zu center noenhanced "
				"front textcolor rgb '%s'\n",
				i, colour);
	}
}

void figure_script(
	const struct figure *figure, const char *format, const char *settings, struct buf *to)
{
	static const char *const order[] = {
		"baseline", "same", "undecided", "improved", "regressed"};
	double low, high, scale = figure->percent ? 100 : 1;
	size_t plots = 0;

	add_terminal(to, figure, format);
	buf_adds(to, settings);
	buf_addc(to, '\n');
	add_axes(to, figure);
	figure_range(figure, &low, &high);
	add_arrows(to, figure, low, high);
	for (size_t k = 0; k < ARRAY_SIZE(order); k++) {
		num_addf(to, "$I%zu << EOD\n", k);
		for (size_t i = 0; i < figure->n; i++) {
			const struct figure_interval *interval = &figure->intervals[i];

			if (strcmp(interval->verdict, order[k]) || !isfinite(interval->estimate))
				continue;
			num_addf(to, "%.17g %zu %.17g %.17g\n", interval->estimate * scale, i,
				bound(interval->low, low, high) * scale,
				bound(interval->high, low, high) * scale);
		}
		buf_adds(to, "EOD\n");
	}
	for (size_t k = 0; k < ARRAY_SIZE(order); k++) {
		bool any = false;

		for (size_t i = 0; i < figure->n; i++)
			any |= !strcmp(figure->intervals[i].verdict, order[k]) &&
			       isfinite(figure->intervals[i].estimate);
		if (!any)
			continue;
		buf_adds(to, plots++ ? ", \\\n     " : "plot ");
		if (k)
			num_addf(to, "$I%zu using 1:2:3:4 with xerrorbars lw 2.5 pt 7 ps 1.2", k);
		else
			num_addf(to, "$I%zu using 1:2 with points lw 2 pt 6 ps 1.2", k);
		num_addf(to, " lc rgb '%s'", verdict_colours(order[k])->mark);
	}
	/* Names of rows without a value still make a figure. */
	buf_adds(to, plots ? "\n" : "plot NaN\n");
}

static void add_environment(char ***ret)
{
	size_t n = 0, k = 0;
	char **env;

	while (environ[n])
		n++;
	env = xcalloc(n + 2, sizeof(*env));
	for (size_t i = 0; i < n; i++) {
		if (!text_starts(environ[i], "LC_") && !text_starts(environ[i], "LANG") &&
			!text_starts(environ[i], "GNU"))
			env[k++] = environ[i];
	}
	env[k++] = (char *)"LC_ALL=C";
	*ret = env;
}

static int wait_until(pid_t pid, int64_t deadline_ns, int *ret_status)
{
	AUTOCLOSE int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	for (;;) {
		int64_t left = deadline_ns - clock_mono_ns();
		struct pollfd p = {.fd = fd, .events = POLLIN};
		pid_t got = waitpid(pid, ret_status, WNOHANG);

		if (got == pid)
			return 0;
		if (left <= 0)
			break;
		/* Without a pidfd (old kernels) look again every 10 ms. */
		left = left / NS_PER_MS + 1;
		poll(fd >= 0 ? &p : NULL, fd >= 0, (int)(fd >= 0 || left < 10 ? left : 10));
	}
	kill(pid, SIGKILL);
	while (waitpid(pid, ret_status, 0) < 0 && errno == EINTR)
		;
	return -1;
}

static int memory_file(const char *name, struct err *err)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	if (fd < 0)
		return err_sys(err, E_SYSTEM, errno, "cannot make a file in memory");
	return fd;
}

static int read_all(int fd, struct buf *to, struct err *err)
{
	char chunk[1 << 16];
	off_t at = 0;
	ssize_t n;

	while ((n = pread(fd, chunk, sizeof(chunk), at)) > 0) {
		buf_add(to, chunk, (size_t)n);
		at += n;
		if (to->len > PICTURE_MAX)
			return err_set(err, E_SYSTEM, "gnuplot wrote more than 64 MiB");
	}
	if (n < 0)
		return err_sys(err, E_SYSTEM, errno, "cannot read gnuplot's output");
	return 0;
}

static int spawn_gnuplot(const char *gnuplot, const int fds[3], pid_t *ret, struct err *err)
{
	char *argv[] = {(char *)"gnuplot", (char *)"--default-settings", (char *)"-", NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, defaults;
	char **env;
	int failed;

	add_environment(&env);
	posix_spawn_file_actions_init(&actions);
	for (int i = 0; i < 3; i++)
		posix_spawn_file_actions_adddup2(&actions, fds[i], i);
	sigemptyset(&none);
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGINT);
	sigaddset(&defaults, SIGTERM);
	sigaddset(&defaults, SIGPIPE);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	failed = posix_spawn(ret, gnuplot, &actions, &attributes, argv, env);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	free(env);
	if (failed)
		return err_sys(err, E_MISSING, failed, "cannot start '%s'", gnuplot);
	return 0;
}

/* The first line that says something. */
static void first_line(struct buf *text)
{
	size_t start = strspn(text->data, " \n\r\t");

	buf_consume(text, start);
	buf_truncate(text, strcspn(text->data, "\n"));
}

/* Script in, picture out; both as files in memory, so that neither side waits for the other. */
static int run_gnuplot(const char *gnuplot, int64_t timeout_ns, const struct buf *script,
	struct buf *ret_picture, struct err *err)
{
	AUTOCLOSE int in = -1, out = -1, said = -1;
	CLEANUP(buf_release) struct buf messages = BUF_INIT;
	struct err ignored;
	int status;
	pid_t pid;

	in = memory_file("figure-script", err);
	out = in < 0 ? -1 : memory_file("figure", err);
	said = out < 0 ? -1 : memory_file("figure-messages", err);
	if (said < 0)
		return -1;
	for (size_t done = 0; done < script->len;) {
		ssize_t n = pwrite(in, script->data + done, script->len - done, (off_t)done);

		if (n < 0)
			return err_sys(err, E_SYSTEM, errno, "cannot write the script of a figure");
		done += (size_t)n;
	}
	if (spawn_gnuplot(gnuplot, (const int[]){in, out, said}, &pid, err) < 0)
		return -1;
	if (wait_until(pid, clock_mono_ns() + timeout_ns, &status) < 0)
		return err_set(err, E_SYSTEM, "gnuplot took longer than %lld s and was ended",
			(long long)((timeout_ns + NS_PER_S - 1) / NS_PER_S));
	if (read_all(out, ret_picture, err) < 0)
		return -1;
	if (WIFEXITED(status) && !WEXITSTATUS(status) && ret_picture->len)
		return 0;
	if (read_all(said, &messages, &ignored) < 0)
		buf_clear(&messages);
	first_line(&messages);
	if (WIFSIGNALED(status))
		return err_set(err, E_SYSTEM, "gnuplot was killed by signal %d", WTERMSIG(status));
	return err_set(err, E_SYSTEM, "gnuplot failed (status %d): %s", WEXITSTATUS(status),
		messages.len ? messages.data : "no picture came");
}

int figure_write_with(const char *gnuplot, int64_t timeout_ns, const struct figure *figure,
	const char *format, const char *path, struct err *err)
{
	CLEANUP(buf_release) struct buf settings = BUF_INIT, script = BUF_INIT, picture = BUF_INIT;
	AUTOFREE char *settings_path = NULL;

	if (datafile_find("reports/figure.gp", &settings_path, err) < 0 ||
		fs_read(settings_path, 1 << 20, &settings, err) < 0)
		return -1;
	figure_script(figure, format, settings.data, &script);
	if (run_gnuplot(gnuplot, timeout_ns, &script, &picture, err) < 0)
		return -1;
	return fs_write(path, picture.data, picture.len, 0, err);
}

int figure_write(const struct figure *figure, const char *format, const char *path, struct err *err)
{
	const char *path_env = getenv("PATH");
	AUTOFREE char *gnuplot = path_which("gnuplot", path_env ? path_env : "/usr/bin:/bin");

	if (!gnuplot) {
		err_set(err, E_MISSING, "gnuplot was not found");
		return err_help(err, "apt-get install gnuplot-nox");
	}
	return figure_write_with(gnuplot, FIGURE_TIMEOUT_NS, figure, format, path, err);
}
