/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The code digest of an ELF file. Layouts and constants: System V ABI, edition 4.1, chapter 4 and
 * <elf.h>. The file is foreign: no offset or size in it is believed, nothing is allocated by one,
 * and fields are read byte by byte, in the file's own byte order.
 */
#include "config.h"

#include "core/base/digest.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK ((size_t)128 * 1024)

struct elf {
	int fd;
	uint64_t size;  /* of the file */
	bool wide, big; /* ELF64; most significant byte first */
	uint64_t sections_at, n_sections;
	size_t entry_size;
	uint64_t names_at, names_size; /* the string table of section names */
	uint64_t machine, entry;
};

struct section {
	uint32_t name, type;
	uint64_t flags, offset, size, link;
};

enum answer {
	YES,
	NO,
	FAILED
}; /* NO: damaged, or not what it should be; FAILED: errno */

static enum answer read_at(const struct elf *elf, uint64_t offset, void *to, size_t len)
{
	size_t done = 0;

	if (offset > elf->size || len > elf->size - offset)
		return NO;
	while (done < len) {
		ssize_t n = pread(elf->fd, (char *)to + done, len - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return FAILED;
		if (!n)
			return NO; /* became shorter meanwhile */
		done += (size_t)n;
	}
	return YES;
}

static uint64_t field(const struct elf *elf, const unsigned char *at, size_t len)
{
	uint64_t v = 0;

	for (size_t i = 0; i < len; i++)
		v = v << 8 | at[elf->big ? i : len - 1 - i];
	return v;
}

/* A member of the ELF64 or ELF32 form of a struct, by its own offset and size there. */
#define FIELD(elf, bytes, type, member) \
	((elf)->wide ? field((elf), (bytes) + offsetof(Elf64_##type, member), \
			       sizeof(((Elf64_##type *)0)->member)) \
		     : field((elf), (bytes) + offsetof(Elf32_##type, member), \
			       sizeof(((Elf32_##type *)0)->member)))

static enum answer read_section(const struct elf *elf, uint64_t i, struct section *ret)
{
	unsigned char bytes[sizeof(Elf64_Shdr)];
	size_t len = elf->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	enum answer answer = read_at(elf, elf->sections_at + i * elf->entry_size, bytes, len);

	if (answer != YES)
		return answer;
	ret->name = (uint32_t)FIELD(elf, bytes, Shdr, sh_name);
	ret->type = (uint32_t)FIELD(elf, bytes, Shdr, sh_type);
	ret->flags = FIELD(elf, bytes, Shdr, sh_flags);
	ret->offset = FIELD(elf, bytes, Shdr, sh_offset);
	ret->size = FIELD(elf, bytes, Shdr, sh_size);
	ret->link = FIELD(elf, bytes, Shdr, sh_link);
	return YES;
}

/* Finds the section headers and their names. Only programs and shared libraries have a code digest:
 * the code of an object file is not whole without its relocations. */
static enum answer open_elf(struct elf *elf)
{
	unsigned char bytes[sizeof(Elf64_Ehdr)];
	uint64_t type, names;
	struct section section;
	enum answer answer = read_at(elf, 0, bytes, EI_NIDENT);

	if (answer != YES || memcmp(bytes, ELFMAG, SELFMAG))
		return answer == YES ? NO : answer;
	elf->wide = bytes[EI_CLASS] == ELFCLASS64;
	elf->big = bytes[EI_DATA] == ELFDATA2MSB;
	if ((!elf->wide && bytes[EI_CLASS] != ELFCLASS32) ||
		(!elf->big && bytes[EI_DATA] != ELFDATA2LSB))
		return NO;
	answer = read_at(elf, 0, bytes, elf->wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr));
	if (answer != YES)
		return answer;
	type = FIELD(elf, bytes, Ehdr, e_type);
	elf->sections_at = FIELD(elf, bytes, Ehdr, e_shoff);
	elf->n_sections = FIELD(elf, bytes, Ehdr, e_shnum);
	elf->entry_size = FIELD(elf, bytes, Ehdr, e_shentsize);
	elf->machine = FIELD(elf, bytes, Ehdr, e_machine);
	elf->entry = FIELD(elf, bytes, Ehdr, e_entry);
	names = FIELD(elf, bytes, Ehdr, e_shstrndx);
	if ((type != ET_EXEC && type != ET_DYN) || !elf->sections_at ||
		elf->sections_at > elf->size ||
		elf->entry_size < (elf->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr)))
		return NO;
	/* Numbers that do not fit the header stand in section 0. */
	if (!elf->n_sections || names == SHN_XINDEX) {
		answer = read_section(elf, 0, &section);
		if (answer != YES)
			return answer;
		if (!elf->n_sections)
			elf->n_sections = section.size;
		if (names == SHN_XINDEX)
			names = section.link;
	}
	if (elf->n_sections > (elf->size - elf->sections_at) / elf->entry_size ||
		names >= elf->n_sections)
		return NO;
	answer = read_section(elf, names, &section);
	if (answer != YES)
		return answer;
	if (section.type != SHT_STRTAB || section.offset > elf->size ||
		section.size > elf->size - section.offset)
		return NO;
	elf->names_at = section.offset;
	elf->names_size = section.size;
	return YES;
}

/* Names are cut at size - 1 bytes: enough to tell sections apart. */
static enum answer read_name(const struct elf *elf, uint32_t at, char *to, size_t size)
{
	size_t len = size - 1;
	enum answer answer;

	if (at >= elf->names_size)
		return NO;
	if (len > elf->names_size - at)
		len = (size_t)(elf->names_size - at);
	answer = read_at(elf, elf->names_at + at, to, len);
	to[len] = '\0';
	return answer;
}

static enum answer add_content(
	const struct elf *elf, struct digest_ctx *ctx, const struct section *section, char *block)
{
	uint64_t left = section->size, at = section->offset;

	while (left) {
		size_t n = left < BLOCK ? (size_t)left : BLOCK;
		enum answer answer = read_at(elf, at, block, n);

		if (answer != YES)
			return answer;
		digest_add(ctx, block, n);
		at += n;
		left -= n;
	}
	return YES;
}

static enum answer add_sections(const struct elf *elf, struct digest_ctx *ctx, char *block)
{
	uint64_t room = elf->size; /* sections do not overlap: together they fit into the file */
	bool any = false;

	digest_field_int(ctx, "kind", elf->wide << 1 | elf->big);
	digest_field_int(ctx, "machine", (int64_t)elf->machine);
	digest_field_int(ctx, "entry", (int64_t)elf->entry);
	for (uint64_t i = 1; i < elf->n_sections; i++) {
		struct section section;
		char name[256];
		enum answer answer = read_section(elf, i, &section);

		if (answer == YES && !(section.flags & SHF_ALLOC))
			continue;
		if (answer == YES)
			answer = read_name(elf, section.name, name, sizeof(name));
		if (answer != YES)
			return answer;
		if (!strcmp(name, ".note.gnu.build-id"))
			continue;
		digest_field(ctx, "section", name);
		digest_field_int(ctx, "flags", (int64_t)section.flags);
		digest_field_int(ctx, "size", (int64_t)section.size);
		if (section.type == SHT_NOBITS)
			continue;
		if (section.size > room)
			return NO;
		room -= section.size;
		answer = add_content(elf, ctx, &section, block);
		if (answer != YES)
			return answer;
		any = true;
	}
	return any ? YES : NO;
}

int digest_elf_code(const char *path, struct digest *ret, struct err *err)
{
	CLEANUP(digest_freep) struct digest_ctx *ctx = digest_new();
	AUTOFREE char *block = xmalloc(BLOCK);
	AUTOCLOSE int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct elf elf = {.fd = fd};
	enum answer answer = NO;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return err_sys(err, E_MISSING, errno, "cannot read '%s'", path);
	if (S_ISREG(st.st_mode)) {
		elf.size = (uint64_t)st.st_size;
		answer = open_elf(&elf);
	}
	if (answer == YES)
		answer = add_sections(&elf, ctx, block);
	if (answer == FAILED)
		return err_sys(err, E_SYSTEM, errno, "cannot read '%s'", path);
	if (answer == YES)
		*ret = digest_end(ctx);
	else
		*ret = (struct digest){.hex = ""};
	return 0;
}
