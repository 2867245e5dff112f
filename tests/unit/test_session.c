/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sessions, carried out by the fake executor into a store of their own: what is run, what a stop or
 * a crash at any run leaves, and what the next process makes of it. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/engine/exec_fake.h"
#include "core/engine/session.h"
#include "tests/unit/model_fixture.h"
#include "tests/unit/store_fixture.h"

/* 3 rows of each of 2 workloads; sort runs 4 blocks, merge 2. */
static const char two_workloads[] =
	"schema: 1\nname: two\noptions: {A: {define: {A: 1}}, B: {define: {B: 1}}}\n"
	"workloads: {sort: {run: [sort]}, merge: {run: [merge], measure: {blocks: 2}}}\n"
	"matrix: {sets: [none, each]}\nmeasure: {blocks: 4, seed: 5}\n";
static const char empty_world[] = "schema: 1\noptions: []\nbase: 2 s\n";
static const char world[] = "schema: 1\noptions: [A, B]\nbase: 2 s\neffects: {A: 0.1}\nseed: 1\n";

enum mishap {
	NOTHING,
	STOP_IN_RUN,    /* Ctrl-C while run number `at` goes on */
	STOP_AFTER_RUN, /* and between two runs */
	STOP_IN_BUILD,
	CRASH_IN_RUN, /* SIGKILL: nothing of the run is stored */
};

/* The fake executor with a mishap. */
struct faulty {
	void *inner;
	enum mishap mishap;
	int at, runs;
	volatile int stop;
	uint64_t seed;
	int64_t extra_ns; /* every run takes this long */
};

struct seen { /* by the hooks */
	int started, built, ended, aborted;
	bool resumed;
	size_t done_before, done, total, failed;
};

struct made {
	struct diags diags;
	struct descriptor *descriptor;
	struct plan *plan;
	struct store *store;
	struct faulty faulty;
	struct session_request request;
	struct session_result result;
	struct seen seen;
};

/* --- The executor --------------------------------------------------------------------------------
 */

static uint64_t faulty_new_seed(void *state)
{
	return executor_fake.new_seed(((struct faulty *)state)->inner);
}

static void faulty_use_seed(void *state, uint64_t seed)
{
	((struct faulty *)state)->seed = seed;
}

static int faulty_build(void *state, const bool *wanted, struct build_result **ret, struct err *err)
{
	struct faulty *faulty = state;

	faulty->stop |= faulty->mishap == STOP_IN_BUILD;
	return executor_fake.build(faulty->inner, wanted, ret, err);
}

static int faulty_run(
	void *state, const struct run_request *request, struct run_outcome *ret, struct err *err)
{
	struct faulty *faulty = state;
	bool now = faulty->runs++ == faulty->at;

	if (now && faulty->mishap == CRASH_IN_RUN)
		return err_set(err, E_BUG, "killed");
	if (executor_fake.run(faulty->inner, request, ret, err))
		return -1;
	if (faulty->extra_ns)
		ret->run.wall_ns = faulty->extra_ns;
	if (now && faulty->mishap == STOP_IN_RUN) {
		ret->run.status = RUN_LOST;
		ret->run.reason = "interrupted";
		ret->interrupted = true;
	}
	faulty->stop |= now && (faulty->mishap == STOP_IN_RUN || faulty->mishap == STOP_AFTER_RUN);
	return 0;
}

static struct clock_stamp faulty_now(void *state)
{
	return executor_fake.now(((struct faulty *)state)->inner);
}

static const struct executor faulty_executor = {
	.name = "faulty",
	.new_seed = faulty_new_seed,
	.use_seed = faulty_use_seed,
	.build = faulty_build,
	.run = faulty_run,
	.now = faulty_now,
};

/* --- The hooks -----------------------------------------------------------------------------------
 */

static void on_started(void *ctx, const struct store_session *session, bool resumed,
	size_t done_before, int aborted)
{
	struct seen *seen = ctx;

	assert_int_equal(strlen(session->uid), 32);
	seen->started++;
	seen->resumed = resumed;
	seen->done = seen->done_before = done_before;
	seen->aborted = aborted;
}

