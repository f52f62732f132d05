"""One case: a module, its runs, and how it is exported, written as an archive with golden outputs.

A case is written as `<name>.pt2` and `<name>.safetensors`; tensors are named as `kiln run --expect` reads them:
`<run>.in.<i>`, `<run>.out.<i>`, `<run>.in_after.<i>`, `i` counting flattened inputs or outputs.
"""
import copy
import dataclasses
import warnings

import torch
from safetensors.torch import save_file
from torch.utils._pytree import tree_flatten

warnings.filterwarnings("ignore")


class Fn(torch.nn.Module):
    """A function as a module; tensors in `held` become buffers."""

    def __init__(self, function, **held):
        super().__init__()
        self.function = function
        for name, tensor in held.items():
            self.register_buffer(name, tensor)

    def forward(self, *args, **kwargs):
        return self.function(*args, **kwargs)


@dataclasses.dataclass
class Case:
    """What to export and run. `runs` are argument tuples; the first is traced unless `trace` is given. A case that is
    `expected` is known to export: `make` fails if it does not."""

    name: str
    module: torch.nn.Module
    runs: list
    dynamic: object = None
    trace: tuple = None
    kwargs: dict = dataclasses.field(default_factory=dict)
    sqnr: float = None
    rtol: float = None
    atol: float = None
    forms: tuple = ("t",)
    strict: bool = False
    expected: bool = False
    # The namespace of operators that only its user has kernels for.
    custom: str = None


def as_tensor(value):
    if isinstance(value, torch.Tensor):
        return value.detach().clone(memory_format=torch.contiguous_format)
    if isinstance(value, bool):
        return torch.tensor(value)
    if isinstance(value, int):
        return torch.tensor(value, dtype=torch.int64)
    if isinstance(value, float):
        return torch.tensor(value, dtype=torch.float64)
    return None


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and torch.equal(torch.nan_to_num(a), torch.nan_to_num(b)) and (
        not a.is_floating_point() or torch.equal(a.isnan(), b.isnan()))


def golden(module, runs, kwargs):
    """Eager results of all runs in order on one module."""
    tensors = {}
    for r, args in enumerate(runs):
        args, kw = copy.deepcopy((tuple(args), kwargs))
        flat, _ = tree_flatten((args, kw))
        before = [as_tensor(v) for v in flat]
        with torch.no_grad():
            outputs, _ = tree_flatten(module(*args, **kw))
        outputs = [as_tensor(v) for v in outputs]
        for i, tensor in enumerate(before):
            if tensor is not None:
                tensors[f"{r}.in.{i}"] = tensor
            if isinstance(flat[i], torch.Tensor) and not same(before[i], as_tensor(flat[i])):
                tensors[f"{r}.in_after.{i}"] = as_tensor(flat[i])
        for i, tensor in enumerate(outputs):
            if tensor is not None:
                tensors[f"{r}.out.{i}"] = tensor
    return tensors


def dynamic_shapes(case):
    """The dims as torch wants them: all arguments of a function are one, `*args`."""
    if isinstance(case.module, Fn) and isinstance(case.dynamic, tuple):
        return (case.dynamic,)
    return case.dynamic


def export(case, form):
    """`t` = the training IR, `d` = decomposed, `s` = traced by dynamo."""
    module = copy.deepcopy(case.module).eval() if not getattr(case.module, "keep_training", False) else copy.deepcopy(case.module)
    args = copy.deepcopy(tuple(case.trace if case.trace is not None else case.runs[0]))
    program = torch.export.export(
        module, args, copy.deepcopy(case.kwargs), dynamic_shapes=dynamic_shapes(case), strict=case.strict or form == "s")
    if form == "d":
        program = program.run_decompositions()
    return program


def write(case, form, folder):
    """Writes the case and returns its entry for the index."""
    name = f"{case.name}.{form}"
    program = export(case, form)
    module = case.module if getattr(case.module, "keep_training", False) else case.module.eval()
    tensors = golden(copy.deepcopy(module), case.runs, case.kwargs)
    if any(t.is_complex() for t in tensors.values()):
        raise ValueError("complex inputs or outputs are none of this compiler's")
    torch.export.save(program, f"{folder}/{name}.pt2")
    save_file({k: v.contiguous() for k, v in tensors.items()}, f"{folder}/{name}.safetensors")
    return {"name": name, "sqnr": case.sqnr, "rtol": case.rtol, "atol": case.atol, "custom": case.custom}
