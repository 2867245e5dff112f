#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Ctrl-C, SIGTERM, SIGKILL at any moment, two at once: nothing is lost and nothing is left.
load common

marker=assay-resume-$$-$RANDOM

# Rows that take a while, with the marker in the environment of every process. Two builds of some
# 100 ms each, 3 rows, 4 blocks and a warm-up: 15 runs of 40 ms.
slow_experiment() {
	experiment
	printf '#!/bin/sh\nsleep ${TAKE:-0.04}\n' >src/prog.sh
	sed -i "s/blocks: 2/blocks: 4/; s/name: exp/name: slow\npass: [MARKER, TAKE]/" exp.yaml
	sed -i "s/'cp prog.sh/'sleep 0.1; cp prog.sh/; s/^build:/build:\n  env: {MARKER: \"{env:MARKER}\"}/" exp.yaml
	export MARKER=$marker
}

undisturbed="A 4 E 4 none 4"

# Starts assay in the background: $pid. A shell without job control has SIGINT ignored there.
start() {
	: >out
	: >err # or wait_for would find what an earlier one wrote
	env --default-signal=INT "$assay" "$@" >out 2>err 3>&- &
	pid=$!
}

# Waits until the file err holds a text, for 10 s at most.
wait_for() {
	local i
	for ((i = 0; i < 1000; i++)); do
		grep -qs -- "$1" err && return 0
		sleep 0.01
	done
	cat err
	return 1
}

ended() { # STATUS
	local status=0
	wait "$pid" || status=$?
	cat out err
	echo "ended with $status"
	[ "$status" -eq "$1" ]
}

@test "SIGINT ends the current run, exit 130; the same command goes on" {
	slow_experiment
	start run exp.yaml
	wait_for "^run 6 "
	kill -INT "$pid"
	ended 130
	grep -q "interrupted; what is complete is stored" err
	grep -q "the same command goes on with it" err
	nobody_has "$marker"
	tidy
	[ "$(query "select state from session")" = open ]
	[ "$(query "select count(*) from run where status = 'running'")" = 0 ]
	# A report of what there is so far, with a word about it.
	expect 0 report exp.yaml
	says "not complete"
	expect 0 run exp.yaml
	says "goes on: "
	[ "$(counts)" = "$undisturbed" ]
	[ "$(query "select state || count(*) from session")" = complete1 ]
	[ "$(query "select count(*) from v_run_all where attempt = 2 and status = 'ok'")" -le 1 ]
}

@test "SIGTERM and SIGHUP do the same, with their own status" {
	slow_experiment
	local signal
	for signal in TERM HUP; do
		start run exp.yaml --no-resume
		wait_for "block 1 "
		kill -$signal "$pid"
		ended $((128 + $(kill -l $signal)))
		nobody_has "$marker"
	done
	expect 0 run exp.yaml
	[ "$(query "select count(*) from session where state = 'aborted'")" = 1 ]
	[ "$(query "select count(*) from v_run v join session s on s.id = v.session or s.uid = v.session
		where s.state = 'complete' and v.status = 'ok'")" = 12 ]
}

@test "SIGINT while builds go on: no half build, exit 130, the rest later" {
	slow_experiment
	sed -i 's/sleep 0.1; cp/sleep 0.6; cp/' exp.yaml
	start run exp.yaml
	sleep 0.3
	kill -INT "$pid"
	ended 130
	nobody_has "$marker"
	tidy
	[ "$(query "select count(*) from run")" = 0 ]
	expect 0 run exp.yaml
	[ "$(counts)" = "$undisturbed" ]
	[ "$(query "select count(*) from session")" = 1 ]
}

@test "a run that ignores SIGTERM is ended all the same" {
	cat >exp.yaml <<-END
		schema: 1
		name: deaf
		workloads: {w: {run: ["$hostile", hang, deaf]}}
		matrix: {sets: [none]}
	END
	start run exp.yaml
	local i
	for ((i = 0; i < 500; i++)); do
		pgrep -f "^$hostile hang deaf" && break
		sleep 0.01
	done
	sleep 0.1
	kill -INT "$pid"
	ended 130
	! pgrep -f "^$hostile hang deaf"
}

