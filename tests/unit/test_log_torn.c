/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines torn by other writers to the same stream, and logs damaged in any way. */
#include "config.h"

#include "tests/unit/log_fixture.h"

#include "collectors/lines.h"
#include "core/base/datafile.h"
#include "core/base/fs.h"
#include "core/base/rng.h"

#define PARSER \
	"{resync: ['T: ', 'LINE,', 'MARK '], rules: [{match: '^T: (?<kv>\\w+=.*)', pairs: kv}, " \
	"{match: '^LINE,(?<ms>\\d+),START,(?<p>\\d+)$', begin: work, instance: '$p', at: ms ms}, " \
	"{match: '^LINE,(?<ms>\\d+),END,(?<p>\\d+)$', end: work, instance: '$p', at: ms ms}, " \
	"{match: '^MARK (?<kv>\\w+=.*)$', pairs: kv}, {match: '^plain (?<kv>.*)', pairs: kv}]}"

/* Feeds a text as a stream, in one go. */
static void feed_line(void *ctx, const char *line, size_t len, int64_t t_ns)
{
	(void)log_run_line(ctx, STREAM_STDERR, line, len, t_ns);
}

static void feed_text(struct log_run *run, const char *text, size_t len)
{
	struct lines lines;

	lines_init(&lines, feed_line, run);
	lines_feed(&lines, text, len, START_NS + MS(50));
	lines_end(&lines, START_NS + MS(50));
	lines_release(&lines);
}

static void feed(struct log_fixture *f, const char *text)
{
	feed_text(f->run, text, strlen(text));
}

static void expect_counts(const struct log_fixture *f, double torn, double repaired)
{
	has_value(f, "log:torn", "", torn, "");
	has_value(f, "log:repaired", "", repaired, "");
}

static const char slow[] = "LINE,1234,START,17"; /* written in pieces */
static const char fast[] = "T: a=5 b_ms=7\n";    /* written at once */

static void a_line_in_another_at_every_position(void **state)
{
	(void)state;
	for (size_t k = 0; k <= strlen(slow); k++) {
		CLEANUP(buf_release) struct buf text = BUF_INIT;
		struct log_fixture f;

		buf_addf(&text, "%.*s%s%s\nplain c=9\n", (int)k, slow, fast, slow + k);
		fixture_open(&f, PARSER);
		feed(&f, text.data);
		fixture_end(&f, 100);
		has_value(&f, "log:a", "", 5, "");
		has_value(&f, "log:b", "", 0.007, "s");
		has_value(&f, "log:c", "", 9, "");
		assert_int_equal(f.record.phases.n, 1);
		assert_string_equal(f.record.phases.items[0].instance, "17");
		expect_counts(&f, 0, k ? 1 : 0);
		fixture_close(&f);
	}
}

static void two_lines_in_another_at_every_pair_of_positions(void **state)
{
	size_t n = strlen(slow);

	(void)state;
	for (size_t k = 1; k <= n; k++) {
		for (size_t l = k; l <= n; l++) {
			CLEANUP(buf_release) struct buf text = BUF_INIT;
			struct log_fixture f;

			buf_addf(&text, "%.*s%s%.*s%s%s\n", (int)k, slow, fast, (int)(l - k),
				slow + k, fast, slow + l);
			fixture_open(&f, PARSER);
			feed(&f, text.data);
			fixture_end(&f, 100);
			has_value(&f, "log:a", "2", 5, "");
			assert_int_equal(f.record.phases.n, 1);
			assert_string_equal(f.record.phases.items[0].instance, "17");
			expect_counts(&f, 0, 1);
			fixture_close(&f);
		}
	}
}

/* Two slow writers: digits may join other digits, which nobody can tell; but no text becomes part
 * of a name, and what comes afterwards is not affected. */
static void two_slow_writers_do_not_mix_words(void **state)
{
	static const char other[] = "LINE,2345,START,28";

	(void)state;
	for (size_t k = 1; k < strlen(slow); k++) {
		for (size_t l = 1; l < strlen(other); l++) {
			CLEANUP(buf_release) struct buf text = BUF_INIT;
			struct log_fixture f;

			/* slow begins, other begins, slow ends, other ends */
			buf_addf(&text, "%.*s%.*s%s\n%s\nplain c=9\n", (int)k, slow, (int)l, other,
				slow + k, other + l);
			fixture_open(&f, PARSER);
			feed(&f, text.data);
			fixture_end(&f, 100);
			for (size_t i = 0; i < f.record.phases.n; i++) {
				const char *p = f.record.phases.items[i].instance;

				assert_int_equal(strspn(p, "0123456789"), strlen(p));
			}
			has_value(&f, "log:c", "", 9, "");
			fixture_close(&f);
		}
	}
}

static void two_torn_lines_find_their_rests(void **state)
{
	struct log_fixture f;

	(void)state;
	fixture_open(&f, PARSER);
	feed(&f, "LINE,12MARK xT: a=5\n34,START,17\ny=3\n");
	feed(&f, "LINE,13MARK vT: a=6\nw=4\n34,START,18\n");
	fixture_end(&f, 100);
	expect_counts(&f, 0, 4);
	has_value(&f, "log:xy", "", 3, "");
	has_value(&f, "log:vw", "", 4, "");
	has_phase(&f, 0, "work", "17", "", 0, 100);
	fixture_close(&f);
}

