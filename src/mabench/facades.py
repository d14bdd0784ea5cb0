"""Lets a package offer names of its modules, each of which is imported when it is first used.

So a command loads only what it works with. Such a package is called a facade. Its ``__init__.py``
has the imports of all names under ``if TYPE_CHECKING:``, where type checkers read them. Python
does not run them; ``load_when_used`` reads them from the text of the file.
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

    Python calls the first for a name that the package does not have yet (PEP 562).

    Args:
        package: the ``__name__`` of the facade.
        file: its ``__file__``.
    """
    module_of_name = dict(_read_imports(file))
    names = sorted(module_of_name)

    def __getattr__(name: str) -> object:  # noqa: N807 - its name as a part of a module.
        if name not in module_of_name:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(module_of_name[name]), name)
        setattr(sys.modules[package], name, value)  # From now on, Python finds it there.
        return value

    def __dir__() -> list[str]:  # noqa: N807
        return names

    return __getattr__, __dir__, names


def _read_imports(file: str) -> Iterator[tuple[str, str]]:
    """Yield each name that a facade offers, and the module that has it.

    They are those of the lines ``from module import name`` under an ``if``.
    """
    for statement in ast.parse(Path(file).read_text(encoding="utf-8")).body:
        if not isinstance(statement, ast.If):
            continue
        for line in statement.body:
            if isinstance(line, ast.ImportFrom) and line.module:
                for alias in line.names:
                    yield alias.name, line.module
