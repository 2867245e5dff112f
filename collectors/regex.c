/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "collectors/regex.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"

/* More named groups than anyone writes; groups beyond them match but cannot be read. */
#define MAX_GROUPS 64

/*
 * "^abc(.*)" -> "abc". Nothing for a pattern with an alternative, which need not start so, and the
 * character before a quantifier is left out. Being too careful costs speed only.
 */
static char *literal_start(const char *pattern, size_t *ret_len)
{
	static const char special[] = "\\^$.[]|()?*+{}#";
	size_t n;

	*ret_len = 0;
	if (pattern[0] != '^' || strchr(pattern, '|') || strstr(pattern, "(?#"))
		return NULL;
	n = strcspn(pattern + 1, special);
	if (n && pattern[1 + n] && strchr("?*+{", pattern[1 + n])) {
		/* The quantifier may stand for none of the last character, which may be of several
		 * bytes. */
		do
			n--;
		while (n && ((unsigned char)pattern[1 + n] & 0xC0) == 0x80);
	}
	if (!n)
		return NULL;
	*ret_len = n;
	return xstrndup(pattern + 1, n);
}

static int compile(const char *pattern, uint32_t options, pcre2_code **ret, struct err *err)
{
	int code;
	PCRE2_SIZE offset;
	PCRE2_UCHAR text[128];

	*ret = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, PCRE2_UTF | options, &code,
		&offset, NULL);
	if (*ret)
		return 0;
	pcre2_get_error_message(code, text, sizeof(text));
	return err_set(err, E_CONFIG, "%s at offset %zu of '%s'", (const char *)text,
		(size_t)offset, pattern);
}

int regex_new(const char *pattern, struct regex **ret, struct err *err)
{
	CLEANUP(regex_freep) struct regex *regex = xcalloc(1, sizeof(*regex));

	if (compile(pattern, 0, &regex->code, err) ||
		compile(pattern, PCRE2_MATCH_INVALID_UTF, &regex->lenient, err))
		return -1;
	/* Without JIT (a hardened kernel, another processor) pcre2_match interprets. */
	(void)pcre2_jit_compile(regex->code, PCRE2_JIT_COMPLETE);
	regex->pattern = xstrdup(pattern);
	regex->literal = literal_start(pattern, &regex->literal_len);
	*ret = STEAL(regex);
	return 0;
}

void regex_free(struct regex *regex)
{
	if (!regex)
		return;
	pcre2_code_free(regex->code);
	pcre2_code_free(regex->lenient);
	free(regex->pattern);
	free(regex->literal);
	free(regex);
}

int regex_group(const struct regex *regex, const char *name)
{
	int group = pcre2_substring_number_from_name(regex->code, (PCRE2_SPTR)name);

	return group > 0 && group < MAX_GROUPS ? group : -1;
}

void matcher_init(struct matcher *matcher)
{
	memset(matcher, 0, sizeof(*matcher));
	matcher->data = pcre2_match_data_create(MAX_GROUPS, NULL);
	matcher->context = pcre2_match_context_create(NULL);
	matcher->stack = pcre2_jit_stack_create((size_t)32 * 1024, (size_t)4 * 1024 * 1024, NULL);
	if (!matcher->data || !matcher->context)
		abort();
	pcre2_set_match_limit(matcher->context, REGEX_MATCH_LIMIT);
	if (matcher->stack)
		pcre2_jit_stack_assign(matcher->context, NULL, matcher->stack);
}

void matcher_release(struct matcher *matcher)
{
	pcre2_match_data_free(matcher->data);
	pcre2_match_context_free(matcher->context);
	pcre2_jit_stack_free(matcher->stack);
	memset(matcher, 0, sizeof(*matcher));
}

/* The usual line: tested eight bytes at a time. */
static bool is_ascii(const char *s, size_t len)
{
	uint64_t all = 0, word;
	size_t i = 0;

	for (; i + sizeof(word) <= len; i += sizeof(word)) {
		memcpy(&word, s + i, sizeof(word));
		all |= word;
	}
	for (; i < len; i++)
		all |= (unsigned char)s[i];
	return !(all & UINT64_C(0x8080808080808080));
}

void matcher_line(struct matcher *matcher, const char *line, size_t len)
{
	matcher->line = line;
	matcher->len = len;
	matcher->valid = is_ascii(line, len) || text_utf8_check(line, len) == len;
}

enum regex_answer regex_match(const struct regex *regex, struct matcher *matcher, size_t start)
{
	int rc;

	if (regex->literal && (matcher->len < regex->literal_len ||
				      memcmp(matcher->line, regex->literal, regex->literal_len)))
		return REGEX_NO;
	rc = pcre2_match(matcher->valid ? regex->code : regex->lenient, (PCRE2_SPTR)matcher->line,
		matcher->len, start, matcher->valid ? PCRE2_NO_UTF_CHECK : 0, matcher->data,
		matcher->context);
	if (rc >= 0)
		return REGEX_YES;
	return rc == PCRE2_ERROR_NOMATCH ? REGEX_NO : REGEX_LIMIT;
}

bool matcher_group(const struct matcher *matcher, int group, size_t *ret_start, size_t *ret_len)
{
	const PCRE2_SIZE *at = pcre2_get_ovector_pointer(matcher->data) + 2 * (ptrdiff_t)group;

	/* \K in a lookahead can put the start of group 0 behind its end. */
	if (at[0] == PCRE2_UNSET || at[0] > at[1])
		return false;
	*ret_start = at[0];
	*ret_len = at[1] - at[0];
	return true;
}
