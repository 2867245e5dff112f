/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is known of this machine without privileges. Texts are cleaned; "" = unknown.
 */
#ifndef ASSAY_BASE_HOST_H
#define ASSAY_BASE_HOST_H

#include <jansson.h>

#include "core/base/digest.h"

struct host {
	struct digest uid; /* of /etc/machine-id, or of the name where there is none */
	char name[256];
	char kernel[256]; /* "Linux 6.1.0-18-amd64 x86_64" */
	char cpu[256];    /* model name */
	int cores;        /* allowed to this process */
	uint64_t memory_bytes;
	char governor[64];   /* of cpu0, "" = no cpufreq */
	char firmware[256];  /* BIOS version and date */
	char hypervisor[64]; /* "" = none seen */
	struct digest epoch; /* of kernel, compiler, firmware, governor: what moves times between
				sessions */
};

/* compiler: version text of the C compiler, may be NULL. Never fails. */
void host_read(struct host *host, const char *compiler);
/* New reference. */
json_t *host_facts(const struct host *host);
/* MemAvailable of /proc/meminfo, 0 = unknown. */
uint64_t host_memory_available(void);

#endif
