/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The state folder (doc/store.md; D `.assay` beside the descriptor): the store, the lock,
 * bare clones, source snapshots, builds, scratch folders.
 *
 *	assay.db             the store
 *	lock                 one assay per state folder
 *	.gitignore           "*": the folder hides itself from the git tree around it
 *	git/DIGEST.git       bare clones of git sources and submodules
 *	src/DIGEST           source snapshots (the newest only)
 *	builds/KEY/          a finished build: outputs by NAME, meta.json; renamed into place whole
 *	logs/build-KEY.log   the log of the last attempt of a build
 *	work/                trees of builds going on; removed at the end, or at the next start
 *	run/                 scratch folders of runs going on; the same
 */
#ifndef ASSAY_ENGINE_STATE_H
#define ASSAY_ENGINE_STATE_H

#include "core/base/fs.h"

struct state {
	char *dir;                       /* absolute */
	char *store;                     /* absolute path of the database */
	struct fs_lock lock, store_lock; /* the second: of a store outside of the folder */
};
#define STATE_INIT \
	{ \
		.lock = FS_LOCK_INIT, .store_lock = FS_LOCK_INIT \
	}

/* dir: --state or ASSAY_STATE, NULL = `.assay` in `beside`; store: --store, NULL = in dir. Makes
 * the folder when `make`. Takes no lock. */
int state_open(struct state *state, const char *beside, const char *dir, const char *store,
	bool make, struct err *err) MUST_CHECK;
/* Takes the lock (wait: --wait), that of a store elsewhere too (two assays would go on with one
 * session), and removes what a killed assay left in work/ and run/. */
int state_lock(struct state *state, bool wait, struct err *err) MUST_CHECK;
/* Removes work/ and run/, too, when the lock is held. */
void state_release(struct state *state);
char *state_path(const struct state *state, const char *name); /* owned */

#endif
