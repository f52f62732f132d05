#!/usr/bin/env python3
"""Transposes of Kiln's TOSA files on the suite `transpose_counts`, case by case, beside the peer's and the optimum.

Floats as `tosa-fp`, quantised graphs as `tosa-int`. Ends with 1 if a case that the peer takes whole has more than the peer,
a graph with a known optimum has more than that, or a total is not below the peer's.
Usage: transposes.py KILN CORPUS/transpose_counts
"""
import collections
import json
import os
import subprocess
import sys
import tempfile


def measured(kiln, archive, target, folder):
    out, report = os.path.join(folder, "out.tosa"), os.path.join(folder, "report.json")
    subprocess.run([kiln, "compile", archive, "--target", target, "-o", out, "--report", report, "--quiet"], check=True)
    lines = subprocess.run([kiln, "inspect", out], check=True, capture_output=True, text=True).stdout.splitlines()
    count = sum(" = transpose(" in line.lower() or " = transpose " in line.lower() for line in lines)
    method = json.load(open(report))["methods"][0]
    return count, method["transposed_bytes"], method["transposed_lower_bound"]


def main(kiln, suite):
    totals, is_more = collections.Counter(), False
    print("| case | transposes | peer | optimum | bytes | at least |\n|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for case in json.load(open(os.path.join(suite, "index.json")))["cases"]:
            name, peer, optimum = case["name"], case["peer"], case["optimum"]
            target = "tosa-int" if "int" in case["tags"] else "tosa-fp"
            count, moved, least = measured(kiln, os.path.join(suite, name + ".pt2"), target, folder)
            is_whole = peer["status"] == "ok"
            is_more |= is_whole and count > peer["transpose"] or optimum is not None and count > optimum
            theirs = peer["transpose"] if is_whole else f"{peer['transpose']} (in part)"
            print(f"| {name} | {count} | {theirs} | {'' if optimum is None else optimum} | {moved} | {least} |")
            totals.update({target: count, target + ", peer": peer["transpose"]})
    print("\n" + ", ".join(f"{key}: {count}" for key, count in totals.items()))
    is_less = all(totals[t] < totals[t + ", peer"] for t in ("tosa-fp", "tosa-int"))
    return 0 if is_less and not is_more else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
