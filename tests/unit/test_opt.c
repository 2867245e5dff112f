/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/opt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/text.h"

struct options {
	bool force, resume;
	const char *output;
	struct opt_list where;
	uint64_t jobs;
	int64_t timeout_ns;
	const char *format;
};

struct common {
	bool quiet;
	const char *state;
};

static const char *const formats[] = {"text", "markdown", "json", NULL};

static const struct opt opts[] = {
	{"force", 'f', OPT_FLAG, NULL, "do it all the same", offsetof(struct options, force), NULL,
		false, NULL},
	{"resume", 0, OPT_FLAG, NULL, "go on with the open session",
		offsetof(struct options, resume), NULL, true, NULL},
	{"output", 'o', OPT_TEXT, "FILE",
		"write to FILE instead of the standard output, in the "
		"format that its name ends with",
		offsetof(struct options, output), NULL, false, NULL},
	{"where", 0, OPT_LIST, "PREDICATE", "only rows that fit", offsetof(struct options, where),
		NULL, false, NULL},
	{"jobs", 'j', OPT_UINT, "N", "builds at a time", offsetof(struct options, jobs), NULL,
		false, NULL},
	{"timeout", 0, OPT_DURATION, "TIME", "longest time", offsetof(struct options, timeout_ns),
		NULL, false, NULL},
	{"format", 0, OPT_CHOICE, "FORMAT", "form of the output", offsetof(struct options, format),
		formats, false, NULL},
	{0},
};

static const struct opt common[] = {
	{"quiet", 'q', OPT_FLAG, NULL, "no progress", offsetof(struct common, quiet), NULL, false,
		NULL},
	{"state", 0, OPT_TEXT, "DIR", "state folder", offsetof(struct common, state), NULL, false,
		NULL},
	{0},
};

static const struct opt_usage usage = {
	.command = "assay plan",
	.args = "FILE",
	.summary = "show the rows, builds and runs of an experiment",
	.about = "Reads the descriptor FILE and prints what a run would do: rows, builds, counter "
		 "passes, the number of runs and how long they take. Nothing is started.\n\n"
		 "  kept\n    as it is\n\n.A paragraph that begins with a dot, isn't it.",
	.examples = "assay plan demo.yaml\tall rows\nassay plan demo.yaml --where 'A1 & A4'\tsome",
	.min_args = 1,
	.max_args = 2,
	.exit_status = "0\tthe descriptor is valid\n3\tit is not",
};

struct fixture {
	struct options to;
	struct common common_to;
	struct opt_set set;
	struct opt_list args;
	bool help;
	struct err err;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->set = (struct opt_set){&usage, opts, &f->to, common, &f->common_to, NULL};
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	opt_list_release(&f->args);
	opt_list_release(&f->to.where);
	free(f);
	return 0;
}

/* Arguments up to NULL. */
static int parse(struct fixture *f, ...)
{
	char *argv[32] = {(char *)"plan"};
	int argc = 1;
	va_list ap;
	char *arg;

	opt_list_release(&f->args);
	va_start(ap, f);
	while ((arg = va_arg(ap, char *)))
		argv[argc++] = arg;
	va_end(ap);
	f->err = (struct err){0};
	return opt_parse(&f->set, argc, argv, &f->args, &f->help, &f->err);
}

static void assert_bad(struct fixture *f, const char *text, const char *help)
{
	assert_int_equal(f->err.code, E_USAGE);
	assert_string_equal(f->err.text, text);
	assert_string_equal(f->err.help, help);
}

static void test_types(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(parse(f, "-f", "a.yaml", "--where", "A1", "--where=B1=cap 2", "--jobs=12",
				 "--timeout", "1.5 min", "--format", "json", "-o", "x",
				 "--state=/s", "--quiet", "--resume", "b", NULL),
		0);
	assert_true(f->to.force);
	assert_true(f->to.resume);
	assert_int_equal(f->args.n, 2);
	assert_string_equal(f->args.items[0], "a.yaml");
	assert_string_equal(f->args.items[1], "b");
	assert_int_equal(f->to.where.n, 2);
	assert_string_equal(f->to.where.items[0], "A1");
	assert_string_equal(f->to.where.items[1], "B1=cap 2");
	assert_int_equal(f->to.jobs, 12);
	assert_int_equal(f->to.timeout_ns, 90 * NS_PER_S);
	assert_string_equal(f->to.format, "json");
	assert_string_equal(f->to.output, "x");
	assert_string_equal(f->common_to.state, "/s");
	assert_true(f->common_to.quiet);
	assert_false(f->help);
}

static void test_short(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(parse(f, "-fqj7", "-oout", "-", NULL), 0);
	assert_true(f->to.force);
	assert_true(f->common_to.quiet);
	assert_int_equal(f->to.jobs, 7);
	assert_string_equal(f->to.output, "out");
	assert_string_equal(f->args.items[0], "-");
}

