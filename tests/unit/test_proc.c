/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starting programs and what they get. What they print: test_proc_streams.c, how they end:
 * test_proc_end.c, test_proc_death.c. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/sig.h"
#include "tests/unit/proc_fixture.h"

static void exit_status(void **state)
{
	struct fixture *f = *state;
	static const int codes[] = {0, 1, 127, 255};

	for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
		char code[16];
		struct proc_result r;

		snprintf(code, sizeof(code), "%d", codes[i]);
		r = run_spec(f, &(struct proc_spec){.argv = HOSTILE(f, "exit", code)});
		assert_int_equal(r.end, PROC_EXITED);
		assert_int_equal(r.code, codes[i]);
		assert_int_equal(r.signal, 0);
		assert_int_equal(r.orphans, 0);
		assert_true(r.wall_ns > 0 && r.wall_ns < 10 * NS_PER_S);
		assert_int_equal(r.wall_ns, r.stop.mono_ns - r.start.mono_ns);
		assert_true(r.pid > 0);
		proc_result_release(&r);
	}
}

static void crash(void **state)
{
	struct fixture *f = *state;
	struct proc_spec spec = spec_of(HOSTILE(f, "crash"));
	struct proc_result r = run_spec(f, &spec);

	assert_int_equal(r.end, PROC_SIGNALED);
	assert_int_equal(r.signal, SIGSEGV);
	assert_int_equal(r.code, -1);
	assert_string_equal(r.streams[PROC_STDERR].head.data, "about to crash\n");
	proc_result_release(&r);
}

static void cannot_start(void **state)
{
	struct fixture *f = *state;
	struct scratch s;
	char path[4300];
	struct err err;
	struct proc_spec spec;

	scratch_init(&s);
	spec = spec_of((const char *const[]){"no-such-program", NULL});
	spec.envp = (const char *const[]){"PATH=/usr/bin::/nowhere", NULL};
	refuse_spec(f, &spec, &err);
	assert_int_equal(err.code, E_MISSING);
	assert_int_equal(err.sys, ENOENT);
	assert_contains(err.text, "no-such-program");
	assert_contains(err.text, "PATH=/usr/bin::/nowhere");

	spec = spec_of((const char *const[]){"/nowhere/at-all", NULL});
	refuse_spec(f, &spec, &err);
	assert_int_equal(err.code, E_MISSING);
	assert_int_equal(err.sys, ENOENT);

	scratch_write(&s, "plain", "#!/bin/sh\n");
	snprintf(path, sizeof(path), "%s/plain", s.dir);
	spec = spec_of((const char *const[]){path, NULL});
	refuse_spec(f, &spec, &err);
	assert_int_equal(err.code, E_MISSING);
	assert_int_equal(err.sys, EACCES);
	spec.argv = (const char *const[]){s.dir, NULL}; /* a folder is no program */
	refuse_spec(f, &spec, &err);
	assert_int_equal(err.sys, EACCES);

	scratch_write(&s, "text", "no first line\n");
	snprintf(path, sizeof(path), "%s/text", s.dir);
	assert_int_equal(chmod(path, 0755), 0);
	spec.argv = (const char *const[]){path, NULL};
	refuse_spec(f, &spec, &err);
	assert_int_equal(err.code, E_MISSING);
	assert_int_equal(err.sys, ENOEXEC);

	scratch_write(&s, "script", "#!/nowhere/interpreter\n");
	snprintf(path, sizeof(path), "%s/script", s.dir);
	assert_int_equal(chmod(path, 0755), 0);
	refuse_spec(f, &spec, &err);
	assert_int_equal(err.code, E_MISSING);
	assert_contains(err.text, "interpreter");

	spec = spec_of(HOSTILE(f, "exit", "0"));
	spec.cwd = "/nowhere";
	refuse_spec(f, &spec, &err);
	assert_int_equal(err.code, E_MISSING);
	assert_contains(err.text, "/nowhere");
	spec.cwd = NULL;

	spec.stdin_path = "/nowhere/input";
	refuse_spec(f, &spec, &err);
	assert_int_equal(err.code, E_MISSING);
	spec.stdin_path = NULL;

	spec.limits = &(struct proc_limit){.resource = 999, .value = 1};
	spec.n_limits = 1;
	refuse_spec(f, &spec, &err);
	assert_int_equal(err.code, E_MISSING);
	assert_int_equal(err.sys, EINVAL);
	scratch_release(&s);
}

