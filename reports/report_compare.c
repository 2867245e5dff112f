/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The comparison: is any variant slower, which, by how much. In this order: the answer, the
 * evidence (one table a cell, the figure, what else moved), the doubts, the next step.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/num.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "reports/report_impl.h"
#include "reports/words.h"

#define LABEL_LONG 20 /* columns; longer variants are called by their set expression */
#define NAMES_MAX 6   /* variants named in one sentence */

const char *row_label(const struct stored_row *row)
{
	const char *label = row->row.label;

	if (text_width(row->row.variant) > LABEL_LONG && label && label[0] &&
		text_width(label) <= LABEL_LONG && strcmp(label, "each") != 0 &&
		strcmp(label, "all-each") != 0 && strcmp(label, "full") != 0 &&
		strcmp(label, "half") != 0 && strcmp(label, "cumulative") != 0)
		return label;
	return row->row.variant;
}

static double centre(const struct row_result *result)
{
	return !result->absolute && isfinite(result->values.geomean) ? result->values.geomean
								     : result->values.mean;
}

/* Shown rows of a cell besides the baseline. */
typedef VEC(const struct row_result *) row_list;

static row_list rows_of(const struct analysis *analysis, const struct cell_result *cell)
{
	row_list rows = VEC_INIT;

	for (size_t r = 1; r < cell->n_rows; r++) {
		const struct row_result *result = &analysis->results[cell->rows[r]];

		if (result->shown)
			*vec_push(&rows) = result;
	}
	return rows;
}

static bool cell_shown(const struct analysis *analysis, const struct cell_result *cell)
{
	return analysis->results[cell->rows[0]].shown;
}

static double cost(const struct row_result *result)
{
	return better_sign(result->judgement.better) * result->effect;
}

static size_t count(const row_list *rows, enum verdict verdict)
{
	size_t n = 0;

	for (size_t i = 0; i < rows->n; i++)
		n += rows->items[i]->verdict == verdict;
	return n;
}

/* The row the answer speaks of: all options together if that is worse, else the worst one. */
static const struct row_result *headline(const row_list *rows, enum verdict verdict)
{
	const struct row_result *best = NULL;

	for (size_t i = 0; i < rows->n; i++) {
		const struct row_result *row = rows->items[i];

		if (row->verdict != verdict)
			continue;
		if (!strcmp(row->row->row.label, "all"))
			return row;
		if (!best || fabs(cost(row)) > fabs(cost(best)))
			best = row;
	}
	return best;
}

static void add_effect(struct buf *to, const struct row_result *row)
{
	if (row->absolute) {
		struct scale scale = scale_for(row->delta, row->judgement.unit);

		scale_add_signed(to, &scale, row->delta);
		buf_adds(to, scale.unit[0] ? " " : "");
		buf_adds(to, scale.unit);
		buf_addc(to, ' ');
		add_interval(to, row->low, row->high, scale.factor, scale.digits);
	} else {
		int digits = percent_digits((row->high - row->low) / 2, row->effect);

		add_percent(to, row->effect, digits);
		buf_addc(to, ' ');
		add_interval(to, row->low, row->high, 100, digits);
	}
}

/* "with A1+B1 a run takes 105.9 s instead of 88.9 s, +19.1 % [+17.9, +20.3], 4 pairs" */
static void add_comparison(struct buf *to, const struct row_result *row)
{
	const struct judgement *judgement = &row->judgement;
	double base = centre(row->baseline);
	struct scale scale = scale_for(base, judgement->unit);
	const char *noun = metric_noun(judgement->metric, judgement->scope);

	if (!strcmp(row->row->row.label, "all"))
		buf_addf(to, "with all options (%s) ", row->row->row.variant);
	else
		buf_addf(to, "with %s ", row_label(row->row));
	if (!strcmp(judgement->ref, "wall"))
		buf_adds(to, "a run takes ");
	else
		buf_addf(to, "%s %s ", noun, is_time(judgement->unit) ? "takes" : "is");
	scale_add_unit(to, &scale, centre(row));
	buf_adds(to, " instead of ");
	scale_add_unit(to, &scale, base);
	buf_adds(to, ", ");
	add_effect(to, row);
	buf_addf(to, ", %zu pairs", row->pairs);
}

static const char *worse_word(const struct judgement *judgement)
{
	return verdict_adjective(VERDICT_REGRESSED, judgement->unit, judgement->better, 1);
}

