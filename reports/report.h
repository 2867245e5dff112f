/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Report builders: session -> document. One file and one row in report.c each. */
#ifndef ASSAY_REPORTS_REPORT_H
#define ASSAY_REPORTS_REPORT_H

#include "reports/analysis.h"
#include "reports/doc.h"

struct report_request {
	struct store *store;
	const struct store_session *session;
	const char *where;  /* may be NULL */
	const char *metric; /* NULL = the experiment's */
	const char *source; /* what the user named, for the commands in "next" */
};

struct report {
	const char *name, *summary;
	int (*build)(const struct report_request *request, struct doc **ret, struct err *err);
};
/* E_NOTHING when the session has no valid run (exit status 9 of `assay report`). */
extern const struct report *const reports[]; /* NULL-terminated; the first is the default */
const struct report *report_find(const char *name);

#endif
