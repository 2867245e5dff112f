/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sources as they are now: folders and git work trees; nothing of the user's is changed. Commits:
 * test_source_git.c. */
#include "config.h"

#include <unistd.h>

#include "tests/unit/tree_fixture.h"

/* --- Folders -------------------------------------------------------------------------------------
 */

static void plain_folder(void **state)
{
	struct trees *t = *state;
	struct source_state source;

	sh(t, "mkdir -p src/sub src/empty src/.assay src/sub/.git; echo a >src/a; echo b "
	      ">src/sub/b;"
	      "chmod 755 src/sub/b; ln -s a src/link; ln -s /nowhere src/dangling; mkfifo src/pipe;"
	      "echo x >src/.assay/x; echo x >src/sub/.git/x; echo h >src/.hidden");
	set_path(t, "src");
	source = read_source(t);
	assert_null(source.commit);
	assert_false(source.dirty);
	assert_int_equal(source.files, 6);
	assert_int_equal(source.bytes, 6);
	make_tree(t, &source, "tree");
	assert_listing(t, "tree", ".hidden f\na f\ndangling l\nempty d\nlink l\nsub d\nsub/b f\n");
	sh(t, "test -x tree/sub/b; test ! -x tree/a; test \"$(readlink tree/dangling)\" = "
	      "/nowhere");
	source_state_release(&source);
	clear_source(t);
}

static void assert_digest_moves(struct trees *t, const char *script, bool moves)
{
	AUTOFREE char *before = digest_now(t);
	AUTOFREE char *after = NULL;

	sh(t, "%s", script);
	after = digest_now(t);
	if (!strcmp(before, after) == moves)
		fail_msg("'%s' %s the digest", script, moves ? "does not move" : "moves");
}

static void content_decides(void **state)
{
	struct trees *t = *state;

	sh(t, "mkdir -p src/d; echo a >src/a; echo b >src/b; ln -s a src/l");
	set_path(t, "src");
	assert_digest_moves(t, "touch -d 2001-01-01 src/a", false);
	assert_digest_moves(t, "chmod 600 src/a; chmod 700 src/d", false);
	assert_digest_moves(t, "chmod +x src/a", true);
	assert_digest_moves(t, "echo A >src/a", true);
	assert_digest_moves(t, "mv src/a src/c", true);
	assert_digest_moves(t, "ln -sf b src/l", true);
	assert_digest_moves(t, "rm src/l; cp src/b src/l", true);
	assert_digest_moves(t, "rmdir src/d", true);
	assert_digest_moves(t, "mkdir src/.git", false);
	clear_source(t);
}

static void hostile_names(void **state)
{
	struct trees *t = *state;
	struct source_state source;
	AUTOFREE char *wanted = NULL, *got = NULL;

	sh(t, "mkdir -p src; cd src; git init -q; n=$(printf 'new\\nline'); q=\"a'b\\\"c\";"
	      "b=$(printf 'back\\\\slash\\ttab'); u=$(printf 'sch\\303\\266n'); i=$(printf "
	      "'bad\\377');"
	      "for f in \"$n\" \"$q\" \"$b\" \"$u\" \"$i\" -rf '--help' ' lead' 'trail ' '*' ':x' "
	      "'$x' 'a b';"
	      "do echo \"$f\" >\"./$f\"; mkdir \"./d$f\"; echo 2 >\"./d$f/$f\"; done; commit 1;"
	      "echo new >\"./-untracked\"");
	set_path(t, "src");
	source = read_source(t);
	assert_int_equal(source.files, 27);
	make_tree(t, &source, "tree");
	wanted = sh_out(
		t, "cd src; find . -name .git -prune -o -type f -exec sha256sum {} + | sort");
	got = sh_out(t, "cd tree; find . -type f -exec sha256sum {} + | sort");
	assert_string_equal(wanted, got);
	source_state_release(&source);
	clear_source(t);
	/* the same from a commit */
	set_git(t, "src", "HEAD");
	source = read_source(t);
	assert_int_equal(source.files, 26);
	make_tree(t, &source, "tree2");
	free(got);
	got = sh_out(t, "rm ./tree/-untracked; diff -r tree tree2 && echo same");
	assert_string_equal(got, "same\n");
	source_state_release(&source);
	clear_source(t);
}

