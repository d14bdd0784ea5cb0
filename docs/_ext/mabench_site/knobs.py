"""The knobs of made-up rows in Markdown, from the generators that take them."""

from __future__ import annotations

from collections.abc import Iterator

from mabench.data.inventory import SOURCES
from mabench_site.markdown import code, sentence, table
from mabench_synthetic.specs import DIFFICULTIES, knobs_of, row_specs


def knobs_in_markdown() -> str:
    """Return a table of the knobs of every family, with what each difficulty sets."""
    sources = {one.family: one.name for one in reversed(SOURCES)}
    rows = [
        row
        for family in dict.fromkeys(one.family for one in SOURCES)
        for row in _rows(family, sources[family])
    ]
    difficulties = (name.capitalize() for name in DIFFICULTIES)
    return table(("Family", "Knob", "What it sets", "Range", *difficulties), rows)


def _rows(family: str, source: str) -> Iterator[tuple[str, ...]]:
    """Yield a row for each knob of a family, with the values that each difficulty sets."""
    set_by = [row_specs(source, 0, difficulty=name)[0].knobs for name in DIFFICULTIES]
    for knob in knobs_of(source):
        extent = f"{_number(knob.lowest)} to {_number(knob.highest)}"
        values = (_number(knobs[knob.name]) for knobs in set_by)
        yield code(family), code(knob.name), sentence(knob.about), extent, *values


def _number(value: int | float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"
