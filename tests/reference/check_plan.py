#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of random matrices, computed by brute force from the rules of doc/descriptor.md and compared
with `assay plan --json`.

usage: check_plan.py ASSAY [COUNT [FIRST]]      experiments with the seeds FIRST .. FIRST+COUNT-1

Options with and without levels, base levels, `without`, requires and conflicts (atoms with and without
a level), workloads that only some options reach, axes, sets of every word and written ones, excludes.
Sets are enumerated as plain Python sets of tuples. No code or idea of the planner is shared.
"""
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile


class Option:
    def __init__(self, rng, name):
        self.name, self.requires, self.conflicts = name, [], []
        self.kind = rng.choice(["plain", "plain", "env", "without", "levels", "base"])
        if self.kind == "levels":
            self.levels = ["off"] + ["a", "b", "c"][:rng.randint(1, 3)]
        elif self.kind == "base":
            self.levels = ["v1", "v2", "v3"][:rng.randint(2, 3)]
        else:
            self.levels = ["off", "on"]
        self.default = rng.randint(1, len(self.levels) - 1)
        self.tree = 1 if self.kind == "without" else 0

    def yaml(self):
        n, more = self.name, ""
        for key, atoms in (("requires", self.requires), ("conflicts", self.conflicts)):
            if atoms:
                more += f", {key}: [{', '.join(atoms)}]"
        if self.kind == "env":
            return f"{n}: {{env: {{{n}: x}}{more}}}"
        if self.kind == "without":
            return f"{n}: {{without: {{define: {{{n}: 0}}}}{more}}}"
        if self.kind == "plain":
            return f"{n}: {{define: {{{n}: 1}}{more}}}"
        levels = ", ".join(f"{x}: {{define: {{{n}: {x}}}}}" for x in self.levels if x != "off")
        base = f", base: {self.levels[0]}" if self.kind == "base" else ""
        return f"{n}: {{levels: {{{levels}}}, default: {self.levels[self.default]}{base}{more}}}"


class World:
    def __init__(self, seed):
        rng = self.rng = random.Random(seed)
        self.options = [Option(rng, f"O{i}") for i in range(rng.randint(1, 5))]
        self.index = {o.name: i for i, o in enumerate(self.options)}
        self.atoms = []  # (owner, other, level index or None, is a requirement)
        order = list(range(len(self.options)))
        rng.shuffle(order)
        for i, j in itertools.combinations(order, 2):  # requires never go round: along a fixed order
            if rng.random() < 0.25:
                self.constrain(i, j, True)
            elif rng.random() < 0.25:
                self.constrain(i, j, False)
        self.axis = rng.random() < 0.4
        self.workloads = {"w": None}
        if rng.random() < 0.5:
            self.workloads["v"] = sorted(rng.sample(range(len(self.options)),
                                                    rng.randint(1, len(self.options))))
        words = ["none", "all", "each", "all-each", "full", "half", "cumulative", "tree"]
        self.sets = rng.sample(words, rng.randint(1, 3)) + [self.written() for _ in range(rng.randint(0, 2))]
        rng.shuffle(self.sets)
        self.sets = list(dict.fromkeys(self.sets))
        self.baseline = rng.choice(["none", "none", "none", "tree", "all"])
        self.excludes = [self.predicate(2) for _ in range(rng.choice([0, 0, 1, 2]))]

    def constrain(self, owner, other, require):
        o, text, level = self.options[other], self.options[other].name, None
        if self.rng.random() < 0.3:
            level = self.rng.randint(1, len(o.levels) - 1)
            text += "=" + o.levels[level]
        (self.options[owner].requires if require else self.options[owner].conflicts).append(text)
        self.atoms.append((owner, other, level, require))

    def written(self):
        terms = []
        for _ in range(self.rng.randint(1, 3)):
            o = self.rng.choice(self.options)
            level = self.rng.choice(o.levels[1:])
            terms.append(self.rng.choice(["all", "none", o.name, o.name, f"{o.name}={level}"]))
        text = terms[0]
        for t in terms[1:]:
            text += self.rng.choice("+-") + t
        return text

    # --- Predicates: a text and what it means for (levels, workload, axis, sets)
    def predicate(self, depth):
        rng, kind = self.rng, self.rng.randint(0, 5)
        if depth and kind < 3:
            a, b = self.predicate(depth - 1), self.predicate(depth - 1)
            return [(f"({a[0]}) & ({b[0]})", lambda r: a[1](r) and b[1](r)),
                    (f"({a[0]}) or ({b[0]})", lambda r: a[1](r) or b[1](r)),
                    (f"not ({a[0]})", lambda r: not a[1](r))][kind]
        i = rng.randrange(len(self.options))
        o = self.options[i]
        level, w = rng.choice(o.levels), rng.choice(list(self.workloads))
        tests = [(o.name, lambda r: r["levels"][i] != 0),
                 (f"{o.name} = {level}", lambda r: o.levels[r["levels"][i]] == level),
                 (f"{o.name} != {level}", lambda r: o.levels[r["levels"][i]] != level),
                 (f"workload = {w}", lambda r: r["workload"] == w),
                 (f"{o.name} in ({level}, {o.levels[1]})",
                  lambda r: o.levels[r["levels"][i]] in (level, o.levels[1])),
                 (f'variant ~ "*{o.name}*"', lambda r: o.name in r["variant"])]
        if self.axis:
            tests += [("x > 1", lambda r: int(r["x"]) > 1), ("x == 02", lambda r: int(r["x"]) == 2)]
        s = rng.choice(self.sets)
        tests.append((f'set == "{s}"', lambda r: s in r["sets"]))
        return rng.choice(tests)

    # --- Rules
    def atom(self, levels, other, level):
        return levels[other] != 0 if level is None else levels[other] == level

    def valid(self, levels):
        return all(not levels[owner] or self.atom(levels, other, level) == require
                   for owner, other, level, require in self.atoms)

    def all(self):
        taken = [0] * len(self.options)
        for i, o in enumerate(self.options):
            taken[i] = o.default
            # What it requires must be there already, and nothing conflict either way.
            if not all(self.atom(taken, other, level) == require for owner, other, level, require
                       in self.atoms if owner in (i,) or (not require and taken[owner])):
                taken[i] = 0
        return tuple(taken)

    def with_required(self, i, level, levels):
        levels[i] = level
        for owner, other, wanted, require in self.in_order(i):
            if require and owner == i and not self.atom(levels, other, wanted):
                self.with_required(other, self.options[other].default if wanted is None else wanted, levels)

    def in_order(self, i):
        """Requirements of one option as they are written."""
        mine = {}
        for a in self.atoms:
            if a[0] == i and a[3]:
                text = self.options[a[1]].name + ("=" + self.options[a[1]].levels[a[2]] if a[2] is not None else "")
                mine[text] = a
        return [mine[t] for t in self.options[i].requires]

    def word(self, s):
        """A set's variants, or None where it is a mistake."""
        n, off = len(self.options), (0,) * len(self.options)
        if s == "none":
            return [off] if self.valid(off) else None
        if s == "tree":
            row = tuple(o.tree for o in self.options)
            return [row] if self.valid(row) else None
        if s == "each":
            rows = []
            for i, o in enumerate(self.options):
                for level in range(1, len(o.levels)):
                    levels = list(off)
                    self.with_required(i, level, levels)
                    rows.append(tuple(levels))
            return [r for r in rows if self.valid(r)]
        if s == "full":
            return [r for r in itertools.product(*[range(len(o.levels)) for o in self.options]) if self.valid(r)]
        if s == "half":
            return [r for r in itertools.product(*[(0, o.default) for o in self.options])
                    if self.valid(r) and sum(x != 0 for x in r) % 2 == 0]
        every = self.all()
        if s == "cumulative":
            return [tuple(x if k <= i else 0 for k, x in enumerate(every)) for i in range(n) if every[i]]
        if s == "all-each":
            rows = []
            for i in range(n):
                if every[i]:
                    row = list(every)
                    row[i] = 0
                    while not self.valid(row):
                        for owner, other, level, require in self.atoms:
                            if require and row[owner] and not self.atom(row, other, level):
                                row[owner] = 0
                    rows.append(tuple(row))
            return rows
        return self.expression(s)

    def expression(self, s):
        levels, named = [0] * len(self.options), {}
        s = s.replace("-", "+-")
        for term in s.split("+"):
            remove, term = term.startswith("-"), term.lstrip("-")
            if term == "none":
                continue
            if term == "all":
                for i, x in enumerate(self.all()):
                    if x:
                        levels[i] = 0 if remove else x
                continue
            name, _, level = term.partition("=")
            i = self.index[name]
            x = self.options[i].levels.index(level) if level else self.options[i].default
            if remove:
                if not level or levels[i] == x:
                    levels[i] = 0
            else:
                if level and named.get(i) and levels[i] != x:
                    return None  # two levels
                named[i] = named.get(i) or bool(level)
                levels[i] = x
        return [tuple(levels)] if self.valid(levels) else None

    def name(self, levels):
        on = [o.name + ("=" + o.levels[x] if len(o.levels) > 2 else "")
              for o, x in zip(self.options, levels) if x]
        return "+".join(on) or "none"

    def reach(self, workload):
        """Options named by a workload, and what these require."""
        if self.workloads[workload] is None:
            return set(range(len(self.options)))
        reach = set(self.workloads[workload])
        while True:
            more = {other for owner, other, _, require in self.atoms if require and owner in reach} - reach
            if not more:
                return reach
            reach |= more

    def expected(self):
        """{row name: facts} and counts, or None where the descriptor has a mistake."""
        sets = {s: self.word(s) for s in self.sets}
        base = self.word(self.baseline)
        if base is None or any(v is None for v in sets.values()):
            return None
        rows, excluded, merged, cells = {}, 0, 0, 0
        for w in self.workloads:
            reach = self.reach(w)
            masked = {s: {tuple(x if i in reach else 0 for i, x in enumerate(v)) for v in rows_}
                      for s, rows_ in sets.items()}
            b = tuple(x if i in reach else 0 for i, x in enumerate(base[0]))
            whole = set().union(base, *sets.values())
            union = set().union({b}, *masked.values())
            for x in ("1", "2") if self.axis else (None,):
                kept = {}
                for levels in union:
                    facts = {"levels": levels, "workload": w, "x": x, "variant": self.name(levels),
                             "sets": [s for s in sets if levels in masked[s]]}
                    if not any(test(facts) for _, test in self.excludes):
                        kept[levels] = facts
                if b not in kept and kept:
                    return None
                merged += len(whole) - len(union)
                excluded += len(union) - len(kept)
                cells += bool(kept)
                for facts in kept.values():
                    facts["baseline"] = f"{w}/{self.name(b)}" + (f"/x={x}" if x else "")
                    rows[f"{w}/{facts['variant']}" + (f"/x={x}" if x else "")] = facts
        return rows, excluded, merged, cells

    def yaml(self):
        text = "schema: 1\nname: made_up\noptions:\n" + "".join(f"  {o.yaml()}\n" for o in self.options)
        if self.axis:
            text += 'axes: {x: {values: ["1", "2"], env: {X: "{value}"}}}\n'
        text += "workloads:\n"
        for w, reach in self.workloads.items():
            more = f", options: [{', '.join(self.options[i].name for i in reach)}]" if reach is not None else ""
            text += f'  {w}: {{run: ["true", {w}]{more}}}\n'
        quoted = ", ".join(json.dumps(s) for s in self.sets)
        text += f"matrix:\n  sets: [{quoted}]\n  baseline: {self.baseline}\n"
        if self.axis:
            text += "  axes: [x]\n"
        if self.excludes:
            text += f"  exclude: [{', '.join(json.dumps(t) for t, _ in self.excludes)}]\n"
        return text


