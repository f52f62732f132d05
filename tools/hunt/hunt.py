#!/usr/bin/env python3
"""Looks for programs that Kiln gets wrong: exports many, compiles and runs each, keeps a scoreboard.

    hunt.py make FAMILY --out DIR [--only TEXT] [--limit N]     export cases with golden outputs into DIR/FAMILY
    hunt.py run DIR/FAMILY [--only TEXT]                        evaluator and stock runtime; writes results.json there
    hunt.py score DIR...                                        counts, and what failed
    hunt.py blame DIR...                                        which wrong ones PyTorch gets wrong from the archive too
    hunt.py peer DIR... [--only TEXT]                           ExecuTorch's own programs of the archives, in DIR/peer
    hunt.py table DIR... [--rounds N]                           delegates, kernels, dB, time beside ExecuTorch's programs

A family is a module of families/. `$KILN` is the binary (default: kiln on PATH), beside which `table` finds `bench`;
`$KILN_ET_RUN` is the stock runner.
Needs torch; the model families need timm and transformers. Not part of CI.
"""
import argparse
import collections
import concurrent.futures
import importlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import beside

os.environ.setdefault("OMP_NUM_THREADS", "1")
KILN = os.environ.get("KILN", "kiln")
LIMIT_SECONDS = 60


class Slow(Exception):
    """An export took too long."""


def alarm(*_):
    raise Slow("export took too long")


def make(options):
    import torch

    import case as cases
    sys.path.insert(0, str(Path(__file__).parent / "families"))
    folder = Path(options.out) / options.family
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    torch.set_num_threads(1)
    signal.signal(signal.SIGALRM, alarm)
    index, dropped, lost = index_of(folder), [], []
    for n, case in enumerate(importlib.import_module(options.family).cases(options.only)):
        if options.only and options.only not in case.name:
            continue
        if options.limit and n >= options.limit:
            break
        for form in case.forms:
            signal.alarm(options.seconds)
            try:
                entry = cases.write(case, form, str(folder))
                index[entry["name"]] = entry
                with open(folder / "index.jsonl", "a") as f:
                    f.write(json.dumps(entry) + "\n")
            except KeyboardInterrupt:
                raise
            except BaseException as e:  # noqa: BLE001 - what torch cannot export is no case
                dropped.append((f"{case.name}.{form}", f"{type(e).__name__}: {str(e)[:200]}"))
                if case.expected and not isinstance(e, Slow):
                    lost.append(dropped[-1])
            finally:
                signal.alarm(0)
    (folder / "dropped.json").write_text(json.dumps(dropped, indent=0))
    print(f"{options.family}: {len(index)} cases, {len(dropped)} not exported")
    for name, reason in lost:
        print(f"  {name} should export: {reason}")
    if lost:
        sys.exit(1)


def index_of(folder):
    """What was written so far; a later line about a case wins."""
    path = folder / "index.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    return {e["name"]: e for e in map(json.loads, lines)}


def call(arguments):
    start = time.monotonic()
    try:
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=LIMIT_SECONDS)
        return done.returncode, done.stderr.strip(), done.stdout, time.monotonic() - start
    except subprocess.TimeoutExpired:
        return 124, "timed out", "", time.monotonic() - start


def tolerance(entry):
    flags = []
    for key in ("sqnr", "rtol", "atol"):
        if entry.get(key) is not None:
            flags += [f"--{key}", str(entry[key])]
    return flags


def verdict(code, err):
    if code == 0:
        return "ok"
    if code == 124:
        return "slow"
    if code not in (1, 2, 3) or "panicked" in err:
        return "crash"
    return "wrong" if code == 3 else "refused"


def one(folder, entry):
    base = str(Path(folder) / entry["name"])
    golden = ["--expect", base + ".safetensors", *tolerance(entry)]
    row = {"name": entry["name"]}
    custom = ["--custom-op", entry["custom"]] if entry.get("custom") else []
    if custom:
        # Only its user has such an op's kernel.
        row["eval"], row["eval_text"] = "ok", ""
    else:
        code, err, _, seconds = call([KILN, "run", base + ".pt2", *golden])
        row["eval"], row["eval_text"] = verdict(code, err), "" if code == 0 else err[-1500:]
    code, err, _, seconds = call([KILN, "compile", base + ".pt2", "-o", base + ".pte", "--report", base + ".report.json", *custom])
    row["compile"], row["compile_s"], row["compile_text"] = verdict(code, err), round(seconds, 3), "" if code == 0 else err[-1500:]
    if code == 0:
        with open(base + ".report.json") as f:
            method = json.load(f)["methods"][0]
        row["delegates"], row["kernels"] = method["delegates"], sum(method["kernel_calls"].values())
        if custom:
            row["stock"], row["stock_text"] = "compiled", ""
            return row
        code, err, out, seconds = call([KILN, "run", base + ".pte", "--runtime", "executorch", "--poison", "--json", *golden])
        row["stock"], row["stock_text"] = verdict(code, err), "" if code == 0 else err[-1500:]
        row["sqnr"] = beside.decibels(out)
    else:
        row["stock"], row["stock_text"] = "refused", row["compile_text"]
    return row


