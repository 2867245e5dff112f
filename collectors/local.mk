# SPDX-License-Identifier: GPL-3.0-or-later
libassay_la_SOURCES += collectors/check.c collectors/check.h
libassay_la_SOURCES += collectors/collector.h
libassay_la_SOURCES += collectors/fake.c
libassay_la_SOURCES += collectors/host.c
libassay_la_SOURCES += collectors/lines.c collectors/lines.h
libassay_la_SOURCES += collectors/log.c
libassay_la_SOURCES += collectors/log_parser.c collectors/log_parser.h
libassay_la_SOURCES += collectors/log_phases.c collectors/log_phases.h
libassay_la_SOURCES += collectors/log_reduce.c collectors/log_reduce.h
libassay_la_SOURCES += collectors/log_rule.h
libassay_la_SOURCES += collectors/log_run.c
libassay_la_SOURCES += collectors/log_selftest.c
libassay_la_SOURCES += collectors/log_series.c collectors/log_series.h
libassay_la_SOURCES += collectors/log_value.c collectors/log_value.h
libassay_la_SOURCES += collectors/regex.c collectors/regex.h
libassay_la_SOURCES += collectors/registry.c
libassay_la_SOURCES += collectors/rusage.c
