/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers with units as programs print them, and `key=number` pairs in a text. */
#ifndef ASSAY_COLLECTORS_LOG_VALUE_H
#define ASSAY_COLLECTORS_LOG_VALUE_H

#include "core/base/util.h"

#define LOG_UNIT_MAX 16

/* A unit on its way to the base unit of its dimension. */
struct log_unit {
	double factor;
	const char *base; /* "s", "B", "Hz"; "" = a count or a ratio */
};
/* A unit by name: those of num_unit; "" is a count, "x" a ratio, "%" becomes a share of 1. */
bool log_unit_find(const char *name, size_t len, struct log_unit *ret);
/* Unit by the end of a key: "synth_ms" -> ms, *ret_cut = length of "synth". False if it has none.
 */
bool log_unit_suffix(const char *key, size_t len, size_t *ret_cut, struct log_unit *ret);

struct log_value {
	double mantissa; /* the number is mantissa * 10^exponent, in the unit printed */
	int exponent;    /* of the last digit printed */
	bool has_unit;   /* a unit stood beside the number */
	struct log_unit unit;
	size_t used; /* bytes */
};
/*
 * A decimal number at the start of a text, with an optional unit behind it or behind one blank. The
 * text must end or go on with a separator (blank, comma, parenthesis, bracket, ';', '|') after it;
 * "12abc", "0x10", "1.2.3" and "1,234" (one number or two?) are no values: no value is better than
 * a wrong one.
 */
bool log_value_parse(const char *s, size_t len, struct log_value *ret);
/* In base units, rounded once: 154.7 ms is the double nearest to 0.1547. ret_quantum (may be NULL):
 * what one more in the last digit would have meant. */
double log_value_in(
	const struct log_value *value, const struct log_unit *unit, double *ret_quantum);

struct log_pair {
	const char *key; /* in the text */
	size_t key_len;
	struct log_value value;
};
/* The next `key=value` at or behind *pos whose value is a number; moves *pos. */
bool log_pair_next(const char *s, size_t len, size_t *pos, struct log_pair *ret);

#endif