def run(options):
    for folder in options.folders:
        entries = [e for e in index_of(Path(folder)).values() if (Path(folder) / (e["name"] + ".safetensors")).exists()]
        entries = [e for e in entries if not options.only or re.search(options.only, e["name"])]
        old = Path(folder) / "results.json"
        rows = {r["name"]: r for r in json.loads(old.read_text())} if old.exists() else {}
        if options.failed:
            entries = [e for e in entries if bad(rows.get(e["name"]))]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for row in pool.map(lambda e: one(folder, e), entries):
                rows[row["name"]] = row
        old.write_text(json.dumps([rows[k] for k in sorted(rows)], indent=0))
    score(options)


def bad(row):
    return row is None or row["eval"] != "ok" or row["stock"] not in ("ok", "compiled")


def message(row):
    text = row["eval_text"] if row["eval"] != "ok" else row["stock_text"]
    return re.sub(r"\s+", " ", text)


def groups(rows):
    """What failed alike: by operator or model, outcome, and the first words of the message."""
    found = collections.defaultdict(list)
    for r in rows:
        if bad(r):
            text = re.sub(r"error: \S+: ", "", re.sub(r"^\d+ runs on .*?error: ", "error: ", message(r)))
            found[(r["name"].split("__")[0].split(".")[0], r["eval"], r["stock"])].append((r["name"], text))
    return found


def score(options):
    for folder in options.folders:
        rows = json.loads((Path(folder) / "results.json").read_text())
        counts = {k: collections.Counter(r[k] for r in rows) for k in ("eval", "stock")}
        print(f"{Path(folder).name}: {len(rows)} programs; evaluator {dict(counts['eval'])}; stock {dict(counts['stock'])}")
        if options.brief:
            continue
        for (_, evaluated, stock), list_ in groups(rows).items():
            name, text = list_[0]
            print(f"  {name} (of {len(list_)}): eval {evaluated}, stock {stock}: {text[:options.width]}")
        for r in rows:
            if r.get("compile_s", 0) > 2:
                print(f"  {r['name']}: compiles in {r['compile_s']} s")


def blame(options):
    """Runs what failed in PyTorch from the saved archive: where that differs from the golden too, the case is no case."""
    import torch
    from safetensors.torch import load_file
    from torch.utils._pytree import tree_flatten, tree_unflatten
    for folder in map(Path, options.folders):
        rows = json.loads((folder / "results.json").read_text())
        for row in [r for r in rows if r["eval"] == "wrong"]:
            golden = load_file(folder / (row["name"] + ".safetensors"))
            program = torch.export.load(folder / (row["name"] + ".pt2"))
            module, spec = program.module(check_guards=False), program.call_spec.in_spec
            for run in range(1 + max(int(k.split(".")[0]) for k in golden)):
                count = spec.num_leaves
                args, kwargs = tree_unflatten([golden.get(f"{run}.in.{i}") for i in range(count)], spec)
                outputs, _ = tree_flatten(module(*args, **kwargs))
                for i, out in enumerate(outputs):
                    expected = golden.get(f"{run}.out.{i}")
                    if isinstance(out, torch.Tensor) and not torch.allclose(out, expected, 1e-3, 1e-3, equal_nan=True):
                        print(f"{row['name']}: run {run} output {i}: PyTorch itself differs by {(out.double() - expected.double()).abs().max():.3g}")


def peer(options):
    for folder in options.folders:
        names = [n for n, e in index_of(Path(folder)).items() if options.only in n and not e.get("custom")]
        beside.peer(folder, names, options.seconds, options.jobs)


def table(options):
    ratios = []
    for folder in options.folders:
        rows = json.loads((Path(folder) / "results.json").read_text())
        rows = [r for r in rows if options.only in r["name"]]
        ratios += beside.table(KILN, str(Path(KILN).parent / "bench"), folder, rows, options.rounds, options.only)
    above = sum(r > beside.LIMIT for r in ratios)
    if above:
        sys.exit(f"{above} of {len(ratios)} programs take more than {beside.LIMIT} of the time of ExecuTorch's")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    p = commands.add_parser("make")
    p.add_argument("family")
    p.add_argument("--out", required=True)
    p.add_argument("--only", default="")
    p.add_argument("--limit", type=int)
    p.add_argument("--seconds", type=int, default=60)
    for name in ("run", "score", "blame", "peer", "table"):
        p = commands.add_parser(name)
        p.add_argument("folders", nargs="+")
        p.add_argument("--only", default="")
        p.add_argument("--jobs", type=int, default=2)
        p.add_argument("--width", type=int, default=220)
        p.add_argument("--brief", action="store_true")
        p.add_argument("--failed", action="store_true", help="only what is not yet right")
        p.add_argument("--seconds", type=int, default=300, help="the limit of one lowering of `peer`")
        p.add_argument("--rounds", type=int, default=12, help="of `table`")
    options = parser.parse_args()
    {"make": make, "run": run, "score": score, "blame": blame, "peer": peer, "table": table}[options.command](options)


if __name__ == "__main__":
    main()
