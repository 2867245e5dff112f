/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds that fail, hang, are interrupted or killed: what is said, and that nothing half is left.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/build_fixture.h"

/* One step by sh, one output. */
static void declare_step(struct trees *t, const char *step, const char *more)
{
	AUTOFREE char *text = xasprintf("source: {path: src}\n"
					"build:\n"
					"  steps: [[sh, -c, '%s']]\n"
					"  outputs: {p: '{out}/p'}\n"
					"  timeout: 5 s\n"
					"%s",
		step, more);

	sh(t, "mkdir -p src; seq -f 'line %%g' 9 >src/a");
	declare(t, text);
}

static void assert_nothing_built(struct trees *t)
{
	sh(t, "test -z \"$(ls .assay/builds 2>/dev/null)\"");
	assert_no_work(t);
}

/* --- Failures ------------------------------------------------------------------------------------
 */

static void failing_compiler(void **state)
{
	struct trees *t = *state;
	CLEANUP(built_release) struct built b = {0};
	const struct build_result *bad;

	sh(t, "mkdir src; echo 'int main(void){return X;}' >src/a.c");
	declare(t,
		"source: {path: src}\n"
		"build: {steps: [[cc, '{defines}', -o, '{out}/p', a.c]], outputs: {p: '{out}/p'}}\n"
		"options: {X: {define: {X: 0}}, Y: {define: {X: 1+}}}\n"
		"matrix: {sets: [none, each]}\n");
	build_now(t, &b, 0, false);
	bad = result_of(&b, "none");
	assert_int_equal(bad->status, BUILD_FAILED);
	assert_has(bad->reason, "step 'cc -o ");
	assert_has(bad->reason, "failed with status 1\n");
	assert_has(bad->reason, "a.c:1:23: error: ");
	assert_null(bad->bins);
	assert_string_equal(bad->digest.hex, "");
	assert_ok(result_of(&b, "X"));
	assert_int_equal(result_of(&b, "Y")->status, BUILD_FAILED);
	sh(t, "grep -q 'a.c:1:23: error: ' .assay/%s; test \"$(ls .assay/builds | wc -l)\" = 1",
		bad->log);
	assert_no_work(t);
}

static void steps(void **state)
{
	struct trees *t = *state;
	static const struct {
		const char *step, *said;
		enum build_status status;
	} cases[] = {
		{"seq -f \"said %g\" 30; exit 7", "failed with status 7\n  said 11\n  said 12",
			BUILD_FAILED},
		{"echo bye; kill -SEGV $$", "was killed by signal 11 (Segmentation fault)\n  bye",
			BUILD_FAILED},
		{"head -c 100000 /dev/zero | tr \"\\\\0\" x; false", "failed with status 1\n  xxx",
			BUILD_FAILED},
		{"printf \"\\\\033[31mred\\\\377\"; false", "red", BUILD_FAILED},
		{"true", "/out/p' is not there after the build\n  {out} is empty", BUILD_FAILED},
		{"touch {out}/q; mkdir {out}/d", "{out} holds d/, q", BUILD_FAILED},
		{"mkfifo {out}/p", "neither a file nor a folder", BUILD_FAILED},
		{"ln -s /etc/passwd {out}/p", "outside of the build", BUILD_FAILED},
		{"ln -s ../../../../secret {out}/p", "outside of the build", BUILD_FAILED},
		{"ln -s p {out}/p", "leads nowhere", BUILD_FAILED},
		{"ln -s nowhere {out}/p", "is a link to 'nowhere', which leads nowhere",
			BUILD_FAILED},
	};

	sh(t, "echo s >secret");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct built b;
		const char *reason;

		declare_step(t, cases[i].step, "");
		build_now(t, &b, 0, false);
		reason = b.results[0].reason;
		assert_int_equal(b.results[0].status, cases[i].status);
		assert_has(reason, cases[i].said);
		assert_null(strchr(reason, '\033'));
		assert_true(strlen(reason) < 9000);
		sh(t, "test -s .assay/%s", b.results[0].log);
		assert_nothing_built(t);
		built_release(&b);
	}
	sh(t, "test -s secret; test -s /etc/passwd");
}

