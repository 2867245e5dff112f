/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/engine/exec_fake.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine/world.h"

/* The simulated clock begins at 2000-01-01T00:00:00Z: results never depend on today. */
#define EPOCH_NS (INT64_C(946684800) * NS_PER_S)
/* It goes on for a century: 64 bits hold three. */
#define CLOCK_END_NS (INT64_C(36525) * 86400 * NS_PER_S)
#define TIMEOUT_FACTOR 10.0

struct fake {
	struct executor_setup setup;
	struct world *world;
	struct clock_stamp now;
};

/* At its end the clock stands still. */
static void advance(struct fake *fake, int64_t ns)
{
	int64_t room = CLOCK_END_NS - fake->now.mono_ns;

	if (ns > room)
		ns = room;
	fake->now.mono_ns += ns;
	fake->now.boot_ns += ns;
	fake->now.real_ns += ns;
}

static int64_t to_ns(double ns)
{
	return ns < (double)CLOCK_END_NS ? (int64_t)ns : CLOCK_END_NS;
}

static void fake_close(void *state)
{
	struct fake *fake = state;

	if (!fake)
		return;
	world_free(fake->world);
	free(fake);
}

static int fake_open(const struct executor_setup *setup, void **ret_state, struct err *err)
{
	struct fake *fake = xcalloc(1, sizeof(*fake));

	fake->setup = *setup;
	fake->now = (struct clock_stamp){.real_ns = EPOCH_NS};
	if (world_load(setup->world, setup->diags, &fake->world, err) ||
		world_check(fake->world, setup->plan->descriptor, err)) {
		fake_close(fake);
		return -1;
	}
	*ret_state = fake;
	return 0;
}

static uint64_t fake_new_seed(void *state)
{
	return world_seed(((struct fake *)state)->world);
}

static void fake_use_seed(void *state, uint64_t seed)
{
	(void)state; /* what happens is the world's, whatever the order */
	(void)seed;
}

static int fake_build(void *state, const bool *wanted, struct build_result **ret, struct err *err)
{
	struct fake *fake = state;
	const struct plan *plan = fake->setup.plan;
	struct build_result *results = xcalloc(plan->n_builds, sizeof(*results));

	(void)err;
	for (size_t i = 0; i < plan->n_builds; i++) {
		const struct plan_build *build = &plan->builds[i];
		struct build_result *result = &results[i];

		if (wanted && !wanted[i])
			continue;
		result->seconds = (double)world_build_ns(fake->world) / 1e9;
		advance(fake, world_build_ns(fake->world));
		if (world_build_fails(fake->world, plan->descriptor, build->levels)) {
			result->status = BUILD_FAILED;
			result->reason = xstrdup("the simulated build fails");
		} else {
			result->digest = result->code_digest =
				digest_of(build->key, strlen(build->key));
		}
		if (fake->setup.build_hooks.progress)
			fake->setup.build_hooks.progress(fake->setup.build_hooks.ctx, build,
				world_build_ns(fake->world), result);
	}
	*ret = results;
	return 0;
}

static void add_time(struct run_record *record, const char *scope, double seconds)
{
	run_record_sample(record, &(struct sample){.metric = "wall",
					  .unit = "s",
					  .better = "lower",
					  .scope = scope,
					  .value = seconds,
					  .quantum = NAN,
					  .quality = "simulated",
					  .collector = "fake"});
}

static void fill(struct run_outcome *to, const struct world_run *run)
{
	static const struct {
		enum run_status status;
		const char *reason;
		int exit_code;
	} ends[] = {
		[WORLD_OK] = {RUN_OK, "", 0},
		[WORLD_RUN_FAILS] = {RUN_FAILED, "exit status 1", 1},
		[WORLD_TIMEOUT] = {RUN_TIMEOUT, "timed out", -1},
		[WORLD_INVALID] = {RUN_INVALID, "a check failed", 0},
	};

	to->run.status = ends[run->fate].status;
	to->run.reason = ends[run->fate].reason;
	to->run.exit_code = ends[run->fate].exit_code;
	to->run.cpus = to->run.stderr_tail = "";
	add_time(&to->record, "run", run->seconds);
	for (size_t i = 0; i < run->n_phases; i++) {
		const struct world_phase *phase = &run->phases[i];

		/* One after the other from the start: shares of the run, no more is known. */
		double before = i ? (double)to->record.phases.items[i - 1].end_ns : 0;

		run_record_phase(
			&to->record, &(struct phase_span){.name = phase->name,
					     .start_ns = (int64_t)before,
					     .end_ns = to_ns(before + phase->seconds * 1e9),
					     .parent = -1,
					     .source = "fake"});
		add_time(&to->record, arena_printf(&to->record.arena, "phase:%s", phase->name),
			phase->seconds);
	}
}

static int fake_run(
	void *state, const struct run_request *request, struct run_outcome *ret, struct err *err)
{
	struct fake *fake = state;
	const struct plan *plan = fake->setup.plan;
	const struct plan_row *row = request->row;
	struct world_run run;
	const char *name;

	(void)err;
	memset(ret, 0, sizeof(*ret));
	run_record_init(&ret->record);
	name = arena_printf(&ret->record.arena, "%s %s %d %d", row->name,
		run_role_name(request->role), request->block, request->attempt);
	world_simulate(fake->world, plan->descriptor, row->levels, plan->builds[row->build].key,
		request->block, name, &ret->record.arena, &run);
	if (run.fate == WORLD_TIMEOUT)
		run.seconds *= TIMEOUT_FACTOR;
	ret->run.started_at = fake->now.real_ns;
	ret->run.start_ns = fake->now.mono_ns;
	ret->run.wall_ns = to_ns(run.seconds * 1e9);
	advance(fake, world_run_ns(fake->world) ? world_run_ns(fake->world) : ret->run.wall_ns);
	fill(ret, &run);
	return 0;
}

static struct clock_stamp fake_now(void *state)
{
	return ((struct fake *)state)->now;
}

const struct executor executor_fake = {
	.name = "fake",
	.summary = "simulates builds and runs of a world file (--simulate)",
	.open = fake_open,
	.new_seed = fake_new_seed,
	.use_seed = fake_use_seed,
	.build = fake_build,
	.run = fake_run,
	.now = fake_now,
	.close = fake_close,
};
