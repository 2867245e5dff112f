/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collectors/check.h"
#include "collectors/lines.h"
#include "core/base/fs.h"
#include "tests/unit/scratch.h"

struct fixture {
	struct checker *checker;
	struct proc_result result;
	struct run_record record;
	struct check_context context;
	struct check_result *results;
	size_t n;
	struct digest digests[2];
	char *scratch;
	struct lines lines;
};

static int expand(
	void *ctx, const char *text, struct arena *arena, const char **ret, struct err *err)
{
	const struct fixture *f = ctx;

	if (strstr(text, "{bad}"))
		return err_set(err, E_CONFIG, "no such placeholder");
	if (!strncmp(text, "{scratch}", 9))
		*ret = arena_printf(arena, "%s%s", f->scratch, text + 9);
	else
		*ret = arena_strdup(arena, text);
	return 0;
}

static void take_line(void *ctx, const char *line, size_t len, int64_t t_ns)
{
	struct fixture *f = ctx;

	(void)t_ns;
	checker_line(f->checker, STREAM_STDOUT, line, len);
}

static void open_lists(struct fixture *f, const struct checks *lists, size_t n_lists)
{
	struct err err;

	memset(f, 0, sizeof(*f));
	if (checker_new(lists, n_lists, &f->checker, &err))
		fail_msg("%s", err.text);
	run_record_init(&f->record);
	f->scratch = scratch_new();
	f->context = (struct check_context){
		.result = &f->result, .record = &f->record, .expand = expand, .expand_ctx = f};
	lines_init(&f->lines, take_line, f);
}

static void open_one(struct fixture *f, struct check check)
{
	static struct check items[1];

	if (!check.text)
		check.text = "the check";
	items[0] = check;
	open_lists(f, &(struct checks){.items = items, .n = 1}, 1);
}

/* As the engine does: bytes to the checks, and lines made of them. */
static void output(struct fixture *f, const char *data)
{
	checker_bytes(f->checker, STREAM_STDOUT, data, strlen(data));
	lines_feed(&f->lines, data, strlen(data), 1);
}

static void end(struct fixture *f)
{
	struct err err;

	lines_end(&f->lines, 1);
	if (checker_end(f->checker, &f->context, &f->record.arena, &f->results, &f->n, f->digests,
		    &err))
		fail_msg("%s", err.text);
}

static void close_fixture(struct fixture *f)
{
	checker_free(f->checker);
	run_record_release(&f->record);
	lines_release(&f->lines);
	scratch_free(f->scratch);
}

/* why NULL: holds. */
static void expect_one(struct fixture *f, const char *why)
{
	end(f);
	assert_int_equal(f->n, 1);
	assert_true(f->results[0].holds == !why);
	if (why)
		assert_string_equal(f->results[0].why, why);
	else
		assert_null(f->results[0].why);
	close_fixture(f);
}

#define AT_LEAST(n) \
	{ \
		BOUND_GE, n \
	}

static void exit_status(void **state)
{
	static const int codes[] = {0, 3, 139};
	const struct check listed = {.kind = CHECK_EXIT, .exit_codes = codes, .n_exit_codes = 3};
	const struct check any = {.kind = CHECK_EXIT, .exit_any = true};
	struct fixture f;

	(void)state;
	open_one(&f, listed);
	f.result.code = 3;
	expect_one(&f, NULL);

	open_one(&f, listed);
	f.result.code = 1;
	expect_one(&f, "exit status 1");

	open_one(&f, listed);
	f.result = (struct proc_result){.end = PROC_SIGNALED, .code = -1, .signal = SIGSEGV};
	expect_one(&f, NULL); /* 139 */

	open_one(&f, any);
	f.result.code = 77;
	expect_one(&f, NULL);

	open_one(&f, any);
	f.result = (struct proc_result){.end = PROC_SIGNALED, .code = -1, .signal = SIGKILL};
	expect_one(&f, "ended by signal 9 (Killed)");

	open_one(&f, any);
	f.result = (struct proc_result){.end = PROC_TIMEOUT, .code = 0};
	expect_one(&f, "ended by the time-out");
}

