/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/num.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"

/* The start of a foreign text, for "%.*s". */
#define SHOWN(s) text_cut((s), 60), (s)

static int refuse(struct why *why, const char *fmt, ...) PRINTF_LIKE(2, 3);
static int refuse(struct why *why, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why->text, sizeof(why->text), fmt, ap);
	va_end(ap);
	return -1;
}

/* The C locale as an object: strtod and printf obey the user's LC_NUMERIC otherwise. newlocale of
 * "C" allocates nothing, so it is made anew each time instead of being kept in a variable. */
static locale_t c_locale(void)
{
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);

	if (!c)
		abort();
	return c;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Length of the decimal number at s, 0 when there is none. *ret_whole: digits only. */
static size_t number_length(const char *s, bool *ret_whole)
{
	const char *p = s;
	size_t digits = 0;

	*ret_whole = true;
	if (*p == '+' || *p == '-')
		p++;
	for (; is_digit(*p); p++)
		digits++;
	if (*p == '.') {
		*ret_whole = false;
		for (p++; is_digit(*p); p++)
			digits++;
	}
	if (!digits)
		return 0;
	if (*p == 'e' || *p == 'E') {
		const char *e = p + 1;

		if (*e == '+' || *e == '-')
			e++;
		if (is_digit(*e)) {
			*ret_whole = false;
			while (is_digit(*e))
				e++;
			p = e;
		}
	}
	return (size_t)(p - s);
}

static double to_double(const char *s)
{
	locale_t c = c_locale();
	double v = strtod_l(s, NULL, c);

	freelocale(c);
	return v;
}

/* Digits to a number; false on overflow. */
static bool to_uint(const char *s, uint64_t *ret)
{
	uint64_t v = 0;

	for (; is_digit(*s); s++) {
		if (__builtin_mul_overflow(v, UINT64_C(10), &v) ||
			__builtin_add_overflow(v, (uint64_t)(*s - '0'), &v))
			return false;
	}
	*ret = v;
	return true;
}

static bool is_whole(const char *s)
{
	bool whole;
	size_t n = number_length(s, &whole);

	return n && whole && !s[n];
}

int num_int(const char *s, int64_t *ret, struct why *why)
{
	bool negative = s[0] == '-';
	uint64_t v, limit = (uint64_t)INT64_MAX + negative;

	if (!is_whole(s))
		return refuse(
			why, "'%.*s' is no whole number: write digits only, such as 12", SHOWN(s));
	if (!to_uint(s + (negative || s[0] == '+'), &v) || v > limit)
		return refuse(why, "'%.*s' is out of range (64 bit)", SHOWN(s));
	*ret = negative ? (int64_t)(0 - v) : (int64_t)v;
	return 0;
}

int num_uint(const char *s, uint64_t *ret, struct why *why)
{
	uint64_t v;

	if (!is_whole(s))
		return refuse(
			why, "'%.*s' is no whole number: write digits only, such as 12", SHOWN(s));
	if (s[0] == '-')
		return refuse(why, "'%.*s' is negative: write 0 or more", SHOWN(s));
	if (!to_uint(s + (s[0] == '+'), &v))
		return refuse(why, "'%.*s' is out of range (64 bit)", SHOWN(s));
	*ret = v;
	return 0;
}

int num_double(const char *s, double *ret, struct why *why)
{
	bool whole;
	size_t n = number_length(s, &whole);
	double v;

	if (!n || s[n])
		return refuse(
			why, "'%.*s' is no decimal number: write it as 12, 0.5 or 1e3", SHOWN(s));
	v = to_double(s);
	if (!isfinite(v))
		return refuse(why, "'%.*s' is out of range", SHOWN(s));
	*ret = v;
	return 0;
}

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit durations[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000},
	{"min", 60 * UINT64_C(1000000000)}, {"h", 3600 * UINT64_C(1000000000)},
	{"d", 86400 * UINT64_C(1000000000)}, {NULL, 0}};

static const struct unit sizes[] = {{"B", 1}, {"kB", 1000}, {"MB", 1000000}, {"GB", 1000000000},
	{"TB", UINT64_C(1000000000000)}, {"KiB", UINT64_C(1) << 10}, {"MiB", UINT64_C(1) << 20},
	{"GiB", UINT64_C(1) << 30}, {"TiB", UINT64_C(1) << 40}, {NULL, 0}};

