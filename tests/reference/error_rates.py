#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Error rates of whole sessions, by the program itself in made-up worlds (some minutes; not part of check).

usage: error_rates.py ASSAY [SESSIONS [ROWS]]

For each kind of noise and number of blocks: the share of sessions with any false verdict when no variant
differs, with any wrong `same` when all differ by exactly the difference that matters (both at most 5 %, but
for the error of the simulation), the share of rows found at +3 %, and of sessions whose intervals all hold
the truth (at least 95 %).
"""
import json
import math
import os
import subprocess
import sys
import tempfile

WORLDS = {
    "normal 1 %": "noise: 0.01",
    "spikes": "noise: 0.007\ndrift: 0.03\nspikes: 0.15",
    "two modes": "noise: 0.007\ndrift: 0.03\nbimodal: {share: 0.35, size: 0.04}",
    "mixed": "noise: 0.007\ndrift: 0.03\nspikes: 0.1\nbimodal: {share: 0.2, size: 0.04}",
    "quiet": "noise: 0.003\ndrift: 0.03\nspikes: 0.02",
}


def session(assay, folder, names, world, effect, blocks, seed):
    path = os.path.join(folder, "world.yaml")
    with open(path, "w", encoding="utf-8") as f:
        f.write(f"schema: 1\noptions: [{', '.join(names)}]\n{world}\nseed: {seed}\n")
        f.write(f"effects: {{{', '.join(f'{n}: {effect}' for n in names)}}}\n")
    out = subprocess.run(
        [assay, "run", os.path.join(folder, "d.yaml"), "--simulate", path, "--json", "-q", "--set",
         f"measure.blocks={blocks}"], stdout=subprocess.PIPE, check=True).stdout
    return json.loads(out)["verdicts"]


def main():
    assay = sys.argv[1]
    sessions = int(sys.argv[2]) if len(sys.argv) > 2 else 300
    rows = int(sys.argv[3]) if len(sys.argv) > 3 else 6
    names = [f"O{i}" for i in range(rows)]
    print("noise       blocks  false at 0  same at +1 %  found at +3 %  truth inside")
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "d.yaml"), "w", encoding="utf-8") as f:
            f.write("schema: 1\nname: rates\nmatrix: {sets: [none, each]}\noptions:\n")
            f.writelines(f"  {n}: {{define: {{{n}: 1}}}}\n" for n in names)
            f.write('workloads: {w: {run: ["true"]}}\nmeasure: {warmup: 0, difference: 1%}\n')
        for name, world in WORLDS.items():
            for blocks in (4, 6, 10, 20):
                rates, inside = [], 0
                for percent, claims in ((0, ("regressed", "improved")), (1, ("same",)), (3, ("regressed",))):
                    found = 0
                    for seed in range(sessions):
                        verdicts = session(assay, folder, names, world, math.log1p(percent / 100), blocks,
                                           seed + 1000 * blocks)
                        hits = [v["verdict"] in claims for v in verdicts]
                        found += sum(hits) / rows if percent == 3 else any(hits)
                        inside += all(v["low"] <= percent / 100 <= v["high"] for v in verdicts)
                    rates.append(100 * found / sessions)
                print(f"{name:<12}{blocks:>6}{rates[0]:>10.1f} %{rates[1]:>12.1f} %{rates[2]:>13.1f} %"
                      f"{100 * inside / sessions / 3:>12.1f} %", flush=True)


if __name__ == "__main__":
    main()
