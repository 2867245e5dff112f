/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Picks, patches and edits on trees, and what is said when they do not apply. */
#include "config.h"

#include <unistd.h>

#include "core/engine/apply.h"
#include "tests/unit/tree_fixture.h"

static int try_diff(struct trees *t, const char *file, int strip, bool reverse, const char *dir,
	struct err *err)
{
	CLEANUP(buf_release) struct buf diff = BUF_INIT;
	AUTOFREE char *path = at(t, file);
	AUTOFREE char *tree = at(t, "tree");

	*err = (struct err){0};
	if (fs_read(path, 0, &diff, err))
		fail_msg("%s", err->text);
	return apply_diff(t->launcher, tree, file, diff.data, diff.len, strip, reverse, dir, err);
}

static void apply_ok(struct trees *t, const char *file, int strip, bool reverse, const char *dir)
{
	struct err err;

	if (try_diff(t, file, strip, reverse, dir, &err))
		fail_msg("%s (%s)", err.text, err.help);
}

static struct err apply_refused(struct trees *t, const char *file)
{
	AUTOFREE char *before = sh_out(t, "find tree -type f -exec sha256sum {} + | sort");
	AUTOFREE char *after = NULL;
	struct err err;

	if (!try_diff(t, file, 1, false, NULL, &err))
		fail_msg("%s is taken", file);
	after = sh_out(t, "find tree -type f -exec sha256sum {} + | sort");
	assert_string_equal(before, after); /* whole or not at all */
	sh(t, "test -z \"$(ls -d diff-* 2>/dev/null)\"");
	return err;
}

/* tree/: a.c with lines 1..40, sub/b; new.patch changes both, adds one, removes one. */
static void make_patch(struct trees *t)
{
	sh(t, "mkdir -p old/sub; seq -f 'line %%g' 40 >old/a.c; echo b >old/sub/b; echo x "
	      ">old/dead;"
	      "cp -r old new; sed -i 's/line 20/line twenty/' new/a.c; echo B >new/sub/b; rm "
	      "new/dead;"
	      "echo n >new/added; chmod +x new/added; cp -r old tree;"
	      "git diff --no-index --binary old new | sed 's,/old/,/,g; s,/new/,/,g' >p.patch || :;"
	      "test -s p.patch");
}

static void whole_patch(void **state)
{
	struct trees *t = *state;
	struct err err;

	make_patch(t);
	apply_ok(t, "p.patch", 1, false, NULL);
	sh(t, "diff -r tree new; test -x tree/added");
	/* again: refused, and it says why */
	err = apply_refused(t, "p.patch");
	assert_int_equal(err.code, E_BUILD);
	assert_has(err.help, "already");
	apply_ok(t, "p.patch", 1, true, NULL);
	sh(t, "diff -r tree old");
}

static void strip_and_dir(void **state)
{
	struct trees *t = *state;

	make_patch(t);
	sh(t, "sed 's,a/,x/y/a/,g; s,b/,x/y/b/,g' p.patch | sed 's,x/y/x/y,x/y,' >unused;"
	      "mkdir in; mv tree in/deep; mkdir tree; mv in/deep tree/deep");
	apply_ok(t, "p.patch", 1, false, "deep");
	sh(t, "diff -r tree/deep new");
	apply_ok(t, "p.patch", 1, true, "deep");
	sh(t, "printf -- '--- a.c\\n+++ a.c\\n@@ -1,2 +1,2 @@\\n-line 1\\n+LINE 1\\n line 2\\n' "
	      ">p0; mv tree tree1; cp -r old tree;"
	      "printf -- '--- x/y/a.c\\n+++ x/y/a.c\\n@@ -2,2 +2,2 @@\\n-line 2\\n+LINE 2\\n line "
	      "3\\n' >p2");
	apply_ok(t, "p0", 0, false, NULL);
	apply_ok(t, "p2", 2, false, NULL);
	sh(t, "test \"$(head -2 tree/a.c | tr '\\n' ' ')\" = 'LINE 1 LINE 2 '");
}

