/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How programs end: time-outs, cancelling, what they leave behind. */
#include "config.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/sig.h"
#include "tests/unit/proc_fixture.h"

static void timeout_polite(void **state)
{
	struct fixture *f = *state;
	struct proc_spec spec = spec_of(HOSTILE(f, "polite"));
	struct proc_result r;

	spec.timeout_ns = 300 * NS_PER_MS;
	r = run_spec(f, &spec);
	assert_int_equal(r.end, PROC_TIMEOUT);
	assert_int_equal(r.code, 7);
	assert_int_equal(r.signal, 0);
	assert_true(r.wall_ns >= 290 * NS_PER_MS && r.wall_ns < 1900 * NS_PER_MS);
	assert_stdout(&r, "ready\n"); /* what it said before is kept */
	proc_result_release(&r);
}

static void timeout_deaf(void **state)
{
	struct fixture *f = *state;
	struct proc_spec spec = spec_of(HOSTILE(f, "hang", "deaf"));
	struct proc_result r;

	spec.timeout_ns = 100 * NS_PER_MS;
	spec.grace_ns = 200 * NS_PER_MS;
	r = run_spec(f, &spec);
	assert_int_equal(r.end, PROC_TIMEOUT);
	assert_int_equal(r.code, -1);
	assert_int_equal(r.signal, SIGKILL);
	assert_true(r.wall_ns >= 290 * NS_PER_MS);
	proc_result_release(&r);

	/* a stopped program has to be woken to act on SIGTERM */
	spec.argv = (const char *const[]){
		"/bin/sh", "-c", "trap 'exit 5' TERM; kill -STOP $$; sleep 9", NULL};
	spec.timeout_ns = 300 * NS_PER_MS;
	spec.grace_ns = 5 * NS_PER_S;
	r = run_spec(f, &spec);
	assert_int_equal(r.end, PROC_TIMEOUT);
	assert_int_equal(r.code, 5);
	proc_result_release(&r);
}

static void timeout_not_reached(void **state)
{
	struct fixture *f = *state;
	struct proc_spec spec = spec_of(HOSTILE(f, "sleep", "0.05"));
	struct proc_result r;

	spec.timeout_ns = 20 * NS_PER_S;
	r = run_spec(f, &spec);
	assert_int_equal(r.end, PROC_EXITED);
	assert_int_equal(r.code, 0);
	proc_result_release(&r);
}

static void flood_until_timeout(void **state)
{
	struct fixture *f = *state;
	struct proc_spec spec = {.argv = HOSTILE(f, "flood", "100000"), .keep = 1000};
	struct proc_result r;

	spec.timeout_ns = 200 * NS_PER_MS;
	r = run_spec(f, &spec);
	assert_int_equal(r.end, PROC_TIMEOUT);
	assert_int_equal(r.signal, SIGTERM);
	assert_true(r.streams[0].bytes > 100000);
	assert_int_equal(r.streams[0].head.len, 500);
	assert_int_equal(r.streams[0].tail.len, 500);
	proc_result_release(&r);
}

static void cancel(void **state)
{
	struct fixture *f = *state;
	struct proc_spec spec = spec_of(HOSTILE(f, "hang"));
	struct proc_result r;
	struct proc *a, *b;
	struct err err = {0};

	assert_int_equal(proc_begin(f->launcher, &spec, &a, &err), 0);
	spec.argv = HOSTILE(f, "exit", "4");
	assert_int_equal(proc_begin(f->launcher, &spec, &b, &err), 0);
	while (!proc_done(b))
		assert_int_equal(proc_step(f->launcher, -1, &err), 0);
	assert_false(proc_done(a));
	proc_cancel(a);
	proc_cancel(a);
	while (!proc_done(a))
		assert_int_equal(proc_step(f->launcher, -1, &err), 0);
	assert_int_equal(proc_finish(a, &r, &err), 0);
	assert_int_equal(r.end, PROC_CANCELLED);
	assert_int_equal(r.signal, SIGTERM);
	proc_result_release(&r);
	assert_int_equal(proc_finish(b, &r, &err), 0);
	assert_int_equal(r.end, PROC_EXITED);
	assert_int_equal(r.code, 4);
	proc_result_release(&r);
}

