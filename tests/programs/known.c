/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program that does what it is told and says by its own clocks what that took:
 *
 *	known WORD...	cpu=MS child=MS orphan=MS rss=MIB naps=N begin=NAME end=NAME say=TEXT
 *
 * Its last line is "known: key=value ..." from getrusage and CLOCK_MONOTONIC.
 */
#include "config.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void burn(long long ms)
{
	long long until = now(CLOCK_PROCESS_CPUTIME_ID) + ms * 1000000;
	volatile unsigned sink = 0;

	while (now(CLOCK_PROCESS_CPUTIME_ID) < until)
		for (int i = 0; i < 20000; i++)
			sink += (unsigned)i;
}

static void child(long long ms)
{
	pid_t pid = fork();

	if (!pid) {
		burn(ms);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

/* Works, and is still there when its parent is gone. */
static void orphan(long long ms)
{
	int done[2];
	char c;

	if (pipe(done))
		exit(1);
	if (!fork()) {
		setsid();
		burn(ms);
		if (write(done[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	if (read(done[0], &c, 1) != 1)
		exit(1);
}

static void touch(long long mib)
{
	size_t size = (size_t)mib << 20;
	volatile char *p = malloc(size);

	for (size_t i = 0; p && i < size; i += 512)
		p[i] = 1;
}

static void nap(long long times)
{
	const struct timespec ms = {0, 1000000};

	while (times-- > 0)
		nanosleep(&ms, NULL);
}

static double seconds(struct timeval a, struct timeval b)
{
	return (double)(a.tv_sec + b.tv_sec) + (double)(a.tv_usec + b.tv_usec) / 1e6;
}

int main(int argc, char **argv)
{
	long long start = now(CLOCK_MONOTONIC);
	struct rusage own, children;

	for (int i = 1; i < argc; i++) {
		const char *value = strchr(argv[i], '=');
		size_t len = value ? (size_t)(value - argv[i]) : 0;
		long long n = value ? atoll(++value) : 0;

		if (!strncmp(argv[i], "cpu", len))
			burn(n);
		else if (!strncmp(argv[i], "child", len))
			child(n);
		else if (!strncmp(argv[i], "orphan", len))
			orphan(n);
		else if (!strncmp(argv[i], "rss", len))
			touch(n);
		else if (!strncmp(argv[i], "naps", len))
			nap(n);
		else if (!strncmp(argv[i], "say", len))
			printf("%s\n", value);
		else
			printf("%.*s %s at=%lld\n", (int)len, argv[i], value, now(CLOCK_MONOTONIC));
		fflush(stdout);
	}
	getrusage(RUSAGE_SELF, &own);
	getrusage(RUSAGE_CHILDREN, &children);
	printf("known: user=%.6f sys=%.6f rss=%ld faults=%ld naps=%ld start=%lld end=%lld\n",
		seconds(own.ru_utime, children.ru_utime), seconds(own.ru_stime, children.ru_stime),
		own.ru_maxrss > children.ru_maxrss ? own.ru_maxrss : children.ru_maxrss,
		own.ru_minflt + children.ru_minflt, own.ru_nvcsw + children.ru_nvcsw, start,
		now(CLOCK_MONOTONIC));
	return 0;
}
