#!/usr/bin/env python3
"""Compares Kiln's quantised programs with ONNX Runtime's int8 of the same float models, interleaved, CPU time of one thread.

    python CORPUS/make/quantised.py --out Q
    python bench/onnx_int8.py Q CORPUS/make WORK --only resnet18_q,deit_tiny_qd

For each archive of Q the float model is built again (CORPUS/make/models.py), exported to ONNX, and quantised by ONNX Runtime's own tools: `_q`
by `quantize_static` (QDQ, uint8 activations and int8 weights by channel, which its documentation advises on x86; calibrated
on the same inputs), `_qd` by `quantize_dynamic`. So both sides have the same model and the same kind of integers, but not the same
parameters; the SQNR of both against the float model stands beside the times. Models that stay in WORK are not made again.

`et_run`, `kiln` and the runtime are those of scripts/stock-runtime and `cargo build --release`. Needs torch, timm, torchvision,
transformers, onnx, onnxscript, onnxruntime, safetensors.
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")
import numpy
from safetensors.numpy import load_file


def sqnr(reference, found):
    reference, found = (x.astype(numpy.float64).ravel() for x in (reference, found))
    error = ((reference - found) ** 2).sum()
    return 10 * math.log10((reference**2).sum() / error) if error else math.inf


class Calibration:
    """The inputs of a model, as ONNX Runtime's calibrator asks for them."""

    def __init__(self, names, inputs):
        self.feeds = iter([dict(zip(names, (x.numpy() for x in each))) for each in inputs])

    def get_next(self):
        return next(self.feeds, None)


def make_onnx(models, case, path):
    """The float model of an archive, quantised by ONNX Runtime."""
    import onnx
    import torch
    from onnxruntime.quantization import CalibrationMethod, QuantFormat, QuantType, quantize_dynamic, quantize_static
    from onnxruntime.quantization.shape_inference import quant_pre_process

    name, _, kind = case.rpartition("_")
    model, runs, calibration = models.build(name, False)
    with tempfile.TemporaryDirectory() as folder:
        plain, prepared = (os.path.join(folder, f) for f in ("plain.onnx", "prepared.onnx"))
        with torch.no_grad():
            program = torch.onnx.export(torch.export.export(model, runs[0], strict=False), dynamo=True, verbose=False)
        program.save(plain)
        quant_pre_process(plain, prepared)
        if kind == "q":
            names = [i.name for i in onnx.load(prepared).graph.input]
            quantize_static(
                prepared, path, Calibration(names, [models.flat(x) for x in calibration]), quant_format=QuantFormat.QDQ, per_channel=True,
                activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8, calibrate_method=CalibrationMethod.MinMax)
        else:
            quantize_dynamic(prepared, path, per_channel=True, weight_type=QuantType.QInt8)


def measure(case, archive, onnx_file, arguments):
    """Medians in ms and SQNR in dB of both."""
    import onnxruntime

    golden_file = f"{archive}.safetensors"
    golden = load_file(golden_file)
    reference = golden.get("0.float.0", golden["0.out.0"])
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(onnx_file, options, providers=["CPUExecutionProvider"])
    feed = {i.name: golden[f"0.in.{k}"] for k, i in enumerate(session.get_inputs())}
    theirs = session.run(None, feed)[0]
    ours_ms, theirs_ms = [], []
    with tempfile.TemporaryDirectory() as folder:
        program, out, report = (os.path.join(folder, f) for f in ("m.pte", "out.safetensors", "report.json"))
        subprocess.run([os.path.join(arguments.bin, "kiln"), "compile", f"{archive}.pt2", "-o", program, "-q"], check=True)
        runner = [os.environ.get("KILN_ET_RUN", os.path.join(arguments.bin, "et_run")), program, "--in", golden_file, "--threads", "1", "--quiet"]
        subprocess.run([*runner, "--out", out], check=True)
        ours = load_file(out)["0.out.0"]
        for _ in range(arguments.rounds):
            subprocess.run([*runner, "--cpu-time", "--warmup", "2", "--repeat", "5", "--report", report], check=True)
            with open(report) as file:
                ours_ms.append(json.load(file)["median_us"] / 1e3)
            for _ in range(5):
                start = time.clock_gettime(time.CLOCK_THREAD_CPUTIME_ID)
                session.run(None, feed)
                theirs_ms.append((time.clock_gettime(time.CLOCK_THREAD_CPUTIME_ID) - start) * 1e3)
    return statistics.median(ours_ms), statistics.median(theirs_ms), sqnr(reference, ours), sqnr(reference, theirs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archives", help="a folder that quantised.py made")
    parser.add_argument("make", help="the folder of models.py")
    parser.add_argument("work", help="where the quantised ONNX files stay")
    parser.add_argument("--only", default="", help="names, separated by commas")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--bin", default="target/release", help="a folder with kiln and et_run")
    arguments = parser.parse_args()
    sys.path.insert(0, arguments.make)
    import models

    os.makedirs(arguments.work, exist_ok=True)
    with open(os.path.join(arguments.archives, "index.json")) as file:
        cases = [case["name"] for case in json.load(file)["cases"]]
    wanted = arguments.only.split(",") if arguments.only else [c for c in cases if c.endswith(("_q", "_qd"))]
    logs = []
    print("| model | ours ms | ONNX Runtime ms | ratio | float dB: ours | ONNX Runtime |\n|---|---:|---:|---:|---:|---:|", flush=True)
    for case in wanted:
        path = os.path.join(arguments.work, f"{case}.onnx")
        try:
            if not os.path.exists(path):
                make_onnx(models, case, path)
            ours, theirs, our_db, their_db = measure(case, os.path.join(arguments.archives, case), path, arguments)
        except Exception as error:  # one model that ONNX Runtime does not take hides no other
            print(f"| {case} | not measured: {type(error).__name__}: {str(error).splitlines()[0][:120]} |", flush=True)
            continue
        logs.append(math.log(ours / theirs))
        print(f"| {case} | {ours:.3f} | {theirs:.3f} | {ours / theirs:.3f} | {our_db:.1f} | {their_db:.1f} |", flush=True)
    if not logs:
        sys.exit("nothing was measured")
    print(f"\ngeometric mean of {len(logs)} ratios to ONNX Runtime: {math.exp(sum(logs) / len(logs)):.3f}")


main()
