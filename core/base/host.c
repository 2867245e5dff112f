/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/host.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/base/fs.h"
#include "core/base/text.h"

static void keep(char *to, size_t size, const char *text, size_t len)
{
	CLEANUP(buf_release) struct buf clean = BUF_INIT;

	while (len && (text[len - 1] == '\n' || text[len - 1] == ' '))
		len--;
	text_clean(&clean, text, len);
	snprintf(to, size, "%s", clean.data);
}

static void read_line(const char *path, char *to, size_t size)
{
	char text[1024];

	to[0] = '\0';
	if (!fs_read_small(path, text, sizeof(text)))
		keep(to, size, text, strcspn(text, "\n"));
}

/* Value of a "key : value" line of /proc/cpuinfo or /proc/meminfo. */
static bool proc_value(const char *path, const char *key, char *to, size_t size)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t cap = 0;
	bool found = false;

	while (file && !found && getline(&line, &cap, file) > 0) {
		const char *colon = strchr(line, ':');

		if (!colon || !text_starts(line, key))
			continue;
		colon += 1 + strspn(colon + 1, " \t");
		keep(to, size, colon, strlen(colon));
		found = true;
	}
	free(line);
	if (file)
		fclose(file);
	return found;
}

static uint64_t meminfo_bytes(const char *key)
{
	char text[64];

	if (!proc_value("/proc/meminfo", key, text, sizeof(text)))
		return 0;
	return strtoull(text, NULL, 10) * 1024;
}

uint64_t host_memory_available(void)
{
	return meminfo_bytes("MemAvailable");
}

static void read_hypervisor(struct host *host)
{
	char flags[8192];

	read_line("/sys/hypervisor/type", host->hypervisor, sizeof(host->hypervisor));
	if (!host->hypervisor[0] && proc_value("/proc/cpuinfo", "flags", flags, sizeof(flags)) &&
		strstr(flags, " hypervisor"))
		snprintf(host->hypervisor, sizeof(host->hypervisor), "yes");
}

void host_read(struct host *host, const char *compiler)
{
	CLEANUP(digest_freep) struct digest_ctx *epoch = digest_new();
	struct utsname uts = {0};
	char machine_id[64], date[64];
	cpu_set_t cpus;

	memset(host, 0, sizeof(*host));
	uname(&uts);
	keep(host->name, sizeof(host->name), uts.nodename, strlen(uts.nodename));
	snprintf(host->kernel, sizeof(host->kernel), "%s %s %s", uts.sysname, uts.release,
		uts.machine);
	read_line("/etc/machine-id", machine_id, sizeof(machine_id));
	if (machine_id[0])
		host->uid = digest_of(machine_id, strlen(machine_id));
	else
		host->uid = digest_of(host->name, strlen(host->name));
	proc_value("/proc/cpuinfo", "model name", host->cpu, sizeof(host->cpu));
	host->cores = sched_getaffinity(0, sizeof(cpus), &cpus) ? (int)sysconf(_SC_NPROCESSORS_ONLN)
								: CPU_COUNT(&cpus);
	host->memory_bytes = meminfo_bytes("MemTotal");
	read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", host->governor,
		sizeof(host->governor));
	read_line("/sys/class/dmi/id/bios_version", host->firmware, sizeof(host->firmware));
	read_line("/sys/class/dmi/id/bios_date", date, sizeof(date));
	if (date[0]) {
		size_t n = strlen(host->firmware);

		snprintf(
			host->firmware + n, sizeof(host->firmware) - n, "%s%s", n ? " " : "", date);
	}
	read_hypervisor(host);
	digest_field(epoch, "kernel", host->kernel);
	digest_field(epoch, "compiler", compiler);
	digest_field(epoch, "firmware", host->firmware);
	digest_field(epoch, "governor", host->governor);
	host->epoch = digest_end(epoch);
}

json_t *host_facts(const struct host *host)
{
	return json_pack("{s:s, s:i, s:I, s:s, s:s, s:s}", "cpu", host->cpu, "cores", host->cores,
		"memory_bytes", (json_int_t)host->memory_bytes, "governor", host->governor,
		"firmware", host->firmware, "hypervisor", host->hypervisor);
}
