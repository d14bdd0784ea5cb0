"""What the code of an agent is: its files and packages, so that a changed one is noticed.

Nothing is imported or started for it, and it never fails: what cannot be told is said.
"""

from __future__ import annotations

import hashlib
import re
import shlex
import shutil
import sys
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from mabench._version import __version__
from mabench.contract.raised import describe_error
from mabench.lookup.names import BROUGHT, is_shipped
from mabench.lookup.sources import (
    distribution_of,
    find_module,
    folders_of,
    imports_in,
    is_installed,
    names_assigned,
    plugin_module,
    source_of,
    values_used,
)
from mabench.redact import redact

_LARGEST = 1 << 26  # Bytes of a file that is read; of a larger one the size has to do.
_MOST_FILES = 1000
_PLAIN = (str, int, float, bool, bytes, type(None))
_OURS = "mabench"

# Modules of this process, each with the hash of its file when it was first looked at. A file that
# is edited later is not the code that runs.
_loaded: dict[str, tuple[ModuleSpec, str]] = {}


@dataclass(slots=True)
class Code:
    """What is found of an agent's code.

    Attributes:
        files: a hash of each file, by its path as imports or the command name it; of what was
            written in a notebook or a script, by the name of the class or function.
        packages: the version of each installed package, by name.
        unknown: why not all of it can be told, a few words each.
    """

    files: dict[str, str] = field(default_factory=dict)
    packages: dict[str, str] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)


def identify_code(
    agent: str | Callable[..., object],
    python: str | Path | None = None,
    mcp_map: str | Path | None = None,
) -> Code:
    """Return what the code of an agent is.

    Args:
        agent: its name, or the class or function that makes it, which is imported already.
        python: the interpreter in which it lives.
        mcp_map: how the tools of an MCP server are used.
    """
    code = Code()
    try:
        if not isinstance(agent, str):
            _add_callable(code, agent)
        elif is_shipped(agent):
            code.packages[_OURS] = __version__
        elif re.match(r"(mcp:\s*)?https?://", agent):
            code.unknown.append("it runs on a server")
        elif agent.startswith(("stdio:", "mcp:")):
            _add_command(code, shlex.split(agent.partition(":")[2]))
        elif python is not None:
            _add_elsewhere(code, agent, str(python))
        else:
            _add_root(code, agent.partition(":")[0] if ":" in agent else plugin_module(agent, None))
        if mcp_map is not None and Path(mcp_map).is_file():
            _add_file(code, str(mcp_map), Path(mcp_map))
    except Exception as error:
        code.unknown.append(f"looking at it failed: {redact(describe_error(error))}")
    if not (code.files or code.packages or code.unknown):
        code.unknown.append("none of its files was found")
    return code


def _add_command(code: Code, words: Sequence[str]) -> None:
    """Add a program and those of its arguments that are files."""
    program = shutil.which(words[0])
    for word, file in zip(words, [program or words[0], *words[1:]], strict=True):
        if Path(file).is_file():
            _add_file(code, redact(word), Path(file))


def _add_elsewhere(code: Code, agent: str, python: str) -> None:
    """Add the interpreter of an agent, and the modules that it would import there."""
    interpreter = Path(shutil.which(python) or python)
    _add_file(code, redact(python), interpreter)
    folders = [str(Path.cwd()), *folders_of(interpreter)]
    place, colon, _ = agent.rpartition(":")
    if place.endswith(".py"):
        folders.insert(0, str(Path(place).absolute().parent))
        _add_root(code, Path(place).stem, folders)
    else:
        _add_root(code, place if colon else plugin_module(agent, folders), folders)


