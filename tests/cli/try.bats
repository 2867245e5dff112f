#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# assay try: one run on the terminal, and every pattern beside the line that it matched.
load common

patterns_experiment() {
	experiment
	cat >src/prog.sh <<-'END'
		#!/bin/sh
		echo "synth_ms=12 proof verified"
		echo "warn: slow" >&2
	END
	sed -i "s/A: {define: {A: 1}}/A: {define: {A: 1}, seen: [{in: stderr, re: 'warn: fast'}]}/
		s/timeout: 10 s}/timeout: 10 s, check: [{in: stdout, text: \"proof verified\"}], metrics: {synth: {in: stdout, re: 'synth_ms=(?<v>[0-9]+)', unit: ms}}}/" exp.yaml
}

@test "the program's output, each pattern with its line, the values, the status" {
	patterns_experiment
	expect 0 try exp.yaml
	[[ $output == "synth_ms=12 proof verified"* ]]
	shows "metric synth 1 line"
	shows "check        1 line    proof verified"
	shows "12.00 ms"
	shows "w/none: ok"
	[ ! -e .assay/assay.db ] # nothing is kept
	[ -z "$(ls -A .assay/run .assay/work 2>/dev/null)" ]
}

@test "a pattern without a line shows the nearest one; the run is judged as it would be" {
	patterns_experiment
	expect 5 try exp.yaml A
	shows "seen A       no line   warn: fast"
	shows "nearest:"
	shows "warn: slow"
	says "option A was not seen"
	# E shares the build of none; the row may be named with its workload.
	expect 0 try exp.yaml E
	expect 0 try exp.yaml w/E
}

@test "rows that are none, builds that fail" {
	patterns_experiment
	expect 2 try exp.yaml NOPE
	says "the plan has no row 'NOPE'"
	says "assay plan exp.yaml"
	sed -i '/steps:/s/.*/  steps: [["false"]]/' exp.yaml
	expect 4 try exp.yaml A
	says "build A: failed: step 'false'"
	says "'A' was not built"
}

@test "--log: a saved log instead of a run" {
	patterns_experiment
	echo 'synth_ms=13 proof verifed' >saved.log
	expect 0 try exp.yaml --log saved.log
	shows "metric synth 1 line"
	shows "check        no line   proof verified"
	shows "proof verifed"
	expect 6 try exp.yaml --log nowhere.log
	[ ! -d .assay/builds ]
}

@test "Ctrl-C ends it: exit 130" {
	cat >exp.yaml <<-END
		schema: 1
		name: hang
		workloads: {w: {run: ["$hostile", polite]}}
		matrix: {sets: [none]}
	END
	env --default-signal=INT "$assay" try exp.yaml >out 2>err 3>&- &
	local pid=$! status=0 i
	for ((i = 0; i < 500; i++)); do
		grep -qs ready out && break
		sleep 0.01
	done
	kill -INT "$pid"
	wait "$pid" || status=$?
	cat out err
	[ "$status" -eq 130 ]
	nobody_has "$hostile"
}
