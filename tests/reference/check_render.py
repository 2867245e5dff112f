#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a report shows as text, Markdown, CSV and figures, against its JSON.

usage: check_render.py ASSAY [NAME...]     sessions of check_report.py

Tables: every printed number is the JSON's, rounded at its last printed digit, and every verdict word the
JSON's verdict. Figures: ticks give the scale (it must be linear), and every mark and bar end must stand
at its value, in the SVG to a tenth of a pixel, in characters to one column.
"""
import csv
import glob
import io
import json
import math
import os
import re
import sys
import tempfile
import xml.etree.ElementTree as ET

import check_report
from check_report import run

UNITS = {"s": ("s", 1), "ms": ("s", 1e-3), "us": ("s", 1e-6), "ns": ("s", 1e-9), "": ("", 1)}
WORDS = {"regressed": ("slower", "worse"), "improved": ("faster", "better"), "same": ("same within", "equal"),
         "undecided": ("undecided",), "unmeasured": ("not measured",)}
SVG = "{http://www.w3.org/2000/svg}"
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")
BOUND = re.compile(r"open|(?:> )?[-+]?\d+(?:\.\d+)?")
BEYOND = 10  # percentages beyond are said so, in intervals wider than a factor of ten

wrong = checked = 0
where = ""


def expect(what, ok, *facts):
    global wrong, checked
    checked += 1
    if not ok:
        wrong += 1
        print(f"{where}: {what}:", *facts)


def printed(what, text, value, factor=1):
    """The first number of a text is value * factor, rounded."""
    if value is None:
        expect(what, not NUMBER.search(text), text, "where there is no value")
        return
    found = NUMBER.search(text)
    expect(what, bool(found), repr(text), "is not", value * factor)
    if not found:
        return
    digits = len(found[0].partition(".")[2])
    expect(what, abs(float(found[0]) - value * factor) <= 0.5000001 * 10**-digits, text, "is not", value * factor)


def beyond(v):
    """The upper end of an interval that two or three pairs made."""
    return v["effect"] is not None and v["high"] is not None and v["high"] > BEYOND and \
        1 + v["high"] > 10 * (1 + (v["low"] or -1))


def bound(what, text, value, factor, clipped):
    if clipped:
        expect(what, text == f"> +{BEYOND * factor:.0f}", text, value)
    elif value is None or factor == 100 and value <= -1:
        expect(what, text == "open", text, value)
    else:
        printed(what, text, value, factor)


def cells_of(report):
    cells = {}
    for v in report["verdicts"]:
        axes = ",".join(f"{k}={x}" for k, x in v["axes"].items())
        cells.setdefault(v["workload"] + (f"/{axes}" if axes else ""), []).append(v)
    return cells


def label(v):
    words = ("each", "all-each", "full", "half", "cumulative")
    return v["label"] if len(v["variant"]) > 20 >= len(v["label"]) and v["label"] not in words else v["variant"]


def check_row(v, row, unit):
    base, factor = UNITS[unit]
    expect("unit", base == v["unit"] or not unit, unit, v["unit"])
    absolute = v["effect"] is None and v["difference"] is not None
    printed("value", row["value"], v["value"], 1 / factor)
    bounds = BOUND.findall(row["interval"].replace("\\", "").replace("&gt;", ">"))
    low, high, scale = ("difference_low", "difference_high", 1 / factor) if absolute else ("low", "high", 100)
    if v["difference"] is not None:
        expect("interval", len(bounds) == 2, row["interval"])
        clipped = not absolute and beyond(v)
        bound("low", bounds[0], min(v[low], BEYOND) if clipped else v[low], scale, False)
        bound("high", bounds[1], v[high], scale, clipped)
        if not absolute:
            printed("effect", row["against"], v["effect"], 100)
        printed("difference", row["against"] if absolute else row["diff"], v["difference"], 1 / factor)
    else:
        expect("no interval", not bounds, row["interval"])
    expect("runs", row["runs"] == f"{v['runs'] - v['failed'] - v['lost']}/{v['runs']}", row["runs"], v["runs"])
    word = row["verdict"].replace("*", "")
    expect("verdict", word.startswith(WORDS[v["verdict"]]), word, v["verdict"])
    if v["verdict"] == "undecided":
        more = re.search(r"about (\d+) more", word)
        needed = v["blocks_needed"]
        expect("more blocks", (int(more[1]) if more else None) ==
               (needed - v["pairs"] if needed and v["pairs"] < needed <= 100 else None), word, needed)
        expect("reason", ("too noisy" if (needed or 0) > 100 else v["reason"]) in word, word, v["reason"])


def check_table(cell, verdicts, caption, columns, rows):
    """rows: lists of texts; the first is the baseline's."""
    global where
    unit = re.search(r"\((\w+)\)", columns[1])
    unit = unit[1] if unit else ""
    expect(f"{cell}: rows", len(rows) == len(verdicts) + 1, len(rows))
    expect(f"{cell}: caption", (" in " + unit if unit else ":") in caption, caption)
    absolute = any(v["effect"] is None and v["difference"] is not None for v in verdicts)
    for v, texts in zip([None, *verdicts], rows):
        row = dict(zip(("variant", "value", "against", "interval", *(() if absolute else ("diff",)),
                        "runs", "verdict"), texts))
        outer = where
        where += f": {cell}/{row['variant']}"
        if v:
            expect("name", row["variant"] == label(v), row["variant"], label(v))
            check_row(v, row, unit)
        else:
            printed("baseline", row["value"], verdicts[0]["baseline_value"], 1 / UNITS[unit][1])
            expect("baseline's word", row["verdict"] == "baseline", row["verdict"])
        where = outer


