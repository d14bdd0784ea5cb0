"""What to write for a name that seems to mean a file. Nothing is imported for it."""

from __future__ import annotations

import ast
from contextlib import suppress
from pathlib import Path

from mabench.contract.answers import summarize_error
from mabench.contract.methods import KINDS, call_of

_MOST_NAMED = 3


def expand_home(name: str) -> Path:
    """Return a path with the home of a user in it; as it is where there is no such user."""
    with suppress(RuntimeError):
        return Path(name).expanduser()
    return Path(name)


def hint_at_file(name: str) -> str | None:
    """Return what to write for the file that a name seems to mean; None if it means none."""
    path = expand_home(name)
    module = ".".join(path.with_suffix("").parts) if path.suffix == ".py" else name
    if path.suffix == ".py" and (path.is_absolute() or ".." in path.parts):
        hint = _hint_of_module(path, path.stem) or f"there is no file {name}"
        return f"start in {path.parent} and {hint}" if hint.startswith("write") else hint
    for stem, _, attribute in ((module, "", ""), module.rpartition(".")):
        parts = stem.split(".")
        if all(part.isidentifier() for part in parts) and (
            said := _hint_of_module(Path(*parts).with_suffix(".py"), stem, attribute)
        ):
            return said
    return f"there is no file {name}" if path.suffix == ".py" else None


def _hint_of_module(file: Path, module: str, attribute: str = "") -> str | None:
    try:
        body = ast.parse(file.read_bytes(), file.name).body
    except OSError:
        return None
    except (SyntaxError, ValueError) as error:
        return f"{file} cannot be imported: {summarize_error(error)}; correct it"
    classes = [part for part in body if isinstance(part, ast.ClassDef)]
    named = [attribute] if attribute in {cls.name for cls in classes} else []
    if fit := named or [cls.name for cls in classes if not _lacking(cls)]:
        return f"write {' or '.join(f'{module}:{cls}' for cls in fit[:_MOST_NAMED])}"
    for cls in classes:
        if len(lacking := _lacking(cls)) == 1:
            return f"{cls.name} in {file} has no method {call_of(lacking[0])}"
    kinds = ", or ".join(" and ".join(methods) for methods in reversed(KINDS.values()))
    return f"{file} has no class with {kinds}; write {module}:NAME if NAME in it makes an agent"


def _lacking(cls: ast.ClassDef) -> list[str]:
    """Return which methods a class lacks to be an agent or a memory; a base may bring one."""
    own = {getattr(part, "name", "") for part in cls.body}
    lacks = ([method for method in methods if method not in own] for methods in KINDS.values())
    fewest = min(lacks, key=len)
    return [] if cls.bases and len(fewest) == 1 else fewest