static void test_negation(void **state)
{
	struct fixture *f = *state;

	f->to.resume = true;
	assert_int_equal(parse(f, "a", "--no-resume", NULL), 0);
	assert_false(f->to.resume);
	assert_int_equal(parse(f, "a", "--no-resume", "--resume", NULL), 0);
	assert_true(f->to.resume);
	assert_int_equal(parse(f, "a", "--no-force", NULL), -1);
	assert_string_equal(f->err.text, "unknown option \"--no-force\"");
}

static void test_double_dash(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(parse(f, "--", "--force", "-x", NULL), 0);
	assert_false(f->to.force);
	assert_int_equal(f->args.n, 2);
	assert_string_equal(f->args.items[0], "--force");
	assert_string_equal(f->args.items[1], "-x");
	/* A value may look like an option. */
	assert_int_equal(parse(f, "a", "--output", "--", NULL), 0);
	assert_string_equal(f->to.output, "--");
	assert_int_equal(parse(f, "a", "--output=", NULL), 0);
	assert_string_equal(f->to.output, "");
}

static void test_help_seen(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(parse(f, "--help", NULL), 0);
	assert_true(f->help);
	f->help = false;
	assert_int_equal(parse(f, "a", "b", "c", "-qh", NULL), 0);
	assert_true(f->help);
	assert_int_equal(parse(f, "--help=x", NULL), 0);
}

static void test_unknown(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(parse(f, "a", "--formt=json", NULL), -1);
	assert_bad(f, "unknown option \"--formt\"", "did you mean \"--format\"?");
	assert_int_equal(parse(f, "a", "--stat", "x", NULL), -1);
	assert_bad(f, "unknown option \"--stat\"", "did you mean \"--state\"?");
	assert_int_equal(parse(f, "a", "--no-resum", NULL), -1);
	assert_bad(f, "unknown option \"--no-resum\"", "did you mean \"--no-resume\"?");
	assert_int_equal(parse(f, "a", "-x", NULL), -1);
	assert_bad(f, "unknown option \"-x\"", "assay plan --help lists the options");
	assert_int_equal(parse(f, "a", "-where", "x", NULL), -1);
	assert_bad(f, "unknown option \"-where\"", "did you mean \"--where\"?");
	assert_int_equal(parse(f, "a", "-fx", NULL), -1);
	assert_bad(f, "unknown option \"-x\"", "assay plan --help lists the options");
	/* No prefixes: scripts would break when options are added. */
	assert_int_equal(parse(f, "a", "--forc", NULL), -1);
	assert_int_equal(parse(f, "a", "--xyzzy\033[1m", NULL), -1);
	assert_null(strchr(f->err.text, '\033'));
}

static void test_bad_values(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(parse(f, "a", "--format", "jsn", NULL), -1);
	assert_bad(f, "--format: expected text, markdown or json, got \"jsn\"",
		"did you mean \"json\"?");
	assert_int_equal(parse(f, "a", "--format", "pdf2000", NULL), -1);
	assert_bad(f, "--format: expected text, markdown or json, got \"pdf2000\"", "");
	assert_int_equal(parse(f, "a", "--force=yes", NULL), -1);
	assert_bad(f, "--force takes no value", "");
	assert_int_equal(parse(f, "a", "--output", NULL), -1);
	assert_bad(f, "--output needs a value: FILE", "");
	assert_int_equal(parse(f, "a", "-o", NULL), -1);
	assert_bad(f, "-o needs a value: FILE", "");
	assert_int_equal(parse(f, "a", "--jobs", "-1", NULL), -1);
	assert_int_equal(f->err.code, E_USAGE);
	assert_true(text_starts(f->err.text, "--jobs: "));
	assert_int_equal(parse(f, "a", "--timeout", "10", NULL), -1);
	assert_true(text_starts(f->err.text, "--timeout: "));
}

static void test_arity(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(parse(f, NULL), -1);
	assert_bad(f, "an argument is missing", "usage: assay plan FILE [OPTION]...");
	assert_int_equal(parse(f, "a", "b", "c", NULL), -1);
	assert_bad(f, "one argument too many: \"c\"", "usage: assay plan FILE [OPTION]...");
	assert_null(f->args.items);
}

static void assert_contains(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is not in:\n%s", part, text);
}

static void test_help_text(void **state)
{
	struct fixture *f = *state;
	static const int widths[] = {40, 80, 120};

	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		CLEANUP(buf_release) struct buf help = BUF_INIT;
		size_t at = 0;

		opt_help(&f->set, &help, widths[i]);
		while (at < help.len) {
			size_t len = strcspn(help.data + at, "\n");
			AUTOFREE char *line = xstrndup(help.data + at, len);

			/* The left column is never broken, and has a line of its own then. */
			if (text_width(line) > (size_t)widths[i] && !strstr(line, "--"))
				fail_msg("wider than %d: %s", widths[i], line);
			assert_false(len && line[len - 1] == ' ');
			at += len + 1;
		}
		for (const struct opt *opt = opts; opt->name; opt++)
			assert_contains(help.data, opt->name);
	}
}

