/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a descriptor's patterns make of a program's output: each parser rule, check and metric
 * beside the first line that it matched, or the line that comes nearest. For `assay try`.
 */
#ifndef ASSAY_ENGINE_TRIAL_H
#define ASSAY_ENGINE_TRIAL_H

#include "collectors/log_parser.h"
#include "core/model/plan.h"

struct trial_pattern {
	const char *kind; /* "rule 3", "check", "seen A4", "metric synth_ms" */
	const char *text; /* as written */
	bool literal;     /* else a regular expression */
	bool any_stream;
	enum stream stream;
	uint64_t matches;
	char *line; /* the first that matched, else the nearest, NULL = no line at all; owned */
	/* inside */
	struct regex *regex;
	size_t nearest; /* length of what the nearest line has in common with the pattern */
};

struct trial {
	struct trial_pattern *patterns;
	size_t n;
	const struct log_parser *parser; /* borrowed, may be NULL */
	struct log_run *run;
	size_t n_rules; /* the first patterns are the parser's rules */
	uint64_t lines;
};

/* levels: options of the row, whose `seen` checks count; NULL = none. */
int trial_init(struct trial *trial, const struct descriptor *descriptor,
	const struct workload *workload, const uint8_t *levels, const struct log_parser *parser,
	struct err *err) MUST_CHECK;
void trial_release(struct trial *trial);
/* A whole kept stream. */
void trial_feed(struct trial *trial, enum stream stream, const char *data, size_t len);

#endif
