/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Why a diff does not apply: git names the file and the line of the first hunk that failed; here it
 * is shown beside the lines of the file that come nearest to what it expects.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/fs.h"
#include "core/base/num.h"
#include "core/base/text.h"
#include "core/engine/apply_diff.h"

/* What fits into the text of an error. */
#define HUNK_LINES 12
#define FILE_LINES 9
#define LINE_WIDTH 76
#define SAID_LINES 6
#define FILE_MAX ((size_t)16 << 20)

struct span {
	const char *at;
	size_t len; /* without its end */
};
struct spans {
	VEC(struct span) items;
};

static void spans_release(struct spans *spans)
{
	vec_release(&spans->items);
}

static void split(const char *text, size_t len, struct spans *to)
{
	const char *end = text + len;

	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));

		if (!stop)
			stop = end;
		*vec_push(&to->items) = (struct span){text, (size_t)(stop - text)};
		text = stop + 1;
	}
}

static bool starts(struct span line, const char *prefix)
{
	size_t n = strlen(prefix);

	return line.len >= n && !memcmp(line.at, prefix, n);
}

static bool same(struct span a, struct span b)
{
	return a.len == b.len && !memcmp(a.at, b.at, a.len);
}

static void add_line(struct buf *to, const char *head, struct span line)
{
	buf_addf(to, "\n    %s", head);
	text_clean(to, line.at, line.len < LINE_WIDTH ? line.len : LINE_WIDTH);
	if (line.len > LINE_WIDTH)
		buf_adds(to, "...");
}

/* --- The hunk ------------------------------------------------------------------------------------
 */

struct hunk {
	size_t first, n; /* lines of the diff, header included */
};

/* "@@ -A,B +C,D @@": A, or C of a reversed diff; -1 = no header. */
static long hunk_line(struct span line, bool reverse)
{
	AUTOFREE char *text = xstrndup(line.at, line.len);
	const char *at = starts(line, "@@ -") ? strchr(text, reverse ? '+' : '-') : NULL;

	return at ? strtol(at + 1, NULL, 10) : -1;
}

static bool is_hunk_body(struct span line)
{
	return !line.len || strchr(" +-\\", line.at[0]);
}

/* The hunk of a file that begins at a line; of any file when that one has none. */
static bool find_hunk(
	const struct spans *diff, const char *file, long line, bool reverse, struct hunk *ret)
{
	const char *base = path_basename(file);
	bool mine = false, found = false;

	for (size_t i = 0; i < diff->items.n; i++) {
		struct span at = diff->items.items[i];
		size_t n = 1;

		if (starts(at, "diff --git ") || starts(at, "--- "))
			mine = memmem(at.at, at.len, base, strlen(base));
		else if (starts(at, "+++ "))
			mine |= memmem(at.at, at.len, base, strlen(base)) != NULL;
		if (hunk_line(at, reverse) != line || (found && !mine))
			continue;
		while (i + n < diff->items.n && is_hunk_body(diff->items.items[i + n]) &&
			!starts(diff->items.items[i + n], "--- "))
			n++;
		*ret = (struct hunk){i, n};
		found = true;
		if (mine)
			return true;
	}
	return found;
}

/* The lines that a hunk expects to find. */
static void expected_lines(
	const struct spans *diff, const struct hunk *hunk, bool reverse, struct spans *to)
{
	for (size_t i = hunk->first + 1; i < hunk->first + hunk->n; i++) {
		struct span line = diff->items.items[i];

		if (!line.len)
			*vec_push(&to->items) = line;
		else if (line.at[0] == ' ' || line.at[0] == (reverse ? '+' : '-'))
			*vec_push(&to->items) = (struct span){line.at + 1, line.len - 1};
	}
}

/* --- The file ------------------------------------------------------------------------------------
 */

/* Where most of the expected lines stand: index of the line that the first one meets. near breaks
 * ties. */
static size_t best_place(const struct spans *file, const struct spans *expected, size_t near)
{
	size_t best = near, most = 0;

	for (size_t at = 0; at < file->items.n; at++) {
		size_t equal = 0, distance = at > near ? at - near : near - at;
		size_t best_distance = best > near ? best - near : near - best;

		for (size_t i = 0; i < expected->items.n && at + i < file->items.n; i++)
			equal += same(file->items.items[at + i], expected->items.items[i]);
		if (equal > most || (equal && equal == most && distance < best_distance)) {
			most = equal;
			best = at;
		}
	}
	return best;
}

