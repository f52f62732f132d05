"""``kiln.check``: a module against the program that is compiled from it."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Mapping

from kiln._compile import EXPORTING, compile
from kiln._program import Program
from kiln._signature import Inputs
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
            noise = f"greatest difference {row['max_abs']:.3g}" if row["max_abs"] is not None else "no difference in numbers"
            if row["sqnr"] is not None:
                noise = f"{row['sqnr']:.1f} dB, {noise}"
            if row["equal"]:
                noise = "equal"
            lines.append(f"  {row['kind']} {row['index']}: {verdict}, {noise}; decided by {row['rule']}")
        return "\n".join(lines + ([f"  {self.failure}"] if self.failure else []))

    __repr__ = __str__


def check(
    module: Module,
    inputs: tuple[Any, ...] | Inputs,
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

    Without a tolerance, the rule follows from the dtype as for ``kiln run --expect``; with ``precision``, from that dtype. With
    ``quantize``, 20 dB are enough unless ``sqnr`` asks for more or less. ``options`` are those of ``kiln.compile``.
    The module and the inputs stay as they are, even if the module changes its buffers or its inputs.

    Raises:
        kiln.Error: The model is refused, or the program does not run.
        ValueError: The module is in training mode.
    """
    import torch

    if not isinstance(module, torch.nn.Module):
        raise TypeError(f"expected a torch.nn.Module, not {type(module).__name__}")
    # Exported modules have no mode that could be changed.
    if module.training and not isinstance(module, torch.fx.GraphModule):
        raise ValueError("the module is in training mode; call module.eval() first")
    passed = Inputs.of(inputs)
    inputs, kwargs = passed.args, {**passed.kwargs, **(kwargs or {})}
    given = [raw(leaf) for leaf in _leaves((inputs, kwargs))]
    with EXPORTING:
        exported = torch.export.export(module, inputs, kwargs, dynamic_shapes=dynamic_shapes)
    program = compile(exported, target, **options)
    outputs, after = _eager(module, inputs, kwargs)
    # Only inputs that the module changed are compared.
    changed = [left if left != before else None for left, before in zip(after, given)]
    if all(output is None for output in outputs) and all(left is None for left in changed):
        return Check(program, exported, [], None)  # Nothing can differ.
    rows, failure = program._program.compare("forward", given, outputs, changed, rtol, atol, sqnr)
    if failure is not None and sqnr is None and options.get("quantize"):
        failure += f"; quantize={options['quantize']!r} rounds, so say with sqnr if fewer dB are enough"
    return Check(program, exported, json.loads(rows), failure)


def _leaves(values: Any) -> list[Any]:
    from torch.utils import _pytree

    return list(_pytree.tree_leaves(values))


def _eager(module: Module, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[Raw | None], list[Raw | None]]:
    """What the module gives, and the inputs as it leaves them. The module is afterwards as before."""
    import torch
    from torch.utils import _pytree

    copies: dict[int, Any] = {}

    def own(leaf: Any) -> Any:
        # One tensor that is passed twice stays one.
        if not isinstance(leaf, torch.Tensor):
            return leaf
        return copies.setdefault(id(leaf), leaf.detach().clone())

    inputs, kwargs = _pytree.tree_map(own, (inputs, kwargs))
    with torch.no_grad():
        saved = [(tensor, tensor.detach().clone()) for tensor in [*module.parameters(), *module.buffers()]]
        try:
            # Attributes may be written too.
            used = copy.deepcopy(module)
        except Exception:  # noqa: BLE001 - a module that cannot be copied is used itself
            used = module
        try:
            outputs = [raw(leaf) for leaf in _leaves(used(*inputs, **kwargs))]
            return outputs, [raw(leaf) for leaf in _leaves((inputs, kwargs))]
        finally:
            for tensor, content in saved:
                tensor.copy_(content)
