/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that is either there or ends the program: a benchmark has no use for half a run. */
#ifndef PROVER_MEM_H
#define PROVER_MEM_H

#include <stddef.h>

/* As realloc() for count * size bytes; never returns NULL. count and size are not 0. */
void *mem_resize(void *old, size_t count, size_t size);

#endif