static void arguments_and_folder(void **state)
{
	struct fixture *f = *state;
	struct scratch s;
	struct proc_spec spec = spec_of(HOSTILE(f, "args", "a b", "", "Video title.webm", "'\"$x"));
	struct proc_result r = run_spec(f, &spec);
	char want[4300];

	assert_stdout(&r, "[a b]\n[]\n[Video title.webm]\n['\"$x]\n");
	proc_result_release(&r);

	scratch_init(&s);
	spec = spec_of(HOSTILE(f, "cwd"));
	spec.cwd = s.dir;
	r = run_spec(f, &spec);
	snprintf(want, sizeof(want), "%s\n", s.dir);
	assert_stdout(&r, want);
	proc_result_release(&r);
	scratch_release(&s);
}

static void environment(void **state)
{
	struct fixture *f = *state;
	struct proc_spec spec = spec_of(HOSTILE(f, "env"));
	struct proc_result r;
	char *big[4], want[32];
	size_t total = 0;

	spec.envp = (const char *const[]){"B=2 with blank", "A=1", "EMPTY=", NULL};
	r = run_spec(f, &spec);
	assert_stdout(&r, "B=2 with blank\nA=1\nEMPTY=\n");
	proc_result_release(&r);

	spec.envp = (const char *const[]){NULL};
	r = run_spec(f, &spec);
	assert_stdout(&r, "");
	proc_result_release(&r);

	setenv("ASSAY_TEST_OWN", "yes", 1); /* set after the launcher was started */
	spec.envp = NULL;
	r = run_spec(f, &spec);
	assert_contains(r.streams[PROC_STDOUT].head.data, "ASSAY_TEST_OWN=yes\n");
	proc_result_release(&r);

	/* 300 KB do not fit into a packet */
	for (int i = 0; i < 3; i++) {
		big[i] = xmalloc(100001);
		memset(big[i], 'x', 100000);
		memcpy(big[i], "BIG=", 4);
		big[i][100000] = '\0';
		total += 100001;
	}
	big[3] = NULL;
	spec = spec_of(HOSTILE(f, "env-size"));
	spec.envp = (const char *const *)big;
	r = run_spec(f, &spec);
	snprintf(want, sizeof(want), "%zu\n", total);
	assert_stdout(&r, want);
	proc_result_release(&r);
	for (int i = 0; i < 3; i++)
		free(big[i]);
}

static void path_lookup(void **state)
{
	struct fixture *f = *state;
	struct scratch s;
	char path[4300], env[4300];
	struct proc_spec spec = spec_of((const char *const[]){"tool", NULL});
	struct proc_result r;

	scratch_init(&s);
	scratch_mkdir(&s, "a");
	scratch_mkdir(&s, "b");
	scratch_write(&s, "a/tool", "#!/bin/sh\necho not executable\n");
	scratch_write(&s, "b/tool", "#!/bin/sh\necho found\n");
	snprintf(path, sizeof(path), "%s/b/tool", s.dir);
	assert_int_equal(chmod(path, 0755), 0);
	snprintf(env, sizeof(env), "PATH=%s/none:%s/a:%s/b", s.dir, s.dir, s.dir);
	spec.envp = (const char *const[]){env, NULL};
	r = run_spec(f, &spec);
	assert_stdout(&r, "found\n");
	proc_result_release(&r);
	/* an empty part of PATH is the child's folder */
	snprintf(path, sizeof(path), "%s/b", s.dir);
	spec.cwd = path;
	spec.envp = (const char *const[]){"PATH=/nowhere:", NULL};
	r = run_spec(f, &spec);
	assert_stdout(&r, "found\n");
	proc_result_release(&r);
	scratch_release(&s);
}

