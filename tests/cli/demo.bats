#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The demo names the option that is really slower, whichever that is, and none when none is; the
# store, asked by sqlite3, agrees with the report. A test machine may be busy in bursts: verdicts are
# asserted of the processor time, those of the wall time when one of three sessions is calm enough.
load common

demo() {
	cp -r "$src/experiments/demo" demo
	chmod -R u+w demo
	# 8 blocks are a look; half a minute with 20 is for users.
	sed -i 's/blocks: {min: 20, max: 32}/blocks: {min: 8, max: 32}/' demo/demo.yaml
	grep -q 'min: 8' demo/demo.yaml
}

calm=(--set measure.metric=user --set measure.difference=8%)

# The option that is called regressed: all of them, blank-separated.
regressed() {
	jq -r '[.verdicts[] | select(.verdict == "regressed") | .variant] | join(" ")'
}

# sqlite3 counts the runs that the report counts, and its values are theirs.
agrees() { # REPORT.json
	query "select variant, count(*), avg(wall_s) from v_run group by 1" demo/.assay/assay.db
	[ "$(jq -c '[.verdicts[].runs]' "$1")" = "[8,8,8]" ]
	[ "$(query "select group_concat(n) from (select count(*) as n from v_run group by session, variant)" \
		demo/.assay/assay.db | tr ',' '\n' | sort -u)" = 8 ]
}

@test "strict is the slower one: text, JSON and sqlite3 say so" {
	demo
	local attempt
	for attempt in 1 2 3; do
		expect 0 run demo/demo.yaml
		expect 0 report demo/demo.yaml --json
		printf '%s' "$output" >report.json
		agrees report.json
		[ "$(regressed <report.json)" = strict ] && break
		# Nobody else may be blamed, however busy the machine is.
		[ -z "$(regressed <report.json)" ]
	done
	tidy demo/.assay
	[ "$(regressed <report.json)" = strict ] ||
		skip "the machine is too busy for verdicts of wall time: $(grep -o 'other processes[^.]*' <<<"$stderr$output" | head -1)"
	expect 0 report demo/demo.yaml
	shows "Slower?  Yes: with strict"
	[[ $output == *"Slower: strict"* ]]
	# In the newest session: the same order by sqlite3.
	local uid slowest
	uid=$(jq -r .session.uid report.json)
	slowest=$(query "select variant from v_run v where session in ('$uid', (select id from session
		where uid = '$uid')) group by 1 order by avg(wall_s) desc limit 1" demo/.assay/assay.db)
	[ "$slowest" = strict ]
	[ "$(jq -r '.verdicts | max_by(.value) | .variant' report.json)" = strict ]
}

@test "by processor time, too; with the slow define moved to another option, that one is named" {
	demo
	expect 0 run demo/demo.yaml --json "${calm[@]}"
	[ "$(regressed <<<"$output")" = strict ]
	sed -i 's/define: {STRICT: 1}/define: {GREETING: 3}/; s/define: {GREETING: 2}/define: {GREETING: 2, STRICT: 1}/' \
		demo/demo.yaml
	expect 0 run demo/demo.yaml --json "${calm[@]}"
	[ "$(regressed <<<"$output")" = greeting ]
	printf '%s' "$output" >report.json
	agrees report.json
}

@test "with none slow, none is called slower" {
	demo
	sed -i 's/define: {STRICT: 1}/define: {GREETING: 3}/' demo/demo.yaml
	expect 0 run demo/demo.yaml --json "${calm[@]}"
	[ -z "$(regressed <<<"$output")" ]
	[ "$(jq '.verdicts | length' <<<"$output")" = 3 ]
	expect 0 report demo/demo.yaml "${calm[@]}"
	! grep -q "^Slower?  Yes" <<<"$output"
}
