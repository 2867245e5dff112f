#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The store while sessions go on: taken away, replaced, shared, read by others.
load common

# Runs of 20 ms, enough of them to come in between.
slow_experiment() {
	experiment
	printf '#!/bin/sh\nsleep 0.02\n' >src/prog.sh
	sed -i 's/blocks: 2/blocks: 20/' exp.yaml
}

# Waits until the store has N ended runs.
until_ran() { # N [STORE]
	local i
	for i in $(seq 200); do
		[ "$(query "select count(*) from run where status = 'ok'" "${2:-}" 2>/dev/null || echo 0)" -lt "$1" ] || return 0
		sleep 0.05
	done
	return 1
}

@test "a store that is deleted or replaced meanwhile: exit 7 at the next run, it is said" {
	slow_experiment
	local how pid rc
	for how in 'rm .assay/assay.db*' 'cp .assay/assay.db x && mv x .assay/assay.db'; do
		rm -rf .assay
		"$assay" run exp.yaml >out 2>err 3>&- &
		pid=$!
		until_ran 3
		eval "$how"
		rc=0
		wait "$pid" || rc=$?
		[ "$rc" -eq 7 ]
		grep -q 'was deleted or replaced meanwhile' err
	done
}

@test "two state folders on one store: the second waits or says who is there" {
	slow_experiment
	local pid
	"$assay" run exp.yaml --state one --store both.db >out 2>err 3>&- &
	pid=$!
	until_ran 3 both.db
	expect 7 run exp.yaml --state two --store both.db
	says "run exp.yaml --state one"
	expect 0 run exp.yaml --state two --store both.db --wait
	wait "$pid"
	[ "$(query "select group_concat(state) from session" both.db)" = complete,complete ]
	# the other's own store
	"$assay" run exp.yaml --state one >out 2>err 3>&- &
	pid=$!
	until_ran 3 one/assay.db
	expect 7 run exp.yaml --state two --store one/assay.db
	wait "$pid"
}

@test "reports and sqlite3 read while runs are written" {
	slow_experiment
	local pid i
	"$assay" run exp.yaml >out 2>err 3>&- &
	pid=$!
	until_ran 3
	# Three runs may have been to warm up: a report needs one that counts.
	until [ "$(query "select count(*) > 0 from v_run where status = 'ok'")" = 1 ]; do
		sleep 0.02
	done
	for i in $(seq 10); do
		expect 0 report exp.yaml
		expect 0 ls exp.yaml
		query "select count(*) from v_run"
	done
	wait "$pid"
	[ "$(counts)" = "A 20 E 20 none 20" ]
}
