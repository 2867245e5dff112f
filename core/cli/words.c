/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/cli/words.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/base/text.h"
#include "core/base/vec.h"

struct splitter {
	const char *text, *at;
	struct buf word;
	bool open; /* a word has begun, maybe an empty quoted one */
};

static int needs_shell(const struct splitter *s, struct err *err)
{
	CLEANUP(buf_release) struct buf quoted = BUF_INIT;

	text_quote(&quoted, s->text);
	err_set(err, E_USAGE, "'%c' in '%s' needs a shell, and none is used", *s->at, s->text);
	return err_help(err, "quote it if it is meant as such, or write sh -c %s", quoted.data);
}

static int unfinished(const struct splitter *s, char quote, struct err *err)
{
	return err_set(err, E_USAGE, "the %c in '%s' is not closed", quote, s->text);
}

static int quoted_part(struct splitter *s, struct err *err)
{
	char quote = *s->at++;

	s->open = true;
	for (; *s->at && *s->at != quote; s->at++) {
		if (quote == '"' && *s->at == '\\' && s->at[1] && strchr("\\\"$`", s->at[1]))
			s->at++;
		else if (quote == '"' && (*s->at == '$' || *s->at == '`'))
			return needs_shell(s, err);
		buf_addc(&s->word, *s->at);
	}
	if (!*s->at)
		return unfinished(s, quote, err);
	s->at++;
	return 0;
}

/* One step on; *ret_end: a word has ended here. */
static int step(struct splitter *s, bool *ret_end, struct err *err)
{
	*ret_end = false;
	if (strchr(" \t\n", *s->at)) {
		*ret_end = s->open;
		s->at++;
		return 0;
	}
	if (*s->at == '\'' || *s->at == '"')
		return quoted_part(s, err);
	if (strchr("|&;<>()$`*?[", *s->at))
		return needs_shell(s, err);
	if (*s->at == '~' && !s->open)
		return needs_shell(s, err);
	if (*s->at == '\\') {
		if (!s->at[1])
			return err_set(err, E_USAGE,
				"the \\ at the end of '%s' stands before nothing", s->text);
		s->at++;
	}
	s->open = true;
	buf_addc(&s->word, *s->at++);
	return 0;
}

int words_split(const char *text, struct arena *arena, const char *const **ret, size_t *ret_n,
	struct err *err)
{
	struct splitter s = {.text = text, .at = text, .word = BUF_INIT};
	VEC(const char *) words = VEC_INIT;
	int rc = 0;

	while (*s.at && !rc) {
		bool end;

		rc = step(&s, &end, err);
		if (!rc && (end || (!*s.at && s.open))) {
			*vec_push(&words) = arena_strdup(arena, s.word.data);
			buf_clear(&s.word);
			s.open = false;
		}
	}
	if (!rc && !words.n)
		rc = err_set(err, E_USAGE, "an empty command");
	if (!rc) {
		*ret_n = words.n;
		*vec_push(&words) = NULL;
		*ret = arena_memdup(arena, words.items, words.n * sizeof(*words.items));
	}
	vec_release(&words);
	buf_release(&s.word);
	return rc;
}