/* A kind of quantity, for messages. */
struct quantity {
	const struct unit *units;
	const char *noun, *names, *example;
};

static const struct quantity duration_kind = {durations, "duration", "ns us ms s min h d", "s"};
static const struct quantity size_kind = {sizes, "size", "B kB MB GB TB KiB MiB GiB TiB", "MiB"};

/* number [blank] unit, not negative, at most max base units (rounded to a whole one). */
static int quantity(
	const char *s, const struct quantity *kind, uint64_t max, uint64_t *ret, struct why *why)
{
	const struct unit *unit = kind->units;
	const char *name;
	bool whole, fits;
	size_t n = number_length(s, &whole);
	uint64_t v = 0;

	if (!n)
		return refuse(why, "'%.*s' is no %s: write a number and a unit, such as 10 %s",
			SHOWN(s), kind->noun, kind->example);
	if (s[0] == '-')
		return refuse(why, "'%.*s' is negative: a %s is 0 or more", SHOWN(s), kind->noun);
	name = s + n;
	if (*name == ' ' || *name == '\t')
		name++;
	if (!*name)
		return refuse(why, "'%.*s' has no unit: write %.*s %s (units: %s)", SHOWN(s),
			(int)n, s, kind->example, kind->names);
	while (unit->name && strcmp(unit->name, name))
		unit++;
	if (!unit->name)
		return refuse(why, "'%.*s' is no unit of a %s: use one of %s", SHOWN(name),
			kind->noun, kind->names);
	if (whole) {
		fits = to_uint(s + (s[0] == '+'), &v) &&
		       !__builtin_mul_overflow(v, unit->factor, &v);
	} else {
		double x = round(to_double(s) * (double)unit->factor);

		fits = x < 0x1p64;
		v = fits ? (uint64_t)x : 0;
	}
	if (!fits || v > max)
		return refuse(why, "'%.*s' is out of range", SHOWN(s));
	*ret = v;
	return 0;
}

int num_duration(const char *s, int64_t *ret_ns, struct why *why)
{
	uint64_t v;

	if (quantity(s, &duration_kind, INT64_MAX, &v, why))
		return -1;
	*ret_ns = (int64_t)v;
	return 0;
}

int num_size(const char *s, uint64_t *ret_bytes, struct why *why)
{
	return quantity(s, &size_kind, UINT64_MAX, ret_bytes, why);
}

int num_percent(const char *s, double *ret, struct why *why)
{
	bool whole;
	size_t n = number_length(s, &whole);
	const char *p = s + n;
	double v;

	if (*p == ' ' || *p == '\t')
		p++;
	if (!n || strcmp(p, "%")) {
		if (n && !s[n])
			return refuse(why, "'%.*s' has no unit: write %.*s%%", SHOWN(s), SHOWN(s));
		return refuse(why, "'%.*s' is no percentage: write it as 1%% or 0.5 %%", SHOWN(s));
	}
	if (s[0] == '-')
		return refuse(why, "'%.*s' is negative: a percentage is 0 or more", SHOWN(s));
	v = to_double(s);
	if (!isfinite(v))
		return refuse(why, "'%.*s' is out of range", SHOWN(s));
	*ret = v / 100;
	return 0;
}

bool num_unit(const char *unit, double *ret_factor, const char **ret_base)
{
	/* doc/descriptor.md, and what programs print for the same. */
	static const struct {
		const char *name;
		double factor;
		const char *base;
	} units[] = {{"ns", 1e-9, "s"}, {"us", 1e-6, "s"}, {"\xC2\xB5s", 1e-6, "s"},
		{"\xCE\xBCs", 1e-6, "s"}, {"ms", 1e-3, "s"}, {"s", 1, "s"}, {"sec", 1, "s"},
		{"min", 60, "s"}, {"h", 3600, "s"}, {"d", 86400, "s"}, {"B", 1, "B"},
		{"bytes", 1, "B"}, {"kB", 1e3, "B"}, {"KB", 1e3, "B"}, {"kb", 1e3, "B"},
		{"MB", 1e6, "B"}, {"GB", 1e9, "B"}, {"TB", 1e12, "B"}, {"KiB", 0x1p10, "B"},
		{"kib", 0x1p10, "B"}, {"MiB", 0x1p20, "B"}, {"mib", 0x1p20, "B"},
		{"GiB", 0x1p30, "B"}, {"gib", 0x1p30, "B"}, {"TiB", 0x1p40, "B"}, {"Hz", 1, "Hz"},
		{"kHz", 1e3, "Hz"}, {"MHz", 1e6, "Hz"}, {"GHz", 1e9, "Hz"}, {"%", 0.01, "1"},
		{"1", 1, "1"}};

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcmp(units[i].name, unit))
			continue;
		*ret_factor = units[i].factor;
		*ret_base = units[i].base;
		return true;
	}
	return false;
}

