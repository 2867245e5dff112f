# SPDX-License-Identifier: GPL-3.0-or-later
libassay_la_SOURCES += core/stats/compare.c core/stats/compare.h
libassay_la_SOURCES += core/stats/describe.c core/stats/describe.h
libassay_la_SOURCES += core/stats/signed_rank.c core/stats/signed_rank.h
libassay_la_SOURCES += core/stats/two_way.c core/stats/two_way.h