static void inherited_state(void **state)
{
	struct fixture *f = *state;
	struct proc_limit limit = {.resource = RLIMIT_NOFILE, .value = 77};
	struct proc_spec spec = spec_of(HOSTILE(f, "state"));
	cpu_set_t one;
	struct proc_result r;
	const char *text;
	char cpu[32];
	int later = open("/dev/null", O_RDONLY); /* no O_CLOEXEC */
	struct err err;

	assert_int_equal(proc_cpus_parse("0", &one, &err), 0);
	spec.cpus = &one;
	spec.limits = &limit;
	spec.n_limits = 1;
	r = run_spec(f, &spec);
	text = r.streams[0].head.data;
	assert_contains(text, "nofile 77 77\n");
	assert_contains(text, "signals blocked 0 changed 0\n");
	assert_contains(text, "cpus 0\n");
	assert_contains(text, "fds 0 1 2\n");
	assert_contains(text, "group own\n");
	/* out of reach of the terminal's signals */
	snprintf(cpu, sizeof(cpu), "session %d\n", getsid(0));
	assert_null(strstr(text, cpu));
	proc_result_release(&r);
	close(later);
}

static void cpu_sets(void **state)
{
	cpu_set_t allowed, set;
	struct err err = {0};
	static const char *const bad[] = {"", "x", "0-", "1-0", "0,", "0 1", "-1", "core:", ":0",
		"core:x", "averyveryverylongkind:0", "99999999999999999999"};

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		memset(&err, 0, sizeof(err));
		assert_int_equal(proc_cpus_parse(bad[i], &set, &err), -1);
		assert_int_equal(err.code, E_CONFIG);
		assert_true(err.help[0]);
	}
	assert_int_equal(proc_cpus_parse("65000", &set, &err), -1);
	assert_int_equal(err.code, E_MISSING);
	if (CPU_ISSET(0, &allowed)) {
		assert_int_equal(proc_cpus_parse(" 0 , 0-0", &set, &err), 0);
		assert_int_equal(CPU_COUNT(&set), 1);
		assert_true(CPU_ISSET(0, &set));
	}
#ifdef HAVE_HWLOC
	assert_int_equal(proc_cpus_parse("core:0", &set, &err), 0);
	assert_true(CPU_COUNT(&set) >= 1);
	assert_int_equal(proc_cpus_parse("package:0", &set, &err), 0);
	assert_true(CPU_COUNT(&set) >= 1);
	assert_int_equal(proc_cpus_parse("pu:0,0", &set, &err), 0);
	assert_int_equal(CPU_COUNT(&set), 1);
	assert_int_equal(proc_cpus_parse("core:60000", &set, &err), -1);
	assert_int_equal(err.code, E_MISSING);
	assert_int_equal(proc_cpus_parse("galaxy:0", &set, &err), -1);
	assert_int_equal(err.code, E_CONFIG);
#else
	assert_int_equal(proc_cpus_parse("core:0", &set, &err), -1);
	assert_int_equal(err.code, E_MISSING);
#endif
}

struct ready {
	pid_t pid;
	bool same_exe, refuse;
	struct stat own, other;
};

static int look(void *ctx, pid_t pid, struct err *err)
{
	struct ready *ready = ctx;
	char path[64];

	ready->pid = pid;
	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	ready->same_exe = stat("/proc/self/exe", &ready->own) == 0 &&
			  stat(path, &ready->other) == 0 &&
			  ready->own.st_ino == ready->other.st_ino;
	return ready->refuse ? err_set(err, E_UNDECIDED, "not now") : 0;
}