/* The trap: inside an ignored or sub folder of another git tree. */
static void in_another_tree(void **state)
{
	struct trees *t = *state;

	make_patch(t);
	for (int ignored = 0; ignored < 2; ignored++) {
		sh(t,
			"rm -rf .git tree; cp -r old tree; git init -q .; echo '%s' >.gitignore; "
			"git add -f .gitignore;"
			"git commit -q -m 1",
			ignored ? "*" : "nothing");
		apply_ok(t, "p.patch", 1, false, NULL);
		sh(t, "diff -r tree new");
	}
	/* a folder that cannot be a ceiling: refused, not skipped */
	sh(t, "mkdir a:b; rm -rf tree; cp -r old a:b/tree; ln -s a:b/tree tree");
	{
		CLEANUP(buf_release) struct buf diff = BUF_INIT;
		AUTOFREE char *path = at(t, "p.patch"), *tree = at(t, "a:b/tree");
		struct err err;

		assert_int_equal(fs_read(path, 0, &diff, &err), 0);
		assert_int_equal(apply_diff(t->launcher, tree, "p", diff.data, diff.len, 1, false,
					 NULL, &err),
			-1);
		assert_has(err.help, "':'");
		sh(t, "rm tree");
	}
	/* the same by git alone shows what the care is for */
	sh(t, "rm -rf tree; cp -r old tree; cd tree; git apply ../p.patch; cd ..; diff -r tree "
	      "old");
	sh(t, "rm -rf .git");
}

static void failing_hunk(void **state)
{
	struct trees *t = *state;
	struct err err;

	make_patch(t);
	sh(t, "sed -i '3i one\\ntwo\\nthree' tree/a.c; sed -i 's/line 20$/line 20 changed/' "
	      "tree/a.c");
	err = apply_refused(t, "p.patch");
	assert_int_equal(err.code, E_BUILD);
	assert_has(err.text, "p.patch does not apply: a.c, the hunk for line 17");
	assert_has(err.text, "\n    @@ -17,7 +17,7 @@");
	assert_has(err.text, "\n    -line 20\n");
	assert_has(err.text, ">    23  line 20 changed");
	assert_has(err.text, "    22  line 19");
	assert_string_equal(err.help, "");
}

static void bad_patches(void **state)
{
	struct trees *t = *state;
	struct err err;

	make_patch(t);
	sh(t, ": >empty; echo 'not a patch' >text; sed '/^-line 20/q' p.patch >cut;"
	      "sed 's,a.c,nosuch.c,g' p.patch >nofile;"
	      "printf -- '--- a/../out\\n+++ b/../out\\n@@ -1 +1 @@\\n-x\\n+y\\n' >climb; echo x "
	      ">out;"
	      "ln -s .. tree/up; printf -- '--- a/up/out\\n+++ b/up/out\\n@@ -1 +1 "
	      "@@\\n-x\\n+y\\n' >through");
	for (const char *const *file = (const char *const[]){"empty", "text", "cut", "nofile",
		     "climb", "through", NULL};
		*file; file++) {
		err = apply_refused(t, *file);
		assert_int_equal(err.code, E_BUILD);
		assert_has(err.text, *file);
		assert_null(strstr(err.text, "gave no reason"));
	}
	err = apply_refused(t, "nofile");
	assert_has(err.text, "nosuch.c");
	sh(t, "test \"$(cat out)\" = x");
	/* a line of the patch is broken: whole or not at all, with two files in it */
	sh(t, "sed 's/-b$/-c/' p.patch >half");
	err = apply_refused(t, "half");
	assert_has(err.text, "sub/b, the hunk for line 1");
}

static void special_changes(void **state)
{
	struct trees *t = *state;

	sh(t, "git init -q repo; cd repo; printf '\\000\\001' >bin; echo 1 >mode; ln -s bin link; "
	      "seq 50 >ren;"
	      "mkdir 'd e'; echo s >'d e/f \"q\"'; printf 'a\\r\\nb\\r\\n' >crlf; commit 1; git "
	      "tag one;"
	      "printf '\\000\\002' >bin; chmod +x mode; ln -sf mode link; git mv ren moved; echo T "
	      ">'d e/f \"q\"';"
	      "printf 'a\\r\\nc \\r\\n' >crlf; commit 2; git diff --binary -M one HEAD >../p.patch;"
	      "git -c core.autocrlf=false archive one | (mkdir ../tree; tar -x -C ../tree);"
	      "git config --global core.autocrlf true; git config --global apply.whitespace error");
	apply_ok(t, "p.patch", 1, false, NULL);
	sh(t, "rm -rf repo/.git; diff -r --no-dereference tree repo; test -x tree/mode");
	apply_ok(t, "p.patch", 1, true, NULL);
	sh(t, "test -e tree/ren; test ! -x tree/mode");
}

