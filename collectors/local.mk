# SPDX-License-Identifier: GPL-3.0-or-later
libassay_la_SOURCES += collectors/check.h
libassay_la_SOURCES += collectors/collector.h
libassay_la_SOURCES += collectors/lines.h
libassay_la_SOURCES += collectors/log_parser.h
