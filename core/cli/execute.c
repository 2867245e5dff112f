/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/cli/execute.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/log.h"
#include "core/base/sig.h"
#include "core/base/tty.h"
#include "core/model/experiment_json.h"
#include "reports/analysis.h"

/* Simulations must come out the same byte for byte: a session that nobody keeps has a fixed uid. */
#define SIMULATED_UID "00000000000000000000000000000000"

static char *host_facts_text(const struct experiment *experiment)
{
	json_t *facts = json_pack("{s:O?, s:s?, s:b}", "tools", experiment->tools_json, "commit",
		experiment->source.commit, "dirty", experiment->source.dirty);
	char *text = json_dumps(facts, JSON_COMPACT | JSON_SORT_KEYS);

	json_decref(facts);
	return text;
}

static char *experiment_text(const struct experiment *experiment)
{
	json_t *document = experiment_to_json(experiment->descriptor);
	char *text = json_dumps(document, JSON_COMPACT | JSON_SORT_KEYS);

	json_decref(document);
	return text;
}

static int run_session(struct cli *cli, struct experiment *experiment,
	const struct execute_options *options, struct store *store, struct session_result *ret,
	struct err *err)
{
	bool silent = cli->common.quiet || (options->no_lines && !tty_is(STDERR_FILENO));
	CLEANUP(live_freep)
	struct live *live = live_new(experiment->plan, experiment->state.dir, silent);
	AUTOFREE char *text = experiment_text(experiment), *facts = host_facts_text(experiment);
	const struct executor *executor = executor_find(options->world ? "fake" : "local");
	struct diags diags = DIAGS_INIT;
	struct executor_setup setup = {
		.plan = experiment->plan,
		.state = &experiment->state,
		.source = options->world ? NULL : &experiment->source,
		.launcher = cli->launcher,
		.world = options->world,
		.parallel = options->parallel,
		.stop = &sig_received,
		.build_hooks = live_build_hooks(live),
		.diags = &diags,
	};
	struct session_request request = {
		.plan = experiment->plan,
		.executor = executor,
		.store = store,
		.experiment_text = text,
		.host_facts = facts,
		.compiler = experiment->compiler,
		.command = cli->command_line,
		.uid = options->world && !cli->common.store ? SIMULATED_UID : NULL,
		.no_resume = options->no_resume,
		.stop = &sig_received,
		.hooks = live_session_hooks(live),
	};
	int rc;

	live_set_lines(live, options->lines, !options->brief);
	rc = executor->open(&setup, &request.executor_state, err);

	if (!rc) {
		rc = session_run(&request, ret, err);
		executor->close(request.executor_state);
	}
	/* The live block goes before anything else is printed. */
	live_free(STEAL(live));
	if (!cli->common.quiet || diags.errors)
		diags_print(&diags, stderr, tty_colour(STDERR_FILENO));
	diags_release(&diags);
	return rc;
}

int execute(struct cli *cli, struct experiment *experiment, const struct execute_options *options,
	struct store **ret_store, struct session_result *ret, struct err *err)
{
	struct store *store;

	if (!options->world && experiment_check_needs(experiment, err))
		return -1;
	if (store_open(experiment->state.store, options->brief ? STORE_BRIEF : STORE_WRITE, &store,
		    err))
		return -1;
	if (run_session(cli, experiment, options, store, ret, err)) {
		store_close(store);
		return -1;
	}
	*ret_store = store;
	return 0;
}

int execute_status(struct store *store, const struct session_result *result, struct err *err)
{
	CLEANUP(analysis_freep) struct analysis *analysis = NULL;
	size_t unmeasured = 0;

	if (result->end == SESSION_INTERRUPTED) {
		err_set(err, E_SIGNAL, "interrupted; what is complete is stored");
		err->sys = sig_received ? sig_received : SIGINT;
		return err_help(err, "the same command goes on with it");
	}
	if (analyse_session(store, &result->session, NULL, NULL, &analysis, err)) {
		/* Why nothing is valid is more than that nothing is. */
		if (err->code == E_NOTHING && result->build_failed)
			err->code = E_BUILD;
		return -1;
	}
	for (size_t i = 0; i < analysis->n_rows; i++) {
		unmeasured += analysis->results[i].verdict == VERDICT_UNMEASURED;
	}
	if (result->build_failed)
		return err_set(err, E_BUILD, "a build failed; the rest was measured");
	if (result->end == SESSION_BUDGET) {
		err_set(err, E_UNDECIDED, "the budget is spent; what is complete is stored");
		return err_help(err, "the same command goes on with it");
	}
	if (unmeasured)
		return err_set(err, E_RUN, "%zu row%s could not be measured: runs failed",
			unmeasured, unmeasured == 1 ? "" : "s");
	return 0;
}
