"""Writes what torch computes as graphs that return the computed and the expected tensors in pairs.

    python make.py     # needs torch 2.15 and numpy; writes the .txt files beside it

tests/torch.rs evaluates them. Every graph has constants only, so it stands for itself.
"""

import math
import os

import torch
import torch.nn.functional as F

torch.manual_seed(0)
HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = {
    torch.bool: "bool", torch.uint8: "u8", torch.int8: "i8", torch.int16: "i16", torch.int32: "i32",
    torch.int64: "i64", torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32", torch.float64: "f64",
}
FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
INTS = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64]
NUMBERS = INTS + FLOATS
inf, nan = math.inf, math.nan


def number(v):
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, float):
        return "NaN" if v != v else repr(v)
    return str(v)


def listed(values):
    return "[" + ", ".join(number(v) for v in values) + "]"


def kind(t):
    return f"{NAMES[t.dtype]}{list(t.shape)}"


def constant(t):
    t = t.detach().contiguous()
    if t.numel() <= 48:
        return f"{kind(t)} = {listed(t.flatten().tolist())}"
    return f'{kind(t)} = hex "{t.view(torch.uint8).numpy().tobytes().hex()}"'


class Group:
    def __init__(self, name):
        self.name, self.cases = name, []

    def case(self, title, op, operands, expected, quant=""):
        """`op` is `name {attributes}` or a function of the operands' numbers that gives more lines."""
        expected = expected if isinstance(expected, (list, tuple)) else [expected]
        lines = [f'graph "{title}" {{']
        tensors = list(operands) + list(expected)
        lines += [f'  constant c{i} "" {constant(t)}' for i, t in enumerate(tensors)]
        lines += ["  output tensor"] * (2 * len(expected))
        lines.append("  block b0 () {")
        lines += [f"    %{i}: {kind(t)} = constant {{value=c{i}}}" for i, t in enumerate(tensors)]
        n, k = len(operands), len(expected)
        made = [f"%{n + k + i}" for i in range(k)]
        name, attributes = op.split(" ", 1)
        results = ", ".join(f"{m}: {kind(t)}{quant}" for m, t in zip(made, expected))
        lines.append(f"    {results} = {name} {', '.join(f'%{i}' for i in range(n))} {attributes}")
        pairs = ", ".join(f"{m}, %{n + i}" for i, m in enumerate(made))
        lines += [f"    return {pairs}", "  }", "}"]
        self.cases.append("\n".join(lines))

    def write(self):
        with open(os.path.join(HERE, self.name + ".txt"), "w") as f:
            f.write("\n\n".join(self.cases) + "\n")
        print(self.name, len(self.cases))


def shown(values):
    return "[" + ", ".join(str(v) for v in values) + "]"


def rand(*sizes, dtype=torch.float32):
    return torch.randn(*sizes).to(dtype)


EDGE = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.7, -3.7, 0.1, -0.3, 10.0, -10.0, 88.0, -88.0,
        100.0, -100.0, 1e-5, -1e-30, 3e4, 1e38, -1e38, inf, -inf, nan, 0.999, -0.999, 1e-45, 6.0, -6.0, 20.5, 2.0]


def elementwise():
    g = Group("elementwise")
    functions = {
        "neg": torch.neg, "abs": torch.abs, "sign": torch.sign, "floor": torch.floor, "ceil": torch.ceil,
        "round": torch.round, "trunc": torch.trunc, "exp": torch.exp, "exp2": torch.exp2, "expm1": torch.expm1,
        "log": torch.log, "log2": torch.log2, "log10": torch.log10, "log1p": torch.log1p, "sqrt": torch.sqrt,
        "rsqrt": torch.rsqrt, "reciprocal": torch.reciprocal, "square": torch.square, "sin": torch.sin,
        "cos": torch.cos, "tan": torch.tan, "asin": torch.asin, "acos": torch.acos, "atan": torch.atan,
        "sinh": torch.sinh, "cosh": torch.cosh, "tanh": torch.tanh, "asinh": torch.asinh, "acosh": torch.acosh,
        "atanh": torch.atanh, "erf": torch.erf, "erfinv": torch.erfinv, "sigmoid": torch.sigmoid,
        "log_sigmoid": F.logsigmoid, "gelu": F.gelu, "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
        "silu": F.silu, "mish": F.mish, "hardswish": F.hardswish, "hardsigmoid": F.hardsigmoid,
        "is_nan": torch.isnan, "is_inf": torch.isinf,
        "clamp[-0.5, 2.25]": lambda x: torch.clamp(x, -0.5, 2.25), "clamp[0, none]": F.relu,
        "clamp[none, -0.1]": lambda x: torch.clamp(x, max=-0.1), "clamp[2, 1]": lambda x: torch.clamp(x, 2, 1),
        "clamp[0, 6]": lambda x: F.relu6(x),
        "elu[1.5, 1.0, 1.0]": lambda x: F.elu(x, 1.5),
        "elu[1.6732632423543772, 1.0507009873554805, 1.0]": F.selu, "leaky_relu[0.01]": F.leaky_relu,
        "softplus[1.0, 20.0]": F.softplus, "softplus[2.0, 5.0]": lambda x: F.softplus(x, 2.0, 5.0),
    }
    for dtype in FLOATS:
        x = torch.tensor(EDGE, dtype=torch.float64).to(dtype)
        for name, f in functions.items():
            # torch's gelu of an infinity is NaN or infinity, by dtype and version of its vector library.
            finite = name == "gelu" and dtype in (torch.bfloat16, torch.float32)
            y = x[x != inf] if finite else x
            g.case(f"{name} {NAMES[dtype]}", f"unary {{f={name}}}", [y], f(y))
    for dtype in INTS:
        info = torch.iinfo(dtype)
        x = torch.tensor([0, 1, 2, 3, info.max, info.min, info.max - 7, info.min + 5], dtype=dtype)
        for name in ["neg", "abs", "sign", "square"]:
            g.case(f"{name} {NAMES[dtype]}", f"unary {{f={name}}}", [x], functions[name](x))
        g.case(f"not {NAMES[dtype]}", "unary {f=bit_not}", [x], torch.bitwise_not(x))
        g.case(f"clamp {NAMES[dtype]}", "unary {f=clamp[1, 5]}", [x], torch.clamp(x, 1, 5))
    b = torch.tensor([True, False])
    g.case("not bool", "unary {f=bit_not}", [b], torch.logical_not(b))
    binary(g)
    casts(g)
    g.write()


