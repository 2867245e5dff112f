/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/rng.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* SplitMix64 (Steele, Lea, Flood 2014; constants of Vigna's public-domain splitmix64.c). */
static uint64_t splitmix(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

struct rng rng_seeded(uint64_t seed)
{
	struct rng rng;

	for (size_t i = 0; i < ARRAY_SIZE(rng.s); i++)
		rng.s[i] = splitmix(&seed);
	return rng;
}

struct rng rng_derived(uint64_t seed, const char *label, uint64_t index)
{
	uint64_t state = seed, mixed;

	/* Each part passes the mixer before the next one enters, so that no two of (seed, label,
	 * index) can cancel out; the length ends the label. */
	mixed = splitmix(&state);
	for (const char *p = label; *p; p++) {
		state = mixed ^ (unsigned char)*p;
		mixed = splitmix(&state);
	}
	state = mixed ^ strlen(label);
	mixed = splitmix(&state);
	state = mixed ^ index;
	return rng_seeded(splitmix(&state));
}

static uint64_t rotl(uint64_t x, int k)
{
	return x << k | x >> (64 - k);
}

/* xoshiro256** 1.0 (Blackman and Vigna 2018, public domain). */
uint64_t rng_next(struct rng *rng)
{
	uint64_t *s = rng->s, result = rotl(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotl(s[3], 45);
	return result;
}

uint64_t rng_below(struct rng *rng, uint64_t n)
{
	uint64_t rest = (0 - n) % n, x; /* 2^64 mod n: that many values would be too many */

	do {
		x = rng_next(rng);
	} while (x < rest);
	return x % n;
}

double rng_uniform(struct rng *rng)
{
	return (double)(rng_next(rng) >> 11) * 0x1p-53;
}

/* Marsaglia's polar method; the second number is dropped, so that the state is the stream's only.
 */
double rng_normal(struct rng *rng)
{
	double u, v, s;

	do {
		u = 2 * rng_uniform(rng) - 1;
		v = 2 * rng_uniform(rng) - 1;
		s = u * u + v * v;
	} while (s >= 1 || s == 0);
	return u * sqrt(-2 * log(s) / s);
}

double rng_exponential(struct rng *rng)
{
	return -log1p(-rng_uniform(rng));
}

void rng_shuffle(struct rng *rng, size_t *items, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		size_t j = (size_t)rng_below(rng, i), item = items[i - 1];

		items[i - 1] = items[j];
		items[j] = item;
	}
}

static void random_bytes(void *to, size_t len)
{
	char *p = to;

	while (len) {
		ssize_t n = getrandom(p, len, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			abort(); /* no kernel that assay runs on lacks it */
		p += n;
		len -= (size_t)n;
	}
}

uint64_t rng_random_seed(void)
{
	uint64_t seed;

	random_bytes(&seed, sizeof(seed));
	return seed;
}

void rng_random_uid(char to[33])
{
	static const char hex[] = "0123456789abcdef";
	unsigned char bytes[16];

	random_bytes(bytes, sizeof(bytes));
	for (size_t i = 0; i < sizeof(bytes); i++) {
		to[2 * i] = hex[bytes[i] >> 4];
		to[2 * i + 1] = hex[bytes[i] & 15];
	}
	to[32] = '\0';
}
