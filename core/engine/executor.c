/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/engine/executor.h"

#include <string.h>

#include "core/engine/exec_fake.h"
#include "core/engine/exec_local.h"

const struct executor *const executors[] = {
	&executor_local,
	&executor_fake,
	NULL,
};

const struct executor *executor_find(const char *name)
{
	for (size_t i = 0; executors[i]; i++) {
		if (!strcmp(executors[i]->name, name))
			return executors[i];
	}
	return NULL;
}
