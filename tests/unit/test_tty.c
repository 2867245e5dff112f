/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/tty.h"

/* What was written so far; the pty turns \n into \r\n. */
static void drain(int fd, struct buf *to)
{
	char chunk[4096];
	struct pollfd p = {.fd = fd, .events = POLLIN};

	while (poll(&p, 1, 50) > 0 && (p.revents & POLLIN)) {
		ssize_t n = read(fd, chunk, sizeof(chunk));

		if (n <= 0)
			return;
		buf_add(to, chunk, (size_t)n);
	}
}

static void open_pty(int width, int *ret_master, FILE **ret_to)
{
	struct winsize size = {.ws_row = 24, .ws_col = (unsigned short)width};
	int slave;

	assert_int_equal(openpty(ret_master, &slave, NULL, NULL, &size), 0);
	*ret_to = fdopen(slave, "w");
	assert_non_null(*ret_to);
}

static void test_width_and_colour(void **state)
{
	FILE *to;
	int master, null_fd = open("/dev/null", O_WRONLY);

	(void)state;
	unsetenv("COLUMNS");
	unsetenv("NO_COLOR");
	setenv("TERM", "xterm", 1);
	open_pty(132, &master, &to);
	assert_true(tty_is(fileno(to)));
	assert_false(tty_is(null_fd));
	assert_int_equal(tty_width(fileno(to)), 132);
	assert_int_equal(tty_width(null_fd), 100);
	assert_true(tty_colour(fileno(to)));
	assert_false(tty_colour(null_fd));
	setenv("NO_COLOR", "1", 1);
	assert_false(tty_colour(fileno(to)));
	setenv("NO_COLOR", "", 1);
	assert_true(tty_colour(fileno(to)));
	setenv("TERM", "dumb", 1);
	assert_false(tty_colour(fileno(to)));
	setenv("COLUMNS", "88", 1);
	assert_int_equal(tty_width(fileno(to)), 88);
	setenv("COLUMNS", "3", 1);
	assert_int_equal(tty_width(fileno(to)), 40);
	setenv("COLUMNS", "9999", 1);
	assert_int_equal(tty_width(fileno(to)), 200);
	setenv("COLUMNS", "x", 1);
	assert_int_equal(tty_width(fileno(to)), 132);
	unsetenv("COLUMNS");
	fclose(to);
	close(master);
	close(null_fd);
}

static void test_live_block(void **state)
{
	CLEANUP(buf_release) struct buf out = BUF_INIT;
	struct progress *progress;
	FILE *to;
	int master;

	(void)state;
	open_pty(40, &master, &to);
	progress = progress_new(to, true);
	progress_show(progress, "one\ntwo \x1b[2J and text that is far too long for this terminal");
	drain(master, &out);
	/* cut below the width, no foreign control characters */
	assert_non_null(strstr(out.data, "one\r\n"));
	assert_null(strstr(out.data, "\x1b[2J"));
	assert_non_null(strstr(out.data, "two "));
	assert_null(strstr(out.data, "this terminal"));
	buf_clear(&out);
	/* a line that stays comes above the block, which is drawn again */
	progress_line(progress, "run %d ok", 7);
	drain(master, &out);
	assert_memory_equal(out.data, "\r\033[2A\033[J", 8);
	assert_non_null(strstr(out.data, "run 7 ok\r\none\r\n"));
	buf_clear(&out);
	progress_free(progress);
	drain(master, &out);
	assert_string_equal(out.data, "\r\033[2A\033[J");
	fclose(to);
	close(master);
}

/* What scrolled off the top could never be taken back. */
static void test_low_terminal(void **state)
{
	CLEANUP(buf_release) struct buf out = BUF_INIT;
	struct winsize size = {.ws_row = 4, .ws_col = 80};
	struct progress *progress;
	FILE *to;
	int master;

	(void)state;
	open_pty(80, &master, &to);
	unsetenv("LINES");
	assert_int_equal(tty_height(fileno(to)), 24);
	assert_int_equal(ioctl(master, TIOCSWINSZ, &size), 0);
	assert_int_equal(tty_height(fileno(to)), 4);
	progress = progress_new(to, true);
	progress_show(progress, "one\ntwo\nthree\nfour\nfive");
	drain(master, &out);
	assert_string_equal(out.data, "one\r\ntwo\r\nthree\r\n");
	buf_clear(&out);
	progress_free(progress);
	drain(master, &out);
	assert_string_equal(out.data, "\r\033[3A\033[J");
	setenv("LINES", "1", 1);
	assert_int_equal(tty_height(fileno(to)), 2);
	unsetenv("LINES");
	fclose(to);
	close(master);
}

static void test_rate_limit_keeps_the_last(void **state)
{
	CLEANUP(buf_release) struct buf out = BUF_INIT;
	struct progress *progress;
	int master, redraws = 0;
	int64_t start, elapsed;
	FILE *to;

	(void)state;
	open_pty(80, &master, &to);
	progress = progress_new(to, true);
	start = clock_mono_ns();
	for (int i = 0; i < 50; i++) {
		char text[32];

		snprintf(text, sizeof(text), "step %d.", i);
		progress_show(progress, text);
	}
	elapsed = clock_mono_ns() - start;
	usleep(120000);
	progress_tick(progress);
	drain(master, &out);
	for (const char *s = out.data; (s = strstr(s, "step ")); s++)
		redraws++;
	assert_in_range(redraws, 2, 3 + elapsed / (NS_PER_S / 10));
	assert_non_null(strstr(out.data, "step 49."));
	progress_free(progress);
	fclose(to);
	close(master);
}

static void test_pipe_gets_lines_only(void **state)
{
	char text[256] = "";
	FILE *to = tmpfile();
	struct progress *progress = progress_new(to, false);

	(void)state;
	progress_show(progress, "never seen");
	progress_tick(progress);
	progress_line(progress, "run %d ok", 1);
	progress_free(progress);
	rewind(to);
	assert_int_equal(fread(text, 1, sizeof(text) - 1, to), 9);
	assert_string_equal(text, "run 1 ok\n");
	fclose(to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_width_and_colour),
		cmocka_unit_test(test_live_block),
		cmocka_unit_test(test_low_terminal),
		cmocka_unit_test(test_rate_limit_keeps_the_last),
		cmocka_unit_test(test_pipe_gets_lines_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
