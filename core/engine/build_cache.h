/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finished builds: builds/KEY with the outputs by name and meta.json. The folder is put together in
 * work/, synced, and renamed into place: what is in builds/ is whole.
 */
#ifndef ASSAY_ENGINE_BUILD_CACHE_H
#define ASSAY_ENGINE_BUILD_CACHE_H

#include "core/engine/build.h"

/* Hex digits of a build's key in the names of its folder and of its log. */
#define BUILD_FOLDER_KEY 32
#define BUILD_LOG_KEY 16

/* builds/KEY, owned. */
char *build_cache_folder(const struct state *state, const struct plan_build *build);
/* "logs/build-KEY.log", relative to the state folder; owned. */
char *build_log_name(const struct plan_build *build);

/* Fills the result from the cache; false when the build is not there, or what is there is not what
 * was put there (existence, size, time and mode of each output). */
bool build_cache_load(const struct state *state, const struct descriptor *descriptor,
	const struct plan_build *build, struct build_result *result);
/* Makes the folder `from`, which holds the outputs by name, the build; result->seconds is given,
 * digests and bins are filled in. An older build of this key is replaced. */
int build_cache_keep(const struct state *state, const struct descriptor *descriptor,
	const struct plan_build *build, const char *from, struct build_result *result,
	struct err *err) MUST_CHECK;

#endif
