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

struct answer_how {
	bool several;  /* cells, each with its name */
	bool filtered; /* the user chose the rows */
};

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

static bool is_all(const struct row_result *row)
{
	return !strcmp(row->row->row.label, "all");
}

/* Names joined in a variant: fewer are a simpler answer. */
static size_t parts(const struct row_result *row)
{
	size_t n = 1;

	if (is_all(row))
		return SIZE_MAX;
	for (const char *s = row->row->row.variant; *s; s++)
		n += *s == '+';
	return n;
}

/* The row the answer speaks of: all options together, unless another is clearly worse than they
 * are. Of rows that a filter chose the simplest is meant: `--where extra` asks about extra. */
static const struct row_result *headline(const row_list *rows, enum verdict verdict, bool filtered)
{
	const struct row_result *best = NULL, *all = NULL;
	double more;

	for (size_t i = 0; i < rows->n; i++) {
		const struct row_result *row = rows->items[i];

		if (row->verdict != verdict)
			continue;
		if (is_all(row))
			all = row;
		if (!best || (filtered && parts(row) < parts(best)) ||
			((!filtered || parts(row) == parts(best)) &&
				fabs(cost(row)) > fabs(cost(best))))
			best = row;
	}
	if (!all || filtered)
		return best;
	more = fabs(cost(best)) - fabs(cost(all));
	return best->absolute == all->absolute && more > fmax(best->judgement.difference.value, 0)
		       ? best
		       : all;
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
		add_percent_interval(to, row->low, row->high, digits);
	}
}

/* "with A1+B1 a run takes 105.9 s instead of 88.9 s, +19.1 % [+17.9, +20.3], 4 pairs" */
static void add_comparison(struct buf *to, const struct row_result *row)
{
	const struct judgement *judgement = &row->judgement;
	double base = centre(row->baseline);
	struct scale scale = scale_for(base, judgement->unit);
	const char *noun = metric_noun(judgement->metric, judgement->scope);

	if (is_all(row))
		buf_adds(to, "with all options ");
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
	buf_addf(to, ", %zu pair%s", row->pairs, plural(row->pairs));
}

static const char *worse_word(const struct judgement *judgement)
{
	return verdict_adjective(VERDICT_REGRESSED, judgement->unit, judgement->better, 1);
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

/* Every variant by its verdict: "Slower: B1 +11.5 s. Same within 1 %: D4." */
static void add_which(
	struct buf *to, const struct judgement *judgement, const row_list *rows, bool filtered)
{
	const struct row_result *all = headline(rows, VERDICT_REGRESSED, filtered);

	/* All options together are no answer to "which", unless nothing else is. */
	if (all && (!is_all(all) || count(rows, VERDICT_REGRESSED) == 1))
		all = NULL;
	for (int v = VERDICT_REGRESSED; v <= VERDICT_UNMEASURED; v++) {
		CLEANUP(buf_release) struct buf names = BUF_INIT;
		const char *word;

		if (!add_names(&names, rows, (enum verdict)v, all))
			continue;
		if (to->len)
			buf_addc(to, ' ');
		switch ((enum verdict)v) {
		case VERDICT_REGRESSED:
		case VERDICT_IMPROVED:
			word = verdict_adjective((enum verdict)v, judgement->unit,
				judgement->better, v == VERDICT_REGRESSED ? 1 : -1);
			buf_addf(to, "%c%s", word[0] - 'a' + 'A', word + 1);
			break;
		case VERDICT_SAME:
			buf_adds(to, "Same within ");
			add_difference(to, &judgement->difference);
			break;
		case VERDICT_UNDECIDED:
			buf_adds(to, "Not clear");
			break;
		case VERDICT_UNMEASURED:
			buf_adds(to, "Not measured");
			break;
		}
		buf_addf(to, ": %s.", names.data);
	}
}

/* The other side of a headline that is not about all options: what they do together. */
static void add_all(struct buf *to, const row_list *rows, const struct row_result *headline)
{
	for (size_t i = 0; i < rows->n && !is_all(headline); i++) {
		const struct row_result *row = rows->items[i];

		if (is_all(row) && isfinite(row->effect)) {
			buf_adds(to, "; all options together ");
			add_effect(to, row);
		}
	}
}

static void answer_which(const struct analysis *analysis, const struct cell_result *cell,
	const row_list *rows, bool filtered, struct doc *doc)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;

	add_which(&text, &analysis->results[cell->rows[0]].judgement, rows, filtered);
	doc_answer(doc, NULL, "Which?", "%s", text.data);
}