static void excluded(void **state)
{
	struct trees *t = *state;
	struct source_state source;
	const char *globs[] = {"target/", "*.o", "docs", NULL};

	sh(t, "mkdir -p src/target/deep src/sub src/docs; cd src; touch a.c a.o sub/b.o sub/c "
	      "target/x "
	      "target/deep/y docs/z docs.txt; git init -q; commit 1");
	set_path(t, "src");
	t->descriptor.source.exclude = (struct conf_texts){globs, 3, NULL};
	source = read_source(t);
	make_tree(t, &source, "tree");
	assert_listing(t, "tree", "a.c f\ndocs.txt f\nsub d\nsub/c f\n");
	clear_source(t);
	/* a commit without them is the same content */
	set_git(t, "src", "main");
	t->descriptor.source.exclude = (struct conf_texts){globs, 3, NULL};
	AUTOFREE char *digest = digest_now(t);
	assert_string_equal(digest, source.digest.hex);
	source_state_release(&source);
	clear_source(t);
}

static void missing(void **state)
{
	struct trees *t = *state;
	struct err err;

	set_path(t, "nowhere");
	err = refuse_source(t, E_MISSING);
	assert_has(err.text, "nowhere");
	clear_source(t);
	sh(t, "echo x >file");
	set_path(t, "file");
	err = refuse_source(t, E_MISSING);
	assert_has(err.text, "no folder");
	clear_source(t);
	sh(t, "mkdir plain");
	set_git(t, "plain", NULL);
	err = refuse_source(t, E_MISSING);
	assert_has(err.text, "no git repository");
	clear_source(t);
	/* a folder inside a repository is not that repository */
	sh(t, "git init -q outer; mkdir outer/inner; cd outer; commit 1");
	set_git(t, "outer/inner", "HEAD");
	err = refuse_source(t, E_MISSING);
	assert_has(err.text, "no git repository");
	clear_source(t);
}

/* --- Work trees ----------------------------------------------------------------------------------
 */

static void work_tree(void **state)
{
	struct trees *t = *state;
	struct source_state source;
	AUTOFREE char *head = NULL;

	sh(t, "git init -q src; cd src; mkdir sub; echo 1 >tracked; echo 1 >gone; echo '*.o' "
	      ">.gitignore;"
	      "echo 1 >sub/deep; commit 1; echo 1 >new; echo 1 >x.o; rm gone; mkdir out; echo 1 "
	      ">out/y.o");
	set_path(t, "src");
	source = read_source(t);
	head = sh_out(t, "git -C src rev-parse HEAD | tr -d '\\n'");
	assert_string_equal(source.commit, head);
	assert_true(source.dirty);
	make_tree(t, &source, "tree");
	assert_listing(t, "tree", ".gitignore f\nnew f\nsub d\nsub/deep f\ntracked f\n");
	source_state_release(&source);
	/* a folder of it */
	clear_source(t);
	set_path(t, "src/sub");
	source = read_source(t);
	assert_false(source.dirty);
	assert_string_equal(source.commit, head);
	make_tree(t, &source, "tree2");
	assert_listing(t, "tree2", "deep f\n");
	source_state_release(&source);
	clear_source(t);
	sh(t, "cd src; git checkout -q gone; rm new");
	set_git(t, "src", NULL);
	source = read_source(t);
	assert_false(source.dirty);
	assert_null(source.bare);
	source_state_release(&source);
	clear_source(t);
}

static void ignored_folder(void **state)
{
	struct trees *t = *state;
	struct source_state source;

	sh(t, "git init -q outer; cd outer; mkdir -p gen/sub; echo gen/ >.gitignore; commit 1;"
	      "echo 1 >gen/a; echo 1 >gen/sub/b");
	set_path(t, "outer/gen");
	source = read_source(t);
	make_tree(t, &source, "tree");
	assert_listing(t, "tree", "a f\nsub d\nsub/b f\n");
	source_state_release(&source);
	clear_source(t);
}

static void no_commit_yet(void **state)
{
	struct trees *t = *state;
	struct source_state source;

	sh(t, "git init -q src; echo 1 >src/a");
	set_path(t, "src");
	source = read_source(t);
	assert_null(source.commit);
	assert_true(source.dirty);
	assert_int_equal(source.files, 1);
	source_state_release(&source);
	clear_source(t);
}