def markdown_tables(text):
    lines = text.splitlines()
    for i, line in enumerate(lines):
        if line.startswith("| --- ") and lines[i - 1].startswith("| variant "):
            rows = [[c.strip() for c in re.split(r"(?<!\\)\|", x)[1:-1]] for x in lines[i - 1:]
                    if x.startswith("| ")][:1]
            body = []
            for x in lines[i + 1:]:
                if not x.startswith("|"):
                    break
                body.append([c.strip().replace("\\_", "_") for c in re.split(r"(?<!\\)\|", x)[1:-1]])
            yield lines[i - 3], rows[0], body


def text_tables(text, captions):
    """The table below each caption, cut at the columns of its head; wrapped lines are joined."""
    lines = text.splitlines()
    for i, line in enumerate(lines):
        if line not in captions:
            continue
        head = lines[i + 1]
        names = re.split(r"\s{2,}", head.strip())
        spans, at = [], 0
        for name in names:
            at = head.index(name, at)
            spans.append((at, at + len(name)))
            at += len(name)
        rows = []
        for x in lines[i + 2:]:
            if not x.strip() or x.startswith("n/m: "):
                break
            if x[1] == " ":  # the rest of a wrapped verdict
                rows[-1][-1] += " " + x.strip()
                continue
            rows.append(split_row(x, spans))
        yield line, names, rows


def split_row(line, spans):
    """Right-aligned columns end where their head ends, the first and last begin where it begins."""
    row = [""] * len(spans)
    row[-1] = line[spans[-1][0]:].strip()
    edge = spans[1][0]
    for m in re.finditer(r"\S+(?: \S+)*", line[:spans[-1][0]]):
        if m.start() == spans[0][0]:
            row[0] = m[0]
            continue
        k = min(range(1, len(spans) - 1), key=lambda c: abs(spans[c][1] - m.end()))
        row[k] = m[0]
    return row


