/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of collectors, and each of them on a run made by hand. */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "collectors/collector.h"
#include "core/base/fs.h"
#include "tests/unit/scratch.h"

/* --- The table ---------------------------------------------------------------------------------
 */

static void every_row_is_complete(void **state)
{
	(void)state;
	for (size_t i = 0; collectors[i]; i++) {
		const struct collector *c = collectors[i];

		assert_true(conf_is_name(c->name));
		assert_true(c->summary && c->summary[0]);
		assert_non_null(c->collect);
		assert_true(!c->options == !c->options_size);
		assert_ptr_equal(collector_find(c->name), c);
	}
	assert_null(collector_find("nothing"));
}

struct chosen {
	struct arena arena;
	struct diags diags;
	struct collector_choice *items;
	size_t n;
	bool good;
};

static void choose(struct chosen *to, const char *yaml)
{
	struct conf_node *root = NULL;
	struct err err;

	memset(to, 0, sizeof(*to));
	if (yaml)
		assert_int_equal(
			conf_parse("test", yaml, strlen(yaml), &to->arena, &to->diags, &root, &err),
			0);
	to->good = collectors_read(root, &to->arena, &to->diags, &to->items, &to->n);
}

static void release(struct chosen *to)
{
	diags_release(&to->diags);
	arena_release(&to->arena);
}

static void expect_choice(const char *yaml, const char *names)
{
	CLEANUP(buf_release) struct buf got = BUF_INIT;
	struct chosen chosen;

	choose(&chosen, yaml);
	assert_true(chosen.good);
	for (size_t i = 0; i < chosen.n; i++) {
		buf_addf(&got, "%s ", chosen.items[i].collector->name);
		assert_non_null(chosen.items[i].options);
	}
	assert_string_equal(got.data, names);
	release(&chosen);
}

static void expect_mistake(const char *yaml, const char *message, const char *help)
{
	struct chosen chosen;

	choose(&chosen, yaml);
	assert_false(chosen.good);
	assert_int_equal(chosen.diags.errors, 1);
	assert_non_null(strstr(chosen.diags.items[0].message, message));
	if (help)
		assert_non_null(strstr(chosen.diags.items[0].help, help));
	release(&chosen);
}

static void the_descriptor_chooses(void **state)
{
	(void)state;
	expect_choice(NULL, "rusage log host ");
	expect_choice("{}", "rusage log host ");
	expect_choice("{fake: {}}", "rusage log host fake ");
	expect_choice("{host: false, log: off}", "rusage ");
	expect_choice("{rusage: , fake: }", "rusage log host fake ");
	expect_mistake("{rusgae: {}}", "no collector 'rusgae'", "'rusage'");
	expect_mistake("{qqqqqq: {}}", "no collector 'qqqqqq'", "assay list collectors");
	expect_mistake("{pmu: {groups: [base]}}", "no collector 'pmu' yet", NULL);
	expect_mistake("{rusage: {x: 1}}", "x", NULL);
	expect_mistake("{host: 5}", "map", "host: {}");
	expect_mistake("[rusage]", "map", NULL);
}

/* --- A run made by hand ------------------------------------------------------------------------
 */

struct run {
	struct proc_result result;
	struct run_record record;
	struct collector_run of;
	char *scratch;
};

static int expand(
	void *ctx, const char *text, struct arena *arena, const char **ret, struct err *err)
{
	const struct run *run = ctx;

	(void)err;
	*ret = strncmp(text, "{scratch}", 9) ? text
					     : arena_printf(arena, "%s%s", run->scratch, text + 9);
	return 0;
}

static void run_init(struct run *run)
{
	memset(run, 0, sizeof(*run));
	run_record_init(&run->record);
	run->scratch = scratch_new();
	run->of = (struct collector_run){.result = &run->result,
		.record = &run->record,
		.expand = expand,
		.expand_ctx = run};
	run->result.start.mono_ns = 1000 * NS_PER_S;
	run->result.stop.mono_ns = 1002 * NS_PER_S;
	run->result.wall_ns = 2 * NS_PER_S;
}

static void run_release(struct run *run)
{
	run_record_release(&run->record);
	scratch_free(run->scratch);
}

