/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/cli/command.h"

#include <string.h>

extern const struct command command_init, command_check, command_plan, command_build, command_run,
	command_measure, command_report, command_try, command_ls, command_show, command_list;

const struct command *const commands[] = {
	&command_init,
	&command_check,
	&command_try,
	&command_plan,
	&command_build,
	&command_run,
	&command_measure,
	&command_report,
	&command_ls,
	&command_show,
	&command_list,
	NULL,
};

#define COMMON(member) .offset = offsetof(struct common_options, member)
#define COMMON_MESSAGES \
	{.name = "quiet", \
		.short_name = 'q', \
		.type = OPT_FLAG, \
		.help = "no progress, notes or warnings on stderr", \
		COMMON(quiet)}, \
	{ \
		.name = "verbose", .short_name = 'v', .type = OPT_FLAG, \
		.help = "say on stderr what enters the plan", COMMON(verbose) \
	}
#define COMMON_STORE \
	{.name = "state", \
		.type = OPT_TEXT, \
		.arg = "DIR", \
		.help = "folder of builds, logs, lock and store; default ASSAY_STATE, else " \
			".assay " \
			"beside the descriptor", \
		COMMON(state)}, \
		{.name = "store", \
			.type = OPT_TEXT, \
			.arg = "FILE", \
			.help = "the database alone; default assay.db in the state folder", \
			COMMON(store)}, \
	{ \
		.name = "set", .type = OPT_LIST, .arg = "a.b=VALUE", \
		.help = "replace a value of the descriptor for this call", COMMON(set) \
	}

static const struct opt for_messages[] = {COMMON_MESSAGES, {0}};
static const struct opt for_reading[] = {COMMON_MESSAGES, COMMON_STORE, {0}};
static const struct opt for_working[] = {
	COMMON_MESSAGES,
	COMMON_STORE,
	{.name = "wait",
		.type = OPT_FLAG,
		.negatable = true,
		.help = "wait while another assay works in the state folder; default: end at once",
		COMMON(wait)},
	{0},
};

#define STATUS_USAGE "2\tbad command line\n"
#define STATUS_DESCRIPTOR "3\tbad descriptor\n"
#define STATUS_MISSING "6\tpermission, or a missing source, tool or feature\n"
#define STATUS_STORE "7\tstore or file system"
#define STATUS_BUG "70\ta bug of assay\n"

/* Which of them a command has. */
static const struct {
	const struct opt *options;
	const char *status;
} commons[] = {
	[COMMON_WORKS] = {for_working, STATUS_USAGE STATUS_DESCRIPTOR STATUS_MISSING STATUS_STORE
		", or another assay works in the state folder\n" STATUS_BUG},
	[COMMON_READS] = {for_reading,
		STATUS_USAGE STATUS_DESCRIPTOR STATUS_MISSING STATUS_STORE "\n" STATUS_BUG},
	[COMMON_NEITHER] = {for_messages, STATUS_USAGE STATUS_MISSING STATUS_STORE "\n" STATUS_BUG},
};

const struct command *command_find(const char *name)
{
	for (size_t i = 0; commands[i]; i++) {
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	}
	return NULL;
}

struct opt_set command_opt_set(
	const struct command *command, void *options, struct common_options *common)
{
	return (struct opt_set){
		.usage = command->usage,
		.opts = command->options,
		.to = options,
		.common = commons[command->common].options,
		.common_to = common,
		.common_status = commons[command->common].status,
	};
}