def crossed(values, dtype):
    v = torch.tensor(values, dtype=torch.float64 if dtype.is_floating_point else torch.int64).to(dtype)
    return v.repeat_interleave(len(values)), v.repeat(len(values))


def binary(g):
    arithmetic = {
        "add": torch.add, "sub": torch.sub, "mul": torch.mul, "floor_div": torch.floor_divide,
        "trunc_div": lambda a, b: torch.div(a, b, rounding_mode="trunc"), "remainder": torch.remainder,
        "fmod": torch.fmod, "pow": torch.pow, "max": torch.maximum, "min": torch.minimum,
    }
    floats = {"div": torch.div, "atan2": torch.atan2, "prelu": lambda a, b: torch.where(a > 0, a, a * b)}
    bits = {"bit_and": torch.bitwise_and, "bit_or": torch.bitwise_or, "bit_xor": torch.bitwise_xor}
    relations = {"eq": torch.eq, "ne": torch.ne, "lt": torch.lt, "le": torch.le, "gt": torch.gt, "ge": torch.ge}
    special = [0.0, -0.0, 1.0, -1.5, 2.0, 3.25, -7.0, 0.1, inf, -inf, nan]
    for dtype in FLOATS:
        a, b = crossed(special, dtype)
        for name, f in {**arithmetic, **floats}.items():
            x, y = a, b
            if name in ("max", "min"):
                # Which of two zeros wins depends on whether torch's vectors or scalars see them.
                kept = ~((a == 0) & (b == 0))
                x, y = a[kept], b[kept]
            expected = f(x, y)
            if name in ("trunc_div", "floor_div") and dtype.itemsize == 2:
                # torch rounds the quotient of halves to a half before it takes the whole part, in vectors only.
                expected = f(x.float(), y.float()).to(dtype)
            g.case(f"{name} {NAMES[dtype]}", f"binary {{f={name}}}", [x, y], expected)
        for name, f in relations.items() if dtype in (torch.float16, torch.float32) else []:
            g.case(f"{name} {NAMES[dtype]}", f"compare {{f={name}}}", [a, b], f(a, b))
    for dtype in INTS:
        info = torch.iinfo(dtype)
        a, b = crossed([1, 2, 3, 7, info.max, info.min + 1, info.max - 2, -1 if info.min else 9, -5 if info.min else 6], dtype)
        for name, f in {**arithmetic, **bits}.items():
            g.case(f"{name} {NAMES[dtype]}", f"binary {{f={name}}}", [a, b], f(a, b))
        by = torch.tensor([0, 1, 3, 7] * 2, dtype=dtype)
        x = torch.tensor([1, 5, info.max, info.min, info.max - 9, info.min + 3, 2, 77], dtype=dtype)
        for name, f in {"shl": torch.bitwise_left_shift, "shr": torch.bitwise_right_shift}.items():
            g.case(f"{name} {NAMES[dtype]}", f"binary {{f={name}}}", [x, by], f(x, by))
        g.case(f"le {NAMES[dtype]}", "compare {f=le}", [a, b], a <= b)
    wild = torch.tensor([32, 33, 31, -1, 40, 64], dtype=torch.int32)
    x = torch.tensor([5, -5, -1, 9, -9, 1], dtype=torch.int32)
    g.case("shl out of range", "binary {f=shl}", [x, wild], torch.bitwise_left_shift(x, wild))
    g.case("shr out of range", "binary {f=shr}", [x, wild], torch.bitwise_right_shift(x, wild))
    a, b = torch.tensor([True, True, False, False]), torch.tensor([True, False, True, False])
    for name, f in {**bits, "max": torch.maximum, "min": torch.minimum}.items():
        g.case(f"{name} bool", f"binary {{f={name}}}", [a, b], f(a, b))
    for dtype in [torch.float32, torch.int16, torch.bool, torch.float64]:
        x, y = (torch.randint(-5, 6, s).to(dtype) for s in ([2, 1, 3, 4], [1, 5, 3, 1]))
        c = torch.randint(0, 2, [2, 5, 1, 4]).bool()
        g.case(f"select {NAMES[dtype]}", "select {}", [c, x, y], torch.where(c, x, y))
        g.case(f"repeated {NAMES[dtype]}", "compare {f=lt}", [x, y], x < y)
    x, y = rand(1, 4, 1, 3), rand(5, 1, 2, 1)
    g.case("repeated add", "binary {f=add}", [x, y], x + y)
    g.case("scalar mul", "binary {f=mul}", [torch.tensor(3.0), torch.tensor(-0.0)], torch.tensor(-0.0))


