/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "reports/render_impl.h"

static int render(const struct doc *doc, const struct render_options *options, struct buf *to,
	struct err *err)
{
	(void)options;
	if (!doc->csv)
		return err_set(err, E_USAGE, "this report has no csv form");
	table_render_csv(doc->csv, to);
	return 0;
}

const struct renderer render_csv = {
	.name = "csv",
	.summary = "the verdicts, one line per row",
	.extension = "csv",
	.render = render,
};