@test "--no-resume begins anew; a changed descriptor aborts, and it is said" {
	slow_experiment
	start run exp.yaml
	wait_for "^run 5 "
	kill -INT "$pid"
	ended 130
	expect 0 run exp.yaml --no-resume
	says "1 unfinished session"
	[ "$(query "select group_concat(state, ' ') from (select state from session order by id)")" = "aborted complete" ]
	start run exp.yaml
	wait_for "block 1 "
	kill -INT "$pid"
	ended 130
	sed -i 's/blocks: 4/blocks: 3/' exp.yaml
	expect 0 run exp.yaml
	says "1 unfinished session"
	[ "$(query "select group_concat(state, ' ') from (select state from session order by id)")" = "aborted complete aborted complete" ]
	# The aborted ones are still readable, and what was interrupted first goes on when it is asked for
	# again: the newest session of its plan is complete, so a new one begins.
	expect 0 report 1
	[ "$(query "select count(*) from v_run where status = 'ok' and session in (1, (select uid from session where id = 1))")" -ge 1 ]
}

@test "a second assay on the same state folder says who holds it, exit 7; --wait waits" {
	slow_experiment
	start run exp.yaml
	wait_for "^run 2 "
	expect 7 run exp.yaml
	says "$pid"
	says "run exp.yaml"
	says "--wait"
	expect 7 build exp.yaml
	# Readers are not kept out.
	expect 0 ls exp.yaml
	try report exp.yaml
	[ "$status" -eq 0 ] || [ "$status" -eq 9 ]
	expect 0 run exp.yaml --wait
	says "waiting for"
	says "$pid"
	ended 0
	[ "$(query "select count(*) from session where state = 'complete'")" = 2 ]
	# Ctrl-C ends the wait.
	TAKE=1 start run exp.yaml
	local first=$pid
	wait_for "session 3"
	env --default-signal=INT "$assay" run exp.yaml --wait >out 2>err 3>&- &
	pid=$!
	wait_for "waiting for"
	kill -INT "$pid"
	ended 130
	kill -INT "$first"
	wait "$first" || true
}

# kill_and_go_on N BLOCKS SECONDS: kills a session of so many blocks of runs that take so long N times
# at random moments, builds included, then lets it end.
kill_and_go_on() {
	local i n total begin end blocks=$2
	slow_experiment
	sed -i "s/blocks: 4/blocks: $2/" exp.yaml
	export TAKE=$3
	begin=$(date +%s%N)
	expect 0 run exp.yaml
	end=$(date +%s%N)
	total=$(((end - begin) / 1000))
	[ "$(counts)" = "A $blocks E $blocks none $blocks" ]
	rm -rf .assay
	for ((i = 1; i <= $1; i++)); do
		((i % 3)) || rm -rf .assay/builds
		start run exp.yaml
		# Anywhere from the first moment to the end of an undisturbed session; a session that is
		# complete is begun anew, so that every kill has something to hit.
		sleep "$(awk -v t="$total" -v r="$RANDOM" 'BEGIN {print t * r / 32768 / 1e6}')"
		kill -KILL "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
		# The workers see the death of assay and end what it had started.
		for ((n = 0; n < 300; n++)); do
			nobody_has "$marker" >/dev/null && break
			sleep 0.01
		done
		nobody_has "$marker"
	done
	expect 0 run exp.yaml
	echo "sessions: $(query "select group_concat(state, ' ') from session")"
	echo "lost: $(query "select count(*) from run where status = 'lost'")"
	[ "$(query "select count(*) from session where state <> 'complete'")" = 0 ]
	[ "$(query "select count(*) from run where status = 'running'")" = 0 ]
	# Every session has what an undisturbed one has, each run once.
	[ "$(query "select count(*) from (select 1 from v_run where status = 'ok' group by session, variant having count(*) <> $blocks or count(distinct block) <> $blocks)")" = 0 ]
	[ "$(query "select count(*) from (select distinct session, variant from v_run)")" = \
		"$((3 * $(query "select count(*) from session")))" ]
	[ "$(query "select count(*) from v_run_all where role = 'warmup' and status = 'ok'")" = \
		"$((3 * $(query "select count(*) from session")))" ]
	tidy
	nobody_has "$marker"
	# No lock is held.
	expect 0 build exp.yaml
}

@test "killed by SIGKILL at random moments: equal counts, nothing left" {
	kill_and_go_on "${ASSAY_KILLS:-4}" 4 0.04
}

# Runs that are over at once: most kills fall between the end of one run and the start of the next.
@test "killed by SIGKILL between runs: equal counts, nothing left" {
	kill_and_go_on "${ASSAY_KILLS:-4}" 32 0
}
