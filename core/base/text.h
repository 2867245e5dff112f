/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text: tests, suggestions, globs, quoting for display, UTF-8 checks. */
#ifndef ASSAY_BASE_TEXT_H
#define ASSAY_BASE_TEXT_H

#include "core/base/buf.h"

bool text_starts(const char *s, const char *prefix);
bool text_ends(const char *s, const char *suffix);

/* Optimal-string-alignment distance (insert, delete, replace, swap neighbours). */
size_t text_distance(const char *a, const char *b);
/* The nearest of n names when it is near enough to be a typing mistake, else NULL. */
const char *text_nearest(const char *word, const char *const *names, size_t n);

/* Glob with * ? [a-z] on the whole text; '*' also matches '/'. */
bool text_glob(const char *pattern, const char *s);

/* One word as a POSIX shell would need it typed: bare when safe, else in single quotes. */
void text_quote(struct buf *to, const char *word);
/* An argv for display, words separated by blanks; argv ends with NULL. */
void text_quote_argv(struct buf *to, const char *const *argv);

/* Offset of the first byte that is not part of valid UTF-8 (surrogates and overlong forms are
 * invalid), or len when all is valid. */
size_t text_utf8_check(const char *s, size_t len);
/* Width on a terminal in columns (wide East Asian = 2, combining = 0; by wcwidth's rules but free
 * of the locale; a simple table is enough). Invalid bytes count 1. */
size_t text_width(const char *s);
/* Copies with control characters, DEL and invalid UTF-8 replaced by U+FFFD or '?': foreign text
 * on its way to a terminal or a document. '\n' and '\t' become a blank. */
void text_clean(struct buf *to, const char *s, size_t len);
/* The same, but line breaks stay. */
void text_clean_lines(struct buf *to, const char *s, size_t len);
/* In place and byte for byte, so that columns still fit: what is no valid UTF-8, and controls but
 * the tab, become '?'. */
void text_mask(char *s, size_t len);
/* Length of the longest start of s that has at most max bytes and ends between two characters: for
 * "%.*s". */
int text_cut(const char *s, int max);

#endif