/* git takes a change of a submodule, and changes nothing. */
static void submodule_change(void **state)
{
	struct trees *t = *state;
	struct err err;

	sh(t, "mkdir -p tree/sub; echo 1 >tree/a; a=$(printf %%040d 1); b=$(printf %%040d 2);"
	      "printf -- 'diff --git a/sub b/sub\nindex %%.7s..%%.7s 160000\n--- a/sub\n+++ b/sub\n"
	      "@@ -1 +1 @@\n-Subproject commit %%s\n+Subproject commit %%s\n' $a $b $a $b "
	      ">p.patch");
	err = apply_refused(t, "p.patch");
	assert_int_equal(err.code, E_BUILD);
	assert_has(err.text, "'sub' is as before");
}

static void hostile_environment(void **state)
{
	struct trees *t = *state;

	make_patch(t);
	sh(t, "git init -q other");
	for (const char *const *name = (const char *const[]){"GIT_DIR", "GIT_WORK_TREE",
		     "GIT_PREFIX", "GIT_INDEX_FILE", NULL};
		*name; name++) {
		AUTOFREE char *value = at(t, "other/.git");

		setenv(*name, value, 1);
		apply_ok(t, "p.patch", 1, false, NULL);
		apply_ok(t, "p.patch", 1, true, NULL);
		unsetenv(*name);
	}
}

/* --- Edits ---------------------------------------------------------------------------------------
 */

static int try_edit(struct trees *t, const char *file, const char *find, const char *replace,
	int count, struct err *err)
{
	AUTOFREE char *tree = at(t, "tree");
	struct edit edit = {.file = file, .find = find, .replace = replace, .count = count};

	*err = (struct err){0};
	return apply_edit(tree, &edit, err);
}

static void edits(void **state)
{
	struct trees *t = *state;
	struct err err;

	sh(t, "mkdir -p tree/sub; printf 'int a = 1;\\nint b = 1;\\n  call(x);\\n' >tree/f.c; "
	      "chmod 755 tree/f.c;"
	      "ln -s f.c tree/l; echo out >out; ln -s ../out tree/escape; ln -s .. tree/up;"
	      "printf 'a\\000b' >tree/bin");
	assert_int_equal(try_edit(t, "f.c", "= 1", "= 2", 2, &err), 0);
	assert_int_equal(try_edit(t, "l", "a = 2;\nint b", "a = 3;\nint b", 1, &err), 0);
	assert_int_equal(try_edit(t, "bin", "b", "", 1, &err), 0);
	sh(t, "test \"$(head -1 tree/f.c)\" = 'int a = 3;'; test -x tree/f.c; test -L tree/l;"
	      "test \"$(stat -c %%s tree/bin)\" = 2");
	assert_int_equal(try_edit(t, "f.c", "int", "long", 1, &err), -1);
	assert_int_equal(err.code, E_BUILD);
	assert_has(err.text, "2 times, not 1");
	assert_int_equal(try_edit(t, "f.c", "call(y);", "", 1, &err), -1);
	assert_has(err.help, "nearest line is 3: call(x);");
	assert_int_equal(try_edit(t, "f.c", "\tcall(x);\n", "", 1, &err), -1);
	assert_has(err.help, "line 3");
	assert_int_equal(try_edit(t, "f.c", "nothing like it at all", "", 1, &err), -1);
	assert_string_equal(err.help, "");
	assert_int_equal(try_edit(t, "nosuch", "a", "b", 1, &err), -1);
	assert_has(err.text, "nosuch");
	assert_int_equal(try_edit(t, "sub", "a", "b", 1, &err), -1);
	for (const char *const *file = (const char *const[]){"escape", "up/out", "../out", NULL};
		*file; file++) {
		assert_int_equal(try_edit(t, *file, "out", "in", 1, &err), -1);
		assert_int_equal(err.code, E_BUILD);
	}
	sh(t, "test \"$(cat out)\" = out");
}

/* --- Whole builds and `check` --------------------------------------------------------------------
 */

