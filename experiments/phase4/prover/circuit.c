/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "circuit.h"

#include "word.h"

/*
 * What one block costs at most: its 512 message bits and one compression. The first and the last
 * block are a little cheaper, since they mix in constants; selftest compares with real counts.
 */
#define BLOCK_CONSTRAINTS 27000
#define BLOCK_AUX 27000

size_t circuit_blocks(size_t constraints)
{
	size_t blocks = (constraints + BLOCK_CONSTRAINTS / 2) / BLOCK_CONSTRAINTS;

	return blocks ? blocks : 1;
}

size_t circuit_message_bytes(size_t blocks)
{
	return blocks * SHA256_BLOCK_BYTES - SHA256_PAD_BYTES;
}

struct cs_hint circuit_hint(size_t blocks)
{
	return (struct cs_hint){.constraints = blocks * BLOCK_CONSTRAINTS,
		.inputs = CIRCUIT_INPUTS,
		.aux = blocks * BLOCK_AUX};
}

/* x >>> p ^ x >>> q ^ (x >>> r or x >> r) */
static struct word sigma(
	struct cs *cs, const struct word *x, unsigned p, unsigned q, struct word third)
{
	struct word first = word_rotate_right(x, p);
	struct word second = word_rotate_right(x, q);

	first = word_xor(cs, &first, &second);
	return word_xor(cs, &first, &third);
}

static void schedule(struct multieq *eq, struct word w[64])
{
	for (int i = 16; i < 64; i++) {
		struct word s0 = sigma(eq->cs, &w[i - 15], 7, 18, word_shift_right(&w[i - 15], 3));
		struct word s1 = sigma(eq->cs, &w[i - 2], 17, 19, word_shift_right(&w[i - 2], 10));
		struct word_sum sum = {.terms = 0};

		word_sum_add(&sum, &w[i - 16]);
		word_sum_add(&sum, &s0);
		word_sum_add(&sum, &w[i - 7]);
		word_sum_add(&sum, &s1);
		w[i] = word_sum_compute(eq, &sum);
	}
}

/*
 * One compression. The new a and e of a round stay open sums until the next round needs them, so
 * that the last ones take in the old state as a further term instead of an addition of their own.
 */
static void compress(struct cs *cs, struct word state[8], struct word w[64])
{
	struct multieq eq;
	struct word s[8];
	struct word_sum open_a = {.terms = 0};
	struct word_sum open_e = {.terms = 0};

	multieq_init(&eq, cs);
	schedule(&eq, w);
	memcpy(s, state, sizeof(s));
	for (int i = 0; i < 64; i++) {
		if (i > 0) {
			s[4] = word_sum_compute(&eq, &open_e);
			s[0] = word_sum_compute(&eq, &open_a);
		}
		struct word s1 = sigma(cs, &s[4], 6, 11, word_rotate_right(&s[4], 25));
		struct word choose = word_choose(cs, &s[4], &s[5], &s[6]);
		struct word s0 = sigma(cs, &s[0], 2, 13, word_rotate_right(&s[0], 22));
		struct word majority = word_majority(cs, &s[0], &s[1], &s[2]);
		struct word round = word_constant(sha256_round[i]);
		struct word_sum t1 = {.terms = 0};

		word_sum_add(&t1, &s[7]);
		word_sum_add(&t1, &s1);
		word_sum_add(&t1, &choose);
		word_sum_add(&t1, &round);
		word_sum_add(&t1, &w[i]);
		open_e = t1;
		word_sum_add(&open_e, &s[3]);
		open_a = t1;
		word_sum_add(&open_a, &s0);
		word_sum_add(&open_a, &majority);
		for (int k = 7; k > 0; k--)
			s[k] = s[k - 1];
	}
	for (int k = 0; k < 8; k++) {
		struct word_sum sum = {.terms = 0};

		if (k == 0)
			sum = open_a;
		else if (k == 4)
			sum = open_e;
		else
			word_sum_add(&sum, &s[k]);
		word_sum_add(&sum, &state[k]);
		state[k] = word_sum_compute(&eq, &sum);
	}
	multieq_release(&eq);
}

/* Byte i of message and padding together; *ret_constant: it is padding, the same for all. */
static uint8_t padded_byte(const uint8_t *message, size_t blocks, size_t i, bool *ret_constant)
{
	size_t len = circuit_message_bytes(blocks);
	size_t end = blocks * SHA256_BLOCK_BYTES;

	*ret_constant = i >= len;
	if (i < len)
		return message[i];
	return i == len ? 0x80 : (uint8_t)((uint64_t)len * 8 >> 8 * (end - 1 - i));
}

/* The words are big-endian, their bits are kept with the least significant first. */
static struct word message_word(struct cs *cs, const uint8_t *message, size_t blocks, size_t at)
{
	struct word w = {.value = 0};

	for (unsigned k = 0; k < 4; k++) {
		bool constant;
		uint8_t byte = padded_byte(message, blocks, at + k, &constant);
		unsigned low = 8 * (3 - k);

		for (unsigned i = 0; i < 8; i++) {
			bool value = byte >> i & 1;

			w.bit[low + i] = constant ? bit_constant(value) : bit_alloc(cs, value);
		}
		w.value |= (uint32_t)byte << low;
	}
	return w;
}

/* Bit i of a digest in the order in which it is packed: the most significant of each byte first. */
static struct bit digest_bit(const struct word state[8], unsigned i)
{
	return state[i / 32].bit[31 - i % 32];
}

/* One public input per piece of the digest, bound to its bits by a constraint. */
static void expose_digest(struct cs *cs, const struct word state[8])
{
	for (unsigned start = 0; start < 256; start += CIRCUIT_INPUT_BITS) {
		struct lc bits = lc_zero();
		struct fr value = FR_ZERO;
		struct fr coeff = FR_ONE;

		for (unsigned i = start; i < 256 && i < start + CIRCUIT_INPUT_BITS; i++) {
			struct bit x = digest_bit(state, i);

			bits = bit_add_to(bits, x, coeff);
			if (x.value)
				value = fr_add(&value, &coeff);
			coeff = fr_double(&coeff);
		}
		struct var input = cs_alloc_input(cs, value);

		cs_enforce(cs, bits, lc_add_var(lc_zero(), VAR_ONE), lc_add_var(lc_zero(), input));
	}
}

void circuit_synthesize(struct cs *cs, const uint8_t *message, size_t blocks)
{
	struct word state[8];
	struct word w[64];

	for (int k = 0; k < 8; k++)
		state[k] = word_constant(sha256_initial[k]);
	for (size_t block = 0; block < blocks; block++) {
		for (size_t i = 0; i < 16; i++)
			w[i] = message_word(
				cs, message, blocks, block * SHA256_BLOCK_BYTES + 4 * i);
		compress(cs, state, w);
	}
	expose_digest(cs, state);
	cs_close(cs);
}

void circuit_pack_digest(const uint8_t digest[SHA256_DIGEST_BYTES], struct fr ret_inputs[2])
{
	for (unsigned piece = 0; piece < 2; piece++) {
		struct fr value = FR_ZERO;
		struct fr coeff = FR_ONE;
		unsigned start = piece * CIRCUIT_INPUT_BITS;

		for (unsigned i = start; i < 256 && i < start + CIRCUIT_INPUT_BITS; i++) {
			if (digest[i / 8] >> (7 - i % 8) & 1)
				value = fr_add(&value, &coeff);
			coeff = fr_double(&coeff);
		}
		ret_inputs[piece] = value;
	}
}
