-- SPDX-License-Identifier: GPL-3.0-or-later
-- The store, schema 1. Raw values only: everything derived is computed again from these.
--
-- Times: *_at are nanoseconds since 1970 (UTC, CLOCK_REALTIME), *_ns nanoseconds of
-- CLOCK_MONOTONIC. Integer ids are local to one file; uids, digests and (session, row, block,
-- attempt, role) name the same thing in every store. A value that was not measured is NULL with a
-- reason, never 0.

CREATE TABLE host (
	id INTEGER PRIMARY KEY,
	uid TEXT NOT NULL UNIQUE,
	name TEXT NOT NULL,
	kernel TEXT NOT NULL,
	cpu TEXT NOT NULL,
	epoch TEXT NOT NULL, -- digest of what must not change between compared runs
	facts TEXT NOT NULL CHECK (json_valid(facts))
) STRICT;

CREATE TABLE experiment (
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL,
	digest TEXT NOT NULL UNIQUE,
	text TEXT NOT NULL
) STRICT;

CREATE TABLE session (
	id INTEGER PRIMARY KEY,
	uid TEXT NOT NULL UNIQUE,
	experiment_id INTEGER NOT NULL REFERENCES experiment (id),
	host_id INTEGER NOT NULL REFERENCES host (id),
	plan TEXT NOT NULL,
	seed INTEGER NOT NULL, -- 64 bits; printed as unsigned
	state TEXT NOT NULL CHECK (state IN ('open', 'complete', 'aborted')),
	started_at INTEGER NOT NULL,
	ended_at INTEGER,
	command TEXT NOT NULL,
	version TEXT NOT NULL,
	epoch TEXT NOT NULL, -- of the host when the session began; host holds what was seen last
	facts TEXT NOT NULL CHECK (json_valid(facts))
) STRICT;
CREATE INDEX session_plan ON session (plan);

CREATE TABLE build (
	id INTEGER PRIMARY KEY,
	key TEXT NOT NULL UNIQUE,
	status TEXT NOT NULL CHECK (status IN ('ok', 'failed', 'timeout')),
	digest TEXT,
	code_digest TEXT,
	seconds REAL,
	log TEXT,
	reason TEXT
) STRICT;

CREATE TABLE plan_row (
	id INTEGER PRIMARY KEY,
	session_id INTEGER NOT NULL REFERENCES session (id),
	name TEXT NOT NULL,
	workload TEXT NOT NULL,
	variant TEXT NOT NULL,
	label TEXT NOT NULL,
	options TEXT NOT NULL CHECK (json_valid(options)),
	axes TEXT NOT NULL CHECK (json_valid(axes)),
	baseline TEXT NOT NULL, -- name of the baseline row of the same cell
	build_id INTEGER REFERENCES build (id),
	run_key TEXT NOT NULL,
	UNIQUE (session_id, name)
) STRICT;
CREATE INDEX plan_row_build ON plan_row (build_id);

CREATE TABLE run (
	id INTEGER PRIMARY KEY,
	session_id INTEGER NOT NULL REFERENCES session (id),
	row_id INTEGER NOT NULL REFERENCES plan_row (id),
	block INTEGER NOT NULL,
	position INTEGER NOT NULL,
	attempt INTEGER NOT NULL CHECK (attempt >= 1),
	-- Spelled out: for IN with a list SQLite builds a temporary table, each time that a row is
	-- written, and these are written before and after every run.
	role TEXT NOT NULL CHECK
		(role = 'measured' OR role = 'warmup' OR role = 'profile' OR role = 'confirm'),
	pass INTEGER NOT NULL,
	resumed INTEGER NOT NULL CHECK (resumed IN (0, 1)), -- its block was interrupted before
	status TEXT NOT NULL CHECK
		(status = 'running' OR status = 'ok' OR status = 'failed' OR status = 'timeout' OR
		status = 'invalid' OR status = 'lost' OR status = 'discarded'),
	reason TEXT,
	exit_code INTEGER,
	signal INTEGER,
	started_at INTEGER NOT NULL,
	start_ns INTEGER,
	wall_ns INTEGER,
	boottime_gap_ns INTEGER,
	realtime_gap_ns INTEGER,
	cpus TEXT,
	stdout_bytes INTEGER,
	stderr_bytes INTEGER,
	stderr_tail TEXT,
	UNIQUE (row_id, role, block, attempt)
) STRICT;
CREATE INDEX run_session ON run (session_id);

CREATE TABLE metric (
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE,
	unit TEXT NOT NULL, -- s, B, ...; empty = a count or a ratio
	better TEXT NOT NULL CHECK (better IN ('lower', 'higher', 'none'))
) STRICT;

CREATE TABLE scope (
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE -- run, phase:NAME, system
) STRICT;

CREATE TABLE sample (
	run_id INTEGER NOT NULL REFERENCES run (id),
	metric_id INTEGER NOT NULL REFERENCES metric (id),
	scope_id INTEGER NOT NULL REFERENCES scope (id),
	instance TEXT NOT NULL DEFAULT '', -- empty = the run's own value, else one of many
	value REAL,
	reason TEXT,
	quality TEXT NOT NULL DEFAULT '', -- blank-separated flags; empty = clean
	quantum REAL, -- resolution of a printed decimal; NULL = unknown
	collector TEXT NOT NULL,
	PRIMARY KEY (run_id, metric_id, scope_id, instance),
	CHECK (value IS NOT NULL OR reason IS NOT NULL)
) STRICT, WITHOUT ROWID;

