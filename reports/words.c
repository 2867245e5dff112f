/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "reports/words.h"

#include <math.h>
#include <string.h>

#include "core/base/num.h"

struct step {
	double size;
	const char *unit;
};
static const struct step time_steps[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
static const struct step count_steps[] = {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}};
static const struct step size_steps[] = {
	{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}, {1, "B"}};

/* Four figures where there are decimals. */
static int figures(double value)
{
	value = fabs(value);
	if (!(value > 0))
		return 0;
	return value < 10 ? 3 : value < 100 ? 2 : value < 1000 ? 1 : 0;
}

struct scale scale_for(double value, const char *unit)
{
	struct scale scale = {1, unit ? unit : "", 0};
	const struct step *steps = NULL;
	const char *base;
	double factor;
	size_t i, n = 4;

	if (!isfinite(value))
		value = 0;
	if (num_unit(scale.unit, &factor, &base)) {
		steps = !strcmp(base, "s") ? time_steps : !strcmp(base, "B") ? size_steps : NULL;
		if (steps && value == 0)
			steps = NULL;
	}
	if (!scale.unit[0] && fabs(value) >= 1e5) {
		steps = count_steps;
		factor = 1;
	}
	if (steps) {
		for (i = 0; i + 1 < n && fabs(value) * factor < steps[i].size; i++)
			;
		scale.factor = factor / steps[i].size;
		scale.unit = steps[i].unit;
	}
	value *= scale.factor;
	/* Counts and bytes have no decimals. */
	if (!steps && fabs(value - round(value)) < 1e-9 && fabs(value) < 1e15)
		scale.digits = 0;
	else
		scale.digits = figures(value);
	if (fabs(value) < 0.1 && value != 0) {
		scale.digits = (int)ceil(-log10(fabs(value))) + 2;
		scale.digits = scale.digits > 12 ? 12 : scale.digits;
	}
	return scale;
}

/* With its sign, but none for what rounds to zero. */
static void add_signed(struct buf *to, double x, int digits)
{
	size_t start = to->len;

	num_addf(to, "%+.*f", digits, x);
	if (!strpbrk(to->data + start, "123456789ni")) {
		buf_truncate(to, start);
		num_addf(to, "%.*f", digits, 0.0);
	}
}

void scale_add(struct buf *to, const struct scale *scale, double value)
{
	num_addf(to, "%.*f", scale->digits, value * scale->factor);
}

static void add_unit(struct buf *to, const struct scale *scale)
{
	if (scale->unit[0]) {
		buf_addc(to, ' ');
		buf_adds(to, scale->unit);
	}
}

void scale_add_unit(struct buf *to, const struct scale *scale, double value)
{
	scale_add(to, scale, value);
	add_unit(to, scale);
}

void scale_add_signed(struct buf *to, const struct scale *scale, double value)
{
	add_signed(to, value * scale->factor, scale->digits);
}

int percent_digits(double half_width, double effect)
{
	/* Small intervals get more decimals, unless the effect dwarfs them. */
	double wide = fmax(fabs(half_width), fabs(effect) / 100) * 100;

	return !isfinite(wide) || !(wide > 0) || wide >= 0.095 ? 1 : wide >= 0.02 ? 2 : 3;
}

void add_percent(struct buf *to, double effect, int digits)
{
	add_signed(to, effect * 100, fabs(effect) >= 10 ? 0 : digits);
	buf_adds(to, " %");
}

void add_short(struct buf *to, double x, int figures)
{
	double size = fabs(x);

	if (size < 1e15 && size >= pow(10, figures))
		num_addf(to, "%.0f", x);
	else if (size > 0 && size < 1e-4)
		num_addf(to, "%.*f", (int)fmin(ceil(-log10(size)) + 1, 12), x);
	else
		num_addf(to, "%.*g", figures, x);
}

const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

double two_figures(double x)
{
	double step = pow(10, floor(log10(fabs(x))) - 1);

	return x == 0 || !isfinite(x) ? x : round(x / step) * step;
}

void add_rough_percent(struct buf *to, double ratio)
{
	double percent = two_figures(ratio * 100);

	if (ratio > BEYOND)
		num_addf(to, "more than %.0f %%", BEYOND * 100);
	else if (percent < 100) /* no exponent */
		num_addf(to, "%.2g %%", percent);
	else
		num_addf(to, "%.0f %%", percent);
}

