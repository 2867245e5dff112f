/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "collectors/check.h"

#include <math.h>
#include <string.h>

#include "collectors/regex.h"
#include "collectors/run_path.h"
#include "core/base/fs.h"
#include "core/base/num.h"
#include "core/base/vec.h"

/* One check in use. */
struct watch {
	const struct check *check;
	size_t list;
	/* CHECK_TEXT: in lines (without escape sequences) and in raw bytes (whole lines, however
	 * long); the larger count holds. */
	size_t text_len;
	size_t *fail; /* Knuth-Morris-Pratt: how much still matches after a mismatch at i */
	size_t matched;
	uint64_t in_bytes, in_lines;
	/* CHECK_RE */
	struct regex *regex;
	bool gave_up;
};

struct checker {
	VEC(struct watch) watches;
	struct matcher matcher;
	bool has_regex;
	struct digest_ctx *digests[2]; /* NULL = no check needs it */
};

static size_t *failure_table(const char *text, size_t len)
{
	size_t *fail = xcalloc(len + 1, sizeof(*fail));

	for (size_t i = 1, k = 0; i < len; i++) {
		while (k && text[i] != text[k])
			k = fail[k - 1];
		if (text[i] == text[k])
			k++;
		fail[i] = k;
	}
	return fail;
}

int checker_new(const struct checks *checks, size_t n_lists, struct checker **ret, struct err *err)
{
	CLEANUP(checker_freep) struct checker *checker = xcalloc(1, sizeof(*checker));

	matcher_init(&checker->matcher);
	for (size_t l = 0; l < n_lists; l++) {
		for (size_t i = 0; i < checks[l].n; i++) {
			struct watch *watch = vec_push(&checker->watches);

			watch->check = &checks[l].items[i];
			watch->list = l;
			if (watch->check->kind == CHECK_TEXT) {
				watch->text_len = strlen(watch->check->pattern);
				watch->fail = failure_table(watch->check->pattern, watch->text_len);
			}
			if (watch->check->kind != CHECK_RE)
				continue;
			checker->has_regex = true;
			if (regex_new(watch->check->pattern, &watch->regex, err))
				return err_wrap(err, "check `%s`", watch->check->text);
		}
	}
	checker_begin(checker);
	*ret = STEAL(checker);
	return 0;
}

void checker_free(struct checker *checker)
{
	if (!checker)
		return;
	for (size_t i = 0; i < checker->watches.n; i++) {
		free(checker->watches.items[i].fail);
		regex_free(checker->watches.items[i].regex);
	}
	vec_release(&checker->watches);
	matcher_release(&checker->matcher);
	for (size_t i = 0; i < ARRAY_SIZE(checker->digests); i++)
		digest_free(checker->digests[i]);
	free(checker);
}

static struct digest_ctx **digest_of_stream(struct checker *checker, enum stream stream)
{
	return stream == STREAM_STDOUT || stream == STREAM_STDERR ? &checker->digests[stream]
								  : NULL;
}

void checker_begin(struct checker *checker)
{
	for (size_t i = 0; i < ARRAY_SIZE(checker->digests); i++) {
		digest_free(checker->digests[i]);
		checker->digests[i] = NULL;
	}
	for (size_t i = 0; i < checker->watches.n; i++) {
		struct watch *watch = &checker->watches.items[i];
		struct digest_ctx **digest = digest_of_stream(checker, watch->check->in);

		watch->matched = 0;
		watch->in_bytes = watch->in_lines = 0;
		watch->gave_up = false;
		if (watch->check->kind == CHECK_SHA256 && digest && !*digest)
			*digest = digest_new();
	}
}

static void count_in_bytes(struct watch *watch, const char *data, size_t len)
{
	const char *text = watch->check->pattern;
	size_t k = watch->matched;

	for (size_t i = 0; i < len; i++) {
		if (!k) {
			/* Most bytes cannot start it. */
			const char *first = memchr(data + i, text[0], len - i);

			if (!first)
				break;
			i = (size_t)(first - data);
		}
		while (k && data[i] != text[k])
			k = watch->fail[k - 1];
		if (data[i] == text[k])
			k++;
		if (k == watch->text_len) {
			watch->in_bytes++;
			k = 0;
		}
	}
	watch->matched = k;
}

void checker_bytes(struct checker *checker, enum stream stream, const char *data, size_t len)
{
	struct digest_ctx **digest = digest_of_stream(checker, stream);

	if (digest && *digest)
		digest_add(*digest, data, len);
	for (size_t i = 0; i < checker->watches.n; i++) {
		struct watch *watch = &checker->watches.items[i];

		if (watch->check->kind == CHECK_TEXT && watch->check->in == stream &&
			watch->text_len)
			count_in_bytes(watch, data, len);
	}
}

