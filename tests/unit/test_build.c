/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds that succeed: cache, outputs, paths, environment, fetch. Failing ones: test_build_fail.c.
 */
#include "config.h"

#include <unistd.h>

#include "core/engine/treedigest.h"
#include "tests/unit/build_fixture.h"

#define PROGRAM \
	"mkdir -p src; printf '#include <stdio.h>\\nint main(void){puts(W);return 0;}\\n' " \
	">src/a.c;"
#define COMPILE \
	"source: {path: src}\n" \
	"build:\n" \
	"  steps: [[cc, -g3, '{defines}', '-DW=\"a\"', -o, '{out}/prog', a.c]]\n" \
	"  outputs: {prog: '{out}/prog'}\n"

static void programs(void **state)
{
	struct trees *t = *state;
	CLEANUP(built_release) struct built b = {0};
	struct build_result *none, *x, *y;

	sh(t, PROGRAM "printf 'int f(void){return X;}\\n' >>src/a.c;"
		      "sed -i 's/int f/#ifndef X\\n#define X 0\\n#endif\\nint f/' src/a.c");
	declare(t, COMPILE
		"options: {X: {define: {X: 1}}, Y: {define: {UNUSED: 1}}, E: {env: {A: b}}}\n"
		"matrix: {sets: [none, each]}\n");
	build_now(t, &b, 0, false);
	assert_int_equal(b.n, 3); /* env needs no build of its own */
	none = result_of(&b, "none");
	x = result_of(&b, "X");
	y = result_of(&b, "Y");
	assert_ok(none);
	assert_ok(x);
	assert_ok(y);
	assert_false(none->cached);
	assert_true(none->seconds > 0);
	assert_null(none->reason);
	/* A/A: -g3 puts the define into the file, the code is one */
	assert_string_not_equal(none->digest.hex, y->digest.hex);
	assert_string_equal(none->code_digest.hex, y->code_digest.hex);
	assert_string_not_equal(none->code_digest.hex, x->code_digest.hex);
	sh(t, "test \"$('%s')\" = a; test -f .assay/'%s'", none->bins[0], none->log);
	sh(t, "grep -q -e '^\\$ cc -g3 -DX=1 ' .assay/%s", x->log);
	assert_no_work(t);
}

static void cache(void **state)
{
	struct trees *t = *state;
	static const struct {
		const char *damage;
		bool cached;
	} cases[] = {
		{":", true},
		{": >$P", false},
		{"rm $P", false},
		{"chmod -x $P", false},
		{"echo x >>$P", false},
		{"touch -d 2001-01-01 $P", false},
		{"echo '{' >$M", false},
		{"rm $M", false},
		{"sed -i 's/\"key\": \"..../\"key\": \"0000/' $M", false},
		{"rm -r .assay/logs", true},
		{"touch src/a.c", true},
		{"echo >>src/a.c", false},
	};

	sh(t, PROGRAM);
	declare(t, COMPILE);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct built b;

		build_now(t, &b, 0, false);
		assert_int_equal(b.n, 1);
		assert_ok(&b.results[0]);
		if (i && b.results[0].cached != cases[i - 1].cached)
			fail_msg("after '%s' it is %s", cases[i - 1].damage,
				b.results[0].cached ? "cached" : "built");
		sh(t, "test \"$('%s')\" = a; P='%s'; M=$(dirname $P)/meta.json; %s",
			b.results[0].bins[0], b.results[0].bins[0], cases[i].damage);
		built_release(&b);
	}
}

static void again(void **state)
{
	struct trees *t = *state;
	struct digest digest;

	sh(t, PROGRAM);
	declare(t, COMPILE);
	for (int i = 0; i < 3; i++) {
		struct built b;

		build_now(t, &b, 0, i == 1);
		assert_ok(&b.results[0]);
		assert_int_equal(b.results[0].cached, i == 2);
		if (i)
			assert_string_equal(digest.hex, b.results[0].digest.hex);
		digest = b.results[0].digest;
		built_release(&b);
	}
	sh(t, "test \"$(ls .assay/builds | wc -l)\" = 1");
}

