#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# run --simulate: the real engine in a made-up world, the same byte for byte every time.
load common

world() { # YAML...
	printf 'schema: 1\n%s\n' "$*" >world.yaml
}

@test "a world alone: effects are found, nothing else is called slower" {
	world 'options: [A, B, C]
effects: {A: 0.1, C: -0.1}
noise: 0.002'
	expect 0 run --simulate world.yaml --json
	[ "$(verdicts <<<"$output")" = "A regressed B same C improved A+B+C same" ]
	jq -e '.schema == 1 and .session.state == "complete"' <<<"$output"
}

@test "twice the same, byte for byte, as text, as JSON and in the progress" {
	world 'options: [A, B, {name: L, levels: [a, b]}]
effects: {A: 0.09, "A+B": 0.06, "L=a": 0.02}
conflicts: [[A, L]]
noise: 0.02
drift: 0.02
spikes: 0.1
fail: {B: {run: 0.2}}
phases: {one: {share: 0.5, effects: {B: 0.1}}}
seed: 7'
	local format
	for format in "" --json; do
		for i in 1 2; do
			"$assay" run --simulate world.yaml $format >out$i 2>err$i || true
			sleep 0.6 # another second: no time of day in it
		done
		[ -s out1 ]
		[ -s err1 ]
		cmp out1 out2
		cmp err1 err2
	done
	sed -i 's/seed: 7/seed: 8/' world.yaml
	"$assay" run --simulate world.yaml --json >out2 2>err2 || true
	! cmp -s out1 out2
}

@test "nothing is written but to the output" {
	world 'options: [A]'
	mkdir tmp work
	cd work
	TMPDIR=$PWD/../tmp expect 0 run --simulate ../world.yaml
	[ -z "$(ls -A)$(ls -A ../tmp)" ]
	# Not beside a descriptor either.
	cat >d.yaml <<-END
		schema: 1
		name: d
		options: {A: {define: {A: 1}}}
		workloads: {w: {run: [true]}}
	END
	expect 0 run d.yaml --simulate ../world.yaml
	[ "$(ls -A)" = d.yaml ]
	says "run 1 "
}

@test "pipes get lines, no terminal codes; --quiet gets none" {
	world 'options: [A]'
	expect 0 run --simulate world.yaml
	! grep -q $'[\e\r]' <<<"$output$stderr"
	says "run 4  none  block 1"
	expect 0 run --simulate world.yaml --quiet
	[ -z "$stderr" ]
	shows "sim: time in"
}

@test "exit status 4: a build fails, the rest is measured" {
	world 'options: [A, B]
fail: {A: build}'
	expect 4 run --simulate world.yaml --json
	jq -e '[.verdicts[] | select(.variant == "A") | .verdict, .reason] ==
		["unmeasured", "build failed: the simulated build fails"]' <<<"$output" ||
		jq -e '.verdicts[] | select(.variant == "A") | .verdict == "unmeasured"' <<<"$output"
	jq -e '.verdicts[] | select(.variant == "B") | .runs == 4' <<<"$output"
}

@test "exit status 5: runs fail, time out or are invalid" {
	local how
	for how in run timeout invalid; do
		world "options: [A, B]
fail: {A: $how}"
		expect 5 run --simulate world.yaml --json
		says "could not be measured"
		jq -e '.verdicts[] | select(.variant == "A") | .verdict == "unmeasured" and .runs == 4 and
			.failed == 4' <<<"$output"
	done
}

@test "exit status 9: no valid run at all" {
	world 'options: [A]
fail: {A: run}'
	cat >d.yaml <<-END
		schema: 1
		name: d
		options: {A: {define: {A: 1}}}
		workloads: {w: {run: [true]}}
		matrix: {sets: [A], baseline: A}
	END
	expect 9 run d.yaml --simulate world.yaml
	says "has no valid run"
	says "w/A: exit status 1: assay show 2"
}

