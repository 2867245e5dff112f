#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The figures that assay prints, against figures made from the raw values by other means.
load common

# scipy PROGRAM ARG...: skips where Debian's python3-scipy is not installed.
scipy() {
	/usr/bin/python3 -c 'import scipy' 2>/dev/null ||
		skip "no SciPy to compare with: apt-get install python3-scipy"
	run /usr/bin/python3 "$@"
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "every figure of a report follows from the store's raw values" {
	scipy "$src/tests/reference/check_report.py" "$assay"
	[[ $output == *" figures checked, 0 wrong" ]]
}

@test "noise that no reasonable number of blocks would beat: other cures, no command" {
	printf '%s\n' 'schema: 1' 'name: d' 'options: {A: {env: {A: x}}, B: {env: {B: x}}}' \
		'matrix: {sets: [none, each]}' 'workloads: {w: {run: ["true"]}}' >d.yaml
	printf '%s\n' 'schema: 1' 'options: [A, B]' 'noise: 0.3' >world.yaml
	expect 0 run d.yaml --simulate world.yaml --store s.db -q
	expect 0 report d.yaml --store s.db
	shows "undecided (too noisy)"
	shows "Too noisy: A and 1 more: more blocks are no help"
	shows "a quieter machine"
	! grep -Eq "about [0-9]+ more|measure.blocks=" <<<"$output"
	jq -e '.verdicts[0].blocks_needed > 100' <<<"$("$assay" report d.yaml --store s.db --json)"
	# With less of it the number is named, and the command that runs as many.
	sed -i 's/0.3/0.012/' world.yaml
	expect 0 run d.yaml --simulate world.yaml --store t.db -q
	expect 0 report d.yaml --store t.db
	shows "noise, about "
	shows "--set measure.blocks="
	[[ $output != *"oo noisy"* ]]
}

@test "plans of random matrices have the rows that brute force gives" {
	command -v /usr/bin/python3 >/dev/null || skip "no python3"
	run /usr/bin/python3 "$src/tests/reference/check_plan.py" "$assay" 200
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "plan counts the baseline's runs of incomplete blocks; run has as many" {
	printf '%s\n' 'schema: 1' 'name: d' 'options:' '  A: {env: {A: x}}' '  B: {env: {B: x}}' \
		'  C: {env: {C: x}}' '  D: {env: {D: x}}' 'matrix: {sets: [full]}' \
		'workloads: {w: {run: ["true"]}}' 'measure: {warmup: 0}' >d.yaml
	printf '%s\n' 'schema: 1' 'options: [A]' >world.yaml
	expect 0 plan d.yaml --json
	[ "$(jq -c .runs <<<"$output")" = '{"min":72,"max":72}' ]
	expect 0 run d.yaml --simulate world.yaml --store s.db -q
	[ "$(query "select count(*) from run" s.db)" = 72 ]
	[ "$(query "select count(*) from v_run where variant = 'none'" s.db)" = 12 ]
}

@test "plan after a session without a valid run: nothing is known, nothing is wrong" {
	printf '%s\n' 'schema: 1' 'name: d' 'workloads: {w: {run: ["false"]}}' \
		'measure: {blocks: 2}' 'options: {A: {env: {A: x}}}' >d.yaml
	expect 9 run d.yaml -q
	expect 0 plan d.yaml --json
	[ "$(jq -c '[.eta_s, .detectable]' <<<"$output")" = '[null,null]' ]
}

@test "times, memory, faults, switches, phases and values are what the programs say themselves" {
	command -v /usr/bin/python3 >/dev/null || skip "no python3"
	run /usr/bin/python3 "$src/tests/reference/check_usage.py" "$assay" \
		"${top_builddir:-.}/tests/programs/known"
	echo "$output"
	[ "$status" -eq 0 ]
}