def check_csv(report, text):
    rows = [r for r in csv.DictReader(io.StringIO(text)) if r["verdict"] != "baseline"]
    expect("csv rows", len(rows) == len(report["verdicts"]), len(rows))
    for v, row in zip(report["verdicts"], rows):
        for key, theirs in row.items():
            if key not in v or key == "axes":
                continue
            ours = v[key]
            if key == "reason" and theirs == "" and v["effect"] is None:
                continue  # the JSON says why the ratio is null
            if isinstance(ours, float):
                expect(f"csv {key}", abs(float(theirs) - ours) <= 1e-5 * abs(ours), theirs, ours)
            else:
                expect(f"csv {key}", theirs == ("" if ours is None else str(ours)), theirs, ours)


def texts_of(group):
    move = re.search(r"translate\(([-\d.]+),([-\d.]+)\)", group.get("transform", ""))
    text = "".join(t.text or "" for t in group.findall(f"{SVG}text"))
    return (float(move[1]), float(move[2]), text) if move and text else None


def check_svg(cell, verdicts, path):
    root = ET.parse(path).getroot()
    labels = [t for t in map(texts_of, root.iter(f"{SVG}g")) if t]
    arrows = [t for t in labels if t[2] in "\u25c0\u25b6"]
    legend = [t for t in labels if re.match(r"\S.* = ", t[2])]
    labels = [t for t in labels if t not in arrows and t not in legend]
    ticks = [(float(t[2]), t[0]) for t in labels if re.fullmatch(r"[-+]?\d+(\.\d+)?", t[2])]
    expect("ticks", len(ticks) >= 3, ticks)
    (v0, x0), (v1, x1) = ticks[0], ticks[-1]
    scale = (x1 - x0) / (v1 - v0)
    for v, x in ticks:
        expect("the axis is linear", abs(x0 + (v - v0) * scale - x) < 0.02, v, x)
    absolute = any(v["effect"] is None and v["difference"] is not None for v in verdicts)
    names = [t for t in labels if t[0] < ticks[0][1] and t[1] < max(u[1] for u in labels) - 30 and
             not re.fullmatch(r"[-+]?\d+(\.\d+)?", t[2])][:len(verdicts) + 1]
    by_name = {t[2]: t[1] - 4.23 for t in names}
    marks = {}
    for use in root.iter(f"{SVG}use"):
        move = re.search(r"translate\(([-\d.]+),([-\d.]+)\)", use.get("transform", ""))
        if move:
            marks[round(float(move[2]), 1)] = float(move[1])
    bars = {}
    for p in root.iter(f"{SVG}path"):
        m = re.match(r"M([-\d.]+),([-\d.]+) L([-\d.]+),([-\d.]+) M", p.get("d", ""))
        if m and m[2] == m[4]:
            for a, y, b in re.findall(r"M([-\d.]+),([-\d.]+) L([-\d.]+),\2(?= )", p.get("d")):
                bars[round(float(y), 1)] = (float(a), float(b))
    for v in verdicts:
        name = label(v)
        expect("row of the figure", name in by_name, name, sorted(by_name))
        if name not in by_name:
            continue
        at = min(marks, key=lambda y: abs(y - by_name[name]))
        if v["difference"] is None:
            expect("no mark", abs(at - by_name[name]) > 5, name)
            continue
        keys = ("difference", "difference_low", "difference_high") if absolute else ("effect", "low", "high")
        wanted = [x0 + (v[k] * (1 if absolute else 100) - v0) * scale if v[k] is not None else None for k in keys]
        at_bar = min(bars, key=lambda y: abs(y - by_name[name]))
        got = [marks[at], *bars[at_bar]]
        for k, w, g in zip(keys, wanted, got):
            heads = [a for a in arrows if abs(a[1] - 4.23 - by_name[name]) < 5 and
                     (a[2] == "\u25c0") == k.endswith("low")]
            if heads and k not in ("difference", "effect"):  # it goes on beyond the axis, which ends there
                expect(f"arrow {name} {k}", len(heads) == 1 and abs(g - heads[0][0]) < 1 and
                       (w is None or (w < g + 0.1 if k.endswith("low") else w > g - 0.1)), g, w, heads)
                continue
            expect(f"figure {name} {k}", w is not None and abs(w - g) < 0.1, g, "is not", w)
        expect("legend", label(v) == v["variant"] or
               any(f"{label(v)} = " in t[2] for t in legend), label(v), legend)


