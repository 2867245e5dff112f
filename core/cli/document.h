/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Help, man pages and bash completion out of the option tables of all commands. */
#ifndef ASSAY_CLI_DOCUMENT_H
#define ASSAY_CLI_DOCUMENT_H

#include <stdio.h>

#include "core/base/buf.h"

void help_overview(struct buf *to, int width);
/* kind "write-man" (name: a command, NULL = assay itself) or "write-completion". The build calls
 * this to make doc/. Returns an exit status. */
int document_write(const char *kind, const char *name, FILE *to);

#endif