/* A source with a.c; patches one (line 5) and two (line 6, over one's context); three commits. */
static void make_experiment(struct trees *t)
{
	sh(t, "git init -q src; cd src; seq -f 'line %%g' 30 >a.c; commit base; git tag base;"
	      "sed -i 's/line 5$/line five/' a.c; git diff >../one.patch; git checkout -q a.c;"
	      "sed -i 's/line 6$/line six/' a.c; git diff >../two.patch; git checkout -q a.c;"
	      "sed -i 's/line 25$/line pick/' a.c; commit pick; git tag pick; git reset -q --hard "
	      "base");
	t->descriptor.source = (struct source){.git = at(t, "src")};
}

static void whole_build(void **state)
{
	struct trees *t = *state;
	AUTOFREE char *one = at(t, "one.patch"), *tree = at(t, "tree");
	const char *picks[] = {"pick", NULL};
	struct patch patch = {.file = one, .strip = 1};
	struct edit edit = {"a.c", "line five", "line 55", 1, NULL};
	struct edit bad = {"a.c", "line 5\n", "", 1, NULL};
	struct level levels[] = {{"off", {.n_edits = 0}}, {"on", {.picks = {picks, 1, NULL},
									 .patches = &patch,
									 .n_patches = 1,
									 .edits = &edit,
									 .n_edits = 1}}};
	struct option options[] = {
		{.name = "A1", .levels = levels, .n_levels = 2, .default_level = 1}};
	const struct patch *patches[] = {&patch};
	const struct edit *edits[] = {&edit};
	int first[] = {0};
	struct plan plan = {.descriptor = &t->descriptor};
	struct plan_build build = {.key = "k",
		.levels = (const uint8_t[]){1},
		.picks = picks,
		.n_picks = 1,
		.patches = patches,
		.patch_options = first,
		.n_patches = 1,
		.edits = edits,
		.edit_options = first,
		.n_edits = 1};
	struct source_state source;
	struct apply_facts facts = {&t->descriptor, &t->state, t->launcher};
	struct digest digest[4];
	struct err err = {0};

	make_experiment(t);
	t->descriptor.options = options;
	t->descriptor.n_options = 1;
	source = read_source(t);
	make_tree(t, &source, "tree");
	if (apply_build(t->launcher, &t->state, &plan, &build, tree, &err))
		fail_msg("%s", err.text);
	sh(t, "sed -n '5p;6p;25p' tree/a.c >got; printf 'line 55\\nline 6\\nline pick\\n' | diff - "
	      "got; rm -r tree");
	edits[0] = &bad;
	make_tree(t, &source, "tree");
	assert_int_equal(apply_build(t->launcher, &t->state, &plan, &build, tree, &err), -1);
	assert_int_equal(err.code, E_BUILD);
	assert_has(err.text, "option 'A1'");
	/* what the ids are made of */
	assert_int_equal(apply_payload_digest(&facts, &patch, NULL, &digest[0], &err), 0);
	assert_int_equal(apply_payload_digest(&facts, NULL, "pick", &digest[1], &err), 0);
	patch.reverse = true;
	assert_int_equal(apply_payload_digest(&facts, &patch, NULL, &digest[2], &err), 0);
	patch.reverse = false;
	sh(t, "echo >>one.patch");
	assert_int_equal(apply_payload_digest(&facts, &patch, NULL, &digest[3], &err), 0);
	for (size_t i = 0; i < 4; i++) {
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(digest[i].hex, digest[k].hex);
	}
	source_state_release(&source);
	free((char *)t->descriptor.source.git);
}

static const struct apply_finding *finding(
	const struct apply_finding *findings, size_t n, const char *option, const char *what)
{
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(findings[i].option, option) && strstr(findings[i].what, what))
			return &findings[i];
	}
	fail_msg("nothing is said of %s %s", option, what);
	return NULL;
}

