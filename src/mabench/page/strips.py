"""The history of a row as a strip, from its beginning on the left to its end on the right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from mabench.text.marks import Span

# Strips are so many units long, and places in a history are counted in these.
WIDTH = 1000
_BIN = 4  # Units of one bar.
_HIGH = 22  # Of the highest bar of a lane.
_GAP = 4
_EDGE = 7  # Of the borders of chunks.


class Strip(NamedTuple):
    """A row: what names it, its title, the address of its questions, figures, and its drawing."""

    name: str
    title: str
    query: str
    facts: str
    drawing: str


class SourceHistories(NamedTuple):
    """The rows of a source, of which the first are shown and the others unfold."""

    source: str
    strips: Sequence[Strip]
    shown: int = 5


def to_units(start: int, end: int, length: int) -> Span:
    """Return a span of a history of ``length`` characters as its first unit and how many."""
    first = min(WIDTH - 1, WIDTH * start // max(length, 1))
    return first, max(0, WIDTH * end // max(length, 1) - first)


def draw_strip(lanes: Mapping[str, Iterable[Span]], borders: Iterable[int]) -> str:
    """Return a strip as SVG: a lane of bars for each kind of places, and borders of chunks below.

    Args:
        lanes: by kind, where something stands: each time its first unit, and how many it fills.
            The more stand at a place, the higher is its bar.
        borders: where a chunk begins, in units.
    """
    parts, top = list[str](), 0
    for kind, places in lanes.items():
        counts = Counter[int]()
        for start, width in places:
            counts.update(range(start // _BIN, min(WIDTH - 1, start + width) // _BIN + 1))
        most = max(counts.values(), default=1)
        heights = {at: max(3, _HIGH * count // most) for at, count in sorted(counts.items())}
        bars = (f"M{_BIN * at} {top + _HIGH}v-{h}h{_BIN}v{h}z" for at, h in heights.items())
        parts.append(f'<rect y="{top}" width="{WIDTH}" height="{_HIGH}"/>')
        parts.append(f'<path class="{kind}" data-top="{top}" d="{"".join(bars)}"/>')
        top += _HIGH + _GAP
    ticks = "".join(f"M{at} {top}v{_EDGE}" for at in sorted({*borders}))
    parts.append(f'<path class="border" d="{ticks}"/>')
    high = top + _EDGE
    size = f'viewBox="0 0 {WIDTH} {high}" style="height:{high}px" preserveAspectRatio="none"'
    return f'<svg {size} aria-hidden="true">{"".join(parts)}</svg>'
