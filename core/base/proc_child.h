/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a child does between its birth and execve. It shares the memory of the worker that made it
 * (as after vfork; a copy when namespaces are asked for) while the worker is suspended: nothing
 * here allocates, takes a lock or changes memory but the report and its own stack.
 */
#ifndef ASSAY_BASE_PROC_CHILD_H
#define ASSAY_BASE_PROC_CHILD_H

#include <sys/types.h>

#include "core/base/proc_wire.h"

/* In memory shared with the worker in either case. */
struct child_report {
	int stage; /* enum wire_stage: how far it came, WIRE_STAGE_EXEC = execve was called */
	int error; /* errno when it failed there, else 0 */
	int index;
	struct clock_stamp start; /* directly before execve */
};

struct child_job {
	const struct wire_request *request;
	struct child_report *report;
	int sock;     /* of the worker */
	pid_t worker; /* its parent: when that is another one by now, it gives up */
	char uid_map[48], gid_map[48]; /* identity maps for a user namespace */
};

/* For clone: job is a struct child_job. Returns (the status is of no interest) only on failure. */
int child_main(void *job);

#endif
