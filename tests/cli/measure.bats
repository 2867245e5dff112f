#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# assay measure: commands without a descriptor.
load common

@test "two commands: the verdict first, then a row each, nothing left behind" {
	mkdir tmp here
	cd here
	TMPDIR=$PWD/../tmp expect 0 measure -n 6 'sleep 0.01' 'sleep 0.03'
	[[ ${lines[0]} == "b is "*" % slower than a ["*"], 6 pairs, "* ]]
	shows "sleep 0.01"
	shows "6/6"
	[[ ${lines[-1]} == "keep it: --save"* ]]
	[ -z "$(ls -A)$(ls -A ../tmp)" ]
}

@test "one command, three commands" {
	expect 0 measure -n 4 true
	shows "4/4"
	expect 0 measure -n 4 'sleep 0.03' 'sleep 0.015' 'sleep 0.06'
	[[ ${lines[0]} == "b is "*" faster than a"* ]]
	[[ ${lines[1]} == "c is "*" slower than a"* ]]
}

@test "a command against itself is no error and no finding" {
	expect 0 measure -n 4 --difference 900% 'sleep 0.01' 'sleep 0.01'
	[[ ${lines[0]} == "b is the same as a within 900 %"* ]]
	expect 0 measure -n 4 --difference '500 ms' true true
	[[ ${lines[0]} == "b is the same as a within 500"*ms* ]]
}

@test "JSON" {
	expect 0 measure -n 4 --json 'sleep 0.01' 'sleep 0.15'
	jq -e '.schema == 1 and .verdicts[0].verdict == "regressed" and .verdicts[0].runs == 4' <<<"$output"
}

@test "--gate: 1 slower, 0 not, 5 when runs fail, 9 when nothing is valid" {
	expect 1 measure -n 6 --gate 'sleep 0.01' 'sleep 0.15'
	expect 0 measure -n 6 --gate 'sleep 0.15' 'sleep 0.01'
	expect 5 measure -n 4 --gate true false
	expect 9 measure -n 4 --gate false 'sh -c "exit 2"'
	says "no command had a run that counts"
	says "a: exit status 1"
	[[ $stderr != *"assay show"* && $stderr != *command/* ]]
}

@test "every place speaks of a, b, c and the commands" {
	expect 5 measure -n 4 'sleep 0.01' 'sleep 0.02' false --save kept.yaml
	shows "c failed: exit status 1"
	says "not measured, since runs failed: c"
	grep -q '^  b: {args: \[sleep, 0.02\]}$' kept.yaml
	grep -q '^name: kept$' kept.yaml
	! grep -q "OLDPWD\|SHLVL\|[[ ]_[],]" kept.yaml
	expect 0 plan kept.yaml
	shows "command/a"
	[[ $output$(cat kept.yaml) != *command=* ]]
	expect 0 report kept.yaml
	shows "against a"
	# Another experiment in the same folder keeps its own sessions.
	expect 0 measure -n 4 true --save other.yaml
	expect 0 report kept.yaml
	shows "against a"
}

@test "on a terminal: the names of the commands, and no promise to go on" {
	command -v script >/dev/null || skip "script is not installed"
	script -qec "stty rows 24 cols 80; '$assay' measure -n 4 'sleep 0.15' 'sleep 0.2'" /dev/null \
		</dev/null | tr -d '\r' >screen
	cat screen
	grep -q "^now  b" screen
	grep -q "^ b  *[0-9.]*  *+[0-9.]* %" screen
	grep -q "against a" screen
	grep -q "^Ctrl-C ends it" screen
	! grep -q "none\|goes on\|^build" screen
}

@test "a command that fails: exit 5, with its last words; -i counts it" {
	expect 5 measure -n 4 true "sh -c 'echo no luck >&2; exit 3'"
	shows "b was not measured"
	shows "exit status 3"
	shows "no luck"
	shows "0/4"
	expect 0 measure -n 4 -i true "sh -c 'exit 3'"
	shows "4/4"
}

@test "a command that is not there: a failure with where it was looked for; the other is measured" {
	expect 5 measure -n 4 true no-such-program-here
	shows "b was not measured"
	shows "cannot run 'no-such-program-here': looked into PATH="
	shows "4/4"
	expect 6 measure -n 4 ./missing
	[[ "$output$stderr" == *"./missing"* ]]
}

@test "no shell runs, and it is said how to get one" {
	expect 2 measure 'true | cat'
	says "needs a shell"
	says "sh -c 'true | cat'"
	expect 2 measure "echo 'x"
	says "is not closed"
	expect 2 measure ''
	says "empty command"
	expect 0 measure -n 2 "sh -c 'true | cat'"
}

@test "mistakes of the command line are told as such" {
	expect 2 measure -n 1 true
	says "--runs: 1 is not in 2 to "
	! grep -q tmp <<<"$stderr"
	expect 2 measure -n 4 --difference some true true
	says "'some' is no difference"
	says "write 1%"
	expect 2 measure -n 4 --metric walls true
	says "walls"
	expect 2 measure -n many true
	expect 2 measure --difference some --save kept.yaml true
	[ ! -e kept.yaml ]
}

@test "--save keeps the descriptor and the runs" {
	expect 0 measure -n 2 --save exp.yaml --difference 300% 'sleep 0.01' true
	! grep -q "keep it" <<<"$output"
	expect 0 check exp.yaml
	expect 0 report exp.yaml
	expect 0 run exp.yaml --quiet
	[ "$(query "select count(*) from session")" = 2 ]
	expect 2 measure --save exp.yaml true
	says "assay run exp.yaml"
}

@test "commands run here, with the environment of the user" {
	touch marker-file
	MINE=yes expect 0 measure -n 2 "sh -c 'test -e marker-file && test \"\$MINE\" = yes'"
	shows "2/2"
}

@test "Ctrl-C: exit 130, nothing left" {
	mkdir tmp
	TMPDIR=$PWD/tmp env --default-signal=INT "$assay" measure 'sleep 0.313' 3>&- 2>err >out &
	local pid=$! status=0
	sleep 0.5
	kill -INT "$pid"
	wait "$pid" || status=$?
	cat err
	[ "$status" -eq 130 ]
	[ "$(cat err)" = "assay measure: interrupted; nothing is kept without --save" ]
	[ -z "$(ls -A tmp)" ]
	! pgrep -f 'sleep 0.313'
}