static int never(void *ctx, pid_t pid, struct err *err)
{
	(void)pid;
	(void)err;
	*(bool *)ctx = true;
	return 0;
}

static void cancel_before_it_began(void **state)
{
	struct fixture *f = *state;
	bool called = false;
	struct proc_spec spec = spec_of(HOSTILE(f, "hang"));
	struct proc_result r;
	struct proc *proc;
	struct err err = {0};

	spec.hooks = (struct proc_hooks){.ctx = &called, .on_ready = never};
	assert_int_equal(proc_begin(f->launcher, &spec, &proc, &err), 0);
	proc_cancel(proc);
	while (!proc_done(proc))
		assert_int_equal(proc_step(f->launcher, -1, &err), 0);
	assert_int_equal(proc_finish(proc, &r, &err), 0);
	assert_int_equal(r.end, PROC_CANCELLED);
	assert_false(called);
	proc_result_release(&r);
}

/* SIGINT to us, from outside, while we wait in proc_run. */
static void interrupted(void **state)
{
	struct fixture *f = *state;
	struct proc_spec spec = spec_of(HOSTILE(f, "hang"));
	struct proc_result r;
	struct err err = {0};
	CLEANUP(buf_release) struct buf out = BUF_INIT;

	for (int i = 0; i < 2; i++) {
		pid_t us = getpid(), killer;

		sig_received = 0;
		sig_install();
		killer = fork();
		if (killer == 0) {
			sleep_ms(50);
			kill(us, SIGINT);
			_exit(0);
		}
		if (i == 0) {
			assert_int_equal(proc_run(f->launcher, &spec, &sig_received, &r, &err), 0);
			assert_int_equal(r.end, PROC_CANCELLED);
			assert_int_equal(r.signal, SIGTERM);
			proc_result_release(&r);
		} else {
			assert_int_equal(proc_capture(f->launcher, spec.argv, NULL, NULL, 0, 10,
						 &out, NULL, NULL, &err),
				-1);
			assert_int_equal(err.code, E_SIGNAL);
			assert_int_equal(err.sys, SIGINT);
		}
		assert_int_equal(sig_received, SIGINT);
		assert_int_equal(waitpid(killer, NULL, 0), killer);
	}
	sig_received = 0;
	signal(SIGINT, SIG_DFL);
}

