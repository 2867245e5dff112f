# SPDX-License-Identifier: GPL-3.0-or-later
libassay_la_SOURCES += core/model/descriptor.h
libassay_la_SOURCES += core/model/expand.c core/model/expand.h
libassay_la_SOURCES += core/model/plan.h
libassay_la_SOURCES += core/model/predicate.c core/model/predicate.h
libassay_la_SOURCES += core/model/record.c core/model/record.h
libassay_la_SOURCES += core/model/experiment_json.c core/model/experiment_json.h