CREATE TABLE phase (
	id INTEGER PRIMARY KEY,
	run_id INTEGER NOT NULL REFERENCES run (id),
	name TEXT NOT NULL,
	instance TEXT NOT NULL,
	thread TEXT NOT NULL,
	start_ns INTEGER NOT NULL, -- since the release of the run
	end_ns INTEGER NOT NULL,
	parent_id INTEGER REFERENCES phase (id) DEFERRABLE INITIALLY DEFERRED,
	source TEXT NOT NULL
) STRICT;
CREATE INDEX phase_run ON phase (run_id);

CREATE TABLE series (
	run_id INTEGER NOT NULL REFERENCES run (id),
	metric_id INTEGER NOT NULL REFERENCES metric (id),
	t_ns INTEGER NOT NULL, -- since the release of the run
	value REAL,
	PRIMARY KEY (run_id, metric_id, t_ns)
) STRICT, WITHOUT ROWID;

CREATE TABLE log (
	run_id INTEGER NOT NULL REFERENCES run (id),
	stream TEXT NOT NULL,
	bytes INTEGER NOT NULL, -- as printed; kept may hold less
	kept BLOB NOT NULL,
	zstd INTEGER NOT NULL CHECK (zstd IN (0, 1)), -- 1: kept is a zstd frame
	PRIMARY KEY (run_id, stream)
) STRICT;

-- Every run. wall_s is NULL unless the run is ok, so that no time-out ends up in a mean.
CREATE VIEW v_run_all AS
SELECT r.id AS run_id, e.name AS experiment, s.uid AS session, p.workload, p.variant, p.axes,
	r.block, r.position, r.status,
	strftime('%Y-%m-%dT%H:%M:%fZ', r.started_at / 1e9, 'unixepoch') AS started,
	CASE WHEN r.status = 'ok' THEN r.wall_ns / 1e9 END AS wall_s,
	r.role, r.attempt, r.reason
FROM run r
JOIN plan_row p ON p.id = r.row_id
JOIN session s ON s.id = r.session_id
JOIN experiment e ON e.id = s.experiment_id;

-- What reports count: of each measured (row, block) the last attempt, once it has ended. A session
-- that was killed and resumed has as many rows here as an undisturbed one.
CREATE VIEW v_run AS
SELECT a.run_id, a.experiment, a.session, a.workload, a.variant, a.axes, a.block, a.position,
	a.status, a.started, a.wall_s
FROM run r
JOIN v_run_all a ON a.run_id = r.id
WHERE r.role = 'measured' AND r.status <> 'running'
	AND NOT EXISTS (SELECT 1 FROM run later
		WHERE later.row_id = r.row_id AND later.role = r.role AND later.block = r.block
			AND later.attempt > r.attempt);

-- Samples of every run, as they were measured.
CREATE VIEW v_sample_all AS
SELECT x.run_id, a.experiment, a.session, a.workload, a.variant, a.axes, a.block,
	c.name AS scope, m.name AS metric, x.instance, m.unit, x.value, x.reason, x.quality,
	x.collector, a.role, a.attempt, a.status
FROM sample x
JOIN metric m ON m.id = x.metric_id
JOIN scope c ON c.id = x.scope_id
JOIN v_run_all a ON a.run_id = x.run_id;

-- Samples of the runs in v_run; values of a run that is not ok are NULL with that as the reason.
CREATE VIEW v_sample AS
SELECT x.run_id, a.experiment, a.session, a.workload, a.variant, a.axes, a.block,
	c.name AS scope, m.name AS metric, x.instance, m.unit,
	CASE WHEN a.status = 'ok' THEN x.value END AS value,
	CASE WHEN a.status = 'ok' THEN x.reason ELSE 'run ' || a.status END AS reason,
	x.quality, x.collector
FROM v_run a
JOIN sample x ON x.run_id = a.run_id
JOIN metric m ON m.id = x.metric_id
JOIN scope c ON c.id = x.scope_id;

CREATE VIEW v_phase AS
SELECT p.run_id, p.name, p.instance, p.thread, p.start_ns / 1e9 AS start_s,
	p.end_ns / 1e9 AS end_s, q.name AS parent, p.source
FROM phase p
LEFT JOIN phase q ON q.id = p.parent_id;

-- GPU activity has no tables before something collects it: the view fixes the columns and is empty.
CREATE VIEW v_gpu AS
SELECT CAST(NULL AS INTEGER) AS run_id, CAST(NULL AS TEXT) AS kind, CAST(NULL AS TEXT) AS name,
	CAST(NULL AS INTEGER) AS device, CAST(NULL AS INTEGER) AS stream,
	CAST(NULL AS REAL) AS start_s, CAST(NULL AS REAL) AS end_s, CAST(NULL AS INTEGER) AS bytes
WHERE 0;

CREATE VIEW v_build AS
SELECT b.id AS build_id, b.key, b.status, b.digest, b.code_digest, b.seconds,
	(SELECT group_concat(variant, ' ') FROM
		(SELECT DISTINCT variant FROM plan_row WHERE build_id = b.id ORDER BY variant))
		AS variants
FROM build b;

CREATE VIEW v_host AS
SELECT uid AS host, epoch, name, kernel, cpu, facts FROM host;