def casts(g):
    """Small and long tensors: torch converts the body and the tail of a tensor by different code."""
    for source in NUMBERS + [torch.bool]:
        if source.is_floating_point:
            values = [0.0, -0.0, 0.9, -0.9, 1.5, -1.5, 127.6, 128.0, -128.9, 200.0, 255.5, 300.0, 3e4, 65520.0, -4e4, 7e4,
                      2147483520.0, 2147483648.0, -2147483648.0, 1e10, -1e10, 1e19, -1e19, nan, inf, -inf, 1e-8, 0.1, 1e300, -129.0]
        elif source == torch.bool:
            values = [0, 1, 1, 0]
        else:
            info = torch.iinfo(source)
            values = [0, 1, 2, 100, info.max, info.min, info.max - 1, info.min + 1, info.max // 3]
        x = torch.tensor(values, dtype=torch.float64 if source.is_floating_point else torch.int64).to(source)
        for target in NUMBERS + [torch.bool]:
            if source.is_floating_point and not target.is_floating_point and target != torch.bool:
                # Beyond the least 32 or 64 bits torch's vectors and scalars disagree with each other.
                wide = target in (torch.int64, torch.uint8)
                limit = 2.0**63 if wide else 2.0**31
                kept = x[(x.double().abs() < limit) & ~x.isnan()]
            else:
                kept = x
            g.case(f"{NAMES[source]} to {NAMES[target]}", f"cast {{to={NAMES[target]}}}", [kept], kept.to(target))


def reductions():
    g = Group("reduce")
    for dtype in NUMBERS:
        x = rand(3, 4, 5).mul(3).to(dtype) if dtype.is_floating_point else torch.randint(0, 100, (3, 4, 5)).to(dtype)
        for axes in [[], [0], [1], [0, 2], [0, 1, 2]]:
            keep = {"dim": axes, "keepdim": True}
            if not axes:
                g.case(f"none {NAMES[dtype]}", "reduce {f=sum, axes=[]}", [x], x)
                continue
            g.case(f"sum {axes} {NAMES[dtype]}", f"reduce {{f=sum, axes={axes}}}", [x], x.sum(**keep, dtype=dtype))
            for name, f in {"max": torch.amax, "min": torch.amin}.items():
                g.case(f"{name} {axes} {NAMES[dtype]}", f"reduce {{f={name}, axes={axes}}}", [x], f(x, **keep))
            if dtype.is_floating_point:
                g.case(f"mean {axes} {NAMES[dtype]}", f"reduce {{f=mean, axes={axes}}}", [x], x.mean(**keep))
        for axis in range(3):
            # torch rounds the product of halves at each step.
            exact = torch.float32 if dtype.itemsize == 2 and dtype.is_floating_point else dtype
            product = x.prod(axis, keepdim=True, dtype=exact).to(dtype)
            g.case(f"prod {axis} {NAMES[dtype]}", f"reduce {{f=prod, axes=[{axis}]}}", [x], product)
            for name, f in {"max": torch.argmax, "min": torch.argmin}.items():
                g.case(f"arg {name} {axis} {NAMES[dtype]}", f"arg_reduce {{f={name}, axis={axis}}}", [x], f(x, axis, keepdim=True))
            scans = {"sum": lambda: x.cumsum(axis, dtype=dtype), "prod": lambda: x.cumprod(axis, dtype=dtype),
                     "max": lambda: x.cummax(axis).values, "min": lambda: x.cummin(axis).values}
            for name, f in scans.items():
                g.case(f"scan {name} {axis} {NAMES[dtype]}", f"scan {{f={name}, axis={axis}}}", [x], f())
            for descending in [False, True]:
                v, i = x.sort(dim=axis, descending=descending, stable=True)
                text = f"sort {{axis={axis}, descending={'true' if descending else 'false'}}}"
                g.case(f"sort {axis} {descending} {NAMES[dtype]}", text, [x], [v, i])
        distinct = torch.randperm(24).to(dtype).reshape(2, 4, 3)
        for largest in [False, True]:
            v, i = distinct.topk(2, 1, largest=largest)
            text = f"top_k {{axis=1, k=2, largest={'true' if largest else 'false'}}}"
            g.case(f"top_k {largest} {NAMES[dtype]}", text, [distinct], [v, i])
    with_nan(g)
    b = torch.tensor([[True, False, True], [True, True, True], [False, False, False]])
    g.case("any", "reduce {f=any, axes=[1]}", [b], b.any(1, keepdim=True))
    g.case("all", "reduce {f=all, axes=[1]}", [b], b.all(1, keepdim=True))
    g.case("max bool", "reduce {f=max, axes=[0]}", [b], b.amax(0, keepdim=True))
    none = torch.zeros(2, 0, 3)
    g.case("sum of nothing", "reduce {f=sum, axes=[1]}", [none], none.sum(1, keepdim=True))
    g.case("mean of nothing", "reduce {f=mean, axes=[1]}", [none], none.mean(1, keepdim=True))
    g.case("prod of nothing", "reduce {f=prod, axes=[1]}", [none], none.prod(1, keepdim=True))
    g.case("all of nothing", "reduce {f=all, axes=[1]}", [none.bool()], none.bool().all(1, keepdim=True))
    g.case("scan of nothing", "scan {f=sum, axis=1}", [none], none.cumsum(1))
    g.case("max beside nothing", "reduce {f=max, axes=[0]}", [none], none.amax(0, keepdim=True))
    long = rand(3, 5000)
    for width in [9, 37, 5000]:
        part = long[:1 if width > 100 else 3, :width].contiguous()
        g.case(f"exactly sum of {width}", "reduce {f=sum, axes=[1]}", [part], part.sum(1, keepdim=True))
        g.case(f"exactly mean of {width}", "reduce {f=mean, axes=[1]}", [part], part.mean(1, keepdim=True))
    for rows, columns in [(5, 3), (40, 7), (9, 70), (130, 45), (3, 64)]:
        p = rand(2, rows, columns)
        g.case(f"exactly sum of {rows} by {columns}", "reduce {f=sum, axes=[1]}", [p], p.sum(1, keepdim=True))
    p = rand(1, 3, 9, 9)
    g.case("exactly mean of pixels", "reduce {f=mean, axes=[2, 3]}", [p], p.mean([2, 3], keepdim=True))
    g.case("long cumsum", "scan {f=sum, axis=1}", [long[:1, :300]], long[:1, :300].cumsum(1))
    x = torch.tensor([[0, 3], [5, 0], [0, 0]])
    for name, t in {"i64": x, "f32": x.float(), "bool": x.bool()}.items():
        g.case(f"any {name}", "compare {f=ne}", [t, torch.zeros_like(t)], t != 0)
    g.write()


def with_nan(g):
    x = torch.tensor([[1.0, nan, 3.0, nan], [inf, 2.0, -inf, 2.0], [-0.0, 0.0, -0.0, 0.0], [nan, nan, -inf, 1.0]])
    for name, f in {"max": torch.amax, "min": torch.amin}.items():
        g.case(f"{name} of NaN", f"reduce {{f={name}, axes=[1]}}", [x], f(x, 1, keepdim=True))
    for name, f in {"max": torch.argmax, "min": torch.argmin}.items():
        g.case(f"arg {name} of NaN", f"arg_reduce {{f={name}, axis=1}}", [x], f(x, 1, keepdim=True))
    g.case("scan max of NaN", "scan {f=max, axis=1}", [x], x.cummax(1).values)
    g.case("scan min of NaN", "scan {f=min, axis=1}", [x], x.cummin(1).values)
    for descending in [False, True]:
        v, i = x.sort(dim=1, descending=descending, stable=True)
        g.case(f"sort of NaN {descending}", f"sort {{axis=1, descending={'true' if descending else 'false'}}}", [x], [v, i])


def contractions():
    g = Group("contraction")
    for dtype in FLOATS:
        for a, b in [((3, 4), (4, 5)), ((2, 3, 7), (1, 7, 2)), ((1, 2, 3, 4), (3, 1, 4, 6)), ((2, 0), (0, 3)), ((1, 130), (130, 1))]:
            x, y = rand(*a, dtype=dtype), rand(*b, dtype=dtype)
            g.case(f"matmul {a} {b} {NAMES[dtype]}", "matmul {}", [x, y], x @ y)
        x, w, b = rand(2, 3, 9, dtype=dtype), rand(5, 9, dtype=dtype), rand(5, dtype=dtype)
        g.case(f"linear {NAMES[dtype]}", "linear {}", [x, w, b], F.linear(x, w, b))
        g.case(f"linear no bias {NAMES[dtype]}", "linear {}", [x[0, 0], w], F.linear(x[0, 0], w))
    for dtype in INTS:
        x, y = torch.randint(-9, 9, (3, 40)).to(dtype), torch.randint(-9, 9, (40, 3)).to(dtype)
        g.case(f"matmul {NAMES[dtype]}", "matmul {}", [x, y], x @ y)
    x, w = rand(70, 33), rand(41, 33)
    g.case("linear of many rows", "linear {}", [x, w], F.linear(x.double(), w.double()).float())
    convolutions(g)
    g.write()


def conv_text(n, stride, pad, dilation, groups, transposed=False, output_padding=None):
    # `pad` is a list of (low, high).
    low, high = [p[0] for p in pad], [p[1] for p in pad]
    return (f"conv {{stride={stride}, pad_low={low}, pad_high={high}, dilation={dilation}, groups={groups}, "
            f"transposed={'true' if transposed else 'false'}, output_padding={output_padding or [0] * n}}}")


def convolutions(g):
    plain = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}
    back = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}
    shapes = [
        # spatial sizes, input and output channels, kernel, stride, pad, dilation, groups
        ([9], 4, 6, [3], [1], [1], [1], 1), ([9], 4, 6, [3], [2], [0], [2], 2), ([7, 8], 3, 5, [3, 2], [2, 1], [1, 0], [1, 2], 1),
        ([6, 6], 4, 4, [3, 3], [1, 1], [1, 1], [1, 1], 4), ([6, 5], 4, 8, [3, 3], [2, 2], [1, 1], [1, 1], 4),
        ([5, 5], 6, 4, [1, 1], [1, 1], [0, 0], [1, 1], 1), ([5, 5], 6, 4, [1, 1], [2, 2], [0, 0], [1, 1], 2),
        ([4, 5, 6], 2, 3, [2, 3, 2], [1, 2, 1], [1, 1, 0], [1, 1, 2], 1), ([6, 6], 1, 5, [3, 3], [1, 2], [2, 2], [2, 1], 1),
        ([5, 4], 4, 6, [5, 1], [1, 1], [2, 0], [1, 1], 2),
    ]
    for i, (sizes, c, o, kernel, stride, pad, dilation, groups) in enumerate(shapes):
        n = len(sizes)
        x, w, b = rand(2, c, *sizes), rand(o, c // groups, *kernel), rand(o)
        text = conv_text(n, stride, [(p, p) for p in pad], dilation, groups)
        g.case(f"conv {i}", text, [x, w, b], plain[n](x, w, b, stride, pad, dilation, groups))
        w = rand(c, o // groups, *kernel)
        extra = [s - 1 for s in stride]
        text = conv_text(n, stride, [(p, p) for p in pad], dilation, groups, True, extra)
        g.case(f"transposed {i}", text, [x, w, b], back[n](x, w, b, stride, pad, extra, groups, dilation))
    x, w = rand(1, 2, 6, 7), rand(3, 2, 3, 2)
    text = conv_text(2, [2, 1], [(2, 0), (1, 3)], [1, 1], 1)
    g.case("conv of uneven padding", text, [x, w], F.conv2d(F.pad(x, (1, 3, 2, 0)), w, None, [2, 1]))
    whole = F.conv_transpose2d(x, rand(2, 3, 3, 2), None, [2, 1])
    w = rand(2, 3, 3, 2)
    whole = F.conv_transpose2d(x, w, None, [2, 1])
    text = conv_text(2, [2, 1], [(2, 0), (1, 3)], [1, 1], 1, True)
    g.case("transposed of uneven padding", text, [x, w], whole[:, :, 2:, 1:whole.shape[3] - 3])
    for dtype in [torch.float16, torch.bfloat16, torch.float64]:
        x, w, b = rand(1, 4, 6, 6, dtype=dtype), rand(4, 2, 3, 3, dtype=dtype), rand(4, dtype=dtype)
        text = conv_text(2, [1, 1], [(1, 1)] * 2, [1, 1], 2)
        g.case(f"conv {NAMES[dtype]}", text, [x, w, b], F.conv2d(x.double(), w.double(), b.double(), 1, 1, 1, 2).to(dtype))


def windows():
    g = Group("window")
    shapes = [
        ([9], [3], [2], [1], [1]), ([10], [4], [3], [2], [1]), ([7, 8], [3, 2], [2, 2], [1, 1], [1, 1]),
        ([7, 8], [2, 3], [2, 1], [0, 1], [2, 2]), ([5, 6, 7], [2, 3, 2], [2, 2, 2], [1, 0, 1], [1, 1, 2]), ([6, 6], [3, 3], [2, 2], [0, 0], [1, 1]),
    ]
    maxes = {1: F.max_pool1d, 2: F.max_pool2d, 3: F.max_pool3d}
    means = {1: F.avg_pool1d, 2: F.avg_pool2d, 3: F.avg_pool3d}
    for sizes, kernel, stride, pad, dilation in shapes:
        n = len(sizes)
        for dtype in [torch.float32, torch.bfloat16]:
            x = torch.randint(-9, 9, (1, 3, *sizes)).to(dtype)
            x[0, 1].view(-1)[4] = nan
            x[0, 2] = -inf
            for ceil in [False, True]:
                text = f"kernel={kernel}, stride={stride}, pad_low={pad}, pad_high={pad}, dilation={dilation}, ceil={'true' if ceil else 'false'}"
                title = f"{sizes} {kernel} {stride} {pad} {dilation} {ceil} {NAMES[dtype]}"
                v, i = maxes[n](x, kernel, stride, pad, dilation, ceil, return_indices=True)
                g.case(f"max {title}", f"pool {{f=max_with_indices, {text}}}", [x], [v, i])
                if set(dilation) != {1}:
                    continue
                y = rand(1, 2, *sizes, dtype=dtype)
                for padded in [False, True]:
                    f = "avg_of_padded none" if padded else "avg none"
                    exactly = "exactly " if dtype == torch.float32 else ""
                    g.case(f"{exactly}{f} {title}", f"pool {{f={f}, {text}}}", [y], means[n](y, kernel, stride, pad, ceil, padded))
                if n > 1:
                    g.case(f"divisor {title}", f"pool {{f=avg 7, {text}}}", [y], means[n](y, kernel, stride, pad, ceil, True, 7))
    for sizes, output in [([9], [4]), ([5], [8]), ([7, 8], [3, 5]), ([6, 6], [1, 1]), ([4, 5, 6], [3, 2, 5])]:
        n = len(sizes)
        x = rand(2, 2, *sizes)
        f = {1: F.adaptive_avg_pool1d, 2: F.adaptive_avg_pool2d, 3: F.adaptive_avg_pool3d}[n]
        g.case(f"exactly adaptive avg {sizes} {output}", f"adaptive_pool {{f=avg none, output={output}}}", [x], f(x, output))
        f = {1: F.adaptive_max_pool1d, 2: F.adaptive_max_pool2d, 3: F.adaptive_max_pool3d}[n]
        v, i = f(x, output, return_indices=True)
        g.case(f"adaptive max {sizes} {output}", f"adaptive_pool {{f=max_with_indices, output={output}}}", [x], [v, i])
    g.write()


def resizes():
    g = Group("resize")
    ten = torch.ops.aten

    def case(mode, x, output, align, scales, title=""):
        n = len(output)
        listed = [None] * n if scales is None else scales
        if mode == "nearest":
            f = {1: ten.upsample_nearest1d, 2: ten.upsample_nearest2d, 3: ten.upsample_nearest3d}[n]
            y = f(x, output, *listed)
        else:
            f = {("linear", 1): ten.upsample_linear1d, ("linear", 2): ten.upsample_bilinear2d,
                 ("linear", 3): ten.upsample_trilinear3d, ("cubic", 2): ten.upsample_bicubic2d}[mode, n]
            y = f(x, output, align, *listed)
        text = ", ".join("none" if s is None else number(s) for s in listed)
        g.case(f"{title}{mode} {list(x.shape)} {output} {align} {listed} {NAMES[x.dtype]}",
               f"resize {{mode={mode}, align_corners={'true' if align else 'false'}, output={output}, scales=[{text}]}}", [x], y)

    for dtype in [torch.float32, torch.float64, torch.float16]:
        for sizes, output, scales in [([5], [8], None), ([4], [8], None), ([9], [4], None), ([6], [1], None), ([7], [7], None),
                                      ([3, 5], [7, 4], None), ([3, 5], [6, 10], [2.0, 2.0]), ([4, 6], [10, 15], [2.5, 2.6]),
                                      ([2, 3, 4], [5, 3, 7], None), ([10, 10], [25, 23], [2.55, 2.3]), ([5, 5], [5, 5], [1.1, 1.1])]:
            x = rand(1, 2, *sizes, dtype=dtype)
            case("nearest", x, output, False, scales)
            for align in [False, True]:
                case("linear", x, output, align, scales)
                if len(sizes) == 2:
                    case("cubic", x, output, align, scales)
    # Up to 7 channels torch goes without vectors, which add in another order.
    case("linear", rand(1, 3, 8, 8), [16, 16], False, None, "exactly ")
    g.write()


def normalisations():
    g = Group("normalise")
    for dtype in FLOATS:
        x = rand(2, 6, 5, dtype=dtype) * 4
        for axis in range(3):
            g.case(f"softmax {axis} {NAMES[dtype]}", f"softmax {{axis={axis}, log=false}}", [x], x.softmax(axis))
            g.case(f"log {axis} {NAMES[dtype]}", f"softmax {{axis={axis}, log=true}}", [x], x.log_softmax(axis))
        w, b = rand(6, 5, dtype=dtype), rand(6, 5, dtype=dtype)
        g.case(f"layer 2 {NAMES[dtype]}", "normalize {kind=layer 2, eps=0.00001}", [x, w, b], F.layer_norm(x, [6, 5], w, b))
        g.case(f"layer 1 {NAMES[dtype]}", "normalize {kind=layer 1, eps=0.001}", [x, w[0]], F.layer_norm(x, [5], w[0], None, 1e-3))
        g.case(f"layer bare {NAMES[dtype]}", "normalize {kind=layer 1, eps=0.001}", [x], F.layer_norm(x, [5], None, None, 1e-3))
        g.case(f"rms {NAMES[dtype]}", "normalize {kind=rms 1, eps=0.001}", [x, w[0]], F.rms_norm(x, [5], w[0], 1e-3))
        w, b = rand(6, dtype=dtype), rand(6, dtype=dtype)
        g.case(f"group {NAMES[dtype]}", "normalize {kind=group 3, eps=0.00001}", [x, w, b], F.group_norm(x, 3, w, b))
        m, v = rand(6, dtype=dtype), rand(6, dtype=dtype).abs()
        expected = F.batch_norm(x, m, v, w, b, False, 0.1, 1e-5)
        g.case(f"batch {NAMES[dtype]}", "normalize {kind=batch, eps=0.00001}", [x, m, v, w, b], expected)
        expected = F.batch_norm(x, m, v, None, None, False, 0.1, 1e-3)
        g.case(f"batch bare {NAMES[dtype]}", "normalize {kind=batch, eps=0.001}", [x, m, v], expected)
    x = torch.tensor([[-inf, -inf, -inf], [1.0, inf, 2.0], [nan, 1.0, 2.0], [-inf, 0.0, 1.0], [1e30, -1e30, 0.0], [-500.0, -500.5, 3.0]])
    g.case("softmax of edges", "softmax {axis=1, log=false}", [x], x.softmax(1))
    g.case("log softmax of edges", "softmax {axis=1, log=true}", [x], x.log_softmax(1))
    attention(g)
    g.write()


def attention(g):
    def case(title, q, k, v, mask=None, scale=None, causal=False, grouped=False):
        y = F.scaled_dot_product_attention(q, k, v, mask, 0.0, causal, scale=scale, enable_gqa=grouped)
        flag = lambda b: "true" if b else "false"
        text = f"attention {{scale={'none' if scale is None else scale}, causal={flag(causal)}, grouped={flag(grouped)}}}"
        operands = [q, k, v]
        if mask is not None:
            operands.append(mask.reshape([1] * (q.dim() - mask.dim()) + list(mask.shape)))
        g.case(f"attention {title}", text, operands, y)

    for dtype in FLOATS:
        q, k, v = rand(2, 3, 5, 4, dtype=dtype), rand(2, 3, 7, 4, dtype=dtype), rand(2, 3, 7, 6, dtype=dtype)
        case(f"{NAMES[dtype]}", q, k, v)
        case(f"scale {NAMES[dtype]}", q, k, v, scale=0.25)
        case(f"causal {NAMES[dtype]}", q, k, v, causal=True)
        case(f"float mask {NAMES[dtype]}", q, k, v, rand(5, 7, dtype=dtype))
    keep = torch.rand(2, 1, 5, 7) > 0.4
    keep[0, 0, 2] = False
    q, k, v = rand(2, 3, 5, 4), rand(2, 3, 7, 4), rand(2, 3, 7, 6)
    case("bool mask with an empty row", q, k, v, keep)
    mask = torch.zeros(5, 7).masked_fill(~keep[0, 0], -inf)
    case("float mask with an empty row", q, k, v, mask)
    case("one row of mask", q, k, v, torch.rand(2, 1, 1, 7) > 0.3)
    case("rank 3", q[0], k[0], v[0])
    case("rank 2", q[0, 0], k[0, 0], v[0, 0])
    case("grouped", rand(2, 6, 5, 4), rand(2, 2, 7, 4), rand(2, 2, 7, 3), grouped=True)
    case("grouped causal", rand(1, 4, 6, 4), rand(1, 1, 6, 4), rand(1, 1, 6, 4), causal=True, grouped=True)
    case("many rows", rand(1, 1, 130, 3), rand(1, 1, 70, 3), rand(1, 1, 70, 2), torch.rand(1, 1, 130, 70) > 0.5)


def data():
    g = Group("data")
    for dtype in [torch.float32, torch.uint8, torch.float16, torch.int64, torch.bool]:
        x = torch.randint(0, 90, (2, 3, 4, 5)).to(dtype)
        for mode in ["constant 3", "reflect", "replicate", "circular"]:
            name = mode.split()[0]
            kind = torch.float32 if name != "constant" else dtype
            y = F.pad(x.to(kind), (2, 1, 0, 2), name, *([3] if name == "constant" else [])).to(dtype)
            g.case(f"pad {mode} {NAMES[dtype]}", f"pad {{low=[0, 0, 0, 2], high=[0, 0, 2, 1], mode={mode}}}", [x], y)
        g.case(f"slice {NAMES[dtype]}", "slice {axis=3, start=1, len=2, step=3}", [x], x[..., 1::3])
        g.case(f"slice of middle {NAMES[dtype]}", "slice {axis=1, start=1, len=2, step=1}", [x], x[:, 1:])
        g.case(f"empty slice {NAMES[dtype]}", "slice {axis=1, start=3, len=0, step=1}", [x], x[:, 3:])
        g.case(f"reverse {NAMES[dtype]}", "reverse {axes=[1, 3]}", [x], x.flip(1, 3))
        y = torch.randint(0, 90, (2, 1, 4, 5)).to(dtype)
        g.case(f"concat {NAMES[dtype]}", "concat {axis=1}", [x, y, y[:, :0], x], torch.cat([x, y, y[:, :0], x], 1))
        z = x.clone()
        z[:, :, 1::2] = y[:, :, :2].expand(2, 3, 2, 5)
        source = y[:, :, :2].expand(2, 3, 2, 5).contiguous()
        g.case(f"update {NAMES[dtype]}", "slice_update {axis=2, start=1, step=2}", [x, source], z)
        g.case(f"move {NAMES[dtype]}", "move {movement=(a:2 b:3 (c:2 d:2) e:5 -> (d a) e (c b))}", [x],
               x.reshape(2, 3, 2, 2, 5).permute(3, 0, 4, 2, 1).reshape(4, 5, 6))
        g.case(f"broadcast {NAMES[dtype]}", "broadcast {shape=[2, 6, 4, 5]}", [y], y.expand(2, 6, 4, 5))
    g.case("broadcast to nothing", "broadcast {shape=[0, 3]}", [torch.ones(1, 3)], torch.ones(0, 3))
    indexing(g)
    quantisation(g)
    g.write()


def indexing(g):
    x = rand(4, 5, 6)
    i, j = torch.tensor([[0, -1], [3, 2]]), torch.tensor([[1, 4], [-5, 0]])
    g.case("index 0", "index {axis=0, from_start=false}", [x, i], x[i])
    g.case("index 1", "index {axis=1, from_start=false}", [x, i.int()], x[:, i])
    g.case("index 0 and 1", "index {axis=0, from_start=false}", [x, i, j], x[i, j])
    g.case("index 1 and 2", "index {axis=1, from_start=false}", [x, j, i], x[:, j, i])
    g.case("scalar index", "index {axis=2, from_start=false}", [x, torch.tensor(-2)], x[:, :, -2])
    v = rand(2, 2, 6)
    for accumulate in [False, True]:
        text = f"index_put {{axis=0, accumulate={'true' if accumulate else 'false'}}}"
        g.case(f"put {accumulate}", text, [x, v, i, j], x.index_put([i, j], v, accumulate))
    same = torch.tensor([1, 1, 1])
    v = torch.tensor([1.0, 2.0, 4.0])
    y = rand(3)
    g.case("put the same", "index_put {axis=0, accumulate=true}", [y, v, same], y.index_put([same], v, True))
    g.case("put the last", "index_put {axis=0, accumulate=false}", [y, v, same], torch.stack([y[0], v[2], y[2]]))
    for axis in range(3):
        index = torch.randint(0, 3, (3, 4, 2))
        g.case(f"gather {axis}", f"gather {{axis={axis}}}", [x, index], x.gather(axis, index))
        source = rand(3, 5, 3)
        for f, reduce in {"add": "sum", "mul": "prod", "max": "amax", "min": "amin"}.items():
            expected = x.scatter_reduce(axis, index, source, reduce)
            g.case(f"scatter {f} {axis}", f"scatter {{axis={axis}, f={f}}}", [x, index, source], expected)
    index = torch.tensor([[2, 0], [1, 3]])
    source = rand(2, 3)
    y = rand(2, 4)
    g.case("scatter", "scatter {axis=1, f=set}", [y, index, source], y.scatter(1, index, source))
    h = rand(4, 4, dtype=torch.float16)
    index = torch.tensor([[0, 0, 1, 1]])
    g.case("scatter f16", "scatter {axis=1, f=add}", [h, index, h], h.scatter_add(1, index, h))
    n = torch.randint(-50, 50, (3, 3))
    g.case("scatter i64", "scatter {axis=0, f=add}", [n, n.abs() % 3, n], n.scatter_add(0, n.abs() % 3, n))


def quantisation(g):
    import torch.ao.quantization.fx._decomposed  # registers quantized_decomposed

    qd = torch.ops.quantized_decomposed
    x = torch.cat([rand(20) * 40, torch.tensor([inf, -inf, 0.125, -0.125, 0.375])])
    for dtype, low, high, zero in [(torch.int8, -128, 127, -3), (torch.uint8, 0, 255, 128), (torch.int8, -8, 7, 0), (torch.int32, -5000, 5000, 0)]:
        y = qd.quantize_per_tensor(x, 0.25, zero, low, high, dtype)
        text = f"quantize {{quant=per_tensor 0.25 {zero} in [{low}, {high}], dtype={NAMES[dtype]}}}"
        g.case(f"quantize {NAMES[dtype]}", text, [x], y, f" as (per_tensor 0.25 {zero} in [{low}, {high}])")


elementwise()
reductions()
contractions()
windows()
resizes()
normalisations()
data()
