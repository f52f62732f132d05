"""``kiln.compile``."""

from __future__ import annotations

import io
import os
import sys
import threading
import warnings
from typing import TYPE_CHECKING, Any, Iterable, Literal, Mapping, Sequence, Union

from kiln import _kiln
from kiln._program import Program
from kiln._signature import Inputs, Signature
from kiln._tensors import raw

if TYPE_CHECKING:
    from torch.export import ExportedProgram

    Model = Union[ExportedProgram, str, os.PathLike[str], bytes]

#: Held while torch exports or saves, which it does in one thread only.
EXPORTING = threading.RLock()


def compile(
    model: Model | Mapping[str, Model],
    target: str = "xnnpack",
    *,
    output: str | os.PathLike[str] | None = None,
    sizes: Mapping[str, int] | None = None,
    bounds: Mapping[str, int] | None = None,
    half: Literal["native", "f32"] | None = None,
    precision: Literal["f16", "bf16", "f32"] | None = None,
    quantize: Literal["int8", "int8-dynamic", "int4"] | None = None,
    data: Iterable[Inputs | Iterable[Any]] | Mapping[str, Iterable[Inputs | Iterable[Any]]] | None = None,
    strict_nan: bool = False,
    fast_nan: bool = False,
    float_io: bool = False,
    custom_ops: Sequence[str] = (),
    name: str | None = None,
    verify: bool = False,
) -> Program:
    """Compiles a model to a program for a target. No file is written but ``output``.

    Args:
        model: An exported program, the path of a saved one (``.pt2``) or its bytes; or a dict of several, by the name of the method.
        target: One of ``kiln.TARGETS``.
        output: Where to save the program at once. For a Cortex-M, a path that ends in ``.pte`` asks for an ExecuTorch program in
            place of a C project.
        sizes: The sizes of symbolic dims that are to be fixed, by symbol.
        bounds: The greatest sizes of symbolic dims that nothing bounds, by symbol.
        half: In which floats f16 is computed; by default f16 where its sums do not overflow.
        precision: Compute a model of floats in these, whatever it was exported in. Inputs, outputs and state keep their types.
        quantize: Quantise a model of floats: ``int8`` rounds activations within ranges that ``data`` shows, ``int8-dynamic`` and ``int4``
            round them when running.
        data: Inputs on which the ranges of ``int8`` are found, each a tuple as for ``Program.run_all``; of several methods a dict, by name. By
            default the inputs that the model was exported with.
        strict_nan: Refuse operators of a delegate that answer NaN or infinity differently from PyTorch.
        fast_nan: Leave out the guards against operators that answer NaN or infinity differently.
        float_io: Keep floats at the border of an integer program.
        custom_ops: Namespaces whose unknown ops become calls of kernels that you register with the runtime, or schemas of single ops, as
            text. Of a namespace the schemas that torch knows are taken.
        name: The model's name in C.
        verify: Check every pass by running the graph before and after it.

    Raises:
        kiln.Error: The model is refused. The message names the node and what to do.

    Warnings of the compilation are Python warnings, and in ``Program.warnings``.
    """
    if data is not None and quantize != "int8":
        raise ValueError("data is for quantize='int8'; all else needs none")
    if sys.stderr is not None and sys.stderr.isatty():
        _kiln.show_progress()
    if isinstance(custom_ops, str):
        raise TypeError(f"custom_ops is a list of namespaces; write [{custom_ops!r}]")
    methods = model if isinstance(model, Mapping) else {"forward": model}
    if not methods:
        raise ValueError("there is no model: the dict of methods is empty")
    sources = [(method, _source(one)) for method, one in methods.items()]
    signatures = {method: Signature(source) for method, source in sources}
    choices = {
        "half": half,
        "precision": precision,
        "quantize": quantize,
        "samples": _samples(data, signatures),
        "strict_nan": strict_nan,
        "fast_nan": fast_nan,
        "float_io": float_io,
        "verify": verify,
        "name": name,
        "output": None if output is None else os.fspath(output),
        "bounds": dict(bounds or {}),
        "sizes": dict(sizes or {}),
        "custom_ops": [*custom_ops, *_schemas(custom_ops)],
    }
    program = Program(_kiln.compile(sources, target, choices), signatures)
    for warning in [*program.warnings, *_assumed(program)]:
        warnings.warn(warning, stacklevel=_frames_within())
    if output is not None:
        program.save(output)
    return program


def _schemas(custom_ops: Sequence[str]) -> list[str]:
    """The schemas of namespaces' ops, if torch is there and has them. Archives lack arguments at their defaults."""
    torch = sys.modules.get("torch")
    if torch is None or not custom_ops:
        return []
    of_namespaces = tuple(f"{name}::" for name in custom_ops if "(" not in name)
    schemas = [str(schema) for schema in torch._C._jit_get_all_schemas() if schema.name.startswith(of_namespaces)]
    return [schema for schema in schemas if "!" not in schema]


def _assumed(program: Program) -> list[str]:
    """A warning for each size that the program bounds although the export does not."""
    bounds = {bound["symbol"]: bound["max"] for method in program.report["methods"] for bound in method["assumed_bounds"]}
    return [f"nothing bounds the size {symbol}, so memory is planned for {size}; give bounds={{{symbol!r}: ..}}" for symbol, size in bounds.items()]


def _frames_within() -> int:
    """The number of frames between ``warnings.warn`` and the caller of this package."""
    count, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == "kiln":
        count, frame = count + 1, frame.f_back
    return count


def _samples(
    data: Iterable[Inputs | Iterable[Any]] | Mapping[str, Iterable[Inputs | Iterable[Any]]] | None, signatures: Mapping[str, Signature]
) -> list[tuple[str | None, list[list[Any]]]]:
    """The samples of each method."""
    if data is None:
        return []
    if not isinstance(data, Mapping):
        if len(signatures) > 1:
            # They are for all methods, whose inputs must have one form.
            data = list(data)
        data = {method: data for method in signatures}
    of = {method: signatures.get(method) for method in data}
    unknown = [method for method, signature in of.items() if signature is None]
    if unknown:
        raise _kiln.Error(f"samples are for the method {unknown[0]}; the program has {', '.join(signatures)}")
    return [(method, [_raw(of[method], sample) for sample in samples]) for method, samples in data.items()]


def _raw(signature: Signature | None, inputs: Inputs | Iterable[Any]) -> list[Any]:
    assert signature is not None
    return [raw(leaf) for leaf in signature.leaves(Inputs.of(inputs))]


def _source(model: Any) -> bytes | str:
    """The bytes of an archive, or its path."""
    if isinstance(model, (bytes, bytearray, memoryview)):
        return bytes(model)
    if isinstance(model, (str, os.PathLike)):
        return os.fspath(model)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(model, torch.export.ExportedProgram):
        archive = io.BytesIO()
        try:
            with EXPORTING:
                torch.export.save(model, archive)
        except NotImplementedError as error:
            raise _kiln.Error(
                f"torch.export.save does not take the program: {error}; a type of the inputs or outputs needs a name, which "
                "torch.export.register_dataclass(.., serialized_type_name=..) gives"
            ) from error
        return archive.getvalue()
    raise TypeError(
        f"expected a torch.export.ExportedProgram, or the path or the bytes of a .pt2, not {type(model).__name__}; "
        "export a module with torch.export.export(module, inputs)"
    )
