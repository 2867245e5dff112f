/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "reports/render.h"

#include <string.h>

#include "reports/figure.h"
#include "reports/render_impl.h"

const struct renderer *const renderers[] = {
	&render_text,
	&render_markdown,
	&render_json,
	&render_csv,
	NULL,
};

const struct renderer *renderer_find(const char *name)
{
	for (size_t i = 0; renderers[i]; i++) {
		if (!strcmp(renderers[i]->name, name))
			return renderers[i];
	}
	return NULL;
}

bool render_figure(const struct figure *figure, const struct render_options *options,
	char **ret_path, char **ret_why)
{
	const char *format = options->figure_format ? options->figure_format : "svg";
	AUTOFREE char *path = xasprintf("%s-%s.%s", options->figure_stem, figure->name, format);
	struct err err = {0};

	if (figure_write(figure, format, path, &err) < 0) {
		*ret_why =
			err.help[0] ? xasprintf("%s; %s", err.text, err.help) : xstrdup(err.text);
		return false;
	}
	*ret_path = STEAL(path);
	return true;
}
