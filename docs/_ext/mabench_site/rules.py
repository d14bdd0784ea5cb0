"""The rules of the corrected score in Markdown, each with an example that is scored here."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from mabench.data.formats import published_sources
from mabench.data.inventory import BY_NAME
from mabench.families import Score, score_answer
from mabench.scoring import RULES
from mabench_site.markdown import code, sentence, table

_FILE = Path(__file__).with_name("examples.toml")


@dataclass(frozen=True, slots=True)
class Example:
    """An answer that one rule decides.

    Attributes:
        rule: the name of the rule.
        source: the source of the question.
        golds: the golds.
        prediction: the answer.
        question: the question, where the rule needs it.
        question_type: its type, where the rule needs that.
    """

    rule: str
    source: str
    golds: tuple[str, ...]
    prediction: str
    question: str | None
    question_type: str | None

    def score(self) -> Score:
        """Score the answer as a run would."""
        source = {**BY_NAME, **published_sources()}[self.source]
        return score_answer(
            source,
            self.prediction,
            self.golds,
            self.question,
            _entities() if source.family == "recsys" else None,
            self.question_type,
        )


@cache
def examples() -> tuple[Example, ...]:
    """Return all examples, in the order of their file."""
    return tuple(
        Example(
            rule,
            part["source"],
            tuple(one["golds"]),
            one["prediction"],
            one.get("question", part.get("question")),
            one.get("question_type"),
        )
        for part in _read()["parts"]
        for rule, one in part["rules"].items()
    )


def rules_in_markdown() -> str:
    """Return a table of rules for each kind of answer."""
    return "\n".join(_parts())


def without_example() -> list[str]:
    """Return the rules that no example shows, and the examples that another rule decides."""
    shown = {one.rule for one in examples()}
    faults = [f"the rule {name} has no example in {_FILE.name}" for name in RULES.keys() - shown]
    for one in examples():
        rule = one.score().rule
        if rule != one.rule:
            faults.append(f"{_FILE.name}: {rule} decides the example of {one.rule}")
    return sorted(faults)


def _parts() -> Iterator[str]:
    by_rule = {one.rule: one for one in examples()}
    for part in _read()["parts"]:
        yield f"## {part['title']}\n"
        asked = f" The question is {code(_line(part['question']))}." if "question" in part else ""
        unless = ", unless another one is given" if asked and _has_own(part) else ""
        yield f"{part['about'].strip()}{asked[:-1]}{unless}{asked[-1:]}\n"
        rows = [_row(by_rule[name], one.get("question")) for name, one in part["rules"].items()]
        yield table(("Rule", "In words", "Gold", "Answer", "Official", "Corrected"), rows)


def _has_own(part: dict[str, Any]) -> bool:
    return any("question" in one for one in part["rules"].values())


def _row(example: Example, question: str | None) -> tuple[str, ...]:
    """Return the row of an example, with its question where that is one of its own."""
    score = example.score()
    official = score.reported
    said = code(_line(example.prediction)) if example.prediction.strip() else "(nothing)"
    return (
        code(example.rule),
        sentence(RULES[example.rule]),
        ", ".join(code(_gold(example, gold)) for gold in example.golds),
        f"{said}, asked {code(_line(question))}" if question else said,
        "-" if official is None else f"{official:g}",
        score.verdict or "-",
    )


def _line(text: str) -> str:
    return " ".join(text.split())


def _gold(example: Example, gold: str) -> str:
    """Return a gold as a reader knows it: of an entity the title."""
    if not example.source.startswith("recsys"):
        return gold
    names = {str(number): name for name, number in _entities().items()}
    return names[gold].rpartition("/")[2].strip(">").replace("_", " ")


@cache
def _entities() -> Mapping[str, int]:
    found: dict[str, int] = _read()["entities"]
    return found


@cache
def _read() -> dict[str, Any]:
    return tomllib.loads(_FILE.read_text("utf-8"))
