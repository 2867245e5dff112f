/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Attributes, memory that aborts when there is none, and cleanup on scope exit.
 *
 * Out of memory aborts (STYLE): a short-lived tool has nothing better to do, and no caller has to
 * test for NULL. Everything x-something here returns a pointer that the caller owns and free()s.
 */
#ifndef ASSAY_BASE_UTIL_H
#define ASSAY_BASE_UTIL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PRINTF_LIKE(fmt, first) __attribute__((format(printf, fmt, first)))
#define MUST_CHECK __attribute__((warn_unused_result))
/* CLEANUP(buf_release) struct buf b = BUF_INIT;  runs buf_release(&b) at the end of the scope. */
#define CLEANUP(fn) __attribute__((cleanup(fn)))
/* AUTOFREE char *s: free()d at the end of the scope. AUTOCLOSE int fd: closed if >= 0. */
#define AUTOFREE __attribute__((cleanup(cleanup_free)))
#define AUTOCLOSE __attribute__((cleanup(cleanup_close)))
/* Makes a cleanup function NAMEp for a heap type: CLEANUP(plan_freep) struct plan *p. */
#define DEFINE_CLEANUP(type, free_fn) \
	static inline void free_fn##p(type **p) \
	{ \
		free_fn(*p); \
	}

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define NS_PER_S INT64_C(1000000000)
#define NS_PER_MS INT64_C(1000000)

void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);
/* n * size is checked for overflow. */
void *xreallocarray(void *p, size_t n, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
char *xasprintf(const char *fmt, ...) PRINTF_LIKE(1, 2);
char *xvasprintf(const char *fmt, va_list ap) PRINTF_LIKE(1, 0);

void cleanup_free(void *pp);
void cleanup_close(int *fd);

/* Takes the pointer out of a variable that would be freed at scope exit. */
#define STEAL(p) \
	({ \
		__typeof__(p) steal_ = (p); \
		(p) = NULL; \
		steal_; \
	})

#endif
