/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sources from commits: bare clones, revisions, submodules, picks. */
#include "config.h"

#include "tests/unit/tree_fixture.h"

/* --- Commits -------------------------------------------------------------------------------------
 */

static void commit_checkout(void **state)
{
	struct trees *t = *state;
	struct source_state source, again;
	AUTOFREE char *first = NULL;

	sh(t, "git init -q src; cd src; mkdir sub bin; echo 1 >a; echo 1 >sub/b; echo 1 >bin/run;"
	      "chmod +x bin/run; ln -s a link; echo 'secret export-ignore\nver export-subst' "
	      ">.gitattributes;"
	      "echo s >secret; echo '$Format:%%H$' >ver; commit 1; git tag v1; echo 2 >a; git rm "
	      "-q sub/b;"
	      "commit 2; echo dirty >a");
	set_git(t, "src", "v1");
	source = read_source(t);
	first = sh_out(t, "git -C src rev-parse v1 | tr -d '\\n'");
	assert_string_equal(source.commit, first);
	assert_false(source.dirty);
	assert_true(fs_is_dir(source.bare));
	make_tree(t, &source, "tree");
	assert_listing(t, "tree",
		".gitattributes f\na f\nbin d\nbin/run f\nlink l\nsecret f\nsub d\nsub/b f\nver "
		"f\n");
	sh(t, "test \"$(cat tree/a)\" = 1; test -x tree/bin/run; grep -q Format tree/ver");
	/* the note is enough the second time; without the snapshot it is made again */
	sh(t, "rm -rf .assay/src");
	again = read_source(t);
	assert_string_equal(again.digest.hex, source.digest.hex);
	assert_int_equal(again.files, source.files);
	assert_int_equal(again.bytes, source.bytes);
	make_tree(t, &again, "tree2");
	sh(t, "diff -r --no-dereference tree tree2");
	source_state_release(&again);
	clear_source(t);
	/* the same files as a folder are the same source */
	set_path(t, "tree");
	AUTOFREE char *digest = digest_now(t);
	assert_string_equal(digest, source.digest.hex);
	source_state_release(&source);
	clear_source(t);
}

static void bare_repository(void **state)
{
	struct trees *t = *state;
	struct source_state source;
	struct err err;

	sh(t, "git init -q src; cd src; echo 1 >a; commit 1; cd ..; git clone -q --bare src "
	      "bare.git");
	set_git(t, "bare.git", "main");
	source = read_source(t);
	make_tree(t, &source, "tree");
	assert_listing(t, "tree", "a f\n");
	source_state_release(&source);
	clear_source(t);
	set_git(t, "bare.git", NULL);
	err = refuse_source(t, E_MISSING);
	assert_has(err.text, "no work tree");
	assert_has(err.help, "ref");
	clear_source(t);
}

static void hidden_commits(void **state)
{
	struct trees *t = *state;
	struct source_state source;
	AUTOFREE char *lost = NULL;

	/* known to a reflog only; then the ref moves under a clone that is there */
	sh(t, "git init -q src; cd src; echo 1 >a; commit 1; echo 2 >a; commit 2");
	lost = sh_out(t, "git -C src rev-parse HEAD | tr -d '\\n'");
	sh(t, "cd src; git reset -q --hard HEAD~1");
	set_git(t, "src", lost);
	source = read_source(t);
	assert_string_equal(source.commit, lost);
	source_state_release(&source);
	clear_source(t);
	set_git(t, "src", "main");
	source = read_source(t);
	assert_string_not_equal(source.commit, lost);
	source_state_release(&source);
	sh(t, "cd src; echo 3 >a; commit 3");
	source = read_source(t);
	make_tree(t, &source, "tree");
	sh(t, "test \"$(cat tree/a)\" = 3");
	source_state_release(&source);
	clear_source(t);
}

static void linked_worktree(void **state)
{
	struct trees *t = *state;
	struct source_state source;

	sh(t, "git init -q src; cd src; echo 1 >a; commit 1; git worktree add -q ../wt -b side; cd "
	      "../wt;"
	      "echo 2 >a; commit 2");
	set_git(t, "wt", "HEAD");
	source = read_source(t);
	make_tree(t, &source, "tree");
	sh(t, "test \"$(cat tree/a)\" = 2");
	source_state_release(&source);
	clear_source(t);
}

static void unknown_revision(void **state)
{
	struct trees *t = *state;
	static const char *const revs[] = {"mian", "--all", "^main", "deadbeef", "main..side", ""};
	struct err err;

	sh(t, "git init -q src; cd src; echo 1 >a; commit 1; git branch side");
	for (size_t i = 0; i < ARRAY_SIZE(revs); i++) {
		set_git(t, "src", revs[i]);
		err = refuse_source(t, E_MISSING);
		assert_has(err.text, "no revision");
		if (!i)
			assert_has(err.help, "'main'");
		clear_source(t);
	}
}

