"""Where the modules of an interpreter are, and what a source imports.

Nothing is imported or started to find out, so no code of a user may run here.
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
# An import statement. Statements are cut out and parsed one by one, because parsing whole files
# takes thirty times as long.
_IMPORT = re.compile(
    rf"(?:^|[:;])[ \t]*((?:from\b{_SPACE}*[.\w]+{_SPACE}+)?import\b"
    rf"{_SPACE}*(?:\((?:\#[^\n]*|[^)#])*\)|(?:\\\r?\n|[^\n\\#;])*))",
    re.MULTILINE,
)
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
        """Return where a module is, without importing it or its parents; None if there is none.

        In the interpreter that runs this, modules that are loaded come first.
        """
        loaded = getattr(sys.modules.get(name), "__spec__", None)
        if self.folders is None and isinstance(loaded, ModuleSpec):
            return loaded
        path = self.folders
        if parent := name.rpartition(".")[0]:
            above = self.find(parent)
            if above is None or above.submodule_search_locations is None:
                return None
            path = [*above.submodule_search_locations]
        finders = sys.meta_path if self.folders is None else (PathFinder,)
        specs = (finder.find_spec(name, path) for finder in finders)
        return next((spec for spec in specs if spec is not None), None)

    def find_distribution(self, name: str) -> Distribution | None:
        """Return the installed distribution that provides a module; None if there is none."""
        top = name.partition(".")[0]
        for installed in distributions(name=top, path=self._path):
            return installed
        for installed in distributions(path=self._path):
            listed = (installed.read_text("top_level.txt") or "").split()
            if top in listed or any(
                file.parts[0] in (top, f"{top}.py") for file in installed.files or ()
            ):
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
    file = Path(spec.origin) if spec and spec.has_location and spec.origin else None
    return file if file is not None and file.is_file() else None


def is_installed(file: Path) -> bool:
    """Whether a file belongs to an installed package, as opposed to the user's own modules."""
    return not {"site-packages", "dist-packages"}.isdisjoint(file.parts)


def find_imports(source: str, package: str) -> Iterator[str]:
    """Yield the names of modules that a source of ``package`` may import.

    Some are names in a module instead: ``from a import b`` yields ``a`` and ``a.b``.
    """
    for match in _IMPORT.finditer(source):
        try:
            statement = ast.parse(match[1]).body[0]
        except (SyntaxError, ValueError):
            continue  # The words are part of a text.
        if isinstance(statement, ast.Import):
            yield from (alias.name for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom):
            above = package.split(".")[: 1 - statement.level or None] if statement.level else []
            base = ".".join(filter(None, [*above, statement.module]))
            yield base
            yield from (f"{base}.{alias.name}".lstrip(".") for alias in statement.names)
    yield from (match[1] for match in _IMPORT_BY_NAME.finditer(source))
