/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One broken descriptor per kind of mistake, with every message at its place. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "core/model/descriptor.h"
#include "tests/unit/model_fixture.h"

/* body stands on line 3 and below; want: "LINE:COL: level: text", "help: text", one a line. */
struct mistake {
	const char *name, *body, *want;
};

static const struct mistake in_sections[] = {
	{"unknown key", "optons: {}\n",
		"3:1: error: optons: unknown key\n"
		"help: did you mean \"options\"?\n"},
	{"later section", "services: {s: {run: [x]}}\n",
		"3:1: error: services: comes with a later version of assay and is refused until "
		"then\n"},
	{"source path and git", "source: {path: a, git: b}\n",
		"3:19: error: source.git: path and git exclude each other\n"
		"help: path: files as they are now; git: a repository, maybe with ref\n"},
	{"source ref needs git", "source: {ref: HEAD}\n",
		"3:10: error: source.ref: ref needs git\n"
		"help: write git: instead of path:\n"},
	{"merge base", "source: {git: r, ref: \"merge-base:main\"}\n",
		"3:23: error: source.ref: merge-base comes with a later version of assay and is "
		"refused until then\n"
		"help: write the commit that `git merge-base` prints\n"},
	{"submodules path", "source: {git: r, submodules: [../x]}\n",
		"3:31: error: source.submodules[0]: '../x' does not stay inside the source tree\n"
		"help: write a path relative to the top of the tree, without '..'\n"},
	{"input missing path", "inputs: {a: {identity: stat}}\n",
		"3:10: error: inputs.a: \"path\" is missing\n"},
	{"var reserved name", "vars: {tree: x}\n",
		"3:8: error: vars.tree: \"tree\" is a reserved word\n"},
	{"var placeholder", "vars: {A: \"{B}\"}\n",
		"3:11: error: vars.A: unknown placeholder '{B}'\n"
		"help: known here: {here} {jobs} {env:NAME}; '{{' and '}}' are braces\n"},
	{"needs later", "needs: {gpus: 1}\n",
		"3:9: error: needs.gpus: comes with a later version of assay and is refused until "
		"then\n"},
	{"steps flat", "build: {steps: [make, all]}\n",
		"3:16: error: build.steps: expected a list of commands, each a list of words\n"
		"help: put the command into brackets of its own: [[make, ...]]\n"},
	{"steps text", "build: {steps: [make]}\n",
		"3:16: error: build.steps: expected a list of commands, each a list of words\n"
		"help: put the command into brackets of its own: [[make, ...]]\n"},
	{"step placeholder", "build: {steps: [[make, \"{ou}\"]]}\n",
		"3:24: error: build.steps[0][1]: unknown placeholder '{ou}'\n"
		"help: did you mean '{out}'?\n"},
	{"run placeholder in build", "build: {steps: [[make, \"{scratch}\"]]}\n",
		"3:24: error: build.steps[0][1]: '{scratch}' is known in runs only\n"},
	{"braces", "build: {steps: [[make, \"a{b\"]]}\n",
		"3:24: error: build.steps[0][1]: a '{' without '}' behind it; write '{{' for a "
		"brace\n"},
	{"dir outside", "build: {dir: ../x}\n",
		"3:14: error: build.dir: '../x' does not stay inside the source tree\n"
		"help: write a path relative to the top of the tree, without '..'\n"},
	{"timeout zero", "build: {timeout: 0 s}\n",
		"3:18: error: build.timeout: must be longer than 0\n"},
	{"timeout bare", "build: {timeout: 10}\n",
		"3:18: error: build.timeout: '10' has no unit: write 10 s (units: ns us ms s min h "
		"d)\n"},
	{"empty option", "options: {A: {title: nothing}}\n",
		"3:11: error: options.A: the option changes nothing\n"
		"help: give it a patch, edit, define, set, add, env, args, ... or levels\n"},
	{"reserved option", "options: {all: {define: {X: 1}}}\n",
		"3:11: error: options.all: \"all\" is a reserved word\n"
		"help: choose another name, for instance all_1\n"},
	{"option pick path", "options: {A: {pick: abc}}\n",
		"3:15: error: options.A.pick: pick needs a git source\n"
		"help: write source: {git: ...}, or use the change as a patch\n"},
	{"option later", "options: {A: {ref: abc, define: {X: 1}}}\n",
		"3:15: error: options.A.ref: comes with a later version of assay and is refused "
		"until then\n"
		"help: use pick, or one descriptor per commit\n"},
	{"edit outside", "options: {A: {edit: {file: /etc/passwd, find: a, replace: b}}}\n",
		"3:28: error: options.A.edit.file: '/etc/passwd' does not stay inside the source "
		"tree\n"
		"help: write a path relative to the top of the tree, without '..'\n"},
	{"edit no find", "options: {A: {edit: {file: x, replace: b}}}\n",
		"3:15: error: options.A.edit: \"find\" is missing\n"},
	{"unknown var",
		"vars: {OPT: a}\n"
		"options: {A: {set: {OTP: x}}}\n",
		"4:26: error: options.A.set.OTP: unknown var 'OTP'\n"
		"help: did you mean 'OPT'?\n"},
	{"value outside", "options: {A: {args: [\"{value}\"]}}\n",
		"3:22: error: options.A.args[0]: '{value}' is known inside axes only\n"},
	{"levels no default",
		"options: {A: {levels: {a: {define: {X: 1}}, b: {define: {X: 2}}}}}\n",
		"3:11: error: options.A: 2 levels, but no default: the bare name could mean any\n"
		"help: add default: a\n"},
	{"bad default",
		"options: {A: {default: c, levels: {aa: {define: {X: 1}}, bb: {define: {X: "
		"2}}}}}\n",
		"3:24: error: options.A.default: unknown level 'c'\n"
		"help: known: aa, bb\n"},
	{"base default",
		"options: {A: {base: a, default: a, levels: {a: {define: {X: 1}}, b: {define: {X: "
		"2}}}}}\n",
		"3:33: error: options.A.default: 'a' counts as off: it cannot be the default\n"},
	{"kinds beside levels", "options: {A: {define: {Y: 1}, levels: {a: {define: {X: 1}}}}}\n",
		"3:15: error: options.A.define: stands beside levels\n"
		"help: put it into one of the levels, or into also: {...} for all of them\n"},
	{"also clash", "options: {A: {also: {define: {X: 3}}, levels: {a: {define: {X: 1}}}}}\n",
		"3:64: error: options.A.levels.a.define.X: 'X' has another value in `also`, which "
		"holds for every level\n"},
	{"level off", "options: {A: {levels: {off: {define: {X: 1}}}}}\n",
		"3:24: error: options.A.levels.off: \"off\" is a reserved word\n"
		"help: off is there by itself, or name another level by base:\n"},
	{"level name", "options: {A: {levels: {a-b: {define: {X: 1}}}}}\n",
		"3:24: error: options.A.levels.a-b: \"a-b\" is not a level\n"
		"help: a level has letters, digits, \"_\" and \".\", at most 32\n"},
	{"requires cycle",
		"options:\n"
		"  A: {define: {X: 1}, requires: [B]}\n"
		"  B: {define: {Y: 1}, requires: [C]}\n"
		"  C: {define: {Z: 1}, requires: [A]}\n",
		"6:34: error: options.C.requires[0]: requires go in a circle: A -> B -> C -> A\n"
		"help: options that need each other are one option\n"},
	{"requires unknown", "options: {Alpha: {define: {X: 1}, requires: [Alpa]}}\n",
		"3:46: error: options.Alpha.requires[0]: unknown option 'Alpa'\n"
		"help: did you mean 'Alpha'?\n"},
	{"requires itself", "options: {A: {define: {X: 1}, requires: [A]}}\n",
		"3:42: error: options.A.requires[0]: the option requires itself\n"},
	{"requires level",
		"options:\n"
		"  A: {define: {X: 1}, requires: [B=hi]}\n"
		"  B: {define: {Y: 1}}\n",
		"4:34: error: options.A.requires[0]: unknown level 'hi'\n"
		"help: known: on\n"},
	{"requires off",
		"options:\n"
		"  A: {define: {X: 1}, requires: [B=off]}\n"
		"  B: {define: {Y: 1}}\n",
		"4:34: error: options.A.requires[0]: 'B=off' counts as off here and cannot be "
		"asked for\n"},
	{"requires and conflicts",
		"options:\n"
		"  A: {define: {X: 1}, requires: [B], conflicts: [B]}\n"
		"  B: {define: {Y: 1}}\n",
		"4:34: error: options.A.requires[0]: requires and conflicts with 'B'\n"},
	{"without mixed", "options: {A: {without: {define: {X: 1}}, env: {E: \"1\"}}}\n",
		"3:42: error: options.A.env: stands beside without\n"
		"help: with without: {...}, on is the tree as it is\n"},
	{"seen exit", "options: {A: {define: {X: 1}, seen: [{exit: 0}]}}\n",
		"3:39: error: options.A.seen[0].exit: an exit status does not show that code "
		"ran\n"},
	{"seen pattern", "options: {A: {define: {X: 1}, seen: [{in: stderr, re: \"a(b\"}]}}\n",
		"3:55: error: options.A.seen[0].re: regular expression: missing closing "
		"parenthesis, after 'a(b'\n"},
	{"axis nothing", "axes: {n: {values: [\"1\"]}}\n",
		"3:8: error: axes.n: the axis changes nothing\n"
		"help: give it args, env, define or set with {value} inside\n"},
	{"axis twice", "axes: {n: {values: [\"1\", \"1\"], args: [\"{value}\"]}}\n",
		"3:26: error: axes.n.values[1]: '1' is there twice\n"},
	{"axis range", "axes: {n: {values: 1..8, args: [\"{value}\"]}}\n",
		"3:20: error: axes.n.values: ranges come with a later version of assay and are "
		"refused until then\n"
		"help: list the values: [\"1\", \"2\", \"4\"]\n"},
	{"axis later", "axes: {n: {values: [\"1\"], patch: \"{value}\"}}\n",
		"3:27: error: axes.n.patch: comes with a later version of assay and is refused "
		"until then\n"
		"help: an axis takes args, env, define and set; use an option\n"},
	{"axis unknown",
		"axes: {n: {values: [\"1\"], args: [\"{value}\"]}}\n"
		"matrix: {axes: [m]}\n",
		"4:17: error: matrix.axes[0]: unknown axis 'm'\n"
		"help: known: n\n"},
	{"axis crossed twice",
		"axes: {n: {values: [\"1\"], args: [\"{value}\"]}}\n"
		"matrix: {axes: [n, n]}\n",
		"4:20: error: matrix.axes[1]: axis 'n' is crossed already\n"},
	{"zip",
		"axes:\n"
		"  n: {values: [\"1\"], args: [\"{value}\"]}\n"
		"  m: {values: [\"1\", \"2\"], args: [\"{value}\"]}\n"
		"matrix: {axes: [{zip: [n, m]}]}\n",
		"6:23: error: matrix.axes[0].zip: zipped axes must be equally long: 'n' has 1, 'm' "
		"2 values\n"},
	{"set unknown",
		"options: {A1: {define: {X: 1}}}\n"
		"matrix: {sets: [none, A2]}\n",
		"4:23: error: matrix.sets[1]: unknown option 'A2' in the set 'A2'\n"
		"help: did you mean 'A1'?\n"},
	{"set level",
		"options: {A1: {define: {X: 1}}}\n"
		"matrix: {sets: [A1=hi]}\n",
		"4:17: error: matrix.sets[0]: 'A1' has no level 'hi' in the set 'A1=hi'\n"
		"help: there are: off on\n"},
	{"set word",
		"options: {A1: {define: {X: 1}}}\n"
		"matrix: {sets: [A1+each]}\n",
		"4:17: error: matrix.sets[0]: 'each' stands alone, not in a set like 'A1+each'\n"},
	{"set empty",
		"options: {A1: {define: {X: 1}}}\n"
		"matrix: {sets: [A1+]}\n",
		"4:17: error: matrix.sets[0]: a name is missing in the set 'A1+'\n"},
	{"set constraint",
		"options:\n"
		"  A1: {define: {X: 1}, conflicts: [B1]}\n"
		"  B1: {define: {Y: 1}}\n"
		"matrix: {sets: [A1+B1]}\n",
		"6:17: error: matrix.sets[0]: the set 'A1+B1' breaks a constraint: A1 conflicts "
		"with B1\n"
		"help: a set holds what it names and nothing else: add what is required, take "
		"out what conflicts\n"},
	{"set two levels",
		"options: {A1: {default: a, levels: {a: {define: {X: 1}}, b: {define: {X: 2}}}}}\n"
		"matrix: {sets: [A1=a+A1=b]}\n",
		"4:17: error: matrix.sets[0]: 'A1' has two levels in the set 'A1=a+A1=b'\n"},
	{"baseline many",
		"options: {A1: {define: {X: 1}}}\n"
		"matrix: {baseline: each}\n",
		"4:20: error: matrix.baseline: 'each' gives more than one variant; one is needed "
		"here\n"
		"help: write for instance none, all, tree or A+B\n"},
	{"joined into a build step",
		"build: {steps: [[sh, -c, \"D={defines}\"]]}\n"
		"options:\n"
		"  A: {define: {X: 'a b', Y: a=b, Z: '{env:Q}'}}\n"
		"  B: {levels: {l: {define: {X: '\"'}}}, also: {args: [a b]}}\n"
		"  C: {without: {define: {X: ';'}}}\n",
		"5:19: error: options.A.define.X: 'a b' cannot be joined into the text at "
		"x.yaml:3:26: "
		"its reader could not tell where it ends\n"
		"help: make '{defines}' there an argument of its own, or use letters, digits and "
		"_.+:,/@%-\n"
		"6:32: error: options.B.levels.l.define.X: '\"' cannot be joined into the text at "
		"x.yaml:3:26: its reader could not tell where it ends\n"
		"help: make '{defines}' there an argument of its own, or use letters, digits and "
		"_.+:,/@%-\n"
		"7:29: error: options.C.without.define.X: ';' cannot be joined into the text at "
		"x.yaml:3:26: its reader could not tell where it ends\n"
		"help: make '{defines}' there an argument of its own, or use letters, digits and "
		"_.+:,/@%-\n"},
	{"paths",
		"inputs: {b: {path: \"{env:ASSAY_NOT_SET}/x\"}, c: {path: \"{tree}/x\"}}\n"
		"options: {A: {patch: {file: \"{nope}\"}}}\n"
		"build: {outputs: {p: \"{out}/p\", q: /etc/passwd, r: ../x}}\n",
		"3:20: error: inputs.b.path: '{env:ASSAY_NOT_SET}': the environment variable "
		"ASSAY_NOT_SET is not set\n"
		"help: export ASSAY_NOT_SET before calling assay\n"
		"3:56: error: inputs.c.path: unknown placeholder '{tree}'\n"
		"help: known here: {here} {env:NAME}\n"
		"5:36: error: build.outputs.q: '/etc/passwd' is outside of the build\n"
		"help: outputs are paths below {out} or {tree}\n"
		"5:52: error: build.outputs.r: '../x' is outside of the build\n"
		"help: outputs are paths below {out} or {tree}\n"
		"4:29: error: options.A.patch.file: unknown placeholder '{nope}'\n"
		"help: known here: {here} {env:NAME}\n"},
	{"features", "options: {A: {features: [a, b c, '', 'd,e']}}\n",
		"3:29: error: options.A.features[1]: 'b c' is no feature\n"
		"help: write one name an element: [a, b]\n"
		"3:34: error: options.A.features[2]: '' is no feature\n"
		"help: write one name an element: [a, b]\n"
		"3:38: error: options.A.features[3]: 'd,e' is no feature\n"
		"help: write one name an element: [a, b]\n"},
	{"exclude far from all",
		"options: {A1: {define: {X: 1}}}\n"
		"matrix: {exclude: [zebra, A1 = zebra]}\n",
		"4:20: error: matrix.exclude[0]: 'zebra', column 1: unknown name 'zebra'\n"
		"help: there are: A1, workload, set, variant\n"
		"4:27: error: matrix.exclude[1]: 'A1 = zebra', column 6: 'A1' has no value "
		"'zebra'\n"
		"help: there are: off, on\n"},
	{"exclude of other letters", "matrix: {exclude: [\u00e9 = 1]}\n",
		"3:20: error: matrix.exclude[0]: '\u00e9 = 1', column 1: unexpected '\u00e9'\n"
		"help: put texts with other characters into double quotes\n"},
	{"cut between characters",
		"measure: {timeout: a\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"
		"\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"
		"\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9}\n",
		"3:20: error: measure.timeout: 'a\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"
		"\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"
		"\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9' is no duration: "
		"write a number and a unit, such as 10 s\n"},
	{"exclude unknown",
		"options: {A1: {define: {X: 1}}}\n"
		"matrix: {exclude: [A1 & thread = 1]}\n",
		"4:20: error: matrix.exclude[0]: 'A1 & thread = 1', column 6: unknown name "
		"'thread'\n"
		"help: there are: A1, workload, set, variant\n"},
	{"exclude level",
		"options: {A1: {define: {X: 1}}}\n"
		"matrix: {exclude: [A1 = cap9]}\n",
		"4:20: error: matrix.exclude[0]: 'A1 = cap9', column 6: 'A1' has no value "
		"'cap9'\n"
		"help: there are: off, on\n"},
	{"exclude status", "matrix: {exclude: [status = ok]}\n",
		"3:20: error: matrix.exclude[0]: 'status = ok', column 1: 'status' means nothing "
		"here: it is known only after a run\n"},
	{"rows later", "matrix: {rows: {x: {}}}\n",
		"3:10: error: matrix.rows: comes with a later version of assay and is refused "
		"until then\n"
		"help: name the rows by set expressions in sets\n"},
	{"name twice", "options: {w: {define: {X: 1}}}\n",
		"4:13: error: workloads.w: 'w' is already the name of an option (x.yaml:3:11)\n"
		"help: options, axes, workloads and parsers share one name space: rename one\n"},
	{"metric unknown", "measure: {metric: wal}\n",
		"3:19: error: measure.metric: unknown metric 'wal'; did you mean 'wall'?\n"},
	{"metric unit", "measure: {metric: rss_peak, difference: 5 ms}\n",
		"3:41: error: measure.difference: the difference is a time, but rss_peak is a "
		"size\n"},
	{"difference", "measure: {difference: small}\n",
		"3:23: error: measure.difference: 'small' is no difference\n"
		"help: write 1%, 5 ms, 10 MiB or a number\n"},
	{"difference zero", "measure: {difference: 0%}\n",
		"3:23: error: measure.difference: the smallest difference that matters must be "
		"above 0\n"},
	{"confidence", "measure: {confidence: 20%}\n",
		"3:23: error: measure.confidence: must be from 50% to below 100%\n"},
	{"blocks look", "measure: {blocks: {min: 5, max: 30}}\n",
		"3:25: error: measure.blocks.min: 5 is no number of blocks at which a session can "
		"look\n"
		"help: looks are at 4 6 8 11 15 20 26 32: the nearest is 4\n"
		"3:33: error: measure.blocks.max: 30 is no number of blocks at which a session can "
		"look\n"
		"help: looks are at 4 6 8 11 15 20 26 32: the nearest is 32\n"},
	{"blocks order", "measure: {blocks: {min: 8, max: 6}}\n",
		"3:19: error: measure.blocks: min is above max (6)\n"},
	{"blocks one", "measure: {blocks: 1}\n",
		"3:19: error: measure.blocks: 1 is not in 2 to 1000000\n"},
	{"also unknown", "measure: {also: [user, phase]}\n",
		"3:24: error: measure.also[1]: unknown metric 'phase'; there are wall, user, sys, "
		"rss_peak, ..., phase:NAME, log:NAME, counter:NAME, metric:NAME, gpu:NAME and the "
		"workload's own\n"},
	{"guard unknown", "measure: {guard: {rsspeak: 1%}}\n",
		"3:28: error: measure.guard.rsspeak: unknown metric 'rsspeak'; did you mean "
		"'rss_peak'?\n"},
	{"collectors", "measure: {collectors: [rusage]}\n",
		"3:23: error: measure.collectors: expected a map of collectors to their options\n"
		"help: write {rusage: {}, log: {}, host: {}}\n"},
	{"bisect", "bisect: {workload: v, from: nine, options: [A]}\n",
		"3:20: error: bisect.workload: unknown workload 'v'\n"
		"help: known: w\n"
		"3:29: error: bisect.from: unknown option 'nine' in the set 'nine'\n"
		"help: did you mean 'none'?\n"
		"3:45: error: bisect.options[0]: unknown option 'A'\n"
		"help: the descriptor declares no option\n"},
	{"order", "measure: {order: sorted}\n",
		"3:18: error: measure.order: expected random or fixed, got the text \"sorted\"\n"},
	{"add text",
		"vars: {OPT: a}\n"
		"options: {A: {add: {OPT: x}}}\n",
		"4:26: error: options.A.add.OPT: expected a list of texts, got the text \"x\"\n"
		"help: write a list: [x]\n"},
	{"step string", "build: {steps: [\"make all\"]}\n",
		"3:17: error: build.steps[0]: expected a command as a list of words, got the text "
		"\"make all\"\n"
		"help: write the words as a list, [make, all]; or write [sh, -c, ...] if a shell "
		"is meant\n"},
};

