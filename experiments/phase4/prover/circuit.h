/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The circuit of one partition: "I know a message whose SHA-256 is this". The message is private,
 * the digest public (two inputs); compressions are chained, one per 64-byte block.
 */
#ifndef PROVER_CIRCUIT_H
#define PROVER_CIRCUIT_H

#include "cs.h"
#include "sha256.h"

/* Inputs: one, and the digest in pieces of so many bits, which every scalar can hold. */
#define CIRCUIT_INPUTS 3
#define CIRCUIT_INPUT_BITS 254

/* How many blocks come near to so many constraints; at least 1. */
size_t circuit_blocks(size_t constraints);
/* The bytes of a message that fills so many blocks together with its padding. */
size_t circuit_message_bytes(size_t blocks);
struct cs_hint circuit_hint(size_t blocks);

/* Writes all constraints and the witness into cs, which is fresh, and closes it. */
void circuit_synthesize(struct cs *cs, const uint8_t *message, size_t blocks);

/* The public inputs 1 and 2 that a digest gives. */
void circuit_pack_digest(const uint8_t digest[SHA256_DIGEST_BYTES], struct fr ret_inputs[2]);

#endif
