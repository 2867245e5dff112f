/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/proc_wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

union fd_message {
	char bytes[CMSG_SPACE(sizeof(int) * WIRE_FDS_MAX)];
	struct cmsghdr align;
};

int wire_send(int sock, const struct iovec *parts, size_t n_parts, const int *fds, size_t n_fds)
{
	union fd_message control = {0};
	struct msghdr msg = {.msg_iov = (struct iovec *)parts, .msg_iovlen = n_parts};
	ssize_t n;

	if (n_fds) {
		struct cmsghdr *c;

		msg.msg_control = &control;
		msg.msg_controllen = CMSG_SPACE(sizeof(int) * n_fds);
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int) * n_fds);
		memcpy(CMSG_DATA(c), fds, sizeof(int) * n_fds);
	}
	do {
		n = sendmsg(sock, &msg, MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -1 : 0;
}

int wire_send_order(int sock, enum wire_kind kind, int sig)
{
	struct wire_order order = {.kind = (uint32_t)kind, .sig = sig};
	struct iovec part = {&order, sizeof(order)};

	return wire_send(sock, &part, 1, NULL, 0);
}

ssize_t wire_recv(int sock, void *to, size_t size, int *fds, size_t *n_fds)
{
	union fd_message control = {0};
	struct iovec part = {to, size};
	struct msghdr msg = {.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control)};
	size_t room = n_fds ? *n_fds : 0;
	ssize_t n;

	if (n_fds)
		*n_fds = 0;
	do {
		n = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -1;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&msg); c; c = CMSG_NXTHDR(&msg, c)) {
		size_t got;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		got = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < got; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
			if (n_fds && *n_fds < room)
				fds[(*n_fds)++] = fd;
			else
				close(fd);
		}
	}
	return n;
}

static void add_string(struct buf *text, const char *s)
{
	buf_add(text, s, strlen(s) + 1);
}

/* The files that execvp would try for name, in its order. */
static uint32_t add_programs(struct buf *text, const char *name, const char *path)
{
	uint32_t n = 0;

	if (strchr(name, '/')) {
		add_string(text, name);
		return 1;
	}
	for (const char *p = path;; p++) {
		size_t len = strcspn(p, ":");

		if (len) {
			buf_add(text, p, len);
			buf_addc(text, '/');
		} else {
			buf_adds(text, "./"); /* an empty part of PATH is the current folder */
		}
		add_string(text, name);
		n++;
		p += len;
		if (!*p)
			return n;
	}
}

static uint32_t add_list(struct buf *text, const char *const *list)
{
	uint32_t n = 0;

	for (; list[n]; n++)
		add_string(text, list[n]);
	return n;
}

void wire_pack(const struct proc_spec *spec, const char *cwd, const char *path,
	struct wire_start *head, struct buf *text)
{
	head->kind = WIRE_START;
	head->n_limits = (uint32_t)spec->n_limits;
	for (size_t i = 0; i < spec->n_limits; i++) {
		struct proc_limit limit;

		memset(&limit, 0, sizeof(limit)); /* no stray bytes between the members */
		limit.resource = spec->limits[i].resource;
		limit.value = spec->limits[i].value;
		buf_add(text, &limit, sizeof(limit));
	}
	head->n_programs = add_programs(text, spec->argv[0], path);
	head->n_argv = add_list(text, spec->argv);
	head->n_envp = add_list(text, spec->envp ? spec->envp : (const char *const *)environ);
	add_string(text, cwd);
	head->n_binds = (uint32_t)spec->n_binds;
	for (size_t i = 0; i < spec->n_binds; i++) {
		add_string(text, spec->binds[i].from);
		add_string(text, spec->binds[i].at);
	}
	head->text_size = text->len;
}

int wire_unpack(const struct wire_start *head, char *text, const int *fds, size_t n_fds,
	struct wire_request *ret)
{
	size_t argv_end = (size_t)head->n_programs + head->n_argv;
	size_t n = argv_end + head->n_envp + 1 + 2 * (size_t)head->n_binds;
	size_t limits_size = head->n_limits * sizeof(struct proc_limit), used = 0;
	char *at, *end, **to;

	*ret = (struct wire_request){.head = *head, .text = text, .fds = {-1, -1, -1}};
	for (int i = 0; i < 3; i++)
		if (head->flags & ((uint32_t)WIRE_FD_IN << i))
			ret->fds[i] = used < n_fds ? fds[used++] : -1;
	if (used != n_fds || limits_size > head->text_size)
		goto bad;
	ret->limits = (const struct proc_limit *)(void *)text;
	ret->strings = to = xcalloc(n + 2, sizeof(*ret->strings)); /* + two NULLs */
	at = text + limits_size;
	end = text + head->text_size;
	for (size_t i = 0; i < n; i++) {
		char *next = memchr(at, '\0', (size_t)(end - at));

		if (!next)
			goto bad;
		to += i == argv_end; /* leaves the NULL that ends argv, then the one of envp */
		to += i == argv_end + head->n_envp;
		*to++ = at;
		at = next + 1;
	}
	ret->programs = ret->strings;
	ret->argv = ret->programs + head->n_programs;
	ret->envp = ret->argv + head->n_argv + 1;
	ret->cwd = ret->envp[head->n_envp + 1];
	ret->binds = ret->envp + head->n_envp + 2;
	return 0;
bad:
	wire_request_release(ret);
	errno = EBADMSG;
	return -1;
}

void wire_request_release(struct wire_request *request)
{
	for (int i = 0; i < 3; i++)
		if (request->fds[i] >= 0)
			close(request->fds[i]);
	free(request->strings);
	free(request->text);
	memset(request, 0, sizeof(*request));
	request->fds[0] = request->fds[1] = request->fds[2] = -1;
}
