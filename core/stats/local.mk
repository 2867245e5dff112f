# SPDX-License-Identifier: GPL-3.0-or-later
libassay_la_SOURCES += core/stats/compare.h
libassay_la_SOURCES += core/stats/describe.h