static void checked(void **state)
{
	struct trees *t = *state;
	AUTOFREE char *one = at(t, "one.patch"), *two = at(t, "two.patch"),
		      *none = at(t, "none.patch");
	const char *picks[] = {"pick", NULL};
	struct patch p1 = {.file = one, .strip = 1}, p2 = {.file = two, .strip = 1},
		     p3 = {.file = none, .strip = 1};
	/* E needs what P1 makes of line 5 */
	struct edit edit = {"a.c", "line five", "line 55", 1, NULL},
		    last = {"a.c", "line 30", "end", 1, NULL};
	struct level l1[] = {{"off", {.n_edits = 0}}, {"on", {.patches = &p1, .n_patches = 1}}};
	struct level l2[] = {{"off", {.n_edits = 0}}, {"on", {.patches = &p2, .n_patches = 1}}};
	struct level l3[] = {{"off", {.n_edits = 0}}, {"on", {.edits = &edit, .n_edits = 1}}};
	struct level l4[] = {{"off", {.n_edits = 0}}, {"on", {.edits = &edit, .n_edits = 1}}};
	struct level l5[] = {{"off", {.edits = &last, .n_edits = 1}}, {"on", {.n_edits = 0}}};
	struct level l6[] = {{"off", {.n_edits = 0}}, {"x", {.picks = {picks, 1, NULL}}},
		{"y", {.patches = &p3, .n_patches = 1}}};
	struct atom needs_p1 = {.option = 0, .level = -1};
	struct option options[] = {
		{.name = "P1", .levels = l1, .n_levels = 2, .default_level = 1},
		{.name = "P2", .levels = l2, .n_levels = 2, .default_level = 1},
		{.name = "E3",
			.levels = l3,
			.n_levels = 2,
			.default_level = 1,
			.requires = &needs_p1,
			.n_requires = 1},
		{.name = "E4", .levels = l4, .n_levels = 2, .default_level = 1},
		{.name = "W5", .levels = l5, .n_levels = 2, .default_level = 1, .tree_level = 1},
		{.name = "L6",
			.levels = l6,
			.n_levels = 3,
			.default_level = 1,
			.named_levels = true},
	};
	AUTOFREE char *before = NULL, *after = NULL;
	struct apply_finding *findings;
	const struct apply_finding *f;
	struct source_state source;
	struct err err = {0};
	size_t n;

	make_experiment(t);
	t->descriptor.options = options;
	t->descriptor.n_options = 6;
	before = portrait(t, "src");
	source = read_source(t);
	if (apply_check(&t->descriptor, &t->state, &source, t->launcher, &findings, &n, &err))
		fail_msg("%s", err.text);
	assert_true(finding(findings, n, "P1", "patch one.patch")->holds);
	assert_true(finding(findings, n, "P2", "patch two.patch")->holds);
	assert_true(finding(findings, n, "E3", "edit a.c")->holds);
	f = finding(findings, n, "E4", "edit a.c");
	assert_false(f->holds);
	assert_has(f->message, "nearest line");
	assert_true(finding(findings, n, "W5=off", "edit a.c")->holds);
	assert_true(finding(findings, n, "L6=x", "pick pick")->holds);
	f = finding(findings, n, "L6=y", "patch none.patch");
	assert_false(f->holds);
	assert_has(f->message, "No such file");
	assert_true(finding(findings, n, "none", "1 change")->holds);
	f = finding(findings, n, "all", "patch two.patch");
	assert_false(f->holds);
	assert_has(f->message, "option 'P2', after those before it");
	assert_has(f->message, "line five");
	assert_int_equal(n, 9);
	apply_findings_free(findings, n);
	/* without the one that does not go with the others */
	t->descriptor.n_options = 1;
	if (apply_check(&t->descriptor, &t->state, &source, t->launcher, &findings, &n, &err))
		fail_msg("%s", err.text);
	assert_int_equal(n, 2);
	assert_true(finding(findings, n, "all", "1 change")->holds);
	apply_findings_free(findings, n);
	source_state_release(&source);
	sh(t, "test \"$(ls .assay/src | wc -l)\" = 1");
	after = portrait(t, "src");
	assert_string_equal(before, after);
	free((char *)t->descriptor.source.git);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		tree_test(whole_patch),
		tree_test(strip_and_dir),
		tree_test(in_another_tree),
		tree_test(failing_hunk),
		tree_test(bad_patches),
		tree_test(special_changes),
		tree_test(submodule_change),
		tree_test(hostile_environment),
		tree_test(edits),
		tree_test(whole_build),
		tree_test(checked),
	};

	return cmocka_run_group_tests(tests, trees_setup, trees_teardown) != 0;
}
