/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lower half of a comparison: what else moved, what to doubt, what to do next. */
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

#define MOVED_MAX 16   /* lines of the table of what else moved */
#define FAILURES_MAX 6 /* failed runs listed */
#define COMMANDS_MAX 4
#define OTHERS_MUCH 0.2 /* other processes' share of a processor that is worth a word */
#define STEAL_MUCH 0.01
/* A single build of each variant says nothing below this: where code happens to lie moves times by
 * some 0.3 % (doc/statistics.md, build variance), 1.96 sd of a difference of two. */
#define LAYOUT_NOISE 0.008

/* --- What else moved -----------------------------------------------------------------------------
 */

static int by_size(const void *pa, const void *pb)
{
	const struct change *a = *(const struct change *const *)pa;
	const struct change *b = *(const struct change *const *)pb;
	double sa = a->absolute ? INFINITY : fabs(log1p(a->effect));
	double sb = b->absolute ? INFINITY : fabs(log1p(b->effect));

	if (a->also != b->also || a->guard != b->guard)
		return a->also || a->guard ? -1 : 1;
	return sa > sb ? -1 : sa < sb ? 1 : a < b ? -1 : a > b;
}

static void add_moved(struct table *table, const struct change *change)
{
	CLEANUP(buf_release) struct buf from = BUF_INIT;
	CLEANUP(buf_release) struct buf to = BUF_INIT;
	CLEANUP(buf_release) struct buf effect = BUF_INIT;
	CLEANUP(buf_release) struct buf interval = BUF_INIT;
	double wide = fmax(fabs(change->value), fabs(change->baseline_value));
	struct scale scale = scale_for(wide, change->unit);
	bool phase = !strncmp(change->scope, "phase:", 6);
	const char *word =
		verdict_adjective(change->verdict, change->unit, change->better, change->moved);

	table_row(table);
	table_text(table, "variant", row_label(change->result->row));
	if (phase && strcmp(change->metric, "wall") != 0)
		table_textf(table, "metric", "%s in %s", change->metric, change->scope + 6);
	else if (phase)
		table_textf(table, "metric", "phase %s", change->scope + 6);
	else
		table_text(table, "metric", change->metric);
	scale_add(&from, &scale, change->baseline_value);
	table_real_text(table, "baseline", change->baseline_value, from.data);
	scale_add_unit(&to, &scale, change->value);
	table_real_text(table, "value", change->value, to.data);
	if (change->absolute) {
		scale_add_signed(&effect, &scale, change->effect);
		buf_adds(&effect, scale.unit[0] ? " " : "");
		buf_adds(&effect, scale.unit);
		add_interval(&interval, change->low, change->high, scale.factor, scale.digits);
	} else {
		int digits = percent_digits((change->high - change->low) / 2, change->effect);

		add_percent(&effect, change->effect, digits);
		add_interval(&interval, change->low, change->high, 100, digits);
	}
	table_real_text(table, "effect", change->effect, effect.data);
	table_text(table, "interval", interval.data);
	table_textf(table, "verdict", "%s%s", word, change->guard ? " (guard)" : "");
	table_style(table, "verdict",
		!strcmp(change->better, "none")        ? NULL
		: change->verdict == VERDICT_REGRESSED ? "bad"
						       : "good");
}

static bool same_metric(const struct change *a, const struct change *b)
{
	return a->result->cell == b->result->cell && !strcmp(a->metric, b->metric) &&
	       !strcmp(a->scope, b->scope);
}

/* A metric that was asked for and stayed where it was in all rows that have it gets its sentence.
 * first: index of its first row. */
static void add_still(const struct analysis *analysis, size_t first, struct doc *doc)
{
	const struct change *change = &analysis->changes[first];
	CLEANUP(buf_release) struct buf text = BUF_INIT;
	bool some_unmeasured = false, some_same = false;

	for (size_t k = 0; k < analysis->n_changes; k++) {
		const struct change *other = &analysis->changes[k];

		if (!same_metric(change, other))
			continue;
		if (k < first)
			return; /* said already */
		if (other->verdict == VERDICT_UNMEASURED) {
			some_unmeasured = true;
			continue;
		}
		if (other->verdict != VERDICT_SAME || other->absolute)
			return;
		some_same = true;
	}
	if (!some_same)
		return;
	num_addf(&text, "%s: same within %.3g %% in every %srow.",
		metric_noun(change->metric, change->scope), change->difference * 100,
		some_unmeasured ? "measured " : "");
	doc_text(doc, "%s", text.data);
}

