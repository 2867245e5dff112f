#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The reference prover by itself: every build of it computes the same and notices what is wrong.
bats_require_minimum_version 1.5.0

src=${top_srcdir:-$BATS_TEST_DIRNAME/../..}/experiments/phase4
variants="vec cap1 cap2 cap4 reserved direct all"

build() { # NAME TREE DEFS
	env -u MAKEFLAGS -u MAKELEVEL make -s -C "$2" -j2 CFLAGS='-O1 -Werror' DEFS="$3" \
		OUT="$BATS_FILE_TMPDIR/$1"
}

setup_file() {
	local patched=$BATS_FILE_TMPDIR/patched

	mkdir "$patched"
	cp "$src"/prover/* "$patched"
	chmod -R u+w "$patched"
	(cd "$patched" && GIT_CEILING_DIRECTORIES=$BATS_FILE_TMPDIR git apply "$src/patches/direct.patch")
	run -1 cmp -s "$src/prover/bit.c" "$patched/bit.c"
	build vec "$src/prover" ""
	build cap1 "$src/prover" "-DLC_INLINE_CAP=1"
	build cap2 "$src/prover" "-DLC_INLINE_CAP=2"
	build cap4 "$src/prover" "-DLC_INLINE_CAP=4"
	build reserved "$src/prover" "-DPRESIZE_OUTPUTS=1"
	build direct "$patched" ""
	build all "$patched" "-DLC_INLINE_CAP=2 -DPRESIZE_OUTPUTS=1"
}

prover() { # VARIANT ARGUMENT...
	local variant=$1
	shift
	"$BATS_FILE_TMPDIR/$variant/prover" "$@"
}

@test "every variant passes its own tests" {
	for v in $variants; do
		run prover $v selftest
		echo "$v: $output"
		[ "$status" -eq 0 ]
		[ "$output" = "scalar field: ok
linear combinations: ok
circuit: ok" ]
	done
}

@test "all variants give the same evaluations, another seed gives others" {
	reference=$(prover vec synth --partitions 3 --constraints 50000 --seed 7 2>/dev/null | grep ^checksum:)
	[[ $reference =~ ^checksum:\ [0-9a-f]{16}$ ]]
	for v in $variants; do
		run --separate-stderr prover $v synth --partitions 3 --constraints 50000 --seed 7
		echo "$v: $output"
		[ "$status" -eq 0 ]
		[ "$(grep ^checksum: <<<"$output")" = "$reference" ]
	done
	other=$(prover vec synth --partitions 3 --constraints 50000 --seed 8 2>/dev/null | grep ^checksum:)
	[ "$other" != "$reference" ]
}

@test "the experiment expects the checksum that the prover gives" {
	grep -q 'synth, --partitions, "10", --constraints, "270000"' "$src/phase4.yaml"
	run --separate-stderr prover vec synth --partitions 10 --constraints 270000
	[ "$status" -eq 0 ]
	grep -qF "\"$(grep ^checksum: <<<"$output")\"" "$src/phase4.yaml"
}

@test "results do not depend on the number of threads" {
	one=$(prover vec synth --partitions 4 --constraints 27000 --threads 1 2>/dev/null | grep ^checksum:)
	many=$(prover vec synth --partitions 4 --constraints 27000 --threads 9 2>/dev/null | grep ^checksum:)
	[ -n "$one" ]
	[ "$one" = "$many" ]
}

@test "a build says which options it has" {
	declare -A lists=([vec]="0 inside, 96 bytes" [cap1]="1 inside, 160 bytes"
		[cap2]="2 inside, 240 bytes" [cap4]="4 inside, 400 bytes"
		[reserved]="0 inside, 96 bytes" [direct]="0 inside, 96 bytes"
		[all]="2 inside, 240 bytes")
	for v in $variants; do
		run --separate-stderr prover $v synth --partitions 1 --constraints 1
		echo "$v: $output"
		[[ $output == *"lists:      ${lists[$v]} per combination"* ]]
		case $v in
		reserved | all) [[ $output == *"outputs:    reserved"* ]] ;;
		*) [[ $output == *"outputs:    grown"* ]] ;;
		esac
	done
}

@test "a falsified witness is rejected, wherever it is" {
	for k in 0 17 511 512 700 13000 25000 26002; do
		run prover vec synth --partitions 2 --constraints 1 --corrupt $k
		echo "$k: $output"
		[ "$status" -eq 1 ]
		[[ $output == *"prover: the witness is wrong: partition 0, constraint "*" does not hold"* ]]
		[[ $output != *"witness verified"* ]]
		[[ $output != *"checksum:"* ]]
	done
	run prover vec synth --partitions 2 --constraints 1 --corrupt 26003
	[ "$status" -eq 1 ]
	[[ $output == *"only 26003 variables"* ]]
}

@test "stdout has the lines of the real prover's benchmark" {
	run --separate-stderr prover vec synth --partitions 3 --constraints 27000 --iterations 2
	[ "$status" -eq 0 ]
	echo "$output"
	number='[0-9]+\.[0-9]{4}s'
	[ "$(grep -cE "^  \[[12]\] wall=$number  synth=$number  circuits=3  constraints=26034$" <<<"$output")" -eq 2 ]
	info='^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{6}Z  INFO prover::synth: partition synthesis complete partition=[012] synth_ms=[0-9]+ num_constraints=26034$'
	[ "$(grep -cE "$info" <<<"$output")" -eq 6 ]
	[ "$(grep -c '^witness verified: 78102 constraints$' <<<"$output")" -eq 2 ]
	[ "$(grep -c '^digest ok$' <<<"$output")" -eq 2 ]
	grep -q '^=== Summary (2 iterations) ===$' <<<"$output"
	grep -qE "^wall:   avg=$number  min=$number$" <<<"$output"
	grep -qE "^synth:  avg=$number  min=$number$" <<<"$output"
}

@test "stderr has a begin and an end for each partition and nothing else" {
	run --separate-stderr prover vec synth --partitions 3 --constraints 27000 --iterations 2 --threads 2
	[ "$status" -eq 0 ]
	echo "$stderr"
	for job in 1 2; do
		for p in 0 1 2; do
			for event in SYNTH_START SYNTH_END; do
				[ "$(grep -cE "^TIMELINE,[0-9]+,$event,synth-$job,worker=[01],partition=$p$" <<<"$stderr")" -eq 1 ]
			done
		done
	done
	[ "$(wc -l <<<"$stderr")" -eq 12 ]
}

@test "wrong usage is explained and exits with 2" {
	check() { # MESSAGE ARGUMENT...
		message=$1
		shift
		run prover vec "$@"
		echo "$* -> $status: $output"
		[ "$status" -eq 2 ]
		[ "${lines[0]}" = "prover: $message" ]
		[ "${lines[1]}" = "Try 'prover --help'." ]
	}
	check "which command? synth or selftest"
	check "unknown command 'prove': synth or selftest" prove
	check "unknown option '--bogus'" synth --bogus
	check "--partitions needs a value" synth --partitions
	check "unexpected argument 'more'" synth more
	check "selftest takes no arguments" selftest now
	for bad in 0 -1 1001 x 1x "" " 1" 99999999999999999999; do
		check "--partitions is a number from 1 to 1000, not '$bad'" synth --partitions "$bad"
	done
	check "--threads is a number from 1 to 1000, not '0'" synth --threads 0
	check "--iterations is a number from 1 to 1000000, not '0'" synth --iterations=0
	check "--constraints is a number from 1 to 1000000000, not '1e6'" synth --constraints 1e6
	check "--seed is a number from 0 to 18446744073709551615, not '-3'" synth --seed -3
}

@test "help goes to stdout and names every option" {
	for args in --help -h "synth --help"; do
		run --separate-stderr prover vec $args
		[ "$status" -eq 0 ]
		[ -z "$stderr" ]
		for word in synth selftest --partitions --constraints --threads --iterations --seed; do
			[[ $output == *"$word"* ]]
		done
	done
}

@test "an inline capacity that no variant has does not compile" {
	run build cap3 "$src/prover" "-DLC_INLINE_CAP=3"
	[ "$status" -ne 0 ]
	[[ $output == *"LC_INLINE_CAP is 1, 2 or 4"* ]]
}

@test "other flags compile again in the same folder" {
	build again "$src/prover" ""
	build again "$src/prover" "-DLC_INLINE_CAP=1"
	run --separate-stderr prover again synth --partitions 1 --constraints 1
	[[ $output == *"lists:      1 inside"* ]]
}
