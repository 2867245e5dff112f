/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Log parsers as data (doc/HOWTO-parser.md): a YAML file of rules turns a program's lines into
 * numbers (`log:KEY`) and phases.
 */
#ifndef ASSAY_COLLECTORS_LOG_PARSER_H
#define ASSAY_COLLECTORS_LOG_PARSER_H

#include "core/base/conf.h"
#include "core/base/digest.h"
#include "core/model/descriptor.h"
#include "core/model/record.h"

struct log_parser; /* immutable: compiled rules */

/* From an inline node (parsers.NAME), else parsers/NAME.yaml beside the descriptor, else the
 * installed one. Mistakes of the file go to diags. */
int log_parser_load(const struct descriptor *descriptor, const char *name, struct diags *diags,
	struct log_parser **ret, struct err *err) MUST_CHECK;
int log_parser_load_file(
	const char *path, struct diags *diags, struct log_parser **ret, struct err *err) MUST_CHECK;
void log_parser_free(struct log_parser *parser);
DEFINE_CLEANUP(struct log_parser, log_parser_free)
/* Of its content: enters the plan. */
struct digest log_parser_digest(const struct log_parser *parser);
const char *log_parser_name(const struct log_parser *parser);
/* Runs the file's own `tests: [{line, gives}]`; failures go to diags; their number is returned. */
size_t log_parser_selftest(const struct log_parser *parser, struct diags *diags, size_t *ret_n);

/* Can a rule give this value (`log:NAME`), or this phase? true as well when names come out of the
 * lines
 * (`pairs`, "$group"): then only a run tells. When false, known gets the names that there are, in
 * an array that the caller frees. */
bool log_parser_can_give(
	const struct log_parser *parser, bool phase, const char *name, struct conf_texts *known);

/* State of one run. */
struct log_run;
struct log_run *log_run_new(const struct log_parser *parser);
void log_run_free(struct log_run *run);
DEFINE_CLEANUP(struct log_run, log_run_free)
/* Rule index that matched, -1 = none, -2 = held back for resynchronisation (for `try`). */
int log_run_line(
	struct log_run *run, enum stream stream, const char *line, size_t len, int64_t t_ns);
/* start/end: CLOCK_MONOTONIC of the run. Writes samples (collector "log") and phases; *ret_failed =
 * reason by a `fail` rule, or NULL. */
void log_run_end(struct log_run *run, int64_t start_ns, int64_t end_ns, struct run_record *record,
	const char **ret_failed);

/* For `try`: what a rule is, as written. */
size_t log_parser_n_rules(const struct log_parser *parser);
const char *log_parser_rule_text(const struct log_parser *parser, size_t i);
/* How many lines each rule matched in this run. */
uint64_t log_run_matches(const struct log_run *run, size_t rule);

#endif
