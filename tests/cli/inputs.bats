#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Bad input: the message has the place and the cure, JSON holds all of it, and nothing is lost.
load common

# descriptor WORKLOAD-FIELDS [MORE-LINES]: one workload w
descriptor() {
	printf 'schema: 1\nname: d\nbuild: {tools: []}\nmeasure: {blocks: 2, warmup: 0}\n' >d.yaml
	printf 'workloads: {w: {%s}}\n%s\n' "$1" "${2-}" >>d.yaml
}

@test "what every run needs is looked at before the first, by check and by run" {
	while IFS='|' read -r fields code place text; do
		descriptor "$fields"
		for command in check run; do
			expect "$code" $command d.yaml
			says "d.yaml:5:$place: error: workload 'w': $text"
			says "help: "
		done
		[ ! -e .assay/assay.db ]
	done <<-'END'
		run: [no-such-program]|6|22|there is no program 'no-such-program'
		run: [./x]|6|22|there is no program './x' in the empty folder that a run begins in
		run: [/]|6|22|there is no program '/'
		run: ["true"], cpus: foo|3|38|bad cpu set 'foo'
		run: ["true"], cpus: 3-1|3|38|bad cpu set '3-1'
		run: ["true"], stdin: gone|6|39|cannot read its standard input
		run: ["true"], stdin: .|6|39|cannot read its standard input
		run: ["true"], cwd: gone|6|37|cannot enter its folder
		run: ["true"], cwd: d.yaml|6|37|cannot enter its folder
	END
}

@test "check lists what all workloads lack, with places in JSON" {
	descriptor 'run: [no-such-program]}, v: {run: ["true"], stdin: gone'
	expect 6 check d.yaml --json
	jq -e '[.errors[] | [.file, .line, .column]] == [["d.yaml", 5, 22], ["d.yaml", 5, 68]]
		and all(.errors[]; .help != null)' <<<"$output"
}

@test "messages with bytes that are no text are in the JSON all the same" {
	printf 'schema: 1\nname: d\nworkloads: {w: {run: ["true"]}}\n' >$'d\xff.yaml'
	printf 'matrix: {exclude: ["é", "A ü"], sets: ["ö"]}\n' >>$'d\xff.yaml'
	printf 'measure: {timeout: aéééééééééééééééééééééééééééééééé, difference: "a\\e[2J"}\n' \
		>>$'d\xff.yaml'
	expect 3 check $'d\xff.yaml' --json
	jq -e '.errors | length == 5 and all(.[]; .message and .line)' <<<"$output"
	try check $'d\xff.yaml'
	[[ $stderr != *$'\e'* ]]
	iconv -f UTF-8 -t UTF-8 <<<"$stderr" >iconv.out
}

@test "a row whose program cannot start fails, the others are measured" {
	mkdir src
	printf '#!/bin/sh\nexit 0\n' >src/run.sh
	chmod +x src/run.sh
	cat >d.yaml <<-'END'
		schema: 1
		name: d
		source: {path: src}
		build:
		  steps: [[sh, -c, "cp run.sh $0/run; [ '{define:X}' != 1 ] || chmod -x $0/run", "{out}"]]
		  outputs: {run: "{out}/run"}
		options:
		  A: {define: {X: 1}}
		  B: {edit: {file: run.sh, find: /bin/sh, replace: /no/such/shell}}
		  C: {define: {Y: 1}}
		workloads: {w: {run: ["{bin.run}"]}}
		measure: {blocks: 2, warmup: 0}
	END
	expect 5 run d.yaml
	shows "Permission denied"
	[ "$(counts)" = "C 2 none 2" ]
	[ "$(query "select count(*) from v_run_all where status = 'failed' and wall_s is null
		and reason like 'cannot run %'")" = 4 ]
	[ "$(query "select count(*) from v_run_all where status = 'running'")" = 0 ]
	expect 5 try d.yaml B
	says "interpreter"
	rm -r .assay # one row of several builds, none of them made yet
	expect 0 try d.yaml C
}

@test "stdin and cwd are expanded, also in a folder whose name has braces" {
	mkdir -p '{x}/sub'
	cd '{x}'
	echo hello >in.txt
	descriptor 'run: [cat], stdin: "{input.data}", cwd: sub}, v: {run: [cat], stdin: in.txt' \
		'inputs: {data: {path: in.txt}}'
	for row in w/none v/none; do
		expect 0 try d.yaml $row
		shows hello
	done
}

@test "list --json is JSON without a kind, too" {
	expect 0 list --json
	jq -e '.kinds | index("parsers")' <<<"$output"
}