def compare(world, plan):
    rows, excluded, merged, cells = world.expected()
    printed = {r["name"]: r for r in plan["rows"]}
    wrong = []
    if len(printed) != len(plan["rows"]):
        wrong.append("one name twice")
    if set(rows) != set(printed):
        wrong.append(f"missing {sorted(set(rows) - set(printed))}, too many {sorted(set(printed) - set(rows))}")
    for name in set(rows) & set(printed):
        r, p = rows[name], printed[name]
        options = {o.name: o.levels[x] for o, x in zip(world.options, r["levels"]) if x}
        if p["options"] != options or p["workload"] != r["workload"] or p["variant"] != r["variant"] or \
                p["axes"] != ({"x": r["x"]} if r["x"] else {}) or p["baseline"] != r["baseline"]:
            wrong.append(f"{name}: {p} against {r}")
        if p["label"] not in (r["sets"] or [world.baseline]):
            wrong.append(f"{name}: label {p['label']}, in the sets {r['sets']}")
    if plan["excluded"] != excluded or plan["merged"] != merged or len(plan["cells"]) != cells:
        wrong.append(f"excluded {plan['excluded']} ({excluded}), merged {plan['merged']} ({merged}), "
                     f"cells {len(plan['cells'])} ({cells})")
    # Options that only set the environment need no build of their own.
    builds = {tuple(x for o, x in zip(world.options, r["levels"]) if o.kind != "env") for r in rows.values()}
    if len(plan["builds"]) != len(builds) or sum(b["rows"] for b in plan["builds"]) != len(rows):
        wrong.append(f"{len(plan['builds'])} builds, not {len(builds)}")
    return wrong


def main():
    assay, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 300
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    good = mistakes = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "d.yaml")
        for seed in range(first, first + count):
            world = World(seed)
            with open(path, "w", encoding="utf-8") as f:
                f.write(world.yaml())
            done = subprocess.run([assay, "plan", path, "--json"], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True)
            expected = world.expected()
            if expected is None or not expected[0]:
                problem = [] if done.returncode == 3 or (expected and done.returncode in (2, 9)) else [
                    f"a mistake gets exit status {done.returncode}"]
                mistakes += 1
            elif done.returncode:
                problem = [done.stderr]
            else:
                problem = compare(world, json.loads(done.stdout))
                good += 1
            if problem:
                wrong += 1
                print(f"seed {seed}:", *problem, world.yaml(), done.stderr, sep="\n")
    print(f"{good} plans and {mistakes} mistakes checked, {wrong} wrong")
    return 1 if wrong or good < count / 3 else 0


if __name__ == "__main__":
    sys.exit(main())
