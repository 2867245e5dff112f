/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds data files: data/parsers/cuzk.yaml by the name "parsers/cuzk.yaml". Looked for in this
 * order: the folder that the environment names in ASSAY_DATADIR; the source tree of a program that
 * was not installed (its folder, or the srcdir that the Makefile beside it names, has data/); the
 * folder where `make install` puts them.
 */
#ifndef ASSAY_BASE_DATAFILE_H
#define ASSAY_BASE_DATAFILE_H

#include "core/base/err.h"

/* Owned path; E_MISSING naming the folders looked into. */
int datafile_find(const char *name, char **ret_path, struct err *err) MUST_CHECK;
/* All names (without folder and ".yaml") in a kind folder ("parsers"), sorted; NULL-terminated, one
 * free() per name and one for the list. An absent folder is an empty list. */
char **datafile_list(const char *kind, const char *suffix);
/* With those in the kind folder of dir (beside a descriptor), too. */
char **datafile_list_with(const char *dir, const char *kind, const char *suffix);

#endif
