# SPDX-License-Identifier: GPL-3.0-or-later
# Shared by the bats files: each test works in a folder of its own, which is not a git tree.
bats_require_minimum_version 1.5.0

assay=${ASSAY_BIN:?ASSAY_BIN names the program under test}
src=${top_srcdir:-$BATS_TEST_DIRNAME/../..}

setup() {
	unset ASSAY_STATE
	# bats itself writes into $BATS_TEST_TMPDIR: a source folder must not change by that.
	work=$BATS_TEST_TMPDIR/work
	mkdir "$work" && cd "$work" || return 1
	# A path of its own: other tests run beside this one, and it is looked for in /proc.
	hostile=$BATS_TEST_TMPDIR/hostile
	ln -s "$(realpath "${top_builddir:-.}/tests/programs/hostile")" "$hostile"
}

# Runs assay: $status, $output (stdout), $stderr. Shown when the test fails.
try() {
	run --separate-stderr "$assay" "$@"
	echo "assay $*: $status"
	printf 'stdout:\n%s\nstderr:\n%s\n' "$output" "$stderr"
}

# expect STATUS ARG...
expect() {
	local expected=$1
	shift
	try "$@"
	[ "$status" -eq "$expected" ]
}

# says TEXT: on stderr
says() {
	[[ $stderr == *"$1"* ]] || {
		echo "stderr does not say: $1"
		return 1
	}
}

shows() {
	[[ $output == *"$1"* ]] || {
		echo "stdout does not show: $1"
		return 1
	}
}

query() { # SQL [STORE]
	sqlite3 -readonly "${2:-.assay/assay.db}" "$1"
}

# counts: "none 4 A 4", measured runs that count, by variant
counts() {
	query "select group_concat(variant || ' ' || n, ' ') from (select variant, count(*) as n
		from v_run where status = 'ok' group by variant order by variant)" "$@"
}

# Verdict of each variant in a report as JSON: "A regressed B same"
verdicts() {
	jq -r '[.verdicts[] | "\(.variant) \(.verdict)"] | join(" ")'
}

# experiment [EXTRA-YAML]: a tree of one shell program, copied by its build. Options: A (define, a
# build of its own), E (environment, no build). Runs are over in a moment.
experiment() {
	mkdir -p src
	cat >src/prog.sh <<-'END'
		#!/bin/sh
		echo "ok $*"
	END
	cat >exp.yaml <<-END
		schema: 1
		name: exp
		title: a small one
		source: {path: src}
		build:
		  steps: [[sh, -c, 'cp prog.sh "\$1"; chmod +x "\$1"; echo "# \$2" >>"\$1"', build, "{out}/prog", "-{defines}"]]
		  outputs: {prog: "{out}/prog"}
		options:
		  A: {define: {A: 1}}
		  E: {env: {E: x}}
		workloads:
		  w: {run: ["{bin.prog}"], timeout: 10 s}
		measure: {blocks: 2, warmup: 1, difference: 50%}
		$*
	END
}

# No process of ours is left: none whose command line or environment holds the marker.
nobody_has() { # MARKER
	local file
	for file in /proc/[0-9]*/cmdline /proc/[0-9]*/environ; do
		case $file in "/proc/$$/"* | "/proc/$BASHPID/"*) continue ;; esac
		if grep -aqs -- "$1" "$file"; then
			tr '\0' ' ' <"${file%/*}/cmdline"
			return 1
		fi
	done
}

# The state folder as an ended assay leaves it: nothing half made.
tidy() { # [STATE]
	local state=${1:-.assay} build
	[ -z "$(ls -A "$state/work" 2>/dev/null)" ]
	[ -z "$(ls -A "$state/run" 2>/dev/null)" ]
	[ -z "$(find "$state" -name '*.tmp*' -o -name '*.new' -o -name '.*.??????')" ]
	for build in "$state"/builds/*/; do
		[ ! -e "$build" ] || [ -s "$build/meta.json" ]
	done
	[ "$(query 'pragma integrity_check' "$state/assay.db")" = ok ]
}
