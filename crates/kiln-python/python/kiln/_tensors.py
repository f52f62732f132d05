"""Tensors of torch and arrays of numpy, as dtype, sizes and bytes in row-major order. Neither package is needed for the other."""

from __future__ import annotations

import ctypes
import sys
from enum import Enum
from typing import Any, Iterable

#: A dtype of Kiln, sizes, and bytes.
Raw = tuple[str, list[int], bytes]

#: Kiln's dtypes by the names that torch and numpy share.
_DTYPES = {
    "bool": "bool",
    "uint8": "u8",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "float16": "f16",
    "bfloat16": "bf16",
    "float32": "f32",
    "float64": "f64",
}
_NAMES = {kiln: name for name, kiln in _DTYPES.items()}


class Kind(Enum):
    """The package that a tensor is of."""

    TORCH = "torch"
    NUMPY = "numpy"

    @staticmethod
    def of(leaves: Iterable[Any]) -> Kind:
        """Torch if any leaf is torch's, or if torch is there and no leaf is an array."""
        torch = sys.modules.get("torch")
        given = list(leaves)
        if torch is not None and any(isinstance(leaf, torch.Tensor) for leaf in given):
            return Kind.TORCH
        return Kind.NUMPY if any(_is_array(leaf) for leaf in given) or torch is None else Kind.TORCH


def flattened(inputs: tuple[Any, ...]) -> list[Any]:
    """The leaves of the inputs, in the order of ``torch.export``."""
    torch = sys.modules.get("torch")
    if torch is not None:
        from torch.utils import _pytree

        return list(_pytree.tree_leaves(inputs))
    leaves: list[Any] = []
    for one in inputs:
        if isinstance(one, (tuple, list)):
            leaves += flattened(tuple(one))
        elif isinstance(one, dict):
            leaves += flattened(tuple(one.values()))
        else:
            leaves.append(one)
    return leaves


def raw(leaf: Any) -> Raw | None:
    """The dtype, sizes and bytes of a tensor or a number. What is neither has none."""
    if isinstance(leaf, (bool, int, float)):
        return _number(leaf)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(leaf, torch.Tensor):
        return _of_torch(leaf)
    if _is_array(leaf):
        return _dtype(leaf.dtype), list(leaf.shape), leaf.tobytes()
    if leaf is None or isinstance(leaf, str):
        return None
    raise TypeError(f"expected a tensor of torch, an array of numpy, a number, a str or None, not {type(leaf).__name__}")


def value(tensor: Raw, kind: Kind) -> Any:
    """The tensor of torch, or the array of numpy."""
    dtype, sizes, data = tensor
    name = _NAMES[dtype]
    # Both packages share the memory of a buffer. A bytearray is one that may be written.
    memory = bytearray(data)
    if kind is Kind.TORCH:
        import torch

        of_torch = getattr(torch, name)
        if not memory:
            return torch.empty(sizes, dtype=of_torch)
        return torch.frombuffer(memory, dtype=of_torch).reshape(sizes)
    import numpy

    if name == "bfloat16":
        try:
            import ml_dtypes
        except ImportError:
            raise TypeError("an output is bfloat16, which numpy has only with the package ml_dtypes; give tensors of torch") from None
        return numpy.frombuffer(memory, dtype=ml_dtypes.bfloat16).reshape(sizes)
    return numpy.frombuffer(memory, dtype=name).reshape(sizes)


def _number(number: bool | int | float) -> Raw:
    """A number is a tensor without axes."""
    if isinstance(number, bool):
        return "bool", [], bytes([number])
    if isinstance(number, int):
        return "i64", [], number.to_bytes(8, sys.byteorder, signed=True)
    return "f64", [], bytes(ctypes.c_double(number))


def _of_torch(tensor: Any) -> Raw:
    plain = tensor.detach().cpu().resolve_conj().resolve_neg().contiguous()
    data = ctypes.string_at(plain.data_ptr(), plain.numel() * plain.element_size()) if plain.numel() else b""
    return _dtype(plain.dtype), list(plain.shape), data


def _dtype(dtype: Any) -> str:
    name = str(dtype).removeprefix("torch.")
    if name not in _DTYPES:
        raise TypeError(f"Kiln has no dtype {name}")
    return _DTYPES[name]


def _is_array(leaf: Any) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(leaf, (numpy.ndarray, numpy.generic))
