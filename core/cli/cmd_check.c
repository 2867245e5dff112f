/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collectors/collector.h"
#include "collectors/log_parser.h"
#include "core/base/datafile.h"
#include "core/base/fs.h"
#include "core/base/host.h"
#include "core/base/num.h"
#include "core/base/text.h"
#include "core/base/tty.h"
#include "core/cli/common.h"
#include "core/engine/apply.h"
#include "core/engine/build.h"
#include "core/engine/preflight.h"

struct check_options {
	bool parsers, json;
};

static const struct opt check_opts[] = {
	{.name = "parsers",
		.type = OPT_FLAG,
		.help = "run the tests of all installed parsers; FILE may be left out",
		.offset = offsetof(struct check_options, parsers)},
	{.name = "json",
		.type = OPT_FLAG,
		.help = "print JSON",
		.offset = offsetof(struct check_options, json)},
	{0},
};

static const struct opt_usage check_usage = {
	.command = "assay check",
	.args = "FILE",
	.summary = "validate the descriptor, its source, patches, parsers and tools",
	.about =
		"Reads everything that a run would need and lists every mistake with its place and "
		"cure. Patches, picks and edits are tried on copies of the source: each option "
		"alone, "
		"and all defaults together. Nothing is built or run.",
	.max_args = 1,
	.exit_status = "0\tvalid\n3\tbad descriptor or parser\n4\tpatches do not apply\n"
		       "6\tsource or tool missing\n",
};

/* What is wrong so far, and how bad: the status of the first kind that was met. */
struct checking {
	struct cli *cli;
	struct diags diags;
	struct descriptor *descriptor;
	struct state state;
	struct source_state source;
	enum err_code worst;
	bool verbose;  /* say what is fine, too */
	json_t *facts; /* what fine() was told */
};

static void checking_release(struct checking *checking)
{
	descriptor_free(checking->descriptor);
	source_state_release(&checking->source);
	state_release(&checking->state);
	json_decref(checking->facts);
	diags_release(&checking->diags);
}

static void broken(struct checking *checking, enum err_code code)
{
	if (checking->worst == E_NONE)
		checking->worst = code;
}

static void add_err(struct checking *checking, const struct err *err)
{
	diag_add_err(&checking->diags, err);
	broken(checking, err->code);
}

