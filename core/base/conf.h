/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * YAML files as trees of nodes with places, and a table-driven check that reads them into structs.
 *
 * Lexical rules: doc/descriptor.md (UTF-8 without NUL, one document, no anchors, aliases, tags or
 * merge keys, depth <= 32, <= 1 MiB, no duplicate keys). All of these are checked, each with its
 * place, before or after libfyaml sees the text; libfyaml is used nowhere else. Scalars stay text:
 * the schema gives them a type, never YAML's guessing.
 */
#ifndef ASSAY_BASE_CONF_H
#define ASSAY_BASE_CONF_H

#include "core/base/arena.h"
#include "core/base/diag.h"

enum conf_kind {
	CONF_NULL,
	CONF_SCALAR,
	CONF_LIST,
	CONF_MAP
};

struct conf_node {
	enum conf_kind kind;    /* CONF_NULL: an empty value or a plain null or ~ */
	struct place place;     /* of the value */
	struct place key_place; /* of the key; of the value where there is none */
	const char *key;        /* in a map, else NULL */
	const char *path;       /* "options.A1.define", for messages */
	const char *text;       /* CONF_SCALAR */
	const char *source; /* the text of the value's line, for the caret (long lines are cut) */
	const char *key_source;   /* of the key's line */
	struct conf_node **items; /* of a list or a map, in file order */
	size_t n;
};

