"""What the code of an agent is, so that a run notices when it has changed.

The code is the files of the agent's module and of the local modules that they import, or the
version of the installed package that provides it. Anything else is unknown, with a reason: code is
never guessed. Nothing is imported or started to find out, and nothing here may fail a run.
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
from functools import reduce
from importlib.machinery import ModuleSpec
from pathlib import Path

from mabench._version import __version__
from mabench.contract.answers import describe_error
from mabench.lookup.importing import BROUGHT
from mabench.lookup.modules import Modules, file_of, find_imports, is_installed
from mabench.lookup.names import is_shipped
from mabench.plugins import OWN_PACKAGES, is_own_module
from mabench.redact import redact

# Bytes. A larger file is identified by its size alone.
_LARGEST_HASHED = 1 << 26
_MOST_FILES = 1000
_OURS = "mabench"
_MAIN = "__main__"

# The modules of this process, each with the hash that its file had when it was first seen here: if
# a file is edited later, the earlier code still runs.
_hashes_seen: dict[str, tuple[ModuleSpec, str]] = {}


@dataclass(slots=True)
class Code:
    """The code of an agent, as far as it is known."""

    # A hash of each file, by the path by which imports or the command name it.
    files: dict[str, str] = field(default_factory=dict)
    packages: dict[str, str] = field(default_factory=dict)  # The versions of installed packages.
    # Why some of the code is unknown, each reason in a few words.
    unknown: list[str] = field(default_factory=list)
    # The top-level names of the modules of this interpreter that the files import.
    imports: set[str] = field(default_factory=set)

    @classmethod
    def identify(
        cls,
        agent: str | Callable[..., object],
        python: str | Path | None = None,
        mcp_map: str | Path | None = None,
    ) -> Code:
        """Return what the code of an agent is.

        Args:
            agent: the name of an agent, or a class or function that makes one.
            python: the interpreter that runs the agent; this one if None.
            mcp_map: the file that maps the tools of an MCP server, part of the code.
        """
        code = cls()
        try:
            if not isinstance(agent, str):
                _add_factory(code, agent)
            elif is_shipped(agent):
                code.packages[_OURS] = __version__
            elif re.match(r"(mcp:\s*)?https?://", agent):
                code.unknown.append("it runs on a server")
            elif agent.startswith(("stdio:", "mcp:")):
                _add_command(code, agent.partition(":")[2])
            elif python is not None:
                _add_agent_elsewhere(code, agent, str(python))
            else:
                module, colon, _ = agent.partition(":")
                _add_module(code, module if colon else Modules().find_plugin(agent))
            if mcp_map is not None and Path(mcp_map).is_file():
                _add_file(code, str(mcp_map), Path(mcp_map))
        except Exception as error:
            code.unknown.append(f"looking at it failed: {redact(describe_error(error))}")
        if not (code.files or code.packages or code.unknown):
            code.unknown.append("none of its files exists")
        return code


def _add_factory(code: Code, factory: Callable[..., object]) -> None:
    """Add a class or function of a module; anything else has state that no file shows."""
    module, name = getattr(factory, "__module__", None), getattr(factory, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str):
        code.unknown.append("it is an object, not a class or function")
    elif "<" in name:
        code.unknown.append("it is defined within a function")
    else:
        if module == _MAIN:
            _add_script(code)
        else:
            _add_module(code, module)
        if not code.unknown and _find_object(module, name) is not factory:
            code.unknown.append(f"it is not what {module} calls {name}")


def _find_object(module: str, name: str) -> object:
    try:
        return reduce(getattr, name.split("."), sys.modules[module])
    except (AttributeError, KeyError):
        return None


def _add_script(code: Code) -> None:
    """Add the script that runs, and what it imports. A notebook has no file that tells its code."""
    main = sys.modules[_MAIN]
    spec, file = getattr(main, "__spec__", None), getattr(main, "__file__", None)
    if isinstance(spec, ModuleSpec):
        _add_module(code, spec.name)
    elif file is None or not Path(file).is_file():
        code.unknown.append("it is defined in a notebook or an interactive session")
    else:
        source = _add_file(code, Path(file).name, Path(file), _MAIN)
        _add_imports(code, _note_imports(code, source, ""), Modules())


def _add_command(code: Code, command: str) -> None:
    """Add the program of a command, and those of its arguments that are files."""
    for index, word in enumerate(shlex.split(command)):
        file = Path(word if index else shutil.which(word) or word)
        if file.is_file():
            _add_file(code, redact(word), file)


def _add_agent_elsewhere(code: Code, agent: str, python: str) -> None:
    """Add an interpreter, and an agent that it imports."""
    interpreter = Path(shutil.which(python) or python)
    _add_file(code, redact(python), interpreter)
    # Where the interpreter looks for modules, as far as its files tell.
    prefix = interpreter.parent.parent
    sites = [*prefix.glob("lib/python3*/*-packages"), *prefix.glob("Lib/site-packages")]
    files = [file for site in sites for file in sorted(site.glob("*.pth"))]
    lines = [line for file in files for line in file.read_text("utf-8", "replace").splitlines()]
    folders = [str(Path.cwd()), *map(str, sites)]
    folders += [line for line in lines if line and Path(line).is_dir()]
    place, colon, _ = agent.rpartition(":")
    module = place if colon else Modules(folders).find_plugin(agent)
    if place.endswith(".py"):
        folders.insert(0, str(Path(place).absolute().parent))
        module = Path(place).stem
    _add_module(code, module, folders)


def _add_module(code: Code, name: str | None, folders: Sequence[str] | None = None) -> None:
    """Add the module of an agent: its package if that is installed, else its local files."""
    modules = Modules(folders)
    file = file_of(modules.find(name)) if name else None
    if name is None or file is None:
        code.unknown.append(f"{name or 'its plugin'} was not found as a file")
    elif is_own_module(name):
        code.packages[_OURS] = __version__
    elif not is_installed(file):
        _add_imports(code, [name, *(BROUGHT.get(name, ()) if folders is None else ())], modules)
    elif installed := modules.find_distribution(name):
        code.packages[installed.name] = installed.version
    else:
        code.unknown.append(f"no installed package provides {name}")


def _add_imports(code: Code, names: Iterable[str], modules: Modules) -> None:
    """Add local modules and the local modules that they import."""
    pending = deque(names)
    seen: set[str] = set()
    while pending:
        name = pending.popleft()
        top = name.partition(".")[0]
        if not name or name in seen or top in OWN_PACKAGES or top in sys.stdlib_module_names:
            continue
        seen.add(name)
        pending.append(name.rpartition(".")[0])
        spec = modules.find(name)
        file = file_of(spec)
        if spec is None or file is None or is_installed(file):
            continue
        if len(code.files) >= _MOST_FILES:
            code.unknown.append(f"it has more than {_MOST_FILES} files")
            return
        is_package = spec.submodule_search_locations is not None
        path = "/".join(file.parts[-(name.count(".") + 1 + is_package) :])
        source = _add_file(code, path, file, name if modules.folders is None else "")
        if file.suffix == ".py":
            package = name if is_package else name.rpartition(".")[0]
            if modules.folders is None:
                pending.extend(_note_imports(code, source, package))
            else:
                pending.extend(find_imports(source.decode("utf-8", "replace"), package))


def _note_imports(code: Code, source: bytes, package: str) -> list[str]:
    """Return what a source of this interpreter imports, and note its top-level names."""
    imports = [*find_imports(source.decode("utf-8", "replace"), package)]
    code.imports.update(name.partition(".")[0] for name in imports)
    return imports


def _add_file(code: Code, name: str, file: Path, module: str = "") -> bytes:
    """Add a file, which may be that of a ``module`` of this process; return its content."""
    size = file.stat().st_size
    content = file.read_bytes() if size <= _LARGEST_HASHED else b""
    digest = (
        hashlib.sha256(content).hexdigest()[:16] if size <= _LARGEST_HASHED else f"{size} bytes"
    )
    spec = getattr(sys.modules.get(module), "__spec__", None)
    if spec is not None:
        before = _hashes_seen.get(module)
        if before is None or before[0] is not spec:
            _hashes_seen[module] = (spec, digest)
        elif before[1] != digest:
            edited = "was edited after Python imported it; the imported version runs"
            code.unknown.append(f"{name} {edited}")
            digest = before[1]
    code.files[name] = digest
    return content
