"""What sources of the benchmark are called where their rows are not the benchmark's own.

A made-up row must never pass for one of the benchmark: its source is named with the length that its
histories have, never with the length in the name of the source.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from mabench.data.inventory import BY_NAME, without_length
from mabench.data.schema import RowOutline


def can_be_benchmark(outline: Iterable[RowOutline]) -> bool:
    """Return whether rows can be the benchmark's own: no more of a source than that has."""
    questions = defaultdict[str, list[int]](list)
    for row in outline:
        questions[row.source].append(row.questions)
    return all(
        len(questions[name]) <= source.rows and sum(questions[name]) <= source.questions
        for name, source in BY_NAME.items()
    )


def lengths_in(manifest: Mapping[str, Any]) -> dict[str, set[int]]:
    """Return how long the rows of each source are, in tokens, as the manifest of made-up rows says.

    It is a user's file: what it does not say is left out.
    """
    lengths = defaultdict[str, set[int]](set)
    rows = manifest.get("rows")
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict) and isinstance(row.get("tokens"), int):
            lengths[str(row.get("source"))].add(row["tokens"])
    return lengths


def title_made_up(names: Iterable[str], lengths: Mapping[str, Collection[int]]) -> dict[str, str]:
    """Return what sources are called whose rows are made up, of these ``lengths`` in tokens.

    Such as ``ruler_qa1, 8k, made up``; only sources of the benchmark have titles.
    """
    titles: dict[str, str] = {}
    for name in names:
        if name in BY_NAME:
            span = _write_span(lengths.get(name, ()))
            middle = f", {span}" if span else ""
            titles[name] = f"{without_length(name)}{middle}, made up"
    counts = Counter(titles.values())
    return {
        name: title if counts[title] == 1 else f"{title}, as {name}"
        for name, title in titles.items()
    }


def _write_span(lengths: Collection[int]) -> str:
    """Return the shortest and the longest of lengths, as ``8k to 1.5M``; nothing without any."""
    if not lengths:
        return ""
    shortest, longest = _in_short(min(lengths)), _in_short(max(lengths))
    return shortest if shortest == longest else f"{shortest} to {longest}"


def _in_short(tokens: int) -> str:
    """Return a count in thousands or millions: ``1.5k`` with a decimal below ten of these."""
    for unit, size in (("M", 1_000_000), ("k", 1_000)):
        if tokens >= size:
            digits = 1 if tokens < 10 * size else 0
            return f"{round(tokens / size, digits):g}{unit}"
    return str(tokens)
