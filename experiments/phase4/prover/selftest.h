/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Known answers and properties of every part, in the build at hand. */
#ifndef PROVER_SELFTEST_H
#define PROVER_SELFTEST_H

#include <stdbool.h>

/* Runs all tests; prints one line per test and 0, or -1 when one failed. */
int selftest(void);

/* One test: false after a message on stderr. */
bool selftest_fr(void);
bool selftest_lc(void);
bool selftest_circuit(void);

/* In a test: leaves it with a message when the condition does not hold. */
#define EXPECT(condition, ...) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "prover: selftest: %s:%d: %s: ", __FILE__, __LINE__, \
				#condition); \
			fprintf(stderr, __VA_ARGS__); \
			fputc('\n', stderr); \
			return false; \
		} \
	} while (0)

#endif
