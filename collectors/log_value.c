/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "collectors/log_value.h"

#include <math.h>
#include <string.h>

#include "core/base/num.h"

/* Longer numbers than this are no measurements. */
#define NUMBER_MAX 64

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool separator(char c)
{
	return c == ' ' || c == '\t' || (c && strchr(",;()[]{}|", c));
}

static bool key_char(char c)
{
	return letter(c) || digit(c) || c == '_' || c == '.' || c == '-';
}

bool log_unit_find(const char *name, size_t len, struct log_unit *ret)
{
	char text[LOG_UNIT_MAX];
	const char *base;

	if (len >= sizeof(text))
		return false;
	memcpy(text, name, len);
	text[len] = '\0';
	if (!len || !strcmp(text, "x")) {
		*ret = (struct log_unit){1, ""};
		return true;
	}
	if (!num_unit(text, &ret->factor, &base))
		return false;
	ret->base = strcmp(base, "1") ? base : "";
	return true;
}

bool log_unit_suffix(const char *key, size_t len, size_t *ret_cut, struct log_unit *ret)
{
	static const struct {
		const char *suffix;
		struct log_unit unit;
	} suffixes[] = {{"_ns", {1e-9, "s"}}, {"_us", {1e-6, "s"}}, {"_ms", {1e-3, "s"}},
		{"_s", {1, "s"}}, {"_bytes", {1, "B"}}, {"_kb", {1e3, "B"}},
		{"_mib", {0x1p20, "B"}}, {"_gib", {0x1p30, "B"}}};

	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		size_t n = strlen(suffixes[i].suffix);

		if (len > n && !memcmp(key + len - n, suffixes[i].suffix, n)) {
			*ret_cut = len - n;
			*ret = suffixes[i].unit;
			return true;
		}
	}
	return false;
}

static double power_of_ten(int exponent)
{
	static const double powers[] = {
		1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12};

	return exponent < (int)ARRAY_SIZE(powers) ? powers[exponent] : pow(10, exponent);
}

double log_value_in(const struct log_value *value, const struct log_unit *unit, double *ret_quantum)
{
	/* Powers of ten are exact up to 10^22: dividing by one rounds once, while multiplying by
	 * its inverse would round twice. */
	bool fraction = value->exponent < 0;
	double power = power_of_ten(fraction ? -value->exponent : value->exponent);
	double inverse = unit->factor < 1 ? rint(1 / unit->factor) : 1;
	double factor = unit->factor < 1 ? 1 : unit->factor;

	if (fraction) {
		if (ret_quantum)
			*ret_quantum = factor / (power * inverse);
		return value->mantissa * factor / (power * inverse);
	}
	if (ret_quantum)
		*ret_quantum = power * factor / inverse;
	return value->mantissa * power * factor / inverse;
}

static size_t digits(const char *s, size_t len, size_t i)
{
	while (i < len && digit(s[i]))
		i++;
	return i;
}

/* Length of the number at s, 0 = none; *ret_exponent is the power of ten of its last digit. */
static size_t number_length(const char *s, size_t len, int *ret_exponent)
{
	size_t i = len && (*s == '-' || *s == '+'), whole = i, end;
	int exponent = 0;

	i = digits(s, len, i);
	if (i == whole)
		return 0;
	if (i + 1 < len && s[i] == '.' && digit(s[i + 1])) {
		end = digits(s, len, i + 1);
		exponent = -(int)(end - i - 1);
		i = end;
	}
	if (i + 1 < len && (s[i] == 'e' || s[i] == 'E')) {
		size_t from = i + 1 + (s[i + 1] == '-' || s[i + 1] == '+');

		end = digits(s, len, from);
		if (end > from && end - from <= 2) {
			int power = 0;

			for (size_t k = from; k < end; k++)
				power = 10 * power + (s[k] - '0');
			exponent += s[i + 1] == '-' ? -power : power;
			i = end;
		}
	}
	if (i > NUMBER_MAX)
		return 0;
	*ret_exponent = exponent;
	return i;
}

/* The digits as one whole number; exact up to 2^53, and longer ones have no measured digit there.
 */
static double number_mantissa(const char *s, size_t len)
{
	double n = 0;
	uint64_t few = 0;
	size_t i = 0;

	for (; i < len && i < 18 && (digit(s[i]) || strchr("+-.", s[i])); i++) {
		if (digit(s[i]))
			few = 10 * few + (uint64_t)(s[i] - '0');
	}
	for (n = (double)few; i < len && (digit(s[i]) || s[i] == '.'); i++) {
		if (digit(s[i]))
			n = 10 * n + (s[i] - '0');
	}
	return *s == '-' ? -n : n;
}

/* Letters of a unit: ASCII, '%', and the two UTF-8 forms of micro. */
static size_t unit_length(const char *s, size_t len)
{
	size_t i = 0;

	while (i < len && (letter(s[i]) || s[i] == '%' || (s[i] & 0x80)))
		i++;
	return i;
}

static bool ends(const char *s, size_t len, size_t i)
{
	if (i == len)
		return true;
	/* The full stop of a sentence. */
	if (s[i] == '.')
		return i + 1 == len || s[i + 1] == ' ';
	/* A comma between digits may be of thousands or of a list. */
	return separator(s[i]) && !(s[i] == ',' && i + 1 < len && digit(s[i + 1]));
}

bool log_value_parse(const char *s, size_t len, struct log_value *ret)
{
	struct log_value v = {.unit = {1, ""}};
	size_t n = number_length(s, len, &v.exponent), u;

	if (!n)
		return false;
	v.mantissa = number_mantissa(s, n);
	u = unit_length(s + n, len - n);
	if (u) {
		if (!log_unit_find(s + n, u, &v.unit) || !ends(s, len, n + u))
			return false;
		v.has_unit = true;
		v.used = n + u;
	} else {
		if (!ends(s, len, n))
			return false;
		v.used = n;
		if (n + 1 < len && s[n] == ' ') {
			struct log_unit unit;

			u = unit_length(s + n + 1, len - n - 1);
			if (u && ends(s, len, n + 1 + u) && log_unit_find(s + n + 1, u, &unit)) {
				v.unit = unit;
				v.has_unit = true;
				v.used = n + 1 + u;
			}
		}
	}
	*ret = v;
	return true;
}

bool log_pair_next(const char *s, size_t len, size_t *pos, struct log_pair *ret)
{
	const char *equal;

	while (*pos < len && (equal = memchr(s + *pos, '=', len - *pos))) {
		size_t at = (size_t)(equal - s), key = at;

		while (key > *pos && key_char(s[key - 1]))
			key--;
		*pos = at + 1;
		if (key == at || !(letter(s[key]) || s[key] == '_') ||
			(key && !separator(s[key - 1])))
			continue;
		if (!log_value_parse(equal + 1, len - at - 1, &ret->value))
			continue;
		ret->key = s + key;
		ret->key_len = at - key;
		*pos = at + 1 + ret->value.used;
		return true;
	}
	return false;
}
