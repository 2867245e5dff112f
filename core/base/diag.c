/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/diag.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"

void diags_release(struct diags *diags)
{
	for (size_t i = 0; i < diags->n; i++) {
		free(diags->items[i].file);
		free(diags->items[i].message);
		free(diags->items[i].help);
		free(diags->items[i].source);
	}
	free(diags->items);
	*diags = (struct diags)DIAGS_INIT;
}

static struct diag *append(struct diags *diags, enum diag_level level)
{
	struct diag *item;

	/* Grows in steps of 16: mistakes are few. */
	if (diags->n % 16 == 0)
		diags->items = xreallocarray(diags->items, diags->n + 16, sizeof(*diags->items));
	item = &diags->items[diags->n++];
	*item = (struct diag){.level = level};
	if (level == DIAG_ERROR)
		diags->errors++;
	else
		diags->warnings++;
	return item;
}

/* Messages quote files, command lines and output of programs, and are printed and put into JSON:
 * what is no text, or would steer a terminal, is taken out once, here. */
static char *cleaned(const char *text)
{
	struct buf clean = BUF_INIT;

	text_clean_lines(&clean, text, strlen(text));
	return buf_steal(&clean);
}

static char *formatted(const char *fmt, va_list ap) PRINTF_LIKE(1, 0);
static char *formatted(const char *fmt, va_list ap)
{
	AUTOFREE char *text = xvasprintf(fmt, ap);

	return cleaned(text);
}

struct diag *diag_add(struct diags *diags, enum diag_level level, struct place place,
	const char *source, const char *fmt, ...)
{
	struct diag *item = append(diags, level);
	va_list ap;

	item->file = place.file ? cleaned(place.file) : NULL;
	item->line = place.line;
	item->column = place.column;
	item->source = source ? xstrdup(source) : NULL;
	if (source)
		text_mask(item->source, strlen(item->source));
	va_start(ap, fmt);
	item->message = formatted(fmt, ap);
	va_end(ap);
	return item;
}

void diag_help(struct diags *diags, const char *fmt, ...)
{
	struct diag *item = &diags->items[diags->n - 1];
	va_list ap;

	free(item->help);
	va_start(ap, fmt);
	item->help = formatted(fmt, ap);
	va_end(ap);
}

/* Takes ":NUMBER" off the end; 0 when there is none. */
static int take_number(char *place)
{
	char *colon = strrchr(place, ':');
	size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;

	if (!digits || digits > 9 || colon[1 + digits] || colon == place)
		return 0;
	*colon = '\0';
	return (int)strtol(colon + 1, NULL, 10);
}

void diag_add_err(struct diags *diags, const struct err *err)
{
	struct diag *item = append(diags, DIAG_ERROR);

	item->message = cleaned(err->text);
	item->help = err->help[0] ? cleaned(err->help) : NULL;
	if (!err->place[0])
		return;
	item->file = cleaned(err->place);
	item->column = take_number(item->file);
	item->line = take_number(item->file);
	if (!item->line) { /* "file:line" */
		item->line = item->column;
		item->column = 0;
	}
}

static void print_source(const struct diag *item, FILE *to)
{
	int width = (int)strlen(item->source);

	if (width > 160)
		width = 160;
	fprintf(to, "    %.*s\n", width, item->source);
	if (item->column <= 0 || item->column > width + 1)
		return;
	fputs("    ", to);
	for (int i = 0; i < item->column - 1; i++) {
		/* Columns count bytes; continuation bytes of UTF-8 take no room on the screen. */
		if (((unsigned char)item->source[i] & 0xC0) != 0x80)
			fputc(item->source[i] == '\t' ? '\t' : ' ', to);
	}
	fputs("^\n", to);
}

static int by_place(const void *pa, const void *pb)
{
	const struct diag *a = *(const struct diag *const *)pa;
	const struct diag *b = *(const struct diag *const *)pb;
	int files;

	if (!a->file != !b->file)
		return a->file ? 1 : -1;
	files = a->file ? strcmp(a->file, b->file) : 0;
	if (files)
		return files;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->column != b->column)
		return a->column < b->column ? -1 : 1;
	return a < b ? -1 : a > b;
}

void diags_print(const struct diags *diags, FILE *to, bool colour)
{
	const struct diag **order = xcalloc(diags->n, sizeof(*order));

	for (size_t i = 0; i < diags->n; i++)
		order[i] = &diags->items[i];
	qsort(order, diags->n, sizeof(*order), by_place);
	for (size_t i = 0; i < diags->n; i++) {
		const struct diag *item = order[i];
		char place[512];

		place_format(
			(struct place){item->file, item->line, item->column}, place, sizeof(place));
		if (place[0])
			fprintf(to, "%s: ", place);
		if (colour)
			fputs(item->level == DIAG_ERROR ? "\033[1;31m" : "\033[1;35m", to);
		fputs(item->level == DIAG_ERROR ? "error:" : "warning:", to);
		if (colour)
			fputs("\033[0m", to);
		fprintf(to, " %s\n", item->message);
		if (item->source)
			print_source(item, to);
		if (item->help)
			fprintf(to, "    help: %s\n", item->help);
	}
	free(order);
}

int diags_to_err(const struct diags *diags, enum err_code code, struct err *err)
{
	const char *file = NULL;
	bool one = true;

	if (!diags->errors)
		return 0;
	for (size_t i = 0; i < diags->n; i++) {
		const struct diag *item = &diags->items[i];

		if (item->level != DIAG_ERROR || !item->file)
			continue;
		one = one && (!file || !strcmp(file, item->file));
		file = item->file;
	}
	if (!one)
		file = NULL;
	return err_set(err, code, "%zu error%s%s%s", diags->errors, diags->errors == 1 ? "" : "s",
		file ? " in " : "", file ? file : "");
}
