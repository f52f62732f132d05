"""``kiln.check``: a module against the program that is compiled from it."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Mapping

from kiln._compile import compile
from kiln._program import Program
from kiln._tensors import Raw, raw

if TYPE_CHECKING:
    from torch.export import ExportedProgram
    from torch.nn import Module


@dataclass(frozen=True)
class Check:
    """What the comparison of a program with PyTorch found. It is true if every output is within tolerance."""

    program: Program
    #: The model as it was exported.
    exported: ExportedProgram
    #: For each output: ``ok``, ``max_abs``, ``sqnr`` in dB (None where equal), the ``rule`` that decided, and the first ``mismatch``.
    outputs: list[dict[str, Any]]
    #: Why the comparison failed; None if it did not.
    failure: str | None

    @property
    def ok(self) -> bool:
        """True if every output is within tolerance."""
        return self.failure is None

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        lines = [repr(self.program)]
        for row in self.outputs:
            verdict = "right" if row["ok"] else "WRONG"
            noise = "equal" if row["sqnr"] is None else f"{row['sqnr']:.1f} dB, greatest difference {row['max_abs']:.3g}"
            lines.append(f"  {row['kind']} {row['index']}: {verdict}, {noise}; decided by {row['rule']}")
        return "\n".join(lines + ([f"  {self.failure}"] if self.failure else []))

    __repr__ = __str__


def check(
    module: Module,
    inputs: tuple[Any, ...],
    target: str = "xnnpack",
    *,
    kwargs: Mapping[str, Any] | None = None,
    dynamic_shapes: Any = None,
    rtol: float | None = None,
    atol: float | None = None,
    sqnr: float | None = None,
    **options: Any,
) -> Check:
    """Exports a module, compiles it, runs the program on the inputs, and compares with what the module itself gives.

    Without a tolerance, the rule follows from the dtype as for ``kiln run --expect``. ``options`` are those of ``kiln.compile``.
    The module and the inputs stay as they are, even if the module changes its buffers or its inputs.

    Raises:
        kiln.Error: The model is refused, or the program does not run.
        ValueError: The module is in training mode.
    """
    import torch

    if module.training:
        raise ValueError("the module is in training mode; call module.eval() first")
    kwargs = dict(kwargs or {})
    given = [raw(leaf) for leaf in _leaves((tuple(inputs), kwargs))]
    exported = torch.export.export(module, tuple(inputs), kwargs, dynamic_shapes=dynamic_shapes)
    program = compile(exported, target, **options)
    outputs, after = _eager(module, tuple(inputs), kwargs)
    # Only inputs that the module changed are compared.
    changed = [left if left != before else None for left, before in zip(after, given)]
    rows, failure = program._program.compare("forward", given, outputs, changed, rtol, atol, sqnr)
    return Check(program, exported, json.loads(rows), failure)


def _leaves(values: Any) -> list[Any]:
    from torch.utils import _pytree

    return list(_pytree.tree_leaves(values))


def _eager(module: Module, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[Raw | None], list[Raw | None]]:
    """What the module gives, and the inputs as it leaves them. Its buffers are afterwards as before."""
    import torch

    buffers = {name: buffer.clone() for name, buffer in module.named_buffers()}
    inputs, kwargs = copy.deepcopy((inputs, kwargs))
    with torch.no_grad():
        try:
            outputs = [raw(leaf) for leaf in _leaves(module(*inputs, **kwargs))]
            return outputs, [raw(leaf) for leaf in _leaves((inputs, kwargs))]
        finally:
            for name, buffer in module.named_buffers():
                buffer.copy_(buffers[name])
