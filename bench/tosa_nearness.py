#!/usr/bin/env python3
"""How near TOSA files are to the golden, the Q/DQ model in PyTorch, operator by operator.

Every operator is given the golden's integers: an integer result of a file is matched with the golden's quantised values,
channel by channel since files may have channels in another order, compared, and replaced by them. Beside the counts: the
graph in f64 with each quantisation rounded once, from the golden's integers too; and the SQNR of whole runs, by `kiln run`.

Needs torch, torchao, safetensors, and the modules `tosa` and flatbuffers of tosa-tools (PYTHONPATH).
Usage: tosa_nearness.py KILN ARCHIVE.pt2 FILE.tosa ... [--runs N]      inputs are those of bench/tosa_archives.py
"""
import argparse
import collections
import importlib
import os
import subprocess
import tempfile

import numpy as np
import torch
import torch.nn.functional as F
import torchao.quantization.pt2e.quantize_pt2e  # noqa: F401  registers ops of archives
from safetensors.torch import load_file, save_file
from tosa.DType import DType
from tosa.Op import Op
from tosa.RoundingMode import RoundingMode
from tosa.TosaGraph import TosaGraph

OPS = {value: name for name, value in vars(Op).items() if isinstance(value, int)}
DTYPES = {value: name for name, value in vars(DType).items() if isinstance(value, int)}
ATTRIBUTES = {"CONV2D": "Conv2d", "DEPTHWISE_CONV2D": "DepthwiseConv2d", "TRANSPOSE_CONV2D": "TransposeConv2d", "AVG_POOL2D": "AvgPool2d",
              "MAX_POOL2D": "MaxPool2d", "RESCALE": "Rescale", "CLAMP": "Clamp", "CONCAT": "Concat", "TRANSPOSE": "Transpose",
              "REDUCE_SUM": "ReduceSum", "REDUCE_MAX": "ReduceMax"}
NUMPY = {"INT8": np.int8, "INT16": np.int16, "INT32": np.int32, "BOOL": np.int8}
MOVEMENTS = ("RESHAPE", "TRANSPOSE", "SLICE", "CONCAT", "PAD", "IDENTITY")
# A channel is the golden's if so many of its elements are, and none is further from it.
LEAST_EQUAL, MOST_APART = 0.97, 2
# Channels of fewer elements tell too little of which they are.
LEAST_ELEMENTS = 8


def attribute(op, name):
    if name not in ATTRIBUTES:
        return None
    kind = ATTRIBUTES[name] + "Attribute"
    made, table = getattr(importlib.import_module("tosa." + kind), kind)(), op.Attribute()
    made.Init(table.Bytes, table.Pos)
    return made


class File:
    """The operators of a file's main block."""

    def __init__(self, path):
        block = TosaGraph.GetRootAs(open(path, "rb").read(), 0).Regions(0).Blocks(0)
        tensors = (block.Tensors(i) for i in range(block.TensorsLength()))
        self.tensors = {t.Name().decode(): t for t in tensors}
        shapes = (block.Shapes(i) for i in range(block.ShapesLength()))
        self.shapes = {s.Name().decode(): np.frombuffer(s.DataAsNumpy().tobytes(), np.int64).tolist() if s.DataLength() else []
                       for s in shapes}
        self.inputs = [block.Inputs(i).decode() for i in range(block.InputsLength())]
        self.outputs = [block.Outputs(i).decode() for i in range(block.OutputsLength())]
        self.ops = []
        for i in range(block.OperatorsLength()):
            op = block.Operators(i)
            name = OPS[op.Op()]
            if name != "CONST_SHAPE":
                operands = [op.Inputs(k).decode() for k in range(op.InputsLength())]
                self.ops.append((name, attribute(op, name), operands, op.Outputs(0).decode()))

    def dtype(self, name):
        return DTYPES[self.tensors[name].Type()]

    def sizes(self, name):
        return [self.tensors[name].Shape(i) for i in range(self.tensors[name].ShapeLength())]

    def constant(self, name):
        dtype, sizes = self.dtype(name), self.sizes(name)
        raw, count = self.tensors[name].DataAsNumpy().tobytes(), int(np.prod(sizes))
        if dtype == "INT48":
            words = np.zeros((count, 8), np.uint8)
            words[:, :6] = np.frombuffer(raw, np.uint8)[:6 * count].reshape(count, 6)
            values = (words.view(np.int64)[:, 0] << 16) >> 16
        else:
            values = np.frombuffer(raw, NUMPY[dtype])[:count]
        return torch.from_numpy(values.astype(np.int64)).reshape(sizes)