static void literal_text(void **state)
{
	const struct check verified = {
		.kind = CHECK_TEXT, .pattern = "proof verified", .times = AT_LEAST(1)};
	struct fixture f;

	(void)state;
	open_one(&f, verified);
	output(&f, "a\nproof veri");
	output(&f, "fied\n");
	expect_one(&f, NULL);

	/* Colours inside the text. */
	open_one(&f, verified);
	output(&f, "proof \033[32mverified\033[0m\n");
	expect_one(&f, NULL);

	open_one(&f, verified);
	output(&f, "proof not verified\nproof\nverified\n");
	expect_one(&f, "stdout has no \"proof verified\"");

	/* Another stream does not count. */
	open_one(&f, verified);
	checker_bytes(f.checker, STREAM_STDERR, "proof verified", 14);
	checker_line(f.checker, STREAM_STDERR, "proof verified", 14);
	expect_one(&f, "stdout has no \"proof verified\"");
}

static void literal_text_far_inside_a_long_line(void **state)
{
	size_t far = 3 * LINE_MAX_BYTES;
	AUTOFREE char *line = xmalloc(far + 1);
	struct fixture f;

	(void)state;
	memset(line, 'x', far);
	line[far] = '\0';
	open_one(&f, (struct check){
			     .kind = CHECK_TEXT, .pattern = "\"ok\": true", .times = AT_LEAST(1)});
	output(&f, line);
	output(&f, "\"ok\": ");
	output(&f, "true}\n");
	expect_one(&f, NULL);
}

static void counts(void **state)
{
	struct fixture f;

	(void)state;
	open_one(&f, (struct check){.kind = CHECK_TEXT, .pattern = "aa", .times = {BOUND_EQ, 3}});
	output(&f, "aaaaa\naa\n"); /* not overlapping: 2 + 1 */
	expect_one(&f, NULL);

	/* Over line ends; the text starts anew inside itself, so the failure table is needed. */
	open_one(&f,
		(struct check){.kind = CHECK_TEXT, .pattern = "a\na\nb", .times = {BOUND_EQ, 1}});
	output(&f, "a\na\na\nb\n");
	expect_one(&f, NULL);

	open_one(&f, (struct check){.kind = CHECK_TEXT, .pattern = "a\nb", .times = {BOUND_EQ, 1}});
	output(&f, "xa\nbx\n");
	expect_one(&f, NULL);

	open_one(&f, (struct check){.kind = CHECK_TEXT, .pattern = "x", .times = {BOUND_LT, 2}});
	output(&f, "x x\n");
	expect_one(&f, "stdout has \"x\" 2 times, not < 2");

	open_one(&f, (struct check){.kind = CHECK_RE, .pattern = "k=\\d+", .times = {BOUND_EQ, 3}});
	output(&f, "k=1 k=22\nk=\nk=3\n");
	expect_one(&f, NULL);

	/* Empty matches end, also between the bytes of a character. */
	open_one(&f, (struct check){.kind = CHECK_RE, .pattern = "z*", .times = {BOUND_GE, 3}});
	output(&f, "a\xC3\xA9\xE2\x82\xAC\xff\n");
	expect_one(&f, NULL);

	open_one(&f,
		(struct check){
			.kind = CHECK_RE, .pattern = "^(?:(?:a|aa)+$|b)", .times = AT_LEAST(1)});
	output(&f, "b\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\n");
	expect_one(&f, "'^(?:(?:a|aa)+$|b)' took too many steps on a line of stdout");
}

static void phases_and_metrics(void **state)
{
	const struct check phase = {.kind = CHECK_PHASE, .name = "synthesis"};
	struct fixture f;

	(void)state;
	open_one(&f, phase);
	expect_one(&f, "phase synthesis did not occur");

	open_one(&f, phase);
	run_record_phase(&f.record,
		&(struct phase_span){.name = "synthesis", .end_ns = 2 * NS_PER_S, .parent = -1});
	expect_one(&f, NULL);

	open_one(&f, (struct check){
			     .kind = CHECK_METRIC, .name = "phase:synthesis", .is = {BOUND_LT, 2}});
	run_record_phase(&f.record,
		&(struct phase_span){.name = "synthesis", .end_ns = 2 * NS_PER_S, .parent = -1});
	expect_one(&f, "phase:synthesis is 2, not < 2");

	open_one(&f, (struct check){.kind = CHECK_METRIC, .name = "log:n", .is = AT_LEAST(5)});
	run_record_sample(&f.record, &(struct sample){.metric = "log:n", .value = 5});
	expect_one(&f, NULL);

	open_one(&f, (struct check){.kind = CHECK_METRIC, .name = "log:n", .is = AT_LEAST(5)});
	expect_one(&f, "log:n was not measured");

	open_one(&f, (struct check){.kind = CHECK_METRIC, .name = "log:n", .is = AT_LEAST(5)});
	run_record_sample(&f.record,
		&(struct sample){.metric = "log:n", .value = NAN, .reason = "no such line"});
	expect_one(&f, "log:n was not measured: no such line");

	open_one(
		&f, (struct check){.kind = CHECK_CALL, .name = "cudaMalloc", .times = AT_LEAST(1)});
	expect_one(&f, "calls of cudaMalloc were not recorded: the cuda collector did not run");
}

