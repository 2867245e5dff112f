/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bash completion from the option tables. The functions use bash alone, not the bash-completion
 * package, which is not there on small machines.
 */
#include "config.h"

#include "core/base/opt_impl.h"

#include <ctype.h>
#include <string.h>

/* "plan" of "assay plan"; "" for the program itself. */
static const char *command_name(const struct opt_set *set)
{
	const char *blank = strchr(set->usage->command, ' ');

	return blank ? blank + 1 : "";
}

static void add_function_name(const struct opt_set *set, struct buf *to)
{
	const char *name = command_name(set);

	buf_adds(to, *name ? "_assay_" : "_assay_command");
	for (; *name; name++)
		buf_addc(to, isalnum((unsigned char)*name) ? *name : '_');
}

static void add_case(const struct opt *opt, struct buf *to)
{
	CLEANUP(buf_release) struct buf arg = BUF_INIT;

	if (opt->type == OPT_FLAG)
		return;
	opt_add_arg(opt, &arg);
	buf_adds(to, "\t");
	if (opt->short_name)
		buf_addf(to, "-%c|", opt->short_name);
	buf_addf(to, "--%s)\n", opt->name);
	if (opt->type == OPT_CHOICE) {
		buf_adds(to, "\t\tmapfile -t COMPREPLY < <(compgen -W '");
		for (size_t i = 0; opt->choices[i]; i++)
			buf_addf(to, "%s%s", i ? " " : "", opt->choices[i]);
		buf_adds(to, "' -- \"$cur\")\n");
	} else if (opt->words_from) {
		buf_addf(to, "\t\t_assay_words \"$cur\" %s\n", opt->words_from);
	} else if (strstr(arg.data, "DIR")) {
		buf_adds(to, "\t\t_assay_files -d \"$cur\"\n");
	} else if (strstr(arg.data, "FILE")) {
		buf_adds(to, "\t\t_assay_files -f \"$cur\"\n");
	}
	buf_adds(to, "\t\treturn ;;\n");
}

static void add_options(const struct opt *opts, struct buf *to)
{
	for (; opts && opts->name; opts++) {
		if (opts->short_name)
			buf_addf(to, " -%c", opts->short_name);
		buf_addf(to, " --%s", opts->name);
		if (opts->negatable)
			buf_addf(to, " --no-%s", opts->name);
	}
}

/* Behind a descriptor there is nothing that could be offered. */
static void add_arguments(const struct opt_usage *usage, struct buf *to)
{
	if (!usage->max_args)
		return;
	if (usage->words_from)
		buf_addf(to, "\telse\n\t\t_assay_words \"$cur\" %s\n", usage->words_from);
	else if (usage->args && strstr(usage->args, "FILE"))
		buf_adds(to, "\telif [[ $prev != *.yaml && $prev != *.yml ]]; then\n"
			     "\t\t_assay_descriptors \"$cur\"\n");
	else
		buf_adds(to, "\telse\n\t\t_assay_files -f \"$cur\"\n");
}

void opt_completion(const struct opt_set *set, struct buf *to)
{
	add_function_name(set, to);
	buf_adds(to, "()\n{\n\tlocal cur=$1 prev=$2\n\n\tCOMPREPLY=()\n\tcase $prev in\n");
	for (const struct opt *opt = set->opts; opt && opt->name; opt++)
		add_case(opt, to);
	for (const struct opt *opt = set->common; opt && opt->name; opt++)
		add_case(opt, to);
	buf_adds(to, "\tesac\n\tif [[ $cur == -* ]]; then\n"
		     "\t\tmapfile -t COMPREPLY < <(compgen -W '-h --help");
	add_options(set->opts, to);
	add_options(set->common, to);
	buf_adds(to, "' -- \"$cur\")\n");
	add_arguments(set->usage, to);
	buf_adds(to, "\tfi\n}\n");
}

void opt_completion_script(const struct opt_set *sets, size_t n, struct buf *to)
{
	const struct opt_set *program = NULL;

	buf_adds(to, "# bash completion for assay, generated from its option tables\n"
		     "_assay_files()\n{\n"
		     "\tcompopt -o filenames 2>/dev/null\n"
		     "\tmapfile -t COMPREPLY < <(compgen \"$1\" -- \"$2\")\n}\n"
		     "_assay_descriptors()\n{\n"
		     "\tcompopt -o filenames 2>/dev/null\n"
		     "\tmapfile -t COMPREPLY < <(compgen -d -X '.*' -- \"$1\"\n"
		     "\t\tcompgen -f -X '!*.yaml' -- \"$1\"; compgen -f -X '!*.yml' -- \"$1\")\n}\n"
		     /* First column of what the program lists, without the header. */
		     "_assay_words()\n{\n"
		     "\tlocal cur=$1 name\n\n"
		     "\tshift\n"
		     "\tmapfile -t COMPREPLY < <(\"${COMP_WORDS[0]}\" \"$@\" 2>/dev/null |\n"
		     "\t\twhile read -r name _; do [[ $name == name || $name != \"$cur\"* ]] ||\n"
		     "\t\t\techo \"$name\"; done)\n}\n");
	for (size_t i = 0; i < n; i++) {
		opt_completion(&sets[i], to);
		if (!*command_name(&sets[i]))
			program = &sets[i];
	}
	/* "--format=te" comes as three words, since = is one of bash's word breaks. */
	buf_adds(to, "_assay()\n{\n"
		     "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=\"\" command=\"\" i\n\n"
		     "\tCOMPREPLY=()\n"
		     "\t((COMP_CWORD > 0)) && prev=${COMP_WORDS[COMP_CWORD-1]}\n"
		     "\tif [[ $cur == \"=\" ]]; then\n"
		     "\t\tcur=\"\"\n"
		     "\telif [[ $prev == \"=\" ]] && ((COMP_CWORD > 1)); then\n"
		     "\t\tprev=${COMP_WORDS[COMP_CWORD-2]}\n"
		     "\tfi\n"
		     "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
		     "\t\tcase ${COMP_WORDS[i]} in\n");
	for (size_t i = 0; i < n; i++) {
		const char *name = command_name(&sets[i]);

		if (!*name)
			continue;
		buf_addf(to, "\t\t%s)\n\t\t\t", name);
		add_function_name(&sets[i], to);
		buf_adds(to, " \"$cur\" \"$prev\"\n\t\t\treturn ;;\n");
	}
	buf_adds(to, "\t\tesac\n\tdone\n");
	if (program)
		buf_adds(to, "\tif [[ $cur == -* ]]; then\n\t\t_assay_command \"$cur\" \"$prev\"\n"
			     "\t\treturn\n\tfi\n"
			     "\t[[ $prev != -* ]] || return\n");
	buf_adds(to, "\tmapfile -t COMPREPLY < <(compgen -W '");
	for (size_t i = 0; i < n; i++)
		buf_addf(to, "%s%s", i ? " " : "", command_name(&sets[i]));
	buf_adds(to, "' -- \"$cur\")\n}\ncomplete -F _assay assay\n");
}
