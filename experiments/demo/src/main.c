/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Takes the fingerprint of a long stream of bytes that repeats after a page. */
#include <stdio.h>
#include <stdlib.h>

#include "hash.h"

#define PAGE_BYTES 65536
#define PAGES 2400

/* 1: take the fingerprint of each sixth page twice and compare. Costs a sixth of the time. */
#ifndef STRICT
#define STRICT 0
#endif
#define STRICT_EVERY 6

/* 2: another word in the output, and nothing else. */
#ifndef GREETING
#define GREETING 1
#endif

static void fill_page(uint8_t page[PAGE_BYTES])
{
	uint32_t x = 1;

	for (size_t i = 0; i < PAGE_BYTES; i++) {
		x = x * 1664525 + 1013904223; /* Numerical Recipes, ranqd1 */
		page[i] = (uint8_t)(x >> 24);
	}
}

int main(void)
{
	const char *label = getenv("DEMO_LABEL");
	uint64_t hash = HASH_START;
	int compared = 0;
	uint8_t page[PAGE_BYTES];

	printf("%s, %s\n", GREETING == 1 ? "Hello" : "Salut", label ? label : "world");
	fill_page(page);
	for (int i = 0; i < PAGES; i++) {
		uint64_t before = hash;

		hash = hash_bytes(before, page, PAGE_BYTES);
		if (STRICT && i % STRICT_EVERY == 0) {
			if (hash_bytes(before, page, PAGE_BYTES) != hash) {
				fprintf(stderr, "demo: page %d has two fingerprints\n", i);
				return 1;
			}
			compared++;
		}
	}
	printf("fingerprint: %016llx\n", (unsigned long long)hash);
	printf("pages: %d, compared: %d\n", PAGES, compared);
	return 0;
}
