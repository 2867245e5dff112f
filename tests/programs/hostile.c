/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program that does one thing, good or bad, that programs do to those who run them:
 *
 *	hostile WORD [ARG...]      see the table at the end
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int do_exit(char **args)
{
	return atoi(args[0]);
}

static int do_crash(char **args)
{
	(void)args;
	signal(SIGSEGV, SIG_DFL);
	fprintf(stderr, "about to crash\n");
	raise(SIGSEGV);
	return 0;
}

static void pause_for_ever(void)
{
	for (;;)
		pause();
}

/* deaf: ignores SIGTERM */
static int do_hang(char **args)
{
	if (args[0] && strcmp(args[0], "deaf") == 0)
		signal(SIGTERM, SIG_IGN);
	printf("hanging\n");
	fflush(stdout);
	pause_for_ever();
	return 0;
}

static void leave_politely(int sig)
{
	(void)sig;
	_exit(7);
}

static int do_polite(char **args)
{
	(void)args;
	signal(SIGTERM, leave_politely);
	printf("ready\n");
	fflush(stdout);
	pause_for_ever();
	return 0;
}

/* N MiB of numbered 16-byte lines on each stream, in turn */
static int do_flood(char **args)
{
	unsigned int lines = (unsigned int)atol(args[0]) * 65536;
	static char block[2][16 * 1024 + 1];

	for (unsigned int i = 0; i < lines;) {
		for (size_t at = 0; at < 16 * 1024; at += 16, i++) {
			snprintf(block[0] + at, 17, "out %11u\n", i);
			snprintf(block[1] + at, 17, "err %11u\n", i);
		}
		for (int s = 0; s < 2; s++)
			for (size_t done = 0; done < 16 * 1024;) {
				ssize_t n = write(1 + s, block[s] + done, 16 * 1024 - done);

				if (n < 0)
					return 9;
				done += (size_t)n;
			}
	}
	return 0;
}

static void burn(double seconds)
{
	struct timespec t;

	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	while ((double)t.tv_sec + (double)t.tv_nsec / 1e9 < seconds);
}

/* Leaves a daemon in a session of its own that holds both streams: deaf (to SIGTERM), short (gone
 * after 1 ms), burning (50 ms of cpu time, then stays) or any other word (stays). */
static int do_leave(char **args)
{
	const char *how = args[0] ? args[0] : "";
	int ready[2];
	char c;

	if (pipe(ready))
		return 9;
	if (fork() == 0) {
		setsid();
		if (fork() == 0) {
			if (strcmp(how, "deaf") == 0)
				signal(SIGTERM, SIG_IGN);
			if (strcmp(how, "burning") == 0)
				burn(0.05);
			printf("daemon %d\n", getpid());
			fflush(stdout);
			close(ready[0]);
			close(ready[1]);
			if (strcmp(how, "short") == 0) {
				usleep(1000);
				printf("last words\n");
				exit(0);
			}
			pause_for_ever();
		}
		_exit(0);
	}
	close(ready[1]);
	return read(ready[0], &c, 1) == 0 ? 0 : 9; /* the daemon runs */
}

/* N levels of processes, each in a session of its own and deaf to SIGTERM */
static int do_tree(char **args)
{
	int levels = atoi(args[0]);

	for (; levels > 0 && fork() == 0; levels--)
		setsid();
	signal(SIGTERM, SIG_IGN);
	printf("up\n");
	fflush(stdout);
	pause_for_ever();
	return 0;
}

static int do_args(char **args)
{
	for (; *args; args++)
		printf("[%s]\n", *args);
	return 0;
}

static int do_env(char **args)
{
	(void)args;
	for (char **e = environ; *e; e++)
		printf("%s\n", *e);
	return 0;
}

/* number of bytes of the environment */
static int do_env_size(char **args)
{
	size_t n = 0;

	(void)args;
	for (char **e = environ; *e; e++)
		n += strlen(*e) + 1;
	printf("%zu\n", n);
	return 0;
}

