/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run's lines through the rules of a parser. */
#include "config.h"

#include "collectors/log_parser.h"

#include <math.h>
#include <string.h>

#include "collectors/lines.h"
#include "collectors/log_phases.h"
#include "collectors/log_series.h"
#include "core/base/num.h"
#include "core/base/text.h"

#define N_STREAMS 3
/* Torn pieces that wait for their rest, per stream: as many as writers are likely to interleave. */
#define HELD_MAX 8
/* Of a line in a message. */
#define SHOWN_MAX 200
/* A phase of 30 years is a misread number. */
#define LENGTH_MAX_S 1e9

struct held {
	struct buf pieces[HELD_MAX]; /* oldest first */
	size_t n;
};

struct rule_state {
	uint64_t matches;
	uint64_t off_line; /* number of the line that made it run away; 0 = on */
};

struct span_now { /* of the line at hand, until all its lengths are known */
	char *name;
	int64_t length_ns;
};

struct log_run {
	const struct log_parser *parser;
	struct matcher matcher;
	struct rule_state *rules;
	struct held held[N_STREAMS];
	struct log_series series;
	struct log_phases phases;
	uint64_t n_lines, torn, repaired;
	char *failed;
	/* Scratch of the line at hand. */
	struct buf joined, name, prefix, instance, thread, event;
	VEC(struct span_now) spans;
};

struct log_run *log_run_new(const struct log_parser *parser)
{
	struct log_run *run = xcalloc(1, sizeof(*run));
	struct buf *const bufs[] = {
		&run->joined, &run->name, &run->prefix, &run->instance, &run->thread, &run->event};

	run->parser = parser;
	matcher_init(&run->matcher);
	run->rules = xcalloc(parser->n_rules + 1, sizeof(*run->rules));
	for (size_t i = 0; i < N_STREAMS; i++) {
		for (size_t k = 0; k < HELD_MAX; k++)
			run->held[i].pieces[k] = (struct buf)BUF_INIT;
	}
	log_series_init(&run->series);
	log_phases_init(&run->phases, parser->n_clocks);
	for (size_t i = 0; i < ARRAY_SIZE(bufs); i++)
		*bufs[i] = (struct buf)BUF_INIT;
	return run;
}

void log_run_free(struct log_run *run)
{
	if (!run)
		return;
	matcher_release(&run->matcher);
	free(run->rules);
	for (size_t i = 0; i < N_STREAMS; i++) {
		for (size_t k = 0; k < HELD_MAX; k++)
			buf_release(&run->held[i].pieces[k]);
	}
	log_series_release(&run->series);
	log_phases_release(&run->phases);
	free(run->failed);
	buf_release(&run->joined);
	buf_release(&run->name);
	buf_release(&run->prefix);
	buf_release(&run->instance);
	buf_release(&run->thread);
	buf_release(&run->event);
	vec_release(&run->spans);
	free(run);
}

/* --- A line that matched -----------------------------------------------------------------------
 */

struct hit { /* borrowed, for the time of one line */
	const struct log_rule *rule;
	const char *line;
	struct log_time time;
};

static bool hit_group(const struct log_run *run, const struct hit *hit, int group,
	const char **ret_text, size_t *ret_len)
{
	size_t start;

	if (group < 0 || !matcher_group(&run->matcher, group, &start, ret_len))
		return false;
	*ret_text = hit->line + start;
	return true;
}

static void add_clean(struct buf *to, const char *text, size_t len)
{
	/* Printable ASCII, the usual case, needs no second look. */
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c < 0x20 || c >= 0x7f) {
			text_clean(to, text, len);
			return;
		}
	}
	buf_add(to, text, len);
}

static void expand(const struct log_run *run, const struct hit *hit,
	const struct log_template *template, struct buf *to)
{
	buf_clear(to);
	for (size_t i = 0; i < template->n; i++) {
		const struct log_piece *piece = &template->pieces[i];
		const char *text;
		size_t len;

		if (piece->text)
			buf_adds(to, piece->text);
		else if (hit_group(run, hit, piece->group, &text, &len))
			add_clean(to, text, len);
	}
}

static bool same_text(const char *a, const char *b, size_t b_len)
{
	return !strncmp(a, b, b_len) && !a[b_len];
}

/* Names of samples that log_run_end writes itself. */
static bool reserved(const char *name)
{
	static const char *const names[] = {"torn", "repaired", "unmatched_ends",
		"unmatched_begins", "unit_conflicts", "singles_dropped", "rule_off", "lines",
		"lines_cut", "late_lines"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(names[i], name))
			return true;
	}
	return false;
}

