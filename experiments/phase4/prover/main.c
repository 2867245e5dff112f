/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "selftest.h"
#include "synth.h"

#define EXIT_USAGE 2

static const char help[] =
	"usage: prover synth [--partitions N] [--constraints M] [--threads T]\n"
	"                    [--iterations I] [--seed S]\n"
	"       prover selftest\n"
	"       prover --help\n"
	"\n"
	"A miniature of the synthesis of a Groth16 prover: for each partition the circuit of a\n"
	"chain of SHA-256 compressions over BLS12-381's scalar field is written down, evaluated\n"
	"and then checked: every constraint against the witness, every digest against a plain\n"
	"SHA-256.\n"
	"\n"
	"  --partitions N   circuits, each synthesized by one thread (10)\n"
	"  --constraints M  constraints per circuit, in whole SHA-256 blocks of about 27000 "
	"(270000)\n"
	"  --threads T      circuits that are synthesized at the same time (2)\n"
	"  --iterations I   repeat the whole synthesis (1)\n"
	"  --seed S         of the messages (1)\n"
	"\n"
	"Exit status: 0 all checks hold, 1 one does not, 2 wrong usage.\n";

__attribute__((format(printf, 1, 2))) static int usage_error(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "prover: ");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\nTry 'prover --help'.\n");
	return EXIT_USAGE;
}

/* A decimal number from least to most. */
static int parse_number(const char *text, unsigned long long least, unsigned long long most,
	unsigned long long *ret_number)
{
	char *end;

	if (*text < '0' || *text > '9')
		return -1;
	errno = 0;
	unsigned long long number = strtoull(text, &end, 10);
	if (errno || *end || number < least || number > most)
		return -1;
	*ret_number = number;
	return 0;
}

enum synth_flag {
	FLAG_PARTITIONS,
	FLAG_CONSTRAINTS,
	FLAG_THREADS,
	FLAG_ITERATIONS,
	FLAG_SEED,
	FLAG_CORRUPT,
	FLAG_COUNT,
};

static const struct {
	const char *name;
	unsigned long long least;
	unsigned long long most;
	unsigned long long normal;
} synth_flags[FLAG_COUNT] = {
	[FLAG_PARTITIONS] = {"partitions", 1, 1000, 10},
	[FLAG_CONSTRAINTS] = {"constraints", 1, 1000000000, 270000},
	[FLAG_THREADS] = {"threads", 1, 1000, 2},
	[FLAG_ITERATIONS] = {"iterations", 1, 1000000, 1},
	[FLAG_SEED] = {"seed", 0, UINT64_MAX, 1},
	/* Not in the help: falsifies one value of the witness, for tests of the checks. */
	[FLAG_CORRUPT] = {"corrupt", 0, SIZE_MAX - 1, SIZE_MAX},
};

static int command_synth(int argc, char **argv)
{
	unsigned long long value[FLAG_COUNT];
	struct option options[FLAG_COUNT + 2] = {0};
	int flag;

	for (int i = 0; i < FLAG_COUNT; i++) {
		options[i] = (struct option){synth_flags[i].name, required_argument, NULL, i};
		value[i] = synth_flags[i].normal;
	}
	options[FLAG_COUNT] = (struct option){"help", no_argument, NULL, 'h'};
	opterr = 0;
	while ((flag = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		if (flag == 'h') {
			fputs(help, stdout);
			return 0;
		}
		if (flag == ':')
			return usage_error("%s needs a value", argv[optind - 1]);
		if (flag == '?')
			return usage_error("unknown option '%s'", argv[optind - 1]);
		if (parse_number(optarg, synth_flags[flag].least, synth_flags[flag].most,
			    &value[flag]) < 0)
			return usage_error("--%s is a number from %llu to %llu, not '%s'",
				synth_flags[flag].name, synth_flags[flag].least,
				synth_flags[flag].most, optarg);
	}
	if (optind < argc)
		return usage_error("unexpected argument '%s'", argv[optind]);

	struct synth_options synth = {.partitions = value[FLAG_PARTITIONS],
		.constraints = value[FLAG_CONSTRAINTS],
		.threads = value[FLAG_THREADS],
		.iterations = value[FLAG_ITERATIONS],
		.seed = value[FLAG_SEED],
		.corrupt = value[FLAG_CORRUPT]};
	return synth_run(&synth) < 0 ? 1 : 0;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return usage_error("which command? synth or selftest");
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		fputs(help, stdout);
		return 0;
	}
	if (strcmp(argv[1], "synth") == 0)
		return command_synth(argc - 1, argv + 1);
	if (strcmp(argv[1], "selftest") == 0) {
		if (argc > 2)
			return usage_error("selftest takes no arguments");
		return selftest() < 0 ? 1 : 0;
	}
	return usage_error("unknown command '%s': synth or selftest", argv[1]);
}
