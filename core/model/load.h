/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading a descriptor, shared by the files that do it; nobody else includes this. Every function
 * here puts the mistakes it finds into the loader's list and goes on, so that a file's mistakes are
 * shown in one go; what it writes is usable (maybe empty) even then.
 */
#ifndef ASSAY_MODEL_LOAD_H
#define ASSAY_MODEL_LOAD_H

#include "core/base/map.h"
#include "core/model/descriptor.h"

struct loader {
	struct descriptor *d;
	struct arena *arena; /* the descriptor's */
	struct diags *diags;
	const struct conf_node *root;
	struct map names;   /* options, axes, workloads, parsers -> struct name_use */
	struct map defines; /* every name that a `define` somewhere gives */
};

/* --- Names and texts (load_text.c) ----------------------------------------------------------- */

/* Where a template stands decides which placeholders it may hold (doc/descriptor.md). */
enum template_place {
	IN_VALUE, /* vars, set, add, define: what does not change while an experiment runs */
	IN_BUILD,
	IN_RUN,      /* texts of a run: env, cwd, paths */
	IN_RUN_ARGV, /* run and cost: {args} too */
};

/* Registers a name in the one name space; kind is "an option", "an axis" ... */
void load_name(struct loader *l, const struct conf_node *node, const char *kind);
/* Collects the names that defines give anywhere, before templates are checked. */
void load_define_names(struct loader *l);
/* Checks the placeholders of a text, or of all texts of a list or map. axis: {value} is allowed. */
void load_template(
	struct loader *l, const struct conf_node *node, enum template_place where, bool axis);
/* Absolute from the descriptor's folder, {here} and {env:NAME} expanded; node: for mistakes. */
const char *load_path(struct loader *l, const struct conf_node *node, const char *path);
/* A text that is expanded later: one that begins with a placeholder stays. */
const char *load_path_template(struct loader *l, const char *path);
/* An error unless path stays inside the tree it is relative to. */
bool load_inside(struct loader *l, const struct conf_node *node, const char *path);
/* Compiles a PCRE2 pattern to find its mistakes; group: a named group it must have, or NULL. */
bool load_pattern(
	struct loader *l, const struct conf_node *node, const char *pattern, const char *group);
/* "unknown OPTION 'x'" with the nearest of the names as help. */
void load_unknown(struct loader *l, const struct conf_node *node, const char *what,
	const char *word, const char *const *names, size_t n);
/* The node of item i of a list, or the node itself when the list was given as one text. */
const struct conf_node *load_item(const struct conf_node *list, size_t i);

/* One row of a field table; what is not named is 0. */
#define FIELD(name_, type_, offset_, ...) \
	{ \
		.name = name_, .type = type_, .offset = offset_, ##__VA_ARGS__ \
	}

/* --- Sections
 * ------------------------------------------------------------------------------------- */

void load_source(struct loader *l, const struct conf_node *node);
void load_inputs(struct loader *l, const struct conf_node *node);
void load_vars(struct loader *l, const struct conf_node *node);
void load_needs(struct loader *l, const struct conf_node *node);
void load_build(struct loader *l, const struct conf_node *node);

/* Payload kinds as fields of a struct with a member of type struct raw_payload. */
struct raw_payload {
	struct conf_texts pick;
	const struct conf_node *patch, *edit, *set, *add;
	struct conf_pairs define, build_env, env;
	struct conf_texts features, rustflags;
	const char *const *args;
};
#define PAYLOAD_FIELDS(type, member) \
	FIELD("pick", CT_TEXT_OR_TEXTS, offsetof(type, member.pick)), \
		FIELD("patch", CT_NODE, offsetof(type, member.patch)), \
		FIELD("edit", CT_NODE, offsetof(type, member.edit)), \
		FIELD("define", CT_PAIRS, offsetof(type, member.define)), \
		FIELD("set", CT_NODE, offsetof(type, member.set)), \
		FIELD("add", CT_NODE, offsetof(type, member.add)), \
		FIELD("build_env", CT_PAIRS, offsetof(type, member.build_env)), \
		FIELD("features", CT_TEXTS, offsetof(type, member.features)), \
		FIELD("rustflags", CT_TEXTS, offsetof(type, member.rustflags)), \
		FIELD("env", CT_PAIRS, offsetof(type, member.env), .flags = CONF_NULL_OK), \
		FIELD("args", CT_ARGV, offsetof(type, member.args)), \
		FIELD("ref", CT_NODE, 0, .flags = CONF_LATER, \
			.later = "use pick, or one descriptor per commit"), \
		FIELD("steps", CT_NODE, 0, .flags = CONF_LATER, \
			.later = "use edit or patch, or a var that build.steps uses")

/* node: the map the kinds stand in; axis: {value} is allowed in them. */
void load_payload(struct loader *l, const struct conf_node *node, const struct raw_payload *raw,
	bool axis, struct payload *ret);
/* A map of kinds only (a level, `also`, `without`); a null node is an empty payload. */
void load_payload_map(struct loader *l, const struct conf_node *node, struct payload *ret);
bool payload_is_empty(const struct payload *payload);
/* a, then b; one key with two values is an error at b's. */
void load_payload_join(
	struct loader *l, const struct payload *a, const struct payload *b, struct payload *ret);

void load_options(struct loader *l, const struct conf_node *node);
void load_axes(struct loader *l, const struct conf_node *node);
void load_matrix(struct loader *l, const struct conf_node *node);
void load_workloads(struct loader *l, const struct conf_node *node);
void load_parsers(struct loader *l, const struct conf_node *node);
/* list: a list of checks, one check, or NULL; what: for messages, "check" or "seen". */
void load_checks(struct loader *l, const struct conf_node *list, bool seen, struct checks *ret);

/* measure must hold the defaults (or the top-level values, for a workload's own). */
void load_measure(
	struct loader *l, const struct conf_node *node, bool of_workload, struct measure *measure);
/* References to metrics, once the workload's own are known. Top-level mistakes are reported for the
 * first workload that has them. */
void load_measure_metrics(struct loader *l);
void load_bisect(struct loader *l, const struct conf_node *node);

/* --- Values joined into texts (load_join.c) ------------------------------------------------------
 */

/* Once all sections are read. */
void load_joins(struct loader *l);

#endif
