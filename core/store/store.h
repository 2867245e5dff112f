/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The store: one SQLite file (WAL, STRICT tables, foreign keys), raw values only, append only.
 * Schema: doc/store.md and core/store/schema/NNN.sql. Every writing call here is one
 * transaction; a crash loses at most the run that was going on.
 *
 * Errors are E_STORE with a cure: full disk, newer schema ("made by a newer assay"), not a store at
 * all (another application_id or no SQLite file), read-only folder, busy.
 *
 * A struct store is used by one thread at a time; any number may be open on one file.
 */
#ifndef ASSAY_STORE_STORE_H
#define ASSAY_STORE_STORE_H

#include <sqlite3.h>

#include "core/base/err.h"
#include "core/model/record.h"

#define STORE_APPLICATION_ID 0x41535359

struct store;

enum store_mode {
	STORE_READ,  /* must exist; E_NOTHING when it does not ("nothing measured yet") */
	STORE_WRITE, /* made when it does not exist; migrated when older */
	STORE_BRIEF, /* written, for nobody else to read, and gone with its folder soon: no
			write-ahead log, no locks, nothing synced; of no use after a crash */
};

int store_open(const char *path, enum store_mode mode, struct store **ret, struct err *err)
	MUST_CHECK;
void store_close(struct store *store);
DEFINE_CLEANUP(struct store, store_close)
/* For reads that have no call of their own (reports/, tests). */
sqlite3 *store_db(struct store *store);
/* PRAGMA integrity_check and foreign_key_check. */
int store_verify(struct store *store, struct err *err) MUST_CHECK;

/* --- Writing -----------------------------------------------------------------------------------
 */

struct store_host {
	const char *uid; /* machine id digest */
	const char *name, *kernel, *cpu, *epoch;
	const char *facts; /* JSON */
};
/* Insert, or update of the same uid; sessions keep the epoch and facts of their own time. */
int store_put_host(struct store *store, const struct store_host *host, int64_t *ret_id,
	struct err *err) MUST_CHECK;
/* text: the descriptor as it was (with overlay and --set applied, as text or JSON). */
int store_put_experiment(struct store *store, const char *name, const char *digest,
	const char *text, int64_t *ret_id, struct err *err) MUST_CHECK;

struct store_session {
	int64_t id;
	char uid[33];
	int64_t experiment_id, host_id;
	const char *experiment; /* name; filled when read */
	const char *plan;
	uint64_t seed;
	const char *state;            /* open complete aborted */
	int64_t started_at, ended_at; /* realtime ns; 0 = not yet */
	const char *command, *version;
};
/* Makes an open session; id is filled in, and uid (random) unless the caller set one. */
int store_begin_session(struct store *store, struct store_session *session, struct err *err)
	MUST_CHECK;
/* The newest session of a plan on a host, open again, unless it is complete: ret->id = 0 then, or
 * when there is none. Texts into the arena. Runs that are still `running` become `lost`. A session
 * of another epoch (kernel, compiler ...) of the host is not found: runs of two epochs are not
 * compared.
 */
int store_resume_session(struct store *store, const char *plan, int64_t host_id,
	struct arena *arena, struct store_session *ret, struct err *err) MUST_CHECK;
/* Marks the open sessions of an experiment name on this host `aborted` but the one with except_id,
 * and their running runs `lost`; their number in ret. */
int store_abort_sessions(struct store *store, const char *experiment, int64_t host_id,
	int64_t except_id, int *ret_n, struct err *err) MUST_CHECK;
/* ended_at: realtime ns, 0 = now. */
int store_end_session(struct store *store, int64_t session_id, const char *state, int64_t ended_at,
	struct err *err) MUST_CHECK;

struct store_build {
	const char *key, *status;         /* ok failed timeout */
	const char *digest, *code_digest; /* of the outputs; NULL when failed */
	double seconds;
	const char *log, *reason; /* log: path relative to the state folder */
};
/* Insert, or update of the same key. */
int store_put_build(struct store *store, const struct store_build *build, int64_t *ret_id,
	struct err *err) MUST_CHECK;

struct store_row {
	const char *name, *workload, *variant, *label;
	const char *options, *axes; /* JSON objects */
	const char *baseline;       /* name of the baseline row of its cell */
	int64_t build_id;           /* 0 = none */
	const char *run_key;
};
/* All rows of a session in one transaction; present ones (by name) keep their id. ret_ids[n]. */
int store_put_rows(struct store *store, int64_t session_id, const struct store_row *rows, size_t n,
	int64_t *ret_ids, struct err *err) MUST_CHECK;

