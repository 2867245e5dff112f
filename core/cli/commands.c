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

const struct opt common_options[] = {
	{.name = "quiet",
		.short_name = 'q',
		.type = OPT_FLAG,
		.help = "no progress, notes or warnings on stderr",
		.offset = offsetof(struct common_options, quiet)},
	{.name = "verbose",
		.short_name = 'v',
		.type = OPT_FLAG,
		.help = "say more on stderr",
		.offset = offsetof(struct common_options, verbose)},
	{.name = "state",
		.type = OPT_TEXT,
		.arg = "DIR",
		.help = "folder of builds, logs, lock and store; default ASSAY_STATE, else .assay "
			"beside the descriptor",
		.offset = offsetof(struct common_options, state)},
	{.name = "store",
		.type = OPT_TEXT,
		.arg = "FILE",
		.help = "the database alone; default assay.db in the state folder",
		.offset = offsetof(struct common_options, store)},
	{.name = "set",
		.type = OPT_LIST,
		.arg = "a.b=VALUE",
		.help = "replace a value of the descriptor for this call; may be repeated",
		.offset = offsetof(struct common_options, set)},
	{.name = "wait",
		.type = OPT_FLAG,
		.negatable = true,
		.help = "wait while another assay works in the state folder",
		.offset = offsetof(struct common_options, wait)},
	{0},
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
	return (struct opt_set){command->usage, command->options, options, common_options, common};
}
