/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules of log parsers: numbers, units, phases, clocks, failures, and mistakes in parser files. */
#include "config.h"

#include "tests/unit/log_fixture.h"

#include <math.h>

#include "collectors/log_value.h"
#include "core/base/fs.h"
#include "tests/unit/scratch.h"

/* --- Numbers -----------------------------------------------------------------------------------
 */

static void numbers_with_units(void **state)
{
	static const struct {
		const char *text;
		double value, quantum;
		const char *base; /* NULL: not a number */
		size_t used;
	} cases[] = {
		{"12", 12, 1, "", 2},
		{"12 ms", 0.012, 0.001, "s", 5},
		{"12ms,", 0.012, 0.001, "s", 4},
		{"154.7ms", 0.1547, 0.0001, "s", 7},
		{"0.1s", 0.1, 0.1, "s", 4},
		{"870\xC2\xB5s", 0.00087, 1e-6, "s", 6},
		{"2 min", 120, 60, "s", 5},
		{"64 MiB", 67108864, 1048576, "B", 6},
		{"1.5kB)", 1500, 100, "B", 5},
		{"70%", 0.7, 0.01, "", 3},
		{"1.42x", 1.42, 0.01, "", 5},
		{"-3.50", -3.5, 0.01, "", 5},
		{"+7", 7, 1, "", 2},
		{"1e3", 1000, 1000, "", 3},
		{"2.5e-3s", 0.0025, 0.0001, "s", 7},
		{"5. Next", 5, 1, "", 1},
		{"12 apples", 12, 1, "", 2},
		{"12 s=5", 12, 1, "", 2}, /* a key follows, not a unit */
		{"9007199254740993", 9007199254740992, 1, "", 16},
		{"12abc", 0, 0, NULL, 0},
		{"0x10", 0, 0, NULL, 0},
		{"1.2.3", 0, 0, NULL, 0},
		{"1,234", 0, 0, NULL, 0},
		{"2026-01-31", 0, 0, NULL, 0},
		{"ms", 0, 0, NULL, 0},
		{"-", 0, 0, NULL, 0},
		{".5", 0, 0, NULL, 0},
		{"", 0, 0, NULL, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct log_value value;
		double quantum, number;

		if (log_value_parse(cases[i].text, strlen(cases[i].text), &value) !=
			(cases[i].base != NULL))
			fail_msg("%s", cases[i].text);
		if (!cases[i].base)
			continue;
		number = log_value_in(&value, &value.unit, &quantum);
		if (number != cases[i].value || quantum != cases[i].quantum ||
			value.used != cases[i].used || strcmp(value.unit.base, cases[i].base))
			fail_msg("%s: %.17g +- %.17g %s, %zu bytes", cases[i].text, number, quantum,
				value.unit.base, value.used);
	}
}

#define PAIRS "{rules: [{match: '(?<kv>.*)', pairs: kv}]}"

static void pairs_take_what_is_a_number(void **state)
{
	struct log_fixture f;

	(void)state;
	fixture_open(&f, PAIRS);
	fixture_line(&f, 1,
		"x a=1 b=2.5s,c_ms=7(d=12 ms) e=fallback f=1.2.3 g-h=4 z/y=9 i={j=5} k_bytes=3 "
		"_ms=8 l_gib=2 m_us=15 =3 n= o=1,p=2");
	fixture_end(&f, 10);
	has_value(&f, "log:a", "", 1, "");
	has_value(&f, "log:b", "", 2.5, "s");
	has_value(&f, "log:c", "", 0.007, "s");
	has_value(&f, "log:d", "", 0.012, "s");
	has_value(&f, "log:g-h", "", 4, "");
	has_value(&f, "log:j", "", 5, "");
	has_value(&f, "log:k", "", 3, "B");
	has_value(&f, "log:_ms", "", 8, ""); /* nothing would be left */
	has_value(&f, "log:l", "", 0x1p31, "B");
	has_value(&f, "log:m", "", 15e-6, "s");
	has_value(&f, "log:o", "", 1, "");
	has_value(&f, "log:p", "", 2, "");
	has_none(&f, "log:e", "");
	has_none(&f, "log:f", "");
	has_none(&f, "log:y", "");
	has_none(&f, "log:n", "");
	has_value(&f, "log:torn", "", 0, "");
	has_value(&f, "log:repaired", "", 0, "");
	assert_int_equal(f.record.samples.n, 14);
	assert_true(fixture_sample(&f, "log:b", "")->quantum == 0.1);
	assert_true(fixture_sample(&f, "log:c", "")->quantum == 0.001);
	fixture_close(&f);
}

static void many_values_are_reduced_and_kept(void **state)
{
	static const struct {
		const char *reduce;
		double value, quantum;
	} cases[] = {{"last", 2.25, 0.01}, {"first", 4, 1}, {"mean", 2.75, 1}, {"sum", 8.25, 1},
		{"min", 2, 1}, {"max", 4, 1}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTOFREE char *text = xasprintf(
			"{rules: [{match: '(?<kv>.*)', pairs: kv, reduce: %s}]}", cases[i].reduce);
		struct log_fixture f;

		fixture_open(&f, text);
		fixture_line(&f, 1, "v=4");
		fixture_line(&f, 2, "v=2");
		fixture_line(&f, 3, "v=2.25");
		fixture_line(&f, 4, "once=1");
		fixture_end(&f, 10);
		has_value(&f, "log:v", "", cases[i].value, "");
		assert_true(fixture_sample(&f, "log:v", "")->quantum == cases[i].quantum);
		has_value(&f, "log:v", "1", 4, "");
		has_value(&f, "log:v", "2", 2, "");
		has_value(&f, "log:v", "3", 2.25, "");
		has_value(&f, "log:once", "", 1, "");
		has_none(&f, "log:once", "1");
		fixture_close(&f);
	}
}

static void labels_of_single_values_are_unique(void **state)
{
	struct log_fixture f;

	(void)state;
	fixture_open(&f, "{rules: [{match: '^(?<p>\\S+) (?<kv>.*)', pairs: kv, instance: '$p'},"
			 " {match: '(?<kv>.*)', pairs: kv}]}");
	fixture_line(&f, 1, "a v=1");
	fixture_line(&f, 2, "a#2 v=2");
	fixture_line(&f, 3, "a v=3");
	fixture_line(&f, 4, "a v=4");
	fixture_line(&f, 5, "6 v=5");
	fixture_line(&f, 6, "v=6"); /* the sixth: "6" is taken */
	fixture_end(&f, 10);
	has_value(&f, "log:v", "a", 1, "");
	has_value(&f, "log:v", "a#2", 2, "");
	has_value(&f, "log:v", "a#3", 3, "");
	has_value(&f, "log:v", "a#4", 4, "");
	has_value(&f, "log:v", "6", 5, "");
	has_value(&f, "log:v", "6#2", 6, "");
	fixture_close(&f);
}

static void values_rename_prefix(void **state)
{
	struct log_fixture f;

	(void)state;
	fixture_open(&f,
		"{rules: [{match: '^(?<w>\\w+): t=(?<t>\\S+) n=(?<n>\\S*)', values: {t: ms, n: "
		"''}, "
		"rename: {t: took}, prefix: '${w}_'}, {match: '(?<kv>.*)', pairs: kv, rename: "
		"{x_ms: y, torn: torn}}]}");
	fixture_line(&f, 1, "load: t=12.5 n=7");
	fixture_line(&f, 2, "save: t=3s n=many"); /* a unit in the text wins */
	fixture_line(&f, 3, "x_ms=4 torn=1");
	fixture_end(&f, 10);
	has_value(&f, "log:load_took", "", 0.0125, "s");
	has_value(&f, "log:load_n", "", 7, "");
	has_value(&f, "log:save_took", "", 3, "s");
	has_none(&f, "log:save_n", "");
	has_value(&f, "log:y", "", 0.004, "s");
	/* The names of our own counts stay ours. */
	has_value(&f, "log:torn", "", 0, "");
	has_value(&f, "log:torn_", "", 1, "");
	fixture_close(&f);
}

static void one_key_has_one_dimension(void **state)
{
	struct log_fixture f;

	(void)state;
	fixture_open(&f, PAIRS);
	fixture_line(&f, 1, "size=4 MiB");
	fixture_line(&f, 2, "size=3 ms");
	fixture_line(&f, 3, "size=8 MiB");
	fixture_end(&f, 10);
	has_value(&f, "log:size", "", 0x1p23, "B");
	has_value(&f, "log:unit_conflicts", "", 1, "");
	fixture_close(&f);
}

static void first_match_wins_and_streams_are_apart(void **state)
{
	struct log_fixture f;

	(void)state;
	fixture_open(&f, "{rules: [{match: '^#', ignore: true}, "
			 "{match: '^e (?<kv>.*)', stream: stderr, pairs: kv}, "
			 "{match: '(?<kv>.*=.*)', stream: stdout, pairs: kv}]}");
	assert_int_equal(fixture_line(&f, 1, "# a=1"), 0);
	assert_int_equal(fixture_line(&f, 1, "e b=2"), 2);
	assert_int_equal(log_run_line(f.run, STREAM_STDERR, "e c=3", 5, START_NS), 1);
	assert_int_equal(log_run_line(f.run, STREAM_STDERR, "d=4", 3, START_NS), -1);
	fixture_end(&f, 10);
	has_none(&f, "log:a", "");
	has_value(&f, "log:b", "", 2, "");
	has_value(&f, "log:c", "", 3, "");
	has_none(&f, "log:d", "");
	assert_int_equal(log_run_matches(f.run, 0), 1);
	assert_int_equal(log_run_matches(f.run, 1), 1);
	assert_int_equal(log_parser_n_rules(f.parser), 3);
	assert_string_equal(log_parser_rule_text(f.parser, 0), "^#");
	fixture_close(&f);
}

static void odd_bytes_match_as_well(void **state)
{
	static const char line[] = "\xff\xfe took=\0x ms=3 \x80";
	struct log_fixture f;

	(void)state;
	/* \S of a character past ASCII, which JIT must find, too. */
	fixture_open(&f, "{rules: [{match: '^t (?<v>\\d+\\Ss)$', values: {v: s}},"
			 " {match: '(?<kv>ms=.*)', pairs: kv}]}");
	assert_int_equal(fixture_line(&f, 1, "t 870\xC2\xB5s"), 0);
	assert_int_equal(log_run_line(f.run, STREAM_STDOUT, line, sizeof(line) - 1, START_NS), 1);
	fixture_end(&f, 10);
	has_value(&f, "log:v", "", 0.00087, "s");
	has_value(&f, "log:ms", "", 3, "");
	fixture_close(&f);
}

/* --- Phases ------------------------------------------------------------------------------------
 */

static void times_are_phases_that_end_now(void **state)
{
	struct log_fixture f;

	(void)state;
	fixture_open(&f, "{rules: [{match: '^all (?<kv>.*)', pairs: kv, spans: true}, "
			 "{match: '^one t(?<t>\\d) (?<kv>.*)', pairs: kv, spans: [b], rename: {b: "
			 "beta}, thread: 'g$t', instance: 'i'}, "
			 "{match: '^seq (?<kv>.*)', pairs: kv, spans: true, sequence: true}]}");
	fixture_line(&f, 100, "all a_ms=30 zero_ms=0 n=5 size=3MiB");
	fixture_line(&f, 200, "one t7 a=40ms b=0ms");
	fixture_line(&f, 300, "seq x_ms=10 y_ms=20 z_ms=5");
	fixture_line(&f, 20, "all late=1s");      /* longer than the run so far */
	fixture_line(&f, 1005, "all after=10ms"); /* read after the end: clipped to it */
	fixture_end(&f, 1000);
	assert_int_equal(f.record.phases.n, 7);
	has_phase(&f, 0, "a", "", "", 70, 100);
	has_phase(&f, 1, "beta", "i", "g7", 200, 200);
	has_phase(&f, 2, "x", "", "", 265, 275);
	has_phase(&f, 3, "y", "", "", 275, 295);
	has_phase(&f, 4, "z", "", "", 295, 300);
	has_phase(&f, 5, "late", "", "", 0, 20);
	has_phase(&f, 6, "after", "", "", 990, 1000);
	fixture_close(&f);
}

#define EVENTS \
	"{rules: [{match: '^B (?<n>\\S+) ?(?<i>\\S*) ?(?<t>\\S*)', begin: '$n', instance: '$i', " \
	"thread: '$t'}, {match: '^E (?<n>\\S+) ?(?<i>\\S*) ?(?<t>\\S*)', end: '$n', instance: " \
	"'$i', thread: '$t'}, {match: '^P (?<n>\\S+)', point: '$n'}]}"

static void begin_and_end_overlap_and_nest(void **state)
{
	struct log_fixture f;

	(void)state;
	fixture_open(&f, EVENTS);
	fixture_line(&f, 10, "B synth 1");
	fixture_line(&f, 20, "B synth 2");
	fixture_line(&f, 25, "B synth 2"); /* the same once more: last begun ends first */
	fixture_line(&f, 30, "B inner 1");
	fixture_line(&f, 35, "P mark");
	fixture_line(&f, 40, "E inner 1");
	fixture_line(&f, 50, "E synth 2");
	fixture_line(&f, 60, "E synth 1");
	fixture_line(&f, 70, "E synth 2");
	fixture_line(&f, 80, "E synth 2");   /* unmatched */
	fixture_line(&f, 85, "E synth 1 t"); /* another thread: unmatched */
	fixture_line(&f, 90, "B rest 1");    /* never ends */
	fixture_end(&f, 100);
	has_phase(&f, 0, "synth", "1", "", 10, 60);
	has_phase(&f, 1, "synth", "2", "", 20, 70);
	has_phase(&f, 2, "synth", "2", "", 25, 50);
	has_phase(&f, 3, "inner", "1", "", 30, 40);
	has_phase(&f, 4, "mark", "", "", 35, 35);
	has_phase(&f, 5, "rest", "1", "", 90, 100);
	assert_int_equal(f.record.phases.items[0].parent, -1);
	assert_int_equal(f.record.phases.items[1].parent, -1);
	assert_int_equal(f.record.phases.items[2].parent, 1);
	assert_int_equal(f.record.phases.items[3].parent, 0);
	assert_int_equal(f.record.phases.items[4].parent, -1);
	has_value(&f, "log:unmatched_ends", "", 2, "");
	has_value(&f, "log:unmatched_begins", "", 1, "");
	/* 10..60 and 20..70 together */
	assert_int_equal(run_record_phase_union(&f.record, "synth"), MS(60));
	fixture_close(&f);
}

static void parents_are_of_the_same_thread(void **state)
{
	struct log_fixture f;

	(void)state;
	fixture_open(&f, EVENTS);
	fixture_line(&f, 10, "B total . g0");
	fixture_line(&f, 11, "B part . g1");
	fixture_line(&f, 12, "B part . g0");
	fixture_line(&f, 13, "E part . g0");
	fixture_line(&f, 14, "E part . g1");
	fixture_line(&f, 15, "E total . g0");
	fixture_line(&f, 15, "B next . g0");
	fixture_end(&f, 20);
	assert_int_equal(f.record.phases.items[0].parent, -1);
	assert_int_equal(f.record.phases.items[1].parent, -1);
	assert_int_equal(f.record.phases.items[2].parent, 0);
	assert_int_equal(f.record.phases.items[3].parent, -1);
	fixture_close(&f);
}

static void the_own_clock_of_lines_is_put_on_ours(void **state)
{
	struct log_fixture f;

	(void)state;
	/* Two clocks: milliseconds since some start, and seconds of another one. */
	fixture_open(&f,
		"{rules: [{match: '^(?<ms>\\d+) B', begin: p, at: ms ms}, {match: '^(?<ms>\\d+) "
		"E', "
		"end: p, at: ms ms}, {match: '^(?<s>[\\d.]+) P', point: m, at: s s}, "
		"{match: '^(?<ms>\\d+) (?<kv>v=.*)', pairs: kv, spans: true, at: ms ms}]}");
	fixture_line(&f, 130, "1100 B");          /* 30 ms late */
	fixture_line(&f, 210, "1200 E");          /* 10 ms late: the nearest, so 1000 is 10 ms */
	fixture_line(&f, 500, "1300 v=40ms");     /* 190 ms late */
	fixture_line(&f, 600, "1753000000.25 P"); /* alone: arrival */
	fixture_line(&f, 950, "9000 P");          /* this clock says more than the run has */
	fixture_end(&f, 1000);
	has_phase(&f, 0, "p", "", "", 110, 210);
	has_phase(&f, 1, "v", "", "", 270, 310);
	fixture_close(&f);
}

static void a_clock_that_jumps_back_gives_no_negative_phase(void **state)
{
	struct log_fixture f;

	(void)state;
	fixture_open(&f, "{rules: [{match: '^(?<ms>\\d+) B', begin: p, at: ms ms}, "
			 "{match: '^(?<ms>\\d+) E', end: p, at: ms ms}]}");
	fixture_line(&f, 100, "500 B");
	fixture_line(&f, 200, "400 E");
	fixture_line(&f, 300, "99999999999999999999999999999 B");
	fixture_end(&f, 1000);
	for (size_t i = 0; i < f.record.phases.n; i++) {
		const struct phase_span *phase = &f.record.phases.items[i];

		assert_true(phase->start_ns >= 0 && phase->start_ns <= phase->end_ns &&
			    phase->end_ns <= MS(1000));
	}
	fixture_close(&f);
}

/* --- The rest ----------------------------------------------------------------------------------
 */

static void a_line_can_fail_the_run(void **state)
{
	struct log_fixture f;

	(void)state;
	fixture_open(&f, "{rules: [{match: '^status: (?<st>\\w+)(?<rest>.*)', fail: {st: [FAILED, "
			 "TIMEOUT], rest: '!'}}]}");
	fixture_line(&f, 1, "status: OK");
	fixture_line(&f, 1, "status: FAILEDX");
	fixture_line(&f, 2, "status: TIMEOUT \033after 3 s");
	fixture_line(&f, 3, "status: FAILED");
	fixture_end(&f, 10);
	assert_string_equal(f.failed, "the log says: status: TIMEOUT ?after 3 s");
	fixture_close(&f);

	fixture_open(&f, "{rules: [{match: '^status: (?<st>\\w+)', fail: {st: FAILED}}]}");
	fixture_line(&f, 1, "status: OK");
	fixture_end(&f, 10);
	assert_null(f.failed);
	fixture_close(&f);
}

static void a_rule_that_runs_away_is_switched_off(void **state)
{
	const struct sample *sample;
	struct log_fixture f;
	char line[64];

	(void)state;
	/* As many ways to split the a's as the 60th Fibonacci number. */
	fixture_open(&f, "{rules: [{match: '^(?:(?:a|aa)+$|n=(?<n>\\d))', values: {n: ''}}, "
			 "{match: '^(?<kv>v=.*)', pairs: kv}]}");
	memset(line, 'a', 60);
	memcpy(line + 60, "!", 2);
	assert_int_equal(fixture_line(&f, 1, "n=7"), 0);
	assert_int_equal(fixture_line(&f, 2, line), -1);
	assert_int_equal(fixture_line(&f, 3, "n=8"), -1);
	assert_int_equal(fixture_line(&f, 4, "v=1"), 1);
	fixture_end(&f, 10);
	sample = fixture_sample(&f, "log:rule_off", "1");
	assert_non_null(sample);
	assert_true(isnan(sample->value));
	assert_non_null(strstr(sample->reason, "line 2"));
	has_value(&f, "log:n", "", 7, "");
	has_value(&f, "log:v", "", 1, "");
	fixture_close(&f);
}

static void floods_are_bounded(void **state)
{
	struct log_fixture f;

	(void)state;
	fixture_open(&f, "{rules: [{match: '^v=(?<v>\\d+)', values: {v: ''}, reduce: sum}]}");
	for (int i = 0; i < 200010; i++)
		log_run_line(f.run, STREAM_STDOUT, "v=1", 3, START_NS);
	fixture_end(&f, 10);
	has_value(&f, "log:v", "", 200010, "");
	has_value(&f, "log:singles_dropped", "", 10, "");
	assert_int_equal(f.record.samples.n, 200000 + 4);
	fixture_close(&f);
}

/* --- Files -------------------------------------------------------------------------------------
 */

static void mistakes_in_a_parser_are_all_found(void **state)
{
	static const char text[] = "schema: 2\n"
				   "rules:\n"
				   "  - {match: '(?<a>x', pairs: a}\n"
				   "  - {match: 'x', pairs: nope}\n"
				   "  - {match: 'x(?<v>.)', values: {v: parsec}}\n"
				   "  - {match: 'x'}\n"
				   "  - {match: 'x', begin: a, end: b}\n"
				   "  - {match: 'x', begin: '$gone'}\n"
				   "  - {match: 'x', begin: '$'}\n"
				   "  - {match: 'x', ignore: true, point: p}\n"
				   "  - {match: '(?<t>.)', begin: p, at: t MiB}\n"
				   "  - {match: '(?<t>.)', pairs: t, at: t s}\n"
				   "  - {match: 'x', point: p, spans: true}\n"
				   "  - {match: '(?<t>.)', pairs: t, sequence: true}\n"
				   "  - {match: 'x', fail: FAILED}\n"
				   "  - {match: 'x', point: p, reduce: median}\n"
				   "  - {match: 'x', point: p, colour: red}\n"
				   "  - {pairs: p}\n"
				   "resync: ['']\n";
	static const char *const expected[] = {"only schema 1", "missing", "no group 'nope'",
		"'parsec' is not a unit", "does nothing", "only one of `begin`", "no group 'gone'",
		"behind '$'", "can do nothing else", "a unit of time", "`at` needs",
		"`spans` needs `pairs`", "`sequence` needs `spans`", "expected {GROUP", "median",
		"colour", "match", "cannot be empty"};
	CLEANUP(diags_release) struct diags diags = DIAGS_INIT;
	char *dir = scratch_new();
	AUTOFREE char *path = path_join(dir, "bad.yaml");
	struct log_parser *parser = NULL;
	struct err err;

	(void)state;
	assert_int_equal(fs_write(path, text, strlen(text), 0, &err), 0);
	assert_int_equal(log_parser_load_file(path, &diags, &parser, &err), -1);
	assert_int_equal(err.code, E_CONFIG);
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		size_t k = 0;

		while (k < diags.n && !strstr(diags.items[k].message, expected[i]))
			k++;
		if (k == diags.n) {
			diags_print(&diags, stderr, false);
			fail_msg("no message with \"%s\"", expected[i]);
		}
		assert_true(diags.items[k].line > 0);
	}
	scratch_free(dir);
}