static void test_status_merged(void **state)
{
	struct fixture *f = *state;
	CLEANUP(buf_release) struct buf help = BUF_INIT, page = BUF_INIT;

	f->set.common_status = "2\tbad command line\n3\thidden\n70\ta bug\n";
	opt_help(&f->set, &help, 80);
	assert_non_null(strstr(help.data, "Exit status:\n"
					  "  0     the descriptor is valid\n"
					  "  2     bad command line\n"
					  "  3     it is not\n"
					  "  70    a bug\n"));
	opt_man(&f->set, "1", &page);
	assert_contains(page.data, "\\fB70\\fR\na bug\n");
}

static void test_help_golden(void **state)
{
	struct fixture *f = *state;
	CLEANUP(buf_release) struct buf help = BUF_INIT;

	opt_help(&f->set, &help, 80);
	assert_string_equal(help.data,
		"Usage: assay plan FILE [OPTION]...\n"
		"\n"
		"show the rows, builds and runs of an experiment\n"
		"\n"
		"Reads the descriptor FILE and prints what a run would do: rows, builds, counter\n"
		"passes, the number of runs and how long they take. Nothing is started.\n"
		"\n"
		"  kept\n"
		"    as it is\n"
		"\n"
		".A paragraph that begins with a dot, isn't it.\n"
		"\n"
		"Options:\n"
		"  -f, --force               do it all the same\n"
		"      --[no-]resume         go on with the open session\n"
		"  -o, --output FILE         write to FILE instead of the standard output, in the\n"
		"                            format that its name ends with\n"
		"      --where PREDICATE     only rows that fit (may be repeated)\n"
		"  -j, --jobs N              builds at a time\n"
		"      --timeout TIME        longest time\n"
		"      --format FORMAT       form of the output: text, markdown or json\n"
		"  -h, --help                show this help\n"
		"\n"
		"Common options:\n"
		"  -q, --quiet               no progress\n"
		"      --state DIR           state folder\n"
		"\n"
		"Examples:\n"
		"  assay plan demo.yaml                  all rows\n"
		"  assay plan demo.yaml --where 'A1 & A4'\n"
		"                                        some\n"
		"\n"
		"Exit status:\n"
		"  0     the descriptor is valid\n"
		"  3     it is not\n");
}

/* Runs `program -c/-l ... file` in bash or man; what it prints on both streams. */
static int run(char *const argv[], struct buf *to)
{
	int ends[2], status;
	char part[4096];
	ssize_t got;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		dup2(ends[1], 1);
		dup2(ends[1], 2);
		close(ends[0]);
		close(ends[1]);
		execvp(argv[0], argv);
		_exit(127);
	}
	close(ends[1]);
	while ((got = read(ends[0], part, sizeof(part))) > 0)
		buf_add(to, part, (size_t)got);
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static void write_file(const char *path, const struct buf *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text->data, 1, text->len, file), text->len);
	assert_int_equal(fclose(file), 0);
}

static void test_man(void **state)
{
	struct fixture *f = *state;
	CLEANUP(buf_release) struct buf page = BUF_INIT, out = BUF_INIT, again = BUF_INIT;
	char path[] = "/tmp/assay-man-XXXXXX";
	int fd = mkstemp(path), rc;

	assert_true(fd >= 0);
	close(fd);
	opt_man(&f->set, "0.1.0", &page);
	opt_man(&f->set, "0.1.0", &again);
	assert_string_equal(page.data, again.data);
	assert_contains(
		page.data, ".TH \"ASSAY\\-PLAN\" 1 \"\" \"assay 0.1.0\" \"User Commands\"\n");
	assert_contains(page.data, "assay\\-plan \\- show the rows");
	assert_contains(page.data, "\\fB\\-\\-resume\\fR, \\fB\\-\\-no\\-resume\\fR\n");
	assert_contains(page.data, "\n\\&.A paragraph");
	write_file(path, &page);
	setenv("LC_ALL", "C.UTF-8", 1);
	setenv("MANWIDTH", "80", 1);
	rc = run((char *[]){(char *)"man", (char *)"--warnings", (char *)"-E", (char *)"UTF-8",
			 (char *)"-l", (char *)"-Tutf8", (char *)"-Z", path, NULL},
		&out);
	unlink(path);
	if (rc == 127) {
		print_message("skipped: man is not installed\n");
		skip();
	}
	assert_int_equal(rc, 0);
	if (strstr(out.data, "warning") || strstr(out.data, path))
		fail_msg("man warns: %.400s", out.data);
}

