/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>

#include "bit.h"
#include "circuit.h"
#include "selftest.h"
#include "word.h"

/* FIPS 180-4 examples and the length at which padding needs a block more. */
static bool sha256_known_answers(void)
{
	static const struct {
		const char *message;
		const char *digest;
	} known[] = {
		{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
			"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
		{"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopq"
		 "klmnopqrlmnopqrsmnopqrstnopqrstu",
			"cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		uint8_t digest[SHA256_DIGEST_BYTES];
		char hex[2 * SHA256_DIGEST_BYTES + 1];

		sha256((const uint8_t *)known[i].message, strlen(known[i].message), digest);
		for (size_t k = 0; k < sizeof(digest); k++)
			snprintf(hex + 2 * k, 3, "%02x", digest[k]);
		EXPECT(strcmp(hex, known[i].digest) == 0, "SHA-256 of \"%s\"", known[i].message);
	}
	return true;
}

/* x of the given kind: 0, 1 constants; 2, 3 variables; 4, 5 negated variables; even is false. */
static struct bit make_bit(struct cs *cs, int kind)
{
	bool value = kind & 1;

	if (kind < 2)
		return bit_constant(value);
	return kind < 4 ? bit_alloc(cs, value) : bit_not(bit_alloc(cs, !value));
}

/* The variable behind a bit has its value, and all constraints so far hold. */
static bool bit_is(const struct cs *cs, struct bit x, bool want)
{
	if (x.value != want || cs_first_violation(cs) != cs->a.len)
		return false;
	if (x.kind == BIT_CONSTANT)
		return true;
	struct fr value = (x.kind == BIT_IS) == want ? FR_ONE : FR_ZERO;
	return fr_equal(&cs->aux.at[x.var.index], &value);
}

static bool bit_operations(void)
{
	struct cs_hint hint = circuit_hint(1);

	for (int i = 0; i < 6 * 6 * 6; i++) {
		struct cs cs;
		cs_init(&cs, &hint, CS_NO_CORRUPTION);
		struct bit x = make_bit(&cs, i % 6);
		struct bit y = make_bit(&cs, i / 6 % 6);
		struct bit z = make_bit(&cs, i / 36);
		bool vx = x.value, vy = y.value, vz = z.value;
		struct bit xor = bit_xor(&cs, x, y);
		struct bit and = bit_and(&cs, x, y);
		struct bit choose = bit_choose(&cs, x, y, z);
		struct bit majority = bit_majority(&cs, x, y, z);

		EXPECT(bit_is(&cs, xor, vx != vy), "case %d", i);
		EXPECT(bit_is(&cs, and, vx && vy), "case %d", i);
		EXPECT(bit_is(&cs, choose, vx ? vy : vz), "case %d", i);
		EXPECT(bit_is(&cs, majority, vx + vy + vz >= 2), "case %d", i);
		cs_release(&cs);
	}
	return true;
}

/* An honest witness satisfies too weak constraints as well: look at the constraints themselves. */
static bool constraints(void)
{
	const struct fr one = FR_ONE;
	struct cs_hint hint = circuit_hint(1);
	struct multieq eq;
	struct cs cs;

	cs_init(&cs, &hint, CS_NO_CORRUPTION);
	for (size_t i = 0; i < 2; i++) {
		bit_alloc(&cs, i);
		EXPECT(fr_equal(&cs.a.at[i], i ? &cs.c.at[i] : &one) &&
				fr_equal(&cs.b.at[i], i ? &one : &cs.c.at[i]) &&
				fr_is_zero(&cs.c.at[i]),
			"(1 - x) * x = 0 for x = %zu", i);
	}
	struct lc x = lc_from((struct var){VAR_AUX, 1}, &one);
	multieq_init(&eq, &cs);
	multieq_equal(&eq, 126, &x, &x);
	multieq_equal(&eq, 127, &x, &x);
	EXPECT(cs.a.len == 2, "equations of 253 bits fit together");
	multieq_equal(&eq, 1, &x, &x);
	EXPECT(cs.a.len == 3, "254 bits could exceed the field");
	multieq_release(&eq);
	lc_free(&x);
	struct fr both = fr_power_of_two(126);
	both = fr_add(&both, &one);
	EXPECT(cs.a.len == 4 && fr_equal(&cs.a.at[2], &both) && fr_equal(&cs.b.at[2], &one) &&
			fr_equal(&cs.c.at[2], &both),
		"equations are packed beside each other");
	cs_release(&cs);
	return true;
}

static bool word_sums(void)
{
	static const uint32_t values[] = {0, 1, 0x80000000, 0xffffffff, 0x12345678, 0xffffffff,
		0xdeadbeef, 7, 0xffffffff, 0xffffffff};
	struct cs_hint hint = circuit_hint(1);
	struct cs cs;
	struct multieq eq;
	uint32_t want = values[0];
	struct word_sum sum = {.terms = 0};
	struct word first = word_constant(values[0]);

	cs_init(&cs, &hint, CS_NO_CORRUPTION);
	multieq_init(&eq, &cs);
	word_sum_add(&sum, &first);
	for (int i = 1; i < WORD_SUM_MAX; i++) {
		struct word next = i % 3 ? word_alloc(&cs, values[i]) : word_constant(values[i]);

		word_sum_add(&sum, &next);
		want += values[i];
		struct word result = word_sum_compute(&eq, &sum);
		EXPECT(result.value == want, "%u terms: %#x", sum.terms, result.value);
		for (unsigned k = 0; k < 32; k++)
			EXPECT(bit_is(&cs, result.bit[k], want >> k & 1), "bit %u", k);
	}
	multieq_release(&eq);
	EXPECT(cs_first_violation(&cs) == cs.a.len, "a packed equation does not hold");
	cs_release(&cs);
	return true;
}

static struct cs synthesize(const uint8_t *message, size_t blocks, size_t corrupt)
{
	struct cs_hint hint = circuit_hint(blocks);
	struct cs cs;

	cs_init(&cs, &hint, corrupt);
	circuit_synthesize(&cs, message, blocks);
	return cs;
}

static bool chain(size_t blocks)
{
	uint8_t message[3 * SHA256_BLOCK_BYTES];
	uint8_t digest[SHA256_DIGEST_BYTES];
	struct fr inputs[2];
	struct cs_hint hint = circuit_hint(blocks);
	size_t len = circuit_message_bytes(blocks);

	for (size_t i = 0; i < len; i++)
		message[i] = (uint8_t)(i * 37 + blocks);
	struct cs cs = synthesize(message, blocks, CS_NO_CORRUPTION);
	sha256(message, len, digest);
	circuit_pack_digest(digest, inputs);
	EXPECT(cs_first_violation(&cs) == cs.a.len, "%zu blocks", blocks);
	EXPECT(cs.inputs.len == CIRCUIT_INPUTS && fr_equal(&cs.inputs.at[1], &inputs[0]) &&
			fr_equal(&cs.inputs.at[2], &inputs[1]),
		"the digest of %zu blocks", blocks);
	EXPECT(cs.a.len <= hint.constraints && cs.a.len >= hint.constraints * 9 / 10,
		"%zu blocks have %zu constraints, the hint says %zu", blocks, cs.a.len,
		hint.constraints);
	EXPECT(cs.aux.len <= hint.aux && cs.aux.len >= hint.aux * 9 / 10,
		"%zu blocks have %zu variables, the hint says %zu", blocks, cs.aux.len, hint.aux);
	EXPECT(cs.a_aux.bits == cs.aux.len && cs.a_aux.used <= cs.aux.len, "density");
	cs_release(&cs);
	return true;
}

/* A wrong value anywhere in the witness breaks a constraint. */
static bool corruption(void)
{
	uint8_t message[SHA256_BLOCK_BYTES] = "a wrong value anywhere in the witness";
	struct cs cs = synthesize(message, 1, CS_NO_CORRUPTION);
	size_t variables = cs.aux.len;

	cs_release(&cs);
	for (size_t k = 0; k < 40; k++) {
		size_t wrong = k < 39 ? k * k * (variables / (39 * 39)) : variables - 1;

		cs = synthesize(message, 1, wrong);
		EXPECT(cs_first_violation(&cs) < cs.a.len, "variable %zu of %zu may be anything",
			wrong, variables);
		cs_release(&cs);
	}
	return true;
}

bool selftest_circuit(void)
{
	EXPECT(circuit_blocks(1) == 1 && circuit_blocks(162000) == 6, "sizes");
	return sha256_known_answers() && bit_operations() && constraints() && word_sums() &&
	       chain(1) && chain(2) && chain(3) && corruption();
}