bool beyond(double low, double high)
{
	return high > BEYOND && !((1 + high) <= 10 * (1 + low));
}

static void add_bound(struct buf *to, double x, double factor, int digits)
{
	if (isfinite(x))
		num_addf(to, "%+.*f", fabs(x * factor) >= 1000 && digits < 3 ? 0 : digits,
			x * factor);
	else
		buf_adds(to, "open");
}

void add_interval(struct buf *to, double low, double high, double factor, int digits)
{
	buf_addc(to, '[');
	add_bound(to, low, factor, digits);
	buf_adds(to, ", ");
	add_bound(to, high, factor, digits);
	buf_addc(to, ']');
}

void add_percent_interval(struct buf *to, double low, double high, int digits)
{
	low = low > -1 ? low : -INFINITY; /* no ratio lies below */
	if (!isfinite(high) || !beyond(low, high)) {
		add_interval(to, low, high, 100, digits);
		return;
	}
	buf_addc(to, '[');
	add_bound(to, fmin(low, BEYOND), 100, digits);
	num_addf(to, ", > %+.0f]", BEYOND * 100);
}

const char *metric_noun(const char *metric, const char *scope)
{
	if (!strcmp(metric, "wall"))
		return strncmp(scope, "phase:", 6) ? "time" : scope + 6;
	return metric;
}

bool is_time(const char *unit)
{
	const char *base;
	double factor;

	return unit && num_unit(unit, &factor, &base) && !strcmp(base, "s");
}

const char *verdict_adjective(
	enum verdict verdict, const char *unit, const char *better, double effect)
{
	if (!strcmp(better, "none"))
		return effect > 0 ? "higher" : "lower";
	if (is_time(unit) && strcmp(better, "higher") != 0)
		return verdict == VERDICT_REGRESSED ? "slower" : "faster";
	return verdict == VERDICT_REGRESSED ? "worse" : "better";
}

void add_difference(struct buf *to, const struct difference *difference)
{
	struct scale scale;

	if (difference->relative) {
		add_short(to, difference->value * 100, 3);
		buf_adds(to, " %");
		return;
	}
	scale = scale_for(difference->value, difference->unit);
	add_short(to, difference->value * scale.factor, 4);
	add_unit(to, &scale);
}

void add_verdict_word(struct buf *to, const struct row_result *result)
{
	const struct judgement *judgement = &result->judgement;

	if (result->is_baseline) {
		buf_adds(to, "baseline");
		return;
	}
	switch (result->verdict) {
	case VERDICT_REGRESSED:
	case VERDICT_IMPROVED:
		buf_adds(to, verdict_adjective(result->verdict, judgement->unit, judgement->better,
				     result->effect));
		break;
	case VERDICT_SAME:
		if (result->i95.method == METHOD_EXACT && result->effect == 0) {
			buf_adds(to, "equal");
			break;
		}
		buf_adds(to, "same within ");
		add_difference(to, &judgement->difference);
		break;
	case VERDICT_UNDECIDED:
		buf_adds(to, "undecided");
		break;
	case VERDICT_UNMEASURED:
		buf_adds(to, "not measured");
		break;
	}
}

bool too_noisy(const struct row_result *result)
{
	return result->verdict == VERDICT_UNDECIDED && result->blocks_needed > BLOCKS_IN_REASON;
}

void add_verdict(struct buf *to, const struct row_result *result)
{
	add_verdict_word(to, result);
	if (result->is_baseline)
		return;
	if (too_noisy(result)) {
		buf_adds(to, " (too noisy)");
	} else if (result->verdict == VERDICT_UNDECIDED) {
		buf_addf(to, " (%s", result->reason);
		if (result->blocks_needed > result->pairs)
			buf_addf(to, ", about %zu more blocks",
				result->blocks_needed - result->pairs);
		buf_addc(to, ')');
	} else if (result->verdict == VERDICT_UNMEASURED) {
		buf_addf(to, " (%.*s)", (int)strcspn(result->reason, ":"), result->reason);
	}
}

const char *verdict_style(const struct row_result *result)
{
	if (result->is_baseline)
		return "muted";
	switch (result->verdict) {
	case VERDICT_REGRESSED:
		return "bad";
	case VERDICT_IMPROVED:
		return "good";
	case VERDICT_SAME:
		return NULL;
	case VERDICT_UNDECIDED:
	case VERDICT_UNMEASURED:
		break;
	}
	return "doubt";
}