static void broken_clone(void **state)
{
	struct trees *t = *state;
	struct source_state source;

	sh(t, "git init -q src; cd src; echo 1 >a; commit 1");
	set_git(t, "src", "main");
	source = read_source(t);
	/* as a kill leaves it in the middle of the making */
	sh(t, "cd .assay/git; rm */HEAD; rm -rf ../src");
	source_state_release(&source);
	source = read_source(t);
	make_tree(t, &source, "tree");
	assert_listing(t, "tree", "a f\n");
	source_state_release(&source);
	clear_source(t);
}

/* --- Submodules ----------------------------------------------------------------------------------
 */

static const char with_all[] = ".gitmodules f\na f\next d\next/lib d\next/lib/.gitmodules f\n"
			       "ext/lib/ext d\next/lib/ext/inner d\next/lib/ext/inner/i f\n"
			       "ext/lib/l f\n";

static void submodules(void **state)
{
	struct trees *t = *state;
	struct source_state source, files;
	const char *list[] = {"ext/lib", NULL}, *wrong[] = {"ext/lob", NULL};
	struct err err;

	make_submodules(t);
	set_path(t, "src");
	files = read_source(t);
	make_tree(t, &files, "tree");
	assert_listing(t, "tree", with_all);
	clear_source(t);
	for (int i = 0; i < 2; i++) {
		set_git(t, "src", "main");
		t->descriptor.source.submodules_all = i;
		if (!i)
			t->descriptor.source.submodules = (struct conf_texts){list, 1, NULL};
		source = read_source(t);
		assert_string_equal(source.digest.hex, files.digest.hex);
		source_state_release(&source);
		clear_source(t);
	}
	source_state_release(&files);
	/* not asked for: an empty folder */
	set_git(t, "src", "main");
	source = read_source(t);
	make_tree(t, &source, "tree2");
	assert_listing(t, "tree2", ".gitmodules f\na f\next d\next/lib d\n");
	source_state_release(&source);
	t->descriptor.source.submodules = (struct conf_texts){wrong, 1, NULL};
	err = refuse_source(t, E_MISSING);
	assert_has(err.text, "'ext/lob'");
	assert_has(err.help, "ext/lib");
	clear_source(t);
}

static void submodule_places(void **state)
{
	struct trees *t = *state;
	struct source_state source;
	struct err err;

	make_submodules(t);
	/* no checkout: .git/modules and the URL beside it still have it */
	sh(t, "cd src; git submodule --quiet deinit -f --all");
	set_git(t, "src", "main");
	t->descriptor.source.submodules_all = true;
	source = read_source(t);
	make_tree(t, &source, "tree");
	assert_listing(t, "tree", with_all);
	source_state_release(&source);
	sh(t, "rm -rf src/.git/modules .assay/git .assay/src");
	source = read_source(t);
	source_state_release(&source);
	/* nowhere */
	sh(t, "rm -rf lib .assay/git .assay/src");
	err = refuse_source(t, E_MISSING);
	assert_has(err.text, "'ext/lib'");
	assert_has(err.help, "git submodule update --init --recursive");
	/* there, without the commit */
	sh(t, "git init -q lib; cd lib; echo other >l; commit 1");
	err = refuse_source(t, E_MISSING);
	assert_has(err.text, "commit");
	clear_source(t);
}

/* --- Picks ---------------------------------------------------------------------------------------
 */

static void pick_diffs(void **state)
{
	struct trees *t = *state;
	CLEANUP(buf_release) struct buf diff = BUF_INIT;
	struct err err = {0};

	sh(t, "git init -q src; cd src; echo 1 >a; printf '\\000\\001' >bin; commit 1; git tag "
	      "root;"
	      "echo 2 >a; printf '\\000\\002' >bin; commit 2; git tag two;"
	      "git config diff.noprefix true; git config --global diff.noprefix true;"
	      "git config --global color.ui always");
	set_git(t, "src", NULL);
	assert_int_equal(
		source_pick_diff(&t->descriptor, &t->state, t->launcher, "two", &diff, &err), 0);
	assert_has(diff.data, "diff --git a/a b/a\n");
	assert_has(diff.data, "\n-1\n+2\n");
	assert_has(diff.data, "GIT binary patch");
	assert_int_equal(
		source_pick_diff(&t->descriptor, &t->state, t->launcher, "root", &diff, &err), -1);
	assert_int_equal(err.code, E_MISSING);
	assert_has(err.text, "no parent");
	assert_int_equal(
		source_pick_diff(&t->descriptor, &t->state, t->launcher, "tow", &diff, &err), -1);
	assert_int_equal(err.code, E_MISSING);
	assert_has(err.help, "two");
	clear_source(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		tree_test(commit_checkout),
		tree_test(bare_repository),
		tree_test(hidden_commits),
		tree_test(linked_worktree),
		tree_test(unknown_revision),
		tree_test(broken_clone),
		tree_test(submodules),
		tree_test(submodule_places),
		tree_test(pick_diffs),
	};

	return cmocka_run_group_tests(tests, trees_setup, trees_teardown) != 0;
}
