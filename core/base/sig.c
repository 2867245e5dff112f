/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/sig.h"

#include <signal.h>
#include <stddef.h>

#include "core/base/util.h"

volatile int sig_received;

static void note(int sig)
{
	sig_received = sig;
}

void sig_install(void)
{
	static const int asked[] = {SIGINT, SIGTERM, SIGHUP};

	for (size_t i = 0; i < ARRAY_SIZE(asked); i++) {
		/* no SA_RESTART: a wait that is interrupted is how the flag gets seen */
		struct sigaction act = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND};
		struct sigaction old;

		sigemptyset(&act.sa_mask);
		/* what our parent had us ignore (nohup, a background job of sh) stays ignored */
		if (sigaction(asked[i], NULL, &old) == 0 && old.sa_handler == SIG_IGN)
			continue;
		sigaction(asked[i], &act, NULL);
	}
	signal(SIGPIPE, SIG_IGN);
}
