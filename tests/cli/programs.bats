#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# assay run: programs that turn against who watches them, their folder or their environment.
load common

# Rows none and X: X runs the shell script $1, none does nothing.
against() { # SCRIPT [OPTION-YAML]
	cat >exp.yaml <<-END
		schema: 1
		name: against
		options: {X: {args: [go]${2:-}}}
		workloads:
		  w:
		    run: [sh, "$PWD/prog.sh"]
		    env: {MARKER: "$BATS_TEST_TMPDIR/mark"}
		    timeout: 10 s
		measure: {blocks: 2, warmup: 0, difference: 50%}
	END
	printf 'echo ok\n[ "$1" = go ] || exit 0\n%s\n' "$1" >prog.sh
}

@test "a program that stops its parent is ended at its own end all the same" {
	against 'kill -STOP $PPID; sleep 0.05'
	expect 0 run exp.yaml
	[ "$(counts)" = "X 2 none 2" ]
}

@test "a program that kills its parent fails alone; the others are measured" {
	against 'kill -KILL $PPID; sleep 5'
	expect 5 run exp.yaml
	[ "$(counts)" = "none 2" ]
	[ "$(query "select distinct status, wall_ns from run where status <> 'ok'")" = "failed|" ]
	says "was killed, and the program with it"
	nobody_has "$BATS_TEST_TMPDIR/mark"
}

@test "fifty deaf processes, some stopped, in sessions of their own: all are ended" {
	against 'for i in $(seq 50); do
		setsid sh -c "trap \"\" TERM HUP INT; [ $i -gt 5 ] || kill -STOP \$\$; sleep 1000" &
	done'
	expect 0 run exp.yaml
	[ "$(counts)" = "X 2 none 2" ]
	nobody_has "$BATS_TEST_TMPDIR/mark"
}

@test "the scratch folder: closed, gone, or a link to something dear" {
	local script
	mkdir dear && echo dear >dear/file
	for script in 'mkdir -p a/b; touch a/b/f; chmod 0 a/b a .' \
		's=$PWD; cd /; rmdir "$s"' \
		"s=\$PWD; cd /; rmdir \"\$s\"; ln -s $PWD/dear \"\$s\"" \
		's=$PWD; cd /; rmdir "$s"; mkfifo "$s"' \
		"ln -s $PWD/dear l; ln dear/file hard 2>/dev/null; mkfifo p"; do
		against "$script"
		expect 0 run exp.yaml
		[ "$(cat dear/file)" = dear ]
		tidy
	done
}

@test "an environment of 300 KB: each row has as much, in strings that the kernel takes" {
	local big
	big=$(printf '%0100000d' 0)
	against ':' ", env: {B1: \"$big\", B2: \"$big\", B3: \"$big\"}"
	expect 0 run exp.yaml
	[ "$(counts)" = "X 2 none 2" ]
}

@test "one variable too large for the kernel: only that row fails" {
	against ':' ", env: {B: \"$(printf '%0300000d' 0)\"}"
	expect 5 run exp.yaml
	[ "$(counts)" = "none 2" ]
	says "Argument list too long"
}