def _add_root(code: Code, name: str | None, folders: Sequence[str] | None = None) -> None:
    """Add the module that makes an agent, or the package that installed it."""
    spec = find_module(name, folders) if name else None
    file = _file_of(spec) if spec else None
    if name is None or file is None:
        code.unknown.append(f"{name or 'its plugin'} was not found as a file")
    elif name.partition(".")[0] == _OURS:
        code.packages[_OURS] = __version__
    elif not is_installed(file):
        _add_modules(code, [name, *(BROUGHT.get(name, ()) if folders is None else ())], folders)
    elif installed := distribution_of(name, folders):
        code.packages[installed.name] = installed.version
    else:
        code.unknown.append(f"no installed package brings {name}")


def _add_modules(code: Code, names: Iterable[str], folders: Sequence[str] | None = None) -> None:
    """Add local modules and those that they import, which are neither installed nor Python's."""
    pending = deque(names)
    seen: set[str] = set()
    while pending:
        name = pending.popleft()
        top, _, _ = name.partition(".")
        if name in seen or not name or top in sys.stdlib_module_names or top == _OURS:
            continue
        seen.add(name)
        pending.append(name.rpartition(".")[0])
        spec = find_module(name, folders)
        file = _file_of(spec) if spec else None
        if spec is None or file is None or is_installed(file):
            continue
        if len(code.files) >= _MOST_FILES:
            code.unknown.append(f"it has more than {_MOST_FILES} files")
            return
        is_package = spec.submodule_search_locations is not None
        depth = name.count(".") + 1 + is_package
        shown = "/".join(file.parts[-depth:])
        source = _add_file(code, shown, file, name if folders is None else "")
        if file.suffix == ".py":
            package = name if is_package else name.rpartition(".")[0]
            pending.extend(imports_in(source.decode("utf-8", "replace"), package))


def _file_of(spec: ModuleSpec) -> Path | None:
    file = Path(spec.origin) if spec.has_location and spec.origin else None
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
            code.unknown.append(f"{name} was edited after Python had imported it, and runs as then")
            digest = before[1]
    code.files[name] = digest
    return content


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def _add_callable(code: Code, agent: Any) -> None:
    """Add what makes an agent: its module, or its source where it is of a script or a notebook."""
    bound: list[object] = []
    while isinstance(agent, partial):
        bound += [agent.args, sorted(agent.keywords.items())]
        agent = agent.func
    if not hasattr(agent, "__qualname__"):
        bound += [sorted(getattr(agent, "__dict__", {}).items())]
        agent = type(agent)
    if not _is_plain(bound):
        code.unknown.append("it is given arguments that cannot be compared")
        bound = []
    if agent.__module__ != "__main__":
        _add_root(code, agent.__module__)
    if agent.__module__ == "__main__" or bound or "<" in agent.__qualname__:
        _add_source(code, agent, bound)


def _add_source(code: Code, agent: Any, bound: Sequence[object]) -> None:
    """Add the sources of a class or function and of what it uses beside it."""
    pending, modules = [agent], list[str]()
    while pending:
        thing = pending.pop()
        name = f"{thing.__module__}:{thing.__qualname__}"
        if name in code.files:
            continue
        source = source_of(thing)
        if source is None:
            code.unknown.append(f"{name} has no source")
            continue
        used = dict(values_used(thing))
        # What a factory hands on, such as a number; what a method uses may change while it runs.
        values = [*bound] if thing is agent else []
        if thing is agent and not isinstance(thing, type):
            counters = {*names_assigned(agent)}
            items = sorted(used.items())
            values += [item for item in items if _is_plain(item) and item[0] not in counters]
        content = "\n".join([source, *map(repr, values)])
        code.files[name] = _hash(content.encode("utf-8", "surrogatepass"))
        modules += imports_in(source, "")
        for value in used.values():
            if isinstance(value, ModuleType):
                modules.append(value.__name__)
            elif isinstance(value, type | FunctionType) and value.__module__ == thing.__module__:
                pending.append(value)
            elif isinstance(value, type | FunctionType):
                modules.append(value.__module__)
    _add_modules(code, modules)


def _is_plain(value: object) -> bool:
    if isinstance(value, tuple | list):
        return all(map(_is_plain, value))
    return isinstance(value, _PLAIN)
