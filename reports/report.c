/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "reports/report.h"

#include <string.h>

#include "reports/report_impl.h"

const struct report *const reports[] = {
	&report_compare,
	NULL,
};

const struct report *report_find(const char *name)
{
	for (size_t i = 0; reports[i]; i++) {
		if (!strcmp(reports[i]->name, name))
			return reports[i];
	}
	return NULL;
}