static const struct sample *find(const struct run *run, const char *metric, const char *instance)
{
	for (size_t i = 0; i < run->record.samples.n; i++) {
		const struct sample *sample = &run->record.samples.items[i];

		if (!strcmp(sample->metric, metric) && !strcmp(sample->instance, instance))
			return sample;
	}
	return NULL;
}

static void has(const struct run *run, const char *metric, const char *instance, double value,
	const char *unit, double quantum, const char *quality)
{
	const struct sample *sample = find(run, metric, instance);

	if (!sample)
		fail_msg("no sample %s[%s]", metric, instance);
	if (sample->value != value || sample->quantum != quantum)
		fail_msg("%s = %g +- %g", metric, sample->value, sample->quantum);
	assert_string_equal(sample->unit, unit);
	assert_string_equal(sample->quality, quality);
}

static void lacks(const struct run *run, const char *metric, const char *reason)
{
	const struct sample *sample = find(run, metric, "");

	if (!sample)
		fail_msg("no sample %s", metric);
	assert_true(isnan(sample->value));
	if (!strstr(sample->reason, reason))
		fail_msg("%s: %s", metric, sample->reason);
}

/* Opens, begins, attaches; the caller closes. */
static void *start(const struct collector *c, const struct collector_setup *setup, struct run *run)
{
	void *state = xcalloc(1, c->state_size + 1);
	struct collector_begin begin = {.arena = &run->record.arena, .scratch = run->scratch};
	CLEANUP(diags_release) struct diags diags = DIAGS_INIT;
	struct err err;

	if (c->open && c->open(state, setup, &diags, &err))
		fail_msg("%s", err.text);
	if (c->begin)
		assert_int_equal(c->begin(state, &begin, &err), 0);
	if (c->attach)
		assert_int_equal(c->attach(state, getpid(), &err), 0);
	return state;
}

static void finish(const struct collector *c, void *state, struct run *run)
{
	struct err err;

	assert_int_equal(c->collect(state, &run->of, &err), 0);
	if (c->close)
		c->close(state);
	free(state);
}

static void rusage_of_a_run(void **state)
{
	const struct collector *c = collector_find("rusage");
	bool io = access("/proc/self/io", F_OK) == 0;
	struct run run;

	(void)state;
	run_init(&run);
	run.result.usage = (struct rusage){.ru_utime = {1, 500000},
		.ru_stime = {0, 250000},
		.ru_maxrss = 2048,
		.ru_minflt = 11,
		.ru_majflt = 2,
		.ru_inblock = 16,
		.ru_oublock = 3,
		.ru_nvcsw = 7,
		.ru_nivcsw = 5};
	finish(c, start(c, &(struct collector_setup){0}, &run), &run);
	has(&run, "wall", "", 2, "s", 1e-9, "");
	has(&run, "user", "", 1.5, "s", 1e-6, "");
	has(&run, "sys", "", 0.25, "s", 1e-6, "");
	has(&run, "rss_peak", "", 2097152, "B", 1024, "");
	has(&run, "faults_minor", "", 11, "", 1, "");
	has(&run, "faults_major", "", 2, "", 1, "");
	has(&run, "switches_vol", "", 7, "", 1, "");
	has(&run, "switches_invol", "", 5, "", 1, "");
	if (io) {
		has(&run, "read_bytes", "", 8192, "B", 512, "");
		has(&run, "written_bytes", "", 1536, "B", 512, "");
	} else {
		lacks(&run, "read_bytes", "does not count");
	}
	assert_int_equal(run.record.samples.n, 10);
	run_release(&run);
}

static void rusage_of_orphans_stands_apart(void **state)
{
	const struct collector *c = collector_find("rusage");
	struct run run;

	(void)state;
	run_init(&run);
	run.result.usage.ru_utime.tv_sec = 1;
	run.result.orphans = 2;
	run.result.orphan_usage = (struct rusage){.ru_utime = {3, 0}, .ru_maxrss = 100};
	finish(c, start(c, &(struct collector_setup){0}, &run), &run);
	has(&run, "user", "", 1, "s", 1e-6, "");
	has(&run, "user", "orphans", 3, "s", 1e-6, "partial");
	has(&run, "rss_peak", "orphans", 102400, "B", 1024, "partial");
	has(&run, "orphans", "", 2, "", 1, "");
	assert_null(find(&run, "wall", "orphans"));
	run_release(&run);
}

