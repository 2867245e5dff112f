/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/collector.h"
#include "core/base/datafile.h"
#include "core/base/fs.h"
#include "core/base/text.h"
#include "core/cli/common.h"
#include "core/engine/executor.h"
#include "reports/render.h"
#include "reports/report.h"

struct list_options {
	bool json;
};

static const struct opt list_opts[] = {
	{.name = "json",
		.type = OPT_FLAG,
		.help = "print JSON",
		.offset = offsetof(struct list_options, json)},
	{0},
};

static const struct opt_usage list_usage = {
	.command = "assay list",
	.args = "[KIND]",
	.summary = "list collectors, executors, reports, renderers, parsers or templates",
	.max_args = 1,
	.exit_status = "0\tlisted\n",
	.words_from = "list",
};

static void add(struct table *table, const char *name, const char *summary)
{
	table_row(table);
	table_text(table, "name", name);
	table_text(table, "summary", summary);
}

/* A made-up world (assay run --simulate) is nothing that a descriptor can name. */
static bool is_made_up(const char *name)
{
	return !strcmp(name, "fake");
}

static void list_collectors(struct table *table)
{
	for (size_t i = 0; collectors[i]; i++) {
		const struct collector *collector = collectors[i];
		char why[512];

		if (is_made_up(collector->name))
			continue;
		if (collector->probe && collector->probe(why, sizeof(why))) {
			AUTOFREE char *text =
				xasprintf("%s (not here: %s)", collector->summary, why);

			add(table, collector->name, text);
		} else {
			add(table, collector->name, collector->summary);
		}
	}
}

static void list_executors(struct table *table)
{
	for (size_t i = 0; executors[i]; i++)
		if (!is_made_up(executors[i]->name))
			add(table, executors[i]->name, executors[i]->summary);
}

static void list_reports(struct table *table)
{
	for (size_t i = 0; reports[i]; i++)
		add(table, reports[i]->name, reports[i]->summary);
}

static void list_renderers(struct table *table)
{
	for (size_t i = 0; renderers[i]; i++)
		add(table, renderers[i]->name, renderers[i]->summary);
}

/* Data files describe themselves in their first comment line. */
static void list_data(struct table *table, const char *kind)
{
	char **names = datafile_list(kind, ".yaml");

	for (size_t i = 0; names && names[i]; i++) {
		AUTOFREE char *file = xasprintf("%s/%s.yaml", kind, names[i]), *path = NULL;
		CLEANUP(buf_release) struct buf text = BUF_INIT;
		const char *summary = "";
		struct err err;

		if (!datafile_find(file, &path, &err) && !fs_read(path, 0, &text, &err)) {
			char *line = text.data;

			while (text_starts(line, "# SPDX"))
				line = strchrnul(line, '\n') + (*strchrnul(line, '\n') == '\n');
			if (*line == '#') {
				*strchrnul(line, '\n') = '\0';
				summary = line + 1 + strspn(line + 1, " ");
			}
		}
		add(table, names[i], summary);
		free(names[i]);
	}
	free(names);
}

static void list_parsers(struct table *table)
{
	list_data(table, "parsers");
}

static void list_templates(struct table *table)
{
	list_data(table, "templates");
}

static const struct {
	const char *name, *summary;
	void (*list)(struct table *table);
} kinds[] = {
	{"collectors", "what measures a run, and whether it can here", list_collectors},
	{"executors", "where runs are carried out", list_executors},
	{"reports", "for assay report --report", list_reports},
	{"renderers", "formats, for assay report --format", list_renderers},
	{"parsers", "of logs, for `log:` of a workload", list_parsers},
	{"templates", "starter descriptors, for assay init", list_templates},
};

static struct table *new_table(void)
{
	struct table *table = table_new(NULL);

	table_column(table, "name", "name", ALIGN_LEFT, 0);
	table_column(table, "summary", "what it is", ALIGN_LEFT, 0);
	return table;
}

static void print_kinds(bool json)
{
	CLEANUP(table_freep) struct table *table = new_table();
	json_t *names = json_array();

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		json_array_append_new(names, json_string(kinds[i].name));
		add(table, kinds[i].name, kinds[i].summary);
	}
	if (json) {
		json_t *document = json_document("list");

		json_object_set(document, "kinds", names);
		print_json(document);
	} else {
		print_table(table);
	}
	json_decref(names);
}

static int run(struct cli *cli, const void *opts, const struct opt_list *args, struct err *err)
{
	const struct list_options *options = opts;
	const char *names[ARRAY_SIZE(kinds)];

	(void)cli;
	if (!args->n) {
		print_kinds(options->json);
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		CLEANUP(table_freep) struct table *table = NULL;

		names[i] = kinds[i].name;
		if (strcmp(kinds[i].name, args->items[0]) != 0)
			continue;
		table = new_table();
		kinds[i].list(table);
		if (options->json) {
			json_t *document = json_document("list");

			json_object_set_new(document, kinds[i].name, table_render_json(table));
			print_json(document);
		} else {
			print_table(table);
		}
		return 0;
	}
	err_set(err, E_USAGE, "there is no kind '%s'", args->items[0]);

	const char *near = text_nearest(args->items[0], names, ARRAY_SIZE(kinds));

	return near ? err_help(err, "did you mean '%s'?", near)
		    : err_help(err, "'assay list' names the kinds");
}

const struct command command_list = {
	.name = "list",
	.usage = &list_usage,
	.options = list_opts,
	.options_size = sizeof(struct list_options),
	.common = COMMON_NEITHER,
	.run = run,
};