static void output_kinds(void **state)
{
	struct trees *t = *state;
	CLEANUP(built_release) struct built b = {0};

	sh(t, "mkdir -p src/sub; echo 1 >src/a");
	declare(t, "source: {path: src}\n"
		   "build:\n"
		   "  dir: sub\n"
		   "  steps:\n"
		   "    - [sh, -c, 'mkdir -p {out}/lib/deep bin; echo 1 >{out}/lib/deep/f; echo 2 "
		   ">bin/p']\n"
		   "    - [sh, -c, 'chmod 755 bin/p; ln -s bin/p rel; ln -s {tree}/sub/rel abs']\n"
		   "  outputs: {lib: '{out}/lib', inside: '{out}/lib/deep/f', same: '{out}/lib',\n"
		   "    relative: bin/p, link: rel, link2: abs, whole: '{out}', tree_file: "
		   "'{tree}/a'}\n");
	build_now(t, &b, 0, false);
	assert_ok(&b.results[0]);
	sh(t, "cd .assay/builds/*; test \"$(cat lib/deep/f inside same/deep/f whole/lib/deep/f | "
	      "tr -d '\\n')\" = 1111;"
	      "test -x relative; test -x link; test ! -L link; test ! -L link2; test \"$(cat link "
	      "link2)\" = \"$(printf '2\\n2')\";"
	      "test \"$(cat tree_file)\" = 1");
	assert_no_work(t);
}

static void keep_tree(void **state)
{
	struct trees *t = *state;
	CLEANUP(built_release) struct built b = {0};

	sh(t, "mkdir -p src/ro; echo 1 >src/a; echo 1 >src/ro/b");
	declare(t, "source: {path: src}\n"
		   "build: {steps: [[sh, -c, 'echo p >p; chmod 555 ro']], outputs: {p: p}, keep: "
		   "tree}\n");
	build_now(t, &b, 0, false);
	assert_ok(&b.results[0]);
	sh(t, "cd .assay/builds/*; test \"$(ls tree | tr '\\n' ' ')\" = 'a p ro '; test -f p; "
	      "chmod 755 tree/ro");
	assert_no_work(t);
}

static void no_steps(void **state)
{
	struct trees *t = *state;
	CLEANUP(built_release) struct built b = {0};

	sh(t, "mkdir src; printf '#!/bin/sh\\necho one\\n' >src/run; chmod +x src/run; cp -r src "
	      "new;"
	      "sed -i s/one/two/ new/run; diff -u src/run new/run >p.patch || :; sed -i "
	      "'s,new/,src/,' p.patch");
	declare(t, "source: {path: src}\n"
		   "build: {outputs: {run: run}}\n"
		   "options: {P: {patch: p.patch}, E: {edit: {file: run, find: echo, replace: echo "
		   "-n}}}\n"
		   "matrix: {sets: [none, each, all]}\n");
	build_now(t, &b, 0, false);
	sh(t, "test \"$(%s) $(%s) $(%s)$(%s)\" = 'one two onetwo'", result_of(&b, "none")->bins[0],
		result_of(&b, "P")->bins[0], result_of(&b, "E")->bins[0],
		result_of(&b, "P+E")->bins[0]);
}

static void nothing_to_build(void **state)
{
	struct trees *t = *state;
	CLEANUP(built_release) struct built b = {0};

	sh(t, "mkdir src");
	declare(t, "source: {path: src}\n");
	build_now(t, &b, 0, false);
	assert_int_equal(b.n, 1);
	assert_ok(&b.results[0]);
	assert_string_equal(b.results[0].digest.hex, "");
}

/* --- Paths and parallel builds -------------------------------------------------------------------
 */

