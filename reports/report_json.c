/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison for programs: schema 1 (doc/HOWTO-report.md says where the members are described).
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/table.h"
#include "reports/report_impl.h"

static json_t *text(const char *s)
{
	return s ? json_text(s) : json_null();
}

static json_t *object_of(const char *json)
{
	json_t *object = json ? json_loads(json, 0, NULL) : NULL;

	return object ? object : json_object();
}

static json_t *iso(int64_t at)
{
	CLEANUP(buf_release) struct buf time = BUF_INIT;

	if (!at)
		return json_null();
	clock_add_iso(&time, at);
	return json_text(time.data);
}

/* Positive = worse. No direction, no cost. */
static json_t *cost_of(double effect, const char *better)
{
	if (better && !strcmp(better, "none"))
		return json_null();
	return json_number(better_sign(better) * effect);
}

static double centre(const struct row_result *result)
{
	return !result->absolute && isfinite(result->values.geomean) ? result->values.geomean
								     : result->values.mean;
}

/* A ratio of a metric that is zero, negative or judged by an absolute difference is none. */
static json_t *ratio(bool absolute, double effect)
{
	return absolute ? json_null() : json_number(effect);
}

static json_t *verdict_json(const struct analysis *analysis, const struct row_result *result)
{
	const struct cell_result *cell = &analysis->cells[result->cell];
	const struct judgement *judgement = &result->judgement;
	bool absolute = result->absolute;
	json_t *json = json_object();
	const char *reason = result->reason;

	if (!reason[0] && absolute)
		reason = "values or difference are absolute: see difference";
	json_object_set_new(json, "workload", text(result->row->row.workload));
	json_object_set_new(json, "axes", object_of(cell->axes));
	json_object_set_new(json, "variant", text(result->row->row.variant));
	json_object_set_new(json, "label", text(result->row->row.label));
	json_object_set_new(json, "options", object_of(result->row->row.options));
	json_object_set_new(json, "baseline", text(result->baseline->row->row.variant));
	json_object_set_new(json, "metric", text(judgement->ref));
	json_object_set_new(json, "unit", text(judgement->unit));
	json_object_set_new(json, "better", text(judgement->better));
	json_object_set_new(json, "verdict", text(verdict_name(result->verdict)));
	json_object_set_new(json, "reason", reason[0] ? text(reason) : json_null());
	json_object_set_new(json, "effect", ratio(absolute, result->effect));
	json_object_set_new(json, "low", ratio(absolute, result->low));
	json_object_set_new(json, "high", ratio(absolute, result->high));
	json_object_set_new(
		json, "cost", absolute ? json_null() : cost_of(result->effect, judgement->better));
	json_object_set_new(json, "value", json_number(centre(result)));
	json_object_set_new(json, "baseline_value", json_number(centre(result->baseline)));
	json_object_set_new(json, "difference", json_number(result->delta));
	json_object_set_new(json, "difference_low", json_number(result->delta_low));
	json_object_set_new(json, "difference_high", json_number(result->delta_high));
	json_object_set_new(json, "runs", json_integer((json_int_t)result->runs));
	json_object_set_new(json, "failed", json_integer((json_int_t)result->failed));
	json_object_set_new(json, "lost", json_integer((json_int_t)result->lost));
	json_object_set_new(
		json, "baseline_runs", json_integer((json_int_t)result->baseline->runs));
	json_object_set_new(json, "pairs", json_integer((json_int_t)result->pairs));
	json_object_set_new(
		json, "pairs_left_out", json_integer((json_int_t)result->pairs_left_out));
	json_object_set_new(json, "detectable", ratio(absolute, result->detectable));
	json_object_set_new(json, "blocks_needed",
		result->blocks_needed ? json_integer((json_int_t)result->blocks_needed)
				      : json_null());
	json_object_set_new(json, "quality", text(cell->quality));
	json_object_set_new(json, "method",
		result->verdict == VERDICT_UNMEASURED
			? json_null()
			: text(interval_method_name(result->i95.method)));
	json_object_set_new(json, "level",
		result->verdict == VERDICT_UNMEASURED ? json_null()
						      : json_number(result->i95.level));
	return json;
}

