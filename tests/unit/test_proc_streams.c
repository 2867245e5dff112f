/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What programs print and read. */
#include "config.h"

#include <fcntl.h>
#include <unistd.h>

#include "core/base/proc_tree.h"
#include "tests/unit/proc_fixture.h"

struct sums {
	uint64_t bytes[2];
	int64_t last_ns;
	bool ordered;
};

static void add_up(void *ctx, enum proc_stream stream, const char *data, size_t len, int64_t t_ns)
{
	struct sums *sums = ctx;

	(void)data;
	sums->bytes[stream] += len;
	if (t_ns < sums->last_ns)
		sums->ordered = false;
	sums->last_ns = t_ns;
}

static void flood(void **state)
{
	struct fixture *f = *state;
	struct sums sums = {.ordered = true};
	struct proc_spec spec = {.argv = HOSTILE(f, "flood", "16"), .keep = 65};
	struct proc_result r;

	spec.hooks = (struct proc_hooks){.ctx = &sums, .on_output = add_up};
	r = run_spec(f, &spec);
	assert_int_equal(r.code, 0);
	for (int s = 0; s < 2; s++) {
		const struct proc_kept *kept = &r.streams[s];
		char first[64], last[64];

		snprintf(first, sizeof(first), "%s           0\n%s           1\n",
			s ? "err" : "out", s ? "err" : "out");
		snprintf(last, sizeof(last), "\n%s     1048574\n%s     1048575\n",
			s ? "err" : "out", s ? "err" : "out");
		assert_int_equal(kept->bytes, 16 << 20);
		assert_int_equal(sums.bytes[s], 16 << 20);
		assert_string_equal(kept->head.data, first);
		assert_string_equal(kept->tail.data, last);
	}
	assert_true(sums.ordered);
	proc_result_release(&r);

	/* a byte more than what is kept, and exactly that */
	spec = (struct proc_spec){.argv = HOSTILE(f, "say", "12345", "1234"), .keep = 4};
	r = run_spec(f, &spec);
	assert_string_equal(r.streams[0].head.data, "12");
	assert_string_equal(r.streams[0].tail.data, "45");
	assert_int_equal(r.streams[0].bytes, 5);
	assert_string_equal(r.streams[1].head.data, "1234");
	assert_int_equal(r.streams[1].tail.len, 0);
	proc_result_release(&r);
	spec.keep = 0;
	r = run_spec(f, &spec);
	assert_int_equal(r.streams[0].head.len + r.streams[0].tail.len, 0);
	assert_int_equal(r.streams[0].bytes, 5);
	proc_result_release(&r);
}

static void pty(void **state)
{
	struct fixture *f = *state;
	struct proc_spec spec = spec_of(HOSTILE(f, "tty"));
	struct proc_result r;
	int64_t fastest = INT64_MAX;

	spec.out = PROC_PTY;
	r = run_spec(f, &spec);
	assert_stdout(&r, "in 0 out 1 err 0 columns 500\n"); /* and no \r */
	assert_string_equal(r.streams[PROC_STDERR].head.data, "error\n");
	proc_result_release(&r);

	spec.err = PROC_PTY;
	for (int i = 0; i < 5 && fastest >= 190 * NS_PER_MS; i++) {
		int64_t begin = clock_mono_ns();

		if (i)
			proc_result_release(&r);
		r = run_spec(f, &spec);
		if (clock_mono_ns() - begin < fastest)
			fastest = clock_mono_ns() - begin;
	}
	assert_true(fastest < 190 * NS_PER_MS); /* its end was seen, not waited for */
	assert_stdout(&r, "in 0 out 1 err 1 columns 500\n");
	assert_string_equal(r.streams[PROC_STDERR].head.data, "error\n");
	proc_result_release(&r);

	spec = spec_of(HOSTILE(f, "flood", "2"));
	spec.out = spec.err = PROC_PTY;
	r = run_spec(f, &spec);
	assert_int_equal(r.code, 0);
	assert_int_equal(r.streams[0].bytes, 2 << 20);
	assert_int_equal(r.streams[1].bytes, 2 << 20);
	proc_result_release(&r);
}

