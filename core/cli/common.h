/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What several commands do alike. */
#ifndef ASSAY_CLI_COMMON_H
#define ASSAY_CLI_COMMON_H

#include <jansson.h>

#include "core/base/table.h"
#include "core/cli/command.h"
#include "core/engine/experiment.h"
#include "core/store/store.h"

/* Opens the experiment and prints its mistakes and warnings on stderr. Release it in any case. */
int open_experiment(struct cli *cli, const char *file, const char *where, bool force, bool lock,
	struct experiment *ret, struct err *err) MUST_CHECK;
int open_experiment_silently(struct cli *cli, const char *file, const char *where, bool force,
	bool lock, struct experiment *ret, struct err *err) MUST_CHECK;

/* A table on stdout: as text for the terminal, or as a JSON document. */
void print_table(const struct table *table);
/* {"schema": 1, "assay": VERSION, "command": NAME}; new reference. */
json_t *json_document(const char *command);
/* Prints and decrefs. */
void print_json(json_t *document);

/* The sessions that a user means by FILE or SESSION: a descriptor's newest session, or the one
 * named by id or the beginning of its uid in the store of --store/--state or of ./.assay. */
struct chosen_session {
	struct arena arena;
	struct store *store;
	struct store_session session;
	char *state_dir;
};
int choose_session(struct cli *cli, const char *name, struct chosen_session *ret, struct err *err)
	MUST_CHECK;
void chosen_session_release(struct chosen_session *chosen);
/* Is it something that descriptor_load would read, rather than a session's name? */
bool names_a_file(const char *name);
/* A valid name of an experiment that looks like text; owned. */
char *name_like(const char *text);
/* Name of the experiment that a descriptor declares; owned. NULL: its mistakes were printed. */
char *experiment_name(const struct cli *cli, const char *file, struct err *err);
/* Path of the store for commands without a descriptor; owned. */
char *store_path(const struct cli *cli, const char *file, struct err *err);

#endif
