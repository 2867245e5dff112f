/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "selftest.h"

#include <stddef.h>
#include <stdio.h>

int selftest(void)
{
	static const struct {
		const char *name;
		bool (*run)(void);
	} tests[] = {
		{"scalar field", selftest_fr},
		{"linear combinations", selftest_lc},
		{"circuit", selftest_circuit},
	};
	int rc = 0;

	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		bool ok = tests[i].run();

		printf("%s: %s\n", tests[i].name, ok ? "ok" : "FAILED");
		if (!ok)
			rc = -1;
	}
	return rc;
}
