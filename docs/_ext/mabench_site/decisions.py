"""The decisions on which value an answer chooses, in Markdown, from their declarations."""

from __future__ import annotations

from mabench.scoring.stated.decisions import DECISIONS
from mabench_site.markdown import code, sentence, table


def decisions_in_markdown() -> str:
    """Return the table of decisions, in the order in which they are asked."""
    rows = [
        (
            str(place),
            one.name,
            sentence(one.meaning),
            one.effect.value,
            code(" ".join(one.example.split())),
            code(" ".join(one.near_miss.split())),
        )
        for place, one in enumerate(DECISIONS, start=1)
    ]
    return table(("", "Decision", "What it finds", "Effect", "Example", "Near miss"), rows)