def check_text_figure(text, cells):
    """Blocks of lines that begin with a scale, in the order of the cells."""
    lines, cells = text.splitlines(), list(cells.values())
    figures = [i for i, x in enumerate(lines) if re.match(r" (: = \S+ \S+)? .*[-+\d]\s.* 0 ", x) and
               i + 1 < len(lines) and re.match(r" \S+ .*o", lines[i + 1])]
    for start, verdicts in zip(figures, cells):
        head = lines[start]
        offset = head.index("  ", 3) if head.startswith(" :") else 0
        ticks = [(float(m[0]), (m.start() + m.end() - 1) / 2)
                 for m in re.finditer(r"(?<=\s)[-+]?\d+(?:\.\d+)?(?=\s)", head[offset:])]
        ticks = [(v, c + offset) for v, c in ticks]
        (v0, c0), (v1, c1) = ticks[0], ticks[-1]
        scale = (c1 - c0) / (v1 - v0)
        absolute = any(v["effect"] is None and v["difference"] is not None for v in verdicts)
        for v, line in zip(verdicts, lines[start + 2:]):
            key = "difference" if absolute else "effect"
            if v[key] is None:
                expect("no mark", "o" not in line[len(label(v)) + 1:], line)
                continue
            at = line.rindex("o")
            want = c0 + (v[key] * (1 if absolute else 100) - v0) * scale
            expect(f"text figure {label(v)}", abs(at - want) <= 1.5, at, want, line)


def check_store(assay, path, folder):
    report = json.loads(run(assay, "report", "1", "--store", path, "--json"))
    text = run(assay, "report", "1", "--store", path)
    out = os.path.join(folder, "report.md")
    for old in glob.glob(os.path.join(folder, "report*")):
        os.unlink(old)
    run(assay, "report", "1", "--store", path, "-o", out, "--figures", "svg")
    with open(out, encoding="utf-8") as f:
        markdown = f.read()
    cells = cells_of(report)
    tables = list(markdown_tables(markdown))[:]
    tables = [t for t in tables if t[1][-2:] == ["runs", "verdict"]]
    expect("tables", len(tables) == len(cells), len(tables))
    captions = {t[0].replace("\\", "") for t in tables}
    texts = list(text_tables(text, captions))
    expect("text tables", len(texts) == len(cells), len(texts))
    for kind, found in (("markdown", tables), ("text", texts)):
        for (cell, verdicts), (caption, columns, rows) in zip(cells.items(), found):
            global where
            outer = where
            where += f" {kind}"
            check_table(cell, verdicts, caption, columns, rows)
            where = outer
    check_csv(report, run(assay, "report", "1", "--store", path, "--format", "csv"))
    pictures = [os.path.join(folder, p) for p in re.findall(r"!\[.*?\]\((.*?\.svg)\)", markdown)]
    for (cell, verdicts), picture in zip(cells.items(), pictures):
        check_svg(cell, verdicts, picture)
    check_text_figure(text, cells)
    return len(pictures)


def main():
    global where
    assay, pictures = sys.argv[1], 0
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[2:] or ("quiet", "phases", "fails", "cells", "absolute", "rate", "wide", "more",
                                   "wild"):
            for i, path in enumerate(check_report.make(assay, name, folder)):
                if i % 3:  # drawing takes its time
                    continue
                where = f"{name} {os.path.basename(path)}"
                pictures += check_store(assay, path, folder)
    print(f"{checked} figures checked, {pictures} pictures, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
