/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The entries that make up a source tree: regular files, symbolic links and folders that hold
 * nothing, in an order in which a folder comes directly before what it holds. Its digest is the
 * content of the tree; the same for a work tree, a checkout and a copy.
 */
#ifndef ASSAY_ENGINE_SOURCE_LIST_H
#define ASSAY_ENGINE_SOURCE_LIST_H

#include "core/base/conf.h"
#include "core/base/digest.h"
#include "core/base/fs.h"

struct source_entry {
	char *path; /* relative to the root */
	char kind;  /* 'f' file, 'x' executable file, 'l' link, 'd' empty folder */
	struct stat st;
};

struct source_list {
	char *root; /* absolute */
	VEC(struct source_entry) entries;
	uint64_t bytes; /* of the files */
};

void source_list_init(struct source_list *list, const char *root);
void source_list_release(struct source_list *list);

/* What must not become part of a source. */
struct source_filter {
	const struct conf_texts *exclude; /* globs; one that matches a folder takes all it holds */
	const char *state_dir;            /* absolute: never a part of it */
};

/* Whether a path (relative to root) must not. Names .git and .assay never are a part, at any depth.
 */
bool source_filtered(const struct source_filter *filter, const char *root, const char *path);

/* One path as somebody listed it: kept when it is there, is a file, link or folder, and is not
 * filtered. */
int source_list_add(struct source_list *list, const struct source_filter *filter, const char *path,
	struct err *err) MUST_CHECK;
/* All that is in the folder `below` ("" = the root) and not filtered. Sockets, FIFOs and devices
 * are left out. */
int source_list_walk(struct source_list *list, const struct source_filter *filter,
	const char *below, struct err *err) MUST_CHECK;
/* Sorts, and drops what occurs twice, folders that are not empty, and paths that lead through a
 * link: call it once before the following ones. */
void source_list_finish(struct source_list *list);

int source_list_digest(const struct source_list *list, struct digest *ret, struct err *err)
	MUST_CHECK;
/* Copies the entries to `to` (made when needed). Modes become 0644 and 0755; times stay. A file
 * that changed since it was listed is E_MISSING. */
int source_list_copy(const struct source_list *list, const char *to, struct err *err) MUST_CHECK;

#endif
