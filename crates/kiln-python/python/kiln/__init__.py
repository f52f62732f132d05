"""Kiln: an ahead-of-time compiler for edge inference.

``compile`` turns a model that ``torch.export`` made into a program for a device. ``check`` exports, compiles, runs and compares in
one call. The command line is ``kiln``, or ``python -m kiln``.
"""

from kiln._check import Check, check
from kiln._compile import compile
from kiln._explanation import Explanation
from kiln._kiln import TARGETS, VERSION, Error
from kiln._program import Program
from kiln._signature import Inputs

__version__ = VERSION
__all__ = ["TARGETS", "Check", "Error", "Explanation", "Inputs", "Program", "check", "compile"]
