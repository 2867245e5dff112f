/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/engine/ledger.h"

#include <stdio.h>
#include <stdlib.h>

/* A run longer than this warms itself up (FORMATS section 2, measure.warmup). */
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
		.row_ns = xcalloc(plan->n_rows, sizeof(*ledger->row_ns)),
		.row_n = xcalloc(plan->n_rows, sizeof(*ledger->row_n)),
		.slow = xcalloc(plan->descriptor->n_workloads, sizeof(*ledger->slow)),
	};
}

void ledger_release(struct ledger *ledger)
{
	for (size_t i = 0; i < ledger->entries.n; i++)
		free(ledger->entries.entries[i].value);
	map_release(&ledger->entries);
	map_release(&ledger->blocks);
	free(ledger->row_ns);
	free(ledger->row_n);
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
		ledger->row_ns[row] += (double)wall_ns;
		ledger->row_n[row]++;
		if (wall_ns > SLOW_RUN_NS)
			ledger->slow[ledger->plan->rows[row].workload -
				     ledger->plan->descriptor->workloads] = true;
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
	const struct workload *workload = ledger->plan->rows[row].workload;
	double own = 0, all = 0;
	size_t n_own = 0, n_all = 0;

	if (ledger->row_n[row])
		return ledger->row_ns[row] / (double)ledger->row_n[row];
	for (size_t i = 0; i < ledger->plan->n_rows; i++) {
		all += ledger->row_ns[i];
		n_all += ledger->row_n[i];
		if (ledger->plan->rows[i].workload == workload) {
			own += ledger->row_ns[i];
			n_own += ledger->row_n[i];
		}
	}
	if (n_own)
		return own / (double)n_own;
	return n_all ? all / (double)n_all : -1;
}
