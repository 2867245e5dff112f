#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What assay stores of runs, against what the programs say of themselves (tests/programs/known.c) by
getrusage and CLOCK_MONOTONIC, and phases against unions made here.

usage: check_usage.py ASSAY KNOWN
"""
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

WORKLOADS = {
    "cpu": ["cpu=200"],
    "child": ["cpu=50", "child=150"],
    "orphan": ["cpu=50", "orphan=150"],
    "rss": ["rss=100"],
    "naps": ["naps=50"],
    "nothing": [],
    "phases": ["naps=3", "begin=a", "naps=10", "begin=b", "naps=5", "end=a", "naps=5", "begin=a", "naps=10",
               "end=a", "end=b", "naps=4", "begin=c", "naps=2", "begin=c", "naps=3", "end=c", "naps=3", "end=c",
               "end=d", "begin=d", "naps=6"],
    "values": ["say=v: plain=7 half=12.50 t1=12.50ms t2=12.50 ms t_us=1500 big=1e3 size_mib=1.5 "
               "share=12.5% neg=-0.250 twice=1 twice=2"],
}
# metric: value, unit, quantum
VALUES = {
    "plain": (7, "", 1), "half": (12.5, "", 0.01), "t1": (0.0125, "s", 1e-5), "t2": (0.0125, "s", 1e-5),
    "t": (0.0015, "s", 1e-6), "big": (1000, "", 1000), "size": (1.5 * 2**20, "B", 0.1 * 2**20), "share": (0.125, "", 0.001),
    "neg": (-0.25, "", 0.001), "twice": (2, "", 1),
}

wrong = checked = 0


def expect(what, ok, *facts):
    global wrong, checked
    checked += 1
    if not ok:
        wrong += 1
        print(f"{what}:", *facts)


def between(what, low, value, high):
    expect(what, value is not None and low <= value <= high, value, "is not between", low, "and", high)


def union(spans):
    total, end = 0, -1
    for a, b in sorted(spans):
        total += max(0, b - max(a, end))
        end = max(end, b)
    return total


def hand_made(log, start, wall):
    """Phases of the words' own times: the last begun ends first, what is not ended ends with the run."""
    spans, stack, lost = {}, {}, 0
    for word, name, at in re.findall(r"^(begin|end) (\w+) at=(\d+)$", log, re.M):
        t = int(at) - start
        if word == "begin":
            stack.setdefault(name, []).append(t)
        elif stack.get(name):
            spans.setdefault(name, []).append((stack[name].pop(), t))
        else:
            lost += 1
    left = sum(map(len, stack.values()))
    for name, begun in stack.items():
        spans.setdefault(name, []).extend((t, wall) for t in begun)
    return spans, lost, left


def check_run(db, run, workload, start, wall):
    log = db.execute("SELECT kept FROM log WHERE run_id = ? AND stream = 'stdout'", (run,)).fetchone()
    log = log[0].decode() if log else ""
    own = {k: float(v) for k, v in re.findall(r"(\w+)=([\d.]+)", log[log.rindex("known:"):])}
    got, orphans = {}, {}
    for name, scope, instance, value, quantum, unit in db.execute(
            "SELECT m.name, c.name, x.instance, x.value, x.quantum, m.unit FROM sample x JOIN metric m "
            "ON m.id = x.metric_id JOIN scope c ON c.id = x.scope_id WHERE x.run_id = ?", (run,)):
        if scope == "run" and not instance:
            got[name] = value
        elif scope.startswith("phase:") and name == "wall" and not instance:
            got[scope] = value
        elif instance == "orphans":
            orphans[name] = value
        if name.startswith("log:") and name[4:] in VALUES and workload == "values" and not instance:
            expect(name, (value, unit) == VALUES[name[4:]][:2] and abs(quantum / VALUES[name[4:]][2] - 1) < 1e-12,
                   (value, unit, quantum), "is not", VALUES[name[4:]])
    where = f"run {run}, {workload}"
    expect(f"{where}: wall of run and sample", abs(got["wall"] - wall / 1e9) < 1e-9, got["wall"], wall)
    # The program lives inside what was measured; starting and ending it takes little.
    between(f"{where}: release before its start", 0, own["start"] - start, 200e6)
    between(f"{where}: end after its last word", 0, start + wall - own["end"], 200e6)
    between(f"{where}: cpu", own["user"] + own["sys"], got["user"] + got["sys"], own["user"] + own["sys"] + 0.04)
    between(f"{where}: user", own["user"] - 0.005, got["user"], own["user"] + 0.03)
    between(f"{where}: rss", own["rss"] * 1024, got["rss_peak"], own["rss"] * 1024 + 2**20)
    between(f"{where}: faults", own["faults"], got["faults_minor"], own["faults"] + 300)
    between(f"{where}: switches", own["naps"], got["switches_vol"], own["naps"] + 10)
    asked = sum(int(w.split("=")[1]) for w in WORKLOADS[workload] if re.match("cpu|child", w)) / 1e3
    between(f"{where}: cpu as asked for", asked - 0.01, got["user"] + got["sys"], asked * 1.1 + 0.1)
    expect(f"{where}: orphans", bool(orphans) == (workload == "orphan"), orphans)
    if workload == "orphan":
        between(f"{where}: its orphan's cpu", 0.14, orphans["user"] + orphans["sys"], 0.25)
        expect(f"{where}: number of orphans", got["orphans"] == 1, got.get("orphans"))
    if workload == "rss":
        between(f"{where}: 100 MiB", 100 * 2**20, got["rss_peak"], 104 * 2**20)
        between(f"{where}: their pages", 100 * 2**20 / os.sysconf("SC_PAGESIZE") * 0.002,
                got["faults_minor"], 100 * 2**20 / os.sysconf("SC_PAGESIZE") + 1000)
    if workload == "naps":
        between(f"{where}: 50 naps", 50, got["switches_vol"], 65)
    if workload == "phases":
        check_phases(db, run, where, log, start, wall, got)
    if workload == "values":
        expect(f"{where}: all values", all("log:" + k in got for k in VALUES), sorted(got))