static void on_built(void *ctx, const struct plan *plan, const struct build_result *builds)
{
	assert_non_null(plan);
	assert_non_null(builds);
	((struct seen *)ctx)->built++;
}

static void on_running(void *ctx, const struct session_progress *progress)
{
	struct seen *seen = ctx;

	assert_int_equal(progress->done, seen->done);
	assert_non_null(progress->row);
	assert_true(progress->run_id > 0);
}

static void on_ended(
	void *ctx, const struct session_progress *progress, const struct run_outcome *outcome)
{
	struct seen *seen = ctx;

	seen->ended++;
	assert_int_equal(progress->done, seen->done + !outcome->interrupted);
	if (seen->total)
		assert_true(progress->total <= seen->total);
	seen->done = progress->done;
	seen->total = progress->total;
	seen->failed = progress->failed;
	assert_true(progress->done <= progress->total);
}

/* --- Fixture -------------------------------------------------------------------------------------
 */

static int no_payload(
	void *ctx, const struct patch *patch, const char *pick, struct digest *ret, struct err *err)
{
	(void)ctx, (void)patch, (void)pick, (void)err;
	*ret = digest_of("x", 1);
	return 0;
}

static void plan_of(struct made *made, const char *text)
{
	const char *nothing[8] = {0};
	struct plan_facts facts = {.source_digest = "s",
		.tools_digest = "t",
		.input_digests = nothing,
		.parser_digests = nothing,
		.payload_digest = no_payload};
	struct err err;

	write_file("d.yaml", text);
	if (descriptor_load("d.yaml", NULL, 0, &made->diags, &made->descriptor, &err) ||
		plan_make(made->descriptor, &facts, NULL, false, &made->diags, &made->plan, &err)) {
		diags_print(&made->diags, stderr, false);
		fail_msg("%s", err.text);
	}
}

static void make(struct made *made, const char *descriptor, const char *world_text)
{
	struct executor_setup setup = {.world = "w.yaml", .diags = &made->diags};
	struct err err;

	memset(made, 0, sizeof(*made));
	plan_of(made, descriptor);
	write_file("w.yaml", world_text);
	setup.plan = made->plan;
	assert_ok(executor_fake.open(&setup, &made->faulty.inner, &err));
	assert_ok(store_open("assay.db", STORE_WRITE, &made->store, &err));
	made->request = (struct session_request){.plan = made->plan,
		.executor = &faulty_executor,
		.executor_state = &made->faulty,
		.store = made->store,
		.experiment_text = descriptor,
		.command = "assay run d.yaml",
		.stop = &made->faulty.stop,
		.hooks = {&made->seen, on_started, on_built, on_running, on_ended}};
}

static void unmake(struct made *made)
{
	session_result_release(&made->result);
	executor_fake.close(made->faulty.inner);
	store_close(made->store);
	plan_free(made->plan);
	descriptor_free(made->descriptor);
	diags_release(&made->diags);
}

static void run(struct made *made)
{
	struct err err;

	assert_ok(session_run(&made->request, &made->result, &err));
}

/* One whole process: opens everything anew, as the same command would. */
static enum session_end process(const char *descriptor, enum mishap mishap, int at)
{
	enum session_end end;
	struct made made;

	make(&made, descriptor, strstr(descriptor, "B:") ? world : empty_world);
	made.faulty.mishap = mishap;
	made.faulty.at = at;
	if (mishap == CRASH_IN_RUN) {
		struct err err;

		if (session_run(&made.request, &made.result, &err)) {
			assert_int_equal(err.code, E_BUG);
			made.result = (struct session_result){0};
			unmake(&made);
			return SESSION_INTERRUPTED;
		}
	} else {
		run(&made);
	}
	end = made.result.end;
	unmake(&made);
	return end;
}