static void parsers_are_found_beside_the_descriptor_and_by_content(void **state)
{
	static const char text[] = "# one\nrules: [{match: 'x', point: p}]\n";
	static const char same[] = "name: other\nrules:\n- match: x\n  point: p\n";
	static const char other[] = "rules: [{match: 'y', point: p}]\n";
	CLEANUP(diags_release) struct diags diags = DIAGS_INIT;
	struct descriptor descriptor = {0};
	char *dir = scratch_new();
	AUTOFREE char *sub = path_join(dir, "parsers"), *path = path_join(sub, "mine.yaml");
	struct digest digest;
	struct log_parser *parser;
	struct err err;

	(void)state;
	descriptor.dir = dir;
	assert_int_equal(fs_mkdirs(sub, &err), 0);
	assert_int_equal(fs_write(path, text, strlen(text), 0, &err), 0);
	assert_int_equal(log_parser_load(&descriptor, "mine", &diags, &parser, &err), 0);
	assert_string_equal(log_parser_name(parser), "mine");
	digest = log_parser_digest(parser);
	log_parser_free(parser);

	assert_int_equal(fs_write(path, same, strlen(same), 0, &err), 0);
	assert_int_equal(log_parser_load(&descriptor, "mine", &diags, &parser, &err), 0);
	assert_string_equal(log_parser_digest(parser).hex, digest.hex);
	log_parser_free(parser);

	assert_int_equal(fs_write(path, other, strlen(other), 0, &err), 0);
	assert_int_equal(log_parser_load(&descriptor, "mine", &diags, &parser, &err), 0);
	assert_string_not_equal(log_parser_digest(parser).hex, digest.hex);
	log_parser_free(parser);

	assert_int_equal(log_parser_load(&descriptor, "nowhere", &diags, &parser, &err), -1);
	assert_int_equal(err.code, E_MISSING);
	assert_non_null(strstr(err.text, "no log parser 'nowhere'"));
	assert_true(err.help[0]);
	scratch_free(dir);
}