def check_phases(db, run, where, log, start, wall, got):
    spans, lost, left = hand_made(log, start, wall)
    expect(f"{where}: unmatched ends", got["log:unmatched_ends"] == lost, got.get("log:unmatched_ends"), lost)
    expect(f"{where}: unmatched begins", got["log:unmatched_begins"] == left)
    stored = {}
    for name, a, b in db.execute("SELECT name, start_ns, end_ns FROM phase WHERE run_id = ?", (run,)):
        stored.setdefault(name, []).append((a, b))
    expect(f"{where}: names", sorted(stored) == sorted(spans), sorted(stored), sorted(spans))
    for name in set(spans) & set(stored):
        expect(f"{where}: {name} occurs", len(spans[name]) == len(stored[name]), stored[name])
        # The union of what is stored, exactly; of the program's own times, but for the pty's lateness.
        expect(f"{where}: union of {name}", abs(got[f"phase:{name}"] - union(stored[name]) / 1e9) < 1e-9,
               got[f"phase:{name}"], union(stored[name]))
        between(f"{where}: {name}", union(spans[name]) / 1e9 - 0.03, got[f"phase:{name}"],
                union(spans[name]) / 1e9 + 0.03)
        for i in (0, 1):  # beginnings, ends: of nested ones one line may catch up with another
            for a, b in zip(sorted(s[i] for s in spans[name]), sorted(s[i] for s in stored[name])):
                between(f"{where}: a line of {name} comes after it was written", 0, b - a, 50e6)
                late.append(b - a)
    for name, value in db.execute("SELECT c.name, x.value FROM sample x JOIN scope c ON c.id = x.scope_id "
                                  "JOIN metric m ON m.id = x.metric_id WHERE x.run_id = ? AND m.name = 'wall' "
                                  "AND x.instance = ''", (run,)):
        if name.startswith("phase:"):
            between(f"{where}: {name} within the run", 0, value, wall / 1e9)


late = []


def main():
    assay, known = sys.argv[1], os.path.abspath(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        text = "schema: 1\nname: usage\noptions: {A: {env: {A: x}}}\nparsers:\n  own:\n    rules:\n"
        text += "      - {match: '^begin (?<n>\\w+) at=', begin: $n}\n      - {match: '^end (?<n>\\w+) at=', end: $n}\n"
        text += "      - {match: '^v: (?<kv>.*)$', pairs: kv}\n"
        text += "measure: {blocks: 3, warmup: 0}\nworkloads:\n"
        for name, words in WORKLOADS.items():
            log = ", log: own" if name in ("phases", "values") else ""
            text += f"  {name}: {{run: {json.dumps([known, *words])}{log}}}\n"
        with open(folder + "/d.yaml", "w", encoding="utf-8") as f:
            f.write(text)
        done = subprocess.run([assay, "run", folder + "/d.yaml", "-q"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        if done.returncode:
            sys.exit(done.stdout + done.stderr)
        db = sqlite3.connect(folder + "/.assay/assay.db")
        runs = db.execute("SELECT r.id, p.workload, r.start_ns, r.wall_ns FROM run r JOIN plan_row p ON "
                          "p.id = r.row_id WHERE r.status = 'ok' AND r.role = 'measured'").fetchall()
        expect("runs", len(runs) == 6 * len(WORKLOADS), len(runs))
        for run in runs:
            check_run(db, *run)
    late.sort()
    print(f"lines came {late[len(late) // 2] / 1e3:.0f} us (median) to {late[-1] / 1e3:.0f} us late")
    print(f"{checked} values checked, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
