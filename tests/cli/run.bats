#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# assay run: what programs may do to it, and what the exit status says of it.
load common

# program BODY: the tree's program is this shell script
program() {
	printf '#!/bin/sh\n%s\n' "$1" >src/prog.sh
}

# One row (none) of `hostile WORD...`
hostile_experiment() { # ARGV-YAML [WORKLOAD-YAML]
	cat >exp.yaml <<-END
		schema: 1
		name: hostile
		workloads: {w: {run: ["$hostile", $1], ${2:-timeout: 10 s}}}
		matrix: {sets: [none]}
		measure: {blocks: 2, warmup: 0}
	END
}

@test "exit 0 whatever the verdicts: every planned row was measured" {
	experiment
	program '[ -z "$E" ] || sleep 0.02'
	sed -i 's/difference: 50%/difference: 5%/; s/blocks: 2/blocks: 6/' exp.yaml
	expect 0 run exp.yaml --json
	[[ $(verdicts <<<"$output") == *"E regressed"* ]]
	[ "$(counts)" = "A 6 E 6 none 6" ]
	tidy
}

@test "arguments are argv, never split; the environment is the one declared" {
	cat >exp.yaml <<-END
		schema: 1
		name: args
		options: {X: {args: ["--title", "a 'b' \"c\" \$d; e", ""], env: {X: "v w"}}}
		pass: [WANTED]
		workloads:
		  args: {run: ["$hostile", args, "Video title.webm"]}
		  environment: {run: ["$hostile", env]}
		matrix: {sets: [none, X]}
		measure: {blocks: 2, warmup: 0}
	END
	WANTED=yes SECRET=no LC_NUMERIC=de_DE expect 0 run exp.yaml --quiet
	local id
	id=$(query "select max(run_id) from v_run where workload = 'args' and variant = 'X'")
	expect 0 show "$id" --output stdout
	[ "$output" = "[Video title.webm]
[--title]
[a 'b' \"c\" \$d; e]
[]" ]
	id=$(query "select max(run_id) from v_run where workload = 'environment' and variant = 'X'")
	expect 0 show "$id" --output stdout
	grep -qx 'X=v w' <<<"$output"
	grep -qx 'LC_ALL=C' <<<"$output"
	grep -qx 'WANTED=yes' <<<"$output"
	! grep -q 'SECRET\|LC_NUMERIC\|LANG' <<<"$output"
}

@test "argv and environment take the same room in every row" {
	cat >exp.yaml <<-END
		schema: 1
		name: pad
		options: {X: {env: {X: "a rather long value of a variable"}}, Y: {env: {HOME: null}}}
		workloads: {w: {run: ["$hostile", env-size]}}
		measure: {blocks: 2, warmup: 0}
	END
	expect 0 run exp.yaml --quiet
	local id
	for id in $(query "select run_id from v_run"); do
		"$assay" show "$id" --output stdout
	done >sizes
	# Pointers count, too: within a few of them.
	sort -n sizes | awk 'NR == 1 {low = $1} {high = $1} END {exit !(NR == 6 && high - low <= 16)}'
}

@test "a crash: signal, stderr and run number are kept; the others are counted" {
	hostile_experiment crash
	sed -i 's/sets: \[none\]/sets: [none, X]/; s/^workloads/options: {X: {args: [x]}}\n&/' exp.yaml
	expect 9 run exp.yaml
	says "killed by SIGSEGV"
	says "assay show 1"
	[ "$(query "select distinct status || ' ' || signal || ' ' || stderr_tail from run")" = "failed 11 about to crash" ]
	[ "$(query "select count(*) from v_run where wall_s is null")" = 4 ]
	expect 0 show 1
	shows "SIGSEGV"
	shows "about to crash"
}

@test "some runs fail: the row is unmeasured, exit 5, the rest stands" {
	experiment
	program '[ -z "$E" ] || { echo "no luck" >&2; exit 3; }'
	expect 5 run exp.yaml --json
	says "failed: exit status 3"
	[[ $(verdicts <<<"$output") == *"E unmeasured"* ]]
	[ "$(counts)" = "A 2 none 2" ]
	[ "$(query "select count(*) from v_run where status = 'failed' and wall_s is null")" = 2 ]
}

@test "a program that hangs is ended at its time limit" {
	hostile_experiment hang 'timeout: 200 ms'
	expect 9 run exp.yaml
	says "timeout: timed out after 200 ms"
	[ "$(query "select distinct status from run")" = timeout ]
	nobody_has "$hostile"
}

@test "a program that forks and leaves: its children are ended, the run counts" {
	hostile_experiment leave
	expect 0 run exp.yaml
	nobody_has "$hostile"
	hostile_experiment 'tree, "4"' 'timeout: 300 ms'
	expect 9 run exp.yaml
	nobody_has "$hostile"
}

@test "a program that floods: the true size is noted, the kept part is bounded" {
	hostile_experiment 'flood, "50"' 'timeout: 60 s, keep_output: 64 KiB'
	expect 0 run exp.yaml --set measure.blocks=2
	[ "$(query "select distinct stdout_bytes, stderr_bytes from run")" = "52428800|52428800" ]
	expect 0 show 1 --output stdout
	[ "${#output}" -lt 70000 ]
	[[ $output == "out           0"* ]]
	[[ $output == *"bytes were not kept"* ]]
	[[ $output == *"out     3276799" ]]
	[ "$(stat -c %s .assay/assay.db)" -lt 2000000 ]
}

@test "a check that does not hold makes a run invalid" {
	experiment
	sed -i 's/timeout: 10 s}/timeout: 10 s, check: [{in: stdout, text: "all good"}]}/' exp.yaml
	expect 9 run exp.yaml
	says 'invalid: stdout has no "all good"'
	program 'echo all good'
	expect 0 run exp.yaml
}

@test "an exit status that is allowed is none to complain of" {
	hostile_experiment 'exit, "3"' 'check: [{exit: [0, 3]}]'
	expect 0 run exp.yaml
	[ "$(query "select distinct exit_code from run")" = 3 ]
}

@test "an option whose code never ran is unmeasured" {
	cat >exp.yaml <<-END
		schema: 1
		name: seen
		options: {X: {env: {X: "1"}, seen: [{in: stdout, text: "X is on"}]}}
		workloads: {w: {run: ["$hostile", say, hello, ""]}}
		measure: {blocks: 4, warmup: 0}
	END
	expect 5 run exp.yaml --json
	says "option X was not seen"
	[ "$(verdicts <<<"$output")" = "X unmeasured" ]
}

@test "stdin is empty; the working folder is an empty one of the run" {
	hostile_experiment stdin
	expect 0 run exp.yaml --quiet
	expect 0 show 1 --output stdout
	[ "$output" = "0 bytes" ]
	hostile_experiment 'touch, left-over'
	expect 0 run exp.yaml --quiet
	[ ! -e left-over ]
	tidy
}

@test "nothing of the progress comes into a pipe but one line a run" {
	experiment
	expect 0 run exp.yaml
	! grep -q $'[\e\r]' <<<"$output$stderr"
	[ "$(grep -c '^run [0-9]' <<<"$stderr")" = 9 ]
	! grep -q '^run [0-9]' <<<"$output"
}

@test "a pipe: a line a run, a line a block, or none but for failures" {
	experiment
	expect 0 run exp.yaml --progress block
	[ "$(grep -c '^block [12] of 2  run [0-9]* of 9  ' <<<"$stderr")" = 2 ]
	! grep -q '^run [0-9]' <<<"$stderr"
	program '[ -z "$E" ] || exit 3'
	expect 5 run exp.yaml --progress none
	! grep -q '^block' <<<"$stderr"
	[ "$(grep -c '^run [0-9]' <<<"$stderr")" = "$(grep -c 'failed: exit status 3' <<<"$stderr")" ]
	expect 2 run exp.yaml --progress never
}

# screen LINES COLUMNS ARG...: what assay draws on such a terminal, into the file screen
screen() {
	local lines=$1 columns=$2
	shift 2
	script -qec "stty rows $lines cols $columns; '$assay' $*" /dev/null </dev/null | tr -d '\r' >screen
}

@test "the live view fits every terminal and never loses the time to go" {
	command -v script >/dev/null || skip "script is not installed"
	experiment
	sed -i 's/^workloads/axes: {threads: {values: ["1", "2"], args: ["{value}"]}}\n&/
		s/^measure/matrix: {sets: [none, each], axes: [threads]}\n&/' exp.yaml
	program 'sleep 0.12'
	local size up
	for size in "24 80" "8 60" "5 44" "3 40"; do
		screen $size run exp.yaml
		cat screen
		grep -q "^about [0-9]* s to go" <(sed 's/\x1b\[[0-9]*[AJ]//g' screen)
		# Never higher than the terminal, never wider.
		for up in $(grep -o $'\e\\[[0-9]*A' screen | tr -dc '0-9\n'); do
			[ "$up" -lt "${size% *}" ]
		done
		sed 's/\x1b\[[0-9]*[AJ]//g' screen | awk -v w="${size#* }" '
			/^(about|now| threads|Ctrl-C)/ && length($0) >= w {exit 1}'
	done
	screen 24 80 run exp.yaml
	grep -q "^now  A  threads=2" screen
	grep -q "^ threads=2  E  *[0-9.]*  *[-+][0-9.]* %  *1$" screen
	grep -q "time (ms)  against none  runs  lower is better" screen
	grep -q "^Ctrl-C ends this run" screen
}

@test "the build line names the builds that go on" {
	command -v script >/dev/null || skip "script is not installed"
	experiment
	sed -i "s/'cp prog.sh/'sleep 0.4; cp prog.sh/" exp.yaml
	screen 24 80 build exp.yaml --parallel 1
	cat screen
	grep -q "built 0 of 2   building none (" screen
	grep -q "built 1 of 2   building A (" screen
}

@test "on a terminal there is a live block; NO_COLOR means no colours" {
	command -v script >/dev/null || skip "script is not installed"
	experiment
	program 'sleep 0.25'
	script -qec "'$assay' run exp.yaml" /dev/null >screen
	grep -q 'to go' screen
	grep -q "Ctrl-C ends this run" screen
	NO_COLOR=1 script -qec "'$assay' report exp.yaml" /dev/null >screen
	! grep -q $'\e\\[[0-9;]*m' screen
}

@test "builds fail: the log is named, the rest is measured, exit 4" {
	experiment
	cat >src/main.c <<-END
		#ifdef A
		#error "A is broken"
		#endif
		int main(void) { return 0; }
	END
	sed -i '/steps:/s/.*/  steps: [[cc, "{defines}", -o, "{out}\/prog", main.c]]/' exp.yaml
	expect 4 run exp.yaml --json
	says "A is broken"
	says ".log"
	[[ $(verdicts <<<"$output") == *"A unmeasured"* ]]
	[ "$(counts)" = "E 2 none 2" ]
	local log
	log=$(query "select log from build where status = 'failed'")
	grep -q "A is broken" ".assay/$log"
	tidy
}

@test "the baseline's build fails: exit 4, nothing is run" {
	experiment
	sed -i '/steps:/s/.*/  steps: [["false"]]/' exp.yaml
	expect 4 run exp.yaml
	[ "$(query "select count(*) from run")" = 0 ]
	says "assay run: error: session 1 has no valid run"
}

@test "a build that hangs is ended at its time limit" {
	experiment
	sed -i "/steps:/s#.*#  steps: [[\"$hostile\", hang]]\n  timeout: 300 ms#" exp.yaml
	expect 4 run exp.yaml
	says "timeout"
	nobody_has "$hostile"
	tidy
}

@test "rows that are one program are said to be so" {
	experiment
	sed -i 's/"-{defines}"/same/' exp.yaml
	expect 0 run exp.yaml --json
	[ "$(query "select count(distinct digest) from build")" = 1 ]
	"$assay" report exp.yaml >report.txt
	cat report.txt
	grep -qi "same program\|one program\|A/A" report.txt
}

@test "a second run is a session of its own; builds come from the cache" {
	experiment
	expect 0 run exp.yaml --quiet
	expect 0 run exp.yaml
	says "2 builds: 0 made, 2 from the cache"
	[ "$(query "select count(*) from session where state = 'complete'")" = 2 ]
	# A changed source is built anew.
	program 'echo other'
	expect 0 run exp.yaml
	says "2 builds: 2 made, 0 from the cache"
}

@test "--where runs a part; its plan is another" {
	experiment
	expect 0 run exp.yaml --where E --quiet
	[ "$(counts)" = "E 2 none 2" ]
	expect 2 run exp.yaml --where 'nonsense ='
}

@test "measure.budget ends the session between runs; the same command goes on" {
	experiment
	program 'sleep 0.1'
	printf 'x: y\n' >/dev/null
	sed -i 's/measure: {/measure: {budget: 250 ms, /' exp.yaml
	expect 8 run exp.yaml
	says "the same command goes on with it"
	local tries=0
	while [ "$status" -eq 8 ]; do
		[ $((tries += 1)) -lt 12 ]
		try run exp.yaml
	done
	[ "$status" -eq 0 ]
	[ "$(counts)" = "A 2 E 2 none 2" ]
	[ "$(query "select count(*) from session")" = 1 ]
}
