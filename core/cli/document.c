/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/cli/document.h"

#include <string.h>

#include "core/cli/command.h"

static const char about[] =
	"assay builds every variant of a program that a descriptor declares, runs them in an order "
	"that drift cannot bias, stores raw values in one SQLite file, and says which variants are "
	"faster, slower or the same, with stated error rates.";

void help_overview(struct buf *to, int width)
{
	(void)width;
	buf_adds(to, "Usage: assay COMMAND [OPTION...] [ARGUMENT...]\n\n");
	for (size_t i = 0; commands[i]; i++)
		buf_addf(to, "  %-10s %s\n", commands[i]->name, commands[i]->usage->summary);
	buf_adds(to, "\n'assay COMMAND --help' tells more, 'assay --version' the version. First "
		     "steps: assay init,\nassay check, assay try, assay run, assay report.\n");
}

static void overview_man(struct buf *to)
{
	buf_adds(to,
		".TH ASSAY 1 \"\" \"assay " PACKAGE_VERSION "\" \"User Commands\"\n"
		".SH NAME\nassay \\- profiling and experiment orchestration\n"
		".SH SYNOPSIS\n.B assay\n.I COMMAND\n[\\fIOPTION\\fR...] [\\fIARGUMENT\\fR...]\n"
		".SH DESCRIPTION\n");
	buf_adds(to, about);
	buf_adds(to, "\n.SH OPTIONS\n.TP\n.BR \\-h \", \" \\-\\-help\nThe commands; behind a "
		     "command: its "
		     "help.\n.TP\n.B \\-\\-version\nThe version.\n.SH COMMANDS\n");
	for (size_t i = 0; commands[i]; i++)
		buf_addf(to, ".TP\n.BR assay\\-%s (1)\n%s\n", commands[i]->name,
			commands[i]->usage->summary);
	buf_adds(to,
		".SH EXIT STATUS\n"
		"0 fine; 1 a negative answer; 2 usage; 3 bad descriptor; 4 build failed; 5 runs "
		"failed; 6 permission, missing tool or feature; 7 store or file system; 8 "
		"undecided; 9 nothing measured; 70 a bug of assay; 128+N ended by signal N.\n"
		".SH ENVIRONMENT\n.TP\n.B ASSAY_STATE\nthe state folder\n"
		".TP\n.B ASSAY_DATADIR\nwhere parsers and templates are\n"
		".TP\n.B NO_COLOR\nno colour on a terminal\n");
}

static void completion(struct buf *to)
{
	static const struct opt_usage program = {.command = "assay",
		.args = "COMMAND",
		.summary = "profiling and experiment orchestration"};
	static const struct opt options[] = {{.name = "version", .type = OPT_FLAG}, {0}};
	VEC(struct opt_set) sets = VEC_INIT;

	*vec_push(&sets) = (struct opt_set){.usage = &program, .opts = options};
	for (size_t i = 0; commands[i]; i++)
		*vec_push(&sets) = command_opt_set(commands[i], NULL, NULL);
	opt_completion_script(sets.items, sets.n, to);
	vec_release(&sets);
}

int document_write(const char *kind, const char *name, FILE *to)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;
	const struct command *command = name ? command_find(name) : NULL;

	if (name && !command)
		return 2;
	if (!strcmp(kind, "write-completion")) {
		completion(&text);
	} else if (!command) {
		overview_man(&text);
	} else {
		struct opt_set set = command_opt_set(command, NULL, NULL);

		opt_man(&set, PACKAGE_VERSION, &text);
	}
	fputs(text.data, to);
	return 0;
}
