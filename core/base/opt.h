/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Option tables. One table per command gives parsing, --help, the man page and the bash completion,
 * so the four cannot drift apart.
 */
#ifndef ASSAY_BASE_OPT_H
#define ASSAY_BASE_OPT_H

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/vec.h"

enum opt_type {
	OPT_FLAG,     /* bool: --name (and --no-name when negatable) */
	OPT_TEXT,     /* const char *: borrowed from argv */
	OPT_LIST,     /* struct opt_list: may be given several times */
	OPT_UINT,     /* uint64_t */
	OPT_DURATION, /* int64_t ns: "10 s" */
	OPT_CHOICE,   /* const char *, one of choices */
};

struct opt_list {
	const char **items;
	size_t n;
};

struct opt {
	const char *name; /* long name without dashes */
	char short_name;  /* 0 = none */
	enum opt_type type;
	const char *arg;            /* name of the value in help: "FILE"; NULL for flags */
	const char *help;           /* one sentence without a full stop; may say the default */
	size_t offset;              /* of the variable in the command's options struct */
	const char *const *choices; /* OPT_CHOICE; NULL-terminated */
	bool negatable;
	const char *
		words_from; /* completion: what this command of the program lists, "list reports" */
};

/* How positional arguments are called and how many there may be. */
struct opt_usage {
	const char *command;     /* "assay plan" */
	const char *args;        /* "FILE", "[FILE|SESSION]", "'CMD A' ['CMD B' ...]" */
	const char *summary;     /* one line */
	const char *about;       /* paragraphs for the man page and --help, '\n\n' between; one that
				  * begins       with a blank is kept line by line; may be NULL */
	const char *examples;    /* lines "command<TAB>what it does"; may be NULL */
	int min_args, max_args;  /* max -1 = any number */
	const char *exit_status; /* lines "0<TAB>meaning"; may be NULL */
	const char *words_from;  /* completion of the arguments, as in struct opt; else: a FILE in
				  * args  is a descriptor */
};

/* Tables end with an entry whose name is NULL; common (may be NULL) is a second table that applies
 * to every command, its offsets into common_to. */
struct opt_set {
	const struct opt_usage *usage;
	const struct opt *opts;
	void *to;
	const struct opt *common;
	void *common_to;
	/* Lines as in usage->exit_status, for statuses that it does not explain itself; both in the
	 * order of their numbers. May be NULL. */
	const char *common_status;
};

/* -h and --help need no entry of their own. Parses argv[1..]; options and positionals may be mixed,
 * "--" ends the options; --name=value and
 * --name value; unambiguous prefixes are NOT accepted (scripts would break when options are added).
 * E_USAGE with the nearest option as suggestion. Positionals, in order, into ret_args (borrowed).
 * ret_help is set when -h or --help was seen (then the rest is not looked at). An OPT_LIST grows by
 * each use: the caller releases it, also after an error. Of other options the last one counts. */
int opt_parse(const struct opt_set *set, int argc, char **argv, struct opt_list *ret_args,
	bool *ret_help, struct err *err) MUST_CHECK;
void opt_list_release(struct opt_list *list);

void opt_help(const struct opt_set *set, struct buf *to, int width);
/* roff man(7) page, section 1. Dates and paths stay out of it: reproducible. */
void opt_man(const struct opt_set *set, const char *version, struct buf *to);
/* The bash function that completes one command: _assay_plan() for "assay plan". */
void opt_completion(const struct opt_set *set, struct buf *to);
/* The whole completion script for the program "assay" with its commands: opt_completion of each and
 * what chooses between them. */
void opt_completion_script(const struct opt_set *sets, size_t n, struct buf *to);

#endif
