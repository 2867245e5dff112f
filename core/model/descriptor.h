/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The experiment as its author declared it: doc/descriptor.md as structs.
 *
 * A descriptor lives in one arena and does not change after descriptor_load. It is checked as far
 * as the file alone allows: types, names, references between sections, regular expressions, set
 * expressions and predicates; what needs the disk (do the patches apply, is the source there) is
 * the engine's. Relative paths were made absolute from the descriptor's folder.
 */
#ifndef ASSAY_MODEL_DESCRIPTOR_H
#define ASSAY_MODEL_DESCRIPTOR_H

#include "core/base/arena.h"
#include "core/base/conf.h"
#include "core/base/diag.h"

/* A var's or an option's value: a text, or a list that is spliced into argv. */
struct value {
	const char **items;
	size_t n;
	bool is_list;
};

struct named_value {
	const char *name;
	struct value value;
	const struct conf_node *node;
};

struct argv_list { /* steps */
	const char *const **items;
	size_t n;
};

struct patch {
	const char *file; /* absolute */
	bool reverse;
	int strip;       /* -pN, D 1 */
	const char *dir; /* sub folder of the tree, NULL = its root */
	const struct conf_node *node;
};

struct edit {
	const char *file; /* inside the tree */
	const char *find, *replace;
	int count;
	const struct conf_node *node;
};

/* What a level of an option does: the kinds of doc/descriptor.md. */
struct payload {
	struct conf_texts picks;
	const struct patch *patches;
	size_t n_patches;
	const struct edit *edits;
	size_t n_edits;
	struct conf_pairs defines;
	const struct named_value *sets, *adds;
	size_t n_sets, n_adds;
	struct conf_pairs build_env;
	struct conf_texts features, rustflags;
	struct conf_pairs env;        /* value NULL = unset */
	const char *const *args;      /* NULL = none */
	const struct conf_node *node; /* the map they stand in */
};

enum check_kind {
	CHECK_EXIT,   /* codes or any */
	CHECK_TEXT,   /* in, text, times */
	CHECK_RE,     /* in, re, times */
	CHECK_PHASE,  /* phase */
	CHECK_METRIC, /* metric, is */
	CHECK_FILE,   /* path exists after the run */
	CHECK_SHA256, /* in: digest of the stream equals the baseline's */
	CHECK_CALL,   /* call, times: with the cuda collector */
};

enum stream {
	STREAM_STDOUT,
	STREAM_STDERR,
	STREAM_FILE
};

/* "op number" as in times: ">= 1" */
struct bound {
	enum {
		BOUND_EQ,
		BOUND_NE,
		BOUND_LT,
		BOUND_LE,
		BOUND_GT,
		BOUND_GE
	} op;
	double value;
};

struct check {
	enum check_kind kind;
	const char *text; /* as written, for messages: `stdout has "proof verified"` */
	bool exit_any;
	const int *exit_codes;
	size_t n_exit_codes;
	enum stream in;
	const char *pattern; /* literal or PCRE2 */
	struct bound times;  /* D >= 1 */
	const char *name;    /* phase, metric, file path, call */
	struct bound is;
	const struct conf_node *node;
};

struct checks {
	const struct check *items;
	size_t n;
};

/* An option or one level atom: NAME (any level but off) or NAME=LEVEL. */
struct atom {
	int option;
	int level; /* index into levels, -1 = not off */
	const struct conf_node *node;
};

struct level {
	const char *name;       /* "off", "on", or as declared */
	struct payload payload; /* `also` merged in */
};

struct option {
	const char *name;
	const char *title, *why;
	/* levels[0] is the one that counts as off ("off", the `without` payload, or `base`). */
	const struct level *levels;
	int n_levels;
	int default_level; /* meant by the bare name and by `all` */
	int tree_level;    /* as the tree has it: 0, or 1 for `without` */
	bool named_levels; /* declared with levels: */
	/* Conflicts with a whole option stand on both sides; one with NAME=LEVEL only where it was
	 * declared, since the other side conflicts at that level only. */
	const struct atom *requires, *conflicts;
	size_t n_requires, n_conflicts;
	struct checks seen;
	const struct conf_node *node;
};

struct axis {
	const char *name;
	const char *const *values;
	size_t n_values;
	struct payload payload; /* args, env, defines, sets with {value} inside */
	const struct conf_node *node;
};

struct metric_def { /* workloads.W.metrics.NAME */
	const char *name;
	enum stream in;
	const char *path; /* STREAM_FILE: a template, {scratch} allowed */
	const char *re;
	const char *unit;    /* "" = a count */
	const char *better;  /* "lower", "higher", "none" */
	const char *combine; /* last first mean min max sum */
	bool exact;
	const struct conf_node *node;
};

struct difference {
	bool relative; /* value 0.01 = 1 % */
	double value;  /* absolute: in `unit`'s base (bytes, seconds) or bare */
	const char *unit;
};

struct guard {
	const char *metric;
	struct difference difference;
};

