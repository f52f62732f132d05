"""Distances of Kiln's programs and of ExecuTorch's from eager PyTorch, on more inputs than an archive's golden outputs have.

    python tools/hunt/hunt.py make halves --out MODELS            # halves, with PyTorch's results; docs/models.md says how PEER is made
    python bench/distances.py MODELS PEER --from eager,f64        # [--only NAMES] [--inputs 16] [--bin target/release]
    python bench/distances.py Q PEER --draw normal                # archives of integers: eager PyTorch is the archive's own arithmetic

`--from f64` compares with the same model and the same weights in f64 too. Needs torch 2.15, and torchao for archives of integers.

Each model runs on the stock runtime for several random inputs like its own: integers in the same range, floats drawn as photographs
or from a normal distribution of the same mean and deviation. The table has means in dB, and the mean difference of both programs with
its standard error. A single input says little: the difference of two programs varies by up to a decibel. The exit status is 1 where a
program of Kiln's is farther than ExecuTorch's by more than `--within` (0.5 dB) and twice the error.
"""

import argparse
import contextlib
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

import torch
import torch.ao.quantization.fx._decomposed  # noqa: F401 - registers quantized_decomposed
from safetensors.torch import load_file, save_file
from torch.utils._pytree import tree_flatten

with contextlib.suppress(ImportError):
    import torchao.quantization.quant_primitives  # noqa: F401 - registers torchao's ops

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tools" / "hunt" / "families"))
from weights import image  # noqa: E402


def drawn(like, seed, draw):
    """A random tensor like an input. What is no batch of images is drawn as a photograph of a single row."""
    generator = torch.Generator().manual_seed(seed)
    if not like.is_floating_point():
        low, high = int(like.min()), int(like.max())
        return torch.randint(low, high + 1, like.shape, generator=generator).to(like.dtype)
    if draw == "normal":
        values = like.float()
        deviation = values.std() if values.numel() > 1 else 1.0
        return (torch.randn(like.shape, generator=generator) * deviation + values.mean()).to(like.dtype)
    shape = like.shape if like.dim() == 4 else (1, 1, 1, like.numel())
    return image(*shape, seed=seed).reshape(like.shape).to(like.dtype)


def random_inputs(golden, count, draw):
    """Lists of inputs like those of an archive's first run."""
    first = [golden[f"0.in.{i}"] for i in range(sum(name.startswith("0.in.") for name in golden))]
    for seed in range(count):
        yield [drawn(like, 1000 * at + seed, draw) for at, like in enumerate(first)]


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
    if noise == 0:
        return 200.0
    return min(200.0, 10 * math.log10(signal / noise)) if signal > 0 else -math.inf


def run(kiln, program, inputs, outputs):
    command = [kiln, "run", program, "--runtime", "executorch", "--inputs", inputs, "--outputs", outputs]
    subprocess.run([str(part) for part in command], check=True, capture_output=True)
    return load_file(outputs)


def compare(arguments, archive, peer, folder):
    """For each output and reference: the distances of both programs, a number for each input."""
    kiln = arguments.bin / "kiln"
    inputs = list(random_inputs(load_file(archive.with_suffix(".safetensors")), arguments.inputs, arguments.draw))
    named = {f"{i}.in.{at}": x for i, run_of in enumerate(inputs) for at, x in enumerate(run_of)}
    save_file(named, folder / "inputs.safetensors")
    subprocess.run([kiln, "compile", "-q", archive, "-o", folder / "ours.pte"], check=True)
    programs = {"ours": folder / "ours.pte", "peer": peer}
    both = [run(kiln, program, folder / "inputs.safetensors", folder / f"{name}.safetensors") for name, program in programs.items()]
    modules = {"eager": lambda: torch.export.load(archive).module(), "f64": lambda: in_f64(torch.export.load(archive))}
    for name in arguments.reference:
        module = modules[name]()
        exact = name == "f64"
        with torch.no_grad():
            results = [tensors(module(*(x.double() if exact and x.is_floating_point() else x for x in xs))) for xs in inputs]
        for output in range(len(results[0])):
            yield output, name, *([decibels(r[output], p[f"{i}.out.{output}"]) for i, r in enumerate(results)] for p in both)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("peer", type=pathlib.Path)
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME", help="models whose names have one of these parts")
    parser.add_argument("--from", dest="reference", type=lambda text: text.split(","), default=["eager"])
    parser.add_argument("--draw", choices=("photographs", "normal"), default="photographs")
    parser.add_argument("--inputs", type=int, default=16)
    parser.add_argument("--within", type=float, default=0.5, help="how much farther than ExecuTorch's a program may be, in dB")
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("target/release"))
    arguments = parser.parse_args()
    if arguments.inputs < 2:
        parser.error("the error of a mean needs at least 2 inputs")
    compared, farther = 0, []
    print("| model | output | from | ours dB | peer's dB | difference | its error |\n|---|---:|---|---:|---:|---:|---:|")
    for archive in sorted(arguments.models.glob("*.pt2")):
        peer = arguments.peer / f"{archive.stem}.pte"
        if not peer.exists() or (arguments.only and not any(name in archive.stem for name in arguments.only)):
            continue
        with tempfile.TemporaryDirectory() as folder:
            for output, name, ours, theirs in compare(arguments, archive, peer, pathlib.Path(folder)):
                compared += 1
                row = f"| {archive.stem} | {output} | {name} | {statistics.mean(ours):.2f} | {statistics.mean(theirs):.2f} |"
                if any(map(math.isinf, ours + theirs)):
                    print(row, "| |", flush=True)
                    farther += [archive.stem] if statistics.mean(ours) < statistics.mean(theirs) else []
                    continue
                apart = [a - b for a, b in zip(ours, theirs)]
                error = statistics.stdev(apart) / math.sqrt(len(apart))
                print(row, f"{statistics.mean(apart):+.2f} | {error:.2f} |", flush=True)
                farther += [archive.stem] if statistics.mean(apart) + 2 * error < -arguments.within else []
    print(f"compared {compared} outputs; farther than ExecuTorch's programs: {', '.join(farther) or 'none'}")
    sys.exit(1 if farther or not compared else 0)


if __name__ == "__main__":
    main()