/* Something that is as it should be, or at least known: a line of the text, an item of the JSON. */
static void fine(const struct checking *checking, const char *about, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

static void fine(const struct checking *checking, const char *about, const char *fmt, ...)
{
	AUTOFREE char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	json_array_append_new(
		checking->facts, json_pack("{s:s, s:o}", "about", about, "text", json_text(text)));
	if (checking->verbose)
		printf("%-11s %s\n", about, text);
}

/* --- The parts -----------------------------------------------------------------------------------
 */

static void test_parser(struct checking *checking, const struct log_parser *parser)
{
	size_t n, failed = log_parser_selftest(parser, &checking->diags, &n);

	if (failed)
		broken(checking, E_CONFIG);
	else
		fine(checking, "parser", "%s: %zu test%s", log_parser_name(parser), n,
			n == 1 ? " passes" : "s pass");
}

/* Where a workload's metric is declared: its own, or the one of all; NULL = the default. */
static const struct conf_node *metric_node(
	const struct descriptor *descriptor, const struct workload *workload)
{
	const struct conf_node *own = conf_get(workload->node, "measure"),
			       *top = conf_get(descriptor->root, "measure");

	own = own ? conf_get(own, "metric") : NULL;
	return own ? own : top ? conf_get(top, "metric") : NULL;
}

/* A metric that comes from the log must be one that the parser can give. */
static void check_metric(
	struct checking *checking, const struct workload *workload, const struct log_parser *parser)
{
	const struct conf_node *node = metric_node(checking->descriptor, workload);
	const char *ref = workload->measure.metric, *colon = strchr(ref, ':');
	bool phase = text_starts(ref, "phase:");
	CLEANUP(buf_release) struct buf names = BUF_INIT;
	AUTOFREE char *name = NULL;
	struct conf_texts known;
	const char *near;

	if (!node || !parser || (!phase && !text_starts(ref, "log:")))
		return;
	name = xstrndup(colon + 1, strcspn(colon + 1, "@"));
	if (log_parser_can_give(parser, phase, name, &known))
		return;
	near = text_nearest(name, known.items, known.n);
	for (size_t i = 0; i < known.n; i++)
		buf_addf(&names, "%s%s", i ? ", " : "", known.items[i]);
	conf_error(&checking->diags, node, "the log parser '%s' has no %s '%s'",
		log_parser_name(parser), phase ? "phase" : "value", name);
	if (near)
		diag_help(&checking->diags, "did you mean '%s'?", near);
	else
		diag_help(&checking->diags, "it has %s", known.n ? names.data : "none");
	free(known.items);
	broken(checking, E_CONFIG);
}

static void check_workload(struct checking *checking, const struct workload *workload)
{
	CLEANUP(log_parser_freep) struct log_parser *parser = NULL;
	CLEANUP(arena_release) struct arena arena = ARENA_INIT;
	struct collector_choice *choices;
	struct err err = {0};
	size_t n;

	if (workload->log) {
		if (!log_parser_load(
			    checking->descriptor, workload->log, &checking->diags, &parser, &err))
			test_parser(checking, parser);
		else if (err.code == E_CONFIG)
			broken(checking, E_CONFIG);
		else
			add_err(checking, &err);
		check_metric(checking, workload, parser);
	}
	if (preflight_workload(checking->descriptor, workload, &err))
		add_err(checking, &err);
	if (!collectors_read(
		    workload->measure.collectors, &arena, &checking->diags, &choices, &n)) {
		broken(checking, E_CONFIG);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		char why[512];

		if (choices[i].collector->probe && choices[i].collector->probe(why, sizeof(why)))
			fine(checking, "collector", "%s cannot work here: %s",
				choices[i].collector->name, why);
	}
}

static void check_source(struct checking *checking)
{
	struct err err = {0};

	if (source_read(checking->descriptor, &checking->state, checking->cli->launcher,
		    &checking->source, &err)) {
		const struct conf_node *node = conf_get(checking->descriptor->root, "source");

		if (node && conf_get(node, "git"))
			node = conf_get(node, "git");
		else if (node && conf_get(node, "path"))
			node = conf_get(node, "path");
		if (node && !err.place[0])
			place_format(node->place, err.place, sizeof(err.place));
		add_err(checking, &err);
		return;
	}
	fine(checking, "source", "%zu file%s%s%.12s%s", checking->source.files,
		checking->source.files == 1 ? "" : "s", checking->source.commit ? ", commit " : "",
		checking->source.commit ? checking->source.commit : "",
		checking->source.dirty ? ", with uncommitted changes" : "");
}

static void check_inputs(struct checking *checking)
{
	const struct descriptor *descriptor = checking->descriptor;

	for (size_t i = 0; i < descriptor->n_inputs; i++) {
		const struct input *input = &descriptor->inputs[i];
		const struct conf_node *path = conf_get(input->node, "path");
		struct err err;

		if (!access(input->path, R_OK))
			continue;
		err_at(&err, E_MISSING, path ? path->place : input->node->place,
			"input '%s': cannot read '%s': %s", input->name, input->path,
			strerror(errno));
		add_err(checking, &err);
	}
}

static void check_tools(struct checking *checking)
{
	struct digest digest;
	json_t *tools = NULL, *version;
	struct err err = {0};
	const char *name;

	if (build_tools_digest(
		    checking->descriptor, checking->cli->launcher, &digest, &tools, &err)) {
		add_err(checking, &err);
		return;
	}
	json_object_foreach(tools, name, version)
	{
		const char *text = json_is_string(version) ? json_string_value(version) : "";

		fine(checking, "tool", "%s: %.*s", name, (int)strcspn(text, "\n"), text);
	}
	json_decref(tools);
}

/* Tried by itself, not as a part of `all` or `none`. */
static bool is_alone(const struct apply_finding *finding)
{
	return strcmp(finding->option, "all") != 0 && strcmp(finding->option, "none") != 0;
}

/* What does not apply alone cannot apply together either. */
static bool told_before(const struct apply_finding *findings, size_t at)
{
	for (size_t i = 0; !is_alone(&findings[at]) && i < at; i++) {
		if (!findings[i].holds && findings[i].node == findings[at].node &&
			!strcmp(findings[i].what, findings[at].what))
			return true;
	}
	return false;
}

static void patch_error(struct checking *checking, const struct apply_finding *finding)
{
	const struct conf_node *node = finding->node;

	diag_add(&checking->diags, DIAG_ERROR, node ? node->place : (struct place){0},
		node ? node->source : NULL, "%s: %s: %s",
		is_alone(finding) ? finding->option : "all defaults together", finding->what,
		finding->message);
	broken(checking, E_BUILD);
}

static void check_patches(struct checking *checking)
{
	struct apply_finding *findings;
	struct err err = {0};
	size_t n, held = 0, alone = 0;

	/* A session that goes on owns the state folder: its source was checked when it began. */
	if (state_lock(&checking->state, checking->cli->common.wait, &err)) {
		fine(checking, "patches", "not tried: %s", err.text);
		return;
	}
	if (apply_check(checking->descriptor, &checking->state, &checking->source,
		    checking->cli->launcher, &findings, &n, &err)) {
		add_err(checking, &err);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		const struct apply_finding *finding = &findings[i];

		alone += is_alone(finding);
		held += is_alone(finding) && finding->holds;
		if (!finding->holds && !told_before(findings, i))
			patch_error(checking, finding);
	}
	if (alone == 1 && held)
		fine(checking, "patches", "1 change of the source applies");
	else if (alone && held == alone)
		fine(checking, "patches", "%zu changes of the source apply, each alone%s", alone,
			findings[n - 1].holds ? " and all defaults together" : "");
	else if (alone)
		fine(checking, "patches", "%zu of %zu changes of the source apply", held, alone);
	apply_findings_free(findings, n);
}

static void check_machine(const struct checking *checking)
{
	CLEANUP(buf_release) struct buf memory = BUF_INIT;
	struct host host;

	host_read(&host, NULL);
	num_add_size(&memory, (double)host.memory_bytes);
	fine(checking, "machine", "%s, %d cores, %s%s%s%s", host.cpu[0] ? host.cpu : "?",
		host.cores, memory.data, host.governor[0] ? ", governor " : "", host.governor,
		host.hypervisor[0] ? ", a virtual machine" : "");
}

/* Lines of a template that nobody has made his own yet: what they name need not be there. */
static void check_marks(struct checking *checking)
{
	static const char mark[] = "# EDIT";
	const char *file = checking->descriptor->file;
	CLEANUP(buf_release) struct buf text = BUF_INIT;
	struct err ignored;
	int line = 1;

	if (fs_read(file, 1 << 20, &text, &ignored))
		return;
	for (const char *at = text.data; at && *at; line++) {
		const char *end = strchrnul(at, '\n');
		const char *hit = memmem(at, (size_t)(end - at), mark, sizeof(mark) - 1);

		if (hit) {
			diag_add(&checking->diags, DIAG_WARNING,
				(struct place){file, line, (int)(hit - at) + 1}, NULL,
				"as the template has it");
			diag_help(&checking->diags,
				"make this line yours and take away the mark '%s'", mark);
		}
		at = *end ? end + 1 : NULL;
	}
}

static void check_descriptor(struct checking *checking)
{
	const struct descriptor *descriptor = checking->descriptor;

	fine(checking, "descriptor", "%s: %zu option%s, %zu workload%s", descriptor->name,
		descriptor->n_options, descriptor->n_options == 1 ? "" : "s",
		descriptor->n_workloads, descriptor->n_workloads == 1 ? "" : "s");
	check_marks(checking);
	for (size_t i = 0; i < descriptor->n_workloads; i++)
		check_workload(checking, &descriptor->workloads[i]);
	check_source(checking);
	check_inputs(checking);
	check_tools(checking);
	if (checking->source.files)
		check_patches(checking);
	check_machine(checking);
}

/* CARGO_ENCODED_RUSTFLAGS hides the flags of cargo's own configuration, from every row alike. */
static void check_rustflags(struct checking *checking, const struct plan *plan)
{
	static const char *const files[] = {".cargo/config.toml", ".cargo/config"};
	const struct descriptor *descriptor = checking->descriptor;
	const char *root =
		descriptor->source.path ? descriptor->source.path : descriptor->source.git;
	bool used = false;

	for (size_t i = 0; i < plan->n_builds; i++)
		used |= plan->builds[i].rustflags_used;
	if (!used)
		return;
	fine(checking, "rustflags", "CARGO_ENCODED_RUSTFLAGS is set in every build");
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		AUTOFREE char *path = path_join(root, files[i]);
		CLEANUP(buf_release) struct buf text = BUF_INIT;
		struct err ignored;

		if (fs_read(path, 0, &text, &ignored) || !strstr(text.data, "rustflags"))
			continue;
		diag_add(&checking->diags, DIAG_WARNING, (struct place){0}, NULL,
			"the rustflags in %s are used in no row, since options have rustflags",
			files[i]);
		diag_help(&checking->diags, "all rows lack them alike; what is to be on must be in "
					    "the options' rustflags");
	}
}

