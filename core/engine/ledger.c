/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/engine/ledger.h"

#include <stdio.h>
#include <stdlib.h>

/* A run longer than this warms itself up (doc/descriptor.md, measure.warmup). */
#define SLOW_RUN_NS (30 * NS_PER_S)
/* A machine that suspends or steps its clock in every run must not keep a session from ending. */
#define DISCARDED_MAX 3

#define KEY_MAX 64

static void run_key(char key[KEY_MAX], int row, enum run_role role, int block)
{
	snprintf(key, KEY_MAX, "%d %d %d", row, (int)role, block);
}

static void block_key(char key[KEY_MAX], int cell, int block)
{
	snprintf(key, KEY_MAX, "%d %d", cell, block);
}

void ledger_init(struct ledger *ledger, const struct plan *plan)
{
	*ledger = (struct ledger){
		.plan = plan,
		.rows = xcalloc(plan->n_rows, sizeof(*ledger->rows)),
		.workloads = xcalloc(plan->descriptor->n_workloads, sizeof(*ledger->workloads)),
		.slow = xcalloc(plan->descriptor->n_workloads, sizeof(*ledger->slow)),
	};
}

void ledger_release(struct ledger *ledger)
{
	for (size_t i = 0; i < ledger->entries.n; i++)
		free(ledger->entries.entries[i].value);
	map_release(&ledger->entries);
	map_release(&ledger->blocks);
	free(ledger->rows);
	free(ledger->workloads);
	free(ledger->slow);
}

static struct ledger_entry *entry_of(struct ledger *ledger, int row, enum run_role role, int block)
{
	char key[KEY_MAX];
	struct ledger_entry *entry;

	run_key(key, row, role, block);
	entry = map_get(&ledger->entries, key);
	if (!entry) {
		entry = xcalloc(1, sizeof(*entry));
		map_put(&ledger->entries, key, entry);
	}
	return entry;
}

static size_t workload_of(const struct ledger *ledger, int row)
{
	return (size_t)(ledger->plan->rows[row].workload - ledger->plan->descriptor->workloads);
}

static void add_cost(struct ledger_cost *to, int64_t wall_ns)
{
	to->sum_ns += (double)wall_ns;
	to->n++;
}

void ledger_note(struct ledger *ledger, int row, enum run_role role, int block,
	enum run_status status, int64_t wall_ns)
{
	struct ledger_entry *entry = entry_of(ledger, row, role, block);

	entry->attempts++;
	if (status == RUN_LOST || status == RUN_RUNNING)
		return;
	if (status == RUN_DISCARDED && ++entry->discarded < DISCARDED_MAX)
		return;
	entry->done = true;
	if (status != RUN_OK && role == ROLE_MEASURED)
		ledger->failed++;
	if (wall_ns >= 0) {
		add_cost(&ledger->rows[row], wall_ns);
		add_cost(&ledger->workloads[workload_of(ledger, row)], wall_ns);
		add_cost(&ledger->all, wall_ns);
		if (wall_ns > SLOW_RUN_NS)
			ledger->slow[workload_of(ledger, row)] = true;
	}
}

static const struct ledger_entry *find(
	const struct ledger *ledger, int row, enum run_role role, int block)
{
	char key[KEY_MAX];

	run_key(key, row, role, block);
	return map_get(&ledger->entries, key);
}

bool ledger_done(const struct ledger *ledger, int row, enum run_role role, int block)
{
	const struct ledger_entry *entry = find(ledger, row, role, block);

	return entry && entry->done;
}

int ledger_attempts(const struct ledger *ledger, int row, enum run_role role, int block)
{
	const struct ledger_entry *entry = find(ledger, row, role, block);

	return entry ? entry->attempts : 0;
}

void ledger_mark_begun(struct ledger *ledger, int cell, int block)
{
	char key[KEY_MAX];

	block_key(key, cell, block);
	map_put(&ledger->blocks, key, ledger);
}

bool ledger_begun(const struct ledger *ledger, int cell, int block)
{
	char key[KEY_MAX];

	block_key(key, cell, block);
	return map_get(&ledger->blocks, key) != NULL;
}

double ledger_expected_ns(const struct ledger *ledger, int row)
{
	const struct ledger_cost *cost = &ledger->rows[row];

	if (!cost->n)
		cost = &ledger->workloads[workload_of(ledger, row)];
	if (!cost->n)
		cost = &ledger->all;
	return cost->n ? cost->sum_ns / (double)cost->n : -1;
}
