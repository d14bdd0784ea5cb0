"""Python modules found without importing them: their files, and what each of them imports."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from importlib.metadata import Distribution, distributions

_GROUPS = ("mabench.agents", "mabench.memories")
# Statements are cut out and parsed one by one: parsing whole files takes thirty times as long.
_SPACE = r"(?:[ \t]|\\\r?\n)"
_IMPORT = re.compile(
    rf"(?:^|[:;])[ \t]*((?:from\b{_SPACE}*[.\w]+{_SPACE}+)?import\b"
    rf"{_SPACE}*(?:\((?:\#[^\n]*|[^)#])*\)|(?:\\\r?\n|[^\n\\#;])*))",
    re.MULTILINE,
)
_BY_NAME = re.compile(r"(?:import_module|__import__)\(\s*[\"']([\w.]+)[\"']")


class Modules:
    """The modules of an interpreter: those in ``folders``; None for this interpreter."""

    def __init__(self, folders: Sequence[str] | None = None) -> None:
        self.folders = folders
        self._path = [*(sys.path if folders is None else folders)]

    def find(self, name: str) -> ModuleSpec | None:
        """Return where a module is, without importing it or its parents; None if there is none.

        Of this interpreter, one that is loaded is found first.
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

    def distribution_of(self, name: str) -> Distribution | None:
        """Return the installed distribution that brings a module; None if there is none."""
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

    def of_plugin(self, name: str) -> str | None:
        """Return the module that brings the plugin of a name; None if there is none."""
        for installed in distributions(path=self._path):
            for point in installed.entry_points:
                if point.group in _GROUPS and point.name == name:
                    return point.module
        return None

    @staticmethod
    def imports_in(source: str, package: str) -> Iterator[str]:
        """Yield the names that may be of modules which a source of a package imports."""
        for match in _IMPORT.finditer(source):
            try:
                statement = ast.parse(match[1]).body[0]
            except (SyntaxError, ValueError):
                continue  # Words of a text.
            if isinstance(statement, ast.Import):
                yield from (alias.name for alias in statement.names)
            elif isinstance(statement, ast.ImportFrom):
                above = package.split(".")[: 1 - statement.level or None] if statement.level else []
                base = ".".join(filter(None, [*above, statement.module]))
                yield base
                yield from (f"{base}.{alias.name}".lstrip(".") for alias in statement.names)
        yield from (match[1] for match in _BY_NAME.finditer(source))
