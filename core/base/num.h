/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers and quantities as text, always as in the C locale (LC_NUMERIC never matters), decimal
 * only. Grammar: doc/descriptor.md. The whole text must be used up. All parsers return 0 or -1 and
 * write one sentence of what is wrong, with the right form, into why (for a diagnostic).
 */
#ifndef ASSAY_BASE_NUM_H
#define ASSAY_BASE_NUM_H

#include "core/base/buf.h"

struct why {
	char text[256];
};

int num_int(const char *s, int64_t *ret, struct why *why) MUST_CHECK;
int num_uint(const char *s, uint64_t *ret, struct why *why) MUST_CHECK;
/* A finite decimal number; 1e3 is a number, 0x10, inf, nan are not. */
int num_double(const char *s, double *ret, struct why *why) MUST_CHECK;
/* "10 min" -> ns. A bare number is refused ("write 10 s"). */
int num_duration(const char *s, int64_t *ret_ns, struct why *why) MUST_CHECK;
/* "1.5 GiB" -> bytes. */
int num_size(const char *s, uint64_t *ret_bytes, struct why *why) MUST_CHECK;
/* "1%" -> 0.01 */
int num_percent(const char *s, double *ret, struct why *why) MUST_CHECK;

/* Unit names to a factor on the base unit of their dimension ("ms" -> 1e-3, base "s"; "MiB" ->
 * 1048576, base "B"). false if unknown. */
bool num_unit(const char *unit, double *ret_factor, const char **ret_base);

/* printf with LC_NUMERIC=C whatever the locale is. */
void num_addf(struct buf *to, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Shortest text that reads back as the same double ("0.1", "1e+30"); "nan", "inf" as such. */
void num_add_exact(struct buf *to, double v);
/* For people: "1.234 s", "12.3 ms", "850 us", "105.9 s", "2 min 05 s" (from two minutes on), "1 h
 * 44 min"; three or four digits. */
void num_add_duration(struct buf *to, int64_t ns);
/* For a glance at what goes on: "8 s", "1 min 05 s", "1 h 44 min", "2 d 03 h". */
void num_add_coarse(struct buf *to, int64_t ns);
/* For people: "1.5 GiB". */
void num_add_size(struct buf *to, double bytes);

#endif
