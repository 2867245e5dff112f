#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What a first-time user meets: help, init, check, plan, build, run, report, list.
load common

@test "without arguments: the commands, on stderr, exit 2" {
	expect 2
	says "Usage: assay COMMAND"
	says "measure"
	[ -z "$output" ]
}

@test "help goes to stdout, of every command" {
	expect 0 --help
	shows "Usage: assay COMMAND"
	expect 0 help
	local command
	for command in $("$assay" help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
		expect 0 "$command" --help
		shows "Usage: assay $command"
		shows "--quiet"
		[ -z "$stderr" ]
		expect 0 help "$command"
	done
	expect 0 --version
	shows "assay "
}

@test "help says each thing once: choices, defaults, every exit status" {
	expect 0 try --help
	! grep -q "stdout.*: stdout" <<<"$output"
	expect 0 run --help
	[ "$(grep -o "may be repeated" <<<"$output" | wc -l)" -eq 1 ]
	shows "works in the state folder; default"
	local n
	for n in 0 2 3 4 5 6 7 8 9 70 130; do
		grep -q "^  $n " <<<"$output"
	done
	expect 0 init --help
	[[ $output != *--store* ]]
	expect 2 init --store x.db
	expect 2 --state x run exp.yaml
	says "options stand behind the command"
	expect 0 --help
	shows "assay --version"
}

@test "completion: descriptors, kinds, formats and templates of this program" {
	touch exp.yaml sum.c
	mkdir sub .git
	"$assay" --write-completion >completion
	offers() { # WORDS EXPECTED
		local got
		got=$(bash --norc -c '. ./completion
			COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
			_assay; echo "${COMPREPLY[*]}"' - "$assay" $1 "${3-}")
		echo "$1: $got"
		[[ $got =~ ^$2$ ]]
	}
	offers "run" "sub exp.yaml"
	offers "list" "collectors executors reports renderers parsers templates"
	offers "report --format" ".*markdown.*json.*"
	offers "report --report" ".*compare.*"
	offers "init" ".*plain.*rust.*"
	offers "--state" ""
	offers "" "--version" "--v"
}

@test "mistakes on the command line: exit 2 and what was meant" {
	expect 2 mesure
	says "there is no command 'mesure'"
	says "did you mean 'measure'?"
	expect 2 frobnicate
	says "assay help"
	expect 2 help frobnicate
	expect 2 run --nope
	says "--nope"
	expect 2 run a b c
	expect 2 run
	says "which experiment?"
	expect 2 measure
	expect 2 report --format png2
	expect 2 plan --force=yes x.yaml
}

@test "init: the file passes check as written; nothing is overwritten" {
	touch Makefile
	expect 0 init plain
	shows "wrote assay.yaml"
	shows "edit:"
	says "found Makefile (make)"
	expect 2 init plain
	says "is there already"
	expect 0 init rust -o other.yaml
	expect 2 init nope
	says "there is no template 'nope'"
	expect 2 init ../plain
	expect 0 init plain --force
	"$assay" check assay.yaml 2>err || true
	cat err
	! grep -q "error: [a-z]*: unknown" err
}

@test "check, plan, build, run, report, ls: the straight road" {
	experiment
	expect 0 check exp.yaml
	expect 0 plan exp.yaml
	shows "A"
	expect 0 plan exp.yaml --json
	jq -e '[.rows[].variant // .rows[].name] | length == 3' <<<"$output"
	jq -e '(.builds | length) == 2 and .runs.min == 6' <<<"$output"
	expect 0 build exp.yaml
	expect 0 run exp.yaml
	shows "w: time in"
	says "2 builds: 0 made, 2 from the cache, 0 failed"
	says "session 1 ("
	expect 0 report exp.yaml
	shows "baseline"
	expect 0 ls exp.yaml
	shows "complete"
	[ "$(counts)" = "A 2 E 2 none 2" ]
	tidy
}

@test "every form of the report" {
	experiment
	expect 0 run exp.yaml --quiet
	expect 0 report exp.yaml --format markdown
	shows "| variant"
	expect 0 report exp.yaml --json
	jq -e '.schema == 1 and .command == "report" and (.verdicts | length) == 2' <<<"$output"
	expect 0 report exp.yaml --format csv
	shows ","
	expect 0 report exp.yaml -o out.md
	[ -z "$output" ]
	grep -q "| variant" out.md
	expect 0 report exp.yaml -o out.json
	jq -e .verdicts out.json
	expect 2 report exp.yaml --format pdf
	says "there is no format 'pdf'"
	expect 2 report exp.yaml --report nope
	expect 6 report exp.yaml -o /nowhere/out.md
	says "/nowhere/out.md"
}

@test "list: every kind, and kinds that are none" {
	expect 0 list
	shows "for assay report --format"
	local kind
	for kind in $(awk 'NR > 1 {print $1}' <<<"$output"); do
		expect 0 list "$kind"
		[ -n "$output" ]
		expect 0 list "$kind" --json
		jq -e . <<<"$output"
	done
	expect 0 list collectors
	[[ $output != *fake* ]]
	expect 2 list nope
	says "'assay list' names the kinds"
}

@test "the state folder hides itself from the git tree around it" {
	experiment
	git init -q .
	expect 0 run exp.yaml --quiet
	git status --porcelain --untracked-files=all >status
	! grep -q assay/ status
}

@test "--state and ASSAY_STATE move everything, --store the database alone" {
	experiment
	expect 0 run exp.yaml --quiet --state elsewhere
	[ -s elsewhere/assay.db ]
	[ ! -e .assay ]
	ASSAY_STATE=$PWD/third expect 0 run exp.yaml --quiet --store db/x.db || {
		mkdir -p db
		ASSAY_STATE=$PWD/third expect 0 run exp.yaml --quiet --store db/x.db
	}
	[ -d third/builds ]
	[ ! -e third/assay.db ]
	[ "$(counts db/x.db)" = "A 2 E 2 none 2" ]
	expect 0 report exp.yaml --store db/x.db --quiet
	expect 9 report exp.yaml
}

@test "a full output is no success" {
	[ -w /dev/full ] || skip "there is no /dev/full"
	run bash -c "'$assay' help >/dev/full"
	[ "$status" -eq 7 ]
	[[ $output == *"No space left"* ]]
	run bash -c "'$assay' list parsers | true"
	[ "$status" -eq 0 ]
}

@test "words of numbers do not follow the locale" {
	experiment
	local locale
	locale=$(locale -a | grep -i -m1 '^de_DE.utf' || true)
	[ -n "$locale" ] || skip "there is no German locale"
	LC_ALL=$locale expect 0 run exp.yaml
	! grep -qE '[0-9],[0-9]+ (ms|s|%)' <<<"$output$stderr"
}

@test "--verbose says what enters the plan; without it nothing of that" {
	printf '%s\n' 'schema: 1' 'name: v' 'workloads: {w: {run: ["true"]}}' \
		'matrix: {sets: [none]}' >exp.yaml
	expect 0 plan exp.yaml --verbose
	says "state folder $PWD/.assay"
	local id
	id=$("$assay" plan exp.yaml --json 2>/dev/null | jq -r .id)
	says "plan $id: 1 rows, 1 builds"
	expect 0 plan exp.yaml
	[[ $stderr != *"state folder"* ]]
}
