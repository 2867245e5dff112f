/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/fs.h"
#include "core/base/sig.h"
#include "tests/unit/scratch.h"

#include <cmocka.h>

struct fixture {
	char *root, *path;
	int pipe[2];
	pid_t holder;
	struct err err;
};

static int setup(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));

	f->root = scratch_new();
	f->path = path_join(f->root, "lock");
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	scratch_free(f->root);
	free(f->path);
	free(f);
	return 0;
}

/* A process that holds the lock for so long, or until it is killed. */
static void start_holder(struct fixture *f, useconds_t us)
{
	char c;

	assert_int_equal(pipe(f->pipe), 0);
	f->holder = fork();
	if (!f->holder) {
		struct fs_lock lock = FS_LOCK_INIT;

		if (fs_lock_take(&lock, f->path, 0, NULL, NULL, &f->err))
			_exit(1);
		(void)!write(f->pipe[1], "x", 1);
		usleep(us);
		_exit(0);
	}
	assert_int_equal(read(f->pipe[0], &c, 1), 1);
	close(f->pipe[0]);
	close(f->pipe[1]);
}

static void waited(void *ctx, const char *holder)
{
	char **to = ctx;

	assert_null(*to); /* once only */
	*to = xstrdup(holder);
}

static void held_and_released(void **state)
{
	struct fixture *f = *state;
	struct fs_lock a = FS_LOCK_INIT, b = FS_LOCK_INIT;
	char text[256], *self = xasprintf("pid %ld (test_fs_lock", (long)getpid());

	fs_lock_release(&a); /* not held: nothing happens */
	assert_int_equal(fs_lock_take(&a, f->path, 0, NULL, NULL, &f->err), 0);
	assert_int_equal(fs_read_small(f->path, text, sizeof(text)), 0);
	assert_memory_equal(text, self, strlen(self));
	/* Also inside one process: two sessions of a library user are two holders. */
	assert_int_equal(fs_lock_take(&b, f->path, 0, NULL, NULL, &f->err), -1);
	assert_int_equal(f->err.code, E_STORE);
	assert_non_null(strstr(f->err.text, self));
	assert_int_equal(b.fd, -1);
	fs_lock_release(&a);
	assert_int_equal(a.fd, -1);
	assert_int_equal(fs_lock_take(&b, f->path, 0, NULL, NULL, &f->err), 0);
	fs_lock_release(&b);
	free(self);
}

static void waits_for_the_end(void **state)
{
	struct fixture *f = *state;
	struct fs_lock lock = FS_LOCK_INIT;
	char *holder = NULL, *expected;

	start_holder(f, 200000);
	assert_int_equal(fs_lock_take(&lock, f->path, -1, waited, &holder, &f->err), 0);
	expected = xasprintf("pid %ld (", (long)f->holder);
	assert_memory_equal(holder, expected, strlen(expected));
	fs_lock_release(&lock);
	waitpid(f->holder, NULL, 0);
	free(holder);
	free(expected);
}

static void gives_up(void **state)
{
	struct fixture *f = *state;
	struct fs_lock lock = FS_LOCK_INIT;
	int64_t start = clock_mono_ns();

	start_holder(f, 10000000);
	assert_int_equal(fs_lock_take(&lock, f->path, 100 * NS_PER_MS, NULL, NULL, &f->err), -1);
	assert_int_equal(f->err.code, E_STORE);
	assert_true(clock_mono_ns() - start >= 100 * NS_PER_MS);
	/* Killed: the lock ends, though the text is still there. */
	kill(f->holder, SIGKILL);
	waitpid(f->holder, NULL, 0);
	assert_int_equal(fs_lock_take(&lock, f->path, 0, NULL, NULL, &f->err), 0);
	fs_lock_release(&lock);
}

static void on_alarm(int sig)
{
	sig_received = sig;
}

static void interrupted(void **state)
{
	struct fixture *f = *state;
	struct fs_lock lock = FS_LOCK_INIT;
	const struct itimerval soon = {{0, 50000}, {0, 50000}}, never = {{0, 0}, {0, 0}};
	int rc;

	start_holder(f, 10000000);
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &soon, NULL);
	rc = fs_lock_take(&lock, f->path, -1, NULL, NULL, &f->err);
	setitimer(ITIMER_REAL, &never, NULL);
	assert_int_equal(rc, -1);
	assert_int_equal(f->err.code, E_SIGNAL);
	assert_int_equal(err_exit_status(&f->err), 128 + SIGALRM);
	sig_received = 0;
	assert_non_null(strstr(f->err.text, "interrupted while waiting"));
	kill(f->holder, SIGKILL);
	waitpid(f->holder, NULL, 0);
}

static void no_folder(void **state)
{
	struct fixture *f = *state;
	struct fs_lock lock = FS_LOCK_INIT;

	assert_int_equal(fs_lock_take(&lock, "/no/such/lock", 0, NULL, NULL, &f->err), -1);
	assert_int_equal(f->err.code, E_MISSING);
	assert_int_equal(fs_lock_take(&lock, f->root, 0, NULL, NULL, &f->err), -1);
	assert_non_null(strstr(f->err.text, "cannot open lock file"));
	assert_int_equal(lock.fd, -1);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(held_and_released),
		TEST(waits_for_the_end),
		TEST(gives_up),
		TEST(interrupted),
		TEST(no_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
