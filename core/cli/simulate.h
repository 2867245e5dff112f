/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An experiment opened for a made-up world: its state is a temporary folder that goes away, so the
 * real store never sees it (unless --store names one). */
#ifndef ASSAY_CLI_SIMULATE_H
#define ASSAY_CLI_SIMULATE_H

#include "core/cli/command.h"
#include "core/engine/experiment.h"

struct simulation {
	char *dir; /* temporary folder */
};

/* file: a descriptor whose options the world knows, or NULL: the world's own options. */
int simulation_open(struct cli *cli, const char *world, const char *file, const char *where,
	bool force, struct simulation *ret, struct experiment *experiment, struct err *err)
	MUST_CHECK;
void simulation_release(struct simulation *simulation);

#endif
