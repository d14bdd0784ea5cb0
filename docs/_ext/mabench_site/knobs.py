"""The knobs of made-up rows in Markdown, from the generators that take them."""

from __future__ import annotations

from mabench.data.inventory import SOURCES
from mabench.synthesis.generator import Knob
from mabench.synthesis.specs import _KNOBS, knobs_of
from mabench_site.markdown import code, sentence, table


def knobs_in_markdown() -> str:
    """Return a table of the knobs of every family, with what each difficulty sets."""
    first = {one.family: one.name for one in reversed(SOURCES)}
    rows = [
        _row(family, knob)
        for family in dict.fromkeys(one.family for one in SOURCES)
        for knob in knobs_of(first[family])
    ]
    return table(("Family", "Knob", "What it sets", "Range", "Easy", "Real", "Hard"), rows)


def _row(family: str, knob: Knob) -> tuple[str, ...]:
    easy, hard = (_KNOBS[family][name].get(knob.name, knob.default) for name in ("easy", "hard"))
    extent = f"{knob.lowest:,} to {knob.highest:,}"
    figures = (f"{value:,}" for value in (easy, knob.default, hard))
    return (code(family), code(knob.name), sentence(knob.about), extent, *figures)
