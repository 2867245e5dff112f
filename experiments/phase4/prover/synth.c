/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "synth.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "circuit.h"

struct partition {
	uint8_t *message;
	size_t blocks;
	struct cs cs;
	/* found by the checks */
	size_t violation; /* number of the first constraint that fails, or how many there are */
	bool digest_ok;
	uint64_t checksum;
};

struct job {
	const struct synth_options *options;
	struct partition *partition;
	size_t iteration; /* from 1 */
	int64_t origin_ns;
	void (*work)(struct job *job, size_t partition, size_t worker);
	atomic_size_t next;
};

struct worker {
	struct job *job;
	size_t number;
	pthread_t thread;
};

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * (int64_t)1000000000 + t.tv_nsec;
}

static double seconds(int64_t ns)
{
	return (double)ns / 1e9;
}

/* splitmix64 (Steele, Lea, Flood 2014) */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static void fill_message(uint8_t *message, size_t len, uint64_t seed, size_t partition)
{
	uint64_t state = seed;

	state = next_random(&state) ^ partition;
	for (size_t i = 0; i < len; i++)
		message[i] = (uint8_t)next_random(&state);
}

/* TIMELINE,<ms since start>,<event>,<job>,worker=W,partition=P: one write each */
static void timeline(const struct job *job, const char *event, size_t partition, size_t worker)
{
	int64_t ms = (now_ns() - job->origin_ns) / 1000000;

	fprintf(stderr, "TIMELINE,%lld,%s,synth-%zu,worker=%zu,partition=%zu\n", (long long)ms,
		event, job->iteration, worker, partition);
}

/* The real prover's tracing writes: time, level, target, message, fields. */
static void trace_complete(size_t partition, int64_t ns, size_t constraints)
{
	struct timespec t;
	struct tm utc;
	char stamp[32];

	clock_gettime(CLOCK_REALTIME, &t);
	gmtime_r(&t.tv_sec, &utc);
	strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%S", &utc);
	printf("%s.%06ldZ  INFO prover::synth: partition synthesis complete "
	       "partition=%zu synth_ms=%lld num_constraints=%zu\n",
		stamp, t.tv_nsec / 1000, partition, (long long)(ns / 1000000), constraints);
	fflush(stdout);
}

static void synthesize(struct job *job, size_t i, size_t worker)
{
	struct partition *p = &job->partition[i];
	struct cs_hint hint = circuit_hint(p->blocks);

	timeline(job, "SYNTH_START", i, worker);
	int64_t start_ns = now_ns();
	cs_init(&p->cs, &hint, i == 0 ? job->options->corrupt : CS_NO_CORRUPTION);
	circuit_synthesize(&p->cs, p->message, p->blocks);
	int64_t taken_ns = now_ns() - start_ns;
	timeline(job, "SYNTH_END", i, worker);
	trace_complete(i, taken_ns, p->cs.a.len);
}

static void check(struct job *job, size_t i, size_t worker)
{
	struct partition *p = &job->partition[i];
	uint8_t digest[SHA256_DIGEST_BYTES];
	struct fr inputs[2];

	(void)worker;
	sha256(p->message, circuit_message_bytes(p->blocks), digest);
	circuit_pack_digest(digest, inputs);
	p->digest_ok = p->cs.inputs.len == CIRCUIT_INPUTS &&
		       fr_equal(&p->cs.inputs.at[1], &inputs[0]) &&
		       fr_equal(&p->cs.inputs.at[2], &inputs[1]);
	p->violation = cs_first_violation(&p->cs);
	p->checksum = cs_checksum(&p->cs);
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	size_t i;

	while ((i = atomic_fetch_add(&w->job->next, 1)) < w->job->options->partitions)
		w->job->work(w->job, i, w->number);
	return NULL;
}

/* Does the work for each partition on up to options->threads threads. */
static int for_all(struct job *job, void (*work)(struct job *, size_t, size_t))
{
	size_t wanted = job->options->threads < job->options->partitions ? job->options->threads
									 : job->options->partitions;
	struct worker *worker = mem_resize(NULL, wanted, sizeof(*worker));
	size_t started;
	int rc = 0;

	job->work = work;
	atomic_store(&job->next, 0);
	for (started = 0; started < wanted; started++) {
		worker[started] = (struct worker){.job = job, .number = started};
		rc = pthread_create(&worker[started].thread, NULL, worker_main, &worker[started]);
		if (rc) {
			fprintf(stderr, "prover: cannot start thread %zu: %s\n", started,
				strerror(rc));
			break;
		}
	}
	for (size_t i = 0; i < started; i++)
		pthread_join(worker[i].thread, NULL);
	free(worker);
	return rc ? -1 : 0;
}

