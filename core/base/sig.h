/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The signal flag: SIGINT, SIGTERM and SIGHUP set it (the second one of the same kind restores the
 * default action, so an impatient user is obeyed). SIGPIPE is ignored: a closed pipe is an error of
 * write. The launcher and all children have default dispositions.
 */
#ifndef ASSAY_BASE_SIG_H
#define ASSAY_BASE_SIG_H

extern volatile int sig_received; /* 0 or the number */

void sig_install(void);

#endif
