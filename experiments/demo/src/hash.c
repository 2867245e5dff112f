/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hash.h"

uint64_t hash_bytes(uint64_t hash, const uint8_t *byte, size_t count)
{
	for (size_t i = 0; i < count; i++)
		hash = (hash ^ byte[i]) * 0x100000001b3ULL;
	return hash;
}