struct measure {
	const char *metric;             /* D "wall" */
	struct difference difference;   /* D 1 % */
	double confidence;              /* D 0.95 */
	int64_t blocks_min, blocks_max; /* N: both N */
	int64_t warmup;                 /* -1: D (1, or 0 when a run takes over 30 s) */
	int64_t timeout_ns;
	uint64_t seed;
	bool seed_given;
	bool order_fixed;
	int64_t budget_ns; /* 0 = none */
	struct conf_texts also;
	const struct guard *guards;
	size_t n_guards;
	/* collectors: name -> options node (NULL = absent, defaults apply) */
	const struct conf_node *collectors;
};

enum capture {
	CAPTURE_AUTO,
	CAPTURE_PIPE,
	CAPTURE_PTY
};

struct workload {
	const char *name;
	const char *const *run;
	const char *log; /* parser's name, NULL = none */
	const struct metric_def *metrics;
	size_t n_metrics;
	struct checks checks; /* {exit: 0} is there when the author gave no exit check */
	struct conf_pairs env;
	const char *cwd;        /* template */
	const char *stdin_path; /* template, absolute; NULL = /dev/null */
	enum capture capture;
	int64_t timeout_ns;
	const char *cpus;
	uint64_t limit_as;    /* 0 = none */
	int64_t limit_nofile; /* 0 = none */
	uint64_t keep_output; /* bytes per stream */
	/* Per option: does it reach this workload (`options:`, and what those require)? */
	const bool *reaches;
	struct measure measure;  /* top-level values with the workload's own over them */
	const char *const *cost; /* scaled-down argv for simulating collectors, NULL */
	const struct conf_node *node;
};

struct input {
	const char *name, *path;
	bool stat_only; /* identity: stat */
	const struct conf_node *node;
};

struct build {
	struct argv_list steps; /* n = 0: nothing to build */
	struct conf_pairs outputs;
	bool own_path; /* path: own */
	const char *dir;
	int64_t timeout_ns;
	int64_t jobs; /* 0 = cores */
	struct conf_pairs env;
	const char *const *fetch; /* NULL */
	struct conf_texts tools;  /* node NULL: default */
	bool keep_tree, overlap;
};

struct source {
	const char *path; /* absolute, D the descriptor's folder; NULL when git is set */
	const char *git;  /* absolute path or URL */
	const char *ref;  /* NULL = the work tree as it is */
	bool submodules_all;
	struct conf_texts submodules;
	struct conf_texts exclude;
};

struct matrix {
	struct conf_texts sets;    /* expressions, checked */
	struct conf_texts exclude; /* predicates, checked */
	const char *baseline;      /* set expression */
	/* crossed dimensions, each of one axis or several zipped ones (indices into axes) */
	const int *const *dims;
	const size_t *dim_sizes;
	size_t n_dims;
	const struct conf_node *node;
};

struct descriptor {
	struct arena arena;
	const char *file; /* as given by the user */
	const char *dir;  /* absolute folder of the file */
	const char *name, *title;
	struct source source;
	const struct input *inputs;
	size_t n_inputs;
	const struct named_value *vars;
	size_t n_vars;
	uint64_t need_memory, need_disk; /* bytes, 0 = none */
	struct build build;
	const struct option *options;
	size_t n_options;
	const struct axis *axes;
	size_t n_axes;
	const struct workload *workloads;
	size_t n_workloads;
	const struct conf_node *parsers; /* inline ones, NULL = none */
	struct matrix matrix;
	struct measure measure;
	struct conf_texts pass;
	const struct conf_node *bisect; /* checked map, NULL = none */
	const char *overlay;            /* FILE.local.yaml when there was one, else NULL */
	struct conf_texts set_args;     /* --set given */
	const struct conf_node *root;
};

/*
 * Reads file, FILE.local.yaml beside it, and the `--set` assignments, in this order. All mistakes
 * and warnings of all of them go to diags. NULL with err when it cannot be used (E_CONFIG when
 * diags has errors; E_MISSING when there is no such file). If `file` is a folder with exactly one
 * *.yaml descriptor inside, that one is meant.
 */
int descriptor_load(const char *file, const char *const *set_args, size_t n_set_args,
	struct diags *diags, struct descriptor **ret, struct err *err) MUST_CHECK;
void descriptor_free(struct descriptor *descriptor);
DEFINE_CLEANUP(struct descriptor, descriptor_free)

/* Index or -1. */
int descriptor_option(const struct descriptor *descriptor, const char *name);
int descriptor_workload(const struct descriptor *descriptor, const char *name);
int descriptor_axis(const struct descriptor *descriptor, const char *name);
int option_level(const struct option *option, const char *name);

/* Checks "wall", "phase:NAME", "log:NAME@PHASE", "counter:X", "metric:X", "gpu:X", or the name of
 * a workload's own metric; false with why. */
bool metric_ref_valid(const struct workload *workload, const char *ref, char *why, size_t size);

/* Base unit of what ref names as far as the descriptor tells: "s", "B", "" (a count), the own unit
 * of a workload's metric ("Mops"); NULL = only a run tells. */
const char *metric_ref_unit(const struct workload *workload, const char *ref);

/* Value against a bound. */
bool bound_holds(const struct bound *bound, double value);

#endif
