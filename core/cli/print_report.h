/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds a report and writes it out: what `run`, `measure` and `report` share. */
#ifndef ASSAY_CLI_PRINT_REPORT_H
#define ASSAY_CLI_PRINT_REPORT_H

#include "core/store/store.h"

struct print_report_options {
	const char *report; /* NULL = the default one */
	const char *format; /* a renderer's name */
	const char *output; /* file; NULL = stdout */
	const char *where, *metric;
	const char *source;  /* what the user named */
	const char *figures; /* "svg", "png" or NULL = none; beside output, else in the current
				folder */
};

/* Whether there are such a report and such a format: before anything is opened. */
int print_report_check(const struct print_report_options *options, struct err *err) MUST_CHECK;
int print_report(struct store *store, const struct store_session *session,
	const struct print_report_options *options, struct err *err) MUST_CHECK;

#endif