/* Each build says where it is, and waits until as many others as it is told have begun. */
static void declare_paths(struct trees *t, const char *path, int together)
{
	AUTOFREE char *text = xasprintf(
		"source: {path: src}\n"
		"build:\n"
		"  path: %s\n"
		"  steps:\n"
		"    - [sh, -c, 'touch {here}/began/$$ && i=0 && while [ $(ls {here}/began | wc "
		"-l) -lt %d ] && [ $i -lt 200 ]; do i=$((i+1)); sleep 0.05; done; test $i -lt "
		"200']\n"
		"    - [sh, -c, 'pwd >{out}/pwd; echo {tree} {out} {jobs} >>{out}/pwd; ls {tree} "
		"{out} >>{out}/pwd; echo {define:N} >{out}/n']\n"
		"    - [cc, -g, '-DHERE=\"{tree}\"', a.c, -o, '{out}/p']\n"
		"  outputs: {pwd: '{out}/pwd', n: '{out}/n', p: '{out}/p'}\n"
		"options: {A: {define: {N: 1}}, B: {define: {N: 2}}, C: {define: {N: 3}}}\n"
		"matrix: {sets: [none, each]}\n",
		path, together);

	sh(t, "rm -rf began; mkdir -p began src; echo 'int main(void){return HERE[0];}' >src/a.c");
	declare(t, text);
}

static void parallel(void **state)
{
	struct trees *t = *state;
	CLEANUP(built_release) struct built b = {0};
	AUTOFREE char *said = NULL;
	char why[256];

	if (!proc_can_bind(t->launcher, why, sizeof(why))) {
		print_message("no private mounts here: %s\n", why);
		skip();
	}
	declare_paths(t, "same", 4);
	build_now(t, &b, 4, false);
	for (size_t i = 0; i < b.n; i++)
		assert_ok(&b.results[i]);
	said = sh_out(t, "cd .assay/builds; sort -u */pwd; cat */n | sort;"
			 "sha256sum */p | cut -c1-64 | sort -u | wc -l");
	assert_has(said, ".assay/work/build/tree\n");
	assert_has(said, "\n1\n2\n3\n1\n"); /* three defines, one program */
	assert_no_work(t);
}

static void equal_programs(void **state)
{
	struct trees *t = *state;
	struct digest digest[2];

	/* parallel and one after the other give the same bytes, debug paths included */
	for (int i = 0; i < 2; i++) {
		struct built b;

		declare_paths(t, "same", 1);
		build_now(t, &b, i ? 1 : 4, true);
		assert_ok(result_of(&b, "A"));
		if (tree_digest(result_of(&b, "A")->bins[2], TREE_CONTENT, &digest[i],
			    &(struct err){0}))
			fail_msg("no digest");
		built_release(&b);
	}
	assert_string_equal(digest[0].hex, digest[1].hex);
}

static void own_paths(void **state)
{
	struct trees *t = *state;
	CLEANUP(built_release) struct built b = {0};
	AUTOFREE char *paths = NULL;

	declare_paths(t, "own", 4);
	build_now(t, &b, 4, false);
	for (size_t i = 0; i < b.n; i++)
		assert_ok(&b.results[i]);
	paths = sh_out(t, "cat .assay/builds/*/pwd | grep '/tree$' | sort -u | awk '{print "
			  "length($0)}' | uniq -c | awk '{print $1}'");
	assert_string_equal(paths, "4\n"); /* four paths of one length */
	assert_no_work(t);
}

/* --- Environment ---------------------------------------------------------------------------------
 */

