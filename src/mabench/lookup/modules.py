"""Python modules found without importing them: their files, and what each of them imports."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from importlib.metadata import Distribution, distributions
from pathlib import Path

_GROUPS = ("mabench.agents", "mabench.memories")
# Statements are cut out and parsed one by one: parsing whole files takes thirty times as long.
_SPACE = r"(?:[ \t]|\\\r?\n)"
_IMPORT = re.compile(
    rf"(?:^|[:;])[ \t]*((?:from\b{_SPACE}*[.\w]+{_SPACE}+)?import\b"
    rf"{_SPACE}*(?:\((?:\#[^\n]*|[^)#])*\)|(?:\\\r?\n|[^\n\\#;])*))",
    re.MULTILINE,
)
_BY_NAME = re.compile(r"(?:import_module|__import__)\(\s*[\"']([\w.]+)[\"']")


def find_module(name: str, folders: Sequence[str] | None) -> ModuleSpec | None:
    """Return where a module is, without importing it or its parents; None if there is none.

    It is looked for in ``folders``; None for this interpreter, its loaded modules first.
    """
    loaded = getattr(sys.modules.get(name), "__spec__", None)
    if folders is None and isinstance(loaded, ModuleSpec):
        return loaded
    path = folders
    if parent := name.rpartition(".")[0]:
        above = find_module(parent, folders)
        if above is None or above.submodule_search_locations is None:
            return None
        path = [*above.submodule_search_locations]
    finders = sys.meta_path if folders is None else (PathFinder,)
    specs = (finder.find_spec(name, path) for finder in finders)
    return next((spec for spec in specs if spec is not None), None)


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


def folders_of(python: Path) -> list[str]:
    """Return where another interpreter looks for modules, as far as its files say."""
    prefix = python.parent.parent
    sites = [*prefix.glob("lib/python3*/*-packages"), *prefix.glob("Lib/site-packages")]
    files = [file for site in sites for file in sorted(site.glob("*.pth"))]
    lines = [line for file in files for line in file.read_text("utf-8", "replace").splitlines()]
    return [*map(str, sites), *(line for line in lines if line and Path(line).is_dir())]


def is_installed(file: Path) -> bool:
    """Return whether a file was put where it is by an installer."""
    return not {"site-packages", "dist-packages"}.isdisjoint(file.parts)


def distribution_of(name: str, folders: Sequence[str] | None) -> Distribution | None:
    """Return the installed distribution that brings a module; None if there is none."""
    top = name.partition(".")[0]
    path = [*(sys.path if folders is None else folders)]
    for installed in distributions(name=top, path=path):
        return installed
    for installed in distributions(path=path):
        listed = (installed.read_text("top_level.txt") or "").split()
        if top in listed or any(
            file.parts[0] in (top, f"{top}.py") for file in installed.files or ()
        ):
            return installed
    return None


def plugin_module(name: str, folders: Sequence[str] | None) -> str | None:
    """Return the module that brings the plugin of a name; None if there is none."""
    for installed in distributions(path=[*(sys.path if folders is None else folders)]):
        for point in installed.entry_points:
            if point.group in _GROUPS and point.name == name:
                return point.module
    return None
