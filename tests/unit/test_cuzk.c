/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The shipped parsers: their own tests, and whole logs of the shapes that the cuzk prover prints
 * (tests/golden/cuzk-*.log, written for this test) against what must be read out of them. Lines of
 * the daemon arrive every 100 ms, those of the benches every 60 s; "stderr" in the name is the
 * stream.
 */
#include "config.h"

#include "tests/unit/log_fixture.h"

#include "collectors/lines.h"
#include "core/base/datafile.h"
#include "core/base/fs.h"
#include "tests/unit/scratch.h"

static char *in_source(const char *folder, const char *name)
{
	const char *top = getenv("top_srcdir");

	return xasprintf("%s/%s/%s", top ? top : ".", folder, name);
}

static struct log_parser *shipped(const char *name)
{
	AUTOFREE char *path = NULL;
	struct diags diags = DIAGS_INIT;
	struct log_parser *parser = NULL;
	struct err err;

	if (datafile_find(name, &path, &err) || log_parser_load_file(path, &diags, &parser, &err)) {
		diags_print(&diags, stderr, false);
		fail_msg("%s", err.text);
	}
	diags_release(&diags);
	return parser;
}

static void shipped_parsers_pass_their_own_tests(void **state)
{
	CLEANUP(diags_release) struct diags diags = DIAGS_INIT;
	char **names = datafile_list("parsers", ".yaml");
	size_t total = 0;

	(void)state;
	for (size_t i = 0; names[i]; i++) {
		AUTOFREE char *file = xasprintf("parsers/%s.yaml", names[i]);
		CLEANUP(log_parser_freep) struct log_parser *parser = shipped(file);
		size_t n;

		if (log_parser_selftest(parser, &diags, &n)) {
			diags_print(&diags, stderr, false);
			fail_msg("%s fails its own tests", names[i]);
		}
		assert_true(n > 0);
		total += n;
		free(names[i]);
	}
	free(names);
	assert_true(total >= 20);
}

/* The YAML block of doc/HOWTO-parser.md is a parser, and its tests hold. */
static void the_example_of_the_howto_works(void **state)
{
	static const char open[] = "```yaml\n", close[] = "```\n";
	AUTOFREE char *howto = in_source("doc", "HOWTO-parser.md");
	CLEANUP(diags_release) struct diags diags = DIAGS_INIT;
	CLEANUP(buf_release) struct buf text = BUF_INIT;
	CLEANUP(log_parser_freep) struct log_parser *parser = NULL;
	char *dir = scratch_new();
	AUTOFREE char *path = path_join(dir, "mine.yaml");
	const char *from, *to;
	struct err err;
	size_t n;

	(void)state;
	assert_int_equal(fs_read(howto, 0, &text, &err), 0);
	from = strstr(text.data, open);
	assert_non_null(from);
	from += strlen(open);
	to = strstr(from, close);
	assert_non_null(to);
	assert_int_equal(fs_write(path, from, (size_t)(to - from), 0, &err), 0);
	if (log_parser_load_file(path, &diags, &parser, &err) ||
		log_parser_selftest(parser, &diags, &n)) {
		diags_print(&diags, stderr, false);
		fail_msg("the example does not work");
	}
	assert_true(n >= 5);
	scratch_free(dir);
}

struct feed {
	struct log_run *run;
	enum stream stream;
	int64_t t_ns, step_ns;
};

static void feed_line(void *ctx, const char *line, size_t len, int64_t t_ns)
{
	struct feed *feed = ctx;

	(void)t_ns;
	feed->t_ns += feed->step_ns;
	(void)log_run_line(feed->run, feed->stream, line, len, feed->t_ns);
}

static void check_log(const struct log_parser *parser, const char *name)
{
	AUTOFREE char *log_name = xasprintf("%s.log", name);
	AUTOFREE char *expected_name = xasprintf("%s.expected", name);
	AUTOFREE char *log_path = in_source("tests/golden", log_name);
	AUTOFREE char *expected_path = in_source("tests/golden", expected_name);
	CLEANUP(buf_release) struct buf log = BUF_INIT, expected = BUF_INIT, got = BUF_INIT;
	CLEANUP(log_run_freep) struct log_run *run = log_run_new(parser);
	struct feed feed = {run, strstr(name, "stderr") ? STREAM_STDERR : STREAM_STDOUT, START_NS,
		MS(strstr(name, "stderr") || strstr(name, "daemon") ? 100 : 60000)};
	struct run_record record;
	struct lines lines;
	const char *failed;
	struct err err;

	assert_int_equal(fs_read(log_path, 0, &log, &err), 0);
	lines_init(&lines, feed_line, &feed);
	lines_feed(&lines, log.data, log.len, 0);
	lines_end(&lines, 0);
	lines_release(&lines);
	run_record_init(&record);
	log_run_end(run, START_NS, feed.t_ns + feed.step_ns, &record, &failed);
	record_dump(&record, failed, &got);
	run_record_release(&record);
	if (getenv("ASSAY_GOLDEN_WRITE")) {
		assert_int_equal(fs_write(expected_path, got.data, got.len, 0, &err), 0);
		return;
	}
	assert_int_equal(fs_read(expected_path, 0, &expected, &err), 0);
	assert_string_equal(got.data, expected.data);
}

static void every_shape_of_the_prover_is_read(void **state)
{
	static const char *const names[] = {"cuzk-synth", "cuzk-batch", "cuzk-single",
		"cuzk-failed", "cuzk-pce", "cuzk-slots", "cuzk-daemon-stdout", "cuzk-daemon-stderr",
		"cuzk-history-stderr"};
	CLEANUP(log_parser_freep) struct log_parser *parser = shipped("parsers/cuzk.yaml");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		check_log(parser, names[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shipped_parsers_pass_their_own_tests),
		cmocka_unit_test(the_example_of_the_howto_works),
		cmocka_unit_test(every_shape_of_the_prover_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
