/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Commands: one file that exports one const struct, one row in commands.c. The option table of a
 * command gives parsing, --help, its man page and its completion.
 */
#ifndef ASSAY_CLI_COMMAND_H
#define ASSAY_CLI_COMMAND_H

#include "core/base/opt.h"
#include "core/base/proc.h"

/* Options that commands share: which ones, says enum common_kind. */
struct common_options {
	bool quiet, verbose;
	const char *state, *store;
	struct opt_list set;
	bool wait;
};

enum common_kind {
	COMMON_WORKS,   /* works in the state folder: all of them */
	COMMON_READS,   /* reads the store: no lock to wait for */
	COMMON_NEITHER, /* -q and -v */
};

struct cli {
	struct common_options common;
	struct launcher *launcher; /* NULL unless the command wants it */
	const char *command_line;  /* as typed, for the record */
};

struct command {
	const char *name;
	const struct opt_usage *usage;
	const struct opt *options;
	size_t options_size;
	const void *defaults; /* of the options struct; NULL = all zero */
	enum common_kind common;
	bool wants_launcher;
	/* The exit status (doc/interfaces.md), or -1 with err set: printed once by main, which
	 * then exits by err_exit_status. options: a struct of options_size, defaults, then parsed.
	 */
	int (*run)(
		struct cli *cli, const void *options, const struct opt_list *args, struct err *err);
};

extern const struct command *const commands[]; /* NULL-terminated, in the order of `assay help` */

const struct command *command_find(const char *name);
/* Table of one command for opt_parse and for its documents. options and common may be NULL there.
 */
struct opt_set command_opt_set(
	const struct command *command, void *options, struct common_options *common);

#endif
