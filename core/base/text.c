/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>

bool text_starts(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

bool text_ends(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);

	return n >= m && !memcmp(s + n - m, suffix, m);
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Three rows of the usual table: OSA looks two rows back for a swap. */
static size_t distance(const char *a, const char *b, bool fold)
{
	size_t n = strlen(a), m = strlen(b), result;
	size_t *rows = xcalloc(3 * (m + 1), sizeof(*rows));
	size_t *before = rows, *last = rows + m + 1, *row = rows + 2 * (m + 1);

	for (size_t j = 0; j <= m; j++)
		last[j] = j;
	for (size_t i = 1; i <= n; i++) {
		size_t *spare = before;
		char ca = fold ? lower(a[i - 1]) : a[i - 1];

		row[0] = i;
		for (size_t j = 1; j <= m; j++) {
			char cb = fold ? lower(b[j - 1]) : b[j - 1];
			size_t best = last[j - 1] + (ca != cb);

			if (last[j] + 1 < best)
				best = last[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			if (i > 1 && j > 1 && ca != cb) {
				char pa = fold ? lower(a[i - 2]) : a[i - 2];
				char pb = fold ? lower(b[j - 2]) : b[j - 2];

				if (ca == pb && pa == cb && before[j - 2] + 1 < best)
					best = before[j - 2] + 1;
			}
			row[j] = best;
		}
		before = last;
		last = row;
		row = spare;
	}
	result = last[m];
	free(rows);
	return result;
}

size_t text_distance(const char *a, const char *b)
{
	return distance(a, b, false);
}

const char *text_nearest(const char *word, const char *const *names, size_t n)
{
	size_t len = strlen(word), best = SIZE_MAX;
	const char *nearest = NULL;

	for (size_t i = 0; i < n; i++) {
		size_t name_len = strlen(names[i]);
		size_t longer = len > name_len ? len : name_len;
		size_t shorter = len > name_len ? name_len : len;
		/* One slip per three letters; of two letters one must be right. */
		size_t limit = longer < 2 ? 0 : longer < 6 ? 1 : longer / 3;
		size_t d;

		if (longer - shorter > limit)
			continue;
		d = distance(word, names[i], true);
		if (d <= limit && d < best) {
			best = d;
			nearest = names[i];
		}
	}
	return nearest;
}

/* Matches *p, a bracket expression at pattern, against c; *ret_end = behind it. NULL end: no ']'.
 */
static bool match_class(const char *pattern, unsigned char c, const char **ret_end)
{
	const char *p = pattern + 1;
	bool negated = *p == '!' || *p == '^', found = false, first = true;

	if (negated)
		p++;
	for (; *p && (*p != ']' || first); first = false) {
		unsigned char from = (unsigned char)*p++, to = from;

		if (p[0] == '-' && p[1] && p[1] != ']') {
			to = (unsigned char)p[1];
			p += 2;
		}
		if (c >= from && c <= to)
			found = true;
	}
	*ret_end = *p ? p + 1 : NULL;
	return found != negated;
}

static size_t char_bytes(const char *s)
{
	size_t n = 1;

	while (((unsigned char)s[n] & 0xC0) == 0x80 && (unsigned char)s[0] >= 0xC0 && n < 4)
		n++;
	return n;
}

/* One step of a pattern without '*'; 0 = no match, else the bytes of s used. */
static size_t match_one(const char *p, const char *s, const char **ret_next)
{
	const char *end;

	if (!*s)
		return 0;
	if (*p == '?') {
		*ret_next = p + 1;
		return char_bytes(s);
	}
	if (*p == '[') {
		bool hit = match_class(p, (unsigned char)*s, &end);

		if (end) {
			*ret_next = end;
			return hit;
		}
	}
	*ret_next = p + 1;
	return *p == *s;
}

bool text_glob(const char *pattern, const char *s)
{
	const char *star = NULL, *star_s = NULL, *next;

	/* Only the last '*' ever needs another try, so the time is at most len * len. */
	for (;;) {
		size_t used;

		if (*pattern == '*') {
			star = ++pattern;
			star_s = s;
			continue;
		}
		if (!*pattern && !*s)
			return true;
		used = *pattern ? match_one(pattern, s, &next) : 0;
		if (used) {
			pattern = next;
			s += used;
		} else if (star && *star_s) {
			pattern = star;
			s = ++star_s;
		} else {
			return false;
		}
	}
}

static bool is_safe(char c, bool equals)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("_@%+:,./-", c)) || (equals && c == '=');
}

static void quote(struct buf *to, const char *word, bool equals)
{
	const char *p = word;

	while (is_safe(*p, equals))
		p++;
	if (!*p && p != word) {
		buf_adds(to, word);
		return;
	}
	buf_addc(to, '\'');
	for (p = word; *p; p++) {
		if (*p == '\'')
			buf_adds(to, "'\\''");
		else
			buf_addc(to, *p);
	}
	buf_addc(to, '\'');
}

void text_quote(struct buf *to, const char *word)
{
	quote(to, word, true);
}

void text_quote_argv(struct buf *to, const char *const *argv)
{
	for (size_t i = 0; argv[i]; i++) {
		if (i)
			buf_addc(to, ' ');
		/* A=b as the first word would be an assignment. */
		quote(to, argv[i], i > 0);
	}
}
