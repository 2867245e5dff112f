#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The demo's program by itself: same answer in each variant; only STRICT changes the code that runs.
bats_require_minimum_version 1.5.0

src=${top_srcdir:-$BATS_TEST_DIRNAME/../..}/experiments/demo

build() { # NAME DEFINE...
	local name=$1
	shift
	(cd "$src/src" && cc -O2 -Wall -Wextra -Werror "$@" -o "$BATS_TEST_TMPDIR/$name" main.c hash.c)
}

@test "every variant prints the fingerprint that the demo expects" {
	build plain
	build strict -DSTRICT=1
	build greeting -DGREETING=2
	for v in plain strict greeting; do
		run --separate-stderr "$BATS_TEST_TMPDIR/$v"
		echo "$v: $output"
		[ "$status" -eq 0 ]
		[ -z "$stderr" ]
		grep -qF "\"$(grep ^fingerprint: <<<"$output")\"" "$src/demo.yaml"
	done
}

@test "strict compares pages, greeting and label change words only" {
	build plain
	build strict -DSTRICT=1
	build greeting -DGREETING=2
	[[ $("$BATS_TEST_TMPDIR/plain") == "Hello, world"*"pages: 2400, compared: 0" ]]
	[[ $("$BATS_TEST_TMPDIR/strict") == "Hello, world"*"pages: 2400, compared: 400" ]]
	[[ $("$BATS_TEST_TMPDIR/greeting") == "Salut, world"*"pages: 2400, compared: 0" ]]
	[[ $(DEMO_LABEL=planet "$BATS_TEST_TMPDIR/plain") == "Hello, planet"*"pages: 2400, compared: 0" ]]
	command -v objcopy >/dev/null || skip "objcopy is not installed"
	for v in plain strict greeting; do
		objcopy -O binary --only-section=.text "$BATS_TEST_TMPDIR/$v" "$BATS_TEST_TMPDIR/$v.text"
	done
	cmp "$BATS_TEST_TMPDIR/plain.text" "$BATS_TEST_TMPDIR/greeting.text"
	! cmp -s "$BATS_TEST_TMPDIR/plain.text" "$BATS_TEST_TMPDIR/strict.text"
}
