/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/engine/experiment.h"

#include <stdlib.h>
#include <string.h>

#include "collectors/log_parser.h"
#include "core/base/host.h"
#include "core/base/num.h"
#include "core/engine/apply.h"
#include "core/engine/build.h"
#include "core/engine/preflight.h"
#include "core/engine/treedigest.h"

void experiment_release(struct experiment *experiment)
{
	plan_free(experiment->plan);
	descriptor_free(experiment->descriptor);
	source_state_release(&experiment->source);
	json_decref(experiment->tools_json);
	free(experiment->compiler);
	state_release(&experiment->state);
	diags_release(&experiment->diags);
}

/* The facts that enter the ids, with the memory that they need. */
struct facts {
	struct plan_facts plan;
	struct digest *inputs, *parsers;
	const char **input_hex, **parser_hex;
	struct apply_facts apply;
};

static void facts_release(struct facts *facts)
{
	free(facts->inputs);
	free(facts->parsers);
	free(facts->input_hex);
	free(facts->parser_hex);
}

static int digest_inputs(const struct descriptor *descriptor, struct facts *facts, struct err *err)
{
	facts->inputs = xcalloc(descriptor->n_inputs, sizeof(*facts->inputs));
	facts->input_hex = xcalloc(descriptor->n_inputs, sizeof(*facts->input_hex));
	for (size_t i = 0; i < descriptor->n_inputs; i++) {
		const struct input *input = &descriptor->inputs[i];

		if (tree_digest(input->path, input->stat_only ? TREE_STAT : TREE_CONTENT,
			    &facts->inputs[i], err))
			return err_wrap(err, "input '%s'", input->name);
		facts->input_hex[i] = facts->inputs[i].hex;
	}
	return 0;
}

static int digest_parsers(struct experiment *experiment, struct facts *facts, struct err *err)
{
	const struct descriptor *descriptor = experiment->descriptor;

	facts->parsers = xcalloc(descriptor->n_workloads, sizeof(*facts->parsers));
	facts->parser_hex = xcalloc(descriptor->n_workloads, sizeof(*facts->parser_hex));
	for (size_t i = 0; i < descriptor->n_workloads; i++) {
		CLEANUP(log_parser_freep) struct log_parser *parser = NULL;
		const struct workload *workload = &descriptor->workloads[i];

		if (!workload->log)
			continue;
		if (log_parser_load(descriptor, workload->log, &experiment->diags, &parser, err))
			return err_wrap(err, "workload '%s'", workload->name);
		facts->parsers[i] = log_parser_digest(parser);
		facts->parser_hex[i] = facts->parsers[i].hex;
	}
	return 0;
}

static void find_compiler(struct experiment *experiment)
{
	json_t *version = json_object_get(experiment->tools_json, "cc");

	if (json_is_string(version))
		experiment->compiler = xstrdup(json_string_value(version));
}

static int no_payload(
	void *ctx, const struct patch *patch, const char *pick, struct digest *ret, struct err *err)
{
	const char *name = patch ? patch->file : pick;

	(void)ctx;
	(void)err;
	*ret = digest_of(name, strlen(name));
	return 0;
}

static int ask_world(struct experiment *experiment, struct facts *facts, struct launcher *launcher,
	struct err *err)
{
	facts->apply = (struct apply_facts){experiment->descriptor, &experiment->state, launcher};
	facts->plan.payload_digest = apply_payload_digest;
	facts->plan.ctx = &facts->apply;
	if ((source_matters(experiment->descriptor) &&
		    source_read(experiment->descriptor, &experiment->state, launcher,
			    &experiment->source, err)) ||
		build_tools_digest(experiment->descriptor, launcher, &experiment->tools,
			&experiment->tools_json, err) ||
		digest_inputs(experiment->descriptor, facts, err) ||
		digest_parsers(experiment, facts, err))
		return -1;
	find_compiler(experiment);
	facts->plan.source_digest = experiment->source.digest.hex;
	facts->plan.tools_digest = experiment->tools.hex;
	facts->plan.input_digests = facts->input_hex;
	facts->plan.parser_digests = facts->parser_hex;
	return 0;
}

static void simulated_facts(const struct descriptor *descriptor, struct facts *facts)
{
	facts->input_hex = xcalloc(descriptor->n_inputs, sizeof(*facts->input_hex));
	facts->parser_hex = xcalloc(descriptor->n_workloads, sizeof(*facts->parser_hex));
	for (size_t i = 0; i < descriptor->n_inputs; i++)
		facts->input_hex[i] = descriptor->inputs[i].path;
	facts->plan = (struct plan_facts){
		.source_digest = "simulated",
		.tools_digest = "simulated",
		.input_digests = facts->input_hex,
		.parser_digests = facts->parser_hex,
		.payload_digest = no_payload,
	};
}

int experiment_open(struct experiment *experiment, const struct experiment_options *options,
	struct launcher *launcher, struct err *err)
{
	CLEANUP(facts_release) struct facts facts = {0};

	*experiment = (struct experiment){.state = STATE_INIT};
	if (descriptor_load(options->file, options->set_args, options->n_set_args,
		    &experiment->diags, &experiment->descriptor, err) ||
		state_open(&experiment->state, experiment->descriptor->dir, options->state,
			options->store, true, err))
		return -1;
	if (options->lock && state_lock(&experiment->state, options->wait, err))
		return -1;
	if (options->simulated)
		simulated_facts(experiment->descriptor, &facts);
	else if (ask_world(experiment, &facts, launcher, err))
		return -1;
	return plan_make(experiment->descriptor, &facts.plan, options->where, options->force,
		&experiment->diags, &experiment->plan, err);
}

/* --- Needs ---------------------------------------------------------------------------------------
 */

static int check_amount(const char *what, uint64_t need, uint64_t have, struct err *err)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;

	if (!need || have >= need)
		return 0;
	num_add_size(&text, (double)need);
	buf_adds(&text, " are needed, ");
	num_add_size(&text, (double)have);
	buf_adds(&text, " are free");
	err_set(err, E_MISSING, "not enough %s: %s", what, text.data);
	return err_help(err, "free some, or lower needs.%s in the descriptor", what);
}

int experiment_check_needs(const struct experiment *experiment, struct err *err)
{
	const struct descriptor *descriptor = experiment->descriptor;
	uint64_t used, disk;

	if (fs_usage(experiment->state.dir, &used, &disk, err))
		return -1;
	/* What earlier builds take is used again. */
	if (check_amount("disk", descriptor->need_disk, disk + used, err) ||
		check_amount("memory", descriptor->need_memory, host_memory_available(), err))
		return -1;
	for (size_t i = 0; i < experiment->plan->n_cells; i++) {
		if (preflight_workload(descriptor, experiment->plan->cells[i].workload, err))
			return -1;
	}
	return 0;
}
