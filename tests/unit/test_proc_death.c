/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The death of assay, of the launcher and of its workers: nothing is left in any case. */
#include "config.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/proc_tree.h"
#include "core/base/rng.h"
#include "tests/unit/proc_fixture.h"

enum who {
	NOBODY,
	LAUNCHER,
	WORKER,
	BOTH,
	WORKER_STUCK
};

/* Pid of the launcher of process root, or of one of its workers; 0 = none. */
static pid_t find_below(pid_t root, enum who who)
{
	CLEANUP(tree_release) struct tree tree;
	pid_t launcher = 0, worker = 0;

	tree_read(root, &tree);
	for (size_t i = 0; i < tree.entries.n; i++)
		if (tree.entries.items[i].ppid == root &&
			tree.entries.items[i].session == tree.entries.items[i].pid)
			launcher = tree.entries.items[i].pid;
	for (size_t i = 0; i < tree.entries.n; i++)
		if (tree.entries.items[i].ppid == launcher)
			worker = tree.entries.items[i].pid;
	return who == WORKER ? worker : launcher;
}

/* kill -9 of one or both (or a worker that does nothing any more), without a moment in which the
 * one could notice the other's death. */
static void kill_below(pid_t root, enum who who)
{
	pid_t launcher = find_below(root, LAUNCHER), worker = find_below(root, WORKER);

	if ((who == BOTH || who == WORKER_STUCK) && worker > 0)
		kill(worker, SIGSTOP);
	if ((who == LAUNCHER || who == BOTH) && launcher > 0)
		kill(launcher, SIGKILL);
	if ((who == WORKER || who == BOTH) && worker > 0)
		kill(worker, SIGKILL);
}

static void launcher_killed(void **state)
{
	char marker[128];

	(void)state;
	make_marker(marker, sizeof(marker), "launcher");
	for (enum who who = LAUNCHER; who <= BOTH; who++) {
		struct fixture f;
		struct proc_spec spec;
		struct proc *proc;
		struct proc_result r;
		struct err err = {0};

		fixture_init(&f);
		spec = spec_of((const char *const[]){"/bin/sh", "-c",
			"\"$0\" leave deaf; \"$0\" tree 3 & exec \"$0\" hang deaf", f.hostile,
			NULL});
		spec.envp = (const char *const[]){marker, NULL};
		assert_int_equal(proc_begin(f.launcher, &spec, &proc, &err), 0);
		while (count_marked(marker) < 6)
			assert_int_equal(proc_step(f.launcher, 20 * NS_PER_MS, &err), 0);
		assert_true(find_below(getpid(), WORKER) > 0);
		kill_below(getpid(), who);
		while (!proc_done(proc))
			if (proc_step(f.launcher, -1, &err))
				assert_int_equal(err.code, E_SYSTEM);
		assert_int_equal(proc_finish(proc, &r, &err), -1);
		/* Of both, either death may be seen first. */
		assert_true(who == WORKER     ? err.code == E_RUN
			    : who == LAUNCHER ? err.code == E_SYSTEM
					      : err.code == E_RUN || err.code == E_SYSTEM);
		assert_int_equal(marked_left(marker), 0);
		if (who == WORKER) { /* the launcher makes another */
			spec = spec_of(HOSTILE(&f, "exit", "3"));
			r = run_spec(&f, &spec);
			assert_int_equal(r.code, 3);
			proc_result_release(&r);
		} else {
			assert_int_equal(proc_run(f.launcher, &spec, NULL, &r, &err), -1);
			assert_int_equal(err.code, E_SYSTEM);
		}
		launcher_stop(f.launcher);
	}
}

/* A worker killed while it was idle is replaced and nobody notices. */
static void idle_worker_killed(void **state)
{
	struct fixture f;
	struct proc_spec spec;
	struct proc_result r;
	pid_t pid;

	(void)state;
	fixture_init(&f);
	spec = spec_of(HOSTILE(&f, "exit", "3"));
	r = run_spec(&f, &spec);
	proc_result_release(&r);
	pid = find_below(getpid(), WORKER);
	assert_true(pid > 0);
	assert_int_equal(kill(pid, SIGKILL), 0);
	while (find_below(getpid(), WORKER) == pid)
		sleep_ms(5);
	r = run_spec(&f, &spec);
	assert_int_equal(r.code, 3);
	proc_result_release(&r);
	launcher_stop(f.launcher);
}

