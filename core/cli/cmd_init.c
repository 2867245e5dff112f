/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/datafile.h"
#include "core/base/fs.h"
#include "core/base/log.h"
#include "core/base/text.h"
#include "core/cli/common.h"

struct init_options {
	const char *out;
	bool force;
};

static const struct opt init_opts[] = {
	{.name = "output",
		.short_name = 'o',
		.type = OPT_TEXT,
		.arg = "FILE",
		.help = "where to write it; default assay.yaml",
		.offset = offsetof(struct init_options, out)},
	{.name = "force",
		.short_name = 'f',
		.type = OPT_FLAG,
		.help = "replace an existing file",
		.offset = offsetof(struct init_options, force)},
	{0},
};

static const struct opt_usage init_usage = {
	.command = "assay init",
	.args = "[TEMPLATE]",
	.summary = "write a commented starter descriptor",
	.about = "Looks at the current folder (Cargo.toml, CMakeLists.txt, Makefile, *.cu) and "
		 "writes a "
		 "descriptor that 'assay check' accepts as it is. 'assay list templates' names the "
		 "templates; without one it is chosen by what was found.",
	.examples = "assay init\tchoose by what is in this folder\n"
		    "assay init rust -o bench.yaml\ta cargo project\n",
	.max_args = 1,
	.exit_status = "0\twritten\n",
	.words_from = "list templates",
};

struct finding {
	const char *file, *template, *what;
};
static const struct finding findings[] = {
	{"Cargo.toml", "rust", "Cargo"},
	{"CMakeLists.txt", "cmake", "CMake"},
	{"Makefile", "plain", "make"},
	{"makefile", "plain", "make"},
	{"GNUmakefile", "plain", "make"},
};

/* Says what was found; returns the template that fits it. */
static const char *look_around(void)
{
	const char *template = NULL;
	const char *path = getenv("PATH");
	AUTOFREE char *nvcc = path_which("nvcc", path ? path : "");

	for (size_t i = 0; i < ARRAY_SIZE(findings); i++) {
		if (!fs_exists(findings[i].file))
			continue;
		log_note("found %s (%s)", findings[i].file, findings[i].what);
		if (!template)
			template = findings[i].template;
	}
	if (fs_exists("Cargo.toml") && !fs_exists("Cargo.lock"))
		log_note("found no Cargo.lock, which the build needs: cargo generate-lockfile");
	if (nvcc)
		log_note("found nvcc (%s)", nvcc);
	if (!template) {
		log_note("found no Cargo.toml, CMakeLists.txt or Makefile: taking the plain "
			 "template");
		template = "plain";
	}
	return template;
}

/* An experiment's name out of the folder's. */
static char *folder_name(void)
{
	AUTOFREE char *here = getcwd(NULL, 0);

	return name_like(here ? path_basename(here) : "");
}

/* The name in [package] of Cargo.toml, which its program has too; owned, NULL = none there. */
static char *package_name(void)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT;
	const char *at;
	struct err ignored;

	if (!fs_exists("Cargo.toml") || fs_read("Cargo.toml", 1 << 20, &text, &ignored))
		return NULL;
	at = strstr(text.data, "[package]");
	at = at ? strstr(at, "\nname") : NULL;
	if (!at)
		return NULL;
	at += 5;
	at += strspn(at, " \t=\"");
	return xstrndup(at, strcspn(at, "\"\\\n"));
}

static void fill_in(struct buf *to, const char *template, const char *out)
{
	AUTOFREE char *name = folder_name(), *package = package_name();
	const struct {
		const char *mark, *value;
	} marks[] = {{"@NAME@", name}, {"@PROGRAM@", package && package[0] ? package : name},
		{"@FILE@", path_basename(out)}};

	while (*template) {
		size_t i = 0;

		while (i < ARRAY_SIZE(marks) && !text_starts(template, marks[i].mark))
			i++;
		if (i == ARRAY_SIZE(marks)) {
			buf_addc(to, *template ++);
			continue;
		}
		buf_adds(to, marks[i].value);
		template += strlen(marks[i].mark);
	}
}

/* Templates mark the lines that everybody changes by "# EDIT". */
static void say_what_to_edit(const char *file, const char *text)
{
	int line = 1;

	for (const char *at = text; at && *at; line++) {
		const char *end = strchrnul(at, '\n');
		const char *hit = memmem(at, (size_t)(end - at), "# EDIT", 6);

		if (hit)
			printf("%s:%d: edit: %.*s\n", file, line,
				(int)(end - hit - 6 - strspn(hit + 6, ": ")),
				hit + 6 + strspn(hit + 6, ": "));
		at = *end ? end + 1 : NULL;
	}
}

static bool has_templates(void)
{
	char **names = datafile_list("templates", ".yaml");
	bool any = names && names[0];

	for (size_t i = 0; names && names[i]; i++)
		free(names[i]);
	free(names);
	return any;
}

static int run(struct cli *cli, const void *opts, const struct opt_list *args, struct err *err)
{
	const struct init_options *options = opts;
	const char *out = options->out ? options->out : "assay.yaml";
	const char *found = look_around();
	const char *template = args->n ? args->items[0] : found;
	CLEANUP(buf_release) struct buf text = BUF_INIT, filled = BUF_INIT;
	AUTOFREE char *file = NULL, *path = NULL;

	(void)cli;
	file = xasprintf("templates/%s.yaml", template);
	if (strchr(template, '/') || datafile_find(file, &path, err)) {
		struct err where = *err;

		err_set(err, E_USAGE, "there is no template '%s'", template);
		/* The program alone, moved away from its data, has none at all. */
		if (!has_templates())
			return err_help(err, "%s", where.help[0] ? where.help : where.text);
		return err_help(err, "'assay list templates' names them");
	}
	if (fs_exists(out) && !options->force) {
		err_set(err, E_USAGE, "'%s' is there already", out);
		return err_help(err, "-o writes another file, --force replaces it");
	}
	if (fs_read(path, 0, &text, err))
		return -1;
	fill_in(&filled, text.data, out);
	if (fs_write(out, filled.data, filled.len, 0, err))
		return -1;
	printf("wrote %s from the template '%s'\n", out, template);
	say_what_to_edit(out, filled.data);
	printf("next: assay check %s\n", out);
	return 0;
}

const struct command command_init = {
	.name = "init",
	.usage = &init_usage,
	.options = init_opts,
	.options_size = sizeof(struct init_options),
	.common = COMMON_NEITHER,
	.run = run,
};