static void forget(void)
{
	static const char *const files[] = {"assay.db", "assay.db-wal", "assay.db-shm"};
	struct err err;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		assert_ok(fs_remove(files[i], &err));
}

/* All runs that count, in the order in which they were made. */
static const char all_runs[] =
	"select group_concat(r.name || ' ' || u.role || ' ' || u.block || ' ' || u.position, '\n') "
	"from (select * from run where status <> 'lost' order by id) u join plan_row r on r.id = "
	"u.row_id";

static char *text_of(const char *sql)
{
	struct store *store;
	struct err err;
	char *text;

	assert_ok(store_open("assay.db", STORE_READ, &store, &err));
	text = query_text(store_db(store), sql);
	store_close(store);
	return text;
}

#define assert_stored(sql, expected) \
	do { \
		AUTOFREE char *stored_ = text_of(sql); \
		if (strcmp(stored_, expected) != 0) \
			fail_msg("%s\n  gives '%s', not '%s'", sql, stored_, expected); \
	} while (0)

/* --- Tests ---------------------------------------------------------------------------------------
 */

enum {
	TOTAL = 6 + 3 * 4 + 3 * 2
};

static void test_undisturbed(void **state)
{
	struct made made;

	(void)state;
	forget();
	make(&made, two_workloads, world);
	run(&made);
	assert_int_equal(made.result.end, SESSION_COMPLETE);
	assert_string_equal(made.result.session.state, "complete");
	assert_true(made.result.session.ended_at > 0);
	assert_int_equal(made.result.ran, TOTAL);
	assert_false(made.result.build_failed);
	assert_int_equal(made.seen.started, 1);
	assert_int_equal(made.seen.built, 1);
	assert_int_equal(made.seen.ended, TOTAL);
	assert_int_equal(made.seen.total, TOTAL);
	assert_int_equal(made.seen.done, TOTAL);
	assert_int_equal(made.seen.failed, 0);
	assert_false(made.seen.resumed);
	assert_int_equal(made.seen.aborted, 0);
	assert_int_equal(made.faulty.seed, 5);
	unmake(&made);
	/* By the executor's clock, which is simulated. */
	assert_stored(
		"select ended_at between 946684800000000000 and 946694800000000000 from session",
		"1");
	assert_stored("select count(*) from run", "24");
	assert_stored(
		"select group_concat(n, ' ') from (select count(*) as n from run where role = "
		"'measured' and status = 'ok' group by row_id order by row_id)",
		"4 4 4 2 2 2");
	assert_stored("select count(*) from run where role = 'warmup'", "6");
	assert_stored("select count(*) from run where attempt <> 1 or resumed", "0");
	assert_stored("select state || ' ' || seed from session", "complete 5");
	assert_stored("select count(*) from build where status = 'ok'", "3");
	assert_stored("select count(*) from sample", "24");
	/* Every block has each row once, positions 0 to 2. */
	assert_stored(
		"select count(*) from (select 1 from run join plan_row p on p.id = row_id where "
		"role = 'measured' group by workload, block having count(distinct row_id) = 3 "
		"and count(distinct position) = 3 and min(position) = 0)",
		"6");
	/* Warm-up runs of a cell come before its first block, the baseline first. */
	assert_stored("select count(*) from run a join plan_row p on p.id = a.row_id where role = "
		      "'warmup' and exists (select 1 from run b join plan_row q on q.id = b.row_id "
		      "where b.role = 'measured' and q.workload = p.workload and b.id < a.id)",
		"0");
}

/* A second process after a complete session begins a new one. */
static void test_again(void **state)
{
	(void)state;
	forget();
	assert_int_equal(process(two_workloads, NOTHING, 0), SESSION_COMPLETE);
	assert_int_equal(process(two_workloads, NOTHING, 0), SESSION_COMPLETE);
	assert_stored("select count(distinct uid) || ' ' || count(*) from session", "2 2");
	assert_stored("select count(*) from run", "48");
	assert_stored("select count(*) from build", "3");
	assert_stored("select count(*) from plan_row", "12");
}