static void stopped_before_exec(void **state)
{
	struct fixture *f = *state;
	struct scratch s;
	char path[4300];
	struct ready ready = {0};
	struct proc_spec spec;
	struct proc_result r;
	struct err err;

	scratch_init(&s);
	snprintf(path, sizeof(path), "%s/made", s.dir);
	spec = spec_of(HOSTILE(f, "touch", path));
	spec.hooks = (struct proc_hooks){.ctx = &ready, .on_ready = look};
	ready.refuse = true;
	refuse_spec(f, &spec, &err);
	assert_int_equal(err.code, E_UNDECIDED);
	assert_true(ready.same_exe); /* it has not called execve */
	assert_int_equal(access(path, F_OK), -1);

	ready.refuse = false;
	r = run_spec(f, &spec);
	assert_int_equal(r.code, 0);
	assert_int_equal(r.pid, ready.pid);
	assert_int_equal(access(path, F_OK), 0);
	proc_result_release(&r);

	/* what cannot start is an error with the hook as well, before it is called */
	ready.pid = 0;
	spec.argv = (const char *const[]){"/nowhere/at-all", NULL};
	refuse_spec(f, &spec, &err);
	assert_int_equal(err.code, E_MISSING);
	assert_int_equal(ready.pid, 0);
	scratch_release(&s);
}

static void many_at_once(void **state)
{
	struct fixture *f = *state;
	struct proc *procs[12];
	struct err err = {0};
	int64_t begin = clock_mono_ns();

	for (int i = 0; i < 12; i++) {
		char code[16];
		const char *const script[] = {"/bin/sh", "-c", "sleep 0.3; exit $0", code, NULL};
		struct proc_spec spec = {.argv = i % 2 ? script : HOSTILE(f, "exit", code)};

		snprintf(code, sizeof(code), "%d", i);
		assert_int_equal(proc_begin(f->launcher, &spec, &procs[i], &err), 0);
	}
	for (bool all = false; !all;) {
		assert_int_equal(proc_step(f->launcher, -1, &err), 0);
		all = true;
		for (int i = 0; i < 12; i++)
			all = all && proc_done(procs[i]);
	}
	assert_true(clock_mono_ns() - begin < 1700 * NS_PER_MS); /* not one after the other */
	for (int i = 0; i < 12; i++) {
		struct proc_result r;

		assert_int_equal(proc_finish(procs[i], &r, &err), 0);
		assert_int_equal(r.code, i);
		proc_result_release(&r);
	}
	assert_int_equal(proc_step(f->launcher, -1, &err), 0); /* nothing to wait for */
}

static void usage_is_the_childs(void **state)
{
	struct fixture *f = *state;
	size_t size = (size_t)300 << 20;
	struct proc_spec spec = spec_of(HOSTILE(f, "burn", "0.1"));
	struct proc_result r = run_spec(f, &spec);
	char *grown;

	assert_true(r.usage.ru_utime.tv_sec * 1000000 + r.usage.ru_utime.tv_usec +
			    r.usage.ru_stime.tv_sec * 1000000 + r.usage.ru_stime.tv_usec >=
		    90000);
	assert_true(r.wall_ns >= 90 * NS_PER_MS);
	proc_result_release(&r);

	grown = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(grown != MAP_FAILED);
	memset(grown, 1, size);
	spec.argv = (const char *const[]){"/bin/true", NULL};
	r = run_spec(f, &spec);
#ifndef __SANITIZE_ADDRESS__
	assert_true(r.usage.ru_maxrss < 20 << 10); /* KiB */
#endif
	assert_true(r.usage.ru_maxrss > 0);
	proc_result_release(&r);
	munmap(grown, size);
}

static void binds(void **state)
{
	struct fixture *f = *state;
	struct scratch s;
	char from[4300], at[4300], file[4400], why[256] = "";
	struct proc_bind bind = {from, at};
	struct proc_spec spec = spec_of(HOSTILE(f, "cat", file));
	struct proc_result r;
	struct err err;

	if (!proc_can_bind(f->launcher, why, sizeof(why))) {
		assert_true(why[0]);
		print_message("no bind mounts here: %s\n", why);
		skip();
	}
	scratch_init(&s);
	scratch_mkdir(&s, "from");
	scratch_mkdir(&s, "at");
	scratch_write(&s, "from/file", "bound");
	snprintf(from, sizeof(from), "%s/from", s.dir);
	snprintf(at, sizeof(at), "%s/at", s.dir);
	snprintf(file, sizeof(file), "%s/at/file", s.dir);
	spec.binds = &bind;
	spec.n_binds = 1;
	spec.cwd = at;
	r = run_spec(f, &spec);
	assert_stdout(&r, "bound");
	proc_result_release(&r);
	assert_int_equal(access(file, F_OK), -1); /* seen by the child alone */

	bind.at = "/nowhere/at-all";
	refuse_spec(f, &spec, &err);
	assert_int_equal(err.code, E_MISSING);
	assert_contains(err.text, "/nowhere/at-all");
	scratch_release(&s);
}

