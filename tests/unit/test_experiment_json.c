/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/fs.h"
#include "core/model/experiment_json.h"

static const char yaml[] =
	"schema: 1\n"
	"name: demo\n"
	"title: A \"title\"\n"
	"source: {path: .}\n"
	"build: {steps: [[make, \"OUT={out}\"]], outputs: {p: \"{out}/p\"}}\n"
	"options:\n"
	"  A1:\n"
	"    levels: {small: {env: {SIZE: \"1\"}}, big: {env: {SIZE: null}, args: [--big]}}\n"
	"    default: big\n"
	"  B1: {define: {B: 1}}\n"
	"axes: {threads: {values: [\"1\", \"2\"], args: [--threads, \"{value}\"]}}\n"
	"workloads:\n"
	"  work:\n"
	"    run: [\"{bin.p}\"]\n"
	"    metrics: {rate: {in: stdout, re: 'r=(?<v>\\d+)', better: higher, exact: true}}\n"
	"    measure: {metric: rate, difference: 5%}\n"
	"  other: {run: [\"{bin.p}\", other]}\n"
	"measure: {metric: wall, difference: 10 ms, confidence: 99%, blocks: 6,\n"
	"  also: [rss_peak], guard: {rss_peak: 10%}}\n";

static json_t *round_trip(void)
{
	char dir[] = "/tmp/assay-json-XXXXXX";
	AUTOFREE char *path = NULL, *text = NULL;
	struct descriptor *descriptor;
	struct diags diags = DIAGS_INIT;
	struct err err = {0};
	json_t *json, *again;

	assert_non_null(mkdtemp(dir));
	path = path_join(dir, "demo.yaml");
	assert_int_equal(fs_write(path, yaml, sizeof(yaml) - 1, 0, &err), 0);
	if (descriptor_load(path, NULL, 0, &diags, &descriptor, &err) < 0) {
		diags_print(&diags, stderr, false);
		fail_msg("%s", err.text);
	}
	json = experiment_to_json(descriptor);
	descriptor_free(descriptor);
	diags_release(&diags);
	assert_int_equal(fs_remove(dir, &err), 0);
	text = json_dumps(json, JSON_SORT_KEYS | JSON_COMPACT);
	again = json_loads(text, 0, NULL);
	assert_true(json_equal(json, again));
	json_decref(json);
	return again;
}

static void test_round_trip(void **state)
{
	CLEANUP(arena_release) struct arena arena = ARENA_INIT;
	struct judgement judgement;
	struct err err = {0};
	json_t *json = round_trip();

	(void)state;
	assert_string_equal(json_string_value(json_object_get(json, "name")), "demo");
	assert_string_equal(json_string_value(json_object_get(json, "title")), "A \"title\"");
	assert_int_equal(experiment_judgement(json, "work", NULL, &arena, &judgement, &err), 0);
	assert_string_equal(judgement.metric, "rate");
	assert_string_equal(judgement.scope, "run");
	assert_true(judgement.exact);
	assert_true(judgement.difference.relative);
	assert_true(fabs(judgement.difference.value - 0.05) < 1e-12);
	assert_true(fabs(judgement.confidence - 0.99) < 1e-12);
	assert_int_equal(judgement.blocks_first_look, 6);
	assert_false(judgement.order_fixed);
	assert_int_equal(judgement.n_also, 1);
	assert_string_equal(judgement.also[0], "rss_peak");
	assert_int_equal(judgement.n_guards, 1);
	assert_string_equal(judgement.guards[0].metric, "rss_peak");
	assert_int_equal(experiment_judgement(json, "other", NULL, &arena, &judgement, &err), 0);
	assert_string_equal(judgement.metric, "wall");
	assert_false(judgement.exact);
	assert_false(judgement.difference.relative);
	assert_true(fabs(judgement.difference.value - 0.01) < 1e-12);
	assert_string_equal(judgement.difference.unit, "s");
	/* another metric than the experiment's */
	assert_int_equal(
		experiment_judgement(json, "other", "phase:sum", &arena, &judgement, &err), 0);
	assert_string_equal(judgement.metric, "wall");
	assert_string_equal(judgement.scope, "phase:sum");
	assert_string_equal(judgement.ref, "phase:sum");
	json_decref(json);
}

static void test_defaults_and_mistakes(void **state)
{
	static const char *const bad[] = {
		"{\"metric\": 1}",
		"{\"confidence\": \"95%\"}",
		"{\"blocks\": {\"min\": \"4\"}}",
		"{\"difference\": {\"relative\": 1, \"value\": 0.01}}",
		"{\"difference\": {}}",
		"{\"also\": {}}",
		"{\"also\": [1]}",
		"{\"guard\": []}",
		"{\"guard\": {\"x\": 1}}",
	};
	CLEANUP(arena_release) struct arena arena = ARENA_INIT;
	struct judgement judgement;
	struct err err = {0};

	(void)state;
	assert_int_equal(experiment_judgement(NULL, "work", NULL, &arena, &judgement, &err), 0);
	assert_string_equal(judgement.metric, "wall");
	assert_int_equal(judgement.blocks_first_look, 4);
	assert_true(judgement.difference.relative);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		json_t *json =
			json_pack("{s:{s:o}}", "workloads", "work", json_loads(bad[i], 0, NULL));

		err.code = E_NONE;
		assert_int_equal(
			experiment_judgement(json, "work", NULL, &arena, &judgement, &err), -1);
		assert_int_equal(err.code, E_STORE);
		json_decref(json);
	}
}

static json_t *part(const json_t *json, const char *options)
{
	json_t *object = json_loads(options, 0, NULL);
	json_t *ret = experiment_run_part(json, object);

	json_decref(object);
	return ret;
}

static void test_run_part(void **state)
{
	json_t *json = round_trip(), *none = part(json, "{}"), *b1 = part(json, "{\"B1\":\"on\"}");
	json_t *small = part(json, "{\"A1\":\"small\"}"), *big = part(json, "{\"A1\":\"big\"}");

	(void)state;
	/* an option that only builds differently gives the runs nothing */
	assert_true(json_equal(none, b1));
	assert_false(json_equal(none, small));
	assert_false(json_equal(small, big));
	assert_true(json_is_null(json_object_get(json_object_get(big, "env"), "SIZE")));
	assert_int_equal(json_array_size(json_object_get(big, "args")), 1);
	json_decref(none);
	json_decref(b1);
	json_decref(small);
	json_decref(big);
	json_decref(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_defaults_and_mistakes),
		cmocka_unit_test(test_run_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
