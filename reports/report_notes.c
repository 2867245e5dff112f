/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lower half of a comparison: what to doubt, what to do next. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/num.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "reports/report_impl.h"
#include "reports/words.h"

#define FAILURES_MAX 6 /* failed runs listed */
#define COMMANDS_MAX 4
#define OTHERS_MUCH 0.2 /* other processes' share of a processor that is worth a word */
#define STEAL_MUCH 0.01
/* A single build of each variant says nothing below this: where code happens to lie moves times by
 * some 0.3 % (doc/statistics.md, build variance), 1.96 sd of a difference of two. */
#define LAYOUT_NOISE 0.008

/* --- Doubts --------------------------------------------------------------------------------------
 */

static int by_value(const void *pa, const void *pb)
{
	double a = *(const double *)pa, b = *(const double *)pb;

	return a < b ? -1 : a > b;
}

/* The smallest effect that n2 pairs could show, on the scale of the effect. */
static double seen_at(const struct row_result *row, size_t n2)
{
	double half = half_width_at(&row->i95, row->pairs, n2);
	double seen = row->absolute ? half : expm1(half);

	return fmin(row->detectable, fmax(seen, row->judgement.difference.value));
}

static double median_seen(
	const struct analysis *analysis, const struct cell_result *cell, size_t factor)
{
	VEC(double) all = VEC_INIT;
	double median = NAN;

	for (size_t r = 1; r < cell->n_rows; r++) {
		const struct row_result *row = &analysis->results[cell->rows[r]];

		if (row->shown && isfinite(row->detectable) && row->verdict != VERDICT_UNMEASURED)
			*vec_push(&all) =
				factor == 1 ? row->detectable : seen_at(row, factor * row->pairs);
	}
	if (all.n) {
		qsort(all.items, all.n, sizeof(*all.items), by_value);
		median = all.items[all.n / 2];
	}
	vec_release(&all);
	return median;
}

/* "Could have seen": the median over the rows of a cell. */
static void note_detectable(const struct analysis *analysis, const struct cell_result *cell,
	bool several, struct doc *doc)
{
	const struct row_result *base = &analysis->results[cell->rows[0]];
	CLEANUP(buf_release) struct buf text = BUF_INIT;
	double seen = median_seen(analysis, cell, 1);
	size_t pairs = 0;

	if (isnan(seen))
		return;
	for (size_t r = 1; r < cell->n_rows; r++) {
		const struct row_result *row = &analysis->results[cell->rows[r]];

		if (row->shown && isfinite(row->detectable) && row->pairs > pairs)
			pairs = row->pairs;
	}
	if (several)
		buf_addf(&text, "%s: ", cell->name);
	if (base->absolute) {
		struct scale scale = scale_for(seen, base->judgement.unit);

		scale_add_unit(&text, &scale, seen);
		buf_addf(&text, " at %zu pair%s.", pairs, plural(pairs));
	} else {
		add_rough_percent(&text, seen);
		buf_addf(&text, " at %zu pair%s", pairs, plural(pairs));
		if (seen > base->judgement.difference.value * 1.001) {
			double twice = median_seen(analysis, cell, 2);

			buf_adds(&text, twice > BEYOND ? ", " : ", about ");
			add_rough_percent(&text, twice);
			buf_addf(&text, " at %zu", 2 * pairs);
		}
		buf_addc(&text, '.');
	}
	doc_note(doc, "Could have seen:", "%s", text.data);
}

static const struct row_result *row_of_run(
	const struct analysis *analysis, const struct store_run *run)
{
	for (size_t i = 0; i < analysis->n_rows; i++) {
		if (analysis->rows[i].id == run->row_id)
			return &analysis->results[i];
	}
	return NULL;
}

static void note_failures(const struct analysis *analysis, struct doc *doc)
{
	size_t n = 0, lost = 0;

	for (size_t i = 0; i < analysis->n_runs; i++) {
		const struct store_run *run = &analysis->runs[i].run;
		const struct row_result *row = row_of_run(analysis, run);
		const char *reason = run->reason && run->reason[0] ? run->reason : "no reason kept";

		if (run->status == RUN_OK || run->status == RUN_RUNNING || !row || !row->shown)
			continue;
		if (run->status == RUN_LOST) {
			lost++;
			continue;
		}
		if (++n > FAILURES_MAX)
			continue;
		doc_note(doc, "Not counted:", "run %lld, %s, %s%d, %s: %s: assay show %lld",
			(long long)analysis->runs[i].id, row->row->row.name,
			run->role == ROLE_WARMUP ? "warm-up " : "block ", run->block + 1,
			run_status_name(run->status), reason, (long long)analysis->runs[i].id);
	}
	if (n > FAILURES_MAX)
		doc_note(doc, "Not counted:", "%zu more run%s: --format json lists all",
			n - FAILURES_MAX, plural(n - FAILURES_MAX));
	if (lost)
		doc_note(doc, "Not counted:", "%zu run%s cut off when assay ended%s", lost,
			plural(lost),
			!strcmp(analysis->session.state, "open") ? " (repeated when it goes on)"
			: !strcmp(analysis->session.state, "complete") ? ", and repeated since"
								       : "");
}

