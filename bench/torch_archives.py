#!/usr/bin/env python3
"""Quantises archives with `kiln quantize`, runs them with PyTorch and with Kiln's evaluator, and compares.

    bench/torch_archives.py FOLDER [--kiln target/release/kiln] [--schemes static,dynamic,w4] [--target xnnpack]

FOLDER has archives with golden outputs beside them. Needs torch, torchao and safetensors. A signal-to-noise ratio compares PyTorch's
run of the written archive with Kiln's evaluator on the same archive; `model` compares it with the golden outputs of the float model.
The modules that `torch.export.unflatten` makes of an archive must give the same bits.
"""

import argparse
import math
import subprocess
import tempfile
from pathlib import Path

import torch
import torch.ao.quantization.fx._decomposed  # noqa: F401 - registers quantized_decomposed
import torchao  # noqa: F401 - registers torchao's ops
import torchao.quantization.quant_primitives  # noqa: F401
from safetensors.torch import load_file
from torch.utils import _pytree as pytree


def sqnr(found: torch.Tensor, golden: torch.Tensor) -> float:
    """Decibels of a tensor beside another; infinite where they are equal."""
    found, golden = found.double(), golden.double()
    noise = (found - golden).square().sum().item()
    signal = golden.square().sum().item()
    if noise == 0:
        return math.inf
    return 10 * math.log10(signal / noise) if signal > 0 and math.isfinite(noise) else -math.inf


def user_inputs(program: torch.export.ExportedProgram) -> list[object]:
    """The arguments that the caller passes, flattened."""
    specs = program.graph_signature.input_specs
    return [spec.arg for spec in specs if spec.kind == torch.export.graph_signature.InputKind.USER_INPUT]


def leaf(given: torch.Tensor | None, arg: object) -> object:
    """An input as PyTorch takes it: numbers are tensors without axes in safetensors, and strings are not there."""
    if isinstance(arg, torch.export.graph_signature.TensorArgument):
        return None if given is None else given.clone()
    if isinstance(arg, torch.export.graph_signature.ConstantArgument):
        return arg.value
    return None if given is None else given.item()


def called(module: torch.nn.Module, leaves: list[object], spec: pytree.TreeSpec) -> list[object]:
    """The outputs of a call, flattened. The inputs are copied: the module may change them."""
    copies = [leaf.clone() if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
    args, kwargs = pytree.tree_unflatten(copies, spec)
    return pytree.tree_leaves(module(*args, **kwargs))


def same(a: object, b: object) -> bool:
    """Whether two outputs have the same bits, NaN included."""
    if isinstance(a, torch.Tensor):
        return torch.equal(a.nan_to_num(), b.nan_to_num()) and torch.equal(a.isnan(), b.isnan())
    return a == b


def by_torch(archive: Path, golden: dict[str, torch.Tensor]) -> list[list[torch.Tensor]]:
    """The outputs of every run, by PyTorch."""
    program = torch.export.load(archive)
    module, unflattened = program.module(), torch.export.unflatten(program)
    runs = 1 + max(int(name.split(".")[0]) for name in golden)
    results = []
    for run in range(runs):
        spec = program.call_spec.in_spec
        leaves = [leaf(golden.get(f"{run}.in.{i}"), arg) for i, arg in enumerate(user_inputs(program))]
        with torch.no_grad():
            outputs, again = (called(which, leaves, spec) for which in (module, unflattened))
        if len(outputs) != len(again) or not all(map(same, outputs, again)):
            raise RuntimeError(f"run {run}: unflattened modules give other outputs")
        results.append([x for x in outputs if isinstance(x, torch.Tensor)])
    return results


def compare(kiln: str, model: Path, scheme: str, target: str, folder: Path) -> tuple[float, float]:
    """The least ratios beside the evaluator and beside the golden outputs."""
    golden_path = model.with_suffix(".safetensors")
    archive, found = folder / "out.pt2", folder / "out.safetensors"
    quantise = [kiln, "-q", "quantize", model, "--data", golden_path, "--scheme", scheme, "--target", target]
    done = subprocess.run([*quantise, "-o", archive], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    run = [kiln, "run", "-q", archive, "--inputs", golden_path, "--outputs", found]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    golden, ours = load_file(golden_path), load_file(found)
    apart, model_apart = math.inf, math.inf
    for number, outputs in enumerate(by_torch(archive, golden)):
        for i, output in enumerate(outputs):
            name = f"{number}.out.{i}"
            apart = min(apart, sqnr(output, ours[name]))
            model_apart = min(model_apart, sqnr(output, golden[name]))
    return apart, model_apart


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kiln", default="target/release/kiln")
    parser.add_argument("--schemes", default="static,dynamic,w4")
    parser.add_argument("--target", default="xnnpack")
    options = parser.parse_args()
    failed = 0
    for scheme in options.schemes.split(","):
        least, count = math.inf, 0
        for model in sorted(options.folder.glob("*.pt2")):
            with tempfile.TemporaryDirectory() as folder:
                try:
                    apart, of_model = compare(options.kiln, model, scheme, options.target, Path(folder))
                except Exception as error:  # noqa: BLE001 - each model is reported
                    failed += 1
                    print(f"{scheme} {model.stem}: FAILED {str(error)[:600]}", flush=True)
                    continue
            count += 1
            least = min(least, apart)
            print(f"{scheme} {model.stem}: {apart:.1f} dB beside the evaluator, {of_model:.1f} dB beside the model", flush=True)
        print(f"{scheme}: {count} archives, at least {least:.1f} dB", flush=True)
    raise SystemExit(1 if failed else 0)


if __name__ == "__main__":
    main()
