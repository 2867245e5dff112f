/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SHA-256 (OpenSSL). Ids are digests over fields with length prefixes, so that ("ab","c") and
 * ("a","bc") differ; digest_field writes name, kind and length before the bytes.
 */
#ifndef ASSAY_BASE_DIGEST_H
#define ASSAY_BASE_DIGEST_H

#include "core/base/err.h"

#define DIGEST_BYTES 32
#define DIGEST_HEX (2 * DIGEST_BYTES + 1)

struct digest {
	char hex[DIGEST_HEX]; /* lower case, NUL-terminated */
};

struct digest_ctx;
struct digest_ctx *digest_new(void);
void digest_free(struct digest_ctx *ctx);
DEFINE_CLEANUP(struct digest_ctx, digest_free)
void digest_add(struct digest_ctx *ctx, const void *data, size_t len);
/* name and value with their lengths; value NULL is distinct from "". */
void digest_field(struct digest_ctx *ctx, const char *name, const char *value);
void digest_field_n(struct digest_ctx *ctx, const char *name, const void *value, size_t len);
void digest_field_int(struct digest_ctx *ctx, const char *name, int64_t value);
/* Ends the digest; ctx can only be freed afterwards. */
struct digest digest_end(struct digest_ctx *ctx);

struct digest digest_of(const void *data, size_t len);
int digest_file(const char *path, struct digest *ret, struct err *err) MUST_CHECK;
/* Digest of the code of an ELF file: its SHF_ALLOC sections without .note.gnu.build-id
 * (doc/statistics.md, A/A pairs), so that debug paths do not hide that two programs are one. Writes
 * "" into ret->hex when the file is no ELF program or shared library with section headers, or a
 * damaged one. */
int digest_elf_code(const char *path, struct digest *ret, struct err *err) MUST_CHECK;

#endif