/* Answers "Slower?" for one cell. */
static void answer_cell(const struct analysis *analysis, const struct cell_result *cell,
	const row_list *rows, bool several, struct doc *doc)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;
	const struct judgement *judgement = &analysis->results[cell->rows[0]].judgement;
	const char *base = analysis->results[cell->rows[0]].row->row.variant;
	size_t worse = count(rows, VERDICT_REGRESSED), better = count(rows, VERDICT_IMPROVED);
	size_t undecided = count(rows, VERDICT_UNDECIDED), same = count(rows, VERDICT_SAME);
	size_t unmeasured = count(rows, VERDICT_UNMEASURED);
	const char *word = worse_word(judgement), *style = "good";
	AUTOFREE char *question = xasprintf("%c%s?", word[0] - 'a' + 'A', word + 1);

	if (several)
		buf_addf(&text, "%s: ", cell->name);
	if (worse) {
		style = "bad";
		buf_adds(&text, "Yes: ");
		add_comparison(&text, headline(rows, VERDICT_REGRESSED));
		if (worse > 1)
			buf_addf(&text, "; %zu of %zu variants are %s", worse, rows->n, word);
	} else if (!rows->n) {
		style = NULL;
		buf_addf(&text, "Nothing to compare: %s is the only variant", base);
	} else if (unmeasured == rows->n) {
		style = "doubt";
		/* Of a failed build the first line: the compiler's follow. */
		buf_addf(&text, "Not measured: %.*s", (int)strcspn(rows->items[0]->reason, "\n"),
			rows->items[0]->reason);
	} else if (undecided || unmeasured) {
		style = "doubt";
		buf_addf(&text, "Not shown: no variant is %s than %s for sure, but ", word, base);
		if (undecided)
			buf_addf(&text, "%zu of %zu %s undecided", undecided, rows->n,
				undecided == 1 ? "is" : "are");
		if (unmeasured)
			buf_addf(&text, "%s%zu of %zu %s not measured", undecided ? " and " : "",
				unmeasured, rows->n, unmeasured == 1 ? "was" : "were");
	} else if (better) {
		buf_adds(&text, "No: ");
		add_comparison(&text, headline(rows, VERDICT_IMPROVED));
		if (same)
			buf_addf(&text, "; %zu of %zu variants are the same", same, rows->n);
	} else {
		buf_addf(&text, "No: %s as %s within ",
			rows->n == 1 ? "it is the same" : "all variants are the same", base);
		add_difference(&text, &judgement->difference);
	}
	doc_answer(doc, style, question, "%s.", text.data);
}

static int by_cost(const void *pa, const void *pb)
{
	const struct row_result *a = *(const struct row_result *const *)pa;
	const struct row_result *b = *(const struct row_result *const *)pb;
	double ca = fabs(cost(a)), cb = fabs(cost(b));

	return ca > cb ? -1 : ca < cb ? 1 : a->place < b->place ? -1 : 1;
}

/* "B1 +11.5 s and A1 +6.1 s"; left_out: one row that was named already. */
static bool add_names(struct buf *to, const row_list *rows, enum verdict verdict,
	const struct row_result *left_out)
{
	bool deltas = verdict == VERDICT_REGRESSED || verdict == VERDICT_IMPROVED;
	row_list some = VEC_INIT;
	size_t n = 0;

	for (size_t i = 0; i < rows->n; i++) {
		if (rows->items[i]->verdict == verdict && rows->items[i] != left_out)
			*vec_push(&some) = rows->items[i];
	}
	if (some.n && deltas)
		qsort(some.items, some.n, sizeof(*some.items), by_cost);
	for (size_t i = 0; i < some.n && i < NAMES_MAX; i++, n++) {
		const struct row_result *row = some.items[i];

		if (i)
			buf_adds(to, i + 1 == some.n ? " and " : ", ");
		buf_adds(to, row_label(row->row));
		if (deltas) {
			struct scale scale = scale_for(centre(row->baseline), row->judgement.unit);

			buf_addc(to, ' ');
			scale_add_signed(to, &scale, row->delta);
			buf_adds(to, scale.unit[0] ? " " : "");
			buf_adds(to, scale.unit);
		}
	}
	if (some.n > n)
		buf_addf(to, " and %zu more", some.n - n);
	n = some.n;
	vec_release(&some);
	return n > 0;
}

