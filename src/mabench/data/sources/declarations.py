"""Sources that a user declares: beside those of the inventory, in ``run.json``, and in errors.

A declared source must never take the name or the column of one of the benchmark.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from mabench.data.inventory import BY_NAME, LISTED, Source
from mabench.errors import UsageError, nearest

# Of sources that users declare: their file, and what they may set.
SOURCES_FILE = "sources.toml"
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def explain_unknown(name: str, sources: Mapping[str, Source]) -> tuple[str, str]:
    """Return what is expected of a row of an unknown source, and the lines that declare it."""
    near = " or ".join(nearest(name, sources))
    listed = f": {near} ({LISTED})" if near else f" ({LISTED})"
    key = name if _BARE_KEY.fullmatch(name) else json.dumps(name, ensure_ascii=False)
    return (
        f"a known source{listed}, or one that is declared in {SOURCES_FILE} beside the rows",
        f"[{key}]\n"
        'family = "answer"  # or "label", "choice", "judged", "module:NAME"\n'
        "# unit = '^Ticket \\d+:'  # how a piece begins that no chunk may split",
    )


def add_inventory(sources: Mapping[str, Source]) -> Mapping[str, Source]:
    """Return the sources of the inventory and ``sources``, by name.

    Raises ``UsageError`` when one of the inventory is declared differently, one is mapped from
    another name than its own, or a declared one claims a column of the paper.
    """
    for name, source in sources.items():
        if source.name != name:
            raise UsageError(f"the source {source.name!r} is declared under the name {name!r}")
        if BY_NAME.get(name, source) != source:
            raise UsageError(f"{name!r} is a source of the benchmark; choose another name")
        if source.column and name not in BY_NAME:
            raise UsageError(f"{name!r}: only sources of the benchmark feed a column of the paper")
    return {**BY_NAME, **sources} if sources else BY_NAME


def dump_declarations(sources: Mapping[str, Source]) -> dict[str, dict[str, str]]:
    """Return the sources that are not of the inventory as JSON values, as ``run.json`` has them."""
    return {
        name: {"family": source.family, "split": source.split, **source.settings}
        for name, source in sources.items()
        if name not in BY_NAME
    }


def read_declarations(declarations: Mapping[str, Mapping[str, str]] | None) -> Mapping[str, Source]:
    """Return the sources of the inventory and those that a ``run.json`` declares, by name."""
    if not declarations:
        return BY_NAME
    own = declarations.items()
    return add_inventory({name: Source.declare(name, each, each["split"]) for name, each in own})
