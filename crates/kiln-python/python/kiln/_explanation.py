"""``kiln.Explanation``."""

from __future__ import annotations

import html
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kiln import _kiln

#: The height of the page in a notebook, in pixels.
_HEIGHT = 720


class Explanation:
    """Why each node of a program is where it is. It prints as text; a notebook shows the page."""

    def __init__(self, program: _kiln.Program) -> None:
        self._program = program

    @property
    def text(self) -> str:
        """The explanation as text."""
        return self._program.explain_text()

    @property
    def html(self) -> str:
        """The explanation as a page of its own, without references to others."""
        return self._program.explain_html()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page."""
        Path(path).write_text(self.html, encoding="utf-8")

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        page = html.escape(self.html, quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:{_HEIGHT}px;border:0"></iframe>'
