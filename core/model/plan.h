/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The plan: which builds and which runs an experiment means, before anything is done. Immutable,
 * in one arena. Ids are digests (doc/descriptor.md).
 */
#ifndef ASSAY_MODEL_PLAN_H
#define ASSAY_MODEL_PLAN_H

#include <jansson.h>

#include "core/base/digest.h"
#include "core/model/descriptor.h"
#include "core/model/expand.h"

/* What the engine found out of the world; enters the ids. Borrowed. */
struct plan_facts {
	const char *source_digest;        /* content of the source state */
	const char *tools_digest;         /* versions of the build tools */
	const char *const *input_digests; /* per descriptor input */
	const char *const
		*parser_digests; /* per workload: content of its log parser, NULL = none */
	/* Content digest of a file of the descriptor (patch) or diff of a picked commit. */
	int (*payload_digest)(void *ctx, const struct patch *patch, const char *pick,
		struct digest *ret, struct err *err);
	void *ctx;
};

/* One effective configuration of the source and the build. */
struct plan_build {
	const char *key;       /* hex digest: build id */
	const char *name;      /* variant that names it first */
	const uint8_t *levels; /* a representative: level per option */
	/* In the order of application: all picks, all patches, all edits, by option declaration. */
	const char *const *picks;
	size_t n_picks;
	const struct patch *const *patches;
	const int *patch_options; /* option index of each patch, for messages */
	size_t n_patches;
	const struct edit *const *edits;
	const int *edit_options;
	size_t n_edits;
	struct conf_pairs defines;      /* sorted by name */
	const struct named_value *vars; /* all vars with sets and adds applied */
	size_t n_vars;
	struct conf_pairs env; /* build.env and build_env, template texts */
	const char *const *features;
	size_t n_features;
	const char *const *rustflags;
	size_t n_rustflags;
	bool rustflags_used; /* some option has rustflags: set CARGO_ENCODED_RUSTFLAGS even if empty
			      */
	const int *rows;     /* rows that use it */
	size_t n_rows;
};

struct plan_row {
	const char *name; /* "workload/variant[/axis=value,...]" */
	const struct workload *workload;
	const char *variant;            /* canonical */
	const char *label;              /* the set expression that made it first */
	const char *sets;               /* all set expressions that gave it, '\n'-separated */
	const uint8_t *levels;          /* per option, 0 = off */
	const char *const *axis_values; /* per declared axis; NULL = not crossed */
	int cell;
	int baseline;            /* row index; its own index for a baseline row */
	int build;               /* index into builds */
	const char *run_key;     /* hex digest: run id */
	struct conf_pairs env;   /* workload, options, axes merged; value NULL = unset; templates */
	const char *const *args; /* what {args} stands for: options first, then axes; templates */
	size_t n_args;
	const struct named_value *vars; /* all vars with sets and adds applied; templates */
	size_t n_vars;
};

struct plan_cell {
	const char *name; /* "workload[/axis=value,...]" */
	const struct workload *workload;
	int baseline;
	const int *rows; /* baseline first, then in plan order */
	size_t n_rows;
};

struct plan {
	struct arena arena;
	const struct descriptor *descriptor; /* must outlive the plan */
	const char *id;                      /* hex digest: plan id */
	const char *where;                   /* NULL = all */
	struct plan_row *rows;
	size_t n_rows;
	struct plan_build *builds;
	size_t n_builds;
	struct plan_cell *cells;
	size_t n_cells;
	size_t excluded; /* rows taken out by exclude and --where */
	size_t merged;   /* rows that became equal (options that do not reach a workload) */
	const char *const *warnings;
	size_t n_warnings;
};

#define PLAN_ROWS_ASK 10000

/* where: predicate text or NULL. Mistakes in sets/excludes/where that only show with all names
 * known go to diags (E_CONFIG). More than PLAN_ROWS_ASK rows without force: E_USAGE. */
int plan_make(const struct descriptor *descriptor, const struct plan_facts *facts,
	const char *where, bool force, struct diags *diags, struct plan **ret, struct err *err)
	MUST_CHECK;
void plan_free(struct plan *plan);
DEFINE_CLEANUP(struct plan, plan_free)

/* Bindings for build steps, outputs and build env: vars, defines, features, jobs, here, inputs,
 * tree, out. Everything but tree and out comes from the plan. */
void plan_build_bindings(const struct plan *plan, const struct plan_build *build, const char *tree,
	const char *out, int jobs, struct bindings *to, struct arena *arena);

struct run_paths { /* what the engine decides for a run; borrowed */
	const char *scratch;
	const char *cpus; /* text of the cpu set or "" */
	uint64_t seed;
	/* Absolute paths of the outputs, parallel to descriptor->build.outputs. */
	const char *const *bins;
	const char *const *base_bins;
};
/* argv with {args} in place or appended, and the environment additions of a row (NULL = unset). */
int plan_row_command(const struct plan *plan, const struct plan_row *row,
	const struct run_paths *paths, struct arena *arena, const char *const **ret_argv,
	struct conf_pairs *ret_env, const char **ret_cwd, struct err *err) MUST_CHECK;
/* Any template of a workload (metric file paths, check paths). */
int plan_row_text(const struct plan *plan, const struct plan_row *row,
	const struct run_paths *paths, const char *text, struct arena *arena, const char **ret,
	struct err *err) MUST_CHECK;

/* Row by name, by "workload/variant", or by variant when there is one workload; -1. */
int plan_find_row(const struct plan *plan, const char *name);

/* Values of a row for store and reports: {"A1":"cap2","A4":"on"} (only active ones) and
 * {"threads":"2"}; new references. */
json_t *plan_row_options(const struct plan *plan, const struct plan_row *row);
json_t *plan_row_axes(const struct plan *plan, const struct plan_row *row);

#endif
