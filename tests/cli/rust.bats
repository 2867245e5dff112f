#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Cargo projects: features, rustflags, and nothing of the user's own settings in a build.
load common

crate() {
	mkdir -p app/src app/.cargo
	cd app || return 1
	printf '[package]\nname = "tiny"\nversion = "0.1.0"\nedition = "2021"\n[features]\nslow = []\n' >Cargo.toml
	printf '[build]\nrustflags = ["--cfg", "configured"]\n' >.cargo/config.toml
	cat >src/main.rs <<-'END'
		#![allow(unexpected_cfgs)]
		fn main() {
		    println!("slow={} configured={} extra={} env={}", cfg!(feature = "slow"),
		        cfg!(configured), cfg!(extra), option_env!("AT_BUILD").unwrap_or("none"));
		}
	END
	printf 'version = 3\n[[package]]\nname = "tiny"\nversion = "0.1.0"\n' >Cargo.lock
	cat >exp.yaml <<-'END'
		schema: 1
		name: exp
		source: {path: ., exclude: [exp.yaml]}
		build:
		  steps: [[cargo, build, --locked, --offline, -j, "{jobs}", --features, "{features}"]]
		  outputs: {tiny: "{out}/target/debug/tiny"}
		options:
		  slow: {features: [slow]}
		  extra: {rustflags: [--cfg, extra]}
		  at: {build_env: {AT_BUILD: "two words"}}
		workloads: {w: {run: ["{bin.tiny}"]}}
		measure: {blocks: 2, warmup: 0, difference: 50%}
	END
}

@test "check says that the options' rustflags hide those of cargo's configuration" {
	crate
	sed -i 's/\[cargo.*$/["true"]]/' exp.yaml
	expect 0 check exp.yaml
	says "the rustflags in .cargo/config.toml are used in no row"
	expect 0 check exp.yaml --set 'options.extra={args: [x]}'
	[[ $stderr != *rustflags* ]]
}

@test "init takes the program's name from the package, and says that a lock file is missing" {
	crate
	rm Cargo.lock
	expect 0 init -o new.yaml
	says "cargo generate-lockfile"
	grep -q 'program: "{out}/target/release/tiny"' new.yaml
}

@test "each variant is what its options say, whatever the user's environment has" {
	command -v cargo >/dev/null || skip "cargo is not installed"
	crate
	export CARGO_TARGET_DIR=$BATS_TEST_TMPDIR/shared RUSTFLAGS="--cfg extra" AT_BUILD=mine
	expect 0 run exp.yaml
	[ ! -e "$BATS_TEST_TMPDIR/shared" ]
	[ ! -e target ]
	[ "$(query "select group_concat(line, ' ') from (select distinct variant || ':' ||
		trim(cast(kept as text), char(10)) as line from log join v_run using (run_id)
		where stream = 'stdout' order by variant)")" = "$(printf '%s' \
		"at:slow=false configured=false extra=false env=two words " \
		"extra:slow=false configured=false extra=true env=none " \
		"none:slow=false configured=false extra=false env=none " \
		"slow:slow=true configured=false extra=false env=none")" ]
}
