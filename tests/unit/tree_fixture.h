/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For tests of sources, patches and builds: a folder with a home of its own, a state folder, a
 * descriptor made by hand, and a shell to make repositories with. */
#ifndef ASSAY_TESTS_TREE_FIXTURE_H
#define ASSAY_TESTS_TREE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/proc.h"
#include "core/engine/source.h"
#include "tests/unit/scratch.h"

struct trees {
	struct launcher *launcher; /* of the whole group */
	char *dir;
	struct state state;
	struct descriptor descriptor;
};

/* Runs a script in the test's folder; must succeed. Its output, owned. */
static inline char *sh_out(struct trees *t, const char *fmt, ...) PRINTF_LIKE(2, 3);
static inline char *sh_out(struct trees *t, const char *fmt, ...)
{
	CLEANUP(buf_release) struct buf out = BUF_INIT, said = BUF_INIT, script = BUF_INIT;
	struct err err;
	va_list ap;

	buf_adds(&script,
		"set -e\ncommit() { git add -A -f . && git commit -q --allow-empty -m \"$1\"; }\n");
	va_start(ap, fmt);
	buf_vaddf(&script, fmt, ap);
	va_end(ap);
	if (proc_capture(t->launcher, (const char *const[]){"sh", "-c", script.data, NULL}, NULL,
		    t->dir, 60 * NS_PER_S, 1 << 24, &out, &said, NULL, &err))
		fail_msg("%s\n%s", fmt, err.text);
	return buf_steal(&out);
}

#define sh(t, ...) free(sh_out(t, __VA_ARGS__))

static inline char *at(struct trees *t, const char *name)
{
	return path_join(t->dir, name);
}

static inline void trees_make(struct trees *t)
{
	AUTOFREE char *home = NULL;
	struct err err;

	t->dir = scratch_new();
	home = at(t, "home");
	if (fs_mkdirs(home, &err))
		fail_msg("%s", err.text);
	setenv("HOME", home, 1);
	unsetenv("XDG_CONFIG_HOME");
	sh(t, "git config --global user.name tester; git config --global user.email t@example.org;"
	      "git config --global init.defaultBranch main");
	t->state = (struct state)STATE_INIT;
	if (state_open(&t->state, t->dir, NULL, NULL, true, &err) ||
		state_lock(&t->state, false, &err))
		fail_msg("%s", err.text);
	t->descriptor = (struct descriptor){
		.dir = t->dir, .build = {.dir = ".", .timeout_ns = 60 * NS_PER_S}};
}

static inline void trees_free(struct trees *t)
{
	state_release(&t->state);
	scratch_free(t->dir);
}

static inline int trees_setup(void **state)
{
	struct trees *t = xcalloc(1, sizeof(*t));
	struct err err;

	if (launcher_start(&t->launcher, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return -1;
	}
	*state = t;
	return 0;
}

static inline int trees_teardown(void **state)
{
	struct trees *t = *state;

	launcher_stop(t->launcher);
	free(t);
	return 0;
}

static inline int trees_each(void **state)
{
	trees_make(*state);
	return 0;
}

static inline int trees_each_end(void **state)
{
	trees_free(*state);
	return 0;
}

#define tree_test(fn) cmocka_unit_test_setup_teardown(fn, trees_each, trees_each_end)

static inline void set_path(struct trees *t, const char *name)
{
	t->descriptor.source = (struct source){.path = at(t, name)};
}

static inline void set_git(struct trees *t, const char *name, const char *ref)
{
	t->descriptor.source = (struct source){.git = at(t, name), .ref = ref};
}

static inline void clear_source(struct trees *t)
{
	free((char *)t->descriptor.source.path);
	free((char *)t->descriptor.source.git);
	t->descriptor.source = (struct source){0};
}

/* inner in lib (ext/inner) in src (ext/lib), all checked out. */
static inline void make_submodules(struct trees *t)
{
	sh(t, "git config --global protocol.file.allow always;"
	      "git init -q inner; (cd inner; echo i >i; commit 1);"
	      "git init -q lib; (cd lib; echo l >l; git submodule --quiet add ../inner ext/inner; "
	      "commit 1);"
	      "git init -q src; cd src; echo 1 >a; git submodule --quiet add ../lib ext/lib;"
	      "git submodule --quiet update --init --recursive; commit 1");
}

/* Everything of a folder that can be seen from outside: names, kinds, modes, times, content. */
static inline char *portrait(struct trees *t, const char *folder)
{
	return sh_out(t,
		"find '%s' -printf '%%p %%y %%m %%s %%T@ %%C@ %%l\\n' | LC_ALL=C sort;"
		"find '%s' -type f -exec sha256sum {} + | LC_ALL=C sort",
		folder, folder);
}

static inline struct source_state read_source(struct trees *t)
{
	struct source_state source;
	struct err err;

	if (source_read(&t->descriptor, &t->state, t->launcher, &source, &err))
		fail_msg("%s (%s)", err.text, err.help);
	return source;
}

static inline char *digest_now(struct trees *t)
{
	struct source_state source = read_source(t);
	char *digest = xstrdup(source.digest.hex);

	source_state_release(&source);
	return digest;
}

/* Must fail; the message. */
static inline struct err refuse_source(struct trees *t, enum err_code code)
{
	struct source_state source;
	struct err err = {0};

	assert_int_equal(source_read(&t->descriptor, &t->state, t->launcher, &source, &err), -1);
	assert_int_equal(err.code, code);
	return err;
}

/* A fresh tree of the source at `name` in the test's folder. */
static inline void make_tree(struct trees *t, const struct source_state *source, const char *name)
{
	AUTOFREE char *to = at(t, name);
	struct err err;

	if (source_snapshot(&t->descriptor, &t->state, t->launcher, source, &err) ||
		source_tree(&t->state, source, to, &err))
		fail_msg("%s (%s)", err.text, err.help);
}

/* Paths below a folder with kind and mode, one a line, sorted. */
static inline char *listing(struct trees *t, const char *folder)
{
	return sh_out(
		t, "cd '%s'; find . -mindepth 1 -printf '%%P %%y\\n' | LC_ALL=C sort", folder);
}

#define assert_has(text, part) \
	do { \
		if (!strstr(text, part)) \
			fail_msg("'%s' is not in '%s'", part, text); \
	} while (0)

#define assert_listing(t, folder, expected) \
	do { \
		char *listing_ = listing(t, folder); \
\
		assert_string_equal(listing_, expected); \
		free(listing_); \
	} while (0)

#endif