/* Answers "Which?": every variant by its verdict. */
static void answer_which(const struct analysis *analysis, const struct cell_result *cell,
	const row_list *rows, bool several, struct doc *doc)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;
	const struct judgement *judgement = &analysis->results[cell->rows[0]].judgement;
	const struct row_result *all = headline(rows, VERDICT_REGRESSED);

	if (rows->n < 2)
		return;
	/* All options together are no answer to "which", unless nothing else is. */
	if (all && (strcmp(all->row->row.label, "all") != 0 || count(rows, VERDICT_REGRESSED) == 1))
		all = NULL;
	if (several)
		buf_addf(&text, "%s: ", cell->name);
	for (int v = VERDICT_REGRESSED; v <= VERDICT_UNMEASURED; v++) {
		CLEANUP(buf_release) struct buf names = BUF_INIT;
		const char *word;

		if (!add_names(&names, rows, (enum verdict)v, all))
			continue;
		if (text.len && text.data[text.len - 1] == '.')
			buf_addc(&text, ' ');
		switch ((enum verdict)v) {
		case VERDICT_REGRESSED:
		case VERDICT_IMPROVED:
			word = verdict_adjective((enum verdict)v, judgement->unit,
				judgement->better, v == VERDICT_REGRESSED ? 1 : -1);
			buf_addf(&text, "%c%s", word[0] - 'a' + 'A', word + 1);
			break;
		case VERDICT_SAME:
			buf_adds(&text, "Same within ");
			add_difference(&text, &judgement->difference);
			break;
		case VERDICT_UNDECIDED:
			buf_adds(&text, "Not clear");
			break;
		case VERDICT_UNMEASURED:
			buf_adds(&text, "Not measured");
			break;
		}
		buf_addf(&text, ": %s.", names.data);
	}
	doc_answer(doc, NULL, "Which?", "%s", text.data);
}

/* --- Evidence ------------------------------------------------------------------------------------
 */

static void add_row(
	struct table *table, const struct row_result *row, const struct scale *scale, int digits)
{
	CLEANUP(buf_release) struct buf verdict = BUF_INIT;
	CLEANUP(buf_release) struct buf value = BUF_INIT;
	CLEANUP(buf_release) struct buf effect = BUF_INIT;
	CLEANUP(buf_release) struct buf interval = BUF_INIT;
	CLEANUP(buf_release) struct buf delta = BUF_INIT;
	size_t ok = row->runs - row->failed - row->lost;

	table_row(table);
	table_text(table, "variant", row_label(row->row));
	if (row->values.n) {
		scale_add(&value, scale, centre(row));
		table_real_text(table, "value", centre(row), value.data);
	} else {
		table_none(table, "value", row->reason[0] ? row->reason : "no value");
	}
	if (isfinite(row->effect)) {
		if (row->absolute) {
			add_interval(&interval, row->low, row->high, scale->factor, scale->digits);
		} else {
			add_percent(&effect, row->effect, digits);
			table_real_text(table, "effect", row->effect, effect.data);
			add_interval(&interval, row->low, row->high, 100, digits);
		}
		scale_add_signed(&delta, scale, row->delta);
		table_real_text(table, "delta", row->delta, delta.data);
		table_text(table, "interval", interval.data);
	} else if (!row->is_baseline) {
		table_none(table, row->absolute ? "delta" : "effect", row->reason);
	} else {
		if (!row->absolute)
			table_text(table, "effect", "");
		table_text(table, "delta", "");
		table_text(table, "interval", "");
	}
	table_textf(table, "runs", "%zu/%zu", ok, row->runs);
	if (ok < row->runs)
		table_style(table, "runs", "doubt");
	add_verdict(&verdict, row);
	table_text(table, "verdict", verdict.data);
	table_style(table, "verdict", verdict_style(row));
}

static struct table *cell_table(
	const struct analysis *analysis, const struct cell_result *cell, const row_list *rows)
{
	const struct row_result *base = &analysis->results[cell->rows[0]];
	const struct judgement *judgement = &base->judgement;
	const char *noun = metric_noun(judgement->metric, judgement->scope);
	struct scale scale = scale_for(centre(base), judgement->unit);
	AUTOFREE char *caption = NULL, *value = NULL, *against = NULL, *delta = NULL;
	AUTOFREE char *sure = xasprintf("%.4g %% sure", judgement->confidence * 100);
	struct table *table;
	int digits = 1;

	for (size_t i = 0; i < rows->n; i++) {
		const struct row_result *row = rows->items[i];
		int more = isfinite(row->effect)
				   ? percent_digits((row->high - row->low) / 2, row->effect)
				   : 1;

		digits = more > digits ? more : digits;
	}
	caption =
		xasprintf("%s: %s%s%s%s", cell->name, noun, scale.unit[0] ? " in " : "", scale.unit,
			!strcmp(judgement->better, "higher") ? ", higher is better"
			: !strcmp(judgement->better, "none") ? ""
							     : ", lower is better");
	value = scale.unit[0] ? xasprintf("%s (%s)", noun, scale.unit) : xstrdup(noun);
	against = xasprintf("against %s", row_label(base->row));
	delta = scale.unit[0] ? xasprintf("diff (%s)", scale.unit) : xstrdup("difference");
	table = table_new(caption);
	table_column(table, "variant", "variant", ALIGN_LEFT, 0);
	table_column(table, "value", value, ALIGN_RIGHT, 0);
	if (base->absolute) {
		table_column(table, "delta", against, ALIGN_RIGHT, 0);
		table_column(table, "interval", sure, ALIGN_RIGHT, 0);
	} else {
		table_column(table, "effect", against, ALIGN_RIGHT, 0);
		table_column(table, "interval", sure, ALIGN_RIGHT, 0);
		table_column(table, "delta", delta, ALIGN_RIGHT, 2);
	}
	table_column(table, "runs", "runs", ALIGN_RIGHT, 1);
	table_column(table, "verdict", "verdict", ALIGN_LEFT, 0);
	add_row(table, base, &scale, 0);
	for (size_t i = 0; i < rows->n; i++)
		add_row(table, rows->items[i], &scale, digits);
	return table;
}