/* Answers "Slower?" for one cell. Of several cells each has one line, with all of its answer. */
static void answer_cell(const struct analysis *analysis, const struct cell_result *cell,
	const row_list *rows, const struct answer_how *how, struct doc *doc)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;
	const struct judgement *judgement = &analysis->results[cell->rows[0]].judgement;
	const char *base = analysis->results[cell->rows[0]].row->row.variant;
	size_t worse = count(rows, VERDICT_REGRESSED), better = count(rows, VERDICT_IMPROVED);
	size_t undecided = count(rows, VERDICT_UNDECIDED), same = count(rows, VERDICT_SAME);
	size_t unmeasured = count(rows, VERDICT_UNMEASURED);
	const char *word = worse_word(judgement), *style = "good";
	AUTOFREE char *question = xasprintf("%c%s?", word[0] - 'a' + 'A', word + 1);

	if (how->several)
		buf_addf(&text, "%s: ", cell->name);
	if (worse) {
		style = "bad";
		buf_adds(&text, "Yes: ");
		add_comparison(&text, headline(rows, VERDICT_REGRESSED, how->filtered));
		add_all(&text, rows, headline(rows, VERDICT_REGRESSED, how->filtered));
		if (worse > 1 && !how->several)
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
		add_comparison(&text, headline(rows, VERDICT_IMPROVED, how->filtered));
		if (same && !how->several)
			buf_addf(&text, "; %zu of %zu variants %s the same", same, rows->n,
				same == 1 ? "is" : "are");
	} else {
		buf_addf(&text, "No: %s as %s within ",
			rows->n == 1 ? "it is the same" : "all variants are the same", base);
		add_difference(&text, &judgement->difference);
	}
	buf_addc(&text, '.');
	if (how->several && rows->n > 1 && unmeasured < rows->n) {
		CLEANUP(buf_release) struct buf which = BUF_INIT;

		add_which(&which, judgement, rows, how->filtered);
		buf_addf(&text, "%s%s", which.len ? " " : "", which.data);
	}
	doc_answer(doc, style, question, "%s", text.data);
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
			add_percent_interval(&interval, row->low, row->high, digits);
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

static const char *direction(const struct judgement *judgement)
{
	return !strcmp(judgement->better, "higher") ? ", higher is better"
	       : !strcmp(judgement->better, "none") ? ""
						    : ", lower is better";
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
	caption = xasprintf("%s: %s%s%s%s", cell->name, noun, scale.unit[0] ? " in " : "",
		scale.unit, direction(judgement));
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
	struct scale scale = scale_for(centre(base), judgement->unit);
	AUTOFREE char *name = xasprintf("intervals-%s", cell->name);
	AUTOFREE char *title = xasprintf("%s, %s: %s%s%s%s against %s%s",
		analysis->session.experiment, cell->name, noun, scale.unit[0] ? " (" : "",
		scale.unit, scale.unit[0] ? ")" : "", row_label(base->row), direction(judgement));
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
		if (strcmp(row_label(row->row), row->row->row.variant) != 0)
			figure_legend(figure, row_label(row->row), row->row->row.variant);
		add_verdict_word(&note, row);
		figure_interval(figure, row_label(row->row), row->effect, row->low, row->high,
			verdict_name(row->verdict), note.data);
	}
	return figure;
}

/* explained: has "n/m" been said what it means? */
static void add_evidence(const struct analysis *analysis, const struct cell_result *cell,
	const row_list *rows, bool *explained, struct doc *doc)
{
	struct table *table = cell_table(analysis, cell, rows);
	bool holes = table_has_holes(table);

	doc_table(doc, table);
	if (holes && !*explained)
		doc_text(doc, "%s", TABLE_HOLE_MEANS);
	*explained |= holes;
	doc_figure(doc, cell_figure(analysis, cell, rows));
	compare_moved(analysis, cell, doc);
}

static int build(const struct report_request *request, struct doc **ret, struct err *err)
{
	CLEANUP(analysis_freep) struct analysis *analysis = NULL;
	AUTOFREE char *title = NULL;
	struct answer_how how = {.filtered = request->where != NULL};
	struct doc *doc;
	size_t shown = 0;
	bool explained = false;

	if (analyse_session(request->store, request->session, request->where, request->metric,
		    &analysis, err) < 0)
		return -1;
	title = analysis->title[0]
			? xasprintf("%s: %s", request->session->experiment, analysis->title)
			: xstrdup(request->session->experiment);
	doc = doc_new(title);
	for (size_t c = 0; c < analysis->n_cells; c++)
		shown += cell_shown(analysis, &analysis->cells[c]);
	how.several = shown > 1;
	for (size_t pass = 0; pass < 2; pass++) {
		for (size_t c = 0; c < analysis->n_cells; c++) {
			const struct cell_result *cell = &analysis->cells[c];
			row_list rows;

			if (!cell_shown(analysis, cell))
				continue;
			rows = rows_of(analysis, cell);
			if (pass == 0) {
				answer_cell(analysis, cell, &rows, &how, doc);
				if (!how.several && rows.n > 1)
					answer_which(analysis, cell, &rows, how.filtered, doc);
			} else {
				add_evidence(analysis, cell, &rows, &explained, doc);
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
