/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A growing array of any type:
 *
 *	VEC(int) v = VEC_INIT;
 *	*vec_push(&v) = 3;                  a new, zeroed item
 *	for (size_t i = 0; i < v.n; i++) ... v.items[i] ...
 *	vec_release(&v);                    frees the array, not what the items own
 *
 * Pointers into items are valid until the next push.
 */
#ifndef ASSAY_BASE_VEC_H
#define ASSAY_BASE_VEC_H

#include <stdlib.h>
#include <string.h>

#include "core/base/util.h"

#define VEC(type) \
	struct { \
		type *items; \
		size_t n, cap; \
	}
#define VEC_INIT \
	{ \
		0 \
	}

#define vec_push(v) \
	({ \
		if ((v)->n == (v)->cap) { \
			(v)->cap = (v)->cap ? (v)->cap * 2 : 8; \
			(v)->items = xreallocarray((v)->items, (v)->cap, sizeof(*(v)->items)); \
		} \
		memset(&(v)->items[(v)->n], 0, sizeof(*(v)->items)); \
		&(v)->items[(v)->n++]; \
	})

#define vec_release(v) \
	do { \
		free((v)->items); \
		(v)->items = NULL; \
		(v)->n = (v)->cap = 0; \
	} while (0)

#endif