static void note_same_program(const struct analysis *analysis, struct doc *doc)
{
	for (size_t i = 0; i < analysis->n_aa; i++) {
		const struct row_result *a = analysis->aa[i].a, *b = analysis->aa[i].b;
		CLEANUP(buf_release) struct buf text = BUF_INIT;

		buf_addf(&text,
			"%s and %s are one program (same code, environment and arguments), "
			"judged like any other",
			row_label(a->row), row_label(b->row));
		if (a->is_baseline && isfinite(b->effect) && !b->absolute) {
			int digits = percent_digits((b->high - b->low) / 2, b->effect);

			buf_adds(&text, ": ");
			add_percent(&text, b->effect, digits);
			buf_addc(&text, ' ');
			add_percent_interval(&text, b->low, b->high, digits);
			buf_adds(&text, ", ");
			add_verdict(&text, b);
			if (b->verdict == VERDICT_REGRESSED || b->verdict == VERDICT_IMPROVED)
				buf_adds(&text, ": doubt all verdicts of this session");
		}
		doc_note(doc, "Same program twice:", "%s.", text.data);
	}
}

/* What a short name stands for, once; with its workload where it means two things. */
static void note_label(const struct analysis *analysis, size_t at, struct doc *doc)
{
	const struct stored_row *row = analysis->results[at].row;
	const char *label = row_label(row);
	bool two = false;

	if (!strcmp(label, row->row.variant))
		return;
	for (size_t i = 0; i < analysis->n_rows; i++) {
		const struct stored_row *other = analysis->results[i].row;

		if (!analysis->results[i].shown || strcmp(row_label(other), label) != 0)
			continue;
		if (strcmp(other->row.variant, row->row.variant) != 0)
			two = true;
		else if (i < at && !strcmp(other->row.workload, row->row.workload))
			return;
	}
	for (size_t i = 0; i < at && !two; i++) {
		if (analysis->results[i].shown &&
			!strcmp(row_label(analysis->results[i].row), label))
			return;
	}
	if (two)
		doc_note(doc, NULL, "%s: %s = %s", row->row.workload, label, row->row.variant);
	else
		doc_note(doc, NULL, "%s = %s", label, row->row.variant);
}

static void note_rows(const struct analysis *analysis, struct doc *doc)
{
	size_t left_out = 0;
	bool small = false, coarse = false;

	for (size_t i = 0; i < analysis->n_rows; i++) {
		const struct row_result *row = &analysis->results[i];

		if (!row->shown || row->is_baseline)
			continue;
		left_out += row->verdict != VERDICT_UNMEASURED ? row->pairs_left_out : 0;
		coarse |= row->coarse && row->verdict != VERDICT_UNMEASURED;
		if (row->verdict == VERDICT_UNMEASURED && !row->first_failure &&
			strchr(row->reason, ':'))
			/* Of a failed build the first line: the compiler's follow. */
			doc_note(doc, "Not measured:", "%s: %.*s", row->row->row.name,
				(int)strcspn(row->reason, "\n"), row->reason);
		if (row->varies)
			doc_note(doc, "Beware:", "%s is declared exact, but varies in %s.",
				row->judgement.ref, row->row->row.name);
		note_label(analysis, i, doc);
		small |= (row->verdict == VERDICT_REGRESSED || row->verdict == VERDICT_IMPROVED) &&
			 !row->absolute && fabs(row->effect) < LAYOUT_NOISE &&
			 row->row->build.key && row->baseline->row->build.key &&
			 strcmp(row->row->build.key, row->baseline->row->build.key) != 0;
	}
	if (left_out)
		doc_note(doc, "Beware:", "%zu pair%s left out because one partner has no value.",
			left_out, left_out == 1 ? " is" : "s are");
	if (coarse)
		doc_note(doc, "Beware:",
			"values come in steps wider than their scatter; intervals are at least as "
			"wide as one step.");
	if (small)
		doc_note(doc, "Beware:",
			"differences below %.1f %% can come from where the code happens to lie in "
			"each "
			"binary: they hold for these binaries, not for the sources.",
			LAYOUT_NOISE * 100);
}

