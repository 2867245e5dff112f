/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of a YAML file: its lines, the places of its mistakes, and what libfyaml must not see.
 */
#include "config.h"

#include "core/base/conf_impl.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/base/vec.h"

/* Places deep inside long lines are of no use in a terminal; the caret is left out there, too. */
#define SOURCE_MAX 256
/* A file of another kind would otherwise give a message per byte. */
#define LEXICAL_MAX 50

/* --- Places --- */

static void index_lines(struct conf_text *t)
{
	VEC(size_t) lines = VEC_INIT;

	*vec_push(&lines) = 0;
	for (size_t i = 0; i < t->len; i++) {
		if (t->text[i] == '\n' ||
			(t->text[i] == '\r' && (i + 1 == t->len || t->text[i + 1] != '\n')))
			*vec_push(&lines) = i + 1;
	}
	t->lines = lines.items;
	t->n_lines = lines.n;
	t->sources = xcalloc(lines.n, sizeof(*t->sources));
}

void conf_text_init(struct conf_text *t, const struct conf_input *input, struct arena *arena,
	struct diags *diags)
{
	*t = (struct conf_text){.name = arena_strdup(arena, input->name),
		.text = input->text,
		.len = input->len,
		.line_text = input->line_text,
		.line_offset = input->line_offset,
		.arena = arena,
		.diags = diags};
	if (t->len >= 3 && memcmp(t->text, "\xef\xbb\xbf", 3) == 0) {
		t->text += 3;
		t->len -= 3;
	}
	index_lines(t);
}

void conf_text_release(struct conf_text *t)
{
	free(t->lines);
	free(t->sources);
}

static size_t line_of(const struct conf_text *t, size_t offset)
{
	size_t low = 0, high = t->n_lines;

	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if (t->lines[mid] <= offset)
			low = mid;
		else
			high = mid;
	}
	return low;
}

struct place conf_text_place(const struct conf_text *t, size_t offset)
{
	size_t line;

	if (offset > t->len)
		offset = t->len;
	if (t->line_text)
		return (struct place){t->name, 0, (int)(t->line_offset + offset + 1)};
	line = line_of(t, offset);
	return (struct place){t->name, (int)line + 1, (int)(offset - t->lines[line]) + 1};
}

const char *conf_text_source(struct conf_text *t, size_t offset)
{
	size_t line, len;
	CLEANUP(buf_release) struct buf clean = BUF_INIT;

	if (t->line_text)
		return t->line_text;
	line = line_of(t, offset < t->len ? offset : t->len);
	if (t->sources[line])
		return t->sources[line];
	len = (line + 1 < t->n_lines ? t->lines[line + 1] : t->len) - t->lines[line];
	while (len && (t->text[t->lines[line] + len - 1] == '\n' ||
			      t->text[t->lines[line] + len - 1] == '\r'))
		len--;
	if (len > SOURCE_MAX) {
		len = SOURCE_MAX;
		while (len && ((unsigned char)t->text[t->lines[line] + len] & 0xC0) == 0x80)
			len--;
	}
	buf_add(&clean, t->text + t->lines[line], len);
	text_mask(clean.data, clean.len); /* only what is invalid in YAML anyway changes */
	t->sources[line] = arena_strdup(t->arena, clean.data);
	return t->sources[line];
}

void conf_text_error(struct conf_text *t, size_t offset, const char *fmt, ...)
{
	va_list ap;
	AUTOFREE char *text = NULL;

	if (t->errors >= LEXICAL_MAX) {
		t->full = true;
		return;
	}
	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	diag_add(t->diags, DIAG_ERROR, conf_text_place(t, offset), conf_text_source(t, offset),
		"%s", text);
	t->errors++;
}

/* --- Before libfyaml --- */

static size_t next_invalid(const struct conf_text *t, size_t from, size_t invalid)
{
	for (size_t i = from; i < invalid; i++) {
		unsigned char c = (unsigned char)t->text[i];

		if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f)
			return i;
	}
	return invalid;
}

/* At most one message a line: a binary file is one mistake, not a thousand. */
void conf_text_check(struct conf_text *t)
{
	size_t i = 0;
	size_t invalid = text_utf8_check(t->text, t->len);

	while ((i = next_invalid(t, i, invalid)) < t->len && t->errors < 10) {
		unsigned char c = (unsigned char)t->text[i];

		if (c == 0)
			conf_text_error(t, i, "the file holds a NUL character");
		else if (i == invalid)
			conf_text_error(t, i, "not valid UTF-8: byte 0x%02x", c);
		else
			conf_text_error(t, i, "control character 0x%02x", c);
		if (i == invalid)
			diag_help(t->diags, "save the file as UTF-8 text");
		while (i < t->len && t->text[i] != '\n')
			i++;
		if (i >= invalid)
			invalid = i + text_utf8_check(t->text + i, t->len - i);
	}
}
