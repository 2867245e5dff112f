/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/log.h"

#include <stdio.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/text.h"

/* One of the two file-scope states that STYLE allows: set once by the command line. */
static enum log_level level = LOG_NORMAL;

void log_set_level(enum log_level to)
{
	level = to;
}

enum log_level log_get_level(void)
{
	return level;
}

/* Messages quote file names and output of programs: nothing in them may steer the terminal. */
static void add_clean(struct buf *to, const char *text)
{
	text_clean_lines(to, text, strlen(text));
}

/* In one write, so that lines of several processes do not mix. */
static void put(struct buf *line)
{
	fwrite(line->data, 1, line->len, stderr);
	fflush(stderr);
	buf_release(line);
}

static void message(const char *before, const char *fmt, va_list ap) PRINTF_LIKE(2, 0);
static void message(const char *before, const char *fmt, va_list ap)
{
	struct buf line = BUF_INIT;
	AUTOFREE char *text = xvasprintf(fmt, ap);

	buf_adds(&line, before);
	add_clean(&line, text);
	buf_addc(&line, '\n');
	put(&line);
}

void log_note(const char *fmt, ...)
{
	va_list ap;

	if (level < LOG_NORMAL)
		return;
	va_start(ap, fmt);
	message("assay: ", fmt, ap);
	va_end(ap);
}

void log_verbose(const char *fmt, ...)
{
	va_list ap;

	if (level < LOG_VERBOSE)
		return;
	va_start(ap, fmt);
	message("assay: ", fmt, ap);
	va_end(ap);
}

void log_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message("assay: warning: ", fmt, ap);
	va_end(ap);
}

void log_err(const char *command, const struct err *err)
{
	struct buf line = BUF_INIT;

	if (err->place[0])
		add_clean(&line, err->place);
	else
		buf_addf(&line, "assay%s%s", command && command[0] ? " " : "",
			command ? command : "");
	/* Ctrl-C is what the user wanted. */
	buf_adds(&line, err->code == E_SIGNAL ? ": " : ": error: ");
	add_clean(&line, err->text);
	buf_addc(&line, '\n');
	if (err->help[0]) {
		buf_adds(&line, "    help: ");
		add_clean(&line, err->help);
		buf_addc(&line, '\n');
	}
	put(&line);
}
