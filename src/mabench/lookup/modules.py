"""Finds the modules of an interpreter, and the imports in a source text.

Nothing is imported or started for this: no code of a user may run here.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from importlib.metadata import Distribution, distributions
from pathlib import Path

from mabench.plugins import Group

_SPACE = r"(?:[ \t]|\\\r?\n)"
# An import statement, such as ``import a, b`` or ``from a import (b, c)``, over several lines too.
# Only these are parsed: parsing whole files takes thirty times as long.
_IMPORT = re.compile(
    rf"(?:^|[:;])[ \t]*((?:from\b{_SPACE}*[.\w]+{_SPACE}+)?import\b"
    rf"{_SPACE}*(?:\((?:\#[^\n]*|[^)#])*\)|(?:\\\r?\n|[^\n\\#;])*))",
    re.MULTILINE,
)
# A call such as ``import_module("a.b")``.
_IMPORT_BY_NAME = re.compile(r"(?:import_module|__import__)\(\s*[\"']([\w.]+)[\"']")


class Modules:
    """The modules of an interpreter.

    Attributes:
        folders: where the interpreter looks for modules; None for the one that runs this.
    """

    def __init__(self, folders: Sequence[str] | None = None) -> None:
        self.folders = folders
        self._path = [*(sys.path if folders is None else folders)]

    def find(self, name: str) -> ModuleSpec | None:
        """Return the spec of a module without importing it or its parents; None if there is none.

        In this interpreter, modules that are already loaded come first.
        """
        loaded = getattr(sys.modules.get(name), "__spec__", None)
        if self.folders is None and isinstance(loaded, ModuleSpec):
            return loaded
        path = self.folders
        package_name = name.rpartition(".")[0]
        if package_name:
            package = self.find(package_name)
            if package is None or package.submodule_search_locations is None:
                return None
            path = [*package.submodule_search_locations]
        for finder in sys.meta_path if self.folders is None else (PathFinder,):
            spec = finder.find_spec(name, path)
            if spec is not None:
                return spec
        return None

    def find_distribution(self, name: str) -> Distribution | None:
        """Return the installed distribution that provides a module; None if there is none."""
        top = name.partition(".")[0]
        for installed in distributions(name=top, path=self._path):
            return installed
        for installed in distributions(path=self._path):
            top_levels = (installed.read_text("top_level.txt") or "").split()
            file_names = {file.parts[0] for file in installed.files or ()}
            if top in top_levels or not file_names.isdisjoint((top, f"{top}.py")):
                return installed
        return None

    def find_plugin(self, name: str) -> str | None:
        """Return the name of the module that provides a plugin; None if there is no such plugin."""
        for installed in distributions(path=self._path):
            for point in installed.entry_points:
                if point.group in (Group.AGENTS, Group.MEMORIES) and point.name == name:
                    return point.module
        return None


def file_of(spec: ModuleSpec | None) -> Path | None:
    """Return the file of a module; None if it has no file, or the file is gone."""
    if spec is None or not spec.has_location or not spec.origin:
        return None
    file = Path(spec.origin)
    return file if file.is_file() else None


def is_installed(file: Path) -> bool:
    """Return whether a file belongs to an installed package, and not to the user's own modules."""
    return not {"site-packages", "dist-packages"}.isdisjoint(file.parts)


def find_imports(source: str, package: str) -> Iterator[str]:
    """Yield the names of modules that a source in ``package`` may import.

    ``from a import b`` yields ``a`` and ``a.b``, because ``b`` may be a module or an attribute.
    """
    for match in _IMPORT.finditer(source):
        try:
            statement = ast.parse(match[1]).body[0]
        except (SyntaxError, ValueError):
            continue  # The match is within a string or a comment.
        if isinstance(statement, ast.Import):
            yield from (alias.name for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom):
            base = statement.module or ""
            if statement.level:
                base = _absolute_name(base, package, statement.level)
            yield base
            yield from (f"{base}.{alias.name}".lstrip(".") for alias in statement.names)
    yield from (match[1] for match in _IMPORT_BY_NAME.finditer(source))


def _absolute_name(name: str, package: str, level: int) -> str:
    """Return the absolute name of a relative import with a number of dots.

    One dot is the package itself, each further one its parent: in ``a.b``, ``..c`` is ``a.c``.
    """
    parts = package.split(".")
    kept = max(0, len(parts) - (level - 1))
    return ".".join(filter(None, [*parts[:kept], name]))
