# SPDX-License-Identifier: GPL-3.0-or-later
libassay_la_SOURCES += core/base/arena.c core/base/arena.h
libassay_la_SOURCES += core/base/buf.c core/base/buf.h
libassay_la_SOURCES += core/base/diag.c core/base/diag.h
libassay_la_SOURCES += core/base/err.c core/base/err.h
libassay_la_SOURCES += core/base/map.c core/base/map.h
libassay_la_SOURCES += core/base/util.c core/base/util.h
libassay_la_SOURCES += core/base/vec.h
libassay_la_SOURCES += core/base/clock.c core/base/clock.h
libassay_la_SOURCES += core/base/conf.c core/base/conf.h core/base/conf_impl.h
libassay_la_SOURCES += core/base/conf_parse.c
libassay_la_SOURCES += core/base/conf_schema.c
libassay_la_SOURCES += core/base/text.c core/base/text.h
libassay_la_SOURCES += core/base/text_utf8.c
libassay_la_SOURCES += core/base/num.c core/base/num.h
