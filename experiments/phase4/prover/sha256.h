/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Plain SHA-256 (FIPS 180-4): what the circuit's digest is checked against. It shares only the
 * constants with the circuit.
 */
#ifndef PROVER_SHA256_H
#define PROVER_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_BLOCK_BYTES 64
#define SHA256_DIGEST_BYTES 32
#define SHA256_PAD_BYTES 9 /* the least that padding adds: 0x80 and the length */

extern const uint32_t sha256_initial[8];
extern const uint32_t sha256_round[64];

void sha256(const uint8_t *message, size_t len, uint8_t ret_digest[SHA256_DIGEST_BYTES]);

#endif
