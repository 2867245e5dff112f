/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/evp.h>

struct digest_ctx {
	EVP_MD_CTX *md;
};

/* SHA-256 in memory fails only when memory does. */
static void must(int ok)
{
	if (ok != 1)
		abort();
}

struct digest_ctx *digest_new(void)
{
	struct digest_ctx *ctx = xmalloc(sizeof(*ctx));

	ctx->md = EVP_MD_CTX_new();
	must(ctx->md && EVP_DigestInit_ex(ctx->md, EVP_sha256(), NULL));
	return ctx;
}

void digest_free(struct digest_ctx *ctx)
{
	if (!ctx)
		return;
	EVP_MD_CTX_free(ctx->md);
	free(ctx);
}

void digest_add(struct digest_ctx *ctx, const void *data, size_t len)
{
	if (len)
		must(EVP_DigestUpdate(ctx->md, data, len));
}

/* Lengths and integers: 8 bytes, low one first, whatever the machine. */
static void add_number(struct digest_ctx *ctx, uint64_t v)
{
	unsigned char bytes[8];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(v >> (8 * i));
	digest_add(ctx, bytes, sizeof(bytes));
}

/* kind: 's' bytes, '0' no value, 'i' integer. */
static void add_head(struct digest_ctx *ctx, const char *name, char kind, uint64_t len)
{
	size_t n = strlen(name);

	add_number(ctx, n);
	digest_add(ctx, name, n);
	digest_add(ctx, &kind, 1);
	add_number(ctx, len);
}

void digest_field_n(struct digest_ctx *ctx, const char *name, const void *value, size_t len)
{
	add_head(ctx, name, 's', len);
	digest_add(ctx, value, len);
}

void digest_field(struct digest_ctx *ctx, const char *name, const char *value)
{
	if (value)
		digest_field_n(ctx, name, value, strlen(value));
	else
		add_head(ctx, name, '0', 0);
}

void digest_field_int(struct digest_ctx *ctx, const char *name, int64_t value)
{
	add_head(ctx, name, 'i', 8);
	add_number(ctx, (uint64_t)value);
}

struct digest digest_end(struct digest_ctx *ctx)
{
	static const char hex[] = "0123456789abcdef";
	unsigned char bytes[DIGEST_BYTES];
	struct digest digest;

	must(EVP_DigestFinal_ex(ctx->md, bytes, NULL));
	for (size_t i = 0; i < DIGEST_BYTES; i++) {
		digest.hex[2 * i] = hex[bytes[i] >> 4];
		digest.hex[2 * i + 1] = hex[bytes[i] & 15];
	}
	digest.hex[DIGEST_HEX - 1] = '\0';
	return digest;
}

struct digest digest_of(const void *data, size_t len)
{
	CLEANUP(digest_freep) struct digest_ctx *ctx = digest_new();

	digest_add(ctx, data, len);
	return digest_end(ctx);
}

int digest_file(const char *path, struct digest *ret, struct err *err)
{
	CLEANUP(digest_freep) struct digest_ctx *ctx = digest_new();
	AUTOFREE char *block = xmalloc(128 * 1024);
	AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = -1;

	if (fd >= 0) {
		while ((n = read(fd, block, 128 * 1024)) > 0 || (n < 0 && errno == EINTR)) {
			if (n > 0)
				digest_add(ctx, block, (size_t)n);
		}
	}
	if (n < 0)
		return err_sys(
			err, errno == EIO ? E_SYSTEM : E_MISSING, errno, "cannot read '%s'", path);
	*ret = digest_end(ctx);
	return 0;
}
