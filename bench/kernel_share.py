"""The share of a program's time that XNNPACK's own multiplying kernels take, on the stock runtime.

    python bench/kernel_share.py MODELS [NAME..]     # archives with golden outputs; needs perf and objdump

These kernels are the same in every compiler's program of a model, so the share times the ratio to another compiler's program is
what the ratio would be if all else took no time. The library has no symbols: a function counts by its instructions (`vpmaddwd` and `vpdpbusd`:
products of int8 matrices and convolutions; `vpmulld`, `vpmullw`: depthwise windows and products of int8; `vfmadd231ps`: f32).
KILN names the command (target/release/kiln), KILN_ET_RUN the runner if it is not beside it.
"""

import bisect
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

KILN = os.environ.get("KILN", "target/release/kiln")
PADDING = ("nop", "int3", "data16", "cs", "xchg")


def functions(library):
    """The start of each function, and the instructions in it. A function ends behind a return or a jump, at padding."""
    listing = subprocess.run(["objdump", "-d", "--no-show-raw-insn", library], check=True, capture_output=True, text=True).stdout
    starts, operations, is_over = [], [], True
    for line in listing.splitlines():
        found = re.match(r"\s*([0-9a-f]+):\s+(\S+)", line)
        if found is None:
            is_over = True
            continue
        address, operation = int(found[1], 16), found[2]
        is_padding = operation.startswith(PADDING)
        if is_over and not is_padding and (not starts or address % 16 == 0):
            starts.append(address)
            operations.append(collections.Counter())
        if starts:
            operations[-1][operation] += 1
        is_over = operation in ("ret", "jmp") or (is_over and is_padding)
    return starts, operations


def kind(operations):
    if operations["vpmaddwd"] or operations["vpdpbusd"]:
        return "int8 matrices"
    if operations["vpmulld"] or operations["vpmullw"] or operations["vpmulhw"]:
        return "int8 windows"
    if operations["vfmadd231ps"] >= 8:
        return "f32"
    return "other"


def samples(program, golden, folder):
    """The number of samples for each pair of library and symbol."""
    record = ["perf", "record", "-q", "-F", "1500", "-o", folder / "perf.data", KILN, "run", program, "--runtime", "executorch"]
    command = record + ["--expect", golden, "--sqnr", "0", "--repeat", "40"]
    subprocess.run([str(part) for part in command], capture_output=True, check=True)
    report = ["perf", "report", "-i", folder / "perf.data", "--comm", "et_run", "--sort", "dso,symbol", "-n", "--stdio"]
    text = subprocess.run([str(part) for part in report], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        found = re.match(r"\s+[\d.]+%\s+(\d+)\s+(\S+)\s+\[.\]\s+(\S+)", line)
        if found and not found[2].startswith(("ld-linux", "[kernel")):
            yield int(found[1]), found[2], found[3]


def main():
    models = pathlib.Path(sys.argv[1])
    libraries = pathlib.Path(KILN).resolve().parent.parent.glob("stock-runtime/**/libexecutorch_backend_xnnpack.so")
    starts, operations = functions(os.environ.get("XNNPACK") or next(libraries))
    print("| model | samples | int8 matrices | int8 windows | f32 | other |\n|---|---:|---:|---:|---:|---:|")
    for archive in sorted(models.glob("*.pt2")):
        if sys.argv[2:] and archive.stem not in sys.argv[2:]:
            continue
        counts = collections.Counter()
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "program.pte"
            subprocess.run([KILN, "compile", "-q", archive, "-o", program], check=True)
            for count, library, symbol in samples(program, archive.with_suffix(".safetensors"), pathlib.Path(folder)):
                is_kernel = "xnnpack" in library and symbol.startswith("0x")
                found = kind(operations[bisect.bisect(starts, int(symbol, 16)) - 1]) if is_kernel else "other"
                counts[found] += count
        total = sum(counts.values())
        shares = (f"{counts[name] / total:.2f}" for name in ("int8 matrices", "int8 windows", "f32", "other"))
        print(f"| {archive.stem} | {total} | {' | '.join(shares)} |", flush=True)


if __name__ == "__main__":
    main()