def execute(file, given, replace):
    """The outputs; `replace` sees each result and may give another."""
    values = dict(zip(file.inputs, given))
    for name, attributes, operands, result in file.ops:
        if name == "CONST":
            values[result] = file.constant(result)
            continue
        read = [file.shapes[x] if x in file.shapes else values[x] for x in operands]
        values[result] = replace(name, result, computed(file, name, attributes, read, result))
    return [values[x] for x in file.outputs]


def vector(attributes, name):
    return [int(n) for n in getattr(attributes, name + "AsNumpy")()]


def padded(x, pad, value=0):
    return F.pad(x, [pad[2], pad[3], pad[0], pad[1]], value=value)


def limited(x, dtype):
    limits = np.iinfo(NUMPY[dtype])
    return x.clamp(limits.min, limits.max)


def shifted(product, shift):
    return (product + (torch.ones_like(shift) << (shift - 1))) >> shift


def rescaled(file, attributes, read, result):
    x, multiplier, shift, zero, to = read
    sizes = [1] * (x.dim() - 1) + [-1]
    multiplier, shift, x = multiplier.reshape(sizes), shift.reshape(sizes), x - int(zero)
    product = x * multiplier
    if attributes.RoundingMode() == RoundingMode.DOUBLE_ROUND:
        product = product + torch.where(shift > 31, torch.where(x >= 0, 1 << 30, -(1 << 30)), 0)
    return limited(shifted(product, shift) + int(to), file.dtype(result))


def convolved(name, attributes, read):
    """Products of integers in f64, which is exact."""
    x, weight, bias, zero, weight_zero = read
    x, weight = (x - int(zero)).double().movedim(-1, 1), (weight - int(weight_zero)).double()
    stride = vector(attributes, "Stride")
    if name == "TRANSPOSE_CONV2D":
        made = padded(F.conv_transpose2d(x, weight.permute(3, 0, 1, 2), None, stride), vector(attributes, "OutPad"))
        return made.movedim(1, -1).long() + bias
    groups = 1
    if name == "DEPTHWISE_CONV2D":
        height, width, groups, each = weight.shape
        weight = weight.permute(2, 3, 0, 1).reshape(groups * each, 1, height, width)
    else:
        weight = weight.movedim(-1, 1)
    x = padded(x, vector(attributes, "Pad"))
    made = F.conv2d(x, weight, None, stride, 0, vector(attributes, "Dilation"), groups)
    return made.movedim(1, -1).long() + bias


def averaged(file, attributes, read, result):
    kernel, stride, pad = (vector(attributes, name) for name in ("Kernel", "Stride", "Pad"))
    x = (read[0] - int(read[1])).double().movedim(-1, 1)

    def summed(x):
        return F.avg_pool2d(padded(x, pad), kernel, stride, divisor_override=1).round().long().movedim(1, -1)
    total, count = summed(x), summed(torch.ones_like(x))
    bits = torch.where(count > 1, torch.floor(torch.log2((count - 1).clamp(min=1).double())).long() + 1, 0)
    multiplier = (torch.full_like(count, (1 << 30) + 1) << bits) // count
    return limited(shifted(total * multiplier, 30 + bits) + int(read[2]), file.dtype(result))


def looked_up(file, read, result):
    x, table = read
    if file.dtype(result) != "INT32":
        return table[x + 128]
    at = x + 32768
    low = table[at >> 7]
    return (low << 7) + (table[(at >> 7) + 1] - low) * (at & 127)


def border(read):
    pads = [n for axis in reversed(range(read[0].dim())) for n in read[1][2 * axis:2 * axis + 2]]
    return F.pad(read[0], pads, value=int(read[2]))