static void nested_repositories(void **state)
{
	struct trees *t = *state;
	struct source_state source;

	sh(t, "git init -q src; cd src; echo 1 >a; commit 1; git init -q nested; cd nested; echo 1 "
	      ">n;"
	      "echo '*.o' >.gitignore; commit 1; echo 1 >x.o; echo 1 >untracked; cd ..;"
	      "mkdir stale; echo 'gitdir: /nowhere' >stale/.git; echo 1 >stale/s");
	set_path(t, "src");
	source = read_source(t);
	make_tree(t, &source, "tree");
	assert_listing(t, "tree",
		"a f\nnested d\nnested/.gitignore f\nnested/n f\nnested/untracked f\n"
		"stale d\nstale/s f\n");
	source_state_release(&source);
	clear_source(t);
}

static void linked_folder(void **state)
{
	struct trees *t = *state;
	struct source_state source;

	/* tracked as a folder, now a link to one: its files are no files of the source any more */
	sh(t, "git init -q src; cd src; mkdir dir; echo 1 >dir/f; commit 1; mv dir ../away;"
	      "ln -s ../away dir");
	set_path(t, "src");
	source = read_source(t);
	make_tree(t, &source, "tree");
	assert_listing(t, "tree", "dir l\n");
	source_state_release(&source);
	clear_source(t);
}

static void conflict(void **state)
{
	struct trees *t = *state;
	struct source_state source;

	sh(t, "git init -q src; cd src; echo 1 >f; commit 1; git checkout -qb b; echo 2 >f; commit "
	      "2;"
	      "git checkout -q main; echo 3 >f; commit 3; git merge -q b >/dev/null || :");
	set_path(t, "src");
	source = read_source(t);
	assert_int_equal(source.files, 1);
	assert_true(source.dirty);
	source_state_release(&source);
	clear_source(t);
}

/* --- Promises ------------------------------------------------------------------------------------
 */

static void nothing_is_written(void **state)
{
	struct trees *t = *state;
	static const char *const refs[] = {NULL, "main", "HEAD~1"};
	CLEANUP(buf_release) struct buf diff = BUF_INIT;
	AUTOFREE char *before = NULL, *after = NULL;
	struct err err;

	make_submodules(t);
	/* stale times in the index tempt git to refresh it */
	sh(t, "cd src; echo 2 >>a; commit 2; echo 3 >>a; touch -d '+1 hour' .gitmodules;"
	      "git config core.fsmonitor 'touch $PWD/hook-ran; false'; mkdir -p .git/hooks;"
	      "printf '#!/bin/sh\\ntouch hook-ran\\n' >.git/hooks/post-checkout; chmod +x "
	      ".git/hooks/*");
	before = portrait(t, "src");
	for (size_t i = 0; i < ARRAY_SIZE(refs); i++) {
		struct source_state source;
		char name[] = "tree0";

		name[4] = (char)('0' + i);
		set_git(t, "src", refs[i]);
		t->descriptor.source.submodules_all = true;
		source = read_source(t);
		make_tree(t, &source, name);
		assert_int_equal(source_pick_diff(&t->descriptor, &t->state, t->launcher, "main",
					 &diff, &err),
			0);
		source_state_release(&source);
		clear_source(t);
	}
	set_path(t, "src");
	free(digest_now(t));
	clear_source(t);
	after = portrait(t, "src");
	assert_string_equal(before, after);
}

static void foreign_environment(void **state)
{
	struct trees *t = *state;
	AUTOFREE char *clean = NULL, *hostile = NULL, *commit = NULL, *commit2 = NULL;
	static const char *const names[] = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE",
		"GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_EXTERNAL_DIFF",
		"GIT_CONFIG_COUNT", "GIT_ATTR_SOURCE", "GIT_LITERAL_PATHSPECS"};

	sh(t, "git init -q other; (cd other; echo o >o; commit o); git init -q src; cd src; echo 1 "
	      ">a; commit 1");
	set_path(t, "src");
	clean = digest_now(t);
	clear_source(t);
	set_git(t, "src", "main");
	commit = digest_now(t);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		AUTOFREE char *value = at(t, "other/.git");

		setenv(names[i], value, 1);
	}
	sh(t, "rm -rf .assay/git .assay/src");
	commit2 = digest_now(t);
	clear_source(t);
	set_path(t, "src");
	hostile = digest_now(t);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		unsetenv(names[i]);
	assert_string_equal(clean, hostile);
	assert_string_equal(commit, commit2);
	clear_source(t);
}

