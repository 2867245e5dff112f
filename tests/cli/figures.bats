#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The figures that assay prints, against figures made from the raw values by other means.
load common

# scipy PROGRAM ARG...: skips where Debian's python3-scipy is not installed.
scipy() {
	/usr/bin/python3 -c 'import scipy' 2>/dev/null ||
		skip "no SciPy to compare with: apt-get install python3-scipy"
	run /usr/bin/python3 "$@"
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "every figure of a report follows from the store's raw values" {
	scipy "$src/tests/reference/check_report.py" "$assay"
	[[ $output == *" figures checked, 0 wrong" ]]
}
