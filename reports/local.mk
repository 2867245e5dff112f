# SPDX-License-Identifier: GPL-3.0-or-later
libassay_la_SOURCES += reports/analysis.h
libassay_la_SOURCES += reports/doc.h
libassay_la_SOURCES += reports/render.h
libassay_la_SOURCES += reports/report.h
libassay_la_SOURCES += reports/doc.c
libassay_la_SOURCES += reports/figure.c reports/figure.h
libassay_la_SOURCES += reports/figure_text.c
libassay_la_SOURCES += reports/render.c reports/render_impl.h
libassay_la_SOURCES += reports/render_csv.c
libassay_la_SOURCES += reports/render_json.c
libassay_la_SOURCES += reports/render_markdown.c
libassay_la_SOURCES += reports/render_text.c
reportsdatadir = $(pkgdatadir)/reports
dist_reportsdata_DATA = data/reports/figure.gp