static void inside_a_git_tree(void **state)
{
	struct trees *t = *state;
	struct source_state source;

	/* the experiment lies in a repository, with its state folder beside it, ignored or not */
	for (int ignored = 0; ignored < 2; ignored++) {
		char name[] = "tree0";

		sh(t,
			"rm -rf .git .assay/src; git init -q .; mkdir -p exp; echo %d >exp/a; echo "
			"'%s' >.gitignore;"
			"rm -f .assay/.gitignore",
			ignored, ignored ? "*/home\n.assay" : "x");
		clear_source(t);
		set_path(t, ".");
		source = read_source(t);
		name[4] = (char)('0' + ignored);
		make_tree(t, &source, "exp/tree");
		sh(t,
			"mkdir -p out; rm -rf out/%s; mv exp/tree out/%s; test -f out/%s/exp/a; "
			"test ! -e out/%s/.assay;"
			"test ! -e out/%s/.git; rm -rf out",
			name, name, name, name, name);
		source_state_release(&source);
	}
	clear_source(t);
	sh(t, "rm -rf .git");
}

static void changes_while_copied(void **state)
{
	struct trees *t = *state;
	struct source_state source;
	struct err err = {0};
	AUTOFREE char *path = NULL;

	sh(t, "mkdir src; echo 1 >src/a; echo 1 >src/b");
	set_path(t, "src");
	source = read_source(t);
	sh(t, "echo 2 >src/a");
	assert_int_equal(
		source_snapshot(&t->descriptor, &t->state, t->launcher, &source, &err), -1);
	assert_int_equal(err.code, E_MISSING);
	assert_has(err.text, "changed since it was read");
	path = source_snapshot_path(&t->state, &source);
	assert_false(fs_exists(path));
	/* and nothing half is left */
	sh(t, "test -z \"$(ls .assay/src)\"");
	source_state_release(&source);
	clear_source(t);
}

static void one_snapshot_stays(void **state)
{
	struct trees *t = *state;

	sh(t, "mkdir src .assay/src; mkdir .assay/src/new-999999999-0; echo 1 >src/a");
	set_path(t, "src");
	for (int i = 0; i < 3; i++) {
		struct source_state source;
		struct err err;

		sh(t, "echo %d >src/a", i);
		source = read_source(t);
		if (source_snapshot(&t->descriptor, &t->state, t->launcher, &source, &err))
			fail_msg("%s", err.text);
		source_state_release(&source);
	}
	sh(t, "test \"$(ls .assay/src | wc -l)\" = 1");
	clear_source(t);
}

static void read_only_folders(void **state)
{
	struct trees *t = *state;
	struct source_state source;

	sh(t, "mkdir -p src/ro; echo 1 >src/ro/a; chmod 444 src/ro/a; chmod 555 src/ro");
	set_path(t, "src");
	source = read_source(t);
	make_tree(t, &source, "tree");
	sh(t, "test \"$(stat -c %%a tree/ro)\" = 755; test \"$(stat -c %%a tree/ro/a)\" = 644;"
	      "chmod 755 src/ro");
	source_state_release(&source);
	clear_source(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		tree_test(plain_folder),
		tree_test(content_decides),
		tree_test(hostile_names),
		tree_test(excluded),
		tree_test(missing),
		tree_test(work_tree),
		tree_test(ignored_folder),
		tree_test(no_commit_yet),
		tree_test(nested_repositories),
		tree_test(linked_folder),
		tree_test(conflict),
		tree_test(nothing_is_written),
		tree_test(foreign_environment),
		tree_test(inside_a_git_tree),
		tree_test(changes_while_copied),
		tree_test(one_snapshot_stays),
		tree_test(read_only_folders),
	};

	return cmocka_run_group_tests(tests, trees_setup, trees_teardown) != 0;
}
