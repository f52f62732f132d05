#!/usr/bin/env python3
"""Kiln's TOSA files through Vela, beside the peer's figures: cycles, transposes, compile time.

Needs archives of bench/tosa_archives.py, the corpus's peer_tosa.json, and target/tosa-tools (scripts/tosa-tools).
Usage: vela.py KILN VELA ARCHIVES_FOLDER PEER_TOSA_JSON [NAME ...]    -> a table on stdout, JSON lines on stderr with --json
"""
import collections
import csv
import glob
import json
import math
import os
import resource
import subprocess
import sys
import tempfile

TARGETS = {
    "u55_128": ("u55", "ethos-u55-128", ["--accelerator-config=ethos-u55-128", "--system-config=Ethos_U55_High_End_Embedded", "--memory-mode=Shared_Sram"]),
    "u85_256": ("int", "ethos-u85-256", ["--accelerator-config=ethos-u85-256", "--system-config=Ethos_U85_SYS_DRAM_Mid", "--memory-mode=Shared_Sram"]),
}


def cycles(vela, arguments, path, folder):
    out = os.path.join(folder, "vela")
    run = subprocess.run([vela, *arguments, "--config=Arm/vela.ini", "--output-format=raw", "--verbose-performance",
                          f"--output-dir={out}", path], capture_output=True, text=True)
    summaries = glob.glob(out + "/*_summary_*.csv")
    if run.returncode or not summaries:
        return None, (run.stdout + run.stderr).strip().splitlines()[-1:]
    total = float(list(csv.DictReader(open(summaries[0])))[0]["cycles_total"]) / 1e6
    by = collections.Counter()
    for row in csv.DictReader(open(glob.glob(out + "/*_per-layer.csv")[0])):
        by[row["Original Operator"]] += float(row["Op Cycles"]) / 1e6
    for file in glob.glob(out + "/*"):
        os.remove(file)
    return total, {k: round(v, 4) for k, v in by.most_common(8)}


def main():
    arguments = [a for a in sys.argv[1:] if a != "--json"]
    kiln, vela, folder, peer, *names = arguments
    peer = json.load(open(peer))["models"]
    names = names or [n for n in peer if os.path.exists(f"{folder}/{n}_int.pt2")]
    print("| model | target | Mcycles | peer | ratio | transposed bytes | peer | compile s (CPU) | peer / Kiln |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|")
    ratios = collections.defaultdict(list)
    for name in names:
        for target, (key, core, flags) in TARGETS.items():
            with tempfile.TemporaryDirectory() as work:
                path, report = work + "/model.tosa", work + "/report.json"
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                done = subprocess.run([kiln, "compile", f"{folder}/{name}_{key}.pt2", "-o", path, "--target", core,
                                       "--report", report, "-q"], capture_output=True, text=True)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
                if done.returncode:
                    print(f"| {name} | {target} | refused: {done.stderr.strip()[:160]} |")
                    continue
                moved = json.load(open(report))["methods"][0]["transposed_bytes"]
                found, detail = cycles(vela, flags, path, work)
            other = peer[name][target].get("mcycles")
            lowered = peer[name]["int_u55" if key == "u55" else "int"]
            if found is None:
                print(f"| {name} | {target} | Vela: {detail} | {other} |")
                continue
            ratio = found / other
            ratios[target].append(ratio)
            print(f"| {name} | {target} | {found:.4f} | {other} | {ratio:.3f} | {moved} | {lowered.get('transpose_bytes')} | "
                  f"{spent:.3f} | {lowered['cpu_s'] / spent:.0f} |", flush=True)
            if "--json" in sys.argv:
                print(json.dumps({"model": name, "target": target, "by": detail,
                                  "peer": peer[name][target].get("mcycles_by_tosa_op")}), file=sys.stderr)
    for target, all_ratios in ratios.items():
        mean = math.exp(sum(map(math.log, all_ratios)) / len(all_ratios))
        print(f"\n{target}: geometric mean of {len(all_ratios)} ratios {mean:.3f}")


main()