static void streams_to_files(void **state)
{
	struct fixture *f = *state;
	struct scratch s;
	char path[4300], text[64] = "";
	struct proc_spec spec = spec_of(HOSTILE(f, "say", "one ", "two"));
	struct proc_result r;
	int fd, own;

	scratch_init(&s);
	snprintf(path, sizeof(path), "%s/log", s.dir);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	spec.out = spec.err = PROC_FD;
	spec.out_fd = spec.err_fd = fd;
	r = run_spec(f, &spec);
	assert_int_equal(pread(fd, text, sizeof(text) - 1, 0), 7);
	assert_string_equal(text, "one two");
	assert_int_equal(r.streams[0].bytes, 0);
	proc_result_release(&r);

	spec.out = PROC_NULL;
	spec.err = PROC_PIPE;
	r = run_spec(f, &spec);
	assert_int_equal(r.streams[0].bytes, 0);
	assert_string_equal(r.streams[1].head.data, "two");
	proc_result_release(&r);

	/* our own streams, as they are at the start of the child */
	own = dup(STDOUT_FILENO);
	fflush(stdout);
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	dup2(fd, STDOUT_FILENO);
	spec.out = PROC_INHERIT;
	r = run_spec(f, &spec);
	dup2(own, STDOUT_FILENO);
	close(own);
	memset(text, 0, sizeof(text));
	assert_int_equal(pread(fd, text, sizeof(text) - 1, 0), 4);
	assert_string_equal(text, "one ");
	proc_result_release(&r);

	spec = spec_of(HOSTILE(f, "stdin"));
	r = run_spec(f, &spec);
	assert_stdout(&r, "0 bytes\n");
	proc_result_release(&r);
	spec.cwd = s.dir; /* relative to it */
	spec.stdin_path = "log";
	r = run_spec(f, &spec);
	assert_stdout(&r, "4 bytes\n");
	proc_result_release(&r);
	/* a FIFO that nobody writes to is no trap */
	snprintf(path, sizeof(path), "%s/fifo", s.dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	spec.stdin_path = path;
	spec.timeout_ns = 5 * NS_PER_S;
	r = run_spec(f, &spec);
	assert_stdout(&r, "0 bytes\n");
	proc_result_release(&r);
	close(fd);
	scratch_release(&s);
}

/* Somebody who is no descendant holds the write end: a deadline ends the wait. */
static void stream_held_by_a_stranger(void **state)
{
	struct fixture *f = *state;
	struct proc_spec spec = spec_of(HOSTILE(f, "hang"));
	struct proc_result r = {0};
	struct proc *proc;
	struct err err = {0};
	char path[64];
	int fd = -1;
	int64_t begin;

	assert_int_equal(proc_begin(f->launcher, &spec, &proc, &err), 0);
	/* through /proc we get hold of it ourselves */
	for (int i = 0; i < 100 && fd < 0; i++) {
		CLEANUP(tree_release) struct tree tree;

		assert_int_equal(proc_step(f->launcher, 20 * NS_PER_MS, &err), 0);
		tree_read(getpid(), &tree);
		for (size_t j = 0; j < tree.entries.n; j++) {
			const struct tree_entry *e = &tree.entries.items[j];

			if (e->pid != e->group || e->pid == e->session)
				continue; /* the launcher or a worker */
			snprintf(path, sizeof(path), "/proc/%d/fd/1", e->pid);
			fd = open(path, O_WRONLY | O_CLOEXEC);
		}
	}
	assert_true(fd >= 0);
	proc_cancel(proc);
	begin = clock_mono_ns();
	while (!proc_done(proc))
		assert_int_equal(proc_step(f->launcher, -1, &err), 0);
	assert_true(clock_mono_ns() - begin >= 190 * NS_PER_MS);
	assert_true(clock_mono_ns() - begin < 3 * NS_PER_S);
	assert_int_equal(proc_finish(proc, &r, &err), 0);
	assert_int_equal(r.end, PROC_CANCELLED);
	proc_result_release(&r);
	close(fd);
}

int main(void)
{
	struct fixture f;
	int failed;

	fixture_init(&f);
	{
		const struct CMUnitTest tests[] = {
			cmocka_unit_test_prestate(flood, &f),
			cmocka_unit_test_prestate(pty, &f),
			cmocka_unit_test_prestate(streams_to_files, &f),
			cmocka_unit_test_prestate(stream_held_by_a_stranger, &f),
		};

		failed = cmocka_run_group_tests(tests, NULL, NULL);
	}
	launcher_stop(f.launcher);
	return failed != 0;
}
