/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The digest of a file or a folder: inputs of runs and outputs of builds. */
#ifndef ASSAY_ENGINE_TREEDIGEST_H
#define ASSAY_ENGINE_TREEDIGEST_H

#include "core/base/digest.h"

enum tree_digest_kind {
	TREE_CONTENT, /* paths, kinds, executable bits, bytes, link targets */
	TREE_CODE,    /* the same, but ELF files by their code (digest_elf_code) */
	TREE_STAT,    /* paths, sizes and modification times: for inputs of many gigabytes */
};

/* E_MISSING when there is nothing at path. */
int tree_digest(const char *path, enum tree_digest_kind kind, struct digest *ret, struct err *err)
	MUST_CHECK;

#endif