struct store_run {
	int64_t row_id;
	int block;    /* 0-based; warm-up runs count their own */
	int position; /* place in the order of the block */
	int attempt;  /* from 1 */
	enum run_role role;
	int pass;     /* 0 */
	bool resumed; /* part of a block that a crash or Ctrl-C had interrupted */
	/* at the end */
	enum run_status status;
	const char *reason;
	int exit_code, signal;                 /* -1, 0: does not apply -> NULL */
	int64_t started_at, start_ns, wall_ns; /* wall_ns < 0 = NULL */
	int64_t boottime_gap_ns, realtime_gap_ns;
	const char *cpus;
	uint64_t stdout_bytes, stderr_bytes;
	const char *stderr_tail; /* cleaned of nothing; as bytes that are valid UTF-8 */
};
struct store_log {          /* kept part of an output stream */
	const char *stream; /* "stdout", "stderr" */
	const char *kept;
	size_t kept_len;
	uint64_t bytes; /* true size */
};
/* Before the run: status running. */
int store_begin_run(struct store *store, const struct store_run *run, int64_t *ret_id,
	struct err *err) MUST_CHECK;
/* After it: everything in one transaction. Of two samples with one (metric, scope, instance) the
 * later one is kept; a value in another unit than the metric's becomes NULL with that as the
 * reason, a value that is not finite NULL. A stream that printed nothing leaves no log. E_BUG when
 * the run is not `running`. */
int store_end_run(struct store *store, int64_t run_id, const struct store_run *run,
	const struct run_record *record, const struct store_log *logs, size_t n_logs,
	struct err *err) MUST_CHECK;

/* --- Reading -----------------------------------------------------------------------------------
 */

/* Sessions, newest first. experiment NULL = all. Texts into the arena. */
int store_list_sessions(struct store *store, const char *experiment, struct arena *arena,
	struct store_session **ret, size_t *ret_n, struct err *err) MUST_CHECK;
/* By uid prefix (>= 4 hex digits) or decimal id; E_USAGE when ambiguous, E_NOTHING when absent. */
int store_find_session(struct store *store, const char *name, struct arena *arena,
	struct store_session *ret, struct err *err) MUST_CHECK;

struct stored_row {
	int64_t id;
	struct store_row row;
	struct store_build build; /* key NULL = no build */
};
int store_read_rows(struct store *store, int64_t session_id, struct arena *arena,
	struct stored_row **ret, size_t *ret_n, struct err *err) MUST_CHECK;

struct stored_run {
	int64_t id;
	struct store_run run;
};
/* All runs of a session in order of start, every attempt and role. */
int store_read_runs(struct store *store, int64_t session_id, struct arena *arena,
	struct stored_run **ret, size_t *ret_n, struct err *err) MUST_CHECK;

struct stored_value {
	int64_t run_id;
	double value; /* NaN = not measured */
	const char *reason, *quality;
	double quantum;
};
/* Run values (instance '') of one metric in one scope for a session, in order of run_id. */
int store_read_metric(struct store *store, int64_t session_id, const char *metric,
	const char *scope, struct arena *arena, struct stored_value **ret, size_t *ret_n,
	const char **ret_unit, const char **ret_better, struct err *err) MUST_CHECK;
/* Metrics ("wall", ...) and scopes that a session's runs were asked for; n counts the values, 0
 * when there are only reasons. Scope run first. */
struct stored_metric {
	const char *metric, *scope, *unit, *better;
	size_t n;
};
int store_read_metric_names(struct store *store, int64_t session_id, struct arena *arena,
	struct stored_metric **ret, size_t *ret_n, struct err *err) MUST_CHECK;
/* Samples, phases and logs of one run; E_NOTHING when there is none of that id. ret_record is made
 * here: run_record_release. */
int store_read_run(struct store *store, int64_t run_id, struct arena *arena,
	struct stored_run *ret_run, int64_t *ret_session_id, struct stored_row *ret_row,
	struct run_record *ret_record, struct store_log *ret_logs, size_t *ret_n_logs /* 2 */,
	struct err *err) MUST_CHECK;

#endif
