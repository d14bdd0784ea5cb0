"""What the code of an agent is: its files and packages, so that a changed one is noticed.

Nothing is imported or started for it, and it never fails: what cannot be told is said.
"""

from __future__ import annotations

import ast
import dis
import hashlib
import inspect
import re
import shlex
import shutil
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.machinery import ModuleSpec, PathFinder
from importlib.metadata import Distribution, distributions
from pathlib import Path
from textwrap import dedent
from types import CodeType, FunctionType, ModuleType
from typing import Any

from mabench._version import __version__
from mabench.contract.answers import describe_error
from mabench.lookup.importing import BROUGHT
from mabench.lookup.names import is_shipped
from mabench.plugins import Group, is_own_module
from mabench.redact import redact

_LARGEST = 1 << 26  # Bytes of a file that is read; of a larger one the size has to do.
_MOST_FILES = 1000
_PLAIN = (str, int, float, bool, bytes, type(None))
_OURS = "mabench"
# Statements are cut out and parsed one by one: parsing whole files takes thirty times as long.
_SPACE = r"(?:[ \t]|\\\r?\n)"
_IMPORT = re.compile(
    rf"(?:^|[:;])[ \t]*((?:from\b{_SPACE}*[.\w]+{_SPACE}+)?import\b"
    rf"{_SPACE}*(?:\((?:\#[^\n]*|[^)#])*\)|(?:\\\r?\n|[^\n\\#;])*))",
    re.MULTILINE,
)
_BY_NAME = re.compile(r"(?:import_module|__import__)\(\s*[\"']([\w.]+)[\"']")

# _Modules of this process, each with the hash of its file when it was first looked at. A file that
# is edited later is not the code that runs.
_loaded: dict[str, tuple[ModuleSpec, str]] = {}


@dataclass(slots=True)
class Code:
    """What is found of an agent's code."""

    # A hash of each file, by its path as imports or the command name it; of what was written in a
    # notebook or a script, by the name of the class or function.
    files: dict[str, str] = field(default_factory=dict)
    packages: dict[str, str] = field(default_factory=dict)  # Versions of installed ones, by name.
    unknown: list[str] = field(default_factory=list)  # Why not all can be told, a few words each.
    # Top-level names of the modules of this interpreter that its files import.
    imports: set[str] = field(default_factory=set)

    @classmethod
    def identify(
        cls,
        agent: str | Callable[..., object],
        python: str | Path | None = None,
        mcp_map: str | Path | None = None,
    ) -> Code:
        """Return what the code of an agent is; one of another interpreter lives in ``python``."""
        code = cls()
        try:
            if not isinstance(agent, str):
                _add_callable(code, agent)
            elif is_shipped(agent):
                code.packages[_OURS] = __version__
            elif re.match(r"(mcp:\s*)?https?://", agent):
                code.unknown.append("it runs on a server")
            elif agent.startswith(("stdio:", "mcp:")):
                for index, word in enumerate(shlex.split(agent.partition(":")[2])):
                    file = Path(word if index else shutil.which(word) or word)
                    if file.is_file():
                        _add_file(code, redact(word), file)
            elif python is not None:
                _add_elsewhere(code, agent, str(python))
            else:
                module, colon, _ = agent.partition(":")
                _add_root(code, module if colon else _Modules().of_plugin(agent))
            if mcp_map is not None and Path(mcp_map).is_file():
                _add_file(code, str(mcp_map), Path(mcp_map))
        except Exception as error:
            code.unknown.append(f"looking at it failed: {redact(describe_error(error))}")
        if not (code.files or code.packages or code.unknown):
            code.unknown.append("none of its files exists")
        return code


def _add_elsewhere(code: Code, agent: str, python: str) -> None:
    interpreter = Path(shutil.which(python) or python)
    _add_file(code, redact(python), interpreter)
    # Where it looks for modules, as far as its files say.
    prefix = interpreter.parent.parent
    sites = [*prefix.glob("lib/python3*/*-packages"), *prefix.glob("Lib/site-packages")]
    files = [file for site in sites for file in sorted(site.glob("*.pth"))]
    lines = [line for file in files for line in file.read_text("utf-8", "replace").splitlines()]
    folders = [str(Path.cwd()), *map(str, sites)]
    folders += [line for line in lines if line and Path(line).is_dir()]
    place, colon, _ = agent.rpartition(":")
    module = place if colon else _Modules(folders).of_plugin(agent)
    if place.endswith(".py"):
        folders.insert(0, str(Path(place).absolute().parent))
        module = Path(place).stem
    _add_root(code, module, folders)


def _add_root(code: Code, name: str | None, folders: Sequence[str] | None = None) -> None:
    modules = _Modules(folders)
    file = _file_of(modules.find(name)) if name else None
    if name is None or file is None:
        code.unknown.append(f"{name or 'its plugin'} was not found as a file")
    elif is_own_module(name):
        code.packages[_OURS] = __version__
    elif not _is_installed(file):
        _add_modules(code, [name, *(BROUGHT.get(name, ()) if folders is None else ())], modules)
    elif installed := modules.distribution_of(name):
        code.packages[installed.name] = installed.version
    else:
        code.unknown.append(f"no installed package provides {name}")


def _is_installed(file: Path) -> bool:
    return not {"site-packages", "dist-packages"}.isdisjoint(file.parts)