/* The plan's own mistakes: sets and excludes that contradict each other. */
static void check_plan(struct checking *checking)
{
	CLEANUP(plan_freep) struct plan *plan = NULL;
	const struct descriptor *descriptor = checking->descriptor;
	const char **none =
		xcalloc(descriptor->n_inputs + descriptor->n_workloads + 1, sizeof(*none));
	struct apply_facts ctx = {descriptor, &checking->state, checking->cli->launcher};
	struct plan_facts facts = {
		.source_digest = checking->source.digest.hex,
		.tools_digest = "",
		.input_digests = none,
		.parser_digests = none + descriptor->n_inputs,
		.payload_digest = apply_payload_digest,
		.ctx = &ctx,
	};
	struct err err = {0};

	for (size_t i = 0; i < descriptor->n_inputs; i++)
		none[i] = "";
	if (!plan_make(descriptor, &facts, NULL, true, &checking->diags, &plan, &err)) {
		fine(checking, "plan", "%zu row%s, %zu build%s", plan->n_rows,
			plan->n_rows == 1 ? "" : "s", plan->n_builds,
			plan->n_builds == 1 ? "" : "s");
		check_rustflags(checking, plan);
	} else if (err.code == E_CONFIG)
		broken(checking, E_CONFIG);
	else
		add_err(checking, &err);
	free(none);
}

