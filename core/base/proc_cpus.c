/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/proc.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_HWLOC
#include <hwloc.h>
#include <hwloc/glibc-sched.h>
#endif

/*
 * text: items between commas; an item is N, N-M or KIND:N[-M], and a kind holds for the items after
 * it. Without a kind numbers are those of the kernel (/proc/cpuinfo), with one those of hwloc
 * (lstopo -l): pu, core, numa, package, l3. A core means all its hardware threads.
 */

#define CPU_MAX 65535

#ifdef HAVE_HWLOC
typedef hwloc_topology_t topology;

static int topology_open(topology *ret, struct err *err)
{
	hwloc_topology_t top;

	if (hwloc_topology_init(&top))
		return err_sys(err, E_SYSTEM, errno, "hwloc cannot start");
	if (hwloc_topology_load(top)) {
		hwloc_topology_destroy(top);
		return err_sys(err, E_SYSTEM, errno, "hwloc cannot read the topology");
	}
	*ret = top;
	return 0;
}

static void topology_close(topology *top)
{
	if (*top)
		hwloc_topology_destroy(*top);
}

static int add_objects(
	topology top, const char *kind, long from, long to, cpu_set_t *set, struct err *err)
{
	static const struct {
		const char *name;
		hwloc_obj_type_t type;
	} kinds[] = {
		{"pu", HWLOC_OBJ_PU},
		{"core", HWLOC_OBJ_CORE},
		{"numa", HWLOC_OBJ_NUMANODE},
		{"package", HWLOC_OBJ_PACKAGE},
		{"l3", HWLOC_OBJ_L3CACHE},
	};
	size_t k = 0;

	while (k < ARRAY_SIZE(kinds) && strcmp(kinds[k].name, kind) != 0)
		k++;
	if (k == ARRAY_SIZE(kinds)) {
		err_set(err, E_CONFIG, "unknown kind of cpu set '%s'", kind);
		return err_help(err, "known: pu, core, numa, package, l3");
	}
	for (long i = from; i <= to; i++) {
		hwloc_obj_t obj = hwloc_get_obj_by_type(top, kinds[k].type, (unsigned int)i);
		cpu_set_t one;

		if (!obj) {
			int n = hwloc_get_nbobjs_by_type(top, kinds[k].type);

			return err_set(err, E_MISSING, "%s:%ld is not there: this machine has %d",
				kind, i, n > 0 ? n : 0);
		}
		CPU_ZERO(&one);
		hwloc_cpuset_to_glibc_sched_affinity(top, obj->cpuset, &one, sizeof(one));
		CPU_OR(set, set, &one);
	}
	return 0;
}
#else
typedef void *topology;

static int topology_open(topology *ret, struct err *err)
{
	(void)ret;
	return err_set(
		err, E_MISSING, "cpu sets by kind need hwloc, without which this assay was built");
}

static void topology_close(topology *top)
{
	(void)top;
}

static int add_objects(
	topology top, const char *kind, long from, long to, cpu_set_t *set, struct err *err)
{
	(void)top, (void)kind, (void)from, (void)to, (void)set;
	return err_set(err, E_MISSING, "no hwloc");
}
#endif

/* A number at *at; -1 when there is none. */
static long take_number(const char **at)
{
	char *end;
	long n;

	if (!isdigit((unsigned char)**at))
		return -1;
	errno = 0;
	n = strtol(*at, &end, 10);
	if (errno || n > CPU_MAX)
		return -1;
	*at = end;
	return n;
}

static int syntax_error(const char *text, const char *at, struct err *err)
{
	err_set(err, E_CONFIG, "bad cpu set '%s' at '%s'", text, at);
	return err_help(err, "write for instance 0-3,6 or core:0-1 or numa:0");
}

int proc_cpus_parse(const char *text, cpu_set_t *ret, struct err *err)
{
	CLEANUP(topology_close) topology top = NULL;
	cpu_set_t set, allowed;
	char kind[16] = "";
	const char *at = text;

	CPU_ZERO(&set);
	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return err_sys(err, E_SYSTEM, errno, "cannot read the allowed cpus");
	for (;;) {
		size_t word;
		long from, to;

		at += strspn(at, " ");
		word = strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789");
		if (at[word] == ':') {
			if (!word || word >= sizeof(kind))
				return syntax_error(text, at, err);
			memcpy(kind, at, word);
			kind[word] = '\0';
			at += word + 1;
			if (!top && topology_open(&top, err))
				return -1;
		}
		from = to = take_number(&at);
		if (from >= 0 && *at == '-') {
			at++;
			to = take_number(&at);
		}
		if (from < 0 || to < from)
			return syntax_error(text, at, err);
		if (kind[0] && add_objects(top, kind, from, to, &set, err))
			return -1;
		for (long i = from; !kind[0] && i <= to; i++) {
			if (i >= CPU_SETSIZE || !CPU_ISSET((size_t)i, &allowed))
				return err_set(err, E_MISSING,
					"cpu %ld of '%s' is not there or not allowed here", i,
					text);
			CPU_SET((size_t)i, &set);
		}
		at += strspn(at, " ");
		if (!*at)
			break;
		if (*at != ',')
			return syntax_error(text, at, err);
		at++;
	}
	/* hwloc shows what is allowed, which may still be more than our own affinity */
	CPU_AND(&set, &set, &allowed);
	if (!CPU_COUNT(&set))
		return err_set(err, E_MISSING, "no cpu of '%s' is allowed here", text);
	*ret = set;
	return 0;
}
