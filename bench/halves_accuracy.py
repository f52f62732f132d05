"""Distances of programs in halves from eager PyTorch, and from the same model with the same weights in f64: Kiln's and ExecuTorch's.

    python tools/hunt/hunt.py make halves --out MODELS    # archives with PyTorch's results; docs/models.md says how PEER is made
    python bench/halves_accuracy.py MODELS PEER [NAME..]  # needs torch 2.15; KILN names the command (target/release/kiln)

Each model runs on the stock runtime for several random inputs like its own. The table has means in dB, and the mean difference of
both programs with its standard error. A single input says little: the difference of two programs varies by up to a decibel.
"""

import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import torch
from safetensors.torch import load_file, save_file
from torch.utils._pytree import tree_flatten

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tools" / "hunt" / "families"))
from weights import image  # noqa: E402

KILN = os.environ.get("KILN", "target/release/kiln")
INPUTS = 16


def random_inputs(like):
    """Inputs of the kind that `tools/hunt` makes: tokens, or images (a sequence is an image of one row)."""
    for seed in range(INPUTS):
        if like.dtype == torch.int64:
            yield torch.randint(0, int(like.max()) + 1, like.shape, generator=torch.Generator().manual_seed(seed))
        else:
            shape = like.shape if like.dim() == 4 else (1, *like.shape)
            yield image(*shape, seed=seed).reshape(like.shape).to(like.dtype)


def in_f64(program):
    """The program's graph with its weights, and each dtype that it names, in f64."""
    module = program.module()

    def wide(arg):
        return torch.float64 if isinstance(arg, torch.dtype) and arg.is_floating_point else arg

    for node in list(module.graph.nodes):
        is_guard = node.op == "call_module" and "guard" in str(node.target)
        if is_guard or node.target is torch.ops.aten._assert_tensor_metadata.default:
            module.graph.erase_node(node)
            continue
        node.args = torch.fx.node.map_aggregate(node.args, wide)
        node.kwargs = torch.fx.node.map_aggregate(node.kwargs, wide)
    module.recompile()
    module.to(torch.float64)
    for name, value in list(vars(module).items()):
        if isinstance(value, torch.Tensor) and value.is_floating_point():
            setattr(module, name, value.double())
    return module


def tensors(results):
    return [t for t in tree_flatten(results)[0] if isinstance(t, torch.Tensor)]


def decibels(reference, found):
    """Signal to noise, at most 200."""
    reference, found = reference.double(), found.double()
    noise, signal = ((reference - found) ** 2).sum().item(), (reference**2).sum().item()
    if math.isnan(noise) or math.isinf(noise):
        return -math.inf
    return 200.0 if noise == 0 else min(200.0, 10 * math.log10(signal / noise))


def run(program, inputs, folder):
    outputs = folder / "outputs.safetensors"
    command = [KILN, "run", program, "--runtime", "executorch", "--inputs", inputs, "--outputs", outputs]
    subprocess.run([str(part) for part in command], check=True, capture_output=True)
    return load_file(outputs)


def compare(archive, peer, folder):
    """Rows of a table: for each output and reference, the means of both programs and their difference."""
    example = load_file(archive.with_suffix(".safetensors"))["0.in.0"]
    inputs = list(random_inputs(example))
    save_file({f"{i}.in.0": x for i, x in enumerate(inputs)}, folder / "inputs.safetensors")
    subprocess.run([KILN, "compile", "-q", archive, "-o", folder / "ours.pte"], check=True)
    both = [run(program, folder / "inputs.safetensors", folder) for program in (folder / "ours.pte", peer)]
    eager, exact = torch.export.load(archive).module(), in_f64(torch.export.load(archive))
    with torch.no_grad():
        references = {
            "eager": [tensors(eager(x)) for x in inputs],
            "f64": [tensors(exact(x.double() if x.is_floating_point() else x)) for x in inputs],
        }
    for output in range(len(references["eager"][0])):
        for name, results in references.items():
            ours, theirs = ([decibels(r[output], p[f"{i}.out.{output}"]) for i, r in enumerate(results)] for p in both)
            yield output, name, ours, theirs


def main():
    models, peers = (pathlib.Path(path) for path in sys.argv[1:3])
    print("| model | output | from | ours dB | peer's dB | difference | its error |\n|---|---:|---|---:|---:|---:|---:|")
    for archive in sorted(models.glob("*.pt2")):
        peer = peers / f"{archive.stem}.pte"
        if not peer.exists() or (sys.argv[3:] and not any(name in archive.stem for name in sys.argv[3:])):
            continue
        with tempfile.TemporaryDirectory() as folder:
            for output, name, ours, theirs in compare(archive, peer, pathlib.Path(folder)):
                row = f"| {archive.stem} | {output} | {name} | {statistics.mean(ours):.2f} | {statistics.mean(theirs):.2f} |"
                if any(map(math.isinf, ours + theirs)):
                    print(row, "| |", flush=True)
                    continue
                apart = [a - b for a, b in zip(ours, theirs)]
                error = statistics.stdev(apart) / math.sqrt(len(apart))
                print(row, f"{statistics.mean(apart):+.2f} | {error:.2f} |", flush=True)


if __name__ == "__main__":
    main()