static void prepare(struct job *job)
{
	const struct synth_options *o = job->options;

	for (size_t i = 0; i < o->partitions; i++) {
		size_t blocks = circuit_blocks(o->constraints);
		size_t len = circuit_message_bytes(blocks);

		job->partition[i] =
			(struct partition){.message = mem_resize(NULL, len, 1), .blocks = blocks};
		fill_message(job->partition[i].message, len, o->seed, i);
	}
}

static void release(struct job *job)
{
	for (size_t i = 0; i < job->options->partitions; i++) {
		free(job->partition[i].message);
		cs_release(&job->partition[i].cs);
	}
}

/* Prints the results of check(); *ret_checksum: over all partitions in order. */
static int judge(const struct job *job, uint64_t *ret_checksum)
{
	size_t corrupt = job->options->corrupt;
	size_t constraints = 0;
	uint64_t checksum = 0;

	if (corrupt != CS_NO_CORRUPTION && corrupt >= job->partition[0].cs.aux.len) {
		fprintf(stderr, "prover: there are only %zu variables to corrupt\n",
			job->partition[0].cs.aux.len);
		return -1;
	}
	for (size_t i = 0; i < job->options->partitions; i++) {
		const struct partition *p = &job->partition[i];

		if (p->violation < p->cs.a.len) {
			fprintf(stderr,
				"prover: the witness is wrong: partition %zu, constraint %zu does "
				"not hold\n",
				i, p->violation);
			return -1;
		}
		if (!p->digest_ok) {
			fprintf(stderr,
				"prover: the digest of partition %zu is not the SHA-256 of its "
				"message\n",
				i);
			return -1;
		}
		constraints += p->cs.a.len;
		checksum = (checksum << 1 | checksum >> 63) ^ p->checksum;
	}
	printf("witness verified: %zu constraints\n", constraints);
	printf("digest ok\n");
	*ret_checksum = checksum;
	return 0;
}

struct summary {
	double sum;
	double min;
};

static void summary_add(struct summary *s, size_t i, double x)
{
	s->sum += x;
	s->min = i == 1 || x < s->min ? x : s->min;
}

static int iterate(
	struct job *job, struct summary *wall, struct summary *synth, uint64_t *ret_checksum)
{
	size_t circuits = job->options->partitions;
	int64_t start_ns = now_ns();
	prepare(job);
	int64_t synth_ns = now_ns();
	int rc = for_all(job, synthesize);
	int64_t end_ns = now_ns();

	if (rc == 0) {
		printf("  [%zu] wall=%.4fs  synth=%.4fs  circuits=%zu  constraints=%zu\n",
			job->iteration, seconds(end_ns - start_ns), seconds(end_ns - synth_ns),
			circuits, job->partition[0].cs.a.len);
		fflush(stdout);
		summary_add(wall, job->iteration, seconds(end_ns - start_ns));
		summary_add(synth, job->iteration, seconds(end_ns - synth_ns));
		rc = for_all(job, check);
	}
	if (rc == 0)
		rc = judge(job, ret_checksum);
	release(job);
	return rc;
}

/* Which options this build has, from what it really does: for experiments that check it. */
static void print_build(void)
{
	struct cs_hint hint = circuit_hint(1);
	struct lc lc = lc_zero();
	struct cs cs;

	cs_init(&cs, &hint, CS_NO_CORRUPTION);
	printf("lists:      %zu inside, %zu bytes per combination\n",
		entries_capacity(&lc.aux.values), sizeof(lc));
	printf("outputs:    %s\n", cs.a.capacity ? "reserved" : "grown");
	cs_release(&cs);
}

int synth_run(const struct synth_options *o)
{
	struct job job = {.options = o, .origin_ns = now_ns()};
	struct summary wall = {0, 0};
	struct summary synth = {0, 0};
	uint64_t first = 0;
	int rc = 0;

	printf("=== Synthesis Microbenchmark ===\n");
	print_build();
	printf("partition:  all\n");
	printf("iterations: %zu\n\n", o->iterations);
	fflush(stdout);
	job.partition = mem_resize(NULL, o->partitions, sizeof(*job.partition));
	for (job.iteration = 1; rc == 0 && job.iteration <= o->iterations; job.iteration++) {
		uint64_t checksum = 0;

		rc = iterate(&job, &wall, &synth, &checksum);
		if (rc == 0 && job.iteration > 1 && checksum != first) {
			fprintf(stderr,
				"prover: iteration %zu gives other results than the first\n",
				job.iteration);
			rc = -1;
		}
		first = checksum;
	}
	free(job.partition);
	if (rc)
		return -1;
	if (o->iterations > 1) {
		double n = (double)o->iterations;

		printf("\n=== Summary (%zu iterations) ===\n", o->iterations);
		printf("wall:   avg=%.4fs  min=%.4fs\n", wall.sum / n, wall.min);
		printf("synth:  avg=%.4fs  min=%.4fs\n", synth.sum / n, synth.min);
	}
	printf("checksum: %016llx\n", (unsigned long long)first);
	return 0;
}
