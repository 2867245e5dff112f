#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every figure of a report, computed again from the raw values of the store with SciPy.

usage: check_report.py ASSAY [NAME...]        the made-up sessions below (or those named)
       check_report.py ASSAY --store DB [ID]  the sessions of a store

Nothing here shares code with assay: the signed-rank distribution is counted by enumeration of sign
patterns or convolution, quantiles come from scipy, means from numpy. Formulas: doc/statistics.md.
Exit status 1 and one line per figure when any differs by more than 1e-9 (relative).
"""
import json
import math
import os
import sqlite3
import subprocess
import sys
import tempfile

import numpy as np
from scipy import special

TOLERANCE = 1e-9
FIRST_LOOK = 4
UNITS = {"ns": ("s", 1e-9), "us": ("s", 1e-6), "ms": ("s", 1e-3), "s": ("s", 1), "B": ("B", 1)}


# --- Statistics ---------------------------------------------------------------------------------
def signed_rank_k(n, tail):
    """Largest k with P(T+ <= k - 1) <= tail."""
    counts = np.array([1], dtype=object)
    for i in range(1, n + 1):
        shifted = np.concatenate([np.zeros(i, dtype=object), counts])
        counts = np.concatenate([counts, np.zeros(i, dtype=object)]) + shifted
    total, k = 0, 0
    for c in counts:
        total += int(c)
        if total > tail * 2**n:
            break
        k += 1
    return k


def t_quantile(level, df):
    """Two-sided. scipy.stats.t is off by up to 2e-9 here, the inverse beta function is not."""
    return math.sqrt(df * (1 / float(special.betaincinv(df / 2, 0.5, level)) - 1))


def t_interval(d, level, prior):
    n, mean = len(d), float(np.mean(d))
    d0, s02 = prior
    df = n - 1 + d0
    if df <= 0:
        return mean, -math.inf, math.inf, "t", 0
    s2 = (((n - 1) * float(np.var(d, ddof=1)) if n > 1 else 0) + d0 * s02) / df
    half = t_quantile(level, df) * math.sqrt(s2 / n)
    return mean, mean - half, mean + half, "t", df


def unequal(y):
    """One row noisier than the others: largest variance over 9 times the median one."""
    z = y - np.nanmedian(y, axis=1, keepdims=True)
    z = z - np.nanmedian(z, axis=0)
    variances = [np.var(row[np.isfinite(row)], ddof=1) for row in z if np.isfinite(row).sum() >= 2]
    return len(variances) >= 3 and max(variances) > 9 * np.median(variances)


def interval(d, level, prior):
    n = len(d)
    k = signed_rank_k(n, level / 2) if n >= 6 else 0
    if not k:
        return t_interval(d, level, prior)
    walsh = sorted((d[i] + d[j]) / 2 for i in range(n) for j in range(i, n))
    return float(np.median(walsh)), walsh[k - 1], walsh[-k], "signed-rank", n - 1


def residual_variance(y):
    """Of rows x blocks with holes: least squares with a term per row and per block."""
    rows, blocks = y.shape
    at = [(r, b) for r in range(rows) for b in range(blocks) if np.isfinite(y[r, b])]
    x = np.zeros((len(at), rows + blocks))
    for i, (r, b) in enumerate(at):
        x[i, r] = x[i, rows + b] = 1
    values = np.array([y[p] for p in at])
    solution, _, rank, _ = np.linalg.lstsq(x, values, rcond=None)
    df = len(at) - rank
    return float(np.sum((values - x @ solution) ** 2)) / df if df > 0 else math.nan


def verdict(i95, i90, D, sign):
    if -D < i90[1] and i90[2] < D:
        return "same", None
    if i95[1] > 0 and i95[0] >= D:
        return ("regressed" if sign > 0 else "improved"), None
    if i95[2] < 0 and i95[0] <= -D:
        return ("improved" if sign > 0 else "regressed"), None
    return "undecided", "near-δ" if i95[1] > 0 or i95[2] < 0 else "noise"


# --- The store ----------------------------------------------------------------------------------
class Session:
    def __init__(self, db, session):
        self.db, self.id = db, session
        one = db.execute(
            "SELECT s.state, e.text FROM session s JOIN experiment e ON e.id = s.experiment_id "
            "WHERE s.id = ?", (session,)).fetchone()
        self.state, self.experiment = one[0], json.loads(one[1])
        self.rows = db.execute(
            "SELECT p.id, p.name, p.workload, p.variant, p.axes, p.baseline, b.status FROM plan_row p "
            "LEFT JOIN build b ON b.id = p.build_id WHERE session_id = ? ORDER BY p.id",
            (session,)).fetchall()
        self.last = {}  # row id -> {block: (run, status)}, the last attempt that has ended
        for run, row, role, block, _, status in db.execute(
                "SELECT id, row_id, role, block, attempt, status FROM run WHERE session_id = ? AND "
                "role IN ('measured', 'confirm') AND status <> 'running' ORDER BY attempt", (session,)):
            self.last.setdefault(row, {})[role, block] = run, status
        self.cells = {}
        for row in self.rows:
            self.cells.setdefault(row[5], []).append(row)
        for cell in self.cells.values():
            cell.sort(key=lambda row: row[1] != row[5])  # stable: the baseline first
        self.m = len(self.rows) - len(self.cells)

    def metric(self, name, scope):
        found = self.db.execute("SELECT unit, better FROM metric WHERE name = ?", (name,)).fetchone()
        values = {run: (value, quantum or 0) for run, value, quantum in self.db.execute(
            "SELECT x.run_id, x.value, x.quantum FROM sample x JOIN metric m ON m.id = x.metric_id "
            "JOIN scope c ON c.id = x.scope_id JOIN run r ON r.id = x.run_id WHERE m.name = ? AND "
            "c.name = ? AND x.instance = '' AND r.session_id = ? AND x.value IS NOT NULL",
            (name, scope, self.id))}
        return values, found[0] if found else "", found[1] if found else "lower"


class Cell:
    """Values of one metric in one cell."""

    def __init__(self, session, rows, metric, difference):
        values, self.unit, self.better = metric
        blocks = sorted({b for row in rows for b in session.last.get(row[0], {})})
        self.rows, self.y = rows, np.full((len(rows), len(blocks)), np.nan)
        quantum, self.absolute = 0, not difference["relative"]
        for r, row in enumerate(rows):
            for b, block in enumerate(blocks):
                run, status = session.last.get(row[0], {}).get(block, (None, None))
                if status == "ok" and run in values:
                    self.y[r, b], q = values[run]
                    quantum = max(quantum, q)
                    self.absolute |= bool(self.y[r, b] <= 0)
        self.z = self.y if self.absolute else np.log(self.y)
        self.centres = [self.centre_of(r) for r in range(len(rows))]
        base = self.centres[0]
        if difference["relative"]:
            self.D = difference["value"] * abs(base) if self.absolute else math.log1p(difference["value"])
        else:
            unit, factor = UNITS.get(self.unit, (None, 1))
            self.D = difference["value"] / (factor if difference.get("unit") == unit else 1)
        self.resolution = 0
        if quantum:
            self.resolution = quantum if self.absolute else math.log1p(quantum / base)
        self.prior = self.prior_of()

    def centre_of(self, r):
        z = self.z[r][np.isfinite(self.z[r])]
        return math.nan if not len(z) else float(np.mean(z)) if self.absolute else math.exp(np.mean(z))

    def prior_of(self):
        rows = [z for z in self.z if np.isfinite(z).sum() >= 2]
        if len(rows) < 4 or unequal(np.array(rows)):
            return 0, 0
        s2 = residual_variance(np.array(rows))
        return (4, 2 * s2) if math.isfinite(s2) else (0, 0)

    def pairs(self, r):
        both = np.isfinite(self.z[0]) & np.isfinite(self.z[r])
        either = np.isfinite(self.z[0]) | np.isfinite(self.z[r])
        # A block of another group of rows has no partner for this one: nothing is left out there.
        return list(self.z[r][both] - self.z[0][both]), both, either

    def interval(self, d, level):
        e, low, high, method, df = interval(d, level, self.prior)
        return e, min(low, e - self.resolution), max(high, e + self.resolution), method, df

    def effect(self, d):
        return d if self.absolute else math.expm1(d) if math.isfinite(d) else math.copysign(
            math.inf, d) if d > 0 else -1.0


# --- Comparing ----------------------------------------------------------------------------------
class Checker:
    def __init__(self):
        self.wrong, self.checked, self.where = [], 0, ""
        self.seen = set()

    def equal(self, what, ours, theirs):
        self.checked += 1
        if isinstance(ours, float) and not math.isfinite(ours):
            ours = None  # JSON has no infinities
        if isinstance(ours, (int, float)) and isinstance(theirs, (int, float)) and not (
                isinstance(ours, bool) or isinstance(theirs, bool)):
            if abs(ours - theirs) <= TOLERANCE * max(1e-3, abs(ours), abs(theirs)):
                return
        elif ours == theirs:
            return
        self.wrong.append(f"{self.where}: {what}: store gives {ours}, the report says {theirs}")


def fails_often(counts):
    return counts["failed"] * 10 > counts["runs"]


def check_verdicts(session, report, check):
    printed = {(v["workload"], json.dumps(v["axes"], sort_keys=True), v["variant"]): v
               for v in report["verdicts"]}
    check.equal("number of verdicts", session.m, len(printed))
    check.equal("comparisons", session.m, report["session"]["comparisons"])
    for rows in session.cells.values():
        judged = session.experiment["workloads"][rows[0][2]]
        name, scope = split(judged["metric"])
        cell = Cell(session, rows, session.metric(name, scope), judged["difference"])
        sign = -1 if cell.better == "higher" else 1
        alpha = 1 - judged["confidence"]
        counts = []
        for row in rows:
            last = [s for _, s in session.last.get(row[0], {}).values()]
            counts.append({"runs": len(last), "lost": sum(s in ("lost", "discarded") for s in last),
                           "failed": sum(s in ("failed", "timeout", "invalid") for s in last)})
        for r, row in enumerate(rows[1:], 1):
            v = printed[row[2], json.dumps(json.loads(row[4]), sort_keys=True), row[3]]
            check.where = f"session {session.id}, {row[1]}"
            for key in counts[r]:
                check.equal(key, counts[r][key], v[key])
            check.equal("baseline_runs", counts[0]["runs"], v["baseline_runs"])
            check.equal("unit", cell.unit, v["unit"])
            d, both, either = cell.pairs(r)
            need = judged["blocks"]["min"]
            if session.state == "complete":
                need = min(need, FIRST_LOOK)
            check.equal("pairs", len(d), v["pairs"])
            mine = np.array([k in session.last.get(row[0], {}) for k in sorted(
                {b for x in rows for b in session.last.get(x[0], {})})])
            check.equal("pairs_left_out", int((either & ~both & mine).sum()), v["pairs_left_out"])
            check.equal("value", cell.centres[r], v["value"])
            check.equal("baseline_value", cell.centres[0], v["baseline_value"])
            if row[6] not in (None, "ok") or rows[0][6] not in (None, "ok") or fails_often(counts[r]) or \
                    fails_often(counts[0]) or judged["order"] == "fixed" or len(d) < need:
                check.equal("verdict", "unmeasured", v["verdict"])
                for key in ("effect", "low", "high", "difference", "level", "method", "detectable"):
                    check.equal(key, None, v[key])
                check.seen.add("unmeasured")
                continue
            level = alpha / session.m
            i95, i90 = cell.interval(d, level), cell.interval(d, 2 * level)
            word, reason = verdict(i95, i90, cell.D, sign)
            check.seen |= {word, i95[3], reason, "absolute" if cell.absolute else "relative"}
            check.equal("verdict", word, v["verdict"])
            check.equal("method", i95[3], v["method"])
            check.equal("level", level, v["level"])
            if reason:
                check.equal("reason", reason, v["reason"])
            for key, x in zip(("effect", "low", "high"), i95):
                check.equal(key, None if cell.absolute else cell.effect(x), v[key])
            check.equal("cost", None if cell.absolute else sign * cell.effect(i95[0]), v["cost"])
            for key, x in zip(("difference", "difference_low", "difference_high"), i95):
                check.equal(key, x if cell.absolute else cell.effect(x) * cell.centres[0], v[key])
            half = (i95[2] - i95[1]) / 2
            seen = max(cell.effect(half), cell.effect(cell.D)) if 0 < half < math.inf else None
            check.equal("detectable", None if cell.absolute else seen, v["detectable"])
            blocks = None
            if word == "undecided" and cell.D < half < math.inf:
                # The smallest number whose t interval with this scatter is narrow enough.
                s = half * math.sqrt(len(d)) / t_quantile(level, i95[4])
                blocks = max(len(d) + 1, math.ceil((t_quantile(level, 1e9) * s / cell.D) ** 2))
                while blocks < 10000 and t_quantile(level, blocks - 1) * s / math.sqrt(blocks) > cell.D:
                    blocks += 1
            check.equal("blocks_needed", blocks, v["blocks_needed"])


def split(ref):
    if ref.startswith("phase:"):
        return "wall", ref
    name, _, phase = ref.partition("@")
    return name, "phase:" + phase if phase else "run"


OURS = {"log:torn", "log:repaired", "log:unmatched_ends", "log:unmatched_begins",
        "log:unit_conflicts", "log:singles_dropped", "log:rule_off", "log:late_lines"}


def check_changes(session, report, check):
    """The second family, by Holm's rule: whoever is decided leaves, the rest is judged at what is
    left of the level."""
    names = session.db.execute(
        "SELECT DISTINCT m.name, c.name FROM sample x JOIN metric m ON m.id = x.metric_id JOIN scope c "
        "ON c.id = x.scope_id JOIN run r ON r.id = x.run_id WHERE r.session_id = ? AND x.instance = ''",
        (session.id,)).fetchall()
    family, all_of_them = [], {}
    for rows in session.cells.values():
        judged = session.experiment["workloads"][rows[0][2]]
        for name, scope in names:
            if (name, scope) == split(judged["metric"]) or scope == "system" or name in OURS:
                continue
            difference = {"relative": True, "value": 0.01}
            if judged["difference"]["relative"]:
                difference = judged["difference"]
            for ref, own in judged.get("guard", {}).items():
                if split(ref) == (name, scope):
                    difference = own
            cell = Cell(session, rows, session.metric(name, scope), difference)
            need = judged["blocks"]["min"]
            if session.state == "complete":
                need = min(need, FIRST_LOOK)
            for r, row in enumerate(rows[1:], 1):
                d, _, _ = cell.pairs(r)
                if not d:
                    continue
                c = {"cell": cell, "d": d, "alpha": 1 - judged["confidence"], "r": r,
                     "verdict": "unmeasured", "moved": None}
                all_of_them[row[2], json.dumps(json.loads(row[4]), sort_keys=True), row[3], scope, name] = c
                constant = all(len(set(cell.y[x][np.isfinite(cell.y[x])])) == 1 for x in (0, r))
                if len(d) < need or judged["order"] == "fixed":
                    continue
                if cell.D <= 0:
                    if constant and d[0] == 0:
                        c.update(verdict="same", i95=(0, 0, 0))
                    continue
                family.append(c)
    check.where = f"session {session.id}, changes"
    check.equal("change_comparisons", len(family), report["session"]["change_comparisons"])
    left = list(family)
    while left:
        k, stay = len(left), []
        for c in left:
            sign = -1 if c["cell"].better == "higher" else 1
            level = c["alpha"] / k
            c["i95"], i90 = c["cell"].interval(c["d"], level), c["cell"].interval(c["d"], 2 * level)
            c["verdict"], _ = verdict(c["i95"], i90, c["cell"].D, sign)
            if c["verdict"] in ("regressed", "improved"):
                c["moved"] = "up" if c["i95"][0] > 0 else "down"
                if c["cell"].better == "none":
                    c["verdict"] = "undecided"
            elif c["verdict"] == "undecided":
                stay.append(c)
        if len(stay) == k:
            break
        left = stay
    check.equal("number of changes", len(all_of_them), len(report["changes"]))
    for p in report["changes"]:
        key = p["workload"], json.dumps(p["axes"], sort_keys=True), p["variant"], p["scope"], p["metric"]
        check.where = f"session {session.id}, change {key}"
        c = all_of_them.get(key)
        if not c:
            check.equal("is there", False, True)
            continue
        cell = c["cell"]
        check.equal("verdict", c["verdict"], p["verdict"])
        check.equal("moved", c["moved"], p["moved"])
        check.equal("pairs", len(c["d"]), p["pairs"])
        check.equal("value", cell.centres[c["r"]], p["value"])
        check.equal("baseline_value", cell.centres[0], p["baseline_value"])
        check.seen.add("change " + c["verdict"])
        i95 = c.get("i95")
        for what, i in (("effect", 0), ("low", 1), ("high", 2)):
            check.equal(what, None if cell.absolute or not i95 else cell.effect(i95[i]), p[what])
        check.equal("difference", None if not i95 else i95[0] if cell.absolute
                    else cell.effect(i95[0]) * cell.centres[0], p["difference"])


def run(assay, *args, status=(0,)):
    done = subprocess.run([assay, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode not in status:
        sys.exit(f"{' '.join(args)}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout


def check_session(assay, path, session, check):
    report = json.loads(run(assay, "report", str(session), "--store", path, "--format", "json"))
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    one = Session(db, session)
    check_verdicts(one, report, check)
    check_changes(one, report, check)
    db.close()


# --- Made-up sessions ---------------------------------------------------------------------------
NOISY = "noise: 0.01\ndrift: 0.03\nspikes: 0.1\nbimodal: {share: 0.3, size: 0.03}\n"


def world(options, more):
    return f"schema: 1\noptions: [{', '.join(options)}]\n{more}"


def letters(n):
    return [f"O{i}" for i in range(n)]


def descriptor(options, more="", sets="[none, each, all]"):
    text = "schema: 1\nname: made_up\noptions:\n"
    text += "".join(f"  {o}: {{define: {{{o}: 1}}}}\n" for o in options)
    text += f"matrix: {{sets: {sets}, axes: [threads]}}\n"
    text += 'axes: {threads: {values: ["1", "2"], env: {THREADS: "{value}"}}}\n'
    return text + 'workloads:\n  one: {run: ["true"]}\n  two: {run: ["true"]}\n' + more


def lose_runs(db):
    """Some runs are cut off when assay ends and done again, some never."""
    runs = db.execute("SELECT * FROM run WHERE role = 'measured' AND status = 'ok'").fetchall()
    names = [c[1] for c in db.execute("PRAGMA table_info(run)")]
    top = db.execute("SELECT max(id) FROM run").fetchone()[0]
    for i, values in enumerate(runs):
        one = dict(zip(names, values))
        if i % 7 == 3:
            db.execute("UPDATE run SET status = 'lost', reason = 'assay ended' WHERE id = ?", (one["id"],))
        if i % 14 == 3:
            top += 1
            one.update(id=top, attempt=2, resumed=1)
            db.execute(f"INSERT INTO run VALUES ({','.join('?' * len(names))})", [one[n] for n in names])
            db.execute("INSERT INTO sample SELECT ?, metric_id, scope_id, instance, value * 1.01, reason, "
                       "quality, quantum, collector FROM sample WHERE run_id = ?", (top, runs[i][0]))
        if i % 29 == 5:
            db.execute("UPDATE run SET status = 'discarded', reason = 'clock' WHERE id = ?", (one["id"],))


def more_metrics(db):
    """Metrics that a made-up world lacks: higher is better, no direction, zeros, coarse, negative."""
    rng = np.random.default_rng(7)
    kinds = [("log:rate", "", "higher", 0), ("log:shift", "", "none", 0), ("log:zero", "", "lower", 0),
             ("log:mostly_zero", "s", "lower", 0), ("log:coarse", "ms", "lower", 50.0),
             ("log:negative", "", "lower", 0), ("log:patchy", "B", "lower", 0)]
    scope = db.execute("SELECT id FROM scope WHERE name = 'run'").fetchone()[0]
    base = db.execute("SELECT r.id, p.variant, r.wall_ns / 1e9 FROM run r JOIN plan_row p ON p.id = r.row_id"
                      ).fetchall()
    for name, unit, better, quantum in kinds:
        metric = db.execute("INSERT INTO metric (name, unit, better) VALUES (?, ?, ?)",
                            (name, unit, better)).lastrowid
        for run, variant, wall in base:
            value = {"log:rate": 1 / wall, "log:shift": wall * (1.2 if variant != "none" else 1),
                     "log:zero": 0.0, "log:mostly_zero": float(rng.random() < 0.3),
                     "log:coarse": round(wall * 1000 / 50) * 50.0, "log:negative": -wall + rng.normal(0, .01),
                     "log:patchy": wall * 1e6 if rng.random() < 0.8 else None}[name]
            db.execute("INSERT INTO sample VALUES (?, ?, ?, '', ?, ?, '', ?, 'check')",
                       (run, metric, scope, value, None if value is not None else "not printed",
                        quantum or None))


SESSIONS = {
    "two": (world(letters(1), NOISY + "effects: {O0: 0.05}"), None, [], None),
    "quiet": (world(letters(3), "noise: 0.001\neffects: {O0: 0.05, O1: -0.05, O2: 0.011}"), None, [], None),
    "exact": (world(letters(2), "effects: {O0: 0.1}"), None, [], None),
    "phases": (world(letters(4), "noise: 0.004\nphases: {a: {share: 0.5, effects: {O0: 0.2}}, "
                     "b: {share: 0.3, effects: {O1: -0.1}}}"), None, [8], None),
    "fails": (world(letters(5), NOISY + "fail: {O0: build, O1: {run: 0.3}, O2: {timeout: 0.05}, "
                    "O3: {invalid: 0.04}, O4: run}"), None, [20, 32], None),
    "lost": (world(letters(3), "noise: 0.002\neffects: {O0: 0.03}"), None, [6, 15], lose_runs),
    "more": (world(letters(2), "noise: 0.003\neffects: {O0: 0.03}"), None, [4, 8], more_metrics),
    "wide": (world(letters(14), NOISY + "effects: {O3: 0.2}"), None, [4, 8], None),
    "wild": (world(letters(3), "noise: 0.9\neffects: {O1: 0.06}"), None, [2, 3, 4], None),
    "cells": (world(letters(3), NOISY + "effects: {O1: 0.06}"), descriptor(letters(3)), [4, 11], None),
    "absolute": (world(letters(3), "noise: 0.004\neffects: {O1: 0.06}"), descriptor(letters(3), (
        "measure: {difference: 20 ms, confidence: 90%}\n")), [4, 8], None),
    "rate": (world(letters(3), "noise: 0.004\neffects: {O1: 0.06}"), descriptor(letters(3), (
        "measure: {metric: 'phase:a', difference: 2%, guard: {wall: 5%}}\n")), [6], None),
}
SESSIONS["rate"] = (SESSIONS["rate"][0] + "\nphases: {a: {share: 0.5, effects: {O0: 0.2}}}",
                    *SESSIONS["rate"][1:])


def make(assay, name, folder):
    """Yields stores with one session each."""
    text, experiment, blocks, change = SESSIONS[name]
    where = os.path.join(folder, name)
    os.mkdir(where)
    for seed in (1, 2):
        for n in blocks or (2, 3, 4, 5, 6, 8, 11, 15, 20, 26, 32):
            path = os.path.join(where, f"{n}-{seed}")
            with open(path + ".world", "w", encoding="utf-8") as f:
                f.write(f"{text}\nseed: {seed}\n")
            args = ["run", "--simulate", path + ".world", "--store", path, "-q"]
            if experiment:
                with open(path + ".yaml", "w", encoding="utf-8") as f:
                    f.write(experiment)
                args.insert(1, path + ".yaml")
            run(assay, *args, "--set", f"measure.blocks={n}", status=(0, 4, 5))
            if change:
                db = sqlite3.connect(path)
                change(db)
                db.commit()
                db.close()
            yield path


def main():
    assay, args = sys.argv[1], sys.argv[2:]
    check = Checker()
    if args[:1] == ["--store"]:
        db = sqlite3.connect(f"file:{args[1]}?mode=ro", uri=True)
        ids = args[2:] or [str(i) for i, in db.execute("SELECT id FROM session")]
        for i in ids:
            check_session(assay, args[1], int(i), check)
    else:
        with tempfile.TemporaryDirectory() as folder:
            for name in args or SESSIONS:
                before = len(check.wrong)
                for path in make(assay, name, folder):
                    check_session(assay, path, 1, check)
                    for i in range(before, len(check.wrong)):
                        if not check.wrong[i].startswith(name):
                            check.wrong[i] = f"{name} {os.path.basename(path)}: {check.wrong[i]}"
    for line in check.wrong[:60]:
        print(line)
    print(f"{check.checked} figures checked, {len(check.wrong)} wrong")
    # A check that never met a case proves nothing about it.
    if not args:
        missing = {"regressed", "improved", "same", "undecided", "unmeasured", "t", "signed-rank", "noise",
                   "near-δ", "absolute", "relative", "change regressed", "change same", "change undecided",
                   "change improved", "change unmeasured"} - check.seen
        if missing:
            print("never met:", *sorted(missing))
            return 1
    return 1 if check.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