/* key, of which the first `cut` bytes are without the unit, by rename and prefix into run->name. */
static void make_name(
	struct log_run *run, const struct log_rule *rule, const char *key, size_t len, size_t cut)
{
	const char *renamed = NULL;

	for (size_t i = 0; i < rule->rename.n && !renamed; i++) {
		const struct conf_pair *pair = &rule->rename.items[i];

		if (same_text(pair->key, key, cut) || same_text(pair->key, key, len))
			renamed = pair->value;
	}
	buf_clear(&run->name);
	if (run->prefix.len)
		buf_add(&run->name, run->prefix.data, run->prefix.len);
	if (renamed)
		buf_adds(&run->name, renamed);
	else
		buf_add(&run->name, key, cut);
	if (reserved(run->name.data))
		buf_addc(&run->name, '_');
}

static bool wants_span(const struct log_run *run, const struct log_rule *rule, const char *key,
	size_t len, size_t cut)
{
	if (rule->spans_all)
		return true;
	for (size_t i = 0; i < rule->spans.n; i++) {
		const char *item = rule->spans.items[i];

		if (same_text(item, key, cut) || same_text(item, key, len) ||
			!strcmp(item, run->name.data))
			return true;
	}
	return false;
}

static void add_value(struct log_run *run, const struct log_rule *rule, const char *key, size_t len,
	size_t cut, const struct log_value *value, const struct log_unit *unit)
{
	double quantum, scaled = log_value_in(value, unit, &quantum);
	struct span_now *span;

	make_name(run, rule, key, len, cut);
	log_series_add(&run->series, run->name.data, unit->base, rule->reduce, scaled, quantum,
		run->instance.len ? run->instance.data : run->thread.data);
	if (strcmp(unit->base, "s") || !wants_span(run, rule, key, len, cut))
		return;
	if (!(scaled >= 0) || scaled > LENGTH_MAX_S || (scaled == 0 && rule->spans_all))
		return;
	span = vec_push(&run->spans);
	span->name = xstrdup(run->name.data);
	span->length_ns = llround(scaled * 1e9);
}

static void add_numbers(struct log_run *run, const struct hit *hit)
{
	const struct log_rule *rule = hit->rule;
	const char *text;
	size_t len;

	if (hit_group(run, hit, rule->pairs, &text, &len)) {
		struct log_pair pair;
		size_t pos = 0;

		while (log_pair_next(text, len, &pos, &pair)) {
			struct log_unit unit = pair.value.unit;
			size_t cut = pair.key_len;

			if (!pair.value.has_unit)
				(void)log_unit_suffix(pair.key, pair.key_len, &cut, &unit);
			add_value(run, rule, pair.key, pair.key_len, cut, &pair.value, &unit);
		}
	}
	for (size_t i = 0; i < rule->n_values; i++) {
		const struct log_group_unit *want = &rule->values[i];
		struct log_value value;

		if (!hit_group(run, hit, want->group, &text, &len) ||
			!log_value_parse(text, len, &value) || value.used != len)
			continue;
		add_value(run, rule, want->name, strlen(want->name), strlen(want->name), &value,
			value.has_unit ? &value.unit : &want->unit);
	}
}

static void add_spans(struct log_run *run, const struct hit *hit)
{
	int64_t before = 0;

	if (hit->rule->sequence) {
		for (size_t i = 1; i < run->spans.n; i++)
			before += run->spans.items[i].length_ns;
	}
	for (size_t i = 0; i < run->spans.n; i++) {
		struct span_now *span = &run->spans.items[i];

		log_phases_span(&run->phases,
			&(struct log_phase_name){span->name, run->instance.data, run->thread.data},
			hit->time, before, span->length_ns);
		if (hit->rule->sequence && i + 1 < run->spans.n)
			before -= run->spans.items[i + 1].length_ns;
		free(span->name);
	}
	run->spans.n = 0;
}

static void add_events(struct log_run *run, const struct hit *hit)
{
	static void (*const events[])(struct log_phases *, const struct log_phase_name *,
		struct log_time) = {log_phases_begin, log_phases_end, log_phases_point};
	const struct log_template *const names[] = {
		&hit->rule->begin, &hit->rule->end, &hit->rule->point};

	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		if (!names[i]->n)
			continue;
		expand(run, hit, names[i], &run->event);
		if (run->event.len)
			events[i](&run->phases,
				&(struct log_phase_name){
					run->event.data, run->instance.data, run->thread.data},
				hit->time);
	}
}