/* The second signal of a kind gets its default action; what was ignored stays so. */
static void signal_flag(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	if (pid == 0) {
		signal(SIGHUP, SIG_IGN);
		sig_install();
		raise(SIGHUP);
		if (sig_received != 0)
			_exit(1);
		raise(SIGTERM);
		if (sig_received != SIGTERM)
			_exit(2);
		raise(SIGINT);
		if (sig_received != SIGINT)
			_exit(3);
		if (raise(SIGPIPE))
			_exit(4);
		raise(SIGTERM);
		_exit(5);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
}

struct ticks {
	int n;
	int64_t last_ns;
};

static void count_tick(void *ctx, int64_t elapsed_ns)
{
	struct ticks *ticks = ctx;

	ticks->n++;
	ticks->last_ns = elapsed_ns;
}

static void ticking(void **state)
{
	struct fixture *f = *state;
	struct ticks ticks = {0};
	struct proc_spec spec = spec_of(HOSTILE(f, "sleep", "0.55"));
	struct proc_result r;

	spec.hooks = (struct proc_hooks){.ctx = &ticks, .on_tick = count_tick};
	r = run_spec(f, &spec);
	assert_true(ticks.n >= 1 && ticks.n <= 6);
	assert_true(ticks.last_ns >= 100 * NS_PER_MS);
	proc_result_release(&r);
}

static void left_behind(void **state)
{
	struct fixture *f = *state;
	char marker[128];
	struct proc_spec spec;
	struct proc_result r;
	int64_t begin, took;

	make_marker(marker, sizeof(marker), "left");
	spec = spec_of(HOSTILE(f, "leave"));
	spec.envp = (const char *const[]){marker, NULL};
	begin = clock_mono_ns();
	r = run_spec(f, &spec);
	took = clock_mono_ns() - begin;
	assert_int_equal(r.code, 0);
	assert_int_equal(r.orphans, 1);
	assert_int_equal(strncmp(r.streams[0].head.data, "daemon ", 7), 0);
	assert_int_equal(count_marked(marker), 0);
	/* the wait for the daemon's end is in none of the child's figures */
	assert_true(r.wall_ns < took - 40 * NS_PER_MS);
	proc_result_release(&r);

	spec.argv = HOSTILE(f, "leave", "deaf");
	r = run_spec(f, &spec);
	assert_int_equal(r.orphans, 1);
	assert_int_equal(count_marked(marker), 0);
	proc_result_release(&r);

	/* one that ends by itself at once says its last words and is not counted */
	spec.argv = HOSTILE(f, "leave", "short");
	r = run_spec(f, &spec);
	assert_int_equal(r.orphans, 0);
	assert_contains(r.streams[0].head.data, "last words\n");
	proc_result_release(&r);

	spec.argv = HOSTILE(f, "leave", "burning");
	r = run_spec(f, &spec);
	assert_int_equal(r.orphans, 1);
	assert_true(r.orphan_usage.ru_utime.tv_usec + r.orphan_usage.ru_stime.tv_usec >= 40000 ||
		    r.orphan_usage.ru_utime.tv_sec);
	assert_true(r.usage.ru_utime.tv_sec == 0 && r.usage.ru_utime.tv_usec < 40000);
	assert_int_equal(count_marked(marker), 0);
	proc_result_release(&r);
}

/* Two at a time: each is told of its own daemon only. */
static void left_behind_by_one_of_two(void **state)
{
	struct fixture *f = *state;
	struct proc_spec spec = spec_of(HOSTILE(f, "leave"));
	struct proc *a, *b;
	struct proc_result r;
	struct err err = {0};

	assert_int_equal(proc_begin(f->launcher, &spec, &a, &err), 0);
	spec.argv = HOSTILE(f, "sleep", "0.5");
	assert_int_equal(proc_begin(f->launcher, &spec, &b, &err), 0);
	while (!proc_done(a) || !proc_done(b))
		assert_int_equal(proc_step(f->launcher, -1, &err), 0);
	assert_int_equal(proc_finish(a, &r, &err), 0);
	assert_int_equal(r.orphans, 1);
	proc_result_release(&r);
	assert_int_equal(proc_finish(b, &r, &err), 0);
	assert_int_equal(r.orphans, 0);
	assert_int_equal(r.code, 0);
	proc_result_release(&r);
}

static void whole_tree_times_out(void **state)
{
	struct fixture *f = *state;
	char marker[128];
	struct proc_spec spec = spec_of(HOSTILE(f, "tree", "4"));
	struct proc_result r;

	make_marker(marker, sizeof(marker), "tree");
	spec.envp = (const char *const[]){marker, NULL};
	spec.timeout_ns = 400 * NS_PER_MS;
	spec.grace_ns = 100 * NS_PER_MS;
	r = run_spec(f, &spec);
	assert_int_equal(r.end, PROC_TIMEOUT);
	assert_int_equal(r.signal, SIGKILL);
	assert_stdout(&r, "up\nup\nup\nup\nup\n");
	assert_int_equal(count_marked(marker), 0);
	proc_result_release(&r);
}

int main(void)
{
	struct fixture f;
	int failed;

	fixture_init(&f);
	{
		const struct CMUnitTest tests[] = {
			cmocka_unit_test_prestate(timeout_polite, &f),
			cmocka_unit_test_prestate(timeout_deaf, &f),
			cmocka_unit_test_prestate(timeout_not_reached, &f),
			cmocka_unit_test_prestate(flood_until_timeout, &f),
			cmocka_unit_test_prestate(cancel, &f),
			cmocka_unit_test_prestate(cancel_before_it_began, &f),
			cmocka_unit_test_prestate(interrupted, &f),
			cmocka_unit_test_prestate(signal_flag, &f),
			cmocka_unit_test_prestate(ticking, &f),
			cmocka_unit_test_prestate(left_behind, &f),
			cmocka_unit_test_prestate(left_behind_by_one_of_two, &f),
			cmocka_unit_test_prestate(whole_tree_times_out, &f),
		};

		failed = cmocka_run_group_tests(tests, NULL, NULL);
	}
	launcher_stop(f.launcher);
	return failed != 0;
}
