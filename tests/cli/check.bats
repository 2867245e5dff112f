#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What `check` finds, with its place, and what the other commands say of names that are none.
load common

logged() { # METRIC: an experiment whose log parser of its own gives t and the phase kernel
	experiment
	mkdir -p parsers
	cat >parsers/mylog.yaml <<-'END'
		schema: 1
		name: mylog
		rules:
		  - {match: 't=(?<t>\d+) ms', values: {t: ms}}
		  - {match: '^kernel begins', begin: kernel}
		  - {match: '^kernel ends', end: kernel}
	END
	sed -i "s/timeout: 10 s}/timeout: 10 s, log: mylog}/; s/^measure: {/&metric: \"$1\", /" exp.yaml
}

@test "a metric that the log parser cannot give" {
	logged log:t
	expect 0 check exp.yaml
	logged log:tt
	expect 3 check exp.yaml
	says "exp.yaml:13:19: error: measure.metric: "
	says "the log parser 'mylog' has no value 'tt'"
	says "did you mean 't'?"
	logged phase:kernel
	expect 0 check exp.yaml
	logged phase:kernl
	expect 3 check exp.yaml
	says "has no phase 'kernl'"
	says "did you mean 'kernel'?"
	# Names that come out of the lines are known after a run only.
	logged log:anything
	sed -i 's/log: mylog/log: plain/' exp.yaml
	expect 0 check exp.yaml
}

@test "an unknown log parser: those beside the descriptor are known, too" {
	logged log:t
	sed -i 's/log: mylog/log: mylogg/' exp.yaml
	expect 3 check exp.yaml
	says "did you mean 'mylog'?"
	sed -i 's/log: mylogg/log: zzzzzz/' exp.yaml
	expect 3 check exp.yaml
	says "known: cuzk, mylog, plain"
}

@test "a difference in another unit than the metric's" {
	experiment
	sed -i 's|timeout: 10 s}|timeout: 10 s, metrics: {rate: {in: stdout, re: "r=(?<v>.*)", unit: Mops/s}}}|
		s/measure: {/&metric: rate, /; s/difference: 50%/difference: 5 ms/' exp.yaml
	expect 3 check exp.yaml
	says "the difference is a time, but rate is in Mops/s"
	says "write a percentage, or a number"
	sed -i 's/difference: 5 ms/difference: 0.5/' exp.yaml
	expect 0 check exp.yaml
	sed -i 's/metric: rate, //' exp.yaml
	expect 3 check exp.yaml
	says "the difference is a bare number, but wall is a time"
}

@test "patches: how many apply; one that is missing is told once, with its place" {
	experiment
	cat >p.patch <<-'END'
		--- a/prog.sh
		+++ b/prog.sh
		@@ -1,2 +1,2 @@
		 #!/bin/sh
		-echo "ok $*"
		+echo "better $*"
	END
	sed -i 's/  E: .*/  P: {patch: p.patch}/' exp.yaml
	expect 0 check exp.yaml
	shows "1 change of the source applies"
	sed -i 's/  P: .*/&\n  Q: {edit: {file: prog.sh, find: "#!", replace: "#! "}}/' exp.yaml
	expect 0 check exp.yaml
	shows "2 changes of the source apply, each alone and all defaults together"
	rm p.patch
	try check exp.yaml
	[ "$status" -ne 0 ]
	says "exp.yaml:$(grep -n "patch: p" exp.yaml | cut -d: -f1):"
	[ "$(grep -c "error: " <<<"$stderr")" = 2 ] # the mistake, and how many there are
	says "1 mistake"
}

@test "a template that nobody has edited is said to be one" {
	touch Makefile
	expect 0 init plain
	"$assay" check assay.yaml >out 2>err || true
	cat err
	grep -q "assay.yaml:[0-9]*:[0-9]*: warning: as the template has it" err
	sed -i 's/ *# EDIT.*//' assay.yaml
	"$assay" check assay.yaml >out 2>err || true
	! grep -q "as the template has it" err
}

@test "check as JSON has what the text has" {
	experiment
	expect 0 check exp.yaml --json
	local about
	for about in descriptor source tool machine plan; do
		shows "\"about\": \"$about\""
	done
}

@test "report: a metric that no run has is a mistake of the command line" {
	experiment
	expect 0 run exp.yaml --quiet
	expect 2 report exp.yaml --metric wal
	says "did you mean 'wall'?"
	expect 2 report exp.yaml --metric nosuch
	says "there are wall, user, sys"
	expect 0 report exp.yaml --metric user
	expect 0 report --metric sys
}

@test "ls of a descriptor: its own sessions; of the folder: all" {
	experiment
	expect 0 run exp.yaml --quiet
	sed 's/^name: exp/name: other/' exp.yaml >other.yaml
	expect 9 ls other.yaml
	says "there is no session of 'other' yet"
	expect 0 run other.yaml --quiet
	expect 0 ls other.yaml
	[ "${#lines[@]}" -eq 2 ]
	expect 0 ls
	[ "${#lines[@]}" -eq 3 ]
	cd /
	expect 9 show 1
	says "--file EXPERIMENT.yaml"
}

@test "report without FILE proposes commands with the descriptor's name" {
	experiment
	expect 0 run exp.yaml --quiet
	expect 0 report
	shows " exp.yaml"
	expect 0 report 1
	shows " exp.yaml"
}

@test "try: columns stand below each other, values have handy units, a failed build is told once" {
	experiment
	sed -i 's/timeout: 10 s}/timeout: 10 s, check: [{in: stdout, text: ok}, {in: stdout, re: "^o"}]}/' exp.yaml
	expect 0 try exp.yaml
	[[ $output =~ rss_peak\ +[0-9.]+\ MiB ]]
	[ "$(grep -o '^  check .*line  *' <<<"$output" | awk '{print length($0)}' | sort -u | wc -l)" = 1 ]
	echo 'echo "nosuchcc" >&2; exit 3' >src/make.sh
	sed -i '/steps:/s/.*/  steps: [[sh, make.sh]]/' exp.yaml
	expect 4 try exp.yaml
	[ "$(grep -c nosuchcc <<<"$stderr")" = 1 ]
	expect 4 try exp.yaml --quiet
	says nosuchcc
}

@test "a build that failed: the answer line has its first line only" {
	experiment
	printf 'echo "main.c:1: error" >&2\necho "make: ***" >&2\n[ -z "$1" ]\n' >src/make.sh
	sed -i '/steps:/s/.*/  steps: [[sh, make.sh, "{defines}"]]/; s/^  outputs:.*/  outputs: {prog: prog.sh}/' exp.yaml
	sed -i '/^  E:/d' exp.yaml
	chmod +x src/prog.sh
	expect 4 run exp.yaml
	[[ $output == *"Not measured: build failed"* ]]
	[[ ${output%%Which*} != *"make: ***"* ]]
}
