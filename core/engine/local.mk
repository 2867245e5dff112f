# SPDX-License-Identifier: GPL-3.0-or-later
libassay_la_SOURCES += core/engine/apply.h
libassay_la_SOURCES += core/engine/build.h
libassay_la_SOURCES += core/engine/executor.h
libassay_la_SOURCES += core/engine/source.h
libassay_la_SOURCES += core/engine/state.h
