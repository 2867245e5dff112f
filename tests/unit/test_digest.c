/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/digest.h"

#include <elf.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/rng.h"
#include "tests/unit/scratch.h"

#include <cmocka.h>

static struct err err;

/* FIPS 180-2, appendix B, and the empty message. */
static void known_answers(void **state)
{
	char *million = xmalloc(1000000);

	(void)state;
	memset(million, 'a', 1000000);
	assert_string_equal(digest_of("", 0).hex,
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	assert_string_equal(digest_of("abc", 3).hex,
		"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	assert_string_equal(digest_of(million, 1000000).hex,
		"cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	free(million);
}

static struct digest fields(const char *a, const char *b, const char *value)
{
	CLEANUP(digest_freep) struct digest_ctx *ctx = digest_new();

	digest_field(ctx, a, b);
	digest_field(ctx, "x", value);
	return digest_end(ctx);
}

static void fields_do_not_run_together(void **state)
{
	CLEANUP(digest_freep) struct digest_ctx *text = digest_new();
	CLEANUP(digest_freep) struct digest_ctx *number = digest_new();

	(void)state;
	assert_string_equal(fields("ab", "c", "d").hex, fields("ab", "c", "d").hex);
	assert_string_not_equal(fields("ab", "c", "d").hex, fields("a", "bc", "d").hex);
	assert_string_not_equal(fields("ab", "c", "").hex, fields("ab", "c", NULL).hex);
	digest_field(text, "n", "7");
	digest_field_int(number, "n", 7);
	assert_string_not_equal(digest_end(text).hex, digest_end(number).hex);
	digest_free(NULL);
}

/* Ids are stored and compared between versions: their form must not change unnoticed. */
static void form_of_fields(void **state)
{
	CLEANUP(digest_freep) struct digest_ctx *ctx = digest_new();
	static const char expected[] = "\1\0\0\0\0\0\0\0"
				       "a"
				       "s"
				       "\2\0\0\0\0\0\0\0"
				       "bc"
				       "\1\0\0\0\0\0\0\0"
				       "n"
				       "i"
				       "\x08\0\0\0\0\0\0\0"
				       "\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF"
				       "\1\0\0\0\0\0\0\0"
				       "z"
				       "0"
				       "\0\0\0\0\0\0\0\0";

	(void)state;
	digest_field(ctx, "a", "bc");
	digest_field_int(ctx, "n", -2);
	digest_field(ctx, "z", NULL);
	assert_string_equal(digest_end(ctx).hex, digest_of(expected, sizeof(expected) - 1).hex);
}

static void files(void **state)
{
	char *root = scratch_new(), *path = path_join(root, "f"), *data = xcalloc(1, 300000);
	struct digest digest = {.hex = "old"};

	(void)state;
	assert_int_equal(fs_write(path, data, 300000, 0, &err), 0);
	assert_int_equal(digest_file(path, &digest, &err), 0);
	assert_string_equal(digest.hex, digest_of(data, 300000).hex);
	digest = (struct digest){.hex = "old"};
	assert_int_equal(digest_file(root, &digest, &err), -1);
	assert_int_equal(digest_file("/no/such", &digest, &err), -1);
	assert_int_equal(err.code, E_MISSING);
	assert_non_null(strstr(err.text, "/no/such"));
	assert_string_equal(digest.hex, "old");
	free(data);
	free(path);
	scratch_free(root);
}

/* ELF files made by hand, of either class and byte order. */
struct image {
	bool wide, big;
	unsigned char bytes[2048];
	size_t len;
};

static void store(const struct image *image, unsigned char *at, size_t len, uint64_t v)
{
	for (size_t i = 0; i < len; i++)
		at[image->big ? len - 1 - i : i] = (unsigned char)(v >> (8 * i));
}

#define SET(image, base, type, member, v) \
	((image)->wide ? store((image), (base) + offsetof(Elf64_##type, member), \
				 sizeof(((Elf64_##type *)0)->member), (v)) \
		       : store((image), (base) + offsetof(Elf32_##type, member), \
				 sizeof(((Elf32_##type *)0)->member), (v)))

enum {
	TEXT_AT = 0x100,
	NOTE_AT = 0x140,
	DEBUG_AT = 0x180,
	NAMES_AT = 0x1C0,
	HEADERS_AT = 0x200
};

static unsigned char *header(struct image *image, unsigned i)
{
	return image->bytes + HEADERS_AT +
	       i * (image->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));
}

static void section(struct image *image, unsigned i, unsigned name, unsigned type, unsigned flags,
	uint64_t offset, uint64_t size)
{
	unsigned char *at = header(image, i);

	SET(image, at, Shdr, sh_name, name);
	SET(image, at, Shdr, sh_type, type);
	SET(image, at, Shdr, sh_flags, flags);
	SET(image, at, Shdr, sh_offset, offset);
	SET(image, at, Shdr, sh_size, size);
}

static void make_image(struct image *image, bool wide, bool big)
{
	static const char names[] = "\0.text\0.note.gnu.build-id\0.bss\0.debug\0.shstrtab";
	unsigned char *at = image->bytes;

	memset(image, 0, sizeof(*image));
	image->wide = wide;
	image->big = big;
	memcpy(at, ELFMAG, SELFMAG);
	at[EI_CLASS] = wide ? ELFCLASS64 : ELFCLASS32;
	at[EI_DATA] = big ? ELFDATA2MSB : ELFDATA2LSB;
	SET(image, at, Ehdr, e_type, ET_DYN);
	SET(image, at, Ehdr, e_machine, EM_X86_64);
	SET(image, at, Ehdr, e_shoff, HEADERS_AT);
	SET(image, at, Ehdr, e_shentsize, wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));
	SET(image, at, Ehdr, e_shnum, 6);
	SET(image, at, Ehdr, e_shstrndx, 5);
	memcpy(at + TEXT_AT, "machine code", 12);
	memcpy(at + NOTE_AT, "the build id", 12);
	memcpy(at + DEBUG_AT, "/home/a/path", 12);
	memcpy(at + NAMES_AT, names, sizeof(names));
	section(image, 1, 1, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT_AT, 12);
	section(image, 2, 7, SHT_NOTE, SHF_ALLOC, NOTE_AT, 12);
	section(image, 3, 26, SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 0xFFFFFFF, 0x7FFFFFFF);
	section(image, 4, 31, SHT_PROGBITS, 0, DEBUG_AT, 12);
	section(image, 5, 38, SHT_STRTAB, 0, NAMES_AT, sizeof(names));
	image->len = (size_t)(header(image, 6) - image->bytes);
}

static char *elf_path;

static struct digest code(const struct image *image)
{
	struct digest digest = {.hex = "old"};

	assert_int_equal(fs_write(elf_path, image->bytes, image->len, 0, &err), 0);
	if (digest_elf_code(elf_path, &digest, &err))
		fail_msg("%s", err.text);
	return digest;
}

static int elf_setup(void **state)
{
	char *root = scratch_new();

	*state = root;
	elf_path = path_join(root, "elf");
	return 0;
}

static int elf_teardown(void **state)
{
	scratch_free(*state);
	free(elf_path);
	return 0;
}

static void code_only(bool wide, bool big)
{
	struct image image;
	struct digest before;

	make_image(&image, wide, big);
	before = code(&image);
	assert_int_equal(strlen(before.hex), DIGEST_HEX - 1);
	image.bytes[NOTE_AT]++;
	image.bytes[DEBUG_AT]++;
	assert_string_equal(code(&image).hex, before.hex);
	image.bytes[TEXT_AT + 11]++;
	assert_string_not_equal(code(&image).hex, before.hex);
	image.bytes[TEXT_AT + 11]--;
	SET(&image, header(&image, 3), Shdr, sh_size, 8); /* of .bss: no bytes, but a size */
	assert_string_not_equal(code(&image).hex, before.hex);
	make_image(&image, wide, big);
	SET(&image, header(&image, 1), Shdr, sh_flags, SHF_ALLOC | SHF_WRITE);
	assert_string_not_equal(code(&image).hex, before.hex);
	make_image(&image, wide, big);
	image.bytes[NAMES_AT + 2] = 'T';
	assert_string_not_equal(code(&image).hex, before.hex);
}

static void elf_code(void **state)
{
	(void)state;
	code_only(true, false);
	code_only(true, true);
	code_only(false, false);
	code_only(false, true);
}

/* More sections than the header can count: the numbers stand in section 0. */
static void elf_extended_numbers(void **state)
{
	struct image image;
	struct digest before;

	(void)state;
	make_image(&image, true, false);
	before = code(&image);
	SET(&image, image.bytes, Ehdr, e_shnum, 0);
	SET(&image, image.bytes, Ehdr, e_shstrndx, SHN_XINDEX);
	SET(&image, header(&image, 0), Shdr, sh_size, 6);
	SET(&image, header(&image, 0), Shdr, sh_link, 5);
	assert_string_equal(code(&image).hex, before.hex);
}

static void no_code(const struct image *image)
{
	assert_string_equal(code(image).hex, "");
}

static void elf_damaged(void **state)
{
	for (int kind = 0; kind < 4; kind++) {
		bool wide = kind & 1, big = kind & 2;
		struct image image, good;

		(void)state;
		make_image(&good, wide, big);
#define DAMAGED(base, type, member, v) \
	do { \
		image = good; \
		SET(&image, base, type, member, v); \
		no_code(&image); \
	} while (0)
		DAMAGED(image.bytes, Ehdr, e_type, ET_REL);
		DAMAGED(image.bytes, Ehdr, e_shoff, 0);
		DAMAGED(image.bytes, Ehdr, e_shoff, UINT64_MAX);
		DAMAGED(image.bytes, Ehdr, e_shoff, good.len - 1);
		DAMAGED(image.bytes, Ehdr, e_shentsize, 1);
		DAMAGED(image.bytes, Ehdr, e_shentsize, 0xFFFF);
		DAMAGED(image.bytes, Ehdr, e_shnum, 7);
		DAMAGED(image.bytes, Ehdr, e_shnum, 0);
		DAMAGED(image.bytes, Ehdr, e_shnum, 1);
		DAMAGED(image.bytes, Ehdr, e_shstrndx, 6);
		DAMAGED(image.bytes, Ehdr, e_shstrndx, 1); /* no string table */
		DAMAGED(header(&image, 5), Shdr, sh_offset, UINT64_MAX);
		DAMAGED(header(&image, 5), Shdr, sh_size, UINT64_MAX);
		DAMAGED(header(&image, 1), Shdr, sh_name, 0xFFFFFFFF);
		DAMAGED(header(&image, 1), Shdr, sh_offset, UINT64_MAX);
		DAMAGED(header(&image, 1), Shdr, sh_size, UINT64_MAX);
		DAMAGED(header(&image, 1), Shdr, sh_flags, 0); /* only .bss is left */
#undef DAMAGED
		image = good;
		image.bytes[EI_CLASS] = 3;
		no_code(&image);
		image = good;
		image.bytes[EI_DATA] = 0;
		no_code(&image);
		for (size_t len = 0; len < good.len; len++) {
			image = good;
			image.len = len;
			no_code(&image);
		}
	}
}

/* Any bytes whatever: an answer, no crash (the sanitizers watch). */
static void elf_mutated(void **state)
{
	struct rng rng = rng_seeded(1);

	(void)state;
	for (int i = 0; i < 2000; i++) {
		struct image image;

		make_image(&image, i & 1, i & 2);
		for (int k = 0; k < 8; k++) {
			uint64_t at = rng_below(&rng, k & 1 ? image.len : 64);

			image.bytes[at] = k & 2 ? 0xFF : (unsigned char)rng_next(&rng);
		}
		code(&image);
	}
}

/* Sections that share the whole file's bytes would make the work quadratic. */
static void elf_overlapping(void **state)
{
	struct image image;

	(void)state;
	make_image(&image, true, false);
	section(&image, 1, 1, SHT_PROGBITS, SHF_ALLOC, 0, image.len - 1);
	assert_string_not_equal(code(&image).hex, "");
	section(&image, 4, 1, SHT_PROGBITS, SHF_ALLOC, 0, image.len - 1);
	no_code(&image);
}

static void elf_other_files(void **state)
{
	struct image text = {
		.bytes = "#!/bin/sh\necho no ELF file, but long enough for its header\n",
		.len = 60};
	struct digest digest;

	no_code(&text);
	text.len = 0;
	no_code(&text);
	assert_int_equal(digest_elf_code(*state, &digest, &err), 0); /* a folder */
	assert_string_equal(digest.hex, "");
	assert_int_equal(digest_elf_code("/no/such", &digest, &err), -1);
	assert_int_equal(err.code, E_MISSING);
	assert_int_equal(digest_elf_code("/proc/self/exe", &digest, &err), 0);
	assert_int_equal(strlen(digest.hex), DIGEST_HEX - 1);
}

#define ELF_TEST(f) cmocka_unit_test_setup_teardown(f, elf_setup, elf_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_answers),
		cmocka_unit_test(fields_do_not_run_together),
		cmocka_unit_test(form_of_fields),
		cmocka_unit_test(files),
		ELF_TEST(elf_code),
		ELF_TEST(elf_extended_numbers),
		ELF_TEST(elf_damaged),
		ELF_TEST(elf_mutated),
		ELF_TEST(elf_overlapping),
		ELF_TEST(elf_other_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