void compare_moved(const struct analysis *analysis, const struct cell_result *cell, struct doc *doc)
{
	size_t c = (size_t)(cell - analysis->cells), others = 0;
	VEC(const struct change *) moved = VEC_INIT;
	struct table *table;

	for (size_t i = 0; i < analysis->n_changes; i++) {
		const struct change *change = &analysis->changes[i];

		if (change->result->cell != c || !change->result->shown)
			continue;
		if (change->moved)
			*vec_push(&moved) = change;
		else
			others++;
	}
	if (moved.n) {
		qsort(moved.items, moved.n, sizeof(*moved.items), by_size);
		table = table_new("What else moved (a family of its own, by Holm's rule)");
		table_column(table, "variant", "variant", ALIGN_LEFT, 0);
		table_column(table, "metric", "metric", ALIGN_LEFT, 0);
		table_column(table, "baseline", row_label(analysis->results[cell->rows[0]].row),
			ALIGN_RIGHT, 2);
		table_column(table, "value", "value", ALIGN_RIGHT, 0);
		table_column(table, "effect", "difference", ALIGN_RIGHT, 0);
		table_column(table, "interval", "interval", ALIGN_RIGHT, 1);
		table_column(table, "verdict", "verdict", ALIGN_LEFT, 0);
		for (size_t i = 0; i < moved.n && i < MOVED_MAX; i++)
			add_moved(table, moved.items[i]);
		doc_table(doc, table);
		if (moved.n > MOVED_MAX)
			doc_text(doc, "and %zu more: --format json has all of them.",
				moved.n - MOVED_MAX);
	} else if (others) {
		doc_text(doc,
			"Nothing else moved for sure: %zu comparisons of other metrics and "
			"phases in %s are the same, undecided or too few.",
			others, cell->name);
	}
	vec_release(&moved);
	for (size_t i = 0; i < analysis->n_changes; i++) {
		if (analysis->changes[i].also && analysis->changes[i].result->cell == c)
			add_still(analysis, i, doc);
	}
}

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
		buf_addf(&text, " at %zu pairs.", pairs);
	} else {
		add_rough_percent(&text, seen);
		buf_addf(&text, " at %zu pairs", pairs);
		if (seen > base->judgement.difference.value * 1.001) {
			buf_adds(&text, ", about ");
			add_rough_percent(&text, median_seen(analysis, cell, 2));
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
		doc_note(doc, "Not counted:", "%zu more runs: --format json lists all",
			n - FAILURES_MAX);
	if (lost)
		doc_note(doc, "Not counted:",
			"%zu runs that were cut off when assay ended (repeated when it goes on)",
			lost);
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
			add_interval(&text, b->low, b->high, 100, digits);
			buf_adds(&text, ", ");
			add_verdict(&text, b);
			if (b->verdict == VERDICT_REGRESSED || b->verdict == VERDICT_IMPROVED)
				buf_adds(&text, ": doubt all verdicts of this session");
		}
		doc_note(doc, "Same program twice:", "%s.", text.data);
	}
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
			doc_note(doc, "Not measured:", "%s: %s", row->row->row.name, row->reason);
		if (row->varies)
			doc_note(doc, "Beware:", "%s is declared exact, but varies in %s.",
				row->judgement.ref, row->row->row.name);
		if (strcmp(row_label(row->row), row->row->row.variant) != 0)
			doc_note(doc, NULL, "%s = %s", row_label(row->row), row->row->row.variant);
		small |= (row->verdict == VERDICT_REGRESSED || row->verdict == VERDICT_IMPROVED) &&
			 !row->absolute && fabs(row->effect) < LAYOUT_NOISE &&
			 row->row->build.key && row->baseline->row->build.key &&
			 strcmp(row->row->build.key, row->baseline->row->build.key) != 0;
	}
	if (left_out)
		doc_note(doc, "Beware:", "%zu pairs are left out because one partner has no value.",
			left_out);
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
	size_t blocks = 0, resumed = 0;
	double confidence = 0.95;

	for (size_t c = 0; c < analysis->n_cells; c++)
		blocks =
			analysis->cells[c].n_blocks > blocks ? analysis->cells[c].n_blocks : blocks;
	for (size_t i = 0; i < analysis->n_runs; i++)
		resumed += analysis->runs[i].run.resumed;
	if (analysis->n_rows)
		confidence = analysis->results[0].judgement.confidence;
	clock_add_iso(&started, session->started_at);
	doc_note(doc, "Session:",
		"%lld (%.8s), %s, on %s, %s, %zu blocks, %zu runs; %zu comparisons, together %.4g "
		"%% "
		"sure.",
		(long long)session->id, session->uid, started.data, analysis->host, session->state,
		blocks, analysis->n_runs, analysis->comparisons, confidence * 100);
	if (strcmp(session->state, "open") == 0)
		doc_note(doc, "Beware:", "the session is not finished.");
	if (resumed)
		doc_note(doc,
			"Beware:", "%zu runs belong to blocks that were interrupted and resumed.",
			resumed);
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
		doc_note(doc, "Beware:", "%zu torn lines of output could not be read.",
			seen->torn_lines);
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
		buf_addf(&text, "assay run %s\n", source.data);
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
