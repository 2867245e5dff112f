/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For tests of proc.h: the launcher, the program tests/programs/hostile, what it printed. */
#ifndef ASSAY_TESTS_PROC_FIXTURE_H
#define ASSAY_TESTS_PROC_FIXTURE_H

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/proc.h"
#include "tests/unit/scratch.h"

struct fixture {
	struct launcher *launcher;
	char hostile[4096];
};

static inline void fixture_init(struct fixture *f)
{
	const char *top = getenv("top_builddir");
	struct err err;

	snprintf(f->hostile, sizeof(f->hostile), "%s/tests/programs/hostile", top ? top : ".");
	if (launcher_start(&f->launcher, &err)) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
}

#define HOSTILE(f, ...) \
	(const char *const[]) \
	{ \
		(f)->hostile, __VA_ARGS__, NULL \
	}

/* Pipes, up to 1 MiB of each stream kept. */
static inline struct proc_spec spec_of(const char *const *argv)
{
	return (struct proc_spec){.argv = argv, .keep = 1 << 20};
}

/* Runs to the end, which must be possible. */
static inline struct proc_result run_spec(struct fixture *f, const struct proc_spec *spec)
{
	struct proc_result result;
	struct err err = {0};

	if (proc_run(f->launcher, spec, NULL, &result, &err))
		fail_msg("%s", err.text);
	return result;
}

/* Runs, must be refused; err is the reason. */
static inline void refuse_spec(struct fixture *f, const struct proc_spec *spec, struct err *err)
{
	struct proc_result result;

	memset(err, 0, sizeof(*err));
	assert_int_equal(proc_run(f->launcher, spec, NULL, &result, err), -1);
	assert_true(err->text[0]);
}

struct scratch {
	char *dir;
};

static inline void scratch_init(struct scratch *s)
{
	s->dir = scratch_new();
}

static inline void scratch_release(struct scratch *s)
{
	scratch_free(s->dir);
}

static inline void scratch_mkdir(const struct scratch *s, const char *name)
{
	AUTOFREE char *path = path_join(s->dir, name);

	assert_int_equal(mkdir(path, 0755), 0);
}

static inline void scratch_write(const struct scratch *s, const char *name, const char *text)
{
	AUTOFREE char *path = path_join(s->dir, name);
	struct err err;

	if (fs_write(path, text, strlen(text), 0644, &err))
		fail_msg("%s", err.text);
}

static inline void sleep_ms(int ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000L};

	nanosleep(&t, NULL);
}

/* How many processes have `marker` in their environment. */
static inline int count_marked(const char *marker)
{
	DIR *dir = opendir("/proc");
	struct dirent *d;
	int n = 0;

	assert_non_null(dir);
	while ((d = readdir(dir))) {
		static char text[1 << 17];
		char path[300];
		int fd;
		ssize_t len;

		if (d->d_name[0] < '1' || d->d_name[0] > '9')
			continue;
		snprintf(path, sizeof(path), "/proc/%s/environ", d->d_name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		len = read(fd, text, sizeof(text));
		close(fd);
		n += len > 0 && memmem(text, (size_t)len, marker, strlen(marker));
	}
	closedir(dir);
	return n;
}

/* Waits up to 10 s for it; what is left at the end. */
static inline int marked_left(const char *marker)
{
	int n = 0;

	for (int i = 0; i < 500; i++) {
		n = count_marked(marker);
		if (!n)
			break;
		sleep_ms(20);
	}
	return n;
}

/* A value nobody else has in the environment, for the processes of one test. */
static inline void make_marker(char *to, size_t size, const char *name)
{
	snprintf(to, size, "ASSAY_TEST_MARKER=%s.%d.%lld", name, getpid(),
		(long long)clock_real_ns());
}

#define assert_stdout(result, text) \
	assert_string_equal((result)->streams[PROC_STDOUT].head.data, text)
#define assert_contains(text, part) \
	do { \
		if (!strstr(text, part)) \
			fail_msg("'%s' is not in '%s'", part, text); \
	} while (0)

#endif