static void count_in_line(struct watch *watch, const char *line, size_t len)
{
	const char *at;

	while (len >= watch->text_len &&
		(at = memmem(line, len, watch->check->pattern, watch->text_len))) {
		watch->in_lines++;
		at += watch->text_len;
		len -= (size_t)(at - line);
		line = at;
	}
}

static size_t next_character(const struct matcher *matcher, size_t at)
{
	do
		at++;
	while (at < matcher->len && ((unsigned char)matcher->line[at] & 0xC0) == 0x80);
	return at;
}

static void count_matches(struct watch *watch, struct matcher *matcher)
{
	size_t from = 0, start, n;
	enum regex_answer answer = REGEX_NO;

	while (!watch->gave_up &&
		(answer = regex_match(watch->regex, matcher, from)) == REGEX_YES) {
		watch->in_lines++;
		if (!matcher_group(matcher, 0, &start, &n) || start + n >= matcher->len)
			break;
		from = start + n;
		/* An empty match must not be found again: on to the next character. */
		if (!n)
			from = next_character(matcher, from);
	}
	if (answer == REGEX_LIMIT)
		watch->gave_up = true;
}

void checker_line(struct checker *checker, enum stream stream, const char *line, size_t len)
{
	if (checker->has_regex)
		matcher_line(&checker->matcher, line, len);
	for (size_t i = 0; i < checker->watches.n; i++) {
		struct watch *watch = &checker->watches.items[i];

		if (watch->check->in != stream)
			continue;
		if (watch->check->kind == CHECK_TEXT && watch->text_len)
			count_in_line(watch, line, len);
		else if (watch->check->kind == CHECK_RE)
			count_matches(watch, &checker->matcher);
	}
}

/* --- Judging -----------------------------------------------------------------------------------
 */

struct judge {
	struct checker *checker;
	const struct check_context *context;
	struct arena *arena;
	struct digest *digests;
};

static const char *stream_name(enum stream stream)
{
	return stream == STREAM_STDOUT ? "stdout" : stream == STREAM_STDERR ? "stderr" : "file";
}

static const char *bound_text(const struct bound *bound, struct arena *arena)
{
	static const char *const ops[] = {[BOUND_EQ] = "==",
		[BOUND_NE] = "!=",
		[BOUND_LT] = "<",
		[BOUND_LE] = "<=",
		[BOUND_GT] = ">",
		[BOUND_GE] = ">="};
	CLEANUP(buf_release) struct buf text = BUF_INIT;

	buf_addf(&text, "%s ", ops[bound->op]);
	num_add_exact(&text, bound->value);
	return arena_strdup(arena, text.data);
}

static const char *judge_exit(const struct judge *j, const struct check *check)
{
	const struct proc_result *result = j->context->result;
	/* As a shell reports it, so that 139 may be listed. */
	int code = result->signal ? 128 + result->signal : result->code;

	if (result->end == PROC_TIMEOUT)
		return "ended by the time-out";
	if (result->end == PROC_CANCELLED)
		return "ended by assay";
	if (check->exit_any && !result->signal)
		return NULL;
	for (size_t i = 0; i < check->n_exit_codes; i++) {
		if (check->exit_codes[i] == code)
			return NULL;
	}
	if (result->signal)
		return arena_printf(j->arena, "ended by signal %d (%s)", result->signal,
			strsignal(result->signal));
	return arena_printf(j->arena, "exit status %d", result->code);
}

static const char *judge_count(const struct judge *j, const struct watch *watch)
{
	const struct check *check = watch->check;
	uint64_t n = watch->in_lines > watch->in_bytes ? watch->in_lines : watch->in_bytes;
	const char *quote = check->kind == CHECK_RE ? "'" : "\"";

	if (watch->gave_up)
		return arena_printf(j->arena, "%s%s%s took too many steps on a line of %s", quote,
			check->pattern, quote, stream_name(check->in));
	if (bound_holds(&check->times, (double)n))
		return NULL;
	if (!n)
		return arena_printf(j->arena, "%s has no %s%s%s", stream_name(check->in), quote,
			check->pattern, quote);
	return arena_printf(j->arena, "%s has %s%s%s %llu times, not %s", stream_name(check->in),
		quote, check->pattern, quote, (unsigned long long)n,
		bound_text(&check->times, j->arena));
}

static const char *judge_phase(const struct judge *j, const struct check *check)
{
	if (run_record_phase_union(j->context->record, check->name) >= 0)
		return NULL;
	return arena_printf(j->arena, "phase %s did not occur", check->name);
}

