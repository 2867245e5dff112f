/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * PCRE2 as we use it on program output: UTF, but any bytes may come; JIT where there is one; a
 * match limit, so that a pattern which runs away on an odd line costs milliseconds, not the run.
 *
 * A struct regex is immutable and may be shared; a struct matcher is the scratch of one user.
 */
#ifndef ASSAY_COLLECTORS_REGEX_H
#define ASSAY_COLLECTORS_REGEX_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "core/base/err.h"

/* Backtracking steps of one match: about ten milliseconds at most. */
#define REGEX_MATCH_LIMIT 1000000

struct regex {
	pcre2_code *code; /* for valid UTF-8, with JIT */
	/* For other lines, without JIT: in PCRE2 before 10.43 the two together do not find
	 * characters past ASCII by \S, \D and \W (its issue 224). */
	pcre2_code *lenient;
	char *pattern; /* as written */
	/* What every match starts with, for patterns like '^TIMELINE,(...': compared before PCRE2
	 * is asked, since most lines fail most patterns. */
	char *literal;
	size_t literal_len;
};

/* E_CONFIG: "missing closing parenthesis at offset 7". */
int regex_new(const char *pattern, struct regex **ret, struct err *err) MUST_CHECK;
void regex_free(struct regex *regex);
DEFINE_CLEANUP(struct regex, regex_free)
/* Number of a named group, -1 if there is none. */
int regex_group(const struct regex *regex, const char *name);

struct matcher {
	pcre2_match_data *data;
	pcre2_match_context *context;
	pcre2_jit_stack *stack;
	const char *line;
	size_t len;
	bool valid; /* UTF-8 */
};

void matcher_init(struct matcher *matcher);
void matcher_release(struct matcher *matcher);
/* Sets the line that the next matches are about; borrowed, and it must not change meanwhile. */
void matcher_line(struct matcher *matcher, const char *line, size_t len);

enum regex_answer {
	REGEX_NO,
	REGEX_YES,
	REGEX_LIMIT, /* gave up: the limit was reached */
};

/* Searches the line from `start` on, which must be the start of a character. */
enum regex_answer regex_match(const struct regex *regex, struct matcher *matcher, size_t start);
/* Where group i of the last match lies; false when it took no part. Group 0 is the whole match. */
bool matcher_group(const struct matcher *matcher, int group, size_t *ret_start, size_t *ret_len);

#endif
