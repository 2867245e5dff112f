/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/log.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static int saved_stderr;
static FILE *caught;

static int catch_stderr(void **state)
{
	(void)state;
	caught = tmpfile();
	fflush(stderr);
	saved_stderr = dup(STDERR_FILENO);
	dup2(fileno(caught), STDERR_FILENO);
	return 0;
}

static int give_back_stderr(void **state)
{
	(void)state;
	dup2(saved_stderr, STDERR_FILENO);
	close(saved_stderr);
	fclose(caught);
	log_set_level(LOG_NORMAL);
	return 0;
}

static void printed(const char *expected)
{
	char text[4096];
	ssize_t n = pread(fileno(caught), text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	assert_string_equal(text, expected);
}

static void all(void)
{
	log_note("note %d", 1);
	log_verbose("verbose %d", 2);
	log_warn("warn %d", 3);
}

static void quiet(void **state)
{
	(void)state;
	log_set_level(LOG_QUIET);
	all();
	printed("assay: warning: warn 3\n");
}

static void normal(void **state)
{
	(void)state;
	assert_int_equal(log_get_level(), LOG_NORMAL);
	all();
	printed("assay: note 1\nassay: warning: warn 3\n");
}

static void verbose(void **state)
{
	(void)state;
	log_set_level(LOG_VERBOSE);
	all();
	printed("assay: note 1\nassay: verbose 2\nassay: warning: warn 3\n");
}

static void errors(void **state)
{
	const struct place place = {"x.yaml", 3, 7};
	struct err err;

	(void)state;
	log_set_level(LOG_QUIET); /* errors come always */
	err_set(&err, E_MISSING, "no 'make'");
	log_err("run", &err);
	log_err(NULL, &err);
	err_help(&err, "install %s", "make");
	log_err("run", &err);
	err_at(&err, E_CONFIG, place, "unknown key");
	log_err("run", &err);
	printed("assay run: error: no 'make'\nassay: error: no 'make'\n"
		"assay run: error: no 'make'\n    help: install make\n"
		"x.yaml:3:7: error: unknown key\n");
}

/* Names of files and output of programs must not steer the terminal. */
static void foreign_text(void **state)
{
	struct err err;

	(void)state;
	err_set(&err, E_BUILD, "line one\n\033]0;title\007 \xFF");
	log_err("build", &err);
	log_note("\033[2J");
	printed("assay build: error: line one\n?]0;title? \xEF\xBF\xBD\nassay: ?[2J\n");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, catch_stderr, give_back_stderr)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(quiet),
		TEST(normal),
		TEST(verbose),
		TEST(errors),
		TEST(foreign_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