def _add_modules(code: Code, names: Iterable[str], modules: _Modules) -> None:
    """Add local modules and those that they import, which are neither installed nor Python's."""
    pending = deque(names)
    seen: set[str] = set()
    while pending:
        name = pending.popleft()
        if not name or name in seen or is_own_module(name):
            continue
        if name.partition(".")[0] in sys.stdlib_module_names:
            continue
        seen.add(name)
        pending.append(name.rpartition(".")[0])
        spec = modules.find(name)
        file = _file_of(spec)
        if spec is None or file is None or _is_installed(file):
            continue
        if len(code.files) >= _MOST_FILES:
            code.unknown.append(f"it has more than {_MOST_FILES} files")
            return
        is_package = spec.submodule_search_locations is not None
        path = "/".join(file.parts[-(name.count(".") + 1 + is_package) :])
        source = _add_file(code, path, file, name if modules.folders is None else "")
        if file.suffix == ".py":
            package = name if is_package else name.rpartition(".")[0]
            imports = [*_Modules.imports_in(source.decode("utf-8", "replace"), package)]
            pending.extend(imports)
            if modules.folders is None:
                code.imports.update(imported.partition(".")[0] for imported in imports)


def _file_of(spec: ModuleSpec | None) -> Path | None:
    file = Path(spec.origin) if spec and spec.has_location and spec.origin else None
    return file if file is not None and file.is_file() else None


def _add_file(code: Code, name: str, file: Path, module: str = "") -> bytes:
    """Add a file, which may be that of a module of this process; return what it holds."""
    size = file.stat().st_size
    content = file.read_bytes() if size <= _LARGEST else b""
    digest = _hash(content) if size <= _LARGEST else f"{size} bytes"
    spec = getattr(sys.modules.get(module), "__spec__", None)
    if spec is not None:
        before = _loaded.get(module)
        if before is None or before[0] is not spec:
            _loaded[module] = (spec, digest)
        elif before[1] != digest:
            edited = "was edited after Python imported it; the imported version runs"
            code.unknown.append(f"{name} {edited}")
            digest = before[1]
    code.files[name] = digest
    return content


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def _add_callable(code: Code, agent: Any) -> None:
    bound: list[object] = []
    while isinstance(agent, partial):
        bound += [agent.args, sorted(agent.keywords.items())]
        agent = agent.func
    if not hasattr(agent, "__qualname__"):
        bound += [sorted(getattr(agent, "__dict__", {}).items())]
        agent = type(agent)
    if not _is_plain(bound):
        code.unknown.append("it gets arguments that cannot be compared")
        bound = []
    if agent.__module__ != "__main__":
        _add_root(code, agent.__module__)
    if agent.__module__ == "__main__" or bound or "<" in agent.__qualname__:
        _add_source(code, agent, bound)


def _add_source(code: Code, agent: Any, bound: Sequence[object]) -> None:
    pending, imports = [agent], list[str]()
    while pending:
        thing = pending.pop()
        name = f"{thing.__module__}:{thing.__qualname__}"
        if name in code.files:
            continue
        source = _source_of(thing)
        if source is None:
            code.unknown.append(f"{name} has no source")
            continue
        used = dict(_values_used(thing))
        # What a factory hands on, such as a number; what a method uses may change while it runs.
        values = [*bound] if thing is agent else []
        if thing is agent and not isinstance(thing, type):
            steps = (step for part in _functions(agent) for step in dis.get_instructions(part))
            # Names outside the function that it assigns to.
            counters = {s.argval for s in steps if s.opname in ("STORE_GLOBAL", "STORE_DEREF")}
            items = sorted(used.items())
            values += [item for item in items if _is_plain(item) and item[0] not in counters]
        content = "\n".join([source, *map(repr, values)])
        code.files[name] = _hash(content.encode("utf-8", "surrogatepass"))
        imports += _Modules.imports_in(source, "")
        for value in used.values():
            if isinstance(value, ModuleType):
                imports.append(value.__name__)
            elif isinstance(value, type | FunctionType) and value.__module__ == thing.__module__:
                pending.append(value)
            elif isinstance(value, type | FunctionType):
                imports.append(value.__module__)
    code.imports.update(imported.partition(".")[0] for imported in imports)
    _add_modules(code, imports, _Modules())


def _is_plain(value: object) -> bool:
    if isinstance(value, tuple | list):
        return all(map(_is_plain, value))
    return isinstance(value, _PLAIN)


def _source_of(thing: Any) -> str | None:
    """Return the source of a class or function; a class of a notebook has that of its methods."""
    try:
        source = inspect.getsource(thing)
    except (OSError, TypeError):
        sources = [_source_of(method) for method in _functions(thing) if method is not thing]
        return "\n".join(filter(None, sources)) or None
    if thing.__name__ != "<lambda>":
        return source
    try:
        tree = ast.parse(dedent(source))
    except SyntaxError:  # The lines of a lambda may be cut out of a statement.
        return source
    lambdas = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda)]
    return ast.unparse(lambdas[0]) if len(lambdas) == 1 else source


def _functions(thing: Any) -> list[FunctionType]:
    members = vars(thing).values() if isinstance(thing, type) else [thing]
    plain = (getattr(m, "fget", None) or getattr(m, "__func__", m) for m in members)
    return [member for member in plain if isinstance(member, FunctionType)]


def _values_used(thing: Any) -> Iterator[tuple[str, object]]:
    """Yield the names that a class or function uses, with their values; its bases, too."""

    def names_in(code: CodeType) -> Iterator[str]:
        yield from code.co_names
        for part in code.co_consts:
            if isinstance(part, CodeType):
                yield from names_in(part)

    yield from ((base.__qualname__, base) for base in getattr(thing, "__mro__", ())[1:-1])
    for function in _functions(thing):
        names = {*names_in(function.__code__)}
        yield from ((name, function.__globals__[name]) for name in names & {*function.__globals__})
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        for name, cell in cells:
            try:
                yield name, cell.cell_contents
            except ValueError:  # Empty until it is assigned.
                continue


class _Modules:
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
                if point.group in (Group.AGENTS, Group.MEMORIES) and point.name == name:
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