/* What bash offers for a command line whose last word is being typed. */
static void complete(const char *script, const char *words, const char *expected)
{
	CLEANUP(buf_release) struct buf code = BUF_INIT, out = BUF_INIT;

	buf_addf(&code,
		/* Prints its arguments as a table prints names. */
		"lister() { printf ' name  what\\n'; printf ' %%s  x\\n' \"$@\"; }; "
		". '%s' && COMP_WORDS=(%s) && COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) && _assay && "
		"echo \"${COMPREPLY[*]}\"",
		script, words);
	assert_int_equal(
		run((char *[]){(char *)"bash", (char *)"--norc", (char *)"-c", code.data, NULL},
			&out),
		0);
	if (strcmp(out.data, expected) != 0)
		fail_msg("%s: expected %s, got %s", words, expected, out.data);
}

static void test_completion(void **state)
{
	struct fixture *f = *state;
	static const struct opt_usage program = {
		.command = "assay", .summary = "profile", .args = ""};
	static const struct opt_usage other = {.command = "assay re-port",
		.summary = "report",
		.max_args = 1,
		.words_from = "list args"};
	static const struct opt listed[] = {
		{.name = "of", .type = OPT_TEXT, .words_from = "list things"}, {0}};
	struct opt_set sets[] = {{&program, NULL, NULL, common, &f->common_to, NULL}, f->set,
		{&other, listed, NULL, common, &f->common_to, NULL}};
	CLEANUP(buf_release)
	struct buf script = BUF_INIT, out = BUF_INIT, words = BUF_INIT, offered = BUF_INIT;
	char path[] = "/tmp/assay-completion-XXXXXX";
	int fd = mkstemp(path), rc;
	AUTOFREE char *yaml = NULL;

	assert_true(fd >= 0);
	close(fd);
	opt_completion_script(sets, ARRAY_SIZE(sets), &script);
	write_file(path, &script);
	rc = run((char *[]){(char *)"bash", (char *)"-n", path, NULL}, &out);
	if (rc == 127) {
		unlink(path);
		print_message("skipped: bash is not installed\n");
		skip();
	}
	assert_string_equal(out.data, "");
	assert_int_equal(rc, 0);
	complete(path, "assay p", "plan\n");
	complete(path, "assay ''", "plan re-port\n");
	complete(path, "assay --st", "--state\n");
	complete(path, "assay plan --fo", "--force --format\n");
	complete(path, "assay plan --no", "--no-resume\n");
	complete(path, "assay plan --format ''", "text markdown json\n");
	complete(path, "assay plan --format = j", "json\n");
	complete(path, "assay plan --format =", "text markdown json\n");
	complete(path, "assay plan --jobs ''", "\n");
	/* The script itself is a file that surely is there. */
	buf_addf(&words, "assay plan -o %.*s", (int)strlen(path) - 1, path);
	buf_addf(&offered, "%s\n", path);
	complete(path, words.data, offered.data);
	complete(path, "assay plan --state /et", "/etc\n");
	buf_clear(&words);
	/* An argument FILE is a descriptor; behind it nothing is offered. */
	buf_addf(&words, "assay plan x %.*s", (int)strlen(path) - 1, path);
	complete(path, words.data, "\n");
	yaml = xasprintf("%s.yaml", path);
	write_file(yaml, &script);
	buf_clear(&offered);
	buf_addf(&offered, "%s\n", yaml);
	complete(path, words.data, offered.data);
	complete(path, "assay plan x.yaml /etc/passw", "\n");
	unlink(yaml);
	/* What the program itself lists: here a script that says what it was asked. */
	complete(path, "lister re-port --of ''", "list things\n");
	complete(path, "lister re-port --of t", "things\n");
	complete(path, "lister re-port ''", "list args\n");
	complete(path, "assay re-port --q", "--quiet\n");
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_types, setup, teardown),
		cmocka_unit_test_setup_teardown(test_short, setup, teardown),
		cmocka_unit_test_setup_teardown(test_negation, setup, teardown),
		cmocka_unit_test_setup_teardown(test_double_dash, setup, teardown),
		cmocka_unit_test_setup_teardown(test_help_seen, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unknown, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bad_values, setup, teardown),
		cmocka_unit_test_setup_teardown(test_arity, setup, teardown),
		cmocka_unit_test_setup_teardown(test_help_text, setup, teardown),
		cmocka_unit_test_setup_teardown(test_help_golden, setup, teardown),
		cmocka_unit_test_setup_teardown(test_status_merged, setup, teardown),
		cmocka_unit_test_setup_teardown(test_man, setup, teardown),
		cmocka_unit_test_setup_teardown(test_completion, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