/* What the descriptor alone shows is refused with its place, the rest when it is expanded. */
static void bad_outputs(void **state)
{
	struct trees *t = *state;
	static const struct {
		const char *output;
		bool refused; /* when the descriptor is read */
	} cases[] = {
		{"/etc/passwd", true},
		{"../x", true},
		{"", true},
		{"{out}/../../x", false},
		{"{tree}", false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTOFREE char *text = xasprintf("source: {path: src}\n"
						"build: {steps: [['true']], outputs: {p: '%s'}}\n",
			cases[i].output);
		struct built b;
		struct err err;

		sh(t, "mkdir -p src; echo x >x");
		declare(t, text);
		if (cases[i].refused) {
			assert_int_equal(try_open(t, &b, &err), -1);
			assert_int_equal(err.code, E_CONFIG);
			built_release(&b);
			continue;
		}
		build_now(t, &b, 0, false);
		assert_int_equal(b.results[0].status, BUILD_FAILED);
		assert_has(b.results[0].reason, "outside of the build");
		assert_nothing_built(t);
		built_release(&b);
	}
	sh(t, "test -s /etc/passwd; test -s x");
}

static void first_failure_stops(void **state)
{
	struct trees *t = *state;
	CLEANUP(built_release) struct built b = {0};

	sh(t, "mkdir src");
	declare(t, "source: {path: src}\n"
		   "build: {steps: [[sh, -c, 'echo 1'], [sh, -c, 'echo 2; exit 3'], [touch, "
		   "'{here}/third']]}\n");
	build_now(t, &b, 0, false);
	assert_int_equal(b.results[0].status, BUILD_FAILED);
	assert_has(b.results[0].reason, "status 3\n  2");
	assert_null(strstr(b.results[0].reason, "\n  1")); /* of the step that failed alone */
	sh(t, "test ! -e third");
}

static void bad_patch(void **state)
{
	struct trees *t = *state;
	CLEANUP(built_release) struct built b = {0};

	sh(t, "printf -- '--- a/a\\n+++ b/a\\n@@ -2,3 +2,3 @@\\n line 2\\n-line three\\n+line "
	      "33\\n line 4\\n' >p.patch");
	declare_step(t, "cp a {out}/p",
		"options: {A1: {patch: p.patch}, E: {edit: {file: a, find: nosuch, replace: x}}}\n"
		"matrix: {sets: [none, each]}\n");
	build_now(t, &b, 0, false);
	assert_ok(result_of(&b, "none"));
	assert_int_equal(result_of(&b, "A1")->status, BUILD_FAILED);
	assert_has(result_of(&b, "A1")->reason,
		"option 'A1': patch p.patch does not apply: a, the hunk");
	assert_has(result_of(&b, "A1")->reason, ">     3  line 3");
	assert_has(result_of(&b, "E")->reason, "option 'E': 'a' does not have the text to find");
	sh(t, "grep -q 'does not apply' .assay/%s", result_of(&b, "A1")->log);
	assert_no_work(t);
}

static void missing_things(void **state)
{
	struct trees *t = *state;
	struct built b;

	declare_step(t, "true", "  dir: nosuch\n");
	build_now(t, &b, 0, false);
	assert_has(b.results[0].reason, "no folder 'nosuch'");
	built_release(&b);
	declare(t, "source: {path: src}\nbuild: {steps: [[./nosuch]]}\n");
	build_now(t, &b, 0, false);
	assert_int_equal(b.results[0].status, BUILD_FAILED);
	assert_has(b.results[0].reason, "./nosuch");
	built_release(&b);
	assert_nothing_built(t);
}

static void fetch_fails(void **state)
{
	struct trees *t = *state;
	CLEANUP(built_release) struct built b = {0};
	struct build_request request;
	struct err err = {0};

	declare_step(
		t, "touch {out}/p", "  fetch: [sh, -c, 'echo half >a; echo no network; exit 1']\n");
	open_built(t, &b);
	request = request_of(t, &b);
	assert_int_equal(build_all(&request, &b.results, &err), -1);
	assert_int_equal(err.code, E_BUILD);
	assert_has(err.text, "build.fetch");
	assert_has(err.text, "\n  no network");
	sh(t, "grep -q 'line 1' .assay/src/*/a; test ! -e .assay/src/*.fetched");
}

/* --- Time and interruption -----------------------------------------------------------------------
 */

static void hanging_build(void **state)
{
	struct trees *t = *state;
	CLEANUP(built_release) struct built b = {0};
	AUTOFREE char *rest = NULL, *left = NULL;

	sh(t, "mkdir src");
	/* The fraction marks our own processes: other tests may sleep here, too. */
	rest = xasprintf("source: {path: src}\n"
			 "build:\n"
			 "  timeout: 500 ms\n"
			 "  steps: [[sleep, '0.3'], [sh, -c, 'echo waiting; "
			 "setsid sleep 987.%d & sleep 987.%d']]\n",
		getpid(), getpid());
	declare(t, rest);
	build_now(t, &b, 0, false);
	assert_int_equal(b.results[0].status, BUILD_TIMEOUT);
	assert_has(b.results[0].reason, "build.timeout: 500 ms");
	assert_has(b.results[0].reason, "\n  waiting");
	assert_true(b.results[0].seconds < 4);
	left = sh_out(t,
		"for p in /proc/[0-9]*; do tr '\\0' ' ' <$p/cmdline 2>/dev/null | grep "
		"-qx 'sleep 987.%d ' && echo $p; done; true",
		getpid());
	assert_string_equal(left, "");
	assert_nothing_built(t);
}

struct stopping {
	volatile int stop;
	int64_t after_ns;
	size_t begun, ended;
};

static void stop_soon(void *ctx, const struct plan_build *build, int64_t elapsed_ns,
	const struct build_result *result)
{
	struct stopping *s = ctx;

	(void)build;
	s->begun += !result && !elapsed_ns;
	s->ended += result != NULL;
	if (elapsed_ns > s->after_ns)
		s->stop = SIGINT;
}

static void interrupted(void **state)
{
	struct trees *t = *state;
	CLEANUP(built_release) struct built b = {0};
	struct stopping stopping = {.after_ns = 300 * NS_PER_MS};
	struct build_request request;
	struct err err = {0};
	bool wanted[] = {true, true, false, true};

	declare_step(t, "echo begun; sleep 986; touch {out}/p",
		"options: {A: {define: {A: 1}}, B: {define: {B: 1}}, C: {define: {C: 1}}}\n"
		"matrix: {sets: [none, each]}\n");
	open_built(t, &b);
	assert_int_equal(b.n, 4);
	request = request_of(t, &b);
	request.parallel = 2;
	request.stop = &stopping.stop;
	request.wanted = wanted;
	request.hooks = (struct build_hooks){&stopping, stop_soon};
	if (build_all(&request, &b.results, &err))
		fail_msg("%s", err.text);
	for (size_t i = 0; i < b.n; i++) {
		if (!wanted[i])
			continue;
		assert_int_equal(b.results[i].status, BUILD_CANCELLED);
		assert_string_equal(b.results[i].reason, "interrupted");
		assert_null(b.results[i].log);
	}
	assert_true(stopping.begun == 1 || stopping.begun == 2);
	assert_int_equal(stopping.ended, stopping.begun);
	sh(t, "test -z \"$(ls .assay/logs)\"");
	assert_nothing_built(t);
}

/* In a process of its own: builds until it is killed. */
static void build_until_killed(struct trees *t)
{
	struct built b;
	struct build_request request;
	struct err err;

	if (launcher_start(&t->launcher, &err))
		_exit(1);
	open_built(t, &b);
	request = request_of(t, &b);
	request.parallel = 1;
	(void)!build_all(&request, &b.results, &err);
	_exit(0);
}

static void wait_for(struct trees *t, const char *script)
{
	AUTOFREE char *loop = xasprintf(
		"i=0; until %s; do i=$((i+1)); test $i -lt 200; sleep 0.05; done", script);

	sh(t, "%s", loop);
}

static void killed(void **state)
{
	struct trees *t = *state;
	struct launcher *launcher = t->launcher;
	AUTOFREE char *flag = at(t, "hang");
	struct built b;
	pid_t pid;

	/* the first build is done, the second one hangs when assay is killed */
	declare_step(t,
		"echo $$ >{out}/p; test ! -e {here}/hang || test -z \"{define:A}\" || (cp {out}/p "
		"{here}/began; sleep 985)",
		"options: {A: {define: {A: 1}}}\nmatrix: {sets: [none, each]}\n");
	sh(t, "touch hang");
	state_release(&t->state);
	pid = fork();
	if (!pid)
		build_until_killed(t);
	wait_for(t, "test -s began");
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	t->launcher = launcher;
	wait_for(t, "test ! -d /proc/$(cat began)");
	sh(t, "test \"$(ls .assay/builds | wc -l)\" = 1; test -d .assay/work/build; rm began");
	unlink(flag);
	build_now(t, &b, 0, false);
	assert_true(result_of(&b, "none")->cached);
	assert_ok(result_of(&b, "A"));
	assert_false(result_of(&b, "A")->cached);
	built_release(&b);
	sh(t, "test \"$(ls .assay/builds | wc -l)\" = 2");
	assert_no_work(t);
}

static void full_disk(void **state)
{
	struct trees *t = *state;
	struct built b = {0};
	struct build_request request;
	struct err err = {0};

	/* a file where the folder of all builds would be: nothing can be kept */
	declare_step(t, "touch {out}/p",
		"options: {A: {define: {A: 1}}}\nmatrix: {sets: [none, each]}\n");
	open_built(t, &b);
	sh(t, "rm -rf .assay/builds; ln -s /dev/full .assay/builds");
	request = request_of(t, &b);
	request.parallel = 2;
	if (!build_all(&request, &b.results, &err)) {
		for (size_t i = 0; i < b.n; i++)
			assert_int_equal(b.results[i].status, BUILD_FAILED);
	}
	sh(t, "rm .assay/builds");
	assert_nothing_built(t);
	built_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		tree_test(failing_compiler),
		tree_test(steps),
		tree_test(bad_outputs),
		tree_test(first_failure_stops),
		tree_test(bad_patch),
		tree_test(missing_things),
		tree_test(fetch_fails),
		tree_test(hanging_build),
		tree_test(interrupted),
		tree_test(killed),
		tree_test(full_disk),
	};

	return cmocka_run_group_tests(tests, trees_setup, trees_teardown) != 0;
}
