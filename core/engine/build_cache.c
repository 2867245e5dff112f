/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/engine/build_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "core/engine/treedigest.h"

#define META_NAME "meta.json"
#define META_MAX ((size_t)1 << 20)
#define META_SCHEMA 1

char *build_cache_folder(const struct state *state, const struct plan_build *build)
{
	AUTOFREE char *name = xasprintf("builds/%.*s", BUILD_FOLDER_KEY, build->key);

	return state_path(state, name);
}

char *build_log_name(const struct plan_build *build)
{
	return xasprintf("logs/build-%.*s.log", BUILD_LOG_KEY, build->key);
}

static void fill_bins(
	const char *folder, const struct conf_pairs *outputs, struct build_result *result)
{
	result->bins = xcalloc(outputs->n, sizeof(*result->bins));
	for (size_t i = 0; i < outputs->n; i++)
		result->bins[i] = path_join(folder, outputs->items[i].key);
}

/* --- Meta ----------------------------------------------------------------------------------------
 */

/* What of an output is looked at when the cache is used: cheap, so no content. NULL = not there. */
static json_t *describe(const char *path)
{
	struct digest digest;
	struct err ignored;
	struct stat st;

	if (lstat(path, &st) || tree_digest(path, TREE_STAT, &digest, &ignored))
		return NULL;
	return json_pack("{s:s, s:i}", "stat", digest.hex, "mode", (int)(st.st_mode & 07777));
}

static bool read_digest(const json_t *meta, const char *name, struct digest *ret)
{
	const char *hex = json_string_value(json_object_get(meta, name));

	if (!hex || (hex[0] && strlen(hex) != DIGEST_HEX - 1))
		return false;
	memcpy(ret->hex, hex, strlen(hex) + 1);
	return true;
}

static bool outputs_match(const json_t *meta, const char *folder, const struct conf_pairs *outputs)
{
	for (size_t i = 0; i < outputs->n; i++) {
		AUTOFREE char *path = path_join(folder, outputs->items[i].key);
		json_t *now = describe(path);
		bool same = now && json_equal(now, json_object_get(json_object_get(meta, "outputs"),
							   outputs->items[i].key));

		json_decref(now);
		if (!same)
			return false;
	}
	return true;
}

bool build_cache_load(const struct state *state, const struct descriptor *descriptor,
	const struct plan_build *build, struct build_result *result)
{
	const struct conf_pairs *outputs = &descriptor->build.outputs;
	AUTOFREE char *folder = build_cache_folder(state, build);
	AUTOFREE char *path = path_join(folder, META_NAME);
	AUTOFREE char *log = build_log_name(build);
	AUTOFREE char *log_path = state_path(state, log);
	CLEANUP(buf_release) struct buf text = BUF_INIT;
	struct build_result found = {.status = BUILD_OK, .cached = true};
	struct err ignored;
	json_t *meta;
	bool fits;

	if (fs_read(path, META_MAX, &text, &ignored))
		return false;
	meta = json_loadb(text.data, text.len, 0, NULL);
	fits = meta && json_integer_value(json_object_get(meta, "schema")) == META_SCHEMA &&
	       !strcmp(json_string_value(json_object_get(meta, "key"))
			       ? json_string_value(json_object_get(meta, "key"))
			       : "",
		       build->key) &&
	       read_digest(meta, "digest", &found.digest) &&
	       read_digest(meta, "code_digest", &found.code_digest) &&
	       outputs_match(meta, folder, outputs);
	if (fits) {
		found.seconds = json_number_value(json_object_get(meta, "seconds"));
		found.log = fs_exists(log_path) ? STEAL(log) : NULL;
		fill_bins(folder, outputs, &found);
		*result = found;
	}
	json_decref(meta);
	return fits;
}

/* --- Keeping -------------------------------------------------------------------------------------
 */

static int digest_outputs(const char *folder, const struct conf_pairs *outputs,
	enum tree_digest_kind kind, struct digest *ret, struct err *err)
{
	CLEANUP(digest_freep) struct digest_ctx *to = digest_new();
	struct digest digest;

	*ret = (struct digest){0};
	if (!outputs->n)
		return 0;
	for (size_t i = 0; i < outputs->n; i++) {
		AUTOFREE char *path = path_join(folder, outputs->items[i].key);

		if (tree_digest(path, kind, &digest, err))
			return -1;
		digest_field(to, outputs->items[i].key, digest.hex);
	}
	*ret = digest_end(to);
	return 0;
}

static int write_meta(const char *folder, const struct conf_pairs *outputs,
	const struct plan_build *build, const struct build_result *result, struct err *err)
{
	AUTOFREE char *path = path_join(folder, META_NAME);
	json_t *list = json_object(), *meta;
	AUTOFREE char *text = NULL;

	for (size_t i = 0; i < outputs->n; i++) {
		AUTOFREE char *output = path_join(folder, outputs->items[i].key);

		json_object_set_new(list, outputs->items[i].key, describe(output));
	}
	meta = json_pack("{s:i, s:s, s:s, s:s, s:s, s:f, s:o}", "schema", META_SCHEMA, "key",
		build->key, "name", build->name, "digest", result->digest.hex, "code_digest",
		result->code_digest.hex, "seconds", result->seconds, "outputs", list);
	if (!meta)
		return err_set(err, E_BUG, "cannot describe the build '%s'", build->name);
	text = json_dumps(meta, JSON_INDENT(1));
	json_decref(meta);
	return fs_write(path, text, strlen(text), 0, err);
}

static int sync_path(const char *path, struct err *err)
{
	AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	/* Not all file systems can sync a folder; a file that cannot be opened cannot be lost. */
	if (fd >= 0 && fsync(fd) && errno != EINVAL)
		return err_sys(err, E_SYSTEM, errno, "cannot write '%s'", path);
	return 0;
}

static int sync_entry(void *ctx, const struct fs_entry *entry, struct err *err)
{
	(void)ctx;
	if (!S_ISREG(entry->st.st_mode) && !S_ISDIR(entry->st.st_mode))
		return 0;
	return sync_path(entry->full, err);
}

static int put_in_place(const struct state *state, const struct plan_build *build, const char *from,
	const char *folder, struct err *err)
{
	AUTOFREE char *name = xasprintf("work/old-%.*s", BUILD_LOG_KEY, build->key);
	AUTOFREE char *old = state_path(state, name);
	AUTOFREE char *above = path_dirname(folder);

	if (fs_mkdirs(above, err) || fs_walk(from, sync_entry, NULL, err) || sync_path(from, err) ||
		fs_remove(old, err))
		return -1;
	if (rename(folder, old) && errno != ENOENT)
		return err_sys(err, E_SYSTEM, errno, "cannot move '%s'", folder);
	if (rename(from, folder))
		return err_sys(err, E_SYSTEM, errno, "cannot make '%s'", folder);
	if (sync_path(above, err))
		return -1;
	return fs_remove(old, err);
}

int build_cache_keep(const struct state *state, const struct descriptor *descriptor,
	const struct plan_build *build, const char *from, struct build_result *result,
	struct err *err)
{
	const struct conf_pairs *outputs = &descriptor->build.outputs;
	AUTOFREE char *folder = build_cache_folder(state, build);

	if (digest_outputs(from, outputs, TREE_CONTENT, &result->digest, err) ||
		digest_outputs(from, outputs, TREE_CODE, &result->code_digest, err) ||
		write_meta(from, outputs, build, result, err) ||
		put_in_place(state, build, from, folder, err))
		return -1;
	fill_bins(folder, outputs, result);
	return 0;
}
