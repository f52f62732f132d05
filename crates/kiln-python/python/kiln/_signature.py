"""How a model's inputs are passed: the nesting and the order with which it was exported."""

from __future__ import annotations

import json
import sys
from typing import Any, Iterable, Mapping

from kiln import _kiln
from kiln._tensors import flattened

_BY_NAME = "; inputs that were exported by name are given by name: run(x, name=y), kiln.Inputs(x, name=y)"
_DICTS = ("builtins.dict", "collections.OrderedDict")


class Inputs:
    """The inputs of a run, some of them by name: ``Inputs(x, scale=y)``. Without names a tuple does."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.args, self.kwargs = args, kwargs

    @staticmethod
    def of(given: Any) -> Inputs:
        """A tuple, or inputs already. A tensor is one input, so its rows are not meant."""
        if isinstance(given, Inputs):
            return given
        if hasattr(given, "shape") or isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
            raise TypeError(f"expected a tuple of inputs, or kiln.Inputs(x, name=y), found {_name(given)}; write (x,) for a single one")
        return Inputs(*given)


class Signature:
    """The saved spec of the arguments. Without one, inputs are flattened as they come."""

    def __init__(self, source: bytes | str) -> None:
        found = _kiln.signature(source)
        self._spec: dict[str, Any] | None = None if found is None else json.loads(found[0])[1]
        self._texts: dict[int, str] = {} if found is None else dict(found[1])

    def leaves(self, inputs: Inputs) -> list[Any]:
        """The inputs in the order of the model's flat ones: dicts and keyword arguments by key, whatever order they have here."""
        if self._spec is None:
            return flattened((*inputs.args, *inputs.kwargs.values()))
        leaves: list[Any] = []
        positional, keywords = self._spec["children_spec"]
        if inputs.kwargs and not keywords["children_spec"]:
            names = ", ".join(inputs.kwargs)
            raise TypeError(f"the model was exported with inputs by position only, and {names} is given by name; give it in its place, as run(x)")
        _flatten(positional, inputs.args, "the inputs", leaves)
        _flatten(keywords, inputs.kwargs, "the keyword inputs", leaves)
        for position, text in self._texts.items():
            if not isinstance(leaves[position], str) or leaves[position] != text:
                raise ValueError(f"input {position} was {text!r} at the export, which fixed it; found {leaves[position]!r}; export the model with it")
        return leaves


def _flatten(spec: dict[str, Any], given: Any, place: str, leaves: list[Any]) -> None:
    kind, children = spec["type"], spec["children_spec"]
    if kind is None:
        if isinstance(given, (tuple, list, dict)):
            raise TypeError(f"{place}: expected one value, found a {type(given).__name__}")
        leaves.append(given)
    elif kind in ("builtins.tuple", "builtins.list"):
        if not isinstance(given, (tuple, list)):
            raise TypeError(f"{place}: expected a {kind.removeprefix('builtins.')} of {len(children)}, found {_name(given)}")
        if len(given) != len(children):
            raise TypeError(f"{place}: expected {len(children)}, found {len(given)}{_BY_NAME if place == 'the inputs' else ''}")
        for i, (child, one) in enumerate(zip(children, given)):
            _flatten(child, one, f"{place}[{i}]", leaves)
    elif kind in _DICTS:
        keys = json.loads(spec["context"])
        if not isinstance(given, Mapping) or set(given) != set(keys):
            found = sorted(map(str, given)) if isinstance(given, Mapping) else _name(given)
            raise TypeError(f"{place}: expected the keys {sorted(map(str, keys))}, found {found}")
        for key, child in zip(keys, children):
            _flatten(child, given[key], f"{place}[{key!r}]", leaves)
    else:
        _flatten_class(spec, given, place, leaves)


def _flatten_class(spec: dict[str, Any], given: Any, place: str, leaves: list[Any]) -> None:
    """The leaves of a class that torch knows, such as a named tuple or a registered dataclass."""
    kind, children = spec["type"], spec["children_spec"]
    own: list[Any] = []
    if "torch" in sys.modules:
        from torch.utils import _pytree

        if not isinstance(given, (dict, str)) and not _pytree.tree_structure(given).is_leaf():
            # One level: the children are leaves of it.
            own = _pytree.tree_leaves(given, is_leaf=lambda one: one is not given)
    else:
        own = list(given) if isinstance(given, tuple) else []
    if len(own) != len(children):
        raise TypeError(f"{place}: expected a {kind} of {len(children)} parts, found {_name(given)}")
    for i, (child, one) in enumerate(zip(children, own)):
        _flatten(child, one, f"{place}.{i}", leaves)


def _name(value: Any) -> str:
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        return "a tensor"
    return f"a {type(value).__name__}"