/* Stops at every run, in every way: the same command ends with the same runs in the same order. */
static void check_resume(enum mishap mishap)
{
	AUTOFREE char *undisturbed = NULL;

	forget();
	assert_int_equal(process(two_workloads, NOTHING, 0), SESSION_COMPLETE);
	undisturbed = text_of(all_runs);
	for (int at = 0; at < TOTAL; at++) {
		bool ended = mishap == STOP_AFTER_RUN;
		AUTOFREE char *expected = NULL;

		forget();
		process(two_workloads, mishap, at);
		assert_stored("select state from session", "open");
		assert_int_equal(process(two_workloads, NOTHING, 0), SESSION_COMPLETE);
		assert_stored(all_runs, undisturbed);
		assert_stored("select state || ' ' || count(*) from session", "complete 1");
		assert_stored("select count(*) from run where status = 'running'", "0");
		assert_stored("select count(*) from run where status = 'lost'", ended ? "0" : "1");
		/* The lost run was done again as attempt 2. */
		assert_stored(
			"select count(*) from run a join run b on a.row_id = b.row_id and a.role = "
			"b.role and a.block = b.block and a.attempt = 1 and b.attempt = 2 and "
			"a.status = 'lost' and b.status = 'ok'",
			ended ? "0" : "1");
		assert_stored("select max(attempt) from run", ended ? "1" : "2");
	}
}

static void test_stop_in_run(void **state)
{
	(void)state;
	check_resume(STOP_IN_RUN);
}

static void test_stop_after_run(void **state)
{
	(void)state;
	check_resume(STOP_AFTER_RUN);
}

static void test_crash_in_run(void **state)
{
	(void)state;
	check_resume(CRASH_IN_RUN);
}

/* A process that gets one run further each time. */
static void test_many_crashes(void **state)
{
	AUTOFREE char *undisturbed = NULL;
	int processes = 0;

	(void)state;
	forget();
	process(two_workloads, NOTHING, 0);
	undisturbed = text_of(all_runs);
	forget();
	while (process(two_workloads, CRASH_IN_RUN, 1) != SESSION_COMPLETE)
		assert_true(++processes <= TOTAL);
	assert_int_equal(processes, TOTAL - 1);
	assert_stored(all_runs, undisturbed);
	/* Twice at the same run: attempt 3. */
	forget();
	process(two_workloads, CRASH_IN_RUN, 0);
	process(two_workloads, CRASH_IN_RUN, 0);
	process(two_workloads, NOTHING, 0);
	assert_stored(all_runs, undisturbed);
	assert_stored("select max(attempt) from run", "3");
	assert_stored("select count(*) from run where status = 'lost'", "2");
}

/* `resumed`: runs of a block that an earlier process had begun, made by a later one. */
static void test_resumed_flags(void **state)
{
	static const char one[] =
		"schema: 1\nname: one\noptions: {A: {define: {A: 1}}, B: {define: "
		"{B: 1}}}\nworkloads: {w: {run: [w]}}\nmatrix: {sets: [none, each]}\n"
		"measure: {blocks: 3, warmup: 1}\n";

	(void)state;
	/* Warm-up 0-2, block 0: 3-5, block 1: 6-8, block 2: 9-11. */
	forget();
	process(one, STOP_AFTER_RUN, 6);
	process(one, NOTHING, 0);
	assert_stored("select group_concat(resumed, '') from (select resumed from run where role = "
		      "'measured' order by id)",
		"000011000");
	/* The first run of block 1 is lost: what follows is of that block, too. */
	forget();
	process(one, CRASH_IN_RUN, 6);
	process(one, NOTHING, 0);
	assert_stored("select group_concat(resumed, '') from (select resumed from run where role = "
		      "'measured' and status = 'ok' order by id)",
		"000111000");
	/* A stop between two blocks touches none. */
	forget();
	process(one, STOP_AFTER_RUN, 8);
	process(one, NOTHING, 0);
	assert_stored("select sum(resumed) from run", "0");
}

