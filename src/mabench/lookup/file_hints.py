"""Suggests what to write for a name that seems to mean a Python file. Nothing is imported."""

from __future__ import annotations

import ast
from contextlib import suppress
from pathlib import Path

from mabench.contract.answers import summarize_error
from mabench.contract.methods import KINDS, call_of

_MOST_NAMED = 3


def expand_home(name: str) -> Path:
    """Return a path with ``~`` replaced by the user's home; unchanged if there is no such user."""
    with suppress(RuntimeError):
        return Path(name).expanduser()
    return Path(name)


def hint_at_file(name: str) -> str | None:
    """Return what to write for the file that a name seems to mean; None if it means no file."""
    path = expand_home(name)
    is_file_name = path.suffix == ".py"
    if is_file_name and (path.is_absolute() or ".." in path.parts):
        hint = _hint_at_module(path, path.stem) or f"there is no file {name}"
        return f"start in {path.parent} and {hint}" if hint.startswith("write") else hint
    dotted = ".".join(path.with_suffix("").parts) if is_file_name else name
    # ``notes.Memory`` may be a module of that name, or ``Memory`` in the module ``notes``.
    parent, _, last = dotted.rpartition(".")
    for module, attribute in ((dotted, ""), (parent, last)):
        parts = module.split(".")
        if all(part.isidentifier() for part in parts):
            found = _hint_at_module(Path(*parts).with_suffix(".py"), module, attribute)
            if found:
                return found
    return f"there is no file {name}" if is_file_name else None


def _hint_at_module(file: Path, module: str, attribute: str = "") -> str | None:
    """Return what to write for the agents in a file, or what it lacks; None if there is no file."""
    try:
        body = ast.parse(file.read_bytes(), file.name).body
    except OSError:
        return None
    except (SyntaxError, ValueError) as error:
        return f"{file} cannot be imported: {summarize_error(error)}; correct it"
    classes = [part for part in body if isinstance(part, ast.ClassDef)]
    if attribute in {cls.name for cls in classes}:
        suitable = [attribute]
    else:
        suitable = [cls.name for cls in classes if not _missing_methods(cls)]
    if suitable:
        return f"write {' or '.join(f'{module}:{cls}' for cls in suitable[:_MOST_NAMED])}"
    for cls in classes:
        missing = _missing_methods(cls)
        if len(missing) == 1:
            return f"{cls.name} in {file} has no method {call_of(missing[0])}"
    kinds = ", or ".join(" and ".join(methods) for methods in reversed(KINDS.values()))
    return f"{file} has no class with {kinds}; write {module}:NAME if NAME in it makes an agent"


def _missing_methods(cls: ast.ClassDef) -> list[str]:
    """Return the methods that a class lacks to be an agent or a memory, whichever lacks fewer.

    A single missing method may come from a base class.
    """
    own = {getattr(part, "name", "") for part in cls.body}
    missing = [[method for method in methods if method not in own] for methods in KINDS.values()]
    fewest = min(missing, key=len)
    return [] if cls.bases and len(fewest) == 1 else fewest