static struct figure *cell_figure(
	const struct analysis *analysis, const struct cell_result *cell, const row_list *rows)
{
	const struct row_result *base = &analysis->results[cell->rows[0]];
	const struct judgement *judgement = &base->judgement;
	const char *noun = metric_noun(judgement->metric, judgement->scope);
	AUTOFREE char *name = xasprintf("intervals-%s", cell->name);
	AUTOFREE char *title = xasprintf("%s, %s: %s against %s", analysis->session.experiment,
		cell->name, noun, row_label(base->row));
	AUTOFREE char *xlabel =
		base->absolute ? xasprintf("difference%s%s", judgement->unit[0] ? " in " : "",
					 judgement->unit)
			       : xasprintf("difference in %%, all intervals together %.4g %% sure",
					 judgement->confidence * 100);
	struct figure *figure = figure_new(FIGURE_INTERVALS, name, title, xlabel);

	figure->percent = !base->absolute;
	if (judgement->difference.relative != base->absolute)
		figure->band = judgement->difference.value;
	figure_interval(figure, row_label(base->row), 0, 0, 0, "baseline", "baseline");
	for (size_t i = 0; i < rows->n; i++) {
		const struct row_result *row = rows->items[i];
		CLEANUP(buf_release) struct buf note = BUF_INIT;

		if (isfinite(row->effect) && !row->absolute) {
			add_percent(&note, row->effect,
				percent_digits((row->high - row->low) / 2, row->effect));
			buf_adds(&note, ", ");
		}
		add_verdict_word(&note, row);
		figure_interval(figure, row_label(row->row), row->effect, row->low, row->high,
			verdict_name(row->verdict), note.data);
	}
	return figure;
}

static int build(const struct report_request *request, struct doc **ret, struct err *err)
{
	CLEANUP(analysis_freep) struct analysis *analysis = NULL;
	AUTOFREE char *title = NULL;
	struct doc *doc;
	size_t shown = 0;

	if (analyse_session(request->store, request->session, request->where, request->metric,
		    &analysis, err) < 0)
		return -1;
	title = analysis->title[0]
			? xasprintf("%s: %s", request->session->experiment, analysis->title)
			: xstrdup(request->session->experiment);
	doc = doc_new(title);
	for (size_t c = 0; c < analysis->n_cells; c++)
		shown += cell_shown(analysis, &analysis->cells[c]);
	for (size_t pass = 0; pass < 3; pass++) {
		for (size_t c = 0; c < analysis->n_cells; c++) {
			const struct cell_result *cell = &analysis->cells[c];
			row_list rows;

			if (!cell_shown(analysis, cell))
				continue;
			rows = rows_of(analysis, cell);
			if (pass == 0)
				answer_cell(analysis, cell, &rows, shown > 1, doc);
			else if (pass == 1)
				answer_which(analysis, cell, &rows, shown > 1, doc);
			else {
				doc_table(doc, cell_table(analysis, cell, &rows));
				doc_figure(doc, cell_figure(analysis, cell, &rows));
				compare_moved(analysis, cell, doc);
			}
			vec_release(&rows);
		}
	}
	compare_doubts(request, analysis, doc);
	compare_next(request, analysis, doc);
	doc->data = compare_json(analysis);
	doc->csv = compare_csv(analysis);
	*ret = doc;
	return 0;
}

const struct report report_compare = {
	.name = "compare",
	.summary = "every variant against the baseline: slower, which, by how much",
	.build = build,
};
