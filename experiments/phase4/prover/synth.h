/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The synthesis of all partitions, several times over, with the reports that the real prover's
 * benchmark gives, so that one log parser reads both.
 */
#ifndef PROVER_SYNTH_H
#define PROVER_SYNTH_H

#include <stddef.h>
#include <stdint.h>

struct synth_options {
	size_t partitions;  /* circuits; each is synthesized by one thread from begin to end */
	size_t constraints; /* wanted per circuit; rounded to whole SHA-256 blocks */
	size_t threads;     /* so many circuits at a time */
	size_t iterations;
	uint64_t seed;  /* of the messages */
	size_t corrupt; /* number of a witness variable of partition 0 to falsify, or SIZE_MAX */
};

/*
 * Prints, on stdout, one line per iteration and the results of the checks, which come after the
 * timed phase; on stderr the TIMELINE. Returns 0, or -1 after a message when a constraint does
 * not hold, a digest is wrong, iterations differ or no thread can be had.
 */
int synth_run(const struct synth_options *options);

#endif