static const char *judge_metric(const struct judge *j, const struct check *check)
{
	const struct run_record *record = j->context->record;
	const char *metric, *scope;
	const struct sample *sample;
	double value;
	CLEANUP(buf_release) struct buf shown = BUF_INIT;

	metric_ref_split(check->name, j->arena, &metric, &scope);
	sample = run_record_find(record, metric, scope);
	if (sample && isnan(sample->value))
		return arena_printf(
			j->arena, "%s was not measured: %s", check->name, sample->reason);
	if (sample) {
		value = sample->value;
	} else if (!strcmp(metric, "wall") && !strncmp(scope, "phase:", 6)) {
		int64_t ns = run_record_phase_union(record, scope + 6);

		if (ns < 0)
			return arena_printf(j->arena, "phase %s did not occur", scope + 6);
		value = (double)ns / 1e9;
	} else {
		return arena_printf(j->arena, "%s was not measured", check->name);
	}
	if (bound_holds(&check->is, value))
		return NULL;
	num_add_exact(&shown, value);
	return arena_printf(j->arena, "%s is %s, not %s", check->name, shown.data,
		bound_text(&check->is, j->arena));
}

static int judge_file(
	const struct judge *j, const struct check *check, const char **ret_why, struct err *err)
{
	const struct check_context *context = j->context;
	const char *path;

	if (run_path(context->expand, context->expand_ctx, check->name, j->arena, &path, err))
		return -1;
	*ret_why = fs_exists(path) ? NULL : arena_printf(j->arena, "there is no file %s", path);
	return 0;
}

static const char *judge_sha256(const struct judge *j, const struct check *check)
{
	const struct digest *same = j->context->same[check->in];

	if ((!same || !same->hex[0]) && j->context->same_required)
		return arena_printf(j->arena,
			"%s cannot be compared: the baseline has no valid run yet",
			stream_name(check->in));
	if (!same || !same->hex[0] || !strcmp(same->hex, j->digests[check->in].hex))
		return NULL;
	return arena_printf(j->arena, "%s differs from the baseline's", stream_name(check->in));
}

static const char *judge_call(const struct judge *j, const struct check *check)
{
	AUTOFREE char *metric = xasprintf("call:%s", check->name);
	const struct sample *sample = run_record_find(j->context->record, metric, "run");

	if (!sample || isnan(sample->value))
		return arena_printf(j->arena,
			"calls of %s were not recorded: the cuda collector did "
			"not run",
			check->name);
	if (bound_holds(&check->times, sample->value))
		return NULL;
	return arena_printf(j->arena, "%s was called %.0f times, not %s", check->name,
		sample->value, bound_text(&check->times, j->arena));
}

static int judge_one(
	const struct judge *j, const struct watch *watch, const char **ret_why, struct err *err)
{
	const struct check *check = watch->check;

	switch (check->kind) {
	case CHECK_EXIT:
		*ret_why = judge_exit(j, check);
		return 0;
	case CHECK_TEXT:
	case CHECK_RE:
		*ret_why = judge_count(j, watch);
		return 0;
	case CHECK_PHASE:
		*ret_why = judge_phase(j, check);
		return 0;
	case CHECK_METRIC:
		*ret_why = judge_metric(j, check);
		return 0;
	case CHECK_FILE:
		return judge_file(j, check, ret_why, err);
	case CHECK_SHA256:
		*ret_why = judge_sha256(j, check);
		return 0;
	case CHECK_CALL:
		*ret_why = judge_call(j, check);
		return 0;
	}
	return err_set(err, E_BUG, "unknown kind of check");
}

int checker_end(struct checker *checker, const struct check_context *context, struct arena *arena,
	struct check_result **ret, size_t *ret_n, struct digest ret_digests[2], struct err *err)
{
	struct digest digests[2] = {{{0}}, {{0}}};
	struct judge judge = {checker, context, arena, digests};
	struct check_result *results = arena_array(arena, checker->watches.n + 1, sizeof(*results));

	for (size_t i = 0; i < ARRAY_SIZE(digests); i++) {
		if (!checker->digests[i])
			continue;
		digests[i] = digest_end(checker->digests[i]);
		digest_free(checker->digests[i]);
		checker->digests[i] = NULL;
	}
	for (size_t i = 0; i < checker->watches.n; i++) {
		const struct watch *watch = &checker->watches.items[i];
		struct check_result *result = &results[i];

		result->check = watch->check;
		result->list = watch->list;
		if (judge_one(&judge, watch, &result->why, err))
			return err_wrap(err, "check `%s`", watch->check->text);
		result->holds = !result->why;
	}
	*ret = results;
	*ret_n = checker->watches.n;
	memcpy(ret_digests, digests, sizeof(digests));
	return 0;
}