#define conf_foreach(item, node) \
	for (size_t item##_i = 0; \
		item##_i < (node)->n && ((item) = (node)->items[item##_i], true); item##_i++)

/*
 * Reads a file into the arena (file name, texts and nodes live there). Lexical mistakes go to
 * diags, with their places; -1 when no tree could be made: err is E_MISSING when the file cannot be
 * read (nothing in diags then), else E_CONFIG (err repeats only how many mistakes diags got).
 * A tree with duplicate keys (the first one kept), anchors or tags is returned all the same, so
 * that the schema's mistakes can be shown in one go: 0 does not mean that diags got no errors. An
 * empty file is a node of kind CONF_NULL.
 */
int conf_load(const char *path, struct arena *arena, struct diags *diags, struct conf_node **ret,
	struct err *err) MUST_CHECK;
/* The same from memory; name stands for the file in places. */
int conf_parse(const char *name, const char *text, size_t len, struct arena *arena,
	struct diags *diags, struct conf_node **ret, struct err *err) MUST_CHECK;

/* Overlay: maps merge, everything else replaces. Nodes keep their own places. over may be freed
 * with its arena only after base. */
void conf_merge(struct conf_node *base, const struct conf_node *over, struct arena *arena);
/* "a.b=VALUE" (--set): VALUE is read as YAML when it begins with [ { " or ', else it is the text as
 * it stands (null, ~ and nothing are null); missing maps on the way are made. Keys may hold dots:
 * the longest key that is there wins. Places are "--set" with the assignment as source line.
 * Mistakes inside VALUE go to diags, all others are E_USAGE or E_CONFIG; -1 for both. */
int conf_set(struct conf_node *root, const char *assignment, struct arena *arena,
	struct diags *diags, struct err *err) MUST_CHECK;

/* NULL if the map has no such key (or node is no map). */
const struct conf_node *conf_get(const struct conf_node *map, const char *key);
/* An error at a node's value, with source line and caret; diag_help may follow. All three put
 * "PATH: " before the text, so fmt starts with what is wrong: "expected a map, got a list". */
void conf_error(struct diags *diags, const struct conf_node *node, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
void conf_warning(struct diags *diags, const struct conf_node *node, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
/* At the key instead of the value. */
void conf_key_error(struct diags *diags, const struct conf_node *node, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

/* --- Schema --- */

enum conf_type {
	CT_TEXT,     /* const char *; any scalar */
	CT_NAME,     /* const char *; NAME of doc/descriptor.md, not reserved */
	CT_IDENT,    /* const char *; NAME with "-" allowed (experiment name) */
	CT_BOOL,     /* bool; only true or false */
	CT_INT,      /* int64_t, within min..max */
	CT_REAL,     /* double */
	CT_DURATION, /* int64_t ns; > 0 unless CONF_ZERO_OK */
	CT_SIZE,     /* uint64_t bytes */
	CT_PERCENT,  /* double, 0.01 for 1% */
	CT_CHOICE,   /* const char *, one of choices */
	CT_ARGV,  /* const char *const *, NULL-terminated, at least one; a plain string is an error
		   */
	CT_TEXTS, /* struct conf_texts: list of scalars */
	CT_TEXT_OR_TEXTS, /* struct conf_texts: a scalar is a list of one */
	CT_PAIRS, /* struct conf_pairs: map of text to scalar; null values allowed with CONF_NULL_OK
		   */
	CT_NODE,  /* const struct conf_node *: read by the caller */
	CT_STRUCT,  /* a struct in place, read by fields (sub) */
	CT_MAP_OF,  /* struct conf_array: map NAME -> struct of item_size, read by sub; the key goes
		     * to  the member `const char *name` and the node to `const struct conf_node
		     * *node`,  which must be the first two members of that struct (struct conf_item)
		     */
	CT_LIST_OF, /* struct conf_array: list of such structs (name stays NULL) */
};

enum conf_flags {
	CONF_REQUIRED = 1 << 0,
	CONF_LATER = 1 << 1,   /* a field of a later version: refused with `later` as message */
	CONF_ZERO_OK = 1 << 2, /* a duration may be 0 */
	CONF_NULL_OK = 1 << 3, /* null values in CT_PAIRS */
	CONF_ONE_OK = 1 << 4,  /* CT_LIST_OF: a single map is a list of one */
	CONF_ANY_KEY = 1 << 5, /* CT_MAP_OF, CT_PAIRS: keys need not be NAMEs (reserved words are
				* refused by CT_MAP_OF alone) */
};

struct conf_field {
	const char *name;
	enum conf_type type;
	size_t offset;
	unsigned flags;
	const char *const *choices;   /* CT_CHOICE, NULL-terminated */
	const struct conf_field *sub; /* CT_STRUCT, CT_MAP_OF, CT_LIST_OF; ends with name NULL */
	size_t item_size;             /* CT_MAP_OF, CT_LIST_OF */
	int64_t min, max;             /* CT_INT, when max > min */
	const char *later;            /* CONF_LATER: what to write instead, may be NULL */
};

struct conf_item { /* the head of every struct read by CT_MAP_OF and CT_LIST_OF */
	const char *name;
	const struct conf_node *node;
};
struct conf_texts {
	const char **items; /* NULL-terminated too */
	size_t n;
	const struct conf_node *node; /* NULL: not given */
};
struct conf_pair {
	const char *key, *value; /* value NULL: null */
	const struct conf_node *node;
};
struct conf_pairs {
	struct conf_pair *items;
	size_t n;
};
struct conf_array {
	void *items;
	size_t n;
};

/*
 * Reads a map by a field table into `to` (zeroed or holding defaults; absent fields stay as they
 * are). Unknown keys are errors with the nearest field as suggestion. All mistakes go to diags;
 * true when there was none. Sub structs of CT_MAP_OF and CT_LIST_OF start zeroed: callers fill in
 * defaults afterwards.
 */
bool conf_read(const struct conf_node *map, const struct conf_field *fields, void *to,
	struct arena *arena, struct diags *diags);
/* One value by type, for callers that read a CT_NODE themselves; written at to + field->offset. */
bool conf_read_value(const struct conf_node *node, const struct conf_field *field, void *to,
	struct arena *arena, struct diags *diags);

bool conf_is_name(const char *s);     /* NAME of doc/descriptor.md (not whether it is reserved) */
bool conf_is_reserved(const char *s); /* reserved words of doc/descriptor.md */
bool conf_is_level(const char *s);

#endif
