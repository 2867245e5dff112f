/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/engine/git.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/engine/source.h"

extern char **environ;

/* The longest git may take: a first copy of a large repository. */
#define GIT_TIMEOUT_NS (1800 * NS_PER_S)
/* More output than this of one git is no list of files and no diff. */
#define GIT_OUTPUT_MAX ((size_t)1 << 30)

/* --- Environment ---------------------------------------------------------------------------------
 */

struct env_list {
	VEC(char *) items;
};

static void env_add(struct env_list *list, const char *name, const char *value)
{
	if (value)
		*vec_push(&list->items) = xasprintf("%s=%s", name, value);
}

/* One block: the pointers, then the texts. */
static char **env_block(struct env_list *list)
{
	size_t n = list->items.n, bytes = (n + 1) * sizeof(char *);
	char **block, *to;

	for (size_t i = 0; i < n; i++)
		bytes += strlen(list->items.items[i]) + 1;
	block = xmalloc(bytes);
	to = (char *)(block + n + 1);
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(list->items.items[i]) + 1;

		memcpy(to, list->items.items[i], len);
		block[i] = to;
		to += len;
		free(list->items.items[i]);
	}
	block[n] = NULL;
	vec_release(&list->items);
	return block;
}

static char **env_of(const struct git *git)
{
	struct env_list list = {VEC_INIT};

	for (char **item = environ; *item; item++) {
		if (!text_starts(*item, "GIT_") && !text_starts(*item, "LC_ALL=") &&
			!text_starts(*item, "LANGUAGE="))
			*vec_push(&list.items) = xstrdup(*item);
	}
	env_add(&list, "LC_ALL", "C");
	env_add(&list, "GIT_CEILING_DIRECTORIES", git->ceiling);
	env_add(&list, "GIT_OPTIONAL_LOCKS", "0");
	env_add(&list, "GIT_CONFIG_NOSYSTEM", "1");
	env_add(&list, "GIT_TERMINAL_PROMPT", "0");
	env_add(&list, "GIT_NO_LAZY_FETCH", "1");
	env_add(&list, "GIT_DIR", git->git_dir);
	env_add(&list, "GIT_WORK_TREE", git->work_tree);
	env_add(&list, "GIT_INDEX_FILE", git->index);
	if (git->isolated) {
		env_add(&list, "GIT_CONFIG_GLOBAL", "/dev/null");
		env_add(&list, "GIT_ATTR_NOSYSTEM", "1");
	}
	return env_block(&list);
}

/* --- Running -------------------------------------------------------------------------------------
 */

static const char *const common[] = {"git", "-c", "core.fsmonitor=false", "-c",
	"core.hooksPath=/dev/null", "-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c",
	"core.quotePath=false", "-c", "advice.detachedHead=false"};
static const char *const alone[] = {"-c", "core.attributesFile=/dev/null", "-c",
	"core.excludesFile=/dev/null", "-c", "core.autocrlf=false"};

/* What git said, without the blank at its end; a "fatal: " at its beginning says nothing. */
static void git_failed(const char *command, int code, struct buf *said, struct err *err)
{
	const char *text;

	while (said->len && (said->data[said->len - 1] == '\n'))
		buf_truncate(said, said->len - 1);
	text = said->data;
	if (text_starts(text, "fatal: "))
		text += strlen("fatal: ");
	if (*text)
		err_set(err, E_MISSING, "git %s: %s", command, text);
	else
		err_set(err, E_MISSING, "git %s failed with status %d", command, code);
}

int git_run(const struct git *git, const char *const *args, struct buf *ret_out,
	struct buf *ret_said, int *ret_code, struct err *err)
{
	CLEANUP(buf_release) struct buf said = BUF_INIT;
	AUTOFREE char **env = env_of(git);
	VEC(const char *) argv = VEC_INIT;
	int code = 0, rc;

	for (size_t i = 0; i < ARRAY_SIZE(common); i++)
		*vec_push(&argv) = common[i];
	for (size_t i = 0; git->isolated && i < ARRAY_SIZE(alone); i++)
		*vec_push(&argv) = alone[i];
	for (size_t i = 0; args[i]; i++)
		*vec_push(&argv) = args[i];
	*vec_push(&argv) = NULL;
	rc = proc_capture(git->launcher, argv.items, (const char *const *)env, git->dir,
		GIT_TIMEOUT_NS, GIT_OUTPUT_MAX, ret_out, &said, &code, err);
	vec_release(&argv);
	if (rc)
		return -1;
	if (ret_code) {
		*ret_code = code;
		if (ret_said) {
			buf_clear(ret_said);
			buf_add(ret_said, said.data, said.len);
		}
		return 0;
	}
	if (!code)
		return 0;
	git_failed(args[0], code, &said, err);
	return -1;
}

int git_line(const struct git *git, const char *const *args, char **ret, struct err *err)
{
	CLEANUP(buf_release) struct buf out = BUF_INIT;

	if (git_run(git, args, &out, NULL, NULL, err))
		return -1;
	/* One end of line only: names of folders may end with one, too. */
	if (out.len && out.data[out.len - 1] == '\n')
		buf_truncate(&out, out.len - 1);
	*ret = buf_steal(&out);
	return 0;
}

int git_ask(const struct git *git, const char *const *args, bool *ret, struct err *err)
{
	int code;

	if (git_run(git, args, NULL, NULL, &code, err))
		return -1;
	*ret = code == 0;
	return 0;
}
