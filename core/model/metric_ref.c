/* SPDX-License-Identifier: GPL-3.0-or-later */
/* References to metrics: NAME[@PHASE] (doc/descriptor.md). */
#include "config.h"

#include "core/model/load.h"

#include <stdio.h>
#include <string.h>

#include "core/base/num.h"
#include "core/base/text.h"

static const struct {
	const char *name, *unit;
} builtin[] = {
	{"wall", "s"},
	{"user", "s"},
	{"sys", "s"},
	{"rss_peak", "B"},
	{"faults_minor", ""},
	{"faults_major", ""},
	{"switches_vol", ""},
	{"switches_invol", ""},
	{"read_bytes", "B"},
	{"written_bytes", "B"},
};

static const char *const kinds[] = {"counter:", "metric:", "log:", "gpu:", "phase:"};

static const struct metric_def *own_metric(const struct workload *workload, const char *name)
{
	for (size_t i = 0; workload && i < workload->n_metrics; i++) {
		if (!strcmp(workload->metrics[i].name, name))
			return &workload->metrics[i];
	}
	return NULL;
}

static const char *unit_of(const struct workload *workload, const char *name, bool *known)
{
	const struct metric_def *own = own_metric(workload, name);
	const char *base;
	double factor;

	*known = true;
	if (own && own->unit && *own->unit)
		return num_unit(own->unit, &factor, &base) ? base : own->unit;
	if (own)
		return "";
	for (size_t i = 0; i < ARRAY_SIZE(builtin); i++) {
		if (!strcmp(builtin[i].name, name))
			return builtin[i].unit;
	}
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (text_starts(name, kinds[i]) && name[strlen(kinds[i])])
			return !strcmp(kinds[i], "phase:") ? "s" : NULL;
	}
	*known = false;
	return NULL;
}

const char *metric_ref_unit(const struct workload *workload, const char *ref)
{
	AUTOFREE char *name = xstrndup(ref, strcspn(ref, "@"));
	bool known;

	return unit_of(workload, name, &known);
}

bool metric_ref_valid(const struct workload *workload, const char *ref, char *why, size_t size)
{
	const char *names[ARRAY_SIZE(builtin) + ARRAY_SIZE(kinds) + 64];
	const char *at = strchr(ref, '@'), *near;
	AUTOFREE char *name = xstrndup(ref, strcspn(ref, "@"));
	size_t n = 0;
	bool known;

	unit_of(workload, name, &known);
	if (known && at && (!at[1] || strchr(at + 1, '@'))) {
		snprintf(why, size, "'%s': the name of a phase is missing after '@'", ref);
		return false;
	}
	if (known && at && text_starts(name, "phase:")) {
		snprintf(why, size, "'%s': a phase inside a phase; write wall%s", ref, at);
		return false;
	}
	if (known)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(builtin); i++)
		names[n++] = builtin[i].name;
	for (size_t i = 0; workload && i < workload->n_metrics && i < 64; i++)
		names[n++] = workload->metrics[i].name;
	near = text_nearest(name, names, n);
	if (near)
		snprintf(why, size, "unknown metric '%s'; did you mean '%s'?", ref, near);
	else
		snprintf(why, size,
			"unknown metric '%s'; there are wall, user, sys, rss_peak, ..., "
			"phase:NAME, "
			"log:NAME, counter:NAME, metric:NAME, gpu:NAME and the workload's own",
			ref);
	return false;
}