static int do_cwd(char **args)
{
	char text[4096];

	(void)args;
	return getcwd(text, sizeof(text)) && puts(text) >= 0 ? 0 : 9;
}

static int do_stdin(char **args)
{
	size_t n = 0;
	char c;

	(void)args;
	while (read(0, &c, 1) == 1)
		n++;
	printf("%zu bytes\n", n);
	return 0;
}

/* everything that is inherited, a line each */
static int do_state(char **args)
{
	struct sigaction act;
	struct rlimit limit;
	cpu_set_t cpus;
	sigset_t mask;
	int blocked = 0, changed = 0;

	(void)args;
	sigprocmask(SIG_SETMASK, NULL, &mask);
	for (int sig = 1; sig < 32; sig++) {
		blocked += sigismember(&mask, sig) == 1;
		if (sigaction(sig, NULL, &act) == 0)
			changed += act.sa_handler != SIG_DFL;
	}
	getrlimit(RLIMIT_NOFILE, &limit);
	printf("nofile %lu %lu\n", (unsigned long)limit.rlim_cur, (unsigned long)limit.rlim_max);
	printf("signals blocked %d changed %d\n", blocked, changed);
	sched_getaffinity(0, sizeof(cpus), &cpus);
	printf("cpus");
	for (size_t i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &cpus))
			printf(" %zu", i);
	printf("\nfds");
	for (int fd = 0; fd < 256; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			printf(" %d", fd);
	printf("\ngroup %s\nsession %d\n", getpgrp() == getpid() ? "own" : "shared", getsid(0));
	return 0;
}

static int do_tty(char **args)
{
	struct winsize size = {0};

	(void)args;
	ioctl(1, TIOCGWINSZ, &size);
	printf("in %d out %d err %d columns %d\n", isatty(0), isatty(1), isatty(2), size.ws_col);
	fprintf(stderr, "error\n");
	return 0;
}

/* TEXT on stdout, TEXT on stderr */
static int do_say(char **args)
{
	fputs(args[0], stdout);
	fflush(stdout);
	fputs(args[1], stderr);
	return args[2] ? atoi(args[2]) : 0;
}

static int do_cat(char **args)
{
	char text[4096];
	FILE *f = fopen(args[0], "r");
	size_t n;

	if (!f)
		return 9;
	n = fread(text, 1, sizeof(text), f);
	fwrite(text, 1, n, stdout);
	fclose(f);
	return 0;
}

static int do_touch(char **args)
{
	return open(args[0], O_CREAT | O_WRONLY, 0600) >= 0 ? 0 : 9;
}

static int do_burn(char **args)
{
	burn(atof(args[0]));
	return 0;
}

static int do_sleep(char **args)
{
	usleep((useconds_t)(atof(args[0]) * 1e6));
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *word;
		int (*run)(char **args);
		int n_args;
	} words[] = {
		{"args", do_args, 0},
		{"burn", do_burn, 1},
		{"cat", do_cat, 1},
		{"crash", do_crash, 0},
		{"cwd", do_cwd, 0},
		{"env", do_env, 0},
		{"env-size", do_env_size, 0},
		{"exit", do_exit, 1},
		{"flood", do_flood, 1},
		{"hang", do_hang, 0},
		{"leave", do_leave, 0},
		{"polite", do_polite, 0},
		{"say", do_say, 2},
		{"sleep", do_sleep, 1},
		{"state", do_state, 0},
		{"stdin", do_stdin, 0},
		{"touch", do_touch, 1},
		{"tree", do_tree, 1},
		{"tty", do_tty, 0},
	};

	for (size_t i = 0; argc > 1 && i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i].word, argv[1]) == 0 && argc - 2 >= words[i].n_args)
			return words[i].run(argv + 2);
	fprintf(stderr, "usage: hostile WORD [ARG...]\n");
	return 2;
}
