/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Help and man page from the option tables. */
#include "config.h"

#include "core/base/opt_impl.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "core/base/text.h"

/* Column where the explanations of --help begin. */
#define HELP_COLUMN 28

const struct opt opt_help_row = {.name = "help", .short_name = 'h', .help = "show this help"};

void opt_add_arg(const struct opt *opt, struct buf *to)
{
	if (opt->type == OPT_FLAG)
		return;
	if (opt->type == OPT_CHOICE && !opt->arg) {
		for (size_t i = 0; opt->choices[i]; i++)
			buf_addf(to, "%s%s", i ? "|" : "", opt->choices[i]);
		return;
	}
	buf_adds(to, opt->arg ? opt->arg : "VALUE");
}

bool opt_next_line(const char **lines, const char **ret, size_t *ret_len)
{
	if (!*lines || !**lines)
		return false;
	*ret = *lines;
	*ret_len = strcspn(*lines, "\n");
	*lines += *ret_len;
	if (**lines)
		(*lines)++;
	return true;
}

/* Number at the start of the next line of exit_status; INT_MAX when there is none. */
static int status_of(const char *lines)
{
	int n = 0;

	if (!lines || !*lines)
		return INT_MAX;
	for (; isdigit((unsigned char)*lines); lines++)
		n = 10 * n + (*lines - '0');
	return n;
}

/* The command's own lines and the common ones that it has not, by number. */
static void merge_status(const struct opt_set *set, struct buf *to)
{
	const char *own = set->usage->exit_status, *common = set->common_status;
	const char *line;
	size_t len;

	while (status_of(own) != INT_MAX || status_of(common) != INT_MAX) {
		int a = status_of(own), b = status_of(common);

		if (a == b)
			opt_next_line(&common, &line, &len);
		opt_next_line(a <= b ? &own : &common, &line, &len);
		buf_add(to, line, len);
		buf_addc(to, '\n');
	}
}

/* --- Help --- */

/* Words filled into lines; `column` is where the cursor stands, `indent` where lines begin. */
static void fill(
	struct buf *to, const char *text, size_t len, size_t column, size_t indent, size_t width)
{
	const char *end = text + len;

	while (text < end) {
		size_t n = 0, columns;
		AUTOFREE char *word = NULL;

		if (isspace((unsigned char)*text)) {
			text++;
			continue;
		}
		while (text + n < end && !isspace((unsigned char)text[n]))
			n++;
		word = xstrndup(text, n);
		columns = text_width(word);
		if (column > indent && column + 1 + columns > width) {
			buf_addc(to, '\n');
			column = 0;
		}
		if (column > indent) {
			buf_addc(to, ' ');
			column++;
		}
		for (; column < indent; column++)
			buf_addc(to, ' ');
		buf_adds(to, word);
		column += columns;
		text += n;
	}
	buf_addc(to, '\n');
}

/* Two columns; a long left one gets a line of its own. */
static void row(struct buf *to, const char *left, size_t left_len, const char *right,
	size_t right_len, size_t indent, size_t width)
{
	AUTOFREE char *text = xstrndup(left, left_len);
	size_t column = 2 + text_width(text);

	buf_addf(to, "  %s", text);
	if (!right_len) {
		buf_addc(to, '\n');
		return;
	}
	if (column + 2 > indent) {
		buf_addc(to, '\n');
		column = 0;
	}
	for (; column < indent; column++)
		buf_addc(to, ' ');
	fill(to, right, right_len, column, indent, width);
}

static void add_choices(struct buf *to, const char *const *choices)
{
	for (size_t i = 0; choices[i]; i++)
		buf_addf(to, "%s%s", i == 0 ? "" : choices[i + 1] ? ", " : " or ", choices[i]);
}

static void help_option(struct buf *to, const struct opt *opt, size_t width)
{
	CLEANUP(buf_release) struct buf left = BUF_INIT, right = BUF_INIT;

	if (opt->short_name)
		buf_addf(&left, "-%c, ", opt->short_name);
	else
		buf_adds(&left, "    ");
	buf_addf(&left, "--%s%s", opt->negatable ? "[no-]" : "", opt->name);
	if (opt->type != OPT_FLAG) {
		buf_addc(&left, ' ');
		opt_add_arg(opt, &left);
	}
	buf_adds(&right, opt->help ? opt->help : "");
	if (opt->type == OPT_CHOICE && opt->arg) {
		buf_adds(&right, right.len ? ": " : "");
		add_choices(&right, opt->choices);
	}
	if (opt->type == OPT_LIST)
		buf_adds(&right, right.len ? " (may be repeated)" : "may be repeated");
	row(to, left.data, left.len, right.data, right.len, HELP_COLUMN, width);
}

