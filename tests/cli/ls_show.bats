#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# assay ls, assay show, and what they say when there is nothing.
load common

@test "nothing measured yet: exit 9, and what makes it" {
	local command
	for command in ls "ls 1" "show 1" report "report 1"; do
		expect 9 $command
		says "nothing measured yet"
		says "assay run"
	done
	[ ! -e .assay ]
	experiment
	expect 9 ls exp.yaml
	expect 9 report exp.yaml
}

@test "sessions and runs" {
	experiment
	expect 0 run exp.yaml --quiet
	expect 0 run exp.yaml --quiet
	expect 0 ls
	shows "exp"
	shows "complete"
	expect 0 ls --json
	jq -e '.schema == 1 and (.sessions | length) == 2 and .sessions[0].runs == 6 and
		.sessions[0].failed == 0 and .sessions[0].experiment == "exp"' <<<"$output"
	local uid
	uid=$(jq -r '.sessions[0].uid' <<<"$output")
	expect 0 ls "${uid:0:8}"
	shows "w/none"
	expect 0 ls 1
	[ "$(grep -c 'w/' <<<"$output")" = 9 ]
	expect 9 ls 7
	expect 9 report 7
	expect 0 report "${uid:0:8}"
	expect 0 ls 1 --json
	jq -e . <<<"$output"
}

@test "one run, whole" {
	experiment
	printf '#!/bin/sh\necho out; echo err >&2\n' >src/prog.sh
	expect 0 run exp.yaml --quiet
	expect 0 show 4
	shows "w/"
	shows "wall"
	shows "rss_peak"
	shows "err"
	expect 0 show 4 --output stdout
	[ "$output" = out ]
	expect 0 show 4 --output stderr
	[ "$output" = err ]
	expect 0 show 4 --json
	jq -e '.schema == 1 and .run.status == "ok" and (.samples | length) > 3' <<<"$output"
	expect 9 show 400
	says "400"
	expect 2 show four
	expect 2 show
	expect 2 show 4 --output both
	# From another folder.
	cd /
	expect 0 show 4 --file "$work/exp.yaml"
	expect 0 show 4 --file "$work"
}

@test "the views agree with the commands" {
	experiment
	expect 0 run exp.yaml --quiet
	[ "$(query "select count(*) from v_run")" = 6 ]
	[ "$(query "select count(*) from v_run_all where role = 'warmup'")" = 3 ]
	[ "$(query "select distinct experiment || ' ' || workload from v_run")" = "exp w" ]
	[ "$(query "select count(*) from v_run r join v_sample s using (run_id) where s.metric = 'wall' and s.scope = 'run' and abs(s.value - r.wall_s) < 1e-6")" = 6 ]
	[ "$(query "select variants from v_build where variants like '%E%'")" = "none, E" ] ||
		query "select * from v_build"
	[ "$(query "select count(*) from v_host")" = 1 ]
}
