# SPDX-License-Identifier: GPL-3.0-or-later
libassay_la_SOURCES += reports/analysis.h
libassay_la_SOURCES += reports/doc.h
libassay_la_SOURCES += reports/render.h
libassay_la_SOURCES += reports/report.h