/* Lines "left<TAB>right". */
static void help_lines(
	struct buf *to, const char *title, const char *lines, size_t indent, size_t width)
{
	const char *line;
	size_t len;

	if (!lines)
		return;
	buf_addf(to, "\n%s:\n", title);
	while (opt_next_line(&lines, &line, &len)) {
		const char *tab = memchr(line, '\t', len);
		size_t left = tab ? (size_t)(tab - line) : len;

		row(to, line, left, tab ? tab + 1 : "", tab ? len - left - 1 : 0, indent, width);
	}
}

static void help_about(struct buf *to, const char *about, size_t width)
{
	while (about && *about) {
		const char *end = strstr(about, "\n\n");
		size_t len = end ? (size_t)(end - about) : strlen(about);

		buf_addc(to, '\n');
		if (isblank((unsigned char)*about)) {
			buf_add(to, about, len);
			buf_addc(to, '\n');
		} else {
			fill(to, about, len, 0, 0, width);
		}
		about += len + (end ? 2 : 0);
	}
}

void opt_help(const struct opt_set *set, struct buf *to, int width)
{
	const struct opt_usage *usage = set->usage;
	size_t columns = width > 40 ? (size_t)width : 40;
	CLEANUP(buf_release) struct buf status = BUF_INIT;
	size_t example = 0;

	merge_status(set, &status);
	buf_addf(to, "Usage: %s%s%s [OPTION]...\n\n", usage->command,
		usage->args && *usage->args ? " " : "", usage->args ? usage->args : "");
	fill(to, usage->summary, strlen(usage->summary), 0, 0, columns);
	help_about(to, usage->about, columns);
	buf_adds(to, "\nOptions:\n");
	for (const struct opt *opt = set->opts; opt && opt->name; opt++)
		help_option(to, opt, columns);
	help_option(to, &opt_help_row, columns);
	if (set->common && set->common->name)
		buf_adds(to, "\nCommon options:\n");
	for (const struct opt *opt = set->common; opt && opt->name; opt++)
		help_option(to, opt, columns);
	/* Examples stand beside their explanation where there is room for most of them. */
	example = columns / 2 > 48 ? 48 : columns / 2;
	help_lines(to, "Examples", usage->examples, example, columns);
	help_lines(to, "Exit status", status.len ? status.data : NULL, 8, columns);
}

/* --- Man page --- */

/* Text for roff: '-' as the ASCII character, no control lines by accident. */
static void roff(struct buf *to, const char *text, size_t len, bool line_start)
{
	for (size_t i = 0; i < len; i++) {
		char c = text[i];

		if (line_start && (c == '.' || c == '\''))
			buf_adds(to, "\\&");
		line_start = c == '\n';
		if (c == '\\')
			buf_adds(to, "\\e");
		else if (c == '-')
			buf_adds(to, "\\-");
		else if (c == '\'')
			buf_adds(to, "\\(aq");
		else if (c == '`')
			buf_adds(to, "\\(ga");
		else if (c == '^')
			buf_adds(to, "\\(ha");
		else if (c == '~')
			buf_adds(to, "\\(ti");
		else if (c == '"')
			buf_adds(to, "\\(dq");
		else
			buf_addc(to, c);
	}
}

static void roff_s(struct buf *to, const char *text)
{
	roff(to, text, strlen(text), false);
}