static void test_stop_in_build(void **state)
{
	struct made made;

	(void)state;
	forget();
	make(&made, two_workloads, world);
	made.faulty.mishap = STOP_IN_BUILD;
	run(&made);
	assert_int_equal(made.result.end, SESSION_INTERRUPTED);
	assert_int_equal(made.seen.started, 0);
	unmake(&made);
	assert_stored("select count(*) from run", "0");
	assert_stored("select state from session", "open");
	assert_int_equal(process(two_workloads, NOTHING, 0), SESSION_COMPLETE);
	assert_stored("select state || ' ' || count(*) from session", "complete 1");
	assert_stored("select count(*) from run", "24");
}

static void test_no_resume(void **state)
{
	struct made made;

	(void)state;
	forget();
	process(two_workloads, STOP_AFTER_RUN, 5);
	make(&made, two_workloads, world);
	made.request.no_resume = true;
	run(&made);
	assert_false(made.seen.resumed);
	assert_int_equal(made.seen.aborted, 1);
	assert_int_equal(made.seen.done_before, 0);
	assert_int_equal(made.result.ran, TOTAL);
	unmake(&made);
	assert_stored(
		"select group_concat(state, ' ') from (select state from session order by id)",
		"aborted complete");
	assert_stored("select count(*) from run", "30");
}

/* Another plan of the same experiment: the open session is aborted and stays readable; another
 * experiment's is left alone. */
static void test_changed_plan(void **state)
{
	static const char other[] = "schema: 1\nname: other\nworkloads: {w: {run: [w]}}\n"
				    "matrix: {sets: [none]}\nmeasure: {blocks: 2, warmup: 0}\n";
	static const char changed[] =
		"schema: 1\nname: two\nworkloads: {w: {run: [w, more]}}\nmatrix: {sets: [none]}\n"
		"measure: {blocks: 2, warmup: 0}\n";
	struct made made;

	(void)state;
	forget();
	process(other, STOP_IN_RUN, 0);
	process(two_workloads, CRASH_IN_RUN, 7);
	make(&made, changed, empty_world);
	run(&made);
	assert_int_equal(made.seen.aborted, 1);
	assert_false(made.seen.resumed);
	unmake(&made);
	assert_stored(
		"select group_concat(state, ' ') from (select state from session order by id)",
		"open aborted complete");
	assert_stored("select count(*) from run where status = 'running'", "0");
	assert_stored(
		"select count(*) from run join plan_row p on p.id = row_id where p.session_id = 2 "
		"and status = 'ok'",
		"7");
	/* Changed back: what was aborted for the other plan goes on. */
	make(&made, two_workloads, world);
	run(&made);
	assert_true(made.seen.resumed);
	assert_int_equal(made.result.session.id, 2);
	assert_int_equal(made.result.ran, TOTAL - 7);
	unmake(&made);
	assert_stored(
		"select state || (ended_at is not null) from session where id = 2", "complete1");
	assert_int_equal(process(other, NOTHING, 0), SESSION_COMPLETE);
	assert_stored("select state from session where id = 1", "complete");
}

/* The session ends between runs and goes on with the next process. */
static void test_budget(void **state)
{
	static const char budget[] =
		"schema: 1\nname: b\noptions: {A: {env: {A: x}}}\nworkloads: {w: {run: [w]}}\n"
		"matrix: {sets: [none, each]}\nmeasure: {blocks: 4, warmup: 0, seed: 3, budget: 61 "
		"s}\n";
	static const char unlimited[] =
		"schema: 1\nname: b\noptions: {A: {env: {A: x}}}\nworkloads: {w: {run: [w]}}\n"
		"matrix: {sets: [none, each]}\nmeasure: {blocks: 4, warmup: 0, seed: 3}\n";
	AUTOFREE char *undisturbed = NULL;
	int processes = 1;

	(void)state;
	forget();
	process(unlimited, NOTHING, 0);
	undisturbed = text_of(all_runs);
	forget();
	/* One simulated build takes 60 s, a run 2 s: one run a process. */
	while (process(budget, NOTHING, 0) == SESSION_BUDGET) {
		assert_stored("select state from session", "open");
		assert_true(++processes < 10);
	}
	assert_int_equal(processes, 8);
	assert_stored(all_runs, undisturbed);
	assert_stored("select state || ' ' || count(*) from session", "complete 1");
	assert_stored("select count(*) from run where status = 'lost'", "0");
}

