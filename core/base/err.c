/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/err.h"

#include <stdio.h>
#include <string.h>

void place_format(struct place place, char *to, size_t size)
{
	if (!place.file)
		to[0] = '\0';
	else if (place.line <= 0)
		snprintf(to, size, "%s", place.file);
	else if (place.column <= 0)
		snprintf(to, size, "%s:%d", place.file, place.line);
	else
		snprintf(to, size, "%s:%d:%d", place.file, place.line, place.column);
}

static void fill(struct err *err, enum err_code code, int sys, struct place place, const char *fmt,
	va_list ap)
{
	err->code = code;
	err->sys = sys;
	err->help[0] = '\0';
	place_format(place, err->place, sizeof(err->place));
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
}

int err_set(struct err *err, enum err_code code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(err, code, 0, (struct place){0}, fmt, ap);
	va_end(ap);
	return -1;
}

int err_sys(struct err *err, enum err_code code, int errno_value, const char *fmt, ...)
{
	va_list ap;
	size_t len;

	va_start(ap, fmt);
	fill(err, code, errno_value, (struct place){0}, fmt, ap);
	va_end(ap);
	len = strlen(err->text);
	snprintf(err->text + len, sizeof(err->text) - len, ": %s", strerror(errno_value));
	return -1;
}

int err_at(struct err *err, enum err_code code, struct place place, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(err, code, 0, place, fmt, ap);
	va_end(ap);
	return -1;
}

int err_wrap(struct err *err, const char *fmt, ...)
{
	char context[512];
	char text[ERR_TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(context, sizeof(context), fmt, ap);
	va_end(ap);
	memcpy(text, err->text, sizeof(text));
	text[sizeof(text) - 1] = '\0';
	/* A text that no longer fits loses its end, never the context. */
	snprintf(err->text, sizeof(err->text), "%s: %.*s", context,
		(int)(sizeof(err->text) - strlen(context) - 3), text);
	return -1;
}

int err_help(struct err *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(err->help, sizeof(err->help), fmt, ap);
	va_end(ap);
	return -1;
}

int err_exit_status(const struct err *err)
{
	switch (err->code) {
	case E_NONE:
		return 0;
	case E_NEGATIVE:
		return 1;
	case E_USAGE:
		return 2;
	case E_CONFIG:
		return 3;
	case E_BUILD:
		return 4;
	case E_RUN:
		return 5;
	case E_MISSING:
		return 6;
	case E_STORE:
	case E_SYSTEM:
		return 7;
	case E_UNDECIDED:
		return 8;
	case E_NOTHING:
		return 9;
	case E_SIGNAL:
		return 128 + err->sys;
	case E_BUG:
		break;
	}
	return 70;
}