static void stop_ends_what_runs(void **state)
{
	struct fixture f;
	char marker[128];
	struct proc_spec spec;
	struct proc *proc;
	struct proc_result r;
	struct err err = {0};

	(void)state;
	make_marker(marker, sizeof(marker), "stop");
	fixture_init(&f);
	spec = spec_of(HOSTILE(&f, "tree", "2"));
	spec.envp = (const char *const[]){marker, NULL};
	assert_int_equal(proc_begin(f.launcher, &spec, &proc, &err), 0);
	while (count_marked(marker) < 3)
		assert_int_equal(proc_step(f.launcher, 20 * NS_PER_MS, &err), 0);
	launcher_stop(f.launcher);
	assert_int_equal(count_marked(marker), 0);
	assert_true(proc_done(proc));
	assert_int_equal(proc_finish(proc, &r, &err), -1);
	assert_int_equal(err.code, E_SYSTEM);
	launcher_stop(NULL);
}

static void work_for_ever(const char *hostile, const char *marker)
{
	static const char *const ways[][4] = {
		{"leave", "deaf"}, {"tree", "3"}, {"exit", "0"}, {"flood", "1"}, {"hang", "deaf"}};
	struct launcher *launcher;
	struct err err;

	if (launcher_start(&launcher, &err))
		_exit(1);
	for (unsigned int i = 0;; i++) {
		struct proc *procs[2];
		struct proc_result r;

		for (unsigned int j = 0; j < 2; j++) {
			const char *const *way = ways[(i + 2 * j) % ARRAY_SIZE(ways)];
			const char *const argv[] = {hostile, way[0], way[1], NULL};
			const char *const envp[] = {marker, NULL};
			struct proc_spec spec = {.argv = argv,
				.envp = envp,
				.timeout_ns = 20 * NS_PER_MS,
				.grace_ns = 10 * NS_PER_MS};

			if (proc_begin(launcher, &spec, &procs[j], &err))
				_exit(1);
		}
		while (!proc_done(procs[0]) || !proc_done(procs[1]))
			if (proc_step(launcher, -1, &err))
				_exit(1);
		for (int j = 0; j < 2; j++)
			if (proc_finish(procs[j], &r, &err) == 0)
				proc_result_release(&r);
	}
}

/* kill -9 of the process that uses the library, at 20 random moments; now and then of its launcher
 * or a worker with it. */
static void assay_killed(void **state)
{
	struct fixture f;
	char marker[128];
	struct rng rng;
	int seen = 0;

	(void)state;
	fixture_init(&f); /* for the name of the program */
	make_marker(marker, sizeof(marker), "killed");
	rng = rng_seeded(1);
	for (int i = 0; i < 20; i++) {
		static const enum who with[] = {NOBODY, LAUNCHER, WORKER, WORKER_STUCK};
		pid_t pid = fork();
		int status;

		if (pid == 0)
			work_for_ever(f.hostile, marker);
		assert_true(pid > 0);
		sleep_ms(5 + (int)rng_below(&rng, 150));
		seen += count_marked(marker) > 0;
		kill(pid, SIGSTOP); /* it must not see its launcher die */
		kill_below(pid, with[i % 4]);
		assert_int_equal(kill(pid, SIGKILL), 0);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status)); /* it had not given up before */
		assert_int_equal(marked_left(marker), 0);
	}
	assert_true(seen > 5); /* there was something to end */
	launcher_stop(f.launcher);
}

/* With all of us gone at once there is nobody to look for daemons; the children end all the same.
 */
static void all_of_us_killed(void **state)
{
	struct fixture f;
	char marker[128];
	pid_t pid;

	(void)state;
	make_marker(marker, sizeof(marker), "all");
	pid = fork();
	if (pid == 0) {
		struct proc_result r;
		struct proc_spec spec;
		struct err err;

		fixture_init(&f);
		spec = spec_of(HOSTILE(&f, "hang", "deaf"));
		spec.envp = (const char *const[]){marker, NULL};
		_exit(proc_run(f.launcher, &spec, NULL, &r, &err) ? 1 : 0);
	}
	while (!count_marked(marker))
		sleep_ms(5);
	kill(pid, SIGSTOP);
	kill_below(pid, BOTH);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(marked_left(marker), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(launcher_killed),
		cmocka_unit_test(idle_worker_killed),
		cmocka_unit_test(stop_ends_what_runs),
		cmocka_unit_test(assay_killed),
		cmocka_unit_test(all_of_us_killed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
