/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/cli/simulate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/fs.h"
#include "core/base/tty.h"
#include "core/engine/world.h"

void simulation_release(struct simulation *simulation)
{
	struct err ignored;

	if (simulation->dir && fs_remove(simulation->dir, &ignored))
		fprintf(stderr, "assay: '%s' could not be removed: %s\n", simulation->dir,
			ignored.text);
	free(simulation->dir);
}

static int write_descriptor(const char *world_file, const char *path, struct err *err)
{
	CLEANUP(diags_release) struct diags diags = DIAGS_INIT;
	CLEANUP(world_freep) struct world *world = NULL;
	CLEANUP(buf_release) struct buf text = BUF_INIT;

	if (world_load(world_file, &diags, &world, err)) {
		diags_print(&diags, stderr, tty_colour(STDERR_FILENO));
		return -1;
	}
	world_descriptor(world, &text);
	return fs_write(path, text.data, text.len, 0, err);
}

/* The written descriptor is gone when its warnings are read: they name the world. */
static void name_world(struct diags *diags, const char *made, const char *world)
{
	for (size_t i = 0; i < diags->n; i++) {
		struct diag *diag = &diags->items[i];

		if (!diag->file || strcmp(diag->file, made) != 0)
			continue;
		free(diag->file);
		diag->file = xasprintf("%s as a descriptor", world);
	}
}

int simulation_open(struct cli *cli, const char *world, const char *file, const char *where,
	bool force, struct simulation *ret, struct experiment *experiment, struct err *err)
{
	const char *tmp = getenv("TMPDIR");
	AUTOFREE char *made = NULL, *state = NULL;
	struct experiment_options options = {
		.set_args = cli->common.set.items,
		.n_set_args = cli->common.set.n,
		.store = cli->common.store,
		.where = where,
		.force = force,
		.simulated = true,
	};
	int rc;

	ret->dir = xasprintf("%s/assay-simulate-XXXXXX", tmp && tmp[0] ? tmp : "/tmp");
	if (!mkdtemp(ret->dir)) {
		err_sys(err, E_SYSTEM, errno, "cannot make the folder '%s'", ret->dir);
		free(STEAL(ret->dir));
		return -1;
	}
	if (!file) {
		made = path_join(ret->dir, "simulated.yaml");
		if (write_descriptor(world, made, err))
			return -1;
	}
	state = path_join(ret->dir, "state");
	options.file = file ? file : made;
	options.state = state;
	rc = experiment_open(experiment, &options, cli->launcher, err);
	if (made) {
		name_world(&experiment->diags, made, world);
		/* the message names the written file */
		if (rc && err->code == E_CONFIG)
			(void)!diags_to_err(&experiment->diags, E_CONFIG, err);
	}
	if (rc || !cli->common.quiet)
		diags_print(&experiment->diags, stderr, tty_colour(STDERR_FILENO));
	return rc;
}
