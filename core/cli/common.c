/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/cli/common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/conf.h"
#include "core/base/log.h"
#include "core/base/text.h"
#include "core/base/tty.h"

int open_experiment_silently(struct cli *cli, const char *file, const char *where, bool force,
	bool lock, struct experiment *ret, struct err *err)
{
	struct experiment_options options = {
		.file = file,
		.state = cli->common.state,
		.store = cli->common.store,
		.set_args = cli->common.set.items,
		.n_set_args = cli->common.set.n,
		.where = where,
		.force = force,
		.lock = lock,
		.wait = cli->common.wait,
	};

	if (experiment_open(ret, &options, cli->launcher, err))
		return -1;
	log_verbose("state folder %s, store %s", ret->state.dir, ret->state.store);
	if (source_matters(ret->descriptor))
		log_verbose("source %s: %zu files%s%s%s", ret->source.digest.hex, ret->source.files,
			ret->source.commit ? ", commit " : "",
			ret->source.commit ? ret->source.commit : "",
			ret->source.dirty ? ", with uncommitted changes" : "");
	log_verbose("tools %s", ret->tools.hex);
	log_verbose("plan %s: %zu rows, %zu builds", ret->plan->id, ret->plan->n_rows,
		ret->plan->n_builds);
	return 0;
}

int open_experiment(struct cli *cli, const char *file, const char *where, bool force, bool lock,
	struct experiment *ret, struct err *err)
{
	int rc = open_experiment_silently(cli, file, where, force, lock, ret, err);

	if (rc || log_get_level() > LOG_QUIET)
		diags_print(&ret->diags, stderr, tty_colour(STDERR_FILENO));
	return rc;
}

void print_table(const struct table *table)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;

	table_render_text(table, &text, tty_width(STDOUT_FILENO), tty_colour(STDOUT_FILENO));
	fputs(text.data, stdout);
	if (table_has_holes(table))
		puts(TABLE_HOLE_MEANS);
}

json_t *json_document(const char *command)
{
	return json_pack(
		"{s:i, s:s, s:s}", "schema", 1, "assay", PACKAGE_VERSION, "command", command);
}

void print_json(json_t *document)
{
	char *text = json_dumps(document, JSON_INDENT(2) | JSON_REAL_PRECISION(17));

	puts(text ? text : "null");
	free(text);
	json_decref(document);
}

bool names_a_file(const char *name)
{
	return fs_exists(name) || strchr(name, '/') || text_ends(name, ".yaml") ||
	       text_ends(name, ".yml");
}

char *name_like(const char *text)
{
	CLEANUP(buf_release) struct buf name = BUF_INIT;

	for (; *text && name.len < 63; text++) {
		bool letter = (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z');
		bool inner = (*text >= '0' && *text <= '9') || strchr("_.-", *text);

		buf_addc(&name, letter || (name.len && inner) ? *text : '_');
	}
	if (!name.len || conf_is_reserved(name.data))
		buf_adds(&name, "experiment");
	return buf_steal(&name);
}

static char *folder_of(const char *file, struct err *err)
{
	char *absolute, *dir;

	if (path_absolute(file, &absolute, err))
		return NULL;
	if (fs_is_dir(absolute))
		return absolute;
	dir = path_dirname(absolute);
	free(absolute);
	return dir;
}

static int state_of(const struct cli *cli, const char *file, struct state *state, struct err *err)
{
	AUTOFREE char *beside = folder_of(file ? file : ".", err);

	if (!beside)
		return -1;
	return state_open(state, beside, cli->common.state, cli->common.store, false, err);
}

char *store_path(const struct cli *cli, const char *file, struct err *err)
{
	CLEANUP(state_release) struct state state = STATE_INIT;

	return state_of(cli, file, &state, err) ? NULL : xstrdup(state.store);
}

char *experiment_name(const struct cli *cli, const char *file, struct err *err)
{
	CLEANUP(diags_release) struct diags diags = DIAGS_INIT;
	CLEANUP(descriptor_freep) struct descriptor *descriptor = NULL;

	if (descriptor_load(
		    file, cli->common.set.items, cli->common.set.n, &diags, &descriptor, err)) {
		diags_print(&diags, stderr, tty_colour(STDERR_FILENO));
		return NULL;
	}
	return xstrdup(descriptor->name);
}

static int newest_session(
	const char *file, const struct cli *cli, struct chosen_session *ret, struct err *err)
{
	AUTOFREE char *name = experiment_name(cli, file, err);
	struct store_session *sessions;
	size_t n;

	if (!name || store_list_sessions(ret->store, name, &ret->arena, &sessions, &n, err))
		return -1;
	if (!n) {
		err_set(err, E_NOTHING, "nothing was measured yet of '%s'", name);
		return err_help(err, "assay run %s", file);
	}
	ret->session = sessions[0];
	return 0;
}

int choose_session(struct cli *cli, const char *name, struct chosen_session *ret, struct err *err)
{
	CLEANUP(state_release) struct state state = STATE_INIT;
	bool file = !name || names_a_file(name);
	struct store_session *sessions;
	size_t n;

	memset(ret, 0, sizeof(*ret));
	if (state_of(cli, file ? name : NULL, &state, err) ||
		store_open(state.store, STORE_READ, &ret->store, err))
		return -1;
	ret->state_dir = xstrdup(state.dir);
	if (!file)
		return store_find_session(ret->store, name, &ret->arena, &ret->session, err);
	if (name && !fs_is_dir(name))
		return newest_session(name, cli, ret, err);
	if (store_list_sessions(ret->store, NULL, &ret->arena, &sessions, &n, err))
		return -1;
	if (!n)
		return err_set(err, E_NOTHING, "there is no session in '%s'", state.store);
	ret->session = sessions[0];
	return 0;
}

void chosen_session_release(struct chosen_session *chosen)
{
	store_close(chosen->store);
	free(chosen->state_dir);
	arena_release(&chosen->arena);
}