static void show_file(
	const struct spans *file, const struct spans *expected, size_t place, struct buf *to)
{
	size_t differ = 0, from, until;

	while (differ < expected->items.n && place + differ < file->items.n &&
		same(file->items.items[place + differ], expected->items.items[differ]))
		differ++;
	/* The first line that differs in the middle, where a long hunk does not fit. */
	from = place + differ > FILE_LINES / 2 ? place + differ - FILE_LINES / 2 : 0;
	if (from < place && place + FILE_LINES > place + differ)
		from = place;
	until = from + FILE_LINES < file->items.n ? from + FILE_LINES : file->items.n;
	for (size_t i = from; i < until; i++) {
		char head[32];

		snprintf(head, sizeof(head), "%s%6zu  ",
			differ < expected->items.n && i == place + differ ? ">" : " ", i + 1);
		add_line(to, head, file->items.items[i]);
	}
	if (from >= file->items.n)
		buf_addf(to, "\n    (it ends at line %zu)", file->items.n);
}

/* The lines are there, yet git refuses: it takes a hunk without context at a file's ends only. */
static void explain_no_context(const struct spans *diff, const struct hunk *hunk,
	const struct spans *file, const struct spans *expected, size_t place, struct buf *to)
{
	for (size_t i = hunk->first + 1; i < hunk->first + hunk->n; i++) {
		if (starts(diff->items.items[i], " "))
			return;
	}
	for (size_t i = 0; i < expected->items.n; i++) {
		if (place + i >= file->items.n ||
			!same(file->items.items[place + i], expected->items.items[i]))
			return;
	}
	buf_adds(to,
		"\n  the hunk has no lines of context, git needs some: make it by git diff -U3");
}

static void explain_hunk(
	const struct diff_use *use, const char *file_name, long line, struct buf *to)
{
	CLEANUP(spans_release)
	struct spans diff = {VEC_INIT}, file = {VEC_INIT}, expected = {VEC_INIT};
	CLEANUP(buf_release) struct buf content = BUF_INIT;
	AUTOFREE char *path = path_join(use->tree, file_name);
	struct hunk hunk;
	struct err ignored;
	size_t place;

	split(use->text, use->len, &diff);
	if (!find_hunk(&diff, file_name, line, use->reverse, &hunk))
		return;
	buf_adds(to, "\n  the hunk:");
	for (size_t i = 0; i < hunk.n && i < HUNK_LINES; i++)
		add_line(to, "", diff.items.items[hunk.first + i]);
	if (hunk.n > HUNK_LINES)
		buf_addf(to, "\n    ... %zu more lines", hunk.n - HUNK_LINES);
	if (fs_read(path, FILE_MAX, &content, &ignored))
		return;
	split(content.data, content.len, &file);
	expected_lines(&diff, &hunk, use->reverse, &expected);
	place = best_place(&file, &expected, line > 0 ? (size_t)line - 1 : 0);
	explain_no_context(&diff, &hunk, &file, &expected, place, to);
	buf_adds(to, "\n  the file:");
	show_file(&file, &expected, place, to);
}

/* --- The words of git ----------------------------------------------------------------------------
 */

/* "error: patch failed: FILE:LINE": FILE, owned; NULL = another line. */
static char *failed_place(struct span line, long *ret_line)
{
	static const char head[] = "error: patch failed: ";
	AUTOFREE char *text = xstrndup(line.at, line.len);
	char *colon = strrchr(text, ':');

	if (!starts(line, head) || !colon || colon < text + sizeof(head) - 1)
		return NULL;
	*ret_line = strtol(colon + 1, NULL, 10);
	*colon = '\0';
	return xstrdup(text + sizeof(head) - 1);
}

static void add_said(const struct spans *said, struct buf *to)
{
	size_t n = 0;

	for (size_t i = 0; i < said->items.n && n < SAID_LINES; i++) {
		struct span line = said->items.items[i];
		const char *skip = starts(line, "error: ") ? "error: " : "";

		if (!line.len)
			continue;
		line.at += strlen(skip);
		line.len -= strlen(skip);
		if (n++)
			buf_adds(to, "; ");
		text_clean(to, line.at, line.len < 200 ? line.len : 200);
	}
	if (!n)
		buf_adds(to, "git gave no reason");
}

void diff_explain(const struct diff_use *use, const char *said, struct buf *to)
{
	CLEANUP(spans_release) struct spans lines = {VEC_INIT};

	split(said, strlen(said), &lines);
	for (size_t i = 0; i < lines.items.n; i++) {
		long line;
		AUTOFREE char *file = failed_place(lines.items.items[i], &line);

		if (!file)
			continue;
		text_clean(to, file, strlen(file));
		buf_addf(to, ", the hunk for line %ld", line);
		explain_hunk(use, file, line, to);
		return;
	}
	add_said(&lines, to);
}