static void man_option(struct buf *to, const struct opt *opt)
{
	CLEANUP(buf_release) struct buf arg = BUF_INIT;

	buf_adds(to, ".TP\n");
	if (opt->short_name)
		buf_addf(to, "\\fB\\-%c\\fR, ", opt->short_name);
	buf_adds(to, "\\fB\\-\\-");
	roff_s(to, opt->name);
	buf_adds(to, "\\fR");
	if (opt->negatable) {
		buf_adds(to, ", \\fB\\-\\-no\\-");
		roff_s(to, opt->name);
		buf_adds(to, "\\fR");
	}
	opt_add_arg(opt, &arg);
	if (arg.len) {
		buf_adds(to, " \\fI");
		roff_s(to, arg.data);
		buf_adds(to, "\\fR");
	}
	buf_addc(to, '\n');
	if (opt->help) {
		buf_adds(to, "\\&");
		buf_addc(to, (char)toupper((unsigned char)opt->help[0]));
		if (opt->help[0])
			roff_s(to, opt->help + 1);
	}
	if (opt->type == OPT_CHOICE && opt->arg) {
		CLEANUP(buf_release) struct buf choices = BUF_INIT;

		add_choices(&choices, opt->choices);
		buf_adds(to, ": ");
		roff_s(to, choices.data);
	}
	buf_adds(to, ".\n");
	if (opt->type == OPT_LIST)
		buf_adds(to, "May be repeated.\n");
}

static void man_about(struct buf *to, const char *about)
{
	while (about && *about) {
		const char *end = strstr(about, "\n\n");
		size_t len = end ? (size_t)(end - about) : strlen(about);
		bool verbatim = isblank((unsigned char)*about);

		buf_adds(to, verbatim ? ".PP\n.nf\n" : ".PP\n");
		roff(to, about, len, true);
		buf_adds(to, verbatim ? "\n.fi\n" : "\n");
		about += len + (end ? 2 : 0);
	}
}

static void man_lines(struct buf *to, const char *title, const char *lines)
{
	const char *line;
	size_t len;

	if (!lines)
		return;
	buf_addf(to, ".SH %s\n", title);
	while (opt_next_line(&lines, &line, &len)) {
		const char *tab = memchr(line, '\t', len);
		size_t left = tab ? (size_t)(tab - line) : len;

		buf_adds(to, ".TP\n\\fB");
		roff(to, line, left, false);
		buf_adds(to, "\\fR\n");
		if (tab)
			roff(to, tab + 1, len - left - 1, true);
		else
			buf_adds(to, "\\&");
		buf_addc(to, '\n');
	}
}

void opt_man(const struct opt_set *set, const char *version, struct buf *to)
{
	const struct opt_usage *usage = set->usage;
	CLEANUP(buf_release) struct buf page = BUF_INIT, status = BUF_INIT;

	merge_status(set, &status);
	/* "assay plan" has the page assay-plan(1). */
	for (const char *c = usage->command; *c; c++)
		buf_addc(&page, *c == ' ' ? '-' : *c);
	buf_adds(to, ".\\\" Generated from the option table of the command.\n.TH \"");
	for (const char *c = page.data; *c; c++) {
		if (*c == '-')
			buf_addc(to, '\\');
		buf_addc(to, (char)toupper((unsigned char)*c));
	}
	buf_adds(to, "\" 1 \"\" \"assay ");
	roff_s(to, version);
	buf_adds(to, "\" \"User Commands\"\n.SH NAME\n");
	roff_s(to, page.data);
	buf_adds(to, " \\- ");
	roff_s(to, usage->summary);
	buf_adds(to, "\n.SH SYNOPSIS\n\\fB");
	roff_s(to, usage->command);
	buf_adds(to, "\\fR");
	if (usage->args && *usage->args) {
		buf_addc(to, ' ');
		roff_s(to, usage->args);
	}
	buf_adds(to, " [\\fIOPTION\\fR]...\n");
	if (usage->about) {
		buf_adds(to, ".SH DESCRIPTION\n");
		man_about(to, usage->about);
	}
	buf_adds(to, ".SH OPTIONS\n");
	for (const struct opt *opt = set->opts; opt && opt->name; opt++)
		man_option(to, opt);
	man_option(to, &opt_help_row);
	if (set->common && set->common->name)
		buf_adds(to, ".SS Common options\n");
	for (const struct opt *opt = set->common; opt && opt->name; opt++)
		man_option(to, opt);
	man_lines(to, "EXIT STATUS", status.len ? status.data : NULL);
	man_lines(to, "EXAMPLES", usage->examples);
	if (strcmp(page.data, "assay") != 0)
		buf_adds(to, ".SH SEE ALSO\n\\fBassay\\fR(1)\n");
}