/* Rows that no reasonable number of blocks decides: what would. */
static void note_too_noisy(const struct analysis *analysis, struct doc *doc)
{
	const struct row_result *first = NULL;
	CLEANUP(buf_release) struct buf text = BUF_INIT;
	size_t rows = 0, least = SIZE_MAX;
	double seen = NAN; /* the smallest difference that all relative ones could show */

	for (size_t i = 0; i < analysis->n_rows; i++) {
		const struct row_result *row = &analysis->results[i];

		if (!row->shown || row->is_baseline || !too_noisy(row))
			continue;
		first = first ? first : row;
		rows++;
		least = row->blocks_needed < least ? row->blocks_needed : least;
		if (!row->absolute)
			seen = fmax(seen, row->detectable); /* fmax leaves NaN aside */
	}
	if (!rows)
		return;
	buf_adds(&text, row_label(first->row));
	if (rows > 1)
		buf_addf(&text, " and %zu more", rows - 1);
	buf_adds(&text, ": more blocks are no help, telling ");
	add_difference(&text, &first->judgement.difference);
	num_addf(&text,
		" would take %s %.0f of them. What would help: a quieter machine, longer runs",
		rows > 1 ? "at least" : "about", two_figures((double)least));
	buf_adds(&text, ", or a larger measure.difference");
	if (isfinite(seen)) {
		buf_adds(&text, " (these runs could show ");
		add_rough_percent(&text, seen);
		buf_addc(&text, ')');
	}
	doc_note(doc, "Too noisy:", "%s.", text.data);
}

static void note_session(
	const struct report_request *request, const struct analysis *analysis, struct doc *doc)
{
	const struct store_session *session = &analysis->session;
	CLEANUP(buf_release) struct buf started = BUF_INIT;
	CLEANUP(buf_release) struct buf beside = BUF_INIT;
	size_t blocks = 0, resumed = 0, runs = 0, warmups = 0;
	double confidence = 0.95;

	for (size_t c = 0; c < analysis->n_cells; c++)
		blocks =
			analysis->cells[c].n_blocks > blocks ? analysis->cells[c].n_blocks : blocks;
	for (size_t i = 0; i < analysis->n_runs; i++) {
		const struct store_run *run = &analysis->runs[i].run;
		bool ended = run->status != RUN_LOST && run->status != RUN_RUNNING;

		resumed += run->resumed;
		runs += ended && run->role == ROLE_MEASURED; /* as assay ls counts them */
		warmups += ended && run->role == ROLE_WARMUP;
	}
	if (warmups)
		buf_addf(&beside, " and %zu to warm up", warmups);
	if (analysis->n_rows)
		confidence = analysis->results[0].judgement.confidence;
	clock_add_iso(&started, session->started_at);
	doc_note(doc, "Session:",
		"%lld (%.8s), %s, on %s, %s, %zu block%s, %zu run%s%s; %zu comparison%s, together "
		"%.4g %% sure.",
		(long long)session->id, session->uid, started.data, analysis->host, session->state,
		blocks, plural(blocks), runs, plural(runs), beside.len ? beside.data : "",
		analysis->comparisons, plural(analysis->comparisons), confidence * 100);
	if (strcmp(session->state, "open") == 0) {
		/* Whether it runs at this moment or was interrupted is nowhere written. */
		doc_note(doc, "Beware:", "the session is open: this is what there is so far.");
	}
	if (resumed)
		doc_note(doc, "Beware:", "%zu run%s to blocks that were interrupted and resumed.",
			resumed, resumed == 1 ? " belongs" : "s belong");
	if (request->where)
		doc_note(doc, NULL, "Shown: rows where %s; verdicts count all of the session.",
			request->where);
}