static json_t *change_json(const struct analysis *analysis, const struct change *change)
{
	json_t *json = json_object();

	json_object_set_new(json, "workload", text(change->result->row->row.workload));
	json_object_set_new(json, "axes", object_of(analysis->cells[change->result->cell].axes));
	json_object_set_new(json, "variant", text(change->result->row->row.variant));
	json_object_set_new(json, "scope", text(change->scope));
	json_object_set_new(json, "metric", text(change->metric));
	json_object_set_new(json, "unit", text(change->unit));
	json_object_set_new(json, "better", text(change->better));
	json_object_set_new(json, "effect", ratio(change->absolute, change->effect));
	json_object_set_new(json, "low", ratio(change->absolute, change->low));
	json_object_set_new(json, "high", ratio(change->absolute, change->high));
	json_object_set_new(json, "difference",
		json_number(change->absolute ? change->effect
					     : change->effect * change->baseline_value));
	json_object_set_new(json, "value", json_number(change->value));
	json_object_set_new(json, "baseline_value", json_number(change->baseline_value));
	json_object_set_new(json, "verdict", text(verdict_name(change->verdict)));
	json_object_set_new(json, "moved",
		!change->moved ? json_null() : text(change->moved > 0 ? "up" : "down"));
	json_object_set_new(json, "reason",
		change->reason[0]  ? text(change->reason)
		: change->absolute ? text("values are absolute: see difference")
				   : json_null());
	json_object_set_new(json, "pairs", json_integer((json_int_t)change->pairs));
	json_object_set_new(json, "also", json_boolean(change->also));
	json_object_set_new(json, "guard", json_boolean(change->guard));
	return json;
}

static json_t *builds_json(const struct analysis *analysis)
{
	json_t *builds = json_array();

	for (size_t i = 0; i < analysis->n_rows; i++) {
		const struct stored_row *row = &analysis->rows[i];
		json_t *build = NULL, *variants;
		size_t k;

		if (!row->build.key)
			continue;
		for (k = 0; k < json_array_size(builds) && !build; k++) {
			json_t *have = json_array_get(builds, k);

			if (!strcmp(json_string_value(json_object_get(have, "key")),
				    row->build.key))
				build = have;
		}
		if (!build) {
			build = json_object();
			json_object_set_new(build, "key", text(row->build.key));
			json_object_set_new(build, "status", text(row->build.status));
			json_object_set_new(build, "digest", text(row->build.digest));
			json_object_set_new(build, "code_digest", text(row->build.code_digest));
			json_object_set_new(build, "seconds", json_number(row->build.seconds));
			json_object_set_new(build, "log", text(row->build.log));
			json_object_set_new(build, "reason", text(row->build.reason));
			json_object_set_new(build, "variants", json_array());
			json_array_append_new(builds, build);
		}
		variants = json_object_get(build, "variants");
		for (k = 0; k < json_array_size(variants); k++) {
			if (!strcmp(json_string_value(json_array_get(variants, k)),
				    row->row.variant))
				break;
		}
		if (k == json_array_size(variants))
			json_array_append_new(variants, text(row->row.variant));
	}
	return builds;
}

/* What a reader must know to trust the verdicts. */
static json_t *quality_json(const struct analysis *analysis)
{
	json_t *quality = json_array(), *item;

	for (size_t i = 0; i < analysis->n_runs; i++) {
		const struct store_run *run = &analysis->runs[i].run;

		if (run->status == RUN_OK || run->status == RUN_RUNNING)
			continue;
		item = json_object();
		json_object_set_new(item, "kind", text("run"));
		json_object_set_new(item, "run", json_integer(analysis->runs[i].id));
		for (size_t r = 0; r < analysis->n_rows; r++) {
			if (analysis->rows[r].id == run->row_id)
				json_object_set_new(item, "row", text(analysis->rows[r].row.name));
		}
		json_object_set_new(item, "block", json_integer(run->block));
		json_object_set_new(item, "role", text(run_role_name(run->role)));
		json_object_set_new(item, "status", text(run_status_name(run->status)));
		json_object_set_new(item, "reason", text(run->reason));
		json_object_set_new(item, "exit_code",
			run->exit_code >= 0 ? json_integer(run->exit_code) : json_null());
		json_object_set_new(
			item, "signal", run->signal > 0 ? json_integer(run->signal) : json_null());
		json_array_append_new(quality, item);
	}
	for (size_t i = 0; i < analysis->n_aa; i++) {
		item = json_object();
		json_object_set_new(item, "kind", text("same_program"));
		json_object_set_new(item, "rows",
			json_pack("[o, o]", text(analysis->aa[i].a->row->row.name),
				text(analysis->aa[i].b->row->row.name)));
		json_array_append_new(quality, item);
	}
	if (strcmp(analysis->session.state, "complete") != 0) {
		item = json_object();
		json_object_set_new(item, "kind", text("session"));
		json_object_set_new(item, "state", text(analysis->session.state));
		json_array_append_new(quality, item);
	}
	return quality;
}

