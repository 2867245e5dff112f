/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/model/experiment_json.h"

#include <string.h>

#include "core/base/table.h"
#include "core/model/record.h"

static json_t *text_or_null(const char *text)
{
	return text ? json_text(text) : json_null();
}

static json_t *difference_json(const struct difference *difference)
{
	json_t *json = json_object();

	json_object_set_new(json, "relative", json_boolean(difference->relative));
	json_object_set_new(json, "value", json_number(difference->value));
	json_object_set_new(json, "unit", json_text(difference->unit ? difference->unit : ""));
	return json;
}

static json_t *level_json(const struct level *level)
{
	json_t *json = json_object(), *env = json_object(), *args = json_array();
	const struct payload *payload = &level->payload;

	for (size_t i = 0; i < payload->env.n; i++)
		json_object_set_new(
			env, payload->env.items[i].key, text_or_null(payload->env.items[i].value));
	for (size_t i = 0; payload->args && payload->args[i]; i++)
		json_array_append_new(args, json_text(payload->args[i]));
	json_object_set_new(json, "name", json_text(level->name));
	json_object_set_new(json, "env", env);
	json_object_set_new(json, "args", args);
	return json;
}

static json_t *option_json(const struct option *option)
{
	json_t *json = json_object(), *levels = json_array();

	for (int i = 0; i < option->n_levels; i++)
		json_array_append_new(levels, level_json(&option->levels[i]));
	json_object_set_new(json, "title", text_or_null(option->title));
	json_object_set_new(json, "levels", levels);
	if (option->default_level >= 0 && option->default_level < option->n_levels)
		json_object_set_new(
			json, "default", json_text(option->levels[option->default_level].name));
	return json;
}

static json_t *workload_json(const struct workload *workload)
{
	const struct measure *measure = &workload->measure;
	json_t *json = json_object(), *blocks = json_object(), *also = json_array();
	json_t *guards = json_object(), *metrics = json_object();

	json_object_set_new(json, "metric", json_text(measure->metric));
	json_object_set_new(json, "difference", difference_json(&measure->difference));
	json_object_set_new(json, "confidence", json_number(measure->confidence));
	json_object_set_new(blocks, "min", json_integer(measure->blocks_min));
	json_object_set_new(blocks, "max", json_integer(measure->blocks_max));
	json_object_set_new(json, "blocks", blocks);
	json_object_set_new(json, "order", json_string(measure->order_fixed ? "fixed" : "random"));
	for (size_t i = 0; i < measure->also.n; i++)
		json_array_append_new(also, json_text(measure->also.items[i]));
	json_object_set_new(json, "also", also);
	for (size_t i = 0; i < measure->n_guards; i++)
		json_object_set_new(guards, measure->guards[i].metric,
			difference_json(&measure->guards[i].difference));
	json_object_set_new(json, "guard", guards);
	for (size_t i = 0; i < workload->n_metrics; i++) {
		const struct metric_def *def = &workload->metrics[i];
		json_t *metric = json_object();

		json_object_set_new(metric, "unit", json_text(def->unit ? def->unit : ""));
		json_object_set_new(
			metric, "better", json_text(def->better ? def->better : "lower"));
		json_object_set_new(metric, "exact", json_boolean(def->exact));
		json_object_set_new(metrics, def->name, metric);
	}
	json_object_set_new(json, "metrics", metrics);
	return json;
}

json_t *experiment_to_json(const struct descriptor *descriptor)
{
	json_t *json = json_object(), *options = json_object(), *axes = json_object();
	json_t *workloads = json_object();

	for (size_t i = 0; i < descriptor->n_options; i++)
		json_object_set_new(
			options, descriptor->options[i].name, option_json(&descriptor->options[i]));
	for (size_t i = 0; i < descriptor->n_axes; i++) {
		json_t *values = json_array();

		for (size_t k = 0; k < descriptor->axes[i].n_values; k++)
			json_array_append_new(values, json_text(descriptor->axes[i].values[k]));
		json_object_set_new(axes, descriptor->axes[i].name, values);
	}
	for (size_t i = 0; i < descriptor->n_workloads; i++)
		json_object_set_new(workloads, descriptor->workloads[i].name,
			workload_json(&descriptor->workloads[i]));
	json_object_set_new(json, "schema", json_integer(1));
	json_object_set_new(json, "name", text_or_null(descriptor->name));
	json_object_set_new(json, "title", text_or_null(descriptor->title));
	json_object_set_new(json, "baseline", text_or_null(descriptor->matrix.baseline));
	json_object_set_new(json, "options", options);
	json_object_set_new(json, "axes", axes);
	json_object_set_new(json, "workloads", workloads);
	return json;
}

static int wrong(struct err *err, const char *member)
{
	return err_set(
		err, E_STORE, "the stored experiment has a member '%s' of a wrong type", member);
}

