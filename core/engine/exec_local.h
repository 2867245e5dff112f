/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs and builds on this machine, by the launcher. */
#ifndef ASSAY_ENGINE_EXEC_LOCAL_H
#define ASSAY_ENGINE_EXEC_LOCAL_H

#include "core/engine/executor.h"

extern const struct executor executor_local;

#endif