static const struct mistake in_workloads[] = {
	{"no workloads", "matrix: {sets: [none]}\n", "1:1: error: \"workloads\" is missing\n"},
	{"empty workloads", "workloads: {}\n",
		"3:12: error: workloads: there is no workload: nothing to run\n"},
	{"run text", "workloads: {w: {run: ./prog -x}}\n",
		"3:22: error: workloads.w.run: expected a command as a list of words, got the text "
		"\"./prog -x\"\n"
		"help: write the words as a list, [./prog, -x]; or write [sh, -c, ...] if a shell "
		"is meant\n"},
	{"run missing", "workloads: {w: {timeout: 1 s}}\n",
		"3:13: error: workloads.w: \"run\" is missing\n"},
	{"run output unknown",
		"build: {outputs: {prover: \"{out}/p\"}}\n"
		"workloads: {w: {run: [\"{bin.prove}\"]}}\n",
		"4:23: error: workloads.w.run[0]: unknown placeholder '{bin.prove}'\n"
		"help: did you mean '{bin.prover}'?\n"},
	{"joined into a run",
		"options: {A: {args: [a b]}, B: {args: [c d]}}\n"
		"axes: {t: {values: [ok, 'e f'], args: [\"-t{value}\"]},\n"
		"  u: {values: ['g h'], args: [\"{value}\"]}}\n"
		"workloads: {w: {run: [x, \"-{args}\"], options: [A]}, v: {run: [y, \"{args}\"]}}\n"
		"matrix: {axes: [t]}\n",
		"3:22: error: options.A.args[0]: 'a b' cannot be joined into the text at "
		"x.yaml:6:26: its reader could not tell where it ends\n"
		"help: make '{args}' there an argument of its own, or use letters, digits and "
		"_.+:,/@%-\n"
		"4:25: error: axes.t.values[1]: 'e f' cannot be joined into the text at "
		"x.yaml:6:26: its reader could not tell where it ends\n"
		"help: make '{args}' there an argument of its own, or use letters, digits and "
		"_.+:,/@%-\n"},
	{"run tree", "workloads: {w: {run: [\"{tree}/x\"]}}\n",
		"3:23: error: workloads.w.run[0]: '{tree}' is known in build only\n"},
	{"args in env", "workloads: {w: {run: [x], env: {A: \"{args}\"}}}\n",
		"3:36: error: workloads.w.env.A: '{args}' is known in a workload's run only\n"},
	{"log unknown", "workloads: {w: {run: [x], log: cuszk}}\n",
		"3:32: error: workloads.w.log: unknown parser 'cuszk'\n"
		"help: did you mean 'cuzk'?\n"},
	{"metric in", "workloads: {w: {run: [x], metrics: {m: {in: log, re: \"(?<v>1)\"}}}}\n",
		"3:45: error: workloads.w.metrics.m.in: expected stdout, stderr or file:PATH\n"},
	{"metric group", "workloads: {w: {run: [x], metrics: {m: {in: stdout, re: \"x=(1)\"}}}}\n",
		"3:57: error: workloads.w.metrics.m.re: the regular expression has no group named "
		"'v'\n"
		"help: put the number into (?<v>...)\n"},
	{"metric json", "workloads: {w: {run: [x], metrics: {m: {in: stdout, json: a.b}}}}\n",
		"3:53: error: workloads.w.metrics.m.json: comes with a later version of assay and "
		"is refused until then\n"
		"help: use re: with a group named v\n"},
	{"metric builtin",
		"workloads: {w: {run: [x], metrics: {wall: {in: stdout, re: \"(?<v>1)\"}}}}\n",
		"3:37: error: workloads.w.metrics.wall: 'wall' is the name of a metric of assay's "
		"own\n"},
	{"metric no re", "workloads: {w: {run: [x], metrics: {m: {in: stdout}}}}\n",
		"3:37: error: workloads.w.metrics.m: \"re\" is missing\n"},
	{"metric better",
		"workloads: {w: {run: [x], metrics: {m: {in: stdout, re: \"(?<v>1)\", better: "
		"up}}}}\n",
		"3:76: error: workloads.w.metrics.m.better: expected lower, higher or none, got "
		"the text \"up\"\n"},
	{"check two", "workloads: {w: {run: [x], check: [{exit: 0, phase: x}]}}\n",
		"3:35: error: workloads.w.check[0]: a check asks for one thing, this one for 2\n"
		"help: write one of exit, in, phase, metric, file, call\n"},
	{"check none", "workloads: {w: {run: [x], check: [{}]}}\n",
		"3:35: error: workloads.w.check[0]: a check that asks for nothing\n"
		"help: write one of exit, in, phase, metric, file, call\n"},
	{"check stream", "workloads: {w: {run: [x], check: [{in: log, text: a}]}}\n",
		"3:40: error: workloads.w.check[0].in: expected stdout or stderr\n"
		"help: output of services comes with a later version of assay\n"},
	{"check in alone", "workloads: {w: {run: [x], check: [{in: stdout}]}}\n",
		"3:36: error: workloads.w.check[0].in: text, re or sha256 is missing beside it\n"},
	{"check both", "workloads: {w: {run: [x], check: [{in: stdout, text: a, re: b}]}}\n",
		"3:36: error: workloads.w.check[0].in: only one of text, re and sha256 can be "
		"asked for\n"},
	{"check text alone", "workloads: {w: {run: [x], check: [{exit: 0, text: a}]}}\n",
		"3:45: error: workloads.w.check[0].text: needs in: stdout or stderr\n"},
	{"check bound", "workloads: {w: {run: [x], check: [{metric: wall, is: fast}]}}\n",
		"3:54: error: workloads.w.check[0].is: 'fast' is no bound\n"
		"help: write for instance \">= 1\"\n"},
	{"check metric", "workloads: {w: {run: [x], check: [{metric: wal, is: \"> 1\"}]}}\n",
		"3:44: error: workloads.w.check[0].metric: unknown metric 'wal'; did you mean "
		"'wall'?\n"},
	{"check is", "workloads: {w: {run: [x], check: [{metric: wall}]}}\n",
		"3:36: error: workloads.w.check[0].metric: is: \"OP NUMBER\" is missing beside "
		"it\n"},
	{"check exit", "workloads: {w: {run: [x], check: [{exit: 300}]}}\n",
		"3:42: error: workloads.w.check[0].exit: 300 is not in 0 to 255\n"},
	{"check sha", "workloads: {w: {run: [x], check: [{in: stdout, sha256: abc}]}}\n",
		"3:56: error: workloads.w.check[0].sha256: expected same\n"},
	{"check run later", "workloads: {w: {run: [x], check: [{run: [y]}]}}\n",
		"3:36: error: workloads.w.check[0].run: comes with a later version of assay and is "
		"refused until then\n"
		"help: let the workload itself fail, by a command in run\n"},
	{"check times", "workloads: {w: {run: [x], check: [{exit: 0, times: \"> 1\"}]}}\n",
		"3:45: error: workloads.w.check[0].times: means something beside text, re and call "
		"only\n"},
	{"options unknown", "workloads: {w: {run: [x], options: [A]}}\n",
		"3:37: error: workloads.w.options[0]: unknown option 'A'\n"
		"help: the descriptor declares no option\n"},
	{"iterations", "workloads: {w: {run: [x], iterations: {count: 3}}}\n",
		"3:27: error: workloads.w.iterations: comes with a later version of assay and is "
		"refused until then\n"
		"help: write the count into run; the run is what is compared\n"},
	{"measure top only", "workloads: {w: {run: [x], measure: {seed: 1}}}\n",
		"3:37: error: workloads.w.measure.seed: unknown key\n"
		"help: known here: metric, difference, guard, blocks, warmup\n"},
	{"capture", "workloads: {w: {run: [x], capture: tty}}\n",
		"3:36: error: workloads.w.capture: expected pipe or pty, got the text \"tty\"\n"
		"help: did you mean \"pty\"?\n"},
	{"limits", "workloads: {w: {run: [x], limits: {as: 5}}}\n",
		"3:40: error: workloads.w.limits.as: '5' has no unit: write 5 MiB (units: B kB MB "
		"GB TB KiB MiB GiB TiB)\n"},
	{"many",
		"options: {A: {}}\n"
		"workloads: {w: {run: x, chek: [], timeout: 5}}\n",
		"3:11: error: options.A: the option changes nothing\n"
		"help: give it a patch, edit, define, set, add, env, args, ... or levels\n"
		"4:22: error: workloads.w.run: expected a command as a list of words, got the text "
		"\"x\"\n"
		"help: write the words as a list, [x]; or write [sh, -c, ...] if a shell is meant\n"
		"4:25: error: workloads.w.chek: unknown key\n"
		"help: did you mean \"check\"?\n"
		"4:44: error: workloads.w.timeout: '5' has no unit: write 5 s (units: ns us ms s "
		"min h d)\n"},
};

