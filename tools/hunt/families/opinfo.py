"""PyTorch's own operator database: each operator with its sample inputs, tensors as inputs, the rest frozen."""
import torch
from case import Case, Fn
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._pytree import tree_flatten, tree_unflatten

SAMPLES = {torch.float32: 4, torch.int64: 2, torch.bool: 1, torch.float16: 1, torch.bfloat16: 1, torch.float64: 1, torch.int32: 1, torch.uint8: 1}
SHORT = {torch.float32: "f32", torch.int64: "i64", torch.bool: "bool", torch.float16: "f16", torch.bfloat16: "bf16",
         torch.float64: "f64", torch.int32: "i32", torch.uint8: "u8"}
BIG = 4096


def usable(tensors):
    return tensors and all(not t.is_complex() and t.layout == torch.strided and t.numel() <= BIG for t in tensors)


def spread(items, n):
    """`n` items, evenly over the list, the first and last among them."""
    if len(items) <= n:
        return items
    return [items[i * (len(items) - 1) // max(1, n - 1)] for i in range(n)]


def call_of(op, sample):
    flat, spec = tree_flatten((sample.input, sample.args, sample.kwargs))
    places = [i for i, v in enumerate(flat) if isinstance(v, torch.Tensor)]
    tensors = tuple(flat[i].detach().clone() for i in places)

    def function(*inputs):
        values = list(flat)
        for i, tensor in zip(places, inputs):
            values[i] = tensor
        first, args, kwargs = tree_unflatten(values, spec)
        return op.op(first, *args, **kwargs)

    return function, tensors


def samples(op, dtype):
    try:
        return [call_of(op, s) for s in op.sample_inputs("cpu", dtype, requires_grad=False)]
    except Exception:  # noqa: BLE001 - the database has entries that this build cannot make
        return []


def cases(only):
    for op in op_db:
        full = (op.name + ("_" + op.variant_test_name if op.variant_test_name else "")).replace(".", "_")
        if only and only not in full and not full.startswith(only.split("__")[0]):
            continue
        for dtype, count in SAMPLES.items():
            if dtype not in op.supported_dtypes("cpu"):
                continue
            chosen = [s for s in samples(op, dtype) if usable(s[1])]
            for i, (function, tensors) in enumerate(spread(chosen, count)):
                forms = ("t", "d") if dtype == torch.float32 and i < 2 else ("t",)
                yield Case(f"{full}__{SHORT[dtype]}_{i}", Fn(function), [tensors], forms=forms)