static void add_failure(struct log_run *run, const struct hit *hit, size_t len)
{
	for (size_t i = 0; i < hit->rule->n_fails && !run->failed; i++) {
		const struct log_fail *fail = &hit->rule->fails[i];
		const char *text;
		size_t n;

		if (!hit_group(run, hit, fail->group, &text, &n))
			continue;
		for (size_t k = 0; k < fail->values.n && !run->failed; k++) {
			CLEANUP(buf_release) struct buf reason = BUF_INIT;

			if (!same_text(fail->values.items[k], text, n))
				continue;
			buf_adds(&reason, "the log says: ");
			text_clean(&reason, hit->line, len < SHOWN_MAX ? len : SHOWN_MAX);
			run->failed = buf_steal(&reason);
		}
	}
}

static int64_t seconds_to_ns(double seconds)
{
	const double max = 4e18;
	double ns = seconds * 1e9;

	return ns > max ? (int64_t)max : ns < -max ? (int64_t)-max : (int64_t)llround(ns);
}

/* The line's own clock, when it has one that can be read. */
static void read_clock(struct log_run *run, struct hit *hit)
{
	const char *text;
	size_t len;
	struct log_value value;
	int64_t own;

	if (!hit_group(run, hit, hit->rule->at, &text, &len) ||
		!log_value_parse(text, len, &value) || value.used != len)
		return;
	own = seconds_to_ns(
		log_value_in(&value, value.has_unit ? &value.unit : &hit->rule->at_unit, NULL));
	log_phases_clock(&run->phases, hit->rule->clock, own, hit->time.ns);
	hit->time = (struct log_time){own, hit->rule->clock};
}

static void apply(struct log_run *run, const struct log_rule *rule, const char *line, size_t len,
	int64_t t_ns)
{
	struct hit hit = {.rule = rule, .line = line, .time = {t_ns, LOG_ARRIVAL}};

	if (rule->ignore)
		return;
	expand(run, &hit, &rule->instance, &run->instance);
	expand(run, &hit, &rule->thread, &run->thread);
	expand(run, &hit, &rule->prefix, &run->prefix);
	if (rule->at >= 0)
		read_clock(run, &hit);
	add_numbers(run, &hit);
	add_spans(run, &hit);
	add_events(run, &hit);
	if (rule->n_fails)
		add_failure(run, &hit, len);
}

/* Index of the first rule that matches, -1. */
static int match_rules(
	struct log_run *run, enum stream stream, const char *line, size_t len, int64_t t_ns)
{
	matcher_line(&run->matcher, line, len);
	for (size_t i = 0; i < run->parser->n_rules; i++) {
		const struct log_rule *rule = &run->parser->rules[i];
		enum regex_answer answer;

		if (run->rules[i].off_line || (!rule->any_stream && rule->stream != stream))
			continue;
		answer = regex_match(rule->regex, &run->matcher, 0);
		if (answer == REGEX_LIMIT) {
			run->rules[i].off_line = run->n_lines;
		} else if (answer == REGEX_YES) {
			run->rules[i].matches++;
			apply(run, rule, line, len, t_ns);
			return (int)i;
		}
	}
	return -1;
}

/* --- Torn lines --------------------------------------------------------------------------------
 */

static bool starts_with_prefix(const struct log_run *run, const char *line, size_t len)
{
	const struct conf_texts *resync = &run->parser->resync;

	for (size_t i = 0; i < resync->n; i++) {
		size_t n = strlen(resync->items[i]);

		if (len >= n && !memcmp(line, resync->items[i], n))
			return true;
	}
	return false;
}

/* Where the next prefix stands at or behind `from`; len = nowhere. */
static size_t find_prefix(const struct log_run *run, const char *line, size_t len, size_t from)
{
	const struct conf_texts *resync = &run->parser->resync;
	size_t best = len;

	for (size_t i = 0; i < resync->n && from < best; i++) {
		size_t n = strlen(resync->items[i]);
		size_t room = best == len ? len : best + n - 1;
		const char *at;

		if (room > len)
			room = len;
		at = memmem(line + from, room - from, resync->items[i], n);
		if (at)
			best = (size_t)(at - line);
	}
	return best;
}

static void drop_held(struct held *held, size_t i)
{
	struct buf gone = held->pieces[i];

	memmove(&held->pieces[i], &held->pieces[i + 1],
		(held->n - i - 1) * sizeof(held->pieces[0]));
	held->n--;
	buf_clear(&gone);
	held->pieces[held->n] = gone; /* keeps its memory */
}

