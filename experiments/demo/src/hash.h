/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * FNV-1a, 64 bits: hash = (hash ^ byte) * prime for each byte. Each step waits for the one before,
 * so the time per byte is a property of the processor and not of where the loop happens to lie.
 */
#ifndef DEMO_HASH_H
#define DEMO_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START 0xcbf29ce484222325ULL

uint64_t hash_bytes(uint64_t hash, const uint8_t *byte, size_t count);

#endif