static void files(void **state)
{
	const struct check relative = {.kind = CHECK_FILE, .name = "out.bin"};
	AUTOFREE char *path = NULL;
	struct fixture f;
	struct err err;

	(void)state;
	open_one(&f, relative);
	path = path_join(f.scratch, "out.bin");
	assert_int_equal(fs_write(path, "x", 1, 0, &err), 0);
	expect_one(&f, NULL);

	open_one(&f, (struct check){.kind = CHECK_FILE, .name = "/nonexistent/x"});
	expect_one(&f, "there is no file /nonexistent/x");

	open_one(&f, (struct check){.kind = CHECK_FILE, .name = "{bad}", .text = "file {bad}"});
	assert_int_equal(checker_end(f.checker, &f.context, &f.record.arena, &f.results, &f.n,
				 f.digests, &err),
		-1);
	assert_non_null(strstr(err.text, "file {bad}"));
	close_fixture(&f);
}

static void digests_of_the_stream(void **state)
{
	const struct check same = {.kind = CHECK_SHA256, .in = STREAM_STDOUT};
	struct digest wanted = digest_of("hello\n", 6), unknown = {{0}};
	struct fixture f;

	(void)state;
	open_one(&f, same);
	f.context.same[STREAM_STDOUT] = &wanted;
	output(&f, "hel");
	output(&f, "lo\n");
	expect_one(&f, NULL);

	open_one(&f, same);
	f.context.same[STREAM_STDOUT] = &wanted;
	output(&f, "hello");
	expect_one(&f, "stdout differs from the baseline's");

	/* Nothing to compare with is no success, where there should be something. */
	open_one(&f, same);
	f.context.same[STREAM_STDOUT] = &unknown;
	f.context.same_required = true;
	output(&f, "hello\n");
	expect_one(&f, "stdout cannot be compared: the baseline has no valid run yet");

	/* The baseline itself: holds, and says what to keep. */
	open_one(&f, same);
	f.context.same[STREAM_STDOUT] = &unknown;
	output(&f, "hello\n");
	end(&f);
	assert_true(f.results[0].holds);
	assert_string_equal(f.digests[STREAM_STDOUT].hex, wanted.hex);
	assert_string_equal(f.digests[STREAM_STDERR].hex, "");
	close_fixture(&f);
}

static void lists_and_runs_are_apart(void **state)
{
	static const struct check own[] = {{.kind = CHECK_EXIT, .text = "exit", .exit_any = true},
		{.kind = CHECK_TEXT, .text = "a", .pattern = "a", .times = {BOUND_EQ, 1}}};
	static const struct check seen[] = {
		{.kind = CHECK_RE, .text = "b", .pattern = "b+", .times = {BOUND_EQ, 1}}};
	static const struct checks lists[] = {{own, 2}, {NULL, 0}, {seen, 1}};
	struct fixture f;

	(void)state;
	open_lists(&f, lists, 3);
	for (int run = 0; run < 3; run++) {
		checker_begin(f.checker);
		output(&f, run == 1 ? "a\n" : "a\nbbb\n");
		end(&f);
		assert_int_equal(f.n, 3);
		assert_ptr_equal(f.results[0].check, &own[0]);
		assert_true(f.results[0].holds);
		assert_true(f.results[1].holds);
		assert_int_equal(f.results[1].list, 0);
		assert_int_equal(f.results[2].list, 2);
		assert_true(f.results[2].holds == (run != 1));
	}
	close_fixture(&f);
}

static void bad_patterns_are_errors(void **state)
{
	static const struct check items[] = {
		{.kind = CHECK_RE, .text = "re", .pattern = "(", .times = AT_LEAST(1)}};
	struct checker *checker;
	struct err err;

	(void)state;
	assert_int_equal(checker_new(&(struct checks){items, 1}, 1, &checker, &err), -1);
	assert_int_equal(err.code, E_CONFIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exit_status),
		cmocka_unit_test(literal_text),
		cmocka_unit_test(literal_text_far_inside_a_long_line),
		cmocka_unit_test(counts),
		cmocka_unit_test(phases_and_metrics),
		cmocka_unit_test(files),
		cmocka_unit_test(digests_of_the_stream),
		cmocka_unit_test(lists_and_runs_are_apart),
		cmocka_unit_test(bad_patterns_are_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
