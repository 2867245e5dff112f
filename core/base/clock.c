/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/clock.h"

#include <time.h>

static int64_t read_clock(clockid_t id)
{
	struct timespec ts = {0};

	/* Cannot fail: all three clocks exist on every kernel that assay runs on. */
	clock_gettime(id, &ts);
	return (int64_t)ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

int64_t clock_mono_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

int64_t clock_boot_ns(void)
{
	return read_clock(CLOCK_BOOTTIME);
}

int64_t clock_real_ns(void)
{
	return read_clock(CLOCK_REALTIME);
}

struct clock_stamp clock_now(void)
{
	struct clock_stamp stamp;

	stamp.mono_ns = clock_mono_ns();
	stamp.boot_ns = clock_boot_ns();
	stamp.real_ns = clock_real_ns();
	return stamp;
}

int64_t clock_boot_gap(struct clock_stamp a, struct clock_stamp b)
{
	return (b.boot_ns - a.boot_ns) - (b.mono_ns - a.mono_ns);
}

int64_t clock_real_gap(struct clock_stamp a, struct clock_stamp b)
{
	return (b.real_ns - a.real_ns) - (b.mono_ns - a.mono_ns);
}

void clock_add_iso(struct buf *to, int64_t real_ns)
{
	int64_t seconds = real_ns / NS_PER_S;
	time_t t;
	struct tm tm = {0};

	if (real_ns % NS_PER_S < 0)
		seconds--; /* the second that holds the moment, before 1970 too */
	t = (time_t)seconds;
	gmtime_r(&t, &tm);
	buf_addf(to, "%04d-%02d-%02dT%02d:%02d:%02dZ", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday,
		tm.tm_hour, tm.tm_min, tm.tm_sec);
}