static void capture(void **state)
{
	struct fixture *f = *state;
	CLEANUP(buf_release) struct buf out = BUF_INIT;
	CLEANUP(buf_release) struct buf errors = BUF_INIT;
	struct err err = {0};
	int code = -1;

	assert_int_equal(proc_capture(f->launcher, HOSTILE(f, "say", "out", "err"), NULL, NULL, 0,
				 100, &out, &errors, NULL, &err),
		0);
	assert_string_equal(out.data, "out");
	assert_string_equal(errors.data, "err");

	assert_int_equal(
		proc_capture(f->launcher, HOSTILE(f, "say", "", "first\nthe reason\n", "3"), NULL,
			NULL, 0, 100, NULL, NULL, NULL, &err),
		-1);
	assert_int_equal(err.code, E_BUILD);
	assert_contains(err.text, "status 3");
	assert_contains(err.text, "the reason");
	assert_int_equal(proc_capture(f->launcher, HOSTILE(f, "exit", "3"), NULL, NULL, 0, 100,
				 NULL, NULL, &code, &err),
		0);
	assert_int_equal(code, 3);

	assert_int_equal(proc_capture(f->launcher, HOSTILE(f, "say", "0123456789x", ""), NULL, NULL,
				 0, 10, &out, NULL, NULL, &err),
		-1);
	assert_contains(err.text, "more than 10 bytes");
	assert_int_equal(proc_capture(f->launcher, HOSTILE(f, "crash"), NULL, NULL, 0, 10, &out,
				 NULL, &code, &err),
		-1);
	assert_contains(err.text, "signal 11");
	assert_int_equal(proc_capture(f->launcher, HOSTILE(f, "hang"), NULL, NULL, 50 * NS_PER_MS,
				 10, &out, NULL, &code, &err),
		-1);
	assert_contains(err.text, "longer than 0.05 s");
	assert_int_equal(proc_capture(f->launcher, (const char *const[]){"no-such-tool", NULL},
				 NULL, NULL, 0, 10, &out, NULL, NULL, &err),
		-1);
	assert_int_equal(err.code, E_MISSING);
}

int main(void)
{
	struct fixture f;
	sigset_t some;
	int failed, leak;

	/* what the launcher must not pass on to anybody (inherited_state looks) */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);
	sigemptyset(&some);
	sigaddset(&some, SIGUSR2);
	sigprocmask(SIG_BLOCK, &some, NULL);
	leak = dup2(STDERR_FILENO, 60);
	fixture_init(&f);
	signal(SIGCHLD, SIG_DFL);
	{
		const struct CMUnitTest tests[] = {
			cmocka_unit_test_prestate(exit_status, &f),
			cmocka_unit_test_prestate(crash, &f),
			cmocka_unit_test_prestate(cannot_start, &f),
			cmocka_unit_test_prestate(arguments_and_folder, &f),
			cmocka_unit_test_prestate(environment, &f),
			cmocka_unit_test_prestate(path_lookup, &f),
			cmocka_unit_test_prestate(inherited_state, &f),
			cmocka_unit_test_prestate(cpu_sets, &f),
			cmocka_unit_test_prestate(stopped_before_exec, &f),
			cmocka_unit_test_prestate(many_at_once, &f),
			cmocka_unit_test_prestate(usage_is_the_childs, &f),
			cmocka_unit_test_prestate(binds, &f),
			cmocka_unit_test_prestate(capture, &f),
		};

		failed = cmocka_run_group_tests(tests, NULL, NULL);
	}
	launcher_stop(f.launcher);
	close(leak);
	return failed != 0;
}
