/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of collectors: a new one is a file and two lines here. */
#include "config.h"

#include <string.h>

#include "collectors/collector.h"
#include "core/base/text.h"
#include "core/base/vec.h"

extern const struct collector rusage_collector, log_collector, host_collector, fake_collector;

const struct collector *const collectors[] = {
	&rusage_collector,
	&log_collector,
	&host_collector,
	&fake_collector,
	NULL,
};

/* Planned, not built yet: an error of its own instead of a wrong suggestion. */
static const char *const later[] = {"pmu", "cuda", "cachegrind"};

const struct collector *collector_find(const char *name)
{
	for (size_t i = 0; collectors[i]; i++) {
		if (!strcmp(collectors[i]->name, name))
			return collectors[i];
	}
	return NULL;
}

static void unknown(const struct conf_node *item, struct diags *diags)
{
	const char *names[ARRAY_SIZE(collectors)];
	const char *near;
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(later); i++) {
		if (!strcmp(item->key, later[i])) {
			conf_key_error(
				diags, item, "this version has no collector '%s' yet", item->key);
			return;
		}
	}
	for (; collectors[n]; n++)
		names[n] = collectors[n]->name;
	conf_key_error(diags, item, "there is no collector '%s'", item->key);
	near = text_nearest(item->key, names, n);
	if (near)
		diag_help(diags, "did you mean '%s'?", near);
	else
		diag_help(diags, "`assay list collectors` shows them");
}

static bool switched_off(const struct conf_node *node)
{
	return node->kind == CONF_SCALAR &&
	       (!strcmp(node->text, "false") || !strcmp(node->text, "off"));
}

static bool read_options(const struct collector *collector, const struct conf_node *node,
	void *options, struct arena *arena, struct diags *diags)
{
	static const struct conf_field no_fields[] = {{0}};

	if (!node || node->kind == CONF_NULL)
		return true;
	if (node->kind != CONF_MAP) {
		conf_error(diags, node, "expected the options of collector '%s' as a map, or false",
			collector->name);
		diag_help(diags, "`%s: {}` takes the defaults", collector->name);
		return false;
	}
	return conf_read(
		node, collector->options ? collector->options : no_fields, options, arena, diags);
}

bool collectors_read(const struct conf_node *node, struct arena *arena, struct diags *diags,
	struct collector_choice **ret, size_t *ret_n)
{
	struct collector_choice *choices =
		arena_array(arena, ARRAY_SIZE(collectors), sizeof(*choices));
	const struct conf_node *item;
	size_t n = 0, errors = diags->errors;

	if (node && node->kind != CONF_MAP && node->kind != CONF_NULL)
		conf_error(diags, node, "expected a map of collectors: {rusage: {}, host: {}}");
	for (size_t i = 0; collectors[i]; i++) {
		const struct collector *collector = collectors[i];
		const struct conf_node *own = node ? conf_get(node, collector->name) : NULL;

		if (own ? switched_off(own) : !(collector->caps & COLLECTOR_DEFAULT))
			continue;
		choices[n].collector = collector;
		choices[n].options =
			arena_alloc(arena, collector->options_size ? collector->options_size : 1);
		(void)read_options(collector, own, choices[n].options, arena, diags);
		n++;
	}
	if (node && node->kind == CONF_MAP) {
		conf_foreach (item, node) {
			if (!collector_find(item->key))
				unknown(item, diags);
		}
	}
	*ret = choices;
	*ret_n = n;
	return diags->errors == errors;
}