def computed(file, name, attributes, read, result):
    x = read[0]
    if name in ("CONV2D", "DEPTHWISE_CONV2D", "TRANSPOSE_CONV2D"):
        return convolved(name, attributes, read)
    if name == "CLAMP":
        bounds = (np.frombuffer(getattr(attributes, b + "AsNumpy")().tobytes(), NUMPY[file.dtype(result)]) for b in ("MinVal", "MaxVal"))
        return x.clamp(*(int(bound[0]) for bound in bounds))
    if name == "MAX_POOL2D":
        x = padded(x.double().movedim(-1, 1), vector(attributes, "Pad"), -1e9)
        return F.max_pool2d(x, vector(attributes, "Kernel"), vector(attributes, "Stride")).movedim(1, -1).long()
    if name == "MUL":
        shift = int(read[2])
        return shifted(x * read[1], torch.tensor(shift)) if shift else x * read[1]
    rules = {
        "RESCALE": lambda: rescaled(file, attributes, read, result), "AVG_POOL2D": lambda: averaged(file, attributes, read, result),
        "TABLE": lambda: looked_up(file, read, result), "PAD": lambda: border(read), "IDENTITY": lambda: x,
        "ADD": lambda: x + read[1], "SUB": lambda: x - read[1], "MAXIMUM": lambda: torch.maximum(x, read[1]),
        "MINIMUM": lambda: torch.minimum(x, read[1]), "CONCAT": lambda: torch.cat(read, attributes.Axis()),
        "SLICE": lambda: x[tuple(slice(a, a + n) for a, n in zip(read[1], read[2]))], "RESHAPE": lambda: x.reshape(read[1]),
        "TRANSPOSE": lambda: x.permute(vector(attributes, "Perms")), "REDUCE_SUM": lambda: x.sum(attributes.Axis(), keepdim=True),
        "REDUCE_MAX": lambda: x.amax(attributes.Axis(), keepdim=True),
        "MATMUL": lambda: torch.matmul((x - int(read[2])).double(), (read[1] - int(read[3])).double()).long(),
    }
    if name not in rules or file.dtype(result) not in (*NUMPY, "INT48"):
        raise NotImplementedError(f"{name} of {file.dtype(result)}")
    return rules[name]()


class Golden(torch.fx.Interpreter):
    """Keeps the integers of each quantisation, its parameters and what it quantises."""

    def __init__(self, module):
        super().__init__(module)
        self.kept = {}

    def run_node(self, node):
        result = super().run_node(node)
        if "::quantize_per_tensor" in getattr(node.target, "name", str)():
            self.kept[node.name] = (result, node.args[1], node.args[2], str(node.args[0].target))
        return result


class Exact(torch.fx.Interpreter):
    """The graph in f64; each quantisation rounds once, is compared with the golden's and replaced by it."""

    def __init__(self, module, kept):
        super().__init__(module)
        self.kept, self.wrong = kept, collections.Counter()

    def fetch_attr(self, target):
        found = super().fetch_attr(target)
        is_single = isinstance(found, torch.Tensor) and found.dtype == torch.float32
        return found.double() if is_single else found

    def run_node(self, node):
        name = getattr(node.target, "name", str)()
        if "quantize_per" not in name:
            return super().run_node(node)
        x, scale, zero, *rest = self.fetch_args_kwargs_from_env(node)[0]
        if "::dequantize_per_tensor" in name:
            return (x.double() - zero) * scale
        if "::dequantize_per_channel" in name:
            sizes = [-1 if axis == rest[0] else 1 for axis in range(x.dim())]
            return (x.double() - zero.double().reshape(sizes)) * scale.double().reshape(sizes)
        found = ((x / scale).round() + zero).clamp(rest[0], rest[1])
        golden = self.kept[node.name][0]
        self.wrong[node.name] += int((found != golden).sum())
        return golden


def channels(kept):
    """The golden's channels by how many elements they have: of which value each is, and the integers; equal ones once."""
    by_size, seen = collections.defaultdict(list), set()
    for name, (values, *_) in kept.items():
        if values.dim() >= 4:
            rows = values.reshape(-1, values.shape[-2] * values.shape[-1])
        else:
            rows = values.reshape(1, -1) if values.dim() < 3 else values[0].T
        for row in rows.to(torch.int16).numpy():
            if row.tobytes() not in seen:
                seen.add(row.tobytes())
                by_size[len(row)].append((name, row))
    return {size: ([name for name, _ in rows], np.stack([row for _, row in rows])) for size, rows in by_size.items()}


