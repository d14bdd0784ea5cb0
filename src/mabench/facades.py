"""Facades: packages that offer names of their modules, each loaded when it is first used.

The ``__init__.py`` of a facade names each import once, under ``if TYPE_CHECKING:``. Type checkers
and import-linter read it there, and so does ``load_when_used``, by which Python finds the names.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path


def load_when_used(
    package: str, file: str
) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a facade.

    Args:
        package: the ``__name__`` of the facade.
        file: its ``__file__``.
    """
    homes = dict(_read_imports(file))
    names = sorted(homes)

    def __getattr__(name: str) -> object:  # noqa: N807 - its name as a part of a module.
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)  # From now on, Python finds it there.
        return value

    def __dir__() -> list[str]:  # noqa: N807
        return names

    return __getattr__, __dir__, names


def _read_imports(file: str) -> Iterator[tuple[str, str]]:
    """Yield each name that a facade offers, with the module that has it."""
    for statement in ast.parse(Path(file).read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.If):
            for line in statement.body:
                if isinstance(line, ast.ImportFrom) and line.module:
                    yield from ((alias.name, line.module) for alias in line.names)