/* What the machine and the log parser did meanwhile. */
static void note_conditions(const struct analysis *analysis, struct doc *doc)
{
	const struct conditions *seen = &analysis->conditions;
	CLEANUP(buf_release) struct buf text = BUF_INIT;

	for (size_t c = 0; c < analysis->n_cells; c++) {
		const struct cell_result *cell = &analysis->cells[c];

		if (analysis->results[cell->rows[0]].shown && cell->quality[0])
			doc_note(doc, "Beware:", "%s: values are marked: %s.", cell->name,
				cell->quality);
	}
	if (seen->others > OTHERS_MUCH)
		num_addf(&text, "other processes used %.0f %% of a processor during the median run",
			seen->others * 100);
	if (seen->steal > STEAL_MUCH)
		num_addf(&text, "%sthe hypervisor took %.1f %% of a processor away",
			text.len ? "; " : "", seen->steal * 100);
	if (text.len)
		doc_note(doc, "Beware:", "%s.", text.data);
	if (seen->late_runs)
		doc_note(doc, "Beware:",
			"in %zu of %zu runs all lines came in the last 1 %% of the run: the "
			"program "
			"holds its output back, and phases from its log mean nothing (capture: "
			"pty).",
			seen->late_runs, seen->runs);
	if (seen->torn_lines)
		doc_note(doc, "Beware:", "%zu torn line%s of output could not be read.",
			seen->torn_lines, plural(seen->torn_lines));
	if (seen->rule_off)
		doc_note(doc, "Beware:", "%s.", seen->rule_off);
}

void compare_doubts(
	const struct report_request *request, const struct analysis *analysis, struct doc *doc)
{
	size_t shown = 0;

	for (size_t c = 0; c < analysis->n_cells; c++)
		shown += analysis->results[analysis->cells[c].rows[0]].shown;
	for (size_t c = 0; c < analysis->n_cells; c++) {
		if (analysis->results[analysis->cells[c].rows[0]].shown)
			note_detectable(analysis, &analysis->cells[c], shown > 1, doc);
	}
	note_too_noisy(analysis, doc);
	note_same_program(analysis, doc);
	note_failures(analysis, doc);
	note_rows(analysis, doc);
	note_conditions(analysis, doc);
	note_session(request, analysis, doc);
}

/* --- Next ----------------------------------------------------------------------------------------
 */

/* The next number of blocks that is a look. */
static size_t next_look(size_t n)
{
	static const size_t looks[] = {4, 6, 8, 11, 15, 20, 26, 32};

	for (size_t i = 0; i < ARRAY_SIZE(looks); i++) {
		if (looks[i] >= n)
			return looks[i];
	}
	return n;
}

/* What the user named: a descriptor, or a session by its number or uid? */
static bool is_descriptor(const char *source)
{
	return source && source[strspn(source, "0123456789abcdefABCDEF")];
}

void compare_next(
	const struct report_request *request, const struct analysis *analysis, struct doc *doc)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;
	CLEANUP(buf_release) struct buf source = BUF_INIT;
	size_t needed = 0, commands = 0, tried = 0;
	bool open = !strcmp(analysis->session.state, "open");
	bool descriptor = is_descriptor(request->source);

	if (!request->source)
		return; /* nobody could ask again: a simulation */
	text_quote(&source, request->source);
	if (open && descriptor) {
		buf_addf(&text, "assay run %s   # goes on with it\n", source.data);
		commands++;
	}
	for (size_t i = 0; i < analysis->n_rows; i++) {
		const struct row_result *row = &analysis->results[i];

		if (!row->shown || row->is_baseline)
			continue;
		if (row->verdict == VERDICT_UNDECIDED && !too_noisy(row)) {
			size_t more = row->blocks_needed > row->pairs ? row->blocks_needed
								      : 2 * row->pairs;

			if (more > BLOCKS_IN_REASON)
				continue;
			needed = more > needed ? more : needed;
		}
		if (row->verdict == VERDICT_UNMEASURED && row->runs && row->first_failure &&
			commands < COMMANDS_MAX) {
			buf_addf(&text, "assay show %lld\n", (long long)row->first_failure->id);
			commands++;
		} else if (row->verdict == VERDICT_UNMEASURED && row->row->build.key &&
			   row->row->build.status && strcmp(row->row->build.status, "ok") != 0 &&
			   descriptor && !tried++ && commands < COMMANDS_MAX) {
			buf_addf(&text, "assay try %s ", source.data);
			text_quote(&text, row->row->row.name);
			buf_addc(&text, '\n');
			commands++;
		}
	}
	if (needed && descriptor && !open)
		buf_addf(&text, "assay run %s --set measure.blocks=%zu\n", source.data,
			next_look(needed));
	if (!text.len)
		buf_addf(&text, "assay report %s --format markdown -o report.md\n", source.data);
	doc_code(doc, "Next:", text.data);
}
