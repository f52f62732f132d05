#!/usr/bin/env python3
"""Kiln's Ethos-U programs with Vela itself: how many of a folder's archives compile, and whether the payloads are the peer's.

For each archive of FOLDER compiles for CORE, and counts those in one delegate, in several, and of kernels only. With
--peer-python also gives every TOSA file that went to Vela, with the same arguments, to ExecuTorch's `vela_compile` and
looks for the bytes that it packs in the program. That Python has executorch and ethos-u-vela.
Usage: ethos.py KILN VELA FOLDER CORE [--filter TEXT] [--peer-python PYTHON]    -> counts, and a line for each that differs
"""
import argparse
import collections
import concurrent.futures
import glob
import json
import os
import stat
import subprocess
import tempfile

# Stands for Vela: runs it, and keeps what it was given.
KEEPER = """#!/usr/bin/env python3
import json, os, shutil, subprocess, sys
kept = os.environ["KEPT"]
number = len(os.listdir(kept)) // 2
shutil.copy(sys.argv[-1], f"{kept}/{number}.tosa")
json.dump(sys.argv[1:], open(f"{kept}/{number}.json", "w"))
sys.exit(subprocess.run([os.environ["REAL_VELA"], *sys.argv[1:]]).returncode)
"""

# In the peer's Python: a TOSA file and the arguments of Vela, without the output folder and the file.
PACKER = """
import json, sys
from executorch.backends.arm.arm_vela import vela_compile
tosa, arguments, out = sys.argv[1:]
given = json.load(open(arguments))
at = given.index("--output-dir")
packed = vela_compile(open(tosa, "rb").read(), given[:at])
open(out, "wb").write(getattr(packed, "processed_bytes", packed))
"""


def compiled(options, archive, work):
    """What the archive became: a word for the table, and what differs."""
    keeper, kept = work + "/vela", work + "/kept"
    os.mkdir(kept)
    with open(keeper, "w") as file:
        file.write(KEEPER)
    os.chmod(keeper, os.stat(keeper).st_mode | stat.S_IXUSR)
    program, report = work + "/m.pte", work + "/r.json"
    environment = {**os.environ, "KILN_VELA": keeper, "KEPT": kept, "REAL_VELA": os.path.abspath(options.vela)}
    done = subprocess.run([options.kiln, "compile", archive, "-o", program, "--target", options.core, "--report", report, "-q"],
                          capture_output=True, text=True, env=environment)
    if done.returncode:
        return "refused", [done.stderr.strip()[:300]]
    delegates = json.load(open(report))["methods"][0]["delegates"]
    place = "one delegate" if delegates == 1 else "several" if delegates else "kernels only"
    return place, differences(options, kept, open(program, "rb").read()) if options.peer_python else []


def differences(options, kept, program):
    """The files whose payload, as the peer packs it, is not in the program."""
    found = []
    for tosa in sorted(glob.glob(kept + "/*.tosa")):
        base, packed = tosa[:-5], tosa[:-5] + ".packed"
        done = subprocess.run([options.peer_python, "-c", PACKER, tosa, base + ".json", packed], capture_output=True, text=True,
                              env={**os.environ, "PYTHONHASHSEED": "0"})
        if done.returncode:
            found.append(f"the peer packs nothing: {done.stderr.strip()[-200:]}")
        elif open(packed, "rb").read() not in program:
            found.append(f"part {os.path.basename(base)} has other bytes")
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kiln")
    parser.add_argument("vela")
    parser.add_argument("folder")
    parser.add_argument("core")
    parser.add_argument("--filter", default="")
    parser.add_argument("--peer-python")
    options = parser.parse_args()
    archives = sorted(path for path in glob.glob(options.folder + "/*.pt2") if options.filter in os.path.basename(path))

    def one(archive):
        with tempfile.TemporaryDirectory() as work:
            return archive, *compiled(options, archive, work)

    places, faults = collections.Counter(), 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for archive, place, different in pool.map(one, archives):
            places[place] += 1
            faults += bool(different)
            for line in different:
                print(f"{os.path.basename(archive)}: {line}", flush=True)
    counts = ", ".join(f"{places[place]} {place}" for place in ("one delegate", "several", "kernels only", "refused"))
    print(f"{len(archives)} archives on {options.core}: {counts}")
    if options.peer_python:
        print(f"{len(archives) - faults} without a difference from the peer's payloads")
    raise SystemExit(bool(faults))


main()