/* --- host --------------------------------------------------------------------------------------
 */

/* In place: a file of /proc stays the same file while what it says changes. */
static void write_proc(const char *dir, const char *name, const char *text)
{
	AUTOFREE char *path = path_join(dir, name);
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void host_before_and_after(void **state)
{
	const struct collector *c = collector_find("host");
	double tick = 1 / (double)sysconf(_SC_CLK_TCK);
	char *proc = scratch_new();
	AUTOFREE char *pressure = path_join(proc, "pressure");
	const char *options = proc;
	struct run run;
	struct err err;
	void *host;

	(void)state;
	assert_int_equal(fs_mkdirs(pressure, &err), 0);
	write_proc(proc, "loadavg", "0.35 0.50 0.25 1/93 15269\n");
	write_proc(proc, "stat", "cpu  1000 0 500 9000 10 0 5 20 0 0\ncpu0 1 2 3\n");
	write_proc(proc, "pressure/cpu",
		"some avg10=0.43 avg60=0.64 avg300=1.14 total=1000000\n"
		"full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
	run_init(&run);
	host = start(c, &(struct collector_setup){.options = &options}, &run);
	write_proc(proc, "loadavg", "1.25 0.50 0.25 1/93 15269\n");
	write_proc(proc, "stat", "cpu  1300 0 600 9100 10 0 5 50 0 0\n");
	write_proc(proc, "pressure/cpu", "some avg10=0.43 avg60=0.64 avg300=1.14 total=1500000\n");
	run.result.usage.ru_utime.tv_sec = 1;
	finish(c, host, &run);
	has(&run, "host:loadavg1", "", 0.35, "", 0.01, "system-wide");
	has(&run, "host:loadavg1", "after", 1.25, "", 0.01, "system-wide");
	has(&run, "host:cpu_pressure_s", "", 0.5, "s", 1e-6, "system-wide");
	assert_true(fabs(find(&run, "host:steal_s", "")->value - 30 * tick) < 1e-9);
	assert_true(fabs(find(&run, "host:others_s", "")->value - (400 * tick - 1)) < 1e-9);
	assert_string_equal(find(&run, "host:steal_s", "")->scope, "system");
	run_release(&run);
	scratch_free(proc);
}

static void host_without_proc_fails_nothing(void **state)
{
	const struct collector *c = collector_find("host");
	const char *options = "/nonexistent";
	char *proc = scratch_new();
	struct run run;

	(void)state;
	run_init(&run);
	finish(c, start(c, &(struct collector_setup){.options = &options}, &run), &run);
	lacks(&run, "host:loadavg1", "kernel");
	lacks(&run, "host:steal_s", "kernel");
	lacks(&run, "host:others_s", "kernel");
	lacks(&run, "host:cpu_pressure_s", "kernel");
	run_release(&run);

	/* Files of another shape. */
	write_proc(proc, "loadavg", "much\n");
	write_proc(proc, "stat", "cpu  1 2 3\n");
	options = proc;
	run_init(&run);
	finish(c, start(c, &(struct collector_setup){.options = &options}, &run), &run);
	lacks(&run, "host:loadavg1", "kernel");
	lacks(&run, "host:steal_s", "kernel");
	run_release(&run);
	scratch_free(proc);
}

static void host_reads_this_machine(void **state)
{
	const struct collector *c = collector_find("host");
	const char *options = NULL;
	struct run run;

	(void)state;
	run_init(&run);
	finish(c, start(c, &(struct collector_setup){.options = &options}, &run), &run);
	assert_true(find(&run, "host:loadavg1", "")->value >= 0);
	run_release(&run);
}

/* --- log ---------------------------------------------------------------------------------------
 */

static void print(
	const struct collector *c, void *log, enum stream stream, const char *line, int64_t at_ms)
{
	c->line(log, stream, line, strlen(line), 1000 * NS_PER_S + at_ms * NS_PER_MS);
}

#define METRIC(name_, in_, path_, re_, unit_, better_, combine_) \
	{ \
		.name = name_, .in = in_, .path = path_, .re = re_, .unit = unit_, \
		.better = better_, .combine = combine_ \
	}

static void own_metrics_of_a_workload(void **state)
{
	static const struct metric_def metrics[] = {
		METRIC("took", STREAM_STDOUT, NULL, "took (?<v>[\\d.]+)", "ms", "lower", "last"),
		METRIC("first", STREAM_STDOUT, NULL, "took (?<v>[\\d.]+)", "ms", "lower", "first"),
		METRIC("rate", STREAM_STDERR, NULL, "rate=(?<v>.*)", "proofs", "higher", "mean"),
		METRIC("size", STREAM_FILE, "{scratch}/out.txt", "size (?<v>\\d+)", "KiB", "lower",
			"sum"),
		METRIC("name", STREAM_FILE, "{scratch}/out.txt", "name (?<v>\\w+)", "", "none",
			"last"),
		METRIC("gone", STREAM_FILE, "{scratch}/gone.txt", "size (?<v>\\d+)", "B", "lower",
			"sum"),
		METRIC("never", STREAM_STDOUT, NULL, "never (?<v>\\d+)", "", "lower", "last"),
	};
	const struct workload workload = {.metrics = metrics, .n_metrics = ARRAY_SIZE(metrics)};
	const struct descriptor descriptor = {0};
	const struct collector *c = collector_find("log");
	const struct collector_setup setup = {&descriptor, &workload, NULL};
	AUTOFREE char *path = NULL;
	struct run run;
	struct err err;
	void *log;

	(void)state;
	run_init(&run);
	log = start(c, &setup, &run);
	print(c, log, STREAM_STDOUT, "took 12.5 ms", 100);
	print(c, log, STREAM_STDERR, "took 99 ms", 100);
	print(c, log, STREAM_STDOUT, "took 7 ms", 200);
	print(c, log, STREAM_STDERR, "rate=  3.0 ", 200);
	print(c, log, STREAM_STDERR, "rate=4.5", 200);
	path = path_join(run.scratch, "out.txt");
	assert_int_equal(fs_write(path, "size 1\nsize 2\nname bob\n", 23, 0, &err), 0);
	finish(c, log, &run);
	has(&run, "took", "", 0.007, "s", 0.001, "");
	has(&run, "first", "", 0.0125, "s", 0.0001, "");
	has(&run, "rate", "", 3.75, "proofs", 0.1, "");
	assert_string_equal(find(&run, "rate", "")->better, "higher");
	has(&run, "size", "", 3072, "B", 1024, "");
	lacks(&run, "name", "\"bob\", which is not a number");
	lacks(&run, "gone", "gone.txt");
	lacks(&run, "never", "no line of stdout matches 'never (?<v>\\d+)'");
	/* No parser: nothing of its counts. */
	assert_null(find(&run, "log:torn", ""));
	run_release(&run);
}

static void the_parser_of_a_workload(void **state)
{
	const struct workload workload = {.log = "plain"};
	const struct descriptor descriptor = {0};
	const struct collector *c = collector_find("log");
	const struct collector_setup setup = {&descriptor, &workload, NULL};
	struct collector_begin begin = {0};
	struct run run;
	struct err err;
	void *log;

	(void)state;
	run_init(&run);
	log = start(c, &setup, &run);
	print(c, log, STREAM_STDOUT, "phase load begin", 100);
	print(c, log, STREAM_STDERR, "items=7", 200);
	print(c, log, STREAM_STDOUT, "phase load end", 350);
	assert_int_equal(c->collect(log, &run.of, &err), 0);
	has(&run, "log:items", "", 7, "", 1, "");
	has(&run, "log:late_lines", "", 0, "", 1, "");
	assert_int_equal(run_record_phase_union(&run.record, "load"), 250 * NS_PER_MS);
	assert_null(run.of.failed);
	run_release(&run);

	/* The next run starts afresh; all of its lines come at its end. */
	run_init(&run);
	assert_int_equal(c->begin(log, &begin, &err), 0);
	print(c, log, STREAM_STDOUT, "count=1", 1990);
	print(c, log, STREAM_STDOUT, "count=2", 1991);
	finish(c, log, &run);
	assert_null(find(&run, "log:items", ""));
	has(&run, "log:count", "", 2, "", 1, "");
	has(&run, "log:late_lines", "", 2, "", 1, "");
	run_release(&run);
}

static void open_says_what_is_wrong(void **state)
{
	static const struct metric_def bad[] = {
		METRIC("x", STREAM_STDOUT, NULL, "no group", "", "lower", "last")};
	static const struct metric_def broken[] = {
		METRIC("x", STREAM_STDOUT, NULL, "(?<v>", "", "lower", "last")};
	const struct workload workloads[] = {{.log = "nowhere"}, {.metrics = bad, .n_metrics = 1},
		{.metrics = broken, .n_metrics = 1}};
	static const char *const expected[] = {"no log parser 'nowhere'", "(?<v>...)", "metric x"};
	const struct descriptor descriptor = {0};
	const struct collector *c = collector_find("log");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(workloads); i++) {
		const struct collector_setup setup = {&descriptor, &workloads[i], NULL};
		CLEANUP(diags_release) struct diags diags = DIAGS_INIT;
		AUTOFREE void *log = xcalloc(1, c->state_size);
		struct err err;

		assert_int_equal(c->open(log, &setup, &diags, &err), -1);
		assert_non_null(strstr(err.text, expected[i]));
	}
}

/* --- fake --------------------------------------------------------------------------------------
 */

static void fake_is_the_same_everywhere(void **state)
{
	const struct collector *c = collector_find("fake");
	struct collector_begin begin = {0};
	struct chosen chosen;
	struct run run;
	struct err err;
	void *fake;

	(void)state;
	choose(&chosen, "{rusage: false, log: false, host: false, fake: {value: 1.5, step: 0.25, "
			"phases: [a, b]}}");
	assert_int_equal(chosen.n, 1);
	run_init(&run);
	fake = start(c, &(struct collector_setup){.options = chosen.items[0].options}, &run);
	c->line(fake, STREAM_STDOUT, "x", 1, 1);
	assert_int_equal(c->collect(fake, &run.of, &err), 0);
	has(&run, "fake:value", "", 1.5, "s", 0.001, "");
	has(&run, "fake:lines", "", 1, "", 1, "");
	assert_int_equal(run.record.phases.n, 2);
	assert_int_equal(run_record_phase_union(&run.record, "b"), NS_PER_MS);
	run_release(&run);

	run_init(&run);
	begin.arena = &run.record.arena;
	assert_int_equal(c->begin(fake, &begin, &err), 0);
	assert_string_equal(begin.env.items[0].key, "ASSAY_FAKE");
	assert_string_equal(begin.env.items[0].value, "1");
	finish(c, fake, &run);
	has(&run, "fake:value", "", 1.75, "s", 0.001, "");
	run_release(&run);
	release(&chosen);
}

static void fake_fails_where_it_is_told(void **state)
{
	static const char *const where[] = {"open", "begin", "attach", "collect"};
	const struct collector *c = collector_find("fake");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(where); i++) {
		AUTOFREE char *yaml = xasprintf("{fake: {fail: %s}}", where[i]);
		AUTOFREE void *fake = xcalloc(1, c->state_size);
		struct collector_setup setup = {0};
		struct collector_begin begin = {0};
		CLEANUP(diags_release) struct diags diags = DIAGS_INIT;
		struct chosen chosen;
		struct run run;
		struct err err;

		choose(&chosen, yaml);
		setup.options = chosen.items[3].options;
		run_init(&run);
		begin.arena = &run.record.arena;
		assert_int_equal(c->open(fake, &setup, &diags, &err), i == 0 ? -1 : 0);
		assert_int_equal(c->begin(fake, &begin, &err), i == 1 ? -1 : 0);
		assert_int_equal(c->attach(fake, 1, &err), i == 2 ? -1 : 0);
		assert_int_equal(c->collect(fake, &run.of, &err), i == 3 ? -1 : 0);
		run_release(&run);
		release(&chosen);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_is_complete),
		cmocka_unit_test(the_descriptor_chooses),
		cmocka_unit_test(rusage_of_a_run),
		cmocka_unit_test(rusage_of_orphans_stands_apart),
		cmocka_unit_test(host_before_and_after),
		cmocka_unit_test(host_without_proc_fails_nothing),
		cmocka_unit_test(host_reads_this_machine),
		cmocka_unit_test(own_metrics_of_a_workload),
		cmocka_unit_test(the_parser_of_a_workload),
		cmocka_unit_test(open_says_what_is_wrong),
		cmocka_unit_test(fake_is_the_same_everywhere),
		cmocka_unit_test(fake_fails_where_it_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