static const struct mistake only_warnings[] = {
	{"phase never", "workloads: {w: {run: [x], check: [{phase: p}]}}\n",
		"3:35: warning: workloads.w.check[0]: the workload names no log parser: the phase "
		"is never seen\n"},
};

static void check(const struct mistake *m, const char *head, const char *tail, bool loads)
{
	CLEANUP(buf_release) struct buf text = BUF_INIT, got = BUF_INIT;
	CLEANUP(diags_release) struct diags diags = DIAGS_INIT;
	CLEANUP(descriptor_freep) struct descriptor *d = NULL;
	struct err err = {0};

	buf_addf(&text, "%s%s%s", head, m->body, tail);
	write_file("x.yaml", text.data);
	if ((descriptor_load("x.yaml", NULL, 0, &diags, &d, &err) == 0) != loads)
		fail_msg("%s: %s", m->name, loads ? err.text : "loaded");
	show_diags(&diags, &got);
	if (strcmp(got.data, m->want))
		fail_msg("%s:\n--- got\n%s--- want\n%s", m->name, got.data, m->want);
	if (!loads)
		assert_int_equal(err.code, E_CONFIG);
}

#define HEAD "schema: 1\nname: t\n"
#define WORKLOAD "workloads: {w: {run: [x]}}\n"

static void sections(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(in_sections); i++)
		check(&in_sections[i], HEAD, WORKLOAD, false);
}

static void workloads(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(in_workloads); i++)
		check(&in_workloads[i], HEAD, "", false);
}

static void warnings(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(only_warnings); i++)
		check(&only_warnings[i], HEAD, "", true);
}

static void other_schema(void **state)
{
	static const struct mistake newer = {"newer", "schema: 2\nfuture: {}\n",
		"3:1: error: future: unknown key\n"
		"help: known here: schema, name, title, source, inputs, vars, needs, build, "
		"options, "
		"axes, workloads, parsers, matrix, measure, bisect, pass\n"
		"2:9: error: schema: this assay reads schema 1, not 2\n"};

	(void)state;
	check(&newer, "name: t\n", WORKLOAD, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sections),
		cmocka_unit_test(workloads),
		cmocka_unit_test(warnings),
		cmocka_unit_test(other_schema),
	};

	return cmocka_run_group_tests(tests, model_setup, model_teardown) != 0;
}
