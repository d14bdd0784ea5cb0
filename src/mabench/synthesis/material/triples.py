"""FactConsolidation rows over a user's facts: a table of subject, relation and object."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from mabench.data.schema import RowContent
from mabench.synthesis.english import sentence
from mabench.synthesis.material.request import Request
from mabench.synthesis.material.tables import Faults, read_table
from mabench.synthesis.plans import sources_named
from mabench.synthesis.rows import Item, row_content
from mabench.text import estimate_tokens

_HEADER = "Here is a list of facts:\n"
_FAMILY = "factconsolidation"
_STEM = "factconsolidation_sh"


class _Fact(NamedTuple):
    subject: str
    relation: str
    object: str
    order: float
    question: str

    @property
    def key(self) -> tuple[str, str]:
        return self.subject.lower(), self.relation.lower()


def read(path: Path, request: Request) -> list[RowContent]:
    """Return one single-hop row: the facts in their order, of which the later one holds.

    The columns are ``subject``, ``relation`` (the words between the two, such as ``was born
    in``) and ``object``; ``order`` (a number; else the order of the lines) and ``question`` are
    optional. Without a question it is asked ``SUBJECT RELATION what?``. Facts that were
    contradicted are asked for first. Of a longer file the latest facts are kept, up to
    ``request.tokens``.

    Raises:
        DataError: naming every line with an empty cell, an order that is no number, or a question
            that gives its answer away.
    """
    facts = _newest(sorted(_read(path), key=lambda fact: fact.order), request.tokens)
    lines = [
        f"{i}. {sentence(f'{fact.subject} {fact.relation} {fact.object}')}."
        for i, fact in enumerate(facts)
    ]
    context = _HEADER + "\n".join(lines) + "\n"
    latest = {fact.key: fact for fact in facts}
    changed = {fact.key for fact in facts if latest[fact.key].object != fact.object}
    rng = request.stream()
    keys = rng.sample(sorted(latest), len(latest))
    keys.sort(key=lambda key: key not in changed)
    items = [_item(latest[key]) for key in keys[: request.questions]]
    rng.shuffle(items)
    return [row_content(_source(request.source, estimate_tokens(context)), context, items)]


def _read(path: Path) -> list[_Fact]:
    faults = Faults(path)
    facts: list[_Fact] = []
    for line, cells in read_table(path, ("subject", "relation", "object")):
        place = f"line {line}"
        for column in ("subject", "relation", "object"):
            if not cells[column]:
                faults.add(place, f"{column} is empty", "fill it or remove the line")
        order = _number(cells.get("order") or str(len(facts)))
        if order is None:
            faults.add(place, f"order {cells['order']!r} is no number", "write one, such as 12")
        question = cells.get("question", "")
        if question and cells["object"] and cells["object"].lower() in question.lower():
            faults.add(place, "the question holds its answer", "word it otherwise")
        facts.append(
            _Fact(
                " ".join(cells["subject"].split()),
                " ".join(cells["relation"].split()),
                " ".join(cells["object"].rstrip(".").split()),
                order or 0.0,
                question,
            )
        )
    if not facts:
        faults.add("line 2", "there are no facts", "add a line for each")
    faults.raise_if_any()
    return facts


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _newest(facts: list[_Fact], tokens: int | None) -> list[_Fact]:
    """Return the latest facts that fit."""
    if tokens is None:
        return facts
    kept: list[_Fact] = []
    for fact in reversed(facts):
        tokens -= estimate_tokens(f"0. {fact.subject} {fact.relation} {fact.object}.\n")
        if tokens < 0:
            break
        kept.append(fact)
    return kept[::-1] or facts[-1:]


def _item(fact: _Fact) -> Item:
    asked = fact.question or f"{sentence(fact.subject)} {fact.relation} what?"
    return Item(asked, (fact.object,))


def _source(name: str, tokens: int) -> str:
    """Return the single-hop source of the nearest length, unless one was named."""
    (nearest,) = sources_named(_STEM if name == _FAMILY else name, tokens)
    return nearest
