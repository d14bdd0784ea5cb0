"""Which public names of the package the pages document."""

from __future__ import annotations

import re

import mabench

_DOCUMENTED = re.compile(r"^\.\. auto\w+:: mabench\.(\w+)$", re.MULTILINE)


def left_out(text: str) -> list[str]:
    """Return the names of ``mabench.__all__`` that ``text`` has no autodoc directive for."""
    documented = {*_DOCUMENTED.findall(text), "__version__"}
    names = (name for name in mabench.__all__ if name not in documented)
    return [f"mabench.{name} is public and on no page" for name in names]