@test "exit status 8: the budget is spent; the same command goes on" {
	world 'options: [A]
noise: 0.001
effects: {A: 0.1}'
	cat >d.yaml <<-END
		schema: 1
		name: d
		options: {A: {env: {A: x}}}
		workloads: {w: {run: [true]}}
		measure: {budget: 63.5 s, warmup: 0}
	END
	expect 8 run d.yaml --simulate world.yaml --store s.db
	says "the same command goes on with it"
	[ "$(query "select state from session" s.db)" = open ]
	expect 0 run d.yaml --simulate world.yaml --store s.db
	says "goes on: 4 runs were done"
	[ "$(query "select state || count(*) from session" s.db)" = complete1 ]
	[ "$(counts s.db)" = "A 4 none 4" ]
}

@test "--store keeps the runs, each time as a session of its own" {
	world 'options: [A]'
	expect 0 run --simulate world.yaml --store s.db
	expect 0 run --simulate world.yaml --store s.db
	[ "$(query "select count(*), count(distinct uid) from session" s.db)" = "2|2" ]
	[ "$(query "select count(*) from v_run" s.db)" = 16 ]
	[ "$(query "select distinct quality from v_sample" s.db)" = simulated ]
}

@test "--where, --set" {
	world 'options: [A, B, C]'
	expect 0 run --simulate world.yaml --json --where 'A & !B' --set measure.blocks=6
	[ "$(jq -r '[.verdicts[].variant] | join(" ")' <<<"$output")" = A ]
	jq -e '.verdicts[0].runs == 6' <<<"$output"
	expect 2 run --simulate world.yaml --where 'A & X'
	says "--where: 'A & X', column 5: unknown name 'X'"
	expect 2 run --simulate world.yaml --where 'A & !A'
	says "no row matches"
}

@test "requires and conflicts of the world are the options'" {
	world 'options: [A, B, C]
requires: {B: [A]}
conflicts: [[A, C]]'
	expect 0 run --simulate world.yaml --json
	[ "$(jq -r '[.verdicts[].variant] | join(" ")' <<<"$output")" = "A A+B C" ]
	says "world.yaml as a descriptor:"
}

@test "mistakes of a world are said with their places, all of them" {
	world 'options: [ALPHA, on]
effects: {ALPHE: 1, ALPHA: big}
noise: -1
colour: red'
	expect 3 run --simulate world.yaml
	says "world.yaml:2:18: error:"
	says "world.yaml:3:11: error: effects.ALPHE: this world has no option 'ALPHE'"
	says "did you mean 'ALPHA'?"
	says "world.yaml:3:28: error:"
	says "world.yaml:4:8: error:"
	says "world.yaml:5:1: error:"
	[ -z "$output" ]
}

@test "a world with options that the descriptor does not have" {
	world 'options: [A, Z]
effects: {Z: 1}'
	cat >d.yaml <<-END
		schema: 1
		name: d
		options: {A: {define: {A: 1}}}
		workloads: {w: {run: [true]}}
	END
	expect 3 run d.yaml --simulate world.yaml
	says "world.yaml:3:11:"
	says "no option 'Z'"
	[ ! -e .assay ]
}

@test "no world there" {
	expect 6 run --simulate nowhere.yaml
	says "nowhere.yaml"
	expect 2 run --simulate
}

@test "times beyond what a clock holds are no crash and no negative time" {
	local line
	for line in 'costs: {build: 100000 d, run: 100000 d}' 'base: 100000 d' \
		'base: 100000 d
effects: {A: 9}
drift: 5
phases: {p: {share: 0.4}, q: {share: 0.3}, r: {share: 0.3}}'; do
		world "options: [A]
$line"
		try run --simulate world.yaml
		[ "$status" -eq 0 ] || [ "$status" -eq 5 ]
		[[ $output$stderr != *"runtime error"* ]]
		[[ $stderr != *" -"[0-9]* ]]
	done
	world 'options: [A]
noise: 1e9'
	expect 3 run --simulate world.yaml
	world 'options: [A]
requires: {A: [A]}'
	expect 3 run --simulate world.yaml
	[[ $stderr != *simulated.yaml* ]]
}
