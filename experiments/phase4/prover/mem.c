/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void *mem_resize(void *old, size_t count, size_t size)
{
	void *p = count <= SIZE_MAX / size ? realloc(old, count * size) : NULL;

	if (!p) {
		fprintf(stderr, "prover: out of memory: %zu x %zu bytes\n", count, size);
		exit(1);
	}
	return p;
}
