/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs and builds of a made-up world (world.h): nothing is started, no time passes. */
#ifndef ASSAY_ENGINE_EXEC_FAKE_H
#define ASSAY_ENGINE_EXEC_FAKE_H

#include "core/engine/executor.h"

extern const struct executor executor_fake;

#endif
