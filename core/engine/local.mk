# SPDX-License-Identifier: GPL-3.0-or-later
libassay_la_SOURCES += core/engine/apply.h
libassay_la_SOURCES += core/engine/build.h
libassay_la_SOURCES += core/engine/childenv.c core/engine/childenv.h
libassay_la_SOURCES += core/engine/exec_fake.c core/engine/exec_fake.h
libassay_la_SOURCES += core/engine/exec_local.c core/engine/exec_local.h
libassay_la_SOURCES += core/engine/executor.c core/engine/executor.h
libassay_la_SOURCES += core/engine/experiment.c core/engine/experiment.h
libassay_la_SOURCES += core/engine/judge.c core/engine/judge.h
libassay_la_SOURCES += core/engine/ledger.c core/engine/ledger.h
libassay_la_SOURCES += core/engine/order.c core/engine/order.h
libassay_la_SOURCES += core/engine/session.c core/engine/session.h
libassay_la_SOURCES += core/engine/source.h
libassay_la_SOURCES += core/engine/state.c core/engine/state.h
libassay_la_SOURCES += core/engine/treedigest.c core/engine/treedigest.h
libassay_la_SOURCES += core/engine/trial.c core/engine/trial.h
libassay_la_SOURCES += core/engine/world.c core/engine/world.h
libassay_la_SOURCES += core/engine/world_load.c core/engine/world_private.h