static void test_failing_builds(void **state)
{
	struct made made;

	(void)state;
	forget();
	make(&made, two_workloads, "schema: 1\noptions: [A, B]\nfail: {B: build}\n");
	run(&made);
	assert_int_equal(made.result.end, SESSION_COMPLETE);
	assert_true(made.result.build_failed);
	assert_int_equal(made.seen.total, 4 + 2 * 4 + 2 * 2);
	unmake(&made);
	assert_stored(
		"select group_concat(n, ' ') from (select (select count(*) from run where row_id = "
		"p.id and role = 'measured') as n from plan_row p order by id)",
		"4 4 0 2 2 0");
	assert_stored("select status || ': ' || reason from build where status <> 'ok'",
		"failed: the simulated build fails");
}

static void test_nothing_builds(void **state)
{
	static const char text[] =
		"schema: 1\nname: n\noptions: {A: {define: {A: 1}}, B: {define: {B: "
		"1}}}\nworkloads: {w: {run: [w]}}\nmatrix: {sets: [A, A+B], "
		"baseline: A}\n";
	struct made made;

	(void)state;
	forget();
	/* The baseline's build fails: nothing can be compared, so nothing is run. */
	make(&made, text, "schema: 1\noptions: [A, B]\nfail: {A: build}\n");
	run(&made);
	assert_int_equal(made.result.end, SESSION_COMPLETE);
	assert_true(made.result.build_failed);
	assert_int_equal(made.result.ran, 0);
	unmake(&made);
	assert_stored("select count(*) from run", "0");
	assert_stored("select count(*) from plan_row", "2");
}

static void test_failing_runs(void **state)
{
	struct made made;

	(void)state;
	forget();
	make(&made, two_workloads, "schema: 1\noptions: [A, B]\nfail: {A: run, B: timeout}\n");
	run(&made);
	assert_int_equal(made.result.end, SESSION_COMPLETE);
	assert_int_equal(made.seen.total, TOTAL);
	assert_int_equal(made.seen.failed, 12);
	unmake(&made);
	/* A failure is a result: it is not done again. */
	assert_stored("select count(*) from run", "24");
	assert_stored("select max(attempt) from run", "1");
	assert_stored(
		"select group_concat(s, ' ') from (select status || count(*) as s from run where "
		"role = 'measured' group by status order by status)",
		"failed6 ok6 timeout6");
	assert_stored("select count(*) from v_run where wall_s is not null", "6");
}

/* More than 12 rows: every row but the baseline has as many runs as there are rounds. */
static void test_incomplete_blocks(void **state)
{
	static const char many[] =
		"schema: 1\nname: many\noptions: {A: {env: {A: x}}, B: {env: {B: x}}, C: {env: {C: "
		"x}}, "
		"D: {env: {D: x}}}\nworkloads: {w: {run: [w]}}\nmatrix: {sets: [full]}\n"
		"measure: {blocks: 4, warmup: 0}\n";

	(void)state;
	forget();
	process(many, NOTHING, 0);
	assert_stored(
		"select group_concat(n, ' ') from (select count(*) as n from run group by row_id "
		"order by row_id)",
		"12 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4");
	assert_stored("select count(distinct block) from run", "12");
}

