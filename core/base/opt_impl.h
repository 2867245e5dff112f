/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by opt*.c, used nowhere else. */
#ifndef ASSAY_BASE_OPT_IMPL_H
#define ASSAY_BASE_OPT_IMPL_H

#include "core/base/opt.h"

/* -h, --help: every command has it, no table. */
extern const struct opt opt_help_row;

/* What stands for the value: "FILE", "text|markdown"; nothing for a flag. */
void opt_add_arg(const struct opt *opt, struct buf *to);

/* Walks over the lines of a text (without their ends); false at its end. */
bool opt_next_line(const char **lines, const char **ret, size_t *ret_len);

#endif
