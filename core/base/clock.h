/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clocks, all as int64_t ns. */
#ifndef ASSAY_BASE_CLOCK_H
#define ASSAY_BASE_CLOCK_H

#include "core/base/buf.h"

int64_t clock_mono_ns(void); /* CLOCK_MONOTONIC */
int64_t clock_boot_ns(void); /* CLOCK_BOOTTIME: goes on during suspend */
int64_t clock_real_ns(void); /* CLOCK_REALTIME: can step */

/* All three at (nearly) one moment, to find suspends and steps of the clock in between. */
struct clock_stamp {
	int64_t mono_ns, boot_ns, real_ns;
};
struct clock_stamp clock_now(void);
/* (boot_b - boot_a) - (mono_b - mono_a): time spent suspended. */
int64_t clock_boot_gap(struct clock_stamp a, struct clock_stamp b);
/* (real_b - real_a) - (mono_b - mono_a): steps of the wall clock (slewing stays below 0.05 %). */
int64_t clock_real_gap(struct clock_stamp a, struct clock_stamp b);

/* "2026-01-31T12:34:56Z" */
void clock_add_iso(struct buf *to, int64_t real_ns);

#endif