static void environment(void **state)
{
	struct trees *t = *state;
	CLEANUP(built_release) struct built b = {0};

	sh(t, "mkdir src; echo 1 >src/a");
	declare(t, "source: {path: src}\n"
		   "vars: {WHERE: '{here}/x'}\n"
		   "build:\n"
		   "  steps: [[sh, -c, 'env >{out}/env; cat >{out}/stdin; git rev-parse "
		   "--show-toplevel >{out}/git 2>&1 || echo none >{out}/git']]\n"
		   "  outputs: {env: '{out}/env', stdin: '{out}/stdin', git: '{out}/git'}\n"
		   "  env: {MINE: '{WHERE} {out}'}\n"
		   "options: {R: {rustflags: ['-C', 'a=b c'], features: [f1, f2]}, D: {build_env: "
		   "{CARGO_TARGET_DIR: /elsewhere}}}\n"
		   "matrix: {sets: [none, each]}\n");
	/* the experiment lies in a git tree; assay runs inside of a hook of another one */
	sh(t, "git init -q .; printf home >.gitignore; git add .gitignore; git commit -q -m 1; rm "
	      ".assay/.gitignore");
	setenv("GIT_DIR", "/nowhere", 1);
	setenv("GIT_INDEX_FILE", "/nowhere/index", 1);
	setenv("SECRET", "s", 1);
	setenv("CARGO_TARGET_DIR", "/stale", 1);
	setenv("LC_ALL", "de_DE.UTF-8", 1);
	build_now(t, &b, 1, false);
	unsetenv("GIT_DIR");
	unsetenv("GIT_INDEX_FILE");
	unsetenv("SECRET");
	unsetenv("CARGO_TARGET_DIR");
	setenv("LC_ALL", "C", 1);
	for (size_t i = 0; i < b.n; i++)
		assert_ok(&b.results[i]);
	sh(t,
		"E=%s; W=$PWD/.assay/work/build; grep -qx \"MINE=$PWD/x $W/out\" $E; grep -qx "
		"LC_ALL=C $E;"
		"grep -qx \"CARGO_TARGET_DIR=$W/out/target\" $E; grep -qx CARGO_ENCODED_RUSTFLAGS= "
		"$E;"
		"grep -qx \"GIT_CEILING_DIRECTORIES=$W\" $E; ! grep -q '^SECRET=\\|^GIT_[DI]' $E; "
		"grep -qx HOME=.* $E",
		result_of(&b, "none")->bins[0]);
	sh(t, "grep -qx \"$(printf 'CARGO_ENCODED_RUSTFLAGS=-C\\037a=b c')\" %s",
		result_of(&b, "R")->bins[0]);
	sh(t, "grep -qx CARGO_TARGET_DIR=/elsewhere %s", result_of(&b, "D")->bins[0]);
	sh(t, "test ! -s %s; test \"$(cat %s)\" = none", result_of(&b, "none")->bins[1],
		result_of(&b, "none")->bins[2]);
	sh(t, "rm -rf .git");
}

static void users_checkout(void **state)
{
	struct trees *t = *state;
	CLEANUP(built_release) struct built b = {0};
	AUTOFREE char *before = NULL, *after = NULL;

	sh(t, "git init -q src; cd src; printf 'all:\\n\\techo built >made; cp made "
	      "$(OUT)/made\\n' >Makefile; seq 20 >f;"
	      "commit 1; sed -i s/^5$/five/ f; git diff >../p.patch; commit 2; git tag five; git "
	      "checkout -q HEAD~1; touch -d '+1 hour' f");
	before = portrait(t, "src");
	declare(t, "source: {git: src}\n"
		   "build: {steps: [[make, 'OUT={out}']], outputs: {made: '{out}/made', f: f}}\n"
		   "options: {P: {patch: p.patch}, K: {pick: five}}\n"
		   "matrix: {sets: [none, each]}\n");
	build_now(t, &b, 0, false);
	for (size_t i = 0; i < b.n; i++)
		assert_ok(&b.results[i]);
	after = portrait(t, "src");
	assert_string_equal(before, after);
	sh(t, "cmp %s %s; ! cmp -s %s %s", result_of(&b, "P")->bins[1], result_of(&b, "K")->bins[1],
		result_of(&b, "P")->bins[1], result_of(&b, "none")->bins[1]);
}

