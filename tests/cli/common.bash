# SPDX-License-Identifier: GPL-3.0-or-later
# Shared by the bats files: each test works in a folder of its own, which is not a git tree.
bats_require_minimum_version 1.5.0

assay=${ASSAY_BIN:?ASSAY_BIN names the program under test}
hostile=${top_builddir:-.}/tests/programs/hostile
src=${top_srcdir:-$BATS_TEST_DIRNAME/../..}

setup() {
	unset ASSAY_STATE
	cd "$BATS_TEST_TMPDIR" || return 1
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