static int read_difference(
	const json_t *json, struct arena *arena, struct difference *ret, struct err *err)
{
	const json_t *relative, *value, *unit;

	if (!json)
		return 0;
	relative = json_object_get(json, "relative");
	value = json_object_get(json, "value");
	unit = json_object_get(json, "unit");
	if (!json_is_boolean(relative) || !json_is_number(value) || (unit && !json_is_string(unit)))
		return wrong(err, "difference");
	ret->relative = json_is_true(relative);
	ret->value = json_number_value(value);
	ret->unit = unit ? arena_strdup(arena, json_string_value(unit)) : "";
	return 0;
}

static int read_also(
	const json_t *json, struct arena *arena, struct judgement *ret, struct err *err)
{
	size_t n = json_array_size(json);
	const char **also;

	if (json && !json_is_array(json))
		return wrong(err, "also");
	also = arena_array(arena, n + 1, sizeof(*also));
	for (size_t i = 0; i < n; i++) {
		const char *text = json_string_value(json_array_get(json, i));

		if (!text)
			return wrong(err, "also");
		also[i] = arena_strdup(arena, text);
	}
	ret->also = also;
	ret->n_also = n;
	return 0;
}

static int read_guards(
	const json_t *json, struct arena *arena, struct judgement *ret, struct err *err)
{
	struct guard *guards;
	const char *key;
	json_t *value;
	size_t i = 0;

	if (json && !json_is_object(json))
		return wrong(err, "guard");
	guards = arena_array(arena, json_object_size(json) + 1, sizeof(*guards));
	json_object_foreach((json_t *)json, key, value)
	{
		guards[i].metric = arena_strdup(arena, key);
		if (read_difference(value, arena, &guards[i].difference, err) < 0)
			return -1;
		i++;
	}
	ret->guards = guards;
	ret->n_guards = i;
	return 0;
}

int experiment_judgement(const json_t *experiment, const char *workload, const char *metric,
	struct arena *arena, struct judgement *ret, struct err *err)
{
	const json_t *json = json_object_get(json_object_get(experiment, "workloads"), workload);
	const json_t *confidence = json_object_get(json, "confidence");
	const json_t *blocks = json_object_get(json, "blocks");
	const json_t *min = json_object_get(blocks, "min"), *max = json_object_get(blocks, "max");
	const json_t *ref = json_object_get(json, "metric"),
		     *order = json_object_get(json, "order");
	struct judgement judgement = {
		.ref = "wall",
		.difference = {.relative = true, .value = 0.01, .unit = ""},
		.confidence = 0.95,
		.blocks_first_look = 4,
		.blocks_max = 32,
	};

	if (ref && !json_is_string(ref))
		return wrong(err, "metric");
	if (confidence && !json_is_number(confidence))
		return wrong(err, "confidence");
	if ((min && !json_is_integer(min)) || (max && !json_is_integer(max)))
		return wrong(err, "blocks");
	if (ref)
		judgement.ref = json_string_value(ref);
	if (confidence)
		judgement.confidence = json_number_value(confidence);
	if (min)
		judgement.blocks_first_look = json_integer_value(min);
	if (max)
		judgement.blocks_max = json_integer_value(max);
	judgement.order_fixed = json_is_string(order) && !strcmp(json_string_value(order), "fixed");
	if (read_difference(
		    json_object_get(json, "difference"), arena, &judgement.difference, err) < 0 ||
		read_also(json_object_get(json, "also"), arena, &judgement, err) < 0 ||
		read_guards(json_object_get(json, "guard"), arena, &judgement, err) < 0)
		return -1;
	judgement.ref = arena_strdup(arena, metric ? metric : judgement.ref);
	metric_ref_split(judgement.ref, arena, &judgement.metric, &judgement.scope);
	judgement.exact = experiment_metric_exact(experiment, workload, judgement.metric);
	judgement.unit = "";
	judgement.better = "lower";
	*ret = judgement;
	return 0;
}

bool experiment_metric_exact(const json_t *experiment, const char *workload, const char *metric)
{
	const json_t *json = json_object_get(json_object_get(experiment, "workloads"), workload);
	const json_t *def = json_object_get(json_object_get(json, "metrics"), metric);

	return json_is_true(json_object_get(def, "exact"));
}

/* The level that a row has of an option: by name, else the one that counts as off. */
static const json_t *level_of(const json_t *option, const char *name)
{
	const json_t *levels = json_object_get(option, "levels");

	for (size_t i = 0; name && i < json_array_size(levels); i++) {
		const json_t *level = json_array_get(levels, i);
		const char *have = json_string_value(json_object_get(level, "name"));

		if (have && !strcmp(have, name))
			return level;
	}
	return json_array_get(levels, 0);
}

json_t *experiment_run_part(const json_t *experiment, const json_t *options)
{
	json_t *part = json_object(), *env = json_object(), *args = json_array(), *option;
	const char *name;

	json_object_foreach(json_object_get(experiment, "options"), name, option)
	{
		const char *text = json_string_value(json_object_get(options, name));
		const json_t *level = level_of(option, text);
		json_t *more = json_object_get(level, "args");

		if (json_is_object(json_object_get(level, "env")))
			json_object_update(env, json_object_get(level, "env"));
		if (json_is_array(more))
			json_array_extend(args, more);
	}
	json_object_set_new(part, "env", env);
	json_object_set_new(part, "args", args);
	return part;
}
