"""``kiln.Program``."""

from __future__ import annotations

import json
import os
from functools import cached_property
from typing import Any, Iterable, Mapping

from kiln import _kiln
from kiln._explanation import Explanation
from kiln._signature import Inputs, Signature
from kiln._tensors import Kind, raw, value


class Program:
    """A compiled model in memory."""

    def __init__(self, program: _kiln.Program, signatures: Mapping[str, Signature]) -> None:
        self._program = program
        self._signatures = signatures

    @property
    def target(self) -> str:
        """The target's name."""
        return self._program.target

    @property
    def size(self) -> int:
        """The size in bytes."""
        return self._program.size

    @property
    def methods(self) -> list[str]:
        """The names of the methods."""
        return self._program.methods

    @property
    def warnings(self) -> list[str]:
        """What the compilation warned of."""
        return self._program.warnings

    @cached_property
    def report(self) -> dict[str, Any]:
        """The report: for each method its delegates, kernel calls, memory, and where each node runs and why."""
        report: dict[str, Any] = json.loads(self._program.report_json())
        return report

    def save(self, path: str | os.PathLike[str]) -> int:
        """Writes the program, whole or not at all: a file, or for C projects a folder. Gives its size in bytes."""
        return self._program.save(os.fspath(path))

    def explain(self) -> Explanation:
        """Why each node is where it is: as text where it is printed, as a page in a notebook."""
        return Explanation(self._program)

    def run(self, *inputs: Any, method: str = "forward", **kwargs: Any) -> list[Any]:
        """Executes the program once on Kiln's own runtime, which is made for checking, not for speed.

        Inputs are tensors of torch or arrays of numpy, nested and named as the model was exported with them. Outputs are a flat list, of
        torch's tensors if an input is one, else of numpy's arrays. A None is a None. An input that the model writes stays as it is here.
        """
        if not isinstance(method, str):
            raise TypeError("method is the name of a method; an input of that name is given by run_all([kiln.Inputs(.., method=..)])")
        return self._run([Inputs(*inputs, **kwargs)], method)[0]

    def run_all(self, runs: Iterable[Inputs | Iterable[Any]], *, method: str = "forward") -> list[list[Any]]:
        """Executes several runs in order on one loaded program, so that state carries over. Each is a tuple of inputs as for ``run``, or
        ``kiln.Inputs(x, name=y)``."""
        return self._run([Inputs.of(inputs) for inputs in runs], method)

    def _run(self, runs: list[Inputs], method: str) -> list[list[Any]]:
        signature = self._signatures.get(method)
        if signature is None:
            raise _kiln.Error(f"the program has no method {method}; it has {', '.join(self.methods)}")
        given = [signature.leaves(inputs) for inputs in runs]
        kind = Kind.of(leaf for leaves in given for leaf in leaves)
        results = self._program.run(method, [[raw(leaf) for leaf in leaves] for leaves in given])
        return [[None if output is None else value(output, kind) for output in outputs] for outputs in results]

    def __repr__(self) -> str:
        def count(number: int, what: str) -> str:
            return f"{number} {what}{'' if number == 1 else 's'}"

        methods = self.report["methods"]
        calls = sum(sum(method["kernel_calls"].values()) for method in methods)
        delegates = sum(method["delegates"] for method in methods)
        costs = ", ".join([count(delegates, "delegate"), count(calls, "kernel call"), count(self.size, "byte")])
        return f"<kiln.Program for {self.target}: {costs}>"

