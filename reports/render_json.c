/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <stdlib.h>

#include "reports/render_impl.h"

static int render(const struct doc *doc, const struct render_options *options, struct buf *to,
	struct err *err)
{
	AUTOFREE char *text = NULL;

	(void)options;
	if (!doc->data)
		return err_set(err, E_USAGE, "this report has no json form");
	text = json_dumps(doc->data, JSON_INDENT(2));
	if (!text)
		return err_set(err, E_BUG, "the report could not be written as json");
	buf_adds(to, text);
	buf_addc(to, '\n');
	return 0;
}

const struct renderer render_json = {
	.name = "json",
	.summary = "the whole report for programs (schema 1)",
	.extension = "json",
	.render = render,
};
