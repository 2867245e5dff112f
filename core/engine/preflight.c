/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/engine/preflight.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/fs.h"
#include "core/base/proc.h"

static struct place place_of(const struct workload *workload, const char *field)
{
	const struct conf_node *node = conf_get(workload->node, field);

	return node ? node->place : workload->node->key_place;
}

static bool sets_path(const struct conf_pairs *env)
{
	for (size_t i = 0; i < env->n; i++) {
		if (!strcmp(env->items[i].key, "PATH"))
			return true;
	}
	return false;
}

/* Which PATH a run sees is known only when nothing changes it. */
static bool path_is_ours(const struct descriptor *descriptor, const struct workload *workload)
{
	if (sets_path(&workload->env))
		return false;
	for (size_t i = 0; i < descriptor->n_options; i++) {
		for (int k = 0; k < descriptor->options[i].n_levels; k++) {
			if (sets_path(&descriptor->options[i].levels[k].payload.env))
				return false;
		}
	}
	for (size_t i = 0; i < descriptor->n_axes; i++) {
		if (sets_path(&descriptor->axes[i].payload.env))
			return false;
	}
	return true;
}

static bool has_placeholder(const char *text)
{
	return strchr(text, '{') || strchr(text, '}');
}

/* A program named by a relative path is looked for in the run's folder. */
static int check_relative(const struct descriptor *descriptor, const struct workload *workload,
	const char *program, struct err *err)
{
	AUTOFREE char *full = NULL, *here = NULL;

	if (!strncmp(workload->cwd, "{scratch}", 9)) {
		err_at(err, E_MISSING, place_of(workload, "run"),
			"workload '%s': there is no program '%s' in the empty folder that a run "
			"begins in",
			workload->name, program);
		here = path_join(descriptor->dir, program);
		return fs_exists(here)
			       ? err_help(err, "write \"{here}/%s\"",
					 strncmp(program, "./", 2) ? program : program + 2)
			       : err_help(err, "write its whole path, \"{here}/...\" for one "
					       "beside the descriptor, or {bin.NAME}");
	}
	if (has_placeholder(workload->cwd))
		return 0;
	full = path_join(workload->cwd, program);
	if (!access(full, X_OK))
		return 0;
	return err_sys(
		err, E_MISSING, errno, "workload '%s': cannot run '%s'", workload->name, full);
}

static int check_program(
	const struct descriptor *descriptor, const struct workload *workload, struct err *err)
{
	const char *program = workload->run[0], *path = getenv("PATH");
	AUTOFREE char *found = NULL;

	if (has_placeholder(program))
		return 0;
	if (program[0] != '/' && strchr(program, '/'))
		return check_relative(descriptor, workload, program, err);
	if (program[0] != '/' && !path_is_ours(descriptor, workload))
		return 0;
	found = path_which(program, path ? path : "");
	if (found)
		return 0;
	err_at(err, E_MISSING, place_of(workload, "run"), "workload '%s': there is no program '%s'",
		workload->name, program);
	if (!program[0])
		return err_help(err, "the first word of run is the program");
	if (program[0] == '/' && fs_exists(program))
		return err_help(err, fs_is_dir(program) ? "this is a folder"
							: "it is there, but may not be executed: "
							  "chmod +x");
	return err_help(err, "install it, write its path, or name a product of the build: {bin.%s}",
		path_basename(program));
}

static int check_input(const struct workload *workload, struct err *err)
{
	const char *path = workload->stdin_path;

	if (!path || has_placeholder(path))
		return 0;
	if (fs_is_dir(path))
		errno = EISDIR;
	else if (!access(path, R_OK))
		return 0;
	err_at(err, E_MISSING, place_of(workload, "stdin"),
		"workload '%s': cannot read its standard input '%s': %s", workload->name, path,
		strerror(errno));
	return err_help(err, "stdin names a file, relative to the descriptor");
}

static int check_folder(const struct workload *workload, struct err *err)
{
	const char *path = workload->cwd;

	if (has_placeholder(path) || (fs_is_dir(path) && !access(path, X_OK)))
		return 0;
	err_at(err, E_MISSING, place_of(workload, "cwd"),
		"workload '%s': cannot enter its folder '%s': %s", workload->name, path,
		fs_is_dir(path)   ? "no permission"
		: fs_exists(path) ? "not a folder"
				  : "there is none");
	return err_help(err, "cwd names a folder, relative to the descriptor; without it each run "
			     "has an empty one, {scratch}");
}

int preflight_workload(
	const struct descriptor *descriptor, const struct workload *workload, struct err *err)
{
	cpu_set_t unused;

	if (check_folder(workload, err) || check_program(descriptor, workload, err) ||
		check_input(workload, err))
		return -1;
	if (workload->cpus && proc_cpus_parse(workload->cpus, &unused, err)) {
		err_wrap(err, "workload '%s'", workload->name);
		place_format(place_of(workload, "cpus"), err->place, sizeof(err->place));
		return -1;
	}
	return 0;
}
