/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A log parser as loaded: for log_parser.c, which makes it, and log_run.c, which uses it. */
#ifndef ASSAY_COLLECTORS_LOG_RULE_H
#define ASSAY_COLLECTORS_LOG_RULE_H

#include "collectors/log_parser.h"
#include "collectors/log_reduce.h"
#include "collectors/log_value.h"
#include "collectors/regex.h"

/* "$job/$p": literal pieces and groups of the match. n 0 = not given. */
struct log_piece {
	const char *text; /* NULL: the group */
	int group;
};
struct log_template {
	struct log_piece *pieces;
	size_t n;
};

struct log_group_unit { /* values: {GROUP: UNIT} */
	const char *name;
	int group;
	struct log_unit unit; /* unless the text has its own */
};

struct log_fail { /* fail: {GROUP: [VALUE...]} */
	int group;
	struct conf_texts values;
};

struct log_rule {
	struct regex *regex;
	bool any_stream;
	enum stream stream;
	int pairs; /* group, -1 = none */
	struct log_group_unit *values;
	size_t n_values;
	bool spans_all;
	struct conf_texts spans;
	bool sequence, ignore;
	struct log_template begin, end, point, instance, thread, prefix;
	struct conf_pairs rename;
	int at; /* group of the line's own clock, -1 = none */
	struct log_unit at_unit;
	int clock; /* which of n_clocks: rules with one `at` text share a clock */
	enum log_reduce reduce;
	struct log_fail *fails;
	size_t n_fails;
};

struct log_parser {
	struct arena arena;
	const char *name;
	struct digest digest;
	struct conf_texts resync;
	struct log_rule *rules;
	size_t n_rules, n_clocks;
	const struct conf_node *tests; /* read by log_selftest.c; NULL = none */
};

#endif
