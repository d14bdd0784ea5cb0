"""Finds how two recordings differ, and prints it by kind."""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

KINDS = ("exit code", "JSON", "text", "error text", "files", "command")
_LISTED = re.compile(r"\[\d+\]")
_LONGEST = 160  # Characters of a value that are printed.


@dataclass(frozen=True)
class Difference:
    """How a command differs in one kind of output, in lines that can be read."""

    kind: str
    command: str
    lines: tuple[str, ...]


def differences(old: dict[str, Any], new: dict[str, Any]) -> Iterator[Difference]:
    """Yield the differences of two recordings, in the order of their commands."""
    for command in {**old, **new}:
        if command not in old or command not in new:
            side = "old" if command in old else "new"
            yield Difference("command", command, (f"only in the {side} recording",))
            continue
        before, after = old[command], new[command]
        if before["exit code"] != after["exit code"]:
            codes = (f"{before['exit code']} -> {after['exit code']}",)
            yield Difference("exit code", command, codes)
        for kind in ("JSON", "text", "error text"):
            lines = tuple(_changes(before.get(kind), after.get(kind)))
            if lines:
                yield Difference(kind, command, lines)
        lines = tuple(
            f"{name}{line}"
            for name in sorted({**before["files"], **after["files"]})
            for line in _changes(before["files"].get(name), after["files"].get(name))
        )
        if lines:
            yield Difference("files", command, lines)


def render(found: Sequence[Difference], longest: int) -> str:
    """Return the differences by kind, each with at most so many lines."""
    lines = []
    for kind in KINDS:
        of_kind = [one for one in found if one.kind == kind]
        lines.append(f"{kind}: {len(of_kind)} commands differ")
        for one in of_kind:
            lines.append(f"  mabench {one.command}")
            lines += (f"    {line[:_LONGEST]}" for line in one.lines[:longest])
            if len(one.lines) > longest:
                lines.append(f"    ... {len(one.lines) - longest} more lines (--lines)")
    return "\n".join(lines)


def _changes(old: Any, new: Any) -> Iterator[str]:
    """Yield what changed in a text or in JSON; in JSON, once for all items of a list."""
    if old == new:
        return
    if _is_text(old) and _is_text(new):
        compared = difflib.unified_diff(old, new, lineterm="", n=0)
        yield from (f" {line}" for line in compared if not line.startswith(("---", "+++", "@@")))
        return
    by_place: dict[str, list[str]] = defaultdict(list)
    for place, change in _json_changes(old, new, ""):
        by_place[_LISTED.sub("[]", place)].append(change)
    for place, changes in by_place.items():
        often = f" ({len(changes)} times)" if len(changes) > 1 else ""
        yield f"{place}: {changes[0]}{often}"


def _is_text(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _json_changes(old: Any, new: Any, place: str) -> Iterator[tuple[str, str]]:
    """Yield each place that differs, with what stands there."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in {**old, **new}:
            if name not in new:
                yield f"{place}.{name}", f"gone, was {old[name]!r}"
            elif name not in old:
                yield f"{place}.{name}", f"added, is {new[name]!r}"
            else:
                yield from _json_changes(old[name], new[name], f"{place}.{name}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for number, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from _json_changes(before, after, f"{place}[{number}]")
    elif isinstance(old, list) and isinstance(new, list):
        yield place, f"{len(old)} items -> {len(new)} items"
    elif old != new:
        yield place, f"{old!r} -> {new!r}"
