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

columns() { # VIEW: names and declared types as doc/store.md has them
	query "select group_concat(name, ' ') from pragma_table_info('$1')" "$2"
}

# A session with everything in it: ok, failed, timed out, invalid, cut off and done again, warm-up.
eventful() {
	mkdir e # bats keeps files of its own in the test's folder, and they would be source
	cd e
	cat >p.sh <<-'END'
		echo "begin a"; echo "v=$1"; sleep 0.01; echo "end a"
		case $1 in
		fails) exit 3 ;;
		hangs) sleep 30 ;;
		mute) ;;
		*) echo fine ;;
		esac
	END
	cat >d.yaml <<-'END'
		schema: 1
		name: eventful
		options:
		  A: {args: [fails]}
		  B: {args: [hangs]}
		  C: {args: [mute]}
		  D: {args: [more]}
		parsers:
		  own:
		    rules:
		      - {match: '^begin a$', begin: a}
		      - {match: '^end a$', end: a}
		matrix: {sets: [none, each]}
		measure: {blocks: 4, warmup: 1, timeout: 500 ms}
		workloads:
		  w:
		    run: [sh, p.sh, "{args}"]
		    cwd: "{here}"
		    log: own
		    check: [{in: stdout, text: fine}]
	END
	# Ended hard in its first blocks; the same command goes on.
	"$assay" run d.yaml -q >/dev/null 2>&1 3>&- &
	local pid=$!
	for ((i = 0; i < 200; i++)); do
		[ "$(query "select count(*) > 8 from run" 2>/dev/null)" = 1 ] && break
		sleep 0.05
	done
	kill -9 $pid
	wait $pid || true
	expect 5 run d.yaml -q
	[ "$(query "select count(*) from session")" = 1 ]
}

@test "measure: differences that are no ratios are said in their unit" {
	local known=${top_builddir:-.}/tests/programs/known
	# Well above what the launcher has itself, also with sanitizers.
	expect 0 measure -n 4 --metric rss_peak --difference '5 MiB' "$known rss=80" "$known rss=40" -q
	[[ ${lines[0]} =~ ^b\ is\ (39|40)\.[0-9]+\ MiB\ lower\ than\ a\ \[(39|40)\.[0-9]+,\ (39|40)\.[0-9]+\],\ 4\ pairs ]]
	expect 0 measure -n 4 --metric rss_peak --difference '5 MiB' "$known" "$known" -q
	[[ ${lines[0]} =~ ^b\ is\ the\ same\ as\ a\ within\ 5\ MiB:\ .*iB\ \[ ]]
	expect 0 measure -n 4 --metric rss_peak "$known rss=80" "$known rss=40" -q
	[[ ${lines[0]} =~ ^b\ is\ (4[89]|50)\.[0-9]\ %\ lower\ than\ a\ \[(4[89]|50)\. ]]
}

@test "failures of several kinds are not called by the first one's" {
	printf '%s\n' 'schema: 1' 'options: [A]' 'fail: {A: {run: 0.5, timeout: 0.7}}' >world.yaml
	expect 5 run --simulate world.yaml --json -q --set measure.blocks=20
	jq -e '.verdicts[0] | .reason | test("^[0-9]+ of 20 runs failed in several ways, first: ")' <<<"$output"
}

@test "the views have the columns that are promised, and what they mean" {
	eventful
	[ "$(columns v_run)" = "run_id experiment session workload variant axes block position status started wall_s" ]
	[ "$(columns v_run_all)" = "run_id experiment session workload variant axes block position status started wall_s role attempt reason" ]
	[ "$(columns v_sample)" = "run_id experiment session workload variant axes block scope metric instance unit value reason quality collector" ]
	[ "$(columns v_phase)" = "run_id name instance thread start_s end_s parent source" ]
	[ "$(columns v_gpu)" = "run_id kind name device stream start_s end_s bytes" ]
	[ "$(columns v_build)" = "build_id key status digest code_digest seconds variants" ]
	[ "$(columns v_host)" = "host epoch name kernel cpu facts" ]
	# One run a row and block, whatever was cut off; no warm-up; times of good runs alone.
	[ "$(query "select group_concat(variant || status || n, ' ') from (select variant, status,
		count(*) n from v_run group by 1, 2 order by 1)")" = "Afailed4 Btimeout4 Cinvalid4 Dok4 noneok4" ]
	[ "$(query "select count(distinct variant || block) = count(*) from v_run")" = 1 ]
	[ "$(query "select count(*) from v_run where (status = 'ok') <> (wall_s is not null)")" = 0 ]
	[ "$(query "select count(*) from run where status = 'lost'")" = 1 ]
	[ "$(query "select attempt from v_run_all where status <> 'lost' and variant || role || block =
		(select variant || role || block from v_run_all where status = 'lost')")" = 2 ]
	[ "$(query "select count(*) from v_run_all where role = 'warmup' and status <> 'lost'")" = 5 ]
	[ "$(query "select count(*) from v_run where julianday(started) is null or
		started not like '20__-__-__T__:__:__.___Z'")" = 0 ]
	[ "$(query "select count(*) from v_run_all where status <> 'ok' and coalesce(reason, '') = ''")" = 0 ]
	# What is not there says why.
	[ "$(query "select count(*) from v_sample where value is null and coalesce(reason, '') = ''")" = 0 ]
	[ "$(query "select count(*) from v_sample where value is not null and run_id not in
		(select run_id from v_run where status = 'ok')")" = 0 ]
	[ "$(query "select count(*) from v_sample join v_run using (run_id) where metric = 'wall' and
		scope = 'run' and value is not wall_s")" = 0 ]
	# Phases lie in their run and give their metric.
	[ "$(query "select count(*) from v_phase p join v_run r using (run_id) where r.status = 'ok' and not
		(0 <= start_s and start_s <= end_s and end_s <= wall_s and source = 'log')")" = 0 ]
	[ "$(query "select count(*) from v_phase p join v_sample s using (run_id) where scope = 'phase:a' and
		metric = 'wall' and abs(value - (end_s - start_s)) > 1e-9")" = 0 ]
	[ "$(query "select count(*) from v_phase join v_run using (run_id) where status = 'ok'")" = 8 ]
	[ "$(query "select variants from v_build")" = "A B C D none" ]
	[ "$(query "select count(*) from v_host where json_valid(facts) and kernel <> '' and host <> ''")" = 1 ]
	# ls and the report count the same.
	[ "$("$assay" ls d.yaml --json | jq -c '.sessions[0] | [.runs, .failed]')" = "[20,12]" ]
	[ "$("$assay" report d.yaml --json | jq -c '[.verdicts[] | [.variant, .runs, .failed, .lost]]')" = \
		'[["A",4,4,0],["B",4,4,0],["C",4,4,0],["D",4,0,0]]' ]
	scipy "$src/tests/reference/check_report.py" "$assay" --store .assay/assay.db
}

@test "tables, CSV and pictures show what the JSON says" {
	command -v gnuplot >/dev/null || skip "gnuplot is not installed"
	export PYTHONDONTWRITEBYTECODE=1 # the source tree may be read-only, and stays as it is
	scipy "$src/tests/reference/check_render.py" "$assay"
	[[ $output == *" pictures, 0 wrong" ]]
}
