/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report builders, and parts of the comparison; for reports/report*.c only. */
#ifndef ASSAY_REPORTS_REPORT_IMPL_H
#define ASSAY_REPORTS_REPORT_IMPL_H

#include "reports/report.h"

extern const struct report report_compare;

/* The machine-readable document (new reference) and the csv table (owned) of a comparison. */
json_t *compare_json(const struct analysis *analysis);
struct table *compare_csv(const struct analysis *analysis);

/* How a row is called where there is little room: its variant, or the set expression that made it
 * when the variant's name is long and that one is short. Borrowed. */
const char *row_label(const struct stored_row *row);

/* Parts of the document: doubts and the next step, and what else moved in a cell. */
void compare_doubts(
	const struct report_request *request, const struct analysis *analysis, struct doc *doc);
void compare_next(
	const struct report_request *request, const struct analysis *analysis, struct doc *doc);
void compare_moved(
	const struct analysis *analysis, const struct cell_result *cell, struct doc *doc);

#endif
