/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The environment of builds and runs: a short list of inherited names, LC_ALL=C, then what the
 * descriptor says (doc/descriptor.md).
 */
#ifndef ASSAY_ENGINE_CHILDENV_H
#define ASSAY_ENGINE_CHILDENV_H

#include "core/base/conf.h"
#include "core/base/map.h"

struct childenv {
	struct map vars; /* name -> owned text, NULL = unset */
};

/* PATH HOME USER LOGNAME TMPDIR LD_LIBRARY_PATH CARGO_HOME RUSTUP_HOME CUDA_* NVIDIA_* and the
 * names in pass, as assay has them; LC_ALL=C. */
void childenv_init(struct childenv *env, const struct conf_texts *pass);
void childenv_release(struct childenv *env);
void childenv_set(struct childenv *env, const char *name, const char *value); /* NULL: unset */
void childenv_pairs(struct childenv *env, const struct conf_pairs *pairs);
/* NULL-terminated "NAME=value" list, sorted by name, in the arena. */
const char *const *childenv_list(const struct childenv *env, struct arena *arena);

/* Bytes that argv and envp take on the stack of a new program: their strings and pointers. */
size_t childenv_bytes(const char *const *argv, const char *const *envp);
/* Adds ASSAY_PAD (and ASSAY_PAD_2 ... when much is missing) so that argv and environment take
 * `target` bytes together: the size of both moves the stack and with it the speed of programs.
 * No-op when they are larger already. */
const char *const *childenv_pad(
	const char *const *argv, const char *const *envp, size_t target, struct arena *arena);

#endif
