/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/engine/outcome.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"

#define STDERR_TAIL 4096

static void keep_log(struct run_outcome *outcome, const char *stream, const struct proc_kept *kept)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;
	size_t len;

	buf_add(&text, kept->head.data, kept->head.len);
	if (kept->bytes > kept->head.len + kept->tail.len)
		buf_addf(&text, "\n[... %llu bytes were not kept ...]\n",
			(unsigned long long)(kept->bytes - kept->head.len - kept->tail.len));
	buf_add(&text, kept->tail.data, kept->tail.len);
	len = text.len;
	outcome->logs[outcome->n_logs++] =
		(struct store_log){stream, buf_steal(&text), len, kept->bytes};
}

static const char *stderr_tail(struct run_outcome *outcome)
{
	const struct store_log *log = &outcome->logs[1];
	size_t n = log->kept_len < STDERR_TAIL ? log->kept_len : STDERR_TAIL;
	const char *from = log->kept + (log->kept_len - n), *newline;
	CLEANUP(buf_release) struct buf clean = BUF_INIT;

	/* Whole lines where there are any. */
	newline = n < log->kept_len ? memchr(from, '\n', n) : NULL;
	if (newline) {
		n -= (size_t)(newline + 1 - from);
		from = newline + 1;
	}
	for (size_t at = 0; at < n;) {
		const char *end = memchr(from + at, '\n', n - at);
		size_t line = end ? (size_t)(end - from) - at : n - at;

		text_clean(&clean, from + at, line);
		if (end)
			buf_addc(&clean, '\n');
		at += line + (end ? 1 : 0);
	}
	return arena_strdup(&outcome->record.arena, clean.data);
}

void run_outcome_fill(
	struct run_outcome *outcome, const struct proc_result *result, const char *cpus)
{
	struct store_run *to = &outcome->run;

	to->reason = "";
	to->exit_code = result->end == PROC_EXITED ? result->code : -1;
	to->signal = result->signal;
	to->started_at = result->start.real_ns;
	to->start_ns = result->start.mono_ns;
	to->wall_ns = result->wall_ns;
	to->boottime_gap_ns = clock_boot_gap(result->start, result->stop);
	to->realtime_gap_ns = clock_real_gap(result->start, result->stop);
	to->cpus = cpus;
	to->stdout_bytes = result->streams[0].bytes;
	to->stderr_bytes = result->streams[1].bytes;
	keep_log(outcome, "stdout", &result->streams[0]);
	keep_log(outcome, "stderr", &result->streams[1]);
	to->stderr_tail = stderr_tail(outcome);
}

void run_outcome_release(struct run_outcome *outcome)
{
	for (size_t i = 0; i < outcome->n_logs; i++)
		free((char *)outcome->logs[i].kept);
	run_record_release(&outcome->record);
}