static void hold(struct log_run *run, struct held *held, const char *text, size_t len, bool goes_on)
{
	struct buf *piece;

	if (!goes_on || !held->n) {
		if (held->n == HELD_MAX) {
			drop_held(held, 0);
			run->torn++;
		}
		held->n++;
	}
	piece = &held->pieces[held->n - 1];
	if (piece->len + len <= LINE_MAX_BYTES)
		buf_add(piece, text, len);
}

/*
 * A line without prefix while pieces are held: the rest of one of them, most likely of the newest;
 * else a line of its own; else nobody's.
 */
static int join(struct log_run *run, enum stream stream, const char *line, size_t len, int64_t t_ns)
{
	struct held *held = &run->held[stream];
	int rule;

	for (size_t i = held->n; i-- > 0;) {
		if (held->pieces[i].len + len > LINE_MAX_BYTES)
			continue;
		buf_clear(&run->joined);
		buf_add(&run->joined, held->pieces[i].data, held->pieces[i].len);
		buf_add(&run->joined, line, len);
		rule = match_rules(run, stream, run->joined.data, run->joined.len, t_ns);
		if (rule >= 0) {
			run->repaired++;
			drop_held(held, i);
			return rule;
		}
	}
	rule = match_rules(run, stream, line, len, t_ns);
	if (rule < 0 && len) {
		run->torn += 2;
		drop_held(held, held->n - 1);
	}
	return rule;
}

int log_run_line(
	struct log_run *run, enum stream stream, const char *line, size_t len, int64_t t_ns)
{
	struct held *held = &run->held[stream];
	size_t from = 0, next;
	bool goes_on;
	int rule;

	run->n_lines++;
	if (!run->parser->resync.n)
		return match_rules(run, stream, line, len, t_ns);
	next = find_prefix(run, line, len, 1);
	goes_on = held->n && !starts_with_prefix(run, line, len);
	if (next >= len)
		return goes_on ? join(run, stream, line, len, t_ns)
			       : match_rules(run, stream, line, len, t_ns);
	while (next < len) {
		hold(run, held, line + from, next - from, goes_on);
		goes_on = false;
		from = next;
		next = find_prefix(run, line, len, from + 1);
	}
	rule = match_rules(run, stream, line + from, len - from, t_ns);
	return rule >= 0 ? rule : -2;
}

/* --- The end -----------------------------------------------------------------------------------
 */

static void count(struct run_record *record, const char *name, uint64_t n, bool always)
{
	if (n || always)
		log_sample(record, name, "", "", (double)n, 1);
}

static void report_off_rules(const struct log_run *run, struct run_record *record)
{
	for (size_t i = 0; i < run->parser->n_rules; i++) {
		CLEANUP(buf_release) struct buf reason = BUF_INIT;
		char instance[32];

		if (!run->rules[i].off_line)
			continue;
		buf_addf(&reason,
			"rule %zu ('%s') of parser %s took too many steps on line %llu of the run "
			"and "
			"was switched off: make its pattern less ambiguous",
			i + 1, run->parser->rules[i].regex->pattern, run->parser->name,
			(unsigned long long)run->rules[i].off_line);
		snprintf(instance, sizeof(instance), "%zu", i + 1);
		run_record_sample(record, &(struct sample){.metric = "log:rule_off",
						  .instance = instance,
						  .value = NAN,
						  .reason = reason.data,
						  .quantum = NAN,
						  .collector = "log"});
	}
}

void log_run_end(struct log_run *run, int64_t start_ns, int64_t end_ns, struct run_record *record,
	const char **ret_failed)
{
	for (size_t i = 0; i < N_STREAMS; i++)
		run->torn += run->held[i].n;
	log_series_write(&run->series, record);
	log_phases_write(&run->phases, start_ns, end_ns, record);
	count(record, "torn", run->torn, true);
	count(record, "repaired", run->repaired, true);
	count(record, "unmatched_ends", run->phases.unmatched_ends, false);
	count(record, "unmatched_begins", run->phases.unmatched_begins, false);
	count(record, "unit_conflicts", run->series.unit_conflicts, false);
	count(record, "singles_dropped", run->series.singles_dropped, false);
	report_off_rules(run, record);
	*ret_failed = run->failed ? arena_strdup(&record->arena, run->failed) : NULL;
}

uint64_t log_run_matches(const struct log_run *run, size_t rule)
{
	return run->rules[rule].matches;
}
