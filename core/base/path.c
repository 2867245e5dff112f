/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *path_join(const char *a, const char *b)
{
	size_t n = strlen(a);

	if (!n || b[0] == '/')
		return xstrdup(b);
	if (!b[0])
		return xstrdup(a);
	while (n && a[n - 1] == '/')
		n--;
	return xasprintf("%.*s/%s", (int)n, a, b);
}

char *path_dirname(const char *path)
{
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	while (n && path[n - 1] != '/')
		n--;
	if (!n)
		return xstrdup(".");
	while (n > 1 && path[n - 1] == '/')
		n--;
	return xstrndup(path, n);
}

const char *path_basename(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int path_absolute(const char *path, char **ret, struct err *err)
{
	char *real = realpath(path, NULL);

	if (!real)
		return err_sys(err, E_MISSING, errno, "'%s'", path);
	*ret = real;
	return 0;
}

bool path_inside(const char *path)
{
	long depth = 0;

	if (!path[0] || path[0] == '/')
		return false;
	while (*path) {
		size_t n = strcspn(path, "/");

		if (n == 2 && path[0] == '.' && path[1] == '.')
			depth--;
		else if (n && !(n == 1 && path[0] == '.'))
			depth++;
		if (depth < 0)
			return false;
		path += n;
		path += *path == '/';
	}
	return true;
}

static bool is_program(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) &&
	       !faccessat(AT_FDCWD, path, X_OK, AT_EACCESS);
}

char *path_which(const char *program, const char *path_env)
{
	if (!program[0])
		return NULL;
	if (strchr(program, '/'))
		return is_program(program) ? xstrdup(program) : NULL;
	if (!path_env)
		path_env = "/bin:/usr/bin"; /* what execvp takes when PATH is unset */
	for (const char *p = path_env;; p++) {
		size_t n = strcspn(p, ":");
		/* An empty element is the current folder. */
		AUTOFREE char *folder = n ? xstrndup(p, n) : xstrdup(".");
		AUTOFREE char *full = path_join(folder, program);

		if (is_program(full))
			return STEAL(full);
		p += n;
		if (!*p)
			return NULL;
	}
}
