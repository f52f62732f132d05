"""Calls of ATen ops on small tensors and what torch computes, a line each.

A line is `target; name=argument; .. -> result; ..`; a result `@name=..` is the content of a mutated
argument. Sizes written `s:3` are symbolic when imported; `const` tensors are constants.
"""

import torch
import torch.ao.quantization.fx._decomposed  # noqa: F401  registers quantized_decomposed
import torchao.quantization.quant_primitives  # noqa: F401  registers torchao

NAMES = {
    torch.float32: "f32", torch.float64: "f64", torch.float16: "f16", torch.bfloat16: "bf16",
    torch.int64: "i64", torch.int32: "i32", torch.int16: "i16", torch.int8: "i8",
    torch.uint8: "u8", torch.bool: "bool",
}
LINES = []
torch.manual_seed(7)


class Const:
    def __init__(self, value):
        self.value = value


class Sym:
    """A tensor whose axis is symbolic: `Sym(x, {0: "s"})`."""

    def __init__(self, value, names):
        self.value, self.names = value, names


def number(v):
    if isinstance(v, bool):
        return "1" if v else "0"
    return repr(v) if isinstance(v, int) else f"{v:.9g}"


def tensor(t, names=None):
    names = names or {}
    sizes = ",".join(f"{names[i]}:{n}" if i in names else str(n) for i, n in enumerate(t.shape))
    flat = t.detach().cpu().contiguous().reshape(-1).tolist()
    return f"{NAMES[t.dtype]}[{sizes}]{{{' '.join(number(v) for v in flat)}}}"


def argument(a):
    if isinstance(a, Const):
        return "const " + tensor(a.value)
    if isinstance(a, Sym):
        return tensor(a.value, a.names)
    if isinstance(a, torch.Tensor):
        return tensor(a)
    if a is None:
        return "none"
    if isinstance(a, bool):
        return f"bool {str(a).lower()}"
    if isinstance(a, int):
        return f"int {a}"
    if isinstance(a, float):
        return f"float {a!r}"
    if isinstance(a, str):
        return f"text {a}"
    if isinstance(a, torch.dtype):
        return f"dtype {NAMES[a]}"
    if isinstance(a, (list, tuple)):
        if a and isinstance(a[0], (torch.Tensor, Const, Sym)):
            return "tensors " + " & ".join(argument(t) for t in a)
        if a and isinstance(a[0], float):
            return "floats " + " ".join(repr(v) for v in a)
        return "ints " + " ".join(str(v) for v in a)
    raise TypeError(a)


def plain(a):
    if isinstance(a, (Const, Sym)):
        return a.value.clone()
    if isinstance(a, torch.Tensor):
        return a.clone()
    if isinstance(a, (list, tuple)):
        return [plain(v) for v in a]
    return a


def find(target):
    op = torch.ops
    for part in target.split("."):
        op = getattr(op, part)
    return op


def case(target, /, skip=(), mutated=(), then={}, **args):
    """`skip`: positions of results that are not compared. `a+b`: `b` takes the result of `a`, and `then`."""
    first, *rest = target.split("+")
    values = {k: plain(v) for k, v in args.items()}
    result = find(first)(**values)
    for name in rest:
        result = find(name)(result, **then)
    results = result if isinstance(result, (tuple, list)) else [result]
    texts = []
    for i, r in enumerate(results):
        if i in skip or not isinstance(r, torch.Tensor):
            texts.append("_")
        else:
            texts.append(tensor(r))
    texts += [f"@{name}={tensor(values[name])}" for name in mutated]
    given = "".join(f"; {k}={argument(v)}" for k, v in args.items())
    given += "".join(f"; then.{k}={argument(v)}" for k, v in then.items())
    LINES.append(f"{target}{given} -> {'; '.join(texts)}")


def r(*sizes, dtype=torch.float32):
    return torch.round(torch.randn(*sizes) * 100).div(64).to(dtype)


nan, inf = float("nan"), float("inf")
T = torch.tensor
