"""FactConsolidation rows over a user's facts: a table of subject, relation and object."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from mabench.data.schema import RowContent
from mabench.text import estimate_tokens
from mabench_synthetic.generator import QAPair, row_content
from mabench_synthetic.language import sentence
from mabench_synthetic.material.reading import Faults, MaterialSpec, fitting, read_table
from mabench_synthetic.specs import sources_named

_HEADER = "Here is a list of facts:\n"
_FAMILY = "factconsolidation"
_STEM = "factconsolidation_sh"


class _Triple(NamedTuple):
    subject: str
    relation: str
    object: str
    order: float
    question: str

    @property
    def key(self) -> tuple[str, str]:
        return self.subject.lower(), self.relation.lower()


def read(path: Path, spec: MaterialSpec) -> RowContent:
    """Return one single-hop row: the facts in their order; a later fact holds.

    The columns are ``subject``, ``relation`` (the words between the two, such as ``was born
    in``) and ``object``; ``order`` (a number; else the order of the lines) and ``question`` are
    optional; the default question is ``SUBJECT RELATION what?``. Contradicted facts are asked
    for first. Only the latest facts of a longer file are used, up to ``spec.tokens``.

    Raises:
        DataError: naming every line with an empty cell, an order that is no number, or a question
            that gives its answer away.
    """
    ordered = sorted(_read(path), key=lambda fact: fact.order)
    facts = fitting(reversed(ordered), spec.tokens, _tokens)[::-1]
    lines = [
        f"{i}. {sentence(f'{fact.subject} {fact.relation} {fact.object}')}."
        for i, fact in enumerate(facts)
    ]
    context = _HEADER + "\n".join(lines) + "\n"
    latest = {fact.key: fact for fact in facts}
    changed = {fact.key for fact in facts if latest[fact.key].object != fact.object}
    rng = spec.random_stream()
    keys = rng.sample(sorted(latest), len(latest))
    keys.sort(key=lambda key: key not in changed)
    pairs = [_pair(latest[key]) for key in keys[: spec.questions]]
    rng.shuffle(pairs)
    return row_content(_source(spec.source, estimate_tokens(context)), context, pairs)


def _read(path: Path) -> list[_Triple]:
    faults = Faults(path)
    facts: list[_Triple] = []
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
            _Triple(
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


def _tokens(fact: _Triple) -> int:
    return estimate_tokens(f"0. {fact.subject} {fact.relation} {fact.object}.\n")


def _pair(fact: _Triple) -> QAPair:
    question = fact.question or f"{sentence(fact.subject)} {fact.relation} what?"
    return QAPair(question, (fact.object,))


def _source(name: str, tokens: int) -> str:
    """Return the single-hop source of the nearest length, unless one was named."""
    (nearest,) = sources_named(_STEM if name == _FAMILY else name, tokens)
    return nearest