static void check_parser_files(struct checking *checking)
{
	char **names = datafile_list("parsers", ".yaml");

	for (size_t i = 0; names && names[i]; i++) {
		AUTOFREE char *file = xasprintf("parsers/%s.yaml", names[i]), *path = NULL;
		CLEANUP(log_parser_freep) struct log_parser *parser = NULL;
		struct err err = {0};

		if (datafile_find(file, &path, &err))
			add_err(checking, &err);
		else if (log_parser_load_file(path, &checking->diags, &parser, &err))
			broken(checking, E_CONFIG);
		else
			test_parser(checking, parser);
		free(names[i]);
	}
	free(names);
}

/* --- The end -------------------------------------------------------------------------------------
 */

/* Lines and columns count from 1: 0 is none. */
static json_t *counted(int n)
{
	return n > 0 ? json_integer(n) : json_null();
}

static json_t *diags_json(const struct diags *diags, enum diag_level level)
{
	json_t *list = json_array();

	for (size_t i = 0; i < diags->n; i++) {
		const struct diag *diag = &diags->items[i];

		if (diag->level == level)
			json_array_append_new(list,
				json_pack("{s:s?, s:o, s:o, s:s, s:s?}", "file", diag->file, "line",
					counted(diag->line), "column", counted(diag->column),
					"message", diag->message, "help", diag->help));
	}
	return list;
}

static int conclude(const struct checking *checking, bool json, struct err *err)
{
	if (json) {
		json_t *document = json_document("check");

		json_object_set_new(document, "errors", diags_json(&checking->diags, DIAG_ERROR));
		json_object_set_new(
			document, "warnings", diags_json(&checking->diags, DIAG_WARNING));
		json_object_set(document, "facts", checking->facts);
		print_json(document);
	} else {
		fflush(stdout);
		diags_print(&checking->diags, stderr, tty_colour(STDERR_FILENO));
	}
	if (!checking->diags.errors && checking->worst == E_NONE) {
		if (checking->verbose)
			puts("ok");
		return 0;
	}
	return err_set(err, checking->worst == E_NONE ? E_CONFIG : checking->worst, "%zu mistake%s",
		checking->diags.errors, checking->diags.errors == 1 ? "" : "s");
}

static int run(struct cli *cli, const void *opts, const struct opt_list *args, struct err *err)
{
	const struct check_options *options = opts;
	CLEANUP(checking_release)
	struct checking checking = {
		.cli = cli,
		.state = STATE_INIT,
		.verbose = !options->json && !cli->common.quiet,
		.facts = json_array(),
	};
	struct err load_err = {0};

	if (!args->n && !options->parsers) {
		err_set(err, E_USAGE, "which descriptor?");
		return err_help(err, "assay check FILE");
	}
	if (options->parsers)
		check_parser_files(&checking);
	if (!args->n)
		return conclude(&checking, options->json, err);
	if (descriptor_load(args->items[0], cli->common.set.items, cli->common.set.n,
		    &checking.diags, &checking.descriptor, &load_err)) {
		if (!checking.diags.errors)
			add_err(&checking, &load_err);
		broken(&checking, load_err.code);
		return conclude(&checking, options->json, err);
	}
	if (state_open(&checking.state, checking.descriptor->dir, cli->common.state,
		    cli->common.store, true, err))
		return -1;
	check_descriptor(&checking);
	if (checking.worst == E_NONE)
		check_plan(&checking);
	return conclude(&checking, options->json, err);
}

const struct command command_check = {
	.name = "check",
	.usage = &check_usage,
	.options = check_opts,
	.options_size = sizeof(struct check_options),
	.wants_launcher = true,
	.run = run,
};