static void what_has_no_rest_is_torn(void **state)
{
	struct log_fixture f;

	(void)state;
	fixture_open(&f, PARSER);
	feed(&f, "LINE,1T: a=1\nnoise\nT: b=2\nplain c=3\n");
	fixture_end(&f, 100);
	expect_counts(&f, 2, 0);
	has_value(&f, "log:a", "", 1, "");
	has_value(&f, "log:b", "", 2, "");
	has_value(&f, "log:c", "", 3, "");
	fixture_close(&f);

	/* The run ends before the rest comes. */
	fixture_open(&f, PARSER);
	feed(&f, "LINE,1T: a=1\n");
	fixture_end(&f, 100);
	expect_counts(&f, 1, 0);
	fixture_close(&f);

	/* A complete line of someone else comes first. */
	fixture_open(&f, PARSER);
	feed(&f, "LINE,1,STT: a=1\nplain c=3\nT: b=2\n\nART,4\n");
	fixture_end(&f, 100);
	expect_counts(&f, 0, 1);
	has_value(&f, "log:c", "", 3, "");
	assert_string_equal(f.record.phases.items[0].instance, "4");
	fixture_close(&f);
}

static void streams_are_repaired_apart(void **state)
{
	struct log_fixture f;

	(void)state;
	fixture_open(&f, PARSER);
	assert_int_equal(log_run_line(f.run, STREAM_STDERR, "LINE,T: x", 9, START_NS), -2);
	assert_int_equal(log_run_line(f.run, STREAM_STDOUT, "5,START,1", 9, START_NS), -1);
	assert_int_equal(log_run_line(f.run, STREAM_STDERR, "6,START,2", 9, START_NS), 1);
	fixture_end(&f, 100);
	expect_counts(&f, 0, 1);
	assert_string_equal(f.record.phases.items[0].instance, "2");
	fixture_close(&f);
}

static void held_pieces_are_bounded(void **state)
{
	struct log_fixture f;

	(void)state;
	fixture_open(&f, PARSER);
	for (int i = 0; i < 1000; i++)
		feed(&f, "LINE,1T: a=1\n");
	fixture_end(&f, 100);
	expect_counts(&f, 1000, 0);
	fixture_close(&f);
}

static char *golden(const char *name)
{
	const char *top = getenv("top_srcdir");

	return xasprintf("%s/tests/golden/%s", top ? top : ".", name);
}

/* Flips, cuts and doubles bytes of real logs; a fixed seed, so a failure comes again. */
static void damaged_logs_do_no_harm(void **state)
{
	static const char *const names[] = {"cuzk-daemon-stderr.log", "cuzk-daemon-stdout.log",
		"cuzk-synth.log", "cuzk-batch.log", "cuzk-pce.log", "cuzk-slots.log"};
	AUTOFREE char *path = NULL;
	CLEANUP(diags_release) struct diags diags = DIAGS_INIT;
	CLEANUP(log_parser_freep) struct log_parser *parser = NULL;
	struct rng rng = rng_seeded(20260218);
	struct err err;

	(void)state;
	assert_int_equal(datafile_find("parsers/cuzk.yaml", &path, &err), 0);
	assert_int_equal(log_parser_load_file(path, &diags, &parser, &err), 0);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		AUTOFREE char *log_path = golden(names[i]);
		CLEANUP(buf_release) struct buf log = BUF_INIT;

		assert_int_equal(fs_read(log_path, 0, &log, &err), 0);
		for (int round = 0; round < 150; round++) {
			CLEANUP(log_run_freep) struct log_run *run = log_run_new(parser);
			size_t len = log.len - rng_below(&rng, log.len / 2);
			AUTOFREE char *copy = xmalloc(len);
			uint64_t flips = rng_below(&rng, 40);
			struct run_record record;
			const char *failed;

			memcpy(copy, log.data, len);
			for (uint64_t k = 0; k < flips; k++) {
				size_t at = rng_below(&rng, len);

				if (rng_below(&rng, 4))
					copy[at] ^= (char)(1 << rng_below(&rng, 8));
				else
					copy[at] = copy[rng_below(&rng, len)];
			}
			feed_text(run, copy, len);
			run_record_init(&record);
			log_run_end(run, START_NS, START_NS + MS(100), &record, &failed);
			for (size_t p = 0; p < record.phases.n; p++) {
				const struct phase_span *phase = &record.phases.items[p];

				assert_true(phase->start_ns >= 0);
				assert_true(phase->start_ns <= phase->end_ns);
				assert_true(phase->end_ns <= MS(100));
				assert_true(phase->parent < (int)record.phases.n);
			}
			run_record_release(&record);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_in_another_at_every_position),
		cmocka_unit_test(two_lines_in_another_at_every_pair_of_positions),
		cmocka_unit_test(two_slow_writers_do_not_mix_words),
		cmocka_unit_test(two_torn_lines_find_their_rests),
		cmocka_unit_test(what_has_no_rest_is_torn),
		cmocka_unit_test(streams_are_repaired_apart),
		cmocka_unit_test(held_pieces_are_bounded),
		cmocka_unit_test(damaged_logs_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
