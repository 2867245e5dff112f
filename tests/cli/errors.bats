#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Bad input: a message with the place and the cure, the exit status of its kind, and nothing lost.
load common

# descriptor YAML: the file exp.yaml, as it is
descriptor() {
	printf '%s\n' "$1" >exp.yaml
}

# Every command that reads a descriptor says the same.
everywhere() { # STATUS TEXT
	local command
	for command in check plan build run; do
		expect "$1" "$command" exp.yaml
		says "$2"
	done
}

@test "no descriptor: exit 6 and its name" {
	everywhere 6 "exp.yaml"
	expect 6 run .
	mkdir empty
	expect 6 run empty
}

@test "broken YAML: file, line and column" {
	descriptor 'schema: 1
name: x
options: {A: [}'
	everywhere 3 "exp.yaml:3:15: error:"
	printf 'schema: 1\nname: \xff\n' >exp.yaml
	everywhere 3 "exp.yaml:2:7: error:"
	says "UTF-8"
	printf 'schema: 1\nname: a\0b\n' >exp.yaml
	everywhere 3 "exp.yaml:2:"
	descriptor 'schema: 1
---
name: x'
	everywhere 3 "exp.yaml:2:1: error:"
	descriptor 'schema: 1
name: &a x
title: *a'
	everywhere 3 "exp.yaml:2:7: error:"
	descriptor 'schema: 1
name: x
name: y'
	everywhere 3 "exp.yaml:3:1: error:"
	: >exp.yaml
	everywhere 3 "exp.yaml"
	head -c 2000000 /dev/zero | tr '\0' '#' >exp.yaml
	everywhere 3 "exp.yaml"
}

@test "wrong types and unknown keys, all mistakes in one go, each with its cure" {
	descriptor 'schema: 1
name: x
titel: y
build: {steps: make, timeout: 10}
options: {A: {defin: {A: 1}}}
workloads: {w: {run: make run, timeout: 0 s}}
measure: {blocks: 5.5, confidence: 2}'
	everywhere 3 "exp.yaml:3:1: error:"
	says 'did you mean "title"?'
	says "exp.yaml:4:16: error:"
	says "[sh, -c, ...]"
	says "exp.yaml:4:31: error:"
	says "exp.yaml:5:15: error:"
	says "exp.yaml:6:22: error:"
	says "exp.yaml:6:41: error:"
	says "exp.yaml:7:19: error:"
	says "exp.yaml:7:36: error:"
	[ "$(grep -c ': error: ' <<<"$stderr")" -ge 9 ]
	[ ! -e .assay/assay.db ]
}

@test "cyclic requires, unknown options, rows that break constraints" {
	descriptor 'schema: 1
name: x
options: {A: {requires: [B], define: {A: 1}}, B: {requires: [C], define: {B: 1}}, C: {requires: [A], define: {C: 1}}}
workloads: {w: {run: ["true"]}}'
	everywhere 3 "exp.yaml:3:"
	says "requires"
	descriptor 'schema: 1
name: x
options: {ALPHA: {define: {A: 1}}, B: {conflicts: [ALPHA], define: {B: 1}}}
workloads: {w: {run: ["true"]}}
matrix: {sets: [none, ALPHA+B, ALPHO]}'
	everywhere 3 "exp.yaml:5:"
	says "'ALPHA'"
	descriptor 'schema: 1
name: x
options: {A: {define: {A: 1}}}
workloads: {w: {run: ["true"]}}
matrix: {exclude: ["A & B"]}'
	everywhere 3 "exp.yaml:5:20: error:"
}

@test "fields of a later version are refused, not ignored" {
	descriptor 'schema: 1
name: x
services: {s: {run: [x]}}
workloads: {w: {run: ["true"]}}'
	everywhere 3 "exp.yaml:3:1: error:"
	descriptor 'schema: 2
name: x
workloads: {w: {run: ["true"]}}'
	everywhere 3 "exp.yaml:1:9: error:"
}

@test "a source that is not there: exit 6" {
	descriptor 'schema: 1
name: x
source: {path: nowhere}
build: {steps: [["true"]]}
workloads: {w: {run: ["true"]}}'
	everywhere 6 "nowhere"
	descriptor 'schema: 1
name: x
source: {git: ., ref: v1}
build: {steps: [["true"]]}
workloads: {w: {run: ["true"]}}'
	git init -q .
	everywhere 6 "v1"
}

@test "a patch that does not apply: exit 4, the hunk, the option" {
	experiment
	mkdir patches
	cat >patches/p.patch <<-'END'
		--- a/prog.sh
		+++ b/prog.sh
		@@ -1,2 +1,2 @@
		 #!/bin/sh
		-echo "not there"
		+echo "new"
	END
	sed -i 's#^options:#&\n  P: {patch: patches/p.patch}#' exp.yaml
	expect 4 check exp.yaml
	[[ "$output$stderr" == *"p.patch"* ]]
	[[ "$output$stderr" == *'echo "not there"'* ]]
	expect 4 build exp.yaml
	says "option 'P'"
	says 'echo "not there"'
	# The rest is measured.
	expect 4 run exp.yaml --json
	[[ $(verdicts <<<"$output") == *"P unmeasured"* ]]
	[ "$(counts)" = "A 2 E 2 none 2" ]
	tidy
	rm patches/p.patch
	try run exp.yaml
	[ "$status" -eq 3 ] || [ "$status" -eq 6 ]
	says "p.patch"
}

@test "a patch inside a sub folder of another git tree is applied, not skipped in silence" {
	git init -q .
	experiment
	cat >p.patch <<-'END'
		--- a/prog.sh
		+++ b/prog.sh
		@@ -1,2 +1,2 @@
		 #!/bin/sh
		-echo "ok $*"
		+echo "patched $*"
	END
	sed -i 's#^options:#&\n  P: {patch: p.patch}#' exp.yaml
	local ignored
	for ignored in "" ".assay" "*"; do
		printf '%s\n' "$ignored" >.gitignore
		expect 0 run exp.yaml --quiet --no-resume --state ".assay"
		expect 0 show "$(query "select max(run_id) from v_run where variant = 'P'")" --output stdout
		[[ $output == "patched"* ]]
		rm -rf .assay
	done
	grep -q '"ok' src/prog.sh
}

@test "a compiler that fails: exit 4, its message, the log" {
	experiment
	echo 'int main(void) { return nonsense; }' >src/main.c
	sed -i '/steps:/s/.*/  steps: [[cc, -o, "{out}\/prog", main.c]]/' exp.yaml
	expect 4 build exp.yaml
	says "nonsense"
	says ".assay/logs/"
	expect 4 run exp.yaml
	says "nonsense"
	# An output that no step makes.
	sed -i '/steps:/s/.*/  steps: [["true"]]/' exp.yaml
	expect 4 build exp.yaml
	says "prog"
}

@test "a missing program: exit 6, in builds and in runs" {
	experiment
	sed -i '/steps:/s/.*/  steps: [[no-such-compiler, x]]/' exp.yaml
	everywhere 6 "no-such-compiler"
	descriptor 'schema: 1
name: x
workloads: {w: {run: [no-such-program]}}
matrix: {sets: [none]}'
	expect 6 run exp.yaml
	says "there is no program 'no-such-program'"
	says "exp.yaml:3:"
	experiment
	printf '#!/no/such/interpreter\n' >src/prog.sh
	expect 9 run exp.yaml
	says "cannot run"
	says "prog"
	printf '#!/bin/sh\n' >src/prog.sh
	expect 0 run exp.yaml
	[ "$(query "select count(*) from run where status = 'running'")" = 0 ]
}

@test "more is needed than there is" {
	experiment
	sed -i 's/^source:/needs: {memory: 900 TiB}\n&/' exp.yaml
	expect 6 run exp.yaml
	says "not enough memory: 900"
	sed -i 's/memory: 900/disk: 900000/' exp.yaml
	expect 6 run exp.yaml
	says "not enough disk"
}

@test "a full disk: exit 7, and the store is whole" {
	[ "$(id -u)" = 0 ] || skip "only root may mount a small file system"
	local size
	mkdir disk
	mount -t tmpfs -o size=1m tmpfs disk 2>err || skip "cannot mount: $(cat err)"
	experiment
	cat >exp.yaml <<-END
		schema: 1
		name: full
		workloads: {w: {run: ["$hostile", flood, "1"], keep_output: 1 MiB}}
		matrix: {sets: [none]}
		measure: {blocks: 20, warmup: 0}
	END
	# Output that does not shrink when it is kept.
	sed -i 's#\["'"$hostile"'", flood, "1"\]#[head, -c, "300000", /dev/urandom]#' exp.yaml
	try run exp.yaml --state disk/state
	local rc=$status said=$stderr
	size=$(query "select count(*) from v_run where status = 'ok'" disk/state/assay.db) || true
	echo "runs kept: $size"
	mount -o remount,size=40m disk
	try run exp.yaml --state disk/state
	local again=$status count
	count=$(query "select count(*) from v_run where status = 'ok'" disk/state/assay.db)
	check=$(query "pragma integrity_check" disk/state/assay.db)
	umount disk
	[ "$rc" -eq 7 ]
	[[ $said == *"no space left for store"* && $said == *"free some space"* ]]
	[ "$size" -ge 1 ]
	[ "$again" -eq 0 ]
	says "goes on: $size runs were done"
	[ "$count" -eq 20 ]
	[ "$check" = ok ]
}

@test "a store of a newer version, of somebody else, or no store at all: exit 7, untouched" {
	experiment
	expect 0 run exp.yaml --quiet
	sqlite3 .assay/assay.db 'pragma user_version = 9999; pragma wal_checkpoint(truncate)'
	cp .assay/assay.db before
	local command
	for command in run ls report; do
		expect 7 $command exp.yaml
		says "newer"
		says "assay.db"
	done
	cmp before .assay/assay.db
	rm .assay/assay.db*
	sqlite3 .assay/assay.db 'create table t(x)'
	expect 7 run exp.yaml
	says "assay.db"
	[ "$(sqlite3 .assay/assay.db .tables)" = t ]
	rm .assay/assay.db*
	echo "this is no database, and it is long enough to be read as one: not at all" >.assay/assay.db
	cp .assay/assay.db before
	for command in run ls report; do
		expect 7 $command exp.yaml
		says "assay.db"
	done
	cmp before .assay/assay.db
	rm .assay/assay.db
	mkdir .assay/assay.db
	expect 7 run exp.yaml
}

@test "a state folder that cannot be written: exit 6 or 7, with its name" {
	[ "$(id -u)" != 0 ] || command -v setpriv >/dev/null || skip "root may write everywhere and there is no setpriv"
	experiment
	local as=()
	if [ "$(id -u)" = 0 ]; then
		# The folders above belong to root: a copy where nobody may look.
		chmod 755 . .. ../.. 2>/dev/null || true
		as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
		"${as[@]}" test -r exp.yaml -a -x "$assay" || skip "nobody cannot reach this folder"
	else
		chmod a-w .
	fi
	run --separate-stderr "${as[@]}" "$assay" run exp.yaml
	chmod u+w .
	echo "$status $stderr"
	[ "$status" -eq 6 ] || [ "$status" -eq 7 ]
	says ".assay"
	says "Permission denied"
}

@test "more than 10,000 rows ask for --force" {
	{
		echo 'schema: 1'
		echo 'name: many'
		echo 'options:'
		for i in $(seq 14); do echo "  O$i: {env: {O$i: x}}"; done
		echo 'workloads: {w: {run: ["true"]}}'
		echo 'matrix: {sets: [full]}'
	} >exp.yaml
	expect 2 run exp.yaml
	says "--force"
	expect 0 plan exp.yaml --force --json
	jq -e '.runs.min > 16384' <<<"$output"
}

@test "a folder in the place of a file, a file in the place of a folder" {
	experiment
	touch file
	try run exp.yaml --state file
	[ "$status" -eq 6 ] || [ "$status" -eq 7 ]
	says "file"
	mkdir folder.yaml
	try run folder.yaml
	[ "$status" -eq 3 ] || [ "$status" -eq 6 ]
}