static void fetch(void **state)
{
	struct trees *t = *state;

	sh(t, "mkdir src; echo 1 >src/a");
	declare(t, "source: {path: src}\n"
		   "build:\n"
		   "  fetch: [sh, -c, 'echo x >>{here}/fetched; mkdir vendor; echo v >vendor/lib; "
		   "pwd >where']\n"
		   "  steps: [[sh, -c, 'cp vendor/lib {out}/lib; cp where {out}']]\n"
		   "  outputs: {lib: '{out}/lib', where: '{out}/where'}\n"
		   "options: {A: {define: {A: 1}}}\n"
		   "matrix: {sets: [none, each]}\n");
	for (int i = 0; i < 4; i++) {
		struct built b;

		build_now(t, &b, 0, true);
		assert_ok(&b.results[0]);
		assert_ok(&b.results[1]);
		sh(t,
			"test \"$(wc -l <fetched)\" = %d; test \"$(cat %s)\" = "
			"\"$PWD/.assay/work/build/tree\"",
			i < 2 ? 1 : i, b.results[0].bins[1]);
		built_release(&b);
		if (i == 1)
			sh(t, "echo 2 >src/a"); /* a new source state */
		if (i == 2)
			sh(t, "rm .assay/src/*.fetched; rm -r .assay/src/*/vendor"); /* killed on
											the way */
	}
}

/* --- Tools ---------------------------------------------------------------------------------------
 */

static struct digest tools_now(struct trees *t, const char *rest, json_t **versions)
{
	struct digest digest = {0};
	struct built b;

	declare(t, rest);
	open_built(t, &b);
	digest = b.experiment.tools;
	if (versions)
		*versions = json_incref(b.experiment.tools_json);
	built_release(&b);
	return digest;
}

#define TOOL_STEPS \
	"source: {path: src}\nvars: {CC: mycc}\nbuild: {steps: [['{CC}', x], [./local]], env: " \
	"{PATH: '{here}/bin:{env:PATH}'}}\n"

static void tools(void **state)
{
	struct trees *t = *state;
	struct digest first, second;
	struct built b;
	struct err err;
	json_t *versions;

	sh(t,
		"mkdir src bin; echo 'touch ../ran' >src/local; chmod +x src/local;"
		"printf '#!/bin/sh\\npwd >>%s/cwd\\necho v1 >&2\\nexit 3\\n' >bin/mycc; chmod +x "
		"bin/mycc; cp bin/mycc bin/other",
		t->dir);
	first = tools_now(t, TOOL_STEPS, &versions);
	assert_string_equal(json_string_value(json_object_get(versions, "mycc")), "v1");
	assert_non_null(json_object_get(versions, "cc"));
	assert_null(json_object_get(versions, "./local"));
	json_decref(versions);
	sh(t, "test ! -e ran; test \"$(sort -u cwd)\" = \"$PWD/src\"");
	second = tools_now(t, TOOL_STEPS, NULL);
	assert_string_equal(first.hex, second.hex);
	sh(t, "sed -i s/v1/v2/ bin/mycc");
	second = tools_now(t, TOOL_STEPS, NULL);
	assert_string_not_equal(first.hex, second.hex);
	tools_now(t, TOOL_STEPS "options: {O: {set: {CC: other}}}\n", &versions);
	assert_non_null(json_object_get(versions, "other"));
	json_decref(versions);
	tools_now(
		t, "source: {path: src}\nbuild: {steps: [[nosuchtool]], tools: [sh]}\n", &versions);
	assert_int_equal(json_object_size(versions), 1);
	json_decref(versions);
	declare(t, "source: {path: src}\nbuild: {steps: [[nosuchtool]]}\n");
	assert_int_equal(try_open(t, &b, &err), -1);
	assert_int_equal(err.code, E_MISSING);
	assert_has(err.text, "'nosuchtool'");
	built_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		tree_test(programs),
		tree_test(cache),
		tree_test(again),
		tree_test(output_kinds),
		tree_test(keep_tree),
		tree_test(no_steps),
		tree_test(nothing_to_build),
		tree_test(parallel),
		tree_test(equal_programs),
		tree_test(own_paths),
		tree_test(environment),
		tree_test(users_checkout),
		tree_test(fetch),
		tree_test(tools),
	};

	return cmocka_run_group_tests(tests, trees_setup, trees_teardown) != 0;
}
