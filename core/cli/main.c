/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/log.h"
#include "core/base/sig.h"
#include "core/base/text.h"
#include "core/base/tty.h"
#include "core/cli/command.h"
#include "core/cli/document.h"

static void print_help(FILE *to)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;

	help_overview(&text, tty_width(STDOUT_FILENO));
	fputs(text.data, to);
}

static int unknown_command(const char *name)
{
	const char *names[64];
	const char *near;
	size_t n = 0;

	for (size_t i = 0; commands[i] && n < ARRAY_SIZE(names); i++)
		names[n++] = commands[i]->name;
	if (name[0] == '-') {
		fprintf(stderr,
			"assay: error: '%s' stands where a command should\n"
			"    help: options stand behind the command: assay COMMAND %s ...\n",
			name, name);
		return 2;
	}
	near = text_nearest(name, names, n);
	fprintf(stderr, "assay: error: there is no command '%s'\n", name);
	if (near)
		fprintf(stderr, "    help: did you mean '%s'?\n", near);
	else
		fputs("    help: 'assay help' lists them\n", stderr);
	return 2;
}

/* A full disk or a closed pipe must not look like success. */
static int flush_output(int status)
{
	if (fflush(stdout) || ferror(stdout)) {
		if (errno == EPIPE)
			return status ? status : 128 + SIGPIPE;
		fprintf(stderr, "assay: error: writing the output: %s\n", strerror(errno));
		return 7;
	}
	return status;
}

static int run_command(
	const struct command *command, int argc, char **argv, const char *command_line)
{
	void *options = xcalloc(1, command->options_size);
	struct cli cli = {.command_line = command_line};
	struct opt_set set = command_opt_set(command, options, &cli.common);
	struct opt_list args = {0};
	struct err err = {0};
	bool help = false;
	int status = -1;

	if (command->defaults)
		memcpy(options, command->defaults, command->options_size);
	/* First of all, while this process is small: a child's peak RSS begins at its parent's. */
	if (command->wants_launcher && launcher_start(&cli.launcher, &err))
		goto out;
	if (opt_parse(&set, argc, argv, &args, &help, &err))
		goto out;
	if (help) {
		CLEANUP(buf_release) struct buf text = BUF_INIT;

		opt_help(&set, &text, tty_width(STDOUT_FILENO));
		fputs(text.data, stdout);
		status = 0;
		goto out;
	}
	if (cli.common.quiet)
		log_set_level(LOG_QUIET);
	else if (cli.common.verbose)
		log_set_level(LOG_VERBOSE);
	status = command->run(&cli, options, &args, &err);
out:
	if (status < 0) {
		fflush(stdout);
		log_err(command->name, &err);
		status = err_exit_status(&err);
	}
	launcher_stop(cli.launcher);
	for (const struct opt *opt = command->options; opt && opt->name; opt++) {
		if (opt->type == OPT_LIST)
			opt_list_release((struct opt_list *)((char *)options + opt->offset));
	}
	opt_list_release(&cli.common.set);
	opt_list_release(&args);
	free(options);
	return status;
}

/* A standard descriptor that the caller closed would be given to the next file opened, the store or
 * a lock, and messages would be written into it. Writing to a stream opened for reading fails. */
static void hold_standard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
			open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY) != fd)
			abort(); /* the lowest free one is always fd */
	}
}

static char *typed(int argc, char **argv)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;

	buf_adds(&text, "assay ");
	if (argc > 1)
		text_quote_argv(&text, (const char *const *)argv + 1);
	return buf_steal(&text);
}

int main(int argc, char **argv)
{
	const struct command *command;
	AUTOFREE char *command_line = typed(argc, argv);
	int status;

	hold_standard_descriptors();
	sig_install();
	if (argc < 2) {
		print_help(stderr);
		return 2;
	}
	if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		command = argc > 2 ? command_find(argv[2]) : NULL;
		if (argc > 2 && !command)
			return unknown_command(argv[2]);
		if (!command) {
			print_help(stdout);
			return flush_output(0);
		}

		char help_flag[] = "--help";
		char *help_argv[] = {argv[2], help_flag, NULL};

		return flush_output(run_command(command, 2, help_argv, command_line));
	}
	if (!strcmp(argv[1], "--version")) {
		puts(PACKAGE_STRING);
		return flush_output(0);
	}
	if (!strcmp(argv[1], "--write-man") || !strcmp(argv[1], "--write-completion"))
		return flush_output(document_write(argv[1] + 2, argc > 2 ? argv[2] : NULL, stdout));
	command = command_find(argv[1]);
	if (!command)
		return unknown_command(argv[1]);
	status = run_command(command, argc - 1, argv + 1, command_line);
	return flush_output(status);
}