/* A run of more than 30 s warms itself up: the first one shows that the others need none. */
static void test_slow_runs(void **state)
{
	struct made made;

	(void)state;
	forget();
	make(&made, two_workloads, world);
	made.faulty.extra_ns = 31 * NS_PER_S;
	run(&made);
	assert_int_equal(made.seen.total, 20);
	assert_int_equal(made.seen.done, 20);
	unmake(&made);
	assert_stored("select count(*) from run where role = 'warmup'", "2");
	assert_stored("select count(*) from run where role = 'measured'", "18");
	/* Who asks for warm-up runs gets them. */
	forget();
	make(&made,
		"schema: 1\nname: x\nworkloads: {w: {run: [w]}}\nmatrix: {sets: [none]}\n"
		"measure: {blocks: 2, warmup: 3}\n",
		empty_world);
	made.faulty.extra_ns = 31 * NS_PER_S;
	run(&made);
	assert_int_equal(made.seen.total, 5);
	unmake(&made);
	assert_stored("select count(*) from run where role = 'warmup'", "3");
}

/* The seed of a descriptor without one is the executor's; the session keeps it. */
static void test_seed(void **state)
{
	static const char text[] = "schema: 1\nname: s\nworkloads: {w: {run: [w]}}\n"
				   "matrix: {sets: [none]}\nmeasure: {blocks: 2, warmup: 0}\n";
	static const char seeded[] = "schema: 1\noptions: []\nseed: 77\n";
	struct made made;

	(void)state;
	forget();
	make(&made, text, seeded);
	made.faulty.mishap = STOP_AFTER_RUN;
	run(&made);
	assert_int_equal(made.faulty.seed, 77);
	unmake(&made);
	make(&made, text, "schema: 1\noptions: []\nseed: 78\n");
	run(&made);
	assert_int_equal(made.faulty.seed, 77);
	unmake(&made);
	assert_stored("select seed from session", "77");
}

static void test_fixed_uid(void **state)
{
	struct made made;

	(void)state;
	forget();
	make(&made, two_workloads, world);
	made.request.uid = "0123456789abcdef0123456789abcdef";
	run(&made);
	unmake(&made);
	assert_stored("select uid from session", "0123456789abcdef0123456789abcdef");
}

/* The store goes away under a session: an error of the store, and nothing of it is lost. */
static void test_store_fails(void **state)
{
	struct made made;
	struct err err;

	(void)state;
	forget();
	make(&made, two_workloads, world);
	if (sqlite3_exec(store_db(made.store),
		    "create temp trigger full before insert on main.run when new.block = 2 begin "
		    "select raise(abort, 'disk is full'); end",
		    NULL, NULL, NULL) != SQLITE_OK)
		fail_msg("%s", sqlite3_errmsg(store_db(made.store)));
	assert_int_equal(session_run(&made.request, &made.result, &err), -1);
	assert_int_equal(err.code, E_STORE);
	made.result = (struct session_result){0};
	unmake(&made);
	assert_stored("select count(*) from run where status <> 'ok'", "0");
	assert_int_equal(process(two_workloads, NOTHING, 0), SESSION_COMPLETE);
	assert_stored("select count(*) from run where status = 'ok'", "24");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_undisturbed),
		cmocka_unit_test(test_again),
		cmocka_unit_test(test_stop_in_run),
		cmocka_unit_test(test_stop_after_run),
		cmocka_unit_test(test_crash_in_run),
		cmocka_unit_test(test_many_crashes),
		cmocka_unit_test(test_resumed_flags),
		cmocka_unit_test(test_stop_in_build),
		cmocka_unit_test(test_no_resume),
		cmocka_unit_test(test_changed_plan),
		cmocka_unit_test(test_budget),
		cmocka_unit_test(test_failing_builds),
		cmocka_unit_test(test_nothing_builds),
		cmocka_unit_test(test_failing_runs),
		cmocka_unit_test(test_incomplete_blocks),
		cmocka_unit_test(test_slow_runs),
		cmocka_unit_test(test_seed),
		cmocka_unit_test(test_fixed_uid),
		cmocka_unit_test(test_store_fails),
	};

	return cmocka_run_group_tests(tests, model_setup, model_teardown) != 0;
}
