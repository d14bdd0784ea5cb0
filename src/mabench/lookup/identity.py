"""Identifies the code of an agent, so that a resumed run notices when it has changed.

The code is the files of the agent's module and of the local modules that they import, or the
version of the installed package that it comes from. Anything else is unknown, with a reason: it is
never guessed. Nothing is imported or started for this, and nothing here may make a run fail.
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
from mabench.lookup.importing import MODULES_IMPORTED_WITH
from mabench.lookup.modules import Modules, file_of, find_imports, is_installed
from mabench.lookup.names import is_shipped
from mabench.plugins import OWN_PACKAGES, is_own_module
from mabench.redact import redact

# Bytes. A larger file is identified by its size alone.
_LARGEST_HASHED = 1 << 26
_MOST_FILES = 1000
_HASH_DIGITS = 16
_OURS = "mabench"
_MAIN = "__main__"

# The modules of this process, with the hash of each file when it was first seen here. If a file is
# edited later, this process still runs the earlier code.
_hashes_seen: dict[str, tuple[ModuleSpec, str]] = {}


@dataclass(slots=True)
class Code:
    """The code of an agent, as far as it is known."""

    # Hashes of files, by the path within their package or as the command names them.
    files: dict[str, str] = field(default_factory=dict)
    packages: dict[str, str] = field(default_factory=dict)  # The versions of installed packages.
    # Why some of the code is unknown, each reason in a few words.
    unknown: list[str] = field(default_factory=list)
    # The top-level names of all modules that the files import in this interpreter.
    imports: set[str] = field(default_factory=set)

    @classmethod
    def identify(
        cls,
        agent: str | Callable[..., object],
        python: str | Path | None = None,
        mcp_map: str | Path | None = None,
    ) -> Code:
        """Return the code of an agent.

        Args:
            agent: the name of an agent, or a class or function that makes one.
            python: the interpreter that runs the agent; this one if None.
            mcp_map: the file that maps the tools of an MCP server; it is part of the code.
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
    """Add the module of a class or function; the state of any other object is in no file."""
    module = getattr(factory, "__module__", None)
    name = getattr(factory, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str):
        code.unknown.append("it is an object, not a class or function")
    elif "<" in name:  # Such as ``make.<locals>.Memory``.
        code.unknown.append("it is defined within a function")
    else:
        if module == _MAIN:
            _add_script(code)
        else:
            _add_module(code, module)
        if not code.unknown and _find_object(module, name) is not factory:
            code.unknown.append(f"it is not what {module} calls {name}")


def _find_object(module: str, name: str) -> object:
    """Return what a loaded module has under a dotted name; None if there is nothing."""
    try:
        return reduce(getattr, name.split("."), sys.modules[module])
    except (AttributeError, KeyError):
        return None


def _add_script(code: Code) -> None:
    """Add the script that is running, and what it imports. A notebook has no such file."""
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
    """Add the program of a command, and its arguments that are files."""
    for index, word in enumerate(shlex.split(command)):
        is_program = index == 0
        file = Path(shutil.which(word) or word) if is_program else Path(word)
        if file.is_file():
            _add_file(code, redact(word), file)


def _add_agent_elsewhere(code: Code, agent: str, python: str) -> None:
    """Add another interpreter, and the agent that it imports."""
    interpreter = Path(shutil.which(python) or python)
    _add_file(code, redact(python), interpreter)
    # The folders where the interpreter looks for modules, as far as its files show.
    prefix = interpreter.parent.parent
    sites = [*prefix.glob("lib/python3*/*-packages"), *prefix.glob("Lib/site-packages")]
    files = [file for site in sites for file in sorted(site.glob("*.pth"))]
    lines = [line for file in files for line in file.read_text("utf-8", "replace").splitlines()]
    folders = [str(Path.cwd()), *map(str, sites)]
    folders += [line for line in lines if line and Path(line).is_dir()]
    # The agent is FILE.py:factory, package.module:factory, or the name of a plugin.
    place, colon, _ = agent.rpartition(":")
    module: str | None
    if place.endswith(".py"):
        folders.insert(0, str(Path(place).absolute().parent))
        module = Path(place).stem
    elif colon:
        module = place
    else:
        module = Modules(folders).find_plugin(agent)
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
        runs_here = folders is None
        imported_with = MODULES_IMPORTED_WITH.get(name, ()) if runs_here else ()
        _add_imports(code, [name, *imported_with], modules)
    else:
        distribution = modules.find_distribution(name)
        if distribution:
            code.packages[distribution.name] = distribution.version
        else:
            code.unknown.append(f"no installed package provides {name}")


def _add_imports(code: Code, names: Iterable[str], modules: Modules) -> None:
    """Add local modules, and the local modules that they import."""
    pending = deque(names)
    seen: set[str] = set()
    while pending:
        name = pending.popleft()
        top_level = name.partition(".")[0]
        is_foreign = top_level in OWN_PACKAGES or top_level in sys.stdlib_module_names
        if not name or name in seen or is_foreign:
            continue
        seen.add(name)
        pending.append(name.rpartition(".")[0])  # Python imports the package first.
        spec = modules.find(name)
        file = file_of(spec)
        if spec is None or file is None or is_installed(file):
            continue
        if len(code.files) >= _MOST_FILES:
            code.unknown.append(f"it has more than {_MOST_FILES} files")
            return
        is_package = spec.submodule_search_locations is not None
        # The path within the package, such as package/module.py or package/__init__.py.
        depth = name.count(".") + (2 if is_package else 1)
        path = "/".join(file.parts[-depth:])
        runs_here = modules.folders is None
        source = _add_file(code, path, file, name if runs_here else "")
        if file.suffix == ".py":
            package = name if is_package else name.rpartition(".")[0]
            if runs_here:
                pending.extend(_note_imports(code, source, package))
            else:
                pending.extend(find_imports(source.decode("utf-8", "replace"), package))


def _note_imports(code: Code, source: bytes, package: str) -> list[str]:
    """Return the imports of a module of this interpreter, and note their top-level names."""
    imports = list(find_imports(source.decode("utf-8", "replace"), package))
    code.imports.update(name.partition(".")[0] for name in imports)
    return imports


def _add_file(code: Code, name: str, file: Path, module: str = "") -> bytes:
    """Add a file under a name, and return its content.

    ``module`` is the module of this process that was loaded from it, if any.
    """
    size = file.stat().st_size
    content, digest = b"", f"{size} bytes"
    if size <= _LARGEST_HASHED:
        content = file.read_bytes()
        digest = hashlib.sha256(content).hexdigest()[:_HASH_DIGITS]
    loaded_digest = _digest_when_loaded(module, digest)
    if loaded_digest != digest:
        edited = "was edited after Python imported it; the imported version runs"
        code.unknown.append(f"{name} {edited}")
    code.files[name] = loaded_digest
    return content


def _digest_when_loaded(module: str, digest: str) -> str:
    """Return the digest of a module's file when the module was first seen here.

    ``digest`` is what it is now; it is returned, and kept, for a module that was loaded since, and
    returned for one that is not loaded.
    """
    spec = getattr(sys.modules.get(module), "__spec__", None)
    if spec is None:
        return digest
    seen_spec, seen_digest = _hashes_seen.get(module, (None, ""))
    if seen_spec is spec:
        return seen_digest
    _hashes_seen[module] = (spec, digest)
    return digest