static void tests_in_a_parser_can_fail(void **state)
{
	CLEANUP(diags_release) struct diags diags = DIAGS_INIT;
	struct log_fixture f;
	size_t n;

	(void)state;
	fixture_open(&f,
		"{rules: [{match: '^#', ignore: true}, {match: '^t (?<t>\\S+) (?<kv>.*)', pairs: "
		"kv, "
		"spans: true, thread: '$t'}], tests: ["
		"{line: '# x', gives: ignored}, {line: 'x', gives: nothing}, "
		"{line: 't 1 a_ms=5', gives: {values: {a: 5 ms}, phases: [a], thread: '1'}}, "
		"{line: '# x', gives: nothing}, {line: 'x', gives: ignored}, "
		"{line: 't 1 a_ms=5', gives: nothing}, {line: x, gives: {}}, "
		"{line: 't 1 a_ms=5', gives: {values: {a: 6 ms}, phases: [a]}}, "
		"{line: 't 1 a_ms=5', gives: {values: {a: '5'}, phases: [a]}}, "
		"{line: 't 1 a_ms=5', gives: {phases: [a]}}, "
		"{line: 't 1 a_ms=5', gives: {values: {a: 5 ms}}}, "
		"{line: 't 1 a_ms=5', gives: {values: {a: 5 ms}, phases: [a], thread: '2'}}, "
		"{line: 't 1 a_ms=5', gives: {values: {a: 5 ms}, phases: [a], failed: true}}, "
		"{line: x, gives: [a]}]}");
	assert_int_equal(log_parser_selftest(f.parser, &diags, &n), 11);
	assert_int_equal(n, 14);
	assert_int_equal(diags.errors, 11);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_with_units),
		cmocka_unit_test(pairs_take_what_is_a_number),
		cmocka_unit_test(many_values_are_reduced_and_kept),
		cmocka_unit_test(labels_of_single_values_are_unique),
		cmocka_unit_test(values_rename_prefix),
		cmocka_unit_test(one_key_has_one_dimension),
		cmocka_unit_test(first_match_wins_and_streams_are_apart),
		cmocka_unit_test(odd_bytes_match_as_well),
		cmocka_unit_test(times_are_phases_that_end_now),
		cmocka_unit_test(begin_and_end_overlap_and_nest),
		cmocka_unit_test(parents_are_of_the_same_thread),
		cmocka_unit_test(the_own_clock_of_lines_is_put_on_ours),
		cmocka_unit_test(a_clock_that_jumps_back_gives_no_negative_phase),
		cmocka_unit_test(a_line_can_fail_the_run),
		cmocka_unit_test(a_rule_that_runs_away_is_switched_off),
		cmocka_unit_test(floods_are_bounded),
		cmocka_unit_test(mistakes_in_a_parser_are_all_found),
		cmocka_unit_test(parsers_are_found_beside_the_descriptor_and_by_content),
		cmocka_unit_test(tests_in_a_parser_can_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