static json_t *conditions_json(const struct conditions *seen)
{
	json_t *json = json_object();

	json_object_set_new(json, "runs", json_integer((json_int_t)seen->runs));
	json_object_set_new(json, "others", json_number(seen->others));
	json_object_set_new(json, "steal", json_number(seen->steal));
	json_object_set_new(json, "pressure", json_number(seen->pressure));
	json_object_set_new(json, "late_runs", json_integer((json_int_t)seen->late_runs));
	json_object_set_new(json, "torn_lines", json_integer((json_int_t)seen->torn_lines));
	json_object_set_new(json, "rule_off", text(seen->rule_off));
	return json;
}

json_t *compare_json(const struct analysis *analysis)
{
	const struct store_session *session = &analysis->session;
	json_t *json = json_object(), *about = json_object();
	json_t *verdicts = json_array(), *changes = json_array();

	json_object_set_new(about, "id", json_integer(session->id));
	json_object_set_new(about, "uid", text(session->uid));
	json_object_set_new(about, "experiment", text(session->experiment));
	json_object_set_new(about, "title", text(analysis->title));
	json_object_set_new(about, "state", text(session->state));
	json_object_set_new(about, "started", iso(session->started_at));
	json_object_set_new(about, "ended", iso(session->ended_at));
	json_object_set_new(about, "host", text(analysis->host));
	json_object_set_new(about, "plan", text(session->plan));
	json_object_set_new(about, "comparisons", json_integer((json_int_t)analysis->comparisons));
	json_object_set_new(
		about, "change_comparisons", json_integer((json_int_t)analysis->change_family));
	for (size_t i = 0; i < analysis->n_rows; i++) {
		if (analysis->results[i].shown && !analysis->results[i].is_baseline)
			json_array_append_new(
				verdicts, verdict_json(analysis, &analysis->results[i]));
	}
	for (size_t i = 0; i < analysis->n_changes; i++) {
		if (analysis->changes[i].result->shown)
			json_array_append_new(
				changes, change_json(analysis, &analysis->changes[i]));
	}
	json_object_set_new(json, "schema", json_integer(1));
	json_object_set_new(json, "assay", text(PACKAGE_VERSION));
	json_object_set_new(json, "command", text("report"));
	json_object_set_new(json, "session", about);
	json_object_set_new(json, "verdicts", verdicts);
	json_object_set_new(json, "changes", changes);
	json_object_set_new(json, "builds", builds_json(analysis));
	json_object_set_new(json, "quality", quality_json(analysis));
	json_object_set_new(json, "conditions", conditions_json(&analysis->conditions));
	return json;
}

static void csv_real(struct table *table, const char *key, double value)
{
	if (isfinite(value))
		table_real(table, key, value, "%.6g");
}

struct table *compare_csv(const struct analysis *analysis)
{
	static const char *const columns[] = {"workload", "axes", "variant", "baseline", "metric",
		"unit", "better", "verdict", "reason", "value", "baseline_value", "effect", "low",
		"high", "difference", "difference_low", "difference_high", "runs", "failed",
		"baseline_runs", "pairs", "detectable"};
	struct table *table = table_new(NULL);

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		table_column(table, columns[i], columns[i], ALIGN_LEFT, 0);
	for (size_t i = 0; i < analysis->n_rows; i++) {
		const struct row_result *result = &analysis->results[i];
		const struct judgement *judgement = &result->judgement;
		const char *axes = strchr(analysis->cells[result->cell].name, '/');

		if (!result->shown)
			continue;
		table_row(table);
		table_text(table, "workload", result->row->row.workload);
		table_text(table, "axes", axes ? axes + 1 : "");
		table_text(table, "variant", result->row->row.variant);
		table_text(table, "baseline", result->baseline->row->row.variant);
		table_text(table, "metric", judgement->ref);
		table_text(table, "unit", judgement->unit);
		table_text(table, "better", judgement->better);
		table_text(table, "verdict",
			result->is_baseline ? "baseline" : verdict_name(result->verdict));
		table_text(table, "reason", result->reason);
		csv_real(table, "value", centre(result));
		csv_real(table, "baseline_value", centre(result->baseline));
		if (!result->absolute) {
			csv_real(table, "effect", result->effect);
			csv_real(table, "low", result->low);
			csv_real(table, "high", result->high);
			csv_real(table, "detectable", result->detectable);
		}
		csv_real(table, "difference", result->delta);
		csv_real(table, "difference_low", result->delta_low);
		csv_real(table, "difference_high", result->delta_high);
		table_int(table, "runs", (int64_t)result->runs);
		table_int(table, "failed", (int64_t)result->failed);
		table_int(table, "baseline_runs", (int64_t)result->baseline->runs);
		table_int(table, "pairs", (int64_t)result->pairs);
	}
	return table;
}