@test "a closed standard output is an error and no file is written into in its place" {
	descriptor 'run: ["true"]'
	expect 0 run d.yaml
	for command in 'ls' 'report d.yaml' 'run d.yaml' 'plan d.yaml'; do
		run -7 --separate-stderr bash -c "'$assay' $command >&-"
		run -7 --separate-stderr bash -c "'$assay' $command >/dev/full"
	done
	[ "$(query 'pragma integrity_check')" = ok ]
	{ # the reader is gone before anything is written
		sleep 0.3
		"$assay" report d.yaml || echo $? >status
	} | true
	[ "$(cat status)" = 141 ]
}

@test "an output is never taken for the baseline's before there is one to compare with" {
	cat >d.yaml <<-'END'
		schema: 1
		name: d
		build: {tools: []}
		options: {A: {env: {A: 1}}, B: {env: {B: 1}}}
		workloads: {w: {run: [sh, -c, "echo same; echo $A"], check: [{in: stdout, sha256: same}]}}
		measure: {blocks: 2, warmup: 0}
	END
	for seed in 1 2 3 4; do # some order has A first
		try run d.yaml --set measure.seed=$seed --no-resume
		[ "$(counts)" = "B 2 none 2" ]
		rm -r .assay
	done
	expect 0 try d.yaml B
	expect 5 try d.yaml A
	# A baseline without a valid run compares with nothing.
	sed -i 's/echo \$A/test $A$B/' d.yaml
	expect 9 run d.yaml
	[ "$(query "select distinct reason from v_run_all where variant = 'A'")" = \
		"stdout cannot be compared: the baseline has no valid run yet" ]
}

@test "measure names its options and commands, not the descriptor that it writes" {
	while IFS='|' read -r code text arguments; do
		eval "expect $code measure $arguments"
		says "$text"
		[[ $stderr != *measure.yaml* ]]
	done <<-'END'
		2|--runs: 0 is not in|true --runs 0
		2|--difference: 'x' is no difference|true --difference x
		2|--metric: unknown metric 'foo'|true --metric foo
		6|there is no program 'no-such-program'|'no-such-program 1'
		6|sh -c|'exit 3'
		3|--set: error: measure.blocks: 'x'|true --set measure.blocks=x
	END
}

@test "a predicate on the command line is the command line's mistake everywhere" {
	descriptor 'run: ["true"]'
	expect 0 run d.yaml
	for command in plan build run report; do
		expect 2 $command d.yaml --where 'zebra = 1'
		says "there are: workload, "
	done
}

@test "show --json has the columns of v_run_all" {
	descriptor 'run: ["true"]' 'axes: {t: {values: [a], args: ["{value}"]}}
matrix: {axes: [t]}'
	expect 0 run d.yaml
	expect 0 show 1 --json
	for column in $(query "select group_concat(name, ' ') from pragma_table_info('v_run_all')"); do
		jq -e ".run | has(\"$column\")" <<<"$output"
	done
	[ "$(jq -r '.run.session + " " + .run.axes.t' <<<"$output")" = \
		"$(query 'select session from v_run_all limit 1') a" ]
}

@test "files of a run are looked for where the run was, by metrics and checks alike" {
	echo 'm=99' >out.txt # not this one
	descriptor "run: [sh, -c, 'echo m=5 >out.txt'], check: [{file: out.txt}], metrics: {\
a: {in: 'file:out.txt', re: 'm=(?<v>\\d+)'}, b: {in: 'file:{scratch}/out.txt', re: 'm=(?<v>\\d+)'}}"
	expect 0 run d.yaml
	[ "$(query "select group_concat(distinct value) from v_sample where metric in ('a', 'b')")" \
		= 5.0 ]
}

@test "paths may begin at {here} and {env:NAME}; check misses an input that is not there" {
	mkdir src
	touch src/x data.txt
	descriptor 'run: [cat, "{input.a}", "{input.b}"]' 'source: {path: "{env:PWD}/src"}
inputs: {a: {path: "{here}/data.txt"}, b: {path: gone.txt}}'
	expect 6 check d.yaml
	says "d.yaml:7:50: error: input 'b': cannot read '$PWD/gone.txt'"
	touch gone.txt
	expect 0 check d.yaml
	expect 6 check d.yaml --set source.path=nowhere
	says "--set: error: source: "
	expect 0 run d.yaml
}

@test "a patch without lines of context: what git lacks is said" {
	experiment
	printf -- '--- a/prog.sh\n+++ b/prog.sh\n@@ -2,1 +2,1 @@\n-echo "ok $*"\n+echo "OK $*"\n' >p.patch
	printf 'echo end\n' >>src/prog.sh
	expect 4 build exp.yaml --set 'options.A={patch: p.patch}'
	says "no lines of context"
}