class Forced:
    """Counts what differs from the golden, by its value, and puts the golden's integers in place."""

    def __init__(self, file, golden):
        self.file, self.golden = file, golden
        self.wrong, self.seen = collections.Counter(), collections.Counter()

    def __call__(self, name, result, values):
        if self.file.dtype(result) != "INT8" or name in MOVEMENTS:
            return values
        ways = [(values.reshape(1, -1), lambda rows: rows.reshape(values.shape))]
        if values.dim() >= 2 and values.shape[0] == 1:
            ways = [(values.reshape(-1, values.shape[-1]).T, lambda rows: rows.T.reshape(values.shape)),
                    (values.reshape(values.shape[1], -1), lambda rows: rows.reshape(values.shape)), *ways]
        for rows, back in ways:
            matched = self.matched(rows.to(torch.int16).numpy())
            if matched is not None:
                return back(torch.from_numpy(matched.astype(np.int64)))
        return values

    def matched(self, rows):
        size = rows.shape[1]
        if size < LEAST_ELEMENTS or size not in self.golden:
            return None
        names, golden = self.golden[size]
        sample = np.linspace(0, size - 1, min(size, 400)).astype(int)
        found, counts = np.empty_like(rows), []
        for i, row in enumerate(rows):
            likely = np.argsort((row[sample] != golden[:, sample]).sum(1), kind="stable")[:3]
            wrong, at = min((int((row != golden[j]).sum()), j) for j in likely)
            if wrong > max(1, (1 - LEAST_EQUAL) * size) or np.abs(row - golden[at]).max() > MOST_APART:
                return None
            found[i] = golden[at]
            counts.append((names[at], wrong))
        for name, wrong in counts:
            self.wrong[name] += wrong
            self.seen[name] += size
        return found


def in_order(values, sizes):
    """Channels last where the file has them so."""
    return values if list(values.shape) == list(sizes) else values.movedim(1, -1)


def sqnr(kiln, path, file, start, end):
    """Of a whole run, in dB; 999 if equal."""
    with tempfile.TemporaryDirectory() as work:
        given, made = os.path.join(work, "in.safetensors"), os.path.join(work, "out.safetensors")
        save_file({"0.in.0": in_order(start[0], file.sizes(file.inputs[0])).contiguous()}, given)
        subprocess.run([kiln, "run", path, "--inputs", given, "--outputs", made, "-q"], check=True)
        found = load_file(made)["0.out.0"].long()
    golden = in_order(end[0], found.shape).long()
    noise = ((golden - found).double() ** 2).sum()
    return 999.0 if noise == 0 else float(10 * torch.log10(((golden - end[2]).double() ** 2).sum() / noise))


def compare(options, module, files, x):
    golden = Golden(module)
    exact = Exact(module, golden.kept)
    with torch.no_grad():
        golden.run(x)
        exact.run(x.double())
    kept = golden.kept
    known, (start, *_, end) = channels(kept), kept.values()
    print(f"| value | of | exact | {' | '.join(os.path.basename(path) for path in files)} |\n|---|---|---:|{'---:|' * len(files)}")
    ratios, forced = [], []
    for path, file in files.items():
        ratios.append(f"{sqnr(options.kiln, path, file, start, end):.1f} dB")
        forced.append(Forced(file, known))
        execute(file, [in_order(start[0], file.sizes(file.inputs[0])).long()], forced[-1])
    for name, (*_, of) in kept.items():
        counts = [exact.wrong[name], *(found.wrong[name] for found in forced)]
        if any(counts):
            print(f"| {name} | {of} | {' | '.join(map(str, counts))} |")
    totals = [f"{sum(found.wrong.values())} of {sum(found.seen.values())}" for found in forced]
    print(f"| all | | {sum(exact.wrong.values())} | {' | '.join(totals)} |\n| whole run | | | {' | '.join(ratios)} |\n", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kiln")
    parser.add_argument("archive")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--runs", type=int, default=2)
    options = parser.parse_args()
    module = torch.export.load(options.archive).module()
    shape = next(node.meta["val"].shape for node in module.graph.nodes if node.op == "placeholder")
    files = {path: File(path) for path in options.files}
    torch.manual_seed(1)
    for x in [torch.randn(*shape) for _ in range(options.runs)]:
        compare(options, module, files, x)


main()