void num_addf(struct buf *to, const char *fmt, ...)
{
	locale_t c = c_locale(), saved = uselocale(c);
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(to, fmt, ap);
	va_end(ap);
	uselocale(saved);
	freelocale(c);
}

void num_add_exact(struct buf *to, double v)
{
	size_t start = to->len;

	if (isnan(v)) {
		buf_adds(to, "nan");
		return;
	}
	/* 17 digits always read back as the same double, 15 nearly always do. */
	for (int digits = 15; digits <= 17; digits++) {
		buf_truncate(to, start);
		num_addf(to, "%.*g", digits, v);
		if (digits == 17 || isinf(v) || to_double(to->data + start) == v)
			return;
	}
}

/* v in the given unit with three or four digits: 1.234, 12.3, 850. */
static void add_digits(struct buf *to, double v, const char *unit)
{
	num_addf(to, "%.*f %s", v < 9.9995 ? 3 : v < 99.95 ? 1 : 0, v, unit);
}

/* Two units below each other, rounded to the smaller one: "2 min 05 s". */
static void add_pair(struct buf *to, uint64_t v, uint64_t small_ns, unsigned per_large,
	const char *large, const char *small)
{
	uint64_t n = v / small_ns + (v % small_ns >= small_ns / 2);

	buf_addf(to, "%llu %s %02llu %s", (unsigned long long)(n / per_large), large,
		(unsigned long long)(n % per_large), small);
}

void num_add_duration(struct buf *to, int64_t ns)
{
	uint64_t v = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
	const uint64_t s = (uint64_t)NS_PER_S;

	if (ns < 0)
		buf_addc(to, '-');
	/* Each border is where rounding would print the next unit's first value. */
	if (!v)
		buf_adds(to, "0 s");
	else if (v < 1000)
		buf_addf(to, "%llu ns", (unsigned long long)v);
	else if (v < 999500)
		add_digits(to, (double)v / 1e3, "us");
	else if (v < 999500000)
		add_digits(to, (double)v / 1e6, "ms");
	else if (v < 99950 * (s / 1000))
		add_digits(to, (double)v / 1e9, "s");
	else if (v < 119950 * (s / 1000)) /* 105.9 s beside 88.9 s: comparable at a glance */
		num_addf(to, "%.1f s", (double)v / 1e9);
	else if (v < 3600 * s - s / 2)
		add_pair(to, v, s, 60, "min", "s");
	else if (v < 86400 * s - 30 * s)
		add_pair(to, v, 60 * s, 60, "h", "min");
	else
		add_pair(to, v, 3600 * s, 24, "d", "h");
}

void num_add_coarse(struct buf *to, int64_t ns)
{
	uint64_t v = ns < 0 ? 0 : (uint64_t)ns;
	const uint64_t s = (uint64_t)NS_PER_S;

	if (v < 60 * s - s / 2)
		buf_addf(to, "%llu s", (unsigned long long)((v + s / 2) / s));
	else if (v < 3600 * s - s / 2)
		add_pair(to, v, s, 60, "min", "s");
	else if (v < 86400 * s - 30 * s)
		add_pair(to, v, 60 * s, 60, "h", "min");
	else
		add_pair(to, v, 3600 * s, 24, "d", "h");
}

void num_add_size(struct buf *to, double bytes)
{
	static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	double v = fabs(bytes);
	size_t i = 0;

	if (!isfinite(bytes)) {
		num_add_exact(to, bytes);
		return;
	}
	while (v >= (i ? 1023.5 : 1024) && i + 1 < ARRAY_SIZE(names)) {
		v /= 1024;
		i++;
	}
	num_addf(to, "%s%.*f %s", bytes < 0 ? "-" : "", i && v < 999.95 ? 1 : 0, v, names[i]);
}
