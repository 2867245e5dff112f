/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/tty.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/num.h"
#include "core/base/text.h"

#define REDRAW_NS (NS_PER_S / 10)
#define WIDTH_MIN 40
#define WIDTH_MAX 200
#define WIDTH_PIPE 100
#define HEIGHT_MIN 2
#define HEIGHT_MAX 1000
#define HEIGHT_PIPE 24

struct progress {
	FILE *to;
	bool live;
	int drawn;        /* lines of the block that are on the screen, cursor below them */
	char *lines;      /* wanted block, NULL = none */
	bool stale;       /* lines differ from what is on the screen */
	int64_t drawn_ns; /* when it was drawn */
};

bool tty_is(int fd)
{
	return isatty(fd) == 1;
}

bool tty_colour(int fd)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	return tty_is(fd) && !(no_color && no_color[0]) && !(term && !strcmp(term, "dumb"));
}

static int limit_width(int64_t width)
{
	return (int)(width < WIDTH_MIN ? WIDTH_MIN : width > WIDTH_MAX ? WIDTH_MAX : width);
}

int tty_width(int fd)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	int64_t width;
	struct why why;

	if (columns && columns[0] && !num_int(columns, &width, &why) && width > 0)
		return limit_width(width);
	if (!ioctl(fd, TIOCGWINSZ, &size) && size.ws_col)
		return limit_width(size.ws_col);
	return WIDTH_PIPE;
}

int tty_height(int fd)
{
	const char *lines = getenv("LINES");
	struct winsize size;
	int64_t height = HEIGHT_PIPE, given;
	struct why why;

	if (lines && lines[0] && !num_int(lines, &given, &why) && given > 0)
		height = given;
	else if (!ioctl(fd, TIOCGWINSZ, &size) && size.ws_row)
		height = size.ws_row;
	return (int)(height < HEIGHT_MIN ? HEIGHT_MIN : height > HEIGHT_MAX ? HEIGHT_MAX : height);
}

struct progress *progress_new(FILE *to, bool live)
{
	struct progress *progress = xcalloc(1, sizeof(*progress));

	progress->to = to;
	progress->live = live;
	return progress;
}

/* Takes the block off the screen; the cursor is where its first line began. */
static void erase(struct progress *progress, struct buf *out)
{
	if (progress->drawn)
		buf_addf(out, "\r\033[%dA\033[J", progress->drawn);
	progress->drawn = 0;
}

/* One line, cleaned and cut so that it cannot wrap: a wrapped line would break the cursor-up. */
static void add_cut(struct buf *out, const char *line, size_t len, int width)
{
	CLEANUP(buf_release) struct buf clean = BUF_INIT;
	int used = 0;

	text_clean(&clean, line, len);
	for (size_t i = 0; i < clean.len;) {
		char part[8];
		size_t n = 1;

		while (i + n < clean.len && n < 4 &&
			((unsigned char)clean.data[i + n] & 0xc0) == 0x80)
			n++;
		memcpy(part, clean.data + i, n);
		part[n] = '\0';
		used += (int)text_width(part);
		if (used >= width)
			return;
		buf_adds(out, part);
		i += n;
	}
}

static void add_block(struct progress *progress, struct buf *out)
{
	int width = tty_width(fileno(progress->to)), height = tty_height(fileno(progress->to));
	const char *line = progress->lines;

	while (line && *line && progress->drawn < height - 1) {
		const char *end = strchrnul(line, '\n');

		add_cut(out, line, (size_t)(end - line), width);
		buf_addc(out, '\n');
		progress->drawn++;
		line = *end ? end + 1 : end;
	}
	progress->stale = false;
	progress->drawn_ns = clock_mono_ns();
}

/* One write, so that nothing else gets between erasing and drawing. */
static void put(struct progress *progress, const struct buf *out)
{
	fwrite(out->data, 1, out->len, progress->to);
	fflush(progress->to);
}

static void redraw(struct progress *progress)
{
	CLEANUP(buf_release) struct buf out = BUF_INIT;

	erase(progress, &out);
	add_block(progress, &out);
	put(progress, &out);
}

void progress_free(struct progress *progress)
{
	if (!progress)
		return;
	if (progress->drawn) {
		CLEANUP(buf_release) struct buf out = BUF_INIT;

		erase(progress, &out);
		put(progress, &out);
	}
	free(progress->lines);
	free(progress);
}

void progress_tick(struct progress *progress)
{
	if (progress->stale && clock_mono_ns() - progress->drawn_ns >= REDRAW_NS)
		redraw(progress);
}

void progress_show(struct progress *progress, const char *lines)
{
	if (!progress->live)
		return;
	if (progress->lines && !strcmp(progress->lines, lines))
		return progress_tick(progress);
	free(progress->lines);
	progress->lines = xstrdup(lines);
	progress->stale = true;
	progress_tick(progress);
}

void progress_line(struct progress *progress, const char *fmt, ...)
{
	CLEANUP(buf_release) struct buf out = BUF_INIT;
	va_list ap;

	if (progress->live)
		erase(progress, &out);
	va_start(ap, fmt);
	buf_vaddf(&out, fmt, ap);
	va_end(ap);
	buf_addc(&out, '\n');
	if (progress->live)
		add_block(progress, &out);
	put(progress, &out);
}
